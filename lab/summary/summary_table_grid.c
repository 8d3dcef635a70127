/* summary_table_grid.c: the main table, laid out for people, for machines and for a terminal. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "summary/summary.h"

static const char *const source_title[SONDE__SOURCE_COUNT] = {"paper", "notebook", "text"};

static const char *scope_title(sonde_scope scope) {
    return scope == SONDE_GLOBAL ? "Global" : "Local";
}

/* -------------------------------------------------------------------------------- for people -- */

static void add_heads(const sonde__table_sum *table, bool short_form, sonde__grid *grid) {
    sonde__grid_add(grid, SONDE__LEFT, 4, "", NULL);
    for (int32_t size = 0; size < table->n_size; size++) {
        char words[32];
        (void)snprintf(words, sizeof words, "%" PRId32 " nodes", table->size[size]);
        sonde__grid_add(grid, 0, SONDE__SOURCE_COUNT, words, NULL);
    }
    sonde__grid_put(grid, SONDE__LEFT, "Scope");
    sonde__grid_put(grid, SONDE__LEFT, short_form ? "Emb." : "Embedding");
    sonde__grid_put(grid, 0, "k");
    sonde__grid_put(grid, 0, "n");
    for (int32_t size = 0; size < table->n_size; size++) {
        for (int32_t source = 0; source < SONDE__SOURCE_COUNT; source++) {
            sonde__grid_put(grid, source == SONDE__PAPER ? SONDE__APART : 0, source_title[source]);
        }
    }
}

/* What a row is about; what it shares with the row above is left out, as in the paper. */
static void add_key(const sonde__table_sum *table, int32_t row, sonde__grid *grid) {
    static const sonde__cell_key none = {.embedding = ""};
    const sonde__cell_key *key = &table->key[row];
    const sonde__cell_key *above = row > 0 ? &table->key[row - 1] : &none;
    const bool new_scope = row == 0 || key->scope != above->scope;
    const bool new_embedding = new_scope || strcmp(key->embedding, above->embedding) != 0;
    const uint32_t rule = row > 0 && new_embedding ? SONDE__RULE : 0;
    sonde__grid_put(grid, SONDE__LEFT | rule, new_scope ? scope_title(key->scope) : "");
    sonde__grid_put(grid, SONDE__LEFT, new_embedding ? sonde__embedding_title(key->embedding) : "");
    if (key->k == 0) {
        sonde__grid_put(grid, 0, "");
        sonde__grid_put(grid, 0, "");
        return;
    }
    if (new_embedding || key->k != above->k) {
        sonde__grid_integer(grid, 0, key->k);
    } else {
        sonde__grid_put(grid, 0, "");
    }
    sonde__grid_integer(grid, 0, key->n);
}

/* A percentage and, where Sonde found it, its interval. */
static void add_value(const sonde__table_cell *cell, int32_t source, bool short_form,
                      sonde__grid *grid) {
    const char *dash = short_form ? "-" : "\342\200\223";
    const bool paper = source == SONDE__PAPER;
    const uint32_t style = (cell->best[source] ? SONDE__BOLD : 0) | (paper ? SONDE__APART : 0) |
                           (paper && cell->outside ? SONDE__MARK : 0);
    if (cell->n_graph[source] == 0) {
        sonde__grid_put(grid, paper ? SONDE__APART : 0, dash);
        return;
    }
    double low = 0.0;
    double high = 0.0;
    char interval[112];
    sonde__wilson(cell->n_optimal[source], cell->n_graph[source], &low, &high);
    (void)snprintf(interval, sizeof interval, "%s%s%s", sonde__fixed(100.0 * low, 0).text, dash,
                   sonde__fixed(100.0 * high, 0).text);
    const int32_t n_decimal = short_form && !paper ? 0 : 1;
    sonde__grid_add(grid, style, 1, sonde__fixed(cell->percent[source], n_decimal).text,
                    paper ? NULL : interval);
}

