-- plan
DELETE FROM meta WHERE key = 'plan';
