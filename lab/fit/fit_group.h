/* fit_group.h: subjects as draws from a group, whose mean may depend on covariates. */
#ifndef SONDE_FIT_GROUP_H
#define SONDE_FIT_GROUP_H

#include "base/memory.h"
#include "base/status.h"

/* ---------------------------------------------------------------------------------- design -- */

/* What is known of subjects besides what they did: X, whose first column is 1. */
typedef struct {
    int32_t n_subject;
    int32_t n_column;
    int32_t n_covariate;          /* columns of the file; several of X may be of one */
    const char *const *covariate; /* (n_covariate) */
    const char *const *column;    /* (n_column) "intercept", "age", "group[patient]" */
    const int32_t *of;            /* (n_column) the covariate of each; -1: the intercept */
    const double *x;              /* (n_subject, n_column) */
    sonde__pool pool;
} sonde__design;

/* The design of a group without covariates. Fails with SONDE_NO_MEMORY. Free it in any case. */
sonde_status sonde__design_plain(int32_t n_subject, sonde__design *design, sonde_error *error);
/* Reads covariates of these subjects (n_subject) from a CSV or TSV file with a column `subject`:
 * columns of numbers are centred, columns of words get a column for each level but the
 * alphabetically first. Rows of other subjects do not count. Fails with SONDE_NO_FILE,
 * SONDE_BAD_INPUT (a subject without a row, a cell without a value, a column that follows from
 * others) or SONDE_NO_MEMORY. Free it in any case. */
sonde_status sonde__design_read(const char *path, int32_t n_subject, const char *const *subject,
                                sonde__design *design, sonde_error *error);
/* The same design without one of its covariates. Fails with SONDE_NO_MEMORY. */
sonde_status sonde__design_without(const sonde__design *whole, int32_t covariate,
                                   sonde__design *design, sonde_error *error);
void sonde__design_free(sonde__design *design);

/* ----------------------------------------------------------------------------------- group -- */

/* A group with every parameter p of subject i drawn from N(x_i beta_p, sd_p), by empirical Bayes.
 * Arrays are one block. */
typedef struct {
    int32_t n_subject;
    int32_t n_parameter;
    int32_t n_column;
    const double *x;     /* (n_subject, n_column) the caller's */
    double *start_sd;    /* (n_parameter) of the prior that it began with */
    double *beta;        /* (n_parameter, n_column) */
    double *sd;          /* (n_parameter) */
    double *used_sd;     /* (n_parameter) of the last estimation: sd before it moved */
    double *prior_mean;  /* (n_subject, n_parameter) x_i beta_p: what subjects are estimated with */
    double *estimate;    /* (n_subject, n_parameter) of the last estimation */
    double *variance;    /* (n_subject, n_parameter) */
    double *joint;       /* (n_subject, n_parameter, n_parameter) covariances of two parameters; its
                            diagonal does not count; 0 unless somebody fills it */
    double *evidence;    /* (n_subject) log evidences under the group's prior */
    double *covariance;  /* (n_parameter, n_column, n_column) of beta */
    double *se;          /* (n_parameter, n_column) */
    double *z;           /* (n_parameter, n_column) */
    double *low;         /* (n_parameter, n_column) of the 95 % interval */
    double *high;        /* (n_parameter, n_column) */
    double log_evidence; /* of the group: sum of evidences, less 1/2 ln N for each beta and sd */
    int32_t n_round;
    bool converged;
    double *scratch;
} sonde__cohort;

/* Fills `estimate`, `variance`, `joint` and `evidence` of a group by its `prior_mean` and `sd`, on
 * which the estimates may start. */
typedef sonde_status (*sonde__cohort_estimate)(void *user, sonde__cohort *group,
                                               sonde_error *error);

/* A group that begins with the prior of its parameters (n_parameter). Fails with
 * SONDE_BAD_ARGUMENT (fewer subjects than two, or than columns and one more) or SONDE_NO_MEMORY. */
sonde_status sonde__cohort_new(const sonde__design *design, int32_t n_parameter,
                               const double *prior_mean, const double *prior_sd,
                               sonde__cohort **group, sonde_error *error);
void sonde__cohort_free(sonde__cohort *group);
/* Moves beta and sd to what the estimates say; whether both moved by less than 1e-3 sd. */
bool sonde__cohort_move(sonde__cohort *group);
/* What the estimates say of beta: covariance, se, z, interval; and of the group: log_evidence. */
void sonde__cohort_judge(sonde__cohort *group);
/* Estimates and moves in turn, until it stands or for 200 rounds, and judges. Fails as the
 * estimation does. */
sonde_status sonde__cohort_fit(sonde__cohort *group, sonde__cohort_estimate estimate, void *user,
                               sonde_error *error);

#endif
