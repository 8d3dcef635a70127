/* sonde_learn.h: agents that learn, their counts, and what whole sequences say about states.
 *
 *     sonde_learn_settings learn = sonde_learn_defaults();
 *     status = sonde_agent_learn(agent, &learn, &error);
 *
 * docs/learning.md has the formulas. */
#ifndef SONDE_LEARN_H
#define SONDE_LEARN_H

#include "sonde.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------------------------- learn -- */

/* How an agent learns. A model with counts has numbers that its agents can learn; each agent has
 * its own (sonde_agent_learn). */
typedef enum { SONDE_A, SONDE_B, SONDE_C, SONDE_D, SONDE_E, SONDE_N_LETTER } sonde_letter;
typedef enum {
    SONDE_LEARN_AFTER,  /* after the decision of a step, before its action */
    SONDE_LEARN_BEFORE, /* before the decision of a step */
    SONDE_LEARN_EPISODE /* once, at the end of an episode, from all of its steps */
} sonde_learn_when;
typedef enum {
    SONDE_BELIEFS_FILTERED, /* given the outcomes so far */
    SONDE_BELIEFS_SMOOTHED, /* given those of the whole episode */
    SONDE_BELIEFS_LAST      /* for D alone: that of the last step */
} sonde_learn_beliefs;
typedef enum {
    SONDE_SUPPORT_KEEP, /* a count of 0 stays 0 */
    SONDE_SUPPORT_GROW  /* it grows like others */
} sonde_support;
typedef enum { SONDE_TOWARD_INIT, SONDE_TOWARD_ZERO } sonde_toward;
typedef enum { SONDE_PRECISION_FIXED, SONDE_PRECISION_EXPECTED } sonde_precision;
typedef struct {
    sonde_learn_when when;
    sonde_learn_beliefs beliefs;   /* that A and B are learned from; smoothed ones by episode */
    sonde_learn_beliefs beliefs_D; /* that D is learned from, of the first step or the last */
    sonde_support support;
    double eta[SONDE_N_LETTER]; /* what one observation or transition counts, from 0 on */
    double decay;               /* the n-th update counts eta / (1 + decay (n - 1)) */
    double omega;               /* share of what was learned that is forgotten before an update */
    sonde_toward toward;        /* what is forgotten towards: the initial counts, or nothing */
    /* (outcomes of all modalities, side by side) eta and omega of A by outcome; those that are no
     * number are as above. NULL: all are */
    const double *eta_outcome;
    const double *omega_outcome;
    const bool *modality; /* (n_modality) whose A and C are learned; NULL: those with counts */
    const bool *factor;   /* (n_factor) whose B and D are; NULL: those with counts */
    int32_t until;        /* the first episode, from 0 on, that nothing is learned from */
    int32_t steps;        /* the most steps of an episode that is smoothed */
    double least;         /* what a count is at least, in means: 0, or pymdp's 2^-52 */
    /* the precision gamma is expected, and not what the search says (search full): alpha / beta at
     * the beginning of an episode, and 16 rounds of Q ~ E exp(-gamma G), gamma = alpha / (beta + Q
     * . (G - min G)) in each decision, which the next one begins with */
    sonde_precision gamma;
    double alpha_g;     /* above 0 */
    double beta_g;      /* above 0; 0: 1 / gamma of the search */
    double reserved[8]; /* later versions put new settings here */
} sonde_learn_settings;
/* After decisions, filtered beliefs, of D smoothed ones, structural zeros kept, each observation
 * counts 1, nothing is forgotten, no end. */
SONDE_API sonde_learn_settings sonde_learn_defaults(void);
/* Names of its choices, as elsewhere. */
SONDE_API const char *sonde_learn_when_name(int32_t when);
SONDE_API const char *sonde_learn_beliefs_name(int32_t beliefs);
SONDE_API const char *sonde_support_name(int32_t support);
SONDE_API const char *sonde_toward_name(int32_t toward);
SONDE_API const char *sonde_precision_name(int32_t precision);
/* Appends them as a JSON object, of a model with these names of outcomes. */
SONDE_API void sonde_learn_write(const sonde_learn_settings *learn, const sonde_model *model,
                                 sonde_text *json);
/* What sonde_like_apply does, for agents that learn, which are compared number by number, and how
 * these learn; none may be NULL. */
SONDE_API const char *sonde_like_learn(int32_t like, sonde_model_settings *model,
                                       sonde_search_settings *search, sonde_learn_settings *learn);

