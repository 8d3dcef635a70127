/* A setting is read whole or not at all, and written as it is read. */
#include "base/settings_tools.h"
#include "base/rng.h"

/* Set, then get: the same text. */
static void assert_kept(const char *key, const char *value) {
    sonde_search_settings settings = sonde_search_defaults();
    set(&settings, key, value);
    const value_text found = value_of(&settings, key);
    if (strcmp(found.text, value) != 0) {
        fail_msg("%s: set \"%s\", got \"%s\"", key, value, found.text);
    }
    assert_int_equal(sonde__settings_check(&settings, NULL), SONDE_OK);
}

static void assert_number_kept(const sonde_setting *row, double number) {
    char value[VALUE_SIZE];
    sonde_text text = {0};
    sonde_text_add_number(&text, number);
    (void)snprintf(value, sizeof value, "%s", text.data);
    sonde_text_free(&text);
    assert_kept(row->key, value);
}

static void every_choice_of_every_row_is_kept(void **state) {
    (void)state;
    FOR_EACH_ROW(row) {
        if (row->type == SONDE_FLAG) {
            assert_kept(row->key, "true");
            assert_kept(row->key, "false");
        }
        for (int32_t i = 0; row->type == SONDE_CHOICE && row->names(i) != NULL; i++) {
            assert_kept(row->key, row->names(i));
        }
    }
}

/* the ends of the range, and numbers drawn in between, small and large */
static void numbers_of_every_row_are_kept(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(1, SONDE__FOR_SAMPLE, 7);
    FOR_EACH_ROW(row) {
        if (!is_number(row)) {
            continue;
        }
        const double low = row->minimum;
        const double high = maximum_of(row);
        if (!row->open) {
            assert_number_kept(row, low);
            assert_number_kept(row, high);
        }
        for (int32_t i = 0; i < 200; i++) {
            const double share = sonde__rng_uniform(&rng);
            const double drawn = low + pow(share, i % 2 == 0 ? 1.0 : 40.0) * (high - low);
            const double number = row->type == SONDE_REAL ? drawn : floor(drawn);
            if (!row->open || (number > low && number < high)) {
                assert_number_kept(row, number);
            }
        }
    }
}

static void counts_keep_all_their_digits(void **state) {
    (void)state;
    static const char *const count[] = {"1",
                                        "9007199254740993",
                                        "9223372036854775807",
                                        "9223372036854775809",
                                        "18446744073709551614",
                                        "18446744073709551615"};
    FOR_EACH_ROW(row) {
        for (int32_t i = 0; row->type == SONDE_COUNT && i < 6; i++) {
            assert_kept(row->key, count[i]);
        }
        if (row->type == SONDE_COUNT) {
            assert_not_set(row->key, "18446744073709551616");
            assert_not_set(row->key, "184467440737095516150");
        }
    }
    sonde_search_settings settings = sonde_search_defaults();
    set(&settings, "seed", "18446744073709551615");
    assert_true(settings.seed == UINT64_MAX);
}

static void a_word_stands_for_zero(void **state) {
    (void)state;
    int32_t n = 0;
    FOR_EACH_ROW(row) {
        if (row->zero != NULL) {
            sonde_search_settings settings = sonde_search_defaults();
            set(&settings, row->key, row->zero);
            assert_true(sonde__setting_number(&settings, row) == 0.0);
            assert_string_equal(value_of(&settings, row->key).text, row->zero);
            assert_not_set(row->key, "0");
            n++;
        }
    }
    assert_true(n > 0);
}

/* The first number outside, written so that it is one. */
static value_text beyond(const sonde_setting *row, bool above) {
    value_text value;
    const double edge = above ? maximum_of(row) : row->minimum;
    const double whole = row->open ? edge : above ? edge + 1.0 : edge - 1.0;
    const double real = row->open ? edge : nextafter(edge, above ? INFINITY : -INFINITY);
    (void)snprintf(value.text, sizeof value.text, "%.17g", row->type == SONDE_REAL ? real : whole);
    return value;
}

static void numbers_just_outside_their_range_are_refused(void **state) {
    (void)state;
    FOR_EACH_ROW(row) {
        if (!is_number(row)) {
            continue;
        }
        const value_text below = beyond(row, false);
        /* a default says as much as nothing does, wherever it lies */
        if (strtod(below.text, NULL) != row->usual) {
            assert_not_set(row->key, below.text);
        }
        if (row->type != SONDE_COUNT) {
            assert_not_set(row->key, beyond(row, true).text);
        }
    }
}

/* A number in the struct is checked like one in a text. */
static void structs_are_checked_by_the_same_ranges(void **state) {
    (void)state;
    FOR_EACH_ROW(row) {
        const double outside[] = {row->minimum - 2.0, maximum_of(row) * 2.0, NAN, -2.0, 1e9};
        for (int32_t i = 0; i < 5; i++) {
            const bool real = row->type == SONDE_REAL && i < 3;
            const bool whole = row->type == SONDE_WHOLE && (i == 0 || (i == 1 && row->maximum > 0));
            const bool choice = row->type == SONDE_CHOICE && i >= 3;
            sonde_search_settings settings = sonde_search_defaults();
            sonde_error error = {0};
            if (real || whole || choice) {
                sonde__setting_put(&settings, row, outside[i]);
                assert_int_equal(sonde__settings_check(&settings, &error), SONDE_BAD_ARGUMENT);
                assert_string_equal(error.setting, row->key);
            }
        }
    }
}

