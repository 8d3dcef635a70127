/* belief_infer.c: beliefs of general models, corrected by what is seen.
 *
 *     l(s) = prod over m of A_m[o_m, s]    over all combined states s; weights w in place of an
 *                                          outcome: sum over o of w[o] A_m[o, s]; a missing
 *                                          outcome: 1
 *     P(o) = sum over s of l(s) prior(s),  prior(s) the product of the factors' own
 *
 *     exact           Q(s_f) = sum over the other factors of l(s) prior(s) / P(o). Where P(o) is
 *                     less than 1e-16 for each modality, l and the priors are floored at 1e-16
 *                     first
 *     pymdp-legacy    L = ln max(l, 1e-16); from even beliefs on, every round sets all q_f
 *                     proportional to exp( E_others[L] + ln prior_f ) from the round before, until
 *                     10 rounds or |F - F before| < 1e-3, F = sum over f of q_f . (ln q_f - ln
 *                     prior_f) - E[L], the first F before being without E[L]. In a model whose
 *                     information is pymdp-legacy's, every logarithm is ln(x + 1e-16)
 *     pymdp           the same in 16 rounds without a test; L = sum over m of ln max(A_m, 2^-52),
 *                     which is that of weights too: sum over o of w[o] ln max(A_m[o, s], 2^-52)
 *     one factor      Q(s) proportional to exp( L(s) + ln prior(s) ), L and floors as pymdp-legacy
 *                     has them, with pymdp as that has them; exact, without floors where P(o) <
 *                     1e-6
 *
 * Expectations are sums over one factor after the other, the last first. Cost: twice the combined
 * states, once for exact beliefs and for every round of the others. */
#include <float.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "belief/belief.h"

#define RARE 1e-6 /* P(o) below which floors of 1e-16 may move a belief by more than 1e-10 */

/* one observation that is being taken in */
typedef struct {
    const sonde_model *model;
    const sonde_observation *seen;
    int32_t action;      /* that led to the state, where A depends on it */
    int64_t n;           /* combined states */
    double *joint;       /* (n) likelihood, or its logarithm */
    double *column;      /* (most combined states of a modality) */
    double *rest;        /* (n / states of the last factor) what is left of joint after some sums */
    double *before;      /* (as many) products of the beliefs of the factors before one */
    double *q;           /* (n_belief) */
    double *given;       /* (n_belief) */
    double floor;        /* of logarithms */
    bool added;          /* which is added, and not what they are of at least */
    double scale;        /* ln of what weights were divided by */
    const double *prior; /* (n_belief) */
} inference;

/* The largest number of combined states that a modality depends on. */
static uint64_t most_combined(const sonde_model *model) {
    int64_t most = 1;
    for (int32_t m = 0; m < model->n_modality; m++) {
        const int64_t n = model->modality[m].n_state;
        most = n > most ? n : most;
    }
    return (uint64_t)most;
}

/* Combined states of all factors but the last. */
static uint64_t joint_before_last(const sonde_model *model, uint64_t n) {
    return n / (uint64_t)model->factor[model->n_factor - 1].n_state;
}

uint64_t sonde__belief_infer_scratch(const sonde_model *model) {
    const uint64_t n = (uint64_t)(model->n_joint < 1e15 ? model->n_joint : 1e15);
    const uint64_t joint = sonde__add(n, 2 * joint_before_last(model, n));
    return sonde__add(sonde__add(most_combined(model), joint), 2 * (uint64_t)model->n_belief);
}

static inference open_inference(const sonde_model *model, const sonde_observation *seen,
                                const double *prior, double *scratch) {
    inference i = {.model = model, .seen = seen, .prior = prior, .n = (int64_t)model->n_joint};
    const uint64_t n_rest = joint_before_last(model, (uint64_t)i.n);
    i.column = scratch;
    i.joint = i.column + most_combined(model);
    i.rest = i.joint + i.n;
    i.before = i.rest + n_rest;
    i.q = i.before + n_rest;
    i.given = i.q + model->n_belief;
    return i;
}

static double floored(double p, double floor) {
    return p > floor ? p : floor;
}

/* ------------------------------------------------------------------------------- likelihood -- */

/* The logarithm of a belief or a prior. */
static double log_of(const inference *i, double p) {
    return sonde__log(i->added ? p + i->floor : floored(p, i->floor));
}

