/* study_results.c: reading the results of a study back, whole.
 *
 * Counted first, then one block: worlds, runs and all their texts. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "study/study_sqlite.h"

typedef struct {
    sonde__results results; /* first: a pointer to it is a pointer to the block */
    sonde__result_world *world;
    sonde__result_run *run;
    char *letters;
    char *next; /* where the next text goes */
} build;

static build *carve(sonde__arena *arena, const int64_t n[3]) {
    build *b = SONDE__TAKE(arena, build, 1);
    build none;
    build *to = b != NULL ? b : &none;
    to->world = SONDE__TAKE(arena, sonde__result_world, n[0]);
    to->run = SONDE__TAKE(arena, sonde__result_run, n[1]);
    to->letters = SONDE__TAKE(arena, char, n[2]);
    to->next = to->letters;
    return b;
}

/* One row of whole numbers. */
static bool ask(sqlite3 *db, const char *sql, int n, int64_t *answer) {
    sqlite3_stmt *statement = NULL;
    const bool good = sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
                      sqlite3_step(statement) == SQLITE_ROW;
    for (int i = 0; i < n && good; i++) {
        answer[i] = sqlite3_column_int64(statement, i);
    }
    (void)sqlite3_finalize(statement);
    return good;
}

static const char *keep(build *b, const char *text) {
    const size_t size = strlen(text) + 1;
    char *here = b->next;
    memcpy(here, text, size);
    b->next += size;
    return here;
}

static const char *keep_text(build *b, sqlite3_stmt *row, int column) {
    const char *text = (const char *)sqlite3_column_text(row, column);
    return keep(b, text != NULL ? text : "");
}

/* NaN where there is none. */
static double number(sqlite3_stmt *row, int column) {
    return sqlite3_column_type(row, column) == SQLITE_NULL ? (double)NAN
                                                           : sqlite3_column_double(row, column);
}

static void read_world(build *b, sqlite3_stmt *row) {
    const char *connect = (const char *)sqlite3_column_text(row, 0);
    sonde__result_world *world = &b->world[b->results.n_world++];
    *world = (sonde__result_world){
        .connect = connect != NULL && strcmp(connect, sonde_connect_name(SONDE_DIRECTED)) == 0
                       ? SONDE_DIRECTED
                       : SONDE_SYMMETRIC,
        .size = sqlite3_column_int(row, 1),
        .horizon = sqlite3_column_int(row, 2),
        .graph = sqlite3_column_int(row, 3),
        .n_redraw = sqlite3_column_int(row, 4),
        .seed = (uint64_t)sqlite3_column_int64(row, 5),
        .n_policy = sqlite3_column_double(row, 6),
        .n_local = sqlite3_column_double(row, 7),
        .shortest = number(row, 8),
        .list_seconds = sqlite3_column_double(row, 9),
        .document = keep_text(b, row, 10),
    };
}

static void read_run(build *b, sqlite3_stmt *row) {
    const char *failure = (const char *)sqlite3_column_text(row, 4);
    const int32_t kind = sonde_name_find(sonde_failure_name, failure != NULL ? failure : "none");
    const char *exact = (const char *)sqlite3_column_text(row, 27);
    sonde__result_run *run = &b->run[b->results.n_run++];
    *run = (sonde__result_run){
        .condition = sqlite3_column_int(row, 0),
        .size = sqlite3_column_int(row, 1),
        .graph = sqlite3_column_int(row, 2),
        .is_model = failure == NULL,
        .optimal = sqlite3_column_int(row, 3) != 0,
        .failure = (sonde_failure)(kind >= 0 ? kind : 0),
        .reached = sqlite3_column_int(row, 5),
        .walked = number(row, 6),
        .n_decision = sqlite3_column_int(row, 7),
        .n_policy = (uint64_t)sqlite3_column_int64(row, 8),
        .n_step = (uint64_t)sqlite3_column_int64(row, 9),
        .equivalent = sqlite3_column_double(row, 10),
        .n_setup_step = (uint64_t)sqlite3_column_int64(row, 11),
        .k = sqlite3_column_int(row, 12),
        .n_valid = sqlite3_column_int(row, 13),
        .n_clustering = sqlite3_column_int(row, 14),
        .n_reused = sqlite3_column_int(row, 15),
        .setup_seconds = sqlite3_column_double(row, 28),
        .embed_seconds = sqlite3_column_double(row, 16),
        .cluster_seconds = sqlite3_column_double(row, 17),
        .decide_seconds = sqlite3_column_double(row, 18),
        .path = keep_text(b, row, 19),
        .n_judged = sqlite3_column_int(row, 20),
        .n_best = sqlite3_column_int(row, 21),
        .judged_equivalent = number(row, 22),
        .tv = number(row, 23),
        .action_tv = number(row, 24),
        .bound = number(row, 25),
        .regret = number(row, 26),
        .exact_is_full = exact != NULL && strcmp(exact, "full") == 0,
    };
}

