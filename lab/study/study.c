/* study.c: the results of a plan in an SQLite file, task by task.
 *
 * All rows of a task go in as one transaction, so that whatever happens a task is there whole or not
 * at all, and a study that was interrupted goes on with the tasks that are not there. While a study
 * is open it holds the file's lock. */
#include "base/memory.h"
#include "base/parallel.h"
#include "study/study_sqlite.h"

#include <stdio.h>
#include <string.h>

static const char *const schema[] = {
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE task (task INTEGER PRIMARY KEY, version TEXT NOT NULL)",
    "CREATE TABLE world (connect TEXT NOT NULL, size INTEGER NOT NULL, horizon INTEGER NOT NULL,"
    " graph INTEGER NOT NULL, model TEXT, redraws INTEGER NOT NULL, seed INTEGER NOT NULL,"
    " policies REAL NOT NULL, local REAL NOT NULL, shortest REAL, list_seconds REAL NOT NULL,"
    " document TEXT NOT NULL, PRIMARY KEY (connect, size, horizon, graph)) WITHOUT ROWID",
    "CREATE TABLE run (condition INTEGER NOT NULL, size INTEGER NOT NULL, graph INTEGER NOT NULL,"
    " optimal INTEGER, failure TEXT, reached INTEGER, walked REAL,"
    " decisions INTEGER NOT NULL, policies INTEGER NOT NULL, steps INTEGER NOT NULL,"
    " equivalent REAL NOT NULL, setup_steps INTEGER NOT NULL, k INTEGER NOT NULL,"
    " valid INTEGER NOT NULL, clusterings INTEGER NOT NULL, reused INTEGER NOT NULL,"
    " setup_seconds REAL NOT NULL, embed_seconds REAL NOT NULL, cluster_seconds REAL NOT NULL, decide_seconds REAL NOT NULL,"
    " path TEXT NOT NULL, judged INTEGER, judged_best INTEGER, judged_equivalent REAL, tv REAL,"
    " action_tv REAL, bound REAL, regret REAL, exact TEXT, exact_tv REAL,"
    " PRIMARY KEY (condition, size, graph)) WITHOUT ROWID",
};

struct sonde_study {
    sqlite3 *db;
    const sonde_plan *plan; /* borrowed */
    char *path;
    sqlite3_stmt *insert_task;
    sqlite3_stmt *insert_world;
    sqlite3_stmt *insert_run;
    bool *given; /* (n_task) done, or handed out in this session */
    int32_t next;
    int32_t n_done;
};

static sonde_status fail(const sonde_study *study, sonde_error *error) {
    return sonde__sqlite_fail(study->db, study->path, error);
}

static sonde_status execute(const sonde_study *study, const char *sql, sonde_error *error) {
    return sqlite3_exec(study->db, sql, NULL, NULL, NULL) == SQLITE_OK ? SONDE_OK
                                                                       : fail(study, error);
}

/* Binds the values of an object's keys, in the order of `key`, to a statement and runs it. `first`
 * parameters are bound already. */
static bool insert(sqlite3_stmt *statement, int first, const json_t *object,
                   const char *const *key) {
    bool good = true;
    for (int i = 0; key[i] != NULL && good; i++) {
        const json_t *value = json_object_get(object, key[i]);
        const int at = first + i + 1;
        if (json_is_integer(value)) {
            good = sqlite3_bind_int64(statement, at, json_integer_value(value)) == SQLITE_OK;
        } else if (json_is_number(value)) {
            good = sqlite3_bind_double(statement, at, json_number_value(value)) == SQLITE_OK;
        } else {
            good = sqlite3_bind_text(statement, at, json_string_value(value), -1,
                                     SQLITE_TRANSIENT) == SQLITE_OK;
        }
    }
    good = good && sqlite3_step(statement) == SQLITE_DONE;
    (void)sqlite3_reset(statement);
    return good;
}

/* what the rows of a task say, under the names of the columns */
static const char *const task_key[] = {"task", "version", NULL};
static const char *const world_key[] = {"connect",      "size",     "horizon",  "graph", "model",
                                        "redraws",      "seed",     "policies", "local", "shortest",
                                        "list_seconds", "document", NULL};
