/* settings_value.c: the value of one setting, from text and to text.
 *
 * Numbers are read whole or not at all: no spaces, no hexadecimal, no "inf", nothing behind them. A
 * value that is the default is allowed, inside the range or not, since it says as much as nothing
 * does; but not as text one that is below the range and not above 0, such as gamma's -1. */
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"
#include "base/shown.h"
#include "base/status.h"
#include "base/text.h"

/* past this, squares and sums of numbers are no longer sure to be finite */
#define REAL_MAX 1e100
/* characters of a number that is worth reading */
#define NUMBER_MAX 64

sonde_status sonde__fail_setting(sonde_error *error, const char *key, const char *format, ...) {
    if (error != NULL) {
        char rest[sizeof error->text];
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(rest, sizeof rest, format, arguments);
        va_end(arguments);
        (void)sonde__fail(error, SONDE_BAD_ARGUMENT, "%s: %s", key, rest);
        sonde__show(key, error->setting, sizeof error->setting);
    }
    return SONDE_BAD_ARGUMENT;
}

/* ------------------------------------------------------------------------------- the struct -- */

static uint64_t count_of(const sonde_search_settings *settings, const sonde_setting *row) {
    uint64_t count;
    memcpy(&count, (const char *)settings + row->at, sizeof count);
    return count;
}

double sonde__setting_number(const sonde_search_settings *settings, const sonde_setting *row) {
    const char *field = (const char *)settings + row->at;
    int32_t whole;
    double real;
    switch (row->type) {
    case SONDE_COUNT: return (double)count_of(settings, row);
    case SONDE_REAL: memcpy(&real, field, sizeof real); return real;
    case SONDE_FLAG: return *(const bool *)field ? 1.0 : 0.0;
    default: memcpy(&whole, field, sizeof whole); return (double)whole;
    }
}

void sonde__setting_put(sonde_search_settings *settings, const sonde_setting *row, double number) {
    char *field = (char *)settings + row->at;
    const int32_t whole =
        row->type == SONDE_WHOLE || row->type == SONDE_CHOICE ? (int32_t)number : 0;
    const uint64_t count = row->type == SONDE_COUNT ? (uint64_t)number : 0;
    switch (row->type) {
    case SONDE_COUNT: memcpy(field, &count, sizeof count); return;
    case SONDE_REAL: memcpy(field, &number, sizeof number); return;
    case SONDE_FLAG: *(bool *)field = number != 0.0; return;
    default: memcpy(field, &whole, sizeof whole);
    }
}

/* A finite decimal number that is all of the text, with a point in every locale. */
static bool read_real(const char *text, double *number) {
    const size_t size = strlen(text);
    const char *point = localeconv()->decimal_point;
    const int whole = (int)strcspn(text, ".");
    const bool has_point = text[whole] == '.';
    char digits[NUMBER_MAX + 16];
    char *end = NULL;
    if (size == 0 || size > NUMBER_MAX || strspn(text, "0123456789+-.eE") < size) {
        return false;
    }
    (void)snprintf(digits, sizeof digits, "%.*s%s%s", whole, text, has_point ? point : "",
                   has_point ? text + whole + 1 : "");
    *number = strtod(digits, &end);
    return *end == '\0' && isfinite(*number);
}

/* -------------------------------------------------------------------------------- the range -- */

static double maximum_of(const sonde_setting *row) {
    switch (row->type) {
    case SONDE_WHOLE: return row->maximum > 0.0 ? row->maximum : (double)INT32_MAX;
    case SONDE_REAL: return row->maximum > 0.0 ? row->maximum : REAL_MAX;
    default: return (double)UINT64_MAX;
    }
}

static bool in_range(const sonde_setting *row, double number) {
    if (row->type == SONDE_CHOICE) {
        return row->names((int32_t)number) != NULL;
    }
    return row->type == SONDE_FLAG || (row->zero != NULL && number == 0.0) ||
           (row->open ? number > row->minimum && number < maximum_of(row)
                      : number >= row->minimum && number <= maximum_of(row));
}

