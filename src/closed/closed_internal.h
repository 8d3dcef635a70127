/* closed_internal.h: between the files that plan in closed loop.
 *
 *     world    joint states, what follows them and what is seen in them, as lists;
 *              or the states of each factor on its own         (closed_joint.c, closed_factors.c)
 *     backup   what the G of actions make the value of a belief                (closed_backup.c)
 *     bounds   vectors between which the value of every belief lies            (closed_bounds.c)
 *     web      beliefs, what can be done in them and what can be seen then     (closed_web.c)
 *     closed   the search over the web, and what it knows in the end           (closed_search.c)
 *
 * A belief is a list of the joint states it thinks possible, ascending, with their probabilities;
 * where it is factorised, of the states of all factors, numbered side by side. */
#ifndef SONDE_CLOSED_INTERNAL_H
#define SONDE_CLOSED_INTERNAL_H

#include "base/memory.h"
#include "base/rng.h"
#include "belief/belief.h"
#include "closed/closed.h"
#include "model/model.h"

/* ----------------------------------------------------------------------------------- beliefs -- */

typedef struct {
    int32_t n;
    const int32_t *state; /* (n) ascending */
    const double *p;      /* (n) */
} sonde__support;

/* H(b), without a floor. */
double sonde__support_entropy(sonde__support belief);
/* The sum of their differences. */
double sonde__support_distance(sonde__support a, sonde__support b);

/* ------------------------------------------------------------------------------------- world -- */

/* A list in memory of its own that grows while a world is made. */
typedef struct {
    void *data;
    int64_t n;
    int64_t most;
} sonde__growing;

/* One column of a table of probabilities. */
typedef struct {
    int64_t n;
    int64_t stride;
    const double *p;
    const int32_t *row; /* or NULL: the i-th is i */
} sonde__listing;
/* What a modality shows in a state of its factors; where A depends on the action, place * n_action
 * and the action. */
sonde__listing sonde__listing_seen(const sonde_modality *modality, int64_t state);

/* A model over joint states. All of them, where they are few; otherwise those that can be reached
 * from where it begins. */
typedef struct {
    const sonde_model *model;
    sonde_run run;
    const double *given; /* (U) E while it is made, or NULL */
    uint64_t bytes;      /* that it holds */
    int32_t n_state;     /* S */
    int32_t n_action;    /* U */
    int32_t horizon;     /* T */
    int32_t n_by;        /* U where what is seen depends on the action, otherwise 1 */
    int32_t n_row;       /* rows of C: 1 or T */
    uint64_t *joint;     /* (S) their numbers, ascending */
    int64_t *offset;     /* (S U + 1) what follows state s and action u begins at offset[s U + u] */
    int32_t *next;       /* (offset's last) */
    double *p;           /* (offset's last) */
    int64_t *sees;     /* (S n_by + 1) what is seen in state s after u begins at sees[s n_by + u] */
    int32_t *seen;     /* (sees' last) tuples of outcomes */
    double *seen_p;    /* (sees' last) */
    int32_t n_tuple;   /* tuples of outcomes that can be seen anywhere */
    int32_t *tuple;    /* (n_tuple, n_modality) an outcome of each modality; -1: says nothing */
    uint64_t n_branch; /* the most entries of `seen` over all states, after any one action */
    int32_t n_telling; /* modalities that say something about the state, */
    bool telling[SONDE_FACTORS_MAX]; /* and which they are */
    double kappa;                    /* how much the entropy of a belief is worth at most */
    sonde_weights weights;           /* of the parts of G */
    double informs;                  /* how much information counts: 0 or its weight */
    double *price;  /* (n_row, S n_by) what is linear in the state reached: utility and cost */
    double *blur;   /* (S n_by) summed entropy of the telling modalities' outcomes */
    double *charge; /* (S U) what an action costs in the state it is taken in */
    double *prior;  /* (U) E, of backups and posteriors */
    double *habit;  /* (U) E as it was given, which SPM has within G */
    bool *allowed;  /* (S U) or NULL: everything is */
    /* beliefs of factors: S is n_belief, tuples are all there are, and the lists above are empty */
    bool factorised;
    bool marginal;     /* outcomes branch as if modalities were independent */
    bool patient;      /* inference takes all its rounds */
    int32_t inference; /* how outcomes are taken in */
    double blurred;    /* what pymdp 0.0.7 adds within the logarithm of A; or 0 */
} sonde__joint;

