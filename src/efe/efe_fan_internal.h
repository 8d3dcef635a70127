/* efe_fan_internal.h: all policies of a general model in order, the actions after each prefix side
 * by side.
 *
 * An outlook is what all policies of one decision share: tables of outcomes for every step, in
 * which the factors that no action touches have been summed out. A fan goes through a stretch of
 * policies with it; several may share an outlook. */
#ifndef SONDE_EFE_EFE_FAN_INTERNAL_H
#define SONDE_EFE_EFE_FAN_INTERNAL_H

#include "efe/efe.h"

/* What is observed together: one modality, or with joint information all of them. A row of its
 * table has the probabilities of the outcomes in one state, then everything of G that is linear
 * in the state. */
typedef struct {
    const sonde_modality *modality; /* NULL: all of them */
    double information;             /* how much its negentropy counts */
    int32_t n_outcome;
    int32_t n_row; /* n_outcome + 1, rounded up to a multiple of 4 */
    int32_t n_axis;
    /* factors that actions touch; the one with most actions last */
    int32_t axis[SONDE_FACTORS_MAX];
    int64_t n_state; /* their states, multiplied */
    int64_t n_whole; /* states of all factors, where their rows are kept; or 0 */
    double *whole;   /* (n_whole, n_row) rows before anything is summed out */
    uint64_t made;   /* the version of the numbers that these are of */
    bool varies;     /* its tables differ from step to step */
    bool sparse;    /* outcomes are looked up in the modality, and a table row is the linear part */
    double **table; /* (T + 1) by step, (n_state, n_row); (n_state) where sparse */
    double *storage; /* all of them */
    bool fused;      /* the last step goes straight from beliefs before it to outcomes: */
    int32_t order[SONDE_FACTORS_MAX]; /* the axes as the model orders them, */
    int32_t n_lane;                   /* combinations of their actions in that order, */
    int64_t n_last; /* and numbers of a state in the next: (n_outcome + 1, n_lane), rounded up */
    double *last;   /* (n_state, n_last) B times the table of the last step */
    int32_t n_together; /* prefixes that are scored together there; 0: has several axes */
    int64_t n_term;     /* numbers that its terms take: combinations of actions, in lanes */
} sonde__channel;

typedef struct {
    const sonde_policies *policies;
    int32_t origin;
    int32_t n_channel;
    sonde__channel *channel; /* (n_channel) */
    bool *touched;           /* (n_factor) whether its beliefs depend on actions */
    bool *skipped;           /* (n_factor) whether nobody needs its beliefs after the last step */
    double *belief;   /* (T + 1, n_belief) from now on; only untouched factors after step 0 */
    double *constant; /* (T + 1) what the channels without axes add to each step */
    double *row;      /* (most n_row) scratch */
    uint64_t version; /* of the numbers that lasting tables were made of; 0: there are none yet */
    uint64_t serial;  /* of its tables: changes whenever these may */
} sonde__outlook;

void sonde__outlook_carve(sonde__arena *arena, const sonde_policies *policies,
                          sonde__outlook *outlook);
/* What the channels are, without their tables; returns how many, at most as many as modalities. */
int32_t sonde__outlook_describe(const sonde_policies *policies, sonde__channel *channel);
void sonde__outlook_start(sonde__outlook *outlook, const sonde_policies *policies, int32_t origin,
                          const double *belief);

/* Which columns of a spread something was made of together: those of prefixes that share all but
 * their last step, and follow each other. */
typedef struct {
    uint64_t version; /* of the spread */
    int32_t first;
    int32_t end;
} sonde__together;

/* One factor's beliefs after each of the actions it may take. */
typedef struct {
    double *q;    /* (n_state, n_lane) only the rows of the support count */
    double *room; /* (n_room, n_state, n_lane) where q is: beliefs after several prefixes, */
    int32_t n_room;
    sonde__together made; /* of which they are, if n_room is not 1 */
    int32_t *support;     /* (n_state) states where some of them may not be 0 */
    int32_t n_support;
    int32_t n_lane;
    int32_t n_choice;
    int32_t *choice;  /* (n_action) the actions */
    int32_t place;    /* from which they are taken */
    int32_t listed;   /* 1 + the place whose choices these are; 0: none */
    uint64_t version; /* changes whenever the beliefs do */
    uint64_t source;  /* the version and column that they came from */
    int32_t column;
    uint64_t named;    /* the version that `identity` is of */
    uint64_t identity; /* the same where beliefs are, to the last bit; 0: nobody knows */
} sonde__spread;

