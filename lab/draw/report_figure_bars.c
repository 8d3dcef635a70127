/* report_figure_bars.c: figures of shares: optimal runs, valid representatives, kinds of failure.
 *
 * Plain bars are the paper's text, hatched ones the authors' notebook, in all of them. */
#include <math.h>
#include <stdio.h>

#include "draw/report_figure_data.h"
#include "draw/report_figures.h"
#include "paper/paper.h"

static const uint32_t semantics[] = {SONDE_SEMANTICS_TEXT, SONDE_SEMANTICS_NOTEBOOK};

/* What the figures of a group go over. */
typedef struct {
    const sonde__results *results;
    int32_t n_size;
    int32_t size[SONDE__SIZE_MAX];
    int32_t n_embedding;
    const char *embedding[SONDE__EMBEDDING_MAX];
    sonde__n_range range;
} table;

static table table_of(const sonde__results *results) {
    table t = {.results = results};
    t.n_size = sonde__sizes_run(results, "table", t.size);
    t.n_embedding = sonde__embeddings_of(results, "table", t.embedding);
    return t;
}

/* A panel of percentages whose categories are the sizes. */
static sonde__panel *panel_by_size(sonde__chart *chart, const table *t, const char *title,
                                   const char *y_title) {
    sonde__panel *panel = sonde__chart_panel(chart, title);
    if (panel == NULL) {
        return NULL;
    }
    panel->x.title = "nodes";
    panel->y.title = y_title;
    panel->y.low = 0.0;
    for (int32_t s = 0; s < t->n_size; s++) {
        char label[16];
        (void)snprintf(label, sizeof label, "%d", (int)t->size[s]);
        (void)sonde__panel_category(panel, label);
    }
    return panel;
}

/* ------------------------------------------------------------------------------- optimality -- */

static sonde__series series_of(const sonde_condition *condition) {
    const sonde__cell_key key = sonde__key_of(condition);
    sonde__series series = {.drawing = SONDE__DRAW_BARS, .style = sonde__style_for(key.embedding)};
    if (condition->search.search == SONDE_SEARCH_FULL) {
        (void)snprintf(series.label, sizeof series.label, "standard (full search)");
        return series;
    }
    series.hollow = condition->differences != SONDE_SEMANTICS_TEXT;
    (void)snprintf(series.label, sizeof series.label, "%s, k %d, n %d, %s",
                   sonde__embedding_title(key.embedding), (int)key.k, (int)key.n,
                   sonde_semantics_name(condition->differences));
    return series;
}

/* The family's best combination, size by size. */
static void add_best(table *t, const sonde__family *family, sonde__panel *panel) {
    const int32_t best = sonde__family_best(t->results, family);
    if (best < 0) {
        return;
    }
    const sonde_condition *condition = &t->results->plan->condition[best];
    const sonde__series series = series_of(condition);
    const sonde__cell_key key = sonde__key_of(condition);
    const int32_t place = sonde__panel_series(panel, &series);
    for (int32_t s = 0; s < t->n_size; s++) {
        const int32_t at = sonde__condition_at(t->results, best, t->size[s]);
        const sonde__estimate estimate = sonde__optimal(t->results, at, t->size[s]);
        sonde__mark mark = sonde__mark_of(place, (double)s, &estimate);
        mark.reference = sonde__paper_percent(key.scope, key.embedding, key.k, key.n, t->size[s]);
        sonde__panel_mark(panel, &mark);
        sonde__n_range_add(&t->range, estimate.n);
    }
}

bool sonde__figure_optimality(const sonde__results *results, sonde_text *svg) {
    table t = table_of(results);
    sonde__chart *chart = sonde__chart_new("Optimal runs by size of the world", 2);
    if (chart == NULL) {
        return sonde__chart_finish(chart, svg);
    }
    chart->panel_legends = true;
    chart->panel_height = 270.0;
    chart->reference = "the paper's Table 1";
    for (int32_t scope = 0; sonde_scope_name(scope) != NULL; scope++) {
        sonde__panel *panel = panel_by_size(chart, &t, sonde_scope_name(scope), "optimal runs, %");
        sonde__family family = {"table", (sonde_scope)scope, "none", SONDE_SEMANTICS_TEXT};
        if (panel != NULL) {
            panel->y.high = 100.0;
        }
        add_best(&t, &family, panel);
        for (int32_t e = 0; e < t.n_embedding; e++) {
            for (int32_t i = 0; i < 2; i++) {
                family.embedding = t.embedding[e];
                family.differences = semantics[i];
                add_best(&t, &family, panel);
            }
        }
    }
    sonde_text_add(&chart->caption,
                   "Optimal: a shortest path to the destination, where the agent then stays. "
                   "Whiskers: Wilson's 95 %% interval; ");
    sonde__n_range_say(&t.range, &chart->caption);
    sonde_text_add(&chart->caption,
                   " worlds a bar. Of each embedding the combination of k and n with the highest "
                   "mean over the sizes, chosen on these same runs. Plain: the method as the "
                   "paper's text has it; hatched: as the authors' notebook has it; diamonds: the "
                   "paper's Table 1 at the same k and n.");
    return sonde__chart_finish(chart, svg);
}

