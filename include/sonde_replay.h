/* sonde_replay.h: agents that follow what somebody did.
 *
 * A table has what people saw and did, trial by trial; an agent that sees the same, and is made to
 * do the same, says how probable each of their actions was. The sum of the logarithms is what
 * parameters are fitted by:
 *
 *     table -> data -> replay                                  what one agent thought of it
 *                   -> parameters, sets of them -> likelihood  what it would be with other numbers
 *
 * The words of sonde.h on threads, ownership, defaults and failure hold here, too. */
#ifndef SONDE_REPLAY_H
#define SONDE_REPLAY_H

#include "sonde_learn.h"
#include "sonde_world.h"
#include "sonde_spm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------ data -- */

/* Whether a row's outcomes were seen before its action, or came of it. */
typedef enum { SONDE_TIMING_BEFORE, SONDE_TIMING_AFTER } sonde_timing;
SONDE_API const char *sonde_timing_name(int32_t timing);

/* How a table is read. */
typedef struct {
    /* what columns and cells are called there, "action.arm=choice,subject=subjID,reward.win=1"; or
     * NULL: as they are here */
    const char *map;
    int32_t base;         /* what numbers of outcomes and actions count from: 0 or 1 */
    bool missing_actions; /* an action may be missing */
    double reserved[4];   /* later versions put new settings here */
} sonde_data_settings;
SONDE_API sonde_data_settings sonde_data_defaults(void);

/* A table that was read: rows of a subject stand together, in the order of the file. */
typedef struct {
    const char *origin; /* the file */
    int32_t n_subject;
    const char *const *subject; /* (n_subject) in the order of their first rows */
    int32_t n_row;
    const int32_t *first;   /* (n_subject + 1) rows of subject i are first[i] .. first[i+1] - 1 */
    const int32_t *row;     /* (n_row) its number in the file, the first below the header being 1 */
    const int32_t *session; /* (n_row) of its subject, from 0 */
    const int32_t *episode; /* (n_row) of its session, from 0 */
    const int32_t *step;    /* (n_row) of its episode, from 0 */
    int32_t n_modality;
    const int32_t *outcome; /* (n_row, n_modality) or SONDE_MISSING */
    const int32_t *action;  /* (n_row) the number of the tuple, or SONDE_MISSING */
    const bool *score;      /* (n_row) whether its action counts in the likelihood */
    int32_t n_model;
    const char *const *model_name; /* (n_model) what the column `model` names */
    const int32_t *model;          /* (n_row) one of these; -1: the model itself */
    int32_t n_column;
    const char *const *column;  /* (n_column) their names, as --map has them */
    const char *const *cell;    /* (n_row, n_column) what is written there */
    int32_t n_longest;          /* steps of the longest episode */
    const int32_t *column_seen; /* (n_modality) the column of each modality */
    const int32_t *column_done; /* (n_factor) the column of each controlled factor; -1: none */
} sonde_data;
/* Reads a CSV or TSV table with a header (docs/formats.md), for agents of this model. Fails with
 * SONDE_NO_FILE, SONDE_NO_MEMORY or SONDE_BAD_INPUT, and then names row and column. */
SONDE_API sonde_status sonde_data_read(const sonde_source *source, const sonde_model *model,
                                       const sonde_data_settings *settings, sonde_data **data,
                                       sonde_error *error);
SONDE_API void sonde_data_free(sonde_data *data);
/* The column of a name, or -1. */
SONDE_API int32_t sonde_data_column(const sonde_data *data, const char *name);
/* Appends the header of a table of a model, and rows: outcomes (n_step, n_modality) and actions
 * (n_step) of one episode, by their names. */
SONDE_API void sonde_data_write_header(const sonde_model *model, sonde_text *csv);
SONDE_API void sonde_data_write_episode(const sonde_model *model, const char *subject,
                                        int32_t episode, const sonde_sequence *steps,
                                        sonde_text *csv);

/* ------------------------------------------------------------------------------ parameters -- */

/* How a number that may be anything becomes one that a parameter may be. */
typedef enum {
    SONDE_TRANSFORM_IDENTITY,
    SONDE_TRANSFORM_LOG,  /* e^theta, above 0 */
    SONDE_TRANSFORM_LOGIT /* 1 / (1 + e^-theta), between 0 and 1 */
} sonde_transform;
SONDE_API const char *sonde_transform_name(int32_t transform);
/* From the transformed scale to the parameter's own, and back. */
SONDE_API double sonde_transform_out(sonde_transform transform, double theta);
SONDE_API double sonde_transform_in(sonde_transform transform, double value);

/* A number of an agent or its model that is free: what it is, how it is transformed, what is
 * believed of it beforehand. */
