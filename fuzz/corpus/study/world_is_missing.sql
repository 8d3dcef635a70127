-- its world is missing
DELETE FROM world WHERE size = 4 AND graph = 1;
