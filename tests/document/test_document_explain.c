/* Why a decision is what it is, as JSON, as text and as a picture. */
#include "draw/figure_tools.h"

#include "locales.h"

/* An explanation, and everything that it was made from. */
typedef struct {
    sonde_input input;
    sonde_policies *policies;
    sonde_agent *agent;
    const sonde_decision *decision;
    sonde_explanation *explanation;
} made;

static made make(sonde_graph *graph, sonde_model *model, const sonde_search_settings *settings) {
    made m = {.input = {graph, model}};
    if (graph != NULL) {
        assert_int_equal(sonde_model_from_graph(graph, &m.input.model), SONDE_OK);
    }
    assert_int_equal(sonde_policies_count(m.input.model, NULL, &m.policies, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_new(m.policies, settings, NULL, &m.agent, NULL), SONDE_OK);
    if (graph != NULL) {
        sonde_agent_observe(m.agent, &graph->start);
    }
    assert_int_equal(sonde_agent_search(m.agent, &m.decision), SONDE_OK);
    assert_int_equal(sonde_agent_explain(m.agent, &m.explanation, NULL), SONDE_OK);
    return m;
}

static void made_free(made *m) {
    sonde_explanation_free(m->explanation);
    sonde_agent_free(m->agent);
    sonde_policies_free(m->policies);
    sonde_input_free(&m->input);
}

static sonde_search_settings search_by(sonde_search_kind search) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = search;
    return settings;
}

static sonde_model *example(const char *path, int32_t horizon) {
    sonde_model_settings settings = sonde_model_defaults();
    sonde_model *model = NULL;
    settings.horizon = horizon;
    assert_int_equal(sonde_model_read(path, &settings, NULL, &model, NULL), SONDE_OK);
    return model;
}

#define GRID SONDE_TEST_DATA "/../../examples/models/grid5.json"
#define MAZE SONDE_TEST_DATA "/../../examples/models/tmaze.json"

static json_t *document(const made *m) {
    sonde_text json = {0};
    const sonde_about about = {.command = NULL};
    sonde_document_decision(m->agent, m->decision, -1, m->explanation, &about, &json);
    return tree(&json);
}

static sonde_text written(const made *m) {
    sonde_text text = {0};
    sonde_document_explanation(m->explanation, &text);
    assert_false(text.failed);
    return text;
}

/* A picture that is there and well formed. */
static sonde_text drawn(const made *m) {
    sonde_text svg = {0};
    sonde_draw_explanation(m->explanation, &svg);
    assert_false(svg.failed);
    assert_well_formed(svg.data);
    return svg;
}

static void assert_says(const sonde_text *text, const char *words) {
    if (strstr(text->data, words) == NULL) {
        fail_msg("should say \"%s\":\n%s", words, text->data);
    }
}

/* Characters of the longest line. */
static int32_t width_of(const sonde_text *text) {
    int32_t most = 0;
    int32_t n = 0;
    for (size_t i = 0; i < text->size; i++) {
        n = text->data[i] == '\n' ? 0 : n + (((unsigned char)text->data[i] & 0xc0) != 0x80 ? 1 : 0);
        most = n > most ? n : most;
    }
    return most;
}

/* ------------------------------------------------------------------------------------- JSON -- */

static void a_graph_world_has_edges_weights_and_terms(void **state) {
    (void)state;
    const sonde_search_settings settings = search_by(SONDE_SEARCH_FULL);
    made m = make(triangle(NULL, 3), NULL, &settings);
    json_t *root = document(&m);
    assert_string_equal(string_at(root, "explain.grounds"), "every");
    assert_int_equal(json_array_size(at(root, "explain.alternatives")), 3);
    assert_number(root, "explain.alternatives.0.action.to", number_at(root, "best.nodes.2"));
    assert_number(root, "explain.alternatives.0.efe", number_at(root, "best.efe"));
    assert_number(root, "explain.alternatives.0.policy.index", number_at(root, "best.index"));
    for (size_t i = 0; i < 3; i++) {
        json_t *one = json_array_get(at(root, "explain.alternatives"), i);
        double sum = 0.0;
        assert_int_equal(json_array_size(at(one, "steps")), 3);
        for (size_t t = 0; t < 3; t++) {
            json_t *step = json_array_get(at(one, "steps"), t);
            assert_near(number_at(step, "cost"), 5.0 * number_at(step, "weight"), 1e-12);
            assert_number(step, "edge.1",
                          json_number_value(json_array_get(at(one, "policy.nodes"), t + 2)));
            sum += number_at(step, "efe");
        }
        assert_near(number_at(one, "efe"), sum, 1e-9);
        assert_number(one, "bound", number_at(one, "efe"));
        assert_true(json_is_true(at(one, "proven")));
    }
    json_decref(root);
    made_free(&m);
}

