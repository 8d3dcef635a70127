/* efe_score.h: G of policies, whatever the model. Searches see this and no other part of efe/.
 *
 * A score is what all policies of one decision share; it does not change while threads work. A
 * track is what one thread adds up: it goes through policies in order, scores some by their
 * numbers, or expands prefixes one at a time, each into all its children. How that is done is a
 * table of functions:
 *
 *     efe_plain.c      a step at a time, term by term; for every kind of model
 *     efe_walk.c       fast, for the walks of a graph world
 *     efe_product.c    fast, for the actions of a general model's factors
 *
 * Nothing is dispatched for a single policy of many: calls take a block, or a prefix. To add
 * another way of scoring, write its table and let sonde__score_pick choose it. */
#ifndef SONDE_EFE_EFE_SCORE_H
#define SONDE_EFE_EFE_SCORE_H

#include "efe/efe_bound.h"

typedef struct sonde__score sonde__score;
typedef struct sonde__track sonde__track;

/* Where a prefix ends. Two that end in the same have the same future. */
typedef struct {
    double *belief; /* (n_belief) what is believed */
    int32_t *place; /* (n_place) what else says how policies go on from here */
} sonde__spot;

/* What a score, and one of its tracks, is asked for. */
enum {
    SONDE__SCORE_NUMBERS = 1,  /* policies by number, and terms */
    SONDE__SCORE_ORDER = 2,    /* stretches of policies in order */
    SONDE__SCORE_PREFIXES = 4, /* children of prefixes */
    SONDE__SCORE_AHEAD = 8,    /* the same with bounds and counts of what is to come; where
                                  futures can be counted, nothing but those */
};

/* Where the future of a prefix is its length and a number: the ways on from each number. A way's
 * place in the lists is its number in a walk, and policies begin with a way, too. The agent may be
 * out of step with a policy: then every step has the same G until the policy takes the way
 * `back`. */
typedef struct {
    int32_t n;            /* futures; 0: they cannot be counted */
    int32_t n_way;        /* ways in all */
    const int32_t *first; /* (n + 1) of the ways on from each */
    const double *efe;    /* (n_way) G of the step */
    const int32_t *next;  /* (n_way) the future it leads to */
    int32_t here;         /* the way the agent has come: it is in step with what begins so */
    int32_t back;
    double stay; /* G of a step out of step */
} sonde__futures;

/* One way of scoring. */
typedef struct {
    /* sets the sizes of a score whose policies are there */
    void (*measure)(sonde__score *score);
    /* cut what the decision needs, and one thread, for what they are asked for */
    void (*carve)(sonde__arena *arena, sonde__score *score);
    void (*carve_track)(sonde__arena *arena, const sonde__score *score, sonde__track *track);
    /* the numbers of the model are others than before: G of the ways on from futures; or NULL */
    void (*prepare)(sonde__score *score);
    /* a decision begins from score->origin and score->now */
    void (*start)(sonde__score *score);
    /* the rest: see the functions below that are called alike */
    void (*begin)(sonde__track *track, uint64_t first, uint64_t end);
    int32_t (*fill)(sonde__track *track, double *efe, int32_t capacity, uint64_t *first,
                    int32_t *action);
    void (*pick)(sonde__track *track, int32_t n, const uint64_t *policy, double *efe,
                 int32_t *action);
    void (*terms)(sonde__track *track, const int32_t *walk, int32_t n_step, sonde_efe *steps,
                  int32_t *reached, sonde_efe *total);
    int32_t (*root)(const sonde__score *score, int32_t i, sonde__spot spot);
    int32_t (*expand)(sonde__track *track, int32_t t, sonde__spot spot);
    void (*child)(const sonde__track *track, int32_t t, int32_t child, sonde__spot spot);
} sonde__scoring;

struct sonde__score {
    const sonde__scoring *by;
    const sonde_model *model; /* of the policies */
    const sonde_policies *policies;
    uint32_t uses;    /* SONDE__SCORE_..., of all its tracks */
    uint64_t version; /* of the numbers that futures and bounds are of; 0: of none */
    bool branches;    /* prefixes can be expanded; otherwise policies are a list, taken whole */
    bool stretches;   /* what is taken in order may begin anywhere; otherwise with the first */
    int32_t n_least;  /* the least room that taking policies in order needs */
    int32_t n_child;  /* the most children of a prefix */
    int32_t n_belief; /* numbers of a spot */
    int32_t n_place;  /* numbers of a spot */
    int32_t origin;   /* of the present decision */
    sonde_present now;
    int32_t n_root; /* prefixes of no steps, of the present decision */
    sonde__futures futures;
    sonde__bound bound;
    sonde__ways ways;
    void *own; /* the table's */
};

struct sonde__track {
    const sonde__score *score;
    uint32_t uses;   /* SONDE__SCORE_... */
    uint64_t n_step; /* scored in order and by number, each shared prefix once */
    /* of the prefix that was expanded last: */
    double *efe;     /* (n_child) G of each child's step */
    int32_t *next;   /* (n_child) its number in the walk */
    uint64_t *below; /* (n_child) how many policies begin so; saturating */
    void *own;       /* the table's */
};