/* Beliefs of one factor that a decision has seen, so that what follows from them is made once. */
enum { SONDE__SEEN = 8, SONDE__SEEN_NUMBERS = 128 };
typedef struct {
    int32_t n;       /* kept so far, in turn */
    size_t n_number; /* of one of them at most: n_state times the lanes */
    uint64_t identity[SONDE__SEEN];
    int32_t n_lane[SONDE__SEEN];
    int32_t n_support[SONDE__SEEN];
    int32_t *support; /* (SONDE__SEEN, n_state) */
    double *q;        /* (SONDE__SEEN, n_number) NULL: nothing is kept */
} sonde__seen;

/* Terms of a channel of one axis, by those beliefs. */
typedef struct {
    int32_t n;
    uint64_t identity[SONDE__SEEN];
    const double *table[SONDE__SEEN];
    double *term; /* (SONDE__SEEN, n_term) NULL: none are kept */
} sonde__memo;

/* One channel's part of G for each combination of its factors' actions. */
typedef struct {
    double *term;
    uint64_t *version;    /* (n_axis) of the spreads that it came from */
    sonde__together made; /* or, in a last step that is scored for several prefixes, of which */
} sonde__terms;

typedef struct {
    const sonde__outlook *outlook;
    sonde__walker walker;
    sonde__spread *spread; /* (T + 1, n_factor) */
    sonde__terms *terms;   /* (T + 1, n_channel) */
    int32_t *n_child;      /* (T + 1) */
    int32_t *child;        /* (T + 1) the one that is on the present prefix */
    double *sum;           /* (T + 1, n_action) G of each child's prefix */
    int64_t n_half;        /* most combined states that anything is summed over */
    int32_t *from;         /* (3, n_half) those states */
    double *weight;        /* (3, n_half) */
    double *rest;    /* what is left of a table while its factors are summed out, one by one */
    double *outcome; /* (most rows, most lanes), or of several prefixes */
    int32_t *seen;   /* (most outcomes) those of a sparse channel that can occur */
    bool *marked;    /* (most states or outcomes) */
    bool alone;      /* the prefix stands on its own, without those before it */
    const sonde__channel *listed; /* whose combined states are in `from` and `weight`, or NULL */
    int32_t n_listed;             /* and how many, */
    int64_t listed_at;            /* from where on */
    sonde__seen *beheld;          /* (n_factor) */
    sonde__memo *memo;            /* (n_channel) */
    uint64_t serial;              /* of the outlook that these are of */
    uint32_t n_hit;               /* how often something was there, */
    uint32_t n_miss;              /* and was not */
    uint64_t clock;               /* of versions */
    uint64_t position;            /* of the next policy */
    uint64_t end;
    uint64_t n_step;
} sonde__fan;

void sonde__fan_carve(sonde__arena *arena, const sonde_policies *policies, sonde__fan *fan);
/* Policies begin .. end - 1 of the outlook's origin. */
void sonde__fan_start(sonde__fan *fan, const sonde__outlook *outlook, uint64_t begin, uint64_t end);
/* Instead of a stretch: all children of one prefix of t - 1 steps, given what is believed after
 * it (n_belief) and the factors' places (n_factor). Returns how many; G of step t for each is in
 * fan->sum, from t * n_action on. */
int32_t sonde__fan_open(sonde__fan *fan, const sonde__outlook *outlook, int32_t t,
                        const double *belief, const int32_t *place);
/* The action of every child, and how many policies begin with it. */
void sonde__fan_children(const sonde__fan *fan, int32_t t, int32_t *action, uint64_t *below);
/* What is believed after a child, and where it leads. Not after the last step. */
void sonde__fan_child(const sonde__fan *fan, int32_t t, int32_t child, double *belief,
                      int32_t *place);
/* G of the next policies with the same first action, at most `capacity`, in order; returns how
 * many, 0 at the end. The first is policy number `*first`. */
int32_t sonde__fan_fill(sonde__fan *fan, double *efe, int32_t capacity, uint64_t *first,
                        int32_t *action);

#endif
