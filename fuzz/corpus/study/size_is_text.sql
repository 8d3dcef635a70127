-- size: expected a whole number
UPDATE world SET size = 'three' WHERE size = 4 AND graph = 0;
