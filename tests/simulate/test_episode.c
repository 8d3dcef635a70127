/* An agent in its world, and whether it did well. */
#include "stages.h"

static sonde_search_settings deterministic(void) {
    sonde_search_settings settings = cluster_defaults();
    settings.search = SONDE_SEARCH_FULL;
    settings.action = SONDE_ACTION_DETERMINISTIC;
    settings.gamma = 1.0;
    return settings;
}

static sonde_episode *walk(const space *s, const sonde_search_settings *settings, int32_t n_step) {
    sonde_agent *agent = agent_of(s, settings, NULL);
    sonde_episode *episode = NULL;
    assert_int_equal(sonde_simulate(agent, NULL, n_step, &episode, NULL), SONDE_OK);
    sonde_agent_free(agent);
    return episode;
}

/* ---------------------------------------------------------------------------- by hand -- */

/* a line 0 - 1 - 2 - 3, in both directions, with weights of one's own */
static space line(const double *weight, const char *start, const char *destination,
                  int32_t horizon) {
    static const int32_t tail[] = {0, 1, 1, 2, 2, 3};
    static const int32_t head[] = {1, 0, 2, 1, 3, 2};
    const double both[] = {weight[0], weight[0], weight[1], weight[1], weight[2], weight[2]};
    const sonde_graph edges = {
        .n_node = 4, .n_edge = 6, .tail = tail, .head = head, .weight = both};
    return space_by_hand(&edges, start, destination, horizon);
}

typedef struct {
    sonde_failure failure;
    int32_t reached;
    double walked;
    double shortest;
} verdict;

static void assert_verdict(const sonde_episode *episode, verdict wanted) {
    assert_int_equal(episode->failure, wanted.failure);
    assert_int_equal(episode->optimal, wanted.failure == SONDE_FAILURE_NONE);
    assert_int_equal(episode->reached, wanted.reached);
    assert_near(episode->walked, wanted.walked, 1e-12);
    assert_near(episode->shortest, wanted.shortest, 1e-12);
}

/* Walks deterministically for ten steps, and frees everything. */
static void assert_outcome(space s, verdict wanted) {
    const sonde_search_settings settings = deterministic();
    sonde_episode *episode = walk(&s, &settings, 10);
    assert_verdict(episode, wanted);
    sonde_episode_free(episode);
    space_free(&s);
}

static void a_shortest_path_that_ends_on_the_goal_is_optimal(void **state) {
    (void)state;
    const double weight[] = {5, 10, 20};
    assert_outcome(line(weight, "1,0", "3", 4), (verdict){SONDE_FAILURE_NONE, 3, 35, 35});
    assert_outcome(line(weight, "3,2", "0", 4), (verdict){SONDE_FAILURE_NONE, 2, 15, 15});
}

static void who_starts_on_the_goal_and_stays_is_optimal(void **state) {
    (void)state;
    const double weight[] = {5, 10, 20};
    assert_outcome(line(weight, "2,3", "3", 4), (verdict){SONDE_FAILURE_NONE, 0, 0, 0});
    assert_outcome(line(weight, "3,3", "3", 4), (verdict){SONDE_FAILURE_NONE, 0, 0, 0});
}

/* one step ahead everything costs more than idling, a hundred a step */
static void who_never_leaves_the_start_has_stayed(void **state) {
    (void)state;
    const double weight[] = {200, 200, 200};
    assert_outcome(line(weight, "1,0", "3", 1), (verdict){SONDE_FAILURE_STAYED, -1, 1000, 600});
}

/* one step ahead the goal is out of sight, and the way back is cheap */
static void who_wanders_and_never_arrives_has_never_arrived(void **state) {
    (void)state;
    const double weight[] = {1, 10, 1};
    assert_outcome(line(weight, "1,0", "3", 1), (verdict){SONDE_FAILURE_NEVER, -1, 10, 12});
}

