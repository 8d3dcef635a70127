/* report_failed_run.c: one run that failed, shown whole.
 *
 * The run is lived through again up to the first step that leads off every shortest path, which is
 * where the search misjudged. There the report shows what the search saw (the probes), what it did
 * not look at (the mean and the best of each cluster), and says in one sentence why it went wrong. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "draw/report_world.h"

#define GROUP "table"

/* A run, and its decision that went wrong. */
typedef struct {
    sonde__page *page;
    const sonde_condition *condition;
    const sonde__result_run *run;
    sonde__opened_world world;
    int32_t path[SONDE__PATH_MAX];
    int32_t n_path;
    int32_t step; /* the first that leads off: from path[step] to path[step + 1] */
    sonde_agent *agent;
    const sonde_decision *decision;
    bool same; /* whether it went as it had gone in the study */
    int32_t n_policy;
    double *efe;  /* (n_policy) of all policies of the decision's origin */
    double *mean; /* (k) of each cluster */
    double *best; /* (k) */
    int32_t best_policy;
    int32_t chosen; /* cluster */
} failed_run;

/* ------------------------------------------------------------------------------------ which run -- */

/* Whether a condition is of the kind that is preferred in this pass, of which there are three. */
static bool is_wanted(const sonde_condition *condition, int32_t pass) {
    const sonde_search_settings *search = &condition->search;
    return sonde__in_group(condition, GROUP) && search->search == SONDE_SEARCH_CLUSTER &&
           (pass >= 1 || search->scope == SONDE_LOCAL) &&
           (pass >= 2 || condition->differences == SONDE_SEMANTICS_TEXT);
}

/* The first run of a kind of failure in the largest worlds that can be opened, or NULL. */
static const sonde__result_run *find_kind(const sonde__results *results, sonde_failure failure,
                                          int32_t pass) {
    const sonde__result_run *found = NULL;
    for (int32_t i = 0; i < results->n_run; i++) {
        const sonde__result_run *run = &results->run[i];
        if (run->failure != failure || (found != NULL && run->size <= found->size) ||
            !is_wanted(&results->plan->condition[run->condition], pass)) {
            continue;
        }
        const sonde__result_world *world = sonde__run_world(results, run);
        if (world != NULL && world->n_policy <= SONDE__WORLD_POLICY_MAX) {
            found = run;
        }
    }
    return found;
}

static const sonde__result_run *find_run(const sonde__results *results) {
    static const sonde_failure kinds[] = {SONDE_FAILURE_STAYED, SONDE_FAILURE_NEVER,
                                          SONDE_FAILURE_DETOUR, SONDE_FAILURE_LEFT};
    const sonde__result_run *found = NULL;
    for (int32_t i = 0; i < 12 && found == NULL; i++) {
        found = find_kind(results, kinds[i % 4], i / 4);
    }
    return found;
}

/* -------------------------------------------------------------------------------- living it again -- */

/* Distance to the destination from a node. */
static sonde_status distance_from(const sonde_graph *graph, int32_t node, double *distance,
                                  double *out) {
    const sonde_status status = sonde_graph_distances(graph, node, distance, NULL);
    *out = distance[graph->destination];
    return status;
}

/* The first step that leads off every shortest path, or away from the destination; -1 for none. */
static sonde_status find_step(failed_run *r) {
    const sonde_graph *graph = r->world.graph;
    double *distance = sonde__alloc((size_t)graph->n_node * sizeof *distance);
    sonde_status status = distance != NULL ? SONDE_OK : SONDE_NO_MEMORY;
    r->step = -1;
    for (int32_t t = 0; t + 1 < r->n_path && r->step < 0 && status == SONDE_OK; t++) {
        const int32_t edge = sonde_graph_edge(graph, r->path[t], r->path[t + 1]);
        double before = 0.0;
        double after = 0.0;
        status = distance_from(graph, r->path[t], distance, &before);
        if (status == SONDE_OK) {
            status = distance_from(graph, r->path[t + 1], distance, &after);
        }
        if (edge < 0 || graph->weight[edge] + after > before + 1e-9 * (1.0 + before)) {
            r->step = t;
        }
    }
    sonde__free(distance);
    return status;
}

