/* replay.h: tables of what people did, between the files of this stage. */
#ifndef SONDE_REPLAY_REPLAY_H
#define SONDE_REPLAY_REPLAY_H

#include "base/cells.h"
#include "base/memory.h"
#include "model/model.h"
#include "sonde_replay.h"

/* "FILE: row 3, column reward: ..." of data that were read: row is a place in them. */
sonde_status sonde__data_wrong(const sonde_data *data, int32_t row, int32_t column,
                               sonde_error *error, const char *format, ...) SONDE_PRINTF(5, 6);
/* Fails with SONDE_BAD_INPUT where an outcome was seen that no state of the model has. */
sonde_status sonde__data_check(const sonde_data *data, const sonde_model *model, int32_t subject,
                               sonde_error *error);

/* An agent that follows a subject, and how its actions are compared. */
typedef struct {
    sonde_agent *agent;
    const sonde_search_settings *search;
    double lapse;
    sonde_timing timing;
    bool decides;     /* what it learns depends on every decision, also those that do not count */
    bool smooths;     /* it learns from smoothed beliefs, which need every action */
    double *log_mass; /* (n_action) of a decision's actions */
    double *share;    /* (actions of all factors) scratch */
    double *factor_p; /* (actions of all factors) probabilities of each factor's own */
    int32_t *start;   /* (n_action) 0 where some policy begins so, -1 elsewhere */
    int32_t *own;     /* (most actions of a factor) the same of one factor's own */
    sonde_run run;
} sonde__follower;
/* Fails with SONDE_BAD_ARGUMENT where actions of such an agent have no likelihood. */
sonde_status sonde__follower_check(const sonde_replay_settings *settings, const sonde_model *model,
                                   sonde_error *error);
/* Makes the agent, of settings that were checked; `n_longest` is the most steps of an episode.
 * Close it, whatever it returns. */
sonde_status sonde__follower_open(sonde__follower *follower, const sonde_policies *policies,
                                  const sonde_replay_settings *settings, int32_t n_longest,
                                  const sonde_run *run, sonde_error *error);
void sonde__follower_close(sonde__follower *follower);

/* What a decision says of an action. */
typedef struct {
    double p;
    double log_p;      /* -infinity: no policy begins with it, or all that do are excluded */
    bool starts;       /* some policy begins with it, whatever E is */
    int32_t likeliest; /* the most probable action */
} sonde__judged;
sonde_status sonde__judge(sonde__follower *follower, const sonde_decision *decision, int32_t action,
                          sonde__judged *judged, sonde_error *error);
/* Whether an agent that follows may do something: it is among the decision's actions, or lapses
 * come to it, since some policy begins with it. */
bool sonde__may_act(sonde__follower *follower, const sonde_decision *decision, int32_t action);
/* ln p of an action by the rule of the settings, from ln of the masses (n_action) of all first
 * actions, with each of which some policy begins; they need not sum to 1 and are overwritten; `share` (n_action) is scratch. */
double sonde__judge_masses(const sonde_search_settings *search, double lapse,
                           const sonde_model *model, int32_t action, double *mass, double *share);
/* Fills follower->factor_p. */
sonde_status sonde__judge_factors(sonde__follower *follower, const sonde_decision *decision,
                                  sonde_error *error);

/* One subject, row by row. */
typedef struct {
    const sonde_data *data;
    int32_t subject;
    sonde__follower *const *follower; /* (rows of the subject) who follows each */
    bool every;                       /* decide in every row, and not only where it counts */
    void *user;
    /* called before the row's outcomes, after them, after its decision and at its end; each may be
     * NULL */
    void (*expected)(void *user, int32_t row, const sonde__follower *follower);
    void (*seen)(void *user, int32_t row, const sonde__follower *follower);
    sonde_status (*decided)(void *user, int32_t row, sonde__follower *follower,
                            const sonde_decision *decision, const sonde__judged *judged,
                            sonde_error *error);
    void (*done)(void *user, int32_t row, const sonde__follower *follower);
} sonde__following;
/* The sum of log_p over the rows that count. */
sonde_status sonde__follow(const sonde__following *following, double *log_likelihood,
                           sonde_error *error);

/* Kinds of targets. */
enum {
    SONDE__TARGET_GAMMA,
    SONDE__TARGET_ALPHA,
    SONDE__TARGET_LAPSE,
    SONDE__TARGET_LAMBDA,
    SONDE__TARGET_NU_A,
    SONDE__TARGET_NU_B,
    SONDE__TARGET_ALPHA_G,
    SONDE__TARGET_BETA_G,
    SONDE__TARGET_ETA,
    SONDE__TARGET_OMEGA,
    SONDE__TARGET_C,
    SONDE__TARGET_ADD,
    SONDE__TARGET_D,
    SONDE__TARGET_SCALE_C,
    SONDE__TARGET_SCALE_COUNTS,
    SONDE__TARGET_PRECISION_A,
    SONDE__TARGET_SPM, /* and those after it: numbers of SPM's scheme */
    SONDE__TARGET_SPM_ADD = SONDE__TARGET_SPM + SONDE_SPM_N_NUMBER,
    SONDE__N_TARGET
};

/* An agent's numbers with parameters in their place: a model with the shape of another, and
 * settings. */
typedef struct {
    sonde__own own;
    sonde_policies policies; /* over that model */
    sonde_replay_settings settings;
    double *counts_block;  /* counts of all arrays, where parameters scale some */
    double *eta_outcome;   /* (outcomes of all modalities) */
    double *omega_outcome; /* (outcomes of all modalities) */
} sonde__variant;
void sonde__variant_carve(sonde__arena *arena, const sonde_model *shape, sonde__variant *variant);
/* Fails with SONDE_BAD_INPUT where a parameter changes nothing in agents with these settings, of the
 * model and of conditions (n_condition). */
sonde_status sonde__parameters_check(const sonde_replay_settings *settings, int32_t n_condition,
                                     const sonde_parameters *parameters, sonde_error *error);
/* Puts values (n), on their own scale, in place of what the model and the settings have. */
void sonde__variant_set(sonde__variant *variant, const sonde_policies *policies,
                        const sonde_replay_settings *settings, const sonde_parameters *parameters,
                        const double *value);

#endif
