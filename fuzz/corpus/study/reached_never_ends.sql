-- reached: expected 4 at most
UPDATE run SET reached = 2147483647 WHERE size > 0;
