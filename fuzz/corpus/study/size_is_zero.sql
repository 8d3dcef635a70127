-- world
UPDATE world SET size = 0 WHERE size = 3 AND graph = 0;
