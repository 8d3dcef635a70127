/* draw_explain.c: why a decision is what it is, as a picture.
 *
 * One panel compares the first actions, one for each of the most probable has the steps of its
 * best policy, terms on top of each other (terms below zero hang from it), and one shows what the
 * decision rests on: how the mass that may be open shrank, or what the clusters' probes were. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/explanation.h"
#include "draw/draw_chart.h"

#define ACTION_MAX 12 /* first actions that are compared */
#define POLICY_MAX 4  /* whose steps are shown */
#define STEP_MAX 24   /* bars in a panel; more steps than that are added up in groups */
#define DOT_MAX 40    /* points of the trace */
#define NODE_MAX 6    /* characters under a step, */
#define TITLE_MAX 18  /* of a first action in a title, */
#define LABEL_MAX 34  /* and of all of them under their bars */
#define AT_LEAST "\342\211\245"
#define NAME_BYTES 24

/* The terms of G from the bottom up, and how they look. */
enum { AHEAD = SONDE_NOVELTY, LESS, N_TERM };
_Static_assert(LESS == SONDE_NOVELTY + 1, "novelty is the last of the terms, and comes after all");
static const sonde__series terms[N_TERM] = {{"risk", 1, false},
                                            {"ambiguity", 2, false},
                                            {"cost", 3, false},
                                            {"to come, at least", 0, true},
                                            {"novelty", 4, false}};

/* Novelty is in the legend where it counts. */
static int32_t count_terms(const sonde_explanation *explanation) {
    return explanation->novel ? N_TERM : N_TERM - 1;
}

/* One after the other: what is above zero goes up, what is below goes down. */
typedef struct {
    double term[N_TERM];
} stack;

static stack stack_of(const sonde_efe *efe) {
    stack bar = {{0.0}};
    memcpy(bar.term, efe->term, AHEAD * sizeof *efe->term);
    bar.term[LESS] = 0.0 - efe->term[SONDE_NOVELTY]; /* which is subtracted */
    return bar;
}

static void add_stack(sonde__panel *panel, double category, const stack *bar) {
    double up = 0.0;
    double down = 0.0;
    for (int32_t i = 0; i < N_TERM; i++) {
        double *base = bar->term[i] >= 0.0 ? &up : &down;
        if (bar->term[i] == 0.0 || isnan(bar->term[i])) {
            continue;
        }
        sonde__panel_mark(panel, (sonde__mark){i, category, *base + bar->term[i], *base});
        *base += bar->term[i];
    }
}

static sonde__panel *new_panel(sonde__chart *chart, const char *title, const char *x, const char *y,
                               int32_t n_series, const sonde__series *series) {
    sonde__panel *panel = sonde__chart_panel(chart, title, n_series, series);
    if (panel != NULL) {
        panel->x.title = x;
        panel->y.title = y;
    }
    return panel;
}

/* A first action's name, in so many characters or so, all of them whole. A chart whose names
 * could not be made fails. */
static sonde__word name_of(const sonde_explanation *explanation, int32_t i, int32_t most,
                           sonde__chart *chart) {
    sonde_text text = {0};
    sonde__word word = {""};
    const int32_t number[] = {explanation->state, explanation->alternative[i].action};
    sonde_model_say(explanation->policies->model, SONDE_NOUN_ACTION, number, most, &text);
    size_t n = text.size < NAME_BYTES ? text.size : NAME_BYTES;
    while (n < text.size && n > 0 && ((unsigned char)text.data[n] & 0xc0) == 0x80) {
        n--;
    }
    if (!text.failed) {
        (void)snprintf(word.text, sizeof word.text, "%.*s", (int)n, text.data);
    } else if (chart != NULL) {
        chart->caption.failed = true;
    }
    sonde_text_free(&text);
    return word;
}

/* ------------------------------------------------------------------------------------ panels -- */

