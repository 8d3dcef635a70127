/* world_graph.c: the world of a graph, and whether an agent did well in it.
 *
 * A run is optimal when the first visit to the destination came by a path as short as Dijkstra's,
 * and the agent stayed there ever after. Nothing in here is drawn. */
#include <math.h>

#include "base/status.h"
#include "policy/policy.h"
#include "simulate/process.h"
#include "sonde_embed.h"

static const sonde_graph *graph_of(const sonde_model *process) {
    return process->graph;
}

static int32_t n_factor(const sonde_model *model) {
    (void)model;
    return 1;
}

static int32_t n_scratch(const sonde_model *model) {
    return graph_of(model)->n_node;
}

/* How far it is from the start to the destination. */
static sonde_status open_world(const sonde_model *process, double *distance, sonde_episode *episode,
                               sonde_error *error) {
    const sonde_graph *graph = graph_of(process);
    const sonde_status status =
        sonde_graph_distances(graph, graph->head[graph->start], distance, error);
    if (status != SONDE_OK) {
        return sonde__fail(error, status, "distances: the system refused memory");
    }
    episode->shortest = distance[graph->destination];
    return SONDE_OK;
}

static void start(const sonde_model *process, sonde__rng *rng, int32_t *state) {
    (void)rng;
    state[0] = graph_of(process)->start;
}

static void show(const sonde_model *process, const int32_t *state, int32_t action, sonde__rng *rng,
                 int32_t *outcome) {
    (void)action;
    (void)process;
    (void)rng;
    outcome[0] = state[0];
}

static void move(const sonde_model *process, const int32_t *state, int32_t action, sonde__rng *rng,
                 int32_t *next) {
    (void)rng;
    next[0] = sonde__model_next(process, state[0], action);
}

/* How many clusters the first decision had, and representatives that were valid where it began. */
static void clusters(const sonde_policies *policies, const sonde_decision *decision, int32_t *walk,
                     sonde_episode *episode) {
    episode->k = decision->clusters->k;
    for (int32_t c = 0; c < decision->clusters->k; c++) {
        const int32_t policy = decision->clusters->representative[c];
        if (policy >= 0) {
            sonde__policies_get(policies, decision->probe_origin,
                                sonde_clusters_policy(decision->clusters, policy), walk);
            episode->n_valid += walk[0] == decision->state;
        }
    }
}

/* The first step on the destination, or -1; whether the agent left it later goes to `left`. */
static int32_t first_arrival(const sonde_graph *graph, const sonde_episode *episode, bool *left) {
    int32_t reached = -1;
    for (int32_t t = 0; t <= episode->n_step; t++) {
        const bool there = graph->head[episode->state[t]] == graph->destination;
        reached = there && reached < 0 ? t : reached;
        *left = *left || (reached >= 0 && !there);
    }
    return reached;
}

static bool moved(const sonde_graph *graph, const sonde_episode *episode) {
    for (int32_t t = 1; t <= episode->n_step; t++) {
        if (graph->head[episode->state[t]] != graph->head[episode->state[0]]) {
            return true;
        }
    }
    return false;
}

static void judge(const sonde_model *process, sonde_episode *episode) {
    const sonde_graph *graph = graph_of(process);
    bool left = false;
    episode->reached = first_arrival(graph, episode, &left);
    const int32_t until = episode->reached >= 0 ? episode->reached : episode->n_step;
    for (int32_t t = 1; t <= until; t++) {
        episode->walked += graph->weight[episode->state[t]];
    }
    const double slack = 1e-9 * fabs(episode->shortest);
    if (episode->reached < 0) {
        episode->failure = moved(graph, episode) ? SONDE_FAILURE_NEVER : SONDE_FAILURE_STAYED;
    } else if (left) {
        episode->failure = SONDE_FAILURE_LEFT;
    } else if (episode->walked > episode->shortest + slack) {
        episode->failure = SONDE_FAILURE_DETOUR;
    }
    episode->optimal = episode->failure == SONDE_FAILURE_NONE;
}

const sonde__simulated sonde__simulated_graph = {
    .n_factor = n_factor,
    .n_scratch = n_scratch,
    .open = open_world,
    .start = start,
    .show = show,
    .move = move,
    .clusters = clusters,
    .judge = judge,
};
