/* Settings, and what an action is drawn from. */
#include "base/settings.h"
#include "search/naive.h"

static sonde_search_settings full(sonde_action_rule action, double gamma) {
    sonde_search_settings settings = cluster_defaults();
    settings.search = SONDE_SEARCH_FULL;
    settings.action = action;
    settings.gamma = gamma;
    return settings;
}

/* ---------------------------------------------------------------------------------- names -- */

static void every_choice_has_its_name_and_the_lists_end(void **state) {
    (void)state;
    assert_string_equal(sonde_search_name(SONDE_SEARCH_FULL), "full");
    assert_string_equal(sonde_search_name(SONDE_SEARCH_CLUSTER), "cluster");
    assert_string_equal(sonde_search_name(SONDE_SEARCH_BOUNDED), "bounded");
    assert_string_equal(sonde_search_name(SONDE_SEARCH_SURROGATE), "surrogate");
    assert_string_equal(sonde_search_name(SONDE_SEARCH_TREE), "tree");
    assert_string_equal(sonde_search_name(SONDE_SEARCH_RANDOM), "random");
    assert_string_equal(sonde_search_name(SONDE_SEARCH_BEAM), "beam");
    assert_null(sonde_search_name(7));
    assert_string_equal(sonde__probe_name(SONDE_PROBE_CENTER), "center");
    assert_string_equal(sonde__probe_name(SONDE_PROBE_SAMPLE), "sample");
    assert_string_equal(sonde__probe_name(SONDE_PROBE_ADAPTIVE), "adaptive");
    assert_null(sonde__probe_name(3));
    assert_string_equal(sonde__action_name(SONDE_ACTION_MARGINAL), "marginal");
    assert_string_equal(sonde__action_name(SONDE_ACTION_DETERMINISTIC), "deterministic");
    assert_string_equal(sonde__action_name(SONDE_ACTION_FULL), "full");
    assert_string_equal(sonde__action_name(SONDE_ACTION_SOFTMAX), "softmax");
    assert_string_equal(sonde__action_name(SONDE_ACTION_BEST), "best");
    assert_null(sonde__action_name(5));
}

static void the_defaults_are_those_of_the_header(void **state) {
    (void)state;
    const sonde_search_settings s = sonde_search_defaults();
    assert_int_equal(s.search, SONDE_SEARCH_BOUNDED);
    assert_int_equal(s.scope, SONDE_LOCAL);
    assert_int_equal(s.embed.kind, SONDE_EMBEDDING_DEFAULT);
    assert_int_equal(s.cluster.k, 12);
    assert_int_equal(s.probe, SONDE_PROBE_CENTER);
    assert_int_equal(s.n_sample, 3);
    assert_near(s.delta, 0.05, 0.0);
    assert_int_equal(s.n_top, 1);
    assert_int_equal(s.n_branch, 0);
    assert_int_equal(s.n_depth, 2);
    assert_near(s.gamma, SONDE_GAMMA_DEFAULT, 0.0);
    assert_near(s.alpha, 1.0, 0.0);
    assert_int_equal(s.action, SONDE_ACTION_MARGINAL);
    assert_false(s.probe_everywhere || s.cluster.keep_empty || s.cluster.nearest_of_all ||
                 s.cluster.seed_order);
    assert_int_equal(s.seed, 1);
}

/* ------------------------------------------------------------------------------ bad settings -- */

static void assert_refused(const space *s, const sonde_search_settings *settings,
                           const char *word) {
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_agent_new(s->policies, settings, NULL, &agent, &error),
                     SONDE_BAD_ARGUMENT);
    assert_null(agent);
    assert_int_equal(error.status, SONDE_BAD_ARGUMENT);
    assert_says(error.text, word);
    assert_int_equal(sonde_agent_new(s->policies, settings, NULL, &agent, NULL),
                     SONDE_BAD_ARGUMENT);
}

static void numbers_below_one_are_refused(void **state) {
    (void)state;
    space s = space_random(3, 1, SONDE_SYMMETRIC);
    for (int32_t bad = 0; bad >= -1; bad--) {
        sonde_search_settings settings = cluster_defaults();
        settings.cluster.k = bad - 1; /* 0 is the automatic choice */
        assert_refused(&s, &settings, "k: expected auto or a whole number from 1");
        settings = cluster_defaults();
        settings.n_sample = bad;
        assert_refused(&s, &settings, "samples: expected a whole number from 1");
        settings = cluster_defaults();
        settings.n_top = bad;
        assert_refused(&s, &settings, "top: expected a whole number from 1");
        settings = cluster_defaults();
        settings.cluster.n_restart = bad;
        assert_refused(&s, &settings, "restarts");
        settings = cluster_defaults();
        settings.cluster.n_round_max = bad;
        assert_refused(&s, &settings, "rounds");
    }
    space_free(&s);
}

