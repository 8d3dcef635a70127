/* embed_boe.c: bags of edges. How often (boe), or whether (boe-set), each edge occurs among the
 * T + 1 edges of a policy. */
#include "embed/embed.h"

uint64_t sonde__boe_n_code(const sonde_policies *policies, const sonde_embed_settings *settings) {
    (void)settings;
    return (uint64_t)policies->model->n_state;
}

void sonde__boe_code(const sonde_embedder *embedder, const int32_t *walk, double *code) {
    for (int32_t t = 0; t <= embedder->policies->horizon; t++) {
        code[walk[t]] += 1.0;
    }
}

void sonde__boe_set_code(const sonde_embedder *embedder, const int32_t *walk, double *code) {
    for (int32_t t = 0; t <= embedder->policies->horizon; t++) {
        code[walk[t]] = 1.0;
    }
}
