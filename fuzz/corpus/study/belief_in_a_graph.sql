-- belief: expected nothing, found "[[1]]"
UPDATE step SET belief = '[[1]]' WHERE size > 0;
