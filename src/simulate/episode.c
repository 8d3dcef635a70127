/* episode.c: an agent in its world.
 *
 * sonde_simulate is the whole method in one loop. */
#include <string.h>

#include "agent/agent.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/rng.h"
#include "simulate/process.h"

const char *sonde_failure_name(int32_t failure) {
    static const char *const name[] = {"none",   "stayed",        "never arrived",
                                       "detour", "left the goal", NULL};
    return name[failure >= 0 && failure < 5 ? failure : 5];
}

typedef struct {
    sonde_episode episode; /* first: a pointer to it is a pointer to the block */
    const sonde__simulated *world;
    const sonde_model *process; /* that the world is made of */
    int32_t *state;
    int32_t *outcome;
    int32_t *action;
    double *belief;
    sonde_energy *energy;
    int32_t *n_followed;
    double *p;
    sonde_evaluations *evaluations;
    double *scratch; /* of the world */
    int32_t *walk;   /* (T + 1) scratch */
} build;

static build *carve(sonde__arena *arena, const sonde_policies *policies, int32_t n_step) {
    const sonde_model *model = policies->model;
    const sonde__simulated *world = sonde__simulated_of(model);
    const uint64_t n = (uint64_t)n_step;
    build *b = SONDE__TAKE(arena, build, 1);
    build none;
    build *to = b != NULL ? b : &none;
    to->state = SONDE__TAKE(arena, int32_t, (n + 1) * (uint64_t)world->n_factor(model));
    to->outcome = SONDE__TAKE(arena, int32_t, n * (uint64_t)model->n_modality);
    to->action = SONDE__TAKE(arena, int32_t, n);
    to->belief = SONDE__TAKE(arena, double, n *(uint64_t)model->n_belief);
    to->energy = SONDE__TAKE(arena, sonde_energy, n);
    to->n_followed = SONDE__TAKE(arena, int32_t, n);
    to->p = SONDE__TAKE(arena, double, n_step);
    to->evaluations = SONDE__TAKE(arena, sonde_evaluations, n_step);
    to->scratch = SONDE__TAKE(arena, double, world->n_scratch(model));
    to->walk = SONDE__TAKE(arena, int32_t, (uint64_t)policies->horizon + 1);
    return b;
}

/* The posterior probability of the action that was taken. */
static double probability_of(const sonde_decision *decision, int32_t action) {
    for (int32_t i = 0; i < decision->n_action; i++) {
        if (decision->action[i] == action) {
            return decision->posterior[i];
        }
    }
    return 0.0;
}

/* A stream of the world's chance: 0 draws the beginning, then two a step what it shows and does. */
static sonde__rng chance(const sonde_agent *agent, uint64_t stream) {
    return sonde__rng_stream(sonde_agent_settings(agent)->seed, SONDE__FOR_PROCESS, stream);
}

/* One round of observing, searching and acting; the world answers with its next state. */
static sonde_status step(sonde_agent *agent, build *b, int32_t t) {
    const sonde_model *model = sonde_agent_policies(agent)->model;
    const sonde_decision *decision = NULL;
    int32_t *state = b->state + (int64_t)t * b->episode.n_factor;
    int32_t *outcome = b->outcome + (int64_t)t * model->n_modality;
    sonde__rng rng = chance(agent, 2 * (uint64_t)t + 1);
    b->world->show(b->process, state, t > 0 ? b->action[t - 1] : -1, &rng, outcome);
    sonde_status status = sonde_agent_observe(agent, outcome, NULL);
    if (status != SONDE_OK) {
        return status;
    }
    const sonde_agent_memory memory = sonde_agent_memory_get(agent);
    b->energy[t] = memory.energy;
    memcpy(b->belief + (int64_t)t * model->n_belief, memory.belief,
           (size_t)model->n_belief * sizeof(double));
    status = sonde_agent_search(agent, &decision, NULL);
    if (status != SONDE_OK) {
        return status;
    }
    b->action[t] = sonde_agent_act(agent);
    b->p[t] = probability_of(decision, b->action[t]);
    b->n_followed[t] = decision->n_followed;
    b->evaluations[t] = decision->evaluations;
    b->episode.seconds += decision->seconds - decision->setup_seconds;
    if (t == 0 && decision->clusters != NULL && b->world->clusters != NULL) {
        b->world->clusters(sonde_agent_policies(agent), decision, b->walk, &b->episode);
    }
    rng = chance(agent, 2 * (uint64_t)t + 2);
    b->world->move(b->process, state, b->action[t], &rng, state + b->episode.n_factor);
    return SONDE_OK;
}

static sonde_status run(sonde_agent *agent, build *b, sonde_error *error) {
    const bool judged = b->world->judge != NULL;
    sonde_status status =
        judged ? b->world->open(b->process, b->scratch, &b->episode, error) : SONDE_OK;
    if (status != SONDE_OK) {
        return status;
    }
    sonde__rng rng = chance(agent, 0);
    sonde_agent_reset(agent);
    b->world->start(b->process, &rng, b->state);
    for (int32_t t = 0; t < b->episode.n_step; t++) {
        status = step(agent, b, t);
        if (status != SONDE_OK) {
            return sonde__fail(error, status, "step %d: %s", t, sonde_status_sentence(status));
        }
    }
    b->episode.setup = sonde_agent_setup(agent);
    if (judged) {
        b->world->judge(b->process, &b->episode);
    }
    return SONDE_OK;
}

static sonde_status simulate(sonde_agent *agent, const sonde_model *process, int32_t n_step,
                             sonde_episode **episode, sonde_error *error) {
    const sonde_policies *policies = sonde_agent_policies(agent);
    const sonde_model *model = policies->model;
    if (n_step < 1) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT, "steps: expected 1 or more, found %d",
                           n_step);
    }
    sonde__arena arena = {0};
    (void)carve(&arena, policies, n_step);
    const sonde_status fits = sonde__check_memory(sonde__agent_run(agent), arena.used, "simulation",
                                                  "simulate fewer steps, or allow more", error);
    if (fits != SONDE_OK) {
        return fits;
    }
    if (!sonde__arena_reserve(&arena)) {
        return sonde__fail_memory(error, "simulation", arena.used);
    }
    build *b = carve(&arena, policies, n_step);
    b->world = sonde__simulated_of(model);
    b->process = process;
    b->episode = (sonde_episode){
        .n_step = n_step,
        .n_state = model->n_belief,
        .n_factor = b->world->n_factor(model),
        .n_modality = model->n_modality,
        .reached = -1,
        .state = b->state,
        .outcome = b->outcome,
        .action = b->action,
        .belief = b->belief,
        .energy = b->energy,
        .n_followed = b->n_followed,
        .p = b->p,
        .evaluations = b->evaluations,
    };
    const sonde_status status = run(agent, b, error);
    if (status != SONDE_OK) {
        sonde__arena_free(&arena);
        return status;
    }
    *episode = &b->episode;
    return SONDE_OK;
}

sonde_status sonde_simulate(sonde_agent *agent, const sonde_model *process, int32_t n_step,
                            sonde_episode **episode, sonde_error *error) {
    const sonde_model *model = sonde_agent_policies(agent)->model;
    if (process == NULL) {
        return simulate(agent, model, n_step, episode, error);
    }
    const sonde_status status = sonde__process_check(process, model, error);
    return status == SONDE_OK ? simulate(agent, process, n_step, episode, error) : status;
}

void sonde_episode_free(sonde_episode *episode) {
    sonde__free(episode);
}
