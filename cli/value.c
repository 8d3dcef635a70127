/* value.c: one option's value, from text and to text.
 *
 * Numbers are read whole or not at all: no spaces, no hexadecimal, no "inf", nothing behind them.
 * The program never calls setlocale, so that a decimal point is a point everywhere.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

static const char units[] = "KMGT"; /* of bytes, each 1,024 times the one before */

/* Past this, squares and sums of numbers are no longer sure to be finite. */
static const double real_max = 1e100;

static double maximum_of(const cli_option *option) {
    if (option->maximum > 0.0) {
        return option->maximum;
    }
    return option->kind == OPTION_WHOLE ? INT32_MAX : real_max;
}

static void *field(const cli_option *option, cli_arguments *args) {
    return (char *)args + option->at;
}

static const void *field_const(const cli_option *option, const cli_arguments *args) {
    return (const char *)args + option->at;
}

/* -------------------------------------------------------------------------------- reading -- */

/* Decimal digits up to `*end`. False when there are none, or more than 64 bits hold. */
static bool read_digits(const char *text, uint64_t *number, const char **end) {
    uint64_t sum = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        const uint64_t digit = (uint64_t)(*at - '0');
        if (sum > (UINT64_MAX - digit) / 10) {
            return false;
        }
        sum = sum * 10 + digit;
    }
    *number = sum;
    *end = at;
    return at > text;
}

/* A finite decimal number in the first `size` bytes of a text. */
static bool read_real(const char *text, size_t size, double *number) {
    char copy[64];
    if (size == 0 || size >= sizeof copy || strspn(text, "0123456789+-.eE") < size) {
        return false;
    }
    memcpy(copy, text, size);
    copy[size] = '\0';
    char *end;
    *number = strtod(copy, &end);
    return *end == '\0' && isfinite(*number);
}

static sonde_status expected_number(const cli_option *option, const char *kind, bool name_maximum,
                                    const char *found, sonde_error *error) {
    char upper[32] = "";
    if (name_maximum) {
        snprintf(upper, sizeof upper, " to %.10g", maximum_of(option));
    }
    return fail(error, SONDE_BAD_ARGUMENT, "--%s: expected %s from %g%s, found \"%s\"",
                option->name, kind, option->minimum, upper, found);
}

static sonde_status read_whole(const cli_option *option, const char *text, int32_t *target,
                               sonde_error *error) {
    const double maximum = maximum_of(option);
    uint64_t number = 0;
    const char *end = text;
    const bool digits_only = text[0] && strspn(text, "0123456789") == strlen(text);
    const bool fits = read_digits(text, &number, &end) && *end == '\0';
    const bool too_large = digits_only && (!fits || (double)number > maximum);
    if (!fits || too_large || (double)number < option->minimum) {
        return expected_number(option, "a whole number", too_large || option->maximum > 0.0, text,
                               error);
    }
    *target = (int32_t)number;
    return SONDE_OK;
}

static sonde_status read_count(const cli_option *option, const char *text, uint64_t *target,
                               sonde_error *error) {
    const char *end;
    if (!read_digits(text, target, &end) || *end != '\0' || (double)*target < option->minimum) {
        return fail(error, SONDE_BAD_ARGUMENT,
                    "--%s: expected a whole number from %g (of 64 bits), found \"%s\"",
                    option->name, option->minimum, text);
    }
    return SONDE_OK;
}

static sonde_status read_bytes(const cli_option *option, const char *text, uint64_t *target,
                               sonde_error *error) {
    const char *end;
    uint64_t number;
    const char *unit = NULL;
    bool good = read_digits(text, &number, &end) && number > 0;
    if (good && *end != '\0') {
        unit = strchr(units, *end & ~0x20); /* either case */
        good = unit && end[1] == '\0';
    }
    const int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (!good || number > UINT64_MAX >> shift) {
        return fail(error, SONDE_BAD_ARGUMENT,
                    "--%s: expected bytes such as 500M or 2G, found \"%s\"", option->name, text);
    }
    *target = number << shift;
    return SONDE_OK;
}

