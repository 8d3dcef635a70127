/* fit_table.h: a small table from a file: a head, and rows of cells. */
#ifndef SONDE_FIT_TABLE_H
#define SONDE_FIT_TABLE_H

#include "base/memory.h"
#include "base/status.h"

typedef struct {
    const char *origin; /* for errors */
    int32_t n_column;
    int32_t n_row;
    const char *const *head; /* (n_column) */
    const char *const *cell; /* (n_row, n_column) without spaces at either end; "" where missing */
    const int32_t *line;     /* (n_row) of the file, from 1 on */
    char *text;              /* what they point into */
    sonde__pool pool;
} sonde__sheet;

/* Reads text whose cells stand between tabs where the head has one, else commas, else semicolons
 * (numbers may then have a comma for their point), and takes it over (`text` is freed with the
 * sheet): a head and rows with as many cells; quotes as in RFC 4180; empty lines do not count. Fails
 * with SONDE_BAD_INPUT or SONDE_NO_MEMORY. Free it in any case. */
sonde_status sonde__sheet_read(const char *origin, char *text, sonde__sheet *sheet,
                               sonde_error *error);
void sonde__sheet_free(sonde__sheet *sheet);
/* The column of this name, or -1. */
int32_t sonde__sheet_column(const sonde__sheet *sheet, const char *name);
const char *sonde__sheet_cell(const sonde__sheet *sheet, int32_t row, int32_t column);
/* Whether a cell is a finite decimal number, whole, and which. */
bool sonde__sheet_number(const char *cell, double *number);
/* Whether a cell has nothing in it: it is empty, NA or NaN. */
bool sonde__sheet_missing(const char *cell);
/* "ORIGIN: row 3, column age: expected EXPECTED, found "x"" and SONDE_BAD_INPUT. Rows count from 1
 * below the head. */
sonde_status sonde__sheet_expected(const sonde__sheet *sheet, int32_t row, int32_t column,
                                   const char *expected, sonde_error *error);

#endif
