/* study_condition.c: what one condition of a plan sets, and how it is called.
 *
 * The keys of a condition are those of the table of settings, which says what each may be, which
 * searches use it and how a label names it; before them stand how worlds are connected and what is
 * done as the paper's notebook does it, after them the horizon. Plans, labels and the columns of
 * the results all follow this order. */
#include <stdio.h>
#include <string.h>

#include "base/settings.h"
#include "base/text.h"
#include "study/study_internal.h"

/* the keys that are no settings of a search */
static const char *const first_keys[] = {"connect", "semantics", "differences"};
enum { CONNECT, SEMANTICS, DIFFERENCES, N_FIRST };

/* Settings of a search that a condition has: all of them, but for the seed, which is the
 * world's, and what a single decision shows. They come last in the table. */
static int32_t n_setting(void) {
    int32_t n = sonde__setting_count() - 1;
    while (n > 0 && strcmp(sonde_setting_at(n)->key, "seed") != 0) {
        n--;
    }
    return n;
}

static const sonde_setting *row_of(int32_t key) {
    return key >= N_FIRST && key - N_FIRST < n_setting() ? sonde_setting_at(key - N_FIRST) : NULL;
}

const char *sonde__condition_key(int32_t i) {
    const sonde_setting *row = row_of(i);
    return row != NULL                  ? row->key
           : i < N_FIRST                ? first_keys[i]
           : i == N_FIRST + n_setting() ? "horizon"
                                        : NULL;
}

int32_t sonde__condition_n_key(void) {
    return N_FIRST + n_setting() + 1;
}

/* ---------------------------------------------------------------------------------- reading -- */

/* "lookup+lag": names joined by plus signs. */
static bool set_differences(sonde__reader *reader, const char *path, const json_t *value,
                            uint32_t *differences) {
    const char *rest = json_string_value(value);
    if (rest == NULL) {
        return sonde__json_expected(reader, path, "names joined by +, such as \"lookup+lag\"",
                                    value);
    }
    while (*rest != '\0') {
        char word[32];
        const size_t length = strcspn(rest, "+");
        (void)snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), rest);
        const int32_t bit = sonde_name_find(sonde_difference_name, word);
        if (bit < 0) {
            const char *nearest = sonde_name_nearest(sonde_difference_name, word);
            return sonde__json_expected(
                reader, path,
                sonde__at("differences such as \"%s\"", nearest != NULL ? nearest : "lookup").text,
                value);
        }
        *differences |= 1u << bit;
        rest += length + (rest[length] == '+');
    }
    return true;
}

static bool set_semantics(sonde__reader *reader, const char *path, const json_t *value,
                          uint32_t *differences) {
    const char *word = json_string_value(value);
    if (word != NULL && strcmp(word, "notebook") == 0) {
        *differences |= SONDE_SEMANTICS_NOTEBOOK;
        return true;
    }
    return (word != NULL && strcmp(word, "text") == 0) ||
           sonde__json_expected(reader, path, "\"text\" or \"notebook\"", value);
}

static bool set_connect(sonde__reader *reader, const char *path, const json_t *value,
                        sonde_connect *connect) {
    const char *word = json_string_value(value);
    const int32_t found = word != NULL ? sonde_name_find(sonde_connect_name, word) : -1;
    if (found < 0) {
        return sonde__json_expected(reader, path, "\"symmetric\" or \"directed\"", value);
    }
    *connect = (sonde_connect)found;
    return true;
}

/* Whether the value is of a type that the setting can have. */
static bool is_of_type(const sonde_setting *row, const json_t *value) {
    switch (row->type) {
    case SONDE_CHOICE: return json_is_string(value);
    case SONDE_FLAG: return json_is_boolean(value);
    case SONDE_REAL: return json_is_number(value);
    default:
        return json_is_integer(value) || (row->zero != NULL && json_is_string(value) &&
                                          strcmp(json_string_value(value), row->zero) == 0);
    }
}

/* A number, a flag or something else as text: what the table reads, or what an error shows. */
static const char *show_json(const json_t *value, char *text, size_t size) {
    switch (json_typeof(value)) {
    case JSON_STRING: return json_string_value(value);
    case JSON_INTEGER:
        (void)snprintf(text, size, "%lld", (long long)json_integer_value(value));
        return text;
    case JSON_REAL: return sonde__digits(json_real_value(value), text, size);
    case JSON_TRUE: return "true";
    case JSON_FALSE: return "false";
    default: return json_is_object(value) ? "{...}" : json_is_array(value) ? "[...]" : "null";
    }
}

/* A setting of the search, by the rules of the table. */
static bool set_setting(sonde__reader *reader, const char *path, const sonde_setting *row,
                        const json_t *value, sonde_search_settings *settings) {
    char text[40];
    sonde_error error = {0};
    const char *word = show_json(value, text, sizeof text);
    const sonde_status status = is_of_type(row, value)
                                    ? sonde_settings_set(settings, row->key, word, &error)
                                    : sonde__setting_unexpected(row, word, &error);
    return status == SONDE_OK ||
           sonde__json_wrong(reader, "%s%s", path, error.text + strlen(row->key));
}

