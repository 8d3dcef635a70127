/* Points against many targets at once, against one at a time. */
#include <math.h>

#include "base/vector.h"
#include "base/rng.h"
#include "cluster/gathered.h"

/* targets, and the same targets one by one */
typedef struct {
    sonde__arena arena;
    sonde__targets fixed;
    sonde__targets plain;
    double *code; /* (n, n_code) */
    double *row;  /* (n, n_column) */
} crowd;

/* The row of a code. */
static void decode(const sonde_embedding *rows, const double *code, double *row) {
    for (int32_t i = 0; i < rows->n_column; i++) {
        row[i] = rows->basis == NULL ? code[i] : 0.0;
        for (int32_t j = 0; rows->basis != NULL && j < rows->n_code; j++) {
            row[i] += rows->basis[(int64_t)i * rows->n_code + j] * code[j];
        }
    }
}

static void crowd_set(crowd *c, const sonde_embedding *rows, int32_t i, const double *code) {
    memmove(c->code + (int64_t)i * rows->n_code, code, (size_t)rows->n_code * sizeof *code);
    decode(rows, code, c->row + (int64_t)i * rows->n_column);
    sonde__targets_set(&c->fixed, i, code, rows->gram);
    sonde__targets_set(&c->plain, i, code, rows->gram);
}

static void crowd_settle(crowd *c, const gathered *g) {
    sonde__targets_settle(&c->fixed, &g->points);
    sonde__targets_settle(&c->plain, &g->points);
}

/* n targets that lie on no row: numbers up to `reach` in every column. */
static crowd crowd_new(const gathered *g, int32_t n, double reach, uint64_t seed) {
    const sonde_embedding *rows = g->points.embedding;
    crowd c = {.code = room((uint64_t)n * (uint64_t)rows->n_code, sizeof(double)),
               .row = room((uint64_t)n * (uint64_t)rows->n_column, sizeof(double))};
    for (int pass = 0; pass < 2; pass++) {
        sonde__targets_carve(&c.arena, n, &g->size, true, &c.fixed);
        sonde__targets_carve(&c.arena, n, &g->size, false, &c.plain);
        assert_true(pass == 1 || sonde__arena_reserve(&c.arena));
    }
    double *code = room((uint64_t)rows->n_code, sizeof *code);
    sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_CLUSTER, 0);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < rows->n_code; j++) {
            code[j] = reach * sonde__rng_uniform(&rng);
        }
        crowd_set(&c, rows, i, code);
    }
    free(code);
    crowd_settle(&c, g);
    return c;
}

static void crowd_free(crowd *c) {
    sonde__arena_free(&c->arena);
    free(c->row);
    free(c->code);
}

/* Of point i from target t. */
static double distance(const gathered *g, const crowd *c, int32_t i, int32_t t) {
    const sonde_embedding *rows = g->points.embedding;
    double *row = room((uint64_t)rows->n_column, sizeof *row);
    sonde_embedding_row(rows, g->points.row[i], row);
    const double d = squared(row, c->row + (int64_t)t * rows->n_column, rows->n_column);
    free(row);
    return d;
}

/* what is lost when lengths are subtracted from each other */
static double slack(const gathered *g, const crowd *c, int32_t i, int32_t t) {
    const int32_t n = g->points.embedding->n_column;
    const double *row = c->row + (int64_t)t * n;
    double length = g->points.norm[i];
    for (int32_t j = 0; j < n; j++) {
        length += row[j] * row[j];
    }
    return 1e-13 * length;
}

/* The rule, in doubles. */
static int32_t plain_nearest(const gathered *g, const sonde__targets *targets, int32_t i) {
    double least = sonde__score(&g->points, targets, i, 0);
    for (int32_t t = 1; t < targets->n; t++) {
        const double score = sonde__score(&g->points, targets, i, t);
        least = score < least ? score : least;
    }
    const double limit = least + 0.5e-9 * sonde__squared(g->points.norm[i], least);
    int32_t t = 0;
    while (sonde__score(&g->points, targets, i, t) > limit) {
        t++;
    }
    return t;
}

