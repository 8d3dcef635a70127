/* efe.h: scoring many policies, each shared prefix once.
 *
 * Three ways through the tree of prefixes: a scorer jumps forward from policy to policy and keeps
 * the sums along the present one; a sweep takes all policies of a graph world from one edge in
 * order, in blocks; a fan does that for general models, all actions after a prefix side by side. */
#ifndef SONDE_EFE_EFE_H
#define SONDE_EFE_EFE_H

#include "belief/belief.h"
#include "policy/policy.h"

typedef struct {
    sonde__walker walker;
    uint64_t n_step;
    /* graph worlds */
    int32_t *state; /* (T + 1) where the agent is after each step; state[0] before the first */
    double *sum;    /* (T + 1) G of each prefix */
    /* general models */
    double *belief;   /* (T + 1, n_belief) */
    sonde_efe *total; /* (T + 1) */
    double *scratch;
} sonde__scorer;

void sonde__scorer_carve(sonde__arena *arena, const sonde_policies *policies,
                         sonde__scorer *scorer);
void sonde__scorer_start(sonde__scorer *scorer, const sonde_policies *policies, int32_t origin,
                         sonde_present now);
/* G of the policy `index`; counts the steps that had to be scored. */
double sonde__scorer_efe(sonde__scorer *scorer, uint64_t index);
double sonde__scorer_efe_model(sonde__scorer *scorer, uint64_t index); /* general models */
/* G of a general policy that is given by its actions, from a belief. */
sonde_efe sonde__scorer_walk(sonde__scorer *scorer, const sonde_policies *policies,
                             const double *belief, const int32_t *walk);

typedef struct {
    const sonde_policies *policies;
    int32_t depth;  /* t of the edge to choose next; 0 when all policies have been taken */
    int32_t *edge;  /* (T + 1) the present prefix */
    int32_t *next;  /* (T + 2) the edge to take next at each depth */
    int32_t *state; /* (T + 1) */
    double *sum;    /* (T + 1) */
    uint64_t n_step;
} sonde__sweep;

void sonde__sweep_carve(sonde__arena *arena, int32_t horizon, sonde__sweep *sweep);
/* The policies that begin with the action edge => first, carried out from `state`. */
void sonde__sweep_start(sonde__sweep *sweep, const sonde_policies *policies, int32_t edge,
                        int32_t first, int32_t state);
/* G of the next policies, in order, until `capacity` or the end; returns how many, 0 at the end.
 * The capacity is at least the largest number of edges that leave a node. */
int32_t sonde__sweep_fill(sonde__sweep *sweep, double *efe, int32_t capacity);

/* Graph worlds: G of one walk that is one, carried out from `state`. The T terms go to `steps`
 * (T) and the states reached to `reached` (T), each of which may be NULL; the sums to `total`. */
void sonde__efe_walk(const sonde_model *model, int32_t state, const int32_t *walk, sonde_efe *steps,
                     int32_t *reached, sonde_efe *total);
/* General models: G of one policy (T + 1 numbers, of which the first does not matter) from a
 * belief. Fails with SONDE_NO_MEMORY, or SONDE_BAD_ARGUMENT where a number is no action. */
sonde_status sonde__efe_policy(const sonde_model *model, const double *belief, const int32_t *walk,
                               sonde_efe *steps, sonde_efe *total);

/* The state that the step from walk edge `from` to `to` leads to. */
static inline int32_t sonde__efe_next(const sonde_graph *graph, int32_t state, int32_t from,
                                      int32_t to) {
    return state == from ? to : graph->self[graph->head[state]];
}

/* How many numbers of scratch sonde__efe_step needs. */
uint64_t sonde__efe_scratch(const sonde_model *model);
/* Outcomes of all modalities, multiplied, where information is joint; otherwise 1. Saturating. */
uint64_t sonde__efe_joint_outcomes(const sonde_model *model);
/* General models: the terms of step t (1 to T) when it ends in `belief`. */
void sonde__efe_step(const sonde_model *model, int32_t t, const double *belief, double *scratch,
                     sonde_efe *step);
/* Adds a step to the sums. */
void sonde__efe_add(const sonde_model *model, const sonde_efe *step, sonde_efe *total);
/* weight times the probabilities of all joint outcomes in one state of all factors, the last
 * modality's outcome fastest. */
void sonde__efe_joint_row(const sonde_model *model, const int32_t *state, double weight,
                          double *row);

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
