/* efe_walk.c: G of the walks of a graph world (docs/math.md, "Expected free energy").
 *
 *     G(policy) = sum over t of  risk[s_t] + 0 + cost[s_t]
 *
 * where s_t is the edge reached by the first t actions: the walk's own edge while its actions are
 * valid, the present node's self-edge from the first that is not. Sums run from the first step to
 * the last everywhere, so that every way of scoring a policy gives the same bits.
 *
 * In order, policies are taken depth first, one first action after the other. The last step of all
 * policies with the same T - 1 edges is one short loop: a table look-up and an addition each. The
 * step before it is a loop around that one, which keeps its prefix to itself. Everything above is
 * shared. There is no recursion, so that the horizon may be as long as memory allows. */
#include "efe/efe_internal.h"

/* The policies that begin with one action, on the way through them. */
typedef struct {
    int32_t depth;  /* t of the edge to choose next; 0 when all have been taken */
    int32_t *edge;  /* (T + 1) the present prefix */
    int32_t *next;  /* (T + 2) the edge to take next at each depth */
    int32_t *state; /* (T + 1) */
    double *sum;    /* (T + 1) */
} descent;

typedef struct {
    /* policies by number */
    sonde__walker walker;
    int32_t *state; /* (T + 1) where the agent is after each step; state[0] before the first */
    double *sum;    /* (T + 1) G of each prefix */
    /* in order */
    descent sweep;
    int32_t root;      /* of the present first action */
    int32_t first;     /* the edge that comes first in the next one */
    uint64_t position; /* of the next policy */
    bool astray;       /* the agent is out of step with the prefix that was expanded */
} walk_track;

/* ------------------------------------------------------------------------------------ memory -- */

static void carve(sonde__arena *arena, sonde__score *score) {
    (void)arena;
    (void)score;
}

static void carve_track(sonde__arena *arena, const sonde__score *score, sonde__track *track) {
    walk_track none;
    walk_track *own = SONDE__TAKE(arena, walk_track, 1);
    walk_track *to = own != NULL ? own : &none;
    track->own = own;
    const uint64_t n = (uint64_t)score->policies->horizon + 1;
    const uint64_t n_order = (track->uses & SONDE__SCORE_ORDER) != 0 ? n : 0;
    sonde__walker_carve(arena, score->policies, &to->walker);
    to->state = SONDE__TAKE(arena, int32_t, n);
    to->sum = SONDE__TAKE(arena, double, n);
    to->sweep.edge = SONDE__TAKE(arena, int32_t, n_order);
    to->sweep.next = SONDE__TAKE(arena, int32_t, n_order > 0 ? n_order + 1 : 0);
    to->sweep.state = SONDE__TAKE(arena, int32_t, n_order);
    to->sweep.sum = SONDE__TAKE(arena, double, n_order);
}

static void prepare(sonde__score *score) {
    score->futures.efe = score->model->step;
}

static void start(sonde__score *score) {
    const sonde_graph *graph = score->model->graph;
    score->n_root = score->origin == SONDE_EVERYWHERE ? graph->n_edge : 1;
    score->futures.here = score->now.state;
    score->futures.back = graph->self[graph->head[score->now.state]];
    score->futures.stay = score->model->step[score->futures.back];
}

/* ---------------------------------------------------------------------------------- in order -- */

/* Takes edge e as the t-th of the walk. */
static inline void step_down(const sonde_model *model, descent *sweep, int32_t t, int32_t e) {
    const int32_t s = sonde__efe_next(model->graph, sweep->state[t - 1], sweep->edge[t - 1], e);
    sweep->edge[t] = e;
    sweep->state[t] = s;
    sweep->sum[t] = sweep->sum[t - 1] + model->step[s];
    sweep->next[t + 1] = model->graph->first[model->graph->head[e]];
}

/* All last steps of a prefix of T - 1 steps that ends with `edge`; returns how many. */
static inline int32_t fill_leaves(const sonde_model *model, int32_t edge, int32_t state, double sum,
                                  double *efe) {
    const sonde_graph *graph = model->graph;
    const int32_t v = graph->head[edge];
    const int32_t n = graph->first[v + 1] - graph->first[v];
    const double *step = model->step + graph->first[v];
    if (state != edge) {
        /* out of step with its policy, the agent stays, whatever the last action */
        const double stayed = sum + model->step[graph->self[graph->head[state]]];
        for (int32_t i = 0; i < n; i++) {
            efe[i] = stayed;
        }
        return n;
    }
    for (int32_t i = 0; i < n; i++) {
        efe[i] = sum + step[i];
    }
    return n;
}

