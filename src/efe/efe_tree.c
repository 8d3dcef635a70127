/* efe_tree.c: G of all policies that begin with one action, depth first.
 *
 * The last step of all policies with the same T - 1 edges is one short loop: a table look-up and an
 * addition each. Everything above it is shared. There is no recursion, so that the horizon may be as
 * long as memory allows. */
#include "efe/efe.h"

void sonde__tree_carve(sonde__arena *arena, int32_t horizon, sonde__tree *tree) {
    tree->edge = SONDE__TAKE(arena, int32_t, horizon + 1);
    tree->next = SONDE__TAKE(arena, int32_t, (int64_t)horizon + 2);
    tree->state = SONDE__TAKE(arena, int32_t, horizon + 1);
    tree->sum = SONDE__TAKE(arena, double, horizon + 1);
}

/* Takes edge e as the t-th of the walk. */
static inline void step_down(sonde__tree *tree, int32_t t, int32_t e) {
    const sonde_model *model = tree->policies->model;
    const int32_t s = sonde__efe_next(model->graph, tree->state[t - 1], tree->edge[t - 1], e);
    tree->edge[t] = e;
    tree->state[t] = s;
    tree->sum[t] = tree->sum[t - 1] + model->step[s];
    tree->next[t + 1] = model->graph->first[model->graph->head[e]];
    tree->n_step++;
}

void sonde__tree_start(sonde__tree *tree, const sonde_policies *policies, int32_t edge,
                       int32_t first, int32_t state) {
    tree->policies = policies;
    tree->edge[0] = edge;
    tree->state[0] = state;
    tree->sum[0] = 0.0;
    step_down(tree, 1, first);
    tree->depth = 2;
}

/* All last steps of the present prefix of T - 1 steps; returns how many. */
static inline int32_t fill_leaves(const sonde__tree *tree, int32_t horizon, double *efe) {
    const sonde_model *model = tree->policies->model;
    const sonde_graph *graph = model->graph;
    const int32_t edge = tree->edge[horizon - 1];
    const int32_t state = tree->state[horizon - 1];
    const double sum = tree->sum[horizon - 1];
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

int32_t sonde__tree_fill(sonde__tree *tree, double *efe, int32_t capacity) {
    const sonde_graph *graph = tree->policies->model->graph;
    const int32_t horizon = tree->policies->horizon;
    int32_t n = 0;
    int32_t t = tree->depth;
    if (horizon == 1 && t == 2) {
        /* one action, one policy */
        tree->depth = 1;
        efe[0] = tree->sum[1];
        return 1;
    }
    while (t > 1) {
        const int32_t v = graph->head[tree->edge[t - 1]];
        if (t == horizon) {
            if (n + graph->first[v + 1] - graph->first[v] > capacity) {
                break;
            }
            const int32_t n_leaf = fill_leaves(tree, horizon, efe + n);
            tree->n_step += (uint64_t)n_leaf;
            n += n_leaf;
            t--;
        } else if (tree->next[t] == graph->first[v + 1]) {
            t--;
        } else {
            step_down(tree, t, tree->next[t]++);
            t++;
        }
    }
    tree->depth = t;
    return n;
}
