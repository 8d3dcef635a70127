/* study_schema.h: the tables of a file of results: one list of columns each.
 *
 * A column is one row of one list. The list gives what makes the table, what inserts a row and what
 * selects it, what may stand in it, and where in a struct it goes. */
#ifndef SONDE_STUDY_SCHEMA_H
#define SONDE_STUDY_SCHEMA_H

#include "study/study_sqlite.h"

/* The schema this version reads and writes; PRAGMA user_version of the file. */
#define SONDE__STUDY_SCHEMA 6

/* The rows that have a value in a column; elsewhere it is NULL. */
typedef enum {
    SONDE__ALWAYS,
    SONDE__IN_GRAPHS,
    SONDE__IN_MODELS,
    SONDE__MAYBE,
    SONDE__IF_JUDGED,
    SONDE__MAYBE_JUDGED
} sonde__column_when;
/* What a column holds. */
typedef enum { SONDE__COLUMN_WHOLE, SONDE__COLUMN_REAL, SONDE__COLUMN_WORD } sonde__column_kind;
/* What it becomes in the struct of its row. */
typedef enum {
    SONDE__TO_NOTHING, /* checked, and not kept */
    SONDE__TO_INT32,
    SONDE__TO_UINT64,
    SONDE__TO_BOOL,
    SONDE__TO_DOUBLE, /* NaN where there is no value */
    SONDE__TO_TEXT,
    SONDE__TO_NAME /* the number of one of the names, as an int32_t */
} sonde__target;

typedef struct {
    const char *name; /* of the column, and the key of a task's document */
    sonde__column_kind kind;
    sonde__column_when when;
    double least; /* of a number */
    double most;
    const char *(*names)(int32_t); /* of SONDE__TO_NAME */
    sonde__target target;
    size_t offset; /* in sonde__result_world, _run or _step */
} sonde__column;

typedef struct {
    const char *name;
    const char *key;   /* its primary key */
    const char *order; /* in which rows are read */
    int32_t n_column;
    const sonde__column *column; /* (n_column) */
} sonde__table_plan;
extern const sonde__table_plan sonde__table_of_tasks;
extern const sonde__table_plan sonde__table_of_worlds;
extern const sonde__table_plan sonde__table_of_runs;
extern const sonde__table_plan sonde__table_of_steps;
/* no table has more columns */
enum { SONDE__COLUMNS_MAX = 36 };
/* The place of a column that is there. */
int32_t sonde__column_find(const sonde__table_plan *table, const char *name);

/* "INSERT INTO ..." with a place for each column, and "SELECT ..." of each column in order. */
void sonde__table_insert(const sonde__table_plan *table, sonde_text *sql);
void sonde__table_select(const sonde__table_plan *table, sonde_text *sql);

/* Appends what makes the i-th table of a study, `meta` first; false past the last. */
bool sonde__schema_table(int32_t i, sonde_text *sql);
/* Whether there is nothing in a file yet. */
sonde_status sonde__schema_empty(sonde__db *db, const char *path, bool *empty, sonde_error *error);
/* SONDE_BAD_INPUT unless this is a study of our schema, and its tables are that, text for text, in
 * UTF-8, and nothing else. */
sonde_status sonde__schema_check(sonde__db *db, const char *path, sonde_error *error);
/* The value of a key in the table meta, as a copy (sonde__free), or NULL; `refused` becomes true
 * where there was no memory for it. */
char *sonde__schema_meta(sonde__db *db, const char *key, bool *refused);

#endif