/* Lets the agent decide again up to the step in question, and stops before it acts on it. */
static sonde_status live_again(failed_run *r) {
    const sonde_model *model = r->world.model;
    int32_t state = r->world.graph->start;
    sonde_status status = SONDE_OK;
    r->same = true;
    for (int32_t t = 0; t <= r->step && r->same && status == SONDE_OK; t++) {
        (void)sonde_agent_observe(r->agent, &state, NULL);
        status = sonde_agent_search(r->agent, &r->decision, NULL);
        if (status == SONDE_OK && t < r->step) {
            state = sonde_model_next(model, state, sonde_agent_act(r->agent));
            r->same = model->graph->head[state] == r->path[t + 1];
        }
    }
    return status;
}

/* ------------------------------------------------------------------------------- what it missed -- */

static void find_best(failed_run *r) {
    const sonde_clusters *clusters = r->decision->clusters;
    r->best_policy = 0;
    for (int32_t c = 0; c < clusters->k; c++) {
        r->best[c] = NAN;
        r->chosen = r->decision->chosen[c] ? c : r->chosen;
    }
    for (int32_t i = 0; i < r->n_policy; i++) {
        const int32_t c = clusters->label[i];
        r->best[c] = isnan(r->best[c]) ? r->efe[i] : fmin(r->best[c], r->efe[i]);
        r->best_policy = r->efe[i] < r->efe[r->best_policy] ? i : r->best_policy;
    }
}

/* G of every policy that the decision could have scored. */
static sonde_status score_all(failed_run *r) {
    const sonde_decision *decision = r->decision;
    const sonde_clusters *clusters = decision->clusters;
    r->n_policy = clusters->n_policy;
    r->efe = sonde__alloc((size_t)r->n_policy * sizeof *r->efe);
    r->mean = sonde__alloc((size_t)clusters->k * sizeof *r->mean);
    r->best = sonde__alloc((size_t)clusters->k * sizeof *r->best);
    if (r->efe == NULL || r->mean == NULL || r->best == NULL) {
        return SONDE_NO_MEMORY;
    }
    const sonde_range range = {decision->origin, 0, (uint64_t)r->n_policy};
    const sonde_present now = {.state = decision->state};
    sonde_policies *scored = NULL;
    sonde_status status = sonde_policies_weigh(
        r->world.policies, &sonde_agent_settings(r->agent)->weights, &scored, NULL);
    if (status == SONDE_OK) {
        status = sonde_efe_range(scored, now, range, r->page->run, r->efe, NULL);
    }
    if (status == SONDE_OK) {
        status = sonde_clusters_mean_efe(clusters, scored, decision->origin, now, r->mean, NULL);
    }
    sonde_policies_free(scored);
    if (status == SONDE_OK) {
        find_best(r);
    }
    return status;
}

/* Whether the decision is there, and was made from clusters of all policies: not by a fallback, and
 * not from a sample. */
static bool has_clusters(const failed_run *r) {
    return r->same && r->step >= 0 && r->decision->clusters != NULL &&
           r->decision->clusters->policy == NULL;
}

static sonde_status open_run(failed_run *r) {
    const sonde__result_world *world = sonde__run_world(r->page->results, r->run);
    sonde_search_settings settings = r->condition->search;
    settings.seed = world->seed;
    sonde_differences_apply(r->condition->differences, r->condition->k_before, &settings);
    r->n_path = sonde__path_read(r->run->path, SONDE__PATH_MAX, r->path);
    sonde_status status = sonde__world_open(r->page, world, &r->world);
    if (status == SONDE_OK) {
        status = find_step(r);
    }
    if (status == SONDE_OK) {
        status =
            sonde_agent_new(r->world.policies, &settings, r->page->run, &r->agent, r->page->error);
    }
    if (status == SONDE_OK) {
        status = live_again(r);
    }
    return status == SONDE_OK && has_clusters(r) ? score_all(r) : status;
}

