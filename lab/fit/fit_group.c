/* fit_group.c: empirical Bayes over subjects.
 *
 * Parameter p of subject i is drawn from N(x_i beta_p, sd_p). EM takes turns: subjects are
 * estimated under that prior, m_ip with variance C_ip; then
 *
 *     beta_p = (X'X)^-1 X' m_p,    sd_p^2 = mean_i[(m_ip - x_i beta_p)^2 + C_ip].
 *
 * What the data alone say of a subject has the variance v_ip = 1 / (1 / C_ip - 1 / sd_p^2), so that
 * beta has the covariance (X'WX)^-1 with W = diag 1 / (sd_p^2 + v_ip): subjects who say little
 * weigh little. Where posteriors of two parameters are correlated, so are their betas, and W is the
 * inverse of the whole matrix, diag(sd^2) + v: parameter by parameter, intervals of two that are
 * hard to tell apart would hold the truth in 84 instead of 95 % of groups. Intervals of beta are
 * Student's with N - q degrees of freedom, because sd is estimated, too: with normal ones 40
 * subjects would be covered in 93 % of groups. Cost: the estimations, and subjects x parameters x
 * columns^2. */
#include "fit/fit_group.h"

#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "fit/fit_statistics.h"

enum { ROUND_MAX = 200 };
#define STILL 1e-3
#define FLOOR 1e-3

static void carve(sonde__arena *arena, int32_t n, int32_t p, int32_t q, sonde__cohort *g) {
    const uint64_t pq = (uint64_t)p * (uint64_t)q;
    const uint64_t np = (uint64_t)n * (uint64_t)p;
    g->start_sd = SONDE__TAKE(arena, double, p);
    g->sd = SONDE__TAKE(arena, double, p);
    g->beta = SONDE__TAKE(arena, double, pq);
    g->se = SONDE__TAKE(arena, double, pq);
    g->z = SONDE__TAKE(arena, double, pq);
    g->low = SONDE__TAKE(arena, double, pq);
    g->high = SONDE__TAKE(arena, double, pq);
    g->covariance = SONDE__TAKE(arena, double, pq *(uint64_t)q);
    g->prior_mean = SONDE__TAKE(arena, double, np);
    g->estimate = SONDE__TAKE(arena, double, np);
    g->variance = SONDE__TAKE(arena, double, np);
    g->joint = SONDE__TAKE(arena, double, np *(uint64_t)p);
    g->evidence = SONDE__TAKE(arena, double, n);
    g->scratch = SONDE__TAKE(arena, double, pq *(pq + 1));
}

/* ---------------------------------------------------------------------------------- solving -- */

/* The lower half of a positive matrix (n, n) becomes its Cholesky factor; false if it is none. */
static bool factor(int32_t n, double *a) {
    for (int32_t c = 0; c < n; c++) {
        for (int32_t k = 0; k < c; k++) {
            a[c * n + c] -= a[c * n + k] * a[c * n + k];
        }
        if (!(a[c * n + c] > 0.0)) {
            return false;
        }
        a[c * n + c] = sqrt(a[c * n + c]);
        for (int32_t r = c + 1; r < n; r++) {
            for (int32_t k = 0; k < c; k++) {
                a[r * n + c] -= a[r * n + k] * a[c * n + k];
            }
            a[r * n + c] /= a[c * n + c];
        }
    }
    return true;
}

/* Solves L L' x = b in place. */
static void solve(int32_t n, const double *l, double *b) {
    for (int32_t r = 0; r < n; r++) {
        for (int32_t k = 0; k < r; k++) {
            b[r] -= l[r * n + k] * b[k];
        }
        b[r] /= l[r * n + r];
    }
    for (int32_t r = n - 1; r >= 0; r--) {
        for (int32_t k = r + 1; k < n; k++) {
            b[r] -= l[k * n + r] * b[k];
        }
        b[r] /= l[r * n + r];
    }
}

