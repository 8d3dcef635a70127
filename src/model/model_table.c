/* model_table.c: A, B and D, from the numbers of a file to the layout they are used in.
 *
 * Numbers come in the order of the file, from memory or through a supply, and are gone through
 * twice: first each is checked and those that are not 0 are counted, which decides how the table is
 * stored and how large it is; then they are put in their places. So a file's numbers are never in
 * memory a second time. Entries that are given sparsely come in any order and are sorted first.
 *
 * Columns are divided by their sum when all is in place, from the first row to the last, so that it
 * does not matter how the numbers came. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model_internal.h"

/* numbers that are taken from a supply at once */
#define PIECE 8192
/* numbers in whole rows that are stored at once */
#define ROWS 131072
/* how far from 1 a sum may be, and how far by rounding alone */
#define SUM_TOLERANCE 1e-6
/* numbers of a table with counts that is stored in full, whatever its zeros */
#define GROWING_MAX 65536
#define SUM_ROUNDING 0x1p-50

/* ------------------------------------------------------------------------------------ places -- */

/* B[0][:,2,1], or B[0][3,2,1] where `row` is one. */
static sonde__path place(const sonde__table *table, int64_t row, int64_t column) {
    sonde__path path = sonde__table_name(table);
    if (table->n_axis == 1 && row < 0) {
        return path;
    }
    path = row < 0 ? sonde__at("%s[:", path.text) : sonde__at("%s[%lld", path.text, (long long)row);
    int64_t below = table->n_column;
    for (int32_t a = 1; a < table->n_axis; a++) {
        below /= table->size[a];
        path = sonde__at("%s,%lld", path.text, (long long)(column / below % table->size[a]));
    }
    return sonde__at("%s]", path.text);
}

/* What a number can be at most. */
static double largest(const sonde__table *table) {
    return table->counted ? SONDE__COUNT_MAX : 2.0;
}

static sonde_status check_number(const sonde__maker *maker, const sonde__table *table, int64_t row,
                                 int64_t column, double value) {
    return value >= 0.0 && value <= largest(table)
               ? SONDE_OK
               : sonde__maker_wrong(
                     maker, "%s: expected %s, found %.17g", place(table, row, column).text,
                     table->counted ? "a count from 0 to 1e12" : "a probability", value);
}

/* ------------------------------------------------------------------- numbers, in file order -- */

/* some neighbours in the file: the k-th belongs to row + k row_step and column + k column_step */
typedef struct {
    int64_t row;
    int64_t column;
    int64_t row_step; /* 1 and 0, or 0 and 1 */
    int64_t column_step;
    int64_t n;
    const double *value; /* (n) */
} stretch;
typedef sonde_status (*visitor)(const sonde__maker *maker, sonde__table *table,
                                const stretch *some);

/* a place in the array: an index for each axis, and the row and column that they mean */
typedef struct {
    const int64_t *size;
    int32_t n_axis;
    int32_t fastest; /* axis */
    int32_t slower;  /* what leads from an axis to the next slower one: 1 or -1 */
    int64_t column_step[SONDE__AXES];
    int64_t index[SONDE__AXES];
    int64_t row;
    int64_t column;
} odometer;

static odometer odometer_start(const sonde__table *table, bool first_fastest) {
    odometer o = {.size = table->size,
                  .n_axis = table->n_axis,
                  .fastest = first_fastest ? 0 : table->n_axis - 1,
                  .slower = first_fastest ? 1 : -1};
    int64_t below = table->n_column;
    for (int32_t a = 1; a < table->n_axis; a++) {
        below /= table->size[a];
        o.column_step[a] = below;
    }
    return o;
}

static void odometer_move(odometer *o, int32_t axis, int64_t n) {
    o->index[axis] += n;
    o->row += axis == 0 ? n : 0;
    o->column += n * o->column_step[axis];
}

/* Goes n numbers on along the fastest axis, and on to the next stretch at its end. */
static void odometer_advance(odometer *o, int64_t n) {
    int32_t axis = o->fastest;
    odometer_move(o, axis, n);
    while (o->index[axis] == o->size[axis]) {
        odometer_move(o, axis, -o->size[axis]);
        axis += o->slower;
        if (axis < 0 || axis == o->n_axis) {
            return;
        }
        odometer_move(o, axis, 1);
    }
}

