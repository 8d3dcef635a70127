/* summary_speed.c: what clustered search saves, in time and in steps scored. */
#include <math.h>
#include <string.h>

#include "summary/summary.h"

#define GROUP "table"
#define MICRO "\302\265"
/* the paper: "about .17 seconds, and for standard policy inference, 1.2 seconds" */
#define PAPER_FULL 1.2
#define PAPER_CLUSTERED 0.17

static const sonde_scope scopes[] = {SONDE_GLOBAL, SONDE_LOCAL};

/* Whose decisions a cost is of. */
typedef enum { FULL, NOTEBOOK, TEXT, N_SIDE } side;
static const char *const side_name[N_SIDE] = {"full", "notebook", "text"};

/* What one decision costs: a median over runs, which one interrupted run does not move, and a
 * mean. */
typedef struct {
    int32_t n_run;
    double seconds;
    double steps;
} cost;

static bool is_counted(const sonde_condition *condition, sonde_scope scope, side of) {
    const uint32_t differences = of == NOTEBOOK ? SONDE_SEMANTICS_NOTEBOOK : SONDE_SEMANTICS_TEXT;
    const sonde__cell_key key = sonde__key_of(condition);
    /* full search has no differences */
    const bool wanted = of == FULL ? strcmp(key.embedding, "none") == 0
                                   : key.k > 0 && condition->differences == differences;
    return sonde__in_group(condition, GROUP) && key.scope == scope && wanted;
}

/* All conditions of a scope together, at one size. */
static cost count_cost(const sonde__summary *summary, sonde_scope scope, int32_t size, side of) {
    const sonde__results *results = summary->results;
    cost found = {.seconds = NAN};
    for (int32_t c = 0; c < results->plan->n_condition; c++) {
        if (!is_counted(&results->plan->condition[c], scope, of)) {
            continue;
        }
        const sonde__run_list runs = sonde__runs(results, c, size);
        for (int32_t i = 0; i < runs.n; i++) {
            if (runs.run[i].n_decision > 0) {
                const double steps = sonde__measure_at(SONDE__STEPS)->of(&runs.run[i]);
                summary->scratch[found.n_run++] =
                    sonde__measure_at(SONDE__SECONDS)->of(&runs.run[i]);
                found.steps += (steps - found.steps) / (double)found.n_run;
            }
        }
    }
    found.seconds = sonde__median(found.n_run, summary->scratch);
    found.steps = found.n_run > 0 ? found.steps : (double)NAN;
    return found;
}

/* ------------------------------------------------------------------------------------- table -- */

static void add_heads(sonde__grid *grid) {
    sonde__grid_add(grid, SONDE__LEFT, 2, "", NULL);
    sonde__grid_add(grid, 0, 2, "full search", NULL);
    sonde__grid_add(grid, 0, 4, "clustered, notebook", NULL);
    sonde__grid_add(grid, 0, 4, "clustered, text", NULL);
    sonde__grid_put(grid, SONDE__LEFT, "scope");
    sonde__grid_put(grid, 0, "nodes");
    sonde__grid_put(grid, SONDE__APART, MICRO "s");
    sonde__grid_put(grid, 0, "steps");
    for (int32_t i = 0; i < 2; i++) {
        sonde__grid_put(grid, SONDE__APART, MICRO "s");
        sonde__grid_put(grid, 0, "faster");
        sonde__grid_put(grid, 0, "steps");
        sonde__grid_put(grid, 0, "fewer");
    }
}

/* 7.1x, in columns of their own so that programs read the number. */
static void add_ratio(sonde__grid *grid, double full, double clustered) {
    sonde__grid_put(grid, SONDE__BOLD, sonde__fixed(full / clustered, 1).text);
}

static void add_paper(sonde__grid *grid) {
    sonde__grid_put(grid, SONDE__LEFT, "the paper, \342\200\234larger graphs\342\200\235");
    sonde__grid_put(grid, 0, "");
    sonde__grid_put(grid, 0, sonde__short(1e6 * PAPER_FULL).text);
    sonde__grid_put(grid, 0, "");
    sonde__grid_put(grid, 0, sonde__short(1e6 * PAPER_CLUSTERED).text);
    add_ratio(grid, PAPER_FULL, PAPER_CLUSTERED);
    for (int32_t i = 0; i < 6; i++) {
        sonde__grid_put(grid, 0, "");
    }
}

static void add_row(const sonde__summary *summary, sonde_scope scope, int32_t size, bool first,
                    sonde__grid *grid) {
    const cost full = count_cost(summary, scope, size, FULL);
    sonde__grid_put(grid, SONDE__LEFT | (first ? SONDE__RULE : 0),
                    first ? sonde_scope_name((int32_t)scope) : "");
    sonde__grid_integer(grid, 0, size);
    sonde__grid_put(grid, SONDE__APART, sonde__short(1e6 * full.seconds).text);
    sonde__grid_put(grid, 0, sonde__short(full.steps).text);
    for (side of = NOTEBOOK; of < N_SIDE; of++) {
        const cost clustered = count_cost(summary, scope, size, of);
        sonde__grid_put(grid, SONDE__APART, sonde__short(1e6 * clustered.seconds).text);
        add_ratio(grid, full.seconds, clustered.seconds);
        sonde__grid_put(grid, 0, sonde__short(clustered.steps).text);
        add_ratio(grid, full.steps, clustered.steps);
    }
}

void sonde__speed_grid(const sonde__summary *summary, sonde__grid *grid, sonde__grid *list) {
    (void)list;
    *grid = (sonde__grid){.name = "decision_cost", .n_column = 12, .n_head = 2};
    add_heads(grid);
    if (summary->table.n_row == 0) {
        return;
    }
    add_paper(grid);
    for (int32_t i = 0; i < 2; i++) {
        for (int32_t s = 0; s < summary->table.n_size; s++) {
            add_row(summary, scopes[i], summary->table.size[s], s == 0, grid);
        }
    }
}

/* -------------------------------------------------------------------------------------- JSON -- */

void sonde__speed_json(const sonde__summary *summary, sonde_text *json) {
    const int32_t n_size = summary->table.n_size;
    sonde_text_add(json, "[");
    for (int32_t i = 0; i < 2 * n_size; i++) {
        sonde_text_add(json, "%s\n  {\"scope\": \"%s\", \"size\": %d", i > 0 ? "," : "",
                       sonde_scope_name((int32_t)scopes[i / n_size]),
                       (int)summary->table.size[i % n_size]);
        for (side of = FULL; of < N_SIDE; of++) {
            const cost found =
                count_cost(summary, scopes[i / n_size], summary->table.size[i % n_size], of);
            sonde_text_add(json, ", \"%s\": {\"n\": %d, \"seconds\": ", side_name[of],
                           (int)found.n_run);
            sonde_text_add_number(json, found.seconds);
            sonde__text_pair(json, "steps", found.steps);
            sonde_text_add(json, "}");
        }
        sonde_text_add(json, "}");
    }
    sonde_text_add(json, "]");
}
