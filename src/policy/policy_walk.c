/* policy_walk.c: from an index to its walk, and back.
 *
 * Going down from the start edge, the counts of completions say how many policies each edge has
 * below it, so the index tells which edge to take: T times as many look-ups as a node has edges. A
 * walker keeps the stretch of indices below each edge of its walk, and starts from the last one
 * that still holds the new index. */
#include "policy/policy.h"

#include <inttypes.h>
#include <string.h>

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
    walker->move = sonde__space_of(policies)->move;
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

static int32_t origin_of(const sonde_policies *policies, const double *belief) {
    return sonde__most_probable(policies->model->n_state, belief);
}

static uint64_t size(const sonde_policies *policies, int32_t origin) {
    const sonde_graph *graph = policies->model->graph;
    const uint64_t *longest = policies->completion + (int64_t)policies->horizon * graph->n_node;
    return origin == SONDE_EVERYWHERE ? policies->n_policy : longest[graph->head[origin]];
}

static double size_real(const sonde_policies *policies, int32_t origin) {
    return origin == SONDE_EVERYWHERE
               ? policies->size
               : policies->completion_real[policies->model->graph->head[origin]];
}

static uint64_t most(const sonde_policies *policies) {
    uint64_t largest = 0;
    for (int32_t e = 0; e < policies->n_origin; e++) {
        const uint64_t n = size(policies, e);
        largest = n > largest ? n : largest;
    }
    return largest;
}

