-- decisions: expected a whole number
UPDATE run SET decisions = 0;
