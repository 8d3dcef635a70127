-- expected tasks from 0 to
UPDATE task SET task = task + 2000000000;
