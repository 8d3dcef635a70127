/* cluster_batch.c: products of dense points with targets, in single precision.
 *
 * Eight points by sixteen targets stay in registers. This is the only file in which compilers may fuse
 * a multiplication and an addition (CMakeLists.txt): what comes out is no number of any result, only
 * the question which targets doubles have to be asked about (cluster_nearest.c), and with fewer
 * roundings the bound on them holds all the more. */
#include <string.h>

#include "cluster/cluster_internal.h"

/* points side by side */
#define GROUP 8

/* A point's code in single precision. */
INLINE void fetch_single(const sonde__points *points, int32_t i, float *restrict code) {
    const sonde_embedding *embedding = points->embedding;
    const int64_t at = (int64_t)points->row[i] * embedding->n_code;
    if (embedding->small != NULL) {
        const uint8_t *restrict small = embedding->small + at;
        for (int32_t j = 0; j < embedding->n_code; j++) {
            code[j] = (float)small[j];
        }
        return;
    }
    const double *restrict wide_code = embedding->code + at;
    for (int32_t j = 0; j < embedding->n_code; j++) {
        code[j] = (float)wide_code[j];
    }
}

/* Scores of a group of dense points, for one vector of lanes. */
INLINE void score_group(const sonde__targets *targets, const float *code, int32_t v,
                        wide *restrict score) {
    const int32_t n_code = targets->n_code;
    const int32_t n_vector = targets->n_lane / WIDE;
    const int32_t unit = INT32_C(1) << targets->n_bit;
    const wide_float *table = (const wide_float *)targets->single + v;
    wide_float sum[GROUP];
    for (int32_t p = 0; p < GROUP; p++) {
        sum[p] = ((const wide_float *)targets->single_half)[v];
    }
    for (int32_t j = 0; j < n_code; j++) {
        const wide_float entry = table[(int64_t)j * n_vector];
        for (int32_t p = 0; p < GROUP; p++) {
            sum[p] -= code[(int64_t)p * n_code + j] * entry;
        }
    }
    for (int32_t p = 0; p < GROUP; p++) {
        score[p] = __builtin_convertvector(sum[p], wide) * unit + ((const wide *)targets->base)[v];
    }
}

SONDE__VECTOR
static void fetch_batch(const sonde__points *points, const int32_t *point, int32_t n,
                        float *batch) {
    for (int32_t i = 0; i < n || i % GROUP != 0; i++) {
        fetch_single(points, point[i < n ? i : n - 1],
                     batch + (int64_t)i * points->embedding->n_code);
    }
}

SONDE__VECTOR
static void score_batch(const sonde__targets *targets, const float *batch, int32_t n, int32_t v,
                        wide *score) {
    for (int32_t i = 0; i < n; i += GROUP) {
        score_group(targets, batch + (int64_t)i * targets->n_code, v, score + i);
    }
}

/* The versions of a vector function are chosen by a symbol that would be seen outside the library; so
 * they are static, and these are the ways in. */
void sonde__batch_fetch(const sonde__points *points, const int32_t *point, int32_t n,
                        float *batch) {
    fetch_batch(points, point, n, batch);
}

void sonde__batch_score(const sonde__targets *targets, const float *batch, int32_t n, int32_t v,
                        wide *score) {
    score_batch(targets, batch, n, v, score);
}