/* fewer steps off the goal are worth two more units of weight */
static void who_arrives_by_a_longer_way_has_made_a_detour(void **state) {
    (void)state;
    const int32_t tail[] = {0, 0, 1, 2};
    const int32_t head[] = {1, 2, 2, 0};
    const double weight[] = {5, 12, 5, 5};
    const sonde_graph edges = {
        .n_node = 3, .n_edge = 4, .tail = tail, .head = head, .weight = weight};
    assert_outcome(space_by_hand(&edges, "0,0", "2", 3),
                   (verdict){SONDE_FAILURE_DETOUR, 1, 12, 10});
}

/* staying on the goal is dear, and one step ahead it is cheaper to leave */
static void who_leaves_the_goal_has_left_it(void **state) {
    (void)state;
    const int32_t tail[] = {0, 1, 1};
    const int32_t head[] = {1, 0, 1};
    const double weight[] = {5, 5, 1000};
    const sonde_graph edges = {
        .n_node = 2, .n_edge = 3, .tail = tail, .head = head, .weight = weight};
    assert_outcome(space_by_hand(&edges, "1,0", "1", 1), (verdict){SONDE_FAILURE_LEFT, 1, 5, 5});
    assert_outcome(space_by_hand(&edges, "0,1", "1", 1), (verdict){SONDE_FAILURE_LEFT, 0, 0, 0});
}

/* a self-edge may be a way like any other: it counts what it weighs */
static void idling_before_arrival_counts(void **state) {
    (void)state;
    int32_t n_idled = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        const double weight[] = {5, 5, 5};
        space s = line(weight, "1,0", "3", 3);
        sonde_search_settings settings = deterministic();
        settings.action = SONDE_ACTION_MARGINAL;
        settings.gamma = 0.0;
        settings.seed = seed;
        sonde_episode *episode = walk(&s, &settings, 20);
        int32_t n_idle = 0;
        int32_t n_move = 0;
        for (int32_t t = 1; t <= episode->reached; t++) {
            const bool idle = s.graph->tail[episode->state[t]] == s.graph->head[episode->state[t]];
            n_idle += idle;
            n_move += !idle;
        }
        if (episode->reached > 0) {
            assert_near(episode->walked, 100.0 * n_idle + 5.0 * n_move, 1e-12);
            n_idled += n_idle > 0;
        }
        if (n_idle > 0) {
            assert_false(episode->optimal);
        }
        sonde_episode_free(episode);
        space_free(&s);
    }
    assert_true(n_idled > 5);
}

static void every_failure_has_a_name(void **state) {
    (void)state;
    for (int32_t i = 0; i <= SONDE_FAILURE_LEFT; i++) {
        assert_non_null(sonde_failure_name(i));
        for (int32_t j = 0; j < i; j++) {
            assert_string_not_equal(sonde_failure_name(i), sonde_failure_name(j));
        }
    }
    assert_null(sonde_failure_name(SONDE_FAILURE_LEFT + 1));
}

/* ---------------------------------------------------------------------- judged once more -- */

/* Summed weight of the shortest path, by trying every edge as often as there are nodes. */
static double shortest_path(const sonde_graph *graph, int32_t from, int32_t to) {
    double distance[16];
    assert_true(graph->n_node <= 16);
    for (int32_t v = 0; v < graph->n_node; v++) {
        distance[v] = v == from ? 0.0 : INFINITY;
    }
    for (int32_t round = 0; round < graph->n_node; round++) {
        for (int32_t e = 0; e < graph->n_edge; e++) {
            const double longer = distance[graph->tail[e]] + graph->weight[e];
            distance[graph->head[e]] = fmin(distance[graph->head[e]], longer);
        }
    }
    return distance[to];
}

static verdict judge_naively(const sonde_graph *graph, const int32_t *state, int32_t n_step) {
    const int32_t begin = graph->head[state[0]];
    verdict v = {.reached = -1, .shortest = shortest_path(graph, begin, graph->destination)};
    bool moved = false;
    bool left = false;
    for (int32_t t = 0; t <= n_step; t++) {
        const int32_t here = graph->head[state[t]];
        v.walked += t > 0 && v.reached < 0 ? graph->weight[state[t]] : 0.0;
        moved = moved || here != begin;
        left = left || (v.reached >= 0 && here != graph->destination);
        v.reached = v.reached < 0 && here == graph->destination ? t : v.reached;
    }
    if (v.reached < 0) {
        v.failure = moved ? SONDE_FAILURE_NEVER : SONDE_FAILURE_STAYED;
    } else if (left) {
        v.failure = SONDE_FAILURE_LEFT;
    } else if (v.walked > v.shortest * (1.0 + 1e-9)) {
        v.failure = SONDE_FAILURE_DETOUR;
    }
    return v;
}