/* Hands every row of a query to `read`. */
static bool read_all(sqlite3 *db, const char *sql, build *b,
                     void (*read)(build *, sqlite3_stmt *)) {
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(statement);
        if (code == SQLITE_ROW) {
            read(b, statement);
        }
    }
    (void)sqlite3_finalize(statement);
    return code == SQLITE_DONE;
}

static sonde_status read_plan(sqlite3 *db, const char *path, sonde_plan **plan,
                              sonde_error *error) {
    bool refused = false;
    char *text = sonde__sqlite_meta(db, "plan", &refused);
    if (refused) {
        return sonde__fail_memory(error, path, 0);
    }
    if (text == NULL) {
        return sonde__fail(error, SONDE_BAD_INPUT, "%s: the plan is missing", path);
    }
    const sonde_source source = {path, text, strlen(text)};
    const sonde_status status = sonde__plan_parse(&source, plan, error);
    sonde__free(text);
    return status;
}

/* Everything but the plan. */
static sonde_status read_rows(sqlite3 *db, const char *path, sonde__results **results,
                              sonde_error *error) {
    int64_t n[4] = {0}; /* worlds, runs, letters, tasks */
    bool refused = false;
    char *version = sonde__sqlite_meta(db, "version", &refused);
    const char *shown = version != NULL ? version : "unknown";
    sonde__arena arena = {0};
    sonde_status status =
        ask(db,
            "SELECT (SELECT count(*) FROM world), (SELECT count(*) FROM run), "
            "(SELECT coalesce(sum(length(CAST(document AS BLOB)) + 1), 0) FROM world) + "
            "(SELECT coalesce(sum(length(CAST(path AS BLOB)) + 1), 0) FROM run), "
            "(SELECT count(*) FROM task)",
            4, n)
            ? SONDE_OK
            : sonde__sqlite_fail(db, path, error);
    n[2] += (int64_t)(strlen(path) + strlen(shown) + 2);
    if (status == SONDE_OK && refused) {
        status = sonde__fail_memory(error, path, 0);
    }
    if (status == SONDE_OK) {
        (void)carve(&arena, n);
        status =
            sonde__arena_reserve(&arena) ? SONDE_OK : sonde__fail_memory(error, path, arena.used);
    }
    if (status == SONDE_OK) {
        build *b = carve(&arena, n);
        b->results.path = keep(b, path);
        b->results.version = keep(b, shown);
        b->results.n_task_done = (int32_t)n[3];
        b->results.world = b->world;
        b->results.run = b->run;
        if (!read_all(
                db,
                "SELECT connect, size, horizon, graph, redraws, seed, policies, local, shortest, "
                "list_seconds, document FROM world ORDER BY connect DESC, size, horizon, graph",
                b, read_world) ||
            !read_all(
                db,
                "SELECT condition, size, graph, optimal, failure, reached, walked, decisions, "
                "policies, steps, equivalent, setup_steps, k, valid, clusterings, reused, "
                "embed_seconds, cluster_seconds, decide_seconds, path, judged, judged_best, "
                "judged_equivalent, tv, action_tv, bound, regret, exact, setup_seconds FROM run "
                "ORDER BY condition, size, graph",
                b, read_run)) {
            status = sonde__sqlite_fail(db, path, error);
            sonde__arena_free(&arena);
        } else {
            *results = &b->results;
        }
    }
    sonde__free(version);
    return status;
}

sonde_status sonde__results_read(const char *path, sonde__results **results, sonde_error *error) {
    sqlite3 *db = NULL;
    sonde_plan *plan = NULL;
    sonde_status status = sonde__sqlite_open(path, SQLITE_OPEN_READONLY, &db, error);
    if (status == SONDE_OK) {
        /* one moment's state, whatever is written meanwhile */
        status = sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK
                     ? sonde__sqlite_check(db, path, error)
                     : sonde__sqlite_fail(db, path, error);
    }
    if (status == SONDE_OK) {
        status = read_plan(db, path, &plan, error);
    }
    if (status == SONDE_OK) {
        status = read_rows(db, path, results, error);
    }
    (void)sqlite3_close(db);
    if (status == SONDE_OK) {
        (*results)->plan = plan;
    } else {
        sonde_plan_free(plan);
    }
    return status;
}

void sonde__results_free(sonde__results *results) {
    if (results != NULL) {
        sonde_plan_free(results->plan);
        sonde__free(results);
    }
}
