-- runs of the 5 tasks that are done
DELETE FROM run WHERE condition = 1 AND size = 4 AND graph = 1;
