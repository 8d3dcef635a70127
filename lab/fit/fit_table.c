/* fit_table.c: small tables, read strictly.
 *
 * The text is cut where it lies: a cell ends with a zero where its separator was, and quoted cells
 * lose their quotes in place. Two passes: one counts, one keeps. */
#include "fit/fit_table.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A walk through the text. */
typedef struct {
    char *at;
    char separator;
    int32_t line;
} walk;

/* Moves past empty lines; false at the end. */
static bool find_row(walk *w) {
    while (*w->at == '\n' || *w->at == '\r') {
        w->line += *w->at == '\n' ? 1 : 0;
        w->at++;
    }
    return *w->at != '\0';
}

/* Takes the quotes off a cell, in place, and returns its end: past its closing quote. NULL where
 * there is none. */
static char *unquote(char *cell) {
    char *to = cell;
    const char *from = cell + 1;
    for (; *from != '\0'; from++) {
        if (*from == '"' && from[1] == '"') {
            from++;
        } else if (*from == '"') {
            const size_t length = (size_t)(from + 1 - cell);
            *to = '\0';
            return cell + length;
        }
        *to++ = *from;
    }
    return NULL;
}

static char *trim(char *cell, char *end) {
    while (*cell == ' ') {
        cell++;
    }
    while (end > cell && (end[-1] == ' ' || end[-1] == '\r')) {
        end--;
    }
    *end = '\0';
    return cell;
}

/* The next cell of the row, cut off; `*last` where the row ends with it. NULL for an open quote. */
static char *next_cell(walk *w, bool *last) {
    char *cell = w->at;
    char *end = cell;
    const bool quoted = *cell == '"';
    if (quoted) {
        end = unquote(cell);
        if (end == NULL) {
            return NULL;
        }
    }
    const char stops[] = {w->separator, '\n', '\0'};
    end += strcspn(end, stops);
    *last = *end != w->separator;
    w->line += *end == '\n' ? 1 : 0;
    w->at = *end == '\0' ? end : end + 1;
    if (quoted) {
        return cell;
    }
    return trim(cell, end);
}

/* Separators and line ends there are, which cells cannot outnumber by more than one. */
static uint64_t count_stops(const char *text, char separator) {
    uint64_t n = 1;
    for (; *text != '\0'; text++) {
        n += *text == separator || *text == '\n' ? 1 : 0;
    }
    return n;
}

/* Between semicolons a number may have a comma for its point: 24,5. */
static void mend_comma(char *cell) {
    char *comma = strchr(cell, ',');
    const char *digits = cell + (*cell == '-' || *cell == '+' ? 1 : 0);
    if (comma != NULL && comma > digits && comma[1] != '\0' &&
        digits + strspn(digits, "0123456789") == comma &&
        comma[1 + strspn(comma + 1, "0123456789")] == '\0') {
        *comma = '.';
    }
}

/* Whether the text ends with the row, which `last` says of its last cell. */
static sonde_status read_row(sonde__sheet *sheet, walk *w, const char **cell, int32_t *n_cell,
                             sonde_error *error) {
    bool last = false;
    *n_cell = 0;
    while (!last) {
        const int32_t line = w->line;
        char *found = next_cell(w, &last);
        if (found == NULL) {
            return sonde__fail(error, SONDE_BAD_INPUT,
                               "%s: line %d: expected a closing quote, found none", sheet->origin,
                               (int)line);
        }
        if (w->separator == ';') {
            mend_comma(found);
        }
        cell[(*n_cell)++] = found;
    }
    return SONDE_OK;
}

static sonde_status read_rows(sonde__sheet *sheet, walk *w, const char **cell, int32_t *line,
                              sonde_error *error) {
    int32_t n_cell = 0;
    while (find_row(w)) {
        line[sheet->n_row] = w->line;
        const sonde_status status = read_row(sheet, w, cell, &n_cell, error);
        if (status) {
            return status;
        }
        if (n_cell != sheet->n_column) {
            return sonde__fail(
                error, SONDE_BAD_INPUT, "%s: row %d: expected %d cells, as in the head, found %d",
                sheet->origin, (int)sheet->n_row + 1, (int)sheet->n_column, (int)n_cell);
        }
        cell += n_cell;
        sheet->n_row++;
    }
    return SONDE_OK;
}

