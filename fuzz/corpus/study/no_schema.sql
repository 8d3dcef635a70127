-- expected results of schema 3, found none
DELETE FROM meta WHERE key = 'schema';
