/* summary_table.c: the paper's Table 1 beside what Sonde finds, cell by cell.
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
#include "paper/paper.h"
#include "summary/summary.h"

#define GROUP "table"

/* --------------------------------------------------------------------------------- the cells -- */

static int by_key(const void *a, const void *b) {
    return sonde__key_compare(a, b);
}

/* The rows that the conditions of the group make, in order. */
static int32_t collect_keys(const sonde_study_plan *plan, sonde__cell_key *key) {
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
            sonde__paper_count(cell->percent[SONDE__PAPER], &cell->n_graph[SONDE__PAPER]);
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
static void find_best(sonde__table_sum *table, int32_t size, int32_t source) {
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
static void compare(sonde__table_sum *table) {
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

sonde_status sonde__table_count(const sonde__results *results, sonde__table_sum *table) {
    const sonde_study_plan *plan = results->plan;
    *table = (sonde__table_sum){0};
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

const sonde__table_cell *sonde__table_at(const sonde__table_sum *table, int32_t row, int32_t size) {
    return &table->cell[(size_t)row * (size_t)table->n_size + (size_t)size];
}

void sonde__table_free(sonde__table_sum *table) {
    sonde__free(table->key);
    sonde__free(table->cell);
    *table = (sonde__table_sum){0};
}
