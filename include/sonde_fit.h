/* sonde_fit.h: from fitted agents to statements about people.
 *
 * Which of several models do subjects use, and how do their parameters differ between groups? It is
 * a part of the laboratory (sonde_lab.h): words on threads, ownership and failure are those of
 * sonde.h. docs/fitting.md has the formulas.
 */
#ifndef SONDE_FIT_H
#define SONDE_FIT_H

#include "sonde_replay.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------- fit -- */

/* A fit over several processes. */
typedef struct {
    int32_t rank;
    int32_t n_rank;
    /* Puts rows (n, n_number) together, of which each rank has those whose number leaves its own
     * after division by n_rank; every rank has all of them then. */
    sonde_status (*gather)(void *user, int32_t n, int32_t n_number, double *number);
    void *user;
} sonde_fit_ranks;
/* How parameters are found. */
typedef struct {
    int32_t n_start;        /* places to begin at: the parameters' own, then draws of the prior */
    uint64_t seed;          /* of these draws */
    bool group;             /* subjects are draws from a group: empirical Bayes */
    const char *covariates; /* a table of what is known of subjects; or NULL */
    bool newton;            /* NLopt's BOBYQA is not used, though it is there */
    const bool *train;      /* (n_row) rows that count; NULL: those that the data score */
    const bool *test;       /* (n_row) rows whose likelihood at the estimate is told; or NULL */
    const char *store;      /* an SQLite file that keeps what is done, to go on from; or NULL */
    const sonde_fit_ranks *ranks; /* or NULL */
    double reserved[8];           /* later versions put new settings here */
} sonde_fit_settings;
/* Four starts, seed 1, no group. */
SONDE_API sonde_fit_settings sonde_fit_defaults(void);

/* A direction that data say nothing about: what is believed along it is the prior. */
typedef struct {
    double curvature;     /* of the posterior, in units of the prior's: below 1.05 */
    const double *weight; /* (n_slot) of each parameter, in units of its prior */
} sonde_weak;
/* What a subject is estimated to be like, on the transformed scale where nothing else is said. */
typedef struct {
    const char *subject;
    int32_t n; /* rows that count */
    int32_t n_slot;
    const char *const *name;  /* (n_slot) of the parameter, with its level: gamma[drug] */
    const int32_t *parameter; /* (n_slot) */
    const double *map;        /* (n_slot) */
    const double *sd;         /* (n_slot) of the Laplace approximation; NaN: shared by all */
    const double *value;      /* (n_slot) map on the parameter's own scale */
    const double *low;        /* (n_slot) 90 % interval, on its own scale */
    const double *high;       /* (n_slot) */
    const double *covariance; /* (n_slot, n_slot) */
    double log_likelihood;
    double evidence;     /* the logarithm of the model evidence, by Laplace */
    double aic;          /* 2 P - 2 log-likelihood */
    double bic;          /* P ln n - 2 log-likelihood */
    int32_t n_test;      /* rows that were held out */
    double held_out;     /* their log-likelihood at the estimate; NaN: there are none */
    bool converged;      /* the top was found, and the posterior is curved in all directions */
    double gradient;     /* the largest that is left, per sd of the prior */
    double n_evaluation; /* of the likelihood */
    int32_t n_weak;
    const sonde_weak *weak; /* (n_weak) */
} sonde_fitted;
/* The group that subjects are draws of: parameter p of subject i ~ N(x_i beta_p, sd_p). */
typedef struct {
    int32_t n_subject;       /* with an action that counts */
    int32_t n;               /* parameters, as slots of a subject */
    const char *const *name; /* (n) */
    int32_t n_column;
    const char *const *column; /* (n_column) of the design: "intercept", ... */
    const double *beta;        /* (n, n_column) */
    const double *se;          /* (n, n_column) */
    const double *z;           /* (n, n_column) */
    const double *low;         /* (n, n_column) 95 % interval */
    const double *high;        /* (n, n_column) */
    const double *mu;          /* (n) means of the subjects' priors */
    const double *sd;          /* (n) */
    double evidence;
    int32_t n_round;
    bool converged;
    int32_t n_covariate;
    const char *const *covariate; /* (n_covariate) */
    const double *effect;         /* (n_covariate) evidence less that without the covariate */
} sonde_fit_group;
typedef struct {
    const char *optimiser; /* "BOBYQA" or "newton" */
    const sonde_parameters *parameters;
    int32_t n_subject;
    const sonde_fitted *subject; /* (n_subject) */
    double log_likelihood;       /* sums over subjects */
    double evidence;
    double n_parameter; /* shared ones once */
    double n;
    double aic;
    double bic;
    double held_out;
    int32_t n_shared;
    const int32_t *shared;        /* (n_shared) parameters */
    const double *shared_map;     /* (n_shared) */
    const double *shared_sd;      /* (n_shared) */
    const sonde_fit_group *group; /* or NULL */
} sonde_fit;
/* Finds the most probable parameters of every subject, and what is left open about them (MAP and
 * the Laplace approximation, docs/fitting.md). The same bytes on any number of threads and ranks.
 * Settings, data and parameters outlive it. Fails like sonde_likelihood_new and
 * sonde_likelihood_at, with SONDE_BAD_INPUT where covariates or the store do not fit,
 * SONDE_NOT_WRITTEN or SONDE_STOPPED. */