static void what_is_no_value_is_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "",    " ",   "4 ",       " 4",    "4x",  "x4",   "0x4",   "0X4", "inf",   "-inf", "nan",
        "NaN", "+",   "-",        ".",     "1e",  "e1",   "1,5",   "4\n", "true ", "True", "1e+",
        "--4", "4 5", "infinity", "1e999", "4ms", "null", "\"4\"", "4;",  "none"};
    FOR_EACH_ROW(row) {
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            if (row->names == NULL || sonde_name_find(row->names, wrong[i]) < 0) {
                assert_not_set(row->key, wrong[i]);
            }
        }
        if (row->type != SONDE_REAL) {
            assert_not_set(row->key, "1.5");
            assert_not_set(row->key, "1e1");
            assert_not_set(row->key, "-1.0");
            assert_not_set(row->key, "+4");
        }
        assert_not_set(row->key, is_number(row) ? "true" : "4");
    }
}

static void a_value_with_anything_behind_it_is_refused(void **state) {
    (void)state;
    const sonde_search_settings settings = sonde_search_defaults();
    static const char *const behind[] = {" ", "x", ".", ",", "e", "\t", "%"};
    FOR_EACH_ROW(row) {
        const value_text usual = value_of(&settings, row->key);
        for (int32_t i = 0; usual.text[0] != '\0' && i < 7; i++) {
            char value[VALUE_SIZE + 2];
            (void)snprintf(value, sizeof value, "%s%s", usual.text, behind[i]);
            const bool point = row->type == SONDE_REAL && behind[i][0] == '.' &&
                               strpbrk(usual.text, ".e") == NULL; /* "1." is a number */
            if (!point) {
                assert_not_set(row->key, value);
            }
        }
    }
}

static void an_unknown_key_is_told_apart_from_a_bad_value(void **state) {
    (void)state;
    sonde_search_settings settings = sonde_search_defaults();
    sonde_error error = {0};
    sonde_text text = {0};
    assert_int_equal(sonde_settings_set(&settings, "kay", "4", &error), SONDE_BAD_ARGUMENT);
    assert_string_equal(error.setting, "kay");
    assert_says(error.text, "no such setting");
    assert_int_equal(sonde_settings_get(&settings, "kay", &text, NULL), SONDE_BAD_ARGUMENT);
    assert_null(text.data);
}

static void sentences_say_what_was_expected_and_found(void **state) {
    (void)state;
    static const char *const expected[][3] = {
        {"k", "0", "k: expected auto or a whole number from 1, found \"0\""},
        {"dimension", "1025", "dimension: expected a whole number from 1 to 1024, found \"1025\""},
        {"delta", "1", "delta: expected a number between 0 and 1, found \"1\""},
        {"probe", "centre",
         "probe: expected center, sample or adaptive, found \"centre\"; did you "
         "mean center?"},
        {"per_factor", "1", "per_factor: expected true or false, found \"1\""},
        {"samples", "4294967296",
         "samples: expected a whole number from 1 to 2147483647, found \"4294967296\""},
        {"deadline", "-1", "deadline: expected a number of seconds from 0, found \"-1\""},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        sonde_search_settings settings = sonde_search_defaults();
        sonde_error error = {0};
        assert_int_equal(sonde_settings_set(&settings, expected[i][0], expected[i][1], &error),
                         SONDE_BAD_ARGUMENT);
        assert_string_equal(error.text, expected[i][2]);
    }
}

static void what_is_not_set_is_written_as_nothing(void **state) {
    (void)state;
    const sonde_search_settings settings = sonde_search_defaults();
    static const char *const unset[] = {"fallback", "embedding", "gamma",
                                        "branch",   "budget",    "replan_surprise"};
    for (size_t i = 0; i < sizeof unset / sizeof *unset; i++) {
        assert_string_equal(value_of(&settings, unset[i]).text, "");
    }
    assert_string_equal(value_of(&settings, "k").text, "12");
    assert_string_equal(value_of(&settings, "per_factor").text, "false");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_choice_of_every_row_is_kept),
        cmocka_unit_test(numbers_of_every_row_are_kept),
        cmocka_unit_test(counts_keep_all_their_digits),
        cmocka_unit_test(a_word_stands_for_zero),
        cmocka_unit_test(numbers_just_outside_their_range_are_refused),
        cmocka_unit_test(structs_are_checked_by_the_same_ranges),
        cmocka_unit_test(what_is_no_value_is_refused),
        cmocka_unit_test(a_value_with_anything_behind_it_is_refused),
        cmocka_unit_test(an_unknown_key_is_told_apart_from_a_bad_value),
        cmocka_unit_test(sentences_say_what_was_expected_and_found),
        cmocka_unit_test(what_is_not_set_is_written_as_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
