/* report_figure_lines.c: figures of costs: decisions and construction by size, and the sweeps.
 *
 * Figures of one semantics show the paper's text where the study has it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw/report_figure_data.h"
#include "draw/report_figures.h"

/* A panel, and what has been added to it. */
typedef struct {
    const sonde__results *results;
    sonde__panel *panel;
    sonde__n_range range;
} canvas;

static const char *scope_name(int32_t scope) {
    return sonde_scope_name(scope);
}

/* Adds a condition's means at all sizes as a line. */
static void add_line(canvas *to, int32_t condition, const sonde__series *series,
                     sonde__measure measure) {
    int32_t size[SONDE__SIZE_MAX];
    const int32_t n_size = sonde__sizes_run(to->results, "table", size);
    const int32_t place = sonde__panel_series(to->panel, series);
    for (int32_t s = 0; s < n_size; s++) {
        const int32_t at = sonde__condition_at(to->results, condition, size[s]);
        const sonde__estimate estimate =
            sonde__about_log(sonde__measured(to->results, at, size[s], measure));
        const sonde__mark mark = sonde__mark_of(place, (double)size[s], &estimate);
        sonde__panel_mark(to->panel, &mark);
        sonde__n_range_add(&to->range, estimate.n);
    }
}

static void set_axes(sonde__panel *panel, const char *y_title, sonde__scale scale) {
    if (panel != NULL) {
        panel->x.title = "nodes";
        panel->x.whole = true;
        panel->y.title = y_title;
        panel->y.scale = scale;
    }
}

/* -------------------------------------------------------------------------------- decisions -- */

typedef struct {
    const char *title;
    const char *y_title;
    sonde__measure measure;
    const char *caption;
} decision_figure;

/* The family's most optimal combination, as in the figure of optimality. */
static void add_best(canvas *to, const sonde__family *family, sonde__measure measure) {
    const int32_t best = sonde__family_best(to->results, family);
    if (best < 0) {
        return;
    }
    const sonde__cell_key key = sonde__key_of(&to->results->plan->condition[best]);
    sonde__series series = {.drawing = SONDE__DRAW_LINE, .style = sonde__style_for(key.embedding)};
    if (key.k == 0) {
        (void)snprintf(series.label, sizeof series.label, "standard (full search)");
    } else {
        (void)snprintf(series.label, sizeof series.label, "%s, k %d, n %d",
                       sonde__embedding_title(key.embedding), (int)key.k, (int)key.n);
    }
    add_line(to, best, &series, measure);
}

static bool decisions(const sonde__results *results, const decision_figure *figure,
                      sonde_text *svg) {
    const char *embedding[SONDE__EMBEDDING_MAX];
    const int32_t n_embedding = sonde__embeddings_of(results, "table", embedding);
    canvas to = {.results = results};
    sonde__family family = {.group = "table", .differences = sonde__semantics_of(results, "table")};
    sonde__chart *chart = sonde__chart_new(figure->title, 2);
    if (chart == NULL) {
        return sonde__chart_finish(chart, svg);
    }
    chart->panel_legends = true;
    for (int32_t scope = 0; scope_name(scope) != NULL; scope++) {
        to.panel = sonde__chart_panel(chart, scope_name(scope));
        set_axes(to.panel, figure->y_title, SONDE__SCALE_LOG);
        family.scope = (sonde_scope)scope;
        for (int32_t e = -1; e < n_embedding; e++) {
            family.embedding = e < 0 ? "none" : embedding[e];
            add_best(&to, &family, figure->measure);
        }
    }
    sonde_text_add(&chart->caption,
                   "%s Semantics: %s. Whiskers: 95 %% interval of the "
                   "mean over worlds (Student's, about its logarithm); ",
                   figure->caption, sonde_semantics_name(family.differences));
    sonde__n_range_say(&to.range, &chart->caption);
    sonde_text_add(&chart->caption, " worlds a point. Combinations of k and n as in the figure of "
                                    "optimal runs.");
    return sonde__chart_finish(chart, svg);
}

bool sonde__figure_decision_time(const sonde__results *results, sonde_text *svg) {
    static const decision_figure figure = {"Time of a decision by size of the world",
                                           "seconds a decision", sonde__seconds_per_decision,
                                           "Mean time of a decision on one thread, embedding and "
                                           "clustering not counted."};
    return decisions(results, &figure, svg);
}

