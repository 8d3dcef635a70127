/* Shortest paths: Dijkstra finds what trying everything finds. */
#include <time.h>

#include "base/rng.h"
#include "worlds.h"

enum { N_MAX = 40 };

/* Floyd and Warshall: from everywhere to everywhere, through one node more at a time. */
static void distances_naively(const sonde_graph *graph, double distance[N_MAX][N_MAX]) {
    const int32_t n = graph->n_node;
    for (int32_t a = 0; a < n; a++) {
        for (int32_t b = 0; b < n; b++) {
            distance[a][b] = a == b ? 0.0 : INFINITY;
        }
    }
    for (int32_t e = 0; e < graph->n_edge; e++) {
        double *d = &distance[graph->tail[e]][graph->head[e]];
        *d = graph->weight[e] < *d ? graph->weight[e] : *d;
    }
    for (int32_t via = 0; via < n; via++) {
        for (int32_t a = 0; a < n; a++) {
            for (int32_t b = 0; b < n; b++) {
                const double through = distance[a][via] + distance[via][b];
                distance[a][b] = through < distance[a][b] ? through : distance[a][b];
            }
        }
    }
}

static void assert_distances(const sonde_graph *graph, double tolerance) {
    static double wanted[N_MAX][N_MAX];
    double found[N_MAX];
    distances_naively(graph, wanted);
    for (int32_t from = 0; from < graph->n_node; from++) {
        assert_int_equal(sonde_graph_distances(graph, from, found, NULL), SONDE_OK);
        for (int32_t to = 0; to < graph->n_node; to++) {
            if (isinf(wanted[from][to])) {
                assert_same(found[to], INFINITY);
            } else {
                assert_near(found[to], wanted[from][to], tolerance);
            }
        }
    }
}

static void drawn_worlds_have_the_naive_distances(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        const int32_t n = 1 + (int32_t)(seed % (seed < 280 ? 12 : N_MAX));
        sonde_graph *graph = world(n, seed, seed % 2 == 0 ? SONDE_SYMMETRIC : SONDE_DIRECTED);
        assert_distances(graph, 0.0); /* sums of 5, 10 and 20 are exact */
        sonde_graph_free(graph);
    }
}

/* Any edges with any weights, ties and nothing at all included; the destination is where it
 * starts. */
static sonde_graph *scattered(sonde__rng *rng, int32_t n_node, bool whole) {
    int32_t tails[N_MAX * N_MAX];
    int32_t heads[N_MAX * N_MAX];
    double weights[N_MAX * N_MAX];
    int32_t n = 0;
    const double density = sonde__rng_uniform(rng);
    for (int32_t a = 0; a < n_node; a++) {
        for (int32_t b = 0; b < n_node; b++) {
            if (sonde__rng_uniform(rng) < density) {
                tails[n] = a;
                heads[n] = b;
                weights[n] = whole ? (double)sonde__rng_below(rng, 5) : sonde__rng_uniform(rng);
                n++;
            }
        }
    }
    const sonde_graph edges = {
        .n_node = n_node, .n_edge = n, .tail = tails, .head = heads, .weight = weights};
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.start = "0,0";
    settings.destination = "0";
    sonde_graph *graph = NULL;
    assert_int_equal(sonde_graph_from_edges(&edges, &settings, 1, &graph, NULL), SONDE_OK);
    return graph;
}

static void any_graph_has_the_naive_distances(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(1, SONDE__FOR_PROBE, 0);
    for (int trial = 0; trial < 300; trial++) {
        const int32_t n = 1 + (int32_t)sonde__rng_below(&rng, trial < 280 ? 10 : N_MAX);
        sonde_graph *graph = scattered(&rng, n, trial % 2 == 0);
        assert_distances(graph, trial % 2 == 0 ? 0.0 : 1e-14);
        sonde_graph_free(graph);
    }
}

static void a_node_is_no_distance_from_itself(void **state) {
    (void)state;
    sonde_graph *graph = world(6, 2, SONDE_DIRECTED);
    double found[6];
    for (int32_t v = 0; v < 6; v++) {
        assert_int_equal(sonde_graph_distances(graph, v, found, NULL), SONDE_OK);
        assert_same(found[v], 0.0);
    }
    sonde_graph_free(graph);
}

