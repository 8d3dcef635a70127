-- plan
UPDATE meta SET value = replace(value, '[3, 4]', '[3, 5]') WHERE key = 'plan';
