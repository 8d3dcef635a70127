/* A world from its edges: in whose order, with which self-edges, starting where. */
#include "base/rng.h"
#include "worlds.h"

static const int32_t tail[] = {2, 0, 2, 1, 0, 1};
static const int32_t head[] = {1, 2, 0, 0, 1, 2};
static const double weight[] = {1, 2, 3, 4, 5, 6};
static const sonde_graph triangle = {
    .n_node = 3, .n_edge = 6, .tail = tail, .head = head, .weight = weight};

static sonde_graph *make(const sonde_graph *edges, const char *start, const char *destination) {
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.start = start;
    settings.destination = destination;
    sonde_graph *graph = NULL;
    sonde_error error = {0};
    if (sonde_graph_from_edges(edges, &settings, 1, &graph, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return graph;
}

/* Fails, says so, and leaves the output alone. */
static void assert_refused(const sonde_graph *edges, const sonde_graph_settings *settings,
                           sonde_status wanted, const char *says) {
    sonde_graph *graph = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_graph_from_edges(edges, settings, 1, &graph, &error), wanted);
    assert_null(graph);
    assert_int_equal(error.status, wanted);
    assert_says(error.text, says);
    assert_int_equal(sonde_graph_from_edges(edges, settings, 1, &graph, NULL), wanted);
}

static void edges_are_grouped_by_source_in_the_order_given(void **state) {
    (void)state;
    sonde_graph *graph = make(&triangle, "2,0", "1");
    static const int32_t heads[] = {2, 1, 0, 0, 2, 1, 1, 0, 2};
    static const double weights[] = {2, 5, 100, 4, 6, 0, 1, 3, 100};
    assert_int_equal(graph->n_node, 3);
    assert_int_equal(graph->n_edge, 9);
    for (int32_t v = 0; v <= 3; v++) {
        assert_int_equal(graph->first[v], 3 * v);
    }
    for (int32_t e = 0; e < 9; e++) {
        assert_int_equal(graph->tail[e], e / 3);
        assert_int_equal(graph->head[e], heads[e]);
        assert_same(graph->weight[e], weights[e]);
    }
    assert_int_equal(graph->start, 7);
    assert_int_equal(graph->destination, 1);
    assert_int_equal(graph->horizon, 3);
    assert_same(graph->lambda, 5.0);
    assert_same(graph->idle, 100.0);
    assert_null(graph->name);
    assert_int_equal(graph->n_redraw, 0);
    assert_int_equal(graph->n_joined, 0);
    sonde_graph_free(graph);
}

static void grouping_is_stable_on_any_list(void **state) {
    (void)state;
    enum { N_NODE = 6, N_MAX = N_NODE * N_NODE };
    sonde__rng rng = sonde__rng_stream(1, SONDE__FOR_PROBE, 0);
    for (int trial = 0; trial < 200; trial++) {
        int32_t tails[N_MAX];
        int32_t heads[N_MAX];
        double weights[N_MAX];
        bool there[N_MAX] = {false};
        int32_t n = 0;
        for (int i = 0; i < 40; i++) {
            const int32_t pair = (int32_t)sonde__rng_below(&rng, N_MAX);
            if (!there[pair]) {
                there[pair] = true;
                tails[n] = pair / N_NODE;
                heads[n] = pair % N_NODE;
                weights[n] = (double)n + 0.5;
                n++;
            }
        }
        const sonde_graph edges = {
            .n_node = N_NODE, .n_edge = n, .tail = tails, .head = heads, .weight = weights};
        sonde_graph *graph = make(&edges, "3,3", "3");
        int32_t e = 0;
        for (int32_t v = 0; v < N_NODE; v++) {
            assert_int_equal(graph->first[v], e);
            for (int32_t i = 0; i < n; i++) {
                if (tails[i] == v) {
                    assert_int_equal(graph->tail[e], v);
                    assert_int_equal(graph->head[e], heads[i]);
                    assert_same(graph->weight[e], weights[i]);
                    e++;
                }
            }
            if (!there[v * N_NODE + v]) {
                assert_int_equal(graph->tail[e], v);
                assert_int_equal(graph->head[e], v);
                assert_same(graph->weight[e], v == 3 ? 0.0 : 100.0);
                assert_int_equal(graph->self[v], e);
                e++;
            }
            assert_int_equal(graph->tail[graph->self[v]], v);
            assert_int_equal(graph->head[graph->self[v]], v);
        }
        assert_int_equal(graph->n_edge, e);
        assert_int_equal(graph->first[N_NODE], e);
        sonde_graph_free(graph);
    }
}

static void a_self_edge_that_is_given_stays_as_it_is(void **state) {
    (void)state;
    static const int32_t tails[] = {0, 0, 1, 1};
    static const int32_t heads[] = {0, 1, 1, 0};
    static const double weights[] = {7, 1, 8, 1};
    const sonde_graph edges = {
        .n_node = 2, .n_edge = 4, .tail = tails, .head = heads, .weight = weights};
    sonde_graph *graph = make(&edges, "0,1", "1");
    assert_int_equal(graph->n_edge, 4);
    assert_int_equal(graph->self[0], 0);
    assert_int_equal(graph->self[1], 2);
    assert_same(graph->weight[0], 7.0);
    assert_same(graph->weight[2], 8.0); /* on the destination, too */
    sonde_graph_free(graph);
}

static void settings_say_what_a_world_needs(void **state) {
    (void)state;
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.idle = 3.0;
    settings.lambda = 0.0;
    settings.horizon = 17;
    settings.destination = "2";
    settings.start = "1,1";
    sonde_graph *graph = NULL;
    assert_int_equal(sonde_graph_from_edges(&triangle, &settings, 1, &graph, NULL), SONDE_OK);
    assert_same(graph->idle, 3.0);
    assert_same(graph->lambda, 0.0);
    assert_int_equal(graph->horizon, 17);
    assert_int_equal(graph->destination, 2);
    assert_int_equal(graph->start, graph->self[1]);
    assert_same(graph->weight[graph->self[0]], 3.0);
    assert_same(graph->weight[graph->self[2]], 0.0);
    sonde_graph_free(graph);
}

static void bad_edges_are_refused(void **state) {
    (void)state;
    int32_t tails[] = {0, 1};
    int32_t heads[] = {1, 0};
    double weights[] = {1, 1};
    const sonde_graph edges = {
        .n_node = 2, .n_edge = 2, .tail = tails, .head = heads, .weight = weights};
    static const int32_t out[] = {-1, 2, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 4; i++) {
        tails[1] = out[i];
        assert_refused(&edges, NULL, SONDE_BAD_INPUT, "edges[1]: expected a node from 0 to 1");
        tails[1] = 1;
        heads[1] = out[i];
        assert_refused(&edges, NULL, SONDE_BAD_INPUT, "edges[1]: expected a node from 0 to 1");
        heads[1] = 0;
    }
    static const double wrong[] = {-1.0, -1e-300, NAN, INFINITY, -INFINITY, 1.01e100};
    for (int i = 0; i < 6; i++) {
        weights[1] = wrong[i];
        assert_refused(&edges, NULL, SONDE_BAD_INPUT, "edges[1]: expected a weight of 0 or more");
    }
    weights[1] = 1.0;
    tails[1] = 0;
    heads[1] = 1;
    assert_refused(&edges, NULL, SONDE_BAD_INPUT, "the edge from 0 to 1 is there twice");
    heads[0] = heads[1] = 0; /* a self-edge */
    assert_refused(&edges, NULL, SONDE_BAD_INPUT, "the edge from 0 to 0 is there twice");
}

static void bad_sizes_are_refused(void **state) {
    (void)state;
    const sonde_graph none = {
        .n_node = 0, .n_edge = 0, .tail = tail, .head = head, .weight = weight};
    assert_refused(&none, NULL, SONDE_BAD_ARGUMENT, "expected 1 to 10000000 nodes");
    const sonde_graph many = {
        .n_node = 10000001, .n_edge = 0, .tail = tail, .head = head, .weight = weight};
    assert_refused(&many, NULL, SONDE_BAD_ARGUMENT, "found 10000001 and 0");
    const sonde_graph negative = {
        .n_node = 3, .n_edge = -1, .tail = tail, .head = head, .weight = weight};
    assert_refused(&negative, NULL, SONDE_BAD_ARGUMENT, "found 3 and -1");
    const sonde_graph huge = {
        .n_node = 3, .n_edge = INT32_MAX, .tail = tail, .head = head, .weight = weight};
    assert_refused(&huge, NULL, SONDE_BAD_ARGUMENT, "fewer than 2^31 edges");
}

static void a_start_that_is_no_edge_is_refused(void **state) {
    (void)state;
    static const int32_t tails[] = {0, 1};
    static const int32_t heads[] = {1, 0};
    const sonde_graph edges = {
        .n_node = 3, .n_edge = 2, .tail = tails, .head = heads, .weight = weight};
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.destination = "0";
    static const char *const wrong[] = {"0,2",  "2,0",  "0",     "",     ",",    "0,",
                                        ",0",   "0,1,", "0,1,0", "0, 1", "3,3",  "-1,0",
                                        "0,1 ", "a,b",  "0;1",   "0,+1", "0,0x1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        settings.start = wrong[i];
        assert_refused(&edges, &settings, SONDE_BAD_ARGUMENT, "start: expected an edge");
    }
    char endless[1000];
    memset(endless, '0', sizeof endless);
    memcpy(endless + sizeof endless - 3, ",1", 3);
    settings.start = endless;
    assert_refused(&edges, &settings, SONDE_BAD_ARGUMENT, "start: expected an edge");
    settings.start = "0,1";
    static const char *const nowhere[] = {"3", "", "x", "-1", "00000000000", "0 ", "1.0"};
    for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
        settings.destination = nowhere[i];
        assert_refused(&edges, &settings, SONDE_BAD_ARGUMENT,
                       "destination: expected a name or a number from 0 to 2");
    }
}

