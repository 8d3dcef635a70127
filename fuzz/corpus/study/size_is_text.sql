-- size: expected a whole number
UPDATE world SET size = 'three';
