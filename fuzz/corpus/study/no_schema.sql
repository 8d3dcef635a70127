-- expected results of schema 6, found none
DELETE FROM meta WHERE key = 'schema';
