/* infinite_policy.h: a policy in memory, between the files that read, write and use it. */
#ifndef SONDE_CLOSED_INFINITE_POLICY_H
#define SONDE_CLOSED_INFINITE_POLICY_H

#include "closed/infinite.h"
#include "sonde_policy.h"

/* what stands for infinity in a document */
#define SONDE__BARRED 1e300

typedef struct {
    int32_t block; /* of the policy; of SARSOP's, the value of what is seen */
    int32_t action;
    bool tight;
    const double *value; /* (states of the block) */
} sonde__policy_vector;

typedef struct {
    int32_t block;
    double value;    /* W is at least this */
    const double *p; /* (states of the block) */
} sonde__policy_point;

struct sonde_vectors {
    sonde__pool pool;
    bool foreign;   /* SARSOP's: blocks are stretches of joint states of `length` */
    int64_t length; /* of its vectors */
    uint64_t model; /* hash */
    sonde_backup backup;
    double kappa;
    double gamma;
    double discount;
    int32_t n_block;
    int32_t *n_state; /* (n_block) */
    double **state;   /* (n_block) numbers of joint states */
    int32_t n_vector;
    sonde__policy_vector *vector;
    int32_t n_point;
    sonde__policy_point *point;
};

/* Whether it is of this model, and found under the same settings. */
sonde_status sonde__policy_check(const sonde__infinite *all, const sonde_vectors *given,
                                 sonde_error *error);
/* Joins states that are in one block of it. */
void sonde__policy_join(sonde__infinite *all, const sonde_vectors *given);
/* Takes over its vectors and points, which stay from then on. */
void sonde__policy_install(sonde__infinite *all, const sonde_vectors *given);

#endif
