/* episode.c: an agent in its world.
 *
 * A diary is an episode that is being written: what was seen, believed and done. sonde_simulate is
 * the whole method in one loop: a world, an agent, and the diary of both. */
#include <math.h>
#include <string.h>

#include "agent/agent.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/rng.h"
#include "simulate/process.h"
#include "simulate/scene.h"

const char *sonde_failure_name(int32_t failure) {
    static const char *const name[] = {"none",   "stayed",        "never arrived",
                                       "detour", "left the goal", NULL};
    return name[failure >= 0 && failure < 5 ? failure : 5];
}

struct sonde_diary {
    sonde_episode episode; /* first: a pointer to it is a pointer to the block */
    sonde_agent *agent;
    const sonde__simulated *world;
    int32_t n_most;   /* steps there is room for */
    bool seen;        /* an action comes next */
    bool knows_state; /* of every step so far */
    int32_t *state;
    int32_t *outcome;
    int32_t *action;
    double *belief;
    sonde_energy *energy;
    int32_t *n_followed;
    double *p;
    sonde_evaluations *evaluations;
    sonde_efe *best;
    double *tv;
    double *scratch; /* of the world */
    int32_t *walk;   /* (T + 1) scratch */
};

static sonde_diary *carve(sonde__arena *arena, const sonde_policies *policies, int32_t n_step) {
    const sonde_model *model = policies->model;
    const sonde__simulated *world = sonde__simulated_of(model);
    const uint64_t n = (uint64_t)n_step;
    sonde_diary *d = SONDE__TAKE(arena, sonde_diary, 1);
    sonde_diary none;
    sonde_diary *to = d != NULL ? d : &none;
    to->state = SONDE__TAKE(arena, int32_t, (n + 1) * (uint64_t)world->n_factor(model));
    to->outcome = SONDE__TAKE(arena, int32_t, n * (uint64_t)model->n_modality);
    to->action = SONDE__TAKE(arena, int32_t, n);
    to->belief = SONDE__TAKE(arena, double, n *(uint64_t)model->n_belief);
    to->energy = SONDE__TAKE(arena, sonde_energy, n);
    to->n_followed = SONDE__TAKE(arena, int32_t, n);
    to->p = SONDE__TAKE(arena, double, n_step);
    to->evaluations = SONDE__TAKE(arena, sonde_evaluations, n_step);
    to->best = SONDE__TAKE(arena, sonde_efe, n_step);
    to->tv = SONDE__TAKE(arena, double, n_step);
    to->scratch = SONDE__TAKE(arena, double, world->n_scratch(model));
    to->walk = SONDE__TAKE(arena, int32_t, (uint64_t)policies->horizon + 1);
    return d;
}

static const sonde_model *model_of(const sonde_diary *diary) {
    return sonde_agent_policies(diary->agent)->model;
}

/* Points the episode at its arrays. */
static void show(sonde_diary *diary, const sonde_model *model) {
    diary->episode = (sonde_episode){
        .n_state = model->n_belief,
        .n_factor = diary->world->n_factor(model),
        .n_modality = model->n_modality,
        .reached = -1,
        .state = diary->state,
        .outcome = diary->outcome,
        .action = diary->action,
        .belief = diary->belief,
        .energy = diary->energy,
        .n_followed = diary->n_followed,
        .p = diary->p,
        .evaluations = diary->evaluations,
        .best = diary->best,
        .tv = diary->tv,
    };
}

/* A diary of an agent as it is. */
static sonde_status diary_open(sonde_agent *agent, int32_t n_step, sonde_diary **diary,
                               sonde_error *error) {
    const sonde_policies *policies = sonde_agent_policies(agent);
    const sonde_model *model = policies->model;
    if (n_step < 1) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT, "steps: expected 1 or more, found %d",
                           n_step);
    }
    sonde__arena arena = {0};
    (void)carve(&arena, policies, n_step);
    const sonde_status fits = sonde__arena_claim(&arena, sonde__agent_run(agent), "simulation",
                                                 "simulate fewer steps, or allow more", error);
    if (fits != SONDE_OK) {
        return fits;
    }
    sonde_diary *d = carve(&arena, policies, n_step);
    d->agent = agent;
    d->world = sonde__simulated_of(model);
    d->n_most = n_step;
    d->knows_state = true;
    show(d, model);
    const bool judged = d->world->judge != NULL;
    const sonde_status status =
        judged ? d->world->open(model, d->scratch, &d->episode, error) : SONDE_OK;
    if (status != SONDE_OK) {
        sonde__arena_free(&arena);
        return status;
    }
    *diary = d;
    return SONDE_OK;
}

