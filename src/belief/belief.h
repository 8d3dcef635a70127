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
/* sonde_belief_observe of what has been checked, without asking for memory. */
sonde_energy sonde__belief_observe(const sonde_model *model, const sonde_observation *seen,
                                   const double *prior, double *belief, double *scratch);
/* The same in a general model. */
sonde_energy sonde__belief_infer(const sonde_model *model, const sonde_observation *seen,
                                 const double *prior, double *belief, double *scratch);
/* Which inference is meant. */
static inline int32_t sonde__belief_inference(const sonde_model *model, int32_t inference) {
    return inference == SONDE_INFERENCE_DEFAULT ? model->inference : inference;
}
/* What is seen with a probability; outcomes that are less probable than 1e-16 each count as that. */
double sonde__belief_surprise(const sonde_model *model, const sonde_observation *seen, double p);

/* The probabilities of the combined states of some factors, the last fastest: products of their
 * beliefs. Returns how many there are. */
int64_t sonde__belief_combine(const sonde_model *model, int32_t n_factor, const int32_t *factor,
                              const double *belief, double *combined);
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

/* Fails with SONDE_BAD_ARGUMENT unless each modality has an outcome of its own, none, or weights. */
sonde_status sonde__observation_check(const sonde_model *model, const sonde_observation *seen,
                                      sonde_error *error);
/* Whether a belief (n_belief) has a distribution for each factor: nothing negative, sums of 1
 * within 1e-6. */
bool sonde__belief_is(const sonde_model *model, const double *belief);

#endif
