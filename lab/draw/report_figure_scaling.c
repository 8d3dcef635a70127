/* report_figure_scaling.c: what a decision costs as worlds grow and plans get longer.
 *
 * Left against the number of nodes, at fixed horizons; right against the horizon, in worlds of
 * fixed sizes. All axes are logarithmic: a straight line is a power, a line that bends upwards is
 * worse. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/report_figures.h"
#include "draw/report_quality.h"

#define N_WORLD_MAX 100 /* more say nothing new of a median */

typedef struct {
    const char *title;
    const char *y_title;
    sonde__measure measure;
} row;

typedef struct {
    const char *group;
    const char *title;
    const char *x_title;
    bool by_nodes; /* or by horizon */
} column;

typedef struct {
    const sonde__results *results;
    const column *by;
    const row *what;
    int32_t n_line;
    sonde__line line[SONDE__LINE_MAX];
    sonde__n_range range;
} study;

/* ----------------------------------------------------------------------------------- measures -- */

/* Until the first action: bounds or clusters, and a decision. */
static double first_seconds(const sonde__result_run *run) {
    return run->setup_seconds + run->embed_seconds + run->cluster_seconds +
           sonde__seconds_per_decision(run);
}

/* The same in policies: steps of the set-up count like any other. */
static double first_equivalent(const sonde__result_run *run) {
    const double steps = (double)run->n_step / (double)run->n_decision;
    return sonde__equivalent_per_decision(run) * (1.0 + (double)run->n_setup_step / steps);
}

static int by_value(const void *a, const void *b) {
    const double one = *(const double *)a;
    const double two = *(const double *)b;
    return one < two ? -1 : one > two ? 1 : 0;
}

/* The median over worlds, from the smallest to the largest: one world that had to wait for the
 * processor does not bend a curve. */
static sonde__estimate median(const sonde__results *results, int32_t condition, int32_t size,
                              sonde__measure measure) {
    double value[N_WORLD_MAX];
    const sonde__run_list runs = sonde__runs(results, condition, size);
    const int32_t n = runs.n < N_WORLD_MAX ? runs.n : N_WORLD_MAX;
    for (int32_t i = 0; i < n; i++) {
        value[i] = measure(&runs.run[i]);
    }
    if (n == 0) {
        return (sonde__estimate){0, NAN, NAN, NAN};
    }
    qsort(value, (size_t)n, sizeof *value, by_value);
    return (sonde__estimate){n, 0.5 * (value[(n - 1) / 2] + value[n / 2]), value[0], value[n - 1]};
}

/* ------------------------------------------------------------------------------------- series -- */

static int32_t horizon_of(const sonde_condition *condition, int32_t size) {
    return condition->horizon > 0 ? condition->horizon : size;
}

/* The series of a condition at a size, which is made with its first mark. */
static int32_t series_for(const study *s, const sonde_condition *condition, int32_t size,
                          sonde__panel *panel) {
    const sonde__line line = sonde__line_of(condition);
    int32_t i = 0;
    while (!sonde__line_same(&s->line[i], &line)) {
        i++;
    }
    sonde__series series = sonde__line_series(&line, i);
    series.light = false;
    if (s->by->by_nodes) {
        (void)snprintf(series.label, sizeof series.label, "%.40s, T = %d", line.name,
                       (int)horizon_of(condition, size));
    } else {
        (void)snprintf(series.label, sizeof series.label, "%.40s, %d nodes", line.name, (int)size);
    }
    int32_t n_same = 0; /* of this search, with another horizon or size */
    for (int32_t j = 0; panel != NULL && j < panel->n_series; j++) {
        if (strcmp(panel->series[j].label, series.label) == 0) {
            return j;
        }
        n_same += panel->series[j].style == series.style ? 1 : 0;
    }
    series.hollow = n_same % 2 == 1;
    return sonde__panel_series(panel, &series);
}

static void add_condition(study *s, int32_t c, sonde__panel *panel) {
    const sonde_condition *condition = &s->results->plan->condition[c];
    for (int32_t i = 0; i < condition->n_size; i++) {
        const int32_t size = condition->size[i];
        const sonde__estimate estimate = median(s->results, c, size, s->what->measure);
        if (size > 0 && estimate.n > 0) {
            const int32_t x = s->by->by_nodes ? size : horizon_of(condition, size);
            const sonde__mark mark =
                sonde__mark_of(series_for(s, condition, size, panel), (double)x, &estimate);
            sonde__panel_mark(panel, &mark);
            sonde__n_range_add(&s->range, estimate.n);
        }
    }
}

static void add_panel(study *s, sonde__chart *chart) {
    char title[48];
    (void)snprintf(title, sizeof title, "%s, %s", s->what->title, s->by->title);
    sonde__panel *panel = sonde__chart_panel(chart, title);
    if (panel == NULL) {
        return;
    }
    panel->x.title = s->by->x_title;
    panel->x.scale = SONDE__SCALE_LOG;
    panel->y.title = s->what->y_title;
    panel->y.scale = SONDE__SCALE_LOG;
    s->n_line = sonde__lines_of(s->results->plan, s->by->group, s->line);
    for (int32_t c = 0; c < s->results->plan->n_condition; c++) {
        if (sonde__in_group(&s->results->plan->condition[c], s->by->group)) {
            add_condition(s, c, panel);
        }
    }
}

bool sonde__figure_scaling(const sonde__results *results, sonde_text *svg) {
    static const column columns[] = {
        {"scaling-nodes", "by nodes", "nodes", true},
        {"scaling-horizon", "by horizon", "steps in a policy", false},
    };
    static const row rows[] = {
        {"first decision", "seconds", first_seconds},
        {"later decisions", "seconds", sonde__seconds_per_decision},
        {"first decision", "policies scored", first_equivalent},
    };
    study s = {.results = results};
    sonde__chart *chart = sonde__chart_new("What a decision costs as worlds and plans grow", 2);
    if (chart == NULL) {
        return sonde__chart_finish(chart, svg);
    }
    chart->panel_height = 190.0;
    chart->panel_legends = true;
    for (int32_t i = 0; i < 3; i++) {
        for (int32_t j = 0; j < 2; j++) {
            s.what = &rows[i];
            s.by = &columns[j];
            add_panel(&s, chart);
        }
    }
    sonde_text_add(
        &chart->caption,
        "The first decision has the set-up in it: bounds, or embedding and clusters. Policies "
        "scored: steps divided by the length of a policy, those of the set-up included. Edges "
        "grow with nodes, about five for each. Medians over worlds, ");
    sonde__n_range_say(&s.range, &chart->caption);
    sonde_text_add(&chart->caption,
                   "; whiskers: from the smallest to the largest. Searches end where "
                   "policies are too many for them.");
    return sonde__chart_finish(chart, svg);
}