static const char *const run_key[] = {"condition",
                                      "optimal",
                                      "failure",
                                      "reached",
                                      "walked",
                                      "decisions",
                                      "policies",
                                      "steps",
                                      "equivalent",
                                      "setup_steps",
                                      "k",
                                      "valid",
                                      "clusterings",
                                      "reused",
                                      "embed_seconds",
                                      "cluster_seconds",
                                      "decide_seconds",
                                      "path",
                                      "judged",
                                      "judged_best",
                                      "judged_equivalent",
                                      "tv",
                                      "action_tv",
                                      "bound",
                                      "regret",
                                      "exact",
                                      "exact_tv",
                                      "setup_seconds",
                                      NULL};

static bool insert_world(const sonde_study *study, const json_t *world) {
    const json_t *about = json_object_get(world, "world");
    const json_t *runs = json_object_get(world, "runs");
    if (!insert(study->insert_world, 0, about, world_key)) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_int_t size = json_integer_value(json_object_get(about, "size"));
        const json_int_t graph = json_integer_value(json_object_get(about, "graph"));
        if (sqlite3_bind_int64(study->insert_run, 1, size) != SQLITE_OK ||
            sqlite3_bind_int64(study->insert_run, 2, graph) != SQLITE_OK ||
            !insert(study->insert_run, 2, json_array_get(runs, i), run_key)) {
            return false;
        }
    }
    return true;
}

static bool insert_all(const sonde_study *study, const json_t *root) {
    const json_t *worlds = json_object_get(root, "worlds");
    for (size_t i = 0; i < json_array_size(worlds); i++) {
        if (!insert_world(study, json_array_get(worlds, i))) {
            return false;
        }
    }
    return insert(study->insert_task, 0, root, task_key);
}

sonde_status sonde_study_take(sonde_study *study, const sonde_text *rows, sonde_error *error) {
    sonde__reader reader;
    const sonde_source source = {"rows", rows->data, rows->size};
    sonde_status status = sonde__json_parse(&reader, &source, error);
    if (status == SONDE_OK) {
        status = execute(study, "BEGIN IMMEDIATE", error);
    }
    if (status == SONDE_OK) {
        status =
            insert_all(study, reader.root) ? execute(study, "COMMIT", error) : fail(study, error);
        if (status != SONDE_OK) {
            (void)sqlite3_exec(study->db, "ROLLBACK", NULL, NULL, NULL);
        }
    }
    study->n_done += status == SONDE_OK;
    sonde__json_close(&reader);
    return status;
}

static bool set_meta(const sonde_study *study, const char *key, const char *value) {
    sqlite3_stmt *statement = NULL;
    bool good = sqlite3_prepare_v2(study->db, "INSERT INTO meta VALUES (?, ?)", -1, &statement,
                                   NULL) == SQLITE_OK &&
                sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC) == SQLITE_OK &&
                sqlite3_bind_text(statement, 2, value, -1, SQLITE_STATIC) == SQLITE_OK;
    good = good && sqlite3_step(statement) == SQLITE_DONE;
    (void)sqlite3_finalize(statement);
    return good;
}

static bool bind_value(sqlite3_stmt *statement, int at, const sonde__value *value) {
    switch (value->kind) {
    case SONDE__WORD:
        return sqlite3_bind_text(statement, at, value->word, -1, SQLITE_TRANSIENT) == SQLITE_OK;
    case SONDE__WHOLE: return sqlite3_bind_int64(statement, at, value->whole) == SQLITE_OK;
    case SONDE__REAL: return sqlite3_bind_double(statement, at, value->real) == SQLITE_OK;
    default: return sqlite3_bind_null(statement, at) == SQLITE_OK;
    }
}

static bool insert_condition(sqlite3_stmt *statement, int32_t c, const sonde_condition *condition) {
    const bool clustered = condition->search.search == SONDE_SEARCH_CLUSTER;
    bool good = sqlite3_bind_int(statement, 1, c) == SQLITE_OK &&
                sqlite3_bind_text(statement, 2, condition->group, -1, SQLITE_STATIC) == SQLITE_OK &&
                sqlite3_bind_text(statement, 3, condition->label, -1, SQLITE_STATIC) == SQLITE_OK &&
                (clustered ? sqlite3_bind_int(statement, 4, condition->k_before)
                           : sqlite3_bind_null(statement, 4)) == SQLITE_OK;
    for (int32_t key = 0; sonde__condition_key(key) != NULL && good; key++) {
        sonde__value value;
        sonde__condition_value(condition, key, &value);
        good = bind_value(statement, 5 + key, &value);
    }
    good = good && sqlite3_step(statement) == SQLITE_DONE;
    (void)sqlite3_reset(statement);
    return good;
}

