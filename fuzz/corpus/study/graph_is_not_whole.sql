-- graph: expected a whole number
UPDATE world SET graph = graph + 0.5;
