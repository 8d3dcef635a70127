-- expected the work of version
UPDATE task SET version = '0.0.0';
