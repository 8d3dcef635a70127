/* cluster_internal.h: vectors, and what the files that compare points with targets share. */
#ifndef SONDE_CLUSTER_CLUSTER_INTERNAL_H
#define SONDE_CLUSTER_CLUSTER_INTERNAL_H

#include "base/vector.h"
#include "cluster/cluster.h"

/* scores in fixed-point numbers are below 2^29 in size, and lanes without a target above */
#define SCORE_BITS 29
#define NOBODY (INT32_C(1) << 30)

#define WIDE SONDE__LANES_FIXED
#define EIGHT SONDE__LANES
#define INLINE static inline __attribute__((always_inline))
typedef int32_t wide __attribute__((vector_size(WIDE * sizeof(int32_t))));
typedef float wide_float __attribute__((vector_size(WIDE * sizeof(float))));
typedef double eight __attribute__((vector_size(EIGHT * sizeof(double))));
typedef int64_t eight_mask __attribute__((vector_size(EIGHT * sizeof(int64_t))));

/* A block of points, and the two least numbers of each. The scores of whole words are the last cells. */
typedef struct {
    wide best_cell[SONDE__N_CELL];
    wide score_cell[SONDE__N_CELL];
    wide second[SONDE__POINT_BLOCK];
    int32_t least[SONDE__POINT_BLOCK];
    int32_t next[SONDE__POINT_BLOCK];
} sonde__answers;

/* Number j of a point's code. */
INLINE double number_at(const sonde__points *points, int32_t i, int32_t j) {
    const sonde_embedding *embedding = points->embedding;
    const int64_t at = (int64_t)points->row[i] * embedding->n_code + j;
    return embedding->small != NULL ? (double)embedding->small[at] : embedding->code[at];
}

/* The rule itself, in doubles: of the targets whose distances tie with the least, the lowest. */
int32_t sonde__nearest_in_doubles(const sonde__points *points, const sonde__targets *targets,
                                  int32_t i);

/* Dense points are turned into single precision in batches; blocks are whole batches. */
enum { SONDE__BATCH = 64 };
/* Fetches the points from `first` on, of which there are n; the last one fills up the batch. */
void sonde__batch_fetch(const sonde__points *points, const sonde__targets *targets, int32_t first,
                        int32_t n);
/* Scores of the batch for vector v of lanes, as fixed-point numbers: score (BATCH). */
void sonde__batch_score(const sonde__targets *targets, int32_t v, wide *score);

#endif
