/* Edit distances without the matrix, against the matrix. */
#include "embed/embed.h"
#include "base/rng.h"
#include "embed/twins.h"

/* Distances between some pairs of an origin's rows, against those of the matrix's rows. */
static void compare_pairs(const space *s, int32_t origin, const double *matrix, int32_t n) {
    embedded e = embed_as(s, "edm", origin);
    const int32_t begin = origin == SONDE_EVERYWHERE ? 0 : (int32_t)s->policies->offset[origin];
    sonde__rng rng = sonde__rng_stream(3, SONDE__FOR_PROBE, 0);
    for (int32_t trial = 0; trial < 3000; trial++) {
        const int32_t i = (int32_t)sonde__rng_below(&rng, (uint64_t)e.rows->n_policy);
        const int32_t j = (int32_t)sonde__rng_below(&rng, (uint64_t)e.rows->n_policy);
        const double wanted =
            squared(matrix + (int64_t)(begin + i) * n, matrix + (int64_t)(begin + j) * n, n);
        const double found = squared(row_at(e.rows, i), row_at(e.rows, j), e.rows->n_column);
        assert_near(found, wanted, 1e-12 * wanted);
    }
    embedded_free(&e);
}

static void rows_are_as_far_apart_as_those_of_the_plain_matrix(void **state) {
    (void)state;
    for (int32_t size = 1; size <= 4; size++) {
        for (uint64_t seed = 0; seed < 4; seed++) {
            space s = space_random(size, seed, seed % 2 == 0 ? SONDE_SYMMETRIC : SONDE_DIRECTED);
            int32_t n = 0;
            double *matrix = plain_matrix(&s, &n);
            compare_pairs(&s, SONDE_EVERYWHERE, matrix, n);
            compare_pairs(&s, s.graph->start, matrix, n);
            compare_pairs(&s, 0, matrix, n);
            free(matrix);
            space_free(&s);
        }
    }
}

/* the published function, too */
static void the_matrix_holds_what_the_edit_distance_of_two_walks_is(void **state) {
    (void)state;
    space s = space_random(3, 7, SONDE_SYMMETRIC);
    int32_t n = 0;
    double *matrix = plain_matrix(&s, &n);
    int32_t *walk = all_walks(&s, SONDE_EVERYWHERE, &n);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            const int32_t d = sonde_policies_edit_distance(s.policies, walk + (int64_t)i * 4,
                                                           walk + (int64_t)j * 4);
            assert_near(matrix[(int64_t)i * n + j], (double)d, 0.0);
        }
    }
    free(walk);
    free(matrix);
    space_free(&s);
}

static void there_is_nominally_a_column_for_each_global_policy(void **state) {
    (void)state;
    for (int32_t size = 1; size <= 5; size++) {
        space s = space_random(size, 4, SONDE_DIRECTED);
        embedded e = embed_as(&s, "edm", s.graph->start);
        assert_near(e.embedder->n_column_nominal, (double)s.policies->n_policy, 0.0);
        assert_near(e.rows->n_column_nominal, (double)s.policies->n_policy, 0.0);
        assert_true(e.rows->n_column <= 1 + s.graph->n_node + s.graph->n_edge);
        assert_true(e.rows->n_policy == (int32_t)sonde_policies_size(s.policies, s.graph->start));
        embedded_free(&e);
        space_free(&s);
    }
}

/* M = W'W with W = [1, -2 Z], from the definition */
static void the_gram_matrix_is_that_of_the_indicators(void **state) {
    (void)state;
    space s = space_random(4, 5, SONDE_SYMMETRIC);
    const int32_t side = 1 + s.graph->n_node + s.graph->n_edge;
    int32_t n = 0;
    int32_t *walk = all_walks(&s, SONDE_EVERYWHERE, &n);
    double *wanted = room((uint64_t)side * (uint64_t)side, sizeof *wanted);
    double *mark = room((uint64_t)most_columns(&s), sizeof *mark);
    double *w = room((uint64_t)side, sizeof *w);
    for (int32_t i = 0; i < n; i++) {
        (void)twin_row(&s, "edm", walk + (int64_t)i * 5, mark);
        w[0] = 1.0;
        for (int32_t j = 0; j < s.graph->n_node; j++) {
            w[1 + j] = -2.0 * mark[s.graph->n_edge + j];
        }
        for (int32_t j = 0; j < s.graph->n_edge; j++) {
            w[1 + s.graph->n_node + j] = -2.0 * mark[j];
        }
        for (int32_t a = 0; a < side; a++) {
            for (int32_t b = 0; b < side; b++) {
                wanted[(int64_t)a * side + b] += w[a] * w[b];
            }
        }
    }
    double *gram = room((uint64_t)side * (uint64_t)side, sizeof *gram);
    const sonde_run one = threads(1);
    const sonde_embed_settings settings = embedding_called("edm");
    assert_int_equal(sonde__edm_gram(s.policies, &settings, &one, gram, NULL), SONDE_OK);
    for (int32_t i = 0; i < side * side; i++) {
        assert_near(gram[i], wanted[i], 0.0);
    }
    free(gram);
    free(w);
    free(mark);
    free(wanted);
    free(walk);
    space_free(&s);
}

