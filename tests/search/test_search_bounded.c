/* Bounded search against full search: exact in graph worlds, and never further away than it
 * says. */
#include <math.h>

#include "stages.h"

/* A decision of one search from the start of a world. */
static sonde_agent *agent_with(const space *s, sonde_search_kind search, sonde_scope scope,
                               double gamma) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = search;
    settings.scope = scope;
    settings.gamma = gamma;
    sonde_agent *agent = NULL;
    assert_int_equal(sonde_agent_new(s->policies, &settings, NULL, &agent, NULL), SONDE_OK);
    return agent;
}

/* Whether a node is more probable than every other, clearly; nothing in between comes up here. */
static bool has_leader(const sonde_decision *full) {
    double first = 0.0;
    double second = 0.0;
    for (int32_t i = 0; i < full->n_to; i++) {
        const double p = full->to_posterior[i];
        second = p > first ? first : p > second ? p : second;
        first = p > first ? p : first;
    }
    assert_false(first - second > 1e-13 && first - second < 1e-8);
    return first - second > 1e-8;
}

/* The same actions with the same probabilities, the same best policy, and a certificate that
 * says so. */
static void assert_exact(const sonde_decision *full, const sonde_decision *bounded,
                         int32_t horizon) {
    assert_int_equal(bounded->n_action, full->n_action);
    for (int32_t i = 0; i < full->n_action; i++) {
        assert_int_equal(bounded->action[i], full->action[i]);
        assert_near(bounded->posterior[i], full->posterior[i], 1e-10);
    }
    assert_near(bounded->best_efe.efe, full->best_efe.efe, 1e-12 * fabs(full->best_efe.efe));
    assert_int_equal(bounded->best, full->best);
    assert_memory_equal(bounded->best_walk, full->best_walk,
                        ((size_t)horizon + 1) * sizeof *full->best_walk);
    assert_near(bounded->log_evidence, full->log_evidence, 1e-9 * (1.0 + fabs(full->log_evidence)));
    assert_true(bounded->certificate.given && bounded->certificate.best_is_optimal);
    assert_int_equal(bounded->certificate.action_is_exact, has_leader(full));
    assert_true(bounded->certificate.tv <= 1e-9);
    assert_false(full->certificate.given);
}

/* A few steps, both agents on the edge that full search leads to. */
static void compare_walks(const space *s, sonde_scope scope, double gamma) {
    sonde_agent *full = agent_with(s, SONDE_SEARCH_FULL, scope, gamma);
    sonde_agent *bounded = agent_with(s, SONDE_SEARCH_BOUNDED, scope, gamma);
    int32_t now = s->graph->start;
    for (int32_t step = 0; step < 3; step++) {
        const sonde_decision *wanted = NULL;
        const sonde_decision *found = NULL;
        sonde_agent_observe(full, &now, NULL);
        sonde_agent_observe(bounded, &now, NULL);
        assert_int_equal(sonde_agent_search(full, &wanted, NULL), SONDE_OK);
        assert_int_equal(sonde_agent_search(bounded, &found, NULL), SONDE_OK);
        assert_exact(wanted, found, s->policies->horizon);
        const int32_t action = sonde_agent_act(full);
        (void)sonde_agent_act(bounded);
        /* both must believe in the same step */
        now = sonde_model_next(s->model, now, action);
        sonde_agent_reset(full);
        sonde_agent_reset(bounded);
    }
    sonde_agent_free(bounded);
    sonde_agent_free(full);
}

static void it_is_exact_in_graph_worlds_of_both_scopes(void **state) {
    (void)state;
    const double gamma[] = {1.0, 0.05, 0.0, 16.0};
    for (uint64_t seed = 0; seed < 240; seed++) {
        const int32_t n = seed % 12 == 0 ? 5 : 3 + (int32_t)(seed % 2);
        space s = space_random(n, seed, (sonde_connect)(seed / 2 % 2));
        compare_walks(&s, SONDE_LOCAL, gamma[seed % 4]);
        compare_walks(&s, SONDE_GLOBAL, gamma[seed / 4 % 4]);
        space_free(&s);
    }
}

static void nothing_is_listed_however_many_policies_there_are(void **state) {
    (void)state;
    sonde_graph_settings drawing = sonde_graph_defaults();
    drawing.n_node = 40;
    drawing.horizon = 200;
    sonde_graph *graph = NULL;
    sonde_model *model = NULL;
    sonde_policies *policies = NULL;
    assert_int_equal(sonde_graph_random(&drawing, 3, &graph, NULL), SONDE_OK);
    assert_int_equal(sonde_model_from_graph(graph, &model, NULL), SONDE_OK);
    assert_int_equal(sonde_policies_count(model, 0, NULL, &policies, NULL), SONDE_OK);
    assert_true(policies->n_policy == UINT64_MAX);
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = SONDE_SEARCH_BOUNDED;
    settings.n_follow = 5; /* a plan without a number can be followed, too */
    sonde_agent *agent = NULL;
    sonde_episode *episode = NULL;
    assert_int_equal(sonde_agent_new(policies, &settings, NULL, &agent, NULL), SONDE_OK);
    assert_int_equal(sonde_simulate(agent, NULL, 30, &episode, NULL), SONDE_OK);
    assert_true(episode->optimal);
    sonde_episode_free(episode);
    sonde_agent_free(agent);
    sonde_policies_free(policies);
    sonde_model_free(model);
    sonde_graph_free(graph);
}

static void drawing_whole_policies_is_refused_in_words(void **state) {
    (void)state;
    space s = space_random(3, 1, SONDE_SYMMETRIC);
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = SONDE_SEARCH_BOUNDED;
    settings.action = SONDE_ACTION_FULL;
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, &error),
                     SONDE_BAD_ARGUMENT);
    assert_says(error.text, "full");
    space_free(&s);
}

/* Sums of the same weights in another order are not the same to the last bit. */
static void ties_up_to_rounding_are_broken_as_full_search_breaks_them(void **state) {
    (void)state;
    enum { EDGES = 8 };
    /* from 0 over 1 or 2, and 3 or 4, to 5 */
    static const int32_t tail[EDGES] = {0, 0, 1, 1, 2, 2, 3, 4};
    static const int32_t head[EDGES] = {1, 2, 3, 4, 3, 4, 5, 5};
    static const double weights[] = {0.11, 0.23, 0.37};
    sonde__rng rng = sonde__rng_stream(9, SONDE__FOR_GRAPH, 0);
    for (int32_t i = 0; i < 200; i++) {
        double weight[EDGES];
        for (int32_t e = 0; e < EDGES; e++) {
            weight[e] = weights[sonde__rng_below(&rng, 3)];
        }
        const sonde_graph edges = {
            .n_node = 6, .n_edge = EDGES, .tail = tail, .head = head, .weight = weight};
        space s = space_by_hand(&edges, "0,0", "5", 4);
        compare_walks(&s, i % 2 == 0 ? SONDE_LOCAL : SONDE_GLOBAL, 1.0);
        space_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_exact_in_graph_worlds_of_both_scopes),
        cmocka_unit_test(nothing_is_listed_however_many_policies_there_are),
        cmocka_unit_test(drawing_whole_policies_is_refused_in_words),
        cmocka_unit_test(ties_up_to_rounding_are_broken_as_full_search_breaks_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
