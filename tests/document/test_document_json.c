/* Worlds, decisions and episodes as JSON documents. */
#include "documents.h"

/* ------------------------------------------------------------------------------------ world -- */

static void a_world_reports_its_facts(void **state) {
    (void)state;
    world w = world_new(triangle(NULL, 3));
    double distance[3];
    assert_int_equal(sonde_graph_distances(w.graph, 0, distance, NULL), SONDE_OK);
    sonde_text json = {0};
    sonde_document_graph(w.graph, distance, w.policies, "sonde graph", &json);
    json_t *root = tree(&json);
    assert_string_equal(string_at(root, "verb"), "graph");
    assert_number(root, "nodes", 3);
    assert_number(root, "edges", 9);
    assert_json(root, "start", "[2,0]");
    assert_number(root, "destination", 1);
    assert_number(root, "horizon", 3);
    assert_number(root, "lambda", 5);
    assert_number(root, "distances.2", 15);
    assert_number(root, "shortest", 10);
    assert_number(root, "policies.local", 27);
    assert_number(root, "policies.global", 243);
    assert_null(json_object_get(root, "names"));
    json_decref(root);
    world_free(&w);
}

static void the_world_inside_reads_back(void **state) {
    (void)state;
    world w = world_new(triangle(NULL, 3));
    sonde_text json = {0};
    sonde_document_graph(w.graph, NULL, NULL, NULL, &json);
    json_t *root = tree(&json);
    char *document = json_dumps(at(root, "world"), 0);
    const sonde_source source = {"the report", document, strlen(document)};
    sonde_graph *again = NULL;
    sonde_error error;
    if (sonde_graph_read(&source, NULL, 1, &again, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(again->n_edge, w.graph->n_edge);
    assert_int_equal(again->start, w.graph->start);
    assert_memory_equal(again->weight, w.graph->weight, 9 * sizeof(double));
    sonde_graph_free(again);
    free(document);
    json_decref(root);
    world_free(&w);
}

static void counts_past_2_to_the_53_are_strings(void **state) {
    (void)state;
    world w = world_new(triangle(NULL, 40));
    sonde_text json = {0};
    sonde_document_graph(w.graph, NULL, w.policies, NULL, &json);
    json_t *root = tree(&json);
    /* 3^40 and 3^42, as the doubles nearest to them */
    assert_string_equal(string_at(root, "policies.local"), "1.2157665459056929e+19");
    assert_string_equal(string_at(root, "policies.global"), "1.0941898913151237e+20");
    json_decref(root);
    world_free(&w);
}

static void no_way_is_null(void **state) {
    (void)state;
    world w = world_new(triangle(NULL, 3));
    double distance[3] = {0.0, 1e300 * 1e300, 5.0};
    sonde_text json = {0};
    sonde_document_graph(w.graph, distance, w.policies, NULL, &json);
    json_t *root = tree(&json);
    assert_json(root, "distances.1", "null");
    assert_json(root, "shortest", "null");
    json_decref(root);
    world_free(&w);
}

static void names_are_escaped(void **state) {
    (void)state;
    const char *const name[] = {"a \"quoted\" name", "back\\slash", "no tab \303\251"};
    world w = world_new(triangle(name, 3));
    sonde_text json = {0};
    sonde_document_graph(w.graph, NULL, w.policies, NULL, &json);
    json_t *root = tree(&json);
    for (size_t v = 0; v < 3; v++) {
        assert_string_equal(json_string_value(json_array_get(at(root, "names"), v)), name[v]);
    }
    json_decref(root);
    world_free(&w);
}

/* --------------------------------------------------------------------------------- decision -- */

static sonde_agent *agent_of(const world *w, const sonde_search_settings *settings) {
    sonde_agent *agent = NULL;
    sonde_error error;
    if (sonde_agent_new(w->policies, settings, NULL, &agent, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return agent;
}

/* The document of an agent's first decision; `also` as in sonde_about. */
static json_t *decide_about(const world *w, const sonde_search_settings *settings,
                            const char *also) {
    sonde_agent *agent = agent_of(w, settings);
    const sonde_decision *decision = NULL;
    sonde_agent_observe(agent, &w->graph->start, NULL);
    assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
    const int32_t action = sonde_agent_act(agent);
    sonde_text json = {0};
    const sonde_about about = {.command = "sonde plan w.json", .also = also};
    sonde_document_decision(agent, decision, action, NULL, &about, &json);
    sonde_agent_free(agent);
    return tree(&json);
}

static json_t *decide(const world *w, const sonde_search_settings *settings) {
    return decide_about(w, settings, NULL);
}

static void a_decision_has_the_keys_others_rely_on(void **state) {
    (void)state;
    world w = world_new(triangle(NULL, 3));
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = SONDE_SEARCH_FULL;
    json_t *root = decide(&w, &settings);
    assert_string_equal(string_at(root, "search"), "full");
    assert_number(root, "policy_space", 27);
    assert_number(root, "action.to", 1);
    assert_json(root, "action.edges", "[[2,0],[0,1]]");
    assert_json(root, "best.nodes", "[2,0,1,1,1]");
    assert_json(root, "best.actions", "[[[2,0],[0,1]],[[0,1],[1,1]],[[1,1],[1,1]]]");
    assert_near(number_at(root, "best.efe"), 53.29583692550659, 1e-5);
    assert_number(root, "evaluations.policies", 27);
    assert_near(number_at(root, "evaluations.equivalent"),
                number_at(root, "evaluations.steps") / 3.0, 1e-12);
    assert_number(root, "evaluations.setup_steps", 0);
    assert_json(root, "certificate", "null");
    assert_true(number_at(root, "seconds") >= 0.0);
    assert_json(root, "state", "[2,0]");
    assert_null(json_object_get(root, "clusters"));
    json_decref(root);
    world_free(&w);
}

static void action_probabilities_sum_to_one(void **state) {
    (void)state;
    world w = world_new(triangle(NULL, 3));
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = SONDE_SEARCH_FULL;
    json_t *root = decide(&w, &settings);
    static const char *const list[][2] = {{"action_probabilities", "p"},
                                          {"first_actions", "posterior"},
                                          {"first_actions", "probability"}};
    for (int i = 0; i < 3; i++) {
        double sum = 0.0;
        size_t j;
        json_t *one;
        json_array_foreach(at(root, list[i][0]), j, one) {
            sum += number_at(one, list[i][1]);
        }
        assert_near(sum, 1.0, 1e-12);
    }
    assert_true(json_is_integer(at(root, "action_probabilities.0.to")));
    assert_true(json_is_array(at(root, "first_actions.0.action.edges")));
    json_decref(root);
    world_free(&w);
}

static void a_clustered_decision_shows_its_clusters(void **state) {
    (void)state;
    world w = world_new(triangle(NULL, 3));
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = SONDE_SEARCH_CLUSTER;
    settings.cluster.k = 4;
    json_t *root = decide(&w, &settings);
    assert_string_equal(string_at(root, "search"), "cluster");
    assert_number(root, "k", 4);
    assert_number(root, "k_asked", 4);
    int n_chosen = 0;
    double size = 0.0;
    size_t i;
    json_t *cluster;
    json_array_foreach(at(root, "clusters"), i, cluster) {
        size += number_at(cluster, "size");
        n_chosen += json_is_true(at(cluster, "chosen")) ? 1 : 0;
        assert_true(json_is_true(at(cluster, "valid")));
        assert_true(number_at(cluster, "representative") < 27);
        assert_int_equal(json_array_size(at(cluster, "nodes")), 5);
        assert_true(number_at(cluster, "efe") > 0.0);
    }
    assert_int_equal(i, 4);
    assert_int_equal(n_chosen, 1);
    assert_near(size, 27.0, 0.0);
    json_decref(root);
    world_free(&w);
}

static void every_setting_is_in_the_document(void **state) {
    (void)state;
    world w = world_new(triangle(NULL, 3));
    sonde_search_settings settings = sonde_search_defaults();
    settings.seed = UINT64_MAX;
    settings.fallback = SONDE_SEARCH_BEAM;
    /* the rare ones are there where they are on */
    settings.cluster.keep_empty = settings.cluster.nearest_of_all = true;
    settings.cluster.seed_order = settings.probe_everywhere = true;
    settings.n_keep = 1;
    settings.inference = SONDE_INFERENCE_EXACT;
    json_t *root = decide(&w, &settings);
    const sonde_setting *row;
    for (int32_t i = 0; (row = sonde_setting_at(i)) != NULL; i++) {
        /* what closed loop alone has is in its documents alone */
        const bool closed =
            strcmp(row->key, "loop") == 0 || (row->with != NULL && strcmp(row->with, "loop") == 0);
        if (!closed && json_object_get(at(root, "settings"), row->key) == NULL) {
            fail_msg("%s is missing", row->key);
        }
    }
    assert_string_equal(string_at(root, "settings.seed"), "18446744073709551615");
    assert_string_equal(string_at(root, "command"), "sonde plan w.json");
    json_decref(root);
    world_free(&w);
}

/* The pairs that the laboratory adds to "settings". */
static json_t *decide_as(const world *w, uint32_t differences, int32_t k_before) {
    sonde_search_settings settings = sonde_search_defaults();
    sonde_text also = {0};
    sonde_differences_write(differences, k_before, &also);
    sonde_differences_apply(differences, k_before, &settings);
    json_t *root = decide_about(w, &settings, also.data);
    sonde_text_free(&also);
    return root;
}

static void the_two_semantics_have_their_names(void **state) {
    (void)state;
    world w = world_new(triangle(NULL, 3));
    json_t *root = decide_as(&w, SONDE_SEMANTICS_TEXT, 12);
    assert_string_equal(string_at(root, "settings.semantics"), "text");
    assert_json(root, "settings.differences", "[]");
    json_decref(root);
    root = decide_as(&w, 1u << SONDE_DIFFERENCE_LAG, 3);
    assert_string_equal(string_at(root, "settings.semantics"), "mixed");
    assert_json(root, "settings.differences", "[\"lag\"]");
    assert_number(root, "settings.k_before", 3);
    assert_number(root, "settings.k", 3);
    json_decref(root);
    root = decide_as(&w, SONDE_SEMANTICS_NOTEBOOK, 3);
    assert_string_equal(string_at(root, "settings.semantics"), "notebook");
    assert_int_equal(json_array_size(at(root, "settings.differences")), SONDE_DIFFERENCE_COUNT);
    json_decref(root);
    world_free(&w);
}

/* The settings that were asked for stand in the document, not what they were turned into. */
static void a_document_has_the_settings_that_it_is_told(void **state) {
    (void)state;
    world w = world_new(triangle(NULL, 3));
    const sonde_search_settings asked = sonde_search_defaults();
    sonde_search_settings meant = asked;
    meant.cluster.k = 3;
    sonde_agent *agent = agent_of(&w, &meant);
    const sonde_decision *decision = NULL;
    sonde_agent_observe(agent, &w.graph->start, NULL);
    assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
    sonde_text json = {0};
    const sonde_about about = {.settings = &asked};
    sonde_document_decision(agent, decision, -1, NULL, &about, &json);
    json_t *root = tree(&json);
    assert_number(root, "settings.k", 12);
    json_decref(root);
    /* who tells it nothing gets the agent's */
    sonde_document_decision(agent, decision, -1, NULL, NULL, &json);
    root = tree(&json);
    assert_number(root, "settings.k", 3);
    assert_null(json_object_get(root, "command"));
    json_decref(root);
    sonde_agent_free(agent);
    world_free(&w);
}

/* ---------------------------------------------------------------------------------- episode -- */

static json_t *simulate(const world *w, sonde_search_settings settings, int32_t n_step) {
    sonde_agent *agent = agent_of(w, &settings);
    sonde_episode *episode = NULL;
    assert_int_equal(sonde_simulate(agent, NULL, n_step, &episode, NULL), SONDE_OK);
    sonde_text json = {0};
    const sonde_about about = {.command = "sonde simulate w.json"};
    sonde_document_episode(agent, episode, &about, &json);
    sonde_episode_free(episode);
    sonde_agent_free(agent);
    return tree(&json);
}

static void an_episode_has_the_keys_others_rely_on(void **state) {
    (void)state;
    world w = world_new(triangle(NULL, 3));
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = SONDE_SEARCH_FULL;
    json_t *root = simulate(&w, settings, 10);
    assert_string_equal(string_at(root, "verb"), "simulate");
    assert_json(root, "path", "[0,1,1,1,1,1,1,1,1,1,1]");
    assert_json(root, "optimal", "true");
    assert_number(root, "reached", 1);
    assert_string_equal(string_at(root, "failure"), sonde_failure_name(SONDE_FAILURE_NONE));
    assert_number(root, "walked", 10);
    assert_number(root, "shortest", 10);
    assert_int_equal(json_array_size(at(root, "steps")), 10);
    assert_number(root, "steps.9.step", 9);
    assert_number(root, "steps.0.action.to", 1);
    assert_json(root, "steps.0.action.edges", "[[2,0],[0,1]]");
    assert_true(number_at(root, "steps.0.p") > 0.5);
    assert_true(number_at(root, "steps.0.evaluations.steps") > 0);
    assert_int_equal(json_array_size(at(root, "steps.0.belief.0")), 9);
    assert_number(root, "settings.seed", 1);
    json_decref(root);
    world_free(&w);
}

/* Three nodes in a row, from one end to the other: too far for one step. */
static sonde_graph *row(void) {
    static const int32_t tail[] = {0, 1, 1, 2};
    static const int32_t head[] = {1, 0, 2, 1};
    static const double weight[] = {5, 5, 5, 5};
    const sonde_graph edges = {
        .n_node = 3, .n_edge = 4, .tail = tail, .head = head, .weight = weight};
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.start = "0,0";
    settings.destination = "2";
    sonde_graph *graph = NULL;
    assert_int_equal(sonde_graph_from_edges(&edges, &settings, 1, &graph, NULL), SONDE_OK);
    return graph;
}

static void never_reached_is_null(void **state) {
    (void)state;
    world w = world_new(row());
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = SONDE_SEARCH_FULL;
    json_t *root = simulate(&w, settings, 1);
    assert_json(root, "path", "[0,1]");
    assert_json(root, "reached", "null");
    assert_json(root, "optimal", "false");
    assert_string_equal(string_at(root, "failure"), sonde_failure_name(SONDE_FAILURE_NEVER));
    assert_number(root, "walked", 5);
    assert_number(root, "shortest", 10);
    json_decref(root);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_reports_its_facts),
        cmocka_unit_test(the_world_inside_reads_back),
        cmocka_unit_test(counts_past_2_to_the_53_are_strings),
        cmocka_unit_test(no_way_is_null),
        cmocka_unit_test(names_are_escaped),
        cmocka_unit_test(a_decision_has_the_keys_others_rely_on),
        cmocka_unit_test(action_probabilities_sum_to_one),
        cmocka_unit_test(a_clustered_decision_shows_its_clusters),
        cmocka_unit_test(every_setting_is_in_the_document),
        cmocka_unit_test(the_two_semantics_have_their_names),
        cmocka_unit_test(a_document_has_the_settings_that_it_is_told),
        cmocka_unit_test(an_episode_has_the_keys_others_rely_on),
        cmocka_unit_test(never_reached_is_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
