-- expected the tables of a study and nothing else
ALTER TABLE run RENAME TO kept;
CREATE VIEW run AS WITH RECURSIVE more(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM more) SELECT kept.* FROM kept, more;