typedef struct {
    const char *name;
    const char *target; /* "gamma", "eta_A[reward][win]", "scale of C[reward]", ... */
    sonde_transform transform;
    double mean;     /* of the normal prior, on the transformed scale, */
    double sd;       /* and its standard deviation */
    double start;    /* where a search begins, on the same scale */
    const char *per; /* a column: one value for each of its levels; or NULL */
    bool shared;     /* one value for all subjects */
    /* what the target comes to, the library's own */
    int32_t kind;
    int32_t letter;
    int32_t place;        /* modality or factor */
    int32_t entry;        /* outcome or state; -1: all */
    const double *vector; /* (outcomes of the modality) that is added to C; or NULL */
} sonde_parameter;
typedef struct {
    int32_t n;
    const sonde_parameter *parameter; /* (n) */
} sonde_parameters;
/* Reads parameters: a JSON document, [{"name", "target", "transform", "prior": [mean, sd], "start",
 * "per", "shared", "add"}, ...], where source->origin is its file; or targets with commas between,
 * `list`, where it is not NULL. Fails like sonde_model_read, where there is no such target, or a
 * prior is none. */
SONDE_API sonde_status sonde_parameters_read(const sonde_source *source, const char *list,
                                             const sonde_model *model,
                                             sonde_parameters **parameters, sonde_error *error);
/* The same for SPM's scheme: alpha, beta, zeta, eta, tau, erp, and C[modality] with "add", which
 * has a number for each outcome or a list of one for each time; priors as in the tutorial of Smith,
 * Friston and Whyte. */
SONDE_API sonde_status sonde_parameters_read_spm(const sonde_source *source, const char *list,
                                                 const sonde_spm_shape *shape,
                                                 sonde_parameters **parameters, sonde_error *error);
SONDE_API void sonde_parameters_free(sonde_parameters *parameters);
/* ln of the prior density (n) at theta. */
SONDE_API double sonde_parameters_log_prior(const sonde_parameters *parameters,
                                            const double *theta);
/* Reads sets of values: a CSV table whose header has targets, and whose rows have values of the
 * parameters' own scale, (n_set, n). The parameters have no transforms then. Fails like
 * sonde_data_read. Free `value` with sonde_parameters_free of the parameters. */
SONDE_API sonde_status sonde_sets_read(const sonde_source *source, const sonde_model *model,
                                       sonde_parameters **parameters, int32_t *n_set,
                                       const double **value, sonde_error *error);

/* ---------------------------------------------------------------------------------- replay -- */

/* Whom actions are compared with. */
typedef struct {
    const sonde_model *model;
    /* (data->n_model) models of the same shape that the column `model` names; or NULL */
    const sonde_model *const *condition;
    sonde_search_settings search; /* full or bounded, action marginal or softmax */
    bool learns;
    sonde_learn_settings learn; /* where it learns */
    sonde_timing timing;
    double lapse; /* probability that an action is drawn from all of them alike */
    /* numbers in the place of some of these and of the models', (n) on the transformed scale; or
     * NULL. A likelihood has its own */
    const sonde_parameters *parameters;
    const double *theta;
    double reserved[8]; /* later versions put new settings here */
} sonde_replay_settings;
/* Full search, and the defaults of sonde.h otherwise; nothing is learned, no lapse. */
SONDE_API sonde_replay_settings sonde_replay_defaults(const sonde_model *model);

/* What an agent thought of the rows of one subject. NaN stands where there is nothing to say. */
typedef struct {
    int32_t subject;
    int32_t first; /* its first row in the data */
    int32_t n_row;
    int32_t n_belief;
    int32_t n_factor;
    int32_t n_modality;
    int32_t n_action;
    const double *p;          /* (n_row) probability of the action, by the rule, alpha and lapse */
    const double *log_p;      /* (n_row) its logarithm, which does not underflow */
    const double *surprise;   /* (n_row) -ln P(outcomes) */
    const int32_t *likeliest; /* (n_row) the most probable action */
    const double *belief;     /* (n_row, n_belief) after the row's outcomes */
    const double *prior;      /* (n_row, n_belief) before them */
    const double *update;     /* (n_row, n_factor) KL of the belief from its prior */
    const double *error;      /* (n_row, n_modality) 1 - the probability that was expected */
    const sonde_efe *efe;     /* (n_row, n_action) G of the best policy that begins so; or NULL */
    int64_t n_count;          /* counts of all arrays that are learned */
    const double *counts;     /* (n_row, n_count) after the row; or NULL */
    double gamma;
    double log_likelihood; /* summed over rows that count */
    int32_t n;             /* rows that count */
    int32_t n_hit;         /* of which the most probable action was taken */
    int32_t n_impossible;  /* rows whose outcomes had the probability 0, which floors let pass */
} sonde_replayed;
/* What of it is wanted besides. */
enum { SONDE_REPLAY_EFE = 1, SONDE_REPLAY_COUNTS = 2 };
/* Lets an agent follow a subject. Fails with SONDE_BAD_ARGUMENT (settings), SONDE_BAD_INPUT (an
 * action that no policy begins with, an outcome that no state has; it names row and column),
 * SONDE_TOO_LARGE, SONDE_STOPPED or SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_replay(const sonde_replay_settings *settings, const sonde_data *data,
                                    int32_t subject, uint32_t wanted, const sonde_run *run,
                                    sonde_replayed **replayed, sonde_error *error);
SONDE_API void sonde_replayed_free(sonde_replayed *replayed);
/* Appends the header of a table of regressors, and the rows of a subject; `wanted` as above. */
SONDE_API void sonde_replay_write_header(const sonde_replay_settings *settings,
                                         const sonde_data *data, uint32_t wanted, sonde_text *csv);