static void a_model_has_actions_bounds_and_a_trace(void **state) {
    (void)state;
    const sonde_search_settings settings = search_by(SONDE_SEARCH_BOUNDED);
    made m = make(NULL, example(GRID, 0), &settings);
    json_t *root = document(&m);
    assert_string_equal(string_at(root, "explain.grounds"), "bounds");
    json_t *trace = at(root, "explain.trace");
    json_t *last = json_array_get(trace, json_array_size(trace) - 1);
    assert_number(last, "tv", number_at(root, "certificate.tv"));
    assert_number(last, "steps", number_at(root, "evaluations.steps"));
    assert_number(last, "open", number_at(root, "explain.prefixes.open"));
    assert_json(json_array_get(trace, 0), "best", "null"); /* there is no policy yet */
    assert_true(json_array_size(at(root, "explain.bounds")) == 7);
    /* the grid's last alternatives go nowhere: prefixes, closed by their bounds */
    json_t *closed = at(root, "explain.alternatives.4");
    assert_json(closed, "policy", "null");
    assert_true(number_at(closed, "bound") > number_at(root, "best.efe"));
    assert_true(json_array_size(at(closed, "steps")) < 6);
    assert_true(json_is_array(at(closed, "steps.0.actions")));
    json_decref(root);
    made_free(&m);
}

static void clusters_have_evidence(void **state) {
    (void)state;
    const sonde_search_settings settings = search_by(SONDE_SEARCH_CLUSTER);
    made m = make(triangle(NULL, 3), NULL, &settings);
    json_t *root = document(&m);
    assert_string_equal(string_at(root, "explain.grounds"), "clusters");
    assert_string_equal(string_at(root, "explain.probe"), "center");
    assert_int_equal(json_array_size(at(root, "explain.evidence")), 12);
    assert_true(json_is_true(at(root, "explain.evidence.0.chosen")));
    assert_true(json_is_false(at(root, "explain.evidence.1.chosen")));
    assert_number(root, "explain.cut", 27.0 - number_at(root, "explain.evidence.0.size"));
    json_decref(root);
    made_free(&m);
}

/* ------------------------------------------------------------------------------------- text -- */

static void the_text_says_it_all_in_a_hundred_columns(void **state) {
    (void)state;
    static const struct {
        sonde_search_kind search;
        const char *path;
        int32_t horizon;
        const char *words;
    } wanted[] = {
        {SONDE_SEARCH_BOUNDED, GRID, 0, "not followed past step"},
        {SONDE_SEARCH_BOUNDED, GRID, 0, "prefixes expanded"},
        {SONDE_SEARCH_BOUNDED, GRID, 0, "tightest bound of those: beta"},
        {SONDE_SEARCH_BOUNDED, GRID, 30, "... and 18 more"},
        {SONDE_SEARCH_FULL, GRID, 4, "every policy was scored"},
        {SONDE_SEARCH_CLUSTER, GRID, 4, "cut"},
        {SONDE_SEARCH_BOUNDED, MAZE, 0, "ambiguity"},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        sonde_search_settings settings = search_by(wanted[i].search);
        settings.budget = wanted[i].horizon == 30 ? 20000 : 0;
        made m = make(NULL, example(wanted[i].path, wanted[i].horizon), &settings);
        sonde_text text = written(&m);
        assert_says(&text, wanted[i].words);
        assert_true(width_of(&text) <= 100);
        sonde_text_free(&text);
        made_free(&m);
    }
}

/* ---------------------------------------------------------------------------------- picture -- */

