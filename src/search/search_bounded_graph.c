/* search_bounded_graph.c: the exact posterior where futures can be counted, without listing
 * anything: in a graph world.
 *
 * Beliefs stay on one edge, so all prefixes that end on the same node after the same number of
 * steps have the same future, and sums over policies are sums over the ways on from each future,
 * backwards from the horizon:
 *
 *     Z_t(v) = ln sum over ways w on from v of exp( -gamma step[w] + Z_{t+1}(next w) ),   Z_T = 0
 *     V_t(v) = min over ways w on from v of step[w] + V_{t+1}(next w),                    V_T = 0
 *
 * Z is the mass of all ways to go on from v, V the best of them. Both are worked out once. An
 * action's mass is then one sum, and the best policy is followed through V: T ways a step,
 * whatever the number of policies.
 *
 * In global scope a policy that does not begin with the edge of the agent leaves it standing on
 * the self-edge of its node until, if ever, the walk comes along that very edge. Walks that have
 * not yet are a second pair of tables, for the node of the present decision.
 *
 * Where futures cannot be counted, prefixes are searched best first (search_bounded_model.c). */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "search/search_internal.h"

/* mass and best of all ways to go on after t steps: (T + 1, futures) each */
typedef struct {
    double *Z;
    double *V;
} sums;

typedef struct {
    uint64_t version; /* of the numbers that these are of; 0: of none */
    sums all;
    sums astray; /* the same while the agent is out of step with its policy */
} tables;

static sums carve_sums(sonde__arena *arena, uint64_t n) {
    return (sums){.Z = SONDE__TAKE(arena, double, n), .V = SONDE__TAKE(arena, double, n)};
}

