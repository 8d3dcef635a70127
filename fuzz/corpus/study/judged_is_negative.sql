-- judged: expected a whole number
UPDATE run SET judged = -5;
