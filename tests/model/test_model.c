/* The generative model: its tables say what the matrices would. */
#include "dense.h"

/* The model of a drawn world. */
typedef struct {
    sonde_graph *graph;
    sonde_model *model;
} pair;

static pair pair_new(sonde_graph *graph) {
    pair p = {.graph = graph};
    assert_int_equal(sonde_model_from_graph(graph, &p.model, NULL), SONDE_OK);
    return p;
}

static void pair_free(pair *p) {
    sonde_model_free(p->model);
    sonde_graph_free(p->graph);
}

static pair drawn(uint64_t seed) {
    return pair_new(
        world(1 + (int32_t)(seed % 6), seed, seed % 2 == 0 ? SONDE_SYMMETRIC : SONDE_DIRECTED));
}

static void states_are_edges_and_actions_are_pairs_of_them(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        pair p = drawn(seed);
        const sonde_graph *graph = p.graph;
        assert_ptr_equal(p.model->graph, graph);
        assert_int_equal(p.model->n_state, graph->n_edge);
        assert_int_equal(p.model->horizon, graph->horizon);
        int32_t number = 0;
        for (int32_t e = 0; e < graph->n_edge; e++) {
            assert_int_equal(p.model->action[e], number);
            for (int32_t f = 0; f < graph->n_edge; f++) {
                number += graph->head[e] == graph->tail[f];
            }
        }
        assert_int_equal(p.model->action[graph->n_edge], number);
        assert_int_equal(p.model->n_action, number);
        pair_free(&p);
    }
}

static void the_number_of_an_action_leads_back_to_its_edges(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        pair p = drawn(seed);
        const sonde_graph *graph = p.graph;
        int32_t number = 0;
        for (int32_t e = 0; e < graph->n_edge; e++) {
            for (int32_t f = 0; f < graph->n_edge; f++) {
                const bool consecutive = graph->head[e] == graph->tail[f];
                assert_int_equal(sonde_model_from_tuple(p.model, (const int32_t[]){e, f}),
                                 consecutive ? number : -1);
                if (consecutive) {
                    int32_t edge[2] = {-1, -1};
                    (void)sonde_model_tuple(p.model, number, edge);
                    assert_int_equal(edge[0], e);
                    assert_int_equal(edge[1], f);
                    number++;
                }
            }
        }
        assert_int_equal(number, p.model->n_action);
        pair_free(&p);
    }
}

static void actions_lead_where_the_matrix_says(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        pair p = drawn(seed);
        dense twin = dense_new(p.graph);
        const int32_t n = twin.n_state;
        assert_int_equal(p.model->n_action, twin.n_action);
        for (int32_t u = 0; u < twin.n_action; u++) {
            const double *b = dense_b(&twin, u);
            for (int32_t s = 0; s < n; s++) {
                const int32_t next = sonde_model_next(p.model, s, u);
                for (int32_t to = 0; to < n; to++) {
                    assert_true((b[(int64_t)to * n + s] == 1.0) == (to == next));
                }
            }
        }
        dense_free(&twin);
        pair_free(&p);
    }
}

static void an_invalid_action_means_staying(void **state) {
    (void)state;
    pair p = pair_new(world(5, 3, SONDE_DIRECTED));
    const sonde_graph *graph = p.graph;
    int32_t n_stayed = 0;
    for (int32_t u = 0; u < p.model->n_action; u++) {
        int32_t edge[2] = {-1, -1};
        (void)sonde_model_tuple(p.model, u, edge);
        for (int32_t s = 0; s < p.model->n_state; s++) {
            const int32_t stay = graph->self[graph->head[s]];
            assert_int_equal(sonde_model_next(p.model, s, u), s == edge[0] ? edge[1] : stay);
            n_stayed += s != edge[0];
        }
    }
    assert_int_equal(n_stayed, p.model->n_action * (p.model->n_state - 1));
    pair_free(&p);
}

static void preference_is_spread_over_the_edges_into_the_destination(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        pair p = drawn(seed);
        dense twin = dense_new(p.graph);
        double sum = 0.0;
        for (int32_t e = 0; e < p.model->n_state; e++) {
            assert_same(p.model->preference[e], twin.c[e]);
            assert_true((p.model->preference[e] > 0.0) ==
                        (p.graph->head[e] == p.graph->destination));
            sum += p.model->preference[e];
        }
        assert_near(sum, 1.0, 1e-14);
        dense_free(&twin);
        pair_free(&p);
    }
}

