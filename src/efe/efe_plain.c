/* efe_plain.c: G of policies a step at a time, term by term, for every kind of model
 * (docs/math.md, "Expected free energy"): what the fast ways of scoring are held to, and the one
 * that listed policies have.
 *
 * In a graph world a spot is the node that the walk has come to, and whether the agent is out of
 * step with it; in a general model what is believed, and the factors' places, of which listed
 * policies have none. */
#include <string.h>

#include "efe/efe_internal.h"

static int32_t most_edges(const sonde_graph *graph) {
    int32_t most = 0;
    for (int32_t v = 0; v < graph->n_node; v++) {
        const int32_t n = graph->first[v + 1] - graph->first[v];
        most = n > most ? n : most;
    }
    return most;
}

void sonde__plain_measure(sonde__score *score) {
    const sonde_model *model = score->model;
    const sonde_graph *graph = model->graph;
    score->branches = !sonde__space_of(score->policies)->listed;
    score->n_least = 1;
    if (graph == NULL) {
        score->stretches = score->branches;
        score->n_child = model->n_action;
        score->n_belief = model->n_belief;
        score->n_place = score->branches ? model->n_factor : 0;
        return;
    }
    score->n_least = score->n_child = most_edges(graph);
    score->n_place = 2;
    score->futures = (sonde__futures){
        .n = graph->n_node, .n_way = graph->n_edge, .first = graph->first, .next = graph->head};
}

/* The terms of a step of a graph world that ends on an edge. */
static sonde_efe edge_terms(const sonde_model *model, int32_t state) {
    sonde_efe step = {
        .term = {[SONDE_RISK] = model->risk[state], [SONDE_COST] = model->cost[state]}};
    step.efe = model->weights.utility * step.term[SONDE_RISK] +
               model->weights.cost * step.term[SONDE_COST];
    return step;
}

/* ------------------------------------------------------------------------------------ memory -- */

/* G of the ways on from futures. */
static void carve(sonde__arena *arena, sonde__score *score) {
    score->own = SONDE__TAKE(arena, double, score->futures.n_way);
}

static void prepare(sonde__score *score) {
    double *efe = score->own;
    for (int32_t w = 0; w < score->futures.n_way; w++) {
        efe[w] = edge_terms(score->model, w).efe;
    }
    score->futures.efe = efe;
}

void sonde__plain_carve(sonde__arena *arena, const sonde__score *score, bool children,
                        sonde__plain_track *own) {
    const uint64_t n_step = (uint64_t)score->policies->horizon + 1;
    const int32_t n_child = children ? score->n_child : 0;
    sonde__walker_carve(arena, score->policies, &own->walker);
    own->along = sonde__spots_carve(arena, score, n_step);
    own->total = SONDE__TAKE(arena, sonde_efe, n_step);
    own->scratch = SONDE__TAKE(arena, double,
                               score->model->graph != NULL ? 0 : sonde__efe_scratch(score->model));
    own->after = sonde__spots_carve(arena, score, (uint64_t)n_child);
}

static void carve_track(sonde__arena *arena, const sonde__score *score, sonde__track *track) {
    sonde__plain_track none;
    sonde__plain_track *own = SONDE__TAKE(arena, sonde__plain_track, 1);
    sonde__plain_carve(arena, score, (track->uses & SONDE__SCORE_PREFIXES) != 0,
                       own != NULL ? own : &none);
    track->own = own;
}

/* ------------------------------------------------------------------------------------- steps -- */

static void start(sonde__score *score) {
    const sonde_graph *graph = score->model->graph;
    score->n_root = 1;
    if (graph != NULL) {
        score->n_root = score->origin == SONDE_EVERYWHERE ? graph->n_edge : 1;
        score->futures.here = score->now.state;
        score->futures.back = graph->self[graph->head[score->now.state]];
        score->futures.stay = edge_terms(score->model, score->futures.back).efe;
    }
}

