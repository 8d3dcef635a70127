-- fine
UPDATE run SET decide_seconds = 1 WHERE condition = 0;
