/* Drawn worlds: connected as asked, as likely as asked, and the same for the same seed. */
#include "base/clock.h"
#include "worlds.h"

static sonde_graph *drawn(const sonde_graph_settings *settings, uint64_t seed) {
    sonde_graph *graph = NULL;
    sonde_error error = {0};
    if (sonde_graph_random(settings, seed, &graph, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return graph;
}

static bool same(const sonde_graph *a, const sonde_graph *b) {
    return a->n_edge == b->n_edge && a->start == b->start && a->destination == b->destination &&
           memcmp(a->tail, b->tail, (size_t)a->n_edge * sizeof *a->tail) == 0 &&
           memcmp(a->head, b->head, (size_t)a->n_edge * sizeof *a->head) == 0 &&
           memcmp(a->weight, b->weight, (size_t)a->n_edge * sizeof *a->weight) == 0;
}

static void the_same_seed_draws_the_same_world(void **state) {
    (void)state;
    int n_other = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        const sonde_connect connect = seed % 2 == 0 ? SONDE_SYMMETRIC : SONDE_DIRECTED;
        sonde_graph *first = world(6, seed, connect);
        sonde_graph *again = world(6, seed, connect);
        sonde_graph *other = world(6, seed + 100, connect);
        assert_true(same(first, again));
        assert_int_equal(first->n_redraw, again->n_redraw);
        assert_int_equal(first->n_joined, again->n_joined);
        n_other += !same(first, other);
        sonde_graph_free(first);
        sonde_graph_free(again);
        sonde_graph_free(other);
    }
    assert_true(n_other > 95);
}

static void a_world_is_what_the_settings_say(void **state) {
    (void)state;
    static const double list[] = {1.5, 2.5};
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.n_node = 7;
    settings.n_weight = 2;
    settings.weight = list;
    settings.idle = 13.0;
    settings.lambda = 2.0;
    settings.horizon = 4;
    settings.destination = "3";
    settings.start = "5,5";
    sonde_graph *graph = drawn(&settings, 8);
    assert_int_equal(graph->n_node, 7);
    assert_int_equal(graph->horizon, 4);
    assert_int_equal(graph->destination, 3);
    assert_int_equal(graph->start, graph->self[5]);
    assert_same(graph->lambda, 2.0);
    int n_of[2] = {0};
    for (int32_t e = 0; e < graph->n_edge; e++) {
        if (graph->tail[e] == graph->head[e]) {
            assert_same(graph->weight[e], graph->tail[e] == 3 ? 0.0 : 13.0);
        } else {
            assert_true(graph->weight[e] == 1.5 || graph->weight[e] == 2.5);
            n_of[graph->weight[e] == 2.5]++;
        }
    }
    assert_true(n_of[0] > 0 && n_of[1] > 0);
    sonde_graph_free(graph);
}

static void the_defaults_are_the_papers(void **state) {
    (void)state;
    const sonde_graph_settings settings = sonde_graph_defaults();
    assert_int_equal(settings.n_node, 5);
    assert_int_equal(settings.connect, SONDE_SYMMETRIC);
    assert_int_equal(settings.n_weight, 0);
    sonde_graph *graph = drawn(&settings, 1);
    assert_int_equal(graph->n_node, 5);
    assert_int_equal(graph->horizon, 5);
    assert_same(graph->lambda, 5.0);
    assert_same(graph->idle, 100.0);
    sonde_graph_free(graph);
}

static void weights_are_5_10_and_20_one_to_one_half(void **state) {
    (void)state;
    int n_of[3] = {0};
    for (uint64_t seed = 0; seed < 500; seed++) {
        sonde_graph *graph = world(8, seed, SONDE_DIRECTED);
        for (int32_t e = 0; e < graph->n_edge; e++) {
            const double w = graph->weight[e];
            if (graph->tail[e] != graph->head[e]) {
                assert_true(w == 5.0 || w == 10.0 || w == 20.0);
                n_of[w == 5.0 ? 0 : w == 10.0 ? 1 : 2]++;
            } else {
                assert_same(w, graph->tail[e] == graph->destination ? 0.0 : 100.0);
            }
        }
        sonde_graph_free(graph);
    }
    const double n = n_of[0] + n_of[1] + n_of[2];
    const double spread = 5.0 * sqrt(n * 0.25);
    assert_near(n_of[0], n / 2, spread);
    assert_near(n_of[1], n / 4, spread);
    assert_near(n_of[2], n / 4, spread);
}

static void symmetric_worlds_have_both_directions_with_one_weight(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        sonde_graph *graph = world(1 + (int32_t)(seed % 12), seed, SONDE_SYMMETRIC);
        double distance[12];
        assert_int_equal(sonde_graph_distances(graph, 0, distance), SONDE_OK);
        for (int32_t v = 0; v < graph->n_node; v++) {
            assert_true(isfinite(distance[v]));
        }
        for (int32_t e = 0; e < graph->n_edge; e++) {
            const int32_t back = sonde_graph_edge(graph, graph->head[e], graph->tail[e]);
            assert_true(back >= 0);
            assert_same(graph->weight[back], graph->weight[e]);
        }
        assert_int_equal(graph->n_joined, 0);
        sonde_graph_free(graph);
    }
}

