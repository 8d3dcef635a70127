/* summary_grid.c: a table that is filled once and written as HTML, CSV, LaTeX, JSON or plain text.
 *
 * Cells come row by row, column heads first, and may span columns. Their words are plain UTF-8 and
 * lie one after the other in a single text; each writer escapes them as its format wants. The small
 * words behind a cell's number (an interval) and its style are for people and not in the CSV. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/shown.h"
#include "summary/summary.h"

#define DASH "\342\200\223"
#define MINUS "\342\210\222"

/* ----------------------------------------------------------------------------------- filling -- */

/* Room for one more cell; without it the grid has failed. */
static bool make_room(sonde__grid *grid) {
    if (grid->n_cell < grid->capacity) {
        return !grid->words.failed;
    }
    const int32_t capacity = grid->capacity > 0 ? 2 * grid->capacity : 64;
    sonde__grid_cell *cell = sonde__resize(grid->cell, (size_t)capacity * sizeof *cell);
    if (cell == NULL) {
        grid->words.failed = true;
        return false;
    }
    grid->cell = cell;
    grid->capacity = capacity;
    return !grid->words.failed;
}

void sonde__grid_add(sonde__grid *grid, uint32_t style, int32_t span, const char *words,
                     const char *small) {
    if (!make_room(grid)) {
        return;
    }
    sonde__grid_cell *cell = &grid->cell[grid->n_cell++];
    *cell = (sonde__grid_cell){.words = grid->words.size, .style = style, .span = span};
    sonde_text_add(&grid->words, "%s%c", words, '\0');
    if (small != NULL) {
        cell->small = grid->words.size;
        sonde_text_add(&grid->words, "%s%c", small, '\0');
    }
}

void sonde__grid_put(sonde__grid *grid, uint32_t style, const char *words) {
    sonde__grid_add(grid, style, 1, words, NULL);
}

void sonde__grid_integer(sonde__grid *grid, uint32_t style, int64_t number) {
    sonde__grid_put(grid, style, sonde__grouped(number).text);
}

void sonde__grid_number(sonde__grid *grid, double number) {
    char words[40] = "";
    if (!isnan(number)) {
        sonde_text text = {0};
        sonde_text_add_number(&text, number);
        (void)snprintf(words, sizeof words, "%s", text.data != NULL ? text.data : "");
        grid->words.failed = grid->words.failed || text.failed;
        sonde_text_free(&text);
    }
    sonde__grid_put(grid, 0, words);
}

const char *sonde__grid_words(const sonde__grid *grid, const sonde__grid_cell *cell) {
    return grid->words.data + cell->words;
}

const char *sonde__grid_small(const sonde__grid *grid, const sonde__grid_cell *cell) {
    return cell->small > 0 ? grid->words.data + cell->small : NULL;
}

void sonde__grid_free(sonde__grid *grid) {
    sonde__free(grid->cell);
    sonde_text_free(&grid->words);
    *grid = (sonde__grid){0};
}

/* -------------------------------------------------------------------------------------- HTML -- */

static void add_html_cell(const sonde__grid *grid, const sonde__grid_cell *cell, bool is_head,
                          sonde_text *html) {
    const char *name = is_head ? "th" : "td";
    const char *small = sonde__grid_small(grid, cell);
    sonde_text_add(html, "<%s colspan=\"%" PRId32 "\">%s", name, cell->span,
                   (cell->style & SONDE__BOLD) != 0 ? "<b>" : "");
    sonde__html(html, sonde__grid_words(grid, cell));
    sonde_text_add(html, "%s%s", (cell->style & SONDE__BOLD) != 0 ? "</b>" : "",
                   (cell->style & SONDE__MARK) != 0 ? "\342\200\240" : "");
    if (small != NULL) {
        sonde_text_add(html, " <small>");
        sonde__html(html, small);
        sonde_text_add(html, "</small>");
    }
    sonde_text_add(html, "</%s>", name);
}

