/* fit_map.h: the most probable parameters of one subject, and how certain they are. */
#ifndef SONDE_FIT_MAP_H
#define SONDE_FIT_MAP_H

#include "base/memory.h"
#include "base/status.h"

/* What is maximised: a log-likelihood and the logarithm of a normal prior. */
typedef struct {
    int32_t n;          /* parameters */
    const double *mean; /* (n) of the prior */
    const double *sd;   /* (n) */
    double step;        /* of differences, in sd of the prior */
    bool newton;        /* Newton's steps alone; else BOBYQA, which has to be there, goes before */
    void *user;
    /* log-likelihoods (n_set) of sets (n_set, n) */
    sonde_status (*log_likelihood)(void *user, int32_t n_set, const double *theta,
                                   double *log_likelihood, sonde_error *error);
} sonde__objective;

/* What was found; arrays are the caller's. */
typedef struct {
    double *map;        /* (n) */
    double *covariance; /* (n, n) of the Laplace approximation */
    double *value;      /* (n) eigenvalues of the curvature in units of the prior, ascending */
    double *vector;     /* (n, n) row i the direction of value i, in the same units */
    double log_likelihood;
    double evidence; /* of Laplace */
    double gradient; /* the largest, per sd of the prior */
    bool converged;
    double n_evaluation;
} sonde__laplace;

/* Goes uphill from each start (n_start, n), takes the best of what it finds, ties within 1e-9 to
 * the earliest, and looks at the curvature there. Fails as the likelihood does, or with
 * SONDE_NO_MEMORY. */
sonde_status sonde__map_find(const sonde__objective *objective, int32_t n_start,
                             const double *start, sonde__laplace *found, sonde_error *error);

/* fit_bobyqa.c: NLopt's BOBYQA, and whether it is installed. */
bool sonde__bobyqa_is_there(void);
/* Maximises a function of z (n) between -8 and 8, from `z` on. Where the function stops it, z is as
 * good as it got. Fails with SONDE_NO_MEMORY, or SONDE_BAD_ARGUMENT where NLopt does otherwise. */
typedef struct {
    int32_t n;
    double (*value)(void *user, const double *z); /* NaN: stop */
    void *user;
} sonde__climb;
sonde_status sonde__bobyqa(const sonde__climb *climb, double *z, sonde_error *error);

#endif