/* All of a first action's best policy in one bar. */
static void add_comparison(const sonde_explanation *explanation, sonde__chart *chart) {
    sonde__panel *panel = new_panel(chart, "best policy of each first action",
                                    "first action, the most probable first", "G, nats",
                                    count_terms(explanation), terms);
    const int32_t n =
        explanation->n_alternative < ACTION_MAX ? explanation->n_alternative : ACTION_MAX;
    for (int32_t i = 0; i < n; i++) {
        const sonde__alternative *alternative = &explanation->alternative[i];
        stack bar = stack_of(&alternative->total);
        const sonde__word name = name_of(explanation, i, LABEL_MAX / n + 2, chart);
        const double category = sonde__panel_category(panel, name.text);
        if (alternative->n_step == 0) {
            continue;
        }
        if (alternative->n_step < explanation->policies->horizon) {
            bar.term[AHEAD] = alternative->bound - alternative->total.efe;
        }
        add_stack(panel, category, &bar);
    }
    if (chart != NULL) {
        chart->cut = chart->cut || explanation->n_alternative > ACTION_MAX;
    }
}

/* Steps t and those that share its bar. */
static stack sum_steps(const sonde__alternative *alternative, int32_t t, int32_t n) {
    stack bar = {{0.0}};
    for (int32_t i = t; i < t + n && i < alternative->n_step; i++) {
        const stack step = stack_of(&alternative->step[i]);
        for (int32_t k = 0; k < N_TERM; k++) {
            bar.term[k] += step.term[k];
        }
    }
    return bar;
}

/* The node that step t + 1 leads to; "" where worlds have none, or several steps share a bar. */
static sonde__word node_after(const sonde_explanation *explanation,
                              const sonde__alternative *alternative, int32_t t,
                              sonde__chart *chart) {
    sonde_text name = {0};
    sonde__word word = {""};
    if (explanation->policies->horizon <= STEP_MAX) {
        sonde_model_say(explanation->policies->model, SONDE_NOUN_NODE, &alternative->reached[t],
                        NODE_MAX, &name);
    }
    if (name.size > 0 && !name.failed) {
        (void)snprintf(word.text, sizeof word.text, "%.40s", name.data);
    } else if (name.failed && chart != NULL) {
        chart->caption.failed = true;
    }
    sonde_text_free(&name);
    return word;
}

/* The steps of one policy, a few together where there are many; after those of a prefix, their
 * share of the bound. */
static void add_policy(const sonde_explanation *explanation, int32_t i, sonde__chart *chart) {
    const sonde__alternative *alternative = &explanation->alternative[i];
    const int32_t horizon = explanation->policies->horizon;
    const int32_t n_each = (horizon + STEP_MAX - 1) / STEP_MAX;
    const bool whole = alternative->n_step == horizon;
    char title[72];
    const sonde__word name = name_of(explanation, i, TITLE_MAX, chart);
    if (whole) {
        (void)snprintf(title, sizeof title, "%.24s: p %.8s, G %.24s", name.text,
                       sonde__fixed(alternative->posterior, 3).text,
                       sonde__short(alternative->total.efe).text);
    } else {
        (void)snprintf(title, sizeof title, "%.24s: G " AT_LEAST " %.24s", name.text,
                       sonde__short(alternative->bound).text);
    }
    const sonde__word first = node_after(explanation, alternative, 0, chart);
    sonde__panel *panel = new_panel(chart, title,
                                    first.text[0] != '\0' ? "node after each step"
                                    : n_each > 1          ? "step, several to a bar"
                                                          : "step",
                                    "G of a step, nats", count_terms(explanation), terms);
    const double ahead = whole ? 0.0
                               : (alternative->bound - alternative->total.efe) /
                                     (double)(horizon - alternative->n_step);
    for (int32_t t = 0; t < horizon; t += n_each) {
        stack bar = sum_steps(alternative, t, n_each);
        const int32_t end = t + n_each < horizon ? t + n_each : horizon;
        const int32_t known = alternative->n_step > t ? alternative->n_step : t;
        bar.term[AHEAD] = end > known ? ahead * (double)(end - known) : 0.0;
        sonde__word label = node_after(explanation, alternative, t, chart);
        if (label.text[0] == '\0') {
            (void)snprintf(label.text, sizeof label.text, "%d", (int)t + 1);
        }
        add_stack(panel, sonde__panel_category(panel, label.text), &bar);
    }
}

