/* agent.h: what an agent tells the stages after it. */
#ifndef SONDE_AGENT_AGENT_H
#define SONDE_AGENT_AGENT_H

#include "learn/learn.h"

/* How the agent was told to run. */
const sonde_run *sonde__agent_run(const sonde_agent *agent);

/* sonde_agent_new of an agent with numbers of its own, at first those of the policies' model; and
 * those numbers. After they were changed and settled the next decision is made with them. */
sonde_status sonde__agent_new_own(const sonde_policies *policies,
                                  const sonde_search_settings *settings, const sonde_run *run,
                                  sonde_agent **agent, sonde_error *error);
sonde__own *sonde__agent_own(sonde_agent *agent);
/* The model that the agent was made with: that of its policies, or whose shape its own has. */
const sonde_model *sonde__agent_given(const sonde_agent *agent);
/* Whether the agent learns; and its learner, or NULL. */
const sonde__learner *sonde__agent_learner(const sonde_agent *agent);

/* An episode begins of which nothing is seen before its first action: what is believed then counts,
 * for learning, as the belief of a step without outcomes. */
void sonde__agent_stand(sonde_agent *agent);
/* Some action is taken that nobody knows, with these probabilities of each factor's own (actions of
 * all factors, side by side): what comes is predicted from them, and no transition is learned. */
void sonde__agent_drift(sonde_agent *agent, const double *p);

/* Lets the agent free its policies with itself. */
void sonde__agent_keep(sonde_agent *agent, sonde_policies *policies);

#endif
