-- policies, found 1;
-- it is opened again, though it says that it is small
UPDATE world SET policies = 1;
