/* cluster_batch.c: products of dense points with targets, in single precision.
 *
 * Eight points by sixteen targets stay in registers. This is the only file in which compilers may
 * fuse a multiplication and an addition (CMakeLists.txt): what comes out is no number of any
 * result, only the question which targets doubles have to be asked about (cluster_nearest.c), and
 * with fewer roundings the bound on them holds all the more. */
#include "cluster/cluster_internal.h"

/* points side by side */
#define GROUP 8

/* Scores of a group of dense points, for one vector of lanes. */
INLINE void score_group(const sonde__points *points, const sonde__targets *targets,
                        const int32_t *point, int32_t v, wide *restrict score) {
    const int32_t n_code = targets->n_code;
    const int32_t n_vector = targets->n_lane / WIDE;
    const int32_t unit = INT32_C(1) << targets->n_bit;
    const wide_float *table = (const wide_float *)targets->single + v;
    const float *code[GROUP];
    wide_float sum[GROUP];
    for (int32_t p = 0; p < GROUP; p++) {
        code[p] = points->single + (int64_t)point[p] * n_code;
        sum[p] = ((const wide_float *)targets->single_half)[v];
    }
    for (int32_t j = 0; j < n_code; j++) {
        const wide_float entry = table[(int64_t)j * n_vector];
        for (int32_t p = 0; p < GROUP; p++) {
            sum[p] -= code[p][j] * entry;
        }
    }
    for (int32_t p = 0; p < GROUP; p++) {
        score[p] = __builtin_convertvector(sum[p], wide) * unit + ((const wide *)targets->base)[v];
    }
}

SONDE__VECTOR
static void score_batch(const sonde__points *points, const sonde__targets *targets,
                        const int32_t *point, int32_t n, int32_t v, wide *score) {
    for (int32_t i = 0; i < n; i += GROUP) {
        /* the last point fills up the group */
        int32_t group[GROUP];
        for (int32_t p = 0; p < GROUP; p++) {
            group[p] = point[i + p < n ? i + p : n - 1];
        }
        score_group(points, targets, group, v, score + i);
    }
}

/* The versions of a vector function are chosen by a symbol that would be seen outside the
 * library; so they are static, and this is the way in. */
void sonde__batch_score(const sonde__points *points, const sonde__targets *targets,
                        const int32_t *point, int32_t n, int32_t v, void *score) {
    score_batch(points, targets, point, n, v, score);
}