/* settings of all kinds, from wise to aimless */
static sonde_search_settings settings_number(uint64_t i) {
    const double gamma[] = {0.0, 0.001, 0.01, 0.1, 1.0};
    sonde_search_settings settings = cluster_defaults();
    settings.search = (sonde_search_kind)(i % 2);
    settings.scope = (sonde_scope)(i / 2 % 2);
    settings.probe = (sonde_probe)(i / 4 % 2);
    settings.action = (sonde_action_rule)(i / 8 % 4);
    settings.embed.kind = (int32_t)(i % 6);
    settings.gamma = gamma[i % 5];
    settings.cluster.k = 1 + (int32_t)(i % 9);
    settings.cluster.n_restart = 2;
    settings.seed = i;
    return settings;
}

/* The states follow from the actions, and every row of the report from the agent. */
static void assert_consistent(const space *s, const sonde_search_settings *settings,
                              const sonde_episode *episode) {
    sonde_agent *agent = agent_of(s, settings, NULL);
    assert_int_equal(episode->n_state, s->model->n_state);
    assert_int_equal(episode->state[0], s->graph->start);
    for (int32_t t = 0; t < episode->n_step; t++) {
        const sonde_decision *decision = NULL;
        sonde_agent_observe(agent, &episode->state[t], NULL);
        assert_memory_equal(sonde_agent_memory_get(agent).belief,
                            episode->belief + (int64_t)t * episode->n_state,
                            (size_t)episode->n_state * sizeof(double));
        assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
        const int32_t action = sonde_agent_act(agent);
        assert_int_equal(episode->action[t], action);
        assert_same_evaluations(&episode->evaluations[t], &decision->evaluations);
        for (int32_t i = 0; i < decision->n_action; i++) {
            if (decision->action[i] == action) {
                assert_same(episode->p[t], decision->posterior[i]);
            }
        }
        assert_int_equal(episode->state[t + 1],
                         sonde_model_next(s->model, episode->state[t], action));
    }
    sonde_agent_free(agent);
}

static void two_hundred_walks_are_judged_as_the_definition_says(void **state) {
    (void)state;
    int32_t n_of[5] = {0};
    for (uint64_t i = 0; i < 200; i++) {
        space s = space_random(2 + (int32_t)(i % 3), i, (sonde_connect)(i / 3 % 2));
        const sonde_search_settings settings = settings_number(i);
        sonde_episode *episode = walk(&s, &settings, 10);
        assert_int_equal(episode->n_step, 10);
        assert_verdict(episode, judge_naively(s.graph, episode->state, 10));
        assert_consistent(&s, &settings, episode);
        n_of[episode->failure]++;
        sonde_episode_free(episode);
        space_free(&s);
    }
    /* all ways to end were among them */
    for (int32_t i = 0; i < 5; i++) {
        assert_true(n_of[i] > 0);
    }
}

/* ----------------------------------------------------------------------------- the call -- */

static void a_simulation_starts_afresh_each_time(void **state) {
    (void)state;
    space s = space_random(4, 7, SONDE_SYMMETRIC);
    for (uint64_t i = 0; i < 8; i++) {
        const sonde_search_settings settings = settings_number(i);
        sonde_agent *agent = agent_of(&s, &settings, NULL);
        sonde_episode *first = NULL;
        sonde_episode *again = NULL;
        assert_int_equal(sonde_simulate(agent, NULL, 7, &first, NULL), SONDE_OK);
        assert_int_equal(sonde_simulate(agent, NULL, 7, &again, NULL), SONDE_OK);
        assert_same_episode(first, again);
        sonde_episode_free(first);
        sonde_episode_free(again);
        sonde_agent_free(agent);
    }
    space_free(&s);
}

