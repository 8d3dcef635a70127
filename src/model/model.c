/* model.c: the generative model of a graph world; and what all models have in common.
 *
 * A is the identity and beliefs stay on one edge, so a step that ends on edge e costs
 *
 *     risk  = KL( one-hot e || C ) = -ln max(C[e], 1e-16)
 *     cost  = lambda * weight[e]
 *
 * and its ambiguity is 0. Both are tables over edges, and G of a policy is a sum of entries. */
#include "model/model.h"

#include "base/memory.h"
#include "base/status.h"

/* a model while it is made: the same arrays, writable */
typedef struct {
    sonde_model model; /* first: a pointer to it is a pointer to the block */
    int32_t *action;
    double *preference;
    double *risk;
    double *cost;
    double *step;
    uint64_t numbers; /* where they begin in the block */
} build;

static build *carve(sonde__arena *arena, const sonde_graph *graph) {
    build *b = SONDE__TAKE(arena, build, 1);
    build none;
    build *to = b != NULL ? b : &none;
    to->action = SONDE__TAKE(arena, int32_t, graph->n_edge + 1);
    to->numbers = arena->used;
    to->preference = SONDE__TAKE(arena, double, graph->n_edge);
    to->risk = SONDE__TAKE(arena, double, graph->n_edge);
    to->cost = SONDE__TAKE(arena, double, graph->n_edge);
    to->step = SONDE__TAKE(arena, double, graph->n_edge);
    return b;
}

/* C: equal probability for every edge that ends on the destination. */
static void spread_preference(const sonde_graph *graph, double *preference) {
    int32_t n_goal = 0;
    for (int32_t e = 0; e < graph->n_edge; e++) {
        n_goal += graph->head[e] == graph->destination;
    }
    for (int32_t e = 0; e < graph->n_edge; e++) {
        preference[e] = graph->head[e] == graph->destination ? 1.0 / (double)n_goal : 0.0;
    }
}

/* Numbers the pairs of consecutive edges; false if there are too many for an int32_t. */
static bool number_actions(const sonde_graph *graph, int32_t *action) {
    int64_t n_action = 0;
    for (int32_t e = 0; e < graph->n_edge; e++) {
        const int32_t v = graph->head[e];
        action[e] = (int32_t)n_action;
        n_action += graph->first[v + 1] - graph->first[v];
        if (n_action > INT32_MAX) {
            return false;
        }
    }
    action[graph->n_edge] = (int32_t)n_action;
    return true;
}

sonde_status sonde_model_from_graph(const sonde_graph *graph, sonde_model **model,
                                    sonde_error *error) {
    sonde__arena arena = {0};
    (void)carve(&arena, graph);
    const uint64_t bytes = arena.used;
    if (!sonde__arena_reserve(&arena)) {
        return sonde__fail_memory(error, "model", bytes);
    }
    build *b = carve(&arena, graph);
    if (!number_actions(graph, b->action)) {
        sonde__arena_free(&arena);
        return sonde__fail(error, SONDE_TOO_LARGE,
                           "model: there are more pairs of edges than can be numbered; choose a "
                           "graph with fewer edges");
    }
    spread_preference(graph, b->preference);
    for (int32_t e = 0; e < graph->n_edge; e++) {
        b->cost[e] = graph->lambda * graph->weight[e];
    }
    sonde__model_price(graph->n_edge, b->preference, b->cost, b->risk, b->step);
    b->model = (sonde_model){
        .graph = graph,
        .n_belief = graph->n_edge,
        .n_state = graph->n_edge,
        .n_action = b->action[graph->n_edge],
        .horizon = graph->horizon,
        .gamma = 1.0,
        .weights = {.utility = 1.0, .information = 1.0, .cost = 1.0},
        .n_modality = 1,
        .inference = SONDE_INFERENCE_DEFAULT,
        .action = b->action,
        .preference = b->preference,
        .risk = b->risk,
        .cost = b->cost,
        .step = b->step,
        .preferences = SONDE_PREFERENCES_PROBABILITY,
        .lambda = graph->lambda,
        .n_step_C = 1,
        .n_joint = graph->n_edge,
        .policies = SONDE_POLICIES_ALLOWED,
        .bytes = bytes,
        .numbers = b->preference,
        .number_bytes = bytes - b->numbers,
        .version = 1,
    };
    *model = &b->model;
    return SONDE_OK;
}

