/* replay.h: the two ways in which sonde replay goes through what happened. */
#ifndef SONDE_CLI_REPLAY_H
#define SONDE_CLI_REPLAY_H

#include "cmd.h"

/* Trials of SPM's scheme. */
sonde_status replay_spm(cli_arguments *args, cli_session *session);

#endif