static void a_long_path_is_added_up_in_order(void **state) {
    (void)state;
    enum { N = 20000 };
    int32_t *tails = room(N, sizeof *tails);
    int32_t *heads = room(N, sizeof *heads);
    double *weights = room(N, sizeof *weights);
    double *found = room(N, sizeof *found);
    for (int32_t i = 0; i + 1 < N; i++) {
        tails[i] = i;
        heads[i] = i + 1;
        weights[i] = i % 7;
    }
    const sonde_graph edges = {
        .n_node = N, .n_edge = N - 1, .tail = tails, .head = heads, .weight = weights};
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.start = "0,0";
    settings.destination = "19999";
    settings.horizon = 1;
    sonde_graph *graph = NULL;
    assert_int_equal(sonde_graph_from_edges(&edges, &settings, 1, &graph, NULL), SONDE_OK);
    assert_int_equal(sonde_graph_distances(graph, 0, found, NULL), SONDE_OK);
    double sum = 0.0;
    for (int32_t i = 0; i < N; i++) {
        assert_same(found[i], sum);
        sum += i % 7;
    }
    assert_int_equal(sonde_graph_distances(graph, N - 1, found, NULL), SONDE_OK);
    assert_same(found[0], INFINITY);
    sonde_graph_free(graph);
    free(tails);
    free(heads);
    free(weights);
    free(found);
}

/* Seconds of work that it takes to measure from node 0; the time of others does not count. */
static double work_of(const sonde_graph *edges, double *found) {
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.start = "0,0";
    settings.destination = "0";
    settings.horizon = 1;
    sonde_graph *graph = NULL;
    assert_int_equal(sonde_graph_from_edges(edges, &settings, 1, &graph, NULL), SONDE_OK);
    const clock_t begin = clock();
    assert_int_equal(sonde_graph_distances(graph, 0, found, NULL), SONDE_OK);
    const clock_t end = clock();
    sonde_graph_free(graph);
    return (double)(end - begin) / (double)CLOCKS_PER_SEC;
}

static void a_node_that_is_nearer_after_all_moves_up(void **state) {
    (void)state;
    /* the more steps the better: every node is brought nearer again and again, and whoever leaves
     * one too early has to leave it a thousand times */
    enum { N = 1500 };
    const uint64_t n_edge = (uint64_t)N * (N - 1) / 2;
    int32_t *tails = room(n_edge, sizeof *tails);
    int32_t *heads = room(n_edge, sizeof *heads);
    double *weights = room(n_edge, sizeof *weights);
    double *found = room(N, sizeof *found);
    int32_t e = 0;
    for (int32_t a = 0; a < N; a++) {
        for (int32_t b = a + 1; b < N; b++) {
            const double steps = b - a;
            tails[e] = a;
            heads[e] = b;
            weights[e++] = steps + 2.0 * (steps - 1.0) * (N - b + 1);
        }
    }
    const sonde_graph edges = {
        .n_node = N, .n_edge = e, .tail = tails, .head = heads, .weight = weights};
    assert_true(work_of(&edges, found) < 1.0);
    for (int32_t v = 0; v < N; v++) {
        assert_same(found[v], (double)v);
    }
    free(tails);
    free(heads);
    free(weights);
    free(found);
}

static void the_nearest_node_is_left_first(void **state) {
    (void)state;
    /* 0 reaches the first N nodes at 1, 2, ...; all but the nearest of them lead to a hub, and
     * the hub to N more: whoever takes a farther one first has to leave the hub again for each
     * nearer */
    enum { N = 40000, HUB = N + 1, N_NODE = 2 * N + 2 };
    int32_t *tails = room(3 * (uint64_t)N, sizeof *tails);
    int32_t *heads = room(3 * (uint64_t)N, sizeof *heads);
    double *weights = room(3 * (uint64_t)N, sizeof *weights);
    double *found = room(N_NODE, sizeof *found);
    int32_t e = 0;
    for (int32_t i = 1; i <= N; i++) {
        tails[e] = 0;
        heads[e] = i;
        weights[e++] = i;
        if (i > 1) {
            tails[e] = i;
            heads[e++] = HUB;
        }
        tails[e] = HUB;
        heads[e++] = HUB + i;
    }
    const sonde_graph edges = {
        .n_node = N_NODE, .n_edge = e, .tail = tails, .head = heads, .weight = weights};
    assert_true(work_of(&edges, found) < 1.0);
    for (int32_t v = 0; v < N_NODE; v++) {
        assert_same(found[v], v <= N ? (double)v : 2.0);
    }
    free(tails);
    free(heads);
    free(weights);
    free(found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn_worlds_have_the_naive_distances),
        cmocka_unit_test(any_graph_has_the_naive_distances),
        cmocka_unit_test(a_node_is_no_distance_from_itself),
        cmocka_unit_test(a_long_path_is_added_up_in_order),
        cmocka_unit_test(a_node_that_is_nearer_after_all_moves_up),
        cmocka_unit_test(the_nearest_node_is_left_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
