-- document: expected a text
PRAGMA ignore_check_constraints = ON;
UPDATE world SET document = x'' WHERE size > 0;