/* What a probability of an outcome counts: itself, or with a floor its logarithm. */
static double counted(double p, double floor) {
    return floor > 0.0 ? sonde__log(floored(p, floor)) : p;
}

/* Where in A a state stands that was reached by an action. */
static int64_t place_of(const sonde_modality *modality, int64_t state, int32_t action) {
    return state * modality->n_action + (modality->n_action > 1 ? action : 0);
}

/* A[outcome, :] of a modality (n_state), or its logarithm. */
static void fill_column(const sonde_modality *modality, int32_t action, int32_t outcome,
                        double floor, double *column) {
    for (int64_t j = 0; j < modality->n_state; j++) {
        const int64_t at = place_of(modality, j, action);
        double p = 0.0;
        if (modality->A != NULL) {
            p = modality->A[at * modality->n_outcome + outcome];
        } else {
            for (int64_t i = modality->offset[at]; i < modality->offset[at + 1]; i++) {
                p = modality->outcome[i] == outcome ? modality->p[i] : p;
            }
        }
        column[j] = counted(p, floor);
    }
}

/* The same with weights: sums over outcomes. */
static void fill_soft_column(const sonde_modality *modality, int32_t action, const double *weight,
                             double floor, double *column) {
    const double none = counted(0.0, floor);
    double sum = 0.0;
    for (int32_t o = 0; o < modality->n_outcome; o++) {
        sum += weight[o];
    }
    for (int64_t j = 0; j < modality->n_state; j++) {
        /* what is not listed has the probability 0 */
        const int64_t at = place_of(modality, j, action);
        column[j] = modality->A != NULL ? 0.0 : sum * none;
        const int64_t first = modality->A != NULL ? 0 : modality->offset[at];
        const int64_t end = modality->A != NULL ? modality->n_outcome : modality->offset[at + 1];
        for (int64_t i = first; i < end; i++) {
            column[j] +=
                modality->A != NULL
                    ? weight[i] * counted(modality->A[at * modality->n_outcome + i], floor)
                    : weight[modality->outcome[i]] * (counted(modality->p[i], floor) - none);
        }
    }
}

/* Divides a likelihood by the largest weight, so that floors mean the same whatever the scale. */
static void rescale(inference *i, const sonde_modality *modality, const double *weight) {
    double most = 0.0;
    for (int32_t o = 0; o < modality->n_outcome; o++) {
        most = weight[o] > most ? weight[o] : most;
    }
    for (int64_t j = 0; j < modality->n_state; j++) {
        i->column[j] /= most;
    }
    i->scale += sonde__log(most);
}

/* Multiplies a modality's column into all combined states, or adds it. */
static void spread(const inference *i, const sonde_modality *modality, bool add) {
    const sonde_model *model = i->model;
    int64_t stride[SONDE_FACTORS_MAX] = {0};
    int32_t digit[SONDE_FACTORS_MAX] = {0};
    int64_t size = 1;
    int64_t at = 0;
    for (int32_t k = modality->n_factor - 1; k >= 0; k--) {
        stride[modality->factor[k]] = size;
        size *= model->factor[modality->factor[k]].n_state;
    }
    for (int64_t j = 0; j < i->n; j++) {
        i->joint[j] = add ? i->joint[j] + i->column[at] : i->joint[j] * i->column[at];
        /* to the next combined state, the last factor fastest */
        for (int32_t f = model->n_factor - 1; f >= 0; f--) {
            if (++digit[f] < model->factor[f].n_state) {
                at += stride[f];
                break;
            }
            digit[f] = 0;
            at -= stride[f] * (model->factor[f].n_state - 1);
        }
    }
}

/* The likelihood of all combined states; with a floor, the sum of the modalities' logarithms. */
static void fill_joint(inference *i, double floor) {
    const double *weight = i->seen->weight;
    for (int64_t j = 0; j < i->n; j++) {
        i->joint[j] = floor > 0.0 ? 0.0 : 1.0;
    }
    for (int32_t m = 0; m < i->model->n_modality; m++) {
        const sonde_modality *modality = &i->model->modality[m];
        const int32_t outcome = i->seen->outcome[m];
        if (outcome == SONDE_SOFT) {
            fill_soft_column(modality, i->action, weight, floor, i->column);
            if (floor == 0.0) {
                rescale(i, modality, weight);
            }
        } else if (outcome >= 0) {
            fill_column(modality, i->action, outcome, floor, i->column);
        }
        if (outcome != SONDE_MISSING) {
            spread(i, modality, floor > 0.0);
        }
        weight = weight != NULL ? weight + modality->n_outcome : NULL;
    }
}

