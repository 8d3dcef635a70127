/* fit_recovery.h: how well parameters that are known come back. */
#ifndef SONDE_FIT_RECOVERY_H
#define SONDE_FIT_RECOVERY_H

#include "base/memory.h"
#include "base/status.h"

/* Subjects whose parameters are known, and what a fit made of them; all on the scale of the fit. */
typedef struct {
    int32_t n_subject;
    int32_t n_parameter;
    const double *truth;      /* (n_subject, n_parameter) */
    const double *estimate;   /* (n_subject, n_parameter) */
    const double *covariance; /* (n_subject, n_parameter, n_parameter) of the posteriors */
    const double *prior_sd;   /* (n_parameter) */
} sonde__recovered;

/* How well one parameter came back; NaN where it cannot be said. */
typedef struct {
    double r;     /* correlation of truth and estimate */
    double r_low; /* its 95 % interval, by Fisher's z; NaN with three subjects or fewer */
    double r_high;
    double bias;      /* mean of estimate - truth */
    double rmse;      /* root of the mean square of the same */
    double coverage;  /* share of the 90 % intervals that hold the truth */
    double shrinkage; /* 1 - mean posterior variance / prior variance: what the data say */
} sonde__recovery;
/* `recovery` (n_parameter). */
void sonde__recovery_of(const sonde__recovered *recovered, sonde__recovery *recovery);
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

/* A share of repeats with its 95 % interval (Wilson's). */
typedef struct {
    double share;
    double low;
    double high;
} sonde__share;
sonde__share sonde__share_of(int32_t n_success, int32_t n);
/* The share of repeats whose interval, low and high (n), has 0 outside. */
sonde__share sonde__power(int32_t n, const double *low, const double *high);

#endif
