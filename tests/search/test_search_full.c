/* Full search, against a softmax over every G. */
#include "search/naive.h"

static void compare(const space *s, const sonde_search_settings *settings,
                    const sonde_decision *decision) {
    const bool global = settings->scope == SONDE_GLOBAL;
    scored all = score_all(s, global ? SONDE_EVERYWHERE : decision->state, decision->state);
    assert_decision(s, decision, &all, settings->gamma, 0);
    assert_null(decision->clusters);
    assert_null(decision->cluster_efe);
    assert_null(decision->chosen);
    scored_free(&all);
}

static sonde_search_settings full(sonde_scope scope, double gamma) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = SONDE_SEARCH_FULL;
    settings.scope = scope;
    settings.gamma = gamma;
    return settings;
}

static void compare_everywhere(sonde_scope scope) {
    const double gamma[] = {0.0, 0.001, 0.1, 1.0, 16.0};
    for (int32_t n = 1; n <= 4; n++) {
        for (uint64_t seed = 0; seed < 6; seed++) {
            space s = space_random(n, seed, seed % 2 == 0 ? SONDE_SYMMETRIC : SONDE_DIRECTED);
            for (int32_t i = 0; i < 5; i++) {
                const sonde_search_settings settings = full(scope, gamma[i]);
                inspect_steps(&s, &settings, scope == SONDE_LOCAL ? 6 : 2, compare);
            }
            space_free(&s);
        }
    }
}

static void the_local_posterior_is_the_softmax_over_every_policy(void **state) {
    (void)state;
    compare_everywhere(SONDE_LOCAL);
}

static void the_global_posterior_is_the_softmax_over_every_policy(void **state) {
    (void)state;
    compare_everywhere(SONDE_GLOBAL);
}

/* more policies under one action than fit into a block */
static void spaces_of_several_blocks_are_searched_whole(void **state) {
    (void)state;
    space s = space_random(6, 3, SONDE_SYMMETRIC);
    const sonde_search_settings settings = full(SONDE_LOCAL, 0.05);
    assert_true(sonde_policies_size(s.policies, s.graph->start) > 4000);
    inspect_steps(&s, &settings, 2, compare);
    space_free(&s);
}

static void one_step_ahead_is_enough(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        space s = space_new(world_of_horizon(4, seed, 1));
        const sonde_search_settings local = full(SONDE_LOCAL, 1.0);
        const sonde_search_settings global = full(SONDE_GLOBAL, 1.0);
        inspect_steps(&s, &local, 4, compare);
        inspect_steps(&s, &global, 4, compare);
        space_free(&s);
    }
}

/* two ways round, alike in everything */
static void the_best_of_equals_is_the_policy_with_the_lowest_index(void **state) {
    (void)state;
    const int32_t tail[] = {0, 0, 1, 2, 3};
    const int32_t head[] = {2, 1, 3, 3, 0};
    const double weight[] = {5, 5, 5, 5, 5};
    const sonde_graph edges = {
        .n_node = 4, .n_edge = 5, .tail = tail, .head = head, .weight = weight};
    space s = space_by_hand(&edges, "3,0", "3", 2);
    const sonde_search_settings settings = full(SONDE_LOCAL, 1.0);
    thought t = think(&s, &settings, NULL);
    scored all = score_all(&s, s.graph->start, s.graph->start);
    int32_t n_least = 0;
    for (int32_t i = 0; i < all.n; i++) {
        n_least += all.efe[i] <= least_of(&all);
    }
    assert_int_equal(n_least, 2);
    assert_int_equal(t.decision->best, 0);
    assert_int_equal(s.graph->head[t.decision->best_walk[1]], 2);
    scored_free(&all);
    thought_free(&t);
    space_free(&s);
}

static void assert_too_large(const space *s, sonde_scope scope, double size) {
    const sonde_search_settings settings = full(scope, 1.0);
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    char words[32];
    (void)snprintf(words, sizeof words, "%.4g", size);
    assert_int_equal(sonde_agent_new(s->policies, &settings, NULL, &agent, &error),
                     SONDE_TOO_LARGE);
    assert_null(agent);
    assert_says(error.text, words);
    assert_says(error.text, "shorter horizon");
}

static void too_many_policies_are_refused_with_their_number(void **state) {
    (void)state;
    space s = space_new(world_of_horizon(8, 4, 60));
    assert_too_large(&s, SONDE_LOCAL, sonde_policies_size_real(s.policies, s.graph->start));
    assert_too_large(&s, SONDE_GLOBAL, s.policies->size);
    space_free(&s);
}

static void searching_stops_when_told_to(void **state) {
    (void)state;
    space s = space_random(5, 3, SONDE_SYMMETRIC);
    const sonde_search_settings settings = full(SONDE_GLOBAL, 1.0);
    sonde_stop stop = {0};
    sonde_run run = threads(1);
    run.stop = &stop;
    sonde_agent *agent = agent_of(&s, &settings, &run);
    const sonde_decision *decision = NULL;
    sonde_agent_observe(agent, &s.graph->start, NULL);
    assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
    sonde_stop_raise(&stop);
    assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_STOPPED);
    /* and goes on when the flag is down again */
    stop.raised = 0;
    assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
    compare(&s, &settings, decision);
    sonde_agent_free(agent);
    space_free(&s);
}

/* progress ends on the number of policies */
static void watch(void *user, const char *stage, uint64_t done, uint64_t total) {
    uint64_t *seen = user;
    assert_string_equal(stage, "scoring");
    assert_true(done > seen[0] && done <= total);
    seen[0] = done;
    seen[1] = total;
}

static void progress_counts_the_policies(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    const sonde_search_settings settings = full(SONDE_GLOBAL, 1.0);
    uint64_t seen[2] = {0};
    sonde_run run = threads(1);
    run.progress = watch;
    run.user = seen;
    thought t = think(&s, &settings, &run);
    assert_int_equal(seen[0], s.policies->n_policy);
    assert_int_equal(seen[1], s.policies->n_policy);
    thought_free(&t);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_local_posterior_is_the_softmax_over_every_policy),
        cmocka_unit_test(the_global_posterior_is_the_softmax_over_every_policy),
        cmocka_unit_test(spaces_of_several_blocks_are_searched_whole),
        cmocka_unit_test(one_step_ahead_is_enough),
        cmocka_unit_test(the_best_of_equals_is_the_policy_with_the_lowest_index),
        cmocka_unit_test(too_many_policies_are_refused_with_their_number),
        cmocka_unit_test(searching_stops_when_told_to),
        cmocka_unit_test(progress_counts_the_policies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
