/* cluster_nearest.c: the nearest of many targets, where clustering spends its time.
 *
 * It is looked for in fixed-point numbers of 32 bits, whose last bits are the number of the lane, so
 * that the least of them tells which lane it came from, the lowest of equals. What rounding can do to a
 * score is known. Where the two least are closer than that (and fractions were rounded at all: centres
 * that are points have none), the scores are worked out once more as doubles, and those decide. So the
 * answer is that of the doubles, for every point, on every processor; fixed-point numbers, wide
 * vectors and shared beginnings only make it fast.
 *
 *     words: one subtraction a letter that is new, for sixteen centres at a time
 *     dense: products in single precision (cluster_batch.c) */
#include "cluster/cluster_internal.h"

INLINE int32_t lower_number(int32_t a, int32_t b) {
    return a < b ? a : b;
}

INLINE int32_t higher_number(int32_t a, int32_t b) {
    return a > b ? a : b;
}

/* The two least so far, lane by lane, and one more score: the two least of the three. */
INLINE void take(const int32_t *restrict score, int32_t *restrict best, int32_t *restrict second) {
    for (int l = 0; l < WIDE; l++) {
        second[l] = lower_number(second[l], higher_number(best[l], score[l]));
        best[l] = lower_number(best[l], score[l]);
    }
}

/* The two least of what stands in two halves. */
INLINE void meet(int32_t *low, int32_t *high, int half) {
    for (int l = 0; l < half; l++) {
        const int32_t loser = higher_number(low[l], low[l + half]);
        high[l] = lower_number(lower_number(high[l], high[l + half]), loser);
        low[l] = lower_number(low[l], low[l + half]);
    }
}

/* The two least of all lanes of each of n points, which meet in pairs, the winners in pairs again, and
 * so on; compilers put the points side by side. */
INLINE void find_least(const int32_t *restrict best, const int32_t *restrict second, int32_t n,
                       int32_t *restrict least, int32_t *restrict next) {
    for (int32_t i = 0; i < n; i++) {
        const int32_t *score = best + (int64_t)i * WIDE;
        int32_t low[WIDE / 2];
        int32_t high[WIDE / 2];
        for (int l = 0; l < WIDE / 2; l++) {
            low[l] = lower_number(score[l], score[l + WIDE / 2]);
            high[l] = higher_number(score[l], score[l + WIDE / 2]);
        }
        for (int l = 0; second != NULL && l < WIDE / 2; l++) {
            const int32_t *other = second + (int64_t)i * WIDE + l;
            high[l] = lower_number(high[l], lower_number(other[0], other[WIDE / 2]));
        }
        meet(low, high, 4);
        meet(low, high, 2);
        least[i] = lower_number(low[0], low[1]);
        next[i] = lower_number(lower_number(high[0], high[1]), higher_number(low[0], low[1]));
    }
}

/* (POINT_BLOCK) the scores of points: the best so far, and others. */
INLINE wide *best_of(sonde__answers *to) {
    return to->best_cell + SONDE__CELL_OF_WORD;
}

INLINE wide *score_of(sonde__answers *to) {
    return to->score_cell + SONDE__CELL_OF_WORD;
}

/* The two least of the n points' vectors; unless there were several of each, the second ones are
 * empty. */
INLINE void find_least_of(int32_t n, bool several, sonde__answers *to) {
    if (several) {
        find_least((const int32_t *)best_of(to), (const int32_t *)to->second, n, to->least,
                   to->next);
    } else {
        find_least((const int32_t *)best_of(to), NULL, n, to->least, to->next);
    }
}

/* Takes in the scores of vector v, for n points from the first on; those of vector 0 are the best to
 * begin with. */
