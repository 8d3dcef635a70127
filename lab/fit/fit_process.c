/* fit_process.c: worlds that change, and outcomes that are known beforehand, from files.
 *
 * A process file is a model file that may have a schedule, [{"from": {"step": 100} | {"episode":
 * 5}, "A": [...], "B": [...]}, ...]: from there on these arrays take the place of earlier ones;
 * null or absent ones stay. Each change becomes a model of its own, read like any. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/name.h"
#include "fit/fit_table.h"
#include "sonde_fit.h"

/* what an outcome that nobody knows begins with (sonde_experiment) */
enum { UNKNOWN = -2 };
/* numbers that outcomes of an experiment may take */
#define MOST_OUTCOMES (UINT64_C(1) << 28)

typedef struct {
    sonde_task shown; /* first, so that it can be freed by its address */
    sonde__pool pool;
} process;

void sonde_task_free(sonde_task *shown) {
    process *p = (process *)(void *)shown;
    for (int32_t i = 0; p != NULL && i < shown->n_change; i++) {
        sonde_model_free((sonde_model *)shown->change[i].process);
    }
    if (p != NULL) {
        sonde__pool_free(&p->pool);
        sonde__free(p);
    }
}

/* --------------------------------------------------------------------------------- schedule -- */

/* Reads the model that a document has become. */
static sonde_status read_model(sonde__reader *reader, const sonde_run *run,
                               const sonde_model **model) {
    char *text = json_dumps(reader->root, JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (text == NULL) {
        return sonde__fail_memory(reader->error, reader->origin, 0);
    }
    const sonde_source source = {.origin = reader->origin, .data = text, .size = strlen(text)};
    sonde_model *made = NULL;
    const sonde_status status = sonde_model_read(&source, NULL, run, &made, reader->error);
    *model = made;
    void (*release)(void *) = NULL;
    json_get_alloc_funcs(NULL, &release);
    release(text);
    return status;
}

/* Puts the arrays of a change in the place of earlier ones. */
static bool replace(sonde__reader *reader, int32_t i, const json_t *change, const char *letter) {
    json_t *list = json_object_get(change, letter);
    json_t *before = json_object_get(reader->root, letter);
    if (list == NULL || json_is_null(list)) {
        return true;
    }
    if (!json_is_array(list) || json_array_size(list) != json_array_size(before)) {
        const sonde__path path = sonde__at("schedule[%d].%s", (int)i, letter);
        return sonde__json_expected(reader, path.text, "as many arrays as the model has", list);
    }
    for (size_t m = 0; m < json_array_size(list); m++) {
        json_t *array = json_array_get(list, m);
        if (!json_is_null(array)) {
            (void)json_array_set(before, m, array);
        }
    }
    return true;
}

static const char *change_key(int32_t i) {
    static const char *const list[] = {"from", "A", "B", NULL};
    return list[i];
}

static const char *from_key(int32_t i) {
    static const char *const list[] = {"step", "episode", NULL};
    return list[i];
}

/* When a change comes. */
static bool read_from(sonde__reader *reader, int32_t i, const json_t *change, sonde_change *to) {
    const sonde__path path = sonde__at("schedule[%d].from", (int)i);
    const json_t *from = json_object_get(change, "from");
    const json_t *step = json_object_get(from, "step");
    const json_t *episode = json_object_get(from, "episode");
    if (!json_is_object(from) || (step == NULL) == (episode == NULL)) {
        return sonde__json_expected(reader, path.text,
                                    "{\"step\": number} or {\"episode\": number}", from);
    }
    int32_t number = 0;
    to->by_episode = episode != NULL;
    const bool good =
        sonde__json_keys_at(reader, path.text, from, from_key) &&
        sonde__json_whole(reader, path.text, step ? step : episode, 0, INT32_MAX, &number);
    to->from = number;
    return good;
}

static sonde_status read_changes(sonde__reader *reader, const json_t *schedule,
                                 const sonde_run *run, process *p) {
    const size_t n = json_array_size(schedule);
    sonde_change *change = SONDE__POOL_TAKE(&p->pool, sonde_change, n + 1);
    if (change == NULL) {
        return sonde__fail_memory(reader->error, reader->origin, (n + 1) * sizeof *change);
    }
    p->shown.change = change;
    sonde_status status = read_model(reader, run, &change[0].process);
    p->shown.n_change = status ? 0 : 1;
    for (size_t i = 0; !status && i < n; i++) {
        const json_t *one = json_array_get(schedule, i);
        const sonde__path path = sonde__at("schedule[%d]", (int)i);
        const bool good =
            (json_is_object(one) || sonde__json_expected(reader, path.text, "an object", one)) &&
            sonde__json_keys_at(reader, path.text, one, change_key) &&
            read_from(reader, (int32_t)i, one, &change[i + 1]) &&
            replace(reader, (int32_t)i, one, "A") && replace(reader, (int32_t)i, one, "B");
        status = good ? read_model(reader, run, &change[i + 1].process) : reader->status;
        p->shown.n_change += status ? 0 : 1;
    }
    return status;
}

sonde_status sonde_task_read(const char *path, const sonde_run *run, sonde_task **shown,
                             sonde_error *error) {
    *shown = NULL;
    sonde__reader reader;
    sonde_status status = sonde__json_open(&reader, path, error);
    process *p = status ? NULL : sonde__alloc(sizeof *p);
    json_t *schedule = NULL;
    if (!status && p == NULL) {
        status = sonde__fail_memory(error, path, sizeof *p);
    }
    if (!status) {
        schedule = json_incref(json_object_get(reader.root, "schedule"));
        (void)json_object_del(reader.root, "schedule");
        if (schedule != NULL && !json_is_array(schedule)) {
            (void)sonde__json_expected(&reader, "schedule", "a list", schedule);
            status = reader.status;
        }
    }
    if (!status) {
        status = read_changes(&reader, schedule, run, p);
    }
    json_decref(schedule);
    sonde__json_close(&reader);
    if (status) {
        sonde_task_free(p ? &p->shown : NULL);
        return status;
    }
    *shown = &p->shown;
    return SONDE_OK;
}

/* --------------------------------------------------------------------------------- outcomes -- */

/* A table while it becomes outcomes of all actions. */
typedef struct {
    const sonde__sheet *sheet;
    const sonde_model *model;
    const sonde_experiment *experiment;
    int32_t episode; /* columns, or -1 */
    int32_t step;
    int32_t *done; /* (n_factor) */
    int32_t *seen; /* (n_modality) */
    int32_t *outcome;
    sonde_error *error;
    sonde_status status;
} outcomes;

/* A number or a name of a cell, below n; -1: it is missing; -2 and an error: it is neither. */
static int32_t read_cell(outcomes *o, int32_t row, int32_t column, int32_t n,
                         const char *const *name) {
    const char *cell = sonde__sheet_cell(o->sheet, row, column);
    double number = 0.0;
    for (int32_t i = 0; name != NULL && i < n; i++) {
        if (strcmp(name[i], cell) == 0) {
            return i;
        }
    }
    if (sonde__sheet_missing(cell)) {
        return -1;
    }
    if (sonde__sheet_number(cell, &number) && number >= 0.0 && number < n &&
        number == floor(number)) {
        return (int32_t)number;
    }
    char expected[96];
    (void)snprintf(expected, sizeof expected, "a %snumber from 0 to %d",
                   name != NULL ? "name of the model, or a " : "", (int)n - 1);
    o->status = sonde__sheet_expected(o->sheet, row, column, expected, o->error);
    return -2;
}

/* The column of a name, or of a letter and a number. */
static int32_t find_column(const outcomes *o, const char *name, char letter, int32_t i) {
    char numbered[16];
    (void)snprintf(numbered, sizeof numbered, "%c%d", letter, (int)i);
    const int32_t named = name != NULL ? sonde__sheet_column(o->sheet, name) : -1;
    return named >= 0 ? named : sonde__sheet_column(o->sheet, numbered);
}

static void find_columns(outcomes *o) {
    const sonde_model *model = o->model;
    o->episode = sonde__sheet_column(o->sheet, "episode");
    o->step = sonde__sheet_column(o->sheet, "step");
    for (int32_t m = 0; !o->status && m < model->n_modality; m++) {
        o->seen[m] = find_column(o, model->modality[m].name, 'o', m);
        if (o->seen[m] < 0) {
            o->status = sonde__fail(
                o->error, SONDE_BAD_INPUT,
                "%s: head: expected a column %s for modality %d, found none", o->sheet->origin,
                model->modality[m].name ? model->modality[m].name : "o0, o1", (int)m);
        }
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        o->done[f] = find_column(o, model->factor[f].name, 'u', f);
    }
}

/* Whether an action is meant by a row whose actions of factors are given, -1 for any. */
static bool is_meant(const sonde_model *model, int32_t action, const int32_t *given) {
    for (int32_t f = model->n_factor - 1; f >= 0; f--) {
        const int32_t own = action % model->factor[f].n_action;
        action /= model->factor[f].n_action;
        if (given[f] >= 0 && given[f] != own) {
            return false;
        }
    }
    return true;
}

static void read_row(outcomes *o, int32_t row, int32_t *given, int32_t *seen) {
    const sonde_experiment *e = o->experiment;
    const sonde_model *model = o->model;
    const int32_t episode = o->episode < 0 ? 0 : read_cell(o, row, o->episode, INT32_MAX, NULL);
    const int32_t step =
        o->step < 0 || o->status ? row : read_cell(o, row, o->step, INT32_MAX, NULL);
    for (int32_t f = 0; !o->status && f < model->n_factor; f++) {
        given[f] = o->done[f] < 0 ? -1
                                  : read_cell(o, row, o->done[f], model->factor[f].n_action,
                                              model->factor[f].action_name);
    }
    for (int32_t m = 0; !o->status && m < model->n_modality; m++) {
        seen[m] = read_cell(o, row, o->seen[m], model->modality[m].n_outcome,
                            model->modality[m].outcome_name);
    }
    if (o->status || episode < 0 || episode >= e->n_episode || step < 0 || step >= e->n_step) {
        return;
    }
    for (int32_t a = 0; a < model->n_action; a++) {
        if (is_meant(model, a, given)) {
            const int64_t at = ((int64_t)episode * e->n_step + step) * model->n_action + a;
            memcpy(o->outcome + at * model->n_modality, seen,
                   (size_t)model->n_modality * sizeof *seen);
        }
    }
}

static void read_rows(outcomes *o, sonde__pool *pool) {
    const sonde_model *model = o->model;
    const uint64_t n = sonde__multiply(
        sonde__multiply((uint64_t)o->experiment->n_episode, (uint64_t)o->experiment->n_step),
        sonde__multiply((uint64_t)model->n_action, (uint64_t)model->n_modality));
    if (n > MOST_OUTCOMES) {
        o->status = sonde__fail(o->error, SONDE_TOO_LARGE,
                                "%s: outcomes of every step and action are %.3g numbers, more than "
                                "fit; choose fewer episodes or steps",
                                o->sheet->origin, (double)n);
        return;
    }
    int32_t *scratch = SONDE__POOL_TAKE(pool, int32_t, 2 * (model->n_factor + model->n_modality));
    o->outcome = SONDE__POOL_TAKE(pool, int32_t, n);
    if (o->outcome == NULL || scratch == NULL) {
        o->status = sonde__fail_memory(o->error, "outcomes", n * sizeof *o->outcome);
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        o->outcome[i] = UNKNOWN;
    }
    o->done = scratch;
    o->seen = scratch + model->n_factor;
    int32_t *given = o->seen + model->n_modality;
    find_columns(o);
    for (int32_t row = 0; !o->status && row < o->sheet->n_row; row++) {
        read_row(o, row, given, given + model->n_factor);
    }
}

sonde_status sonde_task_outcomes(const char *path, const sonde_model *model,
                                 const sonde_experiment *experiment, sonde_task **shown,
                                 sonde_error *error) {
    *shown = NULL;
    char *text = NULL;
    size_t size = 0;
    sonde_status status = sonde__json_slurp(path, &text, &size, error);
    process *p = status ? NULL : sonde__alloc(sizeof *p);
    if (status || p == NULL) {
        sonde__free(text);
        return status ? status : sonde__fail_memory(error, path, sizeof *p);
    }
    sonde__sheet sheet;
    status = sonde__sheet_read(path, text, &sheet, error);
    outcomes o = {.sheet = &sheet, .model = model, .experiment = experiment, .error = error};
    if (!status) {
        read_rows(&o, &p->pool);
        status = o.status;
    }
    sonde__sheet_free(&sheet);
    p->shown.outcome = o.outcome;
    if (status) {
        sonde_task_free(&p->shown);
        return status;
    }
    *shown = &p->shown;
    return SONDE_OK;
}
