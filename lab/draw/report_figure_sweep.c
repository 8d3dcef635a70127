/* report_figure_sweep.c: one setting of clustered search swept, all others fixed.
 *
 * Percent optimal above and policies scored below, a column for each scope and embedding, a line
 * for each size. Dotted lines are what full search scores in the worlds of the table. */
#include <math.h>
#include <stdio.h>

#include "draw/report_figure_data.h"
#include "draw/report_figures.h"

#define FAMILY_MAX 16
#define COLUMN_MAX 3

/* What is swept, and what is plotted against it. */
typedef struct {
    const char *group;
    const char *title;
    const char *x_title;
    sonde__scale scale;
    bool by_k; /* or by the number of samples */
    const char *caption;
} sweep;

typedef struct {
    const sonde__results *results;
    const sweep *what;
    int32_t n_size;
    int32_t size[SONDE__SIZE_MAX];
    sonde__n_range range;
    bool guided; /* a line for full search was drawn */
} study;

static double swept(const study *s, int32_t condition) {
    const sonde__cell_key key = sonde__key_of(&s->results->plan->condition[condition]);
    return (double)(s->what->by_k ? key.k : key.n);
}

/* Whether two conditions differ in nothing but what is swept. */
static bool comparable(const study *s, int32_t one, int32_t two) {
    const sonde_search_settings *a = &s->results->plan->condition[one].search;
    const sonde_search_settings *b = &s->results->plan->condition[two].search;
    const bool same_samples = a->probe == SONDE_PROBE_CENTER || a->n_sample == b->n_sample;
    return a->probe == b->probe && (s->what->by_k ? same_samples : a->cluster.k == b->cluster.k);
}

/* What full search scores in these worlds, from end to end of the sweep. */
static void add_guide(study *s, const sonde__family *family, int32_t i, sonde__panel *panel) {
    const sonde__family full = {"table", family->scope, "none", family->differences};
    const int32_t first = sonde__family_next(s->results, &full, -1);
    const int32_t condition = sonde__condition_at(s->results, first, s->size[i]);
    const sonde__estimate cost =
        sonde__measured(s->results, condition, s->size[i], sonde__equivalent_per_decision);
    if (panel == NULL || cost.n == 0 || panel->x.data_low > panel->x.data_high) {
        return;
    }
    sonde__series series = {.drawing = SONDE__DRAW_GUIDE, .style = sonde__style_for_size(i)};
    s->guided = true;
    const int32_t place = sonde__panel_series(panel, &series);
    const double ends[] = {panel->x.data_low, panel->x.data_high};
    for (int end = 0; end < 2; end++) {
        const sonde__mark mark = sonde__mark_at(place, ends[end], cost.value);
        sonde__panel_mark(panel, &mark);
    }
}

/* A line for one size. */
static void add_size(study *s, const sonde__family *family, int32_t i, bool cost,
                     sonde__panel *panel) {
    sonde__series series = {
        .drawing = SONDE__DRAW_LINE, .style = sonde__style_for_size(i), .band = true};
    (void)snprintf(series.label, sizeof series.label, "%d nodes", (int)s->size[i]);
    const int32_t first = sonde__family_next(s->results, family, -1);
    const int32_t place = sonde__panel_series(panel, &series);
    for (int32_t c = first; c >= 0; c = sonde__family_next(s->results, family, c)) {
        if (!comparable(s, first, c)) {
            continue;
        }
        const sonde__estimate estimate =
            cost ? sonde__about_log(
                       sonde__measured(s->results, c, s->size[i], sonde__equivalent_per_decision))
                 : sonde__optimal(s->results, c, s->size[i]);
        const sonde__mark mark = sonde__mark_of(place, swept(s, c), &estimate);
        sonde__panel_mark(panel, &mark);
        sonde__n_range_add(&s->range, estimate.n);
    }
}

