/* fit.h: a fit that is being made, between the files of this stage. */
#ifndef SONDE_FIT_FIT_H
#define SONDE_FIT_FIT_H

#include "fit/fit_group.h"
#include "fit/fit_map.h"
#include "sonde_fit.h"

/* The slots of a subject that are its own, and not shared. */
typedef struct {
    int32_t n;
    int32_t *slot; /* (n) in the layout */
} sonde__own_slots;

/* A fit; the first member is what everybody sees. */
typedef struct {
    sonde_fit shown;
    sonde__pool pool;
    const sonde_replay_settings *agent;
    const sonde_data *data;
    sonde_spm *const *spm; /* (n_subject) documents of SPM's scheme; or NULL */
    sonde_data people;     /* who they are of, where there is no table */
    sonde_fit_settings settings;
    sonde_run run;
    sonde_likelihood *train;
    sonde_likelihood *test;    /* or NULL */
    struct sonde__store *kept; /* what is done already, or NULL */
    bool lent;                 /* that is somebody else's, who has several fits in it */
    bool newton;               /* subjects are found by Newton's steps alone, without BOBYQA */
    char signature[40];        /* that tells apart what is kept of them */
    sonde__own_slots *own;     /* (n_subject) */
    int32_t n_most;            /* own slots of a subject, at most */
    int32_t n_pack;            /* numbers that say what was found of a subject */
    int32_t n_shared;
    int32_t *shared; /* (n_shared) parameters */
} sonde__fitting;

/* Estimates of all subjects under given priors, each as n_pack numbers. */
typedef struct {
    sonde__fitting *all;
    const char *stage;    /* what it is, for the store and for progress */
    int32_t round;        /* of the stage */
    const double *mean;   /* (n_subject, n_most) of the priors */
    const double *sd;     /* (n_subject, n_most) */
    const double *warm;   /* (n_subject, n_most) where to begin; NULL: at the starts */
    const double *at;     /* (n_shared) values of shared parameters */
    double *pack;         /* (n_subject, n_pack) */
    sonde_status *status; /* (n_subject) */
    sonde_error *error;   /* (n_subject) */
} sonde__round;
sonde_status sonde__round_do(sonde__round *round, sonde_error *error);
/* One of these packs, as what it says: arrays within it. */
sonde__laplace sonde__unpack(const sonde__fitting *all, double *pack, int32_t n);
/* A round with room for its results, from the pool; NULL: no memory. */
sonde__round *sonde__round_new(sonde__fitting *all, const char *stage);
/* The priors of the parameters. */
void sonde__round_priors(sonde__round *round);

/* What is fitted: the arguments of sonde_fit_new, and a store that several fits share, or NULL. */
typedef struct {
    const sonde_replay_settings *agent;
    const sonde_data *data;
    const sonde_parameters *parameters;
    const sonde_fit_settings *settings;
    struct sonde__store *kept;
} sonde__fit_task;
/* sonde_fit_new with a store that is open. */
sonde_status sonde__fit_do(const sonde__fit_task *task, const sonde_run *run, sonde_fit **fit,
                           sonde_error *error);

/* fit_cohort.c: the group. */
/* Fails where the group or its covariates will not do, before anything is fitted. */
sonde_status sonde__fit_group_check(sonde__fitting *all, sonde_error *error);
sonde_status sonde__fit_group(sonde__fitting *all, sonde__round *round, sonde_error *error);
/* fit_shared.c: parameters that all subjects share. */
sonde_status sonde__fit_shared(sonde__fitting *all, sonde__round *round, sonde_error *error);

/* fit_kept.c: a store of numbers by name, for what is done already. A file has one writer: ranks
 * above 0 have files of their own, PATH.rank1, PATH.rank2 and so on; what earlier runs left in
 * others' files is taken over, whoever does what now. `of` says what the store is of, and a file
 * that is of something else is SONDE_BAD_INPUT. */
sonde_status sonde__kept_open(const char *path, const sonde_fit_ranks *ranks, const char *of,
                              struct sonde__store **kept, sonde_error *error);
/* A short name (40) of a text. */
void sonde__kept_sign(const char *of, char *name, size_t size);
void sonde__kept_close(struct sonde__store *kept);
/* Whether n numbers are there, which are then in `number`. */
bool sonde__kept_get(struct sonde__store *kept, const char *name, int32_t n, double *number);
sonde_status sonde__kept_put(struct sonde__store *kept, const char *name, int32_t n,
                             const double *number, sonde_error *error);

#endif
