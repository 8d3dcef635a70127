/* Listed policies: few, and all are scored, whatever the search. */
#include "search/baselines.h"

static thought think_by(const setting *s, const char *search) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = (sonde_search_kind)sonde_name_find(sonde_search_name, search);
    settings.gamma = 0.7;
    settings.n_beam = 1;
    settings.epsilon = 1.0;
    return think_from(s->policies, &settings);
}

static void every_listed_policy_is_scored_whatever_the_search(void **state) {
    (void)state;
    int32_t n = 0;
    for (uint64_t seed = 0; seed < 120; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_LISTED, 400.0);
        if (s.model->policies == SONDE_POLICIES_LISTED) {
            thought full = think_by(&s, "full");
            thought beam = think_by(&s, "beam");
            thought bounded = think_by(&s, "bounded");
            const int32_t horizon = s.policies->horizon;
            assert_int_equal(full.decision->evaluations.n_policy, (uint64_t)s.model->n_policy);
            assert_decided_alike(beam.decision, full.decision, horizon);
            assert_decided_alike(bounded.decision, full.decision, horizon);
            assert_int_equal(full.decision->certificate.given, false);
            assert_certified(beam.decision, true);
            assert_certified(bounded.decision, true);
            thought_free(&bounded);
            thought_free(&beam);
            thought_free(&full);
            n++;
        }
        setting_free(&s);
    }
    assert_true(n > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_listed_policy_is_scored_whatever_the_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
