/* search.h: choosing which policies to score, and what their scores say.
 *
 * Every search method does three things with what is prepared once: it prepares an origin on the
 * first visit, it chooses policies for one decision, and it visits them in blocks. Posterior, best
 * policy and action are the same for all of them.
 *
 * To add a method: write search_NAME.c with those functions, declare them here, and add a row to
 * the table in search.c and a value to sonde_search_kind. */
#ifndef SONDE_SEARCH_SEARCH_H
#define SONDE_SEARCH_SEARCH_H

#include "cluster/cluster.h"
#include "efe/efe_bound.h"
#include "efe/efe_fan.h"
#include "efe/efe_rounding.h"
#include "base/rng.h"
#include "embed/embed.h"

/* Some policies that begin with the same action, and their G. */
typedef struct {
    int32_t action;
    int32_t n;
    uint64_t first;        /* the i-th is policy first + i, */
    const int32_t *member; /* or the one that the clusters call member[i], where this is not NULL */
    const sonde_clusters *clusters;
    const uint64_t *policy; /* or policy[i], where this is not NULL */
    const double *efe;      /* (n) */
    const double *prior;    /* (n) E of each, or NULL */
    const int32_t *walk; /* (T + 1) the only policy of a block, where it has no number; or NULL */
} sonde__block;
typedef void (*sonde__visitor)(void *context, const sonde__block *block);

/* The index of the i-th policy of a block. */
static inline uint64_t sonde__block_policy(const sonde__block *block, int32_t i) {
    if (block->policy != NULL) {
        return block->policy[i];
    }
    return block->member != NULL ? sonde__clusters_policy(block->clusters, block->member[i])
                                 : block->first + (uint64_t)i;
}

/* Summed E exp(-gamma G) for each action, relative to the smallest G so far, and the best policy of
 * each. */
typedef struct {
    double gamma;
    int32_t begin; /* actions begin .. end - 1 can occur */
    int32_t end;
    double *mass;        /* (n_action) by action - begin */
    double *best_efe;    /* (n_action) infinity before the first policy */
    uint64_t *best;      /* (n_action) */
    double least;        /* what masses are relative to: exp(-gamma least), */
    double shift;        /* and exp(shift) */
    double top;          /* where policies have E: ln E - gamma G of the most probable, */
    int32_t top_action;  /* its first action, -1 while there is none, */
    uint64_t top_policy; /* and its index */
    uint64_t n_policy;
} sonde__posterior;
void sonde__posterior_carve(sonde__arena *arena, int32_t n_action, sonde__posterior *posterior);
void sonde__posterior_start(sonde__posterior *posterior, int32_t begin, int32_t end);
void sonde__posterior_add(void *context, const sonde__block *block); /* context: a posterior */
/* Adds what another one has seen, whose policies come after. */
void sonde__posterior_merge(sonde__posterior *posterior, const sonde__posterior *other);
/* Makes masses of what are their logarithms: relative to the largest. */
void sonde__posterior_settle(sonde__posterior *posterior);
/* The sum over actions; the action whose best policy is best of all, the lowest policy of
 * several. */
double sonde__posterior_total(const sonde__posterior *posterior);
int32_t sonde__posterior_best(const sonde__posterior *posterior);
/* The first action of the most probable policy. */
int32_t sonde__posterior_top(const sonde__posterior *posterior);

/* A policy that is kept. */
typedef struct {
    double efe;
    uint64_t index; /* SONDE__UNNUMBERED: it has none that can be told */
    double prior;   /* E, or 1 */
    int32_t slot;   /* where its walk goes */
    bool known;     /* its walk is there */
} sonde__kept;
/* The best policies of a decision. */
typedef struct {
    int32_t n_most;    /* the most that are kept; 0: none */
    int32_t n_walk;    /* T + 1 */
    int32_t n;         /* that are kept now */
    sonde__kept *best; /* (n_most) a heap, the worst first; the best first in the end */
    sonde_kept *kept;  /* (n_most) what the decision shows */
    int32_t *walk;     /* (n_most, T + 1) by slot */
    int32_t *scratch;  /* (T + 1) */
} sonde__keep;
void sonde__keep_carve(sonde__arena *arena, int32_t n, int32_t horizon, sonde__keep *keep);
/* Whether a policy is among the best so far. */
bool sonde__keep_wants(const sonde__keep *keep, double efe, uint64_t index);
/* Keeps a policy that is; its walk is copied, NULL: its index tells it. */
void sonde__keep_put(sonde__keep *keep, double efe, uint64_t index, double prior,
                     const int32_t *walk);