static void a_destination_out_of_reach_is_refused(void **state) {
    (void)state;
    static const int32_t tails[] = {0, 1, 2};
    static const int32_t heads[] = {1, 0, 0};
    const sonde_graph edges = {
        .n_node = 3, .n_edge = 3, .tail = tails, .head = heads, .weight = weight};
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.start = "0,1";
    settings.destination = "2";
    assert_refused(&edges, &settings, SONDE_BAD_INPUT,
                   "destination: node 2 cannot be reached from the start node 1");
    settings.start = "2,2";
    settings.destination = "1";
    sonde_graph *graph = NULL;
    assert_int_equal(sonde_graph_from_edges(&edges, &settings, 1, &graph, NULL), SONDE_OK);
    sonde_graph_free(graph);
}

static void names_that_are_no_text_are_refused(void **state) {
    (void)state;
    static const int32_t end[] = {0, 1, 0};
    static const double one[] = {1.0, 1.0};
    static const char *const name[] = {"a", "caf\351"};
    const sonde_graph edges = {
        .n_node = 2, .n_edge = 2, .tail = end, .head = end + 1, .weight = one, .name = name};
    const sonde_graph_settings settings = sonde_graph_defaults();
    sonde_graph *graph = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_graph_from_edges(&edges, &settings, 1, &graph, &error), SONDE_BAD_INPUT);
    assert_string_equal(error.text,
                        "names[1]: expected a name in UTF-8, found the byte 0xe9 in it");
}

