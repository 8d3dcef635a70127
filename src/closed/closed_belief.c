/* closed_belief.c: what a plan in closed loop believes of joint states, without a floor.
 *
 *     take    b' = B_u b
 *     see     b(s) proportional to A[o, s] b'(s)
 *
 * Outcomes that cannot be seen change nothing: the world is not the one of the model then, and
 * what was expected is as good as anything. */
#include <float.h>
#include <string.h>

#include "base/numbers.h"
#include "closed/closed_internal.h"

/* beliefs this close, summed over states, are those that a plan was made for: as close as merged
 * ones, and what rounding adds */
#define SAME 2e-12

void sonde__joint_digits(const sonde_model *model, uint64_t joint, int32_t *state) {
    for (int32_t f = model->n_factor - 1; f >= 0; f--) {
        const uint64_t n = (uint64_t)model->factor[f].n_state;
        state[f] = (int32_t)(joint % n);
        joint /= n;
    }
}

/* Goes through the products of the factors' beliefs, the last factor fastest. */
static bool add_states(sonde__closed *closed, const double *belief, int32_t f, uint64_t joint,
                       double p) {
    const sonde_model *model = closed->world.model;
    if (f == model->n_factor) {
        const int32_t s = sonde__joint_find(&closed->world, joint);
        if (s >= 0) {
            closed->state[closed->n] = s;
            closed->p[closed->n++] = p;
        }
        return s >= 0;
    }
    const sonde_factor *factor = &model->factor[f];
    bool all = true;
    for (int32_t s = 0; all && s < factor->n_state; s++) {
        const double q = p * belief[factor->first + s];
        all = !(q > 0.0) ||
              add_states(closed, belief, f + 1, joint * (uint64_t)factor->n_state + (uint64_t)s, q);
    }
    return all;
}

/* Takes over the prediction of the web's outlook as what is believed. */
static void take_over(sonde__closed *closed, int32_t last) {
    const sonde__prospect *o = &closed->web.outlook;
    memcpy(closed->state, o->state, (size_t)o->n * sizeof *closed->state);
    memcpy(closed->p, o->p, (size_t)o->n * sizeof *closed->p);
    closed->n = o->n;
    closed->last = last;
}

/* Nothing is known of what an earlier search has found of the present belief. */
static void lose_way(sonde__closed *closed) {
    closed->here = NULL;
    closed->onward = NULL;
    closed->arrived = false;
    closed->n_taken = 0;
}

bool sonde__closed_believe(sonde__closed *closed, const double *belief) {
    if (closed->world.factorised) {
        lose_way(closed);
        sonde__factors_list(&closed->world, belief, &closed->web.outlook);
        take_over(closed, -1);
        return true;
    }
    const size_t n = (size_t)closed->n;
    memcpy(closed->kept, closed->p, n * sizeof *closed->p);
    memcpy(closed->kept_state, closed->state, n * sizeof *closed->state);
    closed->n = 0;
    if (add_states(closed, belief, 0, 0, 1.0)) {
        double sum = 0.0;
        for (int32_t i = 0; i < closed->n; i++) {
            sum += closed->p[i];
        }
        for (int32_t i = 0; i < closed->n; i++) {
            closed->p[i] /= sum;
        }
        closed->last = -1;
        lose_way(closed);
        return true;
    }
    closed->n = (int32_t)n;
    memcpy(closed->p, closed->kept, n * sizeof *closed->p);
    memcpy(closed->state, closed->kept_state, n * sizeof *closed->state);
    return false;
}

const double *sonde__closed_joint(const sonde__closed *closed, int64_t *n) {
    *n = closed->world.n_state;
    memset(closed->kept, 0, (size_t)*n * sizeof *closed->kept);
    for (int32_t i = 0; i < closed->n; i++) {
        closed->kept[closed->state[i]] = closed->p[i];
    }
    return closed->kept;
}

static bool is_joint(int64_t n, const double *joint) {
    double sum = 0.0;
    for (int64_t s = 0; s < n; s++) {
        if (!(joint[s] >= 0.0)) {
            return false;
        }
        sum += joint[s];
    }
    return sum > 1.0 - 1e-6 && sum < 1.0 + 1e-6;
}

