/* study_row.h: rows of the tables `world` and `run`, checked before anybody uses them.
 *
 * A row comes out of a file or from another process, and neither is believed: what these functions
 * have accepted fits the plan, so that everything behind them may trust its structs. */
#ifndef SONDE_STUDY_ROW_H
#define SONDE_STUDY_ROW_H

#include "base/json.h"
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

enum { SONDE__WORLD_COLUMNS = 12, SONDE__RUN_COLUMNS = 30 };
/* The columns of the tables, in the order in which rows hold their cells; NULL past the last. */
const char *sonde__task_column(int32_t i);
const char *sonde__world_column(int32_t i);
const char *sonde__run_column(int32_t i);

/* A row while it is read. */
typedef struct {
    const sonde_plan *plan;
    const char *origin; /* the file, for errors */
    int32_t number;     /* of the row in its table, for errors */
    sonde__datum cell[SONDE__RUN_COLUMNS];
    int32_t hint;        /* a condition that ran on the world before this one */
    sonde_status status; /* of the first check that failed */
    sonde_error *error;
} sonde__row;

/* "ORIGIN: TABLE NUMBER: sentence; what to do"; returns false. */
bool sonde__row_wrong(sonde__row *row, const char *table, const char *format, ...)
    SONDE_PRINTF(3, 4);
/* Takes the cells of an object's keys under the names of the columns. */
void sonde__row_from_json(sonde__row *row, const char *(*name)(int32_t), const json_t *object);
/* A world that some condition of the plan runs on, with a document that is that world. Its text is
 * the cell's. */
bool sonde__row_world(sonde__row *row, sonde__result_world *world);
/* A run of one of the plan's conditions on one of its worlds. Its text is the cell's. */
bool sonde__row_run(sonde__row *row, sonde__result_run *run);

#endif
