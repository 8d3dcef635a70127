-- expected a world of the plan
UPDATE world SET size = -1000000, model = 'tmaze', shortest = NULL WHERE size = 4 AND graph = 0;
