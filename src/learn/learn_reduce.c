/* learn_reduce.c: Bayesian model reduction: what data that led from prior counts p to counts q say
 * of another prior r, without those data (docs/math.md, "Model reduction").
 *
 *     F = ln B(q) + ln B(r) - ln B(p) - ln B(q + r - p),   ln B(z) = sum ln Gamma(z) - ln
 *     Gamma(sum)
 *
 * of each column, 1/32 being added to every count first, as SPM does. F < 0: r is the better
 * one. */
#include "base/numbers.h"
#include "base/status.h"
#include "learn/learn.h"

#define MORE (1.0 / 32.0)

/* The same of E, which there is once. */
static int64_t counts_of_E(const sonde_model *model, int32_t i, double *counts, int32_t *n) {
    const bool listed = model->policies == SONDE_POLICIES_LISTED;
    *n = model->counts_E == NULL || i != 0 ? 0 : listed ? model->n_policy : model->n_action;
    for (int32_t k = 0; counts != NULL && k < *n; k++) {
        counts[k] = model->counts_E[k];
    }
    return *n > 0 ? 1 : 0;
}

/* Where counts of an array are: column by column, or as the entries that are stored. */
typedef struct {
    const double *from; /* or NULL */
    int32_t n_row;
    int64_t n_column;
    const int64_t *offset; /* (n_column + 1) or NULL: all are stored, */
    const int32_t *row_of; /* and their rows */
    int32_t n_action;      /* of B, 1 of others: columns that lie side by side, */
    int64_t n_lane;        /* with so many places */
} counted;

static counted of_modality(const sonde_model *model, const sonde_modality *modality, bool A) {
    return (counted){.from = A ? modality->counts_A : modality->counts_C,
                     .n_row = modality->n_outcome,
                     .n_column = A ? modality->n_state : model->n_step_C,
                     .offset = A && modality->A == NULL ? modality->offset : NULL,
                     .row_of = modality->outcome,
                     .n_action = 1,
                     .n_lane = 1};
}

static counted of_factor(const sonde_factor *factor, bool B) {
    return (counted){.from = B ? factor->counts_B : factor->counts_D,
                     .n_row = factor->n_state,
                     .n_column = B ? factor->n_previous * factor->n_action : 1,
                     .offset = B && factor->B == NULL ? factor->offset : NULL,
                     .row_of = factor->next,
                     .n_action = B ? factor->n_action : 1,
                     .n_lane = B ? factor->n_lane : 1};
}

int64_t sonde_model_counts(const sonde_model *model, sonde_letter letter, int32_t i, double *counts,
                           int32_t *n) {
    const bool modal = letter == SONDE_A || letter == SONDE_C;
    if (letter == SONDE_E) {
        return counts_of_E(model, i, counts, n);
    }
    if (i < 0 || i >= sonde__model_n_stored(model, modal)) {
        return 0;
    }
    const counted a = modal ? of_modality(model, &model->modality[i], letter == SONDE_A)
                            : of_factor(&model->factor[i], letter == SONDE_B);
    if (a.from == NULL) {
        return 0;
    }
    *n = a.n_row;
    for (int64_t k = 0; counts != NULL && k < a.n_row * a.n_column; k++) {
        counts[k] = 0.0;
    }
    for (int64_t c = 0; counts != NULL && c < a.n_column; c++) {
        const int64_t first = a.offset ? a.offset[c] : 0;
        const int64_t end = a.offset ? a.offset[c + 1] : a.n_row;
        for (int64_t e = first; e < end; e++) {
            const int64_t dense = (c / a.n_action * a.n_row + e) * a.n_lane + c % a.n_action;
            counts[(a.offset ? a.row_of[e] : e) * a.n_column + c] = a.from[a.offset ? e : dense];
        }
    }
    return a.n_column;
}

/* What one column gives, or that it cannot be reduced so. */
static sonde_status reduce(const sonde_reduction *r, int64_t c, double *evidence, double *after,
                           sonde_error *error) {
    const double *array[] = {r->posterior, r->reduced, r->prior};
    double sum[4] = {0.0}, gamma[4] = {0.0};
    for (int32_t row = 0; row < r->n; row++) {
        const int64_t at = row * r->n_column + c;
        double z[4];
        for (int32_t k = 0; k < 3; k++) {
            z[k] = array[k][at] + MORE;
            if (!(array[k][at] >= 0.0 && array[k][at] <= 1e12)) {
                return sonde__fail(error, SONDE_BAD_ARGUMENT,
                                   "column %lld, row %d: expected counts from 0 to 1e12, found %g",
                                   (long long)c, (int)row, array[k][at]);
            }
        }
        z[3] = z[0] + z[1] - z[2];
        if (!(z[3] > 0.0)) {
            return sonde__fail(
                error, SONDE_BAD_ARGUMENT,
                "column %lld, row %d: there are fewer counts after learning than the "
                "prior has (%g, %g), so it cannot be taken away; give the counts "
                "that learning began with as the prior",
                (long long)c, (int)row, r->posterior[at], r->prior[at]);
        }
        for (int32_t k = 0; k < 4; k++) {
            sum[k] += z[k];
            gamma[k] += sonde__log_gamma(z[k]);
        }
        if (after != NULL) {
            const double left = r->posterior[at] + r->reduced[at] - r->prior[at];
            after[at] = left > 0.0 ? left : 0.0;
        }
    }
    for (int32_t k = 0; k < 4; k++) {
        gamma[k] -= sonde__log_gamma(sum[k]);
    }
    evidence[c] = gamma[0] + gamma[1] - gamma[2] - gamma[3];
    return SONDE_OK;
}

sonde_status sonde_reduce(const sonde_reduction *reduction, double *evidence, double *after,
                          sonde_error *error) {
    sonde_status status = SONDE_OK;
    for (int64_t c = 0; !status && c < reduction->n_column; c++) {
        status = reduce(reduction, c, evidence, after, error);
    }
    return status;
}
