-- plan
UPDATE world SET graph = graph + 2000000000;