/* The last two steps of the present prefix of t - 1 steps, up to edge `end` or as far as there is
 * room; returns how many policies. */
static inline int32_t fill_twigs(const sonde_model *model, descent *sweep, int32_t t, int32_t end,
                                 double *efe, int32_t capacity) {
    const sonde_graph *graph = model->graph;
    const int32_t edge = sweep->edge[t - 1];
    const int32_t state = sweep->state[t - 1];
    const double sum = sweep->sum[t - 1];
    int32_t n = 0;
    int32_t e = sweep->next[t];
    for (; e < end; e++) {
        const int32_t v = graph->head[e];
        if (n + graph->first[v + 1] - graph->first[v] > capacity) {
            break;
        }
        const int32_t s = sonde__efe_next(graph, state, edge, e);
        n += fill_leaves(model, e, s, sum + model->step[s], efe + n);
    }
    sweep->next[t] = e;
    return n;
}

/* All policies that begin with the present action, which is the whole of them or all but the last
 * step; returns how many. */
static int32_t fill_short(sonde__track *track, descent *sweep, double *efe) {
    const sonde__score *score = track->score;
    sweep->depth = 1;
    if (score->policies->horizon == 1) {
        efe[0] = sweep->sum[1];
        return 1;
    }
    const int32_t n =
        fill_leaves(score->model, sweep->edge[1], sweep->state[1], sweep->sum[1], efe);
    track->n_step += (uint64_t)n;
    return n;
}

/* G of the next policies that begin with the present action; returns how many, 0 at the end. */
static int32_t fill_action(sonde__track *track, descent *sweep, double *efe, int32_t capacity) {
    const sonde_model *model = track->score->model;
    const sonde_graph *graph = model->graph;
    const int32_t horizon = track->score->policies->horizon;
    uint64_t n_step = 0;
    int32_t n = 0;
    int32_t t = sweep->depth;
    if (horizon <= 2 && t == 2) {
        return fill_short(track, sweep, efe);
    }
    while (t > 1) {
        const int32_t end = graph->first[graph->head[sweep->edge[t - 1]] + 1];
        if (t == horizon - 1) {
            const int32_t first = sweep->next[t];
            const int32_t n_leaf = fill_twigs(model, sweep, t, end, efe + n, capacity - n);
            n_step += (uint64_t)(sweep->next[t] - first) + (uint64_t)n_leaf;
            n += n_leaf;
            if (sweep->next[t] < end) {
                break;
            }
            t--;
        } else if (sweep->next[t] == end) {
            t--;
        } else {
            step_down(model, sweep, t, sweep->next[t]++);
            n_step++;
            t++;
        }
    }
    track->n_step += n_step;
    sweep->depth = t;
    return n;
}

/* Goes on to the next first action; false when there is none. */
static bool next_action(sonde__track *track) {
    const sonde__score *score = track->score;
    const sonde_graph *graph = score->model->graph;
    walk_track *own = track->own;
    descent *sweep = &own->sweep;
    const bool everywhere = score->origin == SONDE_EVERYWHERE;
    if (own->root < 0 || own->first == graph->first[graph->head[own->root] + 1]) {
        own->root = own->root < 0 && !everywhere ? score->origin : own->root + 1;
        if (own->root == (everywhere ? graph->n_edge : score->origin + 1)) {
            own->root--;
            return false;
        }
        own->first = graph->first[graph->head[own->root]];
    }
    sweep->edge[0] = own->root;
    sweep->state[0] = score->now.state;
    sweep->sum[0] = 0.0;
    step_down(score->model, sweep, 1, own->first++);
    track->n_step++;
    sweep->depth = 2;
    return true;
}