static void names_are_the_graphs_own(void **state) {
    (void)state;
    char names[3][8] = {"home", "a,b", "2"};
    const char *list[] = {names[0], names[1], names[2]};
    sonde_graph edges = triangle;
    edges.name = list;
    sonde_graph *graph = make(&edges, "home,a,b", "a,b");
    memset(names, 'x', sizeof names);
    list[0] = NULL;
    assert_string_equal(graph->name[0], "home");
    assert_string_equal(graph->name[1], "a,b");
    assert_string_equal(graph->name[2], "2");
    assert_int_equal(graph->tail[graph->start], 0);
    assert_int_equal(graph->head[graph->start], 1);
    assert_int_equal(graph->destination, 1);
    sonde_graph_free(graph);
}

static void a_start_may_be_named_and_numbered(void **state) {
    (void)state;
    static const char *const list[] = {"home", "a,b", "a"};
    sonde_graph edges = triangle;
    edges.name = list;
    static const struct {
        const char *start;
        int32_t tail;
        int32_t head;
    } cases[] = {{"home,a", 0, 2}, {"a,b,home", 1, 0}, {"a,b,a,b", 1, 1}, {"a,a,b", 2, 1},
                 {"0,a", 0, 2},    {"a,1", 2, 1},      {"0,1", 0, 1},     {"home,a,b", 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sonde_graph *graph = make(&edges, cases[i].start, "0");
        assert_int_equal(graph->tail[graph->start], cases[i].tail);
        assert_int_equal(graph->head[graph->start], cases[i].head);
        sonde_graph_free(graph);
    }
}

static void nodes_are_found_by_name_and_number(void **state) {
    (void)state;
    static const char *const list[] = {"home", "1", "zwei"};
    sonde_graph edges = triangle;
    edges.name = list;
    sonde_graph *graph = make(&edges, "0,0", "0");
    assert_int_equal(sonde_graph_node(graph, "home"), 0);
    assert_int_equal(sonde_graph_node(graph, "1"), 1);
    assert_int_equal(sonde_graph_node(graph, "zwei"), 2);
    assert_int_equal(sonde_graph_node(graph, "0"), 0);
    assert_int_equal(sonde_graph_node(graph, "2"), 2);
    static const char *const none[] = {
        "3", "Home", "hom", "", "-1", "1x", "0x1", " 1", "4294967296", "99999999999999999999999"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_int_equal(sonde_graph_node(graph, none[i]), -1);
    }
    sonde_graph_free(graph);
}

static void edges_are_found_by_their_ends(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        sonde_graph *graph = world(7, seed, seed % 2 == 0 ? SONDE_SYMMETRIC : SONDE_DIRECTED);
        int32_t n_found = 0;
        for (int32_t a = 0; a < 7; a++) {
            for (int32_t b = 0; b < 7; b++) {
                const int32_t e = sonde_graph_edge(graph, a, b);
                if (e >= 0) {
                    assert_int_equal(graph->tail[e], a);
                    assert_int_equal(graph->head[e], b);
                    n_found++;
                }
            }
        }
        assert_int_equal(n_found, graph->n_edge);
        sonde_graph_free(graph);
    }
}