static void close_run(failed_run *r) {
    sonde__free(r->efe);
    sonde__free(r->mean);
    sonde__free(r->best);
    sonde_agent_free(r->agent);
    sonde__world_close(&r->world);
}

/* -------------------------------------------------------------------------------------- pictures -- */

static void add_series(failed_run *r, sonde__panel *panel, int32_t i) {
    const char *const label[] = {"what the search scored", "mean of its policies",
                                 "best of its policies"};
    const double *const value[] = {r->decision->cluster_efe, r->mean, r->best};
    sonde__series series = {
        .drawing = SONDE__DRAW_BARS, .style = i == 2 ? 3 : i + 1, .hollow = i == 1};
    (void)snprintf(series.label, sizeof series.label, "%s", label[i]);
    const int32_t at = sonde__panel_series(panel, &series);
    for (int32_t c = 0; c < r->decision->clusters->k; c++) {
        const sonde__mark mark = sonde__mark_at(at, (double)c, value[i][c]);
        sonde__panel_mark(panel, &mark);
    }
}

static sonde_status add_bars(failed_run *r) {
    const int32_t k = r->decision->clusters->k;
    sonde__chart *chart = sonde__chart_new("What the search saw, and what there was", 1);
    sonde__panel *panel = sonde__chart_panel(chart, "");
    sonde_text svg = {0};
    if (panel != NULL) {
        panel->x.title = "cluster";
        panel->x.scale = SONDE__SCALE_CATEGORY;
        panel->y.title = "G, nats";
        panel->y.low = 0.0;
        for (int32_t c = 0; c < k; c++) {
            char label[SONDE__LABEL_MAX];
            (void)snprintf(label, sizeof label, "%" PRId32 "%s", c,
                           c == r->chosen                                      ? " chosen"
                           : c == r->decision->clusters->label[r->best_policy] ? " best"
                                                                               : "");
            (void)sonde__panel_category(panel, label);
        }
        for (int32_t i = 0; i < 3; i++) {
            add_series(r, panel, i);
        }
        sonde_text_add(&chart->caption,
                       "The %" PRId32 " clusters of the decision at step %" PRId32
                       ". The search took "
                       "the one whose score was smallest; the best policy of all is in the cluster "
                       "called best.",
                       k, r->step + 1);
    }
    sonde_status status = SONDE_OK;
    if (sonde__chart_finish(chart, &svg)) {
        status = sonde__page_figure(r->page, "failed_clusters", &svg,
                                    "The failed run: probes, and what they stand for.");
    }
    sonde_text_free(&svg);
    return status;
}

/* The embedding that the agent used, differences carried out. */
static int32_t kind_used(const sonde_condition *condition) {
    sonde_search_settings search = condition->search;
    sonde_differences_apply(condition->differences, condition->k_before, &search);
    return search.embed.kind;
}

static sonde_status add_plane(failed_run *r) {
    static const char title[] = "Where the search looked";
    const double width = 560.0;
    const double height = 440.0;
    sonde__space space = {0};
    sonde_text svg = {0};
    sonde_status status =
        sonde__space_open(r->page, &r->world, kind_used(r->condition), r->decision->origin, &space);
    if (status == SONDE_OK) {
        const sonde__scatter_plot scatter = {.title = r->condition->label,
                                             .space = &space,
                                             .clusters = r->decision->clusters,
                                             .chosen = r->chosen,
                                             .best = r->best_policy};
        sonde__pen_open(&svg, width, height, title,
                        "Policies, cluster centres, the chosen cluster "
                        "and the best policy of all.");
        sonde__pen_words(&svg, " font-weight=\"bold\"", (sonde__point){16.0, 22.0}, 15.0, title);
        sonde__scatter_legend(true, (sonde__point){22.0, 45.0}, &svg);
        sonde__scatter_draw(&scatter, (sonde__area){34.0, 96.0, width - 50.0, height - 126.0},
                            &svg);
        sonde__pen_close(&svg);
        status =
            sonde__page_figure(r->page, "failed_space", &svg,
                               "The failed run: its policy space in the plane of the first two "
                               "principal components, at the decision that went wrong.");
    }
    sonde_text_free(&svg);
    sonde__space_close(&space);
    return status;
}

