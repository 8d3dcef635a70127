-- failure: expected a text
UPDATE run SET failure = NULL WHERE size > 0;
