/* study_condition.c: what one condition of a plan sets, and how it is called.
 *
 * One table: a row says what a key is called, where its value goes, which searches it matters to and
 * how a label says it. Plans, labels and the columns of the results all follow from it. */
#include <stdio.h>
#include <string.h>

#include "study/study_internal.h"

#define LONG_MAX_WHOLE (INT64_C(1) << 53)

typedef enum { CHOICE, WHOLE, WHOLE_OR_AUTO, COUNT, REAL, DIFFERENCES, SEMANTICS } kind;

typedef struct {
    const char *key;
    kind kind;
    size_t at;                     /* in sonde_condition */
    const char *(*names)(int32_t); /* of a CHOICE */
    int64_t least;
    uint32_t searches; /* bits of those it matters to; 0: all */
    const char *label; /* before its value in a label; NULL: not there */
    bool always;       /* also where it is the default */
} setting;

#define AT(field) offsetof(sonde_condition, field)
#define SEARCH(kind) (1u << SONDE_SEARCH_##kind)
/* those that probe clusters, and those that make any */
#define PROBES (SEARCH(CLUSTER) | SEARCH(TREE))
#define CLUSTERS (PROBES | SEARCH(SURROGATE))

static const setting list[] = {
    {"connect", CHOICE, AT(connect), sonde_connect_name, 0, 0, "", false},
    {"semantics", SEMANTICS, AT(search.differences), NULL, 0, 0, NULL, false},
    {"differences", DIFFERENCES, AT(search.differences), NULL, 0, 0, NULL, false},
    {"search", CHOICE, AT(search.search), sonde_search_name, 0, 0, "", true},
    {"fallback", CHOICE, AT(search.fallback), sonde_search_name, 0, 0, "fallback ", false},
    {"scope", CHOICE, AT(search.scope), sonde_scope_name, 0, 0, "", true},
    {"embedding", CHOICE, AT(search.embed.kind), sonde_embedding_name, 0, CLUSTERS, "", true},
    {"onehot_weight", REAL, AT(search.embed.onehot_weight), NULL, 0, CLUSTERS, "one-hot ", false},
    {"k", WHOLE_OR_AUTO, AT(search.cluster.k), NULL, 1, CLUSTERS, "k ", true},
    {"probe", CHOICE, AT(search.probe), sonde_probe_name, 0, PROBES, "", true},
    {"samples", WHOLE, AT(search.n_sample), NULL, 1, PROBES, "of ", true},
    {"delta", REAL, AT(search.delta), NULL, 0, PROBES, "delta ", false},
    {"top", WHOLE, AT(search.n_top), NULL, 1, PROBES, "top ", false},
    {"branch", WHOLE, AT(search.n_branch), NULL, 1, SEARCH(TREE), "branch ", false},
    {"depth", WHOLE, AT(search.n_depth), NULL, 1, SEARCH(TREE), "depth ", true},
    {"action", CHOICE, AT(search.action), sonde_action_name, 0, 0, "", false},
    {"alpha", REAL, AT(search.alpha), NULL, 0, 0, "alpha ", false},
    {"gamma", REAL, AT(search.gamma), NULL, 0, 0, "gamma ", false},
    {"method", CHOICE, AT(search.cluster.method), sonde_cluster_method_name, 0, CLUSTERS, "",
     false},
    {"restarts", WHOLE, AT(search.cluster.n_restart), NULL, 1, CLUSTERS, "restarts ", false},
    {"ngram", WHOLE, AT(search.embed.ngram), NULL, 1, CLUSTERS, "ngram ", false},
    {"ends", WHOLE, AT(search.embed.n_end), NULL, 1, CLUSTERS, "ends ", false},
    {"dimension", WHOLE, AT(search.embed.n_dimension), NULL, 1, CLUSTERS, "dimension ", false},
    {"policy_sample", WHOLE, AT(search.embed.n_sample), NULL, 1, CLUSTERS, "sample ", false},
    {"members", WHOLE, AT(search.n_member), NULL, 1, SEARCH(CLUSTER), "members ", false},
    {"epsilon", REAL, AT(search.epsilon), NULL, 0, SEARCH(BOUNDED), "epsilon ", true},
    {"budget", COUNT, AT(search.budget), NULL, 1,
     SEARCH(BOUNDED) | SEARCH(RANDOM) | SEARCH(SURROGATE) | SEARCH(TREE), "budget ", false},
    {"beam", WHOLE, AT(search.n_beam), NULL, 1, SEARCH(BEAM), "beam ", true},
    {"horizon", WHOLE, AT(horizon), NULL, 1, 0, "T ", false},
};
#define N_SETTING ((int32_t)(sizeof list / sizeof *list))

const char *sonde__condition_key(int32_t i) {
    return i < N_SETTING ? list[i].key : NULL;
}

sonde_search_settings sonde__condition_defaults(void) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = SONDE_SEARCH_CLUSTER;
    return settings;
}

/* ---------------------------------------------------------------------------------- reading -- */

/* A name out of a list, as its number. */
static bool set_choice(sonde__reader *reader, const char *path, const json_t *value,
                       const char *(*name)(int32_t), int32_t *out) {
    const char *word = json_string_value(value);
    const int32_t found = word != NULL ? sonde_name_find(name, word) : -1;
    if (found >= 0) {
        *out = found;
        return true;
    }
    const char *nearest = word != NULL ? sonde_name_nearest(name, word) : NULL;
    return sonde__json_expected(reader, path,
                                nearest != NULL ? sonde__at("\"%s\", perhaps", nearest).text
                                                : sonde__at("a name such as \"%s\"", name(0)).text,
                                value);
}

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