static void start_and_destination_are_drawn_evenly(void **state) {
    (void)state;
    enum { N_WORLD = 9000 };
    int n_start[9] = {0};
    int n_destination[3] = {0};
    for (uint64_t seed = 0; seed < N_WORLD; seed++) {
        sonde_graph *graph = NULL;
        assert_int_equal(sonde_graph_from_edges(&triangle, NULL, seed, &graph, NULL), SONDE_OK);
        n_start[graph->start]++;
        n_destination[graph->destination]++;
        sonde_graph_free(graph);
    }
    /* five standard deviations of a binomial count */
    for (int i = 0; i < 9; i++) {
        assert_true(abs(n_start[i] - N_WORLD / 9) < 5 * 30);
    }
    for (int i = 0; i < 3; i++) {
        assert_true(abs(n_destination[i] - N_WORLD / 3) < 5 * 45);
    }
}

static void a_drawn_start_does_not_depend_on_the_destination(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        sonde_graph *drawn = NULL;
        assert_int_equal(sonde_graph_from_edges(&triangle, NULL, seed, &drawn, NULL), SONDE_OK);
        sonde_graph_settings settings = sonde_graph_defaults();
        settings.destination = "2";
        sonde_graph *given = NULL;
        assert_int_equal(sonde_graph_from_edges(&triangle, &settings, seed, &given, NULL),
                         SONDE_OK);
        assert_int_equal(given->start, drawn->start);
        assert_int_equal(given->destination, 2);
        sonde_graph_free(drawn);
        sonde_graph_free(given);
    }
}

static void one_node_without_edges_is_a_world(void **state) {
    (void)state;
    const sonde_graph edges = {
        .n_node = 1, .n_edge = 0, .tail = NULL, .head = NULL, .weight = NULL};
    sonde_graph *graph = NULL;
    assert_int_equal(sonde_graph_from_edges(&edges, NULL, 5, &graph, NULL), SONDE_OK);
    assert_int_equal(graph->n_edge, 1);
    assert_int_equal(graph->start, 0);
    assert_int_equal(graph->destination, 0);
    assert_int_equal(graph->horizon, 1);
    assert_same(graph->weight[0], 0.0);
    sonde_graph_free(graph);
}

static void nothing_is_freed_without_harm(void **state) {
    (void)state;
    sonde_graph_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_are_grouped_by_source_in_the_order_given),
        cmocka_unit_test(grouping_is_stable_on_any_list),
        cmocka_unit_test(a_self_edge_that_is_given_stays_as_it_is),
        cmocka_unit_test(settings_say_what_a_world_needs),
        cmocka_unit_test(bad_edges_are_refused),
        cmocka_unit_test(bad_sizes_are_refused),
        cmocka_unit_test(a_start_that_is_no_edge_is_refused),
        cmocka_unit_test(a_destination_out_of_reach_is_refused),
        cmocka_unit_test(names_that_are_no_text_are_refused),
        cmocka_unit_test(names_are_the_graphs_own),
        cmocka_unit_test(a_start_may_be_named_and_numbered),
        cmocka_unit_test(nodes_are_found_by_name_and_number),
        cmocka_unit_test(edges_are_found_by_their_ends),
        cmocka_unit_test(start_and_destination_are_drawn_evenly),
        cmocka_unit_test(a_drawn_start_does_not_depend_on_the_destination),
        cmocka_unit_test(one_node_without_edges_is_a_world),
        cmocka_unit_test(nothing_is_freed_without_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