static sonde_status read_one_real(const cli_option *option, const char *text, double *target,
                                  sonde_error *error) {
    double number = 0.0;
    const bool good = read_real(text, strlen(text), &number);
    const bool too_large = good && number > maximum_of(option);
    if (!good || too_large || number < option->minimum) {
        return expected_number(option, "a number", too_large || option->maximum > 0.0, text, error);
    }
    *target = number;
    return SONDE_OK;
}

static sonde_status read_reals(const cli_option *option, const char *text, cli_reals *target,
                               sonde_error *error) {
    cli_reals list = {0};
    for (const char *at = text;; at++) {
        const size_t size = strcspn(at, ",");
        double number;
        if (!read_real(at, size, &number) || number < option->minimum || number > real_max) {
            return fail(error, SONDE_BAD_ARGUMENT,
                        "--%s: expected numbers from %g such as 5,5,10, found \"%s\"", option->name,
                        option->minimum, text);
        }
        if (list.n == REALS_MAX) {
            return fail(error, SONDE_BAD_ARGUMENT, "--%s: expected at most %d numbers, found more",
                        option->name, REALS_MAX);
        }
        list.value[list.n++] = number;
        at += size;
        if (*at == '\0') {
            break;
        }
    }
    *target = list;
    return SONDE_OK;
}

/* `expected full or cluster, found "clutser"; did you mean cluster?` */
static sonde_status unknown_choice(const cli_option *option, const char *found,
                                   sonde_error *error) {
    if (option->names == sonde_like_name && strstr(found, "XXX")) {
        return fail(error, SONDE_BAD_ARGUMENT,
                    "--like: spm_MDP_VB_XXX is not imitated, because there are no numbers of it to "
                    "be held to; spm is spm_MDP_VB_XX in closed loop");
    }
    sonde_text list = {0};
    for (int32_t i = 0; option->names(i); i++) {
        sonde_text_add(&list, "%s%s",
                       i == 0                 ? ""
                       : option->names(i + 1) ? ", "
                                              : " or ",
                       option->names(i));
    }
    const char *nearest = sonde_name_nearest(option->names, found);
    fail(error, SONDE_BAD_ARGUMENT, "--%s: expected %s, found \"%s\"%s%s%s", option->name,
         list.data ? list.data : "a name", found, nearest ? "; did you mean " : "",
         nearest ? nearest : "", nearest ? "?" : "");
    piece_free(&list);
    return SONDE_BAD_ARGUMENT;
}

static sonde_status read_choice(const cli_option *option, const char *text, int32_t *target,
                                sonde_error *error) {
    const int32_t index = sonde_name_find(option->names, text);
    if (index < 0) {
        return unknown_choice(option, text, error);
    }
    *target = index;
    return SONDE_OK;
}

static sonde_status read_choices(const cli_option *option, const char *text, uint32_t *target,
                                 sonde_error *error) {
    uint32_t bits = 0;
    for (const char *at = text;; at++) {
        char word[64];
        const size_t size = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)(size < sizeof word ? size : sizeof word - 1), at);
        int32_t index = 0;
        const sonde_status status = read_choice(option, word, &index, error);
        if (status) {
            return status;
        }
        bits |= 1u << index;
        at += size;
        if (*at == '\0') {
            break;
        }
    }
    *target = bits;
    return SONDE_OK;
}

static sonde_status read_text(const cli_option *option, const char *text, const char **target,
                              sonde_error *error) {
    if (!*text) {
        return fail(error, SONDE_BAD_ARGUMENT, "--%s: expected %s, found \"\"", option->name,
                    option->value);
    }
    *target = text;
    return SONDE_OK;
}

static sonde_status read_words(const cli_option *option, const char *text, cli_words *target,
                               sonde_error *error) {
    if (target->n == WORDS_MAX) {
        return fail(error, SONDE_BAD_ARGUMENT, "--%s: given more than %d times", option->name,
                    WORDS_MAX);
    }
    const sonde_status status = read_text(option, text, &target->word[target->n], error);
    target->n += status ? 0 : 1;
    return status;
}

