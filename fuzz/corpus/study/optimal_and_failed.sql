-- optimal: expected 1 where nothing failed
UPDATE run SET optimal = 1 - optimal;