void sonde__grid_html(const sonde__grid *grid, sonde_text *html) {
    html->failed = html->failed || grid->words.failed;
    sonde_text_add(html, "<table>\n");
    for (int32_t i = 0, row = 0; i < grid->n_cell && !html->failed; row++) {
        sonde_text_add(html, "<tr>");
        for (int32_t column = 0; column < grid->n_column && i < grid->n_cell; i++) {
            add_html_cell(grid, &grid->cell[i], row < grid->n_head, html);
            column += grid->cell[i].span;
        }
        sonde_text_add(html, "</tr>\n");
    }
    sonde_text_add(html, "</table>\n");
}

/* --------------------------------------------------------------------------------------- CSV -- */

/* In quotes where a comma, a quote or a new line would be misread; after an apostrophe where a
 * spreadsheet would calculate. */
static void add_csv_words(const char *words, sonde_text *csv) {
    const char *guard = sonde__csv_guard(words);
    if (strpbrk(words, ",\"\r\n") == NULL) {
        sonde_text_add(csv, "%s%s", guard, words);
        return;
    }
    sonde_text_add(csv, "\"%s", guard);
    for (const char *c = words; *c != '\0'; c++) {
        sonde_text_add(csv, "%s%c", *c == '"' ? "\"" : "", *c);
    }
    sonde_text_add(csv, "\"");
}

/* As programs read it: no groups of three, a plain minus, nothing in place of a dash. */
static void add_csv_number(const char *words, sonde_text *csv) {
    if (strcmp(words, DASH) == 0) {
        return;
    }
    for (const char *c = words; *c != '\0'; c++) {
        if (strncmp(c, MINUS, strlen(MINUS)) == 0) {
            sonde_text_add(csv, "-");
            c += strlen(MINUS) - 1;
        } else if (*c != ',') {
            sonde_text_add(csv, "%c", *c);
        }
    }
}

void sonde__grid_csv(const sonde__grid *grid, sonde_text *csv) {
    csv->failed = csv->failed || grid->words.failed;
    int32_t row = 0;
    for (int32_t i = 0, column = 0; i < grid->n_cell && !csv->failed; i++) {
        const sonde__grid_cell *cell = &grid->cell[i];
        sonde_text_add(csv, column > 0 ? "," : "");
        if (row < grid->n_head || (cell->style & SONDE__LEFT) != 0) {
            add_csv_words(sonde__grid_words(grid, cell), csv);
        } else {
            add_csv_number(sonde__grid_words(grid, cell), csv);
        }
        for (int32_t more = 1; more < cell->span; more++) {
            sonde_text_add(csv, ",");
        }
        column = (column + cell->span) % grid->n_column;
        row += column == 0 ? 1 : 0;
        sonde_text_add(csv, column == 0 ? "\n" : "");
    }
}

/* ------------------------------------------------------------------------------------- LaTeX -- */

/* What LaTeX reads otherwise, and the signs beyond ASCII that a report uses. */
static const char *const tex_sign[][2] = {
    {DASH, "--"},
    {MINUS, "$-$"},
    {"\303\227", "$\\times$"},       /* times */
    {"\302\265", "$\\mu$"},          /* micro */
    {"\342\200\240", "$^\\dagger$"}, /* dagger */
    {"&", "\\&"},
    {"%", "\\%"},
    {"#", "\\#"},
    {"$", "\\$"},
    {"_", "\\_"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"~", "\\textasciitilde{}"},
    {"^", "\\textasciicircum{}"},
    {"\\", "\\textbackslash{}"},
};
#define N_TEX_SIGN (sizeof tex_sign / sizeof *tex_sign)

static void add_tex_words(const char *words, sonde_text *tex) {
    while (*words != '\0') {
        size_t i = 0;
        while (i < N_TEX_SIGN && strncmp(words, tex_sign[i][0], strlen(tex_sign[i][0])) != 0) {
            i++;
        }
        if (i < N_TEX_SIGN) {
            sonde_text_add(tex, "%s", tex_sign[i][1]);
            words += strlen(tex_sign[i][0]);
        } else {
            sonde_text_add(tex, "%c", *words);
            words++;
        }
    }
}

