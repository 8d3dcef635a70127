-- path: expected 5 nodes
UPDATE run SET path = '99999999999999999999-0-0-0-0' WHERE size > 0;
