/* Equal rows are kept once, and none is lost. */
#include "embed/embed.h"
#include "embed/twins.h"

/* The twins of all policies of an origin, (n, most_columns). */
static double *all_twins(const space *s, const char *name, int32_t origin, int32_t *n) {
    int32_t *walk = all_walks(s, origin, n);
    const int32_t most = most_columns(s);
    double *twin = room((uint64_t)*n * (uint64_t)most, sizeof *twin);
    for (int32_t i = 0; i < *n; i++) {
        (void)twin_row(s, name, walk + (int64_t)i * (s->policies->horizon + 1),
                       twin + (int64_t)i * most);
    }
    free(walk);
    return twin;
}

/* The lowest policy with the same twin as policy i. */
static int32_t lowest_twin(const double *twin, int32_t most, int32_t i) {
    int32_t j = 0;
    while (squared(twin + (int64_t)i * most, twin + (int64_t)j * most, most) > 0.0) {
        j++;
    }
    return j;
}

/* n_row, row_of, first and weight, by comparing each policy with each. */
static void compare_distinct(const space *s, const char *name, int32_t origin) {
    int32_t n = 0;
    double *twin = all_twins(s, name, origin, &n);
    embedded e = embed_as(s, name, origin);
    int32_t *weight = room((uint64_t)n, sizeof *weight);
    int32_t *row = room((uint64_t)n, sizeof *row);
    int32_t n_row = 0;
    assert_int_equal(e.rows->n_policy, n);
    for (int32_t i = 0; i < n; i++) {
        const int32_t lowest = lowest_twin(twin, most_columns(s), i);
        if (lowest == i) {
            assert_true(n_row < e.rows->n_row);
            assert_int_equal(e.rows->first[n_row], i);
            row[i] = n_row++;
        } else {
            row[i] = row[lowest];
        }
        assert_int_equal(e.rows->row_of[i], row[i]);
        weight[row[i]]++;
    }
    assert_int_equal(e.rows->n_row, n_row);
    assert_memory_equal(e.rows->weight, weight, (size_t)n_row * sizeof *weight);
    free(row);
    free(weight);
    embedded_free(&e);
    free(twin);
}

/* Runs a comparison for every embedding, in global and local scope, on a few worlds. */
static void everywhere(void (*compare)(const space *, const char *, int32_t)) {
    for (int32_t n = 1; n <= 4; n++) {
        for (uint64_t seed = 0; seed < 2; seed++) {
            space s = space_random(n, seed, seed % 2 == 0 ? SONDE_SYMMETRIC : SONDE_DIRECTED);
            for (int32_t kind = 0; sonde_embedding_name(kind) != NULL; kind++) {
                compare(&s, sonde_embedding_name(kind), SONDE_EVERYWHERE);
                compare(&s, sonde_embedding_name(kind), s.graph->start);
                compare(&s, sonde_embedding_name(kind), s.graph->n_edge - 1);
            }
            space_free(&s);
        }
    }
}

static void distinct_rows_are_those_that_a_comparison_of_all_pairs_finds(void **state) {
    (void)state;
    everywhere(compare_distinct);
}

/* Rows of an embedding are those of its policies one by one. */
static void compare_rows(const space *s, const char *name, int32_t origin) {
    embedded e = embed_as(s, name, origin);
    double *row = room((uint64_t)e.rows->n_column, sizeof *row);
    int32_t n = 0;
    int32_t *walk = all_walks(s, origin, &n);
    for (int32_t i = 0; i < n; i++) {
        const int32_t *here = walk + (int64_t)i * (s->policies->horizon + 1);
        assert_int_equal(sonde_embedder_row(e.embedder, here, row), SONDE_OK);
        assert_memory_equal(row, row_at(e.rows, i), (size_t)e.rows->n_column * sizeof *row);
    }
    free(walk);
    free(row);
    embedded_free(&e);
}

static void a_policys_row_in_a_list_is_its_row_alone(void **state) {
    (void)state;
    everywhere(compare_rows);
}

/* Codes are kept without their zeros, and say the same as the rows. */
static void compare_codes(const space *s, const char *name, int32_t origin) {
    embedded e = embed_as(s, name, origin);
    const sonde_embedding *rows = e.rows;
    double *code = room((uint64_t)rows->n_code, sizeof *code);
    double *row = room((uint64_t)rows->n_column, sizeof *row);
    int32_t *walk = room((uint64_t)s->policies->horizon + 1, sizeof *walk);
    int32_t most = 0;
    assert_int_equal(rows->origin, origin);
    assert_string_equal(sonde_embedding_name(rows->settings.kind), name);
    assert_int_equal(rows->n_code, e.embedder->n_code);
    assert_ptr_equal(rows->basis, e.embedder->basis);
    assert_ptr_equal(rows->gram, e.embedder->gram);
    for (int32_t r = 0; r < rows->n_row; r++) {
        const int32_t *column = rows->code_column + (int64_t)r * rows->n_nonzero_max;
        const double *value = rows->code_value + (int64_t)r * rows->n_nonzero_max;
        sonde_policies_get(s->policies, origin, (uint64_t)rows->first[r], walk);
        sonde__embed_code(e.embedder, walk, code);
        assert_true(rows->n_nonzero[r] <= rows->n_nonzero_max);
        for (int32_t i = 0; i < rows->n_nonzero[r]; i++) {
            assert_true(i == 0 || column[i - 1] < column[i]);
            assert_true(value[i] != 0.0);
            assert_same(value[i], code[column[i]]);
            code[column[i]] = 0.0;
        }
        for (int32_t j = 0; j < rows->n_code; j++) {
            assert_same(code[j], 0.0);
        }
        /* loops may run to the longest code's end */
        for (int32_t i = rows->n_nonzero[r]; i < rows->n_nonzero_max; i++) {
            assert_int_equal(column[i], 0);
            assert_same(value[i], 0.0);
        }
        most = rows->n_nonzero[r] > most ? rows->n_nonzero[r] : most;
        const double *here = rows->row + (int64_t)r * rows->n_column;
        const double length = squared(here, row, rows->n_column);
        assert_near(rows->norm[r], length, 1e-12 * (1.0 + length));
    }
    assert_int_equal(rows->n_nonzero_most, most);
    free(walk);
    free(row);
    free(code);
    embedded_free(&e);
}

