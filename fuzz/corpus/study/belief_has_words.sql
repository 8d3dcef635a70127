-- belief: expected a list of probabilities for each factor, found "[[1,x]]"
UPDATE step SET belief = '[[1,x]]' WHERE size < 0;
