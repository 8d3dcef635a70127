/* fit_recovery.h: how well parameters that are known come back. */
#ifndef SONDE_FIT_RECOVERY_H
#define SONDE_FIT_RECOVERY_H

#include "base/memory.h"
#include "base/status.h"
#include "sonde_fit.h"

/* Subjects whose parameters are known, and what a fit made of them; all on the scale of the fit. */
typedef struct {
    int32_t n_subject;
    int32_t n_parameter;
    const double *truth;      /* (n_subject, n_parameter) */
    const double *estimate;   /* (n_subject, n_parameter) */
    const double *covariance; /* (n_subject, n_parameter, n_parameter) of the posteriors */
    const double *prior_sd;   /* (n_parameter) */
} sonde__recovered;

/* `recovery` (n_parameter). */
void sonde__recovery_of(const sonde__recovered *recovered, sonde_recovery *recovery);
/* The posteriors' correlations of parameters, averaged over subjects: what one subject's data
 * cannot tell apart. `posterior` (n_parameter, n_parameter). */
void sonde__recovery_posterior(const sonde__recovered *recovered, double *posterior);
/* Correlations of the estimates over subjects. `among` (n_parameter, n_parameter). */
void sonde__recovery_among(const sonde__recovered *recovered, double *among);

/* Pearson's correlation of n numbers that lie `stride` apart; NaN without variance. */
double sonde__correlation(int32_t n, const double *x, const double *y, int32_t stride);

/* Which model is found where another one, or it, was true. */
typedef struct {
    int32_t n_subject; /* of each true model */
    int32_t n_model;
    const double *evidence; /* (n_model that is true, n_subject, n_model that is fitted) */
    double *share;          /* (n_model, n_model) subjects whose best evidence is that model's */
    double *is_protected;   /* (n_model, n_model) pxp of all subjects of a true model */
    double *inverse;        /* (n_model, n_model) P(true | found), from `share`; NaN: never found */
} sonde__confusion;
/* Fills the three matrices. Fails like sonde_compare. */
sonde_status sonde__confusion_fill(sonde__confusion *confusion, sonde_error *error);

/* A share with Wilson's interval. */
sonde_share sonde__share_of(int32_t n_success, int32_t n);
/* The share of repeats whose interval, low and high (n), has 0 outside. */
sonde_share sonde__power(int32_t n, const double *low, const double *high);

#endif
