-- document: expected a text
UPDATE world SET document = CAST(x'7b007d' AS TEXT) WHERE size = 3;
