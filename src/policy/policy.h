/* policy.h: walking through the policies in order.
 *
 * The policies of an origin are the leaves of a tree whose nodes are prefixes. A walker stands on
 * one leaf; moving to a later one changes only the end of the walk, and tells from where on, so
 * that whatever is added up along a walk need not be added up again for the part that stays. */
#ifndef SONDE_POLICY_POLICY_H
#define SONDE_POLICY_POLICY_H

#include "base/memory.h"
#include "base/numbers.h"
#include "base/rng.h"
#include "model/model.h"

/* Where the actions of one factor can be taken, in a general model: a place is a state whose
 * allowed actions matter, and a factor whose every action is allowed has one place. */
typedef struct sonde_places {
    int32_t n_place;
    int32_t n_action;
    const int32_t *next;           /* (n_place, n_action) the place that follows; -1: not allowed */
    const uint64_t *completion;    /* (T + 1, n_place) sequences of t more actions, saturating */
    const double *completion_real; /* (n_place) of T more, as doubles */
} sonde_places;

typedef struct {
    const sonde_policies *policies;
    int32_t origin;
    int32_t *edge;   /* (T + 1) the present walk */
    int32_t *place;  /* (T + 1, n_factor) general models: the factors' places along it */
    uint64_t *begin; /* (T + 1) index of the first policy with the prefix edge[0 .. t] */
    uint64_t *count; /* (T + 1) how many have it; count[0] = 0 before the first move */
} sonde__walker;

void sonde__walker_carve(sonde__arena *arena, const sonde_policies *policies,
                         sonde__walker *walker);
void sonde__walker_start(sonde__walker *walker, const sonde_policies *policies, int32_t origin);
/* Moves to the policy `index`; returns the first place t of the walk that may have changed, T +
 * 1 if none did. */
int32_t sonde__walker_move(sonde__walker *walker, uint64_t index);

/* How many policies the origin with most of them has. */
uint64_t sonde__policies_most(const sonde_policies *policies);

/* How many ways there are to go on, for drawing policies where there are too many for indices
 * (policy_draw.c). */
typedef struct {
    double *log_count[SONDE_FACTORS_MAX]; /* (T + 1, n_place) ln of the sequences of t more edges or
                                             actions, by node, or for each factor by its place */
} sonde__ways;
void sonde__ways_carve(sonde__arena *arena, const sonde_policies *policies, sonde__ways *ways);
void sonde__ways_fill(const sonde_policies *policies, sonde__ways *ways);
/* ln of the number of sequences of t more, from a node or a tuple of places. */
double sonde__ways_log_count(const sonde_policies *policies, const sonde__ways *ways, int32_t t,
                             const int32_t *place);
/* Draws one policy of an origin, each as likely as any other, as T + 1 numbers. */
void sonde__ways_draw(const sonde_policies *policies, const sonde__ways *ways, int32_t origin,
                      sonde__rng *rng, int32_t *walk);
/* Indices of n different policies of an origin that has n or more, fewer than UINT64_MAX,
 * ascending; every subset is as likely as any other. */
void sonde__policies_sample(const sonde_policies *policies, int32_t origin, sonde__rng *rng,
                            uint64_t n, uint64_t *index);
/* Sorts indices and keeps each once; returns how many are left. */
uint64_t sonde__indices_sort(uint64_t *index, uint64_t n);

/* The same as the functions without "product", for general models (policy_product.c). */
sonde_status sonde__product_count(const sonde_model *model, const sonde_run *run,
                                  sonde_policies **policies, sonde_error *error);
/* The places of the factors that an origin stands for. */
void sonde__product_places(const sonde_policies *policies, int32_t origin, int32_t *place);
/* How many sequences of t more actions there are from a tuple of places; saturating. */
uint64_t sonde__product_completions(const sonde_policies *policies, int32_t t,
                                    const int32_t *place);
int32_t sonde__product_origin(const sonde_policies *policies, const double *belief);
uint64_t sonde__product_size(const sonde_policies *policies, int32_t origin);
double sonde__product_size_real(const sonde_policies *policies, int32_t origin);
uint64_t sonde__product_most(const sonde_policies *policies);
uint64_t sonde__product_find(const sonde_policies *policies, int32_t origin, const int32_t *walk);
int32_t sonde__product_move(sonde__walker *walker, uint64_t index);
void sonde__product_get(const sonde_policies *policies, int32_t origin, uint64_t index,
                        int32_t *walk);

/* The lowest of the largest numbers, those that tie being equal. */
int32_t sonde__most_probable(int32_t n, const double *p);

/* Whether policies can begin there: one of the origins, or SONDE_EVERYWHERE. */
static inline bool sonde__origin_is(const sonde_policies *policies, int32_t origin) {
    return origin == SONDE_EVERYWHERE || (origin >= 0 && origin < policies->n_origin);
}
/* The origin, which is the initial one for SONDE_EVERYWHERE in a general model. */
static inline int32_t sonde__origin_of(const sonde_policies *policies, int32_t origin) {
    return origin == SONDE_EVERYWHERE ? policies->initial : origin;
}
/* Whether a walk has T + 1 numbers of edges, or T of actions after its origin. */
bool sonde__walk_is(const sonde_model *model, const int32_t *walk);

/* sonde_policies_get for an index that exists. */
void sonde__policies_get(const sonde_policies *policies, int32_t origin, uint64_t index,
                         int32_t *walk);
/* sonde_policies_size and sonde_policies_action, of an origin that is one and of a step from 1
 * to T. */
static inline uint64_t sonde__policies_size(const sonde_policies *policies, int32_t origin) {
    const sonde_graph *graph = policies->model->graph;
    if (graph == NULL) {
        return sonde__product_size(policies, origin);
    }
    const uint64_t *longest = policies->completion + (int64_t)policies->horizon * graph->n_node;
    return origin == SONDE_EVERYWHERE ? policies->n_policy : longest[graph->head[origin]];
}
static inline int32_t sonde__policies_action(const sonde_policies *policies, const int32_t *walk,
                                             int32_t t) {
    const sonde_model *model = policies->model;
    return model->graph != NULL ? sonde__model_action(model, walk[t - 1], walk[t]) : walk[t];
}

/* The first two numbers of the walks from an origin that begin with an action. */
static inline void sonde__policies_begin(const sonde_policies *policies, int32_t origin,
                                         int32_t action, int32_t *walk) {
    walk[0] = origin;
    walk[1] = action;
    if (policies->model->graph != NULL) {
        sonde_model_action_edges(policies->model, action, &walk[0], &walk[1]);
    }
}
/* Weighs policies again, whose model has other numbers now, or stands elsewhere; `weighed` is from
 * sonde_policies_weigh of the same policies. */
void sonde__policies_weigh_again(sonde_policies *weighed, const sonde_policies *policies,
                                 const sonde_weights *weights);

#endif
