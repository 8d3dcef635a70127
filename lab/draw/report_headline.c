/* report_headline.c: what clustered search saves, in time and in steps scored. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "draw/report_page.h"

#define GROUP "table"
#define MICRO "\302\265"
/* the paper: "about .17 seconds, and for standard policy inference, 1.2 seconds" */
#define PAPER_FULL 1.2
#define PAPER_CLUSTERED 0.17

static bool is_counted(const sonde_condition *condition, sonde_scope scope,
                       sonde_search_kind search, uint32_t differences) {
    const bool any = search == SONDE_SEARCH_FULL; /* which has no differences */
    return sonde__in_group(condition, GROUP) && condition->search.scope == scope &&
           condition->search.search == search && (any || condition->differences == differences);
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Adds one run; the times are kept for their median, which one interrupted run does not move. */
static void count_run(const sonde__result_run *run, double *seconds, sonde__cost *cost) {
    if (run->n_decision > 0) {
        const double n = (double)run->n_decision;
        seconds[cost->n_run++] = run->decide_seconds / n;
        cost->steps += ((double)run->n_step / n - cost->steps) / (double)cost->n_run;
    }
}

/* What decisions cost in one scope, at one size. Without memory the page fails. */
static sonde__cost count_cost(sonde__page *page, sonde_scope scope, int32_t size,
                              sonde_search_kind search, uint32_t differences) {
    const sonde__results *results = page->results;
    sonde__cost cost = {0};
    double *seconds = sonde__alloc((size_t)results->n_run * sizeof *seconds);
    if (seconds == NULL) {
        page->body.failed = true;
        return cost;
    }
    for (int32_t c = 0; c < results->plan->n_condition; c++) {
        if (is_counted(&results->plan->condition[c], scope, search, differences)) {
            const sonde__run_list stretch = sonde__runs(results, c, size);
            for (int32_t i = 0; i < stretch.n; i++) {
                count_run(&stretch.run[i], seconds, &cost);
            }
        }
    }
    qsort(seconds, (size_t)cost.n_run, sizeof *seconds, by_size);
    if (cost.n_run > 0) {
        cost.seconds = 0.5 * (seconds[(cost.n_run - 1) / 2] + seconds[cost.n_run / 2]);
    }
    sonde__free(seconds);
    return cost;
}

/* -------------------------------------------------------------------------------------- table -- */

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

/* A number that some runs gave. */
static void add_number(sonde__grid *grid, uint32_t style, const sonde__cost *cost, double number) {
    sonde__grid_put(grid, style, sonde__short(cost->n_run > 0 ? number : (double)NAN).text);
}

static void add_clustered(sonde__grid *grid, const sonde__cost *full,
                          const sonde__cost *clustered) {
    add_number(grid, SONDE__APART, clustered, 1e6 * clustered->seconds);
    add_ratio(grid, full->seconds, clustered->seconds);
    add_number(grid, 0, clustered, clustered->steps);
    add_ratio(grid, full->steps, clustered->steps);
}

static void add_row(sonde__page *page, sonde_scope scope, int32_t size, bool first,
                    sonde__grid *grid) {
    const sonde__cost full = count_cost(page, scope, size, SONDE_SEARCH_FULL, 0);
    const sonde__cost notebook =
        count_cost(page, scope, size, SONDE_SEARCH_CLUSTER, SONDE_SEMANTICS_NOTEBOOK);
    const sonde__cost text =
        count_cost(page, scope, size, SONDE_SEARCH_CLUSTER, SONDE_SEMANTICS_TEXT);
    sonde__grid_put(grid, SONDE__LEFT | (first ? SONDE__RULE : 0),
                    first ? sonde_scope_name((int32_t)scope) : "");
    sonde__grid_integer(grid, 0, size);
    add_number(grid, SONDE__APART, &full, 1e6 * full.seconds);
    add_number(grid, 0, &full, full.steps);
    add_clustered(grid, &full, &notebook);
    add_clustered(grid, &full, &text);
}

static void fill(sonde__page *page, sonde__grid *grid) {
    static const sonde_scope scopes[] = {SONDE_GLOBAL, SONDE_LOCAL};
    add_heads(grid);
    add_paper(grid);
    for (int32_t i = 0; i < 2; i++) {
        for (int32_t s = 0; s < page->table.n_size; s++) {
            add_row(page, scopes[i], page->table.size[s], s == 0, grid);
        }
    }
}

/* --------------------------------------------------------------------------------------- words -- */

bool sonde__speed_find(sonde__page *page, sonde__speed *speed) {
    static const sonde_scope scopes[] = {SONDE_GLOBAL, SONDE_LOCAL};
    static const uint32_t semantics[] = {SONDE_SEMANTICS_NOTEBOOK, SONDE_SEMANTICS_TEXT};
    for (int32_t s = page->table.n_size - 1; s >= 0; s--) {
        for (int32_t i = 0; i < 4; i++) {
            speed->size = page->table.size[s];
            speed->scope = scopes[i / 2];
            speed->differences = semantics[i % 2];
            speed->full = count_cost(page, speed->scope, speed->size, SONDE_SEARCH_FULL, 0);
            speed->clustered = count_cost(page, speed->scope, speed->size, SONDE_SEARCH_CLUSTER,
                                          speed->differences);
            if (speed->full.n_run > 0 && speed->clustered.n_run > 0) {
                return true;
            }
        }
    }
    return false;
}

static void add_sentences(sonde__page *page, const sonde__speed *speed) {
    sonde_text *body = &page->body;
    const double full = speed->full.seconds;
    const double clustered = speed->clustered.seconds;
    const double full_steps = speed->full.steps;
    const double steps = speed->clustered.steps;
    sonde_text_add(body,
                   "<p>The paper reports about 1.2 s for a decision by full search and 0.17 s with "
                   "clusters: <b>%s times</b> faster. Sonde, in %s scope on graphs of %" PRId32
                   " nodes under <code>%s</code>, takes %s and %s (medians): <b>%s times</b>. ",
                   sonde__fixed(PAPER_FULL / PAPER_CLUSTERED, 1).text,
                   sonde_scope_name((int32_t)speed->scope), speed->size,
                   speed->differences == 0 ? "text" : "notebook", sonde__duration(full).text,
                   sonde__duration(clustered).text, sonde__fixed(full / clustered, 1).text);
    sonde_text_add(body,
                   "Counted in steps scored, which no machine changes, it is %s against %s: "
                   "<b>%s times</b> fewer. Full search scores a prefix that many policies share "
                   "only once, and members of one cluster share fewer, so that the count saves "
                   "less than the share of policies that are left out would suggest. Building the "
                   "embedding and the clusters comes on top and is shown apart below.</p>\n",
                   sonde__short(full_steps).text, sonde__short(steps).text,
                   sonde__fixed(full_steps / steps, 1).text);
}

sonde_status sonde__page_headline(sonde__page *page) {
    sonde__speed speed;
    if (!sonde__speed_find(page, &speed)) {
        return SONDE_OK;
    }
    sonde__page_section(page, "speed", "What a decision costs");
    add_sentences(page, &speed);
    sonde__grid grid = {.name = "decision_cost", .n_column = 12, .n_head = 2};
    fill(page, &grid);
    const sonde_status status = sonde__page_table(
        page, &grid, NULL,
        "Median microseconds and mean steps scored for one decision, over all clustered conditions of "
        "the table, and how many times faster, and with how many times fewer steps, clustered search "
        "decides. A step is one belief propagated and scored; probes count. Embedding and clustering "
        "are not included.");
    sonde__grid_free(&grid);
    return status;
}