/* All labels, by whichever way the targets and points are ready for, with as many sets side by
 * side as there may be; the others are nobody. */
static void assert_nearest_of(const gathered *g, const sonde__targets *targets, int32_t side) {
    const sonde__points *points = &g->points;
    sonde__arena arena = {0};
    sonde__lanes lanes;
    sonde__desk desk;
    for (int pass = 0; pass < 2; pass++) {
        sonde__lanes_carve(&arena, targets->n, side, &g->size, &lanes);
        sonde__desk_carve(&arena, targets->n, &g->size, &desk);
        assert_true(pass == 1 || sonde__arena_reserve(&arena));
    }
    const int32_t set = side * 2 / 3;
    lanes.side = side;
    lanes.set[set] = targets;
    sonde__lanes_settle(&lanes, points);
    uint16_t *label = room((SONDE__POINT_BLOCK + 1) * SONDE__LANES, sizeof *label);
    memset(label, 0xFF, (SONDE__POINT_BLOCK + 1) * SONDE__LANES * sizeof *label);
    for (int32_t b = 0; b < sonde__points_n_block(points); b++) {
        const int32_t begin = b * SONDE__POINT_BLOCK;
        const int32_t n = sonde__points_in_block(points, b);
        sonde__compare(points, &lanes, b, &desk);
        assert_int_equal(sonde__list_changed(&lanes, n, label, &desk), n);
        for (int32_t m = 0; m < n; m++) {
            assert_int_equal(desk.listed[m], m * side + set);
            assert_int_equal(sonde__nearest(points, &lanes, begin + m, desk.listed[m], &desk),
                             plain_nearest(g, targets, begin + m));
        }
    }
    free(label);
    sonde__arena_free(&arena);
}

/* The same for dense points, some of which are left out; and none is nearer to another target
 * than the gap says. */
static void assert_nearest_dense(const gathered *g, const sonde__targets *targets) {
    const sonde__points *points = &g->points;
    sonde__arena arena = {0};
    sonde__lanes lanes;
    sonde__desk desk;
    for (int pass = 0; pass < 2; pass++) {
        sonde__lanes_carve(&arena, targets->n, 1, &g->size, &lanes);
        sonde__desk_carve(&arena, targets->n, &g->size, &desk);
        assert_true(pass == 1 || sonde__arena_reserve(&arena));
    }
    lanes.side = 1;
    lanes.set[0] = targets;
    sonde__lanes_settle(&lanes, points);
    for (int32_t first = 0; first < points->n; first += 3 * SONDE__POINT_BLOCK) {
        int32_t point[SONDE__POINT_BLOCK];
        int32_t n = 0;
        for (int32_t i = first; i < points->n && n < SONDE__POINT_BLOCK; i += 3) {
            point[n++] = i;
        }
        sonde__compare_dense(points, &lanes, point, n, &desk);
        for (int32_t m = 0; m < n; m++) {
            const int32_t nearest = plain_nearest(g, targets, point[m]);
            assert_int_equal(sonde__nearest(points, &lanes, point[m], m, &desk), nearest);
            const double gap = sonde__gap(points, &lanes, point[m], m, &desk);
            for (int32_t t = 0; t < targets->n && gap > 0.0; t++) {
                const double norm = points->norm[point[m]];
                const double own = sonde__score(points, targets, point[m], nearest);
                const double other = sonde__score(points, targets, point[m], t);
                assert_true(t == nearest ||
                            sqrt(sonde__squared(norm, other)) - sqrt(sonde__squared(norm, own)) >=
                                gap - 1e-9 * sqrt(norm));
            }
        }
    }
    sonde__arena_free(&arena);
}

