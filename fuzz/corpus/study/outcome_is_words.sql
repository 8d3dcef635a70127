-- outcome: expected numbers with / between them, found "1//2"
UPDATE step SET outcome = '1//2';