static void add_panel(study *s, const sonde__family *family, bool cost, sonde__chart *chart) {
    char title[48];
    (void)snprintf(title, sizeof title, "%s, %s", sonde_scope_name((int32_t)family->scope),
                   sonde__embedding_title(family->embedding));
    sonde__panel *panel = sonde__chart_panel(chart, title);
    if (panel == NULL) {
        return;
    }
    panel->x.title = s->what->x_title;
    panel->x.scale = s->what->scale;
    panel->x.whole = s->what->scale == SONDE__SCALE_LINEAR;
    panel->y.title = cost ? "policies scored a decision" : "optimal runs, %";
    panel->y.scale = cost ? SONDE__SCALE_LOG : SONDE__SCALE_LINEAR;
    panel->y.low = cost ? (double)NAN : -2.0;
    panel->y.high = cost ? (double)NAN : 102.0;
    for (int32_t i = 0; i < s->n_size; i++) {
        add_size(s, family, i, cost, panel);
    }
    for (int32_t i = 0; i < s->n_size && cost; i++) {
        add_guide(s, family, i, panel);
    }
}

/* --------------------------------------------------------------------------------- columns -- */

/* The scopes and embeddings of the group, a family each; returns how many. */
static int32_t families_of(const study *s, sonde__family family[FAMILY_MAX]) {
    const char *embedding[SONDE__EMBEDDING_MAX];
    const int32_t n_embedding = sonde__embeddings_of(s->results, s->what->group, embedding);
    const uint32_t differences = sonde__semantics_of(s->results, s->what->group);
    int32_t n = 0;
    for (int32_t scope = 0; sonde_scope_name(scope) != NULL; scope++) {
        for (int32_t e = 0; e < n_embedding && n < FAMILY_MAX; e++) {
            family[n] =
                (sonde__family){s->what->group, (sonde_scope)scope, embedding[e], differences};
            n += sonde__family_next(s->results, &family[n], -1) >= 0 ? 1 : 0;
        }
    }
    return n;
}

/* Two rows for each COLUMN_MAX families; a single family has its two panels side by side. */
static void add_panels(study *s, int32_t n, const sonde__family *family, sonde__chart *chart) {
    for (int32_t first = 0; first < n; first += chart->n_column) {
        for (int32_t i = first; i < first + chart->n_column; i++) {
            if (i < n) {
                add_panel(s, &family[i], false, chart);
            } else if (n > 1) {
                (void)sonde__chart_panel(chart, "");
            }
        }
        for (int32_t i = first; i < first + chart->n_column && i < n; i++) {
            add_panel(s, &family[i], true, chart);
        }
        while (n > 1 && chart->n_panel % chart->n_column != 0) {
            (void)sonde__chart_panel(chart, "");
        }
    }
}

static bool sweep_figure(const sonde__results *results, const sweep *what, sonde_text *svg) {
    study s = {.results = results, .what = what};
    sonde__family family[FAMILY_MAX];
    s.n_size = sonde__sizes_run(results, what->group, s.size);
    const int32_t n = families_of(&s, family);
    sonde__chart *chart = sonde__chart_new(what->title, n == 1           ? 2
                                                        : n < COLUMN_MAX ? n
                                                                         : COLUMN_MAX);
    if (chart == NULL) {
        return sonde__chart_finish(chart, svg);
    }
    chart->panel_height = n > 1 ? 200.0 : 240.0;
    add_panels(&s, n, family, chart);
    sonde_text_add(&chart->caption,
                   "%s Semantics: %s. Bands: 95 %% intervals (Wilson's; of mean costs: "
                   "Student's, about the logarithm); ",
                   what->caption, sonde_semantics_name(sonde__semantics_of(results, what->group)));
    sonde__n_range_say(&s.range, &chart->caption);
    sonde_text_add(&chart->caption,
                   " worlds a point. Policies scored: steps divided by the length of a policy.%s",
                   s.guided ? " Dotted: full search, in the worlds of the table." : "");
    return sonde__chart_finish(chart, svg);
}

bool sonde__figure_sweep_k(const sonde__results *results, sonde_text *svg) {
    static const sweep what = {
        "sweep-k",     "Optimal runs and cost against the number of clusters",
        "k, clusters", SONDE__SCALE_LOG,
        true,          "Clustered search with k clusters."};
    return sweep_figure(results, &what, svg);
}

bool sonde__figure_sweep_n(const sonde__results *results, sonde_text *svg) {
    static const sweep what = {"sweep-n",
                               "Optimal runs and cost against the number of samples",
                               "n, samples from a cluster",
                               SONDE__SCALE_LINEAR,
                               false,
                               "Clustered search that scores n members of every cluster."};
    return sweep_figure(results, &what, svg);
}
