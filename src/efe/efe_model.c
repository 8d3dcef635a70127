/* efe_model.c: one step of a policy on a general model, term by term (docs/math.md, "Expected free
 * energy").
 *
 *     risk      = KL( Q(o_m) || C_m ), or with joint information KL( Q(o_1, o_2, ...) || prod C_m )
 *     ambiguity = sum over s of Q(s) H(A_m[:, s])
 *     cost      = lambda cost_m . Q(o_m)
 *
 * each summed over modalities, with the A of the action that led there, and what the action costs
 * in the states before it, Q(s) . a_u, added to cost; and with H the entropy of Q(o)
 *
 *     G = w_u (risk + H) + w_i (ambiguity - H) + w_c cost - nu_A novelty of A - nu_B novelty of B
 *
 * where novelty is that of model_novelty.c, summed over modalities and factors, and every weight is
 * 1 unless somebody says otherwise. ln C is linear in the outcomes, joint or not, so the two ways
 * of counting information differ in the entropy of the outcomes alone. This is the plain version, a
 * step at a time; efe_fan.c has the fast one, which knows only the sum. */
#include <string.h>

#include "base/numbers.h"
#include "efe/efe.h"

/* e^-16, which pymdp 0.0.7 adds within the logarithm of its information gain */
#define LEGACY 1.1253517471925912e-07

uint64_t sonde__efe_joint_outcomes(const sonde_model *model) {
    uint64_t n = 1;
    const bool joint = sonde__model_is_joint(model);
    for (int32_t m = 0; joint && m < model->n_modality; m++) {
        n = sonde__multiply(n, (uint64_t)model->modality[m].n_outcome);
    }
    return n;
}

uint64_t sonde__efe_scratch(const sonde_model *model) {
    uint64_t n_state = 1;
    uint64_t n_outcome = 1;
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        n_state = (uint64_t)modality->n_state > n_state ? (uint64_t)modality->n_state : n_state;
        n_outcome =
            (uint64_t)modality->n_outcome > n_outcome ? (uint64_t)modality->n_outcome : n_outcome;
    }
    if (sonde__model_is_joint(model)) {
        n_state = model->n_joint < 1e18 ? (uint64_t)model->n_joint : UINT64_MAX;
        n_outcome = sonde__multiply(2, sonde__efe_joint_outcomes(model));
    }
    if (model->action_cost != NULL) {
        const uint64_t n = model->n_joint < 1e18 ? (uint64_t)model->n_joint : UINT64_MAX;
        n_state = n > n_state ? n : n_state;
    }
    for (int32_t f = 0; model->weights.novelty != SONDE_NOVELTY_NONE && f < model->n_factor; f++) {
        const uint64_t n = (uint64_t)model->factor[f].n_previous;
        n_state = n > n_state ? n : n_state;
    }
    return sonde__add(n_state, n_outcome);
}

/* sum of q ln max(q, floor) */
static double negentropy(uint64_t n, const double *q) {
    double sum = 0.0;
    for (uint64_t i = 0; i < n; i++) {
        sum += q[i] > 0.0 ? q[i] * sonde__log_floored(q[i]) : 0.0;
    }
    return sum;
}

/* Q(o) of one modality after an action, from the weights of its combined states. */
static void find_outcomes(const sonde_modality *modality, int32_t action, const double *weight,
                          double *q) {
    memset(q, 0, (size_t)modality->n_outcome * sizeof *q);
    for (int64_t s = 0; s < modality->n_state; s++) {
        const int64_t j = sonde__efe_shown(modality, s, action);
        if (weight[s] == 0.0) {
            continue;
        }
        if (modality->A != NULL) {
            const double *row = modality->A + j * modality->n_outcome;
            for (int32_t o = 0; o < modality->n_outcome; o++) {
                q[o] += row[o] * weight[s];
            }
        } else {
            for (int64_t i = modality->offset[j]; i < modality->offset[j + 1]; i++) {
                q[modality->outcome[i]] += modality->p[i] * weight[s];
            }
        }
    }
}

/* Multiplies the outcomes of one more modality into a row of n joint ones, from the back. */
static void multiply_row(const sonde_modality *modality, int64_t state, uint64_t n, double *row) {
    const uint64_t n_outcome = (uint64_t)modality->n_outcome;
    for (uint64_t i = n; i-- > 0;) {
        const double p = row[i];
        double *to = row + i * n_outcome;
        if (modality->A != NULL) {
            for (uint64_t o = 0; o < n_outcome; o++) {
                to[o] = p * modality->A[(uint64_t)state * n_outcome + o];
            }
            continue;
        }
        memset(to, 0, (size_t)n_outcome * sizeof *to);
        for (int64_t k = modality->offset[state]; k < modality->offset[state + 1]; k++) {
            to[modality->outcome[k]] = p * modality->p[k];
        }
    }
}

