-- expected every step of
DELETE FROM step;