/* More than an int32_t holds. */
static bool set_count(sonde__reader *reader, const char *path, const json_t *value,
                      uint64_t *count) {
    const json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 1 || number > LONG_MAX_WHOLE) {
        return sonde__json_expected(reader, path, "a whole number of 1 or more", value);
    }
    *count = (uint64_t)number;
    return true;
}

bool sonde__condition_set(sonde__reader *reader, const char *path, int32_t key, const json_t *value,
                          sonde_condition *condition) {
    const setting *row = &list[key];
    void *place = (char *)condition + row->at;
    int32_t number = 0;
    switch (row->kind) {
    case SEMANTICS: return set_semantics(reader, path, value, place);
    case DIFFERENCES: return set_differences(reader, path, value, place);
    case REAL: return sonde__json_number(reader, path, value, (double)row->least, place);
    case COUNT: return set_count(reader, path, value, place);
    case WHOLE_OR_AUTO:
        if (json_is_string(value) && strcmp(json_string_value(value), "auto") == 0) {
            break; /* which is 0 */
        }
        /* fallthrough */
    case WHOLE:
        if (!sonde__json_whole(reader, path, value, row->least, INT32_MAX, &number)) {
            return false;
        }
        break;
    case CHOICE:
        if (!set_choice(reader, path, value, row->names, &number)) {
            return false;
        }
    }
    memcpy(place, &number, sizeof number); /* an enumeration, or an int32_t */
    return true;
}

/* ---------------------------------------------------------------------------------- writing -- */

static const char *semantics_name(uint32_t differences) {
    return differences == SONDE_SEMANTICS_TEXT       ? "text"
           : differences == SONDE_SEMANTICS_NOTEBOOK ? "notebook"
                                                     : "other";
}

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

void sonde__condition_value(const sonde_condition *condition, int32_t key, sonde__value *value) {
    const setting *row = &list[key];
    const char *place = (const char *)condition + row->at;
    int32_t number = 0;
    uint64_t count = 0;
    *value = (sonde__value){.kind = SONDE__NOTHING};
    if (row->searches != 0 && (row->searches >> condition->search.search & 1u) == 0) {
        return;
    }
    switch (row->kind) {
    case CHOICE:
        memcpy(&number, place, sizeof number);
        if (number >= 0) {
            value->kind = SONDE__WORD;
            (void)snprintf(value->word, sizeof value->word, "%s", row->names(number));
        }
        return;
    case SEMANTICS:
        value->kind = SONDE__WORD;
        (void)snprintf(value->word, sizeof value->word, "%s",
                       semantics_name(condition->search.differences));
        return;
    case DIFFERENCES:
        value->kind = SONDE__WORD;
        join_differences(condition->search.differences, value->word, sizeof value->word);
        return;
    case WHOLE_OR_AUTO:
    case WHOLE:
        memcpy(&number, place, sizeof number);
        if (row->kind == WHOLE_OR_AUTO && number == 0) {
            value->kind = SONDE__WORD;
            (void)snprintf(value->word, sizeof value->word, "auto");
            return;
        }
        value->whole = number;
        value->kind = number > 0 ? SONDE__WHOLE : SONDE__NOTHING;
        return;
    case COUNT:
        memcpy(&count, place, sizeof count);
        value->whole = (int64_t)count;
        value->kind = count > 0 ? SONDE__WHOLE : SONDE__NOTHING;
        return;
    case REAL:
        memcpy(&value->real, place, sizeof value->real);
        value->kind = value->real >= 0.0 ? SONDE__REAL : SONDE__NOTHING;
    }
}

/* Appends to a line what fits. */
static void append(char *label, size_t size, const char *word) {
    const size_t used = strlen(label);
    (void)snprintf(label + used, size - used, "%s%s", used > 0 ? " " : "", word);
}

static void name_semantics(uint32_t differences, char *label, size_t size) {
    if (differences == SONDE_SEMANTICS_TEXT || differences == SONDE_SEMANTICS_NOTEBOOK) {
        append(label, size, semantics_name(differences));
        return;
    }
    for (int32_t bit = 0; bit < SONDE_DIFFERENCE_COUNT; bit++) {
        if ((differences >> bit & 1u) != 0) {
            append(label, size, sonde__at("+%s", sonde_difference_name(bit)).text);
        }
    }
}

static bool is_same(const sonde__value *a, const sonde__value *b) {
    return a->kind == b->kind && strcmp(a->word, b->word) == 0 && a->whole == b->whole &&
           a->real == b->real;
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

void sonde__condition_label(const sonde_condition *condition, char *label, size_t size) {
    sonde_condition plain = {.search = sonde__condition_defaults()};
    plain.search.search = condition->search.search;
    label[0] = '\0';
    name_semantics(condition->search.differences, label, size);
    for (int32_t i = 0; i < N_SETTING; i++) {
        sonde__value value;
        sonde__value usual;
        sonde__condition_value(condition, i, &value);
        sonde__condition_value(&plain, i, &usual);
        /* what a representative's probe has no use for */
        const bool idle =
            list[i].at == AT(search.n_sample) && condition->search.probe == SONDE_PROBE_CENTER;
        if (list[i].label != NULL && !idle && (list[i].always || !is_same(&value, &usual))) {
            append_value(list[i].label, &value, label, size);
        }
    }
}
