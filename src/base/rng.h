/* rng.h: chance. */
#ifndef SONDE_BASE_RNG_H
#define SONDE_BASE_RNG_H

#include "sonde.h"

/* Chance. Philox 4x32-10, counter based: a stream is named by (seed, what for, index), two streams
 * never overlap, and any of them can be had at once. */
typedef struct {
    uint32_t key[2];
    uint32_t counter[4];
    uint32_t block[4]; /* the numbers of the present counter */
    int32_t n_left;    /* how many of them are not used yet */
} sonde__rng;
typedef enum {
    SONDE__FOR_GRAPH,
    SONDE__FOR_START,
    SONDE__FOR_CLUSTER,
    SONDE__FOR_PROBE,
    SONDE__FOR_ACTION,
    SONDE__FOR_LAYOUT,
    SONDE__FOR_WORLD,
    SONDE__FOR_PROCESS,
    SONDE__FOR_SAMPLE,
    SONDE__FOR_EMBEDDING,
    SONDE__FOR_POINTS,
    SONDE__FOR_ROCKS,
    SONDE__FOR_TRIES,
    SONDE__FOR_FOLLOWING,
    SONDE__FOR_STARTS = 40, /* of fits */
    SONDE__FOR_RECOVERY,
    SONDE__FOR_POSTERIOR
} sonde__purpose;
sonde__rng sonde__rng_stream(uint64_t seed, sonde__purpose purpose, uint64_t index);
uint64_t sonde__rng_next(sonde__rng *rng);                  /* 64 random bits */
uint64_t sonde__rng_below(sonde__rng *rng, uint64_t bound); /* 0 to bound - 1, unbiased */
double sonde__rng_uniform(sonde__rng *rng);                 /* in [0, 1), 53 bits */
/* Puts 0 .. n - 1 into `order` at random. */
void sonde__shuffle(sonde__rng *rng, int32_t n, int32_t *order);

#endif
