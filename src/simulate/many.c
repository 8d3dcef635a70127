/* many.c: many simulations at once, one task each.
 *
 * A trial makes an agent for itself, on one thread, and keeps nothing but its episode. So what it
 * gives depends neither on the others nor on the number of threads. */
#include "base/parallel.h"
#include "sonde_world.h"

typedef struct {
    sonde_trial *trial;
    const sonde_run *run; /* of each */
} many;

static void simulate_one(void *context, int32_t task, int32_t worker) {
    (void)worker;
    const many *all = context;
    sonde_trial *trial = &all->trial[task];
    sonde_agent *agent = NULL;
    sonde_status status =
        sonde_agent_new(trial->policies, trial->settings, all->run, &agent, &trial->error);
    if (status == SONDE_OK) {
        status =
            sonde_simulate(agent, trial->process, trial->n_step, &trial->episode, &trial->error);
    }
    sonde_agent_free(agent);
    trial->error.status = status;
}

/* Takes all episodes back. */
static void forget(int32_t n, sonde_trial *trial) {
    for (int32_t i = 0; i < n; i++) {
        sonde_episode_free(trial[i].episode);
        trial[i].episode = NULL;
    }
}

sonde_status sonde_simulate_many(int32_t n, sonde_trial *trial, const sonde_run *run,
                                 sonde_error *error) {
    const sonde_run settled = sonde__run_settle(run);
    sonde_run each = settled;
    each.n_thread = 1;
    each.progress = NULL; /* which counts trials */
    if (n < 1) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT, "trials: expected 1 or more, found %d", n);
    }
    for (int32_t i = 0; i < n; i++) {
        trial[i].episode = NULL;
        trial[i].error = (sonde_error){.status = SONDE_OK};
    }
    many all = {.trial = trial, .run = &each};
    const sonde_status status = sonde__parallel(&settled, n, "simulating", simulate_one, &all);
    if (status != SONDE_OK) {
        forget(n, trial);
        return sonde__fail(error, status, "simulations: %s", sonde_status_sentence(status));
    }
    /* other threads may have done the last of them, or all */
    sonde__progress(&settled, "simulating", (uint64_t)n, (uint64_t)n);
    return SONDE_OK;
}
