/* fit_recovery.c: how well parameters that are known come back.
 *
 * Everything is a plain mean over subjects, on the scale that was fitted. An estimate is drawn
 * towards its prior, so that correlations, not slopes, tell how well people can be told apart, and
 * shrinkage how much of the answer came from the data. */
#include "fit/fit_recovery.h"

#include <math.h>

#include "base/numbers.h"
#include "fit/fit_statistics.h"
#include "sonde_fit.h"

#define POINT_90 1.6448536269514722
#define POINT_95 1.959963984540054

double sonde__correlation(int32_t n, const double *x, const double *y, int32_t stride) {
    double mean_x = 0.0;
    double mean_y = 0.0;
    for (int32_t i = 0; i < n; i++) {
        mean_x += x[(int64_t)i * stride] / n;
        mean_y += y[(int64_t)i * stride] / n;
    }
    double xx = 0.0;
    double xy = 0.0;
    double yy = 0.0;
    for (int32_t i = 0; i < n; i++) {
        const double dx = x[(int64_t)i * stride] - mean_x;
        const double dy = y[(int64_t)i * stride] - mean_y;
        xx += dx * dx;
        xy += dx * dy;
        yy += dy * dy;
    }
    return xx > 0.0 && yy > 0.0 ? xy / sqrt(xx * yy) : (double)NAN;
}

/* -------------------------------------------------------------------------------- parameters -- */

/* The 95 % interval of a correlation: artanh r is nearly normal with the variance 1 / (n - 3). */
static void bound_correlation(int32_t n, sonde_recovery *recovery) {
    if (n < 4 || !(fabs(recovery->r) < 1.0)) {
        recovery->r_low = n < 4 ? (double)NAN : recovery->r;
        recovery->r_high = recovery->r_low;
        return;
    }
    const double z = 0.5 * sonde__log((1.0 + recovery->r) / (1.0 - recovery->r));
    const double half = POINT_95 / sqrt(n - 3);
    recovery->r_low = 1.0 - 2.0 / (sonde__exp(2.0 * (z - half)) + 1.0);
    recovery->r_high = 1.0 - 2.0 / (sonde__exp(2.0 * (z + half)) + 1.0);
}

static sonde_recovery recover_one(const sonde__recovered *d, int32_t p) {
    const int32_t n_parameter = d->n_parameter;
    double sum = 0.0;
    double square = 0.0;
    double variances = 0.0;
    int32_t n_covered = 0;
    for (int32_t i = 0; i < d->n_subject; i++) {
        const int64_t at = (int64_t)i * n_parameter + p;
        const double variance = d->covariance[at * n_parameter + p];
        const double off = d->estimate[at] - d->truth[at];
        sum += off;
        square += off * off;
        variances += variance;
        n_covered += fabs(off) <= POINT_90 * sqrt(variance) ? 1 : 0;
    }
    const double n = d->n_subject;
    sonde_recovery found = {
        .r = sonde__correlation(d->n_subject, d->truth + p, d->estimate + p, n_parameter),
        .bias = sum / n,
        .rmse = sqrt(square / n),
        .coverage = n_covered / n,
        .shrinkage = 1.0 - variances / n / (d->prior_sd[p] * d->prior_sd[p]),
    };
    bound_correlation(d->n_subject, &found);
    return found;
}

void sonde__recovery_of(const sonde__recovered *recovered, sonde_recovery *recovery) {
    for (int32_t p = 0; p < recovered->n_parameter; p++) {
        recovery[p] = recover_one(recovered, p);
    }
}

void sonde__recovery_posterior(const sonde__recovered *recovered, double *posterior) {
    const int32_t n = recovered->n_parameter;
    for (int64_t i = 0; i < (int64_t)n * n; i++) {
        posterior[i] = 0.0;
    }
    for (int32_t s = 0; s < recovered->n_subject; s++) {
        const double *c = recovered->covariance + (int64_t)s * n * n;
        for (int32_t p = 0; p < n; p++) {
            for (int32_t q = 0; q < n; q++) {
                posterior[p * n + q] +=
                    c[p * n + q] / sqrt(c[p * n + p] * c[q * n + q]) / recovered->n_subject;
            }
        }
    }
}

void sonde__recovery_among(const sonde__recovered *recovered, double *among) {
    const int32_t n = recovered->n_parameter;
    for (int32_t p = 0; p < n; p++) {
        for (int32_t q = 0; q < n; q++) {
            among[p * n + q] = sonde__correlation(recovered->n_subject, recovered->estimate + p,
                                                  recovered->estimate + q, n);
        }
    }
}

/* ------------------------------------------------------------------------------------ models -- */

/* How often each fitted model is the best of a subject's; the first of several that tie. */
static void count_best(const sonde__confusion *c, int32_t is) {
    const int32_t k = c->n_model;
    for (int32_t i = 0; i < k; i++) {
        c->share[is * k + i] = 0.0;
    }
    for (int32_t s = 0; s < c->n_subject; s++) {
        const double *row = c->evidence + ((int64_t)is * c->n_subject + s) * k;
        int32_t best = 0;
        for (int32_t i = 1; i < k; i++) {
            best = row[i] > row[best] ? i : best;
        }
        c->share[is * k + best] += 1.0 / c->n_subject;
    }
}

/* P(true | found), every model being as probable at first. */
static void invert(const sonde__confusion *c) {
    const int32_t k = c->n_model;
    for (int32_t found = 0; found < k; found++) {
        double sum = 0.0;
        for (int32_t is = 0; is < k; is++) {
            sum += c->share[is * k + found];
        }
        for (int32_t is = 0; is < k; is++) {
            c->inverse[is * k + found] = sum > 0.0 ? c->share[is * k + found] / sum : (double)NAN;
        }
    }
}

sonde_status sonde__confusion_fill(sonde__confusion *confusion, sonde_error *error) {
    const int32_t k = confusion->n_model;
    for (int32_t is = 0; is < k; is++) {
        const sonde_candidates candidates = {
            .n_subject = confusion->n_subject,
            .n_model = k,
            .evidence = confusion->evidence + (int64_t)is * confusion->n_subject * k,
        };
        sonde_comparison *comparison = NULL;
        const sonde_status status = sonde_compare(&candidates, &comparison, error);
        if (status) {
            return status;
        }
        for (int32_t i = 0; i < k; i++) {
            confusion->is_protected[is * k + i] = comparison->is_protected[i];
        }
        sonde_comparison_free(comparison);
        count_best(confusion, is);
    }
    invert(confusion);
    return SONDE_OK;
}

/* ------------------------------------------------------------------------------------- power -- */

sonde_share sonde__share_of(int32_t n_success, int32_t n) {
    if (n == 0) {
        return (sonde_share){NAN, NAN, NAN};
    }
    const double share = (double)n_success / n;
    const double z2 = POINT_95 * POINT_95 / n;
    const double middle = (share + 0.5 * z2) / (1.0 + z2);
    const double half = sqrt(z2 * (share * (1.0 - share) + 0.25 * z2)) / (1.0 + z2);
    return (sonde_share){share, fmax(middle - half, 0.0), fmin(middle + half, 1.0)};
}

sonde_share sonde__power(int32_t n, const double *low, const double *high) {
    int32_t n_found = 0;
    for (int32_t i = 0; i < n; i++) {
        n_found += low[i] > 0.0 || high[i] < 0.0 ? 1 : 0;
    }
    return sonde__share_of(n_found, n);
}
