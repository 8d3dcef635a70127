/* agent.h: what an agent tells the stages after it. */
#ifndef SONDE_AGENT_AGENT_H
#define SONDE_AGENT_AGENT_H

#include "sonde.h"

/* How the agent was told to run. */
const sonde_run *sonde__agent_run(const sonde_agent *agent);

#endif