static int32_t fill(sonde__track *track, double *efe, int32_t capacity, uint64_t *first,
                    int32_t *action) {
    walk_track *own = track->own;
    *first = own->position;
    int32_t n = fill_action(track, &own->sweep, efe, capacity);
    while (n == 0 && next_action(track)) {
        n = fill_action(track, &own->sweep, efe, capacity);
    }
    *action = n > 0 ? sonde__model_action(track->score->model, own->root, own->first - 1) : -1;
    own->position += (uint64_t)n;
    return n;
}

/* --------------------------------------------------------------------------------- by number -- */

static void begin(sonde__track *track, uint64_t first, uint64_t end) {
    const sonde__score *score = track->score;
    walk_track *own = track->own;
    (void)end;
    sonde__walker_start(&own->walker, score->policies, score->origin);
    own->state[0] = score->now.state;
    own->sum[0] = 0.0;
    own->position = first;
    own->sweep.depth = 0;
    own->root = -1;
}

static void pick(sonde__track *track, int32_t n, const uint64_t *policy, double *efe,
                 int32_t *action) {
    const sonde_model *model = track->score->model;
    const int32_t horizon = track->score->policies->horizon;
    walk_track *own = track->own;
    const int32_t *edge = own->walker.edge;
    int32_t *state = own->state;
    double *sum = own->sum;
    for (int32_t i = 0; i < n; i++) {
        const int32_t changed = sonde__walker_move(&own->walker, policy[i]);
        const int32_t first = changed > 0 ? changed : 1;
        for (int32_t t = first; t <= horizon; t++) {
            state[t] = sonde__efe_next(model->graph, state[t - 1], edge[t - 1], edge[t]);
            sum[t] = sum[t - 1] + model->step[state[t]];
        }
        track->n_step += first <= horizon ? (uint64_t)(horizon - first) + 1 : 0;
        efe[i] = sum[horizon];
        if (action != NULL) {
            action[i] = sonde__model_action(model, edge[0], edge[1]);
        }
    }
}

static void terms(sonde__track *track, const int32_t *walk, int32_t n_step, sonde_efe *steps,
                  int32_t *reached, sonde_efe *total) {
    const sonde_model *model = track->score->model;
    int32_t state = track->score->now.state;
    *total = (sonde_efe){0};
    for (int32_t t = 1; t <= n_step; t++) {
        state = sonde__efe_next(model->graph, state, walk[t - 1], walk[t]);
        total->efe += model->step[state];
        total->term[SONDE_RISK] += model->risk[state];
        total->term[SONDE_COST] += model->cost[state];
        if (steps != NULL) {
            steps[t - 1] = (sonde_efe){
                .efe = model->step[state],
                .term = {[SONDE_RISK] = model->risk[state], [SONDE_COST] = model->cost[state]}};
        }
        if (reached != NULL) {
            reached[t - 1] = state;
        }
    }
}

/* ---------------------------------------------------------------------------------- prefixes -- */

static int32_t expand(sonde__track *track, int32_t t, sonde__spot spot) {
    const sonde__score *score = track->score;
    const sonde_policies *policies = score->policies;
    const sonde_graph *graph = score->model->graph;
    walk_track *own = track->own;
    const int32_t first = graph->first[spot.place[0]];
    const int32_t n = graph->first[spot.place[0] + 1] - first;
    const uint64_t *below = policies->completion + (int64_t)(policies->horizon - t) * graph->n_node;
    own->astray = spot.place[1] != 0;
    for (int32_t i = 0; i < n; i++) {
        track->efe[i] = own->astray ? score->futures.stay : score->model->step[first + i];
        track->next[i] = first + i;
        track->below[i] = below[graph->head[first + i]];
    }
    return n;
}

static void child(const sonde__track *track, int32_t t, int32_t i, sonde__spot spot) {
    (void)t;
    const walk_track *own = track->own;
    spot.place[0] = track->score->model->graph->head[track->next[i]];
    spot.place[1] = own->astray && track->next[i] != track->score->futures.back;
}

const sonde__scoring sonde__walk = {.measure = sonde__plain_measure,
                                    .carve = carve,
                                    .carve_track = carve_track,
                                    .prepare = prepare,
                                    .start = start,
                                    .begin = begin,
                                    .fill = fill,
                                    .pick = pick,
                                    .terms = terms,
                                    .root = sonde__plain_root,
                                    .expand = expand,
                                    .child = child};