uint32_t sonde_model_kind(const sonde_model *model) {
    return 1u << sonde__kind(model);
}

const int32_t *sonde_model_seen(const sonde_model *model) {
    return model->graph != NULL ? &model->graph->start : NULL;
}

static bool is_below(int32_t i, int32_t n) {
    return i >= 0 && i < n;
}

static int32_t action_of(const sonde_model *model, int32_t from, int32_t to) {
    const sonde_graph *graph = model->graph;
    if (!is_below(from, graph->n_edge) || !is_below(to, graph->n_edge)) {
        return -1;
    }
    return sonde__model_action(model, from, to);
}

static void edges_of(const sonde_model *model, int32_t action, int32_t edge[2]) {
    edge[0] = edge[1] = -1;
    if (!is_below(action, model->n_action)) {
        return;
    }
    /* the last edge whose actions begin at or before this one */
    int32_t low = 0;
    int32_t high = model->n_state;
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        const bool before = model->action[middle] <= action;
        low = before ? middle : low;
        high = before ? high : middle;
    }
    edge[0] = low;
    edge[1] = model->graph->first[model->graph->head[low]] + (action - model->action[low]);
}

int32_t sonde_model_next(const sonde_model *model, int32_t state, int32_t action) {
    if (model->graph == NULL || !is_below(state, model->n_state) ||
        !is_below(action, model->n_action)) {
        return -1;
    }
    return sonde__model_next(model, state, action);
}

int32_t sonde_model_tuple(const sonde_model *model, int32_t action, int32_t *tuple) {
    if (model->graph != NULL) {
        edges_of(model, action, tuple);
        return 2;
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        tuple[f] = -1;
    }
    if (is_below(action, model->n_action)) {
        sonde__model_tuple(model, action, tuple);
    }
    return model->n_factor;
}

int32_t sonde_model_from_tuple(const sonde_model *model, const int32_t *tuple) {
    if (model->graph != NULL) {
        return action_of(model, tuple[0], tuple[1]);
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        if (!is_below(tuple[f], model->factor[f].n_action)) {
            return -1;
        }
    }
    return sonde__model_from_tuple(model, tuple);
}

sonde_status sonde__model_refuse_graph(const sonde_model *model, const char *sentence,
                                       sonde_error *error) {
    return model->graph == NULL ? SONDE_OK : sonde__fail(error, SONDE_BAD_ARGUMENT, "%s", sentence);
}

int32_t sonde__model_n_stored(const sonde_model *model, bool modalities) {
    return model->graph != NULL ? 0 : modalities ? model->n_modality : model->n_factor;
}

const char *sonde_preferences_name(int32_t preferences) {
    static const char *const name[] = {"log", "probability", "utility", NULL};
    return name[preferences >= 0 && preferences < 3 ? preferences : 3];
}

const char *sonde_information_name(int32_t information) {
    static const char *const name[] = {"per-modality", "joint", "off", "pymdp-legacy", NULL};
    return name[information >= 0 && information < 4 ? information : 4];
}

const char *sonde_policy_kind_name(int32_t kind) {
    static const char *const name[] = {"all", "allowed", "listed", NULL};
    return name[kind >= 0 && kind < 3 ? kind : 3];
}

sonde_status sonde__model_check_open(const sonde_model *model, sonde_error *error) {
    const bool learns = model->weights.novelty != SONDE_NOVELTY_NONE;
    if (model->graph == NULL && model->discount < 1.0) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "loop: the model has a discount, which open loop does not know; choose "
                           "closed, which plans and simulations have, or leave discount out of the "
                           "model");
    }
    if (learns && sonde__model_shows_actions(model)) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "novelty: is not defined where A depends on the action; leave it out");
    }
    return SONDE_OK;
}

void sonde_model_free(sonde_model *model) {
    sonde__free(model);
}
