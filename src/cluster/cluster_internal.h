/* cluster_internal.h: vectors, and what the files that compare points with targets share. */
#ifndef SONDE_CLUSTER_CLUSTER_INTERNAL_H
#define SONDE_CLUSTER_CLUSTER_INTERNAL_H

#include "base/vector.h"
#include "cluster/points_internal.h"

/* scores in fixed-point numbers are below 2^29 in size, and lanes without a target above */
#define SCORE_BITS 29
#define NOBODY (INT32_C(1) << 30)

#define WIDE SONDE__LANES
#define EIGHT SONDE__EIGHT
#define INLINE static inline __attribute__((always_inline))
typedef int32_t wide __attribute__((vector_size(WIDE * sizeof(int32_t))));
typedef float wide_float __attribute__((vector_size(WIDE * sizeof(float))));
typedef sonde__eight eight;
typedef sonde__eight_bits eight_mask;

INLINE int32_t lower_number(int32_t a, int32_t b) {
    return a < b ? a : b;
}

INLINE int32_t higher_number(int32_t a, int32_t b) {
    return a > b ? a : b;
}

/* Vectors are worked on in tiles, as many as registers hold: TILE of them, and what is left
 * over. */
enum { TILE = 6 };
INLINE int32_t in_tile(int32_t n_vector, int32_t first) {
    return lower_number(n_vector - first, TILE);
}

/* Number j of a point's code. */
INLINE double number_at(const sonde__points *points, int32_t i, int32_t j) {
    const sonde_embedding *embedding = points->embedding;
    const int64_t at = (int64_t)points->row[i] * embedding->n_code + j;
    return embedding->small != NULL ? (double)embedding->small[at] : embedding->code[at];
}

/* The scores of a block's beginnings, for a tile of n vectors: every letter takes its part off the
 * score of what comes before it. There is nothing to decide. */
INLINE void score_beginnings(const sonde__points *points, int32_t block, const wide *restrict fixed,
                             int32_t n, wide *restrict cell) {
    const int64_t begin = points->block_beginning[block];
    const int64_t end = points->block_beginning[block + 1];
    wide *restrict to = cell + n;
    for (int64_t i = begin; i < end; i++, to += n) {
        const wide *restrict after = cell + (int64_t)points->beginning_after[i] * n;
        const wide *restrict part = fixed + (int64_t)points->beginning_letter[i] * n;
        for (int32_t t = 0; t < n; t++) {
            to[t] = after[t] - part[t];
        }
    }
}

/* Scores of n dense points for vector v of lanes, as fixed-point numbers: score (n, and up to seven
 * more) vectors. */
void sonde__batch_score(const sonde__points *points, const sonde__targets *targets,
                        const int32_t *point, int32_t n, int32_t v, void *score);

#endif