/* How much of the mass may have been open, while bounded search went on. */
static void add_trace(const sonde_explanation *explanation, sonde__chart *chart) {
    static const sonde__series series = {"open mass, at most", 0, false};
    sonde__panel *panel =
        new_panel(chart, "mass that may be open", "steps scored", "share of the mass", 1, &series);
    if (panel == NULL) {
        return;
    }
    panel->line = true;
    /* not all of them, but the last */
    const int32_t every = explanation->n_trace / DOT_MAX + 1;
    for (int32_t i = (explanation->n_trace - 1) % every; i < explanation->n_trace; i += every) {
        const sonde__trace *at = &explanation->trace[i];
        sonde__panel_mark(panel, (sonde__mark){0, (double)at->n_step, at->tv, 0.0});
    }
}

/* What the clusters were chosen on, the smallest probe first. */
static void add_clusters(const sonde_explanation *explanation, sonde__chart *chart) {
    static const sonde__series series[] = {{"chosen", 5, false}, {"cut", 0, true}};
    sonde__panel *panel =
        new_panel(chart,
                  explanation->probe == SONDE_PROBE_CENTER ? "probes: G of representatives"
                                                           : "probes: mean G of a few members",
                  "cluster", "probe, nats", 2, series);
    for (int32_t i = 0; i < explanation->n_cluster && i < STEP_MAX; i++) {
        const sonde__probed *cluster = &explanation->cluster[i];
        char number[16];
        (void)snprintf(number, sizeof number, "%d", (int)cluster->cluster);
        const double category = sonde__panel_category(panel, number);
        sonde__panel_mark(panel,
                          (sonde__mark){cluster->chosen ? 0 : 1, category, cluster->probe, 0.0});
    }
    if (chart != NULL) {
        chart->cut = chart->cut || explanation->n_cluster > STEP_MAX;
    }
}

/* --------------------------------------------------------------------------------------- all -- */

/* Whether a first action has steps, but no whole policy. */
static bool has_prefix(const sonde_explanation *explanation) {
    bool has = false;
    for (int32_t i = 0; i < explanation->n_alternative; i++) {
        const int32_t n_step = explanation->alternative[i].n_step;
        has = has || (n_step > 0 && n_step < explanation->policies->horizon);
    }
    return has;
}

static void say(const sonde_explanation *explanation, sonde_text *caption) {
    const sonde_certificate *certificate = &explanation->certificate;
    sonde_text_add(
        caption,
        "G of the best policy of each first action, step by step, by its terms; p is the "
        "action's posterior probability. The decision rests on this: %s.",
        explanation->because);
    if (certificate->given) {
        sonde_text_add(caption, " What is sure: ");
        sonde_certificate_say(certificate, caption);
        sonde_text_add(caption, ".");
    }
    if (has_prefix(explanation)) {
        sonde_text_add(caption, " Where no policy was completed, the bound of what is to come is "
                                "spread over the steps that are left.");
    }
    if (explanation->n_trace > 0) {
        sonde_text_add(caption, " Prefixes: %s expanded, %s merged, ",
                       sonde__grouped((int64_t)explanation->n_expanded).text,
                       sonde__grouped((int64_t)explanation->n_merged).text);
        sonde_text_add(
            caption, "%s left open%s.", sonde__grouped((int64_t)explanation->n_open).text,
            explanation->n_open == 0 && explanation->n_trace > 1 ? " (so that it fell to 0)" : "");
    }
    if (explanation->n_cluster > 0) {
        sonde_text_add(caption, " Clusters that were cut hold %s policies.",
                       sonde__grouped((int64_t)explanation->n_cut).text);
    }
}

void sonde_draw_explanation(const sonde_explanation *explanation, sonde_text *svg) {
    int32_t n_policy = 0;
    sonde__chart *chart = sonde__chart_new("Why this action");
    if (chart != NULL) {
        say(explanation, &chart->caption);
    }
    add_comparison(explanation, chart);
    for (int32_t i = 0; i < explanation->n_alternative && n_policy < POLICY_MAX; i++) {
        if (explanation->alternative[i].n_step > 0) {
            add_policy(explanation, i, chart);
            n_policy++;
        }
    }
    if (explanation->n_trace > 1) {
        add_trace(explanation, chart);
    }
    if (explanation->n_cluster > 0) {
        add_clusters(explanation, chart);
    }
    sonde__chart_finish(chart, svg);
}
