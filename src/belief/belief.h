/* belief.h: beliefs for the stages after this one, with scratch memory of the caller's. */
#ifndef SONDE_BELIEF_BELIEF_H
#define SONDE_BELIEF_BELIEF_H

#include "model/model.h"
#include "sonde_learn.h"

/* What beliefs of edges (belief_edges.c) and of factors (belief_factors.c, belief_infer.c) do
 * differently; of actions, outcomes and modalities that exist. */
typedef struct {
    void (*initial)(const sonde_model *model, double *belief);
    void (*predict)(const sonde_model *model, int32_t action, const double *belief, double *next);
    sonde_energy (*observe)(const sonde_model *model, const sonde_observation *seen,
                            const double *prior, double *belief, double *scratch);
    uint64_t (*n_scratch)(const sonde_model *model); /* numbers that `observe` needs */
    int32_t (*n_outcome)(const sonde_model *model, int32_t m);
    bool (*is)(const sonde_model *model, const double *belief);
} sonde__believing;
extern const sonde__believing sonde__believing_edges;
extern const sonde__believing sonde__believing_factors;
const sonde__believing *sonde__believing_of(const sonde_model *model);

/* Refuses a model whose beliefs need no smoothing. */
sonde_status sonde__smooth_check(const sonde_model *model, sonde_error *error);

/* How many numbers of scratch the functions below need; 0 in a graph world. */
static inline uint64_t sonde__belief_scratch(const sonde_model *model) {
    return sonde__believing_of(model)->n_scratch(model);
}
/* sonde_belief_predict for an action that exists; what follows does it in a general model. */
static inline void sonde__belief_next(const sonde_model *model, int32_t action,
                                      const double *belief, double *next) {
    sonde__believing_of(model)->predict(model, action, belief, next);
}
void sonde__belief_predict(const sonde_model *model, int32_t action, const double *belief,
                           double *next);
/* sonde_belief_observe of what has been checked, without asking for memory. */
sonde_energy sonde__belief_observe(const sonde_model *model, const sonde_observation *seen,
                                   const double *prior, double *belief, double *scratch);
/* The same in a general model, and the scratch that it needs. */
uint64_t sonde__belief_infer_scratch(const sonde_model *model);
sonde_energy sonde__belief_infer(const sonde_model *model, const sonde_observation *seen,
                                 const double *prior, double *belief, double *scratch);
/* The same in another manner. */
typedef struct {
    int32_t action; /* that led to the state, where A depends on it */
    bool patient;   /* pymdp-legacy takes all of its rounds, whatever they change */
} sonde__manner;
sonde_energy sonde__belief_infer_after(const sonde_model *model, const sonde_observation *seen,
                                       sonde__manner manner, const double *prior, double *belief,
                                       double *scratch);
/* Which inference is meant. */
static inline int32_t sonde__belief_inference(const sonde_model *model, int32_t inference) {
    return inference == SONDE_INFERENCE_DEFAULT ? model->inference : inference;
}
/* What is seen with a probability; outcomes that are less probable than 1e-16 each count as
 * that. */
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
    while (s + 4 <= n && !(belief[s] + belief[s + 1] + belief[s + 2] + belief[s + 3] > 0.0)) {
        s += 4;
    }
    while (s < n && !(belief[s] > 0.0)) {
        s++;
    }
    return s;
}

/* Fails with SONDE_BAD_ARGUMENT unless each modality has an outcome of its own, none, or
 * weights. */
sonde_status sonde__observation_check(const sonde_model *model, const sonde_observation *seen,
                                      sonde_error *error);
/* Whether n numbers are probabilities: nothing negative, a sum of 1 within 1e-6; and whether a
 * belief (n_belief) has them for each factor. */
bool sonde__sums_to_one(const double *p, int32_t n);
static inline bool sonde__belief_is(const sonde_model *model, const double *belief) {
    return sonde__believing_of(model)->is(model, belief);
}

#endif