static void codes_without_zeros_say_what_rows_say(void **state) {
    (void)state;
    everywhere(compare_codes);
}

static void local_rows_are_those_of_the_same_policies_in_the_global_list(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    for (int32_t kind = 0; sonde_embedding_name(kind) != NULL; kind++) {
        embedded all = embed_as(&s, sonde_embedding_name(kind), SONDE_EVERYWHERE);
        for (int32_t origin = 0; origin < s.graph->n_edge; origin++) {
            embedded here = embed_as(&s, sonde_embedding_name(kind), origin);
            for (int32_t i = 0; i < here.rows->n_policy; i++) {
                const int32_t j = (int32_t)s.policies->offset[origin] + i;
                assert_memory_equal(row_at(here.rows, i), row_at(all.rows, j),
                                    (size_t)all.rows->n_column * sizeof(double));
            }
            embedded_free(&here);
        }
        embedded_free(&all);
    }
    space_free(&s);
}

static void more_policies_than_can_be_listed_are_refused_with_their_number(void **state) {
    (void)state;
    space s = space_new(world_of_horizon(6, 2, 60));
    const sonde_embed_settings settings = embedding_called("boe");
    sonde_embedder *embedder = NULL;
    sonde_embedding *rows = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_embedder_new(s.policies, &settings, NULL, &embedder, NULL), SONDE_OK);
    const int32_t origins[] = {SONDE_EVERYWHERE, s.graph->start};
    for (int32_t i = 0; i < 2; i++) {
        char size[32];
        (void)snprintf(size, sizeof size, "%.4g", sonde_policies_size_real(s.policies, origins[i]));
        assert_int_equal(sonde_embedding_new(embedder, origins[i], NULL, &rows, &error),
                         SONDE_TOO_LARGE);
        assert_null(rows);
        assert_says(error.text, size);
    }
    sonde_embedder_free(embedder);
    space_free(&s);
}

static void an_embedding_refuses_to_take_more_memory_than_allowed(void **state) {
    (void)state;
    space s = space_random(5, 1, SONDE_SYMMETRIC);
    const sonde_embed_settings settings = embedding_called("boe");
    sonde_embedder *embedder = NULL;
    sonde_embedding *rows = NULL;
    sonde_error error = {0};
    sonde_run run = threads(1);
    run.memory = 10000;
    assert_int_equal(sonde_embedder_new(s.policies, &settings, &run, &embedder, NULL), SONDE_OK);
    assert_int_equal(sonde_embedding_new(embedder, SONDE_EVERYWHERE, &run, &rows, &error),
                     SONDE_TOO_LARGE);
    assert_null(rows);
    assert_says(error.text, "memory");
    sonde_embedder_free(embedder);
    space_free(&s);
}

static void embedding_stops_when_told_to(void **state) {
    (void)state;
    space s = space_random(4, 1, SONDE_SYMMETRIC);
    const sonde_embed_settings settings = embedding_called("boe");
    sonde_embedder *embedder = NULL;
    sonde_embedding *rows = NULL;
    sonde_error error = {0};
    sonde_stop stop = {0};
    sonde_run run = threads(1);
    run.stop = &stop;
    sonde_stop_raise(&stop);
    assert_int_equal(sonde_embedder_new(s.policies, &settings, NULL, &embedder, NULL), SONDE_OK);
    assert_int_equal(sonde_embedding_new(embedder, SONDE_EVERYWHERE, &run, &rows, &error),
                     SONDE_STOPPED);
    assert_null(rows);
    assert_int_equal(error.status, SONDE_STOPPED);
    sonde_embedder_free(embedder);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distinct_rows_are_those_that_a_comparison_of_all_pairs_finds),
        cmocka_unit_test(a_policys_row_in_a_list_is_its_row_alone),
        cmocka_unit_test(codes_without_zeros_say_what_rows_say),
        cmocka_unit_test(local_rows_are_those_of_the_same_policies_in_the_global_list),
        cmocka_unit_test(more_policies_than_can_be_listed_are_refused_with_their_number),
        cmocka_unit_test(an_embedding_refuses_to_take_more_memory_than_allowed),
        cmocka_unit_test(embedding_stops_when_told_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
