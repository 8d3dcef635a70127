/* replay_draw.c: a table of somebody who never was.
 *
 * An agent goes through an experiment as one that follows a subject does, but its actions are
 * drawn: from the probabilities that a replay of the same rows finds, to the last bit. The world
 * has streams of its own, so that two agents who do the same see the same. */
#include <math.h>
#include <string.h>

#include "agent/agent.h"
#include "base/numbers.h"
#include "base/rng.h"
#include "base/status.h"
#include "replay/replay.h"
#include "simulate/process.h"

/* what an outcome that is not known begins with */
enum { UNKNOWN = -2 };

/* An agent and its world. */
typedef struct {
    const sonde_replay_settings *settings;
    const sonde_experiment *experiment;
    const sonde_model *model;
    sonde__follower follower;
    sonde__rng acts;
    uint64_t seed;     /* of the world */
    uint64_t n_stream; /* used so far */
    int32_t *state;    /* (n_factor of the world) */
    int32_t *next;     /* (n_factor of the world) */
    int32_t *outcome;  /* (n_episode, n_step, n_modality) the caller's */
    int32_t *action;   /* (n_episode, n_step) the caller's */
    sonde_error *error;
} drawing;

/* ------------------------------------------------------------------------------------- world -- */

/* The world of a step: that of the last change that has come. */
static const sonde_model *world_at(const drawing *d, int32_t episode, int32_t step) {
    const sonde_experiment *e = d->experiment;
    const int64_t now = (int64_t)episode * e->n_step + step;
    const sonde_model *process = d->model;
    for (int32_t i = 0; i < e->n_change; i++) {
        const int64_t reached = e->change[i].by_episode ? episode : now;
        process = reached >= e->change[i].from ? e->change[i].process : process;
    }
    return process;
}

static sonde__rng chance(drawing *d) {
    return sonde__rng_stream(d->seed, SONDE__FOR_PROCESS, d->n_stream++);
}

/* What is seen in a step after an action (-1: none), from the table or the world. */
static sonde_status show(drawing *d, int32_t episode, int32_t step, int32_t action) {
    const sonde_experiment *e = d->experiment;
    const int32_t n_modality = d->model->n_modality;
    const int64_t row = (int64_t)episode * e->n_step + step;
    int32_t *outcome = d->outcome + row * n_modality;
    if (e->outcome == NULL) {
        sonde__rng rng = chance(d);
        sonde__process_show(world_at(d, episode, step), d->state, action, &rng, outcome);
        return SONDE_OK;
    }
    const int64_t known = row * d->model->n_action + (action < 0 ? 0 : action);
    memcpy(outcome, e->outcome + known * n_modality, (size_t)n_modality * sizeof *outcome);
    if (outcome[0] != UNKNOWN) {
        return SONDE_OK;
    }
    return sonde__fail(d->error, SONDE_BAD_ARGUMENT,
                       "outcomes: expected what comes of action %d in step %d of episode %d, found "
                       "nothing",
                       (int)action, (int)step, (int)episode);
}

static void move(drawing *d, int32_t episode, int32_t step, int32_t action) {
    if (d->experiment->outcome == NULL) {
        sonde__rng rng = chance(d);
        sonde__process_move(world_at(d, episode, step), d->state, action, &rng, d->next);
        int32_t *state = d->state;
        d->state = d->next;
        d->next = state;
    }
}

/* Begins an episode, with streams that no other episode uses. */
static void begin(drawing *d, int32_t episode) {
    sonde_agent *agent = d->follower.agent;
    if (episode == 0) {
        sonde_agent_forget(agent);
        sonde_agent_reset(agent);
    }
    if (d->follower.timing == SONDE_TIMING_AFTER) {
        sonde__agent_stand(agent);
    }
    if (d->experiment->outcome == NULL) {
        sonde__rng rng = chance(d);
        sonde__process_start(world_at(d, episode, 0), &rng, d->state);
    }
}

/* ------------------------------------------------------------------------------------- agent -- */

/* An action by its probability: the first whose sum of probabilities passes a number that is
 * drawn. */
static sonde_status draw_action(drawing *d, const sonde_decision *decision, int32_t *action) {
    const double u = sonde__rng_uniform(&d->acts);
    double sum = 0.0;
    *action = -1;
    for (int32_t a = 0; a < d->model->n_action && !(sum > u); a++) {
        sonde__judged judged;
        if (!sonde__may_act(&d->follower, decision, a)) {
            continue;
        }
        const sonde_status status = sonde__judge(&d->follower, decision, a, &judged, d->error);
        if (status != SONDE_OK) {
            return status;
        }
        /* rounding may leave the sum below 1: the last that can be counts then */
        sum += judged.p;
        *action = judged.p > 0.0 ? a : *action;
    }
    return SONDE_OK;
}

static sonde_status act(drawing *d, int32_t *action) {
    const sonde_decision *decision = NULL;
    sonde_status status = sonde_agent_search(d->follower.agent, &decision, d->error);
    if (status == SONDE_OK) {
        status = draw_action(d, decision, action);
    }
    return status != SONDE_OK ? status : sonde_agent_take(d->follower.agent, *action, d->error);
}

static sonde_status observe(drawing *d, int64_t row) {
    return sonde_agent_observe(d->follower.agent, d->outcome + row * d->model->n_modality,
                               d->error);
}

static sonde_status step_before(drawing *d, int32_t episode, int32_t step) {
    const int64_t row = (int64_t)episode * d->experiment->n_step + step;
    const int32_t before = step > 0 ? d->action[row - 1] : -1;
    if (step > 0) {
        move(d, episode, step, before);
    }
    sonde_status status = show(d, episode, step, before);
    status = status == SONDE_OK ? observe(d, row) : status;
    return status == SONDE_OK ? act(d, &d->action[row]) : status;
}

