/* embed_ends.c: how a policy begins and how it ends: its first N actions and its last N, a
 * column for each action at each of these steps. Policies that agree there are near, whatever
 * they do in between. In a policy of fewer than 2 N steps some belong to both ends. */
#include "embed/embed.h"

/* steps of each end */
static int32_t n_end(const sonde_policies *policies, const sonde_embed_settings *settings) {
    const int32_t usual = policies->horizon < 2 ? policies->horizon : 2;
    return settings->n_end > 0 ? settings->n_end : usual;
}

uint64_t sonde__ends_n_code(const sonde_policies *policies, const sonde_embed_settings *settings) {
    const uint64_t n = 2 * (uint64_t)n_end(policies, settings);
    return sonde__multiply(n, (uint64_t)policies->model->n_action);
}

void sonde__ends_code(const sonde_embedder *embedder, const int32_t *walk, double *code) {
    const sonde_policies *policies = embedder->policies;
    const int64_t n_action = policies->model->n_action;
    const int32_t n = n_end(policies, &embedder->settings);
    for (int32_t i = 0; i < n; i++) {
        const int32_t from_end = policies->horizon - i;
        code[i * n_action + sonde__policies_action(policies, walk, i + 1)] = 1.0;
        code[(n + i) * n_action + sonde__policies_action(policies, walk, from_end)] = 1.0;
    }
}