sonde_status value_read(const cli_option *option, const char *text, cli_arguments *args,
                        sonde_error *error) {
    void *target = field(option, args);
    switch (option->kind) {
    case OPTION_FLAG: *(bool *)target = true; return SONDE_OK;
    case OPTION_WHOLE: return read_whole(option, text, target, error);
    case OPTION_COUNT: return read_count(option, text, target, error);
    case OPTION_BYTES: return read_bytes(option, text, target, error);
    case OPTION_REAL: return read_one_real(option, text, target, error);
    case OPTION_REALS: return read_reals(option, text, target, error);
    case OPTION_TEXT: return read_text(option, text, target, error);
    case OPTION_WORDS: return read_words(option, text, target, error);
    case OPTION_CHOICE: return read_choice(option, text, target, error);
    case OPTION_ROW: return setting_read(option, text, &args->search, error);
    case OPTION_CHOICES: return read_choices(option, text, target, error);
    }
    return SONDE_BAD_ARGUMENT;
}

/* -------------------------------------------------------------------------------- writing -- */

bool value_is_set(const cli_option *option, const cli_arguments *args) {
    const void *value = field_const(option, args);
    switch (option->kind) {
    case OPTION_FLAG: return *(const bool *)value;
    case OPTION_WHOLE: return *(const int32_t *)value >= option->minimum;
    case OPTION_COUNT: return (double)*(const uint64_t *)value >= option->minimum;
    case OPTION_BYTES: return *(const uint64_t *)value > 0;
    case OPTION_REAL: return *(const double *)value >= option->minimum;
    case OPTION_REALS: return ((const cli_reals *)value)->n > 0;
    case OPTION_TEXT: return *(const char *const *)value != NULL;
    case OPTION_WORDS: return ((const cli_words *)value)->n > 0;
    case OPTION_CHOICE: return *(const int32_t *)value >= 0;
    case OPTION_ROW: return setting_is_set(option, &args->search);
    case OPTION_CHOICES: return *(const uint32_t *)value != 0;
    }
    return false;
}

static void write_bytes(uint64_t bytes, sonde_text *text) {
    int unit = -1;
    while (bytes % 1024 == 0 && units[unit + 1] != '\0') {
        bytes /= 1024;
        unit++;
    }
    sonde_text_add(text, "%llu", (unsigned long long)bytes);
    if (unit >= 0) {
        sonde_text_add(text, "%c", units[unit]);
    }
}

static void write_reals(const cli_reals *list, sonde_text *text) {
    for (int32_t i = 0; i < list->n; i++) {
        sonde_text_add(text, "%s", i ? "," : "");
        sonde_text_add_number(text, list->value[i]);
    }
}

static void write_choices(const cli_option *option, uint32_t bits, sonde_text *text) {
    const char *comma = "";
    for (int32_t i = 0; option->names(i); i++) {
        if (!(bits >> i & 1u)) {
            continue;
        }
        sonde_text_add(text, "%s%s", comma, option->names(i));
        comma = ",";
    }
}

static void write_words(const cli_words *words, sonde_text *text) {
    for (int32_t i = 0; i < words->n; i++) {
        sonde_text_add(text, "%s%s", i > 0 ? " " : "", words->word[i]);
    }
}

void value_write(const cli_option *option, const cli_arguments *args, sonde_text *text) {
    const void *value = field_const(option, args);
    switch (option->kind) {
    case OPTION_FLAG: break;
    case OPTION_WHOLE: sonde_text_add(text, "%d", (int)*(const int32_t *)value); break;
    case OPTION_COUNT:
        sonde_text_add(text, "%llu", (unsigned long long)*(const uint64_t *)value);
        break;
    case OPTION_BYTES: write_bytes(*(const uint64_t *)value, text); break;
    case OPTION_REAL: sonde_text_add_number(text, *(const double *)value); break;
    case OPTION_REALS: write_reals(value, text); break;
    case OPTION_TEXT: sonde_text_add(text, "%s", *(const char *const *)value); break;
    case OPTION_WORDS: write_words(value, text); break;
    case OPTION_CHOICE: sonde_text_add(text, "%s", option->names(*(const int32_t *)value)); break;
    case OPTION_ROW: setting_write(option, &args->search, text); break;
    case OPTION_CHOICES: write_choices(option, *(const uint32_t *)value, text); break;
    }
}
