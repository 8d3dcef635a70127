-- path: expected 5 nodes
UPDATE run SET path = '' WHERE condition = 1;
