/* sonde_fit.h: from fitted agents to statements about people.
 *
 * Which of several models do subjects use, and how do their parameters differ between groups? It is
 * a part of the laboratory (sonde_lab.h): words on threads, ownership and failure are those of
 * sonde.h. docs/fitting.md has the formulas.
 */
#ifndef SONDE_FIT_H
#define SONDE_FIT_H

#include "sonde.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif

#endif
