/* cells.c: a CSV or TSV table cut into cells, strictly.
 *
 * What stands between cells is a tab where the header has one, else a comma, else a semicolon.
 * Cells may be quoted, a quote within is written twice, and lines end with LF or CRLF. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cells.h"
#include "base/shown.h"

sonde_status sonde__cell_wrong(const sonde__cells *cells, int32_t row, int32_t column,
                               const char *format, ...) {
    char words[768];
    va_list rest;
    va_start(rest, format);
    const int length = vsnprintf(words, sizeof words, format, rest);
    va_end(rest);
    const char *name = column >= 0 ? cells->name[column] : NULL;
    return sonde__fail(cells->error, SONDE_BAD_INPUT, "%s: row %d%s%s: %s", cells->origin, row + 1,
                       name != NULL ? ", column " : "", name != NULL ? name : "",
                       length < 0 ? "cannot be read" : words);
}

bool sonde__cell_is_missing(const char *cell) {
    return cell[0] == '\0' || strcmp(cell, "NA") == 0 || strcmp(cell, "NaN") == 0 ||
           strcmp(cell, "nan") == 0;
}

bool sonde__cell_whole(const char *cell, int64_t *number) {
    int64_t value = 0;
    const bool negative = *cell == '-';
    cell += negative;
    if (*cell < '0' || *cell > '9') {
        return false;
    }
    for (; *cell >= '0' && *cell <= '9'; cell++) {
        if (value > INT32_MAX) {
            return false;
        }
        value = value * 10 + (*cell - '0');
    }
    if (*cell == '.') { /* as tables have whole numbers beside missing ones */
        cell += 1 + strspn(cell + 1, "0");
    }
    *number = negative ? -value : value;
    return *cell == '\0';
}

/* What stands between the cells of the header. */
static char separator_of(const char *text) {
    const size_t length = strcspn(text, "\r\n");
    return memchr(text, '\t', length) != NULL                                       ? '\t'
           : memchr(text, ',', length) == NULL && memchr(text, ';', length) != NULL ? ';'
                                                                                    : ',';
}

/* a table that is being cut */
typedef struct {
    char *at;
    const char *end;
    char separator;
    bool line_ended; /* the last cell was the last of its line */
} cutting;

/* One cell, unquoted in place; NULL: a quote is not closed, or something follows it. */
static char *cut_cell(cutting *cut) {
    char *from = cut->at;
    char *cell = from;
    char *to = from;
    if (*from == '"') {
        from++;
        while (from < cut->end && !(*from == '"' && from[1] != '"')) {
            from += *from == '"';
            *to++ = *from++;
        }
        if (from == cut->end) {
            return NULL;
        }
        from++;
    } else {
        while (from < cut->end && *from != cut->separator && *from != '\n' && *from != '\r') {
            *to++ = *from++;
        }
    }
    const char last = from < cut->end ? *from : '\n';
    if (last != cut->separator && last != '\n' && last != '\r') {
        return NULL;
    }
    from += from < cut->end;
    from += last == '\r' && from < cut->end && *from == '\n';
    cut->line_ended = last != cut->separator;
    cut->at = from;
    *to = '\0';
    return cell;
}

/* Lines that are left, or a few more. */
static int64_t count_lines(const cutting *cut) {
    int64_t n = 1;
    for (const char *at = cut->at; at < cut->end; at++) {
        n += *at == '\n' || *at == '\r';
    }
    return n;
}

/* columns of a table, at most: each is compared with all others */
enum { COLUMNS_MAX = 4096 };

