/* follow.h: an agent and a table that it follows: what sonde replay and sonde fit have in common;
 * and what stands beside a table that sonde simulate wrote. */
#ifndef SONDE_CLI_FOLLOW_H
#define SONDE_CLI_FOLLOW_H

#include "rates.h"
#include "world.h"

typedef struct {
    cli_arguments *args;
    cli_session *session;
    cli_world world;
    sonde_data *data;
    sonde_model **condition; /* (data->n_model) those that the table names */
    sonde_replay_settings settings;
    cli_rates rates;
    char *held[4]; /* lists of rates that were written beside the table, or NULL */
} cli_follow;

extern const cli_option_group group_data; /* data, timing, map, base, missing, lapse */

/* Reads model and table, and settles in `args` what the command line left open: as the document
 * beside the table says, where there is one. */
sonde_status follow_open(cli_arguments *args, cli_session *session, cli_follow *follow);
void follow_close(cli_follow *follow);

/* Appends that document: the agent that a table is of. */
void follow_write_beside(const cli_arguments *args, const cli_world *world, sonde_text *json);
/* Where it stands; to be freed. */
sonde_text follow_beside(const char *data);

#endif
