/* embed_aboe.c: bags of edges, augmented with where the policy ends.
 *
 * aboe appends the number of the last node, as the paper says; aboe-onehot a column for each node,
 * with a weight at the last one, so that no two nodes are nearer than others because of their
 * numbers; aboe-edges is the set of edges and the numbers of the first two. */
#include "embed/embed.h"

uint64_t sonde__aboe_n_code(const sonde_policies *policies, const sonde_embed_settings *settings) {
    (void)settings;
    return (uint64_t)policies->model->n_state + 1;
}

static int32_t last_node(const sonde_embedder *embedder, const int32_t *walk) {
    const sonde_policies *policies = embedder->policies;
    return policies->model->graph->head[walk[policies->horizon]];
}

void sonde__aboe_code(const sonde_embedder *embedder, const int32_t *walk, double *code) {
    sonde__boe_code(embedder, walk, code);
    code[embedder->policies->model->n_state] = (double)last_node(embedder, walk);
}

uint64_t sonde__aboe_onehot_n_code(const sonde_policies *policies,
                                   const sonde_embed_settings *settings) {
    (void)settings;
    return (uint64_t)policies->model->n_state + (uint64_t)policies->model->graph->n_node;
}

void sonde__aboe_onehot_code(const sonde_embedder *embedder, const int32_t *walk, double *code) {
    const double weight = embedder->settings.onehot_weight;
    sonde__boe_code(embedder, walk, code);
    code[embedder->policies->model->n_state + last_node(embedder, walk)] =
        weight > 0.0 ? weight : (double)embedder->policies->horizon;
}

uint64_t sonde__aboe_edges_n_code(const sonde_policies *policies,
                                  const sonde_embed_settings *settings) {
    (void)settings;
    return (uint64_t)policies->model->n_state + 2;
}

void sonde__aboe_edges_code(const sonde_embedder *embedder, const int32_t *walk, double *code) {
    const int32_t n_state = embedder->policies->model->n_state;
    sonde__boe_set_code(embedder, walk, code);
    code[n_state] = (double)walk[0];
    code[n_state + 1] = (double)walk[1];
}
