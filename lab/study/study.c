/* study.c: the results of a plan in an SQLite file, task by task.
 *
 * All rows of a task go in as one transaction, so that whatever happens a task is there whole or
 * not at all, and a study that was interrupted goes on with the tasks that are not there. While a
 * study is open it holds the file's lock. */
#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/settings.h"
#include "study/study_row.h"
#include "study/study_world.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* what became of a task */
enum { OPEN, GIVEN, DONE };

/* The tasks whose worlds have one size, which follow each other. */
typedef struct {
    int32_t first;
    int32_t n;
    int32_t next;   /* where to look for one that is open */
    int32_t n_done; /* in all sessions */
    bool begun;     /* one was handed out in this session, or none is open */
    int32_t n_timed;
    double seconds; /* that n_timed of them took */
} batch;

struct sonde_study {
    sonde__db *db;
    const sonde_study_plan *plan; /* borrowed */
    char *path;
    sonde__query *insert_task;
    sonde__query *insert_world;
    sonde__query *insert_run;
    sonde__query *insert_step;
    unsigned char *state; /* (n_task) */
    int32_t n_batch;
    batch batch[SONDE__PLAN_SIZES_MAX];
    int32_t n_done;
};

static sonde_status fail(const sonde_study *study, sonde_error *error) {
    return sonde__db_fail(study->db, study->path, error);
}

static sonde_status execute(const sonde_study *study, const char *sql, sonde_error *error) {
    return sonde__db_execute(study->db, sql) ? SONDE_OK : fail(study, error);
}

/* ---------------------------------------------------------------------------- rows of a task -- */

/* Inserts a row; a datum for each place of the query. */
static bool insert(sonde__query *query, const sonde__datum *datum, int32_t n) {
    bool good = true;
    for (int32_t i = 0; i < n && good; i++) {
        good = sonde__query_bind(query, i, &datum[i]);
    }
    good = good && sonde__query_step(query) == SONDE__STEP_DONE;
    sonde__query_reset(query);
    return good;
}

static bool insert_row(const sonde_study *study, const sonde__table_plan *table,
                       sonde__query *query, sonde__row *row) {
    if (insert(query, row->cell, table->n_column)) {
        return true;
    }
    row->status = fail(study, row->error);
    return false;
}

/* a task while its rows are taken in */
typedef struct {
    int32_t task;
    int32_t size;
    int32_t graph;
    double seconds;
    int32_t n_run; /* so far */
} taking;

static sonde__datum whole_cell(int64_t number) {
    return (sonde__datum){.kind = SONDE__CELL_WHOLE, .whole = number};
}

/* Every step of a run, where the plan records them. Whose they are is said once, of the run. */
static bool take_steps(const sonde_study *study, sonde__row *row, const sonde__result_run *run,
                       const json_t *list) {
    const int32_t whose[] = {run->condition, run->size, run->graph};
    const int32_t n = study->plan->record_steps ? run->n_decision : 0;
    if (json_array_size(list) != (size_t)n) {
        return sonde__row_wrong(row, "run", "expected %d steps, found %zu", (int)n,
                                json_array_size(list));
    }
    for (int32_t t = 0; t < n; t++) {
        sonde__result_step step;
        sonde__row_from_json(row, &sonde__table_of_steps, json_array_get(list, (size_t)t));
        for (int32_t i = 0; i < 3; i++) {
            row->cell[i] = whole_cell(whose[i]); /* its first columns */
        }
        row->number = t;
        if (!sonde__row_step(row, run, t, &step) ||
            !insert_row(study, &sonde__table_of_steps, study->insert_step, row)) {
            return false;
        }
    }
    return true;
}

/* The runs of a world. Where they ran is said once, of the world. */
static bool take_runs(const sonde_study *study, sonde__row *row, const sonde__result_world *world,
                      const json_t *runs, taking *t) {
    for (size_t i = 0; i < json_array_size(runs); i++) {
        sonde__result_run run;
        sonde__row_from_json(row, &sonde__table_of_runs, json_array_get(runs, i));
        row->cell[sonde__column_find(&sonde__table_of_runs, "size")] = whole_cell(world->size);
        row->cell[sonde__column_find(&sonde__table_of_runs, "graph")] = whole_cell(world->graph);
        row->number = t->n_run;
        if (!sonde__row_run(row, &run)) {
            return false;
        }
        const sonde_condition *condition = &study->plan->condition[run.condition];
        if (world->size > 0 &&
            (condition->connect != world->connect ||
             sonde__condition_horizon(condition, world->size) != world->horizon)) {
            return sonde__row_wrong(row, "run", "expected a condition of its world, found another");
        }
        if (!insert_row(study, &sonde__table_of_runs, study->insert_run, row) ||
            !take_steps(study, row, &run, json_object_get(json_array_get(runs, i), "each"))) {
            return false;
        }
        t->n_run++;
    }
    return true;
}