SONDE_API void sonde_replay_write_rows(const sonde_replay_settings *settings,
                                       const sonde_data *data, const sonde_replayed *replayed,
                                       sonde_text *csv);

/* ------------------------------------------------------------------------------ likelihood -- */

/* The log-likelihood of data as a function of parameters. It may be evaluated by any number of
 * threads at once. Settings, data and parameters outlive it. */
typedef struct sonde_likelihood sonde_likelihood;
/* `score` (n_row) says which rows count; NULL: as the data do. Fails with SONDE_BAD_ARGUMENT or
 * SONDE_BAD_INPUT like sonde_replay, and where parameters have nothing to act on. */
SONDE_API sonde_status sonde_likelihood_new(const sonde_replay_settings *settings,
                                            const sonde_data *data,
                                            const sonde_parameters *parameters, const bool *score,
                                            sonde_likelihood **likelihood, sonde_error *error);
/* The same of documents of SPM's scheme, each of which is a subject (n_subject) and the caller's
 * until it is freed; parameters are those of sonde_parameters_read_spm. */
SONDE_API sonde_status sonde_likelihood_new_spm(sonde_spm *const *spm, int32_t n_subject,
                                                const sonde_parameters *parameters,
                                                sonde_likelihood **likelihood, sonde_error *error);
SONDE_API void sonde_likelihood_free(sonde_likelihood *likelihood);
/* The numbers that a subject's likelihood depends on: one for each parameter, or for each level of
 * its column that the subject has. */
typedef struct {
    int32_t n_slot;
    const int32_t *parameter; /* (n_slot) */
    const char *const *level; /* (n_slot) or NULL, where the parameter has no column */
    int32_t n;                /* rows that count */
    bool batched;             /* many sets are worked out side by side, and not by one agent each */
} sonde_layout;
SONDE_API const sonde_layout *sonde_likelihood_layout(const sonde_likelihood *likelihood,
                                                      int32_t subject);
/* Log-likelihoods (n_set) of a subject at sets of numbers (n_set, n_slot) on the transformed scale.
 * Those of one set do not depend on the others, to the last bit; that of a set with a NaN is one.
 * Fails with SONDE_BAD_INPUT where an action has the probability 0, SONDE_STOPPED or SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_likelihood_at(const sonde_likelihood *likelihood, int32_t subject,
                                           int32_t n_set, const double *theta,
                                           double *log_likelihood, sonde_error *error);
/* The same for all subjects, whose sets (n_set, n) are the same and have no columns: (n_set,
 * n_subject). */
SONDE_API sonde_status sonde_likelihood_all(const sonde_likelihood *likelihood, int32_t n_set,
                                            const double *theta, const sonde_run *run,
                                            double *log_likelihood, sonde_error *error);

/* ---------------------------------------------------------------------------------- drawing -- */

/* What a subject goes through: a world that may change, or outcomes that are fixed beforehand. */
typedef struct {
    uint64_t seed;
    uint64_t subject; /* its number: each has chance of its own */
    int32_t n_episode;
    int32_t n_step;             /* of each episode */
    int32_t n_change;           /* 0: the world is the agent's own model */
    const sonde_change *change; /* (n_change) in their order; the first from 0 on */
    /* (n_episode, n_step, n_action, n_modality) what comes of each action, or SONDE_MISSING; its
     * first number -2: nothing is known. With timing before, the action is that of the step before,
     * and the first step of an episode is found under action 0. NULL: the world shows them */
    const int32_t *outcome;
} sonde_experiment;
/* Lets an agent act, its actions drawn by the rule, alpha and lapse, and writes down what a table
 * of it has: outcomes (n_episode, n_step, n_modality) and actions (n_episode, n_step). The same
 * seed and subject give the same rows. Fails with SONDE_BAD_ARGUMENT like sonde_replay, or where an
 * outcome is not known, SONDE_TOO_LARGE, SONDE_STOPPED or SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_replay_draw(const sonde_replay_settings *settings,
                                         const sonde_experiment *experiment, const sonde_run *run,
                                         int32_t *outcome, int32_t *action, sonde_error *error);

#ifdef __cplusplus
}
#endif

#endif
