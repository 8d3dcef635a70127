/* Expected free energy: what the formula says, what the paper's authors computed, and the same bits
 * whichever way it is added up. */
/* uses threads */
#include <jansson.h>

#include "dense.h"
#include "base/rng.h"
#include "scores.h"

/* -------------------------------------------------------------------------------- fixtures -- */

static int32_t whole_at(const json_t *list, size_t i) {
    const json_t *value = json_array_get(list, i);
    assert_true(json_is_integer(value));
    return (int32_t)json_integer_value(value);
}

static double number_of(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

/* The world of a fixture, by its edges. */
static space fixture_space(const json_t *root) {
    const json_t *list = json_object_get(root, "edges");
    const size_t n = json_array_size(list);
    int32_t *tail = room(n, sizeof *tail);
    int32_t *head = room(n, sizeof *head);
    double *weight = room(n, sizeof *weight);
    for (size_t e = 0; e < n; e++) {
        const json_t *edge = json_array_get(list, e);
        tail[e] = whole_at(edge, 0);
        head[e] = whole_at(edge, 1);
        weight[e] = json_number_value(json_array_get(edge, 2));
    }
    const sonde_graph edges = {.n_node = (int32_t)number_of(root, "nodes"),
                               .n_edge = (int32_t)n,
                               .tail = tail,
                               .head = head,
                               .weight = weight};
    char start[32];
    char destination[32];
    const json_t *ends = json_object_get(root, "start_edge");
    (void)snprintf(start, sizeof start, "%d,%d", whole_at(ends, 0), whole_at(ends, 1));
    (void)snprintf(destination, sizeof destination, "%d", (int)number_of(root, "destination"));
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.start = start;
    settings.destination = destination;
    settings.lambda = number_of(root, "lambda");
    settings.horizon = (int32_t)number_of(root, "policy_length");
    sonde_graph *graph = NULL;
    assert_int_equal(sonde_graph_from_edges(&edges, &settings, 1, &graph, NULL), SONDE_OK);
    free(tail);
    free(head);
    free(weight);
    return space_new(graph);
}

/* "nodes" as a walk: previous, current, then one per step. */
static void walk_of(const space *s, const json_t *policy, int32_t *walk) {
    const json_t *nodes = json_object_get(policy, "nodes");
    assert_int_equal(json_array_size(nodes), s->graph->horizon + 2);
    for (int32_t t = 0; t <= s->graph->horizon; t++) {
        walk[t] =
            sonde_graph_edge(s->graph, whole_at(nodes, (size_t)t), whole_at(nodes, (size_t)t + 1));
        assert_true(walk[t] >= 0);
    }
}

static void check_fixture(const char *file) {
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/graph/%s", SONDE_TEST_DATA, file);
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (root == NULL) {
        fail_msg("%s: %s", path, error.text);
    }
    space s = fixture_space(root);
    const int32_t start = s.graph->start;
    assert_int_equal(s.policies->n_policy, number_of(root, "policy_count_all"));
    assert_int_equal(sonde_policies_size(s.policies, start),
                     number_of(root, "policy_count_from_start"));
    double distance[16];
    assert_int_equal(sonde_graph_distances(s.graph, s.graph->head[start], distance, NULL),
                     SONDE_OK);
    assert_same(distance[s.graph->destination], number_of(root, "shortest_distance"));

    const json_t *list = json_object_get(root, "policies");
    const size_t n = json_array_size(list);
    const uint64_t width = (uint64_t)s.graph->horizon + 1;
    int32_t *walk = room(n * width, sizeof *walk);
    int n_elsewhere = 0;
    for (size_t i = 0; i < n; i++) {
        const json_t *policy = json_array_get(list, i);
        walk_of(&s, policy, walk + i * width);
        sonde_efe total;
        walk_efe(s.model, start, walk + i * width, NULL, NULL, &total);
        assert_near(total.efe, number_of(policy, "efe"), 1e-5);
        n_elsewhere += walk[i * width] != start;
    }
    assert_true(n >= 80 && n_elsewhere > 10); /* policies that are not valid there, too */

    const json_t *pairs = json_object_get(root, "edit_distance");
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        const json_t *pair = json_array_get(pairs, i);
        const int32_t *walk_i = walk + (uint64_t)whole_at(pair, 0) * width;
        const int32_t *walk_j = walk + (uint64_t)whole_at(pair, 1) * width;
        assert_int_equal(sonde_policies_edit_distance(s.policies, walk_i, walk_j),
                         whole_at(pair, 2));
    }
    assert_true(json_array_size(pairs) >= 80);
    free(walk);
    space_free(&s);
    json_decref(root);
}

