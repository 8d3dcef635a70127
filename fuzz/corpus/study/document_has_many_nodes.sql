-- document: expected a graph of
UPDATE world SET document = replace(document, '"nodes": 3', '"nodes": 9999999') WHERE size = 3;