static void a_longer_simulation_begins_like_a_shorter_one(void **state) {
    (void)state;
    space s = space_random(4, 8, SONDE_SYMMETRIC);
    sonde_search_settings settings = settings_number(1);
    settings.gamma = 0.01;
    sonde_episode *shorter = walk(&s, &settings, 1);
    sonde_episode *longer = walk(&s, &settings, 25);
    assert_int_equal(longer->n_step, 25);
    assert_int_equal(shorter->n_step, 1);
    assert_memory_equal(shorter->state, longer->state, 2 * sizeof(int32_t));
    assert_int_equal(shorter->action[0], longer->action[0]);
    sonde_episode_free(shorter);
    sonde_episode_free(longer);
    space_free(&s);
}

static void an_episode_keeps_G_and_the_certificate_of_decisions_that_scored_policies(void **state) {
    (void)state;
    space s = space_random(4, 8, SONDE_SYMMETRIC);
    sonde_search_settings settings = sonde_search_defaults();
    settings.n_follow = 2;
    sonde_episode *episode = walk(&s, &settings, 4);
    thought t = think(&s, &settings, NULL);
    assert_near(episode->best[0].efe, t.decision->best_efe.efe, 0.0);
    assert_near(episode->best[0].term[SONDE_RISK], t.decision->best_efe.term[SONDE_RISK], 0.0);
    assert_near(episode->tv[0], t.decision->certificate.tv, 0.0);
    for (int32_t i = 0; i < 4; i++) {
        assert_int_equal(isnan(episode->best[i].efe) != 0, i % 2);
        assert_int_equal(isnan(episode->best[i].term[SONDE_COST]) != 0, i % 2);
        assert_int_equal(isnan(episode->tv[i]) != 0, i % 2);
    }
    sonde_episode_free(episode);
    settings.search = SONDE_SEARCH_FULL;
    episode = walk(&s, &settings, 1);
    assert_int_equal(isnan(episode->best[0].efe), 0);
    assert_int_not_equal(isnan(episode->tv[0]),
                         0); /* it proves nothing, it has looked at everything */
    sonde_episode_free(episode);
    thought_free(&t);
    space_free(&s);
}

static void less_than_one_step_is_refused(void **state) {
    (void)state;
    space s = space_random(3, 7, SONDE_SYMMETRIC);
    const sonde_search_settings settings = deterministic();
    sonde_agent *agent = agent_of(&s, &settings, NULL);
    for (int32_t n_step = 0; n_step > -3; n_step--) {
        sonde_episode *episode = NULL;
        sonde_error error = {0};
        assert_int_equal(sonde_simulate(agent, NULL, n_step, &episode, &error), SONDE_BAD_ARGUMENT);
        assert_null(episode);
        assert_says(error.text, "steps: expected 1 or more");
    }
    sonde_episode_free(NULL);
    sonde_agent_free(agent);
    space_free(&s);
}

/* room for what happens is asked for at once, so it can be too much */
static void more_steps_than_memory_allows_are_refused(void **state) {
    (void)state;
    space s = space_random(3, 7, SONDE_SYMMETRIC);
    const sonde_search_settings settings = deterministic();
    sonde_run run = threads(1);
    run.memory = UINT64_C(1) << 20;
    sonde_agent *agent = agent_of(&s, &settings, &run);
    const int32_t n_step[] = {100000, INT32_MAX};
    for (int32_t i = 0; i < 2; i++) {
        sonde_episode *episode = NULL;
        sonde_error error = {0};
        assert_int_equal(sonde_simulate(agent, NULL, n_step[i], &episode, &error), SONDE_TOO_LARGE);
        assert_null(episode);
        assert_says(error.text, "fewer steps");
    }
    sonde_agent_free(agent);
    space_free(&s);
}

