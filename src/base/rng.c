/* rng.c: random numbers from Philox 4x32-10 (Salmon, Moraes, Dror, Shaw 2011).
 *
 * The generator is a keyed bijection of a 128-bit counter. The key is the seed; the counter is
 * (block, purpose, index low, index high), so that streams of different purpose or index are
 * different counters and never meet. Checked against the known answers of the authors' library. */
#include "base/rng.h"

#define N_ROUND 10

static void bump_key(uint32_t key[2]) {
    key[0] += UINT32_C(0x9E3779B9); /* the golden ratio */
    key[1] += UINT32_C(0xBB67AE85); /* the square root of 3, less 1 */
}

static void philox(const uint32_t counter[4], const uint32_t seed[2], uint32_t block[4]) {
    uint32_t key[2] = {seed[0], seed[1]};
    uint32_t x[4] = {counter[0], counter[1], counter[2], counter[3]};
    for (int round = 0; round < N_ROUND; round++) {
        const uint64_t p = (uint64_t)UINT32_C(0xD2511F53) * x[0];
        const uint64_t q = (uint64_t)UINT32_C(0xCD9E8D57) * x[2];
        const uint32_t y[4] = {(uint32_t)(q >> 32) ^ x[1] ^ key[0], (uint32_t)q,
                               (uint32_t)(p >> 32) ^ x[3] ^ key[1], (uint32_t)p};
        for (int i = 0; i < 4; i++) {
            x[i] = y[i];
        }
        bump_key(key);
    }
    for (int i = 0; i < 4; i++) {
        block[i] = x[i];
    }
}

sonde__rng sonde__rng_stream(uint64_t seed, sonde__purpose purpose, uint64_t index) {
    return (sonde__rng){
        .key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
        .counter = {0, (uint32_t)purpose, (uint32_t)index, (uint32_t)(index >> 32)},
    };
}

uint64_t sonde__rng_next(sonde__rng *rng) {
    if (rng->n_left == 0) {
        philox(rng->counter, rng->key, rng->block);
        rng->counter[0]++;
        rng->n_left = 4;
    }
    const uint32_t *pair = rng->block + 4 - rng->n_left;
    rng->n_left -= 2;
    return (uint64_t)pair[1] << 32 | pair[0];
}

uint64_t sonde__rng_below(sonde__rng *rng, uint64_t bound) {
    if (bound == 0) {
        return 0;
    }
    /* draws below 2^64 mod bound are thrown away: what is left divides evenly */
    const uint64_t surplus = (UINT64_MAX - bound + 1) % bound;
    uint64_t draw = sonde__rng_next(rng);
    while (draw < surplus) {
        draw = sonde__rng_next(rng);
    }
    return draw % bound;
}

double sonde__rng_uniform(sonde__rng *rng) {
    return (double)(sonde__rng_next(rng) >> 11) * 0x1p-53;
}

void sonde__shuffle(sonde__rng *rng, int32_t n, int32_t *order) {
    for (int32_t i = 0; i < n; i++) {
        const int32_t j = (int32_t)sonde__rng_below(rng, (uint64_t)i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}