static void carve(sonde__search *search, sonde__arena *arena) {
    tables *b = search->state;
    const uint64_t n =
        ((uint64_t)search->policies->horizon + 1) * (uint64_t)search->score.futures.n;
    b->all = carve_sums(arena, n);
    b->astray = carve_sums(arena, sonde__search_is_local(search) ? 0 : n);
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

/* The sums of all ways to go on, from the horizon back to step `first`. */
static void fill(const sonde__search *search, const sums *to, bool astray, int32_t first) {
    const sonde__futures *f = &search->score.futures;
    const int32_t horizon = search->policies->horizon;
    const double gamma = search->settings.gamma;
    const tables *b = search->state;
    for (int32_t v = 0; v < f->n; v++) {
        to->Z[(int64_t)horizon * f->n + v] = 0.0;
        to->V[(int64_t)horizon * f->n + v] = 0.0;
    }
    for (int32_t t = horizon - 1; t >= first; t--) {
        const int64_t later = (int64_t)(t + 1) * f->n;
        for (int32_t v = 0; v < f->n; v++) {
            tally all = nothing;
            for (int32_t w = f->first[v]; w < f->first[v + 1]; w++) {
                const sums *from = w == f->back ? &b->all : to;
                const double step = astray ? f->stay : f->efe[w];
                const int64_t next = later + f->next[w];
                add(&all, from->Z[next] - gamma * step, from->V[next] + step);
            }
            to->Z[(int64_t)t * f->n + v] = log_of(&all);
            to->V[(int64_t)t * f->n + v] = all.least;
        }
    }
}

static sonde_status prepare(sonde__search *search) {
    const uint64_t version = search->policies->model->version;
    tables *b = search->state;
    if (b->version != version) {
        (void)sonde__score_prepare(&search->score);
        fill(search, &b->all, false, 0);
        b->version = version;
        search->decision.evaluations.n_setup_step =
            (uint64_t)search->policies->horizon * (uint64_t)search->score.futures.n_way;
    }
    return SONDE_OK;
}

/* where a walk is, and whether the agent is out of step with it */
typedef struct {
    int32_t way;
    bool astray;
} stance;

/* What a walk's next way costs, and where it leads. */
static double follow(const sonde__futures *f, stance *now, int32_t way) {
    const double step = now->astray ? f->stay : f->efe[way];
    now->astray = now->astray && way != f->back;
    now->way = way;
    return step;
}

/* The least cost of all ways to go on after t steps. */
static double least_ahead(const sonde__search *search, int32_t t, const stance *now) {
    const sonde__futures *f = &search->score.futures;
    const tables *b = search->state;
    const double *V = now->astray ? b->astray.V : b->all.V;
    return V[(int64_t)t * f->n + f->next[now->way]];
}

/* The lowest way on from step t of those that cost no more than `most`, or the best if rounding
 * leaves none. */
static void follow_best(const sonde__search *search, stance now, int32_t t, double most,
                        int32_t *walk) {
    const sonde__futures *f = &search->score.futures;
    walk[t - 1] = now.way;
    for (; t <= search->policies->horizon; t++) {
        const int32_t v = f->next[now.way];
        double least = INFINITY;
        for (int32_t w = f->first[v]; w < f->first[v + 1]; w++) {
            stance next = now;
            const double cost = follow(f, &next, w) + least_ahead(search, t, &next);
            least = cost < least ? cost : least;
        }
        for (int32_t w = f->first[v]; w < f->first[v + 1]; w++) {
            stance next = now;
            const double step = follow(f, &next, w);
            const double cost = step + least_ahead(search, t, &next);
            if (cost <= least || cost <= most) {
                walk[t] = w;
                now = next;
                most -= step;
                break;
            }
        }
    }
}

/* The prefix of no steps that begins with a way. */
static stance root_at(const sonde__search *search, int32_t way) {
    return (stance){.way = way, .astray = way != search->score.futures.here};
}

/* Masses of all first actions after one way; returns the least G. */
static double add_root(sonde__search *search, int32_t root) {
    const sonde__futures *f = &search->score.futures;
    const tables *b = search->state;
    sonde__posterior *posterior = &search->posterior;
    const int32_t v = f->next[root];
    double least = INFINITY;
    for (int32_t w = f->first[v]; w < f->first[v + 1]; w++) {
        stance next = root_at(search, root);
        const double step = follow(f, &next, w);
        const double *Z = next.astray ? b->astray.Z : b->all.Z;
        const int32_t walk[2] = {root, w};
        const int32_t a = sonde__policies_action(search->policies, walk, 1) - posterior->begin;
        posterior->mass[a] = Z[f->n + f->next[w]] - search->settings.gamma * step;
        posterior->best_efe[a] = step + least_ahead(search, 1, &next);
        posterior->best[a] = SONDE__UNNUMBERED;
        least = posterior->best_efe[a] < least ? posterior->best_efe[a] : least;
    }
    search->decision.evaluations.n_step += (uint64_t)(f->first[v + 1] - f->first[v]);
    return least;
}

/* Whether a policy from a root is as good as the best. */
static bool is_best(const sonde__search *search, int32_t root, double least) {
    const sonde__futures *f = &search->score.futures;
    const int32_t v = f->next[root];
    bool best = false;
    for (int32_t w = f->first[v]; w < f->first[v + 1] && !best; w++) {
        stance next = root_at(search, root);
        const double step = follow(f, &next, w);
        best = sonde__is_at_most(step + least_ahead(search, 1, &next), least);
    }
    return best;
}

static sonde_status decide(sonde__search *search) {
    const sonde__futures *f = &search->score.futures;
    sonde__posterior *posterior = &search->posterior;
    const tables *b = search->state;
    const bool global = search->decision.origin == SONDE_EVERYWHERE;
    int32_t root = global ? 0 : search->decision.origin;
    const int32_t end = global ? f->n_way : root + 1;
    double least = INFINITY;
    if (global) {
        fill(search, &b->astray, true, 1);
        search->decision.evaluations.n_step +=
            (uint64_t)search->policies->horizon * (uint64_t)f->n_way;
    }
    for (int32_t i = root; i < end; i++) {
        const double found = add_root(search, i);
        least = found < least ? found : least;
    }
    sonde__posterior_settle(posterior, posterior->mass);
    /* the lowest policy of the best: from the first way with one as good */
    while (!is_best(search, root, least)) {
        root++;
    }
    follow_best(search, root_at(search, root), 1, least + sonde__tie(least), search->best_walk);
    sonde__search_found(search);
    const int32_t best =
        sonde__policies_action(search->policies, search->best_walk, 1) - posterior->begin;
    const uint64_t index = search->decision.best;
    posterior->best[best] = index < SONDE__UNNUMBERED ? index : SONDE__UNNUMBERED;
    sonde__evidence_all(search, true);
    search->evidence.swept = true;
    return SONDE_OK;
}

static int32_t recall(const sonde__search *search, int32_t action, int32_t *walk, double *bound) {
    int32_t begin[2];
    sonde__policies_begin(search->policies, search->decision.origin, action, begin);
    stance now = root_at(search, begin[0]);
    walk[0] = begin[0];
    const double step = follow(&search->score.futures, &now, begin[1]);
    const double least = step + least_ahead(search, 1, &now);
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

/* Policies that go on from each future for t more steps, as doubles: those of t in `size` (n), and
 * of one less in `other`, from which they are added up. */
static void count_real(const sonde__futures *f, int32_t t, double *size, double *other) {
    for (int32_t v = 0; v < f->n; v++) {
        size[v] = 1.0;
    }
    for (; t > 0; t--) {
        memcpy(other, size, (size_t)f->n * sizeof *size);
        for (int32_t v = 0; v < f->n; v++) {
            size[v] = 0.0;
            for (int32_t w = f->first[v]; w < f->first[v + 1]; w++) {
                size[v] += other[f->next[w]];
            }
        }
    }
}

/* Whether a walk follows the ways of the graph; adds its steps up. */
static bool add_steps(const sonde__futures *f, const sonde__ways_on *on, double *efe) {
    for (int32_t t = 1; t <= on->n_step; t++) {
        const int32_t v = f->next[on->walk[t - 1]];
        if (on->walk[t] < f->first[v] || on->walk[t] >= f->first[v + 1]) {
            return false;
        }
        *efe += f->efe[on->walk[t]];
    }
    return true;
}

static sonde_status below(sonde__search *search, sonde__ways_on *on) {
    const sonde__futures *f = &search->score.futures;
    const sonde_policies *policies = search->policies;
    const tables *b = search->state;
    const int32_t left = policies->horizon - on->n_step - 1;
    const uint64_t *count = policies->completion + (int64_t)left * f->n;
    on->efe = 0.0;
    if (!add_steps(f, on, &on->efe)) {
        return SONDE_OK;
    }
    double *size = sonde__alloc(2 * (size_t)f->n * sizeof *size);
    if (size == NULL) {
        return SONDE_NO_MEMORY;
    }
    count_real(f, left, size, size + f->n);
    const int32_t v = f->next[on->walk[on->n_step]];
    const int64_t later = (int64_t)(on->n_step + 1) * f->n;
    for (int32_t w = f->first[v]; w < f->first[v + 1]; w++) {
        const double efe = on->efe + f->efe[w];
        const double least = efe + b->all.V[later + f->next[w]];
        on->way[on->n_way++] =
            (sonde__onward){.number = w,
                            .n_policy = count[f->next[w]],
                            .size = size[f->next[w]],
                            .log_mass = b->all.Z[later + f->next[w]] - search->settings.gamma * efe,
                            .log_rest = -INFINITY,
                            .least = least,
                            .best = least};
    }
    sonde__free(size);
    return SONDE_OK;
}

const sonde__method sonde__bounded_sums = {.size = sizeof(tables),
                                           .uses = SONDE__SCORE_AHEAD,
                                           .grounds = SONDE__GROUNDS_SUMS,
                                           .carve = carve,
                                           .prepare = prepare,
                                           .decide = decide,
                                           .visit = visit,
                                           .recall = recall,
                                           .below = below};
