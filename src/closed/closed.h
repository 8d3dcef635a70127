/* closed.h: planning in closed loop, for the stages after it.
 *
 * A policy is a sequence of actions; a plan in closed loop waits for what it will see. Whoever
 * needs one sets sonde__closed_size bytes of zeros aside, opens it there, cuts the rest of its
 * memory from an arena, and asks for one decision after the other:
 *
 *     sonde__closed_open(closed, policies, &settings, &run, &error);
 *     sonde__closed_carve(closed, &arena);                   twice: measures, carves
 *     sonde__closed_begin(closed);                           believes what the model begins with
 *     sonde__closed_decide(closed, number, &decision, &error);
 *     action = sonde__closed_draw(closed, &decision, &rng);
 *     sonde__closed_take(closed, action);                    -> what it expects
 *     sonde__closed_see(closed, &seen);                      -> what it believes
 *     sonde__closed_close(closed);
 *
 * It believes joint states; others see the factors' own. */
#ifndef SONDE_CLOSED_CLOSED_H
#define SONDE_CLOSED_CLOSED_H

#include "base/memory.h"
#include "base/rng.h"
#include "sonde.h"

typedef struct sonde__closed sonde__closed;

size_t sonde__closed_size(void);
/* Lists the joint states and what follows them. Close it, whatever it returns. */
sonde_status sonde__closed_open(sonde__closed *closed, const sonde_policies *policies,
                                const sonde_search_settings *settings, const sonde_run *run,
                                sonde_error *error);
/* What it holds then, besides what is cut. */
uint64_t sonde__closed_bytes(const sonde__closed *closed);
void sonde__closed_carve(sonde__closed *closed, sonde__arena *arena);
void sonde__closed_close(sonde__closed *closed);
/* The settings, with search, gamma and discount settled. */
const sonde_search_settings *sonde__closed_settings(const sonde__closed *closed);

void sonde__closed_begin(sonde__closed *closed);
/* Believes a product of factors' beliefs (n_belief); false, and nothing changes, where it has
 * states that cannot be reached from where the model begins. */
bool sonde__closed_believe(sonde__closed *closed, const double *belief);
void sonde__closed_take(sonde__closed *closed, int32_t action);
/* Takes in what is seen after that; what cannot be seen changes nothing. */
sonde_energy sonde__closed_see(sonde__closed *closed, const sonde_observation *seen);
/* What it believes of its joint states, and how many they are; and the same put back, false where
 * it is none. */
const double *sonde__closed_joint(const sonde__closed *closed, int64_t *n);
bool sonde__closed_recall(sonde__closed *closed, int64_t n, const double *joint);
/* Steps since it began; and the place after so many put back, with the action that led there or
 * -1: nothing is known any more of what searches have found. */
int32_t sonde__closed_taken(const sonde__closed *closed);
void sonde__closed_resume(sonde__closed *closed, int32_t n_taken, int32_t last);
/* What it believes of each factor (n_belief). */
void sonde__closed_marginals(const sonde__closed *closed, double *belief);

/* One decision, the `number`-th. */
sonde_status sonde__closed_decide(sonde__closed *closed, uint64_t number, sonde_decision *decision,
                                  sonde_error *error);
/* Steps of the last plan that will have been followed by the next decision; 0: it will search. */
int32_t sonde__closed_followed(const sonde__closed *closed);
/* Gives the plan up: the next decision searches. */
void sonde__closed_drop(sonde__closed *closed);
/* Lives n episodes of the last decision's plan, in the model (closed_follow.c). */
sonde_status sonde__closed_follow(sonde__closed *closed, int32_t n, sonde_followed *followed,
                                  sonde_error *error);
/* Appends what was found without a horizon, as a sonde-policy document or SARSOP's. */
sonde_status sonde__closed_save(sonde__closed *closed, bool xml, sonde_text *text,
                                sonde_error *error);
int32_t sonde__closed_draw(const sonde__closed *closed, const sonde_decision *decision,
                           sonde__rng *rng);

#endif
