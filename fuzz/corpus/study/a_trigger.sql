-- expected the tables of a study and nothing else
CREATE TRIGGER more AFTER INSERT ON run BEGIN DELETE FROM run;
END;
