-- path: expected a text
UPDATE run SET path = x'302d30' WHERE condition = 0;
