/* A search of the program's own: a decision from the policies that it has scored, and no others. */
#include "policy/policy.h"
#include "search/baselines.h"

static sonde_search_settings with(sonde_search_kind search, sonde_action_rule action,
                                  uint64_t seed) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = search;
    settings.action = action;
    settings.gamma = 0.3;
    settings.seed = seed;
    return settings;
}

static sonde_agent *agent_for(const setting *s, const sonde_search_settings *settings) {
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    if (sonde_agent_new(s->policies, settings, NULL, &agent, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(sonde_agent_believe(agent, s->belief, NULL), SONDE_OK);
    return agent;
}

/* Everything that is decided, but for what it has cost. */
static void assert_same_choice(sonde_agent *a, sonde_agent *b, int32_t horizon) {
    const sonde_decision *i = NULL;
    const sonde_decision *j = NULL;
    assert_int_equal(sonde_agent_search(a, &i, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_search(b, &j, NULL), SONDE_OK);
    sonde_decision cheap = *i;
    cheap.evaluations = j->evaluations;
    assert_same_decision(&cheap, j, horizon);
    assert_int_equal(i->n_kept, j->n_kept);
    for (int32_t k = 0; k < i->n_kept; k++) {
        assert_same_bytes(&i->kept[k].posterior, &j->kept[k].posterior, 1, sizeof(double));
    }
    assert_int_equal(sonde_agent_act(a), sonde_agent_act(b));
}

/* in whatever order, and some of them twice */
static void whoever_scores_everything_has_searched_fully(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 120; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED | DRAW_LISTED, 3000.0);
        const sonde_action_rule rule = (sonde_action_rule)(seed % 5);
        sonde_search_settings settings = with(SONDE_SEARCH_OWN, rule, seed);
        settings.n_keep = 3;
        sonde_agent *own = agent_for(&s, &settings);
        settings.search = SONDE_SEARCH_FULL;
        sonde_agent *full = agent_for(&s, &settings);
        const int32_t n = (int32_t)sonde_policies_size(s.policies, s.origin);
        double efe[8];
        for (int32_t first = n - 1; first >= -7; first -= 5) {
            const int32_t begin = first > 0 ? first : 0;
            uint64_t some[8];
            const int32_t n_some = n - begin < 8 ? n - begin : 8;
            for (int32_t i = 0; i < n_some; i++) {
                some[i] = (uint64_t)(begin + i);
            }
            assert_int_equal(sonde_agent_score(own, n_some, some, efe, NULL), SONDE_OK);
        }
        assert_same_choice(own, full, s.policies->horizon);
        sonde_agent_free(own);
        sonde_agent_free(full);
        setting_free(&s);
    }
}

static void the_same_policies_mean_the_same_whoever_chose_them(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 120; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED | DRAW_LISTED, 3000.0);
        const uint64_t size = sonde_policies_size(s.policies, s.origin);
        const uint64_t n = size > 12 ? 12 : size - (size > 1);
        sonde_search_settings settings =
            with(SONDE_SEARCH_RANDOM, (sonde_action_rule)(seed % 5), seed);
        settings.budget = n * (uint64_t)s.policies->horizon;
        sonde_agent *random = agent_for(&s, &settings);
        settings.search = SONDE_SEARCH_OWN;
        sonde_agent *own = agent_for(&s, &settings);
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 0);
        uint64_t drawn[12];
        double efe = 0.0;
        sonde__policies_sample(s.policies, s.origin, &rng, n, drawn);
        for (uint64_t i = n; i > 0; i--) {
            assert_int_equal(sonde_agent_score(own, 1, &drawn[i - 1], &efe, NULL), SONDE_OK);
        }
        if (n < size) {
            assert_same_choice(own, random, s.policies->horizon);
        }
        sonde_agent_free(own);
        sonde_agent_free(random);
        setting_free(&s);
    }
}

static void scores_are_those_of_sonde_efe_walks(void **state) {
    (void)state;
    setting s = setting_drawn(3, DRAW_COUPLED, 300.0);
    const sonde_search_settings settings = with(SONDE_SEARCH_OWN, SONDE_ACTION_MARGINAL, 1);
    sonde_agent *own = agent_for(&s, &settings);
    const uint64_t last = sonde_policies_size(s.policies, s.origin) - 1;
    double efe = 0.0;
    sonde_efe total = {0};
    int32_t *walk = room((uint64_t)s.policies->horizon + 1, sizeof *walk);
    assert_int_equal(sonde_agent_score(own, 1, &last, &efe, NULL), SONDE_OK);
    sonde_policies_get(s.policies, s.origin, last, walk, NULL);
    belief_efe(s.model, s.belief, walk, NULL, &total);
    assert_near(efe, total.efe, 1e-12);
    free(walk);
    sonde_agent_free(own);
    setting_free(&s);
}

