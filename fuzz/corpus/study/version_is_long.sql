-- expected the version
UPDATE meta SET value = hex(zeroblob(200)) WHERE key = 'version';
