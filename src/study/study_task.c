/* study_task.c: one task, that is one world with all conditions that run on it.
 *
 * All conditions of a size see the same graph, start and destination, and agents with the same seed
 * (paired). They share what k-means finds. Where the authors' notebook would have failed on a world,
 * for choosing a cluster without members, the world is drawn anew for all conditions and the redraws
 * are counted. */
#include <inttypes.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "study/study_internal.h"

#define N_REDRAW_MAX 4095

/* a world and what is worked out for it once */
typedef struct {
    int32_t size;
    int32_t graph_number;
    sonde_connect connect;
    int32_t n_redraw;
    uint64_t seed;
    double list_seconds;
    double shortest;
    sonde_graph *graph;
    sonde_model *model;
    sonde_policies *policies;
    sonde_shelf *shelf;
} world;

static void close_world(world *w) {
    sonde_shelf_free(w->shelf);
    sonde_policies_free(w->policies);
    sonde_model_free(w->model);
    sonde_graph_free(w->graph);
    w->shelf = NULL;
    w->policies = NULL;
    w->model = NULL;
    w->graph = NULL;
}

/* A world's seed, from the plan's and what names the world. */
static uint64_t world_seed(const sonde_plan *plan, const world *w) {
    const uint64_t name = ((uint64_t)w->size * 2 + (uint64_t)w->connect) << 36 |
                          (uint64_t)w->graph_number << 12 | (uint64_t)w->n_redraw;
    sonde_rng rng = sonde_rng_stream(plan->seed, SONDE_FOR_WORLD, name);
    return sonde_rng_next(&rng) >> 11; /* fits a double, and so every reader of JSON */
}

/* The distance from the start node to the destination. */
static sonde_status measure(world *w) {
    double *distance = sonde__alloc((size_t)w->graph->n_node * sizeof *distance);
    if (distance == NULL) {
        return SONDE_NO_MEMORY;
    }
    const int32_t from = w->graph->head[w->graph->start];
    const sonde_status status = sonde_graph_distances(w->graph, from, distance);
    w->shortest = distance[w->graph->destination];
    sonde__free(distance);
    return status;
}

static sonde_status open_world(const sonde_plan *plan, const sonde_run *run, world *w,
                               sonde_error *error) {
    sonde_graph_settings drawing = sonde_graph_defaults();
    drawing.n_node = w->size;
    drawing.connect = w->connect;
    w->seed = world_seed(plan, w);
    sonde_status status = sonde_graph_random(&drawing, w->seed, &w->graph, error);
    const double began = sonde__seconds();
    if (status == SONDE_OK) {
        status = sonde_model_from_graph(w->graph, &w->model);
    }
    if (status == SONDE_OK) {
        status = sonde_policies_count(w->model, run, &w->policies, error);
    }
    if (status == SONDE_OK) {
        status = sonde_shelf_new(&w->shelf);
    }
    w->list_seconds = sonde__seconds() - began;
    if (status == SONDE_OK) {
        status = measure(w);
    }
    /* not all of these have a sentence of their own */
    if (status != SONDE_OK && (error == NULL || error->status != status)) {
        (void)sonde__fail(error, status, "a world of %d nodes: %s", w->size,
                          sonde_status_sentence(status));
    }
    return status;
}

static void add_number(sonde_text *rows, const char *key, double value) {
    sonde_text_add(rows, ", \"%s\": ", key);
    sonde_text_add_number(rows, value);
}

static void add_world(const world *w, sonde_text *rows) {
    sonde_text document = {0};
    sonde_graph_write(w->graph, &document);
    sonde_text_add(
        rows,
        "{\"size\": %d, \"graph\": %d, \"connect\": \"%s\", \"redraws\": %d, \"seed\": %" PRIu64,
        w->size, w->graph_number, sonde_connect_name((int32_t)w->connect), w->n_redraw, w->seed);
    add_number(rows, "policies", w->policies->size);
    add_number(rows, "local", sonde_policies_size_real(w->policies, w->graph->start));
    add_number(rows, "shortest", w->shortest);
    add_number(rows, "list_seconds", w->list_seconds);
    sonde_text_add(rows, ", \"document\": ");
    sonde_text_add_quoted(rows, document.data != NULL ? document.data : "");
    sonde_text_add(rows, "}");
    rows->failed = rows->failed || document.failed;
    sonde_text_free(&document);
}

static void add_path(const sonde_graph *graph, const sonde_episode *episode, sonde_text *rows) {
    sonde_text_add(rows, ", \"path\": \"");
    for (int32_t t = 0; t <= episode->n_step; t++) {
        sonde_text_add(rows, t > 0 ? "-%d" : "%d", graph->head[episode->state[t]]);
    }
    sonde_text_add(rows, "\"}");
}

