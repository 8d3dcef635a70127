-- judged: expected nothing, found 1
UPDATE meta SET value = replace(value, '"judge": 1,', '') WHERE key = 'plan';