bool sonde__closed_recall(sonde__closed *closed, int64_t n, const double *joint) {
    const sonde__joint *world = &closed->world;
    if (n != world->n_state ||
        !(world->factorised ? sonde__belief_is(world->model, joint) : is_joint(n, joint))) {
        return false;
    }
    closed->n = 0;
    for (int32_t s = 0; s < n; s++) {
        if (joint[s] > 0.0) {
            closed->state[closed->n] = s;
            closed->p[closed->n++] = joint[s];
        }
    }
    return true;
}

int32_t sonde__closed_taken(const sonde__closed *closed) {
    return closed->n_taken;
}

void sonde__closed_resume(sonde__closed *closed, int32_t n_taken, int32_t last) {
    lose_way(closed);
    closed->last = last;
    closed->n_taken = n_taken;
    if (closed->infinite != NULL) {
        sonde__infinite_begin(closed);
    }
}

void sonde__closed_begin(sonde__closed *closed) {
    const sonde_model *model = closed->world.model;
    for (int32_t f = 0; f < model->n_factor; f++) {
        memcpy(closed->initial + model->factor[f].first, model->factor[f].D,
               (size_t)model->factor[f].n_state * sizeof *closed->initial);
    }
    (void)sonde__closed_believe(closed, closed->initial);
    if (closed->infinite != NULL) {
        sonde__infinite_begin(closed);
    }
}

void sonde__closed_take(sonde__closed *closed, int32_t action) {
    const sonde__support belief = {.n = closed->n, .state = closed->state, .p = closed->p};
    sonde__prospect *o = &closed->web.outlook;
    const bool planned = closed->here != NULL && closed->here->option != NULL;
    closed->onward = planned ? &closed->here->option[action] : NULL;
    closed->here = NULL;
    closed->n_taken++;
    sonde__closed_renew(closed);
    sonde__prospect_predict(&closed->world, belief, action, 0, o);
    take_over(closed, action);
}

/* P(what is seen of a modality | state), or 1 where nothing is. */
static double likelihood(const sonde_modality *modality, int64_t at, int32_t outcome,
                         const double *weight) {
    double sum = 0.0;
    const bool dense = modality->A != NULL;
    const int64_t first = dense ? at * modality->n_outcome : modality->offset[at];
    const int64_t end = dense ? first + modality->n_outcome : modality->offset[at + 1];
    for (int64_t i = first; i < end; i++) {
        const int64_t o = dense ? i - first : modality->outcome[i];
        const double p = dense ? modality->A[i] : modality->p[i];
        sum += o == outcome ? p : outcome == SONDE_SOFT && weight != NULL ? p * weight[o] : 0.0;
    }
    return sum;
}

/* The same of all modalities. */
static double agreement(const sonde__closed *closed, const sonde_observation *seen,
                        const int32_t *state) {
    const sonde_model *model = closed->world.model;
    const double *weight = seen->weight;
    double p = 1.0;
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        int64_t at = 0;
        for (int32_t k = 0; k < modality->n_factor; k++) {
            at = at * model->factor[modality->factor[k]].n_state + state[modality->factor[k]];
        }
        /* what depends on the action says nothing before the first */
        const bool by = modality->n_action > 1;
        if (seen->outcome[m] != SONDE_MISSING && (!by || closed->last >= 0)) {
            p *= likelihood(modality, at * modality->n_action + (by ? closed->last : 0),
                            seen->outcome[m], weight);
        }
        weight = weight != NULL ? weight + modality->n_outcome : NULL;
    }
    return p;
}