/* Makes the world; fails with SONDE_TOO_LARGE, SONDE_NO_MEMORY or SONDE_STOPPED. Close it whatever
 * it returns. */
sonde_status sonde__joint_open(sonde__joint *world, const sonde_policies *policies,
                               const sonde_search_settings *settings, const sonde_run *run,
                               sonde_error *error);
void sonde__joint_close(sonde__joint *world);
/* Takes in numbers of the model that are others than before; what was 0 is 0 still. */
void sonde__joint_renew(sonde__joint *world);
/* The number of a joint state among those of the world, or -1. */
int32_t sonde__joint_find(const sonde__joint *world, uint64_t joint);
/* The states of the factors in a joint state (n_factor). */
void sonde__joint_digits(const sonde_model *model, uint64_t joint, int32_t *state);
/* Appends what a state of the world is called. */
void sonde__joint_say(const sonde__joint *world, int32_t state, sonde_text *text);
/* Sets E of all actions: as it was given, or as the model has it. */
void sonde__joint_priors(sonde__joint *world);
/* Whether an action may be taken at a belief. */
bool sonde__joint_allows(const sonde__joint *world, sonde__support belief, int32_t action);
/* Where in `sees`, `price` and `blur` a state stands that was reached by an action. */
static inline int64_t sonde__joint_at(const sonde__joint *world, int32_t state, int32_t action) {
    return (int64_t)state * world->n_by + (world->n_by > 1 ? action : 0);
}
/* The row of C that scores what is seen after the step from this depth. */
static inline int32_t sonde__joint_row(const sonde__joint *world, int32_t depth) {
    return depth < world->n_row ? depth : world->n_row - 1;
}

/* What one action at one belief leads to. */
typedef struct {
    /* the prediction */
    double *mass;   /* (S) zeros between two uses */
    int32_t *state; /* (S) its support, ascending */
    double *p;      /* (S) */
    int32_t n;
    /* what is seen then */
    double *chance;     /* (n_tuple) zeros between two uses */
    int32_t *count;     /* (n_tuple) zeros between two uses */
    int32_t *tuple;     /* (n_tuple) those that can be seen, ascending */
    int64_t *first;     /* (n_tuple + 1) where the posterior of each of those begins */
    int32_t n_tuple;    /* how many there are */
    int32_t *posterior; /* (n_branch) states */
    double *posterior_p;
    double *by_modality; /* (outcomes of all modalities) */
    double efe;          /* g of the step and what the action costs */
    /* beliefs of factors */
    double *now;      /* (n_belief) */
    double *then;     /* (n_belief) predicted */
    double *combined; /* (n_joint) probabilities of combined states */
    double *scratch;  /* of inference */
} sonde__prospect;
void sonde__prospect_carve(sonde__arena *arena, const sonde__joint *world,
                           sonde__prospect *outlook);
/* Predicts, and scores the step with a row of C. */
void sonde__prospect_predict(const sonde__joint *world, sonde__support belief, int32_t action,
                             int32_t row, sonde__prospect *outlook);
/* After that, the belief after each tuple of outcomes; i counts `tuple`. */
void sonde__prospect_divide(const sonde__joint *world, int32_t action, sonde__prospect *outlook);
static inline sonde__support sonde__prospect_after(const sonde__prospect *outlook, int32_t i) {
    const int64_t first = outlook->first[i];
    return (sonde__support){.n = (int32_t)(outlook->first[i + 1] - first),
                            .state = outlook->posterior + first,
                            .p = outlook->posterior_p + first};
}
/* After a prediction, takes a tuple out of those that can be seen. */
static inline void sonde__prospect_forget(sonde__prospect *outlook, int32_t tuple) {
    outlook->chance[tuple] = 0.0;
    outlook->count[tuple] = 0;
}
/* Sorts whole numbers in place. */
void sonde__sort(int32_t *number, int32_t n);
/* The terms of a step whose prediction is there. */
sonde_efe sonde__prospect_terms(const sonde__joint *world, sonde__support belief, int32_t action,
                                int32_t row, const sonde__prospect *outlook);