/* The way to score these policies. */
const sonde__scoring *sonde__score_pick(const sonde_policies *policies);
extern const sonde__scoring sonde__plain;
extern const sonde__scoring sonde__walk;
extern const sonde__scoring sonde__product;

/* Chooses how to score; nothing is cut yet. For terms alone, policies need not be counted. */
void sonde__score_open(sonde__score *score, const sonde_policies *policies);
void sonde__score_carve(sonde__arena *arena, sonde__score *score, uint32_t uses);
void sonde__track_carve(sonde__arena *arena, const sonde__score *score, uint32_t uses,
                        sonde__track *track);
/* Works out what is to come at least, or futures, once for every version of the model's numbers;
 * returns the steps that took. */
uint64_t sonde__score_prepare(sonde__score *score);
/* A decision begins: policies of an origin, carried out from `now`, which is kept. */
void sonde__score_start(sonde__score *score, int32_t origin, sonde_present now);

/* Policies first .. end - 1 are to be taken in order. With 0 and 0: forgets on which policy the
 * track stands, so that the next one counts all its steps. */
static inline void sonde__track_begin(sonde__track *track, uint64_t first, uint64_t end) {
    track->score->by->begin(track, first, end);
}
/* G of the next policies with the same first action, at most `capacity`, which is at least
 * n_least; returns how many, 0 at the end. The first is policy number `*first`. */
static inline int32_t sonde__track_fill(sonde__track *track, double *efe, int32_t capacity,
                                        uint64_t *first, int32_t *action) {
    return track->score->by->fill(track, efe, capacity, first, action);
}
/* G and the first action of n policies, by number; ascending ones share what they can. `action`
 * may be NULL. */
static inline void sonde__track_pick(sonde__track *track, int32_t n, const uint64_t *policy,
                                     double *efe, int32_t *action) {
    track->score->by->pick(track, n, policy, efe, action);
}
/* The terms of the first n_step steps of a policy that is one, and their sums. `steps` and
 * `reached`, the states of a graph world after each, are (n_step), and may be NULL. */
static inline void sonde__track_terms(sonde__track *track, const int32_t *walk, int32_t n_step,
                                      sonde_efe *steps, int32_t *reached, sonde_efe *total) {
    track->score->by->terms(track, walk, n_step, steps, reached, total);
}

/* A score and its tracks in memory of their own, for policies by number and terms. */
typedef struct {
    sonde__score score;
    sonde__track *track; /* (n_thread) */
    sonde__arena arena;  /* to be freed */
} sonde__kit;
bool sonde__kit_open(sonde__kit *kit, const sonde_policies *policies, int32_t n_thread);
/* Whether somebody can be there: on an edge, or with a belief. */
bool sonde__score_can_start(const sonde_model *model, sonde_present now);

/* Room for n spots, side by side; and the i-th of them. */
sonde__spot sonde__spots_carve(sonde__arena *arena, const sonde__score *score, uint64_t n);
static inline sonde__spot sonde__spot_at(const sonde__score *score, sonde__spot spots, int64_t i) {
    return (sonde__spot){.belief = spots.belief + i * score->n_belief,
                         .place = spots.place + i * score->n_place};
}
/* The i-th prefix of no steps; returns the number that its walks begin with. */
static inline int32_t sonde__score_root(const sonde__score *score, int32_t i, sonde__spot spot) {
    return score->by->root(score, i, spot);
}
/* All children of a prefix of t - 1 steps; returns how many. Their G, numbers and policies are
 * then the track's. */
static inline int32_t sonde__track_expand(sonde__track *track, int32_t t, sonde__spot spot) {
    return track->score->by->expand(track, t, spot);
}
/* Where a child of the prefix that was expanded ends. Not after the last step. */
static inline void sonde__track_child(const sonde__track *track, int32_t t, int32_t child,
                                      sonde__spot spot) {
    track->score->by->child(track, t, child, spot);
}
/* G of any way on after t steps is at least this; which of the bounds says so goes to `which`,
 * unless it is NULL. */
static inline double sonde__score_ahead(const sonde__score *score, int32_t t, sonde__spot spot,
                                        int32_t *which) {
    return sonde__bound_at(score->model, &score->bound, t, spot.belief, which);
}
/* Prefixes there can be before their last step, at most; saturating. */
uint64_t sonde__score_prefixes(const sonde__score *score);
/* ln of the number of policies that go on after t steps. */
static inline double sonde__score_log_count(const sonde__score *score, int32_t t,
                                            sonde__spot spot) {
    return sonde__ways_log_count(&score->ways, score->policies->horizon - t, spot.place);
}

/* spots this close are the same */
#define SONDE__SAME 4e-16
/* A hash of a spot, the beliefs coarsely; it begins with `hash`. */
uint64_t sonde__spot_hash(const sonde__score *score, uint64_t hash, sonde__spot spot);
/* How far two spots are apart: the most that a probability differs; infinity where policies go on
 * differently. */
double sonde__spot_apart(const sonde__score *score, sonde__spot a, sonde__spot b);
/* How much G can change where spots that are not quite the same are taken for one. */
double sonde__score_merging(const sonde__score *score);

#endif