static void assert_nearest(const gathered *g, const sonde__targets *targets) {
    for (int32_t side = 1; side <= SONDE__LANES && g->points.worded; side *= 2) {
        assert_nearest_of(g, targets, side);
    }
    if (!g->points.worded) {
        assert_nearest_dense(g, targets);
    }
}

/* Runs a comparison for every embedding, as words and as dense points, with one vector of
 * targets and with several. */
static void everywhere(void (*compare)(const gathered *, const crowd *)) {
    space s = space_random(4, 3, SONDE_DIRECTED);
    for (int32_t kind = 0; kind < n_embedding(); kind++) {
        embedded e = embed_as(&s, sonde_embedding_name(kind), SONDE_EVERYWHERE);
        gathered g = gather_points(e.rows);
        const int32_t n_way = g.points.worded ? 2 : 1;
        for (int32_t n = 1; n < 60; n += n < 9 ? 4 : 23) {
            for (int32_t worded = 0; worded < n_way; worded++) {
                g.points.worded = worded == 1;
                fill_points(&g);
                crowd c = crowd_new(&g, n, 1.5, (uint64_t)n);
                compare(&g, &c);
                crowd_free(&c);
            }
        }
        gathered_free(&g);
        embedded_free(&e);
    }
    space_free(&s);
}

static void compare_nearest(const gathered *g, const crowd *c) {
    assert_true(c->fixed.window > 0);
    assert_nearest(g, &c->fixed);
    for (int32_t i = 0; i < g->points.n; i += 7) {
        const int32_t found = plain_nearest(g, &c->fixed, i);
        for (int32_t t = 0; t < c->fixed.n; t++) {
            assert_true(distance(g, c, i, found) <= distance(g, c, i, t) + slack(g, c, i, t));
        }
    }
}

static void the_nearest_target_is_the_one_that_doubles_find(void **state) {
    (void)state;
    everywhere(compare_nearest);
}

/* targets that are points: half of all points are as near to two of them, and nothing is rounded */
static void compare_ties(const gathered *g, const crowd *c) {
    const sonde_embedding *rows = g->points.embedding;
    double *code = room((uint64_t)rows->n_code, sizeof *code);
    crowd copy = *c;
    for (int32_t t = 0; t < c->fixed.n; t++) {
        sonde__embedding_code(rows, (t * 37 + 5) % rows->n_row, code);
        crowd_set(&copy, rows, t, code);
    }
    crowd_settle(&copy, g);
    if (rows->gram == NULL && g->points.worded) {
        assert_int_equal(copy.fixed.window, 0);
    }
    assert_nearest(g, &copy.fixed);
    free(code);
}

static void of_targets_as_near_as_each_other_the_lowest_is_found(void **state) {
    (void)state;
    everywhere(compare_ties);
}

/* two targets as close to each other as the last digit of a fixed-point number, and closer */
static void compare_near_ties(const gathered *g, const crowd *c) {
    const int32_t n = g->points.embedding->n_code;
    crowd copy = *c;
    for (int32_t t = 1; t < c->fixed.n; t += 2) {
        double *code = room((uint64_t)n, sizeof *code);
        memcpy(code, c->code + (int64_t)(t - 1) * n, (size_t)n * sizeof *code);
        code[t % n] += t % 4 == 1 ? 1e-11 : 1e-7;
        crowd_set(&copy, g->points.embedding, t, code);
        free(code);
    }
    crowd_settle(&copy, g);
    assert_nearest(g, &copy.fixed);
}

static void targets_that_are_almost_the_same_are_told_apart_as_doubles_do(void **state) {
    (void)state;
    everywhere(compare_near_ties);
}

/* Scratch for the scores of beginnings. */
static void *cells(const gathered *g) {
    const size_t bytes = (size_t)g->size.n_cell * SONDE__EIGHT * sizeof(double);
    void *cell = aligned_alloc(64, bytes);
    assert_non_null(cell);
    return cell;
}

