/* settings_tools.h: every row of the table of settings, and values for it. */
#ifndef TESTS_SETTINGS_TOOLS_H
#define TESTS_SETTINGS_TOOLS_H

#include <inttypes.h>
#include <stdio.h>

#include "base/settings.h"
#include "worlds.h"

enum { N_ROW_MAX = 64, VALUE_SIZE = 80 };

#define FOR_EACH_ROW(row)                                                                          \
    const sonde_setting *row;                                                                      \
    for (int32_t i_row = 0; (row = sonde_setting_at(i_row)) != NULL; i_row++)

typedef struct {
    char text[VALUE_SIZE];
} value_text;

static inline bool is_number(const sonde_setting *row) {
    return row->type == SONDE_WHOLE || row->type == SONDE_COUNT || row->type == SONDE_REAL;
}

/* The setting as text, "" if it is not set. */
static inline value_text value_of(const sonde_search_settings *settings, const char *key) {
    sonde_text text = {0};
    value_text value = {""};
    assert_int_equal(sonde_settings_get(settings, key, &text), SONDE_OK);
    if (text.data != NULL) {
        (void)snprintf(value.text, sizeof value.text, "%s", text.data);
    }
    sonde_text_free(&text);
    return value;
}

static inline void set(sonde_search_settings *settings, const char *key, const char *value) {
    sonde_error error = {0};
    if (sonde_settings_set(settings, key, value, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
}

/* Refused with its key, and nothing has changed. */
static inline void assert_not_set(const char *key, const char *value) {
    const sonde_search_settings before = sonde_search_defaults();
    sonde_search_settings settings = before;
    sonde_error error = {0};
    if (sonde_settings_set(&settings, key, value, &error) != SONDE_BAD_ARGUMENT) {
        fail_msg("%s took \"%s\"", key, value);
    }
    assert_int_equal(error.status, SONDE_BAD_ARGUMENT);
    assert_string_equal(error.setting, key);
    assert_memory_equal(error.text, key, strlen(key));
    assert_true(error.text[strlen(key)] == ':');
    assert_memory_equal(&settings, &before, sizeof settings);
    /* without an error to fill in, too */
    assert_int_equal(sonde_settings_set(&settings, key, value, NULL), SONDE_BAD_ARGUMENT);
}

/* The largest number that a row takes. */
static inline double maximum_of(const sonde_setting *row) {
    return row->maximum > 0.0 ? row->maximum : row->type == SONDE_REAL ? 1e100 : (double)INT32_MAX;
}

#endif
