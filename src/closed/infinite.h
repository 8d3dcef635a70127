/* infinite.h: between the files that plan without a horizon.
 *
 *     blocks    states between which the agent always knows where it is       (infinite_blocks.c)
 *     vectors   bounds of the value, shared by all beliefs of a block        (infinite_vectors.c)
 *     tangents  the vector of a plan, from a belief and what may follow     (infinite_tangents.c)
 *     graph     beliefs that were looked at, and trials through them           (infinite_graph.c)
 *
 * A belief never leaves its block, so it is a list over that, and so is a vector. Every place of a
 * state, `at`, counts the blocks' states one after the other. With W = V + kappa H, which is
 * concave in the belief for min and free energy,
 *
 *     upper   V(b) <= b . alpha               (loose vectors: what is learned of the present state
 *                                              earns nothing)
 *             V(b) <= b . alpha - kappa H(b)  (tight ones)
 *     lower   W(b) >= the fast informed bound, and between beliefs whose W is known from below */
#ifndef SONDE_CLOSED_INFINITE_H
#define SONDE_CLOSED_INFINITE_H

#include <math.h>

#include "closed/closed_internal.h"

/* what rounding can change a bound by, relative; and an interval that is made anew */
#define SONDE__BOUND_WIDENING 1e-12
#define SONDE__INTERVAL_WIDENING 1e-13

typedef struct sonde__vector sonde__vector;
typedef struct sonde__known sonde__known;
typedef struct sonde__site sonde__site;

/* A vector over a block. */
struct sonde__vector {
    sonde__vector *next; /* of its block, in the order in which they were found */
    int32_t action;      /* with which its plan begins */
    int32_t mark;        /* its place in a file, or -1 */
    bool tight;
    double *value;         /* (states of the block) */
    sonde__vector **after; /* (n_after) with which its plan goes on */
    int32_t n_after;
    int32_t n_held; /* beliefs that were looked at and whose best it is; a block's first ones have
                     * one more */
    sonde__vector *waits; /* another to be marked; or NULL */
};

/* News of a belief: W is known better than it was. */
struct sonde__known {
    sonde__known *next;
    const sonde__site *spot;
};

/* A belief over a block: dense where it is worth it. */
typedef struct {
    int32_t block;
    int32_t n;
    const int32_t *at; /* (n) places within the block, ascending; NULL: all of them */
    const double *p;   /* (n) */
} sonde__local;

/* What is known of the value of a belief, and which vectors and points have been asked. */
typedef struct {
    double lower;
    double upper;
    sonde__vector *best[2];       /* the least vector: loose, tight; or NULL */
    double least[2];              /* b . of it */
    bool tight;                   /* the least of both is a tight one */
    const sonde__vector *scanned; /* the last that was asked; NULL: none was */
    const sonde__known *seen;
} sonde__guess;

/* One outcome of an action. */
typedef struct {
    double chance;
    double entropy;    /* kappa H of the belief */
    sonde__site *spot; /* once it was looked at; or NULL */
    sonde__guess guess;
    int32_t tuple;
    int32_t block; /* that its belief is of */
} sonde__outcome;

/* What doing something at a belief is worth. */
typedef struct {
    double step;
    double lower;
    double upper;
    sonde__outcome *outcome; /* (n_outcome), or NULL: not looked at */
    int32_t n_outcome;
    bool legal;
    uint64_t looked; /* when it was looked at last */
} sonde__deed;

/* A belief that was looked at. */
struct sonde__site {
    sonde__site *next; /* with the same place in the table; or NULL */
    sonde__site *peer; /* the one before it */
    uint64_t hash;
    sonde__local belief;
    double entropy; /* kappa H(b) */
    double *fast;   /* (U) b . the fast informed bound */
    double base;    /* the value of that */
    sonde__guess guess;
    sonde__vector *held[2]; /* the best that count it as theirs; or NULL */
    double said;            /* the largest W that others were told */
    sonde__site *told;      /* another of the block of which they were told something; or NULL */
    sonde__deed *deed;      /* (U), or NULL */
    int32_t mark;           /* its place in a plan, of this depth: */
    int32_t mark_depth;
};