/* of another belief, of an earlier decision, or of none */
static void only_scores_from_the_present_belief_count(void **state) {
    (void)state;
    setting s = setting_drawn(4, 0, 300.0);
    const sonde_search_settings settings = with(SONDE_SEARCH_OWN, SONDE_ACTION_MARGINAL, 1);
    sonde_agent *own = agent_for(&s, &settings);
    const sonde_decision *decision = NULL;
    sonde_error error = {0};
    const uint64_t policy[] = {0, 1, 2};
    double efe[3];
    assert_int_equal(sonde_agent_search(own, &decision, &error), SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "no policy has been scored"));
    assert_int_equal(sonde_agent_score(own, 2, policy, efe, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_search(own, &decision, NULL), SONDE_OK);
    assert_int_equal(decision->evaluations.n_policy, 2);
    assert_int_equal(sonde_agent_score(own, 1, policy + 2, efe, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_search(own, &decision, NULL), SONDE_OK);
    assert_int_equal(decision->evaluations.n_policy, 1);
    assert_int_equal(decision->best, 2);
    assert_int_equal(sonde_agent_score(own, 0, NULL, NULL, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_search(own, &decision, NULL), SONDE_BAD_ARGUMENT);
    assert_int_equal(sonde_agent_score(own, 3, policy, efe, NULL), SONDE_OK);
    double *other = room((uint64_t)s.model->n_belief, sizeof *other);
    for (int32_t f = 0; f < s.model->n_factor; f++) {
        const sonde_factor *factor = &s.model->factor[f];
        for (int32_t i = 0; i < factor->n_state; i++) {
            other[factor->first + i] = 1.0 / factor->n_state;
        }
    }
    assert_memory_not_equal(other, s.belief, (size_t)s.model->n_belief * sizeof *other);
    assert_int_equal(sonde_agent_believe(own, other, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_search(own, &decision, NULL), SONDE_BAD_ARGUMENT);
    free(other);
    sonde_agent_free(own);
    setting_free(&s);
}

static void what_is_no_policy_is_refused(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    sonde_search_settings settings = with(SONDE_SEARCH_OWN, SONDE_ACTION_MARGINAL, 1);
    sonde_agent *own = agent_of(&s, &settings, NULL);
    sonde_error error = {0};
    double efe = 0.0;
    const uint64_t beyond = sonde_policies_size(s.policies, s.graph->start);
    sonde_agent_observe(own, &s.graph->start, NULL);
    assert_int_equal(sonde_agent_score(own, 1, &beyond, &efe, &error), SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "expected a number below"));
    assert_int_equal(sonde_agent_score(own, -1, &beyond, &efe, &error), SONDE_BAD_ARGUMENT);
    sonde_agent_free(own);
    settings.search = SONDE_SEARCH_FULL;
    sonde_agent *full = agent_of(&s, &settings, NULL);
    assert_int_equal(sonde_agent_score(full, 0, NULL, NULL, &error), SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "found full"));
    sonde_agent_free(full);
    settings.fallback = SONDE_SEARCH_OWN;
    sonde_agent *none = NULL;
    assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &none, &error),
                     SONDE_BAD_ARGUMENT);
    space_free(&s);
}

static void a_name_is_no_search_of_ones_own(void **state) {
    (void)state;
    sonde_search_settings settings = sonde_search_defaults();
    sonde_error error = {0};
    assert_string_equal(sonde_search_name(SONDE_SEARCH_OWN), "own");
    assert_int_equal(sonde_name_find(sonde_search_name, "own"), -1);
    assert_int_equal(sonde_settings_set(&settings, "search", "own", &error), SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "a program brings itself"));
    assert_int_equal(sonde_settings_set(&settings, "embedding", "own", &error), SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "a program brings itself"));
}

/* what an agent sees later changes nothing of what it has decided before */
static void a_decision_keeps_the_belief_that_it_was_made_from(void **state) {
    (void)state;
    setting s = setting_drawn(7, 0, 300.0);
    const sonde_search_settings settings = with(SONDE_SEARCH_FULL, SONDE_ACTION_MARGINAL, 1);
    sonde_agent *agent = agent_for(&s, &settings);
    const sonde_decision *decision = NULL;
    int32_t outcome[SONDE_FACTORS_MAX] = {0};
    assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
    (void)sonde_agent_act(agent);
    assert_int_equal(sonde_agent_observe(agent, outcome, NULL), SONDE_OK);
    assert_same_bytes(decision->belief, s.belief, (size_t)s.model->n_belief, sizeof(double));
    sonde_agent_free(agent);
    setting_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whoever_scores_everything_has_searched_fully),
        cmocka_unit_test(the_same_policies_mean_the_same_whoever_chose_them),
        cmocka_unit_test(scores_are_those_of_sonde_efe_walks),
        cmocka_unit_test(only_scores_from_the_present_belief_count),
        cmocka_unit_test(what_is_no_policy_is_refused),
        cmocka_unit_test(a_name_is_no_search_of_ones_own),
        cmocka_unit_test(a_decision_keeps_the_belief_that_it_was_made_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
