-- found another SQLite file
ALTER TABLE meta RENAME TO kept;
CREATE VIEW meta AS SELECT * FROM kept;
