/* agent.h: an agent in a world: what sonde plan and sonde simulate have in common. */
#ifndef SONDE_CLI_AGENT_H
#define SONDE_CLI_AGENT_H

#include "world.h"

typedef struct {
    const cli_arguments *args;
    cli_session *session;
    cli_world world;
    sonde_agent *agent;
    sonde_vectors *vectors; /* of --use-policy, or NULL */
    double *prior;          /* (actions) of --action-prior, or NULL */
} cli_agent;

sonde_status agent_open(cli_arguments *args, cli_session *session, cli_agent *agent);
void agent_close(cli_agent *agent);
/* Whether a setting concerns the search, whatever its fallback. */
bool search_uses(const sonde_search_settings *settings, const char *key);

typedef struct {
    sonde_about about;
    sonde_text also;
} cli_about;
/* What its documents say of the run; to be freed. */
cli_about agent_about(const cli_agent *agent);
void about_free(cli_about *about);

/* The first lines of the text: the world, the policies, the search. */
void add_agent_lines(sonde_text *text, const cli_agent *agent);

#endif
