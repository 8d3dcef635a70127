-- failure: expected a name
UPDATE run SET failure = 'sulked' WHERE size > 0;
