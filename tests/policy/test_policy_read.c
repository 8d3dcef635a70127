/* Policies of the user's own: read as lists of nodes, refused with the place that is wrong. */
#include "files.h"

#define PLAIN SONDE_TEST_TMP "/policies.json"
#define PACKED SONDE_TEST_TMP "/policies.json.gz"

/* 0 -> 1 -> 2 -> 0 and all self-edges; two steps. */
static space ring(const char *const *name) {
    static const int32_t tail[] = {0, 1, 2};
    static const int32_t head[] = {1, 2, 0};
    static const double weight[] = {1, 2, 3};
    const sonde_graph edges = {
        .n_node = 3, .n_edge = 3, .tail = tail, .head = head, .weight = weight, .name = name};
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.horizon = 2;
    sonde_graph *graph = NULL;
    assert_int_equal(sonde_graph_from_edges(&edges, &settings, 1, &graph, NULL), SONDE_OK);
    return space_new(graph);
}

static sonde_walks *read_walks(const char *text, const sonde_policies *policies) {
    put_text(PLAIN, text);
    sonde_walks *walks = NULL;
    sonde_error error = {0};
    if (sonde_walks_read(PLAIN, policies, &walks, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return walks;
}

static void assert_walk(const sonde_graph *graph, const sonde_walks *walks, int32_t i,
                        const int32_t *node) {
    for (int32_t t = 0; t <= walks->horizon; t++) {
        const int32_t edge = walks->walk[i * (walks->horizon + 1) + t];
        assert_int_equal(edge, sonde_graph_edge(graph, node[t], node[t + 1]));
        assert_true(edge >= 0);
    }
}

static void walks_are_read_by_the_numbers_of_their_nodes(void **state) {
    (void)state;
    space s = ring(NULL);
    sonde_walks *walks =
        read_walks("[[0, 1, 2, 0], [2, 2, 2, 2], [1, 2, 2, 0],\n [0, 1, 2, 0]]", s.policies);
    assert_int_equal(walks->n_policy, 4);
    assert_int_equal(walks->horizon, 2);
    static const int32_t node[4][4] = {{0, 1, 2, 0}, {2, 2, 2, 2}, {1, 2, 2, 0}, {0, 1, 2, 0}};
    for (int32_t i = 0; i < 4; i++) {
        assert_walk(s.graph, walks, i, node[i]);
    }
    sonde_walks_free(walks);
    space_free(&s);
}

static void walks_are_read_by_the_names_of_their_nodes(void **state) {
    (void)state;
    static const char *const name[] = {"home", "shop", "the park"};
    space s = ring(name);
    sonde_walks *walks = read_walks(
        "[[\"home\", \"shop\", \"the park\", \"home\"], [\"2\", 0, 0, \"shop\"]]", s.policies);
    static const int32_t node[2][4] = {{0, 1, 2, 0}, {2, 0, 0, 1}};
    assert_int_equal(walks->n_policy, 2);
    assert_walk(s.graph, walks, 0, node[0]);
    assert_walk(s.graph, walks, 1, node[1]);
    sonde_walks_free(walks);
    space_free(&s);
}

static void every_policy_reads_back_from_its_nodes(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        space s = space_new(world_of_horizon(4, seed, 3));
        const uint64_t n = s.policies->n_policy;
        int32_t walk[4];
        sonde_text text = {0};
        sonde_text_add(&text, "[");
        for (uint64_t i = 0; i < n; i++) {
            sonde_policies_get(s.policies, SONDE_EVERYWHERE, i, walk, NULL);
            sonde_text_add(&text, "%s[%d", i > 0 ? ",\n" : "", s.graph->tail[walk[0]]);
            for (int t = 0; t < 4; t++) {
                sonde_text_add(&text, ", %d", s.graph->head[walk[t]]);
            }
            sonde_text_add(&text, "]");
        }
        sonde_text_add(&text, "]");
        put_gzip(PACKED, text.data, text.size);
        sonde_walks *walks = NULL;
        assert_int_equal(sonde_walks_read(PACKED, s.policies, &walks, NULL), SONDE_OK);
        assert_int_equal(walks->n_policy, n);
        for (uint64_t i = 0; i < n; i++) {
            assert_int_equal(sonde_policies_find(s.policies, SONDE_EVERYWHERE, walks->walk + 4 * i),
                             i);
        }
        sonde_walks_free(walks);
        sonde_text_free(&text);
        space_free(&s);
    }
}

static void no_policies_are_a_list_of_policies(void **state) {
    (void)state;
    space s = ring(NULL);
    sonde_walks *walks = read_walks("[]", s.policies);
    assert_int_equal(walks->n_policy, 0);
    sonde_walks_free(walks);
    sonde_walks_free(NULL);
    space_free(&s);
}

static const struct {
    const char *text;
    const char *says;
} wrong[] = {
    {"", "expected a JSON document, found nothing"},
    {"[[0, 1, 2, 0]", "line 1"},
    {"[[0, 1, NaN, 0]]", "line 1"},
    {"{\"policies\": []}", "document: expected a list of policies, found {\"policies\":[]}"},
    {"[7]", "[0]: expected 4 nodes (previous, current, then one for each of 2 steps), found 7"},
    {"[[0, 1, 2]]", "[0]: expected 4 nodes (previous, current, then one for each of 2 steps), "
                    "found [0,1,2]"},
    {"[[0, 1, 2, 0], [0, 1, 2, 0, 1]]", "[1]: expected 4 nodes "},
    {"[[]]", "[0]: expected 4 nodes "},
    {"[[0, 1, 2, 0], [0, 1, 3, 0]]", "[1][2]: expected a whole number from 0 to 2, found 3"},
    {"[[0, -1, 2, 0]]", "[0][1]: expected a whole number from 0 to 2, found -1"},
    {"[[0, 1.0, 2, 0]]", "[0][1]: expected a whole number from 0 to 2, found 1.0"},
    {"[[0, 1, 2, null]]", "[0][3]: expected a whole number from 0 to 2, found null"},
    {"[[0, 1, [2], 0]]", "[0][2]: expected a whole number from 0 to 2, found [2]"},
    {"[[0, \"nowhere\", 2, 0]]", "[0][1]: expected the name of a node, found \"nowhere\""},
    {"[[0, 1, 2, 0], [0, 1, 0, 0]]",
     "[1][2]: expected a neighbour of node 1, found 0; there is no such edge"},
    {"[[1, 0, 0, 0]]", "[0][1]: expected a neighbour of node 1, found 0; there is no such edge"},
    {"[[0, 1, 2, 1]]", "[0][3]: expected a neighbour of node 2, found 1; there is no such edge"},
};

static void every_wrong_list_is_told_with_file_and_place(void **state) {
    (void)state;
    space s = ring(NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        put_text(PLAIN, wrong[i].text);
        sonde_walks *walks = NULL;
        sonde_error error = {0};
        assert_int_equal(sonde_walks_read(PLAIN, s.policies, &walks, &error), SONDE_BAD_INPUT);
        assert_int_equal(error.status, SONDE_BAD_INPUT);
        assert_null(walks);
        char wanted[1024];
        (void)snprintf(wanted, sizeof wanted, "%s: %s", PLAIN, wrong[i].says);
        if (strncmp(error.text, wanted, strlen(wanted)) != 0) {
            fail_msg("%s\n  gives \"%s\",\n  not \"%s\"", wrong[i].text, error.text, wanted);
        }
        assert_int_equal(sonde_walks_read(PLAIN, s.policies, &walks, NULL), SONDE_BAD_INPUT);
    }
    sonde_walks *walks = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_walks_read(SONDE_TEST_TMP "/none.json", s.policies, &walks, &error),
                     SONDE_NO_FILE);
    assert_says(error.text, SONDE_TEST_TMP "/none.json: ");
    assert_null(walks);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_are_read_by_the_numbers_of_their_nodes),
        cmocka_unit_test(walks_are_read_by_the_names_of_their_nodes),
        cmocka_unit_test(every_policy_reads_back_from_its_nodes),
        cmocka_unit_test(no_policies_are_a_list_of_policies),
        cmocka_unit_test(every_wrong_list_is_told_with_file_and_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