bool sonde__setting_is_set(const sonde_search_settings *settings, const sonde_setting *row) {
    const double number = sonde__setting_number(settings, row);
    return row->type == SONDE_FLAG ? number != 0.0 : in_range(row, number);
}

/* "a, b or c" */
static void add_choices(const sonde_setting *row, sonde_text *text) {
    for (int32_t i = 0; row->names(i) != NULL; i++) {
        const char *before = i == 0 ? "" : row->names(i + 1) != NULL ? ", " : " or ";
        sonde_text_add(text, "%s%s", before, row->names(i));
    }
}

/* What a setting may be: "a whole number from 1 to 1024", "auto or a whole number from 1". */
static void add_expected(const sonde_setting *row, bool too_large, sonde_text *text) {
    const char *const noun = row->type == SONDE_REAL ? "a number" : "a whole number";
    switch (row->type) {
    case SONDE_CHOICE: add_choices(row, text); return;
    case SONDE_FLAG: sonde_text_add(text, "true or false"); return;
    default: break;
    }
    sonde_text_add(text, "%s%s%s", row->zero != NULL ? row->zero : "",
                   row->zero != NULL ? " or " : "", noun);
    if (row->unit != NULL && row->type == SONDE_REAL) {
        sonde_text_add(text, " of %s", row->unit);
    }
    if (row->open) {
        sonde_text_add(text, " between %g and %g", row->minimum, row->maximum);
    } else {
        sonde_text_add(text, " from %g", row->minimum);
        if (row->type == SONDE_COUNT && too_large) {
            sonde_text_add(text, " to %" PRIu64, UINT64_MAX);
        } else if (row->maximum > 0.0 || too_large) {
            sonde_text_add(text, " to %.10g", maximum_of(row));
        }
    }
}

sonde_status sonde__setting_unexpected(const sonde_setting *row, const char *found,
                                       sonde_error *error) {
    sonde_text expected = {0};
    double number = 0.0;
    const double most = maximum_of(row); /* 2^64 of counts, which is one too many */
    const bool read = read_real(found, &number);
    add_expected(row, read && (number > most || (row->type == SONDE_COUNT && number == most)),
                 &expected);
    const char *nearest = row->type == SONDE_CHOICE ? sonde_name_nearest(row->names, found) : NULL;
    const sonde_status status =
        sonde__fail_setting(error, row->key, "expected %s, found \"%s\"%s%s%s",
                            expected.data != NULL ? expected.data : "another", found,
                            nearest != NULL ? "; did you mean " : "",
                            nearest != NULL ? nearest : "", nearest != NULL ? "?" : "");
    sonde_text_free(&expected);
    return status;
}

sonde_status sonde__settings_check(const sonde_search_settings *settings, sonde_error *error) {
    const sonde_setting *row;
    for (int32_t i = 0; (row = sonde_setting_at(i)) != NULL; i++) {
        const double number = sonde__setting_number(settings, row);
        if (number != row->usual && !in_range(row, number)) {
            char found[32];
            (void)snprintf(found, sizeof found, "%.10g", number);
            return sonde__setting_unexpected(row, found, error);
        }
    }
    return SONDE_OK;
}

/* ---------------------------------------------------------------------------------- reading -- */

/* Decimal digits that 64 bits hold, and nothing else. */
static bool read_count(const char *text, uint64_t *count) {
    const size_t size = strlen(text);
    uint64_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        const uint64_t digit = (uint64_t)(unsigned char)text[i] - '0';
        if (digit > 9 || sum > (UINT64_MAX - digit) / 10) {
            return false;
        }
        sum = sum * 10 + digit;
    }
    *count = sum;
    return size > 0;
}

