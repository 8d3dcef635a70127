/* summary_failed.c: one run that failed, whole.
 *
 * The run is lived through again up to the first step that leads off every shortest path, which is
 * where the search misjudged. There the summary has what the search saw (the probes), what it did
 * not look at (the mean and the best of each cluster), and where the best policy was. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "summary/summary_space.h"

#define GROUP "table"
enum { PATH_MAX_ = 256 };

/* A run, and its decision that went wrong. */
typedef struct {
    sonde__opening opening;
    const sonde_condition *condition;
    const sonde__result_run *run;
    sonde__opened_world world;
    int32_t path[PATH_MAX_];
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

/* --------------------------------------------------------------------------------- which run -- */

/* The less, the better: local scope as the text has it, then the text, then any; agents that
 * stayed, that never arrived, that took a detour, that left; large worlds. */
static int32_t rank(const sonde_condition *condition, const sonde__result_run *run) {
    const bool text = condition->differences == SONDE_SEMANTICS_TEXT;
    const int32_t pass = !text ? 2 : condition->search.scope == SONDE_LOCAL ? 0 : 1;
    return 10000 * (SONDE__FAILURE_COUNT * pass + (int32_t)run->failure) - run->size;
}

/* The first of the best runs that failed by clusters in worlds that can be opened, or NULL. */
static const sonde__result_run *find_run(const sonde__results *results) {
    const sonde__result_run *found = NULL;
    int32_t least = INT32_MAX;
    for (int32_t i = 0; i < results->n_run; i++) {
        const sonde__result_run *run = &results->run[i];
        const sonde_condition *condition = &results->plan->condition[run->condition];
        if (run->failure == SONDE_FAILURE_NONE || rank(condition, run) >= least ||
            !sonde__in_group(condition, GROUP) || sonde__key_of(condition).k == 0) {
            continue;
        }
        const sonde__result_world *world = sonde__run_world(results, run);
        if (world != NULL && world->n_policy <= SONDE__WORLD_POLICY_MAX) {
            found = run;
            least = rank(condition, run);
        }
    }
    return found;
}

/* --------------------------------------------------------------------------- living it again -- */

/* Distance to the destination from a node. */
static sonde_status distance_from(const sonde_graph *graph, int32_t node, double *distance,
                                  double *out) {
    const sonde_status status = sonde_graph_distances(graph, node, distance, NULL);
    *out = distance[graph->destination];
    return status;
}

/* The first step that leads off every shortest path, or away from the destination; -1 for none. */
static sonde_status find_step(failed_run *r) {
    const sonde_graph *graph = r->world.input.graph;
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
    const sonde_input *input = &r->world.input;
    int32_t state = input->graph->start;
    sonde_status status = SONDE_OK;
    r->same = true;
    for (int32_t t = 0; t <= r->step && r->same && status == SONDE_OK; t++) {
        (void)sonde_agent_observe(r->agent, &state, NULL);
        status = sonde_agent_search(r->agent, &r->decision, NULL);
        if (status == SONDE_OK && t < r->step) {
            state = sonde_model_next(input->model, state, sonde_agent_act(r->agent));
            r->same = input->graph->head[state] == r->path[t + 1];
        }
    }
    return status;
}

/* ---------------------------------------------------------------------------- what it missed -- */

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
        status = sonde_efe_range(scored, now, range, r->opening.run, r->efe, NULL);
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

/* Reads the run's path, "3-1-2-2"; it ends where a node is none of the world's. */
static void read_path(failed_run *r) {
    const char *words = r->run->path;
    while (r->n_path < PATH_MAX_ && *words >= '0' && *words <= '9') {
        char *end = NULL;
        const long node = strtol(words, &end, 10);
        if (node >= r->world.input.graph->n_node) {
            return;
        }
        r->path[r->n_path++] = (int32_t)node;
        words = *end == '-' ? end + 1 : end;
    }
}

static sonde_status open_run(failed_run *r) {
    const sonde__result_world *world = sonde__run_world(r->opening.results, r->run);
    sonde_search_settings settings = r->condition->search;
    settings.seed = world->seed;
    sonde_differences_apply(r->condition->differences, r->condition->k_before, &settings);
    const sonde__opening opening = r->opening;
    sonde_status status = sonde__world_open(&opening, world, &r->world);
    if (status == SONDE_OK) {
        read_path(r);
        status = find_step(r);
    }
    if (status == SONDE_OK) {
        status = sonde_agent_new(r->world.policies, &settings, r->opening.run, &r->agent,
                                 r->opening.error);
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

/* -------------------------------------------------------------------------------------- JSON -- */

/* The embedding that the agent used, differences carried out. */
static int32_t kind_used(const sonde_condition *condition) {
    sonde_search_settings search = condition->search;
    sonde_differences_apply(condition->differences, condition->k_before, &search);
    return search.embed.kind;
}

/* The decision that went wrong: clusters, probes and the plane. */
static sonde_status add_decision(failed_run *r, sonde_text *json) {
    const sonde_decision *decision = r->decision;
    const double *const value[] = {decision->cluster_efe, r->mean, r->best};
    static const char *const name[] = {"probe", "mean", "best"};
    sonde__space space = {0};
    sonde_text_add(json,
                   ", \"chosen\": %" PRId32 ", \"home\": %" PRId32 ", \"best_policy\": %" PRId32
                   ", \"best_efe\": ",
                   r->chosen, decision->clusters->label[r->best_policy], r->best_policy);
    sonde_text_add_number(json, r->efe[r->best_policy]);
    for (int32_t i = 0; i < 3; i++) {
        sonde_text_add(json, ", \"%s\": ", name[i]);
        sonde__text_numbers(json, value[i], decision->clusters->k);
    }
    const sonde_status status = sonde__space_open(&r->opening, &r->world, kind_used(r->condition),
                                                  decision->origin, decision->state, &space);
    if (status == SONDE_OK) {
        double xy[2];
        memcpy(space.efe, r->efe, (size_t)r->n_policy * sizeof *r->efe); /* as it was weighed */
        sonde_pca_point(space.pca, space.embedding, space.embedding->row_of[r->best_policy], xy);
        sonde_text_add(json, ", \"space\": {");
        sonde__space_json(&space, decision->clusters, json);
        sonde_text_add(json, ", \"best_place\": ");
        sonde__text_numbers(json, xy, 2);
        sonde_text_add(json, "}");
    }
    sonde__space_close(&space);
    return status;
}

sonde_status sonde__failed_json(const sonde__summary *summary, const sonde_run *run,
                                sonde_text *json, sonde_error *error) {
    const sonde__results *results = summary->results;
    const sonde__result_run *found = find_run(results);
    if (found == NULL) {
        sonde_text_add(json, "null");
        return SONDE_OK;
    }
    failed_run r = {.opening = {results, run, error},
                    .run = found,
                    .condition = &results->plan->condition[found->condition]};
    sonde_status status = open_run(&r);
    if (status == SONDE_OK) {
        sonde_text_add(json, "{\"run\": %td, \"world\": %td, \"step\": %" PRId32 ", \"same\": %s",
                       found - results->run, r.world.result - results->world, r.step,
                       r.same ? "true" : "false");
        status = r.efe != NULL ? add_decision(&r, json) : SONDE_OK;
        sonde_text_add(json, "}");
    }
    close_run(&r);
    return status;
}
