/* process.h: simulated worlds: of graphs (world_graph.c), and of general models, which draw states
 * and outcomes (process.c). */
#ifndef SONDE_SIMULATE_PROCESS_H
#define SONDE_SIMULATE_PROCESS_H

#include "base/rng.h"
#include "sonde_world.h"

/* Whether a process can be the world of an agent's model: the same actions and the same outcomes.
 * SONDE_BAD_ARGUMENT if not. */
sonde_status sonde__process_check(const sonde_model *process, const sonde_model *model,
                                  sonde_error *error);
/* Draws the first state (n_factor), from D. */
void sonde__process_start(const sonde_model *process, sonde__rng *rng, int32_t *state);
/* Draws an outcome of each modality (n_modality) in a state, from A. */
void sonde__process_show(const sonde_model *process, const int32_t *state, int32_t action,
                         sonde__rng *rng, int32_t *outcome);
/* Draws the state after an action, from B. */
void sonde__process_move(const sonde_model *process, const int32_t *state, int32_t action,
                         sonde__rng *rng, int32_t *next);

/* What the two kinds of worlds do differently. The process is the model they are made of. */
typedef struct sonde__simulated {
    bool drawn; /* from A, B and D: another model may take the place of the agent's own */
    int32_t (*n_factor)(const sonde_model *model);  /* numbers in a state */
    int32_t (*n_scratch)(const sonde_model *model); /* numbers that `open` needs room for */
    /* works out what an episode is judged by; NULL: nothing is, and the last two are NULL, too */
    sonde_status (*open)(const sonde_model *process, double *scratch, sonde_episode *episode,
                         sonde_error *error);
    void (*start)(const sonde_model *process, sonde__rng *rng, int32_t *state);
    void (*show)(const sonde_model *process, const int32_t *state, int32_t action, sonde__rng *rng,
                 int32_t *outcome);
    void (*move)(const sonde_model *process, const int32_t *state, int32_t action, sonde__rng *rng,
                 int32_t *next);
    /* what an episode tells of the clusters of its first decision; `walk` (T + 1) is scratch */
    void (*clusters)(const sonde_policies *policies, const sonde_decision *decision, int32_t *walk,
                     sonde_episode *episode);
    void (*judge)(const sonde_model *process, sonde_episode *episode);
} sonde__simulated;
extern const sonde__simulated sonde__simulated_graph;
const sonde__simulated *sonde__simulated_of(const sonde_model *model);

#endif
