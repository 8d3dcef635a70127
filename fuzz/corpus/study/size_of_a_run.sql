-- expected a run of the plan
UPDATE run SET size = 1000000000 WHERE size = 4 AND graph = 0;
