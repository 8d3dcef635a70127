/* Plans say what they mean, or what is wrong with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "study/study_internal.h"

static sonde_plan *parse(const char *text) {
    const sonde_source source = {"plan.json", text, strlen(text)};
    sonde_plan *plan = NULL;
    sonde_error error = {0};
    const sonde_status status = sonde__plan_parse(&source, &plan, &error);
    if (status != SONDE_OK) {
        print_message("%s\n", error.text);
    }
    assert_int_equal(status, SONDE_OK);
    return plan;
}

static void refuses(const char *text, const char *part) {
    const sonde_source source = {"plan.json", text, strlen(text)};
    sonde_plan *plan = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde__plan_parse(&source, &plan, &error), SONDE_BAD_INPUT);
    assert_null(plan);
    if (strstr(error.text, part) == NULL || strstr(error.text, "plan.json") == NULL) {
        fail_msg("expected \"%s\" in \"%s\"", part, error.text);
    }
}

#define PLAN(conditions)                                                                            \
    "{\"format\": \"sonde-plan\", \"version\": 1, \"worlds\": {\"sizes\": [3, 4], \"graphs\": 5}, " \
    "\"conditions\": [" conditions "]}"

static void lists_expand_to_all_combinations_last_key_fastest(void **state) {
    (void)state;
    sonde_plan *plan = parse(PLAN("{\"probe\": [\"center\", \"sample\"], \"k\": [6, 12], "
                                  "\"scope\": [\"local\", \"global\"]}"));
    assert_int_equal(plan->n_condition, 8);
    for (int32_t i = 0; i < 8; i++) {
        const sonde_search_settings *s = &plan->condition[i].search;
        assert_int_equal(s->scope, i / 4);
        assert_int_equal(s->cluster.k, i / 2 % 2 == 0 ? 6 : 12);
        assert_int_equal(s->probe, i % 2);
    }
    sonde_plan_free(plan);
}

static void each_condition_has_the_k_of_the_one_before(void **state) {
    (void)state;
    sonde_plan *plan =
        parse(PLAN("{\"semantics\": \"notebook\", \"embedding\": [\"edm\", \"boe\"], "
                   "\"k\": [6, 12], \"probe\": [\"center\", \"sample\"], "
                   "\"k_before\": 12}"));
    const int32_t before[] = {12, 6, 6, 12, 12, 6, 6, 12};
    for (int32_t i = 0; i < 8; i++) {
        assert_int_equal(plan->condition[i].search.k_before, before[i]);
    }
    sonde_plan_free(plan);
}

static void tasks_cover_every_size_and_graph_once(void **state) {
    (void)state;
    sonde_plan *plan =
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
            sonde_plan_task(plan, task++, &found_size, &found_graph);
            assert_int_equal(found_size, size[i]);
            assert_int_equal(found_graph, g);
        }
    }
    sonde_plan_free(plan);
}

static void the_paper_has_26_conditions_a_size_under_each_semantics(void **state) {
    (void)state;
    sonde_plan *plan = NULL;
    assert_int_equal(sonde_plan_read("paper", &plan, NULL), SONDE_OK);
    int32_t n_text = 0;
    int32_t n_notebook = 0;
    for (int32_t i = 0; i < plan->n_condition; i++) {
        const sonde_condition *c = &plan->condition[i];
        if (strcmp(c->group, "table") == 0) {
            n_text += c->search.differences == SONDE_SEMANTICS_TEXT;
            n_notebook += c->search.differences == SONDE_SEMANTICS_NOTEBOOK;
            assert_int_equal(c->n_graph, 40);
            assert_int_equal(c->n_size, 3);
        }
    }
    assert_int_equal(n_text, 26);
    assert_int_equal(n_notebook, 26);
    sonde_plan_free(plan);
}

static void every_built_in_plan_reads(void **state) {
    (void)state;
    for (int32_t i = 0; sonde_plan_name(i) != NULL; i++) {
        sonde_plan *plan = NULL;
        assert_int_equal(sonde_plan_read(sonde_plan_name(i), &plan, NULL), SONDE_OK);
        assert_string_equal(plan->name, sonde_plan_name(i));
        sonde_plan_free(plan);
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
    refuses(PLAN("{\"gamma\": -1}"), "conditions[0].gamma");
    refuses(PLAN("{\"sizes\": [3, 3]}"), "twice");
    refuses(PLAN("{\"graphs\": 0}"), "conditions[0].graphs");
    refuses("{\"format\": \"sonde-plan\", \"version\": 1, \"conditions\": [{}]}", "worlds");
    refuses("{\"format\": \"sonde-plan\", \"version\": 1, \"worlds\": {\"sizes\": [3]}, "
            "\"conditions\": [{}]}",
            "worlds.graphs");
}

static void an_unknown_plan_is_no_file(void **state) {
    (void)state;
    sonde_plan *plan = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_plan_read("papper", &plan, &error), SONDE_NO_FILE);
    assert_non_null(strstr(error.text, "\"paper\""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_expand_to_all_combinations_last_key_fastest),
        cmocka_unit_test(each_condition_has_the_k_of_the_one_before),
        cmocka_unit_test(tasks_cover_every_size_and_graph_once),
        cmocka_unit_test(the_paper_has_26_conditions_a_size_under_each_semantics),
        cmocka_unit_test(every_built_in_plan_reads),
        cmocka_unit_test(mistakes_get_a_sentence_with_the_place),
        cmocka_unit_test(an_unknown_plan_is_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
