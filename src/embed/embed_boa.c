/* embed_boa.c: bags of actions, for any model. How often (boa) or whether (boa-set) each action
 * occurs in a policy, how often each sequence of N actions does (ngram), and which action is
 * taken when (timed). An action is a tuple over factors; in a graph world it is a pair of
 * consecutive edges. */
#include "embed/embed.h"

static int32_t action_at(const sonde_embedder *embedder, const int32_t *walk, int32_t t) {
    return sonde__policies_action(embedder->policies, walk, t);
}

uint64_t sonde__boa_n_code(const sonde_policies *policies, const sonde_embed_settings *settings) {
    (void)settings;
    return (uint64_t)policies->model->n_action;
}

void sonde__boa_code(const sonde_embedder *embedder, const int32_t *walk, double *code) {
    for (int32_t t = 1; t <= embedder->policies->horizon; t++) {
        code[action_at(embedder, walk, t)] += 1.0;
    }
}

void sonde__boa_set_code(const sonde_embedder *embedder, const int32_t *walk, double *code) {
    for (int32_t t = 1; t <= embedder->policies->horizon; t++) {
        code[action_at(embedder, walk, t)] = 1.0;
    }
}

/* actions in a sequence that ngram counts */
static int32_t length_of(const sonde_embed_settings *settings) {
    return settings->ngram > 0 ? settings->ngram : 2;
}

uint64_t sonde__ngram_n_code(const sonde_policies *policies, const sonde_embed_settings *settings) {
    uint64_t n = 1;
    for (int32_t i = 0; i < length_of(settings); i++) {
        n = sonde__multiply(n, (uint64_t)policies->model->n_action);
    }
    return n;
}

void sonde__ngram_code(const sonde_embedder *embedder, const int32_t *walk, double *code) {
    const int32_t length = length_of(&embedder->settings);
    for (int32_t t = 1; t + length - 1 <= embedder->policies->horizon; t++) {
        int32_t sequence = 0;
        for (int32_t i = 0; i < length; i++) {
            sequence =
                sequence * embedder->policies->model->n_action + action_at(embedder, walk, t + i);
        }
        code[sequence] += 1.0;
    }
}

uint64_t sonde__timed_n_code(const sonde_policies *policies, const sonde_embed_settings *settings) {
    (void)settings;
    return sonde__multiply((uint64_t)policies->horizon, (uint64_t)policies->model->n_action);
}

void sonde__timed_code(const sonde_embedder *embedder, const int32_t *walk, double *code) {
    const int64_t n_action = embedder->policies->model->n_action;
    for (int32_t t = 1; t <= embedder->policies->horizon; t++) {
        code[(t - 1) * n_action + action_at(embedder, walk, t)] = 1.0;
    }
}
