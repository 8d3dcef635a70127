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

typedef struct sonde__walker sonde__walker;
struct sonde__walker {
    const sonde_policies *policies;
    int32_t (*move)(sonde__walker *walker, uint64_t index);
    int32_t origin;
    int32_t *edge;   /* (T + 1) the present walk */
    int32_t *place;  /* (T + 1, n_factor) general models: the factors' places along it */
    uint64_t *begin; /* (T + 1) index of the first policy with the prefix edge[0 .. t] */
    uint64_t *count; /* (T + 1) how many have it; count[0] = 0 before the first move */
};

void sonde__walker_carve(sonde__arena *arena, const sonde_policies *policies,
                         sonde__walker *walker);
void sonde__walker_start(sonde__walker *walker, const sonde_policies *policies, int32_t origin);
/* Moves to the policy `index`; returns the first place t of the walk that may have changed, T +
 * 1 if none did. */
static inline int32_t sonde__walker_move(sonde__walker *walker, uint64_t index) {
    return walker->move(walker, index);
}

/* How many policies the origin with most of them has. */
uint64_t sonde__policies_most(const sonde_policies *policies);

/* How many ways there are to go on, for drawing policies where there are too many for indices
 * (policy_draw.c). */
typedef struct {
    int32_t n_list; /* of places: one of nodes, or one for each factor */
    int32_t n_place[SONDE_FACTORS_MAX];
    double *log_count[SONDE_FACTORS_MAX]; /* (T + 1, n_place) ln of the sequences of t more edges or
                                             actions, by node, or for each factor by its place */
} sonde__ways;
/* The ways on from a place: where each leads, -1 where it is none. */
typedef struct {
    int32_t n;
    const int32_t *to; /* (n) */
} sonde__fork;
void sonde__ways_carve(sonde__arena *arena, const sonde_policies *policies, sonde__ways *ways);
void sonde__ways_fill(const sonde_policies *policies, sonde__ways *ways);
/* Draws one of the ways on, each as likely as there are policies below it. */
int32_t sonde__ways_choose(const sonde__fork *from, const double *below, sonde__rng *rng);
/* ln of the number of sequences of t more, from a node or a tuple of places. */
static inline double sonde__ways_log_count(const sonde__ways *ways, int32_t t,
                                           const int32_t *place) {
    double sum = 0.0;
    for (int32_t i = 0; i < ways->n_list; i++) {
        sum += ways->log_count[i][(int64_t)t * ways->n_place[i] + place[i]];
    }
    return sum;
}
/* Draws one policy of an origin, each as likely as any other, as T + 1 numbers. */
void sonde__ways_draw(const sonde_policies *policies, const sonde__ways *ways, int32_t origin,
                      sonde__rng *rng, int32_t *walk);
/* Indices of n different policies of an origin that has n or more, fewer than UINT64_MAX,
 * ascending; every subset is as likely as any other. */
void sonde__policies_sample(const sonde_policies *policies, int32_t origin, sonde__rng *rng,
                            uint64_t n, uint64_t *index);
/* Sorts indices and keeps each once; returns how many are left. */
uint64_t sonde__indices_sort(uint64_t *index, uint64_t n);

/* What actions are chosen among, and what policies are made of: nodes and edges (policy_walk.c), or
 * actions (policy_product.c). */
typedef struct {
    /* which actions policies of an origin can begin with: begin to end - 1 */
    void (*first)(const sonde_policies *policies, int32_t origin, int32_t *begin, int32_t *end);
    /* what an action is chosen among in a state: nodes that can be reached, or the actions
     * themselves; which of these an action is, and the action that it stands for */
    int32_t (*n_choice)(const sonde_policies *policies, int32_t state);
    int32_t (*choice)(const sonde_policies *policies, int32_t state, int32_t action);
    int32_t (*chosen)(const sonde_policies *policies, int32_t state, int32_t choice);
    /* the node that a choice leads to, -1 where there are none, and how many there are at most */
    int32_t (*node)(const sonde_policies *policies, int32_t state, int32_t choice);
    int32_t (*most_nodes)(const sonde_policies *policies);
    /* what policies have in common or not: nodes, then edges; or actions */
    int32_t (*n_element)(const sonde_policies *policies);
    /* puts 1 where a walk has an element (n_element), 0 before; returns how many these are */
    int32_t (*indicate)(const sonde_policies *policies, const int32_t *walk, double *element);
    /* the elements of a walk, repeats included: how many are put on the list, 2 T + 3 at most; and
     * the i-th of them, -1 past the last */
    int32_t (*elements)(const sonde_policies *policies, const int32_t *walk, int32_t *list);
    int32_t (*element)(const sonde_policies *policies, const int32_t *walk, int32_t i);
} sonde__policy_parts;
extern const sonde__policy_parts sonde__parts_actions;

/* What differs between the three spaces of policies: walks through a graph (policy_walk.c),
 * products over the actions of factors (policy_product.c), and lists (policy_list.c). Origins and
 * indices exist, and steps are from 1 to T. */