/* ------------------------------------------------------------------------------- expectation -- */

/* E[joint] given each state of each factor, the others being as believed; returns E[joint] over
 * all. Factor by factor from the last: what is left of the others is summed with the beliefs of
 * those before, and then the factor itself is summed out. */
static double expect(const inference *i, const double *q, double *given) {
    int32_t every[SONDE_FACTORS_MAX];
    for (int32_t f = 0; f < i->model->n_factor; f++) {
        every[f] = f;
    }
    const double *left = i->joint;
    for (int32_t f = i->model->n_factor - 1; f >= 0; f--) {
        const sonde_factor *factor = &i->model->factor[f];
        const double *own = q + factor->first;
        double *sum = given + factor->first;
        const int64_t n = sonde__belief_combine(i->model, f, every, q, i->before);
        memset(sum, 0, (size_t)factor->n_state * sizeof *sum);
        for (int64_t j = 0; j < n; j++) {
            const double *row = left + j * factor->n_state;
            double all = 0.0;
            for (int32_t s = 0; s < factor->n_state; s++) {
                sum[s] += i->before[j] * row[s];
                all += own[s] * row[s];
            }
            i->rest[j] = all; /* the row has been read */
        }
        left = i->rest;
    }
    return i->rest[0];
}

/* ------------------------------------------------------------------------------------ exact -- */

/* What each factor's states have of the posterior, divided by their sum. */
static void marginalise(const inference *i, double *belief) {
    for (int32_t f = 0; f < i->model->n_factor; f++) {
        const int32_t first = i->model->factor[f].first;
        const int32_t end = first + i->model->factor[f].n_state;
        double sum = 0.0;
        for (int32_t s = first; s < end; s++) {
            belief[s] = i->q[s] * i->given[s];
            sum += belief[s];
        }
        for (int32_t s = first; s < end; s++) {
            belief[s] /= sum;
        }
    }
}

/* The posterior of all combined states, factor by factor; joint is the likelihood. */
static sonde_energy observe_exactly(const inference *i, double *belief) {
    sonde_energy energy = {.surprise = 0.0};
    memcpy(i->q, i->prior, (size_t)i->model->n_belief * sizeof *i->q);
    double p = expect(i, i->q, i->given);
    energy.surprise = sonde__belief_surprise(i->model, i->seen, p);
    /* what nobody could expect is taken in as far as floors allow */
    if (p < DBL_MIN || sonde__log(p) < -energy.surprise) {
        for (int64_t j = 0; j < i->n; j++) {
            i->joint[j] = floored(i->joint[j], SONDE__FLOOR);
        }
        for (int32_t s = 0; s < i->model->n_belief; s++) {
            i->q[s] = floored(i->q[s], SONDE__FLOOR);
        }
        p = expect(i, i->q, i->given);
    }
    marginalise(i, belief);
    /* the expected logarithm of the likelihood, under the posterior of the combined states */
    for (int64_t j = 0; j < i->n; j++) {
        i->joint[j] *= i->joint[j] >= DBL_MIN ? sonde__log(i->joint[j]) : 0.0;
    }
    energy.accuracy = expect(i, i->q, i->given) / p;
    energy.free_energy = 0.0 - sonde__log(p);
    energy.complexity = energy.free_energy + energy.accuracy;
    return energy;
}

/* ------------------------------------------------------------------------------ mean field -- */

/* q proportional to exp(given + ln prior), factor by factor. */
static void weigh(const inference *i) {
    for (int32_t f = 0; f < i->model->n_factor; f++) {
        const sonde_factor *factor = &i->model->factor[f];
        const double *prior = i->prior + factor->first;
        double *p = i->q + factor->first;
        double most = -INFINITY;
        for (int32_t s = 0; s < factor->n_state; s++) {
            p[s] = i->given[factor->first + s] + log_of(i, prior[s]);
            most = p[s] > most ? p[s] : most;
        }
        double sum = 0.0;
        for (int32_t s = 0; s < factor->n_state; s++) {
            p[s] = sonde__exp(p[s] - most);
            sum += p[s];
        }
        for (int32_t s = 0; s < factor->n_state; s++) {
            p[s] /= sum;
        }
    }
}

