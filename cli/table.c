/* table.c: tables, bars, histograms and planes of points, in plain characters. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "table.h"

/* Characters, not bytes: UTF-8 continuation bytes do not count. */
static int32_t width_of(const char *cell) {
    int32_t width = 0;
    for (; *cell; cell++) {
        width += ((unsigned char)*cell & 0xc0) != 0x80;
    }
    return width;
}

/* ----------------------------------------------------------------------------------- table -- */

cli_table table_open(const char *const *head, int32_t n_column) {
    cli_table table = {.n_column = n_column};
    for (int32_t c = 0; c < n_column; c++) {
        const size_t length = strlen(head[c]);
        table.left[c] = length > 0 && head[c][length - 1] == ' ';
        table_add(&table, "%.*s", (int)(table.left[c] ? length - 1 : length), head[c]);
    }
    return table;
}

void table_add_text(cli_table *table, const char *cell) {
    const int32_t column = table->n_cell++ % table->n_column;
    const int32_t width = width_of(cell);
    if (width > table->width[column]) {
        table->width[column] = width;
    }
    sonde_text_add(&table->cells, "%s%c", cell, '\0');
}

void table_add(cli_table *table, const char *format, ...) {
    char cell[128];
    va_list rest;
    va_start(rest, format);
    const int length = vsnprintf(cell, sizeof cell, format, rest);
    va_end(rest);
    table_add_text(table, length < 0 ? "" : cell);
}

void table_add_number(cli_table *table, double number) {
    table_add(table, "%s", isnan(number) ? "-" : number_of(number).text);
}

/* Appends a line without the spaces at its end, and empties it. */
static void end_line(sonde_text *line, sonde_text *text) {
    size_t size = line->size;
    while (size > 0 && line->data[size - 1] == ' ') {
        size--;
    }
    sonde_text_add(text, "%.*s\n", (int)size, line->data ? line->data : "");
    line->size = 0;
}

void table_close(cli_table *table, sonde_text *text) {
    sonde_text line = {0};
    const char *cell = table->cells.data;
    for (int32_t i = 0; i < table->n_cell && !table->cells.failed; i++) {
        const int32_t column = i % table->n_column;
        const int pad = (int)(table->width[column] - width_of(cell));
        const bool left = table->left[column];
        sonde_text_add(&line, "  %*s%s%*s", left ? 0 : pad, "", cell, left ? pad : 0, "");
        if (column == table->n_column - 1) {
            end_line(&line, text);
        }
        cell += strlen(cell) + 1;
    }
    text->failed = text->failed || table->cells.failed || line.failed;
    piece_free(&line);
    piece_free(&table->cells);
}

/* --------------------------------------------------------------------------------- numbers -- */

cli_number number_of(double value) {
    cli_number number;
    /* what is shown as zero has no sign */
    const double shown = fabs(value) < 0.5e-4 ? 0.0 : value;
    (void)snprintf(number.text, sizeof number.text, fabs(shown) < 1e9 ? "%.4f" : "%.6g", shown);
    return number;
}

void add_count(sonde_text *text, uint64_t count) {
    char digits[32];
    const int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    for (int i = 0; i < n; i++) {
        sonde_text_add(text, "%s%c", i > 0 && (n - i) % 3 == 0 ? "," : "", digits[i]);
    }
}

void add_size(sonde_text *text, uint64_t count, double real) {
    if (count < UINT64_MAX) {
        add_count(text, count);
    } else if (isinf(real)) {
        sonde_text_add(text, "more than 1e308");
    } else {
        sonde_text_add(text, "about %.2g", real);
    }
}

