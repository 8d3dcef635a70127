/* study_schema.c: the tables of a results file, made and recognised.
 *
 * Each has one list of columns, and a column is one row of it: the schema, the insert, the select
 * and the reader come from there. A file is a study only if it has these tables, text for text, and
 * nothing else: no view that is never the same twice, no trigger, no column that is computed. What
 * SQLite runs when it reads such a file is what stands here. */
#include "study/study_schema.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"

#define EXACT_MAX 9007199254740992.0 /* 2^53 */
#define REDRAW_MAX 4095.0
#define MOST ((double)INT32_MAX)
#define HUGE_MOST 9.3e18 /* whatever an int64_t holds */

/* ----------------------------------------------------------------------------------- columns -- */

/* short, so that a column is a line */
#define WHOLE SONDE__COLUMN_WHOLE
#define REAL SONDE__COLUMN_REAL
#define WORD SONDE__COLUMN_WORD
#define ALWAYS SONDE__ALWAYS
#define IN_GRAPHS SONDE__IN_GRAPHS
#define IN_MODELS SONDE__IN_MODELS
#define MAYBE SONDE__MAYBE
#define IF_JUDGED SONDE__IF_JUDGED
#define MAYBE_JUDGED SONDE__MAYBE_JUDGED
#define NOWHERE SONDE__TO_NOTHING, 0
#define INT32(row, field) SONDE__TO_INT32, offsetof(row, field)
#define UINT64(row, field) SONDE__TO_UINT64, offsetof(row, field)
#define BOOL(row, field) SONDE__TO_BOOL, offsetof(row, field)
#define DOUBLE(row, field) SONDE__TO_DOUBLE, offsetof(row, field)
#define TEXT(row, field) SONDE__TO_TEXT, offsetof(row, field)
#define NAME(row, field) SONDE__TO_NAME, offsetof(row, field)
typedef sonde__result_world in_world;
typedef sonde__result_run in_run;
typedef sonde__result_step in_step;

/* the searches that make exact decisions */
static const char *exact_name(int32_t i) {
    static const char *const list[] = {"full", "bounded", NULL};
    return list[i < 2 ? i : 2];
}

/* clang-format off */
static const sonde__column tasks[] = {
    {"task", WHOLE, ALWAYS, 0, MOST, NULL, NOWHERE},
    {"version", WORD, ALWAYS, 0, 0, NULL, NOWHERE},
};

static const sonde__column worlds[] = {
    {"connect", WORD, ALWAYS, 0, 0, sonde_connect_name, NAME(in_world, connect)},
    {"size", WHOLE, ALWAYS, -MOST, MOST, NULL, INT32(in_world, size)},
    {"horizon", WHOLE, ALWAYS, 1, MOST, NULL, INT32(in_world, horizon)},
    {"graph", WHOLE, ALWAYS, 0, MOST, NULL, INT32(in_world, graph)},
    {"model", WORD, IN_MODELS, 0, 0, NULL, NOWHERE},
    {"redraws", WHOLE, ALWAYS, 0, REDRAW_MAX, NULL, INT32(in_world, n_redraw)},
    {"seed", WHOLE, ALWAYS, 0, EXACT_MAX, NULL, UINT64(in_world, seed)},
    {"policies", REAL, ALWAYS, 0, INFINITY, NULL, DOUBLE(in_world, n_policy)},
    {"local", REAL, ALWAYS, 0, INFINITY, NULL, DOUBLE(in_world, n_local)},
    {"shortest", REAL, IN_GRAPHS, 0, INFINITY, NULL, DOUBLE(in_world, shortest)},
    {"list_seconds", REAL, ALWAYS, 0, INFINITY, NULL, DOUBLE(in_world, list_seconds)},
    {"document", WORD, ALWAYS, 0, 0, NULL, TEXT(in_world, document)},
};

