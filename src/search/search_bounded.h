/* search_bounded.h: best-first search over prefixes, between the files it is made of:
 * search_bounded_model.c, which searches, search_frontier.c, which keeps the open prefixes in
 * order, search_bounded_explain.c, which tells afterwards what was left open, and
 * search_bounded_prefix.c, which searches below one prefix. */
#ifndef SONDE__SEARCH_BOUNDED_H
#define SONDE__SEARCH_BOUNDED_H

#include "search/search_internal.h"

/* A prefix that bounded search has come to. Others may have been merged into it. */
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
    int32_t action; /* the number in the walk that led here */
    int32_t heap;   /* place among the open ones */
    float above;    /* by how much G of the one that stands for all is larger, at most: a tie */
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

/* Prefixes in slots of which the open ones are in order. */
typedef struct {
    const sonde__score *score;
    double gamma;
    int32_t n_node;      /* slots there are, */
    int32_t n_used;      /* that have been used so far, */
    int32_t n_spare;     /* of which free again, */
    int32_t reserve;     /* that are kept for finishing one policy */
    int32_t *spare;      /* (n_node) */
    sonde__prefix *node; /* (n_node) */
    sonde__spot spots;   /* (n_node) where they end */
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
uint64_t sonde__frontier_bytes(const sonde__score *score);
void sonde__frontier_carve(sonde__arena *arena, const sonde__score *score, uint64_t n,
                           sonde__frontier *frontier);
/* Takes everything out; what is touched is what was open, however many slots there are. */
void sonde__frontier_clear(sonde__frontier *frontier, int32_t reserve);
/* Whether n more prefixes fit, and the record of the one they come from. */
bool sonde__frontier_has_room(const sonde__frontier *frontier, int32_t n);
/* A slot that nobody uses, for the caller to fill: node and spot. */
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
/* ln of the mass of all open prefixes, added up afresh; or what it would be with nothing to
 * come. */
double sonde__frontier_log_mass(const sonde__frontier *frontier, bool so_far);
/* The n actions that a record ends, in walk[1] .. walk[n]; returns n. */
int32_t sonde__frontier_trace(const sonde__frontier *frontier, sonde__record last, int32_t n,
                              int32_t *walk);

/* The state of the search. */
typedef struct {
    uint64_t version;  /* of the numbers that bounds were worked out for; 0: of none */
    bool numbered;     /* the policies of this origin have numbers */
    sonde__arena pool; /* of the frontier */
    sonde__frontier frontier;
    double merging_error; /* by which merging beliefs that are not quite the same can change a G */
    double least_efe;     /* of the policies found, */
    double best_efe;      /* and of the best, the first of those that tie with it, at most */
    int32_t best_record;
    int32_t best_action;
    uint64_t best_index;
    bool deep;           /* so many prefixes have met that masses are kept as logarithms, */
    double *log_mass;    /* (n_action) which are here, by first action */
    sonde__record *leaf; /* (n_action) where the best policy of each first action ends */
    int32_t *first_open; /* (n_action) its open prefix with the least bound, or -1; explained */
    sonde__trace *trace; /* (SONDE__N_TRACE) what was known whenever R was looked at */
    int32_t n_trace;
    int32_t n_from;      /* steps of the prefix that every policy is to begin with, */
    const int32_t *from; /* (n_from + 1) which is this */
} sonde__bounded;
/* more often R is not looked at, however long the search */
#define SONDE__N_TRACE 256

/* How the search explains itself: functions of its sonde__method. */
int32_t sonde__bounded_recall(const sonde__search *search, int32_t action, int32_t *walk,
                              double *bound);
void sonde__bounded_explain(sonde__search *search, sonde__arena *arena, sonde_explanation *to);
/* How it looks at policies that begin alike: a function of its sonde__method. */
sonde_status sonde__bounded_below(sonde__search *search, sonde__ways_on *on);
/* Goes down the prefix that every policy is to begin with, from slot to slot of the first two, and
 * adds its steps to `efe`; returns the slot where it ends, -1 where no policy begins so. */
int32_t sonde__bounded_descend(sonde__search *search, double *efe);

#endif
