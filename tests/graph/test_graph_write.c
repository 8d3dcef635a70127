/* Worlds as documents: read back, they are the same worlds. */
#include <jansson.h>

#include "base/rng.h"
#include "worlds.h"

static sonde_graph *read_back(const sonde_text *text, uint64_t seed) {
    const sonde_source source = {"written", text->data, text->size};
    sonde_graph *graph = NULL;
    sonde_error error = {0};
    if (sonde_graph_read(&source, NULL, seed, &graph, &error) != SONDE_OK) {
        fail_msg("%s\n%s", error.text, text->data);
    }
    return graph;
}

static void assert_same_graph(const sonde_graph *a, const sonde_graph *b) {
    assert_int_equal(a->n_node, b->n_node);
    assert_int_equal(a->n_edge, b->n_edge);
    assert_int_equal(a->start, b->start);
    assert_int_equal(a->destination, b->destination);
    assert_int_equal(a->horizon, b->horizon);
    assert_same(a->lambda, b->lambda);
    assert_same(a->idle, b->idle);
    const size_t n_node = (size_t)a->n_node;
    const size_t n_edge = (size_t)a->n_edge;
    assert_memory_equal(a->first, b->first, (n_node + 1) * sizeof *a->first);
    assert_memory_equal(a->self, b->self, n_node * sizeof *a->self);
    assert_memory_equal(a->tail, b->tail, n_edge * sizeof *a->tail);
    assert_memory_equal(a->head, b->head, n_edge * sizeof *a->head);
    assert_memory_equal(a->weight, b->weight, n_edge * sizeof *a->weight);
    assert_true((a->name == NULL) == (b->name == NULL));
    for (int32_t v = 0; a->name != NULL && v < a->n_node; v++) {
        assert_string_equal(a->name[v], b->name[v]);
    }
}

/* Written, read, and written again; the seed of reading must not matter. */
static void assert_round_trip(const sonde_graph *graph) {
    sonde_text first = {0};
    sonde_graph_write(graph, &first);
    assert_false(first.failed);
    sonde_graph *read = read_back(&first, 12345);
    assert_same_graph(graph, read);
    sonde_text second = {0};
    sonde_graph_write(read, &second);
    assert_string_equal(first.data, second.data);
    sonde_text_free(&first);
    sonde_text_free(&second);
    sonde_graph_free(read);
}

static void drawn_worlds_come_back_the_same(void **state) {
    (void)state;
    static const double odd[] = {0.1, 1.0 / 3.0, 0.0, 1e100, 5e-324, 123456789.125, 100.0, 1e17};
    for (uint64_t seed = 0; seed < 200; seed++) {
        sonde_graph_settings settings = sonde_graph_defaults();
        settings.n_node = 1 + (int32_t)(seed % 9);
        settings.connect = seed % 2 == 0 ? SONDE_SYMMETRIC : SONDE_DIRECTED;
        if (seed % 3 == 1) {
            settings.weight = odd;
            settings.n_weight = 8;
            settings.idle = 1.0 / 7.0;
            settings.lambda = 0.1 * (double)seed;
            settings.horizon = 1 + (int32_t)seed;
        }
        sonde_graph *graph = NULL;
        assert_int_equal(sonde_graph_random(&settings, seed, &graph, NULL), SONDE_OK);
        assert_round_trip(graph);
        sonde_graph_free(graph);
    }
}