typedef struct {
    int64_t first; /* of its states' places */
    int32_t n;
    int32_t number;        /* in a file, or -1 */
    sonde__vector *vector; /* the first; NULL: nobody was there */
    sonde__vector *last_vector;
    sonde__known *known; /* news, */
    sonde__known *last_known;
    sonde__site *told; /* and all beliefs that they are of */
    /* what stays from one episode to the next */
    sonde__vector *kept_vector;
    sonde__site *kept_told;
} sonde__patch;

/* How far set-up has come, which goes on with the next decision where a deadline has cut it. */
typedef struct {
    int32_t n_sweep; /* over states that are seen, */
    double change;   /* what the last of them changed, */
    bool seen;       /* and whether they are done */
    int32_t n_fast;  /* of the fast informed bound, */
    bool informed;   /* and whether they are */
    int32_t n_blind; /* actions of which it is known what doing them for ever costs */
    bool moved;      /* this decision has brought it on by a sweep, which each does */
    bool complete;   /* nothing is left */
} sonde__setup;

/* Everything that is known of a model without a horizon. */
struct sonde__infinite {
    const sonde__joint *world;
    sonde__backing backup;
    double discount;
    sonde_run run;
    double until;               /* when set-up has to stop; 0: never */
    const sonde_vectors *given; /* what it was lent; or NULL */
    /* blocks */
    int32_t n_block;
    int32_t *block_of;   /* (S) */
    int64_t *at;         /* (S) the place of a state */
    int32_t *member;     /* (S) the state of a place */
    sonde__patch *block; /* (S) */
    int32_t *parent;     /* (S) while they are found */
    int32_t *first_with; /* (n_tuple) */
    /* by places */
    double *linear; /* (S, U) the cost of a step where that is linear: c of docs/closed-loop.md */
    double *step;   /* (S, U) G of a step from a state that is known; linear where kappa is 0 */
    double *fast;   /* (S, U) the fast informed bound */
    double *blind;  /* (U, S) what doing one thing for ever costs at most */
    double most;    /* no value is larger */
    /* what grows */
    char *room;
    uint64_t size;
    uint64_t used;
    uint64_t settled; /* bytes that stay from one decision to the next */
    uint64_t kept;    /* and from one episode to the next */
    uint64_t worst;   /* that one look can take */
    sonde__site **table;
    uint64_t n_place;
    sonde__site *last; /* the youngest */
    uint64_t n_spot;
    uint64_t n_expanded;
    uint64_t n_merged;
    uint64_t n_step;
    uint64_t n_look;
    uint64_t n_found;   /* vectors, points and beliefs */
    bool full;          /* there is no room for one more */
    sonde__site *stuck; /* a belief in which nothing is allowed; or NULL */
    bool crossed;       /* a policy that was lent says of a belief what cannot both be */
    bool ready;         /* blocks and what goes with them are there */
    sonde__setup setup;
    /* scratch */
    sonde__prospect outlook;
    double *spread;         /* (S) a belief over its block */
    int32_t *places;        /* (S) */
    int32_t *state;         /* (S) the same as a list of states */
    double *p;              /* (S) */
    double *quick;          /* (U) */
    double *each;           /* (U) */
    double *rest;           /* (U) */
    double *low;            /* (U) */
    double *high;           /* (U) */
    double *prior;          /* (U) */
    double *value;          /* (S) of states that are seen, from above */
    double *gather;         /* (n_tuple, U) */
    double *weight;         /* (n_tuple) zeros between two uses */
    int32_t *touched;       /* (n_tuple) */
    sonde__vector **chosen; /* (n_tuple) */
    sonde__vector **after;  /* (n_tuple, U) all that were, */
    int32_t n_after;        /* how many there are */
    double *mixed;          /* (S) a prediction */
    double *seen;           /* (n_tuple) its outcomes */
    double *own;            /* (outcomes of all modalities) */
    double *sum;            /* (S) */
    double *part;           /* (S) */
    sonde__site **path;     /* (SONDE__PATH_MOST) */
    sonde__node root;       /* the present belief, as decisions want it */
    double setup_seconds;   /* of the last decision */
};

/* steps of a trial, at most */
enum { SONDE__PATH_MOST = 1024 };

/* bounds of a policy that was lent that cross by more, relative, are not rounded but wrong */
#define SONDE__CROSSED 1e-6

/* An upper bound, where the lower one is known: no less than that. Bounds from the model cross by
 * rounding alone. */
