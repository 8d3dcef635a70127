/* cluster_targets.c: what points are compared with: centres, or candidates for one.
 *
 * Scores are defined in doubles, and so is which target is nearest; everything faster has to come
 * to the same (cluster_nearest.c). For that, targets get ready in other numbers, too: fixed-point
 * ones of 32 bits for words, single precision for dense points, and a bound on what rounding can
 * do. */
#include <math.h>
#include <string.h>

#include "cluster/cluster_internal.h"

typedef int32_t eight_short __attribute__((vector_size(EIGHT * sizeof(int32_t))));

/* distances this close, relatively, are ties */
#define TIE 1e-9
/* more lanes than this leave too few bits for scores */
#define LANE_BITS_MAX 14
/* lengths of codes between which products in single precision neither overflow nor vanish */
#define REACH_LEAST 1e-12
#define REACH_MOST 1e12

void sonde__targets_carve(sonde__arena *arena, int32_t n, const sonde__points_size *size,
                          bool fixed, sonde__targets *targets) {
    const int32_t step = fixed ? WIDE : EIGHT;
    const uint64_t n_lane = ((uint64_t)n + (uint64_t)step - 1) / (uint64_t)step * (uint64_t)step;
    const uint64_t n_code = (uint64_t)size->n_code;
    const uint64_t n_letter = (uint64_t)size->n_letter;
    targets->n = n;
    targets->n_lane = (int32_t)n_lane;
    targets->n_code = size->n_code;
    targets->is_fixed = fixed;
    targets->table = SONDE__TAKE(arena, double, sonde__multiply(n_code, n_lane));
    targets->half = SONDE__TAKE(arena, double, n_lane);
    targets->spelled = SONDE__TAKE(arena, double, fixed ? 0 : n_letter *n_lane);
    targets->fixed = SONDE__TAKE(arena, int32_t, fixed ? sonde__multiply(n_code, n_lane) : 0);
    targets->base = SONDE__TAKE(arena, int32_t, fixed ? n_lane : 0);
    targets->single = SONDE__TAKE(arena, float, fixed ? sonde__multiply(n_code, n_lane) : 0);
    targets->single_half = SONDE__TAKE(arena, float, fixed ? n_lane : 0);
}

void sonde__targets_set(sonde__targets *targets, int32_t i, const double *code,
                        const double *gram) {
    const int32_t n = targets->n_code;
    double length = 0.0;
    for (int32_t j = 0; j < n; j++) {
        double product = gram == NULL ? code[j] : 0.0;
        for (int32_t l = 0; gram != NULL && l < n; l++) {
            product += gram[(int64_t)j * n + l] * code[l];
        }
        targets->table[(int64_t)j * targets->n_lane + i] = product;
        length += code[j] * product;
    }
    targets->half[i] = 0.5 * length;
}

/* Of sixteen targets from `first` on, the largest that a letter takes off, and the sum of
 * squares. */
SONDE__VECTOR
static void measure_targets(const sonde__targets *targets, const int32_t *most, int32_t first,
                            double *restrict letter, double *restrict squares) {
    for (int32_t j = 0; j < targets->n_code; j++) {
        const double *entry = targets->table + (int64_t)j * targets->n_lane + first;
        const double times = most != NULL ? (double)most[j] : 0.0;
        for (int32_t l = 0; l < WIDE; l++) {
            const double part = fabs(entry[l]) * times;
            letter[l] = part > letter[l] ? part : letter[l];
            squares[l] += entry[l] * entry[l];
        }
    }
}

/* The largest that a score, or a part of it, can be. */
static double largest_score(const sonde__targets *targets, const sonde__points *points) {
    double largest = 0.0;
    for (int32_t first = 0; first < targets->n; first += WIDE) {
        double letter[WIDE] = {0.0};
        double squares[WIDE] = {0.0};
        measure_targets(targets, points->worded ? points->most : NULL, first, letter, squares);
        for (int32_t l = 0; l < lower_number(targets->n - first, WIDE); l++) {
            const double product = points->worded ? (double)points->n_long * letter[l]
                                                  : points->reach * sqrt(squares[l]);
            const double score = fabs(targets->half[first + l]) + product;
            largest = score > largest || !(score <= SONDE__LARGEST_SCORE) ? score : largest;
        }
    }
    return largest;
}

/* n numbers (whole vectors of them) times the scale, rounded, in units; returns how many of them
 * lost something by that. Centres that are points have whole or half numbers, of which nothing is
 * lost. */
SONDE__VECTOR
static int64_t round_to_fixed(const double *number, int64_t n, double scale, int32_t unit,
                              int32_t *fixed) {
    eight_mask lost = {0};
    for (int64_t i = 0; i < n; i += EIGHT) {
        const eight scaled = *(const eight *)(number + i) * scale;
        const eight half =
            (eight)(((eight_mask)scaled & INT64_MIN) | (eight_mask)((eight){0} + 0.5));
        const eight_short rounded = __builtin_convertvector(scaled + half, eight_short);
        lost -= __builtin_convertvector(rounded, eight) != scaled;
        *(eight_short *)(fixed + i) = unit * rounded;
    }
    return ((lost[0] + lost[1]) + (lost[2] + lost[3])) +
           ((lost[4] + lost[5]) + (lost[6] + lost[7]));
}

