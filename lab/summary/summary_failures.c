/* summary_failures.c: what became of the runs, and every condition behind them. */
#include <inttypes.h>
#include <string.h>

#include "summary/summary.h"

#define GROUP "table"

/* Conditions that differ in k and n only. */
typedef struct {
    sonde_scope scope;
    const char *embedding;
    uint32_t differences;
} family;

static void count_condition(const sonde__results *results, int32_t c, sonde__tally *tally) {
    const sonde_condition *condition = &results->plan->condition[c];
    for (int32_t i = 0; i < condition->n_size; i++) {
        sonde__tally_add(tally, sonde__runs(results, c, condition->size[i]));
    }
}

static sonde__tally count_family(const sonde__results *results, const family *of) {
    const sonde_study_plan *plan = results->plan;
    const bool full = strcmp(of->embedding, "none") == 0;
    sonde__tally tally = {0};
    for (int32_t c = 0; c < plan->n_condition; c++) {
        const sonde_condition *condition = &plan->condition[c];
        const sonde__cell_key key = sonde__key_of(condition);
        if (sonde__in_group(condition, GROUP) && key.scope == of->scope &&
            strcmp(key.embedding, of->embedding) == 0 &&
            (full || condition->differences == of->differences)) {
            count_condition(results, c, &tally);
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
    sonde__grid_put(grid, SONDE__LEFT, full ? "" : sonde_semantics_name(of->differences));
    sonde__grid_integer(grid, 0, tally.n_run);
    sonde__grid_integer(grid, 0, tally.n_failure[SONDE_FAILURE_NONE]);
    sonde__grid_put(grid, 0, sonde__fixed(sonde__tally_percent(&tally), 1).text);
    for (int32_t failure = SONDE_FAILURE_STAYED; failure < SONDE__FAILURE_COUNT; failure++) {
        sonde__grid_integer(grid, 0, tally.n_failure[failure]);
    }
}

void sonde__failures_grid(const sonde__summary *summary, sonde__grid *grid, sonde__grid *list) {
    (void)list;
    static const uint32_t semantics[] = {SONDE_SEMANTICS_NOTEBOOK, SONDE_SEMANTICS_TEXT};
    static const char *const head[] = {"scope", "search", "semantics",     "runs",   "optimal",
                                       "%",     "stayed", "never arrived", "detour", "left"};
    const sonde__table_sum *table = &summary->table;
    *grid = (sonde__grid){.name = "failures", .n_column = 10, .n_head = 1};
    for (int32_t i = 0; i < 10; i++) {
        sonde__grid_put(grid, i < 3 ? SONDE__LEFT : 0, head[i]);
    }
    for (int32_t row = 0; row < table->n_row; row++) {
        const sonde__cell_key *key = &table->key[row];
        const bool new_scope = row == 0 || key->scope != table->key[row - 1].scope;
        if (!new_scope && strcmp(key->embedding, table->key[row - 1].embedding) == 0) {
            continue;
        }
        const bool full = strcmp(key->embedding, "none") == 0;
        for (int32_t i = 0; i < (full ? 1 : 2); i++) {
            const family of = {key->scope, key->embedding, semantics[i]};
            add_family(summary->results, &of, new_scope && i == 0 && row > 0, grid);
        }
    }
}

/* -------------------------------------------------------------------------------- conditions -- */

/* Numbers of nodes, and models. */
static void add_sizes(const sonde_study_plan *plan, const sonde_condition *condition,
                      sonde__grid *grid) {
    sonde_text words = {0};
    for (int32_t i = 0; i < condition->n_size; i++) {
        const int32_t size = condition->size[i];
        const char *comma = i > 0 ? ", " : "";
        if (size < 0) {
            sonde_text_add(&words, "%s%s", comma, plan->model[-1 - size].name);
        } else {
            sonde_text_add(&words, "%s%" PRId32, comma, size);
        }
    }
    sonde__grid_put(grid, SONDE__LEFT, words.data != NULL ? words.data : "");
    grid->words.failed = grid->words.failed || words.failed;
    sonde_text_free(&words);
}

void sonde__conditions_grid(const sonde__summary *summary, sonde__grid *grid, sonde__grid *list) {
    (void)list;
    static const char *const head[] = {"no.",    "group",       "settings", "nodes or models",
                                       "graphs", "runs so far", "% optimal"};
    const sonde_study_plan *plan = summary->results->plan;
    *grid = (sonde__grid){.name = "conditions", .n_column = 7, .n_head = 1};
    for (int32_t i = 0; i < 7; i++) {
        sonde__grid_put(grid, i >= 1 && i <= 3 ? SONDE__LEFT : 0, head[i]);
    }
    for (int32_t c = 0; c < plan->n_condition; c++) {
        const sonde_condition *condition = &plan->condition[c];
        sonde__tally tally = {0};
        count_condition(summary->results, c, &tally);
        sonde__grid_integer(grid, 0, c);
        sonde__grid_put(grid, SONDE__LEFT, condition->group);
        sonde__grid_put(grid, SONDE__LEFT, condition->label);
        add_sizes(plan, condition, grid);
        sonde__grid_integer(grid, 0, condition->n_graph);
        sonde__grid_integer(grid, 0, tally.n_run);
        sonde__grid_put(grid, 0, sonde__fixed(sonde__tally_percent(&tally), 1).text);
    }
}
