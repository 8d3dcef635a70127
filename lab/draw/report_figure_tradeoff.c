/* report_figure_tradeoff.c: what every condition of the table achieves, against what it costs.
 *
 * Upper left is better: more optimal runs with fewer policies scored. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw/report_figure_data.h"
#include "draw/report_figures.h"

/* The series of a condition in a panel, which is made with its first. */
static int32_t series_for(const sonde_condition *condition, sonde__panel *panel) {
    const sonde__cell_key key = sonde__key_of(condition);
    const bool full = condition->search.search == SONDE_SEARCH_FULL;
    sonde__series series = {.drawing = SONDE__DRAW_DOTS,
                            .style = sonde__style_for(key.embedding),
                            .hollow = !full && condition->differences != 0};
    if (full) {
        (void)snprintf(series.label, sizeof series.label, "standard (full search)");
    } else {
        (void)snprintf(series.label, sizeof series.label, "%s, %s",
                       sonde__embedding_title(key.embedding),
                       sonde_semantics_name(condition->differences));
    }
    for (int32_t i = 0; panel != NULL && i < panel->n_series; i++) {
        if (strcmp(panel->series[i].label, series.label) == 0) {
            return i;
        }
    }
    return sonde__panel_series(panel, &series);
}

static void add_condition(const sonde__results *results, int32_t c, int32_t size,
                          sonde__panel *panel, sonde__n_range *range) {
    const sonde_condition *condition = &results->plan->condition[c];
    const sonde__estimate optimal = sonde__optimal(results, c, size);
    const sonde__estimate cost = sonde__measured(results, c, size, sonde__equivalent_per_decision);
    if (optimal.n == 0 || cost.n == 0) {
        return;
    }
    const sonde__cell_key key = sonde__key_of(condition);
    sonde__mark mark = sonde__mark_at(series_for(condition, panel), cost.value, optimal.value);
    if (key.k == 0) {
        (void)snprintf(mark.label, sizeof mark.label, "full");
    } else {
        (void)snprintf(mark.label, sizeof mark.label, "%d/%d", (int)key.k, (int)key.n);
    }
    sonde__panel_mark(panel, &mark);
    sonde__n_range_add(range, optimal.n);
}

/* Embedding by embedding, then full search, so that the legend is in pairs. */
static void add_conditions(const sonde__results *results, int32_t scope, int32_t size,
                           sonde__panel *panel, sonde__n_range *range) {
    const uint32_t semantics[] = {SONDE_SEMANTICS_TEXT, SONDE_SEMANTICS_NOTEBOOK};
    const char *embedding[SONDE__EMBEDDING_MAX];
    const int32_t n_embedding = sonde__embeddings_of(results, "table", embedding);
    for (int32_t e = 0; e <= n_embedding; e++) {
        const bool full = e == n_embedding;
        for (int32_t i = 0; i < (full ? 1 : 2); i++) {
            const sonde__family family = {"table", (sonde_scope)scope, full ? "none" : embedding[e],
                                          semantics[i]};
            for (int32_t c = sonde__family_next(results, &family, -1); c >= 0;
                 c = sonde__family_next(results, &family, c)) {
                add_condition(results, c, size, panel, range);
            }
        }
    }
}

bool sonde__figure_tradeoff(const sonde__results *results, int32_t size, sonde_text *svg) {
    char title[80];
    sonde__n_range range = {0};
    (void)snprintf(title, sizeof title, "Optimal runs against policies scored, %d nodes",
                   (int)size);
    sonde__chart *chart = sonde__chart_new(title, 2);
    if (chart == NULL) {
        return sonde__chart_finish(chart, svg);
    }
    chart->panel_height = 340.0;
    for (int32_t scope = 0; sonde_scope_name(scope) != NULL; scope++) {
        sonde__panel *panel = sonde__chart_panel(chart, sonde_scope_name(scope));
        if (panel != NULL) {
            panel->x.title = "policies scored a decision";
            panel->x.scale = SONDE__SCALE_LOG;
            panel->x.own_range = true;
            panel->y.title = "optimal runs, %";
            panel->y.low = -4.0;
            panel->y.high = 104.0;
            add_conditions(results, scope, size, panel, &range);
        }
    }
    sonde_text_add(&chart->caption,
                   "Every condition of the table; beside a point its k/n. Full markers: the "
                   "paper's text; hollow: the authors' notebook. Policies scored: mean over "
                   "worlds of steps divided by the length of a policy; ");
    sonde__n_range_say(&range, &chart->caption);
    sonde_text_add(&chart->caption, " worlds a point. Upper left is better.");
    return sonde__chart_finish(chart, svg);
}