sonde_status sonde_diary_new(sonde_agent *agent, int32_t n_step, sonde_diary **diary,
                             sonde_error *error) {
    const sonde_status status = diary_open(agent, n_step, diary, error);
    if (status == SONDE_OK) {
        sonde_agent_reset(agent);
    }
    return status;
}

void sonde_diary_free(sonde_diary *diary) {
    sonde__free(diary);
}

/* Writes down the state of step t. */
static void note_state(sonde_diary *diary, int32_t t, const int32_t *state) {
    const int32_t n = diary->episode.n_factor;
    diary->knows_state = diary->knows_state && state != NULL;
    if (state != NULL) {
        memcpy(diary->state + (int64_t)t * n, state, (size_t)n * sizeof *state);
    }
}

sonde_status sonde_diary_see(sonde_diary *diary, const int32_t *outcome, const double *weight,
                             const int32_t *state, sonde_error *error) {
    const sonde_model *model = model_of(diary);
    const int32_t t = diary->episode.n_step;
    if (diary->seen || t == diary->n_most) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           diary->seen ? "diary: step %d was seen already; act first"
                                       : "diary: there is no room for step %d",
                           t);
    }
    const sonde_status status = sonde_agent_observe_soft(diary->agent, outcome, weight, error);
    if (status != SONDE_OK) {
        return status;
    }
    const sonde_agent_memory memory = sonde_agent_memory_get(diary->agent);
    memcpy(diary->outcome + (int64_t)t * model->n_modality, outcome,
           (size_t)model->n_modality * sizeof *outcome);
    note_state(diary, t, diary->world->drawn || outcome[0] < 0 ? state : outcome);
    diary->energy[t] = memory.energy;
    memcpy(diary->belief + (int64_t)t * model->n_belief, memory.belief,
           (size_t)model->n_belief * sizeof(double));
    diary->seen = true;
    return SONDE_OK;
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

/* Keeps what a decision rests on; one that follows a plan has scored nothing. */
static void note(const sonde_decision *decision, sonde_diary *diary, int32_t t) {
    const double none = (double)NAN;
    const bool scored = decision->n_followed == 0;
    diary->p[t] = probability_of(decision, diary->action[t]);
    diary->n_followed[t] = decision->n_followed;
    diary->evaluations[t] = decision->evaluations;
    diary->best[t] =
        scored ? decision->best_efe : (sonde_efe){.efe = none, .term = {none, none, none}};
    diary->tv[t] = scored && decision->certificate.given ? decision->certificate.tv : none;
}

sonde_status sonde_diary_act(sonde_diary *diary, int32_t *action, sonde_error *error) {
    const sonde_decision *decision = NULL;
    sonde_episode *episode = &diary->episode;
    const int32_t t = episode->n_step;
    if (!diary->seen) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT, "diary: nothing was seen in step %d yet", t);
    }
    const sonde_status status = sonde_agent_search(diary->agent, &decision, error);
    if (status != SONDE_OK) {
        return status;
    }
    diary->action[t] = sonde_agent_act(diary->agent);
    note(decision, diary, t);
    episode->seconds += decision->seconds - decision->setup_seconds;
    if (t == 0 && decision->clusters != NULL && diary->world->clusters != NULL) {
        diary->world->clusters(sonde_agent_policies(diary->agent), decision, diary->walk, episode);
    }
    *action = diary->action[t];
    diary->seen = false;
    episode->n_step++;
    return SONDE_OK;
}

sonde_status sonde_diary_end(sonde_diary *diary, const int32_t *state, sonde_episode **episode,
                             sonde_error *error) {
    const sonde_model *model = model_of(diary);
    if (diary->episode.n_step == 0) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT, "diary: expected a step or more, found none");
    }
    note_state(diary, diary->episode.n_step, state);
    diary->episode.setup = sonde_agent_setup(diary->agent);
    diary->episode.state = diary->knows_state ? diary->state : NULL;
    if (diary->knows_state && diary->world->judge != NULL) {
        diary->world->judge(model, &diary->episode);
    }
    *episode = &diary->episode;
    return SONDE_OK;
}