/* Hands n numbers to the visitor, in stretches along the fastest axis. */
static sonde_status visit_piece(const sonde__maker *maker, sonde__table *table, odometer *o,
                                visitor visit, int64_t n, const double *value) {
    while (n > 0) {
        const int64_t left = o->size[o->fastest] - o->index[o->fastest];
        const stretch some = {.row = o->row,
                              .column = o->column,
                              .row_step = o->fastest == 0,
                              .column_step = o->fastest != 0,
                              .n = n < left ? n : left,
                              .value = value};
        const sonde_status status = visit(maker, table, &some);
        if (status != SONDE_OK) {
            return status;
        }
        odometer_advance(o, some.n);
        value += some.n;
        n -= some.n;
    }
    return SONDE_OK;
}

/* Counts have small letters. */
static char letter_of(const sonde__table *table) {
    return (char)(table->counted ? table->letter - 'A' + 'a' : table->letter);
}

/* Hands the numbers of a table that come from a file to the visitor, a piece at a time. */
static sonde_status visit_supplied(sonde__maker *maker, sonde__table *table, visitor visit,
                                   double *piece) {
    const int64_t n = table->n_column * table->n_row;
    bool first_fastest = false;
    const sonde__supply *supply = maker->supply;
    sonde_status status =
        supply->start(supply->user, letter_of(table), table->number, &first_fastest);
    odometer o = odometer_start(table, first_fastest);
    for (int64_t done = 0; done < n && status == SONDE_OK; done += PIECE) {
        const int64_t some = n - done < PIECE ? n - done : PIECE;
        status = supply->next(supply->user, some, piece);
        if (status == SONDE_OK) {
            status = visit_piece(maker, table, &o, visit, some, piece);
        }
        if (sonde__stopped(&maker->run)) {
            return sonde__fail(maker->error, SONDE_STOPPED, "interrupted");
        }
    }
    return status;
}

/* Hands all numbers of a table to the visitor. */
static sonde_status visit_all(sonde__maker *maker, sonde__table *table, visitor visit) {
    if (table->array->value != NULL) {
        odometer o = odometer_start(table, false);
        return visit_piece(maker, table, &o, visit, table->n_column * table->n_row,
                           table->array->value);
    }
    /* too much for the stack of a thread */
    double *piece = sonde__alloc(PIECE * sizeof *piece);
    if (piece == NULL) {
        return sonde__fail_memory(maker->error, maker->origin != NULL ? maker->origin : "model",
                                  PIECE * sizeof *piece);
    }
    const sonde_status status = visit_supplied(maker, table, visit, piece);
    sonde__free(piece);
    return status;
}

static sonde_status count_stretch(const sonde__maker *maker, sonde__table *table,
                                  const stretch *some) {
    int64_t *count = table->count + some->column;
    const double most = largest(table);
    for (int64_t k = 0; k < some->n; k++) {
        const double value = some->value[k];
        if (!(value >= 0.0 && value <= most)) {
            return check_number(maker, table, some->row + k * some->row_step,
                                some->column + k * some->column_step, value);
        }
        count[k * some->column_step] += value != 0.0;
    }
    return SONDE_OK;
}

static sonde_status store_dense(const sonde__maker *maker, sonde__table *table,
                                const stretch *some) {
    (void)maker;
    const int64_t block = (int64_t)table->n_row * table->n_lane;
    const int64_t step = some->row_step != 0 ? table->n_lane : table->n_action == 1 ? block : 1;
    double *to = table->value + some->column / table->n_action * block + some->row * table->n_lane +
                 some->column % table->n_action;
    for (int64_t k = 0; k < some->n; k++) {
        to[k * step] = some->value[k] + 0.0; /* minus nothing is nothing */
    }
    return SONDE_OK;
}

/* Some whole rows of the file at a time: the numbers of a column are then written side by side, not
 * one here and one far away. */
static void store_rows(sonde__table *table, int64_t first, int64_t n, const double *value) {
    const int64_t n_action = table->n_action;
    const int64_t n_lane = table->n_lane;
    for (int64_t block = 0; block < table->n_column / n_action; block++) {
        double *to = table->value + (block * table->n_row + first) * n_lane;
        const double *from = value + block * n_action;
        for (int64_t r = 0; r < n; r++) {
            for (int64_t u = 0; u < n_action; u++) {
                to[r * n_lane + u] = from[r * table->n_column + u] + 0.0;
            }
        }
    }
}

