/* efe_bound.c: how much G is still to come, at least (docs/math.md, "Bounds").
 *
 * For any beta, Donsker and Varadhan's inequality gives a bound of a step that is linear in the
 * outcomes:
 *
 *     KL(q || C) >= -beta q . ln C - ln sum over o of C[o]^(1 - beta)
 *
 * with the floored C of the score; ambiguity and cost are linear already, and joint risk is at
 * least the sum over modalities. Where the parts of G are weighed, utility by w_u and information
 * by w_i, the same holds for C to the power of w_u / w_i:
 *
 *     w_i q . ln q - w_u q . ln C >= -beta w_u q . ln C
 *                                    - w_i ln sum over o of exp( (1 - beta) w_u ln C[o] / w_i )
 *
 * of which the last term is the largest (1 - beta) w_u ln C[o] where w_i is 0. A linear cost c_t(s)
 * of states, minimised over sequences of actions, is bounded by letting the action depend on the
 * hidden state:
 *
 *     V_t(s) = min over u of sum over s' of B[s', s, u] ( c_{t+1}(s') + V_{t+1}(s') ),   V_T = 0
 *
 * so q . V_t bounds what is to come from a belief q, for every beta; the best of them is taken.
 *
 * Where every transition is certain there is a better one. A step's G is what it costs in each
 * state for certain, -A . ln C + cost, on average, less what outcomes tell about the state; that
 * is at most the entropy H(q) of the states, for each thing observed on its own, and certain
 * transitions do not raise it. So with V from those costs
 *
 *     what is to come >= q . V_t - w_i (T - t) n H(q)
 *
 * What is learned of A is linear in the states, too, and is subtracted from c; what is learned of B
 * by u is linear in the states before, and is subtracted from what the minimum is taken of. Where
 * it is not linear, its table is at least as much (model_novelty.c). What an action costs is linear
 * in the states before it, too, and added there; where A depends on the action, c is the least over
 * actions, modality by modality.
 *
 * The bound is exact where q is certain. With the remaining probability d of all states but the
 * most probable, H(q) <= d (1 + ln (states / d)). Where factors depend on each other the mean field
 * drops correlations, and V is no bound; there, and where combined states are too many, every step
 * counts with its least cost in any state. */
#include "efe/efe_bound.h"

#include <math.h>
#include <string.h>

#include "base/numbers.h"

/* beyond these, every step's least cost has to do */
#define N_STATE_MAX 65536
#define N_OPERATION_MAX 1e9

const char *const sonde__bound_name[SONDE__N_BOUND + 1] = {
    "beta 0", "beta 1/4", "beta 1/2", "beta 3/4", "beta 1", "certain", "any state"};

static bool is_joint(const sonde_model *model, int32_t horizon) {
    double n_operation = model->n_joint * model->n_action * SONDE__N_BETA * horizon;
    double states = 0.0;
    for (int32_t f = 0; f < model->n_factor; f++) {
        states += model->factor[f].n_state;
    }
    n_operation *= states;
    return model->graph == NULL && !model->coupled && model->n_joint <= N_STATE_MAX &&
           n_operation <= N_OPERATION_MAX;
}

void sonde__bound_carve(sonde__arena *arena, const sonde_policies *policies, sonde__bound *bound) {
    const sonde_model *model = policies->model;
    const uint64_t n_step = (uint64_t)policies->horizon + 1;
    uint64_t most = 1;
    bound->horizon = policies->horizon;
    bound->joint = is_joint(model, policies->horizon);
    bound->n_state = bound->joint ? (int64_t)model->n_joint : 0;
    const uint64_t n = (uint64_t)bound->n_state;
    for (int32_t m = 0; model->graph == NULL && m < model->n_modality; m++) {
        const uint64_t n_state = (uint64_t)model->modality[m].n_state;
        most = n_state > most ? n_state : most;
    }
    bound->V = SONDE__TAKE(arena, double, n_step *SONDE__N_BOUND *n);
    bound->least = SONDE__TAKE(arena, double, n_step);
    bound->cost = SONDE__TAKE(arena, double, SONDE__N_BOUND *n);
    bound->before = SONDE__TAKE(arena, double, n);
    bound->after = SONDE__TAKE(arena, double, n);
    bound->weight = SONDE__TAKE(arena, double, n);
    bound->part = SONDE__TAKE(arena, double, most);
}