/* The table of conditions: a column for each key that is a setting. */
static sonde_status make_conditions(const sonde_study *study, sonde_error *error) {
    sonde_text create = {0};
    sonde_text insert = {0};
    sqlite3_stmt *statement = NULL;
    sonde_text_add(&create, "CREATE TABLE condition (condition INTEGER PRIMARY KEY, grp TEXT NOT "
                            "NULL, label TEXT NOT NULL, k_before INTEGER");
    sonde_text_add(&insert, "INSERT INTO condition VALUES (?, ?, ?, ?");
    for (int32_t key = 0; sonde__condition_key(key) != NULL; key++) {
        sonde_text_add(&create, ", %s", sonde__condition_key(key));
        sonde_text_add(&insert, ", ?");
    }
    sonde_text_add(&create, ")");
    sonde_text_add(&insert, ")");
    sonde_status status = create.failed || insert.failed
                              ? sonde__fail_memory(error, study->path, insert.size)
                              : execute(study, create.data, error);
    if (status == SONDE_OK) {
        bool good = sqlite3_prepare_v2(study->db, insert.data, -1, &statement, NULL) == SQLITE_OK;
        for (int32_t c = 0; c < study->plan->n_condition && good; c++) {
            good = insert_condition(statement, c, &study->plan->condition[c]);
        }
        status = good ? SONDE_OK : fail(study, error);
    }
    (void)sqlite3_finalize(statement);
    sonde_text_free(&create);
    sonde_text_free(&insert);
    return status;
}

/* Makes the tables of a new file, all or none. */
static sonde_status begin(const sonde_study *study, sonde_error *error) {
    char version[16];
    (void)snprintf(version, sizeof version, "%d", SONDE__STUDY_SCHEMA);
    sonde_status status = SONDE_OK;
    for (size_t i = 0; i < sizeof schema / sizeof *schema && status == SONDE_OK; i++) {
        status = execute(study, schema[i], error);
    }
    if (status == SONDE_OK &&
        !(set_meta(study, "format", "sonde-study") && set_meta(study, "schema", version) &&
          set_meta(study, "version", sonde_version()) &&
          set_meta(study, "plan", study->plan->text))) {
        status = fail(study, error);
    }
    return status == SONDE_OK ? make_conditions(study, error) : status;
}

/* Whether what a file holds under `key` is what we have; the sentence says what to do if not. */
static sonde_status compare_meta(const sonde_study *study, const char *key, const char *ours,
                                 const char *sentence, sonde_error *error) {
    bool refused = false;
    char *theirs = sonde__sqlite_meta(study->db, key, &refused);
    const bool same = theirs != NULL && strcmp(theirs, ours) == 0;
    sonde__free(theirs);
    if (refused) {
        return sonde__fail_memory(error, study->path, 0);
    }
    return same ? SONDE_OK
                : sonde__fail(error, SONDE_BAD_INPUT, "%s: %s; choose another file", study->path,
                              sentence);
}

static bool is_empty(const sonde_study *study) {
    sqlite3_stmt *statement = NULL;
    const bool empty = sqlite3_prepare_v2(study->db, "SELECT 1 FROM sqlite_master", -1, &statement,
                                          NULL) == SQLITE_OK &&
                       sqlite3_step(statement) == SQLITE_DONE;
    (void)sqlite3_finalize(statement);
    return empty;
}