/* sum over f of q_f . (ln q_f - ln prior_f) */
static double divergence(const inference *i) {
    double sum = 0.0;
    for (int32_t s = 0; s < i->model->n_belief; s++) {
        const double log_q = log_of(i, i->q[s]);
        sum += i->q[s] * (log_q - log_of(i, i->prior[s]));
    }
    return sum;
}

/* Beliefs that know nothing. */
static void begin_evenly(const inference *i) {
    for (int32_t f = 0; f < i->model->n_factor; f++) {
        const sonde_factor *factor = &i->model->factor[f];
        for (int32_t s = 0; s < factor->n_state; s++) {
            i->q[factor->first + s] = 1.0 / (double)factor->n_state;
        }
    }
}

/* The fixed-point iteration on L in joint; a change of F below the tolerance ends it. */
static sonde_energy iterate(const inference *i, int32_t n_round, double tolerance) {
    sonde_energy energy = {.surprise = 0.0};
    begin_evenly(i);
    double before = divergence(i);
    (void)expect(i, i->q, i->given);
    for (int32_t round = 0; round < n_round; round++) {
        weigh(i);
        energy.accuracy = expect(i, i->q, i->given); /* serves the next round, too */
        energy.complexity = divergence(i);
        energy.free_energy = energy.complexity - energy.accuracy;
        if (fabs(energy.free_energy - before) < tolerance) {
            break;
        }
        before = energy.free_energy;
    }
    return energy;
}

/* What pymdp's iterations do; of one factor, the closed form, which a single round gives. */
static sonde_energy observe_in_rounds(inference *i, int32_t kind, bool patient, double *belief) {
    const bool one = i->model->n_factor == 1;
    sonde_energy energy = {.surprise = 0.0};
    const double surprise =
        sonde__belief_surprise(i->model, i->seen, expect(i, i->prior, i->given));
    if (kind != SONDE_INFERENCE_PYMDP) {
        i->floor = SONDE__FLOOR;
        i->added = kind == SONDE_INFERENCE_PYMDP_LEGACY &&
                   i->model->information == SONDE_INFORMATION_LEGACY;
        for (int64_t j = 0; j < i->n; j++) {
            i->joint[j] = log_of(i, i->joint[j]);
        }
        energy = iterate(i, one ? 1 : 10, patient ? 0.0 : 1e-3);
    } else {
        i->floor = DBL_EPSILON;
        fill_joint(i, i->floor);
        energy = iterate(i, one ? 1 : 16, 0.0);
    }
    energy.surprise = surprise;
    memcpy(belief, i->q, (size_t)i->model->n_belief * sizeof *belief);
    return energy;
}

/* Whether beliefs are those of the exact posterior. The closed form of one factor is, too, but for
 * floors of 1e-16, which are felt where all that was seen is improbable in every state. */
static bool is_exact(const inference *i, int32_t kind) {
    return kind == SONDE_INFERENCE_EXACT &&
           (i->model->n_factor > 1 || expect(i, i->prior, i->given) < RARE);
}

sonde_energy sonde__belief_infer_after(const sonde_model *model, const sonde_observation *seen,
                                       sonde__manner manner, const double *prior, double *belief,
                                       double *scratch) {
    inference i = open_inference(model, seen, prior, scratch);
    i.action = manner.action;
    const int32_t kind = sonde__belief_inference(model, seen->inference);
    fill_joint(&i, 0.0);
    sonde_energy energy = is_exact(&i, kind) ? observe_exactly(&i, belief)
                                             : observe_in_rounds(&i, kind, manner.patient, belief);
    const bool scaled = kind != SONDE_INFERENCE_PYMDP;
    energy.surprise -= i.scale;
    energy.log_evidence = -energy.surprise;
    energy.accuracy += scaled ? i.scale : 0.0;
    energy.free_energy -= scaled ? i.scale : 0.0;
    return energy;
}

sonde_energy sonde__belief_infer(const sonde_model *model, const sonde_observation *seen,
                                 const double *prior, double *belief, double *scratch) {
    return sonde__belief_infer_after(model, seen, (sonde__manner){0}, prior, belief, scratch);
}
