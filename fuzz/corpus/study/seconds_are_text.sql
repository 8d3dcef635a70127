-- list_seconds: expected a number
UPDATE world SET list_seconds = 'soon';
