/* cells.h: tables as text, cut into cells, for all that reads CSV or TSV strictly. */
#ifndef SONDE_BASE_CELLS_H
#define SONDE_BASE_CELLS_H

#include "base/memory.h"
#include "base/status.h"

/* A table as text: cells in the order of the file, each with a closing zero. */
typedef struct {
    const char *origin;
    sonde__pool *pool;
    int32_t n_column;
    int32_t n_row;     /* below the header */
    const char **name; /* (n_column) */
    const char **cell; /* (n_row, n_column) */
    sonde_error *error;
} sonde__cells;
/* Cuts a text (size) and a closing zero into cells, in place. Fails with SONDE_BAD_INPUT. */
sonde_status sonde__cells_cut(sonde__cells *cells, char *text, size_t size);
/* "FILE: row 3, column reward: ..." */
sonde_status sonde__cell_wrong(const sonde__cells *cells, int32_t row, int32_t column,
                               const char *format, ...) SONDE_PRINTF(4, 5);
/* Whether nothing is written in a cell: "", NA, NaN. */
bool sonde__cell_is_missing(const char *cell);
/* A whole number, perhaps with .0 after it. */
bool sonde__cell_whole(const char *cell, int64_t *number);

#endif
