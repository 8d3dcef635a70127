/* efe_sweep.c: G of all policies that begin with one action, depth first.
 *
 * The last step of all policies with the same T - 1 edges is one short loop: a table look-up and
 * an addition each. Everything above it is shared. There is no recursion, so that the horizon may
 * be as long as memory allows. */
#include "efe/efe.h"

void sonde__sweep_carve(sonde__arena *arena, int32_t horizon, sonde__sweep *sweep) {
    sweep->edge = SONDE__TAKE(arena, int32_t, horizon + 1);
    sweep->next = SONDE__TAKE(arena, int32_t, (int64_t)horizon + 2);
    sweep->state = SONDE__TAKE(arena, int32_t, horizon + 1);
    sweep->sum = SONDE__TAKE(arena, double, horizon + 1);
}

/* Takes edge e as the t-th of the walk. */
static inline void step_down(sonde__sweep *sweep, int32_t t, int32_t e) {
    const sonde_model *model = sweep->policies->model;
    const int32_t s = sonde__efe_next(model->graph, sweep->state[t - 1], sweep->edge[t - 1], e);
    sweep->edge[t] = e;
    sweep->state[t] = s;
    sweep->sum[t] = sweep->sum[t - 1] + model->step[s];
    sweep->next[t + 1] = model->graph->first[model->graph->head[e]];
    sweep->n_step++;
}

void sonde__sweep_start(sonde__sweep *sweep, const sonde_policies *policies, int32_t edge,
                        int32_t first, int32_t state) {
    sweep->policies = policies;
    sweep->edge[0] = edge;
    sweep->state[0] = state;
    sweep->sum[0] = 0.0;
    step_down(sweep, 1, first);
    sweep->depth = 2;
}

/* All last steps of the present prefix of T - 1 steps; returns how many. */
static inline int32_t fill_leaves(const sonde__sweep *sweep, int32_t horizon, double *efe) {
    const sonde_model *model = sweep->policies->model;
    const sonde_graph *graph = model->graph;
    const int32_t edge = sweep->edge[horizon - 1];
    const int32_t state = sweep->state[horizon - 1];
    const double sum = sweep->sum[horizon - 1];
    const int32_t v = graph->head[edge];
    const int32_t n = graph->first[v + 1] - graph->first[v];
    const double *step = model->step + graph->first[v];
    if (state != edge) {
        /* out of step with its policy, the agent stays, whatever the last action */
        const double stayed = sum + model->step[graph->self[graph->head[state]]];
        for (int32_t i = 0; i < n; i++) {
            efe[i] = stayed;
        }
        return n;
    }
    for (int32_t i = 0; i < n; i++) {
        efe[i] = sum + step[i];
    }
    return n;
}

int32_t sonde__sweep_fill(sonde__sweep *sweep, double *efe, int32_t capacity) {
    const sonde_graph *graph = sweep->policies->model->graph;
    const int32_t horizon = sweep->policies->horizon;
    int32_t n = 0;
    int32_t t = sweep->depth;
    if (horizon == 1 && t == 2) {
        /* one action, one policy */
        sweep->depth = 1;
        efe[0] = sweep->sum[1];
        return 1;
    }
    while (t > 1) {
        const int32_t v = graph->head[sweep->edge[t - 1]];
        if (t == horizon) {
            if (n + graph->first[v + 1] - graph->first[v] > capacity) {
                break;
            }
            const int32_t n_leaf = fill_leaves(sweep, horizon, efe + n);
            sweep->n_step += (uint64_t)n_leaf;
            n += n_leaf;
            t--;
        } else if (sweep->next[t] == graph->first[v + 1]) {
            t--;
        } else {
            step_down(sweep, t, sweep->next[t]++);
            t++;
        }
    }
    sweep->depth = t;
    return n;
}
