/* fit_recover.h: subjects whose parameters are known, between the files of this stage. */
#ifndef SONDE_FIT_RECOVER_H
#define SONDE_FIT_RECOVER_H

#include "base/memory.h"
#include "base/status.h"
#include "sonde_fit.h"

/* Subjects who go through an experiment. */
typedef struct {
    const sonde_replay_settings *agent;
    const sonde_experiment *experiment;
    const sonde_parameters *parameters;
    const double *truth; /* (n_subject, n parameters) */
    int32_t n_subject;
    uint64_t first; /* number of the first subject: each has chance of its own */
} sonde__recover_task;
/* Simulates them. The data are the pool's. */
sonde_status sonde__recover_act(sonde__pool *pool, const sonde__recover_task *task,
                                const sonde_run *run, const sonde_data **data, sonde_error *error);
/* Draws parameters (n) from their prior, by a stream of that index. */
void sonde__recover_draw(const sonde_parameters *parameters, uint64_t seed, uint64_t index,
                         double *theta);
/* Points along each axis of a grid with at most so many points. */
int32_t sonde__recover_side(int32_t n_subject, int32_t n_parameter);
sonde_status sonde__recover_check(const sonde_recover_settings *settings, sonde_error *error);

#endif