bool sonde__figure_decision_steps(const sonde__results *results, sonde_text *svg) {
    static const decision_figure figure = {
        "Work of a decision by size of the world", "steps scored a decision",
        sonde__steps_per_decision,
        "Mean number of beliefs propagated and scored for a decision; "
        "a prefix that policies share counts once."};
    return decisions(results, &figure, svg);
}

/* ----------------------------------------------------------------------------- construction -- */

/* The first condition with the family's largest k that made clusterings itself; -1: none. */
static int32_t find_maker(const sonde__results *results, const sonde__family *family) {
    int32_t maker = -1;
    int32_t largest = 0;
    for (int32_t c = sonde__family_next(results, family, -1); c >= 0;
         c = sonde__family_next(results, family, c)) {
        const sonde_condition *condition = &results->plan->condition[c];
        int32_t n = 0;
        for (int32_t s = 0; s < condition->n_size; s++) {
            n += sonde__measured(results, c, condition->size[s], sonde__construction_seconds).n;
        }
        if (n > 0 && sonde__k_used(condition) > largest) {
            largest = sonde__k_used(condition);
            maker = c;
        }
    }
    return maker;
}

static void add_construction(canvas *to, const sonde__family *family, bool detail) {
    const int32_t maker = find_maker(to->results, family);
    if (maker < 0) {
        return;
    }
    sonde__series series = {.drawing = SONDE__DRAW_LINE,
                            .style = sonde__style_for(family->embedding),
                            .hollow = detail && family->scope == SONDE_LOCAL};
    const char *name = sonde__embedding_title(family->embedding);
    if (detail) {
        (void)snprintf(series.label, sizeof series.label, "%s, %s", name,
                       scope_name((int32_t)family->scope));
    } else {
        (void)snprintf(series.label, sizeof series.label, "%s, k %d", name,
                       (int)sonde__k_used(&to->results->plan->condition[maker]));
    }
    add_line(to, maker, &series, sonde__construction_seconds);
}

/* The embeddings that are cheap: their times are hard to read beside those of edm. */
static bool in_detail(const char *embedding) {
    return strcmp(embedding, "boe") == 0 || strcmp(embedding, "aboe") == 0;
}

static void add_panel(sonde__chart *chart, canvas *to, const char *title, bool detail) {
    to->panel = sonde__chart_panel(chart, title);
    set_axes(to->panel, detail ? "seconds a run, linear" : "seconds a run",
             detail ? SONDE__SCALE_LINEAR : SONDE__SCALE_LOG);
}

bool sonde__figure_construction_time(const sonde__results *results, sonde_text *svg) {
    const char *embedding[SONDE__EMBEDDING_MAX];
    const int32_t n_embedding = sonde__embeddings_of(results, "table", embedding);
    canvas to = {.results = results};
    sonde__family family = {.group = "table", .differences = sonde__semantics_of(results, "table")};
    sonde__chart *chart = sonde__chart_new("Time to embed and cluster by size of the world", 3);
    if (chart == NULL) {
        return sonde__chart_finish(chart, svg);
    }
    chart->panel_legends = true;
    /* local, global, and the cheap ones of both */
    for (int32_t i = 0; i < 3; i++) {
        const bool detail = i == 2;
        add_panel(chart, &to, detail ? "detail: BOE and aBOE" : scope_name(i), detail);
        for (int32_t e = 0; e < n_embedding; e++) {
            family.embedding = embedding[e];
            for (int32_t scope = 0; scope_name(scope) != NULL; scope++) {
                family.scope = (sonde_scope)scope;
                if (detail ? in_detail(embedding[e]) : scope == i) {
                    add_construction(&to, &family, detail);
                }
            }
        }
    }
    sonde_text_add(
        &chart->caption,
        "Mean over worlds of embedding and k-means (ten starts), all states that a run "
        "visited together in local scope; runs that made all their clusterings "
        "themselves. Whiskers: 95 %% interval of the mean (Student's, about its logarithm); ");
    sonde__n_range_say(&to.range, &chart->caption);
    sonde_text_add(&chart->caption, " worlds a point.");
    return sonde__chart_finish(chart, svg);
}
