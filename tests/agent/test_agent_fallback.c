/* Two searches, of which the better decides. */
#include "search/naive.h"

static sonde_search_settings searching(sonde_search_kind search, uint64_t budget) {
    sonde_search_settings settings = cluster_defaults();
    settings.search = search;
    settings.embed = embedding_called("boe");
    settings.cluster.k = 4;
    settings.cluster.n_restart = 2;
    settings.n_beam = 3;
    settings.budget = budget;
    settings.gamma = 0.05;
    return settings;
}

static bool same_posterior(const sonde_decision *a, const sonde_decision *b) {
    const size_t n = (size_t)a->n_action;
    return a->n_action == b->n_action && a->best == b->best &&
           memcmp(a->action, b->action, n * sizeof *a->action) == 0 &&
           memcmp(a->posterior, b->posterior, n * sizeof *a->posterior) == 0;
}

/* Compares with both searches alone; returns whether the fallback was better. */
static bool compare(const space *s, sonde_search_kind search, sonde_search_kind fallback,
                    uint64_t seed) {
    const uint64_t budget = 121;
    sonde_search_settings both = searching(search, budget);
    sonde_search_settings first = searching(search, 61);
    sonde_search_settings second = searching(fallback, 60);
    both.fallback = (int32_t)fallback;
    both.seed = first.seed = second.seed = seed;
    thought t = think(s, &both, NULL);
    thought a = think(s, &first, NULL);
    thought b = think(s, &second, NULL);
    const double of_search = a.decision->best_efe.efe;
    const double of_fallback = b.decision->best_efe.efe;
    const bool better = of_fallback < of_search - 1e-9;
    const sonde_decision *winner = better ? b.decision : a.decision;
    assert_int_equal(t.decision->fell_back, better);
    assert_true(t.decision->best_efe.efe <= of_fallback + 1e-9);
    assert_true(t.decision->best_efe.efe <= of_search + 1e-9);
    assert_true(same_posterior(t.decision, winner));
    assert_int_equal(t.decision->evaluations.n_step,
                     a.decision->evaluations.n_step + b.decision->evaluations.n_step);
    assert_int_equal(t.decision->evaluations.n_policy,
                     a.decision->evaluations.n_policy + b.decision->evaluations.n_policy);
    /* the action is the winner's, too */
    assert_int_equal(sonde_agent_act(t.agent), sonde_agent_act(better ? b.agent : a.agent));
    thought_free(&b);
    thought_free(&a);
    thought_free(&t);
    return better;
}

static void no_result_is_worse_than_that_of_the_fallback(void **state) {
    (void)state;
    const sonde_search_kind kind[] = {SONDE_SEARCH_CLUSTER, SONDE_SEARCH_SURROGATE,
                                      SONDE_SEARCH_TREE,    SONDE_SEARCH_RANDOM,
                                      SONDE_SEARCH_BEAM,    SONDE_SEARCH_BOUNDED};
    int32_t n_better = 0;
    int32_t n_compared = 0;
    for (uint64_t seed = 0; seed < 8; seed++) {
        space s = space_random(4, seed, (sonde_connect)(seed % 2));
        for (int32_t i = 0; i < 6; i++) {
            for (int32_t j = 0; j < 6; j++) {
                if (i != j) {
                    n_better += compare(&s, kind[i], kind[j], seed);
                    n_compared++;
                }
            }
        }
        space_free(&s);
    }
    assert_in_range(n_better, 10, n_compared - 10);
}

/* plans of the better one are followed, and the next search begins anew */
static void an_agent_walks_with_a_fallback(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        space s = space_random(4, seed, SONDE_SYMMETRIC);
        sonde_search_settings settings = searching(SONDE_SEARCH_CLUSTER, 100);
        settings.fallback = SONDE_SEARCH_RANDOM;
        settings.n_follow = 1 + (int32_t)(seed % 3);
        settings.seed = seed;
        sonde_agent *agent = agent_of(&s, &settings, NULL);
        sonde_episode *first = NULL;
        sonde_episode *second = NULL;
        assert_int_equal(sonde_simulate(agent, NULL, 8, &first, NULL), SONDE_OK);
        assert_int_equal(sonde_simulate(agent, NULL, 8, &second, NULL), SONDE_OK);
        assert_same_episode(first, second);
        sonde_episode_free(second);
        sonde_episode_free(first);
        sonde_agent_free(agent);
        space_free(&s);
    }
}

static void a_fallback_is_another_search_that_there_is(void **state) {
    (void)state;
    space s = space_random(3, 1, SONDE_SYMMETRIC);
    for (int32_t i = 0; i < 3; i++) {
        sonde_search_settings settings = searching(SONDE_SEARCH_CLUSTER, 0);
        settings.fallback = (const int32_t[]){SONDE_SEARCH_CLUSTER, 99, -2}[i];
        sonde_agent *agent = NULL;
        sonde_error error = {0};
        assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, &error),
                         SONDE_BAD_ARGUMENT);
        assert_non_null(strstr(error.text, "fallback"));
    }
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_result_is_worse_than_that_of_the_fallback),
        cmocka_unit_test(an_agent_walks_with_a_fallback),
        cmocka_unit_test(a_fallback_is_another_search_that_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
