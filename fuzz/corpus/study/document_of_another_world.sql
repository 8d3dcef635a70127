-- document: expected a graph of
UPDATE world SET document = (SELECT document FROM world WHERE size = 4 AND graph = 0) WHERE size = 3;
