-- of tasks that are done
DELETE FROM task WHERE task = 1;
