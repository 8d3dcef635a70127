/* cluster_nearest.c: the nearest of many targets, where clustering spends its time.
 *
 * It is looked for in fixed-point numbers of 32 bits, whose last bits are the number of the target, so
 * that the least of them tells which target it came from, the lowest of equals. What rounding can do to
 * a score is known. Where the two least are closer than that (and fractions were rounded at all: centres
 * that are points have none), the scores are worked out once more as doubles, and those decide. So the
 * answer is that of the doubles, for every point, on every processor; fixed-point numbers, wide
 * vectors and shared beginnings only make it fast.
 *
 *     words: a subtraction a letter that is new and three steps for the two least of each point, for
 *            sixteen lanes at a time (cluster_lanes.c)
 *     dense: products in single precision (cluster_batch.c) */
#include <math.h>
#include <string.h>

#include "cluster/cluster_internal.h"

/* The two least so far, lane by lane, and one more score: the two least of the three. */
INLINE void take(const int32_t *restrict score, int32_t *restrict best, int32_t *restrict second) {
    for (int l = 0; l < WIDE; l++) {
        second[l] = lower_number(second[l], higher_number(best[l], score[l]));
        best[l] = lower_number(best[l], score[l]);
    }
}

/* One word against a tile of n vectors: the two least of what there was and its scores, lane by lane. */
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

/* Neighbouring lanes meet: the two least of both, n times. */
SONDE__VECTOR
static void meet(int32_t n, const int32_t *restrict least, const int32_t *restrict next,
                 int32_t *restrict to_least, int32_t *restrict to_next) {
    for (int64_t i = 0; i < n; i++) {
        const int32_t a = least[2 * i];
        const int32_t b = least[2 * i + 1];
        to_next[i] = lower_number(lower_number(next[2 * i], next[2 * i + 1]), higher_number(a, b));
        to_least[i] = lower_number(a, b);
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
        meet(n * width / 2, desk->least, desk->next, desk->spare_least, desk->spare_next);
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

double sonde__gap(const sonde__points *points, const sonde__lanes *lanes, int32_t i, int32_t place,
                  const sonde__desk *desk) {
    const sonde__targets *targets = lanes->set[0];
    if (targets->window < 0) {
        return -1.0;
    }
    const int32_t least = (desk->least[place] >> targets->n_bit) + targets->window;
    const int32_t next = (desk->next[place] >> targets->n_bit) - targets->window;
    return sqrt(sonde__squared(points->norm[i], (double)next / targets->scale)) -
           sqrt(sonde__squared(points->norm[i], (double)least / targets->scale));
}

/* Which lanes of a vector are to be listed: 1, or 0. */
INLINE void flag_lanes(const sonde__lanes *lanes, const int32_t *restrict least,
                       const int32_t *restrict next, const uint16_t *restrict label,
                       uint8_t *restrict flag) {
    for (int l = 0; l < WIDE; l++) {
        const int32_t differs = (least[l] & lanes->target[l]) != label[l] ? 1 : 0;
        const int32_t unsure = next[l] - least[l] <= lanes->close[l] ? 1 : 0;
        flag[l] = (uint8_t)((differs | unsure) & lanes->there[l]);
    }
}

SONDE__VECTOR
static int32_t list_changed(const sonde__lanes *lanes, int32_t n, const uint16_t *label,
                            const sonde__desk *desk) {
    enum { N_BYTE = sizeof(uint64_t) };
    int32_t n_listed = 0;
    for (int32_t first = 0; first < n; first += WIDE) {
        uint8_t flag[WIDE];
        flag_lanes(lanes, desk->least + first, desk->next + first, label + first, flag);
        for (int32_t half = 0; half < WIDE; half += N_BYTE) {
            uint64_t left = 0;
            memcpy(&left, flag + half, sizeof left);
            for (; left != 0; left &= left - 1) {
                desk->listed[n_listed++] = first + half + __builtin_ctzll(left) / 8;
            }
        }
    }
    /* the last vector may have been too long */
    while (n_listed > 0 && desk->listed[n_listed - 1] >= n) {
        n_listed--;
    }
    return n_listed;
}

int32_t sonde__list_changed(const sonde__lanes *lanes, int32_t n_point, const uint16_t *label,
                            sonde__desk *desk) {
    return list_changed(lanes, n_point * lanes->side, label, desk);
}
