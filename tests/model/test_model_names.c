/* What a model's numbers are called: names where there are any, numbers otherwise, cut where there
 * is no room. */
#include "models.h"

static void assert_said(const sonde_model *model, sonde_noun noun, const int32_t *number,
                        int32_t most, const char *words) {
    sonde_text text = {0};
    sonde_model_say(model, noun, number, most, &text);
    assert_non_null(text.data);
    assert_string_equal(text.data, words);
    sonde_text_free(&text);
}

/* Of policies that have as many steps. */
static void assert_policy_said(const sonde_model *model, const int32_t *walk, int32_t horizon,
                               const char *words) {
    sonde_policies *policies = NULL;
    sonde_text text = {0};
    assert_int_equal(sonde_policies_count(model, horizon, NULL, &policies, NULL), SONDE_OK);
    sonde_policies_say(policies, walk, &text);
    assert_string_equal(text.data, words);
    sonde_text_free(&text);
    sonde_policies_free(policies);
}

static void edges_are_called_by_their_nodes(void **state) {
    (void)state;
    const int32_t tail[] = {0, 1};
    const int32_t head[] = {1, 0};
    const double weight[] = {1.0, 1.0};
    static const char *const name[] = {"a kitchen with a view", "bath"};
    for (int named = 0; named < 2; named++) {
        const sonde_graph edges = {.n_node = 2,
                                   .n_edge = 2,
                                   .tail = tail,
                                   .head = head,
                                   .weight = weight,
                                   .name = named ? name : NULL};
        sonde_graph_settings settings = sonde_graph_defaults();
        settings.horizon = 2;
        sonde_graph *graph = NULL;
        sonde_model *model = NULL;
        assert_int_equal(sonde_graph_from_edges(&edges, &settings, 1, &graph, NULL), SONDE_OK);
        assert_int_equal(sonde_model_from_graph(graph, &model, NULL), SONDE_OK);
        const int32_t there = sonde_graph_edge(graph, 0, 1);
        const int32_t back = sonde_graph_edge(graph, 1, 0);
        const int32_t walk[] = {there, back, there};
        const int32_t act[] = {there,
                               sonde_model_from_tuple(model, (const int32_t[]){there, back})};
        const int32_t step[] = {act[1], back};
        assert_said(model, SONDE_NOUN_STATE, &there, 0,
                    named ? "a kitchen with a view→bath" : "0→1");
        assert_said(model, SONDE_NOUN_OUTCOME, &there, 16, named ? "a ki…→bath" : "0→1");
        assert_said(model, SONDE_NOUN_ACTION, act, 5, named ? "to a kit…" : "to 0");
        assert_said(model, SONDE_NOUN_STEP, step, 0, named ? "bath→a kitchen with a view" : "1→0");
        assert_policy_said(model, walk, 1,
                           named ? "a kitchen with a view→bath a kitchen with a view" : "0→1 0");
        assert_policy_said(model, walk, 2,
                           named ? "a kitchen with a view→bath a kitchen with a view bath"
                                 : "0→1 0 1");
        assert_said(model, SONDE_NOUN_NODE, &back, 6, named ? "a kitc…" : "0");
        sonde_model_free(model);
        sonde_graph_free(graph);
    }
}

static const char *const two_factors =
    "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 2,"
    " \"factors\": [{\"states\": [\"left\", \"right\"], \"actions\": [\"stay\", \"go\"]},"
    "  {\"states\": 2, \"actions\": 1}, {\"states\": 1, \"actions\": 2}],"
    " \"modalities\": [{\"outcomes\": [\"dark\", \"light\"], \"factors\": [0]}],"
    " \"A\": [[[1, 0], [0, 1]]], \"C\": [[0, 1]], \"D\": [[1, 0], [0.5, 0.5], [1]],"
    " \"B\": [[[[1, 0], [0, 1]], [[0, 1], [1, 0]]], [[[1], [0]], [[0], [1]]], [[[1, 1]]]]}";

static void factors_are_called_by_their_states_and_actions(void **state) {
    (void)state;
    sonde_model *model = model_of(two_factors);
    const int32_t states[] = {1, 0, 0};
    const int32_t outcome = 1;
    const int32_t action = sonde_model_from_tuple(model, (int32_t[]){1, 0, 1});
    assert_said(model, SONDE_NOUN_STATE, states, 0, "right, 0, 0");
    assert_said(model, SONDE_NOUN_OUTCOME, &outcome, 0, "light");
    assert_said(model, SONDE_NOUN_ACTION, (int32_t[]){-1, action}, 0, "go/1");
    assert_said(model, SONDE_NOUN_STEP, (int32_t[]){action, -1}, 0, "go/1");
    assert_policy_said(model, (int32_t[]){0, action, 0}, 2, "go/1, stay/0");
    sonde_text nothing = {0};
    sonde_model_say(model, SONDE_NOUN_NODE, states, 0, &nothing);
    assert_int_equal(nothing.size, 0);
    sonde_model_free(model);
}

static void an_action_is_taken_apart_and_put_together_in_both_kinds(void **state) {
    (void)state;
    sonde_model *model = model_of(two_factors);
    sonde_graph *graph = NULL;
    sonde_model *walks = NULL;
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.n_node = 4;
    assert_int_equal(sonde_graph_random(&settings, 3, &graph, NULL), SONDE_OK);
    assert_int_equal(sonde_model_from_graph(graph, &walks, NULL), SONDE_OK);
    assert_int_equal(sonde_model_kind(walks), SONDE_KIND_GRAPH);
    assert_int_equal(sonde_model_kind(model), SONDE_KIND_GENERAL);
    assert_int_equal(*sonde_model_seen(walks), graph->start);
    assert_null(sonde_model_seen(model));
    for (int kind = 0; kind < 2; kind++) {
        const sonde_model *one = kind ? walks : model;
        int32_t tuple[SONDE_FACTORS_MAX];
        for (int32_t action = 0; action < one->n_action; action++) {
            assert_int_equal(sonde_model_tuple(one, action, tuple), kind ? 2 : 3);
            assert_int_equal(sonde_model_from_tuple(one, tuple), action);
        }
        (void)sonde_model_tuple(one, one->n_action, tuple);
        assert_int_equal(tuple[0], -1);
        assert_int_equal(sonde_model_from_tuple(one, tuple), -1);
    }
    sonde_model_free(walks);
    sonde_graph_free(graph);
    sonde_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_are_called_by_their_nodes),
        cmocka_unit_test(factors_are_called_by_their_states_and_actions),
        cmocka_unit_test(an_action_is_taken_apart_and_put_together_in_both_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