/* What full search needs on a general model. */
typedef struct {
    sonde__outlook outlook;
    sonde__fan **fan;            /* (n_thread) each on cache lines of its own */
    double **efe;                /* (n_thread) one block each */
    int32_t n_task;              /* stretches that policies are cut into, whatever the threads */
    sonde__posterior *posterior; /* (n_task) */
} sonde__survey_all;

/* as the index of a policy: it has one, but it is too large to be told */
#define SONDE__UNNUMBERED (UINT64_MAX - 1)

/* A prefix that bounded search has come to, on a general model. Others may have been merged into
 * it. */
typedef struct {
    double efe;     /* the smallest G of those */
    double ahead;   /* G of what is to come, at least */
    double extra;   /* ln of their mass relative to that one's */
    double mass;    /* ln of the mass of all policies that begin so, at most */
    uint64_t hash;  /* of what makes prefixes the same */
    uint64_t begin; /* index of the first policy that begins so */
    int32_t depth;  /* steps */
    int32_t first;  /* action */
    int32_t parent; /* record of the prefix before it */
    int32_t action; /* that led here */
    int32_t heap;   /* place among the open ones */
} sonde__prefix;
/* G of all policies that begin so, at least. */
static inline double sonde__prefix_least(const sonde__prefix *node) {
    return node->efe + node->ahead;
}
typedef struct {
    double key;     /* G and what is to come, at least; or the mass, negative */
    uint64_t order; /* in which they came */
    int32_t node;
} sonde__open;
/* What is kept of a prefix that has been expanded. */
typedef struct {
    int32_t parent;
    int32_t action;
} sonde__record;

/* beliefs this close are the same */
#define SONDE__SAME 4e-16
/* Prefixes in slots of which the open ones are in order. */
typedef struct {
    const sonde_model *model;
    double gamma;
    int32_t n_node;      /* slots there are, */
    int32_t n_used;      /* that have been used so far, */
    int32_t n_spare;     /* of which free again, */
    int32_t reserve;     /* that are kept for finishing one policy */
    int32_t *spare;      /* (n_node) */
    sonde__prefix *node; /* (n_node) */
    double *belief;      /* (n_node, n_belief) */
    int32_t *place;      /* (n_node, n_factor) */
    bool by_mass;        /* the largest mass is first, and no longer the least G */
    sonde__open *open;   /* (n_node) a heap, least key first */
    int32_t n_open;
    uint64_t n_pushed;
    sonde__record *record; /* (n_node) */
    int32_t n_record;      /* prefixes that have been expanded */
    int32_t *table;        /* (n_table) 1 + node by hash, 0 where free */
    uint64_t n_table;
    uint64_t n_merged;
    bool inexact; /* beliefs that were not quite the same have been merged */
} sonde__frontier;
/* Bytes of one prefix, its place in the heap, its slot in the table, and the record it leaves. */
uint64_t sonde__frontier_bytes(const sonde_model *model);
void sonde__frontier_carve(sonde__arena *arena, const sonde_model *model, uint64_t n,
                           sonde__frontier *frontier);
