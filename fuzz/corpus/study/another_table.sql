-- expected the tables of a study and nothing else
CREATE TABLE more (x);