static void a_step_costs_what_the_specification_says(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        pair p = drawn(seed);
        const sonde_graph *graph = p.graph;
        int32_t n_into = 0;
        for (int32_t e = 0; e < graph->n_edge; e++) {
            n_into += graph->head[e] == graph->destination;
        }
        for (int32_t e = 0; e < graph->n_edge; e++) {
            const double weight = graph->lambda * graph->weight[e];
            assert_same(p.model->cost[e], weight);
            if (graph->head[e] == graph->destination) {
                assert_near(p.model->risk[e], log(n_into), 1e-15);
                assert_near(p.model->step[e], log(n_into) + weight, 1e-15 * (4.0 + weight));
            } else {
                assert_same(p.model->risk[e], 36.841361487904734);
                assert_same(p.model->step[e], 36.841361487904734 + weight);
            }
            assert_same(p.model->step[e], p.model->risk[e] + p.model->cost[e]);
        }
        pair_free(&p);
    }
}

static void a_step_costs_what_the_full_formula_says(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        pair p = drawn(seed);
        dense twin = dense_new(p.graph);
        double *q = room((uint64_t)twin.n_state, sizeof *q);
        for (int32_t s = 0; s < twin.n_state; s++) {
            q[s] = 1.0;
            const sonde_efe term = dense_term(&twin, q);
            q[s] = 0.0;
            assert_near(p.model->risk[s], term.term[SONDE_RISK], 1e-12);
            assert_near(term.term[SONDE_AMBIGUITY], 0.0, 1e-12);
            assert_near(p.model->cost[s], term.term[SONDE_COST], 1e-12);
            assert_near(p.model->step[s], term.efe, 1e-12);
        }
        free(q);
        dense_free(&twin);
        pair_free(&p);
    }
}

static void lambda_scales_the_cost_alone(void **state) {
    (void)state;
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.lambda = 0.0;
    sonde_graph *graph = NULL;
    assert_int_equal(sonde_graph_random(&settings, 1, &graph, NULL), SONDE_OK);
    pair p = pair_new(graph);
    for (int32_t e = 0; e < p.model->n_state; e++) {
        assert_same(p.model->cost[e], 0.0);
        assert_same(p.model->step[e], p.model->risk[e]);
    }
    pair_free(&p);
}

/* A hub with n leaves, edges both ways: n + 1 edges lead into it, and n + 1 out. */
static sonde_graph *star(int32_t n) {
    int32_t *tails = room(2 * (uint64_t)n, sizeof *tails);
    int32_t *heads = room(2 * (uint64_t)n, sizeof *heads);
    double *weights = room(2 * (uint64_t)n, sizeof *weights);
    for (int32_t i = 0; i < n; i++) {
        heads[i] = tails[n + i] = i + 1;
    }
    const sonde_graph edges = {
        .n_node = n + 1, .n_edge = 2 * n, .tail = tails, .head = heads, .weight = weights};
    sonde_graph *graph = NULL;
    assert_int_equal(sonde_graph_from_edges(&edges, NULL, 1, &graph, NULL), SONDE_OK);
    free(tails);
    free(heads);
    free(weights);
    return graph;
}

static void too_many_pairs_of_edges_are_refused(void **state) {
    (void)state;
    /* (n + 1)^2 pairs through the hub and 4 n through the leaves */
    enum { FITS = 46337, PAST = 46338 };
    assert_true(INT64_C(46338) * 46338 + INT64_C(4) * FITS <= INT32_MAX);
    assert_true(INT64_C(46339) * 46339 + INT64_C(4) * PAST > INT32_MAX);
    pair p = pair_new(star(FITS));
    assert_int_equal(p.model->n_action, INT64_C(46338) * 46338 + INT64_C(4) * FITS);
    int32_t edge[2] = {-1, -1};
    (void)sonde_model_tuple(p.model, p.model->n_action - 1, edge);
    assert_int_equal(edge[0], p.model->n_state - 1);
    assert_int_equal(edge[1], p.model->n_state - 1);
    pair_free(&p);
    sonde_graph *graph = star(PAST);
    sonde_model *model = NULL;
    assert_int_equal(sonde_model_from_graph(graph, &model, NULL), SONDE_TOO_LARGE);
    assert_null(model);
    sonde_graph_free(graph);
}

static void nothing_is_freed_without_harm(void **state) {
    (void)state;
    sonde_model_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_are_edges_and_actions_are_pairs_of_them),
        cmocka_unit_test(the_number_of_an_action_leads_back_to_its_edges),
        cmocka_unit_test(actions_lead_where_the_matrix_says),
        cmocka_unit_test(an_invalid_action_means_staying),
        cmocka_unit_test(preference_is_spread_over_the_edges_into_the_destination),
        cmocka_unit_test(a_step_costs_what_the_specification_says),
        cmocka_unit_test(a_step_costs_what_the_full_formula_says),
        cmocka_unit_test(lambda_scales_the_cost_alone),
        cmocka_unit_test(too_many_pairs_of_edges_are_refused),
        cmocka_unit_test(nothing_is_freed_without_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
