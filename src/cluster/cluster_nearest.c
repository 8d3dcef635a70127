/* cluster_nearest.c: the nearest of many targets, where clustering spends its time.
 *
 * It is looked for in fixed-point numbers of 32 bits, whose last bits are the number of the
 * target, so that the least of them tells which target it came from, the lowest of equals. What
 * rounding can do to a score is known. Where the two least are closer than that (and fractions
 * were rounded at all: centres that are points have none), the scores are worked out once more as
 * doubles, and those decide. So the answer is that of the doubles, for every point, on every
 * processor; fixed-point numbers, wide vectors and shared beginnings only make it fast.
 *
 *     words: a subtraction a letter that is new and three steps for the two least of each point,
 *            for sixteen lanes at a time (cluster_lanes.c)
 *     dense: products in single precision (cluster_batch.c) */
#include <math.h>
#include <string.h>

#include "cluster/cluster_internal.h"

#define N_GLANCE SONDE__GLANCE

/* The two least so far, lane by lane, and one more score: the two least of the three. */
INLINE void take(const int32_t *restrict score, int32_t *restrict best, int32_t *restrict second) {
    for (int l = 0; l < WIDE; l++) {
        second[l] = lower_number(second[l], higher_number(best[l], score[l]));
        best[l] = lower_number(best[l], score[l]);
    }
}

/* One word against a tile of n vectors: the two least of what there was and its scores, lane by
 * lane. */
INLINE void compare_word(const int32_t *restrict cell, const int32_t *restrict part, int32_t n,
                         bool is_first, int32_t *restrict least, int32_t *restrict next) {
    for (int l = 0; l < WIDE; l++) {
        int32_t best = is_first ? NOBODY : least[l];
        int32_t second = is_first ? NOBODY : next[l];
        for (int32_t t = 0; t < n; t++) {
            const int32_t score = cell[t * WIDE + l] - part[t * WIDE + l];
            second = lower_number(second, higher_number(best, score));
            best = lower_number(best, score);
        }
        least[l] = best;
        next[l] = second;
    }
}

/* Words of a block against a tile of n vectors. */
INLINE void compare_tile(const sonde__points *points, const sonde__lanes *lanes, int32_t block,
                         int32_t first, int32_t n, const sonde__desk *desk) {
    const int32_t n_point = sonde__points_in_block(points, block);
    const uint16_t *after = points->after + (int64_t)block * SONDE__POINT_BLOCK;
    const uint16_t *letter = points->letter + (int64_t)block * SONDE__POINT_BLOCK;
    const wide *fixed = (const wide *)lanes->fixed + (int64_t)first * points->n_letter;
    wide *cell = desk->cell;
    memcpy(cell, (const wide *)lanes->base + first, (size_t)n * sizeof *cell);
    score_beginnings(points, block, fixed, n, cell);
    for (int32_t i = 0; i < n_point; i++) {
        const int32_t *before = (const int32_t *)(cell + (int64_t)after[i] * n);
        const int32_t *part = (const int32_t *)(fixed + (int64_t)letter[i] * n);
        int32_t *least = desk->least + (int64_t)i * WIDE;
        int32_t *next = desk->next + (int64_t)i * WIDE;
        if (first == 0) {
            compare_word(before, part, n, true, least, next);
        } else {
            compare_word(before, part, n, false, least, next);
        }
    }
}

/* compilers unroll tiles of a constant size */
SONDE__VECTOR
static void compare_words(const sonde__points *points, const sonde__lanes *lanes, int32_t block,
                          const sonde__desk *desk) {
    for (int32_t first = 0; first < lanes->n_vector; first += TILE) {
        switch (in_tile(lanes->n_vector, first)) {
        case 1: compare_tile(points, lanes, block, first, 1, desk); break;
        case 2: compare_tile(points, lanes, block, first, 2, desk); break;
        case 3: compare_tile(points, lanes, block, first, 3, desk); break;
        case 4: compare_tile(points, lanes, block, first, 4, desk); break;
        case 5: compare_tile(points, lanes, block, first, 5, desk); break;
        default: compare_tile(points, lanes, block, first, TILE, desk);
        }
    }
}

/* Dense points: a few of them, against every vector of lanes. */
SONDE__VECTOR
static void compare_dense(const sonde__points *points, const sonde__targets *targets,
                          const int32_t *point, int32_t n, const sonde__desk *desk) {
    wide score[SONDE__POINT_BLOCK];
    wide *best = (wide *)desk->least;
    wide *second = (wide *)desk->next;
    for (int32_t v = 0; v < targets->n_lane / WIDE; v++) {
        sonde__batch_score(points, targets, point, n, v, v == 0 ? best : score);
        for (int32_t i = 0; i < n; i++) {
            if (v == 0) {
                second[i] = (wide){0} + NOBODY;
            } else {
                take((const int32_t *)&score[i], (int32_t *)&best[i], (int32_t *)&second[i]);
            }
        }
    }
}

