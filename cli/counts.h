/* counts.h: conditions under which options count beside others. */
#ifndef SONDE_CLI_COUNTS_H
#define SONDE_CLI_COUNTS_H

#include "arguments.h"

/* searches, as bits */
enum {
    CLUSTER = 1 << SONDE_SEARCH_CLUSTER,
    TREE = 1 << SONDE_SEARCH_TREE,
    CLUSTERED = CLUSTER | TREE,
    LEARNED = 1 << SONDE_SEARCH_SURROGATE, /* whose first probes are clusters' representatives */
    BOUNDED = 1 << SONDE_SEARCH_BOUNDED,
    RANDOM = 1 << SONDE_SEARCH_RANDOM,
    BEAM = 1 << SONDE_SEARCH_BEAM,
};

/* Whether the search, or its fallback, is one of these. */
bool searches_with(const cli_arguments *args, uint32_t searches);

bool weighs_onehot(const cli_arguments *args);
bool embeds_ngrams(const cli_arguments *args);
bool embeds_ends(const cli_arguments *args);
bool embeds_vectors(const cli_arguments *args);
bool divides_by_k(const cli_arguments *args);
bool searches_top(const cli_arguments *args);
bool restarts_fits(const cli_arguments *args);
bool samples_members(const cli_arguments *args);
bool adapts_samples(const cli_arguments *args);
bool knows_a_sample(const cli_arguments *args);
bool softens_actions(const cli_arguments *args);
bool follows_plans(const cli_arguments *args);
bool lags(const cli_arguments *args);

#endif