/* Takes everything out; what is touched is what was open, however many slots there are. */
void sonde__frontier_clear(sonde__frontier *frontier, int32_t reserve);
/* Whether n more prefixes fit, and the record of the one they come from. */
bool sonde__frontier_has_room(const sonde__frontier *frontier, int32_t n);
/* A slot that nobody uses, for the caller to fill: node, belief and places. */
int32_t sonde__frontier_take(sonde__frontier *frontier);
/* Opens the prefix in a slot, or merges it with one that is the same. */
void sonde__frontier_push(sonde__frontier *frontier, int32_t fresh);
/* Takes the first of the open ones out, and returns the record that it leaves. */
int32_t sonde__frontier_close(sonde__frontier *frontier);
/* From now on the prefix with the largest mass is first. */
void sonde__frontier_turn(sonde__frontier *frontier);
/* G and what is to come of the open prefixes, at least; infinity where there are none. */
double sonde__frontier_least(const sonde__frontier *frontier);
/* Puts the best of the longest prefixes first. */
void sonde__frontier_prefer_deepest(sonde__frontier *frontier);
/* ln of the mass of all open prefixes, added up afresh. */
double sonde__frontier_log_mass(const sonde__frontier *frontier);

typedef struct {
    bool filled; /* what is worked out once is there */
    uint64_t n_setup_step;
    /* graph worlds: mass and best of all ways to go on after t steps, by node (T + 1, n_node) */
    double *Z;
    double *V;
    double *astray_Z; /* the same while the agent is out of step with its policy */
    double *astray_V;
    /* general models */
    sonde__outlook outlook;
    sonde__fan fan;
    sonde__bound bound;
    sonde__ways ways;
    bool numbered;     /* the policies of this origin have numbers */
    sonde__arena pool; /* of the frontier */
    sonde__frontier frontier;
    double merging_error; /* by which merging beliefs that are not quite the same can change a G */
    double least_efe;     /* of the policies found, */
    double best_efe;      /* and of the best, the first of those that tie with it */
    int32_t best_record;
    int32_t best_action;
    uint64_t best_index;
    bool deep;           /* so many prefixes have met that masses are kept as logarithms, */
    double *log_mass;    /* (n_action) which are here, by first action */
    sonde__record *leaf; /* (n_action) where the best policy of each first action ends */
    sonde_trace *trace;  /* (N_TRACE) what was known whenever R was looked at */
    int32_t n_trace;
} sonde__bounded;

/* What random search draws. */
typedef struct {
    uint64_t n;       /* policies of the present decision, */
    uint64_t *index;  /* (n) ascending, where they have numbers; */
    sonde__ways ways; /* otherwise what they are drawn by, */
    bool filled;      /* once it is there, */
    int32_t *walk;    /* (T + 1) one at a time */
} sonde__random;

/* A prefix that beam search keeps. */
typedef struct {
    double efe;
    uint64_t order; /* in which they came */
    uint64_t begin; /* index of the first policy that begins so */
    int32_t first;  /* action */
    int32_t state;  /* graph worlds: where the agent is */
    int32_t slot;   /* of what follows */
} sonde__stem;
/* The prefixes of one length. */
typedef struct {
    int32_t n;
    sonde__stem *prefix; /* (n) */
    int32_t *walk;       /* (slots, T + 1) */
    double *belief;      /* (slots, n_belief) general models */
    int32_t *place;      /* (slots, n_factor) */
} sonde__layer;
typedef struct {
    int32_t width;         /* slots of a layer, without one that is put aside */
    sonde__layer layer[2]; /* of even and odd lengths */
    sonde__outlook outlook;
    sonde__fan fan;
    uint64_t n_step;
    bool dropped; /* a prefix has not been kept */
} sonde__beam;

/* Members of the chosen clusters that are generated, and room for looking at a policy. */
typedef struct {
    uint64_t *policy; /* (n_member) */
    int32_t *walk;    /* (T + 1) */
    double *code;     /* (n_room) */
    double *row;      /* (n_column) */
} sonde__members;

/* Policies that are probed together, and scored: a cluster, or a part of one. */
typedef struct {
    const int32_t *member; /* (n) as the clusters call them */
    int32_t n;
    int32_t n_most;         /* of which so many are scored */
    int32_t representative; /* -1: none */
    double value;           /* what a probe gave; NaN where there was nothing to score */
} sonde__group;

/* What adaptive probing knows of a group. */
typedef struct {
    int32_t n;
    double mean;
    double squares; /* summed, of differences from the mean */
} sonde__arm;
/* How much numbers vary, group by group: summed squared differences from each group's mean, and
 * degrees of freedom. */
