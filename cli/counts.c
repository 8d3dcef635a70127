/* counts.c: conditions under which options count, for the tables of groups.c. */
#include "counts.h"

#include <string.h>

static bool embeds_as(const cli_arguments *args, const char *name) {
    return args->embedding >= 0 && !strcmp(sonde_embedding_name(args->embedding), name);
}

bool weighs_onehot(const cli_arguments *args) {
    return embeds_as(args, "aboe-onehot");
}

bool embeds_ngrams(const cli_arguments *args) {
    return embeds_as(args, "ngram");
}

bool embeds_ends(const cli_arguments *args) {
    return embeds_as(args, "ends");
}

bool embeds_vectors(const cli_arguments *args) {
    return embeds_as(args, "walk2vec");
}

bool searches_with(const cli_arguments *args, uint32_t searches) {
    return (searches >> args->search & 1u) != 0 ||
           (args->fallback >= 0 && (searches >> args->fallback & 1u) != 0);
}

bool divides_by_k(const cli_arguments *args) {
    return !searches_with(args, TREE) || args->n_branch == 0 ||
           searches_with(args, CLUSTER | LEARNED);
}

bool searches_top(const cli_arguments *args) {
    return !searches_with(args, TREE) || args->budget == 0 || searches_with(args, CLUSTER);
}

bool restarts_fits(const cli_arguments *args) {
    return args->method != SONDE_METHOD_WARD;
}

bool samples_members(const cli_arguments *args) {
    return args->probe != SONDE_PROBE_CENTER;
}

bool adapts_samples(const cli_arguments *args) {
    return args->probe == SONDE_PROBE_ADAPTIVE;
}

bool knows_a_sample(const cli_arguments *args) {
    return args->policy_sample > 0;
}

bool softens_actions(const cli_arguments *args) {
    return args->action == SONDE_ACTION_SOFTMAX || args->action == SONDE_ACTION_MARGINAL;
}

bool follows_plans(const cli_arguments *args) {
    return args->n_follow > 1;
}

bool lags(const cli_arguments *args) {
    return args->semantics > 0 || (args->differences >> SONDE_DIFFERENCE_LAG & 1u) != 0;
}
