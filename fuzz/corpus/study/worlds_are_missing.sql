-- its world is missing
DELETE FROM world;