static const sonde__column runs[] = {
    {"condition", WHOLE, ALWAYS, 0, MOST, NULL, INT32(in_run, condition)},
    {"size", WHOLE, ALWAYS, -MOST, MOST, NULL, INT32(in_run, size)},
    {"graph", WHOLE, ALWAYS, 0, MOST, NULL, INT32(in_run, graph)},
    {"optimal", WHOLE, IN_GRAPHS, 0, 1, NULL, BOOL(in_run, optimal)},
    {"failure", WORD, IN_GRAPHS, 0, 0, sonde_failure_name, NAME(in_run, failure)},
    {"reached", WHOLE, IN_GRAPHS, -1, MOST, NULL, INT32(in_run, reached)},
    {"walked", REAL, IN_GRAPHS, 0, INFINITY, NULL, DOUBLE(in_run, walked)},
    {"decisions", WHOLE, ALWAYS, 1, MOST, NULL, INT32(in_run, n_decision)},
    {"policies", WHOLE, ALWAYS, 0, HUGE_MOST, NULL, UINT64(in_run, n_policy)},
    {"steps", WHOLE, ALWAYS, 0, HUGE_MOST, NULL, UINT64(in_run, n_step)},
    {"equivalent", REAL, ALWAYS, 0, INFINITY, NULL, DOUBLE(in_run, equivalent)},
    {"setup_steps", WHOLE, ALWAYS, 0, HUGE_MOST, NULL, UINT64(in_run, n_setup_step)},
    {"k", WHOLE, ALWAYS, 0, MOST, NULL, INT32(in_run, k)},
    {"valid", WHOLE, ALWAYS, 0, MOST, NULL, INT32(in_run, n_valid)},
    {"clusterings", WHOLE, ALWAYS, 0, MOST, NULL, INT32(in_run, n_clustering)},
    {"reused", WHOLE, ALWAYS, 0, MOST, NULL, INT32(in_run, n_reused)},
    {"setup_seconds", REAL, ALWAYS, 0, INFINITY, NULL, DOUBLE(in_run, setup_seconds)},
    {"embed_seconds", REAL, ALWAYS, 0, INFINITY, NULL, DOUBLE(in_run, embed_seconds)},
    {"cluster_seconds", REAL, ALWAYS, 0, INFINITY, NULL, DOUBLE(in_run, cluster_seconds)},
    {"decide_seconds", REAL, ALWAYS, 0, INFINITY, NULL, DOUBLE(in_run, decide_seconds)},
    {"path", WORD, ALWAYS, 0, 0, NULL, TEXT(in_run, path)},
    {"model", WORD, IN_MODELS, 0, 0, NULL, NOWHERE},
    {"efe", REAL, MAYBE, -INFINITY, INFINITY, NULL, DOUBLE(in_run, efe)},
    {"certificate", REAL, MAYBE, 0, INFINITY, NULL, DOUBLE(in_run, certificate)},
    {"surprise", REAL, MAYBE, -INFINITY, INFINITY, NULL, DOUBLE(in_run, surprise)},
    {"free_energy", REAL, MAYBE, -INFINITY, INFINITY, NULL, DOUBLE(in_run, free_energy)},
    {"preference", REAL, MAYBE, -INFINITY, INFINITY, NULL, DOUBLE(in_run, preference)},
    {"judged", WHOLE, IF_JUDGED, 1, MOST, NULL, INT32(in_run, n_judged)},
    {"judged_best", WHOLE, IF_JUDGED, 0, MOST, NULL, INT32(in_run, n_best)},
    {"judged_equivalent", REAL, MAYBE_JUDGED, 0, INFINITY, NULL, DOUBLE(in_run, judged_equivalent)},
    {"tv", REAL, MAYBE_JUDGED, 0, INFINITY, NULL, DOUBLE(in_run, tv)},
    {"action_tv", REAL, MAYBE_JUDGED, 0, INFINITY, NULL, DOUBLE(in_run, action_tv)},
    {"bound", REAL, MAYBE_JUDGED, 0, INFINITY, NULL, DOUBLE(in_run, bound)},
    {"regret", REAL, MAYBE_JUDGED, 0, INFINITY, NULL, DOUBLE(in_run, regret)},
    {"exact", WORD, IF_JUDGED, 0, 0, exact_name, NOWHERE},
    {"exact_tv", REAL, MAYBE_JUDGED, 0, INFINITY, NULL, NOWHERE},
};