/* The Cholesky factor of X'X. */
static void factor_design(const sonde__cohort *g, double *a) {
    const int32_t q = g->n_column;
    memset(a, 0, (size_t)q * (size_t)q * sizeof *a);
    for (int32_t i = 0; i < g->n_subject; i++) {
        const double *x = g->x + (int64_t)i * q;
        for (int32_t r = 0; r < q; r++) {
            for (int32_t c = 0; c < q; c++) {
                a[r * q + c] += x[r] * x[c];
            }
        }
    }
    (void)factor(q, a); /* it has full rank */
}

/* ------------------------------------------------------------------------------------ moves -- */

static double expected(const sonde__cohort *g, const double *beta, int32_t i) {
    double sum = 0.0;
    for (int32_t c = 0; c < g->n_column; c++) {
        sum += g->x[(int64_t)i * g->n_column + c] * beta[c];
    }
    return sum;
}

/* One parameter: new beta and sd; whether they moved little. `l` is the factor of X'X. */
static bool move_one(sonde__cohort *g, int32_t p, const double *l) {
    const int32_t q = g->n_column;
    double *beta = g->beta + (int64_t)p * q;
    memset(beta, 0, (size_t)q * sizeof *beta);
    for (int32_t i = 0; i < g->n_subject; i++) {
        for (int32_t c = 0; c < q; c++) {
            beta[c] += g->x[(int64_t)i * q + c] * g->estimate[(int64_t)i * g->n_parameter + p];
        }
    }
    solve(q, l, beta);
    double moved = 0.0;
    double square = 0.0;
    for (int32_t i = 0; i < g->n_subject; i++) {
        const int64_t at = (int64_t)i * g->n_parameter + p;
        const double mean = expected(g, beta, i);
        const double off = g->estimate[at] - mean;
        moved = fmax(moved, fabs(mean - g->prior_mean[at]));
        g->prior_mean[at] = mean;
        square += off * off + g->variance[at];
    }
    const double sd = fmax(sqrt(square / g->n_subject), FLOOR * g->start_sd[p]);
    moved = fmax(moved, fabs(sd - g->sd[p]));
    g->sd[p] = sd;
    return moved < STILL * sd;
}

bool sonde__cohort_move(sonde__cohort *g) {
    double *l = g->scratch;
    factor_design(g, l);
    bool still = true;
    for (int32_t p = 0; p < g->n_parameter; p++) {
        still = move_one(g, p, l) && still;
    }
    return still;
}

/* ----------------------------------------------------------------------------------- judging -- */

/* How much subject i says of the group's means of p and q together: an entry of
 * (sd^2 + v)^-1 = sd^-2 - sd^-2 C sd^-2; nothing where C is no less than the prior. */
static double weight_of(const sonde__cohort *g, int32_t i, int32_t p, int32_t q) {
    const int32_t n = g->n_parameter;
    const double *variance = g->variance + (int64_t)i * n;
    const double vp = g->sd[p] * g->sd[p];
    const double vq = g->sd[q] * g->sd[q];
    if (!(variance[p] < vp && variance[q] < vq)) {
        return 0.0;
    }
    return p == q ? 1.0 / vp - variance[p] / (vp * vp)
                  : -g->joint[((int64_t)i * n + p) * n + q] / (vp * vq);
}

/* The information about beta of parameters `first` to `end`, (columns of all of them squared), as
 * its Cholesky factor; false if it has none. */
static bool inform(const sonde__cohort *g, int32_t first, int32_t end, double *a) {
    const int32_t q = g->n_column;
    const int32_t n = (end - first) * q;
    memset(a, 0, (size_t)n * (size_t)n * sizeof *a);
    for (int32_t i = 0; i < g->n_subject; i++) {
        const double *x = g->x + (int64_t)i * q;
        for (int32_t r = 0; r < n; r++) {
            for (int32_t c = 0; c <= r; c++) {
                a[r * n + c] += weight_of(g, i, first + r / q, first + c / q) * x[r % q] * x[c % q];
            }
        }
    }
    return factor(n, a);
}

