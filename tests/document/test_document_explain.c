/* Why a decision is what it is, as JSON and as text. */
#include "explained.h"

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

static void no_locale_changes_the_text(void **state) {
    (void)state;
    assert_no_locale_changes(written);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_world_has_edges_weights_and_terms),
        cmocka_unit_test(a_model_has_actions_bounds_and_a_trace),
        cmocka_unit_test(clusters_have_evidence),
        cmocka_unit_test(the_text_says_it_all_in_a_hundred_columns),
        cmocka_unit_test(no_locale_changes_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
