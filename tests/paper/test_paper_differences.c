/* What the authors' notebook does otherwise is a list of names, and settings of a search. */
#include "stages.h"

#define BIT(difference) (1u << (SONDE_DIFFERENCE_##difference))

static void differences_have_names_and_sentences(void **state) {
    (void)state;
    static const char *const name[] = {"boe", "aboe", "lookup", "lag", "nearest", "empty", "order"};
    for (int32_t i = 0; i < SONDE_DIFFERENCE_COUNT; i++) {
        assert_string_equal(sonde_difference_name(i), name[i]);
        assert_true(strlen(sonde_difference_about(i)) > 10);
    }
    assert_null(sonde_difference_name(SONDE_DIFFERENCE_COUNT));
    assert_null(sonde_difference_name(-1));
    assert_null(sonde_difference_about(SONDE_DIFFERENCE_COUNT));
    assert_null(sonde_difference_about(-1));
    assert_int_equal(SONDE_SEMANTICS_NOTEBOOK, 127);
}

static void all_none_and_some_differences_have_names_of_their_own(void **state) {
    (void)state;
    assert_string_equal(sonde_semantics_name(SONDE_SEMANTICS_TEXT), "text");
    assert_string_equal(sonde_semantics_name(SONDE_SEMANTICS_NOTEBOOK), "notebook");
    for (uint32_t some = 1; some < SONDE_SEMANTICS_NOTEBOOK; some++) {
        assert_string_equal(sonde_semantics_name(some), "mixed");
    }
}

static sonde_search_settings applied(const char *embedding, uint32_t differences) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.embed.kind = embedding != NULL ? sonde_name_find(sonde_embedding_name, embedding)
                                            : SONDE_EMBEDDING_DEFAULT;
    sonde_differences_apply(differences, 7, &settings);
    return settings;
}

static void assert_embeds(const char *given, uint32_t differences, const char *meant) {
    const sonde_search_settings settings = applied(given, differences);
    assert_string_equal(sonde_embedding_name(settings.embed.kind), meant);
}

static void differences_of_embeddings_change_the_embedding_they_are_about(void **state) {
    (void)state;
    assert_embeds("boe", BIT(BOE), "boe-set");
    assert_embeds(NULL, BIT(BOE), "boe-set");
    assert_embeds("aboe", BIT(BOE), "aboe");
    assert_embeds("aboe", BIT(ABOE), "aboe-edges");
    assert_embeds("aboe", SONDE_SEMANTICS_NOTEBOOK, "aboe-edges");
    assert_embeds("boe", SONDE_SEMANTICS_NOTEBOOK & ~BIT(BOE), "boe");
    assert_embeds("edm", SONDE_SEMANTICS_NOTEBOOK, "edm");
}

static void each_other_difference_is_one_setting(void **state) {
    (void)state;
    for (uint32_t bits = 0; bits <= SONDE_SEMANTICS_NOTEBOOK; bits++) {
        const sonde_search_settings settings = applied("edm", bits);
        assert_int_equal(settings.cluster.k, (bits & BIT(LAG)) != 0 ? 7 : 12);
        assert_int_equal(settings.cluster.nearest_of_all, (bits & BIT(NEAREST)) != 0);
        assert_int_equal(settings.cluster.keep_empty, (bits & BIT(EMPTY)) != 0);
        assert_int_equal(settings.cluster.seed_order, (bits & BIT(ORDER)) != 0);
        assert_int_equal(settings.probe_everywhere, (bits & BIT(LOOKUP)) != 0);
    }
}

static void no_differences_change_nothing(void **state) {
    (void)state;
    sonde_search_settings before = sonde_search_defaults();
    before.cluster.keep_empty = before.cluster.seed_order = true;
    sonde_search_settings after = before;
    sonde_differences_apply(SONDE_SEMANTICS_TEXT, 3, &after);
    assert_memory_equal(&before, &after, sizeof after);
}

