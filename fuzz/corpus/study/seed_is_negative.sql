-- seed: expected a whole number
UPDATE world SET seed = -1;
