/* study_row.h: rows of the tables `world`, `run` and `step`, checked before anybody uses them.
 *
 * A row comes out of a file or from another process, and neither is believed: what these functions
 * have accepted fits the plan, so that everything behind them may trust its structs. */
#ifndef SONDE_STUDY_ROW_H
#define SONDE_STUDY_ROW_H

#include "base/json.h"
#include "study/study_schema.h"

/* A row while it is read. */
typedef struct {
    const sonde_study_plan *plan;
    const char *origin;                    /* the file, for errors */
    int32_t number;                        /* of the row in its table, for errors */
    sonde__datum cell[SONDE__COLUMNS_MAX]; /* a value for each column of its table */
    int32_t hint;                          /* a condition that ran on the world before this one */
    sonde_status status;                   /* of the first check that failed */
    sonde_error *error;
} sonde__row;

/* "ORIGIN: TABLE NUMBER: sentence; what to do"; returns false. */
bool sonde__row_wrong(sonde__row *row, const char *table, const char *format, ...)
    SONDE_PRINTF(3, 4);
/* Takes the cells of an object's keys under the names of the columns. */
void sonde__row_from_json(sonde__row *row, const sonde__table_plan *table, const json_t *object);
/* A world that some condition of the plan runs on, with a document that is that world. Its text is
 * the cell's. */
bool sonde__row_world(sonde__row *row, sonde__result_world *world);
/* A run of one of the plan's conditions on one of its worlds. Its text is the cell's. */
bool sonde__row_run(sonde__row *row, sonde__result_run *run);
/* The step of a run that has this number. Its texts are the cells'. */
bool sonde__row_step(sonde__row *row, const sonde__result_run *run, int32_t number,
                     sonde__result_step *step);

/* Reads and checks all results of a plan out of an open file, whose schema was checked. They do not
 * own the plan. */
sonde_status sonde__results_load(sonde__db *db, const char *path, const sonde_study_plan *plan,
                                 sonde__results **results, sonde_error *error);

#endif
