-- model: expected "tmaze"
UPDATE world SET model = 'grid' WHERE size < 0;