static sonde_status store_dense_all(sonde__maker *maker, sonde__table *table) {
    const bool supplied = table->array->value == NULL;
    bool first_fastest = false;
    double *room = NULL;
    const int64_t most = ROWS / table->n_column < 64 ? ROWS / table->n_column : 64;
    sonde_status status = SONDE_OK;
    if (supplied) {
        status = maker->supply->start(maker->supply->user, letter_of(table), table->number,
                                      &first_fastest);
    }
    if (status != SONDE_OK || most < 2 || first_fastest) {
        return status != SONDE_OK ? status : visit_all(maker, table, store_dense);
    }
    if (supplied) {
        room = sonde__maker_take(maker, (uint64_t)(most * table->n_column), sizeof *room);
        status = maker->status;
    }
    for (int64_t row = 0; row < table->n_row && status == SONDE_OK; row += most) {
        const int64_t n = table->n_row - row < most ? table->n_row - row : most;
        const double *value = supplied ? room : table->array->value + row * table->n_column;
        if (supplied) {
            status = maker->supply->next(maker->supply->user, n * table->n_column, room);
        }
        if (status == SONDE_OK) {
            store_rows(table, row, n, value);
        }
    }
    return status;
}

/* While a table is filled, offset[column + 1] is where the column's next number goes. */
static void put_sparse(sonde__table *table, int64_t row, int64_t column, double p) {
    const int64_t at = table->offset[column + 1]++;
    table->row[at] = (int32_t)row;
    table->p[at] = p;
}

static sonde_status store_sparse(const sonde__maker *maker, sonde__table *table,
                                 const stretch *some) {
    (void)maker;
    for (int64_t k = 0; k < some->n; k++) {
        if (some->value[k] != 0.0) {
            put_sparse(table, some->row + k * some->row_step, some->column + k * some->column_step,
                       some->value[k]);
        }
    }
    return SONDE_OK;
}

/* ----------------------------------------------------------------------------------- entries -- */

static int compare_cells(const void *left, const void *right) {
    const sonde__cell *a = left;
    const sonde__cell *b = right;
    const int by_column = (a->column > b->column) - (a->column < b->column);
    return by_column != 0 ? by_column : (a->row > b->row) - (a->row < b->row);
}

/* The entries of an array as rows and columns, sorted. */
static sonde_status sort_entries(sonde__maker *maker, sonde__table *table) {
    const sonde_array *array = table->array;
    const odometer o = odometer_start(table, false);
    table->cell = sonde__maker_take(maker, (uint64_t)array->n_entry, sizeof *table->cell);
    if (table->cell == NULL) {
        return maker->status;
    }
    bool sorted = true;
    for (int64_t i = 0; i < array->n_entry; i++) {
        const int64_t *index = array->index + i * table->n_axis;
        sonde__cell *cell = &table->cell[i];
        *cell = (sonde__cell){.row = (int32_t)index[0], .p = array->entry[i]};
        for (int32_t a = 0; a < table->n_axis; a++) {
            if (index[a] < 0 || index[a] >= table->size[a]) {
                return sonde__maker_wrong(
                    maker, "%s.entries[%lld][%d]: expected an index from 0 to %lld, found %lld",
                    sonde__table_name(table).text, (long long)i, a, (long long)table->size[a] - 1,
                    (long long)index[a]);
            }
            cell->column += index[a] * o.column_step[a];
        }
        sorted = sorted && (i == 0 || compare_cells(cell - 1, cell) < 0);
    }
    table->n_cell = array->n_entry;
    if (!sorted) {
        qsort(table->cell, (size_t)table->n_cell, sizeof *table->cell, compare_cells);
    }
    return SONDE_OK;
}

static sonde_status count_entries(sonde__maker *maker, sonde__table *table) {
    sonde_status status = sort_entries(maker, table);
    for (int64_t i = 0; i < table->n_cell && status == SONDE_OK; i++) {
        const sonde__cell *cell = &table->cell[i];
        if (i > 0 && compare_cells(cell - 1, cell) == 0) {
            return sonde__maker_wrong(maker, "%s: is given twice; give it once",
                                      place(table, cell->row, cell->column).text);
        }
        status = check_number(maker, table, cell->row, cell->column, cell->p);
        table->count[cell->column] += cell->p != 0.0;
    }
    return status;
}

static void store_entries(const sonde__maker *maker, sonde__table *table) {
    for (int64_t i = 0; i < table->n_cell; i++) {
        const sonde__cell *cell = &table->cell[i];
        const stretch one = {.row = cell->row, .column = cell->column, .n = 1, .value = &cell->p};
        (void)(table->sparse ? store_sparse : store_dense)(maker, table, &one);
    }
}

