/* sonde_world.h: many simulations at once, and worlds and episodes for whoever acts or observes
 * elsewhere. */
#ifndef SONDE_WORLD_H
#define SONDE_WORLD_H

#include "sonde.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One of many simulations, and what became of it. */
typedef struct {
    const sonde_policies *policies;        /* of the agent */
    const sonde_search_settings *settings; /* of the agent */
    const sonde_model *process;            /* as in sonde_simulate */
    int32_t n_step;
    sonde_episode *episode; /* the caller's to free; NULL where it failed, */
    sonde_error error;      /* which this says why */
} sonde_trial;
/* Simulates n agents, each made for itself and on one thread, so that every episode is that of
 * sonde_simulate. Each may hold run->memory bytes. A trial that fails leaves the others alone.
 * Fails with SONDE_STOPPED, and no trial has an episode then, or SONDE_BAD_ARGUMENT. */
SONDE_API sonde_status sonde_simulate_many(int32_t n, sonde_trial *trial, const sonde_run *run,
                                           sonde_error *error);

/* The world of a model, for whoever lets somebody else act in it: the same states and outcomes as
 * sonde_simulate draws with that seed. It belongs to one thread at a time; the model outlives
 * it. */
typedef struct sonde_world sonde_world;
SONDE_API sonde_status sonde_world_new(const sonde_model *model, sonde_world **world,
                                       sonde_error *error);
SONDE_API void sonde_world_free(sonde_world *world);
/* Numbers in a state: n_factor of a general model, and one, the edge, in a graph world. */
SONDE_API int32_t sonde_world_n_factor(const sonde_model *model);
/* Begins anew: draws the first state, and what is seen of it. */
SONDE_API void sonde_world_start(sonde_world *world, uint64_t seed);
/* An action, and what comes of it. Fails with SONDE_BAD_ARGUMENT where there is no such action, or
 * the world was not started. */
SONDE_API sonde_status sonde_world_move(sonde_world *world, int32_t action, sonde_error *error);
/* The state (n_factor; an edge in a graph world) and the outcomes (n_modality) now. */
SONDE_API const int32_t *sonde_world_state(const sonde_world *world);
SONDE_API const int32_t *sonde_world_outcome(const sonde_world *world);

/* A world that may change: a model document with a schedule, "schedule": [{"from": {"step": 100} or
 * {"episode": 5}, "A": [...], "B": [...]}, ...]: from that step or episode of a run on these arrays
 * take the place of the earlier ones. Any other model is one that does not change. Fails like
 * sonde_model_read. */
typedef struct sonde_stage sonde_stage;
SONDE_API sonde_status sonde_stage_read(const sonde_source *source, const sonde_run *run,
                                        sonde_stage **process, sonde_error *error);
/* One whose outcomes are looked up in a table (CSV or TSV, docs/formats.md), by episode, step and
 * action, with the names of a model; nothing is drawn, and nobody knows states. */
SONDE_API sonde_status sonde_stage_table(const sonde_source *source, const sonde_model *model,
                                         sonde_stage **process, sonde_error *error);
/* What such a table has: the outcomes (n_modality) in its row of an episode, a step and the action
 * that is taken in it; -1: the row without an action. NULL: there is none, or nothing is looked
 * up. */
SONDE_API const int32_t *sonde_stage_outcome(const sonde_stage *process, int64_t episode,
                                             int64_t step, int32_t action);
SONDE_API void sonde_stage_free(sonde_stage *process);
/* The model that it is in a step and an episode of a run, from 0 on; NULL where outcomes are looked
 * up. */
SONDE_API const sonde_model *sonde_stage_model(const sonde_stage *process, int64_t step,
                                               int64_t episode);
/* A world, from some step or episode on. */
typedef struct {
    int64_t from;               /* step of all episodes together, or number of an episode, from 0 */
    bool by_episode;            /* it is an episode */
    const sonde_model *process; /* with the actions and outcomes of the agent's model */
} sonde_change;
/* What it is at first (0), and its changes in their order; false beyond the last, and where
 * outcomes are looked up. */
