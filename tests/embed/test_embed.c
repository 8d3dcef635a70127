/* The table of embeddings, and the embedder. */
#include <math.h>

#include "embed/embed.h"
#include "embed/twins.h"

static void every_embedding_has_a_name_and_a_sentence(void **state) {
    (void)state;
    static const char *const wanted[] = {"boe",  "boe-set", "aboe",     "aboe-onehot", "aboe-edges",
                                         "edm",  "boa",     "boa-set",  "timed",       "occupancy",
                                         "ends", "value",   "walk2vec", "ngram"};
    const int32_t n = n_kind();
    assert_int_equal(n, 14);
    for (int32_t kind = 0; kind < n; kind++) {
        assert_string_equal(sonde_embedding_name(kind), wanted[kind]);
        assert_true(strlen(sonde_embedding_about(kind)) > 10);
    }
    assert_null(sonde_embedding_name(n));
    assert_null(sonde_embedding_about(n));
}

static void boe_is_the_default(void **state) {
    (void)state;
    space s = space_random(3, 1, SONDE_SYMMETRIC);
    const int32_t kind = sonde__embed_kind(s.policies, sonde_embed_defaults().kind);
    assert_string_equal(sonde_embedding_name(kind), "boe");
    space_free(&s);
    assert_near(sonde_embed_defaults().onehot_weight, 0.0, 0.0);
}

/* Bad settings are refused in words, and nothing is made. */
static void assert_refused(const space *s, sonde_embed_settings settings, const char *word) {
    sonde_embedder *embedder = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_embedder_new(s->policies, &settings, NULL, &embedder, &error),
                     SONDE_BAD_ARGUMENT);
    assert_int_equal(error.status, SONDE_BAD_ARGUMENT);
    assert_null(embedder);
    assert_says(error.text, word);
    assert_int_equal(sonde_embedder_new(s->policies, &settings, NULL, &embedder, NULL),
                     SONDE_BAD_ARGUMENT);
}

static void an_embedding_that_is_not_in_the_table_is_refused(void **state) {
    (void)state;
    space s = space_random(3, 1, SONDE_SYMMETRIC);
    assert_refused(&s, (sonde_embed_settings){.kind = -2}, "found \"-2\"");
    assert_refused(&s, (sonde_embed_settings){.kind = n_kind()}, "found \"14\"");
    assert_refused(&s, (sonde_embed_settings){.kind = INT32_MAX}, "2147483647");
    assert_refused(&s, (sonde_embed_settings){.kind = INT32_MIN}, "-2147483648");
    space_free(&s);
}

static void a_onehot_weight_that_is_negative_or_no_number_is_refused(void **state) {
    (void)state;
    space s = space_random(3, 1, SONDE_SYMMETRIC);
    sonde_embed_settings settings = embedding_called("aboe-onehot");
    const double bad[] = {-1.0, (double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int32_t i = 0; i < 4; i++) {
        settings.onehot_weight = bad[i];
        assert_refused(&s, settings, "onehot_weight");
    }
    space_free(&s);
}

static void an_embedder_remembers_what_it_was_made_from(void **state) {
    (void)state;
    space s = space_random(4, 1, SONDE_SYMMETRIC);
    const int32_t n_edge = s.graph->n_edge;
    const int32_t n_action = s.model->n_action;
    const int32_t n_code[] = {n_edge,       n_edge,   n_edge + 1, n_edge + 4,         n_edge + 2,
                              n_edge + 5,   n_action, n_action,   4 * n_action,       n_edge,
                              4 * n_action, 4,        4,          n_action * n_action};
    for (int32_t kind = 0; kind < n_kind(); kind++) {
        const sonde_embed_settings settings = {.kind = kind, .onehot_weight = 2.5};
        sonde_embedder *embedder = NULL;
        assert_int_equal(sonde_embedder_new(s.policies, &settings, NULL, &embedder, NULL),
                         SONDE_OK);
        assert_ptr_equal(embedder->policies, s.policies);
        assert_int_equal(embedder->settings.kind, kind);
        assert_near(embedder->settings.onehot_weight, 2.5, 0.0);
        assert_int_equal(embedder->n_code, n_code[kind]);
        sonde_embedder_free(embedder);
    }
    space_free(&s);
}

static void a_row_is_the_basis_times_the_code(void **state) {
    (void)state;
    space s = space_random(4, 6, SONDE_DIRECTED);
    embedded e = embed_as(&s, "edm", SONDE_EVERYWHERE);
    assert_non_null(e.embedder->basis);
    const int32_t n_code = e.embedder->n_code;
    double *code = room((uint64_t)n_code, sizeof *code);
    int32_t n = 0;
    int32_t *walk = all_walks(&s, SONDE_EVERYWHERE, &n);
    for (int32_t i = 0; i < n; i += 7) {
        sonde__embed_code(e.embedder, walk + (int64_t)i * 5, code);
        for (int32_t c = 0; c < e.embedder->n_column; c++) {
            double wanted = 0.0;
            for (int32_t j = 0; j < n_code; j++) {
                wanted += e.embedder->basis[(int64_t)c * n_code + j] * code[j];
            }
            assert_near(row_at(e.rows, i)[c], wanted, 1e-12 * (1.0 + fabs(wanted)));
        }
    }
    free(walk);
    free(code);
    embedded_free(&e);
    space_free(&s);
}

/* (x - y) gram (x - y) are the squared distances of rows, so gram is basis' basis */
static void the_gram_matrix_is_made_of_the_basis(void **state) {
    (void)state;
    const int32_t size[] = {1, 2, 4};
    for (int32_t i = 0; i < 3; i++) {
        space s = space_new(world_of_horizon(size[i], 6, size[i] < 3 ? 1 : 4));
        embedded e = embed_as(&s, "edm", SONDE_EVERYWHERE);
        const int32_t n = e.embedder->n_code;
        assert_non_null(e.embedder->gram);
        for (int32_t a = 0; a < n; a++) {
            for (int32_t b = 0; b < n; b++) {
                double wanted = 0.0;
                for (int32_t c = 0; c < e.embedder->n_column; c++) {
                    wanted += e.embedder->basis[c * n + a] * e.embedder->basis[c * n + b];
                }
                assert_near(e.embedder->gram[a * n + b], wanted,
                            1e-12 * (double)s.policies->n_policy);
            }
        }
        embedded_free(&e);
        space_free(&s);
    }
}

static void nothing_can_be_freed(void **state) {
    (void)state;
    sonde_embedder_free(NULL);
    sonde_embedding_free(NULL);
    sonde_pca_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_embedding_has_a_name_and_a_sentence),
        cmocka_unit_test(boe_is_the_default),
        cmocka_unit_test(an_embedding_that_is_not_in_the_table_is_refused),
        cmocka_unit_test(a_onehot_weight_that_is_negative_or_no_number_is_refused),
        cmocka_unit_test(an_embedder_remembers_what_it_was_made_from),
        cmocka_unit_test(a_row_is_the_basis_times_the_code),
        cmocka_unit_test(the_gram_matrix_is_made_of_the_basis),
        cmocka_unit_test(nothing_can_be_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