/* A world whose edges, self-edges and names are anything that is allowed. */
static sonde_graph *odd_world(sonde__rng *rng, bool named) {
    enum { N_MAX = 8 };
    static const char *const names[N_MAX] = {"a",           "\"q\"",
                                             "back\\slash", "soft\xc2\xadhyphen",
                                             "a,b,c",       "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
                                             "6",           " "};
    int32_t tails[N_MAX * N_MAX];
    int32_t heads[N_MAX * N_MAX];
    double weights[N_MAX * N_MAX];
    int32_t order[N_MAX * N_MAX];
    const int32_t n_node = 1 + (int32_t)sonde__rng_below(rng, N_MAX);
    for (int32_t i = 0; i < n_node * n_node; i++) {
        const int32_t j = (int32_t)sonde__rng_below(rng, (uint64_t)i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    int32_t n = 0;
    for (int32_t i = 0; i < n_node * n_node; i++) {
        const int32_t a = order[i] / n_node;
        const int32_t b = order[i] % n_node;
        /* a ring, so that everything is within reach, and half of the rest */
        if (b == (a + 1) % n_node || sonde__rng_below(rng, 2) == 0) {
            static const double usual[] = {0.0, 100.0, 5.0};
            const uint64_t which = sonde__rng_below(rng, 6);
            tails[n] = a;
            heads[n] = b;
            weights[n] = which < 3 ? usual[which] : 1000.0 * sonde__rng_uniform(rng);
            n++;
        }
    }
    const sonde_graph edges = {.n_node = n_node,
                               .n_edge = n,
                               .tail = tails,
                               .head = heads,
                               .weight = weights,
                               .name = named ? names : NULL};
    sonde_graph *graph = NULL;
    sonde_error error = {0};
    if (sonde_graph_from_edges(&edges, NULL, sonde__rng_next(rng), &graph, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return graph;
}

static void odd_worlds_come_back_the_same(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(1, SONDE__FOR_PROBE, 0);
    for (int trial = 0; trial < 400; trial++) {
        sonde_graph *graph = odd_world(&rng, trial % 2 == 0);
        assert_round_trip(graph);
        sonde_graph_free(graph);
    }
}

static void a_document_is_what_the_specification_says(void **state) {
    (void)state;
    static const int32_t tail[] = {0, 1, 1};
    static const int32_t head[] = {1, 0, 1};
    static const double weight[] = {5, 2.5, 7};
    static const char *const name[] = {"here", "there"};
    const sonde_graph edges = {
        .n_node = 2, .n_edge = 3, .tail = tail, .head = head, .weight = weight, .name = name};
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.start = "0,1";
    settings.destination = "1";
    sonde_graph *graph = NULL;
    assert_int_equal(sonde_graph_from_edges(&edges, &settings, 1, &graph, NULL), SONDE_OK);
    sonde_text text = {0};
    sonde_graph_write(graph, &text);
    json_t *found = json_loadb(text.data, text.size, JSON_REJECT_DUPLICATES, NULL);
    /* the self-edge of node 0 is the one that reading adds; that of node 1 is not */
    json_t *wanted = json_loads("{\"format\": \"sonde-graph\", \"version\": 1, \"nodes\": 2, "
                                "\"names\": [\"here\", \"there\"], "
                                "\"edges\": [[0, 1, 5], [1, 0, 2.5], [1, 1, 7]], "
                                "\"start\": [0, 1], \"destination\": 1, \"horizon\": 2, "
                                "\"lambda\": 5, \"idle\": 100}",
                                0, NULL);
    assert_non_null(found);
    assert_non_null(wanted);
    assert_true(json_equal(found, wanted));
    json_decref(found);
    json_decref(wanted);
    sonde_text_free(&text);
    sonde_graph_free(graph);
}

static void a_weight_of_minus_nothing_comes_back_the_same(void **state) {
    (void)state;
    static const char text[] = "{\"format\": \"sonde-graph\", \"version\": 1, \"nodes\": 2, "
                               "\"edges\": [[0, 1, -0.0], [1, 0, -0.0]], \"idle\": -0.0, "
                               "\"lambda\": -0.0, \"start\": [0, 1], \"destination\": 1}";
    const sonde_source source = {"zero", text, sizeof text - 1};
    sonde_graph *graph = NULL;
    assert_int_equal(sonde_graph_read(&source, NULL, 1, &graph, NULL), SONDE_OK);
    assert_round_trip(graph);
    sonde_graph_free(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn_worlds_come_back_the_same),
        cmocka_unit_test(odd_worlds_come_back_the_same),
        cmocka_unit_test(a_document_is_what_the_specification_says),
        cmocka_unit_test(a_weight_of_minus_nothing_comes_back_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
