/* document_column.c: fields of a table that name columns and policies.
 *
 * A column is called after what it counts: e0-1 is an edge, a_up an action by its name, a3 or
 * a0-1-2 one without (its number, or the nodes of its two edges), a_up-a_left a sequence, t2_up an
 * action at step 2, last2_up one at the last step but one, place_left a state of a factor, v3 the
 * value of step 3. Names are the user's own, so fields that hold any stand in quotes where some
 * name could be taken for more than one field, and after an apostrophe where one could be taken
 * for a formula. */
#include <inttypes.h>
#include <string.h>

#include "base/shown.h"
#include "document/document_internal.h"

/* ------------------------------------------------------------------------------------- names -- */

static bool is_plain(const char *name) {
    return name == NULL || strpbrk(name, ",\"\r\n") == NULL;
}

static bool are_plain(const char *const *name, int32_t n) {
    for (int32_t i = 0; name != NULL && i < n; i++) {
        if (!is_plain(name[i])) {
            return false;
        }
    }
    return true;
}

/* What stands before and after a field with names. */
static const char *quote_of(const sonde_model *model) {
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        if (!is_plain(factor->name) || !are_plain(factor->state_name, factor->n_state) ||
            !are_plain(factor->action_name, factor->n_action)) {
            return "\"";
        }
    }
    return "";
}

/* A name, or the number of what has none; a quotation mark becomes two. */
static void add_name(sonde_text *csv, const char *const *name, int32_t number) {
    if (name == NULL) {
        sonde_text_add(csv, "%" PRId32, number);
        return;
    }
    for (const char *c = name[number]; *c != '\0'; c++) {
        sonde_text_add(csv, "%s%c", *c == '"' ? "\"" : "", *c);
    }
}

/* Whether any factor's actions have names. */
static bool has_names(const sonde_model *model) {
    for (int32_t f = 0; f < model->n_factor; f++) {
        if (model->factor[f].n_action > 1 && model->factor[f].action_name != NULL) {
            return true;
        }
    }
    return false;
}

/* The actions of the factors that have a choice, joined by '/'. */
static void add_tuple(sonde_text *csv, const sonde_model *model, int32_t action) {
    int32_t tuple[SONDE_FACTORS_MAX];
    const char *slash = "";
    sonde_model_tuple(model, action, tuple);
    for (int32_t f = 0; f < model->n_factor; f++) {
        if (model->factor[f].n_action > 1) {
            sonde_text_add(csv, "%s", slash);
            add_name(csv, model->factor[f].action_name, tuple[f]);
            slash = "/";
        }
    }
    if (model->n_action == 1) {
        sonde_text_add(csv, "0");
    }
}

/* ----------------------------------------------------------------------------------- columns -- */

void sonde__factors_column_action(sonde_text *csv, const sonde_model *model, int32_t action,
                                  const char *gap) {
    if (has_names(model)) {
        sonde_text_add(csv, "_");
        add_tuple(csv, model, action);
    } else {
        sonde_text_add(csv, "%s%" PRId32, gap, action);
    }
}

/* The actions of a sequence, of which the last counts fastest. */
static void add_sequence(sonde_text *csv, const sonde_model *model,
                         const sonde_embedding *embedding, int32_t sequence) {
    const int32_t n = embedding->settings.ngram > 0 ? embedding->settings.ngram : 2;
    int32_t scale = embedding->n_code / model->n_action;
    for (int32_t i = 0; i < n; i++) {
        sonde_text_add(csv, i > 0 ? "-a" : "a");
        sonde__writer_of(model)->column_action(csv, model, sequence / scale % model->n_action, "");
        scale /= model->n_action;
    }
}

/* An action of the beginning or the end: t1_up, or last1_up for the last. */
static void add_end(sonde_text *csv, const sonde_model *model, const sonde_embedding *embedding,
                    int32_t column) {
    const int32_t n = embedding->n_code / model->n_action / 2;
    const int32_t i = column / model->n_action;
    sonde_text_add(csv, "%s%" PRId32, i < n ? "t" : "last", i % n + 1);
    sonde__writer_of(model)->column_action(csv, model, column % model->n_action, "_");
}