static const char *const names[] = {"a <wicked> & \"long\" name of a node \303\251\303\251\303\251",
                                    "]]> or not, <b>",
                                    "\346\274\242\345\255\227\346\274\242\345\255\227\346\274\242"
                                    "\345\255\227\346\274\242\345\255\227\346\274\242\345\255\227"
                                    "\346\274\242\345\255\227"};

static void pictures_are_well_formed_whatever_the_names(void **state) {
    (void)state;
    static const sonde_search_kind search[] = {SONDE_SEARCH_FULL, SONDE_SEARCH_CLUSTER,
                                               SONDE_SEARCH_BOUNDED};
    for (int32_t i = 0; i < 3; i++) {
        const sonde_search_settings settings = search_by(search[i]);
        made m = make(triangle(names, 3), NULL, &settings);
        sonde_text svg = drawn(&m);
        sonde_text text = written(&m);
        assert_says(&svg, "risk");
        assert_true(width_of(&text) <= 100);
        json_decref(document(&m));
        sonde_text_free(&text);
        sonde_text_free(&svg);
        made_free(&m);
    }
}

static void pictures_show_the_open_mass_or_the_probes(void **state) {
    (void)state;
    sonde_search_settings settings = search_by(SONDE_SEARCH_BOUNDED);
    settings.budget = 20000;
    made m = make(NULL, example(GRID, 60), &settings); /* more steps than bars */
    sonde_text svg = drawn(&m);
    assert_says(&svg, "mass that may be open");
    assert_says(&svg, "step, several to a bar");
    sonde_text_free(&svg);
    made_free(&m);
    settings = search_by(SONDE_SEARCH_CLUSTER);
    settings.cluster.k = 40;
    m = make(NULL, example(GRID, 4), &settings);
    svg = drawn(&m);
    assert_says(&svg, "probes: G of representatives");
    assert_says(&svg, "More than fits is not shown");
    sonde_text_free(&svg);
    made_free(&m);
}

/* with utilities, whose terms may be below zero */
static void terms_below_zero_hang_from_it(void **state) {
    (void)state;
    sonde_model_settings reading = sonde_model_defaults();
    reading.preferences = (int32_t)SONDE_PREFERENCES_UTILITY;
    sonde_model *model = NULL;
    assert_int_equal(sonde_model_read(MAZE, &reading, NULL, &model, NULL), SONDE_OK);
    const sonde_search_settings settings = search_by(SONDE_SEARCH_BOUNDED);
    made m = make(NULL, model, &settings);
    bool negative = false;
    for (int32_t i = 0; i < m.explanation->n_alternative; i++) {
        negative = negative || m.explanation->alternative[i].total.risk < 0.0;
    }
    assert_true(negative);
    assert_true(isnan(m.explanation->tv_unbounded));
    sonde_text svg = drawn(&m);
    assert_null(strstr(svg.data, "height=\"-"));
    sonde_text_free(&svg);
    made_free(&m);
}

static void no_locale_changes_anything(void **state) {
    (void)state;
    const sonde_search_settings settings = search_by(SONDE_SEARCH_BOUNDED);
    made m = make(NULL, example(GRID, 0), &settings);
    sonde_text plain[2] = {written(&m), drawn(&m)};
    if (!set_comma_locale()) {
        sonde_text_free(&plain[0]);
        sonde_text_free(&plain[1]);
        made_free(&m);
        skip();
    }
    sonde_text comma[2] = {written(&m), drawn(&m)};
    reset_locale();
    for (int i = 0; i < 2; i++) {
        assert_string_equal(plain[i].data, comma[i].data);
        sonde_text_free(&plain[i]);
        sonde_text_free(&comma[i]);
    }
    made_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_world_has_edges_weights_and_terms),
        cmocka_unit_test(a_model_has_actions_bounds_and_a_trace),
        cmocka_unit_test(clusters_have_evidence),
        cmocka_unit_test(the_text_says_it_all_in_a_hundred_columns),
        cmocka_unit_test(pictures_are_well_formed_whatever_the_names),
        cmocka_unit_test(pictures_show_the_open_mass_or_the_probes),
        cmocka_unit_test(terms_below_zero_hang_from_it),
        cmocka_unit_test(no_locale_changes_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