static const sonde__column steps[] = {
    {"condition", WHOLE, ALWAYS, 0, MOST, NULL, INT32(in_step, condition)},
    {"size", WHOLE, ALWAYS, -MOST, MOST, NULL, INT32(in_step, size)},
    {"graph", WHOLE, ALWAYS, 0, MOST, NULL, INT32(in_step, graph)},
    {"step", WHOLE, ALWAYS, 0, MOST, NULL, INT32(in_step, step)},
    {"state", WORD, ALWAYS, 0, 0, NULL, TEXT(in_step, state)},
    {"outcome", WORD, ALWAYS, 0, 0, NULL, TEXT(in_step, outcome)},
    {"action", WORD, ALWAYS, 0, 0, NULL, TEXT(in_step, action)},
    {"belief", WORD, IN_MODELS, 0, 0, NULL, TEXT(in_step, belief)},
    {"p", REAL, ALWAYS, 0, 1 + 1e-9, NULL, DOUBLE(in_step, p)},
    {"efe", REAL, MAYBE, -INFINITY, INFINITY, NULL, DOUBLE(in_step, efe)},
    {"risk", REAL, MAYBE, -INFINITY, INFINITY, NULL, DOUBLE(in_step, risk)},
    {"ambiguity", REAL, MAYBE, -INFINITY, INFINITY, NULL, DOUBLE(in_step, ambiguity)},
    {"cost", REAL, MAYBE, -INFINITY, INFINITY, NULL, DOUBLE(in_step, cost)},
    {"tv", REAL, MAYBE, 0, INFINITY, NULL, DOUBLE(in_step, tv)},
    {"surprise", REAL, MAYBE, -INFINITY, INFINITY, NULL, DOUBLE(in_step, surprise)},
    {"free_energy", REAL, MAYBE, -INFINITY, INFINITY, NULL, DOUBLE(in_step, free_energy)},
    {"complexity", REAL, MAYBE, -INFINITY, INFINITY, NULL, DOUBLE(in_step, complexity)},
    {"accuracy", REAL, MAYBE, -INFINITY, INFINITY, NULL, DOUBLE(in_step, accuracy)},
    {"followed", WHOLE, ALWAYS, 0, MOST, NULL, INT32(in_step, n_followed)},
    {"policies", WHOLE, ALWAYS, 0, HUGE_MOST, NULL, UINT64(in_step, n_policy)},
    {"steps", WHOLE, ALWAYS, 0, HUGE_MOST, NULL, UINT64(in_step, n_step)},
    {"equivalent", REAL, ALWAYS, 0, INFINITY, NULL, DOUBLE(in_step, equivalent)},
};
/* clang-format on */

#define N(list) ((int32_t)(sizeof(list) / sizeof *(list)))
_Static_assert(sizeof runs / sizeof *runs <= SONDE__COLUMNS_MAX, "a row has no room for them");
_Static_assert(sizeof worlds / sizeof *worlds <= SONDE__COLUMNS_MAX, "a row has no room for them");

const sonde__table_plan sonde__table_of_tasks = {"task", NULL, "task", N(tasks), tasks};
const sonde__table_plan sonde__table_of_worlds = {"world", "connect, size, horizon, graph",
                                                  "connect DESC, size, horizon, graph", N(worlds),
                                                  worlds};
const sonde__table_plan sonde__table_of_runs = {"run", "condition, size, graph",
                                                "condition, size, graph", N(runs), runs};
