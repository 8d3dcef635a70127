/* table.h: numbers and pictures for a terminal. */
#ifndef SONDE_CLI_TABLE_H
#define SONDE_CLI_TABLE_H

#include "pieces.h"

/* A table whose columns become as wide as their widest cell. Cells are added from left to right,
 * row by row, starting with the head; a head that ends with a space is left-aligned. */
enum { TABLE_COLUMN_MAX = 10 };
typedef struct {
    int32_t n_column;
    int32_t n_cell;
    int32_t width[TABLE_COLUMN_MAX]; /* characters */
    bool left[TABLE_COLUMN_MAX];
    sonde_text cells; /* each with a zero behind it */
} cli_table;
cli_table table_open(const char *const *head, int32_t n_column);
void table_add_text(cli_table *table, const char *cell);
/* A short cell: what is past 127 bytes is cut. */
void table_add(cli_table *table, const char *format, ...) SONDE_PRINTF(2, 3);
/* A number with four decimals; a dash where there is none. */
void table_add_number(cli_table *table, double number);
/* One line of a table of actions: what it is, how probable, and a bar. */
void table_add_chance(cli_table *table, const sonde_text *name, double posterior,
                      double probability);
/* Appends the table, indented by two spaces, and frees it. */
void table_close(cli_table *table, sonde_text *text);

/* A number with four decimals, or in powers of ten where that would be long. */
typedef struct {
    char text[32];
} cli_number;
cli_number number_of(double value);
/* 1,234,567 */
void add_count(sonde_text *text, uint64_t count);
/* The same for a number that may be past 64 bits: about 1.2e+25 then. */
void add_size(sonde_text *text, uint64_t count, double real);
/* A bar of up to `width` characters, in eighths. */
void add_bar(sonde_text *text, double share, int32_t width);

/* How often values fall into equal stretches between the smallest and the largest. */
enum { HISTOGRAM_BINS = 12 };
typedef struct {
    double low;
    double high;
    uint64_t n;
    uint64_t count[HISTOGRAM_BINS];
} cli_histogram;
void histogram_add(cli_histogram *histogram, double value); /* within low to high */
void add_histogram(sonde_text *text, const cli_histogram *histogram);

/* A plane of points, each shown by a mark of one character; later points cover earlier ones. */
enum { PLANE_WIDTH = 72, PLANE_HEIGHT = 20 };
typedef struct {
    double low[2];
    double high[2];
    const char *mark[PLANE_HEIGHT][PLANE_WIDTH]; /* NULL where there is nothing */
} cli_plane;
/* A plane that holds all of n points, x and y in turn. */
cli_plane plane_around(const double *xy, int32_t n);
void plane_put(cli_plane *plane, const double xy[2], const char *mark);
void add_plane(sonde_text *text, const cli_plane *plane);

#endif