typedef struct {
    double squares;
    double degrees;
} sonde__scatter;
/* Takes in a group of n. */
void sonde__scatter_add(sonde__scatter *scatter, int32_t n, double squares);
/* What an agent remembers of the clusters it has met: how G varies. */
typedef struct {
    sonde__scatter probed;   /* among members of one cluster that were drawn */
    sonde__scatter searched; /* among all members of the clusters that were searched */
    sonde__scatter between;  /* among the values of the clusters of a decision */
} sonde__memory;

/* The clusters of all origins, and room for making them. */
typedef struct {
    sonde_embedder *embedder; /* owned, or the shelf's */
    bool borrowed;            /* the shelf's */
    sonde_clusters *global;   /* owned; global scope */
    sonde__clusters *local;   /* (n_origin) local scope */
    bool *filled;             /* (n_origin) */
    uint64_t **policy;       /* (n_origin) which policies were clustered, where they are a sample */
    uint64_t *global_policy; /* owned; the same for global scope */
    sonde_embedding *rows;   /* global scope, where they are kept after clustering */
    bool rows_borrowed;      /* the shelf's */
    sonde__embedding embedding; /* local scope: the rows of an origin, */
    bool is_embedded;           /* if there are any yet, */
    int32_t embedded;           /* this one */
    sonde__embed_scratch embed_scratch;
    char *cluster_room; /* where k may change: room for cluster_scratch, cut anew each time */
    uint64_t n_cluster_room;
    sonde__cluster_scratch *cluster_scratch;
    int32_t *pick;       /* (n_sample) members drawn from a cluster */
    double *cluster_efe; /* (k) */
    bool *chosen;        /* (k) */
    sonde__members members;
    sonde__group *group; /* (k) */
    sonde__arm *arm;     /* (k) adaptive probing, */
    int32_t *drawn;      /* the members it has drawn in one survey, */
    bool *is_drawn;      /* (n_policy) which are marked here */
    sonde__memory memory;
    sonde_setup setup; /* what it all has cost */
} sonde__survey;

/* A cluster of a tree. */
typedef struct {
    int32_t begin; /* its members, in the list of the grove */
    int32_t end;
    int32_t representative; /* as the clusters call it; -1: none */
    int32_t level;          /* from 1 */
    int32_t root;           /* the cluster of the first level that it is part of */
    int32_t child;          /* the first of its own clusters, which stand side by side */
    int32_t n_child;        /* 0: it is not divided */
    double value;           /* what the last probe gave */
    bool open;              /* it has been probed and not been taken yet */
    int32_t n_taken;        /* members that the present decision scores */
} sonde__twig;
/* The tree of an origin. */
typedef struct {
    bool filled;
    int32_t n;
    sonde__twig *twig; /* level by level */
    int32_t *member;   /* (n_policy) */
} sonde__grove;
typedef struct {
    sonde__grove *grove;   /* (n_origin), or one in global scope */
    sonde__embedding part; /* the rows of one cluster, */
    sonde__clusters parts; /* and what it is divided into */
    int32_t *number;       /* (n_row) of rows within the part */
    int32_t *member;       /* (n_policy) scratch */
} sonde__branching;

/* A linear model of G in the embedding, and what it has been told in one decision. */
typedef struct {
    double *mean;    /* (n_column) row of all policies */
    double scale;    /* what rows are divided by */
    double offset;   /* what predictions are relative to: mean G of the representatives */
    double *P;       /* (n_column + 1)^2 covariance of the weights, relative to that of the noise */
    double sum;      /* of squared misses, of which the noise is the mean */
    double *feature; /* (n_column + 1) of the policy that is being taken in */
    double *gain;    /* (n_column + 1) P times that, */
    double *along;   /* (n_code) and what a row's code is multiplied by for its product with it, */
    double constant; /* this being added */
    double *code;    /* (n_code) scratch */
    double *prediction; /* (n_row) */
    double *variance;   /* (n_row) of it, relative to that of the noise */
    int32_t *next;      /* (n_row) its lowest policy that may be scored, or a lower one; -1: none */
    bool *scored;       /* (n_policy) */
    int32_t n;          /* policies scored */
    int32_t *policy;    /* (n) as the clusters call them */
    int32_t *action;    /* (n) the first of each */
    double *efe;        /* (n) */
} sonde__surrogate;

