-- expected tasks from 0 to
UPDATE task SET task = -1 - task;
