/* rng.h: what is drawn besides numbers. */
#ifndef SONDE_BASE_RNG_H
#define SONDE_BASE_RNG_H

#include "sonde.h"

/* Puts 0 .. n - 1 into `order` at random. */
void sonde__shuffle(sonde_rng *rng, int32_t n, int32_t *order);

#endif