SONDE_API bool sonde_stage_change(const sonde_stage *process, int32_t i, sonde_change *change);
/* Its world, for agents of a model; the process outlives it. Fails with SONDE_BAD_ARGUMENT where it
 * cannot be the world of such a model. */
SONDE_API sonde_status sonde_world_new_in(const sonde_stage *process, const sonde_model *model,
                                          sonde_world **world, sonde_error *error);

/* An episode of an agent in a world that other episodes come before and after. */
typedef struct {
    int32_t number; /* from 0 on; the agent is reset before the first alone */
    int32_t n_step;
    bool goes_on; /* agent and world are in the middle of it already */
    bool open;    /* it does not end: both stay in the middle of it */
    /* called after every step, and after the episode has ended, with a step of -1; or NULL */
    void (*after)(void *user, const sonde_agent *agent, int32_t step);
    void *user;
} sonde_scene;
/* As sonde_simulate_episode; steps of the run are counted over all episodes of the world. Fails
 * with SONDE_BAD_INPUT where a table does not say what follows an action. */
SONDE_API sonde_status sonde_simulate_in(sonde_agent *agent, sonde_world *world,
                                         const sonde_scene *scene, sonde_episode **episode,
                                         sonde_error *error);

/* Appends an agent as a document, with everything that it carries from step to step, in the middle
 * of an episode too: counts, belief, streams; and its world, if that is not NULL. Fails with
 * SONDE_BAD_ARGUMENT where the agent follows a plan, which cannot be handed over. */
SONDE_API sonde_status sonde_agent_save(const sonde_agent *agent, const sonde_world *world,
                                        sonde_text *json, sonde_error *error);
/* Reads it back into an agent of the same policies and settings, that learns as the other did, and
 * into a world of the same process, if that is not NULL. Fails like sonde_model_read, or with
 * SONDE_BAD_ARGUMENT where the agent is another's. */
SONDE_API sonde_status sonde_agent_load(sonde_agent *agent, const sonde_source *source,
                                        sonde_world *world, sonde_error *error);

/* The episode that a world is in. */
SONDE_API int32_t sonde_world_episode(const sonde_world *world);

/* A diary: an episode of an agent whose world is elsewhere, written step by step. One step is
 *
 *     sonde_diary_see(diary, &seen, state, error);
 *     ... whatever the agent's search or embedding needs of its own
 *     sonde_diary_act(diary, &action, error);
 *
 * It belongs to one thread at a time; the agent outlives it. */
typedef struct sonde_diary sonde_diary;
/* Begins with an agent, which is reset, and has room for n_step steps. Fails like
 * sonde_simulate. */
SONDE_API sonde_status sonde_diary_new(sonde_agent *agent, int32_t n_step, sonde_diary **diary,
                                       sonde_error *error);
/* Lets the agent observe. Where a step has no state (n_factor; NULL), the episode has none, but for
 * graph worlds, where outcomes are states. Fails like sonde_agent_observe_soft, or with
 * SONDE_BAD_ARGUMENT where there is no room left, or an action comes next. */
SONDE_API sonde_status sonde_diary_see(sonde_diary *diary, const int32_t *outcome,
                                       const double *weight, const int32_t *state,
                                       sonde_error *error);
/* Lets it decide and act. Fails like sonde_agent_search, or with SONDE_BAD_ARGUMENT where nothing
 * was seen. */
SONDE_API sonde_status sonde_diary_act(sonde_diary *diary, int32_t *action, sonde_error *error);
/* Closes it: the episode of the steps that were taken, and the state after the last, which may be
 * NULL. The diary is gone then. Fails, and stays, with SONDE_BAD_ARGUMENT where there are no
 * steps. */
SONDE_API sonde_status sonde_diary_end(sonde_diary *diary, const int32_t *state,
                                       sonde_episode **episode, sonde_error *error);
SONDE_API void sonde_diary_free(sonde_diary *diary);

#ifdef __cplusplus
}
#endif

#endif
