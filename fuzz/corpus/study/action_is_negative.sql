-- action: expected numbers with / between them, found "-1"
UPDATE step SET action = '-1';
