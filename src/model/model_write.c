/* model_write.c: a model as a sonde-model document (docs/formats.md).
 *
 * Tables that are stored sparsely are written so, and C as it was given, so that a document that is
 * read back makes the same model, bit for bit. */
#include "base/text.h"
#include "model/model_internal.h"

/* numbers in a document, at most */
#define NUMBERS_MAX UINT64_C(1000000000)

/* ---------------------------------------------------------------------------- small things -- */

static void add_numbers(sonde_text *text, int64_t n, const double *value) {
    sonde_text_add(text, "[");
    for (int64_t i = 0; i < n; i++) {
        sonde_text_add(text, i > 0 ? ", " : "");
        sonde_text_add_number(text, value[i]);
    }
    sonde_text_add(text, "]");
}

static void add_wholes(sonde_text *text, int32_t n, const int32_t *value) {
    sonde_text_add(text, "[");
    for (int32_t i = 0; i < n; i++) {
        sonde_text_add(text, "%s%d", i > 0 ? ", " : "", value[i]);
    }
    sonde_text_add(text, "]");
}

/* "KEY": how many, or their names */
static void add_list(sonde_text *text, const char *key, int32_t n, const char *const *name) {
    sonde_text_add(text, "\"%s\": ", key);
    if (name == NULL) {
        sonde_text_add(text, "%d", n);
        return;
    }
    sonde_text_add(text, "[");
    for (int32_t i = 0; i < n; i++) {
        sonde_text_add(text, i > 0 ? ", " : "");
        sonde_text_add_quoted(text, name[i]);
    }
    sonde_text_add(text, "]");
}

static void add_title(sonde_text *text, const char *name) {
    if (name != NULL) {
        sonde_text_add(text, "\"name\": ");
        sonde_text_add_quoted(text, name);
        sonde_text_add(text, ", ");
    }
}

static void add_factor(sonde_text *text, const sonde_model *model, int32_t f) {
    const sonde_factor *factor = &model->factor[f];
    sonde_text_add(text, "%s\n  {", f > 0 ? "," : "");
    add_title(text, factor->name);
    add_list(text, "states", factor->n_state, factor->state_name);
    sonde_text_add(text, ", ");
    add_list(text, "actions", factor->n_action, factor->action_name);
    if (factor->n_depend != 1 || factor->depend[0] != f) {
        sonde_text_add(text, ", \"depends\": ");
        add_wholes(text, factor->n_depend, factor->depend);
    }
    sonde_text_add(text, "}");
}

static void add_modality(sonde_text *text, const sonde_model *model, int32_t m) {
    const sonde_modality *modality = &model->modality[m];
    bool all = modality->n_factor == model->n_factor;
    for (int32_t i = 0; all && i < modality->n_factor; i++) {
        all = modality->factor[i] == i;
    }
    sonde_text_add(text, "%s\n  {", m > 0 ? "," : "");
    add_title(text, modality->name);
    add_list(text, "outcomes", modality->n_outcome, modality->outcome_name);
    if (!all) {
        sonde_text_add(text, ", \"factors\": ");
        add_wholes(text, modality->n_factor, modality->factor);
    }
    sonde_text_add(text, "}");
}

/* ---------------------------------------------------------------------------------- tables -- */

/* A or B as it is stored, and the axes it is written with */
typedef struct {
    int32_t n_axis;
    int64_t size[SONDE__AXES];
    int32_t n_row;
    int64_t n_column;
    int32_t n_action;
    int32_t n_lane;
    const double *value; /* or NULL */
    const int64_t *offset;
    const int32_t *row;
    const double *p;
} table;

static table table_of_factor(const sonde_model *model, int32_t f) {
    const sonde_factor *factor = &model->factor[f];
    table t = {.n_axis = factor->n_depend + 2,
               .n_row = factor->n_state,
               .n_column = factor->n_previous * factor->n_action,
               .n_action = factor->n_action,
               .n_lane = factor->n_lane,
               .value = factor->B,
               .offset = factor->offset,
               .row = factor->next,
               .p = factor->p};
    t.size[0] = factor->n_state;
    for (int32_t i = 0; i < factor->n_depend; i++) {
        t.size[1 + i] = model->factor[factor->depend[i]].n_state;
    }
    t.size[1 + factor->n_depend] = factor->n_action;
    return t;
}

