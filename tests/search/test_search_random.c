/* Random search: as many policies as the budget buys, each as likely as any other. */
#include "policy/policy.h"
#include "base/rng.h"
#include "efe/efe.h"
#include "search/baselines.h"

static sonde_search_settings with(double gamma, uint64_t budget) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = SONDE_SEARCH_RANDOM;
    settings.gamma = gamma;
    settings.budget = budget;
    return settings;
}

static void a_budget_for_all_policies_is_full_search(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        space s = space_random(3 + (int32_t)(seed % 2), seed, (sonde_connect)(seed / 2 % 2));
        for (int32_t scope = 0; scope < 2; scope++) {
            sonde_search_settings settings = with(0.05, 1000000);
            settings.scope = (sonde_scope)scope;
            thought all = think(&s, &settings, NULL);
            settings.search = SONDE_SEARCH_FULL;
            thought full = think(&s, &settings, NULL);
            assert_decided_alike(all.decision, full.decision, s.policies->horizon);
            assert_certified(all.decision, true);
            thought_free(&full);
            thought_free(&all);
        }
        space_free(&s);
    }
}

static void it_is_the_softmax_of_what_it_draws(void **state) {
    (void)state;
    int32_t n_listed = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED | DRAW_LISTED, 400.0);
        const int32_t origin = s.policies->initial;
        const uint64_t n = sonde_policies_size(s.policies, origin);
        const uint64_t horizon = (uint64_t)s.policies->horizon;
        const uint64_t wanted = 1 + seed % 9 < n ? 1 + seed % 9 : n;
        sonde_search_settings settings = with(0.7, (1 + seed % 9) * horizon + seed % horizon);
        settings.seed = seed;
        thought t = think_from(s.policies, &settings);
        /* the draw is that of the decision's own stream */
        uint64_t index[16];
        double efe[16];
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 0);
        sonde__policies_sample(s.policies, origin, &rng, wanted, index);
        int32_t *walk = room(horizon + 1, sizeof *walk);
        bool any = s.model->E == NULL;
        sonde_belief_initial(s.model, s.belief);
        for (uint64_t i = 0; i < wanted; i++) {
            sonde_efe total;
            sonde_policies_get(s.policies, origin, index[i], walk, NULL);
            belief_efe(s.model, s.belief, walk, NULL, &total);
            efe[i] = total.efe;
            any = any || s.model->E[index[i]] > 0.0;
        }
        assert_int_equal(t.decision->evaluations.n_policy, wanted);
        assert_true(t.decision->evaluations.n_step <= settings.budget);
        if (any) {
            assert_posterior_of(s.policies, &t, 0.7, wanted, index, efe);
        }
        n_listed += s.model->E != NULL;
        assert_certified(t.decision, wanted == n);
        free(walk);
        thought_free(&t);
        setting_free(&s);
    }
    assert_true(n_listed > 20);
}

/* One policy a decision, again and again; it is the best there is among one. */
static void every_policy_is_as_likely_as_any_other(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        space s = space_new(world_of_horizon(3, seed, 3));
        sonde_search_settings settings = with(1.0, 3);
        settings.scope = (sonde_scope)(seed % 2);
        const int32_t origin = seed % 2 == 0 ? s.graph->start : SONDE_EVERYWHERE;
        const int32_t n = (int32_t)sonde_policies_size(s.policies, origin);
        int64_t *count = room((uint64_t)n, sizeof *count);
        double *expected = room((uint64_t)n, sizeof *expected);
        sonde_agent *agent = agent_of(&s, &settings, NULL);
        double *start = room((uint64_t)s.model->n_belief, sizeof *start);
        sonde_belief_initial(s.model, start);
        for (int32_t i = 0; i < 20 * n; i++) {
            const sonde_decision *decision = NULL;
            sonde_agent_believe(agent, start, NULL);
            assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
            assert_int_equal(decision->evaluations.n_policy, 1);
            count[decision->best]++;
            (void)sonde_agent_act(agent); /* on to the next stream */
        }
        free(start);
        for (int32_t i = 0; i < n; i++) {
            expected[i] = 20.0;
        }
        assert_drawn_from(n, count, expected);
        sonde_agent_free(agent);
        free(expected);
        free(count);
        space_free(&s);
    }
}

static void no_space_is_too_large(void **state) {
    (void)state;
    for (int32_t scope = 0; scope < 2; scope++) {
        space s = space_new(world_of_horizon(12, 2, 100));
        sonde_search_settings settings = with(1.0, 0);
        settings.scope = (sonde_scope)scope;
        settings.n_follow = 3; /* a plan without a number can be followed */
        thought t = think(&s, &settings, NULL);
        assert_int_equal(t.decision->evaluations.n_policy, 1000);
        assert_int_equal(t.decision->evaluations.n_step, 100000);
        assert_true(t.decision->best == UINT64_MAX);
        sonde_efe total;
        walk_efe(s.model, s.graph->start, t.decision->best_walk, NULL, NULL, &total);
        assert_near(total.efe, t.decision->best_efe.efe, 0.0);
        assert_certified(t.decision, false);
        assert_true(sonde_agent_act(t.agent) >= 0);
        thought_free(&t);
        settings.action = SONDE_ACTION_FULL;
        sonde_agent *agent = NULL;
        sonde_error error = {0};
        assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, &error),
                         SONDE_BAD_ARGUMENT);
        assert_says(error.text, "choose marginal");
        space_free(&s);
    }
}

/* where policies have numbers, one can be drawn and followed */
static void a_whole_policy_can_be_drawn(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    sonde_search_settings settings = with(0.01, 80);
    settings.action = SONDE_ACTION_FULL;
    thought t = think(&s, &settings, NULL);
    assert_true(sonde_agent_act(t.agent) >= 0);
    assert_true(t.decision->drawn < sonde_policies_size(s.policies, s.graph->start));
    thought_free(&t);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_budget_for_all_policies_is_full_search),
        cmocka_unit_test(it_is_the_softmax_of_what_it_draws),
        cmocka_unit_test(every_policy_is_as_likely_as_any_other),
        cmocka_unit_test(no_space_is_too_large),
        cmocka_unit_test(a_whole_policy_can_be_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
