-- p: expected a number from 0 to 1, found 7
UPDATE step SET p = 7;
