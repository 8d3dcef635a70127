-- judged_best: expected 1 at most
UPDATE run SET judged_best = 9;