/* A state of a factor: place_left, or f0_1. */
void sonde__factors_column_state(sonde_text *csv, const sonde_model *model, int32_t state) {
    int32_t f = 0;
    while (f + 1 < model->n_factor && model->factor[f + 1].first <= state) {
        f++;
    }
    const sonde_factor *factor = &model->factor[f];
    if (factor->name != NULL) {
        sonde_text_add(csv, "%s", sonde__csv_guard(factor->name));
        add_name(csv, &factor->name, 0);
    } else {
        sonde_text_add(csv, "f%" PRId32, f);
    }
    sonde_text_add(csv, "_");
    add_name(csv, factor->state_name, state - factor->first);
}

/* What bags of edges have after the edges. */
static void add_extra(sonde_text *csv, const char *embedding, int32_t extra) {
    if (strcmp(embedding, "aboe") == 0) {
        sonde_text_add(csv, "last");
    } else if (strcmp(embedding, "aboe-onehot") == 0) {
        sonde_text_add(csv, "last%" PRId32, extra);
    } else {
        sonde_text_add(csv, extra == 0 ? "first" : "second");
    }
}

void sonde__document_column(sonde_text *csv, const sonde_map *map, int32_t column) {
    const sonde_model *model = map->listing.policies->model;
    const sonde__writer *writer = sonde__writer_of(model);
    const char *embedding = sonde_embedding_name(map->embedding->settings.kind);
    const char *quote = quote_of(model);
    sonde_text_add(csv, "%s", quote);
    if (strncmp(embedding, "boa", 3) == 0) {
        sonde_text_add(csv, "a");
        writer->column_action(csv, model, column, "");
    } else if (strcmp(embedding, "timed") == 0) {
        sonde_text_add(csv, "t%" PRId32, column / model->n_action + 1);
        writer->column_action(csv, model, column % model->n_action, "_");
    } else if (strcmp(embedding, "ngram") == 0) {
        add_sequence(csv, model, map->embedding, column);
    } else if (strcmp(embedding, "ends") == 0) {
        add_end(csv, model, map->embedding, column);
    } else if (strcmp(embedding, "value") == 0) {
        sonde_text_add(csv, "v%" PRId32, column + 1);
    } else if (strcmp(embedding, "occupancy") == 0) {
        writer->column_state(csv, model, column);
    } else if (strstr(embedding, "boe") == NULL) {
        sonde_text_add(csv, "c%" PRId32, column);
    } else if (column < model->n_state) {
        writer->column_state(csv, model, column);
    } else {
        add_extra(csv, embedding, column - model->n_state);
    }
    sonde_text_add(csv, "%s", quote);
}

/* The name with which the actions of a policy begin; a number without one. */
static const char *first_word(const sonde_model *model, int32_t action) {
    int32_t tuple[SONDE_FACTORS_MAX];
    sonde_model_tuple(model, action, tuple);
    for (int32_t f = 0; f < model->n_factor; f++) {
        const char *const *name = model->factor[f].action_name;
        if (model->factor[f].n_action > 1) {
            return name != NULL ? name[tuple[f]] : "0";
        }
    }
    return "0";
}

void sonde__factors_column_steps(sonde_text *csv, const sonde_policies *policies,
                                 const int32_t *walk) {
    const sonde_model *model = policies->model;
    const char *quote = quote_of(model);
    sonde_text_add(csv, "%s%s", quote, sonde__csv_guard(first_word(model, walk[1])));
    for (int32_t t = 1; t <= policies->horizon; t++) {
        sonde_text_add(csv, t > 1 ? "-" : "");
        add_tuple(csv, model, walk[t]);
    }
    sonde_text_add(csv, "%s", quote);
}