/* Covariances of beta of one parameter out of `first` to `end`, from their factor. */
static void take_covariance(sonde__cohort *g, int32_t p, int32_t first, int32_t end) {
    const int32_t q = g->n_column;
    const int32_t n = (end - first) * q;
    double *unit = g->scratch + (int64_t)n * n;
    double *covariance = g->covariance + (int64_t)p * q * q;
    for (int32_t c = 0; c < q; c++) {
        memset(unit, 0, (size_t)n * sizeof *unit);
        unit[(p - first) * q + c] = 1.0;
        solve(n, g->scratch, unit);
        memcpy(covariance + (int64_t)c * q, unit + (int64_t)(p - first) * q,
               (size_t)q * sizeof *covariance);
    }
}

/* All parameters together; one by one where something is not known at all. */
static void find_covariances(sonde__cohort *g) {
    const int32_t q = g->n_column;
    const bool all = inform(g, 0, g->n_parameter, g->scratch);
    for (int32_t p = 0; p < g->n_parameter; p++) {
        if (all) {
            take_covariance(g, p, 0, g->n_parameter);
        } else if (inform(g, p, p + 1, g->scratch)) {
            take_covariance(g, p, p, p + 1);
        } else {
            for (int32_t i = 0; i < q * q; i++) {
                g->covariance[(int64_t)p * q * q + i] = (double)INFINITY;
            }
        }
    }
}

void sonde__cohort_judge(sonde__cohort *g) {
    const double point = sonde__student_point(0.975, g->n_subject - g->n_column);
    const int32_t q = g->n_column;
    find_covariances(g);
    for (int64_t i = 0; i < (int64_t)g->n_parameter * q; i++) {
        g->se[i] = sqrt(g->covariance[i / q * q * q + i % q * (q + 1)]);
        g->z[i] = g->beta[i] / g->se[i];
        g->low[i] = g->beta[i] - point * g->se[i];
        g->high[i] = g->beta[i] + point * g->se[i];
    }
    double sum = 0.0;
    for (int32_t i = 0; i < g->n_subject; i++) {
        sum += g->evidence[i];
    }
    g->log_evidence = sum - 0.5 * g->n_parameter * (g->n_column + 1) * sonde__log(g->n_subject);
}

/* -------------------------------------------------------------------------------- life cycle -- */

sonde_status sonde__cohort_new(const sonde__design *design, int32_t n_parameter,
                               const double *prior_mean, const double *prior_sd,
                               sonde__cohort **group, sonde_error *error) {
    *group = NULL;
    const int32_t n = design->n_subject;
    const int32_t least = design->n_column + 1;
    if (n < least) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "group: expected %d subjects or more for %d column%s of covariates, the "
                           "intercept included, found %d",
                           (int)least, (int)design->n_column, design->n_column == 1 ? "" : "s",
                           (int)n);
    }
    sonde__arena arena = {0};
    sonde__cohort measured;
    (void)SONDE__TAKE(&arena, sonde__cohort, 1);
    carve(&arena, n, n_parameter, design->n_column, &measured);
    if (!sonde__arena_reserve(&arena)) {
        return sonde__fail_memory(error, "the group", arena.used);
    }
    sonde__cohort *g = SONDE__TAKE(&arena, sonde__cohort, 1);
    carve(&arena, n, n_parameter, design->n_column, g);
    g->n_subject = n;
    g->n_parameter = n_parameter;
    g->n_column = design->n_column;
    g->x = design->x;
    for (int32_t p = 0; p < n_parameter; p++) {
        g->start_sd[p] = g->sd[p] = prior_sd[p];
        g->beta[(int64_t)p * g->n_column] = prior_mean[p];
        for (int32_t i = 0; i < n; i++) {
            g->prior_mean[(int64_t)i * n_parameter + p] = prior_mean[p];
        }
    }
    *group = g;
    return SONDE_OK;
}

void sonde__cohort_free(sonde__cohort *group) {
    sonde__free(group);
}

sonde_status sonde__cohort_fit(sonde__cohort *group, sonde__cohort_estimate estimate, void *user,
                               sonde_error *error) {
    while (!group->converged && group->n_round < ROUND_MAX) {
        const sonde_status status = estimate(user, group, error);
        if (status) {
            return status;
        }
        group->n_round++;
        group->converged = sonde__cohort_move(group);
    }
    sonde__cohort_judge(group);
    return SONDE_OK;
}
