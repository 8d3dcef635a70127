/* summary_quality.c: what searches achieve against what they cost.
 *
 * A line is a search, or clustered search with one embedding; its points are the settings of it
 * that a plan has in the group `quality`. A place is a size of graph worlds, or a model. The table
 * has, line by line and place by place, the cheapest setting whose posterior is close enough to the
 * exact one; the list behind it has every point. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"
#include "summary/summary.h"

#define GROUP "quality"
#define CLUSTERS "clusters: "
#define GOOD 0.01 /* a total variation that one can live with */

enum { LINE_MAX_ = 32, PLACE_MAX = 24, POINT_MAX = 64 };

/* ------------------------------------------------------------------------------------- lines -- */

sonde__word sonde__line_of(const sonde_condition *condition) {
    const sonde_search_settings *search = &condition->search;
    const bool clustered = sonde__key_of(condition).k > 0;
    const bool ward = clustered && search->cluster.method != 0;
    const bool probed = clustered && search->probe != SONDE_PROBE_CENTER;
    sonde__word name;
    if (search->loop == SONDE_LOOP_CLOSED) {
        const bool backed =
            sonde__setting_is_used(search, sonde_setting_at(sonde_setting_find("backup")));
        (void)snprintf(name.text, sizeof name.text, "closed: %s%s%s",
                       sonde_plan_search_name((int32_t)search->search), backed ? ", " : "",
                       backed ? sonde_backup_name((int32_t)search->backup) : "");
        return name;
    }
    (void)snprintf(name.text, sizeof name.text, "%s%s%s%s%s%s%s", clustered ? CLUSTERS : "",
                   clustered ? sonde_embedding_name(search->embed.kind)
                             : sonde_plan_search_name((int32_t)search->search),
                   ward ? ", " : "",
                   ward ? sonde__cluster_method_name((int32_t)search->cluster.method) : "",
                   probed ? ", " : "", probed ? sonde__probe_name((int32_t)search->probe) : "",
                   search->scope == SONDE_GLOBAL ? ", global" : "");
    return name;
}

static bool is_clustered(const sonde__word *line) {
    return strncmp(line->text, CLUSTERS, strlen(CLUSTERS)) == 0;
}

/* The lines of the group, searches before clusters, otherwise as in the plan; returns how many. */
static int32_t lines_of(const sonde_study_plan *plan, sonde__word line[LINE_MAX_]) {
    int32_t n = 0;
    for (int32_t i = 0; i < 2 * plan->n_condition; i++) {
        const sonde_condition *condition = &plan->condition[i % plan->n_condition];
        const sonde__word found = sonde__line_of(condition);
        bool known =
            !sonde__in_group(condition, GROUP) || is_clustered(&found) != (i >= plan->n_condition);
        for (int32_t j = 0; j < n && !known; j++) {
            known = strcmp(line[j].text, found.text) == 0;
        }
        if (!known && n < LINE_MAX_) {
            line[n++] = found;
        }
    }
    return n;
}

/* ------------------------------------------------------------------------------------ places -- */

static bool is_judged(const sonde__results *results, int32_t place) {
    for (int32_t c = 0; c < results->plan->n_condition; c++) {
        const sonde__run_list runs = sonde__runs(results, c, place);
        if (sonde__in_group(&results->plan->condition[c], GROUP) && runs.n > 0 &&
            runs.run[0].n_judged > 0) {
            return true;
        }
    }
    return false;
}

/* Sizes, ascending, then models as in the plan, where the group has runs that were judged. */
static int32_t places_of(const sonde__results *results, int32_t place[PLACE_MAX]) {
    const int32_t n_planned = sonde__sizes_of(results->plan, GROUP, PLACE_MAX, place);
    int32_t n = 0;
    for (int32_t i = 0; i < n_planned; i++) {
        if (place[i] > 0 && is_judged(results, place[i])) {
            place[n++] = place[i];
        }
    }
    for (int32_t m = 0; m < results->plan->n_model && n < PLACE_MAX; m++) {
        if (is_judged(results, -1 - m)) {
            place[n++] = -1 - m;
        }
    }
    return n;
}

sonde__word sonde__place_name(const sonde_study_plan *plan, int32_t place) {
    if (place > 0) {
        return sonde__plural(place, "node");
    }
    sonde__word word;
    (void)snprintf(word.text, sizeof word.text, "%s", plan->model[-1 - place].name);
    return word;
}

/* ------------------------------------------------------------------------------------ points -- */

/* One setting of a line in one place, means over worlds. */
typedef struct {
    int32_t condition;
    double cost; /* policies scored, in the decisions that were judged */
    double tv;
} point;

static int by_cost(const void *a, const void *b) {
    const point *one = a;
    const point *two = b;
    if (one->cost != two->cost) {
        return one->cost < two->cost ? -1 : 1;
    }
    return one->condition < two->condition ? -1 : 1;
}

/* By rising cost; returns how many. */
static int32_t points_of(const sonde__results *results, const sonde__word *line, int32_t place,
                         point found[POINT_MAX]) {
    int32_t n = 0;
    for (int32_t c = 0; c < results->plan->n_condition && n < POINT_MAX; c++) {
        const sonde_condition *condition = &results->plan->condition[c];
        const sonde__word its = sonde__line_of(condition);
        if (!sonde__in_group(condition, GROUP) || strcmp(its.text, line->text) != 0) {
            continue;
        }
        const sonde__run_list runs = sonde__runs(results, c, place);
        int32_t n_run = 0;
        found[n] = (point){c, sonde__mean_of(runs, SONDE__JUDGED_EQUIVALENT, &n_run),
                           sonde__mean_of(runs, SONDE__TV, &n_run)};
        n += n_run > 0 ? 1 : 0;
    }
    qsort(found, (size_t)n, sizeof *found, by_cost);
    return n;
}