static void a_simulation_stops_when_told_to(void **state) {
    (void)state;
    space s = space_random(4, 7, SONDE_SYMMETRIC);
    for (int32_t i = 0; i < 2; i++) {
        const sonde_search_settings settings = settings_number((uint64_t)i);
        sonde_stop stop = {0};
        sonde_run run = threads(1);
        run.stop = &stop;
        sonde_agent *agent = agent_of(&s, &settings, &run);
        sonde_episode *episode = NULL;
        sonde_error error = {0};
        sonde_stop_raise(&stop);
        assert_int_equal(sonde_simulate(agent, NULL, 10, &episode, &error), SONDE_STOPPED);
        assert_null(episode);
        assert_says(error.text, "step 0");
        sonde_agent_free(agent);
    }
    space_free(&s);
}

static void an_empty_cluster_ends_a_simulation_with_an_error_of_its_own(void **state) {
    (void)state;
    int32_t n_empty = 0;
    for (uint64_t seed = 0; seed < 30; seed++) {
        space s = space_random(3, seed, SONDE_SYMMETRIC);
        sonde_search_settings settings = cluster_defaults();
        sonde_differences_apply(SONDE_SEMANTICS_NOTEBOOK, 40, &settings);
        settings.seed = seed;
        sonde_agent *agent = agent_of(&s, &settings, NULL);
        sonde_episode *episode = NULL;
        sonde_error error = {0};
        const sonde_status status = sonde_simulate(agent, NULL, 10, &episode, &error);
        assert_true(status == SONDE_OK || status == SONDE_EMPTY_CLUSTER);
        if (status == SONDE_EMPTY_CLUSTER) {
            n_empty++;
            assert_null(episode);
            assert_says(error.text, "no members");
        }
        sonde_episode_free(episode);
        sonde_agent_free(agent);
        space_free(&s);
    }
    assert_true(n_empty > 0);
}

/* ------------------------------------------------------------------------------- clusters -- */

/* Representatives of the first decision that begin where the agent does, one by one. */
static int32_t count_valid(const space *s, const sonde_decision *d) {
    int32_t *walked = room((uint64_t)s->policies->horizon + 1, sizeof *walked);
    int32_t n = 0;
    for (int32_t c = 0; c < d->clusters->k; c++) {
        const int32_t policy = d->clusters->representative[c];
        sonde_policies_get(s->policies, d->probe_origin, (uint64_t)policy, walked, NULL);
        n += walked[0] == s->graph->start;
    }
    free(walked);
    return n;
}

static void an_episode_counts_the_valid_representatives_of_its_first_decision(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        space s = space_random(4, seed, SONDE_SYMMETRIC);
        for (int32_t i = 0; i < 3; i++) {
            sonde_search_settings settings = cluster_defaults();
            settings.cluster.k = 5;
            settings.scope = i == 1 ? SONDE_GLOBAL : SONDE_LOCAL;
            settings.probe_everywhere = i == 2;
            sonde_episode *episode = walk(&s, &settings, 3);
            thought t = think(&s, &settings, NULL);
            assert_int_equal(episode->k, 5);
            assert_int_equal(episode->n_valid, count_valid(&s, t.decision));
            assert_true(i != 0 || episode->n_valid == 5);
            thought_free(&t);
            sonde_episode_free(episode);
        }
        const sonde_search_settings full = deterministic();
        sonde_episode *episode = walk(&s, &full, 3);
        assert_int_equal(episode->k, 0);
        assert_int_equal(episode->n_valid, 0);
        assert_int_equal(episode->setup.n_clustering, 0);
        sonde_episode_free(episode);
        space_free(&s);
    }
}

/* each state once in local scope, the whole space once in global scope */
static void an_episode_counts_the_clusterings_it_took(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        space s = space_random(4, seed, SONDE_SYMMETRIC);
        for (int32_t i = 0; i < 2; i++) {
            sonde_search_settings settings = cluster_defaults();
            settings.scope = (sonde_scope)i;
            settings.gamma = 0.0;
            sonde_episode *episode = walk(&s, &settings, 12);
            int32_t n_state = 0;
            for (int32_t e = 0; e < s.graph->n_edge; e++) {
                bool visited = false;
                for (int32_t t = 0; t < 12; t++) {
                    visited = visited || episode->state[t] == e;
                }
                n_state += visited;
            }
            assert_int_equal(episode->setup.n_clustering, i == 0 ? n_state : 1);
            assert_int_equal(episode->setup.n_reused, 0);
            assert_true(episode->setup.embed_seconds >= 0.0 && episode->seconds >= 0.0);
            assert_true(episode->setup.cluster_seconds > 0.0);
            sonde_episode_free(episode);
        }
        space_free(&s);
    }
}