static inline double sonde__infinite_above(sonde__infinite *all, double lower, double upper) {
    if (!(upper < lower)) {
        return upper;
    }
    const double most = SONDE__CROSSED * (1.0 + fabs(lower) + fabs(upper));
    all->crossed = all->crossed || (all->given != NULL && !(lower - upper <= most));
    return lower;
}

/* Cuts n pieces off the room; NULL where it is used up. */
void *sonde__infinite_take(sonde__infinite *all, uint64_t n, size_t size);

/* infinite_blocks.c: the finest blocks that no belief leaves, from this one on. */
void sonde__blocks_find(sonde__infinite *all, sonde__support root);
/* Joins two states that are to be in one block. */
void sonde__blocks_join(sonde__infinite *all, int32_t a, int32_t b);
/* Whether one block holds a belief. */
bool sonde__blocks_hold(const sonde__infinite *all, sonde__support belief);

/* infinite_vectors.c: what every belief has in common; unless `anew`, goes on where it was cut. */
void sonde__vectors_prepare(sonde__infinite *all, bool anew);
/* The vectors that every block begins with; false: there is no room. */
bool sonde__vectors_begin(sonde__infinite *all, int32_t block);
/* A new vector of a block, or NULL; and puts it after the others. */
sonde__vector *sonde__vectors_new(sonde__infinite *all, int32_t block, int32_t action, bool tight);
void sonde__vectors_append(sonde__infinite *all, int32_t block, sonde__vector *vector);
double sonde__local_dot(sonde__local belief, const double *vector);
/* A belief as a list over its block, in the scratch. */
sonde__local sonde__local_of(sonde__infinite *all, sonde__support belief);
/* And back, in the scratch, too. */
sonde__support sonde__local_support(const sonde__infinite *all, sonde__local belief);
/* kappa H(b) */
double sonde__local_entropy(const sonde__infinite *all, sonde__local belief);
/* The value of a belief of which only this is known: b . the fast informed bound of each action,
 * times `mass`. */
double sonde__fast_value(const sonde__infinite *all, const double *fast, double mass);
void sonde__fast_weigh(const sonde__infinite *all, sonde__local belief, double *fast);
/* What a belief has besides itself. */
typedef struct {
    sonde__local belief;
    double entropy;     /* kappa H(b) */
    const double *fast; /* (U), or NULL: not known yet */
    double base;        /* the value of that */
} sonde__view;
/* Asks the vectors and points that have not been asked; vectors that nobody holds any more are
 * not. */
void sonde__guess_improve(sonde__infinite *all, sonde__view *view, sonde__guess *guess);

/* Lets the best vectors of a site know. */
static inline void sonde__site_hold(sonde__site *site) {
    for (int32_t k = 0; k < 2; k++) {
        if (site->held[k] != site->guess.best[k]) {
            if (site->held[k] != NULL) {
                site->held[k]->n_held--;
            }
            site->held[k] = site->guess.best[k];
            site->held[k]->n_held++;
        }
    }
}

/* infinite_tangents.c: adds the vectors of the best plan at a belief, whose deeds are there. */
void sonde__tangents_add(sonde__infinite *all, sonde__site *spot);

/* infinite_graph.c: the spot of a belief, found or new; NULL: there is no room. */
sonde__site *sonde__graph_spot(sonde__infinite *all, sonde__support belief,
                               const sonde__guess *guess);
/* A site that only others ask, of which W is known from below; false: there is no room. */
bool sonde__graph_install(sonde__infinite *all, sonde__support belief, double value);
/* Makes everything anew that is known of a belief; false: there is no room. Unless `whole`, and
 * where the value is that of the best action, only of as many actions as its bounds need. */
bool sonde__graph_look(sonde__infinite *all, sonde__site *spot, bool whole);
/* How a trial goes. */
typedef struct {
    double goal;  /* how closely the value of its first belief is wanted at last, */
    double share; /* and how much of what is left between its bounds a trial leaves */
    bool widest;  /* all of its actions are wanted, and not the best one alone */
    double gamma;
    bool (*stop)(void *user); /* asked after each belief */
    void *user;
} sonde__trial;
void sonde__graph_try(sonde__infinite *all, sonde__site *root, const sonde__trial *trial);
/* Room for one more look, beside what a decision needs. */
static inline bool sonde__infinite_has_room(const sonde__infinite *all) {
    return all->size - all->used >= 3 * all->worst;
}

#endif
