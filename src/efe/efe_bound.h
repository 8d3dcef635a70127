/* efe_bound.h: how much G is still to come, at least. */
#ifndef SONDE_EFE_EFE_BOUND_H
#define SONDE_EFE_EFE_BOUND_H

#include "efe/efe.h"

/* betas 0, 1/4, 1/2, 3/4, 1, and what steps cost where the state is certain */
enum { SONDE__N_BETA = 5, SONDE__CERTAIN = SONDE__N_BETA, SONDE__N_BOUND };

/* Bounds to go, worked out once. */
typedef struct {
    int32_t horizon; /* T, of the policies */
    bool joint;      /* for every combined state of all factors; otherwise one number for all */
    int64_t n_state; /* combined states */
    bool certain;    /* joint, and every transition is: states do not spread */
    double *V;       /* (T + 1, N_BOUND, n_state) after t steps, if joint */
    double *least;   /* (T + 1) whatever the state, the rest of the steps */
    double *cost;    /* (N_BOUND, n_state) scratch: one step's linear cost */
    double *before;  /* (n_state) scratch */
    double *after;   /* (n_state) scratch */
    double *weight;  /* (n_state) scratch */
    double *part;    /* (most states of a modality) scratch */
    uint64_t n_step; /* steps of dynamic programming that it took */
} sonde__bound;

void sonde__bound_carve(sonde__arena *arena, const sonde_policies *policies, sonde__bound *bound);
void sonde__bound_fill(const sonde_model *model, sonde__bound *bound);
/* G of any continuation after t steps is at least this, from a belief (n_belief), which graph
 * worlds need not have. Which of the bounds that is goes to `which`, unless it is NULL: the number
 * of a beta, CERTAIN, or N_BOUND where none says more than what holds in any state. */
double sonde__bound_at(const sonde_model *model, const sonde__bound *bound, int32_t t,
                       const double *belief, int32_t *which);
/* Their names. */
extern const char *const sonde__bound_name[SONDE__N_BOUND + 1];

#endif