static int32_t move(sonde__walker *walker, uint64_t index) {
    const sonde_policies *policies = walker->policies;
    const sonde_graph *graph = policies->model->graph;
    const int32_t horizon = policies->horizon;
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
        walker->count[0] = size(policies, walker->edge[0]);
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

static void get(const sonde_policies *policies, int32_t origin, uint64_t index, int32_t *walk) {
    const sonde_graph *graph = policies->model->graph;
    const int32_t horizon = policies->horizon;
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

static uint64_t find(const sonde_policies *policies, int32_t origin, const int32_t *walk) {
    const sonde_graph *graph = policies->model->graph;
    const int32_t horizon = policies->horizon;
    const bool everywhere = origin == SONDE_EVERYWHERE;
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

/* The edges that leave a node. */
static sonde__fork fork_at(const sonde_policies *policies, int32_t list, int32_t node) {
    const sonde_graph *graph = policies->model->graph;
    const int32_t first = graph->first[node];
    (void)list;
    return (sonde__fork){graph->first[node + 1] - first, graph->head + first};
}

static void draw(const sonde_policies *policies, const sonde__ways *ways, int32_t origin,
                 sonde__rng *rng, int32_t *walk) {
    const sonde_graph *graph = policies->model->graph;
    const double *log_count = ways->log_count[0];
    walk[0] = origin;
    if (origin == SONDE_EVERYWHERE) {
        const sonde__fork any = {graph->n_edge, graph->head};
        walk[0] =
            sonde__ways_choose(&any, log_count + (int64_t)policies->horizon * graph->n_node, rng);
    }
    for (int32_t t = 1; t <= policies->horizon; t++) {
        const int32_t v = graph->head[walk[t - 1]];
        const sonde__fork from = fork_at(policies, 0, v);
        const double *below = log_count + (int64_t)(policies->horizon - t) * graph->n_node;
        walk[t] = graph->first[v] + sonde__ways_choose(&from, below, rng);
    }
}

/* The nodes' counts. */
static int32_t n_list(const sonde_policies *policies) {
    (void)policies;
    return 1;
}

static int32_t n_place(const sonde_policies *policies, int32_t list) {
    (void)list;
    return policies->model->graph->n_node;
}

static int32_t n_element(const sonde_policies *policies) {
    return policies->model->graph->n_node + policies->model->n_state;
}

/* The tail of the first edge, the heads of all, and the edges. */
static int32_t element(const sonde_policies *policies, const int32_t *walk, int32_t i) {
    const sonde_graph *graph = policies->model->graph;
    const int32_t n = policies->horizon + 1;
    return i == 0       ? graph->tail[walk[0]]
           : i <= n     ? graph->head[walk[i - 1]]
           : i <= 2 * n ? graph->n_node + walk[i - 1 - n]
                        : -1;
}

static int32_t indicate(const sonde_policies *policies, const int32_t *walk, double *any) {
    int32_t n = 0;
    for (int32_t i = 0; i < 2 * policies->horizon + 3; i++) {
        double *one = &any[element(policies, walk, i)];
        n += *one == 0.0 ? 1 : 0;
        *one = 1.0;
    }
    return n;
}

static int32_t elements(const sonde_policies *policies, const int32_t *walk, int32_t *list) {
    const int32_t n = 2 * policies->horizon + 3;
    for (int32_t i = 0; i < n; i++) {
        list[i] = element(policies, walk, i);
    }
    return n;
}

static void first(const sonde_policies *policies, int32_t origin, int32_t *begin, int32_t *end) {
    const int32_t *action = policies->model->action;
    const bool everywhere = origin == SONDE_EVERYWHERE;
    *begin = everywhere ? 0 : action[origin];
    *end = everywhere ? policies->model->n_action : action[origin + 1];
}

static int32_t first_edge(const sonde_policies *policies, int32_t state) {
    return policies->model->graph->first[policies->model->graph->head[state]];
}

static int32_t n_choice(const sonde_policies *policies, int32_t state) {
    return policies->model->action[state + 1] - policies->model->action[state];
}

static int32_t choice(const sonde_policies *policies, int32_t state, int32_t action) {
    return sonde__model_next(policies->model, state, action) - first_edge(policies, state);
}

static int32_t chosen(const sonde_policies *policies, int32_t state, int32_t i) {
    return policies->model->action[state] + i;
}

static void mark(const sonde_policies *policies, int32_t origin, int32_t state, int32_t *any) {
    (void)origin;
    memset(any, 0, (size_t)n_choice(policies, state) * sizeof *any);
}

static int32_t node(const sonde_policies *policies, int32_t state, int32_t i) {
    return policies->model->graph->head[first_edge(policies, state) + i];
}

static int32_t most_nodes(const sonde_policies *policies) {
    int32_t largest = 0;
    for (int32_t e = 0; e < policies->model->n_state; e++) {
        const int32_t n = n_choice(policies, e);
        largest = n > largest ? n : largest;
    }
    return largest;
}

static const sonde__policy_parts parts_nodes = {
    .first = first,
    .n_choice = n_choice,
    .choice = choice,
    .chosen = chosen,
    .node = node,
    .most_nodes = most_nodes,
    .n_element = n_element,
    .indicate = indicate,
    .elements = elements,
    .element = element,
};

const sonde__policy_space sonde__space_walk = {
    .global = true,
    .origin = origin_of,
    .size = size,
    .size_real = size_real,
    .most = most,
    .get = get,
    .find = find,
    .move = move,
    .mark = mark,
    .draw = draw,
    .n_list = n_list,
    .n_place = n_place,
    .fork = fork_at,
    .parts = &parts_nodes,
};

/* -------------------------------------------------------------------------------- all spaces -- */

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

bool sonde__walk_is(const sonde_policies *policies, const int32_t *walk) {
    const sonde_model *model = policies->model;
    const bool walks = sonde__kind(model) == SONDE__OF_GRAPHS;
    const int32_t n = walks ? model->n_state : model->n_action;
    for (int32_t t = walks ? 0 : 1; t <= policies->horizon; t++) {
        if (walk[t] < 0 || walk[t] >= n) {
            return false;
        }
    }
    return true;
}

uint64_t sonde_policies_find(const sonde_policies *policies, int32_t origin, const int32_t *walk) {
    return sonde__origin_is(policies, origin)
               ? sonde__space_of(policies)->find(policies, origin, walk)
               : UINT64_MAX;
}

int32_t sonde_policies_action(const sonde_policies *policies, const int32_t *walk, int32_t t) {
    if (t < 1 || t > policies->horizon) {
        return -1;
    }
    return sonde__kind(policies->model) == SONDE__OF_GRAPHS
               ? sonde_model_from_tuple(policies->model, walk + t - 1)
               : walk[t];
}

void sonde_policies_say(const sonde_policies *policies, const int32_t *walk, sonde_text *text) {
    sonde__model_say_policy(policies->model, policies->horizon, walk, text);
}

/* Whether the element is one of the first n of a walk. */
static bool occurs(const sonde_policies *policies, int32_t item, const int32_t *walk, int32_t n) {
    const sonde__policy_parts *parts = sonde__parts_of(policies);
    int32_t other = 0;
    for (int32_t i = 0; i < n && (other = parts->element(policies, walk, i)) >= 0; i++) {
        if (other == item) {
            return true;
        }
    }
    return false;
}

/* How many different elements of `walk` do not occur in `other`. */
static int32_t only_in(const sonde_policies *policies, const int32_t *walk, const int32_t *other) {
    const sonde__policy_parts *parts = sonde__parts_of(policies);
    int32_t n = 0;
    int32_t item = 0;
    for (int32_t i = 0; (item = parts->element(policies, walk, i)) >= 0; i++) {
        n += !occurs(policies, item, walk, i) && !occurs(policies, item, other, INT32_MAX);
    }
    return n;
}

int32_t sonde_policies_edit_distance(const sonde_policies *policies, const int32_t *walk_i,
                                     const int32_t *walk_j) {
    if (!sonde__walk_is(policies, walk_i) || !sonde__walk_is(policies, walk_j)) {
        return -1;
    }
    return only_in(policies, walk_i, walk_j) + only_in(policies, walk_j, walk_i);
}
