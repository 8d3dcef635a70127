/* search_bounded_graph.c: the exact posterior of a graph world, without listing anything.
 *
 * Beliefs stay on one edge, so all prefixes that end on the same edge after the same number of
 * steps have the same future, and sums over policies are sums over edges, backwards from the
 * horizon:
 *
 *     Z_t(v) = ln sum over edges e out of v of exp( -gamma step[e] + Z_{t+1}(head e) ),   Z_T = 0
 *     V_t(v) = min over edges e out of v of step[e] + V_{t+1}(head e),                    V_T = 0
 *
 * Z is the mass of all ways to go on from v, V the best of them. Both are worked out once. An
 * action's mass is then one sum, and the best policy is followed through V: T edges a step,
 * whatever the number of policies.
 *
 * In global scope a policy that does not begin on the agent's edge leaves it standing on the
 * self-edge (y, y) of its node until, if ever, the walk comes along that very edge. Walks that
 * have not yet are a second pair of tables, for the node y of the present decision.
 *
 * General models are searched best first (search_bounded_model.c). */
#include <math.h>

#include "base/numbers.h"
#include "search/search_internal.h"

/* mass and best of all ways to go on after t steps, by node: (T + 1, n_node) each */
typedef struct {
    uint64_t version; /* of the numbers that these are of; 0: of none */
    double *Z;
    double *V;
    double *astray_Z; /* the same while the agent is out of step with its policy */
    double *astray_V;
} tables;

static void carve(sonde__search *search, sonde__arena *arena) {
    const sonde_policies *policies = search->policies;
    tables *b = search->state;
    const uint64_t n = ((uint64_t)policies->horizon + 1) * (uint64_t)policies->model->graph->n_node;
    const bool global = !sonde__search_is_local(search);
    b->Z = SONDE__TAKE(arena, double, n);
    b->V = SONDE__TAKE(arena, double, n);
    b->astray_Z = SONDE__TAKE(arena, double, global ? n : 0);
    b->astray_V = SONDE__TAKE(arena, double, global ? n : 0);
}

/* a sum of exponentials, in logs, and the least cost, as they come */
typedef struct {
    double most;
    double sum; /* relative to exp(most) */
    double least;
} tally;

static const tally nothing = {.most = -INFINITY, .least = INFINITY};

/* One way to go on: the log of its mass, and its cost. */
static inline void add(tally *t, double mass, double cost) {
    if (mass > t->most) {
        t->sum = t->sum * sonde__exp(t->most - mass) + 1.0;
        t->most = mass;
    } else {
        t->sum += sonde__exp(mass - t->most);
    }
    t->least = cost < t->least ? cost : t->least;
}

static double log_of(const tally *t) {
    return t->most + sonde__log(t->sum);
}

/* Fills a pair of tables of the ways to go on, from the horizon back to step `first`; `self` is the
 * edge that the agent stands on while it is out of step, -1: it is in step. */
static void fill(const sonde__search *search, double *Z, double *V, int32_t first, int32_t self) {
    const sonde_model *model = search->policies->model;
    const sonde_graph *graph = model->graph;
    const tables *b = search->state;
    const double gamma = search->settings.gamma;
    const int64_t n_node = graph->n_node;
    const int32_t horizon = search->policies->horizon;
    for (int32_t v = 0; v < n_node; v++) {
        Z[horizon * n_node + v] = 0.0;
        V[horizon * n_node + v] = 0.0;
    }
    for (int32_t t = horizon - 1; t >= first; t--) {
        for (int32_t v = 0; v < n_node; v++) {
            tally all = nothing;
            for (int32_t e = graph->first[v]; e < graph->first[v + 1]; e++) {
                const int64_t w = (t + 1) * n_node + graph->head[e];
                const double step = model->step[self >= 0 ? self : e];
                add(&all, (e == self ? b->Z : Z)[w] - gamma * step,
                    (e == self ? b->V : V)[w] + step);
            }
            Z[t * n_node + v] = log_of(&all);
            V[t * n_node + v] = all.least;
        }
    }
}

/* What filling a pair takes. */
static uint64_t count_steps(const sonde__search *search) {
    const sonde_policies *policies = search->policies;
    return (uint64_t)policies->horizon * (uint64_t)policies->model->graph->n_edge;
}

static sonde_status prepare(sonde__search *search) {
    tables *b = search->state;
    if (b->version != search->policies->model->version) {
        fill(search, b->Z, b->V, 0, -1);
        b->version = search->policies->model->version;
        search->decision.evaluations.n_setup_step = count_steps(search);
    }
    return SONDE_OK;
}

/* where a walk and the agent are */
typedef struct {
    int32_t edge;
    int32_t state;
} place;

/* What a walk's next edge costs, and where it leads. */
static double follow(const sonde_model *model, place *now, int32_t edge) {
    now->state = sonde__efe_next(model->graph, now->state, now->edge, edge);
    now->edge = edge;
    return model->step[now->state];
}

/* Mass (in logs) or least cost of all ways to go on after t steps. */
static double ahead(const sonde__search *search, bool mass, int32_t t, const place *now) {
    const tables *b = search->state;
    const sonde_graph *graph = search->policies->model->graph;
    const int64_t at = (int64_t)t * graph->n_node + graph->head[now->edge];
    if (now->edge == now->state) {
        return mass ? b->Z[at] : b->V[at];
    }
    return mass ? b->astray_Z[at] : b->astray_V[at];
}

/* The lowest way on from step t of those that cost no more than `most`, or the best if rounding
 * leaves none. */
