-- expected the version
DELETE FROM meta WHERE key = 'version';