static bool take_world(const sonde_study *study, sonde__row *row, const json_t *object, taking *t) {
    sonde__result_world world;
    sonde__row_from_json(row, &sonde__table_of_worlds, json_object_get(object, "world"));
    if (!sonde__row_world(row, &world)) {
        return false;
    }
    if (world.size != t->size || world.graph != t->graph) {
        return sonde__row_wrong(row, "world", "expected number %d of size %d, found %d of %d",
                                t->graph, t->size, world.graph, world.size);
    }
    return insert_row(study, &sonde__table_of_worlds, study->insert_world, row) &&
           take_runs(study, row, &world, json_object_get(object, "runs"), t);
}

/* How many runs a task has. */
static int32_t count_runs(const sonde_study_plan *plan, const taking *t) {
    int32_t n = 0;
    for (int32_t c = 0; c < plan->n_condition; c++) {
        n += sonde__condition_takes(&plan->condition[c], t->size, t->graph) ? 1 : 0;
    }
    return n;
}

/* Which task the rows are of, and whether they may be: of this version, and not there already. */
static bool check_task(const sonde_study *study, sonde__row *row, const json_t *root, taking *t) {
    const json_t *task = json_object_get(root, "task");
    const char *version = json_string_value(json_object_get(root, "version"));
    const json_t *seconds = json_object_get(root, "seconds");
    const json_int_t number = json_integer_value(task);
    if (!json_is_integer(task) || number < 0 || number >= study->plan->n_task) {
        return sonde__row_wrong(row, "task", "expected a task from 0 to %d",
                                study->plan->n_task - 1);
    }
    row->number = (int32_t)number;
    if (version == NULL || strcmp(version, sonde_version()) != 0) {
        return sonde__row_wrong(row, "task", "expected the work of version %s, found another's",
                                sonde_version());
    }
    if (study->state[number] == DONE) {
        return sonde__row_wrong(row, "task", "its rows are there already");
    }
    t->seconds = json_number_value(seconds);
    if (!json_is_number(seconds) || !(t->seconds >= 0.0)) {
        return sonde__row_wrong(row, "task", "expected the seconds it took");
    }
    t->task = row->number;
    sonde_study_plan_task(study->plan, t->task, &t->size, &t->graph, NULL);
    return true;
}

/* Everything of a task, within a transaction. */
static bool take_all(const sonde_study *study, sonde__row *row, const json_t *root, taking *t) {
    const json_t *worlds = json_object_get(root, "worlds");
    for (size_t i = 0; i < json_array_size(worlds); i++) {
        row->number = (int32_t)i;
        if (!take_world(study, row, json_array_get(worlds, i), t)) {
            return false;
        }
    }
    row->number = t->task;
    const int32_t n_run = count_runs(study->plan, t);
    if (t->n_run != n_run) {
        return sonde__row_wrong(row, "task", "expected %d runs, found %d", n_run, t->n_run);
    }
    sonde__row_from_json(row, &sonde__table_of_tasks, root);
    return insert_row(study, &sonde__table_of_tasks, study->insert_task, row);
}

/* Keeps account of a task that is done. */
static void count_done(sonde_study *study, int32_t task) {
    for (int32_t i = 0; i < study->n_batch; i++) {
        batch *of = &study->batch[i];
        of->n_done += task >= of->first && task < of->first + of->n ? 1 : 0;
    }
    study->state[task] = DONE;
    study->n_done++;
}

static void count_seconds(sonde_study *study, const taking *t) {
    for (int32_t i = 0; i < study->n_batch; i++) {
        batch *of = &study->batch[i];
        if (t->task >= of->first && t->task < of->first + of->n) {
            of->n_timed++;
            of->seconds += t->seconds;
        }
    }
}