/* The fewest policies with which a line's error is good in a place; NaN if it never is. */
static double fewest(const sonde__results *results, const sonde__word *line, int32_t place,
                     bool *tried) {
    point found[POINT_MAX];
    const int32_t n = points_of(results, line, place, found);
    *tried = n > 0;
    for (int32_t p = 0; p < n; p++) {
        if (found[p].tv <= GOOD) {
            return found[p].cost;
        }
    }
    return (double)NAN;
}

/* ------------------------------------------------------------------------------------- table -- */

/* The smallest of a column. */
static double best_of(const sonde__results *results, const sonde__word *line, int32_t n_line,
                      int32_t place) {
    double best = INFINITY;
    bool tried = false;
    for (int32_t i = 0; i < n_line; i++) {
        best = fmin(best, fewest(results, &line[i], place, &tried));
    }
    return best;
}

static void fill_grid(const sonde__results *results, sonde__grid *grid) {
    sonde__word line[LINE_MAX_];
    int32_t place[PLACE_MAX];
    const int32_t n_line = lines_of(results->plan, line);
    const int32_t n_place = places_of(results, place);
    *grid = (sonde__grid){.name = "quality", .n_column = n_place + 1, .n_head = 1};
    sonde__grid_put(grid, SONDE__LEFT, "search");
    for (int32_t j = 0; j < n_place; j++) {
        sonde__grid_put(grid, 0, sonde__place_name(results->plan, place[j]).text);
    }
    for (int32_t i = 0; i < n_line && n_place > 0; i++) {
        const bool first = i == 0 || (is_clustered(&line[i]) && !is_clustered(&line[i - 1]));
        sonde__grid_put(grid, SONDE__LEFT | (first && i > 0 ? SONDE__RULE : 0), line[i].text);
        for (int32_t j = 0; j < n_place; j++) {
            bool tried = false;
            const double value = fewest(results, &line[i], place[j], &tried);
            const bool best = value <= best_of(results, line, n_line, place[j]) * (1.0 + 1e-12);
            sonde__grid_put(grid, best ? SONDE__BOLD : 0,
                            !isnan(value) ? sonde__short(value).text
                            : tried       ? "\342\200\223"
                                          : "");
        }
    }
}

bool sonde__quality_text(const sonde__summary *summary, sonde_text *text) {
    int32_t place[PLACE_MAX];
    if (places_of(summary->results, place) == 0) {
        return false;
    }
    sonde__grid grid;
    fill_grid(summary->results, &grid);
    sonde_text_add(text,
                   "Policies scored per decision for a mean total variation of 0.01 from the exact "
                   "posterior\n\n");
    sonde__grid_text(&grid, text);
    sonde_text_add(text, "\n\342\226\270 the fewest of its column\n");
    sonde__grid_free(&grid);
    return true;
}

/* -------------------------------------------------------------------------------------- list -- */

static void add_row(const sonde__summary *summary, const sonde__word *line, int32_t place,
                    const point *at, sonde__grid *grid) {
    static const sonde__measure_code more[] = {SONDE__SETUP_STEPS, SONDE__ACTION_TV,
                                               SONDE__BOUND,       SONDE__REGRET,
                                               SONDE__BEST,        SONDE__SECONDS};
    const sonde__results *results = summary->results;
    const sonde__run_list runs = sonde__runs(results, at->condition, place);
    const sonde__estimate tv = sonde__estimate_of(runs, SONDE__TV, summary->scratch);
    sonde__tally tally = {0};
    sonde__tally_add(&tally, runs);
    sonde__grid_put(grid, SONDE__LEFT, sonde__place_name(results->plan, place).text);
    sonde__grid_put(grid, SONDE__LEFT, line->text);
    sonde__grid_put(grid, SONDE__LEFT, results->plan->condition[at->condition].label);
    sonde__grid_integer(grid, 0, tv.n);
    sonde__grid_number(grid, at->cost);
    sonde__grid_number(grid, at->tv);
    sonde__grid_number(grid, tv.low);
    sonde__grid_number(grid, tv.high);
    for (int32_t i = 0; i < 6; i++) {
        int32_t n = 0;
        sonde__grid_number(grid, sonde__mean_of(runs, more[i], &n));
    }
    sonde__grid_number(grid, sonde__tally_percent(&tally));
    sonde__grid_put(grid, SONDE__LEFT, runs.run[0].exact_is_full ? "full" : "bounded");
}

static void list_all(const sonde__summary *summary, sonde__grid *grid) {
    static const char *const head[] = {"world",        "search",    "settings",        "n",
                                       "equivalent",   "tv",        "tv_low",          "tv_high",
                                       "setup_steps",  "action_tv", "bound",           "regret",
                                       "best_percent", "seconds",   "optimal_percent", "exact"};
    sonde__word line[LINE_MAX_];
    int32_t place[PLACE_MAX];
    point found[POINT_MAX];
    const int32_t n_line = lines_of(summary->results->plan, line);
    const int32_t n_place = places_of(summary->results, place);
    *grid = (sonde__grid){.name = "quality", .n_column = 16, .n_head = 1};
    for (int32_t i = 0; i < 16; i++) {
        sonde__grid_put(grid, 0, head[i]);
    }
    for (int32_t j = 0; j < n_place; j++) {
        for (int32_t i = 0; i < n_line; i++) {
            const int32_t n = points_of(summary->results, &line[i], place[j], found);
            for (int32_t p = 0; p < n; p++) {
                add_row(summary, &line[i], place[j], &found[p], grid);
            }
        }
    }
}

void sonde__quality_grid(const sonde__summary *summary, sonde__grid *grid, sonde__grid *list) {
    fill_grid(summary->results, grid);
    list_all(summary, list);
}
