/* Rows against many points at once, against one at a time. */
#include <math.h>

#include "cluster/cluster.h"
#include "embed/twins.h"

/* points, and the same points one by one */
typedef struct {
    sonde__arena arena;
    sonde__points points;
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

/* n points that lie on no row: whole numbers of policies and a little more in every column. */
static crowd crowd_new(const sonde_embedding *rows, int32_t n, uint64_t seed) {
    crowd c = {.code = room((uint64_t)n * (uint64_t)rows->n_code, sizeof(double)),
               .row = room((uint64_t)n * (uint64_t)rows->n_column, sizeof(double))};
    sonde__points_carve(&c.arena, n, rows->n_code, &c.points);
    assert_true(sonde__arena_reserve(&c.arena));
    sonde__points_carve(&c.arena, n, rows->n_code, &c.points);
    sonde_rng rng = sonde_rng_stream(seed, SONDE_FOR_CLUSTER, 0);
    for (int32_t i = 0; i < n; i++) {
        double *code = c.code + (int64_t)i * rows->n_code;
        for (int32_t j = 0; j < rows->n_code; j++) {
            code[j] = 1.5 * sonde_rng_uniform(&rng);
        }
        decode(rows, code, c.row + (int64_t)i * rows->n_column);
        sonde__points_set(&c.points, i, code, rows->gram);
    }
    return c;
}

static void crowd_free(crowd *c) {
    sonde__arena_free(&c->arena);
    free(c->row);
    free(c->code);
}

static double distance(const sonde_embedding *rows, const crowd *c, int32_t r, int32_t i) {
    return squared(rows->row + (int64_t)r * rows->n_column, c->row + (int64_t)i * rows->n_column,
                   rows->n_column);
}

/* what is lost when lengths are subtracted from each other */
static double slack(const sonde_embedding *rows, const crowd *c, int32_t r, int32_t i) {
    const double *row = c->row + (int64_t)i * rows->n_column;
    double length = rows->norm[r];
    for (int32_t j = 0; j < rows->n_column; j++) {
        length += row[j] * row[j];
    }
    return 1e-13 * length;
}

/* Runs a comparison for every embedding, with one block of points and with several. */
static void everywhere(void (*compare)(const sonde_embedding *, const crowd *)) {
    space s = space_random(4, 3, SONDE_DIRECTED);
    for (int32_t kind = 0; kind < n_embedding(); kind++) {
        embedded e = embed_as(&s, sonde_embedding_name(kind), SONDE_EVERYWHERE);
        for (int32_t n = 1; n < 30; n += n < 9 ? 1 : 5) {
            crowd c = crowd_new(e.rows, n, (uint64_t)n);
            compare(e.rows, &c);
            crowd_free(&c);
        }
        embedded_free(&e);
    }
    space_free(&s);
}

static void compare_nearest(const sonde_embedding *rows, const crowd *c) {
    int32_t *label = room((uint64_t)rows->n_row, sizeof *label);
    double *near = room((uint64_t)rows->n_row, sizeof *near);
    sonde__points_nearest(&c->points, rows, label, near);
    for (int32_t r = 0; r < rows->n_row; r++) {
        int32_t best = 0;
        for (int32_t i = 1; i < c->points.n; i++) {
            best = distance(rows, c, r, i) < distance(rows, c, r, best) ? i : best;
        }
        assert_int_equal(label[r], best);
        assert_near(near[r], distance(rows, c, r, best), slack(rows, c, r, best));
    }
    free(near);
    free(label);
}

static void the_nearest_point_is_the_one_at_the_least_distance(void **state) {
    (void)state;
    everywhere(compare_nearest);
}

static void compare_totals(const sonde_embedding *rows, const crowd *c) {
    double *near = room((uint64_t)rows->n_row, sizeof *near);
    double *total = room((uint64_t)c->points.n_block * SONDE__LANES, sizeof *total);
    for (int32_t r = 0; r < rows->n_row; r++) {
        /* nearer than some points and farther than others */
        near[r] = distance(rows, c, r, r % c->points.n) * (r % 3 == 0 ? 0.5 : 1.0);
    }
    sonde__points_totals(&c->points, rows, near, total);
    for (int32_t i = 0; i < c->points.n; i++) {
        double wanted = 0.0;
        double lost = 0.0;
        for (int32_t r = 0; r < rows->n_row; r++) {
            wanted += rows->weight[r] * fmin(near[r], distance(rows, c, r, i));
            lost += rows->weight[r] * slack(rows, c, r, i);
        }
        assert_near(total[i], wanted, lost);
    }
    free(total);
    free(near);
}

static void totals_are_what_the_inertia_would_be_with_each_point(void **state) {
    (void)state;
    everywhere(compare_totals);
}

static void compare_lowered(const sonde_embedding *rows, const crowd *c) {
    double *near = room((uint64_t)rows->n_row, sizeof *near);
    for (int32_t r = 0; r < rows->n_row; r++) {
        near[r] = INFINITY;
    }
    double *before = room((uint64_t)rows->n_row, sizeof *before);
    for (int32_t i = 0; i < c->points.n; i++) {
        memcpy(before, near, (size_t)rows->n_row * sizeof *near);
        const double sum = sonde__points_lower(&c->points, i, rows, near);
        double wanted = 0.0;
        for (int32_t r = 0; r < rows->n_row; r++) {
            const double d = fmin(before[r], distance(rows, c, r, i));
            assert_near(near[r], d, slack(rows, c, r, i));
            wanted += rows->weight[r] * near[r];
        }
        assert_near(sum, wanted, 1e-12 * wanted);
    }
    free(before);
    free(near);
}

static void lowering_takes_the_smaller_distance(void **state) {
    (void)state;
    everywhere(compare_lowered);
}

/* the same point twice, in one block and in two */
static void of_points_in_one_place_the_lowest_is_the_nearest(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    for (int32_t kind = 0; kind < n_embedding(); kind++) {
        embedded e = embed_as(&s, sonde_embedding_name(kind), s.graph->start);
        crowd c = crowd_new(e.rows, 20, 5);
        int32_t *label = room((uint64_t)e.rows->n_row, sizeof *label);
        double *near = room((uint64_t)e.rows->n_row, sizeof *near);
        for (int32_t i = 10; i < 20; i++) {
            sonde__points_set(&c.points, i, c.code + (int64_t)(i - 10) * e.rows->n_code,
                              e.rows->gram);
        }
        sonde__points_nearest(&c.points, e.rows, label, near);
        for (int32_t r = 0; r < e.rows->n_row; r++) {
            assert_true(label[r] < 10);
        }
        free(near);
        free(label);
        crowd_free(&c);
        embedded_free(&e);
    }
    space_free(&s);
}

/* a row that is itself a point is nowhere near zero by chance */
static void a_row_on_a_point_is_at_no_distance(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    for (int32_t kind = 0; kind < n_embedding(); kind++) {
        embedded e = embed_as(&s, sonde_embedding_name(kind), s.graph->start);
        double *code = room((uint64_t)e.rows->n_code, sizeof *code);
        double *near = room((uint64_t)e.rows->n_row, sizeof *near);
        int32_t *label = room((uint64_t)e.rows->n_row, sizeof *label);
        crowd c = crowd_new(e.rows, 3, 5);
        for (int32_t r = 0; r < e.rows->n_row; r++) {
            memset(code, 0, (size_t)e.rows->n_code * sizeof *code);
            for (int32_t i = 0; i < e.rows->n_nonzero[r]; i++) {
                const int64_t at = (int64_t)r * e.rows->n_nonzero_max + i;
                code[e.rows->code_column[at]] = e.rows->code_value[at];
            }
            sonde__points_set(&c.points, 2, code, e.rows->gram);
            sonde__points_nearest(&c.points, e.rows, label, near);
            assert_int_equal(label[r], 2);
            assert_near(near[r], 0.0, 1e-13 * e.rows->norm[r]);
            assert_true(near[r] >= 0.0);
        }
        crowd_free(&c);
        free(label);
        free(near);
        free(code);
        embedded_free(&e);
    }
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_point_is_the_one_at_the_least_distance),
        cmocka_unit_test(totals_are_what_the_inertia_would_be_with_each_point),
        cmocka_unit_test(lowering_takes_the_smaller_distance),
        cmocka_unit_test(of_points_in_one_place_the_lowest_is_the_nearest),
        cmocka_unit_test(a_row_on_a_point_is_at_no_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