void sonde_episode_free(sonde_episode *episode) {
    sonde__free(episode);
}

/* ------------------------------------------------------------------- a world, and an agent -- */

/* One round of observing, searching and acting; the world answers with its next state. */
static sonde_status step(sonde_diary *diary, sonde_world *world, sonde_error *error) {
    int32_t action = -1;
    sonde_status status = sonde__world_check(world, error);
    if (status != SONDE_OK) {
        return status;
    }
    status =
        sonde_diary_see(diary, sonde_world_outcome(world), NULL, sonde_world_state(world), error);
    if (status == SONDE_OK) {
        status = sonde_diary_act(diary, &action, error);
    }
    return status == SONDE_OK ? sonde_world_move(world, action, error) : status;
}

static sonde_status live(sonde_diary *diary, sonde_world *world, const sonde_scene *scene,
                         sonde_error *error) {
    for (int32_t t = 0; t < diary->n_most; t++) {
        sonde_error why = {0};
        const sonde_status status = step(diary, world, &why);
        if (status != SONDE_OK) {
            return sonde__fail(error, status, "step %d: %s", t,
                               why.text[0] != '\0' ? why.text : sonde_status_sentence(status));
        }
        if (scene->after != NULL) {
            scene->after(scene->user, diary->agent, t);
        }
    }
    return SONDE_OK;
}

/* A diary of one of several episodes; the streams of the agent go on after the first. */
static sonde_status open_diary(sonde_agent *agent, const sonde_scene *scene, sonde_diary **diary,
                               sonde_error *error) {
    if (scene->goes_on) {
        return diary_open(agent, scene->n_step, diary, error);
    }
    const uint64_t before = sonde_agent_memory_get(agent).number;
    sonde_status status = sonde_diary_new(agent, scene->n_step, diary, error);
    if (status == SONDE_OK && scene->number > 0) {
        sonde_agent_memory memory = sonde_agent_memory_get(agent);
        memory.number = before;
        status = sonde_agent_memory_set(agent, &memory, error);
    }
    return status;
}

sonde_status sonde_simulate_in(sonde_agent *agent, sonde_world *world, const sonde_scene *scene,
                               sonde_episode **episode, sonde_error *error) {
    sonde_diary *diary = NULL;
    if (scene->number < 0) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT, "episode: expected 0 or more, found %d",
                           scene->number);
    }
    if (scene->goes_on && world->n_stream == 0) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "episode: the world has not begun, so that nothing can go on");
    }
    sonde_status status = open_diary(agent, scene, &diary, error);
    if (diary == NULL) {
        return status;
    }
    if (status == SONDE_OK) {
        if (!scene->goes_on) {
            /* every episode has streams of its own */
            sonde__world_begin(world, sonde_agent_settings(agent)->seed, scene->number);
        }
        status = live(diary, world, scene, error);
    }
    if (status == SONDE_OK) {
        status = sonde_diary_end(diary, sonde_world_state(world), episode, error);
    } else {
        sonde_diary_free(diary);
    }
    const bool ends = sonde__agent_learner(agent) != NULL || scene->number > 0;
    if (status == SONDE_OK && ends && !scene->open) {
        sonde_agent_end(agent);
    }
    if (status == SONDE_OK && scene->after != NULL) {
        scene->after(scene->user, agent, -1);
    }
    return status;
}

sonde_status sonde_simulate_episode(sonde_agent *agent, const sonde_model *process, int32_t number,
                                    int32_t n_step, sonde_episode **episode, sonde_error *error) {
    /* what an agent learns does not change the world */
    const sonde_model *model = sonde__agent_given(agent);
    const sonde_scene scene = {.number = number, .n_step = n_step};
    sonde_world *world = NULL;
    sonde_status status = process != NULL ? sonde__process_check(process, model, error) : SONDE_OK;
    if (status == SONDE_OK) {
        status = sonde_world_new(process != NULL ? process : model, &world, error);
    }
    if (status == SONDE_OK) {
        status = sonde_simulate_in(agent, world, &scene, episode, error);
    }
    sonde_world_free(world);
    return status;
}

sonde_status sonde_simulate(sonde_agent *agent, const sonde_model *process, int32_t n_step,
                            sonde_episode **episode, sonde_error *error) {
    return sonde_simulate_episode(agent, process, 0, n_step, episode, error);
}