static void add_run(const world *w, int32_t condition, const sonde_episode *episode,
                    sonde_text *rows) {
    sonde_evaluations sum = {0};
    for (int32_t t = 0; t < episode->n_step; t++) {
        sum.n_policy += episode->evaluations[t].n_policy;
        sum.n_step += episode->evaluations[t].n_step;
        sum.equivalent += episode->evaluations[t].equivalent;
    }
    sonde_text_add(rows,
                   "{\"condition\": %d, \"optimal\": %d, \"failure\": \"%s\", \"reached\": %d",
                   condition, episode->optimal ? 1 : 0,
                   sonde_failure_name((int32_t)episode->failure), episode->reached);
    add_number(rows, "walked", episode->walked);
    sonde_text_add(rows, ", \"decisions\": %d, \"policies\": %" PRIu64 ", \"steps\": %" PRIu64,
                   episode->n_step, sum.n_policy, sum.n_step);
    add_number(rows, "equivalent", sum.equivalent);
    sonde_text_add(rows, ", \"k\": %d, \"valid\": %d, \"clusterings\": %d, \"reused\": %d",
                   episode->k, episode->n_valid, episode->setup.n_clustering,
                   episode->setup.n_reused);
    add_number(rows, "embed_seconds", episode->setup.embed_seconds);
    add_number(rows, "cluster_seconds", episode->setup.cluster_seconds);
    add_number(rows, "decide_seconds", episode->seconds);
    add_path(w->graph, episode, rows);
}

static bool has_size(const sonde_condition *condition, int32_t size) {
    for (int32_t i = 0; i < condition->n_size; i++) {
        if (condition->size[i] == size) {
            return true;
        }
    }
    return false;
}

/* Whether a condition runs on this world. */
static bool applies(const sonde_condition *condition, const world *w) {
    return condition->connect == w->connect && w->graph_number < condition->n_graph &&
           has_size(condition, w->size);
}

/* One condition on a world. */
static sonde_status run_condition(const sonde_plan *plan, int32_t c, const world *w,
                                  const sonde_run *run, sonde_text *rows, sonde_error *error) {
    sonde_search_settings settings = plan->condition[c].search;
    sonde_agent *agent = NULL;
    sonde_episode *episode = NULL;
    settings.seed = w->seed;
    sonde_status status = sonde_agent_new(w->policies, &settings, run, &agent, error);
    if (status == SONDE_OK) {
        status = sonde_simulate(agent, plan->n_step, &episode, error);
    }
    if (status == SONDE_OK) {
        add_run(w, c, episode, rows);
    }
    sonde_episode_free(episode);
    sonde_agent_free(agent);
    return status;
}

/* All conditions of a world, one row a line. */
static sonde_status run_world(const sonde_plan *plan, const world *w, const sonde_run *run,
                              sonde_text *rows, sonde_error *error) {
    sonde_run shelved = *run;
    shelved.shelf = w->shelf;
    const char *comma = "";
    for (int32_t c = 0; c < plan->n_condition; c++) {
        if (applies(&plan->condition[c], w)) {
            sonde_text_add(rows, "%s\n   ", comma);
            const sonde_status status = run_condition(plan, c, w, &shelved, rows, error);
            if (status != SONDE_OK) {
                return status;
            }
            comma = ",";
        }
    }
    return SONDE_OK;
}

/* Draws worlds until one serves all conditions, and appends it with its runs. */
static sonde_status serve(const sonde_plan *plan, const sonde_run *run, world *w, sonde_text *rows,
                          sonde_error *error) {
    const size_t before = rows->size;
    for (w->n_redraw = 0; w->n_redraw <= N_REDRAW_MAX; w->n_redraw++) {
        sonde_status status = open_world(plan, run, w, error);
        if (status == SONDE_OK) {
            sonde_text_add(rows, "  {\"world\": ");
            add_world(w, rows);
            sonde_text_add(rows, ", \"runs\": [");
            status = run_world(plan, w, run, rows, error);
            sonde_text_add(rows, "]}");
        }
        close_world(w);
        if (status != SONDE_EMPTY_CLUSTER) {
            return status;
        }
        rows->size = before; /* take back what was said of this world */
    }
    return sonde__fail(error, SONDE_BAD_INPUT,
                       "size %d: the conditions failed on %d worlds in a row; leave out the "
                       "difference \"empty\" or choose fewer clusters",
                       w->size, N_REDRAW_MAX + 1);
}

static bool any_applies(const sonde_plan *plan, const world *w) {
    for (int32_t c = 0; c < plan->n_condition; c++) {
        if (applies(&plan->condition[c], w)) {
            return true;
        }
    }
    return false;
}

sonde_status sonde_plan_work(const sonde_plan *plan, int32_t task, const sonde_run *run,
                             sonde_text *rows, sonde_error *error) {
    sonde_run alone = sonde__run_settle(run);
    alone.n_thread = 1;
    alone.progress = NULL;
    world w = {0};
    const char *comma = "";
    sonde_plan_task(plan, task, &w.size, &w.graph_number);
    sonde_text_add(rows, "{\"task\": %d, \"version\": \"%s\", \"worlds\": [\n", task,
                   sonde_version());
    for (int32_t connect = 0; sonde_connect_name(connect) != NULL; connect++) {
        w.connect = (sonde_connect)connect;
        if (any_applies(plan, &w)) {
            sonde_text_add(rows, "%s", comma);
            const sonde_status status = serve(plan, &alone, &w, rows, error);
            if (status != SONDE_OK) {
                return status;
            }
            comma = ",\n";
        }
    }
    sonde_text_add(rows, "]}\n");
    return rows->failed ? sonde__fail_memory(error, "rows", rows->capacity) : SONDE_OK;
}
