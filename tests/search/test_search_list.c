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

/* Three policies, of which E forbids the two that begin with the first action. */
static const char forbidden[] =
    "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 2,"
    " \"factors\": [{\"states\": 2, \"actions\": 2}], \"modalities\": [{\"outcomes\": 2}],"
    " \"A\": [[[0.9, 0.2], [0.1, 0.8]]],"
    " \"B\": [[[[0.7, 0.1], [0.2, 0.4]], [[0.3, 0.9], [0.8, 0.6]]]], \"C\": [[0, 1]],"
    " \"D\": [[0.5, 0.5]], \"policies\": [[[0], [0]], [[0], [1]], [[1], [1]]], \"E\": [0, 0, 1]}";

static void where_e_forbids_all_that_was_scored_no_action_is_better(void **state) {
    (void)state;
    int32_t n_forbidden = 0;
    setting s = setting_of(model_of(forbidden));
    for (uint64_t seed = 0; seed < 20; seed++) {
        sonde_search_settings settings = sonde_search_defaults();
        settings.search = SONDE_SEARCH_RANDOM;
        settings.budget = 2; /* one policy */
        settings.seed = seed;
        thought t = think_from(s.policies, &settings);
        const sonde_decision *d = t.decision;
        assert_int_equal(d->evaluations.n_policy, 1);
        for (int32_t i = 0; i < d->n_action; i++) {
            assert_near(d->posterior[i], d->best_walk[1] == d->action[i] ? 1.0 : 0.0, 1e-15);
        }
        n_forbidden += d->best_walk[1] == 0;
        thought_free(&t);
    }
    assert_in_range(n_forbidden, 1, 19);
    setting_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_listed_policy_is_scored_whatever_the_search),
        cmocka_unit_test(where_e_forbids_all_that_was_scored_no_action_is_better),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
