-- model: expected "tmaze", found "bandit"
UPDATE run SET model = 'bandit' WHERE size < 0;