/* ------------------------------------------------------------------------ smallest worlds -- */

/* Every search, scope, probe and embedding. */
static void walk_every_way(const space *s, uint32_t differences) {
    for (int32_t i = 0; i < 8; i++) {
        for (int32_t kind = 0; kind < n_embedding(); kind++) {
            sonde_search_settings settings = cluster_defaults();
            settings.search = (sonde_search_kind)(i % 2);
            settings.scope = (sonde_scope)(i / 2 % 2);
            settings.probe = (sonde_probe)(i / 4);
            settings.embed.kind = kind;
            sonde_differences_apply(differences, 12, &settings);
            if (!fits(kind, settings.scope)) {
                continue;
            }
            sonde_episode *episode = walk(s, &settings, 10);
            assert_verdict(episode, judge_naively(s->graph, episode->state, 10));
            sonde_episode_free(episode);
        }
    }
}

static void worlds_of_one_and_two_nodes_work_in_every_way(void **state) {
    (void)state;
    const uint32_t no_empty = SONDE_SEMANTICS_NOTEBOOK & ~(1u << SONDE_DIFFERENCE_EMPTY);
    for (int32_t n = 1; n <= 2; n++) {
        for (uint64_t seed = 0; seed < 4; seed++) {
            space s = space_random(n, seed, (sonde_connect)(seed % 2));
            walk_every_way(&s, SONDE_SEMANTICS_TEXT);
            walk_every_way(&s, no_empty);
            space_free(&s);
        }
    }
}

/* nowhere to go but where one is */
static void a_world_of_one_node_is_always_optimal(void **state) {
    (void)state;
    space s = space_random(1, 3, SONDE_SYMMETRIC);
    const sonde_search_settings settings = cluster_defaults();
    sonde_episode *episode = walk(&s, &settings, 10);
    assert_verdict(episode, (verdict){SONDE_FAILURE_NONE, 0, 0, 0});
    sonde_episode_free(episode);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shortest_path_that_ends_on_the_goal_is_optimal),
        cmocka_unit_test(who_starts_on_the_goal_and_stays_is_optimal),
        cmocka_unit_test(who_never_leaves_the_start_has_stayed),
        cmocka_unit_test(who_wanders_and_never_arrives_has_never_arrived),
        cmocka_unit_test(who_arrives_by_a_longer_way_has_made_a_detour),
        cmocka_unit_test(who_leaves_the_goal_has_left_it),
        cmocka_unit_test(idling_before_arrival_counts),
        cmocka_unit_test(every_failure_has_a_name),
        cmocka_unit_test(two_hundred_walks_are_judged_as_the_definition_says),
        cmocka_unit_test(a_simulation_starts_afresh_each_time),
        cmocka_unit_test(a_longer_simulation_begins_like_a_shorter_one),
        cmocka_unit_test(an_episode_keeps_G_and_the_certificate_of_decisions_that_scored_policies),
        cmocka_unit_test(less_than_one_step_is_refused),
        cmocka_unit_test(more_steps_than_memory_allows_are_refused),
        cmocka_unit_test(a_simulation_stops_when_told_to),
        cmocka_unit_test(an_empty_cluster_ends_a_simulation_with_an_error_of_its_own),
        cmocka_unit_test(an_episode_counts_the_valid_representatives_of_its_first_decision),
        cmocka_unit_test(an_episode_counts_the_clusterings_it_took),
        cmocka_unit_test(worlds_of_one_and_two_nodes_work_in_every_way),
        cmocka_unit_test(a_world_of_one_node_is_always_optimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
