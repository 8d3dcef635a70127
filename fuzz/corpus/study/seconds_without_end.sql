-- decide_seconds: expected a number
UPDATE run SET decide_seconds = 9e999;