static void directed_worlds_are_strongly_connected(void **state) {
    (void)state;
    int n_one_way = 0;
    int n_two_weights = 0;
    int n_joined = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        sonde_graph *graph = world(1 + (int32_t)(seed % 12), seed, SONDE_DIRECTED);
        assert_int_equal(graph->n_redraw, 0);
        double distance[12];
        for (int32_t from = 0; from < graph->n_node; from++) {
            assert_int_equal(sonde_graph_distances(graph, from, distance), SONDE_OK);
            for (int32_t v = 0; v < graph->n_node; v++) {
                assert_true(isfinite(distance[v]));
            }
        }
        for (int32_t e = 0; e < graph->n_edge; e++) {
            const int32_t back = sonde_graph_edge(graph, graph->head[e], graph->tail[e]);
            n_one_way += back < 0;
            n_two_weights += back >= 0 && graph->weight[back] != graph->weight[e];
        }
        n_joined += graph->n_joined;
        sonde_graph_free(graph);
    }
    assert_true(n_one_way > 100 && n_two_weights > 100 && n_joined > 100);
}

static void every_world_has_each_edge_once_and_all_self_edges(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        const sonde_connect connect = seed % 2 == 0 ? SONDE_SYMMETRIC : SONDE_DIRECTED;
        sonde_graph *graph = world(1 + (int32_t)(seed % 10), seed, connect);
        bool there[10][10] = {{false}};
        for (int32_t v = 0; v < graph->n_node; v++) {
            assert_true(graph->first[v] < graph->first[v + 1]);
            for (int32_t e = graph->first[v]; e < graph->first[v + 1]; e++) {
                assert_int_equal(graph->tail[e], v);
                assert_false(there[v][graph->head[e]]);
                there[v][graph->head[e]] = true;
            }
            assert_true(there[v][v]);
            /* the self-edge comes last */
            assert_int_equal(graph->self[v], graph->first[v + 1] - 1);
            assert_int_equal(graph->head[graph->self[v]], v);
        }
        assert_int_equal(graph->first[graph->n_node], graph->n_edge);
        sonde_graph_free(graph);
    }
}

/* How many edges of a node, from its first on, ascend. */
static int32_t n_ascending(const sonde_graph *graph, int32_t v) {
    int32_t e = graph->first[v] + 1;
    while (e < graph->self[v] && graph->head[e] > graph->head[e - 1]) {
        e++;
    }
    return (graph->self[v] > graph->first[v] ? e : graph->self[v]) - graph->first[v];
}