typedef struct {
    bool listed; /* policies are looked up: prefixes lead nowhere but to those of the list */
    bool global; /* the origin SONDE_EVERYWHERE has the policies of all origins */
    int32_t (*origin)(const sonde_policies *policies, const double *belief);
    uint64_t (*size)(const sonde_policies *policies, int32_t origin);
    double (*size_real)(const sonde_policies *policies, int32_t origin);
    uint64_t (*most)(const sonde_policies *policies);
    void (*get)(const sonde_policies *policies, int32_t origin, uint64_t index, int32_t *walk);
    uint64_t (*find)(const sonde_policies *policies, int32_t origin, const int32_t *walk);
    int32_t (*move)(sonde__walker *walker, uint64_t index);
    /* puts 0 where some policy of the origin begins with a choice (n_choice), -1 elsewhere */
    void (*mark)(const sonde_policies *policies, int32_t origin, int32_t state, int32_t *choice);
    /* draws a policy; of how many lists of places the counts of ways are, and how many places and
     * which ways on each has */
    void (*draw)(const sonde_policies *policies, const sonde__ways *ways, int32_t origin,
                 sonde__rng *rng, int32_t *walk);
    int32_t (*n_list)(const sonde_policies *policies);
    int32_t (*n_place)(const sonde_policies *policies, int32_t list);
    sonde__fork (*fork)(const sonde_policies *policies, int32_t list, int32_t place);
    const sonde__policy_parts *parts;
} sonde__policy_space;
extern const sonde__policy_space sonde__space_walk;
extern const sonde__policy_space sonde__space_product;
extern const sonde__policy_space sonde__space_list;
static inline const sonde__policy_space *sonde__space_of(const sonde_policies *policies) {
    return policies->place != NULL        ? &sonde__space_product
           : policies->completion != NULL ? &sonde__space_walk
                                          : &sonde__space_list;
}

static inline const sonde__policy_parts *sonde__parts_of(const sonde_policies *policies) {
    return sonde__space_of(policies)->parts;
}

/* The origin of all policies that there are: everywhere, or the initial one. */
static inline int32_t sonde__origin_of_all(const sonde_policies *policies) {
    return sonde__space_of(policies)->global ? SONDE_EVERYWHERE : policies->initial;
}

/* Whether a model has what each of so many steps needs. */
sonde_status sonde__horizon_check(const sonde_model *model, int32_t horizon, sonde_error *error);
/* The policies of a general model, counted or listed. */
sonde_status sonde__product_count(const sonde_model *model, int32_t horizon, const sonde_run *run,
                                  sonde_policies **policies, sonde_error *error);
/* The places of the factors that an origin stands for. */
void sonde__product_places(const sonde_policies *policies, int32_t origin, int32_t *place);
/* How many sequences of t more actions there are from a tuple of places; saturating. */
uint64_t sonde__product_completions(const sonde_policies *policies, int32_t t,
                                    const int32_t *place);

/* The lowest of the largest numbers, those that tie being equal. */
int32_t sonde__most_probable(int32_t n, const double *p);

/* sonde_present_at of a belief whose origin is known. */
static inline sonde_present sonde__present_of(const sonde_policies *policies, int32_t origin,
                                              const double *belief) {
    const bool known = sonde__kind(policies->model) == SONDE__OF_GRAPHS;
    return (sonde_present){.state = known ? origin : -1, .belief = belief};
}
/* Whether somebody can be there: on an edge, or with a belief. */
bool sonde__present_is(const sonde_model *model, sonde_present now);
/* Whether policies can begin there: one of the origins, or SONDE_EVERYWHERE. */
static inline bool sonde__origin_is(const sonde_policies *policies, int32_t origin) {
    return origin == SONDE_EVERYWHERE || (origin >= 0 && origin < policies->n_origin);
}
/* The origin, which is the initial one for SONDE_EVERYWHERE in a general model. */
static inline int32_t sonde__origin_of(const sonde_policies *policies, int32_t origin) {
    return origin == SONDE_EVERYWHERE ? policies->initial : origin;
}
/* Whether a walk has T + 1 numbers of edges, or T of actions after its origin. */
bool sonde__walk_is(const sonde_policies *policies, const int32_t *walk);

/* sonde_policies_get for an index that exists. */
static inline void sonde__policies_get(const sonde_policies *policies, int32_t origin,
                                       uint64_t index, int32_t *walk) {
    sonde__space_of(policies)->get(policies, origin, index, walk);
}
/* sonde_policies_size and sonde_policies_action, of an origin that is one and of a step from 1
 * to T. */
static inline uint64_t sonde__policies_size(const sonde_policies *policies, int32_t origin) {
    return sonde__space_of(policies)->size(policies, origin);
}
static inline int32_t sonde__policies_action(const sonde_policies *policies, const int32_t *walk,
                                             int32_t t) {
    return sonde__kind(policies->model) == SONDE__OF_GRAPHS
               ? sonde__model_action(policies->model, walk[t - 1], walk[t])
               : walk[t];
}

/* The first two numbers of the walks from an origin that begin with an action. */
static inline void sonde__policies_begin(const sonde_policies *policies, int32_t origin,
                                         int32_t action, int32_t *walk) {
    walk[0] = origin;
    walk[1] = action;
    if (sonde__kind(policies->model) == SONDE__OF_GRAPHS) {
        (void)sonde_model_tuple(policies->model, action, walk);
    }
}
/* Weighs policies again, whose model has other numbers now, or stands elsewhere; `weighed` is from
 * sonde_policies_weigh of the same policies. */
void sonde__policies_weigh_again(sonde_policies *weighed, const sonde_policies *policies,
                                 const sonde_weights *weights);

/* How many numbers a walk can have in any of its places. */
int32_t sonde__policies_n_number(const sonde_policies *policies);
/* A step as people write it, after the number `last` of a walk: an action of every factor, or a
 * node next to the last; by name or number, up to a comma. Returns its number, and moves on in the
 * text; -1: it is none. */
int32_t sonde__policies_read_step(const sonde_policies *policies, int32_t last, const char **text);
/* What such a step is, for people. */
const char *sonde__policies_step(const sonde_policies *policies);

#endif
