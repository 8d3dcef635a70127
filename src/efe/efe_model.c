/* efe_model.c: one step of a policy on a general model, term by term (docs/math.md, "Expected free
 * energy").
 *
 *     risk      = KL( Q(o_m) || C_m ), or with joint information KL( Q(o_1, o_2, ...) || prod C_m )
 *     ambiguity = sum over s of Q(s) H(A_m[:, s])
 *     cost      = lambda cost_m . Q(o_m)
 *
 * each summed over modalities, and with H the entropy of Q(o)
 *
 *     G = w_u (risk + H) + w_i (ambiguity - H) + w_c cost
 *
 * where every weight is 1 unless somebody says otherwise. ln C is linear in the outcomes, joint or
 * not, so the two ways of counting information differ in the entropy of the outcomes alone. This is
 * the plain version, a step at a time; efe_fan.c has the fast one, which knows only the sum. */
#include <string.h>

#include "base/numbers.h"
#include "efe/efe.h"

uint64_t sonde__efe_joint_outcomes(const sonde_model *model) {
    uint64_t n = 1;
    const bool joint = model->information == SONDE_INFORMATION_JOINT;
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
    if (model->information == SONDE_INFORMATION_JOINT) {
        n_state = model->n_joint < 1e18 ? (uint64_t)model->n_joint : UINT64_MAX;
        n_outcome = sonde__multiply(2, sonde__efe_joint_outcomes(model));
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

/* Q(o) of one modality from the weights of its combined states. */
static void find_outcomes(const sonde_modality *modality, const double *weight, double *q) {
    memset(q, 0, (size_t)modality->n_outcome * sizeof *q);
    for (int64_t j = 0; j < modality->n_state; j++) {
        if (weight[j] == 0.0) {
            continue;
        }
        if (modality->A != NULL) {
            const double *row = modality->A + j * modality->n_outcome;
            for (int32_t o = 0; o < modality->n_outcome; o++) {
                q[o] += row[o] * weight[j];
            }
        } else {
            for (int64_t i = modality->offset[j]; i < modality->offset[j + 1]; i++) {
                q[modality->outcome[i]] += modality->p[i] * weight[j];
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

void sonde__efe_joint_row(const sonde_model *model, const int32_t *state, double weight,
                          double *row) {
    uint64_t n = 1;
    row[0] = weight;
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        multiply_row(modality, sonde__efe_place(model, modality, state), n, row);
        n *= (uint64_t)modality->n_outcome;
    }
}

/* sum of Q ln Q over the joint outcomes of all modalities. */
static double joint_negentropy(const sonde_model *model, const double *belief, double *scratch) {
    const uint64_t n_outcome = sonde__efe_joint_outcomes(model);
    double *weight = scratch;
    double *q = weight + (uint64_t)model->n_joint;
    double *row = q + n_outcome;
    int32_t every[SONDE_FACTORS_MAX];
    int32_t state[SONDE_FACTORS_MAX] = {0};
    for (int32_t f = 0; f < model->n_factor; f++) {
        every[f] = f;
    }
    const int64_t n = sonde__belief_combine(model, model->n_factor, every, belief, weight);
    memset(q, 0, (size_t)n_outcome * sizeof *q);
    for (int64_t j = 0; j < n; j++) {
        if (weight[j] != 0.0) {
            sonde__efe_joint_row(model, state, weight[j], row);
            for (uint64_t o = 0; o < n_outcome; o++) {
                q[o] += row[o];
            }
        }
        sonde__belief_next_state(model, state);
    }
    return negentropy(n_outcome, q);
}

void sonde__efe_step(const sonde_model *model, int32_t t, const double *belief, double *scratch,
                     sonde_efe *step) {
    const bool joint = model->information == SONDE_INFORMATION_JOINT;
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
        find_outcomes(modality, weight, q);
        for (int64_t j = 0; !off && j < modality->n_state; j++) {
            step->term[SONDE_AMBIGUITY] += weight[j] * modality->ambiguity[j];
        }
        for (int32_t o = 0; o < modality->n_outcome; o++) {
            step->term[SONDE_RISK] -= q[o] * preference[o];
            step->term[SONDE_COST] += model->lambda * modality->cost[o] * q[o];
        }
        const double some = joint || off ? 0.0 : negentropy((uint64_t)modality->n_outcome, q);
        step->term[SONDE_RISK] += some;
        negentropies += some;
    }
    const double all = joint ? joint_negentropy(model, belief, scratch) : 0.0;
    step->term[SONDE_RISK] += all;
    negentropies += all;
    step->efe = weights->utility * step->term[SONDE_RISK] +
                weights->information * step->term[SONDE_AMBIGUITY] +
                weights->cost * step->term[SONDE_COST] +
                (weights->information - weights->utility) * negentropies;
}

void sonde__efe_add(const sonde_model *model, const sonde_efe *step, sonde_efe *total) {
    double sum = 0.0;
    for (int32_t i = 0; i < SONDE_N_TERM; i++) {
        total->term[i] += step->term[i];
        sum = i == 0 ? total->term[i] : sum + total->term[i];
    }
    total->efe = sonde__model_is_weighed(model) ? total->efe + step->efe : sum;
}