static void compare_totals(const gathered *g, const crowd *c) {
    const int32_t n = g->points.n;
    double *near = room((uint64_t)n, sizeof *near);
    double *total = room((uint64_t)c->plain.n_lane, sizeof *total);
    for (int32_t i = 0; i < n; i++) {
        /* nearer than some targets and farther than others */
        near[i] = distance(g, c, i, i % c->plain.n) * (i % 3 == 0 ? 0.5 : 1.0);
    }
    void *cell = cells(g);
    sonde__totals(&g->points, &c->plain, near, total, cell);
    free(cell);
    for (int32_t t = 0; t < c->plain.n; t += 5) {
        double wanted = 0.0;
        double lost = 0.0;
        for (int32_t i = 0; i < n; i++) {
            wanted += g->points.weight[i] * fmin(near[i], distance(g, c, i, t));
            lost += g->points.weight[i] * slack(g, c, i, t);
        }
        assert_near(total[t], wanted, lost);
    }
    free(total);
    free(near);
}

static void totals_are_what_the_inertia_would_be_with_each_target(void **state) {
    (void)state;
    everywhere(compare_totals);
}

static void compare_lowered(const gathered *g, const crowd *c) {
    const int32_t n = g->points.n;
    const int32_t n_block = sonde__points_n_block(&g->points);
    double *near = room((uint64_t)n, sizeof *near);
    double *before = room((uint64_t)n, sizeof *before);
    double *sum = room((uint64_t)n_block, sizeof *sum);
    void *cell = cells(g);
    for (int32_t i = 0; i < n; i++) {
        near[i] = INFINITY;
    }
    for (int32_t t = 0; t < c->plain.n; t += 3) {
        memcpy(before, near, (size_t)n * sizeof *near);
        sonde__lower(&g->points, &c->plain, t, near, sum, cell);
        double wanted = 0.0;
        double found = 0.0;
        for (int32_t i = 0; i < n; i++) {
            const double d = fmin(before[i], distance(g, c, i, t));
            assert_near(near[i], d, slack(g, c, i, t));
            wanted += g->points.weight[i] * near[i];
        }
        for (int32_t b = 0; b < n_block; b++) {
            found += sum[b];
        }
        assert_near(found, wanted, 1e-12 * wanted);
    }
    free(cell);
    free(sum);
    free(before);
    free(near);
}

static void lowering_takes_the_smaller_distance(void **state) {
    (void)state;
    everywhere(compare_lowered);
}

/* however a score is come by, it has the same bits */
static void compare_bits(const gathered *g, const crowd *c) {
    const int32_t n = g->points.n;
    double *near = room((uint64_t)n, sizeof *near);
    double *sum = room((uint64_t)sonde__points_n_block(&g->points), sizeof *sum);
    for (int32_t i = 0; i < n; i++) {
        near[i] = INFINITY;
    }
    void *cell = cells(g);
    sonde__lower(&g->points, &c->plain, c->plain.n - 1, near, sum, cell);
    free(cell);
    for (int32_t i = 0; i < n; i++) {
        const double score = sonde__score(&g->points, &c->plain, i, c->plain.n - 1);
        assert_same(near[i], sonde__squared(g->points.norm[i], score));
    }
    free(sum);
    free(near);
}

static void words_and_dense_points_have_scores_of_the_same_bits(void **state) {
    (void)state;
    everywhere(compare_bits);
}

/* a row that is itself a target is at no distance */
static void a_point_on_a_target_is_at_no_distance(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    for (int32_t kind = 0; kind < n_embedding(); kind++) {
        embedded e = embed_as(&s, sonde_embedding_name(kind), s.graph->start);
        gathered g = gather_points(e.rows);
        crowd c = crowd_new(&g, 3, 1.5, 5);
        double *code = room((uint64_t)e.rows->n_code, sizeof *code);
        for (int32_t i = 0; i < g.points.n; i++) {
            sonde__embedding_code(e.rows, g.points.row[i], code);
            crowd_set(&c, e.rows, 2, code);
            crowd_settle(&c, &g);
            const double score = sonde__score(&g.points, &c.fixed, i, 2);
            assert_near(sonde__squared(g.points.norm[i], score), 0.0, 1e-13 * g.points.norm[i]);
            assert_int_equal(plain_nearest(&g, &c.fixed, i), 2);
        }
        free(code);
        crowd_free(&c);
        gathered_free(&g);
        embedded_free(&e);
    }
    space_free(&s);
}

