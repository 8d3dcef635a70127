/* cluster_seed.c: points against candidates for a new centre.
 *
 * Scores in doubles, eight candidates side by side; words add up only what they do not share with the
 * word before. Where codes and gram matrix are whole numbers, so are distances, and nothing is
 * rounded. */
#include <string.h>

#include "cluster/cluster_internal.h"

/* Scores of the points of a block, for eight targets; those of points are the last cells. */
INLINE void score_eight(const sonde__points *points, const sonde__targets *targets, int32_t block,
                        int32_t v, eight *restrict cell) {
    const eight half = ((const eight *)targets->half)[v];
    if (points->worded) {
        const eight *spelled = (const eight *)targets->spelled + (int64_t)v * points->n_letter;
        const int64_t end = points->block_letter[block + 1];
        cell[0] = half;
        for (int64_t i = points->block_letter[block]; i < end; i++) {
            cell[points->cell[i]] = cell[points->after[i]] - spelled[points->letter[i]];
        }
        return;
    }
    eight *score = cell + SONDE__CELL_OF_WORD;
    const int32_t begin = block * SONDE__POINT_BLOCK;
    for (int32_t i = begin; i < points->n && i < begin + SONDE__POINT_BLOCK; i++) {
        const eight *table = (const eight *)targets->table + v;
        eight sum = half;
        for (int32_t j = 0; j < targets->n_code; j++) {
            sum -= number_at(points, i, j) * table[(int64_t)j * (targets->n_lane / EIGHT)];
        }
        *score++ = sum;
    }
}

SONDE__VECTOR
static void add_totals(const sonde__points *points, const sonde__targets *targets,
                       const double *near, double *total) {
    eight cell[SONDE__N_CELL];
    const eight *score = cell + SONDE__CELL_OF_WORD;
    for (int32_t v = 0; v < targets->n_lane / EIGHT; v++) {
        const eight zero = {0.0};
        eight sum = zero;
        for (int32_t b = 0; b < sonde__points_n_block(points); b++) {
            score_eight(points, targets, b, v, cell);
            const int32_t begin = b * SONDE__POINT_BLOCK;
            for (int32_t i = begin; i < points->n && i < begin + SONDE__POINT_BLOCK; i++) {
                const eight bound = near[i] + zero;
                const eight distance = points->norm[i] + 2.0 * score[i - begin];
                const eight positive = (eight)((eight_mask)distance & (distance > zero));
                const eight_mask nearer = positive < bound;
                const eight lower =
                    (eight)(((eight_mask)positive & nearer) | ((eight_mask)bound & ~nearer));
                sum += (double)points->weight[i] * lower;
            }
        }
        memcpy(total + (int64_t)v * EIGHT, &sum, sizeof sum);
    }
}

/* The versions of a vector function are chosen by a symbol that would be seen outside the library; so
 * they are static, and these are the ways in. */
void sonde__totals(const sonde__points *points, const sonde__targets *targets, const double *near,
                   double *total) {
    add_totals(points, targets, near, total);
}

/* The same for one target. */
static void score_one(const sonde__points *points, const sonde__targets *targets, int32_t target,
                      int32_t block, double *restrict cell) {
    if (points->worded) {
        const double *spelled = targets->spelled +
                                (int64_t)(target / EIGHT) * points->n_letter * EIGHT +
                                target % EIGHT;
        const int64_t end = points->block_letter[block + 1];
        cell[0] = targets->half[target];
        for (int64_t i = points->block_letter[block]; i < end; i++) {
            cell[points->cell[i]] =
                cell[points->after[i]] - spelled[(int64_t)points->letter[i] * EIGHT];
        }
        return;
    }
    double *score = cell + SONDE__CELL_OF_WORD;
    const int32_t begin = block * SONDE__POINT_BLOCK;
    for (int32_t i = begin; i < points->n && i < begin + SONDE__POINT_BLOCK; i++) {
        *score++ = sonde__score(points, targets, i, target);
    }
}

/* Lowers near (n) to the distances that scores tell; returns the sum of weights times near, which is
 * added up in eight parts. */
SONDE__VECTOR
static double lower_block(const sonde__points *points, int32_t begin, int32_t n,
                          const double *score, double *near) {
    const double *norm = points->norm + begin;
    const int32_t *weight = points->weight + begin;
    double part[EIGHT] = {0.0};
    int32_t i = 0;
    for (; i + EIGHT <= n; i += EIGHT) {
        for (int32_t l = 0; l < EIGHT; l++) {
            double d = norm[i + l] + 2.0 * score[i + l];
            d = d > 0.0 ? d : 0.0;
            d = d < near[i + l] ? d : near[i + l];
            near[i + l] = d;
            part[l] += (double)weight[i + l] * d;
        }
    }
    for (int32_t l = 0; i + l < n; l++) {
        const double d = sonde__squared(norm[i + l], score[i + l]);
        near[i + l] = d < near[i + l] ? d : near[i + l];
        part[l] += (double)weight[i + l] * near[i + l];
    }
    return ((part[0] + part[1]) + (part[2] + part[3])) +
           ((part[4] + part[5]) + (part[6] + part[7]));
}

void sonde__lower(const sonde__points *points, const sonde__targets *targets, int32_t target,
                  double *near, double *sum) {
    double cell[SONDE__N_CELL] = {0.0};
    for (int32_t b = 0; b < sonde__points_n_block(points); b++) {
        const int32_t begin = b * SONDE__POINT_BLOCK;
        const int32_t rest = points->n - begin;
        score_one(points, targets, target, b, cell);
        sum[b] = lower_block(points, begin, rest < SONDE__POINT_BLOCK ? rest : SONDE__POINT_BLOCK,
                             cell + SONDE__CELL_OF_WORD, near + begin);
    }
}
