-- model: expected "grid", found "tmaze"
UPDATE meta SET value = replace(value, '"tmaze"', '"grid"') WHERE key = 'plan';
