/* summary_grid_text.c: a table for a terminal.
 *
 * Columns are as wide as their widest cell; a head over several columns has their widths together.
 * Bold becomes an arrow head before a number and a dagger a * behind it, which has a place of its
 * own in every cell of a column that needs it, so that digits stay below digits. No line ends in
 * spaces. */

#include "base/memory.h"
#include "summary/summary.h"

#define GAP 1 /* between columns, and once more before columns that stand apart */

/* How wide the parts of a column are, in characters. */
typedef struct {
    int32_t number;
    int32_t mark;
    int32_t small; /* with the space before it */
    int32_t whole;
    int32_t gap; /* before it */
} extent;

/* Spaces are only written when something follows them. */
typedef struct {
    sonde_text *text;
    int32_t n_space;
} line;

static void add_words(line *out, const char *words) {
    if (*words != '\0') {
        sonde_text_add(out->text, "%*s%s", (int)out->n_space, "", words);
        out->n_space = 0;
    }
}

static int32_t larger(int32_t a, int32_t b) {
    return a > b ? a : b;
}

static bool has(const sonde__grid_cell *cell, uint32_t style) {
    return (cell->style & style) != 0;
}

static int32_t number_width(const sonde__grid *grid, const sonde__grid_cell *cell) {
    return sonde__words_count(sonde__grid_words(grid, cell)) + (has(cell, SONDE__BOLD) ? 1 : 0);
}

/* Heads say how wide a column is as a whole, cells how wide its parts are. */
static void measure_cell(const sonde__grid *grid, const sonde__grid_cell *cell, bool is_head,
                         extent *column) {
    const char *small = sonde__grid_small(grid, cell);
    if (cell->span > 1) {
        return;
    }
    if (is_head) {
        column->whole = larger(column->whole, number_width(grid, cell));
        return;
    }
    column->gap = larger(column->gap, has(cell, SONDE__APART) ? 2 * GAP : GAP);
    column->number = larger(column->number, number_width(grid, cell));
    column->mark = larger(column->mark, has(cell, SONDE__MARK) ? 1 : 0);
    column->small = larger(column->small, small != NULL ? 1 + sonde__words_count(small) : 0);
    column->whole = larger(column->whole, column->number + column->mark + column->small);
}

static void measure(const sonde__grid *grid, extent *column) {
    int32_t row = 0;
    for (int32_t i = 0, at = 0; i < grid->n_cell; i++) {
        measure_cell(grid, &grid->cell[i], row < grid->n_head, &column[at]);
        at += grid->cell[i].span;
        row += at >= grid->n_column ? 1 : 0;
        at %= grid->n_column;
    }
    for (int32_t at = 0; at < grid->n_column; at++) {
        extent *of = &column[at];
        of->whole = larger(of->whole, of->number + of->mark + of->small);
    }
}

/* A head: words at the right of its column, or at the left of the columns that it spans. */
static void add_head(const sonde__grid *grid, const sonde__grid_cell *cell, int32_t width,
                     line *out) {
    const int32_t rest = larger(0, width - number_width(grid, cell));
    const bool left = has(cell, SONDE__LEFT) || cell->span > 1;
    out->n_space += left ? 0 : rest;
    add_words(out, sonde__grid_words(grid, cell));
    out->n_space += left ? rest : 0;
}

static void add_cell(const sonde__grid *grid, const sonde__grid_cell *cell, const extent *column,
                     line *out) {
    if (has(cell, SONDE__LEFT) || cell->span > 1) {
        add_head(grid, cell, column->whole, out);
        return;
    }
    const char *small = sonde__grid_small(grid, cell);
    out->n_space += column->whole - column->number - column->mark - column->small;
    out->n_space += column->number - number_width(grid, cell);
    add_words(out, has(cell, SONDE__BOLD) ? "\342\226\270" : ""); /* a small arrow head */
    add_words(out, sonde__grid_words(grid, cell));
    add_words(out, has(cell, SONDE__MARK) ? "*" : "");
    out->n_space += column->mark - (has(cell, SONDE__MARK) ? 1 : 0);
    out->n_space += column->small - (small != NULL ? sonde__words_count(small) : 0);
    add_words(out, small != NULL ? small : "");
}

/* A row, from cell i on; returns the first cell of the next. */
static int32_t add_row(const sonde__grid *grid, int32_t i, bool is_head, const extent *column,
                       sonde_text *text) {
    line out = {.text = text};
    for (int32_t at = 0; at < grid->n_column && i < grid->n_cell; i++) {
        const sonde__grid_cell *cell = &grid->cell[i];
        int32_t width = 0;
        for (int32_t c = at; c < at + cell->span && c < grid->n_column; c++) {
            width += column[c].whole + (c > at ? column[c].gap : 0);
        }
        out.n_space += at > 0 ? column[at].gap : 0;
        if (is_head) {
            add_head(grid, cell, width, &out);
        } else {
            add_cell(grid, cell, &column[at], &out);
        }
        at += cell->span;
    }
    sonde_text_add(text, "\n");
    return i;
}

static void add_line(const sonde__grid *grid, const extent *column, sonde_text *text) {
    for (int32_t at = 0; at < grid->n_column; at++) {
        for (int32_t i = 0; i < column[at].whole + (at > 0 ? column[at].gap : 0); i++) {
            sonde_text_add(text, "-");
        }
    }
    sonde_text_add(text, "\n");
}

void sonde__grid_text(const sonde__grid *grid, sonde_text *text) {
    extent *column = sonde__alloc((size_t)grid->n_column * sizeof *column);
    if (column == NULL || grid->words.failed) {
        text->failed = true;
        sonde__free(column);
        return;
    }
    measure(grid, column);
    int32_t i = 0;
    for (int32_t row = 0; i < grid->n_cell; row++) {
        if (row == grid->n_head) {
            add_line(grid, column, text);
        } else if (row > grid->n_head && has(&grid->cell[i], SONDE__RULE)) {
            sonde_text_add(text, "\n");
        }
        i = add_row(grid, i, row < grid->n_head, column, text);
    }
    sonde__free(column);
}
