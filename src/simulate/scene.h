/* scene.h: worlds that change, or whose outcomes are looked up (process_read.c,
 * process_table.c). */
#ifndef SONDE_SIMULATE_SCENE_H
#define SONDE_SIMULATE_SCENE_H

#include "base/memory.h"
#include "sonde_world.h"

/* From some step or episode of a run on, the world is another model. */
typedef struct {
    bool by_episode;
    int64_t from;
    sonde_model *model;
} sonde__turn;

/* What follows an action, as a table has it. */
typedef struct {
    int64_t episode;  /* -1: of every one */
    int64_t step;     /* -1: of every one */
    int32_t action;   /* -1: whatever is done, and before the first */
    int32_t row;      /* of the table, from 1 on */
    int32_t *outcome; /* (n_modality) */
} sonde__looked_up;

struct sonde_stage {
    sonde__pool pool;
    sonde_model *model; /* at first; NULL: outcomes are looked up, and there is none */
    int32_t n_change;
    sonde__turn *change; /* (n_change) in the order of the file */
    const char *origin;  /* of the table */
    int32_t n_row;
    sonde__looked_up *row; /* (n_row) ascending */
};

struct sonde_world {
    const sonde_stage *process; /* or NULL: it is one model */
    const sonde_model *model;   /* that it is now, or whose actions and outcomes it has */
    const struct sonde__simulated *kind;
    uint64_t seed;
    uint64_t n_stream; /* used so far; 0: it has not begun */
    int64_t step;      /* of the run */
    int64_t since;     /* the step of the run that the episode began with */
    int32_t episode;
    bool lost;        /* the table does not say what comes now, */
    int32_t last;     /* after this action */
    int32_t *state;   /* (n_factor) */
    int32_t *before;  /* (n_factor) the state that an action changes */
    int32_t *outcome; /* (n_modality) */
};
/* Whether outcomes are looked up, so that nobody knows states. */
static inline bool sonde__world_looks_up(const sonde_world *world) {
    return world->process != NULL && world->process->model == NULL;
}
/* Begins an episode of a run, whose chance begins with a stream. */
void sonde__world_begin(sonde_world *world, uint64_t seed, int32_t episode);
/* SONDE_BAD_ARGUMENT where the table does not say what comes now. */
sonde_status sonde__world_check(const sonde_world *world, sonde_error *error);

#endif
