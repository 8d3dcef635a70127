-- expected the tables of a study and nothing else
DROP TABLE condition;
