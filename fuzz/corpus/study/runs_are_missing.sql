-- runs of the 5 tasks that are done
DELETE FROM run;
