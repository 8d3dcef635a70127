/* report_figure_quality.c: what searches achieve against what they cost, everywhere at a glance.
 *
 * A panel for each place, all with the same axes, and a line for each search. Of the settings of a
 * search only those are drawn that no cheaper one beats: the line is what the search can do for a
 * given cost. */
#include <math.h>
#include <stdio.h>

#include "draw/report_figures.h"
#include "draw/report_quality.h"

#define FLOOR 1e-6 /* errors below it are drawn here */
#define N_COLUMN 5

/* What is plotted against the cost. */
typedef struct {
    const char *title;
    bool error; /* or percent optimal */
    const char *caption;
} view;

typedef struct {
    const sonde__results *results;
    const view *what;
    int32_t n_line;
    sonde__line line[SONDE__LINE_MAX];
    sonde__n_range range;
} study;

/* What full search scores, from foot to top. */
static void add_guide(const study *s, double cost, sonde__panel *panel) {
    const sonde__series series = {.drawing = SONDE__DRAW_GUIDE, .style = 0};
    const int32_t place = sonde__panel_series(panel, &series);
    const double ends[] = {s->what->error ? FLOOR : 0.0, s->what->error ? 1.0 : 100.0};
    for (int end = 0; end < 2; end++) {
        const sonde__mark mark = sonde__mark_at(place, cost, ends[end]);
        sonde__panel_mark(panel, &mark);
    }
}

/* Joins the settings of a line that no cheaper one beats. */
static void join(study *s, const sonde__quality_point *point, int32_t n, bool with_setup,
                 int32_t series, sonde__panel *panel) {
    const bool error = s->what->error;
    double best = error ? INFINITY : -INFINITY;
    for (int32_t p = 0; p < n; p++) {
        const double value = error ? fmax(point[p].tv.value, FLOOR) : point[p].optimal.value;
        const double cost = with_setup ? point[p].with_setup.value : point[p].equivalent.value;
        sonde__n_range_add(&s->range, point[p].tv.n);
        if (error ? value < best : value > best) {
            best = value;
            const sonde__mark mark = sonde__mark_at(series, cost, value);
            sonde__panel_mark(panel, &mark);
        }
    }
}

static void add_line(study *s, int32_t i, int32_t place, sonde__panel *panel) {
    sonde__quality_point point[SONDE__POINT_MAX];
    const int32_t n = sonde__quality_points(s->results, &s->line[i], place, point);
    sonde__series series = sonde__line_series(&s->line[i], i);
    if (n == 0) {
        return;
    }
    if (s->line[i].search == SONDE_SEARCH_FULL) {
        add_guide(s, point[0].equivalent.value, panel);
    }
    join(s, point, n, false, sonde__panel_series(panel, &series), panel);
    if (point[0].with_setup.value > point[0].equivalent.value) {
        series.style += series.hollow ? 8 : 0; /* another marker */
        series.hollow = true;
        series.light = true;
        (void)snprintf(series.label, sizeof series.label, "%.40s, with set-up", s->line[i].name);
        join(s, point, n, true, sonde__panel_series(panel, &series), panel);
    }
}

static void add_panel(study *s, int32_t place, sonde__chart *chart) {
    sonde__panel *panel =
        sonde__chart_panel(chart, sonde__place_name(s->results->plan, place).text);
    if (panel == NULL) {
        return;
    }
    panel->x.title = "policies scored";
    panel->x.scale = SONDE__SCALE_LOG;
    panel->y.title = s->what->error ? "total variation"
                     : place > 0    ? "optimal runs, %"
                                    : "best policy found, %";
    panel->y.scale = s->what->error ? SONDE__SCALE_LOG : SONDE__SCALE_LINEAR;
    panel->y.low = s->what->error ? 0.6 * FLOOR : -4.0;
    panel->y.high = s->what->error ? 1.6 : 104.0;
    for (int32_t i = 0; i < s->n_line; i++) {
        add_line(s, i, place, panel);
    }
}

static bool draw(const sonde__results *results, const view *what, sonde_text *svg) {
    int32_t place[SONDE__PLACE_MAX];
    const int32_t n_place = sonde__quality_places(results, place);
    study s = {.results = results, .what = what};
    s.n_line = sonde__lines_of(results->plan, SONDE__QUALITY_GROUP, s.line);
    sonde__chart *chart = sonde__chart_new(what->title, n_place < N_COLUMN ? n_place : N_COLUMN);
    if (chart == NULL) {
        return sonde__chart_finish(chart, svg);
    }
    chart->panel_height = 150.0;
    for (int32_t i = 0; i < n_place; i++) {
        add_panel(&s, place[i], chart);
    }
    sonde_text_add(&chart->caption,
                   "%s Policies scored: steps divided by the length of a policy; what a search "
                   "works out once for a world is counted where the legend says so. Means over the "
                   "first %d decisions of an exact agent, and over worlds or episodes (",
                   what->caption, (int)results->plan->n_judge);
    sonde__n_range_say(&s.range, &chart->caption);
    sonde_text_add(&chart->caption,
                   "). A line joins the settings of a search that no cheaper one beats; dotted: "
                   "what full search scores.");
    return sonde__chart_finish(chart, svg);
}

bool sonde__figure_quality(const sonde__results *results, sonde_text *svg) {
    static const view what = {
        "Error of the posterior against policies scored", true,
        "Total variation of the posterior over policies from the exact one; below a millionth it is "
        "drawn at the foot. Lower left is better."};
    return draw(results, &what, svg);
}

bool sonde__figure_quality_optimal(const sonde__results *results, sonde_text *svg) {
    static const view what = {
        "Optimality against policies scored", false,
        "Graph worlds: runs that took a shortest path and stayed. Models: decisions whose best "
        "policy has the smallest G of all. Upper left is better."};
    return draw(results, &what, svg);
}