const sonde__table_plan sonde__table_of_steps = {"step", "condition, size, graph, step",
                                                 "condition, size, graph, step", N(steps), steps};

int32_t sonde__column_find(const sonde__table_plan *table, const char *name) {
    int32_t i = 0;
    while (strcmp(table->column[i].name, name) != 0) {
        i++;
    }
    return i;
}

/* --------------------------------------------------------------------------- what makes them -- */

static void add_names(const sonde__table_plan *table, sonde_text *sql) {
    for (int32_t i = 0; i < table->n_column; i++) {
        sonde_text_add(sql, "%s%s", i > 0 ? ", " : "", table->column[i].name);
    }
}

void sonde__table_insert(const sonde__table_plan *table, sonde_text *sql) {
    sonde_text_add(sql, "INSERT INTO %s (", table->name);
    add_names(table, sql);
    sonde_text_add(sql, ") VALUES (");
    for (int32_t i = 0; i < table->n_column; i++) {
        sonde_text_add(sql, i > 0 ? ", ?" : "?");
    }
    sonde_text_add(sql, ")");
}

void sonde__table_select(const sonde__table_plan *table, sonde_text *sql) {
    sonde_text_add(sql, "SELECT ");
    add_names(table, sql);
    sonde_text_add(sql, " FROM %s ORDER BY %s", table->name, table->order);
}

static void add_table(const sonde__table_plan *table, sonde_text *sql) {
    static const char *const type[] = {[WHOLE] = "INTEGER", [REAL] = "REAL", [WORD] = "TEXT"};
    sonde_text_add(sql, "CREATE TABLE %s (", table->name);
    for (int32_t i = 0; i < table->n_column; i++) {
        const sonde__column *column = &table->column[i];
        sonde_text_add(sql, "%s%s %s%s", i > 0 ? ", " : "", column->name, type[column->kind],
                       column->when == ALWAYS ? " NOT NULL" : "");
    }
    sonde_text_add(sql, ", PRIMARY KEY (%s)) WITHOUT ROWID", table->key);
}

/* A column for each key of a condition that is a setting. */
static void add_conditions(sonde_text *sql) {
    sonde_text_add(sql, "CREATE TABLE condition (condition INTEGER PRIMARY KEY, grp TEXT NOT "
                        "NULL, label TEXT NOT NULL, k_before INTEGER");
    for (int32_t key = 0; sonde__condition_key(key) != NULL; key++) {
        sonde_text_add(sql, ", %s", sonde__condition_key(key));
    }
    sonde_text_add(sql, ")");
}

enum { META, TASK, WORLD, RUN, STEP, CONDITION, N_TABLE };

bool sonde__schema_table(int32_t i, sonde_text *sql) {
    switch (i) {
    case META:
        sonde_text_add(sql, "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT "
                            "ROWID");
        return true;
    case TASK:
        sonde_text_add(sql, "CREATE TABLE task (task INTEGER PRIMARY KEY, version TEXT NOT NULL)");
        return true;
    case WORLD: add_table(&sonde__table_of_worlds, sql); return true;
    case RUN: add_table(&sonde__table_of_runs, sql); return true;
    case STEP: add_table(&sonde__table_of_steps, sql); return true;
    case CONDITION: add_conditions(sql); return true;
    default: return false;
    }
}

/* --------------------------------------------------------------------------- what a file has -- */

/* Which of our tables a text makes, or -1. */
static int32_t find_table(const sonde_text ours[N_TABLE], const sonde__datum *text) {
    int32_t i = text->kind == SONDE__CELL_TEXT ? 0 : N_TABLE;
    while (i < N_TABLE && strcmp(ours[i].data, text->text) != 0) {
        i++;
    }
    return i < N_TABLE ? i : -1;
}