static void add_tex_cell(const sonde__grid *grid, const sonde__grid_cell *cell, sonde_text *tex) {
    const char *small = sonde__grid_small(grid, cell);
    if (cell->span > 1) {
        sonde_text_add(tex, "\\multicolumn{%" PRId32 "}{c}{", cell->span);
    }
    sonde_text_add(tex, "%s", (cell->style & SONDE__BOLD) != 0 ? "\\textbf{" : "");
    add_tex_words(sonde__grid_words(grid, cell), tex);
    sonde_text_add(tex, "%s", (cell->style & SONDE__BOLD) != 0 ? "}" : "");
    sonde_text_add(tex, "%s", (cell->style & SONDE__MARK) != 0 ? "$^\\dagger$" : "");
    if (small != NULL) {
        sonde_text_add(tex, " {\\scriptsize ");
        add_tex_words(small, tex);
        sonde_text_add(tex, "}");
    }
    sonde_text_add(tex, "%s", cell->span > 1 ? "}" : "");
}

/* One letter for each column, as the first row below the heads has it. */
static void add_tex_columns(const sonde__grid *grid, sonde_text *tex) {
    int32_t i = 0;
    for (int32_t row = 0; row < grid->n_head; row++) {
        for (int32_t column = 0; column < grid->n_column && i < grid->n_cell; i++) {
            column += grid->cell[i].span;
        }
    }
    for (int32_t column = 0; column < grid->n_column; column++) {
        const bool left =
            i + column < grid->n_cell && (grid->cell[i + column].style & SONDE__LEFT) != 0;
        sonde_text_add(tex, left ? "l" : "r");
    }
}

void sonde__grid_tex(const sonde__grid *grid, sonde_text *tex) {
    tex->failed = tex->failed || grid->words.failed;
    sonde_text_add(tex, "\\begin{tabular}{");
    add_tex_columns(grid, tex);
    sonde_text_add(tex, "}\n\\hline\n");
    int32_t row = 0;
    for (int32_t i = 0; i < grid->n_cell && !tex->failed; row++) {
        if (row == grid->n_head || (grid->cell[i].style & SONDE__RULE) != 0) {
            sonde_text_add(tex, "\\hline\n");
        }
        for (int32_t column = 0; column < grid->n_column && i < grid->n_cell; i++) {
            sonde_text_add(tex, column > 0 ? " & " : "");
            add_tex_cell(grid, &grid->cell[i], tex);
            column += grid->cell[i].span;
        }
        sonde_text_add(tex, " \\\\\n");
    }
    sonde_text_add(tex, "\\hline\n\\end{tabular}\n");
}

/* -------------------------------------------------------------------------------------- JSON -- */

static void add_json_cell(const sonde__grid *grid, const sonde__grid_cell *cell, sonde_text *json) {
    static const char *const style[] = {"bold", "mark", "left", "rule", "apart"};
    const char *small = sonde__grid_small(grid, cell);
    if (cell->style == 0 && cell->span == 1 && small == NULL) {
        sonde_text_add_quoted(json, sonde__grid_words(grid, cell));
        return;
    }
    sonde_text_add(json, "{\"words\": ");
    sonde_text_add_quoted(json, sonde__grid_words(grid, cell));
    if (small != NULL) {
        sonde__text_words(json, "small", small);
    }
    if (cell->span > 1) {
        sonde_text_add(json, ", \"span\": %" PRId32, cell->span);
    }
    for (int32_t i = 0; i < 5; i++) {
        if ((cell->style >> i & 1u) != 0) {
            sonde_text_add(json, ", \"%s\": true", style[i]);
        }
    }
    sonde_text_add(json, "}");
}

void sonde__grid_json(const sonde__grid *grid, sonde_text *json) {
    json->failed = json->failed || grid->words.failed;
    sonde_text_add(json, "{\"name\": \"%s\", \"heads\": %" PRId32 ", \"rows\": [", grid->name,
                   grid->n_head);
    for (int32_t i = 0; i < grid->n_cell && !json->failed;) {
        sonde_text_add(json, i > 0 ? ",\n  [" : "\n  [");
        for (int32_t column = 0; column < grid->n_column && i < grid->n_cell; i++) {
            sonde_text_add(json, column > 0 ? ", " : "");
            add_json_cell(grid, &grid->cell[i], json);
            column += grid->cell[i].span;
        }
        sonde_text_add(json, "]");
    }
    sonde_text_add(json, "]}");
}
