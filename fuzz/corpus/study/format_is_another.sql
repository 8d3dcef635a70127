-- found another SQLite file
UPDATE meta SET value = 'letters' WHERE key = 'format';