/* Which of the tables that are ours a file has, as bits, and whether it has anything else. */
static sonde_status look_for(const sonde_text ours[N_TABLE], sonde__db *db, const char *path,
                             uint32_t *found, bool *other, sonde_error *error) {
    sonde__query *query = NULL;
    sonde__step step = sonde__query_new(db, "SELECT sql FROM sqlite_master", &query)
                           ? sonde__query_step(query)
                           : SONDE__STEP_FAILED;
    for (; step == SONDE__STEP_ROW; step = sonde__query_step(query)) {
        const sonde__datum text = sonde__query_answer(query);
        const int32_t i = find_table(ours, &text);
        /* nothing else, and nothing twice */
        *other = *other || i < 0 || (*found >> i & 1u) != 0;
        *found |= i >= 0 ? 1u << i : 0;
    }
    sonde__query_free(query);
    return step == SONDE__STEP_DONE ? SONDE_OK : sonde__db_fail(db, path, error);
}

static sonde_status look(sonde__db *db, const char *path, uint32_t *found, bool *other,
                         sonde_error *error) {
    sonde_text ours[N_TABLE] = {{0}};
    bool refused = false;
    *found = 0;
    *other = false;
    for (int32_t i = 0; i < N_TABLE; i++) {
        (void)sonde__schema_table(i, &ours[i]);
        refused = refused || ours[i].failed;
    }
    const sonde_status status = refused ? sonde__fail_memory(error, path, 0)
                                        : look_for(ours, db, path, found, other, error);
    for (int32_t i = 0; i < N_TABLE; i++) {
        sonde_text_free(&ours[i]);
    }
    return status;
}

char *sonde__schema_meta(sonde__db *db, const char *key, bool *refused) {
    const sonde__datum name = {.kind = SONDE__CELL_TEXT, .text = key};
    sonde__query *query = NULL;
    char *copy = NULL;
    if (sonde__query_new(db, "SELECT value FROM meta WHERE key = ?", &query) &&
        sonde__query_bind(query, 0, &name) && sonde__query_step(query) == SONDE__STEP_ROW) {
        const sonde__datum value = sonde__query_answer(query);
        const size_t size = value.kind == SONDE__CELL_TEXT ? strlen(value.text) + 1 : 0;
        copy = size > 0 ? sonde__alloc(size) : NULL;
        *refused = *refused || (size > 0 && copy == NULL);
        if (copy != NULL) {
            memcpy(copy, value.text, size);
        }
    }
    *refused = *refused || sonde__db_refused(db);
    sonde__query_free(query);
    return copy;
}

/* ---------------------------------------------------------------------- whether it is ours -- */

/* Whether a pragma answers as it should; otherwise its answer, within a sentence. */
static sonde_status check_pragma(sonde__db *db, const char *path, const char *pragma,
                                 const char *good, const char *sentence, sonde_error *error) {
    sonde__query *query = NULL;
    sonde_status status = SONDE_OK;
    if (!sonde__query_new(db, pragma, &query) || sonde__query_step(query) != SONDE__STEP_ROW) {
        status = sonde__db_fail(db, path, error);
    } else {
        const sonde__datum answer = sonde__query_answer(query);
        const char *said = answer.kind == SONDE__CELL_TEXT ? answer.text : "";
        if (strcmp(said, good) != 0) {
            status = sonde__fail(error, SONDE_BAD_INPUT,
                                 "%s: expected the results of a study, found %s: SQLite says "
                                 "\"%.100s\"; use a copy of it, or begin anew in another file",
                                 path, sentence, said);
        }
    }
    sonde__query_free(query);
    return status;
}

/* Texts are as long as the file says in no other encoding. */
static sonde_status check_encoding(sonde__db *db, const char *path, sonde_error *error) {
    return check_pragma(db, path, "PRAGMA encoding", "UTF-8", "texts that are not in UTF-8", error);
}

