/* process.h: the world of a general model, which draws states and outcomes. */
#ifndef SONDE_SIMULATE_PROCESS_H
#define SONDE_SIMULATE_PROCESS_H

#include "base/rng.h"
#include "sonde.h"

/* Whether a process can be the world of an agent's model: the same actions and the same outcomes.
 * SONDE_BAD_ARGUMENT if not. */
sonde_status sonde__process_check(const sonde_model *process, const sonde_model *model,
                                  sonde_error *error);
/* Draws the first state (n_factor), from D. */
void sonde__process_start(const sonde_model *process, sonde__rng *rng, int32_t *state);
/* Draws an outcome of each modality (n_modality) in a state, from A. */
void sonde__process_show(const sonde_model *process, const int32_t *state, sonde__rng *rng,
                         int32_t *outcome);
/* Draws the state after an action, from B. */
void sonde__process_move(const sonde_model *process, const int32_t *state, int32_t action,
                         sonde__rng *rng, int32_t *next);

#endif