INLINE void take_all(int32_t first, int32_t n, int32_t v, sonde__answers *to) {
    for (int32_t i = first; i < first + n && v == 1; i++) {
        to->second[i] = (wide){0} + NOBODY;
    }
    for (int32_t i = first; i < first + n && v > 0; i++) {
        take((const int32_t *)&score_of(to)[i], (int32_t *)&best_of(to)[i],
             (int32_t *)&to->second[i]);
    }
}

/* Scores of the words of a block, for one vector of lanes: every letter takes its part off the score of
 * what comes before it. There is nothing to decide. */
INLINE void score_words(const sonde__points *points, const sonde__targets *targets, int32_t block,
                        int32_t v, wide *restrict cell) {
    const wide *restrict fixed = (const wide *)targets->fixed + (int64_t)v * points->n_letter;
    const uint16_t *restrict letter = points->letter;
    const uint16_t *restrict after = points->after;
    const uint16_t *restrict to = points->cell;
    const int64_t end = points->block_letter[block + 1];
    cell[0] = ((const wide *)targets->base)[v];
    for (int64_t i = points->block_letter[block]; i < end; i++) {
        cell[to[i]] = cell[after[i]] - fixed[letter[i]];
    }
}

SONDE__VECTOR
static void compare_words(const sonde__points *points, const sonde__targets *targets, int32_t block,
                          int32_t n, sonde__answers *to) {
    const int32_t n_vector = targets->n_lane / WIDE;
    for (int32_t v = 0; v < n_vector; v++) {
        score_words(points, targets, block, v, v == 0 ? to->best_cell : to->score_cell);
        take_all(0, n, v, to);
    }
    find_least_of(n, n_vector > 1, to);
}

/* Dense points: as many of them in single precision as stay at hand, then every vector of lanes. */
SONDE__VECTOR
static void compare_dense(const sonde__points *points, const sonde__targets *targets, int32_t begin,
                          int32_t n, sonde__answers *to) {
    const int32_t n_vector = targets->n_lane / WIDE;
    for (int32_t first = 0; first < n; first += SONDE__BATCH) {
        sonde__batch_fetch(points, targets, begin + first, n - first);
        for (int32_t v = 0; v < n_vector; v++) {
            sonde__batch_score(targets, v, (v == 0 ? best_of(to) : score_of(to)) + first);
            take_all(first, SONDE__BATCH, v, to);
        }
    }
    find_least_of(n, n_vector > 1, to);
}

/* The lanes that the least numbers came from; returns whether any of them has a close second. */
SONDE__VECTOR
static bool read_lanes(const sonde__answers *found, int32_t n, int32_t lane, int32_t close,
                       int32_t *restrict nearest) {
    int32_t n_close = 0;
    for (int32_t i = 0; i < n; i++) {
        nearest[i] = found->least[i] & lane;
        n_close += found->next[i] - found->least[i] <= close ? 1 : 0;
    }
    return n_close > 0;
}

void sonde__nearest(const sonde__points *points, const sonde__targets *targets, int32_t block,
                    int32_t *nearest) {
    const int32_t begin = block * SONDE__POINT_BLOCK;
    const int32_t n =
        points->n - begin < SONDE__POINT_BLOCK ? points->n - begin : SONDE__POINT_BLOCK;
    sonde__answers *found = targets->found;
    if (targets->window < 0) {
        for (int32_t i = 0; i < n; i++) {
            nearest[i] = sonde__nearest_in_doubles(points, targets, begin + i);
        }
        return;
    }
    if (points->worded) {
        compare_words(points, targets, block, n, found);
    } else {
        compare_dense(points, targets, begin, n, found);
    }
    const int32_t lane = (INT32_C(1) << targets->n_bit) - 1;
    const int32_t close = (targets->window + 1) * (lane + 1);
    const bool unsure = read_lanes(found, n, lane, close, nearest);
    for (int32_t i = 0; i < n && unsure && targets->window > 0; i++) {
        if (found->next[i] - found->least[i] <= close) {
            nearest[i] = sonde__nearest_in_doubles(points, targets, begin + i);
        }
    }
}
