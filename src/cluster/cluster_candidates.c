/* cluster_candidates.c: points against candidates for a new centre.
 *
 * Scores in doubles, eight candidates side by side; words add up only what they do not share with
 * the word before. Where codes and gram matrix are whole numbers, so are distances, and nothing is
 * rounded. Where they are small, too, whole numbers of 32 bits come to the same for sixteen
 * restarts at a time. */
#include <string.h>

#include "cluster/cluster_internal.h"

typedef int16_t wide_short __attribute__((vector_size(WIDE * sizeof(int16_t))));

/* Scores of the points of a block, for eight targets; `cell` (n_cell) is scratch. */
INLINE void score_eight(const sonde__points *points, const sonde__targets *targets, int32_t block,
                        int32_t v, eight *restrict cell, eight *restrict score) {
    const eight half = ((const eight *)targets->half)[v];
    const int32_t begin = block * SONDE__POINT_BLOCK;
    const int32_t n = sonde__points_in_block(points, block);
    if (points->worded) {
        const eight *spelled = (const eight *)targets->spelled + (int64_t)v * points->n_letter;
        const int64_t first = points->block_beginning[block];
        cell[0] = half;
        for (int64_t i = first; i < points->block_beginning[block + 1]; i++) {
            cell[i - first + 1] =
                cell[points->beginning_after[i]] - spelled[points->beginning_letter[i]];
        }
        for (int32_t i = 0; i < n; i++) {
            score[i] = cell[points->after[begin + i]] - spelled[points->letter[begin + i]];
        }
        return;
    }
    const eight *table = (const eight *)targets->table + v;
    const int32_t n_vector = targets->n_lane / EIGHT;
    const sonde_embedding *embedding = points->embedding;
    for (int32_t i = 0; i < n; i++) {
        const int64_t at = (int64_t)points->row[begin + i] * targets->n_code;
        eight sum = half;
        for (int32_t j = 0; embedding->small == NULL && j < targets->n_code; j++) {
            sum -= embedding->code[at + j] * table[(int64_t)j * n_vector];
        }
        for (int32_t j = 0; embedding->small != NULL && j < targets->n_code; j++) {
            sum -= (double)embedding->small[at + j] * table[(int64_t)j * n_vector];
        }
        score[i] = sum;
    }
}