/* ------------------------------------------------------------------------------ fallbacks -- */

/* n rows of four columns, drawn from 0 to `reach`. */
static sonde_embedding *random_rows(int32_t n, double reach) {
    double *row = room(4 * (uint64_t)n, sizeof *row);
    sonde__rng rng = sonde__rng_stream(9, SONDE__FOR_CLUSTER, 1);
    for (int32_t i = 0; i < 4 * n; i++) {
        row[i] = reach * sonde__rng_uniform(&rng);
    }
    sonde_embedding *embedding = NULL;
    assert_int_equal(sonde_embedding_from_rows(n, 4, row, NULL, &embedding, NULL), SONDE_OK);
    free(row);
    return embedding;
}

/* Compares labels; says whether fixed-point numbers were used. */
static bool fixed_for(double reach, int32_t n_target) {
    sonde_embedding *rows = random_rows(40, reach);
    gathered g = gather_points(rows);
    crowd c = crowd_new(&g, n_target, reach, 3);
    assert_nearest(&g, &c.fixed);
    const bool used = c.fixed.window >= 0;
    crowd_free(&c);
    gathered_free(&g);
    sonde_embedding_free(rows);
    return used;
}

static void numbers_of_any_size_are_compared_and_doubles_help_where_they_must(void **state) {
    (void)state;
    for (int32_t n = 2; n < 40; n += 17) {
        assert_true(fixed_for(1.0, n));
        assert_true(fixed_for(1e10, n));
        assert_true(fixed_for(1e-10, n));
        assert_false(fixed_for(1e14, n));
        assert_false(fixed_for(1e-14, n));
        assert_false(fixed_for(1e99, n));
    }
}

static void more_targets_than_lanes_have_numbers_are_left_to_doubles(void **state) {
    (void)state;
    assert_true(fixed_for(1.0, 1 << 14));
    assert_false(fixed_for(1.0, (1 << 14) + 1));
}

/* one row of zeros, and one target on it */
static void nothing_but_zeros_is_compared_too(void **state) {
    (void)state;
    const double zero[2] = {0.0, 0.0};
    sonde_embedding *embedding = NULL;
    assert_int_equal(sonde_embedding_from_rows(1, 2, zero, NULL, &embedding, NULL), SONDE_OK);
    gathered g = gather_points(embedding);
    crowd c = crowd_new(&g, 2, 0.0, 3);
    assert_nearest(&g, &c.fixed);
    crowd_free(&c);
    gathered_free(&g);
    sonde_embedding_free(embedding);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_target_is_the_one_that_doubles_find),
        cmocka_unit_test(of_targets_as_near_as_each_other_the_lowest_is_found),
        cmocka_unit_test(targets_that_are_almost_the_same_are_told_apart_as_doubles_do),
        cmocka_unit_test(totals_are_what_the_inertia_would_be_with_each_target),
        cmocka_unit_test(lowering_takes_the_smaller_distance),
        cmocka_unit_test(words_and_dense_points_have_scores_of_the_same_bits),
        cmocka_unit_test(a_point_on_a_target_is_at_no_distance),
        cmocka_unit_test(numbers_of_any_size_are_compared_and_doubles_help_where_they_must),
        cmocka_unit_test(more_targets_than_lanes_have_numbers_are_left_to_doubles),
        cmocka_unit_test(nothing_but_zeros_is_compared_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
