/* summary_scaling.c: what a decision costs as worlds grow and plans get longer, as a table. */
#include <stdio.h>

#include "summary/summary.h"

static bool scales(const sonde_condition *condition) {
    return sonde__in_group(condition, "scaling-nodes") ||
           sonde__in_group(condition, "scaling-horizon");
}

/* Policies from the start, in the mean over worlds. */
static double policies_of(const sonde__results *results, int32_t size, int32_t horizon) {
    double sum = 0.0;
    int32_t n = 0;
    for (int32_t i = 0; i < results->n_world; i++) {
        const sonde__result_world *world = &results->world[i];
        if (world->size == size && world->horizon == horizon) {
            sum += world->n_local;
            n++;
        }
    }
    return n > 0 ? sum / (double)n : 0.0;
}

static void add_row(const sonde__results *results, int32_t c, int32_t size, sonde__grid *grid) {
    const sonde_condition *condition = &results->plan->condition[c];
    const sonde__run_list runs = sonde__runs(results, c, size);
    const int32_t horizon = condition->horizon > 0 ? condition->horizon : size;
    int32_t n = 0;
    const double seconds = sonde__mean_of(runs, SONDE__SECONDS, &n);
    char policies[32];
    if (n == 0) {
        return;
    }
    (void)snprintf(policies, sizeof policies, "%.2g", policies_of(results, size, horizon));
    sonde__grid_put(grid, SONDE__LEFT, sonde__line_of(condition).text);
    sonde__grid_integer(grid, 0, size);
    sonde__grid_integer(grid, 0, horizon);
    sonde__grid_put(grid, 0, policies);
    sonde__grid_integer(grid, 0, n);
    sonde__grid_put(grid, 0, sonde__duration(sonde__mean_of(runs, SONDE__SETUP_SECONDS, &n)).text);
    sonde__grid_put(grid, 0, sonde__duration(seconds).text);
    sonde__grid_put(grid, 0, sonde__short(sonde__mean_of(runs, SONDE__SETUP_STEPS, &n)).text);
    sonde__grid_put(grid, 0, sonde__short(sonde__mean_of(runs, SONDE__EQUIVALENT, &n)).text);
}

void sonde__scaling_grid(const sonde__summary *summary, sonde__grid *grid, sonde__grid *list) {
    (void)list;
    static const char *const head[] = {"search",   "nodes",        "T",
                                       "policies", "worlds",       "set-up",
                                       "decision", "set-up steps", "policies scored per decision"};
    const sonde_study_plan *plan = summary->results->plan;
    *grid = (sonde__grid){.name = "scaling", .n_column = 9, .n_head = 1};
    for (int32_t i = 0; i < 9; i++) {
        sonde__grid_put(grid, i == 0 ? SONDE__LEFT : 0, head[i]);
    }
    for (int32_t c = 0; c < plan->n_condition; c++) {
        for (int32_t i = 0; i < plan->condition[c].n_size && scales(&plan->condition[c]); i++) {
            add_row(summary->results, c, plan->condition[c].size[i], grid);
        }
    }
}
