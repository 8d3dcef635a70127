/* report_table.c: the paper's Table 1 beside what Sonde finds, cell by cell.
 *
 * A cell is a row of the table (scope, embedding, k, n) at one size: percent of runs that were
 * optimal in the paper, under the notebook's semantics and under the text's. The paper's value is a
 * count among 40 graphs (39 in most rows of size 5). It lies outside when such a count would be in
 * the upper or lower 2.5 % if each run were optimal with the probability that Sonde finds under
 * `notebook`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/report_figures.h"
#include "report/report_page.h"

#define GROUP "table"
#define PAPER_SIZE 3 /* the first of its three sizes */

/* ---------------------------------------------------------------------------------- the paper -- */

typedef struct {
    sonde_scope scope;
    const char *embedding;
    int32_t k;
    int32_t n;
    double percent[3]; /* of sizes 3, 4, 5 */
} paper_row;

static const paper_row paper[] = {
    {SONDE_GLOBAL, "none", 0, 0, {100.0, 97.5, 97.4}},
    {SONDE_GLOBAL, "boe", 6, 1, {70.0, 65.0, 56.4}},
    {SONDE_GLOBAL, "boe", 6, 3, {77.5, 62.5, 46.1}},
    {SONDE_GLOBAL, "boe", 12, 1, {60.0, 87.5, 59.0}},
    {SONDE_GLOBAL, "boe", 12, 3, {77.5, 62.5, 51.3}},
    {SONDE_GLOBAL, "edm", 6, 1, {70.0, 67.5, 48.7}},
    {SONDE_GLOBAL, "edm", 6, 3, {80.0, 72.5, 56.4}},
    {SONDE_GLOBAL, "edm", 12, 1, {67.5, 72.5, 64.1}},
    {SONDE_GLOBAL, "edm", 12, 3, {80.0, 72.5, 61.5}},
    {SONDE_GLOBAL, "aboe", 6, 1, {82.5, 85.0, 66.7}},
    {SONDE_GLOBAL, "aboe", 6, 3, {87.5, 85.0, 61.5}},
    {SONDE_GLOBAL, "aboe", 12, 1, {85.0, 67.5, 35.9}},
    {SONDE_GLOBAL, "aboe", 12, 3, {75.0, 92.5, 79.5}},
    {SONDE_LOCAL, "none", 0, 0, {100.0, 97.5, 97.5}},
    {SONDE_LOCAL, "boe", 6, 1, {17.5, 37.5, 48.7}},
    {SONDE_LOCAL, "boe", 6, 3, {52.5, 55.0, 61.5}},
    {SONDE_LOCAL, "boe", 12, 1, {42.5, 47.5, 41.0}},
    {SONDE_LOCAL, "boe", 12, 3, {82.5, 42.5, 25.6}},
    {SONDE_LOCAL, "edm", 6, 1, {5.0, 52.5, 45.0}},
    {SONDE_LOCAL, "edm", 6, 3, {50.0, 65.0, 35.0}},
    {SONDE_LOCAL, "edm", 12, 1, {50.0, 60.0, 40.0}},
    {SONDE_LOCAL, "edm", 12, 3, {97.5, 32.5, 15.4}},
    {SONDE_LOCAL, "aboe", 6, 1, {15.0, 12.5, 5.1}},
    {SONDE_LOCAL, "aboe", 6, 3, {35.0, 12.5, 5.1}},
    {SONDE_LOCAL, "aboe", 12, 1, {5.0, 22.5, 12.8}},
    {SONDE_LOCAL, "aboe", 12, 3, {70.0, 20.0, 12.8}},
};
#define N_PAPER ((int32_t)(sizeof paper / sizeof *paper))

double sonde__paper_percent(sonde_scope scope, const char *embedding, int32_t k, int32_t n,
                            int32_t size) {
    const bool full = strcmp(embedding, "none") == 0;
    for (int32_t i = 0; i < N_PAPER; i++) {
        const paper_row *row = &paper[i];
        if (row->scope == scope && strcmp(row->embedding, embedding) == 0 &&
            (full || (row->k == k && row->n == n)) && size >= PAPER_SIZE && size < PAPER_SIZE + 3) {
            return row->percent[size - PAPER_SIZE];
        }
    }
    return (double)NAN;
}

/* The count behind a percentage, which is one of 40 graphs, or else of 39. */
static int32_t paper_count(double percent, int32_t *n_graph) {
    const double of_40 = percent * 0.4;
    *n_graph = fabs(of_40 - floor(of_40 + 0.5)) < 0.03 ? 40 : 39;
    return (int32_t)floor(percent * (double)*n_graph / 100.0 + 0.5);
}

/* ---------------------------------------------------------------------------------- the cells -- */

static int by_key(const void *a, const void *b) {
    return sonde__key_compare(a, b);
}

/* The rows that the conditions of the group make, in order. */
static int32_t collect_keys(const sonde_plan *plan, sonde__cell_key *key) {
    int32_t n = 0;
    for (int32_t c = 0; c < plan->n_condition; c++) {
        if (sonde__in_group(&plan->condition[c], GROUP)) {
            key[n++] = sonde__key_of(&plan->condition[c]);
        }
    }
    qsort(key, (size_t)n, sizeof *key, by_key);
    int32_t n_distinct = 0;
    for (int32_t i = 0; i < n; i++) {
        if (n_distinct == 0 || sonde__key_compare(&key[n_distinct - 1], &key[i]) != 0) {
            key[n_distinct++] = key[i];
        }
    }
    return n_distinct;
}

