-- texts that are not in UTF-8: SQLite says "UTF-16le"
-- UTF-16
UPDATE world SET document = document || char(8364) WHERE size < 0;