/* Takes the file's lock for as long as it is open, and makes or checks what is in it. */
static sonde_status settle(const sonde_study *study, sonde_error *error) {
    sonde_status status = execute(study, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE", error);
    if (status != SONDE_OK) {
        return status;
    }
    if (is_empty(study)) {
        status = begin(study, error);
    } else {
        status = sonde__sqlite_check(study->db, study->path, error);
        if (status == SONDE_OK) {
            status =
                compare_meta(study, "version", sonde_version(),
                             "made by another version of sonde, whose numbers may differ", error);
        }
        if (status == SONDE_OK) {
            status = compare_meta(study, "plan", study->plan->text,
                                  "holds the results of another plan", error);
        }
    }
    if (status == SONDE_OK) {
        status = execute(study, "COMMIT", error);
    } else {
        (void)sqlite3_exec(study->db, "ROLLBACK", NULL, NULL, NULL);
    }
    return status;
}

/* A statement that inserts the values of some keys, after those of the first two columns if `first`
 * names them. */
static sonde_status prepare_insert(const sonde_study *study, const char *table, const char *first,
                                   const char *const *key, sqlite3_stmt **statement,
                                   sonde_error *error) {
    sonde_text sql = {0};
    sonde_text_add(&sql, "INSERT INTO %s (%s", table, first);
    for (int i = 0; key[i] != NULL; i++) {
        sonde_text_add(&sql, "%s%s", i > 0 ? ", " : "", key[i]);
    }
    sonde_text_add(&sql, ") VALUES (%s", *first != '\0' ? "?, ?, " : "");
    for (int i = 0; key[i] != NULL; i++) {
        sonde_text_add(&sql, i > 0 ? ", ?" : "?");
    }
    sonde_text_add(&sql, ")");
    sonde_status status = sql.failed ? sonde__fail_memory(error, study->path, sql.size) : SONDE_OK;
    if (status == SONDE_OK &&
        sqlite3_prepare_v2(study->db, sql.data, -1, statement, NULL) != SQLITE_OK) {
        status = fail(study, error);
    }
    sonde_text_free(&sql);
    return status;
}

static sonde_status prepare(sonde_study *study, sonde_error *error) {
    sonde_status status = prepare_insert(study, "task", "", task_key, &study->insert_task, error);
    if (status == SONDE_OK) {
        status = prepare_insert(study, "world", "", world_key, &study->insert_world, error);
    }
    if (status == SONDE_OK) {
        status = prepare_insert(study, "run", "size, graph, ", run_key, &study->insert_run, error);
    }
    return status;
}

/* Marks the tasks that are there. */
static sonde_status find_done(sonde_study *study, sonde_error *error) {
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(study->db, "SELECT task FROM task", -1, &statement, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(statement);
        const int task = code == SQLITE_ROW ? sqlite3_column_int(statement, 0) : -1;
        if (task >= 0 && task < study->plan->n_task) {
            study->given[task] = true;
            study->n_done++;
        }
    }
    (void)sqlite3_finalize(statement);
    return code == SQLITE_DONE ? SONDE_OK : fail(study, error);
}

sonde_status sonde_study_open(const char *path, const sonde_plan *plan, sonde_study **study,
                              sonde_error *error) {
    sonde_study *made = sonde__alloc(sizeof *made);
    char *copy = sonde__alloc(strlen(path) + 1);
    bool *given = sonde__alloc((size_t)plan->n_task * sizeof *given);
    if (made == NULL || copy == NULL || given == NULL) {
        sonde__free(made);
        sonde__free(copy);
        sonde__free(given);
        return sonde__fail_memory(error, path, (uint64_t)plan->n_task);
    }
    memcpy(copy, path, strlen(path) + 1);
    *made = (sonde_study){.plan = plan, .path = copy, .given = given};
    sonde_status status =
        sonde__sqlite_open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &made->db, error);
    if (status == SONDE_OK) {
        status = settle(made, error);
    }
    if (status == SONDE_OK) {
        status = prepare(made, error);
    }
    if (status == SONDE_OK) {
        status = find_done(made, error);
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
        (void)sqlite3_finalize(study->insert_task);
        (void)sqlite3_finalize(study->insert_world);
        (void)sqlite3_finalize(study->insert_run);
        (void)sqlite3_close(study->db);
        sonde__free(study->path);
        sonde__free(study->given);
        sonde__free(study);
    }
}

int32_t sonde_study_done(const sonde_study *study) {
    return study->n_done;
}

int32_t sonde_study_next(sonde_study *study) {
    while (study->next < study->plan->n_task && study->given[study->next]) {
        study->next++;
    }
    if (study->next == study->plan->n_task) {
        return -1;
    }
    study->given[study->next] = true;
    return study->next;
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
    const sonde_plan *plan = all->study->plan;
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
        sonde_status status = sonde_plan_work(plan, next, all->run, &rows, &error);
        sonde__lock_hold(all->lock);
        if (status == SONDE_OK) {
            status = sonde_study_take(all->study, &rows, &error);
        }
        if (status != SONDE_OK && all->status == SONDE_OK) {
            all->status = status;
            (void)sonde__fail(all->error, status, "%s", error.text);
        }
        const int32_t n_done = all->study->n_done;
        sonde__lock_drop(all->lock);
        sonde_text_free(&rows);
        if (worker == 0) {
            sonde__progress(all->run, "study", (uint64_t)n_done, (uint64_t)plan->n_task);
        }
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
