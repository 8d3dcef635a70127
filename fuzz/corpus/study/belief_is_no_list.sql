-- belief: expected a list of probabilities for each factor, found "[[1,0,0,0],[0.5,0.5]"
UPDATE step SET belief = '[[1,0,0,0],[0.5,0.5]' WHERE size < 0;