static void precisions_that_are_negative_or_no_numbers_are_refused(void **state) {
    (void)state;
    space s = space_random(3, 1, SONDE_SYMMETRIC);
    const double bad[] = {-2.0, -1e-300, (double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int32_t i = 0; i < 5; i++) {
        sonde_search_settings settings = cluster_defaults();
        settings.gamma = bad[i];
        assert_refused(&s, &settings, "gamma");
        settings = cluster_defaults();
        settings.alpha = bad[i];
        assert_refused(&s, &settings, "alpha");
    }
    sonde_search_settings settings = cluster_defaults();
    settings.cluster.tolerance = (double)NAN;
    assert_refused(&s, &settings, "tolerance");
    space_free(&s);
}

static void choices_that_there_are_not_are_refused(void **state) {
    (void)state;
    space s = space_random(3, 1, SONDE_SYMMETRIC);
    const int32_t bad[] = {-2, 77};
    for (int32_t i = 0; i < 2; i++) {
        sonde_search_settings settings = cluster_defaults();
        settings.search = (sonde_search_kind)bad[i];
        assert_refused(&s, &settings, "search");
        settings = cluster_defaults();
        settings.scope = (sonde_scope)bad[i];
        assert_refused(&s, &settings, "scope");
        settings = cluster_defaults();
        settings.probe = (sonde_probe)bad[i];
        assert_refused(&s, &settings, "probe");
        settings = cluster_defaults();
        settings.action = (sonde_action_rule)bad[i];
        assert_refused(&s, &settings, "action");
        settings = cluster_defaults();
        settings.embed.kind = bad[i];
        assert_refused(&s, &settings, "embedding");
        /* which full search does not need, but reports name */
        settings.search = SONDE_SEARCH_FULL;
        assert_refused(&s, &settings, "embedding");
    }
    space_free(&s);
}

/* ------------------------------------------------------------------------------ action rules -- */

static void compare_marginal(const space *s, const sonde_search_settings *settings,
                             const sonde_decision *d) {
    (void)s;
    (void)settings;
    double sum = 0.0;
    for (int32_t i = 0; i < d->n_action; i++) {
        assert_same(d->probability[i], d->posterior[i]);
        sum += d->probability[i];
    }
    assert_near(sum, 1.0, 1e-12);
}

static void compare_deterministic(const space *s, const sonde_search_settings *settings,
                                  const sonde_decision *d) {
    (void)s;
    (void)settings;
    double most = 0.0;
    for (int32_t i = 0; i < d->n_action; i++) {
        most = d->posterior[i] > most ? d->posterior[i] : most;
    }
    bool taken = false;
    for (int32_t i = 0; i < d->n_action; i++) {
        const bool first = !taken && d->posterior[i] >= most - 1e-12;
        assert_near(d->probability[i], first ? 1.0 : 0.0, 0.0);
        taken = taken || first;
    }
}

static void compare_softmax(const space *s, const sonde_search_settings *settings,
                            const sonde_decision *d) {
    (void)s;
    long double sum = 0.0L;
    for (int32_t i = 0; i < d->n_action; i++) {
        sum += expl((long double)settings->alpha * (long double)d->posterior[i]);
    }
    for (int32_t i = 0; i < d->n_action; i++) {
        const long double wanted =
            expl((long double)settings->alpha * (long double)d->posterior[i]) / sum;
        assert_near(d->probability[i], (double)wanted, 1e-13);
    }
}

/* Runs a comparison for full and clustered search in both scopes, on a few worlds. */
static void everywhere(sonde_action_rule action, double alpha, inspector compare) {
    for (uint64_t seed = 0; seed < 8; seed++) {
        space s = space_random(1 + (int32_t)(seed % 4), seed, (sonde_connect)(seed / 4));
        for (int32_t i = 0; i < 8; i++) {
            sonde_search_settings settings = full(action, i < 4 ? 0.02 : 1.0);
            settings.search = (sonde_search_kind)(i % 2);
            settings.scope = (sonde_scope)(i / 2 % 2);
            settings.alpha = alpha;
            inspect_steps(&s, &settings, 3, compare);
        }
        space_free(&s);
    }
}

static void marginal_draws_from_the_summed_probabilities(void **state) {
    (void)state;
    everywhere(SONDE_ACTION_MARGINAL, 1.0, compare_marginal);
}

static void deterministic_takes_the_most_probable_the_lowest_of_several(void **state) {
    (void)state;
    everywhere(SONDE_ACTION_DETERMINISTIC, 1.0, compare_deterministic);
}

static void full_shows_the_summed_probabilities(void **state) {
    (void)state;
    everywhere(SONDE_ACTION_FULL, 1.0, compare_marginal);
}

static void softmax_draws_from_the_softmax_of_the_summed_probabilities(void **state) {
    (void)state;
    everywhere(SONDE_ACTION_SOFTMAX, 1.0, compare_softmax);
    everywhere(SONDE_ACTION_SOFTMAX, 7.5, compare_softmax);
    everywhere(SONDE_ACTION_SOFTMAX, 0.0, compare_softmax);
    everywhere(SONDE_ACTION_SOFTMAX, 3000.0, compare_softmax);
}

/* two ways round, alike in everything but rounding */
static void of_two_actions_within_1e12_of_each_other_the_lowest_is_taken(void **state) {
    (void)state;
    const int32_t tail[] = {0, 0, 1, 2, 3};
    const int32_t head[] = {1, 2, 3, 3, 0};
    /* the second way is shorter by a hair */
    const double weight[] = {5.0, 5.0 - 1e-14, 5.0, 5.0, 5.0};
    const sonde_graph edges = {
        .n_node = 4, .n_edge = 5, .tail = tail, .head = head, .weight = weight};
    space s = space_by_hand(&edges, "3,0", "3", 2);
    const sonde_search_settings settings = full(SONDE_ACTION_DETERMINISTIC, 1.0);
    thought t = think(&s, &settings, NULL);
    assert_near(t.decision->posterior[0], t.decision->posterior[1], 1e-12);
    assert_near(t.decision->probability[0], 1.0, 0.0);
    assert_near(t.decision->probability[1], 0.0, 0.0);
    int32_t edge[2] = {-1, -1};
    (void)sonde_model_tuple(s.model, sonde_agent_act(t.agent), edge);
    assert_int_equal(s.graph->head[edge[1]], 1);
    thought_free(&t);
    space_free(&s);
}

/* ---------------------------------------------------------------------------------- drawing -- */

enum { N_DRAW = 8000 };

/* Decides and acts again and again from the start, and counts the places of the actions. */
static void assert_draws(const space *s, const sonde_search_settings *settings) {
    thought t = think(s, settings, NULL);
    const int32_t n = t.decision->n_action;
    int64_t *count = room((uint64_t)n, sizeof *count);
    double *expected = room((uint64_t)n, sizeof *expected);
    for (int32_t i = 0; i < n; i++) {
        expected[i] = t.decision->probability[i] * N_DRAW;
    }
    for (int32_t draw = 0; draw < N_DRAW; draw++) {
        const int32_t action = sonde_agent_act(t.agent);
        int32_t i = 0;
        while (i < n && t.decision->action[i] != action) {
            i++;
        }
        assert_true(i < n);
        assert_true(expected[i] > 0.0);
        count[i]++;
        assert_int_equal(sonde_agent_search(t.agent, &t.decision, NULL), SONDE_OK);
    }
    assert_drawn_from(n, count, expected);
    free(expected);
    free(count);
    thought_free(&t);
}

static void actions_are_drawn_as_often_as_their_probabilities_say(void **state) {
    (void)state;
    space s = space_random(3, 2, SONDE_DIRECTED);
    const sonde_action_rule rules[] = {SONDE_ACTION_MARGINAL, SONDE_ACTION_SOFTMAX,
                                       SONDE_ACTION_DETERMINISTIC, SONDE_ACTION_FULL};
    for (int32_t i = 0; i < 4; i++) {
        sonde_search_settings settings = full(rules[i], 0.003);
        assert_draws(&s, &settings);
        settings.scope = SONDE_GLOBAL;
        settings.gamma = 0.001;
        assert_draws(&s, &settings);
    }
    space_free(&s);
}

/* Draws policies again and again, from all of them or from those of the chosen clusters. */
static void assert_policies_drawn(const space *s, sonde_search_settings settings) {
    settings.action = SONDE_ACTION_FULL;
    thought t = think(s, &settings, NULL);
    const int32_t origin = t.decision->origin;
    const int32_t n_policy = (int32_t)sonde_policies_size(s->policies, origin);
    int64_t *count = room((uint64_t)n_policy, sizeof *count);
    double *expected = room((uint64_t)n_policy, sizeof *expected);
    int32_t n = n_policy;
    int32_t *list = NULL;
    if (t.decision->clusters != NULL) {
        list = members_of(t.decision->clusters, t.decision->chosen, &n);
    }
    scored all = score(s, origin, t.decision->state, list, n);
    double unused = 0.0;
    double *q = softmax_of(&all, settings.gamma, &unused);
    for (int32_t i = 0; i < n; i++) {
        expected[all.policy[i]] = q[i] * N_DRAW;
    }
    for (int32_t draw = 0; draw < N_DRAW; draw++) {
        assert_int_equal(t.decision->drawn, UINT64_MAX);
        const int32_t action = sonde_agent_act(t.agent);
        assert_true(t.decision->drawn < (uint64_t)n_policy);
        int32_t i = 0;
        while (i < n && all.policy[i] != t.decision->drawn) {
            i++;
        }
        assert_true(i < n);
        assert_int_equal(action, all.action[i]);
        count[all.policy[i]]++;
        assert_int_equal(sonde_agent_search(t.agent, &t.decision, NULL), SONDE_OK);
    }
    assert_drawn_from(n_policy, count, expected);
    free(q);
    scored_free(&all);
    free(list);
    free(expected);
    free(count);
    thought_free(&t);
}

static void full_draws_policies_from_their_posterior(void **state) {
    (void)state;
    space s = space_random(3, 2, SONDE_DIRECTED);
    sonde_search_settings settings = full(SONDE_ACTION_FULL, 0.003);
    assert_policies_drawn(&s, settings);
    settings.scope = SONDE_GLOBAL;
    assert_policies_drawn(&s, settings);
    settings.search = SONDE_SEARCH_CLUSTER;
    settings.cluster.k = 3;
    settings.n_top = 2;
    assert_policies_drawn(&s, settings);
    settings.scope = SONDE_LOCAL;
    assert_policies_drawn(&s, settings);
    space_free(&s);
}

/* ---------------------------------------------------------------------------- where it leads -- */

/* in global scope most policies begin somewhere else: from here they stay */
static void invalid_actions_count_as_staying(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        space s = space_random(4, seed, SONDE_DIRECTED);
        sonde_search_settings settings = full(SONDE_ACTION_MARGINAL, 0.01);
        settings.scope = SONDE_GLOBAL;
        thought t = think(&s, &settings, NULL);
        const int32_t here = s.graph->head[s.graph->start];
        double staying = 0.0;
        double told = 0.0;
        double sum = 0.0;
        for (int32_t i = 0; i < t.decision->n_action; i++) {
            const int32_t next = sonde_model_next(s.model, s.graph->start, t.decision->action[i]);
            staying += s.graph->head[next] == here ? t.decision->posterior[i] : 0.0;
        }
        for (int32_t i = 0; i < t.decision->n_to; i++) {
            told += t.decision->to[i] == here ? t.decision->to_posterior[i] : 0.0;
            sum += t.decision->to_posterior[i];
        }
        assert_int_equal(t.decision->n_action, s.model->n_action);
        assert_int_equal(t.decision->n_to, s.graph->first[here + 1] - s.graph->first[here]);
        assert_near(told, staying, 1e-12);
        assert_near(sum, 1.0, 1e-12);
        thought_free(&t);
        space_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_choice_has_its_name_and_the_lists_end),
        cmocka_unit_test(the_defaults_are_those_of_the_header),
        cmocka_unit_test(numbers_below_one_are_refused),
        cmocka_unit_test(precisions_that_are_negative_or_no_numbers_are_refused),
        cmocka_unit_test(choices_that_there_are_not_are_refused),
        cmocka_unit_test(marginal_draws_from_the_summed_probabilities),
        cmocka_unit_test(deterministic_takes_the_most_probable_the_lowest_of_several),
        cmocka_unit_test(full_shows_the_summed_probabilities),
        cmocka_unit_test(softmax_draws_from_the_softmax_of_the_summed_probabilities),
        cmocka_unit_test(of_two_actions_within_1e12_of_each_other_the_lowest_is_taken),
        cmocka_unit_test(actions_are_drawn_as_often_as_their_probabilities_say),
        cmocka_unit_test(full_draws_policies_from_their_posterior),
        cmocka_unit_test(invalid_actions_count_as_staying),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
