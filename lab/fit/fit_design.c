/* fit_design.c: what is known of subjects besides what they did, as a matrix.
 *
 * Numbers are centred, so that the intercept stays the mean of the group; words have treatment
 * coding, a column of 0 and 1 for each level but the alphabetically first. A column that follows
 * from those before it would make beta arbitrary, and is an error. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "fit/fit_group.h"
#include "fit/fit_table.h"

/* what is left of a column of length 1 when those before it are taken out, at least */
#define LEAST_LEFT 1e-8

/* A design while it is made. */
typedef struct {
    sonde__design *d;
    const sonde__sheet *sheet;
    sonde_error *error;
    sonde_status status;
    const int32_t *row; /* (n_subject) of each in the sheet */
    const char **covariate;
    const char **column;
    int32_t *of;
    double *x; /* (n_column_max, n_subject) while it is made */
} making;

static void *take(making *m, uint64_t n, size_t size) {
    void *piece = m->status ? NULL : sonde__pool_take(&m->d->pool, n, size);
    if (piece == NULL && !m->status) {
        m->status = sonde__fail_memory(m->error, "the covariates", sonde__multiply(n, size));
    }
    return piece;
}

#define TAKE(m, type, n) ((type *)take((m), (uint64_t)(n), sizeof(type)))

static const char *copy(making *m, const char *text) {
    const size_t size = strlen(text) + 1;
    char *made = TAKE(m, char, size);
    return made != NULL ? memcpy(made, text, size) : NULL;
}

static const char *cell_of(const making *m, int32_t subject, int32_t column) {
    return sonde__sheet_cell(m->sheet, m->row[subject], column);
}

/* ----------------------------------------------------------------------------------- columns -- */

/* Takes the next column of X. */
static double *add_column(making *m, const char *name) {
    sonde__design *d = m->d;
    m->column[d->n_column] = copy(m, name);
    m->of[d->n_column] = d->n_covariate - 1;
    return m->x + (int64_t)d->n_column++ * d->n_subject;
}

/* How many cells of a column are numbers, and the first subject of whom one is none, or -1. */
static int32_t count_numbers(const making *m, int32_t column, int32_t *word) {
    double number;
    int32_t n = 0;
    *word = -1;
    for (int32_t i = 0; i < m->d->n_subject; i++) {
        const bool numeric = sonde__sheet_number(cell_of(m, i, column), &number);
        n += numeric ? 1 : 0;
        *word = !numeric && *word < 0 ? i : *word;
    }
    return n;
}

static bool is_numeric(const making *m, int32_t column) {
    int32_t word;
    return count_numbers(m, column, &word) == m->d->n_subject;
}

/* A word among numbers is a mistake, not a level. */
static void check_words(making *m, int32_t column) {
    int32_t word;
    if (count_numbers(m, column, &word) > m->d->n_subject / 2) {
        m->status = sonde__sheet_expected(m->sheet, m->row[word], column,
                                          "a number, as most others have", m->error);
    }
}