SONDE_API sonde_status sonde_fit_new(const sonde_replay_settings *agent, const sonde_data *data,
                                     const sonde_parameters *parameters,
                                     const sonde_fit_settings *settings, const sonde_run *run,
                                     sonde_fit **fit, sonde_error *error);
/* The same of documents of SPM's scheme (n_subject), which are called `name` (n_subject): by our
 * Laplace, whose evidence is not the F of spm_nlsi_Newton. Of the settings, train and test do not
 * count. */
SONDE_API sonde_status sonde_fit_new_spm(sonde_spm *const *spm, const char *const *name,
                                         int32_t n_subject, const sonde_parameters *parameters,
                                         const sonde_fit_settings *settings, const sonde_run *run,
                                         sonde_fit **fit, sonde_error *error);
SONDE_API void sonde_fit_free(sonde_fit *fit);
/* Draws sets of numbers (n_draw, n_slot) from the Laplace approximation of a subject's posterior,
 * on the transformed scale; what all subjects share is the same for all of them, draw by draw.
 * Fails with SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_fit_posterior(const sonde_fit *fit, int32_t subject, uint64_t seed,
                                           int32_t n_draw, double *theta, sonde_error *error);
/* Appends a fit as a sonde-fit document; `about` are pairs that it begins with, or NULL. */
SONDE_API void sonde_fit_write(const sonde_fit *fit, const char *about, sonde_text *json);
/* Appends a table with a row for each subject. */
SONDE_API void sonde_fit_write_csv(const sonde_fit *fit, sonde_text *csv);

/* --------------------------------------------------------------------------------- compare -- */

/* Models that were fitted to the same subjects. Of these fields a program that fills them in itself
 * needs the first two and `evidence`; the others may be 0 or NULL. */
typedef struct {
    int32_t n_subject;
    int32_t n_model;
    int32_t n_family;
    int32_t n_parameter;          /* those that two models or more have, on one scale */
    const char *const *subject;   /* (n_subject) */
    const char *const *model;     /* (n_model) */
    const char *const *family;    /* (n_family) */
    const char *const *parameter; /* (n_parameter) */
    const int32_t *family_of;     /* (n_model) the family of each, below n_family */
    const double *evidence;       /* (n_subject, n_model) log evidences */
    const double *log_likelihood; /* (n_subject, n_model) at the estimates; NaN: not known */
    const double *n_free;         /* (n_model) parameters of a subject; NaN: not known */
    const double *n_shared;       /* (n_model) parameters of all subjects together */
    const double *n_choice;       /* (n_subject) scored actions; NaN: not known */
    const double *estimate;       /* (n_subject, n_model, n_parameter) on the scale that was fitted;
                                     NaN where a model does not have the parameter */
    const double *variance;       /* (n_subject, n_model, n_parameter) of the estimates */
} sonde_candidates;

