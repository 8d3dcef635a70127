/* study_condition.c: what one condition of a plan sets, and how it is called. */
#include <stdio.h>
#include <string.h>

#include "study/study_internal.h"

const char *sonde__condition_key(int32_t i) {
    static const char *const name[] = {
#define NAME(code, name) name,
        SONDE__CONDITION_KEYS(NAME)
#undef NAME
            NULL};
    return name[i < SONDE__KEY_COUNT ? i : SONDE__KEY_COUNT];
}

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

bool sonde__condition_set(sonde__reader *reader, const char *path, int32_t key, const json_t *value,
                          sonde_condition *condition) {
    sonde_search_settings *s = &condition->search;
    int32_t choice = 0;
    bool good = true;
    switch (key) {
    case SONDE__KEY_CONNECT:
        good = set_choice(reader, path, value, sonde_connect_name, &choice);
        condition->connect = (sonde_connect)choice;
        return good;
    case SONDE__KEY_SEMANTICS: return set_semantics(reader, path, value, &s->differences);
    case SONDE__KEY_DIFFERENCES: return set_differences(reader, path, value, &s->differences);
    case SONDE__KEY_SEARCH:
        good = set_choice(reader, path, value, sonde_search_name, &choice);
        s->search = (sonde_search_kind)choice;
        return good;
    case SONDE__KEY_SCOPE:
        good = set_choice(reader, path, value, sonde_scope_name, &choice);
        s->scope = (sonde_scope)choice;
        return good;
    case SONDE__KEY_EMBEDDING:
        return set_choice(reader, path, value, sonde_embedding_name, &s->embed.kind);
    case SONDE__KEY_ONEHOT_WEIGHT:
        return sonde__json_number(reader, path, value, 0.0, &s->embed.onehot_weight);
    case SONDE__KEY_K: return sonde__json_whole(reader, path, value, 1, INT32_MAX, &s->cluster.k);
    case SONDE__KEY_PROBE:
        good = set_choice(reader, path, value, sonde_probe_name, &choice);
        s->probe = (sonde_probe)choice;
        return good;
    case SONDE__KEY_SAMPLES:
        return sonde__json_whole(reader, path, value, 1, INT32_MAX, &s->n_sample);
    case SONDE__KEY_TOP: return sonde__json_whole(reader, path, value, 1, INT32_MAX, &s->n_top);
    case SONDE__KEY_ACTION:
        good = set_choice(reader, path, value, sonde_action_name, &choice);
        s->action = (sonde_action_rule)choice;
        return good;
    case SONDE__KEY_ALPHA: return sonde__json_number(reader, path, value, 0.0, &s->alpha);
    case SONDE__KEY_GAMMA: return sonde__json_number(reader, path, value, 0.0, &s->gamma);
    default: /* SONDE__KEY_RESTARTS */
        return sonde__json_whole(reader, path, value, 1, UINT16_MAX, &s->cluster.n_restart);
    }
}

/* Appends to a line what fits. */
static void append(char *label, size_t size, const char *word) {
    const size_t used = strlen(label);
    (void)snprintf(label + used, size - used, "%s%s", used > 0 ? " " : "", word);
}

static void name_semantics(const sonde_condition *condition, char *label, size_t size) {
    const uint32_t differences = condition->search.differences;
    if (differences == SONDE_SEMANTICS_TEXT || differences == SONDE_SEMANTICS_NOTEBOOK) {
        append(label, size, differences == SONDE_SEMANTICS_TEXT ? "text" : "notebook");
        return;
    }
    for (int32_t bit = 0; bit < SONDE_DIFFERENCE_COUNT; bit++) {
        if ((differences >> bit & 1u) != 0) {
            append(label, size, sonde__at("+%s", sonde_difference_name(bit)).text);
        }
    }
}

void sonde__condition_label(const sonde_condition *condition, char *label, size_t size) {
    const sonde_search_settings *s = &condition->search;
    label[0] = '\0';
    name_semantics(condition, label, size);
    if (condition->connect == SONDE_DIRECTED) {
        append(label, size, "directed");
    }
    append(label, size, sonde_scope_name((int32_t)s->scope));
    append(label, size, sonde_search_name((int32_t)s->search));
    if (s->search == SONDE_SEARCH_CLUSTER) {
        append(label, size, sonde_embedding_name(s->embed.kind));
        append(label, size, sonde__at("k %d", s->cluster.k).text);
        append(label, size, sonde_probe_name((int32_t)s->probe));
        if (s->probe == SONDE_PROBE_SAMPLE) {
            append(label, size, sonde__at("of %d", s->n_sample).text);
        }
        if (s->n_top > 1) {
            append(label, size, sonde__at("top %d", s->n_top).text);
        }
        if (s->embed.onehot_weight != 0.0) {
            append(label, size, sonde__at("one-hot %g", s->embed.onehot_weight).text);
        }
        if (s->cluster.n_restart != sonde_cluster_defaults().n_restart) {
            append(label, size, sonde__at("restarts %d", s->cluster.n_restart).text);
        }
    }
    if (s->action != SONDE_ACTION_MARGINAL) {
        append(label, size, sonde_action_name((int32_t)s->action));
    }
    if (s->alpha != 1.0) {
        append(label, size, sonde__at("alpha %g", s->alpha).text);
    }
    if (s->gamma != 1.0) {
        append(label, size, sonde__at("gamma %g", s->gamma).text);
    }
}