static void everything_agrees_with_the_authors_notebook(void **state) {
    (void)state;
    check_fixture("graph-n3-101.json");
    check_fixture("graph-n4-102.json");
    check_fixture("graph-n4-103.json");
    check_fixture("graph-n5-104.json");
}

/* --------------------------------------------------------------------------- the naive twin -- */

static void assert_efe(const sonde_efe *found, const sonde_efe *wanted) {
    assert_near(found->efe, wanted->efe, 1e-9);
    assert_near(found->term[SONDE_RISK], wanted->term[SONDE_RISK], 1e-9);
    assert_near(found->term[SONDE_AMBIGUITY], wanted->term[SONDE_AMBIGUITY], 1e-9);
    assert_near(found->term[SONDE_COST], wanted->term[SONDE_COST], 1e-9);
}

static void walks_score_what_the_full_formula_says(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(1, SONDE__FOR_PROBE, 0);
    for (uint64_t seed = 0; seed < 60; seed++) {
        space s =
            space_new(world_of_horizon(1 + (int32_t)(seed % 4), seed, 1 + (int32_t)(seed % 5)));
        dense twin = dense_new(s.graph);
        double *belief = room((uint64_t)twin.n_state, sizeof *belief);
        for (int trial = 0; trial < 12; trial++) {
            int32_t walk[8];
            sonde_policies_get(s.policies, SONDE_EVERYWHERE,
                               sonde__rng_below(&rng, s.policies->n_policy), walk, NULL);
            /* from the walk's own start, and from anywhere */
            const int32_t from =
                trial % 2 == 0 ? walk[0] : (int32_t)sonde__rng_below(&rng, (uint64_t)twin.n_state);
            belief[from] = 1.0;
            sonde_efe wanted_steps[8];
            const sonde_efe wanted = dense_efe(&twin, s.graph, belief, walk, wanted_steps);
            belief[from] = 0.0;
            sonde_efe steps[8];
            sonde_efe total;
            walk_efe(s.model, from, walk, steps, NULL, &total);
            assert_efe(&total, &wanted);
            for (int32_t t = 0; t < s.graph->horizon; t++) {
                assert_efe(&steps[t], &wanted_steps[t]);
            }
        }
        free(belief);
        dense_free(&twin);
        space_free(&s);
    }
}

static void the_terms_of_the_steps_add_up(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(2, SONDE__FOR_PROBE, 0);
    for (uint64_t seed = 0; seed < 100; seed++) {
        space s = space_new(world_of_horizon(1 + (int32_t)(seed % 7), seed, 0));
        for (int trial = 0; trial < 30; trial++) {
            int32_t walk[8];
            int32_t reached[8];
            sonde_efe steps[8];
            sonde_efe total;
            sonde_policies_get(s.policies, SONDE_EVERYWHERE,
                               sonde__rng_below(&rng, s.policies->n_policy), walk, NULL);
            int32_t place = (int32_t)sonde__rng_below(&rng, (uint64_t)s.graph->n_edge);
            walk_efe(s.model, place, walk, steps, reached, &total);
            sonde_efe sum = {0};
            for (int32_t t = 0; t < s.graph->horizon; t++) {
                place = sonde_model_next(s.model, place, sonde_model_from_tuple(s.model, walk + t));
                assert_int_equal(reached[t], place);
                assert_same(steps[t].efe, s.model->step[place]);
                assert_same(steps[t].term[SONDE_RISK], s.model->risk[place]);
                assert_same(steps[t].term[SONDE_AMBIGUITY], 0.0);
                assert_same(steps[t].term[SONDE_COST], s.model->cost[place]);
                sum.efe += steps[t].efe;
                sum.term[SONDE_RISK] += steps[t].term[SONDE_RISK];
                sum.term[SONDE_COST] += steps[t].term[SONDE_COST];
            }
            assert_same(total.efe, sum.efe);
            assert_same(total.term[SONDE_RISK], sum.term[SONDE_RISK]);
            assert_same(total.term[SONDE_AMBIGUITY], 0.0);
            assert_same(total.term[SONDE_COST], sum.term[SONDE_COST]);
            assert_near(total.efe,
                        total.term[SONDE_RISK] + total.term[SONDE_AMBIGUITY] +
                            total.term[SONDE_COST],
                        1e-9);
            /* what nobody asks for is not needed */
            sonde_efe alone;
            walk_efe(s.model, reached[0], walk, NULL, NULL, &alone);
            walk_efe(s.model, reached[0], walk, steps, reached, &total);
            assert_same(alone.efe, total.efe);
        }
        space_free(&s);
    }
}

/* ----------------------------------------------------------------------------------- ranges -- */