static void count_cell(const sonde__results *results, const sonde__cell_key *key, int32_t size,
                       sonde__table_cell *cell) {
    static const uint32_t differences[SONDE__SOURCE_COUNT] = {
        [SONDE__NOTEBOOK] = SONDE_SEMANTICS_NOTEBOOK, [SONDE__TEXT] = SONDE_SEMANTICS_TEXT};
    cell->percent[SONDE__PAPER] =
        sonde__paper_percent(key->scope, key->embedding, key->k, key->n, size);
    if (!isnan(cell->percent[SONDE__PAPER])) {
        cell->n_optimal[SONDE__PAPER] =
            paper_count(cell->percent[SONDE__PAPER], &cell->n_graph[SONDE__PAPER]);
    }
    for (int32_t source = SONDE__NOTEBOOK; source < SONDE__SOURCE_COUNT; source++) {
        const int32_t condition =
            sonde__condition_find(results->plan, GROUP, key, differences[source]);
        sonde__tally tally = {0};
        sonde__tally_add(&tally, sonde__runs(results, condition, size));
        cell->n_graph[source] = tally.n_run;
        cell->n_optimal[source] = tally.n_failure[SONDE_FAILURE_NONE];
        cell->percent[source] = sonde__tally_percent(&tally);
    }
    cell->compared = cell->n_graph[SONDE__PAPER] > 0 && cell->n_graph[SONDE__NOTEBOOK] > 0;
    cell->outside =
        cell->compared &&
        !sonde__binomial_central(cell->n_optimal[SONDE__PAPER], cell->n_graph[SONDE__PAPER],
                                 cell->percent[SONDE__NOTEBOOK] / 100.0);
}

/* Marks the embeddings that no other one exceeds, at one size and from one source. */
static void find_best(sonde__table *table, int32_t size, int32_t source) {
    double best = -1.0;
    for (int32_t pass = 0; pass < 2; pass++) {
        for (int32_t row = 0; row < table->n_row; row++) {
            sonde__table_cell *cell =
                &table->cell[(size_t)row * (size_t)table->n_size + (size_t)size];
            const double percent = cell->percent[source];
            if (isnan(percent) || strcmp(table->key[row].embedding, "none") == 0) {
                continue;
            }
            best = pass == 0 ? fmax(best, percent) : best;
            cell->best[source] = pass == 1 && percent >= best;
        }
    }
}

/* How many of the paper's values are inside, and how far Sonde's are from them on average. */
static void compare(sonde__table *table) {
    double n_apart[SONDE__SOURCE_COUNT] = {0};
    double apart[SONDE__SOURCE_COUNT] = {0};
    for (int32_t i = 0; i < table->n_row * table->n_size; i++) {
        const sonde__table_cell *cell = &table->cell[i];
        table->n_compared += cell->compared ? 1 : 0;
        table->n_inside += cell->compared && !cell->outside ? 1 : 0;
        for (int32_t source = SONDE__NOTEBOOK; source < SONDE__SOURCE_COUNT; source++) {
            const double distance = fabs(cell->percent[source] - cell->percent[SONDE__PAPER]);
            n_apart[source] += isnan(distance) ? 0.0 : 1.0;
            apart[source] += isnan(distance) ? 0.0 : distance;
        }
    }
    for (int32_t source = 0; source < SONDE__SOURCE_COUNT; source++) {
        table->apart[source] =
            n_apart[source] > 0.0 ? apart[source] / n_apart[source] : (double)NAN;
    }
}

sonde_status sonde__table_count(const sonde__results *results, sonde__table *table) {
    const sonde_plan *plan = results->plan;
    *table = (sonde__table){0};
    table->n_size = sonde__sizes_of(plan, GROUP, SONDE__SIZE_MAX, table->size);
    table->key = sonde__alloc((size_t)plan->n_condition * sizeof *table->key);
    if (table->key == NULL) {
        return SONDE_NO_MEMORY;
    }
    table->n_row = collect_keys(plan, table->key);
    table->cell = sonde__alloc((size_t)table->n_row * (size_t)table->n_size * sizeof *table->cell);
    if (table->cell == NULL) {
        return SONDE_NO_MEMORY;
    }
    for (int32_t i = 0; i < table->n_row * table->n_size; i++) {
        count_cell(results, &table->key[i / table->n_size], table->size[i % table->n_size],
                   &table->cell[i]);
    }
    for (int32_t size = 0; size < table->n_size; size++) {
        for (int32_t source = 0; source < SONDE__SOURCE_COUNT; source++) {
            find_best(table, size, source);
        }
    }
    compare(table);
    return SONDE_OK;
}

const sonde__table_cell *sonde__table_at(const sonde__table *table, int32_t row, int32_t size) {
    return &table->cell[(size_t)row * (size_t)table->n_size + (size_t)size];
}

void sonde__table_free(sonde__table *table) {
    sonde__free(table->key);
    sonde__free(table->cell);
    *table = (sonde__table){0};
}
