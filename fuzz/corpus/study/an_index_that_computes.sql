-- expected the tables of a study and nothing else
CREATE INDEX more ON run (abs(size));