static void drawn_edges_ascend_and_added_ones_follow(void **state) {
    (void)state;
    int n_late = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        const sonde_connect connect = seed % 2 == 0 ? SONDE_SYMMETRIC : SONDE_DIRECTED;
        sonde_graph *graph = world(2 + (int32_t)(seed % 9), seed, connect);
        int32_t n_added = 0;
        for (int32_t v = 0; v < graph->n_node; v++) {
            const int32_t begin = graph->first[v] + n_ascending(graph, v);
            for (int32_t e = begin; e < graph->self[v]; e++) {
                n_added++;
                if (connect == SONDE_SYMMETRIC) {
                    /* the reverse of an edge that was drawn, in the order of those edges */
                    const int32_t w = graph->head[e];
                    const int32_t back = sonde_graph_edge(graph, w, v);
                    assert_true(back - graph->first[w] < n_ascending(graph, w));
                    assert_true(e == begin || w > graph->head[e - 1]);
                }
            }
        }
        if (connect == SONDE_DIRECTED) {
            assert_true(n_added <= graph->n_joined);
        }
        n_late += n_added;
        sonde_graph_free(graph);
    }
    assert_true(n_late > 300);
}

/* ------------------------------------------------------------------------------- likelihood -- */

/* The number of an ordered pair of different nodes. */
static int32_t number_of(int32_t n, int32_t tail, int32_t head) {
    return tail * (n - 1) + (head < tail ? head : head - 1);
}

/* Whether a set of pairs connects n nodes, both ways or each way. */
static bool connects(int32_t n, uint32_t set, bool both_ways) {
    uint32_t to[4] = {0};
    for (int32_t a = 0; a < n; a++) {
        to[a] |= UINT32_C(1) << a;
        for (int32_t b = 0; b < n; b++) {
            if (a != b && (set >> number_of(n, a, b) & 1) != 0) {
                to[a] |= UINT32_C(1) << b;
                to[b] |= both_ways ? UINT32_C(1) << a : 0;
            }
        }
    }
    for (int32_t via = 0; via < n; via++) {
        for (int32_t a = 0; a < n; a++) {
            to[a] |= (to[a] >> via & 1) != 0 ? to[via] : 0;
        }
    }
    for (int32_t a = 0; a < n; a++) {
        if (to[a] != (UINT32_C(1) << n) - 1) {
            return false;
        }
    }
    return true;
}

/* Probability of a set of pairs when each is there with probability p. */
static double chance_of(int32_t n, uint32_t set, double p) {
    double chance = 1.0;
    for (int32_t i = 0; i < n * (n - 1); i++) {
        chance *= (set >> i & 1) != 0 ? p : 1.0 - p;
    }
    return chance;
}

static uint32_t set_of(const sonde_graph *graph) {
    uint32_t set = 0;
    for (int32_t e = 0; e < graph->n_edge; e++) {
        if (graph->tail[e] != graph->head[e]) {
            set |= UINT32_C(1) << number_of(graph->n_node, graph->tail[e], graph->head[e]);
        }
    }
    return set;
}

/* A set and all reverses. */
static uint32_t both_ways(int32_t n, uint32_t set) {
    uint32_t both = set;
    for (int32_t a = 0; a < n; a++) {
        for (int32_t b = 0; b < n; b++) {
            if (a != b && (set >> number_of(n, a, b) & 1) != 0) {
                both |= UINT32_C(1) << number_of(n, b, a);
            }
        }
    }
    return both;
}

static void assert_binomial(int found, int n, double p) {
    const double spread = 5.0 * sqrt(n * p * (1.0 - p)) + 1e-9;
    assert_near(found, n * p, spread);
}

