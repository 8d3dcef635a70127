-- exact: expected a name
UPDATE run SET exact = 'oracle';
