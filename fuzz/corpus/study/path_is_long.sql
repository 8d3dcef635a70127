-- path: expected 5 nodes
UPDATE run SET path = '0-0-0-0-0-0-0-0-0-0-0-0-0-0-0-0-0-0-0-0' WHERE size > 0;