static void symmetric_worlds_are_as_likely_as_their_draws(void **state) {
    (void)state;
    static const double probability[] = {-1.0, 0.3, 0.8};
    for (int32_t n = 2; n <= 4; n++) {
        for (int k = 0; k < 3; k++) {
            /* every draw there is, by what becomes of it */
            static double chance[1 << 12];
            static int count[1 << 12];
            memset(chance, 0, sizeof chance);
            memset(count, 0, sizeof count);
            const double p = probability[k] >= 0.0 ? probability[k] : fmin(1.0, 2.0 / n);
            double connected = 0.0;
            for (uint32_t set = 0; set < UINT32_C(1) << (n * (n - 1)); set++) {
                if (connects(n, set, true)) {
                    chance[both_ways(n, set)] += chance_of(n, set, p);
                    connected += chance_of(n, set, p);
                }
            }
            enum { N_WORLD = 6000 };
            sonde_graph_settings settings = sonde_graph_defaults();
            settings.n_node = n;
            settings.edge_probability = probability[k];
            int n_redraw = 0;
            for (uint64_t seed = 0; seed < N_WORLD; seed++) {
                sonde_graph *graph = drawn(&settings, seed);
                count[set_of(graph)]++;
                n_redraw += graph->n_redraw;
                sonde_graph_free(graph);
            }
            for (uint32_t set = 0; set < UINT32_C(1) << (n * (n - 1)); set++) {
                assert_binomial(count[set], N_WORLD, chance[set] / connected);
            }
            /* of all draws, those that were not thrown away */
            assert_binomial(N_WORLD, N_WORLD + n_redraw, connected);
        }
    }
}

static void directed_worlds_are_as_likely_as_their_draws(void **state) {
    (void)state;
    for (int32_t n = 2; n <= 4; n++) {
        static double chance[1 << 12];
        static int count[1 << 12];
        memset(count, 0, sizeof count);
        const int32_t n_pair = n * (n - 1);
        const double p = fmin(1.0, 2.0 / n);
        double connected = 0.0;
        for (uint32_t set = 0; set < UINT32_C(1) << n_pair; set++) {
            chance[set] = connects(n, set, false) ? chance_of(n, set, p) : 0.0;
            connected += chance[set];
        }
        enum { N_WORLD = 10000 };
        int n_edge = 0;
        int n_whole = 0;
        for (uint64_t seed = 0; seed < N_WORLD; seed++) {
            sonde_graph *graph = world(n, seed, SONDE_DIRECTED);
            n_edge += graph->n_edge - n - graph->n_joined;
            /* what needed no joining is a draw as it was */
            if (graph->n_joined == 0) {
                count[set_of(graph)]++;
                n_whole++;
            }
            sonde_graph_free(graph);
        }
        assert_binomial(n_edge, N_WORLD * n_pair, p);
        assert_binomial(n_whole, N_WORLD, connected);
        for (uint32_t set = 0; set < UINT32_C(1) << n_pair; set++) {
            /* where some are expected; a rare one may come once by chance */
            if (chance[set] == 0.0) {
                assert_int_equal(count[set], 0);
            } else if (chance[set] * N_WORLD > 5.0) {
                assert_binomial(count[set], N_WORLD, chance[set]);
            }
        }
    }
}

static void larger_worlds_have_two_edges_a_node(void **state) {
    (void)state;
    for (int32_t n = 5; n <= 640; n *= 2) {
        const int n_world = 2000 / n + 5;
        double n_edge = 0.0;
        for (int i = 0; i < n_world; i++) {
            sonde_graph *graph = world(n, (uint64_t)i, SONDE_DIRECTED);
            n_edge += graph->n_edge - n - graph->n_joined;
            sonde_graph_free(graph);
        }
        assert_binomial((int)n_edge, n_world * n * (n - 1), 2.0 / n);
    }
}

/* ------------------------------------------------------------------------------------ edges -- */

static void one_node_is_a_world(void **state) {
    (void)state;
    for (int connect = 0; connect < 2; connect++) {
        sonde_graph *graph = world(1, 4, (sonde_connect)connect);
        assert_int_equal(graph->n_edge, 1);
        assert_int_equal(graph->start, 0);
        assert_int_equal(graph->destination, 0);
        assert_int_equal(graph->horizon, 1);
        assert_same(graph->weight[0], 0.0);
        assert_int_equal(graph->n_redraw + graph->n_joined, 0);
        sonde_graph_free(graph);
    }
}

static void two_nodes_always_have_both_edges(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        sonde_graph *graph = world(2, seed, seed % 2 == 0 ? SONDE_SYMMETRIC : SONDE_DIRECTED);
        assert_int_equal(graph->n_edge, 4);
        assert_int_equal(graph->n_redraw + graph->n_joined, 0);
        sonde_graph_free(graph);
    }
}