static void add_numbers(making *m, int32_t column) {
    const int32_t n = m->d->n_subject;
    double *x = add_column(m, m->sheet->head[column]);
    double mean = 0.0;
    for (int32_t i = 0; i < n; i++) {
        (void)sonde__sheet_number(cell_of(m, i, column), &x[i]);
        mean += x[i] / n;
    }
    for (int32_t i = 0; i < n; i++) {
        x[i] -= mean;
    }
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_level(making *m, int32_t column, const char *level) {
    sonde_text name = {0};
    sonde_text_add(&name, "%s[%s]", m->sheet->head[column], level);
    double *x = add_column(m, name.data ? name.data : "");
    if (name.failed && !m->status) {
        m->status = sonde__fail_memory(m->error, "the covariates", 0);
    }
    sonde_text_free(&name);
    for (int32_t i = 0; i < m->d->n_subject; i++) {
        x[i] = strcmp(cell_of(m, i, column), level) == 0 ? 1.0 : 0.0;
    }
}

/* The levels of a column of words, sorted, in `level` (n_subject); returns how many. */
static int32_t find_levels(const making *m, int32_t column, const char **level) {
    const int32_t n = m->d->n_subject;
    for (int32_t i = 0; i < n; i++) {
        level[i] = cell_of(m, i, column);
    }
    qsort(level, (size_t)n, sizeof *level, by_name);
    int32_t n_level = 1;
    for (int32_t i = 1; i < n; i++) {
        if (strcmp(level[i], level[n_level - 1]) != 0) {
            level[n_level++] = level[i];
        }
    }
    return n_level;
}

static void add_covariate(making *m, int32_t column, const char **level) {
    for (int32_t i = 0; i < m->d->n_subject; i++) {
        if (sonde__sheet_missing(cell_of(m, i, column))) {
            m->status = sonde__sheet_expected(m->sheet, m->row[i], column, "a value", m->error);
            return;
        }
    }
    m->covariate[m->d->n_covariate++] = copy(m, m->sheet->head[column]);
    if (is_numeric(m, column)) {
        add_numbers(m, column);
        return;
    }
    check_words(m, column);
    if (m->status) {
        return;
    }
    const int32_t n_level = find_levels(m, column, level);
    for (int32_t l = 1; !m->status && l < n_level; l++) {
        add_level(m, column, level[l]);
    }
    if (n_level == 1) {
        m->status =
            sonde__fail(m->error, SONDE_BAD_INPUT,
                        "%s: column %s: expected subjects that differ, found \"%s\" for all",
                        m->sheet->origin, m->sheet->head[column], level[0]);
    }
}

/* ------------------------------------------------------------------------------------- rank -- */

/* Takes the part of a unit vector that lies along another away from it. */
static void take_out(int32_t n, const double *unit, double *x) {
    double along = 0.0;
    for (int32_t i = 0; i < n; i++) {
        along += unit[i] * x[i];
    }
    for (int32_t i = 0; i < n; i++) {
        x[i] -= along * unit[i];
    }
}

static double normalise(int32_t n, double *x) {
    double square = 0.0;
    for (int32_t i = 0; i < n; i++) {
        square += x[i] * x[i];
    }
    const double length = sqrt(square);
    for (int32_t i = 0; i < n; i++) {
        x[i] = length > 0.0 ? x[i] / length : 0.0;
    }
    return length;
}

/* Gram and Schmidt, twice over, on columns of length 1. */
static void check_rank(making *m) {
    const sonde__design *d = m->d;
    const int32_t n = d->n_subject;
    double *unit = TAKE(m, double, (uint64_t)n *(uint64_t)d->n_column);
    for (int32_t c = 0; !m->status && c < d->n_column; c++) {
        double *x = unit + (int64_t)c * n;
        memcpy(x, m->x + (int64_t)c * n, (size_t)n * sizeof *x);
        const double length = normalise(n, x);
        for (int32_t k = 0; k < 2 * c; k++) {
            take_out(n, unit + (int64_t)(k % c) * n, x);
        }
        if (!(length > 0.0) || normalise(n, x) < LEAST_LEFT) {
            m->status = sonde__fail(m->error, SONDE_BAD_INPUT,
                                    "%s: column %s: expected covariates that do not follow from "
                                    "each other, found that %s follows from those before it",
                                    m->sheet->origin, m->covariate[d->of[c]], d->column[c]);
        }
    }
}

/* ---------------------------------------------------------------------------------- together -- */

/* Turns columns that lie behind each other into rows. */
static void turn(making *m) {
    const sonde__design *d = m->d;
    double *x = TAKE(m, double, (uint64_t)d->n_subject *(uint64_t)d->n_column);
    for (int32_t i = 0; x != NULL && i < d->n_subject; i++) {
        for (int32_t c = 0; c < d->n_column; c++) {
            x[(int64_t)i * d->n_column + c] = m->x[(int64_t)c * d->n_subject + i];
        }
    }
    m->d->x = x;
}

static void take_columns(making *m, uint64_t n_column, uint64_t n_covariate) {
    m->d->covariate = m->covariate = TAKE(m, const char *, n_covariate);
    m->d->column = m->column = TAKE(m, const char *, n_column);
    m->d->of = m->of = TAKE(m, int32_t, n_column);
    m->x = TAKE(m, double, sonde__multiply(n_column, (uint64_t)m->d->n_subject));
    if (!m->status) {
        double *x = add_column(m, "intercept");
        for (int32_t i = 0; i < m->d->n_subject; i++) {
            x[i] = 1.0;
        }
    }
}

sonde_status sonde__design_plain(int32_t n_subject, sonde__design *design, sonde_error *error) {
    *design = (sonde__design){.n_subject = n_subject};
    making m = {.d = design, .error = error};
    take_columns(&m, 1, 0);
    if (!m.status) {
        turn(&m);
    }
    return m.status;
}

static bool has_subject(const sonde__sheet *sheet, const char *subject) {
    int32_t r = 0;
    while (r < sheet->n_row && strcmp(sonde__sheet_cell(sheet, r, 0), subject) != 0) {
        r++;
    }
    return r < sheet->n_row;
}

/* The column of subjects: the one called so, or else the first, if it has all of them; -1: none. */
static int32_t find_subjects(const making *m, const char *const *subject) {
    const int32_t named = sonde__sheet_column(m->sheet, "subject");
    int32_t i = 0;
    while (named < 0 && i < m->d->n_subject && has_subject(m->sheet, subject[i])) {
        i++;
    }
    return named < 0 && i == m->d->n_subject ? 0 : named;
}

/* Finds the row of every subject. */
static void find_rows(making *m, const char *const *subject, int32_t named, int32_t *row) {
    for (int32_t i = 0; !m->status && i < m->d->n_subject; i++) {
        row[i] = -1;
        for (int32_t r = 0; r < m->sheet->n_row; r++) {
            if (strcmp(sonde__sheet_cell(m->sheet, r, named), subject[i]) != 0) {
                continue;
            }
            if (row[i] >= 0) {
                m->status = sonde__fail(m->error, SONDE_BAD_INPUT,
                                        "%s: row %d: expected one row for each subject, found a "
                                        "second one of \"%s\"",
                                        m->sheet->origin, (int)r + 1, subject[i]);
                return;
            }
            row[i] = r;
        }
        if (row[i] < 0) {
            m->status = sonde__fail(m->error, SONDE_BAD_INPUT,
                                    "%s: expected a row for each subject, found none for \"%s\"",
                                    m->sheet->origin, subject[i]);
        }
    }
}

static void read_sheet(making *m, const char *const *subject) {
    const sonde__sheet *sheet = m->sheet;
    const int32_t named = find_subjects(m, subject);
    if (named < 0) {
        m->status = sonde__fail(m->error, SONDE_BAD_INPUT,
                                "%s: head: expected a column subject, or a first column that has "
                                "every subject, found none",
                                sheet->origin);
        return;
    }
    if (sheet->n_column < 2) {
        m->status =
            sonde__fail(m->error, SONDE_BAD_INPUT,
                        "%s: head: expected a covariate beside subject, found none", sheet->origin);
        return;
    }
    const uint64_t n = (uint64_t)m->d->n_subject;
    int32_t *row = TAKE(m, int32_t, n);
    const char **level = TAKE(m, const char *, n);
    m->row = row;
    find_rows(m, subject, named, row);
    uint64_t n_column = 1;
    for (int32_t column = 0; !m->status && column < sheet->n_column; column++) {
        const bool numeric = column == named || is_numeric(m, column);
        n_column += numeric ? 1 : (uint64_t)find_levels(m, column, level);
    }
    take_columns(m, n_column, (uint64_t)sheet->n_column);
    for (int32_t column = 0; !m->status && column < sheet->n_column; column++) {
        if (column != named) {
            add_covariate(m, column, level);
        }
    }
    if (!m->status) {
        check_rank(m);
    }
    if (!m->status) {
        turn(m);
    }
}

sonde_status sonde__design_read(const char *path, int32_t n_subject, const char *const *subject,
                                sonde__design *design, sonde_error *error) {
    *design = (sonde__design){.n_subject = n_subject};
    making m = {.d = design, .error = error};
    char *text = NULL;
    size_t size = 0;
    m.status = sonde__json_slurp(path, &text, &size, error);
    if (m.status) {
        sonde__free(text);
        return m.status;
    }
    sonde__sheet sheet;
    m.status = sonde__sheet_read(path, text, &sheet, error);
    m.sheet = &sheet;
    if (!m.status) {
        read_sheet(&m, subject);
    }
    sonde__sheet_free(&sheet);
    return m.status;
}

sonde_status sonde__design_without(const sonde__design *whole, int32_t covariate,
                                   sonde__design *design, sonde_error *error) {
    *design = (sonde__design){.n_subject = whole->n_subject};
    making m = {.d = design, .error = error};
    take_columns(&m, (uint64_t)whole->n_column, (uint64_t)whole->n_covariate);
    for (int32_t c = 1; !m.status && c < whole->n_column; c++) {
        if (whole->of[c] == covariate) {
            continue;
        }
        double *x = add_column(&m, whole->column[c]);
        m.of[design->n_column - 1] = whole->of[c];
        for (int32_t i = 0; i < whole->n_subject; i++) {
            x[i] = whole->x[(int64_t)i * whole->n_column + c];
        }
    }
    for (int32_t k = 0; !m.status && k < whole->n_covariate; k++) {
        m.covariate[k] = copy(&m, whole->covariate[k]);
    }
    design->n_covariate = whole->n_covariate;
    if (!m.status) {
        turn(&m);
    }
    return m.status;
}

void sonde__design_free(sonde__design *design) {
    sonde__pool_free(&design->pool);
    *design = (sonde__design){0};
}