static sonde_status cut_header(sonde__cells *cells, cutting *cut) {
    int64_t n = 1;
    for (const char *at = cut->at; at < cut->end && *at != '\n' && *at != '\r'; at++) {
        n += *at == cut->separator;
    }
    if (n > COLUMNS_MAX) {
        return sonde__fail(cells->error, SONDE_BAD_INPUT,
                           "%s: header: expected at most %d columns, found %lld", cells->origin,
                           COLUMNS_MAX, (long long)n);
    }
    cells->name = SONDE__POOL_TAKE(cells->pool, const char *, n);
    if (cells->name == NULL) {
        return sonde__fail_memory(cells->error, "table", (uint64_t)n * sizeof(char *));
    }
    do {
        const char *name = cut_cell(cut);
        if (name == NULL || cells->n_column == n || name[0] == '\0') {
            return sonde__fail(cells->error, SONDE_BAD_INPUT,
                               "%s: header, column %d: expected a name, found %s", cells->origin,
                               cells->n_column + 1,
                               name == NULL ? "a quote that is not closed" : "none");
        }
        for (int32_t c = 0; c < cells->n_column; c++) {
            if (strcmp(cells->name[c], name) == 0) {
                return sonde__fail(
                    cells->error, SONDE_BAD_INPUT,
                    "%s: header: two columns are called %s; name one of them otherwise",
                    cells->origin, name);
            }
        }
        cells->name[cells->n_column++] = name;
    } while (!cut->line_ended);
    return SONDE_OK;
}

static sonde_status cut_row(sonde__cells *cells, cutting *cut) {
    const char **row = cells->cell + (int64_t)cells->n_row * cells->n_column;
    int32_t n = 0;
    do {
        const char *cell = cut_cell(cut);
        if (cell == NULL) {
            return sonde__cell_wrong(cells, cells->n_row, n < cells->n_column ? n : -1,
                                     "a quote is not closed, or something follows it");
        }
        if (n < cells->n_column) {
            row[n] = cell;
        }
        n++;
    } while (!cut->line_ended);
    if (n != cells->n_column) {
        return sonde__cell_wrong(cells, cells->n_row, -1,
                                 "expected %d cells, as the header has, found %d", cells->n_column,
                                 n);
    }
    cells->n_row++;
    return SONDE_OK;
}

/* Refuses text that is not UTF-8: names that differ would look the same in documents. */
static sonde_status check_text(const sonde__cells *cells, const char *text, size_t size) {
    int64_t line = 1;
    uint32_t code;
    int length;
    for (const char *at = text; at < text + size; at += length) {
        length = (unsigned char)*at < 0x80 ? 1 : sonde__character(at, &code);
        line += *at == '\n';
        if (length == 0) {
            return sonde__fail(cells->error, SONDE_BAD_INPUT,
                               "%s: line %lld: expected text in UTF-8, found the byte 0x%02x; save "
                               "the table as UTF-8",
                               cells->origin, (long long)line, (unsigned)(unsigned char)*at);
        }
    }
    return SONDE_OK;
}

sonde_status sonde__cells_cut(sonde__cells *cells, char *text, size_t size) {
    static const char mark[] = "\xef\xbb\xbf"; /* that some programs begin a text with */
    const size_t skip = size >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
    cutting cut = {.at = text + skip, .end = text + size, .separator = separator_of(text + skip)};
    if (memchr(text, '\0', size) != NULL) {
        return sonde__fail(cells->error, SONDE_BAD_INPUT,
                           "%s: expected a table as text, CSV or TSV, found a zero byte",
                           cells->origin);
    }
    while (cut.end > cut.at && (cut.end[-1] == '\n' || cut.end[-1] == '\r')) {
        cut.end--;
    }
    if (cut.at == cut.end) {
        return sonde__fail(cells->error, SONDE_BAD_INPUT,
                           "%s: expected a table with a header, found nothing", cells->origin);
    }
    sonde_status status = check_text(cells, text, size);
    if (status == SONDE_OK) {
        status = cut_header(cells, &cut);
    }
    if (status != SONDE_OK) {
        return status;
    }
    const int64_t n_line = cut.at < cut.end ? count_lines(&cut) : 0;
    if (n_line == 0 || n_line > INT32_MAX) {
        return sonde__fail(cells->error, SONDE_BAD_INPUT,
                           "%s: expected rows below the header, found %s", cells->origin,
                           n_line == 0 ? "none" : "too many");
    }
    const uint64_t n = sonde__multiply((uint64_t)n_line, (uint64_t)cells->n_column);
    cells->cell = SONDE__POOL_TAKE(cells->pool, const char *, n);
    if (cells->cell == NULL) {
        return sonde__fail_memory(cells->error, "table", sonde__multiply(n, sizeof(char *)));
    }
    while (status == SONDE_OK && cut.at < cut.end) {
        status = cut_row(cells, &cut);
    }
    return status;
}