/* weight ln sum over o of exp(factor preference[o] / weight): the largest of them where the weight
 * is 0. */
static double log_sum(int32_t n, const double *preference, double factor, double weight) {
    double most = -INFINITY;
    for (int32_t o = 0; o < n; o++) {
        const double x = factor * preference[o];
        most = x > most ? x : most;
    }
    if (weight == 0.0) {
        return most;
    }
    double sum = 0.0;
    for (int32_t o = 0; o < n; o++) {
        sum += sonde__exp((factor * preference[o] - most) / weight);
    }
    return most + weight * sonde__log(sum);
}

/* A sum, and what the outcomes of a modality cost on average in one place of its A, with a part of
 * ln C. */
static double add_linear(const sonde_model *model, const sonde_modality *modality, int64_t at,
                         double beta, const double *preference, double sum) {
    if (modality->A != NULL) {
        const double *row = modality->A + at * modality->n_outcome;
        for (int32_t o = 0; o < modality->n_outcome; o++) {
            sum += row[o] * sonde__efe_linear(model, modality, o, beta * preference[o]);
        }
        return sum;
    }
    for (int64_t i = modality->offset[at]; i < modality->offset[at + 1]; i++) {
        const int32_t o = modality->outcome[i];
        sum += modality->p[i] * sonde__efe_linear(model, modality, o, beta * preference[o]);
    }
    return sum;
}

/* A modality's linear cost in each of its states at step t: for one beta, or of a certain state. */
static void find_part(const sonde_model *model, const sonde_modality *modality, int32_t t,
                      int32_t which, double *part) {
    const double *preference = sonde__efe_preference(model, modality, t);
    const bool certain = which == SONDE__CERTAIN;
    const double beta = certain ? 1.0 : which / (double)(SONDE__N_BETA - 1);
    const sonde_weights *w = &model->weights;
    const double constant =
        log_sum(modality->n_outcome, preference, (1.0 - beta) * w->utility, w->information);
    for (int64_t s = 0; s < modality->n_state; s++) {
        const double novelty =
            modality->novelty != NULL ? w->novelty_A * modality->novelty[s] : 0.0;
        part[s] = INFINITY;
        for (int64_t at = s * modality->n_action; at < (s + 1) * modality->n_action; at++) {
            const double told = certain ? 0.0 : w->information * modality->ambiguity[at] - constant;
            const double all = add_linear(model, modality, at, beta, preference, told - novelty);
            part[s] = all < part[s] ? all : part[s];
        }
    }
}

static double least_of(int64_t n, const double *x) {
    double least = INFINITY;
    for (int64_t i = 0; i < n; i++) {
        least = x[i] < least ? x[i] : least;
    }
    return least;
}

/* What an action costs at least, as it counts. */
static double least_charge(const sonde_model *model) {
    return model->action_cost != NULL
               ? model->weights.cost *
                     least_of((int64_t)model->n_joint * model->n_action, model->action_cost)
               : 0.0;
}

/* The cost of one step: of every combined state, and the least of each modality's own, added up. */
static void find_cost(const sonde_model *model, sonde__bound *bound, int32_t t, double *least) {
    for (int32_t b = 0; b < (bound->certain ? SONDE__N_BOUND : SONDE__N_BETA); b++) {
        double *cost = bound->cost + b * bound->n_state;
        memset(cost, 0, (size_t)bound->n_state * sizeof *cost);
        least[b] = 0.0;
        for (int32_t m = 0; m < model->n_modality; m++) {
            const sonde_modality *modality = &model->modality[m];
            int32_t state[SONDE_FACTORS_MAX] = {0};
            find_part(model, modality, t, b, bound->part);
            least[b] += least_of(modality->n_state, bound->part);
            for (int64_t s = 0; s < bound->n_state; s++) {
                cost[s] += bound->part[sonde__efe_place(model, modality, state)];
                sonde__belief_next_state(model, state);
            }
        }
    }
}

