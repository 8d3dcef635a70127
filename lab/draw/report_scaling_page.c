/* report_scaling_page.c: the section on large worlds and long plans. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "draw/report_figures.h"
#include "draw/report_quality.h"

static bool scales(const sonde_condition *condition) {
    return sonde__in_group(condition, "scaling-nodes") ||
           sonde__in_group(condition, "scaling-horizon");
}

static double setup_seconds(const sonde__result_run *run) {
    return run->setup_seconds + run->embed_seconds + run->cluster_seconds;
}
static double setup_steps(const sonde__result_run *run) {
    return (double)run->n_setup_step;
}

/* ln(policies) says more than a number of eighty digits. */
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
    const int32_t horizon = condition->horizon > 0 ? condition->horizon : size;
    const sonde__estimate seconds = sonde__measured(results, c, size, sonde__seconds_per_decision);
    char policies[32];
    if (seconds.n == 0) {
        return;
    }
    (void)snprintf(policies, sizeof policies, "%.2g", policies_of(results, size, horizon));
    sonde__grid_put(grid, SONDE__LEFT, sonde__line_of(condition).name);
    sonde__grid_integer(grid, 0, size);
    sonde__grid_integer(grid, 0, horizon);
    sonde__grid_put(grid, 0, policies);
    sonde__grid_integer(grid, 0, seconds.n);
    sonde__grid_put(grid, 0,
                    sonde__duration(sonde__measured(results, c, size, setup_seconds).value).text);
    sonde__grid_put(grid, 0, sonde__duration(seconds.value).text);
    sonde__grid_put(grid, 0,
                    sonde__short(sonde__measured(results, c, size, setup_steps).value).text);
    sonde__grid_put(
        grid, 0,
        sonde__short(sonde__measured(results, c, size, sonde__equivalent_per_decision).value).text);
}

static sonde_status add_table(sonde__page *page) {
    static const char *const head[] = {"search",   "nodes",        "T",
                                       "policies", "worlds",       "set-up",
                                       "decision", "set-up steps", "policies scored a decision"};
    const sonde_study_plan *plan = page->results->plan;
    sonde__grid grid = {.name = "scaling", .n_column = 9, .n_head = 1};
    for (int32_t i = 0; i < 9; i++) {
        sonde__grid_put(&grid, i == 0 ? SONDE__LEFT : 0, head[i]);
    }
    for (int32_t c = 0; c < plan->n_condition; c++) {
        for (int32_t i = 0; i < plan->condition[c].n_size && scales(&plan->condition[c]); i++) {
            add_row(page->results, c, plan->condition[c].size[i], &grid);
        }
    }
    sonde_text_add(&page->body, "<details>\n<summary>The numbers</summary>\n");
    const sonde_status status = sonde__page_table(
        page, &grid, NULL,
        "Means over worlds: policies from the start, time for the set-up (bounds, or embedding and "
        "clusters) and for a decision, and what either scores.");
    sonde_text_add(&page->body, "</details>\n");
    sonde__grid_free(&grid);
    return status;
}

sonde_status sonde__page_scaling(sonde__page *page) {
    sonde_text svg = {0};
    if (!sonde__figure_scaling(page->results, &svg)) {
        return SONDE_OK;
    }
    sonde__page_section(page, "scaling", "Large worlds and long plans");
    sonde_status status = sonde__page_figure(
        page, "scaling", &svg,
        "Time and policies scored for one decision, by the size of the world and the length of a plan.");
    sonde_text_free(&svg);
    return status == SONDE_OK ? add_table(page) : status;
}
