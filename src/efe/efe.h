/* efe.h: what G is made of: the terms of one step, and the tables of a model behind them.
 *
 * How many policies are scored, each shared prefix once, is in efe_score.h. */
#ifndef SONDE_EFE_EFE_H
#define SONDE_EFE_EFE_H

#include "belief/belief.h"
#include "policy/policy.h"

/* The state that the step from walk edge `from` to `to` leads to. */
static inline int32_t sonde__efe_next(const sonde_graph *graph, int32_t state, int32_t from,
                                      int32_t to) {
    return state == from ? to : graph->self[graph->head[state]];
}

/* How many numbers of scratch sonde__efe_step needs. */
uint64_t sonde__efe_scratch(const sonde_model *model);
/* Outcomes of all modalities, multiplied, where information is joint; otherwise 1. Saturating. */
uint64_t sonde__efe_joint_outcomes(const sonde_model *model);
/* A step of a policy: step t (1 to T) goes from one belief with an action to another. */
typedef struct {
    int32_t t;
    int32_t action;
    const double *before; /* (n_belief) */
    const double *belief; /* (n_belief) */
} sonde__move;
/* General models: its terms. */
void sonde__efe_step(const sonde_model *model, const sonde__move *move, double *scratch,
                     sonde_efe *step);
/* More than a step can tell about all of A and B, as it counts: no G is lower for it by more. */
double sonde__efe_most_novelty(const sonde_model *model);
double sonde__efe_most_novelty_B(const sonde_model *model); /* of B alone */
/* Adds a step to the sums. */
void sonde__efe_add(const sonde_model *model, const sonde_efe *step, sonde_efe *total);
/* weight times the probabilities of all joint outcomes in one state of all factors after an
 * action, the last modality's outcome fastest. */
void sonde__efe_joint_row(const sonde_model *model, const int32_t *state, int32_t action,
                          double weight, double *row);
/* What an action costs on average in the states of a belief (n_belief), without weight; `weight`
 * (joint states) is scratch. And the most that it can count, of any sign. */
double sonde__efe_charge(const sonde_model *model, int32_t action, const double *before,
                         double *weight);
double sonde__efe_most_charge(const sonde_model *model);

/* The place in A of what is seen in a combined state after an action. */
static inline int64_t sonde__efe_shown(const sonde_modality *modality, int64_t place,
                                       int32_t action) {
    return modality->n_action > 1 ? place * modality->n_action + action : place;
}

/* ln C of a modality at step t. */
static inline const double *sonde__efe_preference(const sonde_model *model,
                                                  const sonde_modality *modality, int32_t t) {
    return modality->preference +
           (model->n_step_C > 1 ? (int64_t)(t - 1) * modality->n_outcome : 0);
}

/* What an outcome adds to the part of G that is linear in the outcomes, with a part of ln C. */
static inline double sonde__efe_linear(const sonde_model *model, const sonde_modality *modality,
                                       int32_t o, double preference) {
    return model->weights.cost * (model->lambda * modality->cost[o]) -
           model->weights.utility * preference;
}

/* The combined state of a modality's factors, from the states of all. */
static inline int64_t sonde__efe_place(const sonde_model *model, const sonde_modality *modality,
                                       const int32_t *state) {
    int64_t place = 0;
    for (int32_t i = 0; i < modality->n_factor; i++) {
        const int32_t f = modality->factor[i];
        place = place * model->factor[f].n_state + state[f];
    }
    return place;
}

#endif
