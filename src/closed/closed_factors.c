/* closed_factors.c: what one action leads to where each factor is believed on its own.
 *
 *     q'_f   = B_f[., u_f] times the product of the beliefs that it depends on
 *     Q(o)   = sum over joint states of (product of q'_f) (product of A_m[o_m, .]),  or, with
 *              branches marginal, the product of the modalities' own Q(o_m)
 *     b_o    = the factors' posteriors, as belief_infer.c has them
 *
 * and g from the same products. The b_o do not average to q', so no bound of closed_bounds.c holds
 * here; an exact search, or one with thresholds, is what there is. A belief is a list all the same:
 * of the states of all factors, side by side. */
#include <string.h>

#include "base/numbers.h"
#include "base/status.h"
#include "closed/closed_internal.h"

/* tuples of outcomes that are told apart, at most */
#define TUPLES_MOST (1 << 24)

/* ------------------------------------------------------------------------------------ set-up -- */

/* n zeroed pieces that the world keeps; NULL: there is no memory, or too little is allowed. */
static void *keep(sonde__joint *world, uint64_t n, size_t size) {
    const uint64_t bytes = sonde__multiply(n, size);
    if (sonde__add(world->bytes, bytes) > world->run.memory) {
        return NULL;
    }
    world->bytes += bytes;
    return sonde__alloc((size_t)bytes);
}

/* Numbers all tuples of outcomes of the modalities that count, the last fastest. */
static void number_tuples(const sonde__joint *world) {
    const sonde_model *model = world->model;
    for (int64_t i = 0; i < world->n_tuple; i++) {
        int64_t rest = i;
        for (int32_t m = model->n_modality - 1; m >= 0; m--) {
            const int64_t n = world->telling[m] ? model->modality[m].n_outcome : 1;
            world->tuple[i * model->n_modality + m] = world->telling[m] ? (int32_t)(rest % n) : -1;
            rest /= n;
        }
    }
}

/* What each factor's own states allow. */
static void set_allowed(const sonde__joint *world) {
    const sonde_model *model = world->model;
    for (int32_t u = 0; u < world->n_action; u++) {
        int32_t tuple[SONDE_FACTORS_MAX];
        sonde__model_tuple(model, u, tuple);
        for (int32_t f = 0; f < model->n_factor; f++) {
            const sonde_factor *factor = &model->factor[f];
            for (int32_t s = 0; s < factor->n_state; s++) {
                const int64_t at = (int64_t)(factor->first + s) * world->n_action + u;
                world->allowed[at] = factor->allowed == NULL ||
                                     factor->allowed[(int64_t)s * factor->n_action + tuple[f]];
            }
        }
    }
}

sonde_status sonde__factors_open(sonde__joint *world, sonde_error *error) {
    const sonde_model *model = world->model;
    double n_tuple = 1.0;
    world->n_by = 1;
    world->n_state = model->n_belief;
    for (int32_t m = 0; m < model->n_modality; m++) {
        world->n_telling += world->telling[m];
        n_tuple *= world->telling[m] ? (double)model->modality[m].n_outcome : 1.0;
    }
    if (n_tuple > TUPLES_MOST || model->n_joint > (double)world->run.memory / 64.0) {
        return sonde__fail(error, SONDE_TOO_LARGE,
                           "closed loop: %g combined states and %g tuples of outcomes take more "
                           "than the %.3g bytes that are allowed; allow more memory, or choose a "
                           "smaller model",
                           model->n_joint, n_tuple, (double)world->run.memory);
    }
    world->n_tuple = (int32_t)n_tuple;
    world->n_branch = (uint64_t)world->n_tuple * (uint64_t)world->n_state;
    const uint64_t n_digit = (uint64_t)world->n_tuple * (uint64_t)model->n_modality;
    const uint64_t n_allowed = (uint64_t)world->n_state * (uint64_t)world->n_action;
    world->tuple = keep(world, n_digit, sizeof *world->tuple);
    world->prior = keep(world, 2 * (uint64_t)world->n_action, sizeof *world->prior);
    world->allowed = keep(world, n_allowed, sizeof *world->allowed);
    if (world->tuple == NULL || world->prior == NULL || world->allowed == NULL) {
        return sonde__fail_memory(error, "closed loop", world->bytes);
    }
    sonde__joint_priors(world);
    number_tuples(world);
    set_allowed(world);
    return SONDE_OK;
}

void sonde__factors_carve(sonde__arena *arena, const sonde__joint *world,
                          sonde__prospect *outlook) {
    const sonde_model *model = world->model;
    outlook->now = SONDE__TAKE(arena, double, model->n_belief);
    outlook->then = SONDE__TAKE(arena, double, model->n_belief);
    outlook->combined = SONDE__TAKE(arena, double, (uint64_t)model->n_joint);
    outlook->scratch = SONDE__TAKE(arena, double, sonde__belief_infer_scratch(model));
}

/* ----------------------------------------------------------------------------------- beliefs -- */

