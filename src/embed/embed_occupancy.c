/* embed_occupancy.c: where a policy is expected to be: the sum over t of Q(s_t), the factors'
 * beliefs side by side, from where the agent is. So rows change with the agent's belief, and
 * clusters of them are made anew for every decision. */
#include <string.h>

#include "belief/belief.h"
#include "embed/embed.h"

uint64_t sonde__occupancy_n_code(const sonde_policies *policies,
                                 const sonde_embed_settings *settings) {
    (void)settings;
    return (uint64_t)policies->model->n_belief;
}

uint64_t sonde__occupancy_n_scratch(const sonde_model *model) {
    return 2 * (uint64_t)model->n_belief;
}

/* How often each edge is reached from the agent's, staying where an action is not valid. */
void sonde__occupancy_code_walk(const sonde_embedder *embedder, const int32_t *walk, double *code) {
    const sonde_model *model = embedder->policies->model;
    int32_t state = embedder->now.state;
    for (int32_t t = 1; t <= embedder->policies->horizon; t++) {
        state = sonde__model_next(model, state, sonde__model_action(model, walk[t - 1], walk[t]));
        code[state] += 1.0;
    }
}

void sonde__occupancy_code(const sonde_embedder *embedder, const int32_t *walk, double *code) {
    const sonde_model *model = embedder->policies->model;
    const size_t n = (size_t)model->n_belief;
    /* the code's two rooms behind it hold the belief before and after a step */
    double *before = code + n;
    double *after = before + n;
    memcpy(before, embedder->now.belief, n * sizeof *before);
    for (int32_t t = 1; t <= embedder->policies->horizon; t++) {
        sonde__belief_predict(model, walk[t], before, after);
        for (size_t s = 0; s < n; s++) {
            code[s] += after[s];
        }
        double *swapped = before;
        before = after;
        after = swapped;
    }
}
