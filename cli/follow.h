/* follow.h: an agent and a table that it follows: what sonde replay and sonde fit have in common. */
#ifndef SONDE_CLI_FOLLOW_H
#define SONDE_CLI_FOLLOW_H

#include "beside.h"
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
    cli_beside beside;
} cli_follow;

extern const cli_option_group group_data; /* data, timing, map, base, missing, lapse */

/* Reads model and table, and settles in `args` what the command line left open: as the document
 * beside the table says, where there is one. */
sonde_status follow_open(cli_arguments *args, cli_session *session, cli_follow *follow);
void follow_close(cli_follow *follow);

#endif