void sonde__factors_list(const sonde__joint *world, const double *belief,
                         sonde__prospect *outlook) {
    outlook->n = 0;
    for (int32_t s = 0; s < world->n_state; s++) {
        if (belief[s] > 0.0) {
            outlook->state[outlook->n] = s;
            outlook->p[outlook->n++] = belief[s];
        }
    }
}

void sonde__factors_spread(const sonde__joint *world, sonde__support belief, double *flat) {
    memset(flat, 0, (size_t)world->n_state * sizeof *flat);
    for (int32_t i = 0; i < belief.n; i++) {
        flat[belief.state[i]] = belief.p[i];
    }
}

/* The probabilities of all joint states. */
static int64_t combine_all(const sonde_model *model, const double *belief, double *combined) {
    int32_t every[SONDE_FACTORS_MAX];
    for (int32_t f = 0; f < model->n_factor; f++) {
        every[f] = f;
    }
    return sonde__belief_combine(model, model->n_factor, every, belief, combined);
}

/* ---------------------------------------------------------------------------------- outcomes -- */

/* The summed A ln A of a state, as pymdp 0.0.7 has it, or its negative entropy. */
static double clarity(const sonde__joint *world, const sonde_modality *modality, int64_t at) {
    if (world->blurred == 0.0) {
        return 0.0 - modality->ambiguity[at];
    }
    const sonde__listing c = sonde__listing_seen(modality, at);
    double sum = 0.0;
    for (int64_t i = 0; i < c.n; i++) {
        sum += c.p[i] * sonde__log(c.p[i] + world->blurred);
    }
    return sum;
}

/* Q(o) of one modality (n_outcome), from the beliefs of its factors; returns the mean entropy of
 * what it shows. */
static double find_outcomes(const sonde__joint *world, int32_t m, int32_t action,
                            const sonde__prospect *o, double *q) {
    const sonde_modality *modality = &world->model->modality[m];
    const int64_t n = sonde__belief_combine(world->model, modality->n_factor, modality->factor,
                                            o->then, o->combined);
    double blur = 0.0;
    memset(q, 0, (size_t)modality->n_outcome * sizeof *q);
    for (int64_t s = 0; s < n; s++) {
        if (!(o->combined[s] > 0.0)) {
            continue;
        }
        const int64_t at = s * modality->n_action + (modality->n_action > 1 ? action : 0);
        const sonde__listing c = sonde__listing_seen(modality, at);
        for (int64_t i = 0; i < c.n; i++) {
            q[c.row != NULL ? c.row[i] : i] += o->combined[s] * c.p[i];
        }
        blur -= o->combined[s] * clarity(world, modality, at);
    }
    return blur;
}

/* A joint state that an action led to, and the tuples' probabilities. */
typedef struct {
    const sonde__joint *world;
    const int32_t *state;
    int32_t action;
    double *chance;
} sight;

/* Adds what is seen in a joint state, from modality m on, to the tuples' probabilities. */
static void add_seen(const sight *of, int32_t m, double p, int64_t tuple) {
    const sonde_model *model = of->world->model;
    while (m < model->n_modality && !of->world->telling[m]) {
        m++;
    }
    if (m == model->n_modality) {
        of->chance[tuple] += p;
        return;
    }
    const sonde_modality *modality = &model->modality[m];
    int64_t at = 0;
    for (int32_t k = 0; k < modality->n_factor; k++) {
        at = at * model->factor[modality->factor[k]].n_state + of->state[modality->factor[k]];
    }
    const sonde__listing c = sonde__listing_seen(
        modality, at * modality->n_action + (modality->n_action > 1 ? of->action : 0));
    for (int64_t i = 0; i < c.n; i++) {
        const int64_t outcome = c.row != NULL ? c.row[i] : i;
        if (c.p[i] > 0.0) {
            add_seen(of, m + 1, p * c.p[i], tuple * modality->n_outcome + outcome);
        }
    }
}

/* Q(o) of everything that is seen together. */
static void find_together(const sonde__joint *world, int32_t action, sonde__prospect *o) {
    const sonde_model *model = world->model;
    const int64_t n = combine_all(model, o->then, o->combined);
    int32_t state[SONDE_FACTORS_MAX] = {0};
    for (int64_t s = 0; s < n; s++) {
        if (o->combined[s] > 0.0) {
            add_seen(&(sight){world, state, action, o->chance}, 0, o->combined[s], 0);
        }
        sonde__belief_next_state(model, state);
    }
}

/* The same as if modalities were independent. */
static void find_apart(const sonde__joint *world, sonde__prospect *o) {
    const sonde_model *model = world->model;
    for (int64_t i = 0; i < world->n_tuple; i++) {
        const double *q = o->by_modality;
        double p = 1.0;
        for (int32_t m = 0; m < model->n_modality; q += model->modality[m++].n_outcome) {
            p *= world->telling[m] ? q[world->tuple[i * model->n_modality + m]] : 1.0;
        }
        o->chance[i] = p;
    }
}

