/* planner.h: one level above the searches: which of them decides, and what is done after that.
 *
 * A decision is more than an action: behind every action there is a plan, what to do next and,
 * after each outcome that may follow, next to that. Searches over sequences of actions have plans
 * without branches; those that look at outcomes will have plans with them. A planner follows the
 * plan behind the action that was taken for as long as it is told to, and asks its searches again
 * then:
 *
 *     sonde__planner_decide(planner, now, origin, &moment);    follows, or searches
 *     action = sonde__planner_draw(planner, &rng);
 *     sonde__planner_take(planner, action);                    -> the plan behind it may begin
 *     sonde__planner_see(planner, outcome);                    -> along one of its branches
 *
 * It is set aside, opened and carved as a search is (search.h). */
#ifndef SONDE_PLANNER_PLANNER_H
#define SONDE_PLANNER_PLANNER_H

#include "closed/closed.h"
#include "search/search.h"

typedef struct sonde__planner sonde__planner;

size_t sonde__planner_size(const sonde_policies *policies, const sonde_search_settings *settings);
/* Opens the search and, where there is one, its fallback. Close it, whatever it returns. */
sonde_status sonde__planner_open(sonde__planner *planner, const sonde_policies *policies,
                                 const sonde_search_settings *settings, const sonde_run *run,
                                 sonde_error *error);
uint64_t sonde__planner_bytes(const sonde__planner *planner);
void sonde__planner_carve(sonde__planner *planner, sonde__arena *arena);
void sonde__planner_close(sonde__planner *planner);
/* The settings as they were given, with what is usual for the model where nothing was. */
const sonde_search_settings *sonde__planner_settings(const sonde__planner *planner);
/* What making embeddings and clusters has cost so far. */
sonde_setup sonde__planner_setup(const sonde__planner *planner);
/* The last decision, an action drawn from it, and why it is what it is. */
sonde_decision *sonde__planner_decision(sonde__planner *planner);
int32_t sonde__planner_draw(sonde__planner *planner, sonde__rng *rng);
sonde_status sonde__planner_explain(sonde__planner *planner, sonde_explanation **explanation,
                                    sonde_error *error);
/* What plans in closed loop, which has beliefs of its own; NULL: nothing does. */
sonde__closed *sonde__planner_closed(sonde__planner *planner);

/* When a decision is made. */
typedef struct {
    uint64_t number; /* of the decision */
    double surprise; /* of the last outcome: a plan is given up where the settings allow less */
} sonde__moment;
/* Takes the next step of the plan that is followed; where none is, or it ends, searches policies of
 * an origin. */
sonde_status sonde__planner_decide(sonde__planner *planner, sonde_present now, int32_t origin,
                                   sonde__moment moment, sonde_error *error);
/* sonde__search_watch and sonde__search_chances of the search; not in closed loop. */
void sonde__planner_watch(sonde__planner *planner, sonde__watch *watch);
void sonde__planner_chances(const sonde__planner *planner, double *chance);
/* sonde__search_score of the search. */
sonde_status sonde__planner_score(sonde__planner *planner, sonde_present now,
                                  const sonde__picked *picked, double *efe, sonde_error *error);
/* An action of the last decision was taken: the plan behind it goes on, or begins. */
void sonde__planner_take(sonde__planner *planner, int32_t action);
/* What was seen then (n_modality): the plan goes on along that branch, or is given up where there
 * is none. */
void sonde__planner_see(sonde__planner *planner, const int32_t *outcome);
/* Steps of a plan that have been taken and are followed by others; 0: a search comes next. */
int32_t sonde__planner_followed(const sonde__planner *planner);
/* Gives the plan up. */
void sonde__planner_drop(sonde__planner *planner);
/* The plan behind an action of the last decision: the one that is followed, or the best that begins
 * so; NULL where there is none. Holds until the next decision; the decision shows it, too. */
const sonde_plan_graph *sonde__planner_plan(sonde__planner *planner, int32_t action);
/* The step after one that was taken, where these outcomes were seen (a number as branches have it;
 * -1: none); -1: the plan has no branch for it. */
int32_t sonde__plan_next(const sonde_plan_graph *plan, int32_t last, int64_t seen);
/* Gives the plan up, and forgets what earlier decisions have taught. */
void sonde__planner_reset(sonde__planner *planner);

#endif
