/* study_sqlite.h: a file of results, open; SQLite is known to study_sqlite.c alone.
 *
 * Everything else of the laboratory builds where there is no SQLite. */
#ifndef SONDE_STUDY_SQLITE_H
#define SONDE_STUDY_SQLITE_H

#include "base/status.h"
#include "study/study_internal.h"

/* One value of a row, wherever it came from. */
typedef struct {
    enum {
        SONDE__CELL_NONE,
        SONDE__CELL_WHOLE,
        SONDE__CELL_REAL,
        SONDE__CELL_TEXT,
        SONDE__CELL_OTHER
    } kind;
    int64_t whole;
    double real;
    const char *text; /* without a NUL in it */
} sonde__datum;

/* The version of the SQLite that runs. */
const char *sonde__sqlite_version(void);

/* An open file, which belongs to the one who opened it. */
typedef struct sonde__db sonde__db;
/* What the last call that failed on `db` means to us: "PATH: sentence". */
sonde_status sonde__db_fail(sonde__db *db, const char *path, sonde_error *error);
/* Whether the last call failed for want of memory. */
bool sonde__db_refused(sonde__db *db);
/* Opens a file that is believed nothing: no views, no triggers, no writing to its schema; `create`
 * makes it where there is none. A path that SQLite would take for something else than a file is
 * SONDE_BAD_ARGUMENT. */
sonde_status sonde__db_open(const char *path, bool create, sonde__db **db, sonde_error *error);
void sonde__db_close(sonde__db *db);
/* Runs statements that answer nothing; false where one failed. */
bool sonde__db_execute(sonde__db *db, const char *sql);

/* A statement whose places (?) can be filled, and whose rows can be read; places and columns count
 * from 0. Where a function returns false, or SONDE__STEP_FAILED, sonde__db_fail says why. */
typedef struct sonde__query sonde__query;
bool sonde__query_new(sonde__db *db, const char *sql, sonde__query **query);
void sonde__query_free(sonde__query *query);
/* Texts are copied. */
bool sonde__query_bind(sonde__query *query, int32_t at, const sonde__datum *datum);
typedef enum { SONDE__STEP_ROW, SONDE__STEP_DONE, SONDE__STEP_FAILED } sonde__step;
sonde__step sonde__query_step(sonde__query *query);
/* A value of the present row; its text is there until the next step. Bytes, and texts with a NUL in
 * them, are SONDE__CELL_OTHER. */
sonde__datum sonde__query_datum(sonde__query *query, int32_t column);
/* The value of a row with one column. */
static inline sonde__datum sonde__query_answer(sonde__query *query) {
    return sonde__query_datum(query, 0);
}
/* Back to before the first row. */
void sonde__query_reset(sonde__query *query);

#endif
