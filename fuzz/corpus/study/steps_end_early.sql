-- expected every step of
DELETE FROM step WHERE condition = (SELECT max(condition) FROM step) AND step > 1;
