/* explanation.h: why a decision is what it is, as a search leaves it, and documents and pictures
 * tell it. Programs have the documents; what is in here may change with the searches. */
#ifndef SONDE_BASE_EXPLANATION_H
#define SONDE_BASE_EXPLANATION_H

#include "sonde.h"

/* What a decision rests on: code, name, sentence. */
#define SONDE__GROUNDS_LIST(X)                                                                     \
    X(SONDE__GROUNDS_PART, "part",                                                                 \
      "a part of the policies was scored; of the others nothing is known")                         \
    X(SONDE__GROUNDS_EVERY, "every", "every policy was scored")                                    \
    X(SONDE__GROUNDS_SUMS, "sums",                                                                 \
      "sums over edges, backwards from the horizon, count every policy; nothing is left out")      \
    X(SONDE__GROUNDS_BOUNDS, "bounds",                                                             \
      "prefixes were expanded best first; bounds say how much those left open can hold")           \
    X(SONDE__GROUNDS_CLUSTERS, "clusters",                                                         \
      "clusters were probed, and the policies of the best were scored")
typedef enum {
#define SONDE__GROUNDS_CODE(code, name, sentence) code,
    SONDE__GROUNDS_LIST(SONDE__GROUNDS_CODE)
#undef SONDE__GROUNDS_CODE
} sonde__grounds;

/* A first action, and the best policy that begins with it as far as the search knows: a whole
 * policy, or the prefix at which the search could stop looking, or nothing. */
typedef struct {
    int32_t action;      /* in a graph world, of those that lead to a node the one that is best */
    int32_t to;          /* graph worlds: the node it leads to; otherwise -1 */
    double posterior;    /* summed Q(policy) of all that lead there */
    double probability;  /* what it is drawn with */
    uint64_t index;      /* of the policy, or UINT64_MAX: it is not whole, or has no number */
    int32_t n_step;      /* that are known: T, fewer of a prefix, 0 of nothing */
    const int32_t *walk; /* (n_step + 1) */
    const int32_t *reached; /* (n_step) graph worlds: the edge after each step; otherwise -1 */
    const sonde_efe *step;  /* (n_step) */
    sonde_efe total;        /* of these steps */
    double bound;           /* no policy that begins so has a smaller G; -infinity: nobody knows */
    bool proven;            /* it is whole, and none that begins so is better, but for rounding */
} sonde__alternative;

/* How far bounded search was at some time. */
typedef struct {
    uint64_t n_step;     /* scored */
    uint64_t n_expanded; /* prefixes */
    uint64_t n_open;     /* prefixes */
    double best_efe;     /* of the policies found; infinity before the first */
    double least;        /* no open prefix leads to a smaller G; infinity when none is open */
    double tv;           /* as in the certificate: the share of all mass that may be open */
} sonde__trace;

/* A kind of bound to go, and how much of what is open it bounds more tightly than the others. */
typedef struct {
    const char *name; /* "beta 0" to "beta 1", "certain" or "any state": docs/math.md */
    uint64_t n_open;  /* prefixes */
    double share;     /* of the mass that may be open */
} sonde__bound_share;

/* What was known of a cluster when some were chosen. */
typedef struct {
    int32_t cluster;
    int32_t n_policy;
    int32_t n_probed; /* policies that were scored for the probe; 0: none, or nobody kept count */
    double probe;     /* NaN: there was nothing to score */
    bool chosen;      /* some of it, at least, was scored; otherwise it was cut */
} sonde__probed;

/* Why a decision is what it is. One block, which does not depend on the agent any more. */
struct sonde_explanation {
    const sonde_policies *policies; /* borrowed, as its agent does */
    sonde_search_kind search;
    sonde__grounds grounds;
    const char *because; /* the grounds as a sentence */
    int32_t state;       /* graph worlds: where it was made; otherwise -1 */
    double gamma;
    bool novel; /* novelty counts */
    sonde_evaluations evaluations;
    sonde_certificate certificate;
    int32_t n_alternative;                 /* first actions that are allowed */
    const sonde__alternative *alternative; /* (n_alternative) the most probable first */
    /* SONDE__GROUNDS_BOUNDS; 0 and NULL otherwise */
    uint64_t n_expanded; /* prefixes that were looked into */
    uint64_t n_merged;   /* prefixes that were the same as one that was open */
    uint64_t n_open;     /* prefixes that bounds closed */
    /* what tv would be if nothing were known of what is to come but that it is not negative; NaN
     * where it may be */
    double tv_unbounded;
    int32_t n_trace;
    const sonde__trace *trace; /* (n_trace) the last is the certificate's */
    int32_t n_bound;
    const sonde__bound_share *bound; /* (n_bound) */
    /* SONDE__GROUNDS_CLUSTERS; 0 and NULL otherwise */
    sonde_probe probe;
    int32_t n_cluster;
    const sonde__probed *cluster; /* (n_cluster) the smallest probe first */
    uint64_t n_cut;               /* policies of the clusters that were not chosen */
};

#endif