static double walked(const space *s, int32_t origin, uint64_t index, int32_t from) {
    int32_t walk[32];
    sonde_efe total;
    sonde_policies_get(s->policies, origin, index, walk, NULL);
    walk_efe(s->model, from, walk, NULL, NULL, &total);
    return total.efe;
}

/* The whole range, scored at once; the caller frees it. */
static double *score(const space *s, int32_t origin, int32_t from, int32_t n_thread) {
    const uint64_t n = sonde_policies_size(s->policies, origin);
    double *efe = room(n, sizeof *efe);
    sonde_run run = sonde_run_defaults();
    run.n_thread = n_thread;
    const sonde_range range = {origin, 0, n};
    assert_int_equal(
        sonde_efe_range(s->policies, (sonde_present){.state = from}, range, &run, efe, NULL),
        SONDE_OK);
    return efe;
}

static void ranges_hold_the_score_of_every_walk(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        space s =
            space_new(world_of_horizon(1 + (int32_t)(seed % 4), seed, 1 + (int32_t)(seed % 4)));
        const int32_t n_edge = s.graph->n_edge;
        for (int32_t from = 0; from < n_edge; from++) {
            for (int32_t origin = SONDE_EVERYWHERE; origin < n_edge; origin++) {
                /* from where its policies start, and from where they do not */
                if (origin != SONDE_EVERYWHERE && origin != from && (origin + from) % 3 != 0) {
                    continue;
                }
                const uint64_t n = sonde_policies_size(s.policies, origin);
                double *efe = score(&s, origin, from, 1);
                for (uint64_t i = 0; i < n; i++) {
                    assert_same(efe[i], walked(&s, origin, i, from));
                }
                free(efe);
            }
        }
        space_free(&s);
    }
}

static void a_range_may_begin_and_end_anywhere(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(3, SONDE__FOR_PROBE, 0);
    for (uint64_t seed = 0; seed < 60; seed++) {
        space s = space_new(world_of_horizon(3 + (int32_t)(seed % 2), seed, 0));
        const int32_t origin = seed % 3 == 0 ? s.graph->start : SONDE_EVERYWHERE;
        const uint64_t n = sonde_policies_size(s.policies, origin);
        double *whole = score(&s, origin, s.graph->start, 1);
        double *part = room(n + 2, sizeof *part);
        for (int trial = 0; trial < 20; trial++) {
            const uint64_t first = sonde__rng_below(&rng, n + 1);
            const uint64_t count = sonde__rng_below(&rng, n - first + 1);
            for (uint64_t i = 0; i < n + 2; i++) {
                part[i] = -7.0;
            }
            const sonde_range range = {origin, first, count};
            assert_int_equal(sonde_efe_range(s.policies, (sonde_present){.state = s.graph->start},
                                             range, NULL, part + 1, NULL),
                             SONDE_OK);
            assert_memory_equal(part + 1, whole + first, count * sizeof *part);
            /* and nothing beside it */
            assert_same(part[0], -7.0);
            assert_same(part[count + 1], -7.0);
        }
        free(part);
        free(whole);
        space_free(&s);
    }
}

/* A space of several blocks of policies. */
static space large_space(uint64_t *seed) {
    for (;; ++*seed) {
        space s = space_new(world_of_horizon(6, *seed, 6));
        if (s.policies->n_policy > 200000 && s.policies->n_policy < 600000) {
            return s;
        }
        space_free(&s);
    }
}

static void threads_change_no_byte(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int world_number = 0; world_number < 2; world_number++, seed++) {
        space s = large_space(&seed);
        const uint64_t n = s.policies->n_policy;
        double *one = score(&s, SONDE_EVERYWHERE, s.graph->start, 1);
        for (uint64_t i = 0; i < n; i += 101) {
            assert_same(one[i], walked(&s, SONDE_EVERYWHERE, i, s.graph->start));
        }
        static const int32_t n_thread[] = {2, 3, 0, 300};
        for (int k = 0; k < 4; k++) {
            double *several = score(&s, SONDE_EVERYWHERE, s.graph->start, n_thread[k]);
            assert_memory_equal(one, several, n * sizeof *one);
            free(several);
        }
        free(one);
        space_free(&s);
    }
}

static void a_raised_flag_stops_a_range(void **state) {
    (void)state;
    space s = space_new(world(4, 1, SONDE_SYMMETRIC));
    const uint64_t n = s.policies->n_policy;
    double *efe = room(n, sizeof *efe);
    sonde_stop stop = {0};
    sonde_run run = sonde_run_defaults();
    run.stop = &stop;
    const sonde_range range = {SONDE_EVERYWHERE, 0, n};
    assert_int_equal(sonde_efe_range(s.policies, (sonde_present){.state = s.graph->start}, range,
                                     &run, efe, NULL),
                     SONDE_OK);
    sonde_stop_raise(&stop);
    assert_int_equal(sonde_efe_range(s.policies, (sonde_present){.state = s.graph->start}, range,
                                     &run, efe, NULL),
                     SONDE_STOPPED);
    free(efe);
    space_free(&s);
}

