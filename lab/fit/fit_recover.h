/* fit_recover.h: subjects whose parameters are known, between the files of this stage. */
#ifndef SONDE_FIT_RECOVER_H
#define SONDE_FIT_RECOVER_H

#include "base/memory.h"
#include "base/status.h"
#include "sonde_fit.h"

/* A recovery while it is made; the first member is what everybody sees. */
typedef struct {
    sonde_recovered shown;
    const char *optimiser; /* "BOBYQA" or "newton" */
    uint64_t seed;
    int32_t n_session;
    int32_t n_episode;
    int32_t n_step;
    sonde__pool pool;
} sonde__recovering;

struct sonde__store; /* fit.h */

/* Subjects who go through an experiment. */
typedef struct {
    const sonde_replay_settings *agent;
    const sonde_experiment *experiment;
    const sonde_parameters *parameters;
    const double *truth; /* (n_subject, n numbers) a number of each session where they differ */
    int32_t n_subject;
    int32_t n_session;
    uint64_t first; /* number of the first subject: each has chance of its own */
} sonde__recover_task;
/* Simulates them. The data are the pool's. */
sonde_status sonde__recover_act(sonde__pool *pool, const sonde__recover_task *task,
                                const sonde_run *run, const sonde_data **data, sonde_error *error);
/* Draws parameters (n) from their prior, by a stream of that index. */
void sonde__recover_draw(const sonde_parameters *parameters, uint64_t seed, uint64_t index,
                         double *theta);
/* Sessions that are asked for. */
int32_t sonde__recover_sessions(const sonde_recover_settings *settings);
sonde_status sonde__recover_check(const sonde_recover_settings *settings, sonde_error *error);
/* The store that is asked for, or NULL; close it with sonde__kept_close. */
sonde_status sonde__recover_open(const sonde_recover_settings *settings, struct sonde__store **kept,
                                 sonde_error *error);

#endif
