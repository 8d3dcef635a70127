-- expected a run of the plan
UPDATE run SET condition = 100000000 + condition;
