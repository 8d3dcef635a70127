/* spm_arrays.c: what follows from the arrays of an agent, or from their counts, as a trial begins:
 * means, preferences, reverse transitions, and what counts have still to learn. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "spm/spm.h"

double sonde__spm_plain_log(double p) {
    if (p >= DBL_MIN) {
        return sonde__log(p);
    }
    /* numbers that are not normal, made so */
    return p > 0.0 ? sonde__log(p * 0x1p100) - sonde__log(0x1p100) : -INFINITY;
}

void sonde__spm_softmax(int32_t n, double *x) {
    double most = x[0];
    for (int32_t i = 1; i < n; i++) {
        most = x[i] > most ? x[i] : most;
    }
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) {
        x[i] = sonde__exp(x[i] - most);
        sum += x[i];
    }
    for (int32_t i = 0; i < n; i++) {
        x[i] /= sum;
    }
}

/* A column divided by its sum; one of zeros is uniform. Numbers are `gap` apart. */
static void normalise(int32_t n, int64_t gap, const double *from, double *to) {
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) {
        sum += from[i * gap];
    }
    for (int32_t i = 0; i < n; i++) {
        to[i * gap] = sum > 0.0 ? from[i * gap] / sum : 1.0 / n;
    }
}

static void settle_means(sonde__spm_array *array) {
    for (int64_t c = 0; c < array->n_column; c++) {
        normalise(array->n, 1, array->value + c * array->n, array->mean + c * array->n);
    }
}

/* (1/a0 - 1/a) / 2, which is 0 where a masked count is. */
static void settle_novelty(sonde__spm_array *array, bool masked) {
    for (int64_t i = 0; array->novelty != NULL && i < array->n_column * array->n; i += array->n) {
        const double *a = array->value + i;
        double sum = 0.0;
        for (int32_t r = 0; r < array->n; r++) {
            sum += a[r] + SONDE__SPM_LEAST;
        }
        for (int32_t r = 0; r < array->n; r++) {
            array->novelty[i + r] =
                masked && !(a[r] > 0.0) ? 0.0 : (1.0 / sum - 1.0 / (a[r] + SONDE__SPM_LEAST)) / 2.0;
        }
    }
}

/* Expected logarithms of preferences that are counts, cut off at -32. */
static void expect(int32_t n, const double *c, double *to) {
    const double more = 1.0 / 32.0;
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) {
        sum += c[i] + more;
    }
    const double all = sonde__digamma(sum);
    for (int32_t i = 0; i < n; i++) {
        const double expected = sonde__digamma(c[i] + more) - all;
        to[i] = expected > -32.0 ? expected : -32.0;
    }
}

static void settle_preferences(sonde__spm_array *C) {
    for (int64_t j = 0; j < C->n_column; j++) {
        double *mean = C->mean + j * C->n;
        if (C->counted) {
            expect(C->n, C->value + j * C->n, mean);
        } else {
            memcpy(mean, C->value + j * C->n, (size_t)C->n * sizeof *mean);
        }
        sonde__spm_softmax(C->n, mean);
        for (int32_t o = 0; o < C->n; o++) {
            mean[o] = sonde__spm_log(mean[o]);
        }
    }
}

/* Each next state's shares of the states before, (action, next, state). */
static void settle_back(const sonde__spm_array *B, double *back) {
    const int32_t n = B->n;
    for (int64_t c = 0; c < B->n_column; c++) {
        for (int32_t next = 0; next < n; next++) {
            back[(c / n * n + next) * n + c % n] = B->value[c * n + next];
        }
    }
    for (int64_t row = 0; row < B->n_column; row++) {
        normalise(n, 1, back + row * n, back + row * n);
    }
}

/* The probabilities of all outcomes together in one state, the last modality's fastest. */
static void settle_joint(sonde_spm *spm, int64_t s) {
    double *row = spm->joint + s * spm->n_tuple;
    int64_t n = 1;
    row[0] = 1.0;
    for (int32_t g = 0; g < spm->shape.n_modality; g++) {
        const sonde__spm_array *A = &spm->A[g];
        /* from the end, so that nothing is overwritten before it is used */
        for (int64_t i = n - 1; i >= 0; i--) {
            const double so_far = row[i];
            for (int32_t o = A->n - 1; o >= 0; o--) {
                row[i * A->n + o] = so_far * A->mean[s * A->n + o];
            }
        }
        n *= A->n;
    }
    const double least = sonde__exp(-16.0);
    spm->information[s] = 0.0;
    for (int64_t o = 0; o < n; o++) {
        spm->information[s] += row[o] > 0.0 ? row[o] * sonde__log(row[o] + least) : 0.0;
    }
}

void sonde__spm_settle(sonde_spm *spm) {
    for (int32_t g = 0; g < spm->shape.n_modality; g++) {
        settle_means(&spm->A[g]);
        settle_novelty(&spm->A[g], true);
        settle_preferences(&spm->C[g]);
    }
    for (int32_t f = 0; f < spm->shape.n_factor; f++) {
        settle_means(&spm->B[f]);
        settle_novelty(&spm->B[f], true);
        settle_back(&spm->B[f], spm->back[f]);
        settle_means(&spm->D[f]);
        settle_novelty(&spm->D[f], false);
        for (int32_t s = 0; s < spm->D[f].n; s++) {
            spm->log_D[spm->first[f] + s] = sonde__spm_log(spm->D[f].mean[s]);
            spm->root_D[spm->first[f] + s] = sqrt(sqrt(spm->D[f].mean[s] + SONDE__SPM_LEAST));
        }
    }
    settle_means(&spm->E);
    for (int32_t k = 0; k < spm->shape.n_policy; k++) {
        spm->log_E[k] = sonde__spm_log(spm->E.mean[k]);
    }
    for (int64_t s = 0; s < spm->n_joint; s++) {
        settle_joint(spm, s);
    }
}
