-- expected results of schema 5, found 1
UPDATE meta SET value = '1' WHERE key = 'schema';