static void all_edges_and_none_may_be_asked_for(void **state) {
    (void)state;
    for (int connect = 0; connect < 2; connect++) {
        sonde_graph_settings settings = sonde_graph_defaults();
        settings.n_node = 8;
        settings.connect = (sonde_connect)connect;
        settings.edge_probability = 1.0;
        sonde_graph *graph = drawn(&settings, 3);
        assert_int_equal(graph->n_edge, 64);
        assert_int_equal(graph->n_joined, 0);
        sonde_graph_free(graph);
        /* without any, joining is all there is: a tree both ways, or a ring */
        settings.edge_probability = 0.0;
        graph = drawn(&settings, 3);
        assert_int_equal(graph->n_joined, settings.connect == SONDE_SYMMETRIC ? 7 : 8);
        assert_int_equal(graph->n_edge, 8 + (settings.connect == SONDE_SYMMETRIC ? 14 : 8));
        sonde_graph_free(graph);
    }
}

static void an_edge_that_hardly_ever_comes_hardly_ever_comes(void **state) {
    (void)state;
    static const double rare[] = {1e-15, 1e-16, 1e-17, 1e-100, 5e-324};
    for (size_t i = 0; i < sizeof rare / sizeof *rare; i++) {
        sonde_graph_settings settings = sonde_graph_defaults();
        settings.n_node = 20;
        settings.connect = SONDE_DIRECTED;
        settings.edge_probability = rare[i];
        sonde_graph *graph = drawn(&settings, i);
        /* a ring of joining edges, and nothing else */
        assert_int_equal(graph->n_joined, 20);
        assert_int_equal(graph->n_edge, 40);
        sonde_graph_free(graph);
    }
}

static void past_a_thousand_redraws_components_are_joined(void **state) {
    (void)state;
    enum { N = 1000 }; /* a draw leaves about 18 nodes alone: e^-18 are connected */
    const double begin = sonde__seconds();
    sonde_graph *graph = world(N, 1, SONDE_SYMMETRIC);
    assert_true(sonde__seconds() - begin < 10.0);
    assert_int_equal(graph->n_redraw, 1000);
    assert_true(graph->n_joined > 0 && graph->n_joined < N);
    double *distance = room(N, sizeof *distance);
    assert_int_equal(sonde_graph_distances(graph, 0, distance), SONDE_OK);
    for (int32_t v = 0; v < N; v++) {
        assert_true(isfinite(distance[v]));
    }
    for (int32_t e = 0; e < graph->n_edge; e++) {
        const int32_t back = sonde_graph_edge(graph, graph->head[e], graph->tail[e]);
        assert_true(back >= 0);
        assert_same(graph->weight[back], graph->weight[e]);
    }
    free(distance);
    sonde_graph_free(graph);
    /* with fewer nodes a connected draw comes in time */
    graph = world(20, 1, SONDE_SYMMETRIC);
    assert_true(graph->n_redraw < 1000);
    assert_int_equal(graph->n_joined, 0);
    sonde_graph_free(graph);
}

static void where_no_redraw_can_be_connected_the_first_draw_is_joined(void **state) {
    (void)state;
    const double begin = sonde__seconds();
    sonde_graph *graph = world(10920, 1, SONDE_SYMMETRIC);
    assert_true(sonde__seconds() - begin < 1.0);
    assert_int_equal(graph->n_redraw, 0);
    /* one component has most nodes; of the others most are nodes without an edge */
    assert_in_range(graph->n_joined, 150, 400);
    double *distance = room(10920, sizeof *distance);
    assert_int_equal(sonde_graph_distances(graph, 0, distance), SONDE_OK);
    for (int32_t v = 0; v < 10920; v++) {
        assert_true(isfinite(distance[v]));
    }
    free(distance);
    sonde_graph_free(graph);
    /* 1000 (1 - p)^1998 is 201, and 199 */
    static const double p[] = {0.000802803, 0.000807811};
    for (int i = 0; i < 2; i++) {
        sonde_graph_settings settings = sonde_graph_defaults();
        settings.n_node = 1000;
        settings.edge_probability = p[i];
        graph = drawn(&settings, 1);
        assert_int_equal(graph->n_redraw, i == 0 ? 0 : 1000);
        sonde_graph_free(graph);
    }
}