/* closed_factors.c: the same for beliefs of factors. */
sonde_status sonde__factors_open(sonde__joint *world, sonde_error *error);
void sonde__factors_carve(sonde__arena *arena, const sonde__joint *world, sonde__prospect *outlook);
void sonde__factors_predict(const sonde__joint *world, sonde__support belief, int32_t action,
                            int32_t row, sonde__prospect *outlook);
void sonde__factors_divide(const sonde__joint *world, int32_t action, sonde__prospect *outlook);
sonde_efe sonde__factors_terms(const sonde__joint *world, sonde__support belief, int32_t action,
                               int32_t row, const sonde__prospect *outlook);
/* Writes a belief (n_belief) as a list into a prospect's prediction. */
void sonde__factors_list(const sonde__joint *world, const double *belief, sonde__prospect *outlook);
/* And back. */
void sonde__factors_spread(const sonde__joint *world, sonde__support belief, double *flat);

/* ------------------------------------------------------------------------------------ backup -- */

/* What makes one value of several. */
typedef struct {
    sonde_backup kind;
    double gamma;
    double least; /* the least positive E */
    double worth; /* what the average can be above the minimum, at most: w of docs/closed-loop.md */
} sonde__backing;
sonde__backing sonde__backup_of(sonde_backup kind, double gamma, int32_t n, const double *prior);
/* What the last digits of the logarithm in the free energy of n actions make of it: as much more as
 * gamma is small. */
double sonde__backup_digits(double gamma, int32_t n);
/* The value of n actions; those without prior do not count. */
double sonde__backup_value(const sonde__backing *backup, int32_t n, const double *prior,
                           const double *efe);
/* All values that G between these bounds can have. */
void sonde__backup_range(const sonde__backing *backup, int32_t n, const double *prior,
                         const double *lower, const double *upper, double range[2]);

/* ------------------------------------------------------------------------------------ bounds -- */

/* A belief from which vectors are made. */
typedef struct {
    int32_t n;
    int32_t *state; /* (S) */
    double *p;      /* (S) */
} sonde__anchor;

/* Vectors of one depth. */
typedef struct {
    int32_t n_point;
    sonde__anchor *point; /* (n_most) */
    double *lower;        /* (S, U): G of u is at least b . lower[., u] - kappa H(b) */
    double *upper;        /* (U, S, n_most): G of u is at most each of these, times b */
    double *value;        /* (S, n_most): the value is at most each of these, times b */
} sonde__layer;

typedef struct {
    const sonde__joint *world;
    sonde__backing backup;
    double discount;
    uint64_t seed;
    int32_t n_trail;     /* trajectories from which points are taken */
    int32_t n_most;      /* points of a depth, at most */
    double *step;        /* (n_row, S, U) G of a step from a state that is known */
    double *linear;      /* (n_row, S, U) the same where cost is linear: c of docs/closed-loop.md */
    double *most;        /* (T + 1) no value of this depth is larger */
    sonde__layer *layer; /* (T) */
    sonde__prospect outlook;
    double *sum;          /* (n_most) */
    double *tally;        /* (n_tuple, n_most) */
    double *gather;       /* (n_tuple, U) */
    double *weight;       /* (n_tuple) zeros between two uses */
    int32_t *touched;     /* (n_tuple) */
    int32_t *chosen;      /* (n_tuple) the vector that goes on after each */
    int32_t *usual;       /* (n_by, n_tuple) the same for what cannot be seen from a point */
    double *after;        /* (S) what follows a state, after it is seen */
    double *each;         /* (U) */
    sonde__anchor *trail; /* (n_trail) */
    uint64_t n_step;      /* beliefs that were scored */
} sonde__bounds;
void sonde__bounds_carve(sonde__arena *arena, sonde__bounds *bounds);
/* Once for a model: what does not depend on where the search begins. */
void sonde__bounds_prepare(sonde__bounds *bounds);
/* For every decision: the vectors, of the depth of the root and those after it. */
void sonde__bounds_aim(sonde__bounds *bounds, sonde__support root, int32_t first, uint64_t number);
/* Between what G of each action lies at a belief, lower and upper bounds (U), and the value.
 * Actions that are not allowed have prior 0 in `prior` (U). */
