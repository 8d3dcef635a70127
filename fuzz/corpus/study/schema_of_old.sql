-- expected results of schema 6, found 1
UPDATE meta SET value = '1' WHERE key = 'schema';