SONDE__VECTOR
static void add_totals(const sonde__points *points, const sonde__targets *targets,
                       const double *near, double *total, eight *cell) {
    eight score[SONDE__POINT_BLOCK];
    for (int32_t v = 0; v < targets->n_lane / EIGHT; v++) {
        const eight zero = {0.0};
        eight sum = zero;
        for (int32_t b = 0; b < sonde__points_n_block(points); b++) {
            score_eight(points, targets, b, v, cell, score);
            const int32_t begin = b * SONDE__POINT_BLOCK;
            for (int32_t i = begin; i < begin + sonde__points_in_block(points, b); i++) {
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

/* The versions of a vector function are chosen by a symbol that would be seen outside the
 * library; so they are static, and these are the ways in. */
void sonde__totals(const sonde__points *points, const sonde__targets *targets, const double *near,
                   double *total, void *cell) {
    add_totals(points, targets, near, total, cell);
}

/* Scores of n dense points for one target. */
static void score_dense(const sonde__points *points, const sonde__targets *targets, int32_t target,
                        int32_t begin, int32_t n, double *restrict score) {
    const sonde_embedding *embedding = points->embedding;
    const int32_t n_code = targets->n_code;
    /* four at a time, so that no sum has to wait for itself */
    int32_t i = 0;
    for (; embedding->small == NULL && i + 4 <= n; i += 4) {
        const int32_t *row = points->row + begin + i;
        const double *a = embedding->code + (int64_t)row[0] * n_code;
        const double *b = embedding->code + (int64_t)row[1] * n_code;
        const double *c = embedding->code + (int64_t)row[2] * n_code;
        const double *d = embedding->code + (int64_t)row[3] * n_code;
        double sum[4];
        sum[0] = sum[1] = sum[2] = sum[3] = targets->half[target];
        for (int32_t j = 0; j < n_code; j++) {
            const double entry = targets->table[(int64_t)j * targets->n_lane + target];
            sum[0] -= a[j] * entry;
            sum[1] -= b[j] * entry;
            sum[2] -= c[j] * entry;
            sum[3] -= d[j] * entry;
        }
        memcpy(score + i, sum, sizeof sum);
    }
    for (; i < n; i++) {
        score[i] = sonde__score(points, targets, begin + i, target);
    }
}

/* The same scores for one target. */
static void score_one(const sonde__points *points, const sonde__targets *targets, int32_t target,
                      int32_t block, double *restrict cell, double *restrict score) {
    const int32_t begin = block * SONDE__POINT_BLOCK;
    const int32_t n = sonde__points_in_block(points, block);
    if (points->worded) {
        const double *spelled = targets->spelled +
                                (int64_t)(target / EIGHT) * points->n_letter * EIGHT +
                                target % EIGHT;
        const int64_t first = points->block_beginning[block];
        cell[0] = targets->half[target];
        for (int64_t i = first; i < points->block_beginning[block + 1]; i++) {
            cell[i - first + 1] = cell[points->beginning_after[i]] -
                                  spelled[(int64_t)points->beginning_letter[i] * EIGHT];
        }
        for (int32_t i = 0; i < n; i++) {
            score[i] = cell[points->after[begin + i]] -
                       spelled[(int64_t)points->letter[begin + i] * EIGHT];
        }
        return;
    }
    score_dense(points, targets, target, begin, n, score);
}

/* Lowers near (n) to the distances that scores tell; returns the sum of weights times near,
 * which is added up in eight parts. */
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
                  double *near, double *sum, void *cell) {
    double score[SONDE__POINT_BLOCK] = {0.0};
    for (int32_t b = 0; b < sonde__points_n_block(points); b++) {
        const int32_t begin = b * SONDE__POINT_BLOCK;
        score_one(points, targets, target, b, cell, score);
        sum[b] = lower_block(points, begin, sonde__points_in_block(points, b), score, near + begin);
    }
}

/* -------------------------------------------------------------------------- in whole numbers -- */

/* Squared distances in 16 bits, and the sum of a block's, times weights, in 32. */
bool sonde__whole_fits(const sonde__points *points) {
    const double length = points->reach * points->reach + 0.5;
    return points->worded && points->embedding->gram == NULL && length < SONDE__FARTHEST &&
           2.0 * length * (double)points->heaviest * SONDE__POINT_BLOCK < (double)INT32_MAX;
}

/* Adds one word's part to the totals of a tile of n vectors. */
INLINE void total_word(const int32_t *restrict cell, const int32_t *restrict part, int32_t n,
                       const int32_t *restrict near, int32_t weight, int32_t *restrict sum) {
    for (int l = 0; l < WIDE; l++) {
        for (int32_t t = 0; t < n; t++) {
            const int32_t score = cell[t * WIDE + l] - part[t * WIDE + l];
            sum[t * WIDE + l] += weight * lower_number(score, near[l]);
        }
    }
}

INLINE void total_tile(const sonde__whole *whole, int32_t block, int32_t first, int32_t n,
                       double *restrict total, wide *cell) {
    const sonde__points *points = whole->points;
    const wide *fixed = (const wide *)whole->targets->fixed + (int64_t)first * points->n_letter;
    const int32_t begin = block * SONDE__POINT_BLOCK;
    const int32_t end = begin + sonde__points_in_block(points, block);
    const int16_t *near = whole->near + (int64_t)begin * whole->n;
    int32_t sum[TILE * WIDE] = {0};
    memcpy(cell, (const wide *)whole->targets->base + first, (size_t)n * sizeof *cell);
    score_beginnings(points, block, fixed, n, cell);
    for (int32_t i = begin; i < end; i++, near += whole->n) {
        wide_short short_near;
        memcpy(&short_near, near, sizeof short_near);
        const wide bound = __builtin_convertvector(short_near, wide);
        total_word((const int32_t *)(cell + (int64_t)points->after[i] * n),
                   (const int32_t *)(fixed + (int64_t)points->letter[i] * n), n,
                   (const int32_t *)&bound, points->weight[i], sum);
    }
    for (int32_t l = 0; l < n * WIDE; l++) {
        total[(int64_t)first * WIDE + l] += (double)sum[l];
    }
}

SONDE__VECTOR
static void total_block(const sonde__whole *whole, int32_t block, double *total, wide *cell) {
    for (int32_t first = 0; first < whole->targets->n_vector; first += TILE) {
        switch (in_tile(whole->targets->n_vector, first)) {
        case 1: total_tile(whole, block, first, 1, total, cell); break;
        case 2: total_tile(whole, block, first, 2, total, cell); break;
        case 3: total_tile(whole, block, first, 3, total, cell); break;
        case 4: total_tile(whole, block, first, 4, total, cell); break;
        case 5: total_tile(whole, block, first, 5, total, cell); break;
        default: total_tile(whole, block, first, TILE, total, cell);
        }
    }
}

void sonde__whole_totals(const sonde__whole *whole, double *total, void *cell) {
    for (int32_t b = whole->begin; b < whole->end; b++) {
        total_block(whole, b, total, cell);
    }
}

/* The lower of two vectors; of numbers in memory every compiler makes one of vectors. */
INLINE void lower_numbers(const int32_t *restrict a, const int32_t *restrict b,
                          int32_t *restrict lower) {
    for (int l = 0; l < WIDE; l++) {
        lower[l] = lower_number(a[l], b[l]);
    }
}

SONDE__VECTOR
static void lower_whole_block(const sonde__whole *whole, int32_t block, double *restrict total,
                              wide *cell) {
    const sonde__points *points = whole->points;
    const wide *fixed = (const wide *)whole->targets->fixed;
    const int32_t begin = block * SONDE__POINT_BLOCK;
    const int32_t n_point = sonde__points_in_block(points, block);
    int16_t *near = whole->near + (int64_t)begin * whole->n;
    wide_short lowered[SONDE__POINT_BLOCK];
    wide sum = {0};
    cell[0] = *(const wide *)whole->targets->base;
    score_beginnings(points, block, fixed, 1, cell);
    for (int32_t i = 0; i < n_point; i++) {
        /* what follows the block may be another thread's */
        const bool inside = (n_point - i) * whole->n >= WIDE;
        wide_short before = {0};
        if (inside) {
            memcpy(&before, near + (int64_t)i * whole->n, sizeof before);
        } else {
            memcpy(&before, near + (int64_t)i * whole->n, (size_t)whole->n * sizeof *near);
        }
        const wide bound = __builtin_convertvector(before, wide);
        const wide score = cell[points->after[begin + i]] - fixed[points->letter[begin + i]];
        wide lower;
        lower_numbers((const int32_t *)&score, (const int32_t *)&bound, (int32_t *)&lower);
        lowered[i] = __builtin_convertvector(lower, wide_short);
        sum += points->weight[begin + i] * (lower + (int32_t)points->norm[begin + i]);
    }
    /* whole vectors are put down, and the next points' overwrite what was too much */
    for (int32_t i = 0; i < n_point; i++) {
        if ((n_point - i) * whole->n >= WIDE) {
            memcpy(near + (int64_t)i * whole->n, &lowered[i], sizeof lowered[i]);
        } else {
            memcpy(near + (int64_t)i * whole->n, &lowered[i], (size_t)whole->n * sizeof *near);
        }
    }
    for (int32_t l = 0; l < whole->n; l++) {
        total[l] = (double)sum[l];
    }
}

void sonde__whole_lower(const sonde__whole *whole, double *sum, void *cell) {
    for (int32_t b = whole->begin; b < whole->end; b++) {
        lower_whole_block(whole, b, sum + (int64_t)b * whole->n, cell);
    }
}