static table table_of_modality(const sonde_model *model, int32_t m) {
    const sonde_modality *modality = &model->modality[m];
    table t = {.n_axis = modality->n_factor + (modality->n_action > 1 ? 2 : 1),
               .n_row = modality->n_outcome,
               .n_column = modality->n_state * modality->n_action,
               .n_action = 1,
               .n_lane = 1,
               .value = modality->A,
               .offset = modality->offset,
               .row = modality->outcome,
               .p = modality->p};
    t.size[0] = modality->n_outcome;
    for (int32_t i = 0; i < modality->n_factor; i++) {
        t.size[1 + i] = model->factor[modality->factor[i]].n_state;
    }
    if (modality->n_action > 1) {
        t.size[1 + modality->n_factor] = modality->n_action;
    }
    return t;
}

/* Nested lists, the last axis innermost. */
static void add_dense(sonde_text *text, const table *t) {
    const int64_t n = t->n_row * t->n_column;
    for (int64_t i = 0; i < n; i++) {
        const int64_t row = i / t->n_column;
        const int64_t column = i % t->n_column;
        int64_t below = 1;
        /* a list opens wherever this number is the first of it */
        if (i > 0) {
            sonde_text_add(text, column > 0 ? ", " : ",\n   ");
        }
        for (int32_t a = t->n_axis - 1; a >= 0; a--) {
            below *= t->size[a];
            sonde_text_add(text, i % below == 0 ? "[" : "");
        }
        sonde_text_add_number(
            text,
            t->value[(column / t->n_action * t->n_row + row) * t->n_lane + column % t->n_action]);
        below = 1;
        for (int32_t a = t->n_axis - 1; a >= 0; a--) {
            below *= t->size[a];
            sonde_text_add(text, (i + 1) % below == 0 ? "]" : "");
        }
    }
}

/* {"shape": [...], "entries": [[index, ..., value], ...]} */
static void add_sparse(sonde_text *text, const table *t) {
    sonde_text_add(text, "{\"shape\": %s, \"entries\": [",
                   sonde__axes_text(t->n_axis, t->size).text);
    for (int64_t column = 0; column < t->n_column; column++) {
        for (int64_t i = t->offset[column]; i < t->offset[column + 1]; i++) {
            int64_t below = t->n_column;
            sonde_text_add(text, "%s[%d", i > 0 ? ", " : "", t->row[i]);
            for (int32_t a = 1; a < t->n_axis; a++) {
                below /= t->size[a];
                sonde_text_add(text, ", %lld", (long long)(column / below % t->size[a]));
            }
            sonde_text_add(text, ", ");
            sonde_text_add_number(text, t->p[i]);
            sonde_text_add(text, "]");
        }
    }
    sonde_text_add(text, "]}");
}

static void add_table(sonde_text *text, const table *t, int32_t place) {
    sonde_text_add(text, "%s\n  ", place > 0 ? "," : "");
    (t->value != NULL ? add_dense : add_sparse)(text, t);
}

/* The counts of a table as they are stored, or nothing. */
static void add_counts(sonde_text *text, table t, const double *counts, int32_t place) {
    t.value = t.value != NULL ? counts : NULL;
    t.p = counts;
    if (counts == NULL) {
        sonde_text_add(text, "%s\n   null", place > 0 ? "," : "");
    } else {
        add_table(text, &t, place);
    }
}

/* Numbers that a table takes in the document. */
static uint64_t count_numbers(const table *t) {
    return t->value != NULL
               ? sonde__multiply((uint64_t)t->n_column, (uint64_t)t->n_row)
               : sonde__multiply((uint64_t)t->offset[t->n_column], (uint64_t)t->n_axis + 1);
}

static uint64_t count_action_costs(const sonde_model *model) {
    return model->action_cost != NULL ? (uint64_t)model->n_joint * (uint64_t)model->n_action : 0;
}

static uint64_t count_all_numbers(const sonde_model *model) {
    uint64_t n = 0;
    for (int32_t f = 0; f < model->n_factor; f++) {
        const table t = table_of_factor(model, f);
        n = sonde__add(n, sonde__add(count_numbers(&t), (uint64_t)t.n_row));
    }
    for (int32_t m = 0; m < model->n_modality; m++) {
        const table t = table_of_modality(model, m);
        const uint64_t n_C = sonde__multiply((uint64_t)model->n_step_C, (uint64_t)t.n_row);
        n = sonde__add(n, sonde__add(count_numbers(&t), n_C));
    }
    n = sonde__add(n, count_action_costs(model));
    const uint64_t steps = sonde__multiply((uint64_t)model->n_policy, (uint64_t)model->horizon);
    return sonde__add(n, sonde__multiply(steps, (uint64_t)model->n_factor));
}