/* What a search can say when it ends, of which a certificate is made. */
typedef struct {
    bool given;      /* the search can say how close its decision is to the exact one */
    double log_rest; /* ln of the mass that it did not look at, at most; -infinity: none */
    double least;    /* no policy that it did not look at has a smaller G; infinity: none is left */
    double best;     /* G of the best policy as it was added up; infinity: as the decision has it */
    double sum;      /* what adding up masses can be off by, relative, */
    bool swept;      /* unless they were summed backwards over the edges of a graph */
    double merged;   /* what merging beliefs that are not quite the same can change a G by */
    const char *stopped; /* why it stopped before epsilon, or NULL */
} sonde__evidence;
/* How far masses can be from the exact ones. */
typedef struct {
    double bare;     /* total variation, of what was not looked at, if nothing were rounded */
    double open;     /* total variation, of what was not looked at */
    double rounding; /* total variation, of rounding */
    double rest;     /* mass that was not looked at relative to the mass found */
} sonde__doubt;

typedef struct sonde__search {
    const sonde_policies *policies;
    sonde_search_settings settings; /* with embedding, gamma and k settled */
    sonde_run run;
    sonde__sweep sweep;
    sonde__scorer scorer;
    sonde__survey_all all; /* of full search on general models */
    double *efe;           /* (n_efe) one block */
    int32_t n_efe;
    double *prior;       /* (n_efe) E of one block's policies, where the model has it */
    int32_t *action;     /* (n_action) for the decision */
    double *summed;      /* (n_action) */
    double *probability; /* (n_action) */
    double *marginal;    /* (actions of all factors) general models */
    double *chances;     /* (same) what each factor's action is drawn from */
    int32_t *to;         /* (n_out) nodes reached, n_out the most edges that leave a node */
    double *to_summed;   /* (n_out) */
    int32_t *best_walk;  /* (T + 1) */
    sonde__posterior posterior;
    sonde__survey survey;   /* of clustered search */
    sonde__bounded bounded; /* of bounded search */
    sonde__random random;   /* of random search */
    sonde__beam beam;       /* of beam search */
    sonde__surrogate surrogate;
    sonde__branching branching; /* of tree search */
    sonde__rounding rounding;   /* of G */
    double log_size;          /* ln of the number of policies, at most; 0 where they have a prior */
    sonde__evidence evidence; /* of the present decision */
    sonde__keep keep;
    bool walk_is_known; /* the method has found the best policy's walk itself, and its index */
    sonde__rng probe_rng;
    sonde_decision decision;
} sonde__search;

typedef struct {
    const char *name;
    /* SONDE_TOO_LARGE where the method cannot serve this space at all; or NULL */
    sonde_status (*check)(const sonde__search *search, sonde_error *error);
    /* makes what needs memory of its own; or NULL */
    sonde_status (*open)(sonde__search *search, sonde_error *error);
    /* the bytes that takes; or NULL */
    uint64_t (*bytes)(const sonde__search *search);
    /* cuts what it needs for every origin; or NULL */
    void (*carve)(sonde__search *search, sonde__arena *arena);
    /* gets an origin ready, on its first visit; or NULL */
    sonde_status (*prepare)(sonde__search *search, int32_t origin);
    /* chooses policies for a decision; or NULL */
    sonde_status (*choose)(sonde__search *search, int32_t origin, sonde_present now);
    /* hands the chosen policies to the visitor, block by block */
    sonde_status (*visit)(sonde__search *search, int32_t origin, sonde_present now,
                          sonde__visitor visitor, void *context);
    /* the posterior of all that would be visited, on several threads; NULL: visit and add */
    sonde_status (*score)(sonde__search *search, int32_t origin, sonde_present now);
    void (*close)(sonde__search *search); /* or NULL */
} sonde__search_method;

