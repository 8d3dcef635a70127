/* efe.h: scoring many policies, each shared prefix once.
 *
 * Two ways through the tree of prefixes: a scorer jumps forward from policy to policy and keeps the
 * sums along the present walk; a tree takes all policies from one edge in order, in blocks. */
#ifndef SONDE_EFE_EFE_H
#define SONDE_EFE_EFE_H

#include "policy/policy.h"

typedef struct {
    sonde__walker walker;
    int32_t *state; /* (T + 1) where the agent is after each step; state[0] before the first */
    double *sum;    /* (T + 1) G of each prefix */
    uint64_t n_step;
} sonde__scorer;

void sonde__scorer_carve(sonde__arena *arena, int32_t horizon, sonde__scorer *scorer);
void sonde__scorer_start(sonde__scorer *scorer, const sonde_policies *policies, int32_t origin,
                         int32_t state);
/* G of the policy `index`; counts the steps that had to be scored. */
double sonde__scorer_efe(sonde__scorer *scorer, uint64_t index);

typedef struct {
    const sonde_policies *policies;
    int32_t depth;  /* t of the edge to choose next; 0 when all policies have been taken */
    int32_t *edge;  /* (T + 1) the present prefix */
    int32_t *next;  /* (T + 2) the edge to take next at each depth */
    int32_t *state; /* (T + 1) */
    double *sum;    /* (T + 1) */
    uint64_t n_step;
} sonde__tree;

void sonde__tree_carve(sonde__arena *arena, int32_t horizon, sonde__tree *tree);
/* The policies that begin with the action edge => first, carried out from `state`. */
void sonde__tree_start(sonde__tree *tree, const sonde_policies *policies, int32_t edge,
                       int32_t first, int32_t state);
/* G of the next policies, in order, until `capacity` or the end; returns how many, 0 at the end.
 * The capacity is at least the largest number of edges that leave a node. */
int32_t sonde__tree_fill(sonde__tree *tree, double *efe, int32_t capacity);

/* The state that the step from walk edge `from` to `to` leads to. */
static inline int32_t sonde__efe_next(const sonde_graph *graph, int32_t state, int32_t from,
                                      int32_t to) {
    return state == from ? to : graph->self[graph->head[state]];
}

#endif
