-- expected a world of the plan
UPDATE world SET horizon = horizon + 1;