bool sonde__condition_set(sonde__reader *reader, const char *path, int32_t key, const json_t *value,
                          sonde_condition *condition) {
    const sonde_setting *row = row_of(key);
    switch (key) {
    case CONNECT: return set_connect(reader, path, value, &condition->connect);
    case SEMANTICS: return set_semantics(reader, path, value, &condition->differences);
    case DIFFERENCES: return set_differences(reader, path, value, &condition->differences);
    default: break;
    }
    return row != NULL ? set_setting(reader, path, row, value, &condition->search)
                       : sonde__json_whole(reader, path, value, 1, INT32_MAX, &condition->horizon);
}

/* ---------------------------------------------------------------------------------- writing -- */

/* The differences of a condition, joined by plus signs. */
static void join_differences(uint32_t differences, char *text, size_t size) {
    text[0] = '\0';
    for (int32_t bit = 0; bit < SONDE_DIFFERENCE_COUNT; bit++) {
        if ((differences >> bit & 1u) != 0) {
            const size_t used = strlen(text);
            (void)snprintf(text + used, size - used, "%s%s", used > 0 ? "+" : "",
                           sonde_difference_name(bit));
        }
    }
}

static void put_word(sonde__value *value, const char *word) {
    value->kind = SONDE__WORD;
    (void)snprintf(value->word, sizeof value->word, "%s", word);
}

/* The value of a setting, where it is set and the search uses it. */
static void put_setting(const sonde_search_settings *settings, const sonde_setting *row,
                        sonde__value *value) {
    if (!sonde__setting_is_used(settings, row) || !sonde__setting_is_set(settings, row)) {
        return;
    }
    const char *word = sonde__setting_word(settings, row);
    if (word != NULL) {
        put_word(value, word);
    } else if (row->type == SONDE_REAL) {
        value->kind = SONDE__REAL;
        value->real = sonde__setting_number(settings, row);
    } else {
        value->kind = SONDE__WHOLE;
        value->whole = sonde__setting_whole(settings, row);
    }
}

void sonde__condition_value(const sonde_condition *condition, int32_t key, sonde__value *value) {
    const sonde_setting *row = row_of(key);
    *value = (sonde__value){.kind = SONDE__NOTHING};
    if (row != NULL) {
        put_setting(&condition->search, row, value);
    } else if (key == CONNECT) {
        put_word(value, sonde_connect_name((int32_t)condition->connect));
    } else if (key == SEMANTICS) {
        put_word(value, sonde_semantics_name(condition->differences));
    } else if (key == DIFFERENCES) {
        value->kind = SONDE__WORD;
        join_differences(condition->differences, value->word, sizeof value->word);
    } else if (condition->horizon > 0) {
        value->kind = SONDE__WHOLE;
        value->whole = condition->horizon;
    }
}

/* Appends to a line what fits. */
static void append(char *label, size_t size, const char *word) {
    const size_t used = strlen(label);
    (void)snprintf(label + used, size - used, "%s%s", used > 0 ? " " : "", word);
}

static void name_semantics(uint32_t differences, char *label, size_t size) {
    if (differences == SONDE_SEMANTICS_TEXT || differences == SONDE_SEMANTICS_NOTEBOOK) {
        append(label, size, sonde_semantics_name(differences));
        return;
    }
    for (int32_t bit = 0; bit < SONDE_DIFFERENCE_COUNT; bit++) {
        if ((differences >> bit & 1u) != 0) {
            append(label, size, sonde__at("+%s", sonde_difference_name(bit)).text);
        }
    }
}

static void append_value(const char *before, const sonde__value *value, char *label, size_t size) {
    switch (value->kind) {
    case SONDE__NOTHING: return;
    case SONDE__WORD: append(label, size, sonde__at("%s%s", before, value->word).text); return;
    case SONDE__WHOLE:
        append(label, size, sonde__at("%s%lld", before, (long long)value->whole).text);
        return;
    case SONDE__REAL: append(label, size, sonde__at("%s%g", before, value->real).text);
    }
}

/* Whether a label names the setting: always, where it has an effect, or where it is not the
 * default. */
static bool is_labelled(const sonde_search_settings *settings, const sonde_setting *row) {
    return row->label != NULL &&
           (row->labelled ? sonde__setting_has_company(settings, row)
                          : sonde__setting_number(settings, row) != row->usual);
}

void sonde__condition_label(const sonde_condition *condition, char *label, size_t size) {
    const sonde_setting *row;
    sonde__value value;
    label[0] = '\0';
    name_semantics(condition->differences, label, size);
    if (condition->connect != SONDE_SYMMETRIC) {
        append(label, size, sonde_connect_name((int32_t)condition->connect));
    }
    for (int32_t key = N_FIRST; (row = row_of(key)) != NULL; key++) {
        sonde__condition_value(condition, key, &value);
        if (!is_labelled(&condition->search, row)) {
            continue;
        }
        if (row->type == SONDE_FLAG) {
            append(label, size, row->label);
        } else {
            append_value(row->label, &value, label, size);
        }
    }
    if (condition->horizon > 0) {
        append(label, size, sonde__at("T %d", (int)condition->horizon).text);
    }
}