void add_bar(sonde_text *text, double share, int32_t width) {
    static const char *const eighth[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    /* what is no share has no bar */
    const bool drawn = share > 0.0 && share <= 1.0 + 1e-9;
    const int32_t n = drawn ? (int32_t)lround(share * 8.0 * width) : 0;
    for (int32_t i = 0; i < n / 8; i++) {
        sonde_text_add(text, "█");
    }
    sonde_text_add(text, "%s", eighth[n % 8]);
}

/* ------------------------------------------------------------------------------- histogram -- */

void histogram_add(cli_histogram *histogram, double value) {
    const double range = histogram->high - histogram->low;
    const double at = range > 0 ? (value - histogram->low) / range * HISTOGRAM_BINS : 0.0;
    const int32_t bin = at < HISTOGRAM_BINS - 1 ? (int32_t)at : HISTOGRAM_BINS - 1;
    histogram->count[bin]++;
    histogram->n++;
}

void add_histogram(sonde_text *text, const cli_histogram *histogram) {
    enum { BAR = 48 };
    const double range = histogram->high - histogram->low;
    /* one value only is one bin */
    const int32_t n_bin = range > 0 ? HISTOGRAM_BINS : 1;
    uint64_t most = 1;
    for (int32_t i = 0; i < n_bin; i++) {
        most = histogram->count[i] > most ? histogram->count[i] : most;
    }
    for (int32_t i = 0; i < n_bin; i++) {
        const double from = histogram->low + range * i / n_bin;
        const double to = histogram->low + range * (i + 1) / n_bin;
        sonde_text_add(text, range < 1e7 ? "  %11.3f to %11.3f  " : "  %11.5g to %11.5g  ", from,
                       to);
        add_bar(text, (double)histogram->count[i] / (double)most, BAR);
        sonde_text_add(text, histogram->count[i] > 0 ? " " : "");
        add_count(text, histogram->count[i]);
        sonde_text_add(text, "\n");
    }
}

/* ----------------------------------------------------------------------------------- plane -- */

cli_plane plane_around(const double *xy, int32_t n) {
    cli_plane plane = {.low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}};
    for (int32_t i = 0; i < 2 * n; i++) {
        plane.low[i % 2] = fmin(plane.low[i % 2], xy[i]);
        plane.high[i % 2] = fmax(plane.high[i % 2], xy[i]);
    }
    return plane;
}

void plane_put(cli_plane *plane, const double xy[2], const char *mark) {
    static const int32_t size[2] = {PLANE_WIDTH, PLANE_HEIGHT};
    int32_t at[2];
    for (int32_t i = 0; i < 2; i++) {
        const double range = plane->high[i] - plane->low[i];
        /* without any range everything stands in the middle; 1e-9 is rounding, not range */
        const double share = range > 1e-9 ? (xy[i] - plane->low[i]) / range : 0.5;
        if (!(share >= 0.0 && share <= 1.0)) {
            return; /* numbers past all bounds have no place */
        }
        at[i] = (int32_t)lround(share * (size[i] - 1));
    }
    plane->mark[PLANE_HEIGHT - 1 - at[1]][at[0]] = mark;
}

void add_plane(sonde_text *text, const cli_plane *plane) {
    for (int32_t row = 0; row < PLANE_HEIGHT; row++) {
        int32_t end = PLANE_WIDTH;
        while (end > 0 && !plane->mark[row][end - 1]) {
            end--;
        }
        sonde_text_add(text, end > 0 ? "  │ " : "  │");
        for (int32_t column = 0; column < end; column++) {
            const char *mark = plane->mark[row][column];
            sonde_text_add(text, "%s", mark ? mark : " ");
        }
        sonde_text_add(text, "\n");
    }
    sonde_text_add(text, "  └");
    for (int32_t column = 0; column < PLANE_WIDTH + 2; column++) {
        sonde_text_add(text, "─");
    }
    sonde_text_add(text, "\n");
}

void table_add_chance(cli_table *table, const sonde_text *name, double posterior,
                      double probability) {
    sonde_text bar = {0};
    add_bar(&bar, probability, 40);
    table_add_text(table, name->data ? name->data : "");
    table_add(table, "%.6f", posterior);
    table_add(table, "%.6f", probability);
    table_add_text(table, bar.data ? bar.data : "");
    piece_free(&bar);
}
