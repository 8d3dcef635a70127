/* sonde_spm.h: SPM's scheme for the same agents, trial by trial. */
#ifndef SONDE_SPM_H
#define SONDE_SPM_H

#include "sonde.h"

#ifdef __cplusplus
extern "C" {
#endif

/* SPM's scheme (spm_MDP_VB_X) for listed policies, one agent and one level, with SPM's own numbers:
 * docs/spm.md. It is another theory of the same agents: policies have beliefs of their own about
 * all times of a trial, and learning happens at the end of it. */
typedef struct sonde_spm sonde_spm;
typedef struct {
    int32_t n_factor;
    int32_t n_modality;
    int32_t n_policy;
    int32_t n_time;           /* T, outcomes of a trial; a policy has T - 1 moves */
    int32_t n_belief;         /* states of all factors, side by side */
    int32_t n_move;           /* actions of all factors, multiplied */
    const int32_t *n_state;   /* (n_factor) */
    const int32_t *n_action;  /* (n_factor) */
    const int32_t *n_outcome; /* (n_modality) */
    int32_t n_trial;          /* trials that the document tells of */
    const int32_t *outcome;   /* (n_trial, T, n_modality) what was seen, */
    const int32_t *action;    /* (n_trial, T, n_factor) and done; SONDE_MISSING: nobody says */
} sonde_spm_shape;
/* What a trial comes to. G has SPM's sign here: larger is better. What a policy that was dropped
 * would have is 0. */
typedef struct {
    const double *X; /* (T, n_belief) what states are believed to be, averaged over policies */
    const double *F; /* (n_policy, T) evidence of a policy */
    const double *G; /* (n_policy, T) what it is expected to bring */
    const double *R; /* (n_policy, T) its probability */
    const double *w; /* (T) precision */
    const double *H; /* (T) evidence, all policies considered */
    const double *P; /* (T - 1, n_move) probability of moves, the last factor's fastest */
    double log_likelihood; /* of the actions; -infinity where one had probability 0 */
} sonde_spm_trial;
/* Reads a sonde-spm document: an MDP structure, and trials. Fails like sonde_model_read; what is no
 * part of the scheme is refused by its name. */
SONDE_API sonde_status sonde_spm_read(const sonde_source *source, const sonde_run *run,
                                      sonde_spm **spm, sonde_error *error);
SONDE_API void sonde_spm_free(sonde_spm *spm);
SONDE_API const sonde_spm_shape *sonde_spm_shape_of(const sonde_spm *spm);
/* One trial with these outcomes (T, n_modality), and actions (T - 1, n_factor), which may be
 * missing, or NULL: beliefs do not depend on them. Counts go on from the trial before. The result
 * stays until the next trial. Asks for no memory; fails with SONDE_BAD_ARGUMENT. */
SONDE_API sonde_status sonde_spm_run(sonde_spm *spm, const int32_t *outcome, const int32_t *action,
                                     const sonde_spm_trial **trial, sonde_error *error);
/* Counts of an array, 'a' to 'e', as they are now: of a, columns (combined states, outcomes); of b
 * (actions, states before, next states); of c (T, outcomes); of d and e one column. NULL where
 * there are none. */
SONDE_API const double *sonde_spm_counts(const sonde_spm *spm, char letter, int32_t i, int64_t *n);
/* Counts are those of the document again. */
SONDE_API void sonde_spm_forget(sonde_spm *spm);
/* Appends a trial and the counts after it as a JSON object, with the names and axes of SPM. */
SONDE_API void sonde_document_spm(const sonde_spm *spm, const sonde_spm_trial *trial,
                                  sonde_text *json);

/* Numbers in the place of a document's: alpha, beta, zeta, eta, tau and erp, as they are named
 * here; NaN: as the document has it; and what is added to C. */
enum { SONDE_SPM_N_NUMBER = 6 };
SONDE_API const char *sonde_spm_number_name(int32_t i);
typedef struct {
    double number[SONDE_SPM_N_NUMBER];
    int32_t n_add;
    const int32_t *modality;     /* (n_add) */
    const double *const *vector; /* (n_add) (n_outcome, T) */
    const double *by;            /* (n_add) times which it is added to C */
} sonde_spm_numbers;
/* The summed ln P of the actions of all trials of the document, P being at least 2^-52, from its
 * counts on. The document is as it was afterwards, and its counts where they began. Fails like
 * sonde_spm_run. */
SONDE_API sonde_status sonde_spm_likelihood(sonde_spm *spm, const sonde_spm_numbers *numbers,
                                            double *log_likelihood, sonde_error *error);

#ifdef __cplusplus
}
#endif

#endif
