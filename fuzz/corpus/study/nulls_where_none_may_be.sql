-- expected the tables of a study and nothing else
UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '') WHERE name = 'world';
PRAGMA schema_version = 77;
UPDATE world SET document = NULL;
