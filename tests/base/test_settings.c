/* The table of settings is whole: what a row says of itself and of others is so. */
#include "base/settings_tools.h"

static void rows_are_found_by_their_keys_and_no_others(void **state) {
    (void)state;
    int32_t n = 0;
    FOR_EACH_ROW(row) {
        assert_int_equal(sonde_setting_find(row->key), n);
        n++;
    }
    assert_true(n > 30 && n <= N_ROW_MAX);
    assert_null(sonde_setting_at(-1));
    assert_null(sonde_setting_at(n));
    assert_null(sonde_setting_at(INT32_MAX));
    assert_int_equal(sonde_setting_find(""), -1);
    assert_int_equal(sonde_setting_find("kk"), -1);
    assert_int_equal(sonde_setting_find("policy-sample"), -1);
}

static void every_row_has_a_key_and_a_sentence(void **state) {
    (void)state;
    FOR_EACH_ROW(row) {
        assert_true(strlen(row->key) > 0);
        assert_int_equal(strspn(row->key, "abcdefghijklmnopqrstuvwxyz_AB"), strlen(row->key));
        assert_true(strlen(row->key) < sizeof((sonde_error *)NULL)->setting);
        assert_true(strlen(row->help) > 5);
        assert_true(strlen(row->part) > 0);
        /* a flag stands alone, everything else has a value that help must name */
        assert_int_equal(row->value == NULL, row->type == SONDE_FLAG);
        assert_int_equal(row->names == NULL, row->type != SONDE_CHOICE);
        assert_true(row->about == NULL || row->type == SONDE_CHOICE);
    }
}

static size_t size_of(const sonde_setting *row) {
    switch (row->type) {
    case SONDE_COUNT: return sizeof(uint64_t);
    case SONDE_REAL: return sizeof(double);
    case SONDE_FLAG: return sizeof(bool);
    default: return sizeof(int32_t);
    }
}

static void every_row_has_a_place_of_its_own(void **state) {
    (void)state;
    bool taken[sizeof(sonde_search_settings)] = {false};
    FOR_EACH_ROW(row) {
        assert_true(row->at + size_of(row) <= sizeof(sonde_search_settings));
        assert_int_equal(row->at % size_of(row), 0);
        for (size_t i = 0; i < size_of(row); i++) {
            assert_false(taken[row->at + i]);
            taken[row->at + i] = true;
        }
    }
}

static void the_defaults_are_those_of_the_rows(void **state) {
    (void)state;
    const sonde_search_settings settings = sonde_search_defaults();
    FOR_EACH_ROW(row) {
        if (sonde__setting_number(&settings, row) != row->usual) {
            fail_msg("%s is %g, not %g", row->key, sonde__setting_number(&settings, row),
                     row->usual);
        }
    }
    const sonde_cluster_settings cluster = sonde_search_defaults().cluster;
    const sonde_embed_settings embed = sonde_search_defaults().embed;
    assert_memory_equal(&settings.cluster, &cluster, sizeof cluster);
    assert_memory_equal(&settings.embed, &embed, sizeof embed);
}

static void every_default_is_allowed(void **state) {
    (void)state;
    const sonde_search_settings settings = sonde_search_defaults();
    assert_int_equal(sonde__settings_check(&settings, NULL), SONDE_OK);
    FOR_EACH_ROW(row) {
        const value_text usual = value_of(&settings, row->key);
        if (usual.text[0] != '\0') {
            sonde_search_settings again = settings;
            set(&again, row->key, usual.text);
            assert_memory_equal(&again, &settings, sizeof again);
        }
    }
}

/* What a row says of another one, by its key and its choices. */
static void rows_name_rows_and_choices_that_there_are(void **state) {
    (void)state;
    FOR_EACH_ROW(row) {
        assert_true(row->with_values == NULL || row->with != NULL);
        assert_true(row->unless == NULL || row->unless_searches != 0);
        assert_true(row->unless == NULL || sonde_setting_find(row->unless) >= 0);
        if (row->with == NULL) {
            continue;
        }
        const sonde_setting *other = sonde_setting_at(sonde_setting_find(row->with));
        assert_non_null(other);
        char list[VALUE_SIZE] = "";
        (void)snprintf(list, sizeof list, "%s", row->with_values != NULL ? row->with_values : "");
        for (char *word = strtok(list, ","); word != NULL; word = strtok(NULL, ",")) {
            assert_true(sonde_name_find(other->names, word) >= 0);
        }
    }
}

static void rows_name_searches_and_kinds_that_there_are(void **state) {
    (void)state;
    int32_t n_search = 0;
    while (sonde_plan_search_name(n_search) != NULL) {
        n_search++;
    }
    FOR_EACH_ROW(row) {
        assert_int_equal(row->searches >> n_search, 0);
        assert_int_equal(row->unless_searches >> n_search, 0);
        assert_int_equal(row->unless_searches & ~row->searches, 0);
        assert_int_equal(row->kinds & ~(uint32_t)SONDE_KIND_ANY, 0);
        /* all of them is written as 0 */
        assert_true(row->searches != (1u << n_search) - 1u);
        assert_true(row->kinds != SONDE_KIND_ANY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_found_by_their_keys_and_no_others),
        cmocka_unit_test(every_row_has_a_key_and_a_sentence),
        cmocka_unit_test(every_row_has_a_place_of_its_own),
        cmocka_unit_test(the_defaults_are_those_of_the_rows),
        cmocka_unit_test(every_default_is_allowed),
        cmocka_unit_test(rows_name_rows_and_choices_that_there_are),
        cmocka_unit_test(rows_name_searches_and_kinds_that_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