/* ------------------------------------------------------------------------------------ valid -- */

/* The first condition with an embedding, in global scope, that uses k clusters; -1: none. The two
 * ways to probe share their clusters, so that one of them tells all. */
static int32_t find_k(const table *t, const char *embedding, uint32_t differences, int32_t k) {
    const sonde__family family = {"table", SONDE_GLOBAL, embedding, differences};
    int32_t c = sonde__family_next(t->results, &family, -1);
    while (c >= 0 && sonde__k_used(&t->results->plan->condition[c]) != k) {
        c = sonde__family_next(t->results, &family, c);
    }
    return c;
}

static void add_valid(table *t, const char *embedding, uint32_t differences, int32_t k,
                      sonde__panel *panel) {
    const int32_t c = find_k(t, embedding, differences, k);
    if (c < 0) {
        return;
    }
    sonde__series series = {.drawing = SONDE__DRAW_BARS,
                            .style = k <= 6    ? 6
                                     : k <= 12 ? 1
                                               : 5,
                            .hollow = differences != SONDE_SEMANTICS_TEXT};
    (void)snprintf(series.label, sizeof series.label, "k %d, %s", (int)k,
                   sonde_semantics_name(differences));
    const int32_t place = sonde__panel_series(panel, &series);
    for (int32_t s = 0; s < t->n_size; s++) {
        const int32_t at = sonde__condition_at(t->results, c, t->size[s]);
        const sonde__estimate estimate =
            sonde__measured(t->results, at, t->size[s], sonde__valid_percent);
        sonde__mark mark = sonde__mark_of(place, (double)s, &estimate);
        mark.low = isnan(mark.low) ? mark.low : fmax(0.0, mark.low);
        mark.high = isnan(mark.high) ? mark.high : fmin(100.0, mark.high);
        sonde__panel_mark(panel, &mark);
        sonde__n_range_add(&t->range, estimate.n);
    }
}

/* The next larger k that a condition of the table uses; 0: none. */
static int32_t next_k(const sonde__results *results, int32_t after) {
    int32_t next = 0;
    for (int32_t i = 0; i < results->plan->n_condition; i++) {
        const sonde_condition *condition = &results->plan->condition[i];
        const int32_t k = sonde__k_used(condition);
        const bool counts = sonde__in_group(condition, "table") &&
                            condition->search.search != SONDE_SEARCH_FULL && k > after;
        next = counts && (next == 0 || k < next) ? k : next;
    }
    return next;
}

bool sonde__figure_valid(const sonde__results *results, sonde_text *svg) {
    table t = table_of(results);
    sonde__chart *chart = sonde__chart_new(
        "Representatives that are valid where the agent starts, global scope", t.n_embedding);
    if (chart == NULL) {
        return sonde__chart_finish(chart, svg);
    }
    for (int32_t e = 0; e < t.n_embedding; e++) {
        sonde__panel *panel = panel_by_size(chart, &t, sonde__embedding_title(t.embedding[e]),
                                            "valid representatives, %");
        for (int32_t k = next_k(results, 0); k > 0; k = next_k(results, k)) {
            for (int32_t i = 0; i < 2; i++) {
                add_valid(&t, t.embedding[e], semantics[i], k, panel);
            }
        }
    }
    sonde_text_add(&chart->caption,
                   "Mean over worlds of the share of clusters whose representative begins on the "
                   "agent's edge, at the first decision. Whiskers: Student's 95 %% interval; ");
    sonde__n_range_say(&t.range, &chart->caption);
    sonde_text_add(&chart->caption,
                   " worlds a bar. k is the number of clusters asked for, with the "
                   "notebook's lag where it has one.");
    return sonde__chart_finish(chart, svg);
}

