/* The ends of policies, against the definition; and how long ends are. */
#include "embed/twins.h"

static void ends_are_the_first_two_actions_and_the_last_two(void **state) {
    (void)state;
    assert_rows_are_twins_everywhere("ends");
}

/* policies are as near as they have ends in common: each step in which they differ adds 2 */
static void distances_count_the_steps_that_differ(void **state) {
    (void)state;
    space s = space_random(4, 5, SONDE_DIRECTED);
    for (int32_t n_end = 1; n_end <= s.policies->horizon; n_end++) {
        sonde_embed_settings settings = embedding_called("ends");
        settings.n_end = n_end;
        embedded e = embed(&s, &settings, s.graph->start, NULL);
        int32_t n = 0;
        int32_t *walk = all_walks(&s, s.graph->start, &n);
        const int32_t n_walk = s.policies->horizon + 1;
        assert_int_equal(e.rows->n_column, 2 * n_end * s.model->n_action);
        for (int32_t i = 0; i < n; i += 5) {
            for (int32_t j = 0; j < n; j += 3) {
                int32_t n_other = 0;
                for (int32_t t = 1; t <= s.policies->horizon; t++) {
                    const bool same = pair_at(&s, walk + (int64_t)i * n_walk, t) ==
                                      pair_at(&s, walk + (int64_t)j * n_walk, t);
                    n_other += !same && t <= n_end;
                    n_other += !same && t > s.policies->horizon - n_end;
                }
                assert_near(squared(row_at(e.rows, i), row_at(e.rows, j), e.rows->n_column),
                            2.0 * (double)n_other, 0.0);
            }
        }
        free(walk);
        embedded_free(&e);
    }
    space_free(&s);
}

static void ends_beyond_the_horizon_are_refused(void **state) {
    (void)state;
    space s = space_random(3, 5, SONDE_SYMMETRIC);
    const int32_t bad[] = {-1, 4, INT32_MAX};
    for (int32_t i = 0; i < 3; i++) {
        sonde_embed_settings settings = embedding_called("ends");
        settings.n_end = bad[i];
        sonde_embedder *embedder = NULL;
        sonde_error error = {0};
        assert_int_equal(sonde_embedder_new(s.policies, &settings, NULL, &embedder, &error),
                         SONDE_BAD_ARGUMENT);
        assert_says(error.text, "ends");
    }
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_are_the_first_two_actions_and_the_last_two),
        cmocka_unit_test(distances_count_the_steps_that_differ),
        cmocka_unit_test(ends_beyond_the_horizon_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
