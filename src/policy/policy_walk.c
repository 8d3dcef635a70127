/* policy_walk.c: from an index to its walk, and back.
 *
 * Going down from the start edge, the counts of completions say how many policies each edge has
 * below it, so the index tells which edge to take: T times as many look-ups as a node has edges. A
 * walker keeps the stretch of indices below each edge of its walk, and starts from the last one
 * that still holds the new index. */
#include "policy/policy.h"

#include <inttypes.h>

#include "base/status.h"

const char *sonde_scope_name(int32_t scope) {
    static const char *const name[] = {"local", "global", NULL};
    return name[scope >= 0 && scope < 2 ? scope : 2];
}

void sonde__walker_carve(sonde__arena *arena, const sonde_policies *policies,
                         sonde__walker *walker) {
    const uint64_t n = (uint64_t)policies->horizon + 1;
    walker->edge = SONDE__TAKE(arena, int32_t, n);
    walker->place = SONDE__TAKE(arena, int32_t, n * (uint64_t)policies->model->n_factor);
    walker->begin = SONDE__TAKE(arena, uint64_t, n);
    walker->count = SONDE__TAKE(arena, uint64_t, n);
}

void sonde__walker_start(sonde__walker *walker, const sonde_policies *policies, int32_t origin) {
    walker->policies = policies;
    walker->origin = origin;
    walker->count[0] = 0;
}

/* The edge whose stretch of indices holds `index`: the last offset that is not above it. */
static int32_t start_edge(const sonde_policies *policies, uint64_t index) {
    int32_t low = 0;
    int32_t high = policies->model->n_state;
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        const bool before = policies->offset[middle] <= index;
        low = before ? middle : low;
        high = before ? high : middle;
    }
    return low;
}

int32_t sonde__walker_move(sonde__walker *walker, uint64_t index) {
    const sonde_policies *policies = walker->policies;
    const sonde_graph *graph = policies->model->graph;
    const int32_t horizon = policies->horizon;
    if (graph == NULL) {
        return sonde__product_move(walker, index);
    }
    /* the longest prefix whose stretch holds the index stays */
    int32_t t = 0;
    while (t <= horizon && index - walker->begin[t] < walker->count[t] && walker->count[0] > 0) {
        t++;
    }
    const int32_t changed = t;
    if (t == 0) {
        const bool everywhere = walker->origin == SONDE_EVERYWHERE;
        walker->edge[0] = everywhere ? start_edge(policies, index) : walker->origin;
        walker->begin[0] = everywhere ? policies->offset[walker->edge[0]] : 0;
        walker->count[0] = sonde__policies_size(policies, walker->edge[0]);
        t = 1;
    }
    for (; t <= horizon; t++) {
        const uint64_t *below = policies->completion + (int64_t)(horizon - t) * graph->n_node;
        uint64_t begin = walker->begin[t - 1];
        int32_t e = graph->first[graph->head[walker->edge[t - 1]]];
        while (index - begin >= below[graph->head[e]]) {
            begin += below[graph->head[e]];
            e++;
        }
        walker->edge[t] = e;
        walker->begin[t] = begin;
        walker->count[t] = below[graph->head[e]];
    }
    return changed;
}

void sonde__policies_get(const sonde_policies *policies, int32_t origin, uint64_t index,
                         int32_t *walk) {
    const sonde_graph *graph = policies->model->graph;
    const int32_t horizon = policies->horizon;
    if (graph == NULL) {
        sonde__product_get(policies, origin, index, walk);
        return;
    }
    walk[0] = origin;
    if (origin == SONDE_EVERYWHERE) {
        walk[0] = start_edge(policies, index);
        index -= policies->offset[walk[0]];
    }
    const int32_t *head = graph->head;
    const uint64_t *below = policies->completion + (int64_t)horizon * graph->n_node;
    int32_t v = head[walk[0]];
    for (int32_t t = 1; t <= horizon; t++) {
        below -= graph->n_node;
        int32_t e = graph->first[v];
        for (v = head[e]; index >= below[v]; v = head[++e]) {
            index -= below[v];
        }
        walk[t] = e;
    }
}

