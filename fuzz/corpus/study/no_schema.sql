-- expected results of schema 5, found none
DELETE FROM meta WHERE key = 'schema';