sonde_status sonde_study_take(sonde_study *study, const sonde_text *rows, sonde_error *error) {
    sonde__reader reader;
    taking t = {0};
    const double began = sonde__seconds();
    const sonde_source source = {"rows", rows->data != NULL ? rows->data : "", rows->size};
    sonde__row row = {.plan = study->plan, .origin = "rows", .error = error};
    row.status = sonde__json_parse(&reader, &source, error);
    if (row.status == SONDE_OK && check_task(study, &row, reader.root, &t)) {
        row.status = execute(study, "BEGIN IMMEDIATE", error);
        if (row.status == SONDE_OK && take_all(study, &row, reader.root, &t)) {
            row.status = execute(study, "COMMIT", error);
        }
        if (row.status != SONDE_OK) {
            (void)sonde__db_execute(study->db, "ROLLBACK");
        }
    }
    if (row.status == SONDE_OK) {
        /* of a small task, keeping it is the larger part */
        t.seconds += sonde__seconds() - began;
        count_done(study, t.task);
        count_seconds(study, &t);
    }
    sonde__json_close(&reader);
    return row.status;
}

/* ------------------------------------------------------------------------------ a new file -- */

static sonde__datum text_cell(const char *text) {
    return (sonde__datum){.kind = SONDE__CELL_TEXT, .text = text};
}

static bool set_meta(const sonde_study *study, const char *key, const char *value) {
    const sonde__datum row[] = {text_cell(key), text_cell(value)};
    sonde__query *query = NULL;
    const bool good = sonde__query_new(study->db, "INSERT INTO meta VALUES (?, ?)", &query) &&
                      insert(query, row, 2);
    sonde__query_free(query);
    return good;
}

/* The value of a setting, as a row has it. */
static sonde__datum setting_cell(const sonde__value *value) {
    switch (value->kind) {
    case SONDE__WORD: return text_cell(value->word);
    case SONDE__WHOLE: return whole_cell(value->whole);
    case SONDE__REAL: return (sonde__datum){.kind = SONDE__CELL_REAL, .real = value->real};
    default: return (sonde__datum){.kind = SONDE__CELL_NONE};
    }
}

static bool insert_condition(sonde__query *query, int32_t c, const sonde_condition *condition) {
    const bool clustered =
        sonde__search_has((int32_t)condition->search.search, SONDE__SCORES_CLUSTERS);
    const sonde__datum head[] = {
        whole_cell(c), text_cell(condition->group), text_cell(condition->label),
        clustered ? whole_cell(condition->k_before) : (sonde__datum){.kind = SONDE__CELL_NONE}};
    bool good = true;
    for (int32_t i = 0; i < 4 && good; i++) {
        good = sonde__query_bind(query, i, &head[i]);
    }
    for (int32_t key = 0; sonde__condition_key(key) != NULL && good; key++) {
        sonde__value value;
        sonde__condition_value(condition, key, &value);
        const sonde__datum cell = setting_cell(&value);
        good = sonde__query_bind(query, 4 + key, &cell);
    }
    good = good && sonde__query_step(query) == SONDE__STEP_DONE;
    sonde__query_reset(query);
    return good;
}

/* Fills the table of conditions. */
static sonde_status insert_conditions(const sonde_study *study, sonde_error *error) {
    sonde_text sql = {0};
    sonde__query *query = NULL;
    sonde_text_add(&sql, "INSERT INTO condition VALUES (?, ?, ?, ?");
    for (int32_t key = 0; sonde__condition_key(key) != NULL; key++) {
        sonde_text_add(&sql, ", ?");
    }
    sonde_text_add(&sql, ")");
    sonde_status status = sql.failed ? sonde__fail_memory(error, study->path, sql.size) : SONDE_OK;
    if (status == SONDE_OK) {
        bool good = sonde__query_new(study->db, sql.data, &query);
        for (int32_t c = 0; c < study->plan->n_condition && good; c++) {
            good = insert_condition(query, c, &study->plan->condition[c]);
        }
        status = good ? SONDE_OK : fail(study, error);
    }
    sonde__query_free(query);
    sonde_text_free(&sql);
    return status;
}

/* Makes one of the tables; `more` becomes false past the last. */
static sonde_status make_table(const sonde_study *study, int32_t i, bool *more,
                               sonde_error *error) {
    sonde_text sql = {0};
    *more = sonde__schema_table(i, &sql);
    const sonde_status status = sql.failed ? sonde__fail_memory(error, study->path, sql.size)
                                : *more    ? execute(study, sql.data, error)
                                           : SONDE_OK;
    sonde_text_free(&sql);
    return status;
}

