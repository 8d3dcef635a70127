-- world
UPDATE world SET document = '{{{{{{{{' WHERE size > 0;
