-- expected the tables of a study and nothing else
ALTER TABLE run ADD COLUMN more AS (size + 1);
