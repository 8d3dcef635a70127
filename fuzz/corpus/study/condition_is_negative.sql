-- condition: expected a whole number
UPDATE run SET condition = -1 - condition;