void sonde__table_grid(const sonde__table_sum *table, bool short_form, sonde__grid *grid) {
    *grid = (sonde__grid){
        .name = "table1", .n_column = 4 + SONDE__SOURCE_COUNT * table->n_size, .n_head = 2};
    add_heads(table, short_form, grid);
    for (int32_t row = 0; row < table->n_row; row++) {
        add_key(table, row, grid);
        for (int32_t i = 0; i < table->n_size * SONDE__SOURCE_COUNT; i++) {
            add_value(sonde__table_at(table, row, i / SONDE__SOURCE_COUNT), i % SONDE__SOURCE_COUNT,
                      short_form, grid);
        }
    }
}

/* ------------------------------------------------------------------------------ for machines -- */

static void add_plain(sonde__grid *grid, double number, int32_t n_decimal) {
    sonde__grid_put(grid, 0, isnan(number) ? "" : sonde__fixed(number, n_decimal).text);
}

static void add_listed_source(const sonde__table_cell *cell, int32_t source, sonde__grid *grid) {
    double low = 0.0;
    double high = 0.0;
    sonde__wilson(cell->n_optimal[source], cell->n_graph[source], &low, &high);
    add_plain(grid, cell->percent[source], source == SONDE__PAPER ? 1 : 4);
    sonde__grid_integer(grid, 0, cell->n_optimal[source]);
    sonde__grid_integer(grid, 0, cell->n_graph[source]);
    add_plain(grid, 100.0 * low, 4);
    add_plain(grid, 100.0 * high, 4);
}

void sonde__table_list(const sonde__table_sum *table, sonde__grid *grid) {
    static const char *const part[] = {"percent", "optimal", "graphs", "low", "high"};
    static const char *const key_head[] = {"scope", "embedding", "k", "n", "size"};
    *grid =
        (sonde__grid){.name = "table1", .n_column = 5 + 5 * SONDE__SOURCE_COUNT + 1, .n_head = 1};
    for (int32_t i = 0; i < 5; i++) {
        sonde__grid_put(grid, 0, key_head[i]);
    }
    for (int32_t i = 0; i < 5 * SONDE__SOURCE_COUNT; i++) {
        char words[32];
        (void)snprintf(words, sizeof words, "%s_%s", source_title[i / 5], part[i % 5]);
        sonde__grid_put(grid, 0, words);
    }
    sonde__grid_put(grid, 0, "paper_inside");
    for (int32_t i = 0; i < table->n_row * table->n_size; i++) {
        const sonde__cell_key *key = &table->key[i / table->n_size];
        const sonde__table_cell *cell = &table->cell[i];
        sonde__grid_put(grid, SONDE__LEFT, sonde_scope_name((int32_t)key->scope));
        sonde__grid_put(grid, SONDE__LEFT, key->embedding);
        sonde__grid_integer(grid, 0, key->k);
        sonde__grid_integer(grid, 0, key->n);
        sonde__grid_integer(grid, 0, table->size[i % table->n_size]);
        for (int32_t source = 0; source < SONDE__SOURCE_COUNT; source++) {
            add_listed_source(cell, source, grid);
        }
        sonde__grid_put(grid, 0, !cell->compared ? "" : cell->outside ? "0" : "1");
    }
}

/* ---------------------------------------------------------------------------- for a terminal -- */

void sonde__table_text(const sonde__results *results, const sonde__table_sum *table,
                       sonde_text *text) {
    if (table->n_row == 0) {
        sonde_text_add(text, "The plan \"%s\" has no conditions of the group \"table\".\n",
                       results->plan->name);
        return;
    }
    sonde__grid grid = {0};
    sonde__table_grid(table, true, &grid);
    sonde_text_add(text, "Percent of runs that were optimal, with 95 %% intervals");
    if (results->n_task_done < results->plan->n_task) {
        sonde_text_add(text, " (%" PRId32 " of %" PRId32 " tasks done)", results->n_task_done,
                       results->plan->n_task);
    }
    sonde_text_add(text, "\n\n");
    sonde__grid_text(&grid, text);
    sonde_text_add(text, "\n\342\226\270 the best embedding of its column\n");
    if (table->n_compared > 0) {
        sonde_text_add(text,
                       "* the paper's value is outside the central 95 %% of what its graphs would "
                       "give at Sonde's\n  notebook value; %" PRId32 " of %" PRId32
                       " values are inside\n",
                       table->n_inside, table->n_compared);
    }
    sonde__grid_free(&grid);
}