static sonde_status step_after(drawing *d, int32_t episode, int32_t step) {
    const int64_t row = (int64_t)episode * d->experiment->n_step + step;
    sonde_status status = act(d, &d->action[row]);
    if (status == SONDE_OK) {
        move(d, episode, step, d->action[row]);
        status = show(d, episode, step, d->action[row]);
    }
    return status == SONDE_OK ? observe(d, row) : status;
}

static sonde_status go_through(drawing *d) {
    const sonde_experiment *e = d->experiment;
    const bool after = d->follower.timing == SONDE_TIMING_AFTER;
    sonde_status status = SONDE_OK;
    for (int32_t episode = 0; status == SONDE_OK && episode < e->n_episode; episode++) {
        status = sonde__stopped(&d->follower.run) ? SONDE_STOPPED : SONDE_OK;
        begin(d, episode);
        for (int32_t step = 0; status == SONDE_OK && step < e->n_step; step++) {
            status = after ? step_after(d, episode, step) : step_before(d, episode, step);
        }
        if (status == SONDE_OK) {
            sonde_agent_end(d->follower.agent);
        }
    }
    return status;
}

/* ---------------------------------------------------------------------------------- together -- */

static sonde_status check(const sonde_replay_settings *settings, const sonde_experiment *e,
                          sonde_error *error) {
    sonde_status status = sonde__model_refuse_graph(
        settings->model, "model: expected a general model, found a graph world", error);
    if (status) {
        return status;
    }
    if (e->n_episode < 1 || e->n_step < 1) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "experiment: expected an episode and a step at least, found %d and %d",
                           (int)e->n_episode, (int)e->n_step);
    }
    for (int32_t i = 0; i < e->n_change; i++) {
        status = sonde__process_check(e->change[i].process, settings->model, error);
        if (status != SONDE_OK) {
            return status;
        }
        if (e->change[i].process->n_factor != e->change[0].process->n_factor) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "experiment: expected worlds with the same states");
        }
    }
    status = sonde__follower_check(settings, settings->model, error);
    return status == SONDE_OK && settings->parameters != NULL
               ? sonde__parameters_check(settings, 0, settings->parameters, error)
               : status;
}

/* The agent with its parameters in their places. */
static sonde_status open_agent(drawing *d, sonde__arena *arena, sonde__variant *variant,
                               const sonde_policies *policies, const sonde_run *run) {
    const sonde_parameters *parameters = d->settings->parameters;
    const int32_t n = parameters != NULL ? parameters->n : 0;
    static const sonde_parameters none = {0};
    (void)SONDE__TAKE(arena, double, n);
    sonde__variant_carve(arena, policies->model, variant);
    if (!sonde__arena_reserve(arena)) {
        return sonde__fail_memory(d->error, "the agent", arena->used);
    }
    double *value = SONDE__TAKE(arena, double, n);
    sonde__variant_carve(arena, policies->model, variant);
    for (int32_t i = 0; i < n; i++) {
        value[i] = sonde_transform_out(parameters->parameter[i].transform, d->settings->theta[i]);
    }
    sonde__variant_set(variant, policies, d->settings, parameters != NULL ? parameters : &none,
                       value);
    return sonde__follower_open(&d->follower, &variant->policies, &variant->settings,
                                d->experiment->n_step, run, d->error);
}

/* Names the streams of this subject. */
static void seed(drawing *d) {
    /* (streams below are for parameters that are drawn) */
    const uint64_t index = d->experiment->subject | UINT64_C(1) << 63;
    sonde__rng rng = sonde__rng_stream(d->experiment->seed, SONDE__FOR_RECOVERY, index);
    d->seed = sonde__rng_next(&rng);
    d->acts = sonde__rng_stream(sonde__rng_next(&rng), SONDE__FOR_ACTION, 0);
}

/* Goes through the experiment with an agent of these policies. */
static sonde_status draw(drawing *d, const sonde_policies *policies, const sonde_run *run) {
    sonde__arena arena = {0};
    sonde__variant variant;
    sonde_status status = open_agent(d, &arena, &variant, policies, run);
    if (status == SONDE_OK) {
        seed(d);
        status = go_through(d);
    }
    sonde__follower_close(&d->follower);
    sonde__arena_free(&arena);
    return status;
}

sonde_status sonde_replay_draw(const sonde_replay_settings *settings,
                               const sonde_experiment *experiment, const sonde_run *run,
                               /* NOLINTNEXTLINE(readability-non-const-parameter) */
                               int32_t *outcome, int32_t *action, sonde_error *error) {
    const sonde_run settled = sonde__run_settle(run);
    sonde_status status = check(settings, experiment, error);
    if (status != SONDE_OK) {
        return status;
    }
    drawing d = {.settings = settings,
                 .experiment = experiment,
                 .model = settings->model,
                 .outcome = outcome,
                 .action = action,
                 .error = error};
    const sonde_model *process =
        experiment->n_change > 0 ? experiment->change[0].process : settings->model;
    sonde_policies *policies = NULL;
    sonde__pool pool = {0};
    d.state = SONDE__POOL_TAKE(&pool, int32_t, process->n_factor);
    d.next = SONDE__POOL_TAKE(&pool, int32_t, process->n_factor);
    status = d.state == NULL || d.next == NULL
                 ? sonde__fail_memory(error, "the world", 0)
                 : sonde_policies_count(settings->model, 0, &settled, &policies, error);
    if (status == SONDE_OK && policies != NULL) {
        status = draw(&d, policies, &settled);
    }
    sonde_policies_free(policies);
    sonde__pool_free(&pool);
    return status;
}
