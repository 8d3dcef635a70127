/* Plans say what they mean, or what is wrong with them. */
#include "study/plans.h"

static void lists_expand_to_all_combinations_last_key_fastest(void **state) {
    (void)state;
    sonde_study_plan *plan = parse(PLAN("{\"probe\": [\"center\", \"sample\"], \"k\": [6, 12], "
                                        "\"scope\": [\"local\", \"global\"]}"));
    assert_int_equal(plan->n_condition, 8);
    for (int32_t i = 0; i < 8; i++) {
        const sonde_search_settings *s = &plan->condition[i].search;
        assert_int_equal(s->scope, i / 4);
        assert_int_equal(s->cluster.k, i / 2 % 2 == 0 ? 6 : 12);
        assert_int_equal(s->probe, i % 2);
    }
    sonde_study_plan_free(plan);
}

static void each_condition_has_the_k_of_the_one_before(void **state) {
    (void)state;
    sonde_study_plan *plan =
        parse(PLAN("{\"semantics\": \"notebook\", \"embedding\": [\"edm\", \"boe\"], "
                   "\"k\": [6, 12], \"probe\": [\"center\", \"sample\"], "
                   "\"k_before\": 12}"));
    const int32_t before[] = {12, 6, 6, 12, 12, 6, 6, 12};
    for (int32_t i = 0; i < 8; i++) {
        assert_int_equal(plan->condition[i].k_before, before[i]);
    }
    sonde_study_plan_free(plan);
}

static void tasks_cover_every_size_and_graph_once(void **state) {
    (void)state;
    sonde_study_plan *plan =
        parse(PLAN("{\"search\": \"full\"}, {\"search\": \"full\", \"sizes\": [6, 3], "
                   "\"graphs\": 7}"));
    assert_int_equal(plan->n_task, 7 + 5 + 7);
    assert_int_equal(plan->n_run, 10 + 14);
    const int32_t size[] = {3, 4, 6};
    const int32_t n_graph[] = {7, 5, 7};
    int32_t task = 0;
    for (int32_t i = 0; i < 3; i++) {
        for (int32_t g = 0; g < n_graph[i]; g++) {
            int32_t found_size = 0;
            int32_t found_graph = -1;
            sonde_study_plan_task(plan, task++, &found_size, &found_graph, NULL);
            assert_int_equal(found_size, size[i]);
            assert_int_equal(found_graph, g);
        }
    }
    sonde_study_plan_free(plan);
}

static void models_are_places_like_sizes(void **state) {
    (void)state;
    sonde_study_plan *plan =
        parse(MODELS("{\"search\": \"full\"}, {\"models\": [\"small\"]}, {\"sizes\": [5], "
                     "\"models\": [\"tmaze\"], \"graphs\": 1, \"search\": \"bounded\"}"));
    assert_int_equal(plan->n_judge, 2);
    assert_int_equal(plan->n_model, 2);
    assert_string_equal(plan->model[0].name, "tmaze");
    assert_int_equal(plan->model[0].n_step, 7);
    assert_string_equal(plan->model[1].name, "small");
    assert_string_equal(plan->model[1].file, "grid");
    assert_int_equal(plan->model[1].n_step, 2);
    assert_int_equal(plan->model[1].settings.horizon, 3);
    assert_true(plan->model[1].settings.gamma == 0.5);
    const int32_t all[] = {4, -1, -2};
    assert_int_equal(plan->condition[0].n_size, 3);
    assert_memory_equal(plan->condition[0].size, all, sizeof all);
    assert_int_equal(plan->condition[1].n_size, 1);
    assert_int_equal(plan->condition[1].size[0], -2);
    assert_int_equal(plan->condition[2].n_size, 2);
    assert_int_equal(plan->n_run, 9 + 3 + 2);
    assert_int_equal(plan->n_task, 3 + 3 + 3 + 1);
    /* without an embedding it is that of models */
    assert_string_equal(sonde_embedding_name(plan->condition[1].search.embed.kind), "boa");
    sonde_study_plan_free(plan);
}