/* A world of six nodes with enough policies for several tasks of counting. */
static space six_nodes(void) {
    for (uint64_t seed = 0; seed < 100; seed++) {
        space s = space_random(6, seed, SONDE_SYMMETRIC);
        if (s.policies->n_policy > 140000 && s.policies->n_policy < 400000) {
            return s;
        }
        space_free(&s);
    }
    fail_msg("no such world");
    return (space){0};
}

/* the paper stopped at five; distances to some hundreds of rows say that nothing went wrong */
static void edm_runs_at_six_nodes(void **state) {
    (void)state;
    space s = six_nodes();
    embedded e = embed_as(&s, "edm", s.graph->start);
    int32_t n = 0;
    int32_t *walk = all_walks(&s, SONDE_EVERYWHERE, &n);
    sonde__rng rng = sonde__rng_stream(9, SONDE__FOR_PROBE, 0);
    for (int32_t trial = 0; trial < 4; trial++) {
        const int32_t i = (int32_t)sonde__rng_below(&rng, (uint64_t)e.rows->n_policy);
        const int32_t j = (int32_t)sonde__rng_below(&rng, (uint64_t)e.rows->n_policy);
        const int64_t begin = (int64_t)s.policies->offset[s.graph->start];
        double wanted = 0.0;
        for (int32_t to = 0; to < n; to++) {
            const int32_t *other = walk + (int64_t)to * 7;
            const double d =
                (double)(sonde_policies_edit_distance(s.policies, walk + (begin + i) * 7, other) -
                         sonde_policies_edit_distance(s.policies, walk + (begin + j) * 7, other));
            wanted += d * d;
        }
        assert_near(squared(row_at(e.rows, i), row_at(e.rows, j), e.rows->n_column), wanted,
                    1e-11 * wanted);
    }
    free(walk);
    embedded_free(&e);
    space_free(&s);
}

static void edm_refuses_more_policies_than_can_be_looked_at(void **state) {
    (void)state;
    space s = space_new(world_of_horizon(6, 2, 40));
    const sonde_embed_settings settings = embedding_called("edm");
    sonde_embedder *embedder = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_embedder_new(s.policies, &settings, NULL, &embedder, &error),
                     SONDE_TOO_LARGE);
    assert_null(embedder);
    char size[32];
    (void)snprintf(size, sizeof size, "%.4g", s.policies->size);
    assert_says(error.text, size);
    space_free(&s);
}

static void edm_refuses_to_take_more_memory_than_allowed(void **state) {
    (void)state;
    space s = space_random(5, 2, SONDE_SYMMETRIC);
    const sonde_embed_settings settings = embedding_called("edm");
    sonde_embedder *embedder = NULL;
    sonde_error error = {0};
    sonde_run run = threads(2);
    run.memory = 4096;
    assert_int_equal(sonde_embedder_new(s.policies, &settings, &run, &embedder, &error),
                     SONDE_TOO_LARGE);
    assert_null(embedder);
    assert_int_equal(error.status, SONDE_TOO_LARGE);
    space_free(&s);
}

static void counting_stops_when_told_to(void **state) {
    (void)state;
    space s = space_random(4, 2, SONDE_SYMMETRIC);
    const sonde_embed_settings settings = embedding_called("edm");
    sonde_embedder *embedder = NULL;
    sonde_stop stop = {0};
    sonde_run run = threads(2);
    run.stop = &stop;
    sonde_stop_raise(&stop);
    assert_int_equal(sonde_embedder_new(s.policies, &settings, &run, &embedder, NULL),
                     SONDE_STOPPED);
    assert_null(embedder);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_as_far_apart_as_those_of_the_plain_matrix),
        cmocka_unit_test(the_matrix_holds_what_the_edit_distance_of_two_walks_is),
        cmocka_unit_test(there_is_nominally_a_column_for_each_global_policy),
        cmocka_unit_test(the_gram_matrix_is_that_of_the_indicators),
        cmocka_unit_test(edm_runs_at_six_nodes),
        cmocka_unit_test(edm_refuses_more_policies_than_can_be_looked_at),
        cmocka_unit_test(edm_refuses_to_take_more_memory_than_allowed),
        cmocka_unit_test(counting_stops_when_told_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