/* -------------------------------------------------------------------------------------- sums -- */

/* Neumaier's sum, whose error does not grow with n. */
static double careful_sum(const double *value, int64_t n, int64_t stride) {
    double sum = 0.0;
    double lost = 0.0;
    for (int64_t i = 0; i < n; i++) {
        const double x = value[i * stride];
        const double next = sum + x;
        lost += sum >= x ? (sum - next) + x : (x - next) + sum;
        sum = next;
    }
    return sum + lost;
}

double sonde__normalise(double *value, int64_t n, int64_t stride) {
    const double sum = careful_sum(value, n, stride);
    if (fabs(sum - 1.0) > SUM_ROUNDING) {
        for (int64_t i = 0; i < n; i++) {
            value[i * stride] /= sum;
        }
    }
    return sum;
}

double sonde__counts_mean(const double *counts, int64_t n, int64_t stride, double least,
                          double *mean) {
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++) {
        const double a = counts[i * stride];
        sum += a > least ? a : least;
    }
    for (int64_t i = 0; i < n && sum > 0.0; i++) {
        const double a = counts[i * stride];
        mean[i * stride] = (a > least ? a : least) / sum;
    }
    return sum;
}

static sonde_status check_sum(const sonde__maker *maker, const sonde__table *table, int64_t column,
                              double sum) {
    if (table->counted && !(sum > 0.0)) {
        return sonde__maker_wrong(maker, "%s: expected counts with a sum of more than 0, found %g",
                                  place(table, -1, column).text, sum);
    }
    return table->counted || fabs(sum - 1.0) <= SUM_TOLERANCE
               ? SONDE_OK
               : sonde__maker_wrong(maker, "%s: expected probabilities that sum to 1, found %.10g",
                                    place(table, -1, column).text, sum);
}

static sonde_status normalise_columns(const sonde__maker *maker, sonde__table *table) {
    sonde_status status = SONDE_OK;
    for (int64_t column = 0; column < table->n_column && status == SONDE_OK; column++) {
        double *first = table->sparse
                            ? table->p + table->offset[column]
                            : table->value +
                                  (column / table->n_action * table->n_row) * table->n_lane +
                                  column % table->n_action;
        const int64_t n =
            table->sparse ? table->offset[column + 1] - table->offset[column] : table->n_row;
        const int64_t stride = table->sparse ? 1 : table->n_lane;
        status = check_sum(maker, table, column,
                           table->counted ? sonde__counts_mean(first, n, stride, 0.0, first)
                                          : sonde__normalise(first, n, stride));
        /* what is certain is certain to the last bit */
        for (int64_t i = 0; table->count[column] == 1 && i < n; i++) {
            first[i * stride] = first[i * stride] > 0.0 ? 1.0 : 0.0;
        }
    }
    return status;
}

/* ------------------------------------------------------------------------- the two passes -- */

static bool has_entries(const sonde__table *table) {
    return table->array->value == NULL && table->array->n_entry != SONDE__SUPPLIED;
}

int64_t sonde__table_size(const sonde__table *table) {
    return table->sparse ? table->n_nonzero
                         : table->n_column / table->n_action * table->n_row * table->n_lane;
}

sonde_status sonde__table_measure(sonde__maker *maker, sonde__table *table) {
    table->count = sonde__maker_take(maker, (uint64_t)table->n_column, sizeof *table->count);
    if (table->count == NULL) {
        return maker->status;
    }
    const sonde_status status =
        has_entries(table) ? count_entries(maker, table) : visit_all(maker, table, count_stretch);
    table->certain = true;
    for (int64_t column = 0; column < table->n_column; column++) {
        table->n_nonzero += table->count[column];
        table->certain = table->certain && table->count[column] == 1;
    }
    /* sparse when at most a quarter of the numbers are not 0; what learns has room for zeros that
     * grow, unless it is large */
    const int64_t n = table->n_column * table->n_row;
    const bool few = table->n_nonzero <= n / 4 && (!sonde__table_learns(table) || n > GROWING_MAX);
    table->sparse = table->must_be_sparse || (few && !table->must_be_dense);
    return status;
}