static sonde_status add_graph(failed_run *r) {
    sonde_text svg = {0};
    sonde_status status = sonde__world_draw(r->page, &r->world, r->run, &svg);
    if (status == SONDE_OK) {
        status = sonde__page_figure(r->page, "failed_path", &svg,
                                    "The failed run: its world and its path.");
    }
    sonde_text_free(&svg);
    return status;
}

/* ----------------------------------------------------------------------------------------- words -- */

/* Why: what was chosen, and where the best was. */
static void add_reason(failed_run *r) {
    sonde_text *body = &r->page->body;
    const sonde_decision *decision = r->decision;
    const bool sampled = r->condition->search.probe == SONDE_PROBE_SAMPLE;
    const char *probe =
        sampled ? "whose sampled policies had a mean G of" : "whose representative had G";
    const int32_t home = decision->clusters->label[r->best_policy];
    sonde_text_add(body,
                   "At step %" PRId32 ", on node %" PRId32 ", the search chose cluster %" PRId32
                   ", %s %s",
                   r->step + 1, r->path[r->step], r->chosen, probe,
                   sonde__fixed(decision->cluster_efe[r->chosen], 1).text);
    if (home != r->chosen) {
        sonde_text_add(body,
                       "; the best policy of all, with G %s, was in cluster %" PRId32
                       ", %s %s, and "
                       "the best that the search could still find had G %s.</p>\n",
                       sonde__fixed(r->efe[r->best_policy], 1).text, home, probe,
                       sonde__fixed(decision->cluster_efe[home], 1).text,
                       sonde__fixed(r->best[r->chosen], 1).text);
    } else {
        sonde_text_add(
            body,
            ", and the best policy of all, with G %s, was in it: the step was drawn from "
            "the actions\342\200\231 probabilities against the odds.</p>\n",
            sonde__fixed(r->efe[r->best_policy], 1).text);
    }
}

static void add_words(failed_run *r) {
    sonde_text *body = &r->page->body;
    sonde_text_add(body, "<h3>One run that failed</h3>\n<p>World %" PRId32 " of %s under <code>",
                   r->run->graph, sonde__plural(r->run->size, "node").text);
    sonde__html(body, r->condition->label);
    sonde_text_add(body, "</code>: the agent ended as \342\200\234%s\342\200\235. ",
                   sonde_failure_name((int32_t)r->run->failure));
    if (r->efe != NULL) {
        add_reason(r);
    } else if (r->same && r->step >= 0) {
        sonde_text_add(body, "It was not decided from clusters of all policies, so that only its "
                             "path can be shown.</p>\n");
    } else {
        sonde_text_add(body,
                       "This version of Sonde does not decide as the one that made the results "
                       "did, so that only its path can be shown.</p>\n");
    }
}

sonde_status sonde__page_failed_run(sonde__page *page) {
    const sonde__result_run *run = find_run(page->results);
    if (run == NULL) {
        return SONDE_OK;
    }
    failed_run r = {
        .page = page, .run = run, .condition = &page->results->plan->condition[run->condition]};
    sonde_status status = open_run(&r);
    if (status == SONDE_OK) {
        add_words(&r);
        status = add_graph(&r);
    }
    if (status == SONDE_OK && r.efe != NULL) {
        status = add_bars(&r);
    }
    if (status == SONDE_OK && r.efe != NULL) {
        status = add_plane(&r);
    }
    close_run(&r);
    return status;
}