/* Lets an agent learn from now on, from the counts of its model; NULL: it does not. Memory for it
 * is asked for here. Fails with SONDE_BAD_ARGUMENT where there is nothing to learn, or a setting is
 * outside its range, SONDE_TOO_LARGE or SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_agent_learn(sonde_agent *agent, const sonde_learn_settings *learn,
                                         sonde_error *error);
/* The episode ends: what is still due is learned, and the agent believes what it does at the
 * beginning. Unlike sonde_agent_reset, its streams go on. */
SONDE_API void sonde_agent_end(sonde_agent *agent);
/* Puts counts back to where they began; sonde_agent_reset does not. */
SONDE_API void sonde_agent_forget(sonde_agent *agent);
/* The counts of A or C of a modality, of B or D of a factor, of E (i is 0), with the axes of the
 * file format; returns how many they are, and writes none where `counts` is NULL. 0: it does not
 * learn. */
SONDE_API int64_t sonde_agent_counts(const sonde_agent *agent, sonde_letter letter, int32_t i,
                                     double *counts);
/* What became of them. */
typedef struct {
    uint64_t n_event; /* updates */
    double added;     /* the sum of counts, less what it was at first */
    double masked;    /* what structural zeros did not take in */
    double kl;        /* nats, summed over columns: KL of the Dirichlet from the first one */
    double grown;     /* the sum of counts where there were none, which are not in the KL */
} sonde_learned;
SONDE_API sonde_learned sonde_agent_learned(const sonde_agent *agent, sonde_letter letter,
                                            int32_t i);

/* ------------------------------------------------------------------------------- reduction -- */

/* Counts that a model has, of A or C of a modality, of B or D of a factor: (n, columns), as in the
 * file format, whose first axis has the n outcomes or states. Returns how many columns; writes no
 * count where `counts` is NULL. 0: there are none. */
SONDE_API int64_t sonde_model_counts(const sonde_model *model, sonde_letter letter, int32_t i,
                                     double *counts, int32_t *n);
/* Counts before and after learning, and others that it might have begun with, all (n, n_column). */
typedef struct {
    int32_t n;
    int64_t n_column;
    const double *posterior;
    const double *prior;
    const double *reduced;
} sonde_reduction;
/* Bayesian model reduction: for each column, ln of how much more the data speak for the prior than
 * for the reduced one (below 0: the reduced one is better), evidence (n_column); and the counts
 * that learning would have come to, `after` (n, n_column), which may be NULL. Fails with
 * SONDE_BAD_ARGUMENT where counts are none, or fewer after learning than before. */
SONDE_API sonde_status sonde_reduce(const sonde_reduction *reduction, double *evidence,
                                    double *after, sonde_error *error);

/* ------------------------------------------------------------------------------- smoothing -- */

/* What happened, step by step. */
typedef struct {
    int32_t n_step;
    const int32_t *outcome; /* (n_step, n_modality) or SONDE_MISSING */
    const int32_t *action;  /* (n_step) numbers of actions; the last is not looked at */
    int32_t inference; /* a sonde_inference, or the default: of filtered and smoothed beliefs */
} sonde_sequence;
/* Reads a sonde-sequence document. Fails like sonde_graph_read. */
SONDE_API sonde_status sonde_sequence_read(const sonde_source *source, const sonde_model *model,
                                           sonde_sequence **sequence, sonde_error *error);
SONDE_API void sonde_sequence_free(sonde_sequence *sequence);
typedef enum {
    SONDE_SMOOTHING_FILTERED, /* each step given those before it */
    SONDE_SMOOTHING_SMOOTHED, /* each given all: exactly with one factor, else factor by factor */
    SONDE_SMOOTHING_MMP,      /* all at once, as pymdp 1.0 does: marginal message passing, */
    SONDE_SMOOTHING_VMP       /* and variational */
} sonde_smoothing;
SONDE_API const char *sonde_smoothing_name(int32_t how);
/* Beliefs (n_step, n_belief) of a whole sequence. Fails with SONDE_NO_MEMORY, or
 * SONDE_BAD_ARGUMENT: a graph world, no such outcome or action, vmp of a model whose factors depend
 * on others. */
SONDE_API sonde_status sonde_belief_smooth(const sonde_model *model, const sonde_sequence *sequence,
                                           sonde_smoothing how, double *belief, sonde_error *error);

#ifdef __cplusplus
}
#endif

#endif