/* The prefix of no steps whose walks begin with a number. */
static void begin_at(const sonde__score *score, int32_t number, sonde__spot spot) {
    if (score->model->graph != NULL) {
        spot.place[0] = score->model->graph->head[number];
        spot.place[1] = number != score->now.state;
        return;
    }
    memcpy(spot.belief, score->now.belief, (size_t)score->n_belief * sizeof *spot.belief);
    if (score->branches) {
        sonde__product_places(score->policies, number, spot.place);
    }
}

int32_t sonde__plain_root(const sonde__score *score, int32_t i, sonde__spot spot) {
    const bool everywhere = score->model->graph != NULL && score->origin == SONDE_EVERYWHERE;
    const int32_t number = everywhere ? i : score->origin;
    begin_at(score, number, spot);
    return number;
}

/* The places to which the next number of a walk leads; returns whether they are allowed. */
static bool move(const sonde__score *score, const int32_t *place, int32_t number, int32_t *to) {
    const sonde_model *model = score->model;
    if (model->graph != NULL) {
        to[0] = model->graph->head[number];
        to[1] = place[1] != 0 && number != score->futures.back;
        return true;
    }
    int32_t tuple[SONDE_FACTORS_MAX] = {0};
    bool allowed = true;
    sonde__model_tuple(model, number, tuple);
    for (int32_t f = 0; f < score->n_place; f++) {
        const sonde_places *p = &score->policies->place[f];
        to[f] = p->next[(int64_t)place[f] * p->n_action + tuple[f]];
        allowed = allowed && to[f] >= 0;
    }
    return allowed;
}

/* Step t of a walk, from a spot to the next, whose places are known; returns its terms, and the
 * state of a graph world. */
static sonde_efe take_step(const sonde__track *track, int32_t t, sonde__spot from, int32_t number,
                           sonde__spot to, int32_t *reached) {
    const sonde__plain_track *own = track->own;
    const sonde_model *model = track->score->model;
    if (model->graph != NULL) {
        /* out of step with its policy, the agent stays */
        *reached = to.place[1] != 0 ? track->score->futures.back : number;
        return edge_terms(model, *reached);
    }
    sonde_efe step;
    sonde__belief_next(model, number, from.belief, to.belief);
    const sonde__move move = {t, number, from.belief, to.belief};
    sonde__efe_step(model, &move, own->scratch, &step);
    return step;
}

void sonde__plain_terms(sonde__track *track, const int32_t *walk, int32_t n_step, sonde_efe *steps,
                        int32_t *reached, sonde_efe *total) {
    const sonde__score *score = track->score;
    sonde__plain_track *own = track->own;
    sonde__spot from = sonde__spot_at(score, own->along, 0);
    *total = (sonde_efe){0};
    begin_at(score, walk[0], from);
    for (int32_t t = 1; t <= n_step; t++) {
        const sonde__spot to = sonde__spot_at(score, own->along, t);
        int32_t state = -1;
        (void)move(score, from.place, walk[t], to.place);
        const sonde_efe step = take_step(track, t, from, walk[t], to, &state);
        sonde__efe_add(score->model, &step, total);
        if (steps != NULL) {
            steps[t - 1] = step;
        }
        if (reached != NULL) {
            reached[t - 1] = state;
        }
        from = to;
    }
    /* what was known of another policy is gone */
    sonde__walker_start(&own->walker, score->policies, score->origin);
}

/* ---------------------------------------------------------------------------------- policies -- */

void sonde__plain_begin(sonde__track *track, uint64_t first, uint64_t end) {
    sonde__plain_track *own = track->own;
    sonde__walker_start(&own->walker, track->score->policies, track->score->origin);
    own->total[0] = (sonde_efe){0};
    own->position = first;
    own->end = end;
}

/* Goes to a policy, and returns its G. In order, a prefix counts where its first policy is. */
static double go_to(sonde__track *track, uint64_t policy, bool in_order) {
    const sonde__score *score = track->score;
    const int32_t horizon = score->policies->horizon;
    sonde__plain_track *own = track->own;
    const int32_t changed = sonde__walker_move(&own->walker, policy);
    if (changed == 0) {
        begin_at(score, own->walker.edge[0], sonde__spot_at(score, own->along, 0));
    }
    for (int32_t t = changed > 0 ? changed : 1; t <= horizon; t++) {
        const sonde__spot from = sonde__spot_at(score, own->along, t - 1);
        const sonde__spot to = sonde__spot_at(score, own->along, t);
        const int32_t number = own->walker.edge[t];
        int32_t state = 0;
        (void)move(score, from.place, number, to.place);
        const sonde_efe step = take_step(track, t, from, number, to, &state);
        own->total[t] = own->total[t - 1];
        sonde__efe_add(score->model, &step, &own->total[t]);
        track->n_step += !in_order || own->walker.begin[t] == policy;
    }
    return own->total[horizon].efe;
}