/* --------------------------------------------------------------------------------- failures -- */

/* Kinds of failure, the bottom of a stack first, and how they look. */
static const struct {
    sonde_failure failure;
    const char *label;
    int32_t style;
    bool hollow;
} kinds[] = {
    {SONDE_FAILURE_STAYED, "never left its start", 4, false},
    {SONDE_FAILURE_NEVER, "moved, never arrived", 2, false},
    {SONDE_FAILURE_DETOUR, "arrived by a detour", 1, true},
    {SONDE_FAILURE_LEFT, "arrived, left again", 5, true},
};
#define N_KIND ((int32_t)(sizeof kinds / sizeof *kinds))

/* One bar: all runs of a family, whatever their k, n and size. */
static void add_stack(table *t, const sonde__family *family, sonde__panel *panel) {
    sonde__tally tally = {0};
    for (int32_t c = sonde__family_next(t->results, family, -1); c >= 0;
         c = sonde__family_next(t->results, family, c)) {
        for (int32_t s = 0; s < t->n_size; s++) {
            sonde__tally_add(&tally, sonde__runs(t->results, c, t->size[s]));
        }
    }
    if (tally.n_run == 0) {
        return;
    }
    const bool full = family->embedding[0] == 'n';
    const double category =
        sonde__panel_category(panel, full ? "full" : sonde__embedding_title(family->embedding));
    double base = 0.0;
    for (int32_t i = 0; i < N_KIND; i++) {
        const double share =
            100.0 * (double)tally.n_failure[kinds[i].failure] / (double)tally.n_run;
        sonde__mark mark = sonde__mark_at(i, category, base + share);
        mark.base = base;
        sonde__panel_mark(panel, &mark);
        base += share;
    }
    sonde__n_range_add(&t->range, tally.n_run);
}

static void add_stacks(table *t, sonde_scope scope, uint32_t differences, sonde__chart *chart) {
    char title[48];
    (void)snprintf(title, sizeof title, "%s, %s", sonde_scope_name((int32_t)scope),
                   sonde_semantics_name(differences));
    sonde__panel *panel = sonde__chart_panel(chart, title);
    if (panel == NULL) {
        return;
    }
    panel->x.title = "search or embedding";
    panel->y.title = "runs that were not optimal, %";
    for (int32_t i = 0; i < N_KIND; i++) {
        sonde__series series = {
            .drawing = SONDE__DRAW_STACK, .style = kinds[i].style, .hollow = kinds[i].hollow};
        (void)snprintf(series.label, sizeof series.label, "%s", kinds[i].label);
        (void)sonde__panel_series(panel, &series);
    }
    sonde__family family = {"table", scope, "none", differences};
    add_stack(t, &family, panel);
    for (int32_t e = 0; e < t->n_embedding; e++) {
        family.embedding = t->embedding[e];
        add_stack(t, &family, panel);
    }
}

/* A semantics that only full search ran under is none. */
static bool has_semantics(const table *t, sonde_scope scope, uint32_t differences) {
    for (int32_t e = 0; e < t->n_embedding; e++) {
        const sonde__family family = {"table", scope, t->embedding[e], differences};
        if (sonde__family_next(t->results, &family, -1) >= 0) {
            return true;
        }
    }
    return t->n_embedding == 0 && differences == SONDE_SEMANTICS_TEXT;
}

bool sonde__figure_failures(const sonde__results *results, sonde_text *svg) {
    table t = table_of(results);
    sonde__chart *chart = sonde__chart_new("What happened in runs that were not optimal", 4);
    if (chart == NULL) {
        return sonde__chart_finish(chart, svg);
    }
    for (int32_t scope = 0; sonde_scope_name(scope) != NULL; scope++) {
        for (int32_t i = 0; i < 2; i++) {
            if (has_semantics(&t, (sonde_scope)scope, semantics[i])) {
                add_stacks(&t, (sonde_scope)scope, semantics[i], chart);
            }
        }
    }
    sonde_text_add(&chart->caption,
                   "All sizes, k and n together: the height of a bar is the share of runs that "
                   "were not optimal; ");
    sonde__n_range_say(&t.range, &chart->caption);
    sonde_text_add(&chart->caption, " runs a bar.");
    return sonde__chart_finish(chart, svg);
}
