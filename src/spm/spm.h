/* spm.h: SPM's scheme, spm_MDP_VB_X, for listed policies, one agent and one level (docs/spm.md).
 *
 * A trial has T times. Every policy has beliefs of its own about the states of all of them, which
 * messages from both sides move at every time; how well those agree with what was seen, F, and what
 * is expected, Q = -G, weigh the policies. What was seen is learned at the end. */
#ifndef SONDE_SPM_SPM_H
#define SONDE_SPM_SPM_H

#include "base/memory.h"
#include "base/numbers.h"
#include "base/status.h"
#include "sonde_spm.h"

/* what SPM adds within a logarithm, and to counts */
#define SONDE__SPM_LEAST 1e-16
enum { SONDE__SPM_ROUNDS = 16 };

/* An array by its columns, each of which is a distribution. Those of A are combined states, the
 * last factor's fastest; of B (action, state before); of C times; D and E have one. */
typedef struct {
    int32_t n;        /* numbers in a column */
    int64_t n_column; /* columns */
    bool counted;     /* the numbers are counts, which trials add to */
    double *value;    /* (n_column, n) counts, or the array as it was given */
    double *init;     /* (n_column, n) counts before the first trial; NULL where there are none */
    double *mean;     /* (n_column, n) columns that sum to 1; of C, logarithms of them */
    double *novelty;  /* (n_column, n) of counts: (1/a0 - 1/a) / 2; NULL where there are none */
} sonde__spm_array;

typedef struct {
    double alpha; /* precision of actions */
    double beta;  /* inverse precision of policies that a trial begins with */
    double zeta;  /* policies this much less probable than the best, in nats, are dropped */
    double eta;   /* what a trial counts */
    double tau;   /* how slowly beliefs move */
    double erp;   /* how much of what was believed is given up at each new time */
} sonde__spm_settings;

struct sonde_spm {
    sonde_spm_shape shape;
    sonde__spm_settings settings;
    int32_t *first;         /* (n_factor) where a factor's states begin in a belief */
    int32_t *policy;        /* (n_policy, T - 1, n_factor) V, from 0 on */
    int32_t *move;          /* (n_policy, T - 1) its moves as numbers, the last factor fastest */
    int32_t *seen;          /* (n_trial, T, n_modality) outcomes of the document's trials */
    int32_t *done;          /* (n_trial, T, n_factor) their actions */
    int64_t n_joint;        /* states of all factors, multiplied */
    int64_t n_tuple;        /* outcomes of all modalities, multiplied */
    sonde__spm_array *A;    /* (n_modality) */
    sonde__spm_array *B;    /* (n_factor) */
    sonde__spm_array *C;    /* (n_modality) */
    sonde__spm_array *D;    /* (n_factor) */
    sonde__spm_array E;     /* of policies */
    double **back;          /* (n_factor) (action, next, state): the state before given the next */
    double *log_D;          /* (n_belief) */
    double *root_D;         /* (n_belief) its fourth root */
    double *log_E;          /* (n_policy) */
    double *joint;          /* (n_joint, n_tuple) probability of all outcomes */
    double *information;    /* (n_joint) the sum of p ln p over a row of it */
    double *likelihood;     /* (T, n_joint) of what was seen at each time */
    double *x;              /* (n_policy, T, n_belief) what a policy's states are believed to be */
    double *u;              /* (n_policy) posterior of policies at the present time */
    double *p;              /* (n_policy) the same without F */
    double *F;              /* (n_policy) */
    double *Q;              /* (n_policy) -G */
    bool *kept;             /* (n_policy) whether it is plausible still */
    double *state;          /* (n_joint) scratch */
    double *outcome;        /* (n_tuple) scratch */
    double *part;           /* (4, most states of a factor or outcomes) scratch */
    double b;               /* inverse precision of policies */
    double w;               /* 1 / b */
    sonde_spm_trial result; /* of the last trial, */
    double *X;              /* and its arrays, as result has them */
    double *F_at;
    double *G_at;
    double *R_at;
    double *w_at;
    double *H_at;
    double *P_at;
};

/* ln(x + 1e-16); most states are next to impossible, for which a few terms of a series do: what is
 * left out is below 1e-16. */
static inline double sonde__spm_log(double x) {
    if (x < 1e-19) {
        const double r = x / SONDE__SPM_LEAST;
        return -36.841361487904734 + r * (1.0 - r * (0.5 - r * (1.0 / 3.0 - r * 0.25)));
    }
    return sonde__log(x + SONDE__SPM_LEAST);
}
/* The logarithm of a probability, however small; -infinity of 0. */
double sonde__spm_plain_log(double p);
/* x (n) becomes e^x, divided by their sum. */
void sonde__spm_softmax(int32_t n, double *x);

/* spm.c: memory for an agent of this shape, whose counts and policies are to be filled in. */
typedef struct {
    sonde_spm_shape shape; /* its arrays are borrowed */
    /* which arrays are counts; E has one, as have the others for each factor or modality */
    bool counted[5][SONDE_FACTORS_MAX];
} sonde__spm_plan;
sonde_status sonde__spm_new(const sonde__spm_plan *plan, const sonde_run *run, sonde_spm **spm,
                            sonde_error *error);
/* Arrays that were filled in are where learning begins. */
void sonde__spm_open(sonde_spm *spm);

/* spm_arrays.c: everything that follows from the arrays, as a trial begins. */
void sonde__spm_settle(sonde_spm *spm);
/* The beliefs of a policy at one time. */
static inline double *sonde__spm_x(const sonde_spm *spm, int32_t k, int32_t j) {
    return spm->x + ((int64_t)k * spm->shape.n_time + j) * spm->shape.n_belief;
}

/* spm_states.c: the messages of every policy that is kept, at time t, and F. */
void sonde__spm_states(sonde_spm *spm, int32_t t);
/* spm_policies.c: Q, then precision and the posterior of policies, at time t. */
void sonde__spm_policies(sonde_spm *spm, int32_t t);
/* spm_learn.c: X, and what the trial adds to counts. */
void sonde__spm_average(sonde_spm *spm);
void sonde__spm_learn(sonde_spm *spm, const int32_t *outcome);

#endif
