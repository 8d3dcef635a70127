/* spm_fit.c: the likelihood of a document's trials with other numbers in the place of its own. */
#include <math.h>
#include <string.h>

#include "spm/spm.h"

/* what a probability is at least, within its logarithm: eps, as the tutorial has it */
#define LEAST_P 2.220446049250313e-16

const char *sonde_spm_number_name(int32_t i) {
    static const char *const name[] = {"alpha", "beta", "zeta", "eta", "tau", "erp", NULL};
    return name[i >= 0 && i < SONDE_SPM_N_NUMBER ? i : SONDE_SPM_N_NUMBER];
}

/* Puts numbers that are some in their place. */
static void set_numbers(sonde__spm_settings *settings, const double *number) {
    double *const to[SONDE_SPM_N_NUMBER] = {&settings->alpha, &settings->beta, &settings->zeta,
                                            &settings->eta,   &settings->tau,  &settings->erp};
    for (int32_t i = 0; i < SONDE_SPM_N_NUMBER; i++) {
        if (!isnan(number[i])) {
            *to[i] = number[i];
        }
    }
}

/* C, and what is added to it, (n_outcome, T) as documents have it, to its columns. */
static void add_C(sonde_spm *spm, const sonde_spm_numbers *numbers) {
    for (int32_t k = 0; k < numbers->n_add; k++) {
        const sonde__spm_array *C = &spm->C[numbers->modality[k]];
        for (int64_t t = 0; t < C->n_column; t++) {
            for (int32_t o = 0; o < C->n; o++) {
                C->value[t * C->n + o] += numbers->by[k] * numbers->vector[k][o * C->n_column + t];
            }
        }
    }
}

/* ln of the probability of a trial's actions. */
static double judge(const sonde_spm *spm, const sonde_spm_trial *trial, const int32_t *action) {
    const sonde_spm_shape *shape = &spm->shape;
    double sum = 0.0;
    for (int32_t t = 0; t + 1 < shape->n_time; t++) {
        int32_t move = 0;
        bool known = true;
        for (int32_t f = 0; f < shape->n_factor; f++) {
            const int32_t u = action[t * shape->n_factor + f];
            known = known && u >= 0;
            move = move * shape->n_action[f] + (u > 0 ? u : 0);
        }
        const double p = trial->P[(int64_t)t * shape->n_move + move];
        sum += known ? sonde__log(p > LEAST_P ? p : LEAST_P) : 0.0;
    }
    return sum;
}

static sonde_status follow(sonde_spm *spm, double *log_likelihood, sonde_error *error) {
    const sonde_spm_shape *shape = &spm->shape;
    sonde_status status = SONDE_OK;
    *log_likelihood = 0.0;
    for (int32_t i = 0; status == SONDE_OK && i < shape->n_trial; i++) {
        const int64_t at = (int64_t)i * shape->n_time;
        const int32_t *action = shape->action + at * shape->n_factor;
        const sonde_spm_trial *trial = NULL;
        status = sonde_spm_run(spm, shape->outcome + at * shape->n_modality, action, &trial, error);
        if (status == SONDE_OK) {
            *log_likelihood += judge(spm, trial, action);
        }
    }
    return status;
}

sonde_status sonde_spm_likelihood(sonde_spm *spm, const sonde_spm_numbers *numbers,
                                  double *log_likelihood, sonde_error *error) {
    const sonde__spm_settings given = spm->settings;
    size_t size = 0;
    for (int32_t k = 0; k < numbers->n_add; k++) {
        if (spm->C[numbers->modality[k]].counted) {
            return sonde__fail(error, SONDE_BAD_INPUT,
                               "C[%d]: has counts, to which nothing can be added; give C itself",
                               (int)numbers->modality[k]);
        }
    }
    for (int32_t m = 0; m < spm->shape.n_modality; m++) {
        size += (size_t)(spm->C[m].n_column * spm->C[m].n);
    }
    double *saved = sonde__alloc((size + 1) * sizeof *saved);
    if (saved == NULL) {
        return sonde__fail_memory(error, "likelihood", size * sizeof *saved);
    }
    double *at = saved;
    for (int32_t m = 0; m < spm->shape.n_modality; m++) {
        const size_t n = (size_t)(spm->C[m].n_column * spm->C[m].n);
        memcpy(at, spm->C[m].value, n * sizeof *at);
        at += n;
    }
    set_numbers(&spm->settings, numbers->number);
    add_C(spm, numbers);
    sonde_spm_forget(spm);
    const sonde_status status = follow(spm, log_likelihood, error);
    spm->settings = given;
    at = saved;
    for (int32_t m = 0; m < spm->shape.n_modality; m++) {
        const size_t n = (size_t)(spm->C[m].n_column * spm->C[m].n);
        if (!spm->C[m].counted) {
            memcpy(spm->C[m].value, at, n * sizeof *at);
        }
        at += n;
    }
    sonde_spm_forget(spm);
    sonde__free(saved);
    return status;
}