sonde_status sonde__full_check(const sonde__search *search, sonde_error *error);
sonde_status sonde__full_visit(sonde__search *search, int32_t origin, sonde_present now,
                               sonde__visitor visitor, void *context);
void sonde__full_carve(sonde__search *search, sonde__arena *arena);
sonde_status sonde__full_score(sonde__search *search, int32_t origin, sonde_present now);
sonde_status sonde__cluster_open(sonde__search *search, sonde_error *error);
uint64_t sonde__cluster_bytes(const sonde__search *search);
sonde_status sonde__cluster_search_check(const sonde__search *search, sonde_error *error);
void sonde__cluster_carve(sonde__search *search, sonde__arena *arena);
sonde_status sonde__cluster_prepare(sonde__search *search, int32_t origin);
sonde_status sonde__cluster_choose(sonde__search *search, int32_t origin, sonde_present now);
sonde_status sonde__cluster_visit(sonde__search *search, int32_t origin, sonde_present now,
                                  sonde__visitor visitor, void *context);
void sonde__cluster_close(sonde__search *search);
sonde_status sonde__members_check(const sonde__search *search, sonde_error *error);
void sonde__members_carve(sonde__search *search, sonde__arena *arena);
/* Draws members of the clusters that a decision has chosen: its n_generated and generated. */
sonde_status sonde__members_generate(sonde__search *search, int32_t origin);

/* Parts of clustered search that others build on: policies of the largest origin; the rows of an
 * origin, made if they are not those at hand; where to find them; the clusters, which the
 * decision is to show. */
uint64_t sonde__cluster_largest(const sonde__search *search);
uint64_t sonde__cluster_count(const sonde__search *search, int32_t origin); /* of one origin */
sonde_status sonde__cluster_embed(sonde__search *search, int32_t origin);
const sonde_embedding *sonde__cluster_rows(const sonde__search *search);
const sonde_clusters *sonde__cluster_show(sonde__search *search, int32_t origin);
/* Probes n groups, and scores the members of one in order, so that neighbours share their
 * prefixes. */
void sonde__cluster_survey(sonde__search *search, sonde__group *group, int32_t n,
                           sonde_present now);
void sonde__group_visit(sonde__search *search, const sonde__group *group, sonde__visitor visitor,
                        void *context);

sonde_status sonde__tree_check(const sonde__search *search, sonde_error *error);
void sonde__tree_carve(sonde__search *search, sonde__arena *arena);
sonde_status sonde__tree_prepare(sonde__search *search, int32_t origin);
sonde_status sonde__tree_choose(sonde__search *search, int32_t origin, sonde_present now);
sonde_status sonde__tree_visit(sonde__search *search, int32_t origin, sonde_present now,
                               sonde__visitor visitor, void *context);

void sonde__surrogate_carve(sonde__search *search, sonde__arena *arena);
sonde_status sonde__surrogate_prepare(sonde__search *search, int32_t origin);
sonde_status sonde__surrogate_choose(sonde__search *search, int32_t origin, sonde_present now);
sonde_status sonde__surrogate_visit(sonde__search *search, int32_t origin, sonde_present now,
                                    sonde__visitor visitor, void *context);

sonde_status sonde__bounded_check(const sonde__search *search, sonde_error *error);
sonde_status sonde__bounded_open(sonde__search *search, sonde_error *error);
uint64_t sonde__bounded_bytes(const sonde__search *search);
void sonde__bounded_carve(sonde__search *search, sonde__arena *arena);
void sonde__bounded_close(sonde__search *search);
sonde_status sonde__bounded_model_open(sonde__search *search, sonde_error *error);
sonde_status sonde__bounded_prepare(sonde__search *search, int32_t origin);
sonde_status sonde__bounded_score(sonde__search *search, int32_t origin, sonde_present now);
void sonde__bounded_graph_carve(sonde__search *search, sonde__arena *arena);
void sonde__bounded_graph_fill(sonde__search *search);
sonde_status sonde__bounded_graph_score(sonde__search *search, int32_t origin, int32_t state);
/* The best policy that begins with an action, as a walk. */
void sonde__bounded_graph_recall(const sonde__search *search, int32_t action, int32_t *walk);
void sonde__bounded_model_carve(sonde__search *search, sonde__arena *arena);
void sonde__bounded_model_fill(sonde__search *search);
sonde_status sonde__bounded_model_score(sonde__search *search, int32_t origin,
                                        const double *belief);