static void differences_are_written_as_pairs_of_a_document(void **state) {
    (void)state;
    sonde_text json = {0};
    sonde_differences_write(BIT(LOOKUP) | BIT(LAG), 6, &json);
    assert_string_equal(json.data, "\"semantics\": \"mixed\", \"differences\": [\"lookup\", "
                                   "\"lag\"], \"k_before\": 6");
    sonde_text_free(&json);
}

/* --------------------------------------------------------------------- beside other settings -- */

enum { N_GIVEN = 64 };

/* Settles a reading beside a search that is named, or not (-1). */
static sonde_status settle(sonde_reading reading, int32_t search, uint32_t kinds,
                           sonde_search_settings *settings, sonde_error *error) {
    bool given[N_GIVEN] = {false};
    *settings = sonde_search_defaults();
    *error = (sonde_error){0};
    if (search >= 0) {
        settings->search = (sonde_search_kind)search;
        given[sonde_setting_find("search")] = true;
    }
    return sonde_differences_settle(&reading, given, kinds, settings, error);
}

static void differences_mean_clusters_where_no_search_is_named(void **state) {
    (void)state;
    sonde_search_settings settings;
    sonde_error error;
    const sonde_reading all = {.differences = SONDE_SEMANTICS_NOTEBOOK, .named = "semantics"};
    assert_int_equal(settle(all, -1, 0, &settings, &error), SONDE_OK);
    assert_int_equal(settings.search, SONDE_SEARCH_CLUSTER);
    assert_int_equal(settle((sonde_reading){0}, -1, 0, &settings, &error), SONDE_OK);
    assert_int_equal(settings.search, SONDE_SEARCH_BOUNDED);
}

static void differences_are_refused_where_they_change_nothing(void **state) {
    (void)state;
    sonde_search_settings settings;
    sonde_error error;
    for (int32_t search = 0; sonde_search_name(search) != NULL; search++) {
        const bool clusters = search == SONDE_SEARCH_CLUSTER || search == SONDE_SEARCH_TREE ||
                              search == SONDE_SEARCH_SURROGATE;
        const sonde_reading order = {.differences = BIT(ORDER), .named = "differences"};
        assert_int_equal(settle(order, search, SONDE_KIND_GRAPH, &settings, &error),
                         clusters ? SONDE_OK : SONDE_BAD_ARGUMENT);
        assert_string_equal(error.setting, clusters ? "" : "differences");
        assert_int_equal(settle(order, search, SONDE_KIND_GENERAL, &settings, &error),
                         SONDE_BAD_ARGUMENT);
        assert_says(error.text, "graph worlds");
    }
}

static void k_before_goes_with_the_lag_alone(void **state) {
    (void)state;
    sonde_search_settings settings;
    sonde_error error;
    sonde_reading reading = {
        .differences = BIT(ORDER), .k_before = 4, .named = "differences", .k_before_named = true};
    assert_int_equal(settle(reading, -1, 0, &settings, &error), SONDE_BAD_ARGUMENT);
    assert_string_equal(error.setting, "k_before");
    assert_says(error.text, "k_before: goes with differences lag or semantics notebook only");
    reading.differences |= BIT(LAG);
    assert_int_equal(settle(reading, -1, 0, &settings, &error), SONDE_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_have_names_and_sentences),
        cmocka_unit_test(all_none_and_some_differences_have_names_of_their_own),
        cmocka_unit_test(differences_of_embeddings_change_the_embedding_they_are_about),
        cmocka_unit_test(each_other_difference_is_one_setting),
        cmocka_unit_test(no_differences_change_nothing),
        cmocka_unit_test(differences_are_written_as_pairs_of_a_document),
        cmocka_unit_test(differences_mean_clusters_where_no_search_is_named),
        cmocka_unit_test(differences_are_refused_where_they_change_nothing),
        cmocka_unit_test(k_before_goes_with_the_lag_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