sonde_status sonde_policies_get(const sonde_policies *policies, int32_t origin, uint64_t index,
                                int32_t *walk, sonde_error *error) {
    const uint64_t size = sonde_policies_size(policies, origin);
    if (!sonde__origin_is(policies, origin)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "origin: expected a number from 0 to %d, or everywhere, found %d",
                           policies->n_origin - 1, origin);
    }
    if (index >= size) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "index: expected one of %" PRIu64 " policies, found %" PRIu64, size,
                           index);
    }
    sonde__policies_get(policies, origin, index, walk);
    return SONDE_OK;
}

bool sonde__walk_is(const sonde_model *model, const int32_t *walk) {
    const bool graph = model->graph != NULL;
    for (int32_t t = graph ? 0 : 1; t <= model->horizon; t++) {
        if (walk[t] < 0 || walk[t] >= (graph ? model->graph->n_edge : model->n_action)) {
            return false;
        }
    }
    return true;
}

uint64_t sonde_policies_find(const sonde_policies *policies, int32_t origin, const int32_t *walk) {
    const sonde_graph *graph = policies->model->graph;
    const int32_t horizon = policies->horizon;
    const bool everywhere = origin == SONDE_EVERYWHERE;
    if (!sonde__origin_is(policies, origin)) {
        return UINT64_MAX;
    }
    if (graph == NULL) {
        return sonde__product_find(policies, origin, walk);
    }
    if (walk[0] < 0 || walk[0] >= graph->n_edge || (!everywhere && walk[0] != origin)) {
        return UINT64_MAX;
    }
    uint64_t index = everywhere ? policies->offset[walk[0]] : 0;
    for (int32_t t = 1; t <= horizon; t++) {
        const uint64_t *below = policies->completion + (int64_t)(horizon - t) * graph->n_node;
        const int32_t v = graph->head[walk[t - 1]];
        if (walk[t] < graph->first[v] || walk[t] >= graph->first[v + 1]) {
            return UINT64_MAX;
        }
        for (int32_t e = graph->first[v]; e < walk[t]; e++) {
            index = sonde__add(index, below[graph->head[e]]);
        }
    }
    return index;
}

int32_t sonde_policies_action(const sonde_policies *policies, const int32_t *walk, int32_t t) {
    const sonde_model *model = policies->model;
    if (t < 1 || t > policies->horizon) {
        return -1;
    }
    return model->graph != NULL ? sonde_model_action(model, walk[t - 1], walk[t]) : walk[t];
}

/* Whether `item` occurs in list[0 .. n - 1]. */
static bool occurs(int32_t item, const int32_t *list, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        if (list[i] == item) {
            return true;
        }
    }
    return false;
}

/* The i-th node of a walk of T + 1 edges: the tail of the first edge, then the heads. */
static int32_t node_at(const sonde_graph *graph, const int32_t *walk, int32_t i) {
    return i == 0 ? graph->tail[walk[0]] : graph->head[walk[i - 1]];
}

static bool visits(const sonde_graph *graph, const int32_t *walk, int32_t n, int32_t node) {
    for (int32_t i = 0; i < n; i++) {
        if (node_at(graph, walk, i) == node) {
            return true;
        }
    }
    return false;
}

/* How many different edges and nodes (or actions) of `walk` do not occur in `other`. */
static int32_t only_in(const sonde_policies *policies, const int32_t *walk, const int32_t *other) {
    const sonde_graph *graph = policies->model->graph;
    const int32_t n_edge = policies->horizon + 1;
    const int32_t begin =
        graph != NULL ? 0 : 1; /* a general policy's actions come after its origin */
    int32_t n = 0;
    for (int32_t t = begin; t < n_edge; t++) {
        n += !occurs(walk[t], walk + begin, t - begin) &&
             !occurs(walk[t], other + begin, n_edge - begin);
    }
    for (int32_t i = 0; graph != NULL && i <= n_edge; i++) {
        const int32_t v = node_at(graph, walk, i);
        n += !visits(graph, walk, i, v) && !visits(graph, other, n_edge + 1, v);
    }
    return n;
}

int32_t sonde_policies_edit_distance(const sonde_policies *policies, const int32_t *walk_i,
                                     const int32_t *walk_j) {
    if (!sonde__walk_is(policies->model, walk_i) || !sonde__walk_is(policies->model, walk_j)) {
        return -1;
    }
    return only_in(policies, walk_i, walk_j) + only_in(policies, walk_j, walk_i);
}
