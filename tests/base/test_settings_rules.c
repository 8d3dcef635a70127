/* What settings mean beside each other: every column of the table that speaks of others. */
#include "base/settings_tools.h"

/* settings, and which of them somebody named */
typedef struct {
    sonde_search_settings settings;
    bool given[N_ROW_MAX];
} asked;

static asked nothing(void) {
    return (asked){.settings = sonde_search_defaults()};
}

static void ask(asked *a, const char *key, const char *value) {
    set(&a->settings, key, value);
    a->given[sonde_setting_find(key)] = true;
}

/* A value that the row can have and does not have by default. */
static value_text other_value(const sonde_setting *row) {
    value_text value = {"true"};
    switch (row->type) {
    case SONDE_FLAG: break;
    case SONDE_CHOICE:
        (void)snprintf(value.text, sizeof value.text, "%s", row->names(row->usual == 0.0 ? 1 : 0));
        break;
    case SONDE_REAL: (void)snprintf(value.text, sizeof value.text, "0.25"); break;
    default: (void)snprintf(value.text, sizeof value.text, "5");
    }
    return value;
}

/* Names a row, and whatever its own columns say that it goes with. */
static void ask_with_company(asked *a, const sonde_setting *row) {
    if (row->with != NULL) {
        const sonde_setting *other = sonde_setting_at(sonde_setting_find(row->with));
        char word[VALUE_SIZE];
        (void)snprintf(word, sizeof word, "%s",
                       row->with_values != NULL ? row->with_values : other_value(other).text);
        word[strcspn(word, ",")] = '\0';
        ask(a, row->with, word);
    }
    ask(a, row->key, other_value(row).text);
}

static sonde_status settle(asked *a, uint32_t kinds, sonde_error *error) {
    *error = (sonde_error){0};
    return sonde_settings_settle(&a->settings, a->given, kinds, error);
}