void sonde__bounds_box(sonde__bounds *bounds, int32_t depth, sonde__support belief,
                       const double *prior, double *const bound[2], double value[2]);

/* --------------------------------------------------------------------------------------- web -- */

typedef struct sonde__node sonde__node;
typedef struct sonde__branch sonde__branch;
struct sonde__branch {
    double chance;
    sonde__node *parent;
    sonde__node *child;
    sonde__branch *next; /* another that leads to the same child; or NULL */
    int32_t action;
    int32_t tuple;
};
/* What doing something in a node is worth. */
typedef struct {
    double step; /* G of the step itself */
    double lower;
    double upper;
    sonde__branch *branch; /* (n_branch) */
    int32_t n_branch;
    int32_t n_seen; /* thresholds: outcomes that are looked at */
    bool legal;
    bool stale;    /* a child has changed */
    bool complete; /* no leaf can be reached */
    bool cut;      /* thresholds: it is not looked at any more */
} sonde__option;
struct sonde__node {
    sonde__node *next;     /* with the same place in the table of beliefs; or NULL */
    sonde__node *peer;     /* another of the same depth; or NULL */
    sonde__node *stale;    /* the next whose options are stale; or NULL */
    sonde__branch *parent; /* the first branch that leads here */
    sonde__option *option; /* (U), or NULL: a leaf */
    double lower;
    double upper;
    uint64_t hash;
    int32_t depth;
    int32_t mark; /* its place in a plan, or -1 */
    double tree;  /* beliefs of all histories from here on */
    bool waits;   /* among the stale */
    bool complete;
    sonde__support belief;
};

typedef struct {
    const sonde__joint *world;
    sonde__bounds *bounds; /* NULL: everything is expanded */
    sonde__backing backup;
    double discount;
    bool merges;
    char *block; /* (size) from which nodes are cut */
    uint64_t size;
    uint64_t first; /* where in it this web begins */
    uint64_t used;
    uint64_t worst;     /* that expanding a node takes, at most */
    sonde__node *stuck; /* a node in which nothing is allowed; or NULL */
    sonde__node **table;
    uint64_t n_place; /* a power of two */
    uint64_t n_node;
    uint64_t n_expanded;
    uint64_t n_kept; /* of which an earlier search did */
    uint64_t n_merged;
    uint64_t n_step;
    sonde__node **stale; /* (T) lists by depth */
    sonde__node **peer;  /* (T) all nodes by depth, the last one first */
    sonde__prospect outlook;
    double *lower; /* (U) */
    double *upper; /* (U) */
    double *prior; /* (U) */
} sonde__web;
/* The most bytes that expanding one node can take. */
uint64_t sonde__web_worst(const sonde__joint *world);
void sonde__web_carve(sonde__arena *arena, sonde__web *web);
/* Begins anew with a belief after so many steps; NULL where there is no room even for that. */
sonde__node *sonde__web_root(sonde__web *web, sonde__support belief, int32_t depth);
/* closed_again.c: begins with what an earlier search has found from one of its nodes on, all of it
 * so many steps nearer, and forgets the rest; NULL where there is no room for it. With steps to
 * spare, every interval is made anew. */
sonde__node *sonde__web_again(sonde__web *web, sonde__node *root, int32_t nearer);
/* Whether there is room to expand one more. */
static inline bool sonde__web_has_room(const sonde__web *web) {
    return web->size - web->used >= web->worst;
}
/* Makes the options of a leaf, about which nothing is known but whether they are legal. */
sonde__option *sonde__web_options(sonde__web *web, sonde__node *node);
/* Makes the branches of an action, whose outlook is there and was divided. */
void sonde__web_branch(sonde__web *web, sonde__node *node, int32_t action);
/* Scores every action of a leaf, and makes its children; where there are bounds, the intervals of
 * all ancestors follow. */