/* Makes the tables of a new file, all or none. */
static sonde_status begin(const sonde_study *study, sonde_error *error) {
    char version[16];
    (void)snprintf(version, sizeof version, "%d", SONDE__STUDY_SCHEMA);
    sonde_status status = SONDE_OK;
    bool more = true;
    for (int32_t i = 0; more && status == SONDE_OK; i++) {
        status = make_table(study, i, &more, error);
    }
    if (status == SONDE_OK) {
        status =
            execute(study, sonde__at("PRAGMA user_version = %d", SONDE__STUDY_SCHEMA).text, error);
    }
    if (status == SONDE_OK &&
        !(set_meta(study, "format", "sonde-study") && set_meta(study, "schema", version) &&
          set_meta(study, "version", sonde_version()) &&
          set_meta(study, "plan", study->plan->text) &&
          set_meta(study, "record_steps", study->plan->record_steps ? "true" : "false"))) {
        status = fail(study, error);
    }
    return status == SONDE_OK ? insert_conditions(study, error) : status;
}

/* Whether what a file holds under `key` is what we have; the sentence says what to do if not. */
static sonde_status compare_meta(const sonde_study *study, const char *key, const char *ours,
                                 const char *sentence, sonde_error *error) {
    bool refused = false;
    char *theirs = sonde__schema_meta(study->db, key, &refused);
    const bool same = theirs != NULL && strcmp(theirs, ours) == 0;
    sonde__free(theirs);
    if (refused) {
        return sonde__fail_memory(error, study->path, 0);
    }
    return same ? SONDE_OK
                : sonde__fail(error, SONDE_BAD_INPUT, "%s: %s; choose another file", study->path,
                              sentence);
}

/* Whether the models that episodes were lived in are those that more would be. */
static sonde_status check_models(const sonde_study *study, const sonde__results *results,
                                 sonde_error *error) {
    sonde_status status = SONDE_OK;
    for (int32_t i = 0; i < results->n_world && status == SONDE_OK; i++) {
        const sonde__result_world *world = &results->world[i];
        /* the others of a model are the same, or the results would not have been read */
        if (world->size < 0 && (i == 0 || world[-1].size != world->size)) {
            status = sonde__study_model_check(&study->plan->model[-1 - world->size],
                                              world->document, study->path, error);
        }
    }
    return status;
}

/* Whether a file holds results of this version, plan and models, all of them in order; and which
 * tasks are done. */
static sonde_status resume(sonde_study *study, sonde_error *error) {
    sonde__results *results = NULL;
    sonde_status status = sonde__schema_check(study->db, study->path, error);
    if (status == SONDE_OK) {
        status = compare_meta(study, "version", sonde_version(),
                              "made by another version of sonde, whose numbers may differ", error);
    }
    if (status == SONDE_OK) {
        status = compare_meta(study, "plan", study->plan->text, "holds the results of another plan",
                              error);
    }
    if (status == SONDE_OK) {
        status = compare_meta(study, "record_steps", study->plan->record_steps ? "true" : "false",
                              study->plan->record_steps ? "was begun without recording steps"
                                                        : "was begun with steps recorded",
                              error);
    }
    if (status == SONDE_OK) {
        status = sonde__results_load(study->db, study->path, study->plan, &results, error);
    }
    if (status == SONDE_OK) {
        status = check_models(study, results, error);
    }
    for (int32_t i = 0; results != NULL && i < results->n_task_done; i++) {
        count_done(study, results->task[i]);
    }
    sonde__results_free(results);
    return status;
}

