-- decisions: expected 4 at most
UPDATE run SET decisions = 2147483647;
