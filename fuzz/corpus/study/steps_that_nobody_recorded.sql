-- expected no more steps
UPDATE meta SET value = 'false' WHERE key = 'record_steps';
