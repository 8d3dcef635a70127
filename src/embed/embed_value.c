/* embed_value.c: what a policy is expected to bring, step by step: for each t the preference that
 * is expected of the outcomes, less what they cost,
 *
 *     row[t] = sum over m of Q(o_m at t) . ( w_u ln C_m - w_c lambda cost_m ) - w_c Q(s at t - 1) .
 *     a_u
 *
 * as much as both count in G, from where the agent is, as a successor feature is a sum along the
 * way. What G has besides, the entropy of outcomes and ambiguity, is left out; in a graph world
 * there is none of either, and the row adds up to -G. So a row takes as many steps as its policy's
 * G would, and a search counts them. */
#include <string.h>

#include "efe/efe.h"
#include "embed/embed.h"

uint64_t sonde__value_n_code(const sonde_policies *policies, const sonde_embed_settings *settings) {
    (void)settings;
    return (uint64_t)policies->horizon;
}

uint64_t sonde__value_n_scratch(const sonde_model *model) {
    int64_t n_state = 0;
    for (int32_t m = 0; m < model->n_modality; m++) {
        n_state = model->modality[m].n_state > n_state ? model->modality[m].n_state : n_state;
    }
    if (model->action_cost != NULL && model->n_joint > (double)n_state) {
        n_state = (int64_t)model->n_joint;
    }
    return sonde__add(2 * (uint64_t)model->n_belief, (uint64_t)n_state);
}

/* What the outcomes in place j of a modality bring on average. */
static double value_in(const sonde_model *model, const sonde_modality *modality,
                       const double *preference, int64_t j) {
    double sum = 0.0;
    if (modality->A != NULL) {
        const double *row = modality->A + j * modality->n_outcome;
        for (int32_t o = 0; o < modality->n_outcome; o++) {
            sum -= row[o] * sonde__efe_linear(model, modality, o, preference[o]);
        }
        return sum;
    }
    for (int64_t i = modality->offset[j]; i < modality->offset[j + 1]; i++) {
        const int32_t o = modality->outcome[i];
        sum -= modality->p[i] * sonde__efe_linear(model, modality, o, preference[o]);
    }
    return sum;
}

/* What is expected of a step. */
static double value_of(const sonde_model *model, const sonde__move *move, double *weight) {
    double sum =
        0.0 - model->weights.cost * sonde__efe_charge(model, move->action, move->before, weight);
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        const double *preference = sonde__efe_preference(model, modality, move->t);
        (void)sonde__belief_combine(model, modality->n_factor, modality->factor, move->belief,
                                    weight);
        for (int64_t j = 0; j < modality->n_state; j++) {
            const int64_t at = sonde__efe_shown(modality, j, move->action);
            sum += weight[j] > 0.0 ? weight[j] * value_in(model, modality, preference, at) : 0.0;
        }
    }
    return sum;
}

void sonde__value_code_walk(const sonde_embedder *embedder, const int32_t *walk, double *code) {
    const sonde_model *model = embedder->policies->model;
    int32_t state = embedder->now.state;
    for (int32_t t = 1; t <= embedder->policies->horizon; t++) {
        state = sonde__model_next(model, state, sonde__model_action(model, walk[t - 1], walk[t]));
        code[t - 1] = 0.0 - model->step[state];
    }
}

void sonde__value_code(const sonde_embedder *embedder, const int32_t *walk, double *code) {
    const sonde_model *model = embedder->policies->model;
    const size_t n = (size_t)model->n_belief;
    double *before = code + embedder->policies->horizon;
    double *after = before + n;
    double *weight = after + n;
    memcpy(before, embedder->now.belief, n * sizeof *before);
    for (int32_t t = 1; t <= embedder->policies->horizon; t++) {
        sonde__belief_predict(model, walk[t], before, after);
        const sonde__move move = {t, walk[t], before, after};
        code[t - 1] = value_of(model, &move, weight);
        double *swapped = before;
        before = after;
        after = swapped;
    }
}
