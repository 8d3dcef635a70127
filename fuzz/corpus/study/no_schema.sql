-- expected results of schema 4, found none
DELETE FROM meta WHERE key = 'schema';