void sonde__efe_joint_row(const sonde_model *model, const int32_t *state, int32_t action,
                          double weight, double *row) {
    uint64_t n = 1;
    row[0] = weight;
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        const int64_t place = sonde__efe_place(model, modality, state);
        multiply_row(modality, sonde__efe_shown(modality, place, action), n, row);
        n *= (uint64_t)modality->n_outcome;
    }
}

/* pymdp 0.0.7's: sum of p ln (p + added). */
static double negentropy_with(uint64_t n, const double *p, double added) {
    double sum = 0.0;
    for (uint64_t i = 0; i < n; i++) {
        sum += p[i] * sonde__log(p[i] + added);
    }
    return sum;
}

/* sum of Q ln Q over the joint outcomes of all modalities; with legacy information, ambiguity, too,
 * of the states that count there. */
static double joint_negentropy(const sonde_model *model, const sonde__move *move, double *scratch,
                               double *ambiguity) {
    const bool legacy = model->information == SONDE_INFORMATION_LEGACY;
    const double least = legacy ? LEGACY : 0.0;
    const uint64_t n_outcome = sonde__efe_joint_outcomes(model);
    double *weight = scratch;
    double *q = weight + (uint64_t)model->n_joint;
    double *row = q + n_outcome;
    int32_t every[SONDE_FACTORS_MAX];
    int32_t state[SONDE_FACTORS_MAX] = {0};
    for (int32_t f = 0; f < model->n_factor; f++) {
        every[f] = f;
    }
    const int64_t n = sonde__belief_combine(model, model->n_factor, every, move->belief, weight);
    memset(q, 0, (size_t)n_outcome * sizeof *q);
    for (int64_t j = 0; j < n; j++) {
        if (weight[j] > least) {
            sonde__efe_joint_row(model, state, move->action, legacy ? 1.0 : weight[j], row);
            if (legacy) {
                *ambiguity -= weight[j] * negentropy_with(n_outcome, row, LEGACY);
            }
            for (uint64_t o = 0; o < n_outcome; o++) {
                q[o] += legacy ? weight[j] * row[o] : row[o];
            }
        }
        sonde__belief_next_state(model, state);
    }
    return legacy ? negentropy_with(n_outcome, q, SONDE__FLOOR) : negentropy(n_outcome, q);
}

/* What is expected to be learned of a modality's A in the states of these weights, with outcomes
 * q. */
static double novelty_of_A(const sonde_modality *modality, const double *weight, const double *q) {
    double sum = 0.0;
    for (int64_t s = 0; modality->novelty != NULL && s < modality->n_state; s++) {
        if (weight[s] == 0.0) {
            continue;
        }
        if (modality->gain == NULL) {
            sum += weight[s] * modality->novelty[s];
            continue;
        }
        const sonde__slice c = sonde__slice_of_A(modality, s);
        for (int64_t i = 0; i < c.n; i++) {
            sum += weight[s] * modality->gain[c.first + i] * q[c.row != NULL ? c.row[i] : i];
        }
    }
    return sum;
}

/* The same of a factor's B, from what is believed before an action to what is believed after. */
static double novelty_of_B(const sonde_model *model, const sonde_factor *factor, int32_t u,
                           const double *before, const double *belief, double *weight) {
    double sum = 0.0;
    if (factor->novelty == NULL) {
        return 0.0;
    }
    (void)sonde__belief_combine(model, factor->n_depend, factor->depend, before, weight);
    for (int64_t previous = 0; previous < factor->n_previous; previous++) {
        if (weight[previous] == 0.0) {
            continue;
        }
        if (factor->gain == NULL) {
            sum += weight[previous] * factor->novelty[previous * factor->n_action + u];
            continue;
        }
        const sonde__slice c = sonde__slice_of_B(factor, previous, u);
        const double *next = belief + factor->first;
        for (int64_t i = 0; i < c.n; i++) {
            sum += weight[previous] * factor->gain[c.first + i * c.stride] *
                   next[c.row != NULL ? c.row[i] : i];
        }
    }
    return sum;
}

/* Adds what is learned of all B to a step whose other parts are there. */
static void add_novelty(const sonde_model *model, const sonde__move *move, double *scratch,
                        sonde_efe *step) {
    int32_t tuple[SONDE_FACTORS_MAX];
    const double of_A = step->term[SONDE_NOVELTY];
    double of_B = 0.0;
    sonde__model_tuple(model, move->action, tuple);
    for (int32_t f = 0; f < model->n_factor; f++) {
        of_B +=
            novelty_of_B(model, &model->factor[f], tuple[f], move->before, move->belief, scratch);
    }
    step->term[SONDE_NOVELTY] += of_B;
    step->efe -= model->weights.novelty_A * of_A + model->weights.novelty_B * of_B;
}

