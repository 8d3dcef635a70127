/* cluster_lanes.c: sets of targets side by side.
 *
 * A vector has LANES lanes. With `side` sets, each has LANES / side of them, its strands, in which
 * its targets stand in turn:
 *
 *     lane  = strand * side + set
 *     target = vector * n_strand + strand
 *
 * So sixteen sets take a vector for each target and no lanes have to meet; one set takes a vector
 * for sixteen targets, and lanes meet in four steps (cluster_nearest.c). As restarts come to an
 * end, the others close ranks. */

#include "cluster/cluster_internal.h"

int32_t sonde__lanes_side(int32_t n) {
    int32_t side = 1;
    while (side < n) {
        side *= 2;
    }
    return side;
}

int32_t sonde__lanes_vectors(int32_t n, int32_t side) {
    const int32_t n_strand = WIDE / side;
    return n / n_strand + (n % n_strand > 0);
}

void sonde__lanes_carve(sonde__arena *arena, int32_t n, int32_t n_set,
                        const sonde__points_size *size, sonde__lanes *lanes) {
    const uint64_t n_lane = (uint64_t)sonde__lanes_vectors(n, sonde__lanes_side(n_set)) * WIDE;
    *lanes = (sonde__lanes){.n = n, .n_code = size->n_code};
    lanes->fixed = SONDE__TAKE(arena, int32_t, sonde__multiply(n_lane, (uint64_t)size->n_letter));
    lanes->base = SONDE__TAKE(arena, int32_t, n_lane);
}

/* Where the targets in the lanes of vector v have their numbers, NULL where there is none; and
 * their halves. */
static void find_targets(const sonde__lanes *lanes, int32_t v, const int32_t **fixed, wide *base) {
    const int32_t n_strand = WIDE / lanes->side;
    for (int32_t l = 0; l < WIDE; l++) {
        const sonde__targets *set = lanes->set[l % lanes->side];
        const int32_t target = v * n_strand + l / lanes->side;
        const bool there = set != NULL && set->window >= 0 && target < lanes->n;
        fixed[l] = there ? set->fixed + target : NULL;
        (*base)[l] = there ? set->base[target] : NOBODY;
    }
}

/* What each letter of a column takes off: as often as its number tells what 1 takes off. */
SONDE__VECTOR
static void spell_column(const wide *one, int32_t most, int32_t n, wide *restrict part) {
    wide sum = *one;
    for (int32_t value = 1; value <= most; value++) {
        part[(int64_t)(value - 1) * n] = sum;
        sum += *one;
    }
}

/* Where vector v has what the first letter takes off, and how far it is to the next letter's. */
static wide *letters_of(const sonde__lanes *lanes, const sonde__points *points, int32_t v,
                        int32_t *step) {
    const int32_t first = v / TILE * TILE;
    *step = in_tile(lanes->n_vector, first);
    return (wide *)lanes->fixed + (int64_t)first * points->n_letter + (v - first);
}

/* What is the same for all points, in the lanes of scores that have met. */
static void settle_rule(sonde__lanes *lanes) {
    lanes->there = 0;
    for (int32_t l = 0; l < SONDE__GLANCE; l++) {
        const sonde__targets *set = lanes->set[l % lanes->side];
        const int32_t unit = set != NULL ? INT32_C(1) << set->n_bit : 1;
        const int32_t window = set != NULL ? set->window : 0;
        lanes->there |= (uint64_t)(set != NULL) << l;
        lanes->target[l] = unit - 1;
        lanes->close[l] = window > 0 ? (window + 1) * unit : -1;
        lanes->close[l] = window < 0 ? INT32_MAX : lanes->close[l];
    }
}

void sonde__lanes_settle(sonde__lanes *lanes, const sonde__points *points) {
    lanes->n_vector = sonde__lanes_vectors(lanes->n, lanes->side);
    settle_rule(lanes);
    const int64_t n_lane = ((int64_t)lanes->n + WIDE - 1) / WIDE * WIDE;
    for (int32_t v = 0; v < lanes->n_vector && points->worded; v++) {
        int32_t step = 0;
        wide *letter = letters_of(lanes, points, v, &step);
        const int32_t *fixed[WIDE];
        find_targets(lanes, v, fixed, &((wide *)lanes->base)[v]);
        for (int64_t j = 0; j < lanes->n_code; j++) {
            wide one;
            for (int32_t l = 0; l < WIDE; l++) {
                one[l] = fixed[l] != NULL ? fixed[l][j * n_lane] : 0;
            }
            spell_column(&one, points->most[j], step,
                         letter + (int64_t)points->letter_of[j] * step);
        }
        letter[(int64_t)(points->n_letter - 1) * step] = (wide){0};
    }
}

void sonde__lanes_aim(sonde__lanes *lanes, const sonde__points *points, int32_t v, int32_t n,
                      const int32_t *point) {
    const sonde_embedding *embedding = points->embedding;
    int32_t step = 0;
    wide *letter = letters_of(lanes, points, v, &step);
    wide *base = &((wide *)lanes->base)[v];
    const uint8_t *code[WIDE];
    *base = (wide){0};
    for (int32_t l = 0; l < n; l++) {
        code[l] = embedding->small + (int64_t)points->row[point[l]] * embedding->n_code;
        (*base)[l] = (int32_t)points->norm[point[l]];
    }
    for (int32_t j = 0; j < lanes->n_code; j++) {
        wide twice = {0};
        for (int32_t l = 0; l < n; l++) {
            twice[l] = 2 * code[l][j];
        }
        spell_column(&twice, points->most[j], step, letter + (int64_t)points->letter_of[j] * step);
    }
    letter[(int64_t)(points->n_letter - 1) * step] = (wide){0};
}

void sonde__desk_carve(sonde__arena *arena, int32_t n, const sonde__points_size *size,
                       sonde__desk *desk) {
    const uint64_t n_lane = ((uint64_t)n + WIDE - 1) / WIDE * WIDE;
    const uint64_t n_score = (uint64_t)SONDE__POINT_BLOCK * WIDE;
    desk->cell = SONDE__TAKE(arena, wide, (uint64_t)size->n_cell * TILE);
    desk->least = SONDE__TAKE(arena, int32_t, n_score);
    desk->next = SONDE__TAKE(arena, int32_t, n_score);
    desk->spare_least = SONDE__TAKE(arena, int32_t, n_score);
    desk->spare_next = SONDE__TAKE(arena, int32_t, n_score);
    desk->listed = SONDE__TAKE(arena, int32_t, n_score);
    desk->score = SONDE__TAKE(arena, double, n_lane);
}