static sonde_status check_head(const sonde__sheet *sheet, sonde_error *error) {
    for (int32_t i = 0; i < sheet->n_column; i++) {
        if (sheet->head[i][0] == '\0') {
            return sonde__fail(error, SONDE_BAD_INPUT,
                               "%s: head: expected a name for column %d, found none", sheet->origin,
                               (int)i + 1);
        }
        if (sonde__sheet_column(sheet, sheet->head[i]) != i) {
            return sonde__fail(error, SONDE_BAD_INPUT,
                               "%s: head: expected different names, found \"%s\" twice",
                               sheet->origin, sheet->head[i]);
        }
    }
    return SONDE_OK;
}

sonde_status sonde__sheet_read(const char *origin, char *text, sonde__sheet *sheet,
                               sonde_error *error) {
    *sheet = (sonde__sheet){.origin = origin, .text = text};
    char *start = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
    walk w = {.at = start, .line = 1};
    if (!find_row(&w)) {
        return sonde__fail(error, SONDE_BAD_INPUT, "%s: expected a table, found nothing", origin);
    }
    const size_t width = strcspn(w.at, "\n");
    w.separator = memchr(w.at, '\t', width) != NULL  ? '\t'
                  : memchr(w.at, ',', width) != NULL ? ','
                  : memchr(w.at, ';', width) != NULL ? ';'
                                                     : ',';
    const uint64_t n_stop = count_stops(start, w.separator);
    const char **cell = SONDE__POOL_TAKE(&sheet->pool, const char *, n_stop);
    int32_t *line = SONDE__POOL_TAKE(&sheet->pool, int32_t, n_stop);
    if (cell == NULL || line == NULL) {
        return sonde__fail_memory(error, origin, n_stop * sizeof *cell);
    }
    sheet->head = cell;
    sonde_status status = read_row(sheet, &w, cell, &sheet->n_column, error);
    if (!status) {
        status = check_head(sheet, error);
    }
    sheet->cell = cell + sheet->n_column;
    sheet->line = line;
    return status ? status : read_rows(sheet, &w, cell + sheet->n_column, line, error);
}

void sonde__sheet_free(sonde__sheet *sheet) {
    sonde__pool_free(&sheet->pool);
    sonde__free(sheet->text);
    *sheet = (sonde__sheet){0};
}

int32_t sonde__sheet_column(const sonde__sheet *sheet, const char *name) {
    for (int32_t i = 0; i < sheet->n_column; i++) {
        if (strcmp(sheet->head[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

const char *sonde__sheet_cell(const sonde__sheet *sheet, int32_t row, int32_t column) {
    return sheet->cell[(int64_t)row * sheet->n_column + column];
}

bool sonde__sheet_number(const char *cell, double *number) {
    enum { LONGEST = 60 };
    char digits[LONGEST + 16];
    const size_t size = strlen(cell);
    if (size == 0 || size > LONGEST || strspn(cell, "0123456789+-.eE") < size) {
        return false;
    }
    /* a host program may have set a locale with another sign than a point */
    const int whole = (int)strcspn(cell, ".");
    const bool has_point = cell[whole] == '.';
    (void)snprintf(digits, sizeof digits, "%.*s%s%s", whole, cell,
                   has_point ? localeconv()->decimal_point : "", has_point ? cell + whole + 1 : "");
    char *end = NULL;
    *number = strtod(digits, &end);
    return *end == '\0' && isfinite(*number);
}

bool sonde__sheet_missing(const char *cell) {
    return *cell == '\0' || strcmp(cell, "NA") == 0 || strcmp(cell, "NaN") == 0 ||
           strcmp(cell, "nan") == 0;
}

sonde_status sonde__sheet_expected(const sonde__sheet *sheet, int32_t row, int32_t column,
                                   const char *expected, sonde_error *error) {
    const char *found = sonde__sheet_cell(sheet, row, column);
    return *found == '\0'
               ? sonde__fail(error, SONDE_BAD_INPUT,
                             "%s: row %d, column %s: expected %s, found none", sheet->origin,
                             (int)row + 1, sheet->head[column], expected)
               : sonde__fail(error, SONDE_BAD_INPUT,
                             "%s: row %d, column %s: expected %s, found \"%s\"", sheet->origin,
                             (int)row + 1, sheet->head[column], expected, found);
}
