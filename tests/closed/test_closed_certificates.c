/* Certificates of closed loop, held to an exact recursion without slack. */
/* long */
#include <stdlib.h>

#include "certificates.h"

static void no_certificate_says_what_is_not_so(void **state) {
    (void)state;
    static campaign c;
    const char *asked = getenv("SONDE_CAMPAIGN");
    run_campaign(&c, 0, asked != NULL ? (uint64_t)atoi(asked) : 1000);
    assert_int_equal(c.n_violation, 0);
    assert_true(c.share[SONDE_BACKUP_MIN][c.n_share[SONDE_BACKUP_MIN] / 2] <= 0.45);
    assert_true(c.share[SONDE_BACKUP_AVERAGE][c.n_share[SONDE_BACKUP_AVERAGE] / 2] <= 0.60);
    assert_true(c.share[SONDE_BACKUP_FREE_ENERGY][c.n_share[SONDE_BACKUP_FREE_ENERGY] / 2] <= 0.60);
}

static void nor_where_values_are_far_apart(void **state) {
    (void)state;
    static campaign c;
    run_small(&c, 400, true);
    assert_int_equal(c.n_violation, 0);
}

static void nor_where_gamma_is_next_to_nothing(void **state) {
    (void)state;
    static campaign c;
    run_soft(&c, 120);
    assert_int_equal(c.n_violation, 0);
}

static void nor_where_they_are_near_and_nobody_knows(void **state) {
    (void)state;
    static campaign c;
    run_small(&c, 40, false);
    assert_int_equal(c.n_violation, 0);
}

/* G are known so badly, and gamma is so large, that every mass is nothing beside what the largest
 * could be. */
static void shares_that_may_be_anything_are_said_to_be(void **state) {
    (void)state;
    int32_t n_wide = 0;
    for (uint64_t i = 0; i < 300; i++) {
        sonde__rng rng = sonde__rng_stream(22, SONDE__FOR_GRAPH, i);
        sonde_model *model = draw_certified_as(&rng, GAMMA_WIDE);
        sonde_search_settings settings = sonde_search_defaults();
        sonde_agent *agent = NULL;
        const sonde_decision *d = NULL;
        settings.loop = SONDE_LOOP_CLOSED;
        settings.backup = (sonde_backup)(i % BACKUPS);
        settings.gamma = 1e4;
        settings.budget = 1 + i % 30;
        assert_int_equal(sonde_plan(model, NULL, &settings, NULL, &agent, &d, NULL), SONDE_OK);
        double least = 0.0;
        double most = 0.0;
        for (int32_t k = 0; k < d->n_action; k++) {
            least += d->p_lower[k];
            most += d->p_upper[k];
        }
        assert_true(least <= 1.0 && most >= 1.0);
        n_wide += most > 1.5;
        sonde_agent_free(agent);
        sonde_model_free(model);
    }
    assert_true(n_wide > 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_certificate_says_what_is_not_so),
        cmocka_unit_test(nor_where_values_are_far_apart),
        cmocka_unit_test(nor_where_gamma_is_next_to_nothing),
        cmocka_unit_test(shares_that_may_be_anything_are_said_to_be),
        cmocka_unit_test(nor_where_they_are_near_and_nobody_knows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