/* One factor's transition under one action: after[.., s, ..] = sum over s' of B[s', s, u]
 * before[.., s', ..] */
static void look_ahead(const sonde_factor *factor, int32_t u, int64_t n_slow, int64_t n_fast,
                       const double *before, double *after) {
    memset(after, 0, (size_t)(n_slow * factor->n_state * n_fast) * sizeof *after);
    for (int64_t slow = 0; slow < n_slow; slow++) {
        for (int32_t s = 0; s < factor->n_state; s++) {
            double *to = after + (slow * factor->n_state + s) * n_fast;
            const int64_t at = (int64_t)s * factor->n_action + u;
            const int64_t begin = factor->B != NULL ? 0 : factor->offset[at];
            const int64_t end = factor->B != NULL ? factor->n_state : factor->offset[at + 1];
            for (int64_t i = begin; i < end; i++) {
                const int64_t next = factor->B != NULL ? i : factor->next[i];
                const double p =
                    factor->B != NULL
                        ? factor->B[((int64_t)s * factor->n_state + i) * factor->n_lane + u]
                        : factor->p[i];
                const double *from = before + (slow * factor->n_state + next) * n_fast;
                for (int64_t fast = 0; p != 0.0 && fast < n_fast; fast++) {
                    to[fast] += p * from[fast];
                }
            }
        }
    }
}

/* What is learned of all B from each combined state with an action, into `after`. */
static void find_novelty(const sonde_model *model, const sonde__bound *bound,
                         const int32_t *tuple) {
    int64_t n_fast = bound->n_state;
    memset(bound->after, 0, (size_t)bound->n_state * sizeof *bound->after);
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        n_fast /= factor->n_state;
        for (int64_t s = 0; factor->novelty != NULL && s < bound->n_state; s++) {
            bound->after[s] +=
                model->weights.novelty_B *
                factor->novelty[s / n_fast % factor->n_state * factor->n_action + tuple[f]];
        }
    }
}

/* V one step earlier: the best action in every combined state. */
static void step_back(const sonde_model *model, sonde__bound *bound, const double *cost,
                      const double *later, double *V) {
    int32_t tuple[SONDE_FACTORS_MAX];
    for (int64_t s = 0; s < bound->n_state; s++) {
        V[s] = INFINITY;
    }
    for (int32_t action = 0; action < model->n_action; action++) {
        sonde__model_tuple(model, action, tuple);
        for (int64_t s = 0; s < bound->n_state; s++) {
            bound->before[s] = cost[s] + later[s];
        }
        int64_t n_slow = 1;
        for (int32_t f = 0; f < model->n_factor; f++) {
            const sonde_factor *factor = &model->factor[f];
            const int64_t n_fast = bound->n_state / n_slow / factor->n_state;
            look_ahead(factor, tuple[f], n_slow, n_fast, bound->before, bound->after);
            double *swapped = bound->before;
            bound->before = bound->after;
            bound->after = swapped;
            n_slow *= factor->n_state;
        }
        find_novelty(model, bound, tuple);
        for (int64_t s = 0; s < bound->n_state; s++) {
            const double charge =
                model->action_cost != NULL
                    ? model->weights.cost * model->action_cost[s * model->n_action + action]
                    : 0.0;
            const double least = bound->before[s] - bound->after[s] + charge;
            V[s] = least < V[s] ? least : V[s];
        }
    }
    bound->n_step += (uint64_t)bound->n_state * (uint64_t)model->n_action;
}

/* Graph worlds: every step costs at least what the least edge does. */
static void fill_walks(const sonde_model *model, sonde__bound *bound) {
    const double least = least_of(model->n_state, model->step);
    for (int32_t t = 0; t <= bound->horizon; t++) {
        bound->least[t] = least * (bound->horizon - t);
    }
}