static void assert_settles(asked *a, uint32_t kinds) {
    sonde_error error;
    if (settle(a, kinds, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
}

static void assert_idle(asked *a, uint32_t kinds, const char *key, const char *words) {
    sonde_error error;
    if (settle(a, kinds, &error) != SONDE_BAD_ARGUMENT) {
        fail_msg("%s was taken", key);
    }
    assert_string_equal(error.setting, key);
    assert_memory_equal(error.text, key, strlen(key));
    assert_says(error.text, words);
}

static bool in(uint32_t searches, int32_t search) {
    return searches == 0 || (searches >> search & 1u) != 0;
}

/* `search` itself is what the others are asked beside. */
static bool is_the_search(const sonde_setting *row) {
    return strcmp(row->key, "search") == 0 || strcmp(row->key, "fallback") == 0;
}

static void a_setting_is_refused_beside_a_search_that_does_not_use_it(void **state) {
    (void)state;
    FOR_EACH_ROW(row) {
        for (int32_t s = 0; !is_the_search(row) && sonde_search_name(s) != NULL; s++) {
            asked a = nothing();
            ask(&a, "search", sonde_search_name(s));
            /* its company may concern fewer searches, but then so does the row */
            ask_with_company(&a, row);
            const bool used = in(row->searches, s);
            assert_int_equal(sonde__setting_is_used(&a.settings, row), used);
            assert_int_equal(sonde_setting_counts(&a.settings, sonde_setting_find(row->key), 0),
                             used);
            if (used) {
                assert_settles(&a, 0);
                assert_int_equal(a.settings.search, s);
            } else if (row->with == NULL) {
                assert_idle(&a, 0, row->key, " only, and the search is ");
            }
        }
    }
}

static void a_fallback_uses_settings_like_a_search(void **state) {
    (void)state;
    FOR_EACH_ROW(row) {
        for (int32_t s = 0; !is_the_search(row) && sonde_search_name(s) != NULL; s++) {
            asked a = nothing();
            ask(&a, "search", "full");
            ask(&a, "fallback", sonde_search_name(s));
            ask_with_company(&a, row);
            if (s == SONDE_SEARCH_FULL) {
                assert_idle(&a, 0, "fallback", "is the search itself");
            } else if (in(row->searches, s)) {
                assert_settles(&a, 0);
            } else if (row->with == NULL && !in(row->searches, SONDE_SEARCH_FULL)) {
                assert_idle(&a, 0, row->key, "the search is full");
            }
        }
    }
}

static void a_setting_is_refused_on_a_kind_of_model_that_has_it_not(void **state) {
    (void)state;
    int32_t n = 0;
    FOR_EACH_ROW(row) {
        for (uint32_t kind = 1; kind <= 2; kind++) {
            asked a = nothing();
            ask_with_company(&a, row);
            if (row->kinds == 0 || (row->kinds & kind) != 0) {
                assert_settles(&a, kind);
                continue;
            }
            assert_idle(&a, kind, row->key,
                        kind == SONDE_KIND_GRAPH ? "concerns general models, and this is a graph"
                                                 : "concerns graph worlds, and this is a general");
            /* where both kinds are, or nobody knows yet, it may count */
            assert_settles(&a, SONDE_KIND_ANY);
            assert_settles(&a, 0);
            n++;
        }
    }
    assert_true(n > 3);
}

static void a_setting_is_refused_without_the_one_that_it_goes_with(void **state) {
    (void)state;
    int32_t n = 0;
    FOR_EACH_ROW(row) {
        if (row->with == NULL) {
            continue;
        }
        const sonde_setting *other = sonde_setting_at(sonde_setting_find(row->with));
        asked a = nothing();
        ask(&a, row->key, other_value(row).text);
        const bool alone = sonde__setting_has_company(&a.settings, row);
        if (!alone) {
            char words[VALUE_SIZE];
            (void)snprintf(words, sizeof words, "%s: goes with %s", row->key, row->with);
            assert_idle(&a, 0, row->key, words);
            n++;
        }
        for (int32_t i = 0; row->with_values != NULL && other->names(i) != NULL; i++) {
            asked b = nothing();
            const char *at = strstr(row->with_values, other->names(i));
            const size_t length = strlen(other->names(i));
            const bool listed = at != NULL && (at == row->with_values || at[-1] == ',') &&
                                (at[length] == ',' || at[length] == '\0');
            ask(&b, row->with, other->names(i));
            ask(&b, row->key, other_value(row).text);
            if (listed) {
                assert_settles(&b, 0);
            } else {
                assert_idle(&b, 0, row->key, " only; choose that, or leave it out");
            }
        }
    }
    assert_true(n > 3);
}

static void a_setting_is_refused_beside_the_one_that_takes_its_place(void **state) {
    (void)state;
    int32_t n = 0;
    FOR_EACH_ROW(row) {
        for (int32_t s = 0; row->unless != NULL && sonde_search_name(s) != NULL; s++) {
            const sonde_setting *other = sonde_setting_at(sonde_setting_find(row->unless));
            asked a = nothing();
            if (!in(row->searches, s) || !in(other->searches, s)) {
                continue;
            }
            ask(&a, "search", sonde_search_name(s));
            ask(&a, row->unless, other_value(other).text);
            ask(&a, row->key, other_value(row).text);
            if ((row->unless_searches >> s & 1u) == 0) {
                assert_settles(&a, 0);
                continue;
            }
            char words[VALUE_SIZE];
            (void)snprintf(words, sizeof words, "gives way to %s, which is given", row->unless);
            assert_idle(&a, 0, row->key, words);
            n++;
            /* a fallback that uses the first one gives it back its effect */
            if ((row->searches & ~row->unless_searches) != 0) {
                ask(&a, "fallback", "cluster");
                assert_settles(&a, 0);
            }
        }
    }
    assert_true(n >= 2);
}

/* Which search is meant by a list "key=value key=value". */
static void assert_means(const char *list, sonde_search_kind search) {
    asked a = nothing();
    char words[VALUE_SIZE];
    (void)snprintf(words, sizeof words, "%s", list);
    for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        *value = '\0';
        ask(&a, word, value + 1);
    }
    assert_settles(&a, 0);
    assert_int_equal(a.settings.search, search);
}

static void settings_say_which_search_is_meant(void **state) {
    (void)state;
    assert_means("", SONDE_SEARCH_BOUNDED);
    assert_means("gamma=2 action=best scope=global seed=4", SONDE_SEARCH_BOUNDED);
    assert_means("epsilon=0.5 budget=99 deadline=2", SONDE_SEARCH_BOUNDED);
    assert_means("k=4", SONDE_SEARCH_CLUSTER);
    assert_means("embedding=boe", SONDE_SEARCH_CLUSTER);
    assert_means("policy_sample=40 members=5", SONDE_SEARCH_CLUSTER);
    assert_means("keep_empty=true", SONDE_SEARCH_CLUSTER);
    assert_means("depth=3", SONDE_SEARCH_TREE);
    assert_means("branch=3 probe=sample", SONDE_SEARCH_TREE);
    assert_means("beam=3", SONDE_SEARCH_BEAM);
    assert_means("search=full gamma=2", SONDE_SEARCH_FULL);
    /* what the fallback uses says nothing of the search */
    assert_means("fallback=beam beam=7", SONDE_SEARCH_BOUNDED);
    assert_means("fallback=cluster k=7", SONDE_SEARCH_BOUNDED);
}

static void every_setting_alone_means_a_search_that_uses_it(void **state) {
    (void)state;
    FOR_EACH_ROW(row) {
        asked a = nothing();
        if (strcmp(row->key, "search") != 0) {
            ask_with_company(&a, row);
            assert_settles(&a, 0);
            assert_true(sonde__setting_is_used(&a.settings, row));
        }
    }
}

static void settings_of_two_searches_are_refused_by_the_one_that_is_not_meant(void **state) {
    (void)state;
    asked a = nothing();
    ask(&a, "beam", "3");
    ask(&a, "depth", "3");
    assert_idle(&a, 0, "beam", "goes with search beam only, and the search is tree");
    asked b = nothing();
    ask(&b, "epsilon", "0.1");
    ask(&b, "k", "4");
    assert_idle(&b, 0, "epsilon", "goes with search bounded only, and the search is cluster");
}

static void a_value_that_is_not_set_says_as_much_as_nothing(void **state) {
    (void)state;
    asked a = nothing();
    ask(&a, "search", "full");
    FOR_EACH_ROW(row) {
        if (!sonde__setting_is_set(&a.settings, row)) {
            a.given[sonde_setting_find(row->key)] = true;
        }
    }
    assert_settles(&a, SONDE_KIND_GRAPH);
    assert_int_equal(a.settings.search, SONDE_SEARCH_FULL);
    asked b = nothing();
    ask(&b, "branch", "0");
    assert_settles(&b, 0);
    assert_int_equal(b.settings.search, SONDE_SEARCH_BOUNDED);
}

static void what_is_no_row_counts_nowhere(void **state) {
    (void)state;
    const sonde_search_settings settings = sonde_search_defaults();
    assert_false(sonde_setting_counts(&settings, -1, 0));
    assert_false(sonde_setting_counts(&settings, N_ROW_MAX, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_setting_is_refused_beside_a_search_that_does_not_use_it),
        cmocka_unit_test(a_fallback_uses_settings_like_a_search),
        cmocka_unit_test(a_setting_is_refused_on_a_kind_of_model_that_has_it_not),
        cmocka_unit_test(a_setting_is_refused_without_the_one_that_it_goes_with),
        cmocka_unit_test(a_setting_is_refused_beside_the_one_that_takes_its_place),
        cmocka_unit_test(settings_say_which_search_is_meant),
        cmocka_unit_test(every_setting_alone_means_a_search_that_uses_it),
        cmocka_unit_test(settings_of_two_searches_are_refused_by_the_one_that_is_not_meant),
        cmocka_unit_test(a_value_that_is_not_set_says_as_much_as_nothing),
        cmocka_unit_test(what_is_no_row_counts_nowhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
