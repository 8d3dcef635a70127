-- path: expected 5 nodes from 0 to
UPDATE run SET path = '9-9-9-9-9' WHERE optimal = 0 OR condition = 1;
