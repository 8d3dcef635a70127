/* learning.h: the options of agents that learn. */
#ifndef SONDE_CLI_LEARNING_H
#define SONDE_CLI_LEARNING_H

#include "options.h"

extern const cli_option_group group_learn;
/* Whether the agent learns. */
bool learning_counts(const cli_arguments *args);
/* Where one learns at the end of episodes, beliefs are smoothed unless an option says otherwise. */
void learning_usual(const cli_verb *verb, cli_arguments *args);
/* What is not said of learning follows from the rest; `n_step` is the most steps of an episode. */
void learning_settle(const cli_verb *verb, cli_arguments *args, int32_t n_step);

#endif
