-- expected the tables of a study and nothing else
ALTER TABLE world RENAME TO kept;
CREATE VIEW world AS SELECT connect, size, horizon, graph, model, redraws, seed, policies, local, shortest, list_seconds, CASE WHEN random() > 0 THEN document ELSE document || document END AS document FROM kept;