/* ------------------------------------------------------------------- preferences, policies -- */

/* n_row numbers, or as many for each step, or null. */
static void add_steps(sonde_text *text, int32_t place, int32_t n_step, int32_t n,
                      const double *value) {
    sonde_text_add(text, "%s%s", place > 0 ? ", " : "", value == NULL ? "null" : "");
    sonde_text_add(text, value != NULL && n_step > 1 ? "[" : "");
    for (int64_t t = 0; value != NULL && t < n_step; t++) {
        sonde_text_add(text, t > 0 ? ", " : "");
        add_numbers(text, n, value + t * n);
    }
    sonde_text_add(text, value != NULL && n_step > 1 ? "]" : "");
}

static void add_preferences(sonde_text *text, const sonde_model *model) {
    sonde_text_add(text, "],\n \"C\": [");
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        add_steps(text, m, model->n_step_C, modality->n_outcome, modality->C);
    }
    sonde_text_add(text, "],\n \"preferences\": \"%s\", \"information\": \"%s\",\n \"cost\": [",
                   sonde_preferences_name((int32_t)model->preferences),
                   sonde_information_name((int32_t)model->information));
    for (int32_t m = 0; m < model->n_modality; m++) {
        sonde_text_add(text, m > 0 ? ", " : "");
        add_numbers(text, model->modality[m].n_outcome, model->modality[m].cost);
    }
    sonde_text_add(text, "], \"lambda\": ");
    sonde_text_add_number(text, model->lambda);
    sonde__text_pair(text, "gamma", model->gamma);
    sonde_text_add(text, ",\n \"horizon\": %d, \"policies\": ", model->horizon);
}

static void add_all_counts(sonde_text *text, const sonde_model *model) {
    if (!sonde__model_learns(model)) {
        return;
    }
    sonde_text_add(text, ",\n \"counts\": {\n  \"A\": [");
    for (int32_t m = 0; m < model->n_modality; m++) {
        add_counts(text, table_of_modality(model, m), model->modality[m].counts_A, m);
    }
    sonde_text_add(text, "],\n  \"B\": [");
    for (int32_t f = 0; f < model->n_factor; f++) {
        add_counts(text, table_of_factor(model, f), model->factor[f].counts_B, f);
    }
    sonde_text_add(text, "],\n  \"C\": [");
    for (int32_t m = 0; m < model->n_modality; m++) {
        add_steps(text, m, model->n_step_C, model->modality[m].n_outcome,
                  model->modality[m].counts_C);
    }
    sonde_text_add(text, "],\n  \"D\": [");
    for (int32_t f = 0; f < model->n_factor; f++) {
        add_steps(text, f, 1, model->factor[f].n_state, model->factor[f].counts_D);
    }
    sonde_text_add(text, "]");
    if (model->counts_E != NULL) {
        sonde_text_add(text, ",\n  \"E\": ");
        add_numbers(text,
                    model->policies == SONDE_POLICIES_LISTED ? model->n_policy : model->n_action,
                    model->counts_E);
    }
    sonde_text_add(text, "}");
}

static void add_listed(sonde_text *text, const sonde_model *model) {
    const int64_t horizon = model->horizon;
    sonde_text_add(text, "[");
    for (int64_t i = 0; i < model->n_policy * horizon; i++) {
        sonde_text_add(text, "%s%s[",
                       i % horizon > 0 ? ", "
                       : i > 0         ? ",\n  "
                                       : "\n  ",
                       i % horizon == 0 ? "[" : "");
        /* the actions of the tuple, the first factor's first */
        int32_t above = model->n_action;
        for (int32_t f = 0; f < model->n_factor; f++) {
            above /= model->factor[f].n_action;
            sonde_text_add(text, "%s%d", f > 0 ? ", " : "",
                           model->policy[i] / above % model->factor[f].n_action);
        }
        sonde_text_add(text, i % horizon == horizon - 1 ? "]]" : "]");
    }
    sonde_text_add(text, "]");
    if (model->E != NULL) {
        sonde_text_add(text, ",\n \"E\": ");
        add_numbers(text, model->n_policy, model->E);
    }
}