static void follow_best(const sonde__search *search, place now, int32_t t, double most,
                        int32_t *walk) {
    const sonde_model *model = search->policies->model;
    const sonde_graph *graph = model->graph;
    walk[t - 1] = now.edge;
    for (; t <= search->policies->horizon; t++) {
        const int32_t v = graph->head[now.edge];
        double least = INFINITY;
        for (int32_t e = graph->first[v]; e < graph->first[v + 1]; e++) {
            place next = now;
            const double cost = follow(model, &next, e) + ahead(search, false, t, &next);
            least = cost < least ? cost : least;
        }
        for (int32_t e = graph->first[v]; e < graph->first[v + 1]; e++) {
            place next = now;
            const double step = follow(model, &next, e);
            const double cost = step + ahead(search, false, t, &next);
            if (cost <= least || cost <= most) {
                walk[t] = e;
                now = next;
                most -= step;
                break;
            }
        }
    }
}

/* Masses of all first actions after one edge. */
static void add_edge(sonde__search *search, int32_t edge, int32_t state) {
    const sonde_model *model = search->policies->model;
    const sonde_graph *graph = model->graph;
    const double gamma = search->settings.gamma;
    sonde__posterior *posterior = &search->posterior;
    const int32_t v = graph->head[edge];
    for (int32_t e = graph->first[v]; e < graph->first[v + 1]; e++) {
        place next = {.edge = edge, .state = state};
        const double step = follow(model, &next, e);
        const int32_t a = sonde__model_action(model, edge, e) - posterior->begin;
        posterior->mass[a] = ahead(search, true, 1, &next) - gamma * step;
        posterior->best_efe[a] = step + ahead(search, false, 1, &next);
    }
    search->decision.evaluations.n_step += (uint64_t)(graph->first[v + 1] - graph->first[v]);
}

/* Points best_walk at the lowest policy of the best: from the first edge with one as good. */
static void find_best(sonde__search *search, int32_t begin, int32_t end, double least) {
    const sonde_model *model = search->policies->model;
    const sonde_graph *graph = model->graph;
    const sonde__posterior *posterior = &search->posterior;
    for (int32_t e = begin; e < end; e++) {
        const place now = {.edge = e, .state = search->decision.state};
        const int32_t v = graph->head[e];
        const int32_t first = sonde__model_action(model, e, graph->first[v]);
        for (int32_t i = 0; i < graph->first[v + 1] - graph->first[v]; i++) {
            if (sonde__is_at_most(posterior->best_efe[first + i - posterior->begin], least)) {
                follow_best(search, now, 1, least + sonde__tie(least), search->best_walk);
                return;
            }
        }
    }
}

static sonde_status decide(sonde__search *search) {
    const sonde_policies *policies = search->policies;
    const sonde_graph *graph = policies->model->graph;
    sonde__posterior *posterior = &search->posterior;
    const int32_t origin = search->decision.origin;
    const int32_t state = search->decision.state;
    const bool global = origin == SONDE_EVERYWHERE;
    const int32_t begin = global ? 0 : origin;
    const int32_t end = global ? graph->n_edge : origin + 1;
    if (global) {
        const tables *b = search->state;
        fill(search, b->astray_Z, b->astray_V, 1, graph->self[graph->head[state]]);
        search->decision.evaluations.n_step += count_steps(search);
    }
    double least = INFINITY;
    for (int32_t e = begin; e < end; e++) {
        add_edge(search, e, state);
    }
    for (int32_t a = 0; a < posterior->end - posterior->begin; a++) {
        least = posterior->best_efe[a] < least ? posterior->best_efe[a] : least;
    }
    sonde__posterior_settle(posterior, posterior->mass);
    for (int32_t a = 0; a < posterior->end - posterior->begin; a++) {
        posterior->best[a] = SONDE__UNNUMBERED;
    }
    find_best(search, begin, end, least);
    sonde__search_found(search);
    const int32_t best = sonde__policies_action(policies, search->best_walk, 1) - posterior->begin;
    const uint64_t index = search->decision.best;
    posterior->best[best] = index < SONDE__UNNUMBERED ? index : SONDE__UNNUMBERED;
    sonde__evidence_all(search, true);
    search->evidence.swept = true;
    return SONDE_OK;
}

static int32_t recall(const sonde__search *search, int32_t action, int32_t *walk, double *bound) {
    const sonde_model *model = search->policies->model;
    int32_t to = 0;
    place now = {.state = search->decision.state};
    sonde_model_action_edges(model, action, &now.edge, &to);
    walk[0] = now.edge;
    const double step = follow(model, &now, to);
    const double least = step + ahead(search, false, 1, &now);
    follow_best(search, now, 2, least + sonde__tie(least) - step, walk);
    *bound = INFINITY; /* all have been summed */
    return search->policies->horizon;
}

/* What it knows one by one: the best policy of each first action. */
static sonde_status visit(sonde__search *search, sonde__visitor visitor, void *context) {
    const sonde_decision *decision = &search->decision;
    int32_t *walk = search->keep.scratch;
    for (int32_t i = 0; i < decision->n_action; i++) {
        double bound;
        (void)recall(search, decision->action[i], walk, &bound);
        const double efe = sonde__search_terms(search, walk).efe;
        const sonde__block block = {
            .action = decision->action[i],
            .n = 1,
            .first = sonde_policies_find(search->policies, decision->origin, walk),
            .efe = &efe,
            .walk = walk};
        visitor(context, &block);
    }
    return SONDE_OK;
}

const sonde__method sonde__bounded_graph = {.size = sizeof(tables),
                                            .grounds = SONDE_GROUNDS_SUMS,
                                            .carve = carve,
                                            .prepare = prepare,
                                            .decide = decide,
                                            .visit = visit,
                                            .recall = recall};