void sonde__web_expand(sonde__web *web, sonde__node *node);
/* Makes the intervals of a node anew from those of its children. */
void sonde__web_refresh(sonde__web *web, sonde__node *node);
/* A node that has nothing left to expand though its ancestors do not know. */
void sonde__web_finish(sonde__web *web, sonde__node *node);
/* Where a belief is found again. */
uint64_t sonde__web_hash(int32_t depth, sonde__support belief);
/* Which actions can be taken at a belief, as priors (U); false: none can. */
bool sonde__web_priors(const sonde__web *web, sonde__support belief, double *prior);
/* Cuts n pieces off the block; NULL where it is used up. */
void *sonde__web_take(sonde__web *web, uint64_t n, size_t size);

/* ------------------------------------------------------------------------------------ closed -- */

/* What is known of the actions of the root, G of each between two bounds. */
typedef struct {
    double *prior; /* (U) 0 where an action cannot be taken */
    double *lower; /* (U) */
    double *upper; /* (U) */
    double value[2];
    double *mass_lower; /* (U) E exp(-gamma G), relative, at the upper bounds */
    double *mass_upper; /* (U) and at the lower ones */
    double *posterior;  /* (U) at the middles */
} sonde__root_box;

/* A depth of SPM's recursion. */
typedef struct {
    double *efe;     /* (U) */
    double *share;   /* (U) of the most probable one's probability */
    double *even;    /* (U) the same for all actions that are allowed */
    int32_t *state;  /* (S) what is predicted */
    double *p;       /* (S) */
    int32_t *after;  /* (S) what is believed then */
    double *after_p; /* (S) */
} sonde__level;

/* A search over beliefs. */
typedef struct {
    bool bounds;     /* it knows bounds */
    bool certifies;  /* what it finds has a certificate */
    bool factorised; /* it goes with beliefs of factors */
    bool tree;       /* it looks at what follows which outcomes, so that there is a plan */
    int32_t backup;  /* a sonde_backup that it always has; -1: any */
    void (*carve)(sonde__closed *closed, sonde__arena *arena); /* its own memory, or NULL */
    const char *(*run)(sonde__closed *closed);
} sonde__way;

/* What the searches that others plan with need. */
typedef struct {
    double *step;       /* (S U) G of a step from a state that is known, with this row of C: */
    int32_t row;        /* -1: none was */
    double *value;      /* (S) of states that are known, */
    double *next;       /* (S) and a step later */
    double *efe;        /* (U) */
    double exploration; /* of uct, once `explores` */
    bool explores;
    sonde__rng rng;
    int32_t *state; /* (S) where a sequence of random actions has come */
    double *p;      /* (S) */
} sonde__baseline;

/* infinite.c: what plans without a horizon. */
typedef struct sonde__infinite sonde__infinite;