static void every_setting_of_a_search_is_a_key_and_a_part_of_the_label(void **state) {
    (void)state;
    sonde_study_plan *plan =
        parse(PLAN("{\"search\": \"bounded\", \"epsilon\": 0.25, \"budget\": 99, "
                   "\"horizon\": 9}, {\"embedding\": \"ngram\", \"ngram\": 3, "
                   "\"policy_sample\": 50, \"top\": 2, \"restarts\": 4}"));
    assert_true(plan->condition[0].search.epsilon == 0.25);
    assert_true(plan->condition[0].search.budget == 99);
    assert_int_equal(plan->condition[0].horizon, 9);
    assert_string_equal(plan->condition[0].label, "text bounded local epsilon 0.25 budget 99 T 9");
    assert_string_equal(plan->condition[1].label,
                        "text cluster local ngram k 12 center top 2 restarts 4 ngram 3 sample 50");
    /* what does not matter to a search is no part of its results */
    sonde__value value;
    const int32_t key = sonde_name_find(sonde__condition_key, "k");
    sonde__condition_value(&plan->condition[0], key, &value);
    assert_int_equal(value.kind, SONDE__NOTHING);
    sonde__condition_value(&plan->condition[1], key, &value);
    assert_int_equal(value.kind, SONDE__WHOLE);
    assert_int_equal(value.whole, 12);
    sonde_study_plan_free(plan);
}

/* Which search the one condition of a plan has. */
static void a_budget_keeps_all_its_digits_in_the_results(void **state) {
    (void)state;
    sonde_study_plan *plan = parse(PLAN("{\"budget\": [9007199254740993, 9223372036854775807]}"));
    sonde__value value;
    const int32_t key = sonde_name_find(sonde__condition_key, "budget");
    sonde__condition_value(&plan->condition[0], key, &value);
    assert_true(value.whole == 9007199254740993);
    sonde__condition_value(&plan->condition[1], key, &value);
    assert_true(value.whole == INT64_MAX);
    sonde_study_plan_free(plan);
}

/* Columns and labels have what the search or its fallback uses. */
static void a_fallback_has_its_settings_in_label_and_columns(void **state) {
    (void)state;
    sonde_study_plan *plan =
        parse(PLAN("{\"search\": \"full\", \"fallback\": \"beam\", \"beam\": 4}"));
    assert_string_equal(plan->condition[0].label, "text full fallback beam local beam 4");
    sonde__value value;
    const int32_t key = sonde_name_find(sonde__condition_key, "beam");
    sonde__condition_value(&plan->condition[0], key, &value);
    assert_int_equal(value.kind, SONDE__WHOLE);
    assert_int_equal(value.whole, 4);
    sonde_study_plan_free(plan);
}

static void quality_has_every_search_and_embedding(void **state) {
    (void)state;
    sonde_study_plan *plan = NULL;
    assert_int_equal(sonde_study_plan_read("quality", &plan, NULL), SONDE_OK);
    for (int32_t search = 0; sonde_search_name(search) != NULL; search++) {
        bool found = false;
        for (int32_t c = 0; c < plan->n_condition; c++) {
            found = found || (int32_t)plan->condition[c].search.search == search;
        }
        if (!found) {
            fail_msg("%s is missing", sonde_search_name(search));
        }
    }
    for (int32_t kind = 0; sonde_embedding_name(kind) != NULL; kind++) {
        bool found = false;
        for (int32_t c = 0; c < plan->n_condition; c++) {
            found = found || plan->condition[c].search.embed.kind == kind;
        }
        if (!found) {
            fail_msg("%s is missing", sonde_embedding_name(kind));
        }
    }
    for (int32_t m = 0; m < plan->n_model; m++) {
        assert_true(sonde_name_find(sonde__example_name, plan->model[m].file) >= 0);
    }
    sonde_study_plan_free(plan);
}

static void the_paper_has_26_conditions_a_size_under_each_semantics(void **state) {
    (void)state;
    sonde_study_plan *plan = NULL;
    assert_int_equal(sonde_study_plan_read("paper", &plan, NULL), SONDE_OK);
    int32_t n_text = 0;
    int32_t n_notebook = 0;
    for (int32_t i = 0; i < plan->n_condition; i++) {
        const sonde_condition *c = &plan->condition[i];
        if (strcmp(c->group, "table") == 0) {
            n_text += c->differences == SONDE_SEMANTICS_TEXT;
            n_notebook += c->differences == SONDE_SEMANTICS_NOTEBOOK;
            assert_int_equal(c->n_graph, 40);
            assert_int_equal(c->n_size, 3);
        }
    }
    assert_int_equal(n_text, 26);
    assert_int_equal(n_notebook, 26);
    sonde_study_plan_free(plan);
}