/* The table for words. */
static int64_t fill_fixed(sonde__targets *targets) {
    const int32_t unit = INT32_C(1) << targets->n_bit;
    return round_to_fixed(targets->table, (int64_t)targets->n_code * targets->n_lane,
                          targets->scale, unit, targets->fixed) +
           round_to_fixed(targets->half, targets->n_lane, targets->scale, unit, targets->base);
}

static void settle_words(sonde__targets *targets, const sonde__points *points) {
    const int64_t n_lost = fill_fixed(targets);
    for (int32_t i = 0; i < targets->n_lane; i++) {
        targets->base[i] = (i < targets->n ? targets->base[i] : NOBODY) + i;
    }
    /* every 1 in a column, and the half, may be off by one half, in both of two scores */
    targets->window = n_lost == 0 ? 0 : points->largest + 2;
}

/* The same in single precision, where a sum of n products is off by n + 3 roundings at most. */
static void settle_dense(sonde__targets *targets, const sonde__points *points) {
    const int32_t n_lane = targets->n_lane;
    for (int32_t j = 0; j < targets->n_code; j++) {
        for (int32_t i = 0; i < targets->n; i++) {
            const int64_t at = (int64_t)j * n_lane + i;
            targets->single[at] = (float)(targets->table[at] * targets->scale);
        }
    }
    for (int32_t i = 0; i < targets->n_lane; i++) {
        const bool there = i < targets->n;
        targets->single_half[i] = there ? (float)(targets->half[i] * targets->scale) : 0.0f;
        targets->base[i] = (there ? 0 : NOBODY) + i;
    }
    const double lost = 2.0 * ((double)targets->n_code + 4.0) * ldexp(1.0, SCORE_BITS - 24);
    const double window = ldexp(lost, -targets->n_bit) + 3.0;
    const bool usable = points->reach >= REACH_LEAST && points->reach <= REACH_MOST &&
                        window < ldexp(1.0, SCORE_BITS - targets->n_bit);
    targets->window = usable ? (int32_t)window : -1;
}

static void settle_fixed(sonde__targets *targets, const sonde__points *points) {
    targets->n_bit = 0;
    while (INT64_C(1) << targets->n_bit < targets->n_lane) {
        targets->n_bit++;
    }
    const double largest = largest_score(targets, points);
    targets->window = -1;
    if (targets->n_bit > LANE_BITS_MAX || !(largest <= SONDE__LARGEST_SCORE)) {
        return;
    }
    /* the largest power of two with which every score fits */
    int exponent = 0;
    (void)frexp(largest > 0.0 ? largest : 1.0, &exponent);
    targets->scale = ldexp(1.0, SCORE_BITS - targets->n_bit - exponent);
    if (points->worded) {
        settle_words(targets, points);
    } else {
        settle_dense(targets, points);
    }
}

SONDE__VECTOR
static void fill_spelled(sonde__targets *targets, const sonde__points *points) {
    const int32_t n_vector = targets->n_lane / EIGHT;
    const eight zero = {0.0};
    for (int32_t v = 0; v < n_vector; v++) {
        eight *spelled = (eight *)targets->spelled + (int64_t)v * points->n_letter;
        spelled[points->n_letter - 1] = zero;
        for (int32_t j = 0; j < targets->n_code; j++) {
            const eight entry = ((const eight *)targets->table)[(int64_t)j * n_vector + v];
            for (int32_t value = 1; value <= points->most[j]; value++) {
                spelled[points->letter_of[j] + value - 1] = (double)value * entry;
            }
        }
    }
}

void sonde__targets_settle(sonde__targets *targets, const sonde__points *points) {
    if (targets->is_fixed) {
        settle_fixed(targets, points);
    } else if (points->worded) {
        fill_spelled(targets, points);
    }
}

double sonde__score(const sonde__points *points, const sonde__targets *targets, int32_t i,
                    int32_t target) {
    double score = targets->half[target];
    for (int32_t j = 0; j < targets->n_code; j++) {
        score -= number_at(points, i, j) * targets->table[(int64_t)j * targets->n_lane + target];
    }
    return score;
}

/* The scores of all targets for point i. */
SONDE__VECTOR
static void score_all(const sonde__points *points, const sonde__targets *targets, int32_t i,
                      double *score) {
    memcpy(score, targets->half, (size_t)targets->n_lane * sizeof *score);
    for (int32_t j = 0; j < targets->n_code; j++) {
        const double number = number_at(points, i, j);
        const double *table = targets->table + (int64_t)j * targets->n_lane;
        for (int32_t l = 0; number != 0.0 && l < targets->n_lane; l++) {
            score[l] -= number * table[l];
        }
    }
}

int32_t sonde__nearest_in_doubles(const sonde__points *points, const sonde__targets *targets,
                                  int32_t i, double *score) {
    score_all(points, targets, i, score);
    double least = score[0];
    for (int32_t c = 1; c < targets->n; c++) {
        least = score[c] < least ? score[c] : least;
    }
    const double limit = least + 0.5 * TIE * sonde__squared(points->norm[i], least);
    int32_t found = 0;
    while (found < targets->n - 1 && !(score[found] <= limit)) {
        found++;
    }
    return found;
}