void sonde__bound_fill(const sonde_model *model, sonde__bound *bound) {
    const int32_t horizon = bound->horizon;
    const int64_t n = bound->n_state;
    bound->certain = bound->joint;
    for (int32_t f = 0; f < model->n_factor; f++) {
        bound->certain = bound->certain && model->factor[f].deterministic;
    }
    const int32_t n_bound = bound->certain ? SONDE__N_BOUND : SONDE__N_BETA;
    double least[SONDE__N_BOUND];
    bound->n_step = 0;
    if (model->graph != NULL) {
        fill_walks(model, bound);
        return;
    }
    bound->least[horizon] = 0.0;
    const double charge = least_charge(model);
    for (int64_t i = 0; i < SONDE__N_BOUND * n; i++) {
        bound->V[(int64_t)horizon * SONDE__N_BOUND * n + i] = 0.0;
    }
    for (int32_t t = horizon - 1; t >= 0; t--) {
        if (t == horizon - 1 || model->n_step_C > 1) {
            find_cost(model, bound, t + 1, least);
        }
        double most = -INFINITY;
        for (int32_t b = 0; b < n_bound; b++) {
            most = b != SONDE__CERTAIN && least[b] > most ? least[b] : most;
            if (bound->joint) {
                double *V = bound->V + ((int64_t)t * SONDE__N_BOUND + b) * n;
                step_back(model, bound, bound->cost + b * n, V + SONDE__N_BOUND * n, V);
            }
        }
        bound->least[t] = bound->least[t + 1] + most + charge - sonde__efe_most_novelty_B(model);
    }
}

/* What outcomes of the steps after t can tell about states of these weights, at most. */
static double most_told(const sonde_model *model, const sonde__bound *bound, int32_t t,
                        double largest) {
    const bool joint = sonde__model_is_joint(model);
    const double rest = 1.0 - largest;
    if (rest <= 0.0) {
        return 0.0;
    }
    const double entropy = rest * (1.0 + sonde__log((double)bound->n_state / rest));
    return entropy * (bound->horizon - t) * (joint ? 1.0 : model->n_modality) *
           model->weights.information;
}

/* Probabilities of the combined states of all factors. */
static const double *combine(const sonde_model *model, const sonde__bound *bound,
                             const double *belief) {
    int32_t every[SONDE_FACTORS_MAX];
    for (int32_t f = 0; f < model->n_factor; f++) {
        every[f] = f;
    }
    (void)sonde__belief_combine(model, model->n_factor, every, belief, bound->weight);
    return bound->weight;
}

/* The tightest bound of a model whose joint states are summed over, and which it is. Apart, for
 * where there is nothing to sum the room for it would cost more than the answer. */
static __attribute__((noinline)) double sum_bounds(const sonde_model *model,
                                                   const sonde__bound *bound, int32_t t,
                                                   const double *belief, int32_t *which) {
    const double *q = model->n_factor > 1 ? combine(model, bound, belief) : belief;
    const int32_t n_bound = bound->certain ? SONDE__N_BOUND : SONDE__N_BETA;
    /* all sums side by side: none waits for another, and states that cannot be cost nothing */
    const double *V = bound->V + (int64_t)t * SONDE__N_BOUND * bound->n_state;
    double sum[SONDE__N_BOUND] = {0.0};
    double largest = 0.0;
    const int64_t n = bound->n_state;
    for (int64_t s = sonde__belief_possible(q, 0, n); s < n;
         s = sonde__belief_possible(q, s + 1, n)) {
        for (int32_t b = 0; b < SONDE__N_BOUND; b++) {
            sum[b] += q[s] * V[b * n + s];
        }
        largest = q[s] > largest ? q[s] : largest;
    }
    sum[SONDE__CERTAIN] -= bound->certain ? most_told(model, bound, t, largest) : 0.0;
    double best = bound->least[t];
    for (int32_t b = 0; b < n_bound; b++) {
        *which = sum[b] > best ? b : *which;
        best = sum[b] > best ? sum[b] : best;
    }
    return best;
}

double sonde__bound_at(const sonde_model *model, const sonde__bound *bound, int32_t t,
                       const double *belief, int32_t *which) {
    int32_t found = SONDE__N_BOUND;
    const double best = bound->joint && t < bound->horizon
                            ? sum_bounds(model, bound, t, belief, &found)
                            : bound->least[t];
    if (which != NULL) {
        *which = found;
    }
    return best - sonde__tie(best);
}
