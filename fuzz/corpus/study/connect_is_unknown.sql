-- connect: expected a name
UPDATE world SET connect = 'sideways' WHERE size = 4;