static void every_built_in_plan_reads(void **state) {
    (void)state;
    for (int32_t i = 0; sonde_study_plan_name(i) != NULL; i++) {
        sonde_study_plan *plan = NULL;
        assert_int_equal(sonde_study_plan_read(sonde_study_plan_name(i), &plan, NULL), SONDE_OK);
        assert_string_equal(plan->name, sonde_study_plan_name(i));
        sonde_study_plan_free(plan);
    }
}

static void mistakes_get_a_sentence_with_the_place(void **state) {
    (void)state;
    refuses("{\"format\": \"sonde-plan\"", "line 1");
    refuses("[]", "expected an object");
    refuses("{\"format\": \"sonde-graph\", \"version\": 1}", "\"sonde-plan\"");
    refuses(PLAN(""), "conditions");
    refuses(PLAN("7"), "conditions[0]");
    refuses(PLAN("{\"embeding\": \"boe\"}"), "did you mean \"embedding\"");
    refuses(PLAN("{\"embedding\": \"bow\"}"), "conditions[0].embedding");
    refuses(PLAN("{\"k\": [6, 0]}"), "conditions[0].k[1]");
    refuses(PLAN("{\"k\": []}"), "empty");
    refuses(PLAN("{\"differences\": \"lookup+lak\"}"), "conditions[0].differences");
    refuses(PLAN("{\"semantics\": \"paper\"}"), "\"notebook\"");
    refuses(PLAN("{\"gamma\": -2}"), "conditions[0].gamma");
    refuses(PLAN("{\"sizes\": [3, 3]}"), "twice");
    refuses(PLAN("{\"graphs\": 0}"), "conditions[0].graphs");
    refuses(PLAN("{\"budget\": -1}"), "conditions[0].budget");
    refuses(MODELS("{\"models\": [\"tmaze\", \"bandit\"]}"), "conditions[0].models[1]");
    refuses(MODELS("{\"models\": []}"), "conditions[0].models");
    refuses(MODELS("{\"search\": \"cluster\"}"), "conditions[0]: expected an embedding");
    refuses(MODELS("{\"search\": \"full\", \"horizon\": 3}"), "conditions[0].horizon");
    refuses("{\"format\": \"sonde-plan\", \"version\": 1, \"worlds\": {\"graphs\": 1, \"models\": "
            "[\"grid\", \"grid\"]}, \"conditions\": [{}]}",
            "worlds.models[1]: \"grid\" is there twice");
    refuses("{\"format\": \"sonde-plan\", \"version\": 1, \"worlds\": {\"graphs\": 1, \"models\": "
            "[{\"name\": \"grid\"}]}, \"conditions\": [{}]}",
            "worlds.models[0]");
    refuses("{\"format\": \"sonde-plan\", \"version\": 1, \"judge\": 0, \"worlds\": {\"sizes\": "
            "[3], \"graphs\": 1}, \"conditions\": [{}]}",
            "judge");
    refuses("{\"format\": \"sonde-plan\", \"version\": 1, \"conditions\": [{}]}", "worlds");
    refuses("{\"format\": \"sonde-plan\", \"version\": 1, \"worlds\": {\"sizes\": [3]}, "
            "\"conditions\": [{}]}",
            "worlds.graphs");
}

static void an_unknown_plan_is_no_file(void **state) {
    (void)state;
    sonde_study_plan *plan = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_study_plan_read("papper", &plan, &error), SONDE_NO_FILE);
    assert_non_null(strstr(error.text, "\"paper\""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_expand_to_all_combinations_last_key_fastest),
        cmocka_unit_test(each_condition_has_the_k_of_the_one_before),
        cmocka_unit_test(tasks_cover_every_size_and_graph_once),
        cmocka_unit_test(models_are_places_like_sizes),
        cmocka_unit_test(every_setting_of_a_search_is_a_key_and_a_part_of_the_label),
        cmocka_unit_test(a_budget_keeps_all_its_digits_in_the_results),
        cmocka_unit_test(a_fallback_has_its_settings_in_label_and_columns),
        cmocka_unit_test(quality_has_every_search_and_embedding),
        cmocka_unit_test(the_paper_has_26_conditions_a_size_under_each_semantics),
        cmocka_unit_test(every_built_in_plan_reads),
        cmocka_unit_test(mistakes_get_a_sentence_with_the_place),
        cmocka_unit_test(an_unknown_plan_is_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
