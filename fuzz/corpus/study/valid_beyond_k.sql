-- valid: expected
UPDATE run SET valid = k + 1;
