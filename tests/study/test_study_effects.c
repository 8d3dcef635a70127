/* The settings of a condition mean something together, or are refused. */
#include "study/plans.h"

static void assert_means(const char *text, sonde_search_kind search) {
    sonde_study_plan *plan = parse(text);
    assert_int_equal(plan->condition[0].search.search, search);
    sonde_study_plan_free(plan);
}

static void without_a_search_a_condition_has_the_one_that_its_settings_mean(void **state) {
    (void)state;
    assert_means(PLAN("{}"), SONDE_SEARCH_BOUNDED);
    assert_means(PLAN("{\"epsilon\": 0.5, \"gamma\": 2}"), SONDE_SEARCH_BOUNDED);
    assert_means(PLAN("{\"k\": 4}"), SONDE_SEARCH_CLUSTER);
    assert_means(PLAN("{\"semantics\": \"notebook\"}"), SONDE_SEARCH_CLUSTER);
    assert_means(PLAN("{\"differences\": \"order\"}"), SONDE_SEARCH_CLUSTER);
    assert_means(PLAN("{\"depth\": 3, \"k\": 4}"), SONDE_SEARCH_TREE);
    assert_means(PLAN("{\"beam\": 4}"), SONDE_SEARCH_BEAM);
    assert_means(PLAN("{\"search\": \"full\", \"fallback\": \"beam\", \"beam\": 4}"),
                 SONDE_SEARCH_FULL);
}

static void a_setting_that_changes_no_combination_is_refused(void **state) {
    (void)state;
    refuses(PLAN("{\"search\": \"full\", \"beam\": 4}"),
            "conditions[0].beam: goes with search beam only, and the search is full");
    refuses(PLAN("{}, {\"search\": [\"full\", \"bounded\"], \"k\": [4, 6]}"), "conditions[1].k: ");
    refuses(PLAN("{\"search\": \"cluster\", \"samples\": 4}"),
            "conditions[0].samples: goes with probe sample or adaptive only");
    refuses(PLAN("{\"k_before\": 4}"), "conditions[0].k_before: ");
    refuses(PLAN("{\"deadline\": 1}"), "conditions[0].deadline: concerns general models");
    refuses(MODELS("{\"models\": [\"tmaze\"], \"scope\": \"global\"}"),
            "conditions[0].scope: concerns graph worlds");
    /* one that counts in some combinations, or on some of its places, is welcome */
    sonde_study_plan_free(parse(PLAN("{\"search\": [\"full\", \"cluster\"], \"k\": 4}")));
    sonde_study_plan_free(
        parse(PLAN("{\"probe\": [\"center\", \"sample\"], \"samples\": [2, 5]}")));
    sonde_study_plan_free(parse(MODELS("{\"search\": \"full\", \"scope\": \"global\"}")));
    sonde_study_plan_free(parse(MODELS("{\"search\": \"bounded\", \"deadline\": 1}")));
    /* so is a value that is the default, which says as much as nothing does */
    sonde_study_plan_free(parse(PLAN("{\"search\": \"full\", \"branch\": 0, \"budget\": 0}")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_search_a_condition_has_the_one_that_its_settings_mean),
        cmocka_unit_test(a_setting_that_changes_no_combination_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