static void wrong_settings_are_refused(void **state) {
    (void)state;
    static const double negative[] = {5.0, -1.0};
    static const double none[] = {NAN};
    static const double endless[] = {INFINITY};
    static const double large[] = {1e101};
    enum { N_WRONG = 12 };
    const sonde_graph_settings usual = sonde_graph_defaults();
    sonde_graph_settings wrong[N_WRONG];
    for (int i = 0; i < N_WRONG; i++) {
        wrong[i] = usual;
    }
    static const char *const says[] = {
        "nodes: expected 1 to 10000000, found 0",
        "nodes: expected 1 to 10000000, found -5",
        "nodes: expected 1 to 10000000, found 10000001",
        "edge probability: expected a number from 0 to 1, found 1.5",
        "edge probability: expected a number from 0 to 1, found",
        "weights: expected numbers of 0 or more, at most 1e+100, found -1",
        "weights: expected numbers of 0 or more, at most 1e+100, found",
        "weights: expected numbers of 0 or more, at most 1e+100, found inf",
        "start: expected an edge as PREVIOUS,CURRENT, found \"7,7\"",
        "lambda",
        "idle",
        "weight",
    };
    wrong[0].n_node = 0;
    wrong[1].n_node = -5;
    wrong[2].n_node = 10000001;
    wrong[3].edge_probability = 1.5;
    wrong[4].edge_probability = NAN;
    wrong[5].n_weight = 2;
    wrong[5].weight = negative;
    wrong[6].n_weight = 1;
    wrong[6].weight = none;
    wrong[7].n_weight = 1;
    wrong[7].weight = endless;
    wrong[8].start = "7,7";
    wrong[9].lambda = 1e101;
    wrong[10].idle = INFINITY;
    wrong[11].n_weight = 1;
    wrong[11].weight = large;
    for (int i = 0; i < N_WRONG; i++) {
        sonde_graph *graph = NULL;
        sonde_error error = {0};
        assert_int_equal(sonde_graph_random(&wrong[i], 1, &graph, &error), SONDE_BAD_ARGUMENT);
        assert_int_equal(error.status, SONDE_BAD_ARGUMENT);
        assert_says(error.text, says[i]);
        assert_null(graph);
        assert_int_equal(sonde_graph_random(&wrong[i], 1, &graph, NULL), SONDE_BAD_ARGUMENT);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_draws_the_same_world),
        cmocka_unit_test(a_world_is_what_the_settings_say),
        cmocka_unit_test(the_defaults_are_the_papers),
        cmocka_unit_test(weights_are_5_10_and_20_one_to_one_half),
        cmocka_unit_test(symmetric_worlds_have_both_directions_with_one_weight),
        cmocka_unit_test(directed_worlds_are_strongly_connected),
        cmocka_unit_test(every_world_has_each_edge_once_and_all_self_edges),
        cmocka_unit_test(drawn_edges_ascend_and_added_ones_follow),
        cmocka_unit_test(symmetric_worlds_are_as_likely_as_their_draws),
        cmocka_unit_test(directed_worlds_are_as_likely_as_their_draws),
        cmocka_unit_test(larger_worlds_have_two_edges_a_node),
        cmocka_unit_test(one_node_is_a_world),
        cmocka_unit_test(two_nodes_always_have_both_edges),
        cmocka_unit_test(all_edges_and_none_may_be_asked_for),
        cmocka_unit_test(an_edge_that_hardly_ever_comes_hardly_ever_comes),
        cmocka_unit_test(past_a_thousand_redraws_components_are_joined),
        cmocka_unit_test(where_no_redraw_can_be_connected_the_first_draw_is_joined),
        cmocka_unit_test(wrong_settings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
