/* report_failures.c: what went wrong in the runs that were not optimal, counted by kind. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "draw/report_figures.h"
#include "draw/report_page.h"

#define GROUP "table"

/* Conditions that differ in k and n only. */
typedef struct {
    sonde_scope scope;
    const char *embedding;
    uint32_t differences;
} family;

static sonde__tally count_family(const sonde__results *results, const family *of) {
    const sonde_plan *plan = results->plan;
    const bool full = strcmp(of->embedding, "none") == 0;
    sonde__tally tally = {0};
    for (int32_t c = 0; c < plan->n_condition; c++) {
        const sonde_condition *condition = &plan->condition[c];
        const sonde__cell_key key = sonde__key_of(condition);
        if (!sonde__in_group(condition, GROUP) || key.scope != of->scope ||
            strcmp(key.embedding, of->embedding) != 0 ||
            (!full && condition->differences != of->differences)) {
            continue;
        }
        for (int32_t i = 0; i < condition->n_size; i++) {
            sonde__tally_add(&tally, sonde__runs(results, c, condition->size[i]));
        }
    }
    return tally;
}

static void add_family(const sonde__results *results, const family *of, bool new_scope,
                       sonde__grid *grid) {
    const sonde__tally tally = count_family(results, of);
    const bool full = strcmp(of->embedding, "none") == 0;
    if (tally.n_run == 0) {
        return;
    }
    sonde__grid_put(grid, SONDE__LEFT | (new_scope ? SONDE__RULE : 0),
                    sonde_scope_name((int32_t)of->scope));
    sonde__grid_put(grid, SONDE__LEFT,
                    full ? "full search" : sonde__embedding_title(of->embedding));
    sonde__grid_put(grid, SONDE__LEFT, full ? "" : of->differences == 0 ? "text" : "notebook");
    sonde__grid_integer(grid, 0, tally.n_run);
    sonde__grid_integer(grid, 0, tally.n_failure[SONDE_FAILURE_NONE]);
    sonde__grid_put(grid, 0, sonde__fixed(sonde__tally_percent(&tally), 1).text);
    for (int32_t failure = SONDE_FAILURE_STAYED; failure < SONDE__FAILURE_COUNT; failure++) {
        sonde__grid_integer(grid, 0, tally.n_failure[failure]);
    }
}

/* The table's embeddings, by the order of its rows. */
static void add_families(const sonde__page *page, sonde__grid *grid) {
    static const uint32_t semantics[] = {SONDE_SEMANTICS_NOTEBOOK, SONDE_SEMANTICS_TEXT};
    const sonde__table_sum *table = &page->table;
    for (int32_t row = 0; row < table->n_row; row++) {
        const sonde__cell_key *key = &table->key[row];
        const bool new_scope = row == 0 || key->scope != table->key[row - 1].scope;
        if (!new_scope && strcmp(key->embedding, table->key[row - 1].embedding) == 0) {
            continue;
        }
        const bool full = strcmp(key->embedding, "none") == 0;
        for (int32_t i = 0; i < (full ? 1 : 2); i++) {
            const family of = {key->scope, key->embedding, semantics[i]};
            add_family(page->results, &of, new_scope && i == 0 && row > 0, grid);
        }
    }
}

static sonde_status add_table(sonde__page *page) {
    static const char *const head[] = {"scope", "search", "semantics",     "runs",   "optimal",
                                       "%",     "stayed", "never arrived", "detour", "left"};
    sonde__grid grid = {.name = "failures", .n_column = 10, .n_head = 1};
    for (int32_t i = 0; i < 10; i++) {
        sonde__grid_put(&grid, i < 3 ? SONDE__LEFT : 0, head[i]);
    }
    add_families(page, &grid);
    const sonde_status status = sonde__page_table(
        page, &grid, NULL,
        "Runs by what became of them, all sizes, k and n of the table together. Stayed: never left "
        "the start. Never arrived: moved, but did not reach the destination. Detour: arrived, not by "
        "a shortest path. Left: arrived, and went away again.");
    sonde__grid_free(&grid);
    return status;
}

/* ------------------------------------------------------------------------------------------- words -- */

/* All runs of the table, or those with clusters in one scope. */
static sonde__tally count_all(const sonde__results *results, bool clustered, sonde_scope scope) {
    sonde__tally tally = {0};
    for (int32_t c = 0; c < results->plan->n_condition; c++) {
        const sonde_condition *condition = &results->plan->condition[c];
        const bool wanted = !clustered || (condition->search.search == SONDE_SEARCH_CLUSTER &&
                                           condition->search.scope == scope);
        for (int32_t i = 0; i < condition->n_size; i++) {
            if (wanted && sonde__in_group(condition, GROUP)) {
                sonde__tally_add(&tally, sonde__runs(results, c, condition->size[i]));
            }
        }
    }
    return tally;
}

/* What mostly happens when clustered search is not optimal in a scope. */
static void add_sentence(sonde__page *page, sonde_scope scope) {
    static const char *const what[] = {"", "the agent never leaves its start",
                                       "it moves but never arrives", "it takes a detour",
                                       "it arrives and goes away again"};
    const sonde__tally tally = count_all(page->results, true, scope);
    const int32_t n_failed = tally.n_run - tally.n_failure[SONDE_FAILURE_NONE];
    int32_t most = SONDE_FAILURE_STAYED;
    for (int32_t failure = most; failure < SONDE__FAILURE_COUNT; failure++) {
        most = tally.n_failure[failure] > tally.n_failure[most] ? failure : most;
    }
    if (n_failed > 0) {
        sonde_text_add(
            &page->body,
            "<p>With clusters in %s scope, %s of %s were not optimal; mostly %s "
            "(%s %% of them).</p>\n",
            sonde_scope_name((int32_t)scope), sonde__grouped(n_failed).text,
            sonde__plural(tally.n_run, "run").text, what[most],
            sonde__fixed(100.0 * (double)tally.n_failure[most] / (double)n_failed, 0).text);
    }
}

sonde_status sonde__page_failures(sonde__page *page) {
    if (count_all(page->results, false, SONDE_LOCAL).n_run == 0) {
        return SONDE_OK;
    }
    sonde_text svg = {0};
    sonde__page_section(page, "failures", "When it fails");
    add_sentence(page, SONDE_GLOBAL);
    add_sentence(page, SONDE_LOCAL);
    sonde_status status = add_table(page);
    if (status == SONDE_OK && sonde__figure_failures(page->results, &svg)) {
        status = sonde__page_figure(page, "failures", &svg,
                                    "What became of the runs that were not optimal.");
    }
    sonde_text_free(&svg);
    return status == SONDE_OK ? sonde__page_failed_run(page) : status;
}