/* Takes the file's lock for as long as it is open, and makes or checks what is in it. */
static sonde_status settle(sonde_study *study, sonde_error *error) {
    bool empty = false;
    sonde_status status = execute(study, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE", error);
    if (status != SONDE_OK) {
        return status;
    }
    status = sonde__schema_empty(study->db, study->path, &empty, error);
    if (status == SONDE_OK) {
        status = empty ? begin(study, error) : resume(study, error);
    }
    if (status == SONDE_OK) {
        status = execute(study, "COMMIT", error);
    } else {
        (void)sonde__db_execute(study->db, "ROLLBACK");
    }
    return status;
}

static sonde_status prepare_insert(const sonde_study *study, const sonde__table_plan *table,
                                   sonde__query **query, sonde_error *error) {
    sonde_text sql = {0};
    sonde__table_insert(table, &sql);
    sonde_status status = sql.failed ? sonde__fail_memory(error, study->path, sql.size) : SONDE_OK;
    if (status == SONDE_OK && !sonde__query_new(study->db, sql.data, query)) {
        status = fail(study, error);
    }
    sonde_text_free(&sql);
    return status;
}

static sonde_status prepare(sonde_study *study, sonde_error *error) {
    sonde_status status = prepare_insert(study, &sonde__table_of_tasks, &study->insert_task, error);
    if (status == SONDE_OK) {
        status = prepare_insert(study, &sonde__table_of_worlds, &study->insert_world, error);
    }
    if (status == SONDE_OK) {
        status = prepare_insert(study, &sonde__table_of_runs, &study->insert_run, error);
    }
    if (status == SONDE_OK) {
        status = prepare_insert(study, &sonde__table_of_steps, &study->insert_step, error);
    }
    return status;
}

/* The tasks by the size of their worlds. */
static void sort_tasks(sonde_study *study) {
    batch *of = study->batch;
    while (sonde__plan_batch(study->plan, study->n_batch, &of->first, &of->n)) {
        study->n_batch++;
        of++;
    }
}

sonde_status sonde_study_open(const char *path, const sonde_study_plan *plan, sonde_study **study,
                              sonde_error *error) {
    sonde_study *made = sonde__alloc(sizeof *made);
    char *copy = sonde__alloc(strlen(path) + 1);
    unsigned char *state = sonde__alloc((size_t)plan->n_task);
    if (made == NULL || copy == NULL || state == NULL) {
        sonde__free(made);
        sonde__free(copy);
        sonde__free(state);
        return sonde__fail_memory(error, path, (uint64_t)plan->n_task);
    }
    memcpy(copy, path, strlen(path) + 1);
    *made = (sonde_study){.plan = plan, .path = copy, .state = state};
    sort_tasks(made);
    sonde_status status = sonde__db_open(path, true, &made->db, error);
    if (status == SONDE_OK) {
        status = settle(made, error);
    }
    if (status == SONDE_OK) {
        status = prepare(made, error);
    }
    if (status != SONDE_OK) {
        sonde_study_close(made);
        return status;
    }
    *study = made;
    return SONDE_OK;
}

void sonde_study_close(sonde_study *study) {
    if (study != NULL) {
        sonde__query_free(study->insert_task);
        sonde__query_free(study->insert_world);
        sonde__query_free(study->insert_run);
        sonde__query_free(study->insert_step);
        sonde__db_close(study->db);
        sonde__free(study->path);
        sonde__free(study->state);
        sonde__free(study);
    }
}

int32_t sonde_study_done(const sonde_study *study) {
    return study->n_done;
}

/* The next task of a batch that is open, or -1. */
static int32_t hand_out(sonde_study *study, batch *of) {
    of->begun = true;
    while (of->next < of->n && study->state[of->first + of->next] != OPEN) {
        of->next++;
    }
    if (of->next == of->n) {
        return -1;
    }
    study->state[of->first + of->next] = GIVEN;
    return of->first + of->next;
}

int32_t sonde_study_next(sonde_study *study) {
    int32_t task = -1;
    /* one world of each size first, so that soon it is known what is still to come */
    for (int32_t i = 0; i < study->n_batch && task < 0; i++) {
        task = study->batch[i].begun ? -1 : hand_out(study, &study->batch[i]);
    }
    for (int32_t i = 0; i < study->n_batch && task < 0; i++) {
        task = hand_out(study, &study->batch[i]);
    }
    return task;
}

void sonde_study_cost(const sonde_study *study, double *spent, double *left) {
    *spent = 0.0;
    *left = 0.0;
    for (int32_t i = 0; i < study->n_batch; i++) {
        const batch *of = &study->batch[i];
        *spent += of->seconds;
        if (of->n_done < of->n) {
            *left +=
                of->n_timed > 0 ? of->seconds / of->n_timed * (of->n - of->n_done) : (double)NAN;
        }
    }
}

/* A value of a row, as JSON. A real number has a point, or an exponent, whatever it is. */
static void add_datum(const sonde__datum *datum, sonde_text *json) {
    const double size = fabs(datum->real);
    switch (datum->kind) {
    case SONDE__CELL_WHOLE: sonde_text_add(json, "%" PRId64, datum->whole); break;
    case SONDE__CELL_REAL:
        sonde_text_add_number(json, datum->real);
        sonde_text_add(json, size < 1e15 && size == floor(size) ? ".0" : "");
        break;
    case SONDE__CELL_TEXT: sonde_text_add_quoted(json, datum->text); break;
    default: sonde_text_add(json, "null");
    }
}

/* One column of a table, in the order of its rows. */
static bool add_column(const sonde_study *study, const char *table, const sonde__datum *column,
                       sonde_text *json) {
    sonde__query *query = NULL;
    sonde_text sql = {0};
    sonde_text_add(&sql, "SELECT %s FROM %s", column->text, table);
    sonde__step step = !sql.failed && sonde__query_new(study->db, sql.data, &query)
                           ? sonde__query_step(query)
                           : SONDE__STEP_FAILED;
    sonde_text_add_quoted(json, column->text);
    sonde_text_add(json, ": [");
    for (const char *comma = ""; step == SONDE__STEP_ROW; comma = ",") {
        const sonde__datum datum = sonde__query_answer(query);
        sonde_text_add(json, "%s", comma);
        add_datum(&datum, json);
        step = sonde__query_step(query);
    }
    sonde_text_add(json, "]");
    json->failed = json->failed || sql.failed;
    sonde__query_free(query);
    sonde_text_free(&sql);
    return step == SONDE__STEP_DONE || json->failed;
}

sonde_status sonde_study_rows(const sonde_study *study, const char *table, sonde_text *json,
                              sonde_error *error) {
    static const char *const known[] = {"world", "run", "step", "condition"};
    size_t i = 0;
    while (i < 4 && strcmp(table, known[i]) != 0) {
        i++;
    }
    if (i == 4) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "table: expected world, run, step or condition, found \"%.40s\"", table);
    }
    sonde__query *query = NULL;
    const sonde__datum name = text_cell(known[i]);
    sonde__step step =
        sonde__query_new(study->db, "SELECT name FROM pragma_table_info(?)", &query) &&
                sonde__query_bind(query, 0, &name)
            ? sonde__query_step(query)
            : SONDE__STEP_FAILED;
    for (const char *comma = "{"; step == SONDE__STEP_ROW; comma = ",\n ") {
        const sonde__datum column = sonde__query_answer(query);
        sonde_text_add(json, "%s", comma);
        step = add_column(study, known[i], &column, json) ? sonde__query_step(query)
                                                          : SONDE__STEP_FAILED;
    }
    sonde_text_add(json, "}\n");
    const sonde_status status = step != SONDE__STEP_DONE ? fail(study, error)
                                : json->failed ? sonde__fail_memory(error, study->path, json->size)
                                               : SONDE_OK;
    sonde__query_free(query);
    return status;
}