static void add_allowed(sonde_text *text, const sonde_model *model) {
    bool any = false;
    for (int32_t f = 0; f < model->n_factor; f++) {
        any = any || model->factor[f].allowed != NULL;
    }
    for (int32_t f = 0; any && f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        const int64_t n = (int64_t)factor->n_state * factor->n_action;
        const char *separator = "";
        sonde_text_add(text, f > 0 ? ",\n  " : ",\n \"allowed\": [\n  ");
        sonde_text_add(text, factor->allowed != NULL ? "[" : "null");
        for (int64_t i = 0; factor->allowed != NULL && i < n; i++) {
            if (factor->allowed[i]) {
                sonde_text_add(text, "%s[%d, %d]", separator, (int)(i / factor->n_action),
                               (int)(i % factor->n_action));
                separator = ", ";
            }
        }
        sonde_text_add(text, factor->allowed != NULL ? "]" : "");
    }
    sonde_text_add(text, any ? "]" : "");
}

/* What planning in closed loop asks for besides, where it is there. */
static void add_actions(sonde_text *text, const sonde_model *model) {
    if (model->action_cost != NULL) {
        table t = {.n_axis = model->n_factor + 1,
                   .n_row = 1,
                   .n_column = (int64_t)count_action_costs(model),
                   .n_action = 1,
                   .n_lane = 1,
                   .value = model->action_cost};
        for (int32_t f = 0; f < model->n_factor; f++) {
            t.size[f] = model->factor[f].n_state;
        }
        t.size[model->n_factor] = model->n_action;
        sonde_text_add(text, ",\n \"action_cost\":");
        add_table(text, &t, 0);
    }
    if (model->action_prior != NULL) {
        sonde_text_add(text, ",\n \"action_prior\": ");
        add_numbers(text, model->n_action, model->action_prior);
    }
    if (model->discount != 1.0) {
        sonde_text_add(text, ",\n \"discount\": ");
        sonde_text_add_number(text, model->discount);
    }
}

/* ------------------------------------------------------------------------------- all of it -- */

sonde_status sonde__check_numbers(uint64_t n, sonde_error *error) {
    return n <= NUMBERS_MAX ? SONDE_OK
                            : sonde__fail(error, SONDE_TOO_LARGE,
                                          "the document would have %.3g numbers, allowed are %.3g; "
                                          "take a smaller model",
                                          (double)n, (double)NUMBERS_MAX);
}

sonde_status sonde_model_write(const sonde_model *model, sonde_text *text, sonde_error *error) {
    if (model->graph != NULL) {
        return sonde__model_write_graph(model, text, error);
    }
    const sonde_status status = sonde__check_numbers(count_all_numbers(model), error);
    if (status != SONDE_OK) {
        return status;
    }
    sonde_text_add(text, "{\"format\": \"sonde-model\", \"version\": 1,\n ");
    add_title(text, model->name);
    sonde_text_add(text, "\"factors\": [");
    for (int32_t f = 0; f < model->n_factor; f++) {
        add_factor(text, model, f);
    }
    sonde_text_add(text, "],\n \"modalities\": [");
    for (int32_t m = 0; m < model->n_modality; m++) {
        add_modality(text, model, m);
    }
    sonde_text_add(text, "],\n \"A\": [");
    for (int32_t m = 0; m < model->n_modality; m++) {
        const table t = table_of_modality(model, m);
        add_table(text, &t, m);
    }
    sonde_text_add(text, "],\n \"B\": [");
    for (int32_t f = 0; f < model->n_factor; f++) {
        const table t = table_of_factor(model, f);
        add_table(text, &t, f);
    }
    sonde_text_add(text, "],\n \"D\": [");
    for (int32_t f = 0; f < model->n_factor; f++) {
        sonde_text_add(text, f > 0 ? ", " : "");
        add_numbers(text, model->factor[f].n_state, model->factor[f].D);
    }
    add_preferences(text, model);
    if (model->policies == SONDE_POLICIES_LISTED) {
        add_listed(text, model);
    } else {
        sonde_text_add(text, "\"%s\"", sonde_policy_kind_name((int32_t)model->policies));
    }
    add_allowed(text, model);
    add_actions(text, model);
    add_all_counts(text, model);
    sonde_text_add(text, "}\n");
    return SONDE_OK;
}
