-- path: expected the states
UPDATE run SET path = 'x/y' WHERE size < 0;