sonde_status sonde__table_store(sonde__maker *maker, sonde__table *table) {
    for (int64_t column = 0; table->sparse && column < table->n_column - 1; column++) {
        table->offset[column + 2] = table->offset[column + 1] + table->count[column];
    }
    sonde_status status = SONDE_OK;
    if (has_entries(table)) {
        store_entries(maker, table);
    } else {
        status =
            table->sparse ? visit_all(maker, table, store_sparse) : store_dense_all(maker, table);
    }
    if (status == SONDE_OK && table->counted) {
        memcpy(table->counts, table->sparse ? table->p : table->value,
               (size_t)sonde__table_size(table) * sizeof *table->counts);
    }
    return status == SONDE_OK ? normalise_columns(maker, table) : status;
}

/* ------------------------------------------------------------------- what else was given -- */

/* a table while another array of its shape is compared with it */
typedef struct {
    sonde__table table; /* of the other array; first: a pointer to it is a pointer to the whole */
    const sonde__table *made;
    double apart;
    double *mass; /* (n_column) of the mean where the other has entries */
} comparison;

/* The number of a table that is made. */
static double number_at(const sonde__table *table, int64_t row, int64_t column) {
    if (!table->sparse) {
        return table->value[(column / table->n_action * table->n_row + row) * table->n_lane +
                            column % table->n_action];
    }
    int64_t i = table->offset[column];
    while (i < table->offset[column + 1] && table->row[i] < row) {
        i++;
    }
    return i < table->offset[column + 1] && table->row[i] == row ? table->p[i] : 0.0;
}

static sonde_status compare_stretch(const sonde__maker *maker, sonde__table *table,
                                    const stretch *some) {
    (void)maker;
    comparison *c = (comparison *)table;
    for (int64_t k = 0; k < some->n; k++) {
        const double made = number_at(c->made, some->row + k * some->row_step,
                                      some->column + k * some->column_step);
        const double apart = fabs(some->value[k] - made);
        c->apart = apart > c->apart ? apart : c->apart;
        c->mass[some->column + k * some->column_step] += made;
    }
    return SONDE_OK;
}

/* Counts beside an array that holds: they are stored as they are, in full. */
static sonde_status store_counts(sonde__maker *maker, sonde__table *table, sonde__table *other) {
    other->value = table->counts;
    other->p = NULL;
    other->sparse = false;
    if (has_entries(other)) {
        store_entries(maker, other);
        return SONDE_OK;
    }
    return store_dense_all(maker, other);
}

/* A column of counts has a sum; how far its mean is from the array that holds. */
static sonde_status compare_kept(const sonde__maker *maker, comparison *c, int64_t column) {
    double sum = 0.0;
    for (int64_t row = 0; row < c->table.n_row; row++) {
        sum += number_at(&c->table, row, column);
    }
    for (int64_t row = 0; row < c->table.n_row && sum > 0.0; row++) {
        const double apart =
            fabs(number_at(&c->table, row, column) / sum - number_at(c->made, row, column));
        c->apart = apart > c->apart ? apart : c->apart;
    }
    return check_sum(maker, &c->table, column, sum);
}

sonde_status sonde__table_compare(sonde__maker *maker, sonde__table *table, double *apart) {
    comparison c = {.table = *table, .made = table};
    c.table.array = table->other;
    c.table.counted = !table->counted;
    c.table.n_nonzero = 0;
    const bool kept = c.table.counted; /* the given array holds, and its counts come now */
    sonde_status status = sonde__table_measure(maker, &c.table);
    c.mass = status == SONDE_OK
                 ? sonde__maker_take(maker, (uint64_t)table->n_column, sizeof *c.mass)
                 : NULL;
    if (c.mass == NULL) {
        return status != SONDE_OK ? status : maker->status;
    }
    if (kept) {
        status = store_counts(maker, table, &c.table);
        for (int64_t column = 0; column < table->n_column && status == SONDE_OK; column++) {
            status = compare_kept(maker, &c, column);
        }
    } else if (has_entries(&c.table)) {
        for (int64_t i = 0; i < c.table.n_cell; i++) {
            const sonde__cell *cell = &c.table.cell[i];
            const stretch one = {
                .row = cell->row, .column = cell->column, .n = 1, .value = &cell->p};
            (void)compare_stretch(maker, &c.table, &one);
        }
        for (int64_t column = 0; column < table->n_column; column++) {
            c.apart = 1.0 - c.mass[column] > c.apart ? 1.0 - c.mass[column] : c.apart;
        }
    } else {
        status = visit_all(maker, &c.table, compare_stretch);
    }
    *apart = c.apart;
    return status;
}
