/* cmd.h: what the table of verbs in main.c is made of. */
#ifndef SONDE_CLI_CMD_H
#define SONDE_CLI_CMD_H

#include "session.h"

/* Each verb's options, up to a NULL, and its function. */
extern const cli_option_group *const graph_groups[];
extern const cli_option_group *const model_groups[];
extern const cli_option_group *const efe_groups[];
extern const cli_option_group *const embed_groups[];
extern const cli_option_group *const cluster_groups[];
extern const cli_option_group *const plan_groups[];
extern const cli_option_group *const simulate_groups[];
extern const cli_option_group *const replay_groups[];
extern const cli_option_group *const fit_groups[];
extern const cli_option_group *const smooth_groups[];
extern const cli_option_group *const recover_groups[];
extern const cli_option_group *const compare_groups[];
extern const cli_option_group *const study_groups[];
extern const cli_option_group *const report_groups[];
extern const cli_option_group *const view_groups[];
extern const cli_option_group *const bench_groups[];

/* Options of these two that --scheme spm uses, up to a NULL. */
extern const char *const replay_in_scheme[];
extern const char *const fit_in_scheme[];

sonde_status cmd_graph(cli_arguments *args, cli_session *session);
sonde_status cmd_model(cli_arguments *args, cli_session *session);
sonde_status cmd_efe(cli_arguments *args, cli_session *session);
sonde_status cmd_embed(cli_arguments *args, cli_session *session);
sonde_status cmd_cluster(cli_arguments *args, cli_session *session);
sonde_status cmd_plan(cli_arguments *args, cli_session *session);
sonde_status cmd_simulate(cli_arguments *args, cli_session *session);
sonde_status cmd_replay(cli_arguments *args, cli_session *session);
sonde_status cmd_fit(cli_arguments *args, cli_session *session);
sonde_status cmd_smooth(cli_arguments *args, cli_session *session);
sonde_status cmd_recover(cli_arguments *args, cli_session *session);
sonde_status cmd_compare(cli_arguments *args, cli_session *session);
sonde_status cmd_study(cli_arguments *args, cli_session *session);
sonde_status cmd_report(cli_arguments *args, cli_session *session);
sonde_status cmd_view(cli_arguments *args, cli_session *session);
sonde_status cmd_bench(cli_arguments *args, cli_session *session);

/* Runs a verb on the words that follow it, and returns the exit status. */
int verb_run(const cli_verb *verb, int argc, char **argv);

#endif