static double entropy_of(const double *q, int64_t n) {
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++) {
        sum -= q[i] > 0.0 ? q[i] * sonde__log_floored(q[i]) : 0.0;
    }
    return sum;
}

/* ---------------------------------------------------------------------------------- the step -- */

/* What the action costs where it is taken. */
static double charge(const sonde__joint *world, const sonde__prospect *o, int32_t action) {
    double sum = 0.0;
    if (world->model->action_cost != NULL) {
        const int64_t n = combine_all(world->model, o->now, o->combined);
        for (int64_t s = 0; s < n; s++) {
            sum += o->combined[s] * world->model->action_cost[s * world->n_action + action];
        }
    }
    return sum;
}

/* Risk, ambiguity and cost, and the entropy of outcomes, after a prediction; every modality's Q(o)
 * is written down. */
static sonde_efe find_terms(const sonde__joint *world, sonde__prospect *o, int32_t action,
                            int32_t row, double *entropy) {
    const sonde_model *model = world->model;
    const bool joint = model->information == SONDE_INFORMATION_JOINT;
    const bool off = model->information == SONDE_INFORMATION_OFF;
    sonde_efe step = {.term = {[SONDE_COST] = charge(world, o, action)}};
    double *q = o->by_modality;
    *entropy = joint ? entropy_of(o->chance, world->n_tuple) : 0.0;
    for (int32_t m = 0; m < model->n_modality; q += model->modality[m++].n_outcome) {
        const sonde_modality *modality = &model->modality[m];
        const double *preference = modality->preference + (int64_t)row * modality->n_outcome;
        const double blur = find_outcomes(world, m, action, o, q);
        step.term[SONDE_AMBIGUITY] += off ? 0.0 : blur;
        *entropy += off || (joint && world->telling[m]) ? 0.0 : entropy_of(q, modality->n_outcome);
        for (int32_t k = 0; k < modality->n_outcome; k++) {
            step.term[SONDE_RISK] -= q[k] * preference[k];
            step.term[SONDE_COST] += model->lambda * modality->cost[k] * q[k];
        }
    }
    step.efe = world->weights.utility * step.term[SONDE_RISK] +
               world->informs * (step.term[SONDE_AMBIGUITY] - *entropy) +
               world->weights.cost * step.term[SONDE_COST];
    step.term[SONDE_RISK] -= *entropy;
    return step;
}

void sonde__factors_predict(const sonde__joint *world, sonde__support belief, int32_t action,
                            int32_t row, sonde__prospect *o) {
    const bool joint = world->model->information == SONDE_INFORMATION_JOINT;
    double entropy = 0.0;
    memset(o->chance, 0, (size_t)world->n_tuple * sizeof *o->chance);
    sonde__factors_spread(world, belief, o->now);
    sonde__belief_predict(world->model, action, o->now, o->then);
    sonde__factors_list(world, o->then, o);
    if (joint || !world->marginal) {
        find_together(world, action, o);
    }
    o->efe = find_terms(world, o, action, row, &entropy).efe;
    if (world->marginal) {
        find_apart(world, o);
    }
    o->n_tuple = 0;
    for (int32_t i = 0; i < world->n_tuple; i++) {
        if (o->chance[i] > 0.0) {
            o->tuple[o->n_tuple++] = i;
        }
    }
}

void sonde__factors_divide(const sonde__joint *world, int32_t action, sonde__prospect *o) {
    const sonde_model *model = world->model;
    const sonde__manner manner = {.action = action, .patient = world->patient};
    o->first[0] = 0;
    for (int32_t i = 0; i < o->n_tuple; i++) {
        const int32_t *tuple = world->tuple + (int64_t)o->tuple[i] * model->n_modality;
        int32_t outcome[SONDE_FACTORS_MAX];
        for (int32_t m = 0; m < model->n_modality; m++) {
            outcome[m] = tuple[m] >= 0 ? tuple[m] : SONDE_MISSING;
        }
        const sonde_observation seen = {.outcome = outcome, .inference = world->inference};
        (void)sonde__belief_infer_after(model, &seen, manner, o->then, o->now, o->scratch);
        int64_t to = o->first[i];
        for (int32_t s = 0; s < world->n_state; s++) {
            if (o->now[s] > 0.0) {
                o->posterior[to] = s;
                o->posterior_p[to++] = o->now[s];
            }
        }
        o->first[i + 1] = to;
    }
}

sonde_efe sonde__factors_terms(const sonde__joint *world, sonde__support belief, int32_t action,
                               int32_t row, const sonde__prospect *o) {
    sonde__prospect again = *o;
    double entropy = 0.0;
    sonde__factors_spread(world, belief, again.now);
    if (world->marginal && world->model->information == SONDE_INFORMATION_JOINT) {
        memset(again.chance, 0, (size_t)world->n_tuple * sizeof *again.chance);
        find_together(world, action, &again);
    }
    return find_terms(world, &again, action, row, &entropy);
}