/* The number that a text stands for: a choice's number, a flag's 0 or 1. */
static bool read_number(const sonde_setting *row, const char *text, double *number) {
    uint64_t count = 0;
    switch (row->type) {
    case SONDE_CHOICE: *number = sonde_name_find(row->names, text); return *number >= 0.0;
    case SONDE_FLAG:
        *number = strcmp(text, "true") == 0;
        return *number != 0.0 || strcmp(text, "false") == 0;
    case SONDE_REAL: {
        /* a default says nothing; but a 0 or a number below 0 that is below the least would not be
         * what was meant */
        const bool silent = row->usual > 0.0 || !(row->minimum > row->usual);
        return read_real(text, number) &&
               (in_range(row, *number) || (silent && *number == row->usual));
    }
    default: break;
    }
    if (row->zero != NULL && strcmp(text, row->zero) == 0) {
        *number = 0.0;
        return true;
    }
    *number = read_count(text, &count) ? (double)count : -1.0;
    return *number >= 0.0 && (row->zero == NULL || count > 0) &&
           (in_range(row, *number) || *number == row->usual);
}

/* Whether a word is what documents call a search or an embedding that no list has. */
static bool is_own(const sonde_setting *row, const char *word) {
    return strcmp(word, "own") == 0 &&
           (row->names == sonde_plan_search_name || row->names == sonde_search_name ||
            row->names == sonde_embedding_name);
}

sonde_status sonde_settings_set(sonde_search_settings *settings, const char *key, const char *value,
                                sonde_error *error) {
    const sonde_setting *row = sonde_setting_at(sonde_setting_find(key));
    double number = 0.0;
    if (row == NULL) {
        return sonde__fail_setting(error, key, "there is no such setting");
    }
    if (!read_number(row, value, &number)) {
        return is_own(row, value)
                   ? sonde__fail_setting(error, key,
                                         "own is what a program brings itself (sonde_agent_score, "
                                         "sonde_embedder_give, functions in Python), and a name "
                                         "cannot; choose another")
                   : sonde__setting_unexpected(row, value, error);
    }
    if (row->type == SONDE_COUNT) {
        uint64_t count = 0; /* all digits, where a double has fewer */
        (void)read_count(value, &count);
        memcpy((char *)settings + row->at, &count, sizeof count);
    } else {
        sonde__setting_put(settings, row, number);
    }
    return SONDE_OK;
}

/* ---------------------------------------------------------------------------------- writing -- */

const char *sonde__setting_word(const sonde_search_settings *settings, const sonde_setting *row) {
    const double number = sonde__setting_number(settings, row);
    return row->type == SONDE_CHOICE ? row->names((int32_t)number)
           : number == 0.0           ? row->zero
                                     : NULL;
}

int64_t sonde__setting_whole(const sonde_search_settings *settings, const sonde_setting *row) {
    return row->type == SONDE_COUNT ? (int64_t)count_of(settings, row)
                                    : (int64_t)sonde__setting_number(settings, row);
}

void sonde__setting_write(const sonde_search_settings *settings, const sonde_setting *row,
                          const char *quote, sonde_text *text) {
    const char *word = sonde__setting_word(settings, row);
    if (word != NULL) {
        sonde_text_add(text, "%s%s%s", quote, word, quote);
    } else if (row->type == SONDE_FLAG) {
        sonde_text_add(text, sonde__setting_whole(settings, row) != 0 ? "true" : "false");
    } else if (row->type == SONDE_REAL) {
        sonde_text_add_number(text, sonde__setting_number(settings, row));
    } else if (row->type == SONDE_COUNT) {
        const uint64_t count = count_of(settings, row);
        const char *around = count > SONDE__EXACT_MAX ? quote : "";
        sonde_text_add(text, "%s%" PRIu64 "%s", around, count, around);
    } else {
        sonde_text_add(text, "%" PRId64, sonde__setting_whole(settings, row));
    }
}

sonde_status sonde_settings_get(const sonde_search_settings *settings, const char *key,
                                sonde_text *value, sonde_error *error) {
    const sonde_setting *row = sonde_setting_at(sonde_setting_find(key));
    if (row == NULL) {
        return sonde__fail_setting(error, key, "there is no such setting");
    }
    if (row->type == SONDE_FLAG || sonde__setting_is_set(settings, row)) {
        sonde__setting_write(settings, row, "", value);
    }
    return SONDE_OK;
}