/* The halves of n rows of lanes meet: the two least of both. */
INLINE void meet_halves(int32_t n, int32_t half, const int32_t *restrict least,
                        const int32_t *restrict next, int32_t *restrict to_least,
                        int32_t *restrict to_next) {
    for (int64_t i = 0; i < n; i++) {
        for (int32_t l = 0; l < half; l++) {
            const int64_t first = 2 * i * half + l;
            const int32_t a = least[first];
            const int32_t b = least[first + half];
            to_next[half * i + l] =
                lower_number(lower_number(next[first], next[first + half]), higher_number(a, b));
            to_least[half * i + l] = lower_number(a, b);
        }
    }
}

SONDE__VECTOR
static void meet(int32_t n, int32_t half, const sonde__desk *desk) {
    switch (half) {
    case 8: meet_halves(n, 8, desk->least, desk->next, desk->spare_least, desk->spare_next); break;
    case 4: meet_halves(n, 4, desk->least, desk->next, desk->spare_least, desk->spare_next); break;
    case 2: meet_halves(n, 2, desk->least, desk->next, desk->spare_least, desk->spare_next); break;
    default: meet_halves(n, 1, desk->least, desk->next, desk->spare_least, desk->spare_next);
    }
}

/* Exchanges two pieces of scratch. */
static void swap(int32_t **a, int32_t **b) {
    int32_t *other = *a;
    *a = *b;
    *b = other;
}

/* The lanes of each of n points meet, until there is one for each set. */
static void meet_all(const sonde__lanes *lanes, int32_t n, sonde__desk *desk) {
    for (int32_t width = WIDE; width > lanes->side; width /= 2) {
        meet(n, width / 2, desk);
        swap(&desk->least, &desk->spare_least);
        swap(&desk->next, &desk->spare_next);
    }
}

void sonde__compare(const sonde__points *points, const sonde__lanes *lanes, int32_t block,
                    sonde__desk *desk) {
    compare_words(points, lanes, block, desk);
    meet_all(lanes, sonde__points_in_block(points, block), desk);
}

void sonde__compare_dense(const sonde__points *points, const sonde__lanes *lanes,
                          const int32_t *point, int32_t n, sonde__desk *desk) {
    if (lanes->set[0]->window >= 0) {
        compare_dense(points, lanes->set[0], point, n, desk);
        meet_all(lanes, n, desk);
    }
}

double sonde__gap(const sonde__points *points, const sonde__lanes *lanes, int32_t i, int32_t at,
                  const sonde__desk *desk) {
    const sonde__targets *targets = lanes->set[0];
    if (targets->window < 0) {
        return -1.0;
    }
    const int32_t least = (desk->least[at] >> targets->n_bit) + targets->window;
    const int32_t next = (desk->next[at] >> targets->n_bit) - targets->window;
    return sqrt(sonde__squared(points->norm[i], (double)next / targets->scale)) -
           sqrt(sonde__squared(points->norm[i], (double)least / targets->scale));
}

/* Which of N_GLANCE least scores are to be listed: 1, or 0. */
INLINE void flag(const sonde__lanes *lanes, const int32_t *restrict least,
                 const int32_t *restrict next, const uint16_t *restrict label,
                 uint8_t *restrict flags) {
    for (int32_t i = 0; i < N_GLANCE; i++) {
        const int32_t differs = (least[i] & lanes->target[i]) != label[i] ? 1 : 0;
        const int32_t unsure = next[i] - least[i] <= lanes->close[i] ? 1 : 0;
        flags[i] = (uint8_t)(differs | unsure);
    }
}

/* Flags as bits: eight at a time, each of which the product moves to a bit of its own in the
 * highest byte (bytes stand in the order of the small end first). */
INLINE uint64_t bits_of(const uint8_t *flags) {
    uint64_t bits = 0;
    for (int32_t i = 0; i < N_GLANCE; i += 8) {
        uint64_t bytes = 0;
        memcpy(&bytes, flags + i, sizeof bytes);
        bits |= bytes * UINT64_C(0x0102040810204080) >> 56 << i;
    }
    return bits;
}

SONDE__VECTOR
static int32_t list_changed(const sonde__lanes *lanes, int32_t n, const uint16_t *label,
                            const sonde__desk *desk) {
    int32_t n_listed = 0;
    for (int32_t first = 0; first < n; first += N_GLANCE) {
        uint8_t flags[N_GLANCE];
        flag(lanes, desk->least + first, desk->next + first, label + first, flags);
        const int32_t n_here = lower_number(n - first, N_GLANCE);
        uint64_t left = bits_of(flags) & lanes->there & UINT64_MAX >> (N_GLANCE - n_here);
        for (; left != 0; left &= left - 1) {
            desk->listed[n_listed++] = first + __builtin_ctzll(left);
        }
    }
    return n_listed;
}

int32_t sonde__list_changed(const sonde__lanes *lanes, int32_t n_point, const uint16_t *label,
                            sonde__desk *desk) {
    return list_changed(lanes, n_point * lanes->side, label, desk);
}
