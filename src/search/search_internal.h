/* search_internal.h: what the methods of searching share.
 *
 * A method says which policies are scored; what their scores mean is the same for all. It is a
 * table of functions, sonde__method, and a state that nobody else sees. One decision is
 *
 *     prepare    what it needs to know of an origin, on the first visit
 *     decide     choose policies, score them block by block, and add the blocks to the posterior
 *
 * and search.c makes probabilities, best policy, certificate and costs of the posterior.
 *
 * To add a method: write search_NAME.c with its state and its sonde__method, and add a row to the
 * table in search.c and a value to sonde_search_kind. Where kinds of policies (walks of a graph,
 * products of factors' actions, lists) are searched in different ways, each has a sonde__method. */
#ifndef SONDE__SEARCH_INTERNAL_H
#define SONDE__SEARCH_INTERNAL_H

#include "base/explanation.h"
#include "cluster/cluster.h"
#include "efe/efe_score.h"
#include "efe/efe_rounding.h"
#include "search/search.h"

/* as the index of a policy: it has one, but it is too large to be told */
#define SONDE__UNNUMBERED (UINT64_MAX - 1)

/* ------------------------------------------------------------------------ blocks of policies -- */

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

/* -------------------------------------------------------------- search_posterior.c: the sums -- */

/* Summed E exp(-gamma G) for each action, relative to the smallest G so far, and the best policy of
 * each. */