static double most_of(int64_t n, const double *novelty) {
    double most = 0.0;
    for (int64_t i = 0; novelty != NULL && i < n; i++) {
        most = novelty[i] > most ? novelty[i] : most;
    }
    return most;
}

double sonde__efe_most_novelty_B(const sonde_model *model) {
    double sum = 0.0;
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        sum += model->weights.novelty_B *
               most_of(factor->n_previous * factor->n_action, factor->novelty);
    }
    return sum;
}

double sonde__efe_most_novelty(const sonde_model *model) {
    double sum = sonde__efe_most_novelty_B(model);
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        sum += model->weights.novelty_A * most_of(modality->n_state, modality->novelty);
    }
    return sum;
}

double sonde__efe_charge(const sonde_model *model, int32_t action, const double *before,
                         double *weight) {
    int32_t every[SONDE_FACTORS_MAX];
    double sum = 0.0;
    if (model->action_cost == NULL) {
        return 0.0;
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        every[f] = f;
    }
    const int64_t n = sonde__belief_combine(model, model->n_factor, every, before, weight);
    for (int64_t s = 0; s < n; s++) {
        sum += weight[s] > 0.0 ? weight[s] * model->action_cost[s * model->n_action + action] : 0.0;
    }
    return sum;
}

double sonde__efe_most_charge(const sonde_model *model) {
    const int64_t n = model->action_cost != NULL ? (int64_t)model->n_joint * model->n_action : 0;
    double most = 0.0;
    for (int64_t i = 0; i < n; i++) {
        const double size = fabs(model->action_cost[i]);
        most = size > most ? size : most;
    }
    return model->weights.cost * most;
}

void sonde__efe_step(const sonde_model *model, const sonde__move *move, double *scratch,
                     sonde_efe *step) {
    const int32_t t = move->t;
    const double *belief = move->belief;
    const bool joint = sonde__model_is_joint(model);
    const bool off = model->information == SONDE_INFORMATION_OFF;
    const sonde_weights *weights = &model->weights;
    double negentropies = 0.0;
    *step = (sonde_efe){0};
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        const double *preference = sonde__efe_preference(model, modality, t);
        double *weight = scratch;
        double *q = scratch + modality->n_state;
        (void)sonde__belief_combine(model, modality->n_factor, modality->factor, belief, weight);
        find_outcomes(modality, move->action, weight, q);
        for (int64_t j = 0; !off && j < modality->n_state; j++) {
            step->term[SONDE_AMBIGUITY] +=
                weight[j] * modality->ambiguity[sonde__efe_shown(modality, j, move->action)];
        }
        step->term[SONDE_NOVELTY] += novelty_of_A(modality, weight, q);
        for (int32_t o = 0; o < modality->n_outcome; o++) {
            step->term[SONDE_RISK] -= q[o] * preference[o];
            step->term[SONDE_COST] += model->lambda * modality->cost[o] * q[o];
        }
        const double some = joint || off ? 0.0 : negentropy((uint64_t)modality->n_outcome, q);
        step->term[SONDE_RISK] += some;
        negentropies += some;
    }
    if (model->information == SONDE_INFORMATION_LEGACY) {
        step->term[SONDE_AMBIGUITY] = 0.0;
    }
    const double all =
        joint ? joint_negentropy(model, move, scratch, &step->term[SONDE_AMBIGUITY]) : 0.0;
    step->term[SONDE_RISK] += all;
    step->term[SONDE_COST] += sonde__efe_charge(model, move->action, move->before, scratch);
    negentropies += all;
    step->efe = weights->utility * step->term[SONDE_RISK] +
                weights->information * step->term[SONDE_AMBIGUITY] +
                weights->cost * step->term[SONDE_COST] +
                (weights->information - weights->utility) * negentropies;
    if (weights->novelty != SONDE_NOVELTY_NONE) {
        add_novelty(model, move, scratch, step);
    }
}

void sonde__efe_add(const sonde_model *model, const sonde_efe *step, sonde_efe *total) {
    double sum = 0.0;
    for (int32_t i = 0; i < SONDE_N_TERM; i++) {
        const double each = total->term[i] += step->term[i];
        sum = i == 0 ? each : i == SONDE_NOVELTY ? sum - each : sum + each;
    }
    total->efe = sonde__model_is_weighed(model) ? total->efe + step->efe : sum;
}
