-- steps: expected a whole number
UPDATE run SET steps = -1;