typedef struct {
    double gamma;
    const double *weight; /* by action: what E is of each policy that begins with it; NULL: 1 */
    int32_t begin;        /* actions begin .. end - 1 can occur */
    int32_t end;
    double *mass;        /* (n_action) by action - begin */
    double *best_efe;    /* (n_action) infinity before the first policy */
    uint64_t *best;      /* (n_action) */
    double lowest;       /* the smallest G of all, E or not */
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
/* What E is of each policy that begins with an action, where it is not told with the policy. */
static inline double sonde__posterior_weight(const sonde__posterior *posterior, int32_t action) {
    return posterior->weight != NULL ? posterior->weight[action] : 1.0;
}
/* Adds policies that nobody has listed: all that begin with this action and have, together,
 * exp(extra) - 1 times the mass of one with this G. */
void sonde__posterior_add_more(sonde__posterior *posterior, int32_t action, double efe,
                               double extra);
/* Adds what another one has seen, whose policies come after. */
void sonde__posterior_merge(sonde__posterior *posterior, const sonde__posterior *other);
/* Takes the logarithms of all masses (n_action) from elsewhere; they may stand in `mass`. */
void sonde__posterior_settle(sonde__posterior *posterior, const double *log_mass);
/* The sum over actions, as it is kept, and the logarithm of what it stands for. */
double sonde__posterior_total(const sonde__posterior *posterior);
double sonde__posterior_log(const sonde__posterior *posterior, double mass);
/* The action whose best policy is best of all, the lowest policy of several. */
int32_t sonde__posterior_best(const sonde__posterior *posterior);
/* The first action of the most probable policy. */
int32_t sonde__posterior_top(const sonde__posterior *posterior);

/* ------------------------------------------------ search_precision.c: G of every policy seen -- */

/* Nothing has been looked at yet. */
void sonde__watch_begin(sonde__watch *watch);
/* A visitor, whose context is the search: notes G of a block. */
void sonde__watch_note(void *context, const sonde__block *block);
/* Scores all policies, and adds them with the precision that is expected then. */
sonde_status sonde__watch_decide(sonde__search *search);

/* -------------------------------------------------------------- search_keep.c: the best few -- */

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
/* Keeps the best policies of the decision that was made, if any are to be kept. */
sonde_status sonde__keep_fill(sonde__search *search);

/* ---------------------------------------------- search_certificate.c: how close to the truth -- */

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
/* Works out, once, how G is rounded. */
void sonde__evidence_prepare(sonde__search *search);
/* What adding up n masses of policies can be off by, relative, of which some were merged. */
double sonde__evidence_sum(const sonde__search *search, uint64_t n, uint64_t n_merged);
/* Evidence of a search that has looked at every policy, or of none. */
void sonde__evidence_all(sonde__search *search, bool all);
/* How far masses can be from the exact ones, ln of the sum of those found being log_mass. */
sonde__doubt sonde__certificate_doubt(const sonde__search *search, double log_mass);
/* The certificate of a decision whose probabilities and best policy are there. */
void sonde__certify(sonde__search *search);

/* ------------------------------------------------ search_prefix.c: policies that begin alike -- */

/* A way on from a prefix, and all policies that take it. Masses are relative to those of policies
 * from the beginning, but for the weight that habits give a first action before the prefix ends. */
typedef struct {
    int32_t number;    /* in the walk; -1: the prefix is a whole policy, and this is itself */
    uint64_t n_policy; /* saturating, */
    double size;       /* and not */
    double log_mass;   /* ln of the mass of those that were looked at, */
    double log_rest;   /* and of all others, at most */
    double least;      /* no policy has a smaller G */
    double best;       /* the smallest that was found; infinity: none was looked at */
} sonde__onward;
/* A prefix that is asked for, and its ways on. */
typedef struct {
    int32_t n_step;      /* fewer than T, where policies are no list */
    const int32_t *walk; /* (n_step + 1) */
    double efe;          /* G of its steps */
    int32_t n_way;       /* 0: no policy begins so */
    sonde__onward *way;  /* (n_action), or as many as ways that leave a future */
} sonde__ways_on;

/* -------------------------------------------------------------------------------- the method -- */

/* A method of searching. A function that it has no need of is NULL. */
typedef struct {
    size_t size;   /* bytes of its state, which are zeros at first */
    uint32_t uses; /* SONDE__SCORE_..., besides policies by number */
    sonde__grounds
        grounds; /* what its decisions rest on; part counts as every with a certificate */
    /* Fails where it cannot serve these policies, and makes what needs memory of its own. */
    sonde_status (*open)(sonde__search *search, sonde_error *error);
    /* The bytes of that memory. */
    uint64_t (*bytes)(const sonde__search *search);
    /* Cuts what it needs for every origin. */
    void (*carve)(sonde__search *search, sonde__arena *arena);
    /* Gets the decision's origin ready, on its first visit. */
    sonde_status (*prepare)(sonde__search *search);
    /* Chooses policies, and adds them to the posterior; NULL: all that `visit` hands over. */
    sonde_status (*decide)(sonde__search *search);
    /* Hands the policies of the decision to a visitor, block by block, as often as it is asked;
     * NULL: it has none left, and has offered them to search->keep itself. */
    sonde_status (*visit)(sonde__search *search, sonde__visitor visitor, void *context);
    /* The best policy known to begin with an action, as a walk, and the least G that any of them
     * can have. Returns its steps, which are fewer than T where nothing more is known; 0: nothing.
     * Comes after `explain`. NULL: the posterior knows its index. */
    int32_t (*recall)(const sonde__search *search, int32_t action, int32_t *walk, double *bound);
    /* Cuts what it alone can tell of the decision, and tells it; `to` is NULL while measuring. */
    void (*explain)(sonde__search *search, sonde__arena *arena, sonde_explanation *to);
    /* Looks at the ways on from a prefix, after a decision from one origin, which is lost. Masses
     * are those of the present precision. NULL: it cannot tell. */
    sonde_status (*below)(sonde__search *search, sonde__ways_on *on);
    /* Forgets what earlier decisions have taught. */
    void (*forget)(sonde__search *search);
    /* Frees the memory of its own. */
    void (*close)(sonde__search *search);
} sonde__method;

extern const sonde__method sonde__full, sonde__own_search;
/* The state of full search: what it takes to share policies out. */
typedef struct {
    double **efe;                /* (n_track) one block each */
    int32_t n_task;              /* stretches that policies are cut into, whatever the threads */
    sonde__posterior *posterior; /* (n_task) */
} sonde__stretches;

struct sonde__search {
    const sonde_policies *policies; /* as the parts of their G are weighed */
    const sonde_policies *given;    /* as they were given */
    sonde_policies *weighed;        /* what `policies` is where it is not what was given; or NULL */
    sonde_search_settings settings; /* with embedding, gamma and k settled */
    sonde_run run;
    const sonde__method *method; /* NULL: the search could not be opened */
    void *state;                 /* the method's */
    uint64_t version;            /* of the model's numbers, at the last decision */
    sonde_setup setup;           /* what embedding and clustering have cost */
    sonde__watch *watch;         /* where G of every policy goes; or NULL */
    const char *complaint;       /* why a decision could not be made, beyond its status; or NULL */

    /* one decision */
    sonde_decision decision;
    sonde__rng probe_rng;
    sonde__posterior posterior;
    bool walk_is_known; /* the method has found the best policy's walk itself, and its index */
    int32_t *best_walk; /* (T + 1) */
    sonde__keep keep;
    sonde__rounding rounding; /* of G */
    double log_size;          /* ln of the number of policies, at most; 0 where they have a prior */
    sonde__evidence evidence;

    /* scoring */
    sonde__score score;
    sonde__track *track; /* (n_track) one for each thread that scores */
    int32_t n_track;
    double *efe; /* (n_efe) one block */
    int32_t n_efe;
    double *prior; /* (n_efe) E of one block's policies, where the model has it */

    /* arrays that the decision shows */
    int32_t *action;     /* (n_action) */
    double *summed;      /* (n_action) */
    double *probability; /* (n_action) */
    double *marginal;    /* (actions of all factors) general models */
    double *chances;     /* (same) what each factor's action is drawn from */
    int32_t *to;         /* (n_out) nodes reached, n_out the most edges that leave a node */
    double *to_summed;   /* (n_out) */
};

/* From where the decision's policies are carried out. */
static inline sonde_present sonde__search_now(const sonde__search *search) {
    return (sonde_present){.state = search->decision.state, .belief = search->decision.belief};
}
/* Whether policies begin where the agent is, and no longer everywhere. */
static inline bool sonde__search_is_local(const sonde__search *search) {
    return search->settings.scope == SONDE_LOCAL;
}
/* Policies of the scope, of the largest origin; UINT64_MAX: too many for numbers. */
uint64_t sonde__search_most(const sonde__search *search);
/* Policies that the budget buys, one at least and no more than n; `usual` many without a budget. */
uint64_t sonde__search_afford(const sonde__search *search, uint64_t usual, uint64_t n);
/* Takes in numbers of the model that are others than before. */
void sonde__search_refresh(sonde__search *search);
/* Adds all that the method visits to the posterior. */
sonde_status sonde__search_add(sonde__search *search);
/* Says that the best policy's walk is in best_walk; its index is looked up. */
void sonde__search_found(sonde__search *search);
/* The terms of G of a walk from the present. */
sonde_efe sonde__search_terms(sonde__search *search, const int32_t *walk);
/* Fails where one policy is to be drawn by its number and there are too many for numbers. */
sonde_status sonde__search_check_numbers(sonde__search *search, sonde_error *error);
/* Actions of all factors of a general model, added up. */
uint64_t sonde__summed_actions(const sonde_model *model);
/* Fills the decision with its actions, from the posterior's masses and their sum. */
void sonde__search_weigh(sonde__search *search, double total);

#endif