/* Reads results of sonde fit, one file a model, or one table: a CSV or TSV file with a column for
 * each model, log evidences in its rows, and a column `subject`, or none. A model is called as its
 * document says, or as its file without folder and ending. `family` (n_family) has texts such as
 * "learning=a,b"; each model is in one of them, or there are none. Fails with SONDE_NO_FILE,
 * SONDE_BAD_INPUT (also where fits are of different subjects), SONDE_BAD_ARGUMENT (families, less
 * than two models) or SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_candidates_read(const char *const *path, int32_t n_path,
                                             const char *const *family, int32_t n_family,
                                             sonde_candidates **candidates, sonde_error *error);
SONDE_API void sonde_candidates_free(sonde_candidates *candidates);

/* Which model subjects use, each perhaps another (random effects: a Dirichlet distribution of how
 * frequent models are, found by variational Bayes as spm_BMS does), or all the same (fixed
 * effects). */
typedef struct {
    int32_t n_round;            /* until the Dirichlet moved by 1e-3 at most */
    const double *alpha;        /* (n_model) of the Dirichlet */
    const double *frequency;    /* (n_model) its mean */
    const double *exceedance;   /* (n_model) probability that the model is the most frequent one */
    const double *is_protected; /* (n_model) the same, unless all are as frequent; NaN: families */
    double bor;                 /* probability that all are as frequent; NaN with families */
    const double *weight;       /* (n_subject, n_model) probability that the subject uses it */
    const double *total;        /* (n_model) sum of log evidences */
    const double *fixed;        /* (n_model) probability of the model if all use the same */
    const double *aic;          /* (n_model) NaN: not known */
    const double *bic;          /* (n_model) NaN: not known */
    /* families: alpha of their members together. Those of different sizes are not treated alike:
     * where evidences say nothing, the smaller is found more frequent */
    const double *family_alpha; /* (n_family), and as with models: */
    const double *family_frequency;
    const double *family_exceedance;
    /* families as if they were models, with evidences averaged over their members: they are */
    const double *averaged_alpha; /* (n_family) */
    const double *averaged_frequency;
    const double *averaged_exceedance;
    const double *averaged_protected;
    double averaged_bor;
    const double *average;    /* (n_subject, n_parameter) estimates, models averaged by weight */
    const double *average_sd; /* (n_subject, n_parameter) */
} sonde_comparison;

/* Compares models. Exceedance probabilities are integrals, not samples, and good to 1e-11. Fails
 * with SONDE_BAD_ARGUMENT (less than two models or subjects, an evidence that is not finite) or
 * SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_compare(const sonde_candidates *candidates,
                                     sonde_comparison **comparison, sonde_error *error);
SONDE_API void sonde_comparison_free(sonde_comparison *comparison);
/* Appends it as a sonde-comparison document (docs/formats.md). */
SONDE_API void sonde_comparison_write(const sonde_candidates *candidates,
                                      const sonde_comparison *comparison, sonde_text *json);

/* --------------------------------------------------------------------------------- recover -- */

/* A world that may change, or outcomes that are known, as files have them. */
typedef struct {
    int32_t n_change;
    const sonde_change *change; /* (n_change) */
    const int32_t *outcome;     /* as in sonde_experiment; or NULL */
} sonde_task;
/* Reads a process: a model file, which may have a "schedule" of arrays A and B that take the place
 * of earlier ones from a step or an episode on (docs/formats.md); NULL: none. */
SONDE_API sonde_status sonde_task_read(const char *path, const sonde_run *run, sonde_task **process,
                                       sonde_error *error);