/* what the threads of a study share */
typedef struct {
    sonde_study *study;
    const sonde_run *run;
    sonde__lock *lock;
    sonde_status status; /* of the first failure */
    sonde_error *error;
} job;

/* One thread: takes tasks until there are none. Everything but the work itself is done one at a
 * time. */
static void work(void *context, int32_t task, int32_t worker) {
    (void)task;
    job *all = context;
    const sonde_study_plan *plan = all->study->plan;
    for (;;) {
        sonde__lock_hold(all->lock);
        const bool over = all->status != SONDE_OK || sonde__stopped(all->run);
        const int32_t next = over ? -1 : sonde_study_next(all->study);
        sonde__lock_drop(all->lock);
        if (next < 0) {
            return;
        }
        sonde_text rows = {0};
        sonde_error error = {0};
        sonde_status status = sonde_study_plan_work(plan, next, all->run, &rows, &error);
        sonde__lock_hold(all->lock);
        if (status == SONDE_OK) {
            status = sonde_study_take(all->study, &rows, &error);
        }
        if (status != SONDE_OK && all->status == SONDE_OK) {
            all->status = status;
            (void)sonde__fail(all->error, status, "%s", error.text);
        }
        if (worker == 0) {
            sonde__progress(all->run, "study", (uint64_t)all->study->n_done,
                            (uint64_t)plan->n_task);
        }
        sonde__lock_drop(all->lock);
        sonde_text_free(&rows);
    }
}

sonde_status sonde_study_run(sonde_study *study, const sonde_run *run, sonde_error *error) {
    const sonde_run settled = sonde__run_settle(run);
    job all = {.study = study, .run = &settled, .error = error, .lock = sonde__lock_new()};
    if (all.lock == NULL) {
        return sonde__fail_memory(error, "study", 0);
    }
    sonde__progress(&settled, "study", (uint64_t)study->n_done, (uint64_t)study->plan->n_task);
    const sonde_status status = sonde__parallel(&settled, settled.n_thread, NULL, work, &all);
    sonde__lock_free(all.lock);
    if (all.status != SONDE_OK) {
        return all.status;
    }
    return status == SONDE_OK
               ? SONDE_OK
               : sonde__fail(error, status,
                             "stopped after %d of %d tasks; the same command goes on",
                             study->n_done, study->plan->n_task);
}
