-- expected results of schema 2, found none
DELETE FROM meta WHERE key = 'schema';