/* Reads outcomes of a model's actions from a table, as sonde_stage_table does, for the steps and
 * episodes of an experiment. A row with an action says what follows it: with timing after the
 * outcomes of that step, with timing before those of the next; a row without, what is seen in its
 * step whatever was done. Fails with SONDE_NO_FILE, SONDE_BAD_INPUT, SONDE_TOO_LARGE or
 * SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_task_outcomes(const char *path, const sonde_model *model,
                                           const sonde_experiment *experiment, sonde_timing timing,
                                           sonde_task **process, sonde_error *error);
SONDE_API void sonde_task_free(sonde_task *process);

/* What is simulated and fitted. */
typedef struct {
    const sonde_replay_settings *agent; /* its numbers stand where parameters do not */
    const sonde_experiment *experiment; /* its `subject` does not count */
    int32_t n_model; /* sets of parameters: each is simulated, and fitted to all */
    const sonde_parameters *const *parameters; /* (n_model) per session, or per no column */
    const char *const *model;                  /* (n_model) what they are called */
    int32_t n_subject;
    bool grid; /* parameters lie on a grid of the prior's quantiles, and are not drawn from it */
    sonde_fit_settings fit; /* n_start, seed, newton, store and ranks count */
    int32_t n_session;      /* of each subject, with n_episode episodes each; 0: one */
    double reserved[7];     /* later versions put new settings here */
} sonde_recover_settings;
/* How well one parameter came back, on the scale of the fit; NaN where it cannot be said. */
typedef struct {
    double r;     /* correlation of truth and estimate */
    double r_low; /* its 95 % interval */
    double r_high;
    double bias;      /* mean of estimate - truth */
    double rmse;      /* root of the mean square of the same */
    double coverage;  /* share of the 90 % intervals that hold the truth */
    double shrinkage; /* 1 - mean posterior variance / prior variance: what the data say */
} sonde_recovery;
/* One model, simulated and fitted with itself. */
typedef struct {
    const char *name;
    /* the n numbers of a subject: a parameter that has a value for each session is as many, which
     * are called gamma[1], gamma[2] and so on */
    const sonde_parameters *parameters;
    const double *truth;            /* (n_subject, n) */
    const double *estimate;         /* (n_subject, n) */
    const double *covariance;       /* (n_subject, n, n) */
    const double *evidence;         /* (n_subject, n_model) of all models */
    const sonde_recovery *recovery; /* (n) */
    const double *posterior;        /* (n, n) correlations in posteriors, averaged */
    const double *among;            /* (n, n) correlations of estimates over subjects */
    int32_t n_converged;            /* subjects */
    int32_t n_weak;                 /* subjects whose data say nothing about some direction */
} sonde_recovered_model;
typedef struct {
    int32_t n_model;
    int32_t n_subject;
    const sonde_recovered_model *model; /* (n_model) */
    /* with several models, (n_model that is true, n_model that is found); or NULL */
    const double *share;        /* subjects whose best evidence is that model's */
    const double *is_protected; /* protected exceedance over the subjects of a true model */
    const double *inverse;      /* P(true | found); NaN: never found */
} sonde_recovered;
/* Draws parameters, simulates, fits, and says how well they came back. The same on any number of
 * threads and ranks. A parameter that is shared is drawn once for all subjects, and has no r. A
 * store keeps every fit of a subject, whatever recovery it is of, so that one that asks for more
 * goes on from it. Fails like sonde_replay_draw and sonde_fit_new. */
SONDE_API sonde_status sonde_recover(const sonde_recover_settings *settings, const sonde_run *run,
                                     sonde_recovered **recovered, sonde_error *error);
SONDE_API void sonde_recovered_free(sonde_recovered *recovered);
/* Appends it as a sonde-recovery document, and as a table with a row for each subject. */
SONDE_API void sonde_recovered_write(const sonde_recovered *recovered, sonde_text *json);
SONDE_API void sonde_recovered_write_csv(const sonde_recovered *recovered, sonde_text *csv);
/* Appends a picture of one of its models: what was true against what was found. */
SONDE_API void sonde_draw_recovery(const sonde_recovered *recovered, int32_t model,
                                   sonde_text *svg);

/* How many subjects it takes to see a difference between two groups. */
typedef struct {
    const char *parameter; /* one of the first model's */
    double difference;     /* of the groups' means, on the scale of the fit */
    int32_t n_size;
    const int32_t *size; /* (n_size) subjects, of both groups together */
    int32_t n_repeat;
} sonde_power_settings;
/* A share of repeats, with its 95 % interval. */
typedef struct {
    double share;
    double low;
    double high;
} sonde_share;
typedef struct {
    int32_t n_subject;
    sonde_share found;  /* repeats whose 95 % interval of the difference has 0 outside */
    sonde_share wrong;  /* the same where there is no difference */
    double beta;        /* mean of the estimated differences */
    double sd;          /* their spread over repeats */
    sonde_share covers; /* intervals that hold the true difference */
} sonde_power;
/* power (n_size). Subjects are fitted once, under the prior, and groups are estimated from their
 * posteriors by empirical Bayes with the group as a covariate; parameters have one value for each
 * subject. Fails like sonde_recover. */
SONDE_API sonde_status sonde_recover_power(const sonde_recover_settings *settings,
                                           const sonde_power_settings *asked, const sonde_run *run,
                                           sonde_power *power, sonde_error *error);

#ifdef __cplusplus
}
#endif

#endif
