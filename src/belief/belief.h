/* belief.h: beliefs for the stages after this one, with scratch memory of the caller's. */
#ifndef SONDE_BELIEF_BELIEF_H
#define SONDE_BELIEF_BELIEF_H

#include "model/model.h"

/* How many numbers of scratch the functions below need; 0 in a graph world. */
uint64_t sonde__belief_scratch(const sonde_model *model);
/* sonde_belief_predict for an action that exists; what follows does it in a general model. */
void sonde__belief_next(const sonde_model *model, int32_t action, const double *belief,
                        double *next);
void sonde__belief_predict(const sonde_model *model, int32_t action, const double *belief,
                           double *next);
/* sonde_belief_observe, without asking for memory. */
void sonde__belief_observe(const sonde_model *model, const int32_t *outcome, const double *prior,
                           double *belief, double *scratch);
/* -ln of the probability of the outcomes under a prior, modality by modality. */
double sonde__belief_surprise(const sonde_model *model, const int32_t *outcome, const double *prior,
                              double *scratch);

/* The probabilities of the combined states of some factors, the last fastest: products of their
 * beliefs. Returns how many there are. */
int64_t sonde__belief_combine(const sonde_model *model, int32_t n_factor, const int32_t *factor,
                              const double *belief, double *combined);
/* A[outcome, :] of a modality (n_state). */
void sonde__belief_likelihood(const sonde_modality *modality, int32_t outcome, double *column);

/* Counts on through the states of all factors, the last fastest. */
static inline void sonde__belief_next_state(const sonde_model *model, int32_t *state) {
    for (int32_t f = model->n_factor - 1; f >= 0; f--) {
        if (++state[f] < model->factor[f].n_state) {
            return;
        }
        state[f] = 0;
    }
}

/* The first of the states s, s + 1, ... below n that is not impossible; n if none is. */
static inline int64_t sonde__belief_possible(const double *belief, int64_t s, int64_t n) {
    while (s + 4 <= n && belief[s] + belief[s + 1] + belief[s + 2] + belief[s + 3] == 0.0) {
        s += 4;
    }
    while (s < n && belief[s] == 0.0) {
        s++;
    }
    return s;
}

/* Fails with SONDE_BAD_ARGUMENT unless each number (n_modality) is an outcome of its modality. */
sonde_status sonde__outcome_check(const sonde_model *model, const int32_t *outcome,
                                  sonde_error *error);
/* Whether a belief (n_belief) has a distribution for each factor: nothing negative, sums of 1
 * within 1e-6. */
bool sonde__belief_is(const sonde_model *model, const double *belief);

#endif
