-- expected a run of the plan
UPDATE run SET condition = 4 WHERE condition = 3;