struct sonde__closed {
    const sonde_policies *policies;
    sonde_search_settings settings; /* with gamma settled */
    const sonde__way *way;
    sonde_search_kind used; /* the search that decided in the end */
    double began;           /* when the search did */
    sonde_run run;
    sonde__joint world;
    sonde__bounds bounds;
    sonde__web web;
    sonde__arena block; /* of the web */
    uint64_t version;   /* of the model's numbers that the world has */
    bool prepared;      /* what no decision changes is there */
    double allowance;   /* what merging can have moved a G by, at most, and relative to 1 + |G| */
    sonde__infinite *infinite; /* instead of bounds and web, without a horizon; or NULL */
    sonde__root_box box;
    sonde__node *root;
    /* where it has come to */
    sonde__node *here;           /* the node of the present belief; NULL: it is not known */
    const sonde__option *onward; /* what was done, before what is seen then; or NULL */
    bool arrived;                /* `here` follows the root of the last decision */
    int32_t n_taken;             /* steps since it began */
    int32_t n_followed;          /* decisions that followed the plan of the last search */
    bool dropped;                /* the plan was given up */
    double surprise;             /* of what was seen last */
    const char *stopped;         /* why the last search did */
    uint64_t unwritten;          /* bytes of the web without the plan that was written after it */
    int32_t n_written;           /* nodes of that plan, */
    sonde__node **written;       /* (n_written) and which they are */
    bool known;                  /* G of the root's actions is there */
    bool ends;                   /* the trial ends with the horizon */
    /* thresholds */
    double *slot_prior; /* (slots) */
    double *slot_efe;   /* (slots) */
    double *slot_share; /* (slots) */
    uint64_t n_kept;    /* actions and outcomes that were looked at */
    sonde__baseline baseline;
    uint64_t number;     /* of the decision */
    sonde__level *level; /* (T + 1) */
    /* the joint belief */
    int32_t *state; /* (S) */
    double *p;      /* (S) */
    int32_t n;
    int32_t last;        /* the action that led there; -1: none */
    double *kept;        /* (S) what it was before, or scratch */
    int32_t *kept_state; /* (S) */
    double *initial;     /* (n_belief) */
    /* what the decision shows */
    int32_t *action;
    double *posterior;
    double *probability;
    double *marginal;
    double *chances;
    double *efe_lower;
    double *efe_upper;
    double *p_lower;
    double *p_upper;
    sonde_efe *step;
};

/* closed_certificate.c: fills in masses, posterior and value of the root; then how far the
 * posterior can be from the exact one: below 0 exactly, otherwise whether it is more than
 * `enough`. */
void sonde__box_settle(sonde__closed *closed);
/* The mass of all actions but u; differences of sums would lose it beside a large one. */
double sonde__box_others(const double *mass, int32_t n, int32_t u);
double sonde__box_tv(const sonde__closed *closed, double enough);
/* what rounding may have moved a probability by: ranges of them are that much wider */
#define SONDE__BOX_ROUNDING 1e-13
/* The certificate of a decision whose actions are there. */
sonde_certificate sonde__box_certify(const sonde__closed *closed, const char *stopped);
/* Searches, of which each looks at beliefs from the root until enough is known, and returns why it
 * stopped, or NULL: nothing is allowed somewhere. `known` is true before. */
const char *sonde__full_search(sonde__closed *closed);
const char *sonde__auto_search(sonde__closed *closed);
const char *sonde__bounded_search(sonde__closed *closed);
void sonde__pruned_carve(sonde__closed *closed, sonde__arena *arena);
const char *sonde__pruned_search(sonde__closed *closed);
void sonde__spm_carve(sonde__closed *closed, sonde__arena *arena);
const char *sonde__spm_search(sonde__closed *closed);
void sonde__baseline_carve(sonde__closed *closed, sonde__arena *arena);
const char *sonde__dpefe_search(sonde__closed *closed);
const char *sonde__qmdp_search(sonde__closed *closed);
const char *sonde__uct_search(sonde__closed *closed);
/* infinite.c: the same without a horizon. */
size_t sonde__infinite_size(void);
sonde_status sonde__infinite_check(const sonde_policies *policies,
                                   const sonde_search_settings *settings, sonde_error *error);
/* Once the world and the room for beliefs are there; fails where a policy is of another model. */
sonde_status sonde__infinite_open(sonde__closed *closed, sonde_error *error);
void sonde__infinite_carve(sonde__closed *closed, sonde__arena *arena);
/* A new episode begins: forgets what was found in the one before. */
void sonde__infinite_begin(sonde__closed *closed);
const char *sonde__infinite_search(sonde__closed *closed);
void sonde__infinite_write(sonde__closed *closed, sonde_decision *decision);
/* closed_plan.c: takes the plan that was written last out of the web's memory. */
void sonde__closed_unwrite(sonde__closed *closed);
/* Writes down what is to be done after what is seen. */
void sonde__closed_write(sonde__closed *closed, sonde_decision *decision);

/* Takes in numbers of the model that are others than before, if they are. */
void sonde__closed_renew(sonde__closed *closed);

#endif
