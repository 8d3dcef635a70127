-- plan
UPDATE meta SET value = '[[[[' WHERE key = 'plan';