void sonde__plain_pick(sonde__track *track, int32_t n, const uint64_t *policy, double *efe,
                       int32_t *action) {
    const sonde__plain_track *own = track->own;
    for (int32_t i = 0; i < n; i++) {
        efe[i] = go_to(track, policy[i], false);
        if (action != NULL) {
            action[i] = sonde__policies_action(track->score->policies, own->walker.edge, 1);
        }
    }
}

/* Listed policies come one at a time: each may begin with another action. */
static int32_t fill(sonde__track *track, double *efe, int32_t capacity, uint64_t *first,
                    int32_t *action) {
    const sonde__score *score = track->score;
    sonde__plain_track *own = track->own;
    uint64_t n = own->end - own->position;
    *first = own->position;
    *action = -1;
    for (uint64_t i = 0; i < n; i++) {
        efe[i] = go_to(track, own->position++, score->branches);
        if (i == 0) {
            const sonde__walker *walker = &own->walker;
            const uint64_t left = walker->begin[1] + walker->count[1] - *first;
            *action = sonde__policies_action(score->policies, walker->edge, 1);
            n = !score->branches ? 1 : n < left ? n : left;
            n = n < (uint64_t)capacity ? n : (uint64_t)capacity;
        }
    }
    return (int32_t)n;
}

/* ---------------------------------------------------------------------------------- prefixes -- */

/* How many policies go on after t steps. */
static uint64_t completions(const sonde__score *score, int32_t t, const int32_t *place) {
    const sonde_policies *policies = score->policies;
    const int32_t left = policies->horizon - t;
    const sonde_graph *graph = score->model->graph;
    return graph != NULL ? policies->completion[(int64_t)left * graph->n_node + place[0]]
                         : sonde__product_completions(policies, left, place);
}

static int32_t expand(sonde__track *track, int32_t t, sonde__spot spot) {
    const sonde__score *score = track->score;
    const sonde_graph *graph = score->model->graph;
    const sonde__plain_track *own = track->own;
    const int32_t begin = graph != NULL ? graph->first[spot.place[0]] : 0;
    const int32_t end = graph != NULL ? graph->first[spot.place[0] + 1] : score->model->n_action;
    int32_t n = 0;
    for (int32_t number = begin; number < end; number++) {
        const sonde__spot to = sonde__spot_at(score, own->after, n);
        int32_t state = 0;
        const bool allowed = move(score, spot.place, number, to.place);
        const uint64_t below = allowed ? completions(score, t, to.place) : 0;
        if (below > 0) {
            track->efe[n] = take_step(track, t, spot, number, to, &state).efe;
            track->below[n] = below;
            track->next[n++] = number;
        }
    }
    return n;
}

static void child(const sonde__track *track, int32_t t, int32_t i, sonde__spot spot) {
    (void)t;
    const sonde__score *score = track->score;
    const sonde__plain_track *own = track->own;
    const sonde__spot found = sonde__spot_at(score, own->after, i);
    memcpy(spot.belief, found.belief, (size_t)score->n_belief * sizeof *spot.belief);
    memcpy(spot.place, found.place, (size_t)score->n_place * sizeof *spot.place);
}

const sonde__scoring sonde__plain = {.measure = sonde__plain_measure,
                                     .carve = carve,
                                     .carve_track = carve_track,
                                     .prepare = prepare,
                                     .start = start,
                                     .begin = sonde__plain_begin,
                                     .fill = fill,
                                     .pick = sonde__plain_pick,
                                     .terms = sonde__plain_terms,
                                     .root = sonde__plain_root,
                                     .expand = expand,
                                     .child = child};
