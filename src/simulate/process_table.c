/* process_table.c: outcomes that are looked up in a table, instead of drawn: one row for what
 * follows an action in a step of an episode, or is seen in it whatever is done (docs/formats.md,
 * "Outcomes").
 *
 * Columns are `episode` and `step`, one for each factor that somebody controls, or none of them,
 * and one for each modality, by their names or u0, u1, ... and o0, o1, ...; others are left
 * alone. */
#include <stdlib.h>
#include <string.h>

#include "base/cells.h"
#include "base/json.h"
#include "base/name.h"
#include "simulate/scene.h"

/* a table while it is read */
typedef struct {
    const sonde_model *model;
    sonde__cells cells;
    sonde_stage *process;
    int32_t episode; /* the column, or -1 */
    int32_t step;
    int32_t factor[SONDE_FACTORS_MAX];
    bool whatever; /* it has no actions */
    int32_t modality[SONDE_FACTORS_MAX];
} table;

static int32_t find(const table *t, const char *name) {
    for (int32_t i = 0; name != NULL && i < t->cells.n_column; i++) {
        if (strcmp(t->cells.name[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

/* The column of a factor or modality, by its name or its number. */
static int32_t find_either(const table *t, const char *name, char letter, int32_t i) {
    const int32_t found = find(t, sonde__at("%c%d", letter, (int)i).text);
    return found >= 0 ? found : find(t, name);
}

/* Columns of actions: of every factor that somebody controls, or of none. */
static sonde_status find_actions(table *t) {
    const sonde_model *model = t->model;
    int32_t without = -1;
    bool any = false;
    for (int32_t f = 0; f < model->n_factor; f++) {
        const bool acts = model->factor[f].n_action > 1;
        t->factor[f] = acts ? find_either(t, model->factor[f].name, 'u', f) : -1;
        any = any || t->factor[f] >= 0;
        without = acts && t->factor[f] < 0 && without < 0 ? f : without;
    }
    t->whatever = !any && without >= 0;
    if (any && without >= 0) {
        const char *name = model->factor[without].name;
        return sonde__fail(t->cells.error, SONDE_BAD_INPUT,
                           "%s: expected a column u%d%s%s, the action of factor %d, found none",
                           t->cells.origin, without, name != NULL ? " or " : "",
                           name != NULL ? name : "", without);
    }
    return SONDE_OK;
}

static sonde_status read_header(table *t) {
    const sonde_model *model = t->model;
    t->episode = find(t, "episode");
    t->step = find(t, "step");
    const sonde_status status = find_actions(t);
    if (status != SONDE_OK) {
        return status;
    }
    for (int32_t m = 0; m < model->n_modality; m++) {
        t->modality[m] = find_either(t, model->modality[m].name, 'o', m);
        if (t->modality[m] < 0) {
            return sonde__fail(t->cells.error, SONDE_BAD_INPUT,
                               "%s: expected a column o%d%s%s, the outcome of modality %d, found "
                               "none",
                               t->cells.origin, m, model->modality[m].name != NULL ? " or " : "",
                               model->modality[m].name != NULL ? model->modality[m].name : "", m);
        }
    }
    return SONDE_OK;
}

/* What a cell may be: a number from 0 to n - 1, or one of n names. */
typedef struct {
    int64_t n;
    const char *const *name; /* or NULL */
} choice;

static sonde_status read_cell(const table *t, int32_t row, int32_t column, choice of,
                              int64_t *value) {
    const char *cell = t->cells.cell[(int64_t)row * t->cells.n_column + column];
    const char *const *name = of.name;
    for (int64_t i = 0; name != NULL && i < of.n; i++) {
        if (strcmp(name[i], cell) == 0) {
            *value = i;
            return SONDE_OK;
        }
    }
    if (sonde__cell_whole(cell, value) && *value >= 0 && *value < of.n) {
        return SONDE_OK;
    }
    const char *near = name != NULL ? sonde__name_nearest(name, (int32_t)of.n, cell) : NULL;
    return sonde__cell_wrong(&t->cells, row, column,
                             "expected %sa number from 0 to %lld, found \"%s\"%s%s%s",
                             name != NULL ? "a name or " : "", (long long)of.n - 1, cell,
                             near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                             near != NULL ? "\"?" : "");
}

static bool is_missing(const table *t, int32_t row, int32_t column) {
    return sonde__cell_is_missing(t->cells.cell[(int64_t)row * t->cells.n_column + column]);
}

/* The action of a row; -1 where none is written. */
static sonde_status read_action(const table *t, int32_t row, int32_t *action) {
    const sonde_model *model = t->model;
    sonde_status status = SONDE_OK;
    int32_t tuple[SONDE_FACTORS_MAX] = {0};
    bool any = false;
    bool none = t->whatever;
    for (int32_t f = 0; f < model->n_factor && status == SONDE_OK; f++) {
        if (t->factor[f] >= 0) {
            int64_t value = 0;
            const bool missing = is_missing(t, row, t->factor[f]);
            none = none || missing;
            any = any || !missing;
            status =
                missing
                    ? SONDE_OK
                    : read_cell(t, row, t->factor[f],
                                (choice){model->factor[f].n_action, model->factor[f].action_name},
                                &value);
            tuple[f] = (int32_t)value;
        }
    }
    if (status == SONDE_OK && any && none) {
        return sonde__cell_wrong(&t->cells, row, -1,
                                 "expected the actions of all factors, or of none, found some");
    }
    *action = none ? -1 : sonde_model_from_tuple(model, tuple);
    return status;
}

static sonde_status read_row(const table *t, int32_t row, sonde__looked_up *to) {
    const sonde_model *model = t->model;
    sonde_status status = SONDE_OK;
    *to = (sonde__looked_up){.episode = -1, .step = -1, .row = row + 1};
    to->outcome = SONDE__POOL_TAKE(&t->process->pool, int32_t, model->n_modality);
    if (to->outcome == NULL) {
        return sonde__fail_memory(t->cells.error, t->cells.origin, 0);
    }
    if (t->episode >= 0) {
        status = read_cell(t, row, t->episode, (choice){INT32_MAX, NULL}, &to->episode);
    }
    if (status == SONDE_OK && t->step >= 0) {
        status = read_cell(t, row, t->step, (choice){INT32_MAX, NULL}, &to->step);
    }
    status = status == SONDE_OK ? read_action(t, row, &to->action) : status;
    for (int32_t m = 0; m < model->n_modality && status == SONDE_OK; m++) {
        int64_t value = SONDE_MISSING;
        if (!is_missing(t, row, t->modality[m])) {
            status = read_cell(
                t, row, t->modality[m],
                (choice){model->modality[m].n_outcome, model->modality[m].outcome_name}, &value);
        }
        to->outcome[m] = (int32_t)value;
    }
    return status;
}

static int compare(const void *left, const void *right) {
    const sonde__looked_up *a = left;
    const sonde__looked_up *b = right;
    if (a->episode != b->episode) {
        return a->episode < b->episode ? -1 : 1;
    }
    if (a->step != b->step) {
        return a->step < b->step ? -1 : 1;
    }
    return a->action < b->action ? -1 : a->action > b->action;
}

static sonde_status read_rows(table *t) {
    sonde_stage *process = t->process;
    process->row = SONDE__POOL_TAKE(&process->pool, sonde__looked_up, t->cells.n_row);
    if (process->row == NULL) {
        return sonde__fail_memory(t->cells.error, t->cells.origin, 0);
    }
    for (int32_t row = 0; row < t->cells.n_row; row++) {
        const sonde_status status = read_row(t, row, &process->row[row]);
        if (status != SONDE_OK) {
            return status;
        }
        process->n_row++;
    }
    qsort(process->row, (size_t)process->n_row, sizeof *process->row, compare);
    for (int32_t i = 1; i < process->n_row; i++) {
        if (compare(&process->row[i - 1], &process->row[i]) == 0) {
            return sonde__fail(t->cells.error, SONDE_BAD_INPUT,
                               "%s: rows %d and %d are of the same episode, step and action",
                               t->cells.origin, process->row[i - 1].row, process->row[i].row);
        }
    }
    return SONDE_OK;
}

/* The text of the file, or a copy of the one in memory, with a closing zero. */
static sonde_status take_text(const sonde_source *source, char **data, size_t *size,
                              sonde_error *error) {
    if (source->data == NULL) {
        return sonde__json_slurp(source->origin, data, size, error);
    }
    *size = source->size;
    *data = sonde__alloc(source->size + 1);
    if (*data == NULL) {
        return sonde__fail_memory(error, source->origin, source->size);
    }
    memcpy(*data, source->data, source->size);
    (*data)[source->size] = '\0';
    return SONDE_OK;
}

static sonde_status read_table(table *t, const sonde_source *source) {
    char *data = NULL;
    size_t size = 0;
    sonde_status status = take_text(source, &data, &size, t->cells.error);
    status = status == SONDE_OK ? sonde__cells_cut(&t->cells, data, size) : status;
    status = status == SONDE_OK ? read_header(t) : status;
    status = status == SONDE_OK ? read_rows(t) : status;
    sonde__free(data);
    return status;
}

sonde_status sonde_stage_table(const sonde_source *source, const sonde_model *model,
                               sonde_stage **process, sonde_error *error) {
    if (model->graph != NULL) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "outcomes: concern general models, and this is a graph world");
    }
    sonde_stage *made = sonde__alloc(sizeof *made);
    if (made == NULL) {
        return sonde__fail_memory(error, "outcomes", sizeof *made);
    }
    sonde__pool pool = {0}; /* of what is needed while it is read */
    table t = {.model = model,
               .cells = {.origin = source->origin, .pool = &pool, .error = error},
               .process = made};
    sonde_status status = read_table(&t, source);
    sonde__pool_free(&pool);
    if (status == SONDE_OK) {
        const size_t length = strlen(source->origin) + 1;
        char *origin = SONDE__POOL_TAKE(&made->pool, char, length);
        status = origin != NULL ? SONDE_OK : sonde__fail_memory(error, source->origin, length);
        if (origin != NULL) {
            memcpy(origin, source->origin, length);
        }
        made->origin = origin;
    }
    if (status != SONDE_OK) {
        sonde_stage_free(made);
        return status;
    }
    *process = made;
    return SONDE_OK;
}

const int32_t *sonde_stage_outcome(const sonde_stage *process, int64_t episode, int64_t step,
                                   int32_t action) {
    if (process->n_row == 0) {
        return NULL;
    }
    const sonde__looked_up key = {.episode = process->row[0].episode < 0 ? -1 : episode,
                                  .step = process->row[0].step < 0 ? -1 : step,
                                  .action = action};
    const sonde__looked_up *found =
        bsearch(&key, process->row, (size_t)process->n_row, sizeof key, compare);
    return found != NULL ? found->outcome : NULL;
}