/* Every page is somewhere, and once. */
static sonde_status check_pages(sonde__db *db, const char *path, sonde_error *error) {
    return check_pragma(db, path, "PRAGMA quick_check(1)", "ok", "a damaged file", error);
}

sonde_status sonde__schema_empty(sonde__db *db, const char *path, bool *empty, sonde_error *error) {
    uint32_t found = 0;
    bool other = false;
    sonde_status status = look(db, path, &found, &other, error);
    *empty = found == 0 && !other;
    /* one whose list of tables was lost looks empty, and holds all that it did */
    if (status == SONDE_OK && *empty) {
        status = check_encoding(db, path, error);
    }
    return status == SONDE_OK && *empty ? check_pages(db, path, error) : status;
}

/* The number that meta says is a file's schema; -1 where it says none. */
static int64_t number_of(const char *meta) {
    const size_t size = meta != NULL ? strspn(meta, "0123456789") : 0;
    if (size == 0 || size > 9 || meta[size] != '\0') {
        return -1;
    }
    int64_t number = 0;
    for (size_t i = 0; i < size; i++) {
        number = 10 * number + (meta[i] - '0');
    }
    return number;
}

/* The number of a file's schema: its user_version, which meta repeats; a file from before there was
 * one has meta alone. -1 where neither says any. */
static int64_t schema_of(sonde__db *db, const char *meta, bool *refused) {
    sonde__query *query = NULL;
    int64_t version = 0;
    if (sonde__query_new(db, "PRAGMA user_version", &query) &&
        sonde__query_step(query) == SONDE__STEP_ROW) {
        version = sonde__query_answer(query).whole;
    }
    *refused = *refused || sonde__db_refused(db);
    sonde__query_free(query);
    return version != 0 && version != SONDE__STUDY_SCHEMA ? version : number_of(meta);
}

/* Whether a file says that it is a study, and of our schema. */
static sonde_status check_format(sonde__db *db, const char *path, sonde_error *error) {
    bool refused = false;
    char *format = sonde__schema_meta(db, "format", &refused);
    char *meta = sonde__schema_meta(db, "schema", &refused);
    const bool study = format != NULL && strcmp(format, "sonde-study") == 0;
    const int64_t schema = schema_of(db, meta, &refused);
    sonde__free(format);
    sonde__free(meta);
    if (refused) {
        return sonde__fail_memory(error, path, 0);
    }
    if (!study) {
        return sonde__fail(error, SONDE_BAD_INPUT,
                           "%s: expected the results of a study, found another SQLite file", path);
    }
    return schema == SONDE__STUDY_SCHEMA
               ? SONDE_OK
               : sonde__fail(
                     error, SONDE_BAD_INPUT,
                     "%s: expected results of schema %d, found %s; another version of sonde "
                     "made it: read it with that version, or run its plan again into another "
                     "file",
                     path, SONDE__STUDY_SCHEMA,
                     schema >= 0 ? sonde__at("%lld", (long long)schema).text : "none");
}

sonde_status sonde__schema_check(sonde__db *db, const char *path, sonde_error *error) {
    uint32_t found = 0;
    bool other = false;
    sonde_status status = look(db, path, &found, &other, error);
    if (status == SONDE_OK && (found & 1u << META) == 0) {
        return sonde__fail(error, SONDE_BAD_INPUT,
                           "%s: expected the results of a study, found another SQLite file", path);
    }
    if (status == SONDE_OK) {
        status = check_encoding(db, path, error);
    }
    if (status == SONDE_OK) {
        status = check_format(db, path, error);
    }
    if (status == SONDE_OK && (other || found != (1u << N_TABLE) - 1u)) {
        status = sonde__fail(
            error, SONDE_BAD_INPUT,
            "%s: expected the tables of a study and nothing else, found others; another "
            "program has changed it, or another version of sonde made it: use another",
            path);
    }
    return status == SONDE_OK ? check_pages(db, path, error) : status;
}
