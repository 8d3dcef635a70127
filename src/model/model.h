/* model.h: what the later stages ask a model about actions, again and again, of numbers that are
 * known to be right. The functions of sonde.h with these names check what they are given first. */
#ifndef SONDE_MODEL_MODEL_H
#define SONDE_MODEL_MODEL_H

#include "sonde.h"

/* Graph worlds: the action (from => to), or -1 when `to` does not leave the head of `from`. */
static inline int32_t sonde__model_action(const sonde_model *model, int32_t from, int32_t to) {
    const sonde_graph *graph = model->graph;
    const int32_t v = graph->head[from];
    return graph->tail[to] == v ? model->action[from] + (to - graph->first[v]) : -1;
}

/* Graph worlds: the state that an action leads to. */
static inline int32_t sonde__model_next(const sonde_model *model, int32_t state, int32_t action) {
    const int32_t place = action - model->action[state];
    const int32_t v = model->graph->head[state];
    const bool valid = place >= 0 && action < model->action[state + 1];
    return valid ? model->graph->first[v] + place : model->graph->self[v];
}

/* General models: the actions of the factors (n_factor), and back. */
static inline void sonde__model_tuple(const sonde_model *model, int32_t action, int32_t *tuple) {
    for (int32_t f = model->n_factor - 1; f >= 0; f--) {
        tuple[f] = action % model->factor[f].n_action;
        action /= model->factor[f].n_action;
    }
}
static inline int32_t sonde__model_from_tuple(const sonde_model *model, const int32_t *tuple) {
    int32_t action = 0;
    for (int32_t f = 0; f < model->n_factor; f++) {
        action = action * model->factor[f].n_action + tuple[f];
    }
    return action;
}

#endif