/* Keeps the best policies of the decision that was made, if any are to be kept. */
sonde_status sonde__keep_fill(sonde__search *search);

/* The name and the sentence of what a decision rests on. */
const char *sonde__grounds_name(int32_t grounds);
const char *sonde__grounds_sentence(int32_t grounds);

sonde_status sonde__random_check(const sonde__search *search, sonde_error *error);
void sonde__random_carve(sonde__search *search, sonde__arena *arena);
sonde_status sonde__random_choose(sonde__search *search, int32_t origin, sonde_present now);
sonde_status sonde__random_visit(sonde__search *search, int32_t origin, sonde_present now,
                                 sonde__visitor visitor, void *context);
sonde_status sonde__random_score(sonde__search *search, int32_t origin, sonde_present now);
sonde_status sonde__beam_check(const sonde__search *search, sonde_error *error);
void sonde__beam_carve(sonde__search *search, sonde__arena *arena);
sonde_status sonde__beam_visit(sonde__search *search, int32_t origin, sonde_present now,
                               sonde__visitor visitor, void *context);
sonde_status sonde__beam_score(sonde__search *search, int32_t origin, sonde_present now);

/* Checks the settings and makes what every decision needs. Close it, whatever it returns. */
sonde_status sonde__search_open(sonde__search *search, const sonde_policies *policies,
                                const sonde_search_settings *settings, const sonde_run *run,
                                sonde_error *error);
/* What it holds then, besides what is cut. */
uint64_t sonde__search_bytes(const sonde__search *search);
/* Cuts everything that searching needs. */
void sonde__search_carve(sonde__search *search, sonde__arena *arena);
/* One decision, the `number`-th, from policies of an origin; search->decision is the result. */
sonde_status sonde__search_run(sonde__search *search, sonde_present now, int32_t origin,
                               uint64_t number);
/* Hands the policies that the last decision chose to a visitor, once more. */
sonde_status sonde__search_visit(sonde__search *search, sonde__visitor visitor, void *context);
/* Actions of all factors of a general model, added up. */
uint64_t sonde__summed_actions(const sonde_model *model);
/* G of one policy on its own; its steps count. */
double sonde__search_score(sonde__search *search, int32_t origin, uint64_t policy,
                           sonde_present now);
/* Fills the decision with its actions, from the posterior's masses and their sum. */
void sonde__search_weigh(sonde__search *search, double total);
/* A decision that follows a plan instead of scoring anything. */
void sonde__search_follow(sonde__search *search, sonde_present now, int32_t action,
                          int32_t n_followed);
/* The plan behind an action that was drawn: the policy itself, or the best that begins with it;
 * false if there is none. */
bool sonde__search_plan(const sonde__search *search, int32_t action, int32_t *walk);
/* Works out, once, how G is rounded. */
void sonde__evidence_prepare(sonde__search *search);
/* What adding up n masses of policies can be off by, relative, of which some were merged. */
double sonde__evidence_sum(const sonde__search *search, uint64_t n, uint64_t n_merged);
/* How far masses can be from the exact ones, ln of the sum of those found being log_mass. */
sonde__doubt sonde__certificate_doubt(const sonde__search *search, double log_mass);
/* The certificate of a decision whose probabilities and best policy are there. */
void sonde__certify(sonde__search *search);
/* Evidence of a search that has looked at every policy, or of none. */
void sonde__evidence_all(sonde__search *search, bool all);
/* Why the last decision is what it is, as one block. */
sonde_status sonde__search_explain(const sonde__search *search, sonde_explanation **explanation,
                                   sonde_error *error);
/* Forgets what earlier decisions have taught. */
void sonde__search_reset(sonde__search *search);
/* Draws the action of the last decision. */
int32_t sonde__search_draw(sonde__search *search, sonde__rng *rng);
void sonde__search_close(sonde__search *search);

#endif