/* The same where each factor is believed on its own. */
static sonde_energy see_factors(sonde__closed *closed, const sonde_observation *seen) {
    const sonde__joint *world = &closed->world;
    const sonde_model *model = world->model;
    sonde__prospect *o = &closed->web.outlook;
    const sonde__support belief = {.n = closed->n, .state = closed->state, .p = closed->p};
    const sonde__manner manner = {.action = closed->last, .patient = world->patient};
    int32_t outcome[SONDE_FACTORS_MAX];
    for (int32_t m = 0; m < model->n_modality; m++) {
        /* what depends on the action says nothing before the first */
        const bool says = model->modality[m].n_action == 1 || closed->last >= 0;
        outcome[m] = says ? seen->outcome[m] : SONDE_MISSING;
    }
    const sonde_observation known = {outcome, seen->weight, world->inference};
    sonde__factors_spread(world, belief, o->then);
    const sonde_energy energy =
        sonde__belief_infer_after(model, &known, manner, o->then, o->now, o->scratch);
    sonde__factors_list(world, o->now, o);
    take_over(closed, closed->last);
    return energy;
}

/* The node of the branch that was seen, if that is what is believed now; or NULL. */
static sonde__node *arrive(const sonde__closed *closed, const sonde_observation *seen) {
    const sonde__joint *world = &closed->world;
    const sonde__support belief = {.n = closed->n, .state = closed->state, .p = closed->p};
    for (int32_t i = 0; closed->onward != NULL && i < closed->onward->n_branch; i++) {
        const sonde__branch *branch = &closed->onward->branch[i];
        const int32_t *tuple = world->tuple + (int64_t)branch->tuple * world->model->n_modality;
        bool same = true;
        for (int32_t m = 0; m < world->model->n_modality; m++) {
            same = same && (tuple[m] < 0 || tuple[m] == seen->outcome[m]);
        }
        if (same) {
            const double apart = sonde__support_distance(branch->child->belief, belief);
            return apart <= SAME ? branch->child : NULL;
        }
    }
    return NULL;
}

static sonde_energy see_joint(sonde__closed *closed, const sonde_observation *seen) {
    sonde_energy energy = {.surprise = 0.0};
    double sum = 0.0;
    for (int32_t i = 0; i < closed->n; i++) {
        int32_t state[SONDE_FACTORS_MAX];
        sonde__joint_digits(closed->world.model, closed->world.joint[closed->state[i]], state);
        closed->kept[i] = agreement(closed, seen, state);
        sum += closed->p[i] * closed->kept[i];
    }
    if (!(sum >= DBL_MIN)) {
        energy.surprise = energy.free_energy = 0.0 - sonde__log(DBL_MIN);
        return energy;
    }
    int32_t n = 0;
    for (int32_t i = 0; i < closed->n; i++) {
        const double p = closed->p[i] * closed->kept[i] / sum;
        if (p > 0.0) {
            energy.accuracy += p * sonde__log(closed->kept[i]);
            closed->state[n] = closed->state[i];
            closed->p[n++] = p;
        }
    }
    closed->n = n;
    energy.surprise = energy.free_energy = 0.0 - sonde__log(sum);
    energy.complexity = energy.free_energy + energy.accuracy;
    energy.log_evidence = 0.0 - energy.surprise;
    return energy;
}

sonde_energy sonde__closed_see(sonde__closed *closed, const sonde_observation *seen) {
    const sonde_energy energy =
        closed->world.factorised ? see_factors(closed, seen) : see_joint(closed, seen);
    closed->here = arrive(closed, seen);
    closed->arrived = closed->here != NULL;
    closed->onward = NULL;
    closed->surprise = energy.surprise;
    return energy;
}

void sonde__closed_marginals(const sonde__closed *closed, double *belief) {
    const sonde_model *model = closed->world.model;
    if (closed->world.factorised) {
        const sonde__support now = {.n = closed->n, .state = closed->state, .p = closed->p};
        sonde__factors_spread(&closed->world, now, belief);
        return;
    }
    memset(belief, 0, (size_t)model->n_belief * sizeof *belief);
    for (int32_t i = 0; i < closed->n; i++) {
        int32_t state[SONDE_FACTORS_MAX];
        sonde__joint_digits(model, closed->world.joint[closed->state[i]], state);
        for (int32_t f = 0; f < model->n_factor; f++) {
            belief[model->factor[f].first + state[f]] += closed->p[i];
        }
    }
}
