/* Equal rows are kept once, and none is lost. */
#include <math.h>

#include "embed/embed.h"
#include "embed/twins.h"

/* The twins of all policies of an origin, (n, n_column). */
static double *all_twins(const space *s, const char *name, int32_t origin, int32_t *n,
                         int32_t *n_column) {
    int32_t *walk = all_walks(s, origin, n);
    double *row = room((uint64_t)most_columns(s), sizeof *row);
    *n_column = twin_row(s, name, walk, row);
    double *twin = room((uint64_t)*n * (uint64_t)*n_column, sizeof *twin);
    for (int32_t i = 0; i < *n; i++) {
        (void)twin_row(s, name, walk + (int64_t)i * (s->policies->horizon + 1), row);
        memcpy(twin + (int64_t)i * *n_column, row, (size_t)*n_column * sizeof *row);
    }
    free(row);
    free(walk);
    return twin;
}

/* The lowest policy with the same twin as policy i. */
static int32_t lowest_twin(const double *twin, int32_t n_column, int32_t i) {
    const size_t size = (size_t)n_column * sizeof *twin;
    int32_t j = 0;
    while (memcmp(twin + (int64_t)i * n_column, twin + (int64_t)j * n_column, size) != 0) {
        j++;
    }
    return j;
}

/* n_row, row_of, first and weight, by comparing each policy with each. */
static void compare_distinct(const space *s, const char *name, int32_t origin) {
    int32_t n = 0;
    int32_t n_column = 0;
    double *twin = all_twins(s, name, origin, &n, &n_column);
    embedded e = embed_as(s, name, origin);
    int32_t *weight = room((uint64_t)n, sizeof *weight);
    int32_t *row = room((uint64_t)n, sizeof *row);
    int32_t n_row = 0;
    assert_int_equal(e.rows->n_policy, n);
    for (int32_t i = 0; i < n; i++) {
        const int32_t lowest = lowest_twin(twin, n_column, i);
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
            for (int32_t kind = 0; kind < n_embedding(); kind++) {
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
        assert_int_equal(sonde_embedder_row(e.embedder, here, row, NULL), SONDE_OK);
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

/* Codes are kept in bytes, and say the same as the rows. */
static void compare_codes(const space *s, const char *name, int32_t origin) {
    embedded e = embed_as(s, name, origin);
    const sonde_embedding *rows = e.rows;
    double *code = room((uint64_t)rows->n_code, sizeof *code);
    double *row = room((uint64_t)rows->n_column, sizeof *row);
    int32_t *walk = room((uint64_t)s->policies->horizon + 1, sizeof *walk);
    assert_int_equal(rows->origin, origin);
    assert_string_equal(sonde_embedding_name(rows->settings.kind), name);
    assert_int_equal(rows->n_code, e.embedder->n_code);
    assert_ptr_equal(rows->basis, e.embedder->basis);
    assert_ptr_equal(rows->gram, e.embedder->gram);
    const bool whole = rows->small != NULL;
    assert_true(whole || strcmp(name, "value") == 0);
    assert_int_equal(rows->code != NULL, !whole);
    for (int32_t r = 0; r < rows->n_row; r++) {
        sonde_policies_get(s->policies, origin, (uint64_t)rows->first[r], walk, NULL);
        sonde__embed_code(e.embedder, walk, code);
        sonde__embed_row(e.embedder, code, row);
        for (int32_t j = 0; j < rows->n_code; j++) {
            const int64_t at = (int64_t)r * rows->n_code + j;
            assert_same(code[j], whole ? (double)rows->small[at] : rows->code[at]);
        }
        for (int32_t j = 0; j < rows->n_column; j++) {
            assert_same(row[j], sonde__embedding_at(rows, r, j));
        }
    }
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
    for (int32_t kind = 0; kind < n_embedding(); kind++) {
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

/* what two codes with one hash would look like: a policy that was given another's row */
static void a_policy_with_another_ones_row_is_noticed(void **state) {
    (void)state;
    space s = space_random(4, 2, SONDE_SYMMETRIC);
    embedded e = embed_as(&s, "boe", SONDE_EVERYWHERE);
    const uint64_t n = s.policies->n_policy;
    const sonde_run run = threads(2);
    sonde__arena arena = {0};
    sonde__embed_scratch scratch = {0};
    sonde__embedding made = {0};
    for (int pass = 0; pass < 2; pass++) {
        sonde__embed_scratch_carve(&arena, e.embedder, n, 2, &scratch);
        sonde__embedding_carve(&arena, e.embedder, n, n, &made);
        assert_true(pass == 1 || sonde__arena_reserve(&arena));
    }
    assert_int_equal(sonde__embed_distinct(e.embedder, SONDE_EVERYWHERE, &run, &scratch), SONDE_OK);
    int32_t *last = &scratch.row_of[n - 1];
    *last = *last == 0 ? 1 : 0;
    assert_int_equal(sonde__embed_fill(e.embedder, SONDE_EVERYWHERE, &run, &scratch, &made),
                     SONDE_OK);
    assert_int_equal(scratch.salt, 1);
    assert_int_equal(made.embedding.n_row, e.rows->n_row);
    assert_memory_equal(made.row_of, e.rows->row_of, n * sizeof(int32_t));
    assert_memory_equal(made.embedding.small, e.rows->small,
                        (size_t)e.rows->n_row * (size_t)e.rows->n_code);
    sonde__arena_free(&arena);
    embedded_free(&e);
    space_free(&s);
}

/* ------------------------------------------------------------------------- rows of one's own -- */

static void rows_of_ones_own_are_embedded_as_they_are(void **state) {
    (void)state;
    const double row[] = {0.5, -1.0, 0.0, 2.0, 0.5, -1.0, -0.0, 2.0, 0.0, 2.0};
    sonde_embedding *rows = NULL;
    assert_int_equal(sonde_embedding_from_rows(5, 2, row, NULL, &rows, NULL), SONDE_OK);
    assert_int_equal(rows->n_policy, 5);
    assert_int_equal(rows->n_row, 3); /* a negative zero is another number */
    assert_null(rows->small);
    for (int32_t i = 0; i < 5; i++) {
        for (int32_t j = 0; j < 2; j++) {
            assert_same(sonde__embedding_at(rows, rows->row_of[i], j), row[2 * i + j]);
        }
    }
    sonde_embedding_free(rows);
}

static void assert_rows_refused(int32_t n_row, int32_t n_column, const double *row,
                                const char *word) {
    sonde_embedding *rows = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_embedding_from_rows(n_row, n_column, row, NULL, &rows, &error),
                     SONDE_BAD_ARGUMENT);
    assert_null(rows);
    assert_says(error.text, word);
}

static void rows_that_are_no_numbers_are_refused(void **state) {
    (void)state;
    const double bad[] = {1.0, (double)NAN};
    const double huge[] = {1.0, 1e101};
    assert_rows_refused(1, 2, bad, "finite");
    assert_rows_refused(1, 2, huge, "row 0");
    assert_rows_refused(0, 2, bad, "found 0 of 2");
    assert_rows_refused(1, 0, bad, "found 1 of 0");
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
        cmocka_unit_test(a_policy_with_another_ones_row_is_noticed),
        cmocka_unit_test(rows_of_ones_own_are_embedded_as_they_are),
        cmocka_unit_test(rows_that_are_no_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
