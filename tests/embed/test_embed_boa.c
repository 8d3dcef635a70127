/* Bags, sequences and times of actions, against their definitions; and lengths of sequences. */
#include "embed/embed.h"
#include "embed/twins.h"

static void boa_counts_actions(void **state) {
    (void)state;
    assert_rows_are_twins_everywhere("boa");
}

static void boa_set_tells_which_actions_occur(void **state) {
    (void)state;
    assert_rows_are_twins_everywhere("boa-set");
}

static void timed_tells_when_they_do(void **state) {
    (void)state;
    assert_rows_are_twins_everywhere("timed");
}

static void ngram_counts_pairs_of_actions(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_DIRECTED);
    assert_rows_are_twins(&s, "ngram");
    space_free(&s);
}

/* every sequence of N actions of a policy is counted once, whatever N */
static void ngram_counts_sequences_of_any_length(void **state) {
    (void)state;
    space s = space_random(3, 5, SONDE_SYMMETRIC);
    for (int32_t length = 1; length <= s.policies->horizon; length++) {
        sonde_embed_settings settings = embedding_called("ngram");
        settings.ngram = length;
        sonde_embedder *embedder = NULL;
        assert_int_equal(sonde_embedder_new(s.policies, &settings, NULL, &embedder, NULL),
                         SONDE_OK);
        double *row = room((uint64_t)embedder->n_column, sizeof *row);
        int32_t walk[8];
        for (uint64_t i = 0; i < s.policies->n_policy; i++) {
            sonde_policies_get(s.policies, SONDE_EVERYWHERE, i, walk, NULL);
            assert_int_equal(sonde_embedder_row(embedder, walk, row, NULL), SONDE_OK);
            double sum = 0.0;
            for (int32_t j = 0; j < embedder->n_column; j++) {
                sum += row[j];
            }
            assert_near(sum, (double)(s.policies->horizon - length + 1), 0.0);
        }
        free(row);
        sonde_embedder_free(embedder);
    }
    space_free(&s);
}

static void a_length_beyond_the_horizon_is_refused(void **state) {
    (void)state;
    space s = space_random(3, 5, SONDE_SYMMETRIC);
    const int32_t bad[] = {-1, 4, INT32_MAX};
    for (int32_t i = 0; i < 3; i++) {
        sonde_embed_settings settings = embedding_called("ngram");
        settings.ngram = bad[i];
        sonde_embedder *embedder = NULL;
        sonde_error error = {0};
        assert_int_equal(sonde_embedder_new(s.policies, &settings, NULL, &embedder, &error),
                         SONDE_BAD_ARGUMENT);
        assert_says(error.text, "ngram");
    }
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boa_counts_actions),
        cmocka_unit_test(boa_set_tells_which_actions_occur),
        cmocka_unit_test(timed_tells_when_they_do),
        cmocka_unit_test(ngram_counts_pairs_of_actions),
        cmocka_unit_test(ngram_counts_sequences_of_any_length),
        cmocka_unit_test(a_length_beyond_the_horizon_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