static void raise_at_once(void *user, const char *stage, uint64_t done, uint64_t total) {
    assert_true(done <= total);
    assert_string_equal(stage, "scoring");
    sonde_stop_raise(user);
}

static void a_flag_raised_by_progress_stops_a_range(void **state) {
    (void)state;
    uint64_t seed = 1;
    space s = large_space(&seed);
    const uint64_t n = s.policies->n_policy;
    double *efe = room(n, sizeof *efe);
    sonde_stop stop = {0};
    sonde_run run = sonde_run_defaults();
    run.n_thread = 1;
    run.stop = &stop;
    run.user = &stop;
    run.progress = raise_at_once;
    const sonde_range range = {SONDE_EVERYWHERE, 0, n};
    assert_int_equal(sonde_efe_range(s.policies, (sonde_present){.state = s.graph->start}, range,
                                     &run, efe, NULL),
                     SONDE_STOPPED);
    free(efe);
    space_free(&s);
}

/* ---------------------------------------------------------------------------------- scorers -- */

static void a_scorer_may_jump_to_any_policy(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(4, SONDE__FOR_PROBE, 0);
    for (uint64_t seed = 0; seed < 100; seed++) {
        space s = space_new(world_of_horizon(2 + (int32_t)(seed % 5), seed, seed % 4 == 0 ? 1 : 0));
        judge *j = judge_new(s.policies, NULL);
        for (int start = 0; start < 6; start++) {
            const int32_t n_edge = s.graph->n_edge;
            const int32_t from = (int32_t)sonde__rng_below(&rng, (uint64_t)n_edge);
            const int32_t other = (int32_t)sonde__rng_below(&rng, (uint64_t)n_edge);
            const int32_t origin = start % 3 == 0   ? SONDE_EVERYWHERE
                                   : start % 3 == 1 ? from
                                                    : other;
            const uint64_t n = sonde_policies_size(s.policies, origin);
            judge_start(j, origin, (sonde_present){.state = from});
            for (int jump = 0; jump < 50; jump++) {
                const uint64_t i = sonde__rng_below(&rng, n);
                assert_same(judge_efe(j, i), walked(&s, origin, i, from));
                assert_same(judge_efe(j, i), walked(&s, origin, i, from));
            }
        }
        judge_free(j);
        space_free(&s);
    }
}

static void a_scorer_scores_each_shared_prefix_once(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        space s =
            space_new(world_of_horizon(2 + (int32_t)(seed % 3), seed, 1 + (int32_t)(seed % 5)));
        const int32_t horizon = s.graph->horizon;
        judge *j = judge_new(s.policies, NULL);
        for (int32_t origin = 0; origin < s.graph->n_edge; origin++) {
            /* prefixes of t steps, added up over t */
            uint64_t n_prefix = 0;
            for (int32_t t = 1; t <= horizon; t++) {
                n_prefix += s.policies->completion[t * s.graph->n_node + s.graph->head[origin]];
            }
            const uint64_t n = sonde_policies_size(s.policies, origin);
            judge_start(j, origin, (sonde_present){.state = origin});
            j->track.n_step = 0;
            for (uint64_t i = 0; i < n; i++) {
                (void)judge_efe(j, i);
            }
            assert_int_equal(j->track.n_step, n_prefix);
            /* one policy alone is all of its steps, and none if it was there already */
            judge_start(j, origin, (sonde_present){.state = origin});
            j->track.n_step = 0;
            (void)judge_efe(j, n / 2);
            assert_int_equal(j->track.n_step, horizon);
            (void)judge_efe(j, n / 2);
            assert_int_equal(j->track.n_step, horizon);
        }
        judge_free(j);
        space_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_agrees_with_the_authors_notebook),
        cmocka_unit_test(walks_score_what_the_full_formula_says),
        cmocka_unit_test(the_terms_of_the_steps_add_up),
        cmocka_unit_test(ranges_hold_the_score_of_every_walk),
        cmocka_unit_test(a_range_may_begin_and_end_anywhere),
        cmocka_unit_test(threads_change_no_byte),
        cmocka_unit_test(a_raised_flag_stops_a_range),
        cmocka_unit_test(a_flag_raised_by_progress_stops_a_range),
        cmocka_unit_test(a_scorer_may_jump_to_any_policy),
        cmocka_unit_test(a_scorer_scores_each_shared_prefix_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
