/* fit_group.c: empirical Bayes over subjects.
 *
 * Parameter p of subject i is drawn from N(x_i beta_p, sd_p). EM takes turns: subjects are
 * estimated under that prior, m_ip with variance C_ip; then
 *
 *     beta_p = (X'X)^-1 X' m_p,    sd_p^2 = mean_i[(m_ip - x_i beta_p)^2 + C_ip].
 *
 * What the data alone say of a subject has the variance v_ip = 1 / (1 / C_ip - 1 / sd_p^2), so that
 * the information about beta is A = X'WX with W = diag 1 / (sd_p^2 + v_ip): subjects who say little
 * weigh little. Where posteriors of two parameters are correlated, so are their betas, and W is the
 * inverse of the whole matrix, diag(sd^2) + v: parameter by parameter, intervals of two that are
 * hard to tell apart would hold the truth in 84 instead of 95 % of groups. Here sd is that of the
 * last estimation, because C is: where data say next to nothing, C is all but sd^2, and with an sd
 * that has moved on by a hundredth W would be anything. Directions in which a subject's posterior is
 * no narrower than the group say nothing.
 *
 * C is Laplace's, and W is only as good: of what can hardly be seen it may be twice what estimates
 * vary by, and A^-1 much too large, or too small. A is the slope of the scores s_i = x_i (m_i - x_i
 * beta) / sd^2 that beta makes 0 in any case, so that A^-1 (sum s_i s_i') A^-1 is the covariance of
 * beta, whatever Laplace made of it (a sandwich; HC3). docs/decisions/groups.md has what was
 * measured. Intervals of beta are Student's with N - q degrees of freedom, because sd is estimated,
 * too. Cost: the estimations, and subjects x (parameters x columns)^2. */
#include "fit/fit_group.h"

#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/numbers.h"
#include "fit/fit_statistics.h"

enum { ROUND_MAX = 200 };
#define STILL 1e-3
#define FLOOR 1e-3
/* information about beta, in units of the prior that it began with, below which there is none */
#define NOTHING 1e-9
/* what beta leaves of a subject that it is all but made of */
#define LEFT 1e-6

static void carve(sonde__arena *arena, int32_t n, int32_t p, int32_t q, sonde__cohort *g) {
    const uint64_t pq = (uint64_t)p * (uint64_t)q;
    const uint64_t np = (uint64_t)n * (uint64_t)p;
    g->start_sd = SONDE__TAKE(arena, double, p);
    g->sd = SONDE__TAKE(arena, double, p);
    g->used_sd = SONDE__TAKE(arena, double, p);
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
    g->scratch =
        SONDE__TAKE(arena, double,
                    pq *(2 * pq + (uint64_t)q + 1) + 3 * (uint64_t)p * (uint64_t)p + (uint64_t)p);
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
    g->used_sd[p] = g->sd[p];
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

/* How much subject i says of the group's means: (sd^2 + v)^-1 = sd^-1 (1 - sd^-1 C sd^-1) sd^-1,
 * (n_parameter, n_parameter), where directions in which C is no less than the prior count nothing.
 * `room` has 2 n^2 + n numbers. */
static void weigh(const sonde__cohort *g, int32_t i, double *weight, double *room) {
    const int32_t n = g->n_parameter;
    const double *sd = g->used_sd;
    double *vector = room + (int64_t)n * n;
    double *value = vector + (int64_t)n * n;
    for (int32_t p = 0; p < n; p++) {
        for (int32_t q = 0; q < n; q++) {
            const int64_t at = (int64_t)i * n + p;
            const double c = p == q ? g->variance[at] : g->joint[at * n + q];
            room[p * n + q] = c / (sd[p] * sd[q]);
        }
    }
    sonde__eigen(n, room, value, vector);
    for (int32_t p = 0; p < n; p++) {
        for (int32_t q = 0; q < n; q++) {
            double sum = 0.0;
            for (int32_t k = 0; k < n; k++) {
                sum +=
                    value[k] < 1.0 ? (1.0 - value[k]) * vector[k * n + p] * vector[k * n + q] : 0.0;
            }
            weight[p * n + q] = sum / (sd[p] * sd[q]);
        }
    }
}

/* Where parts of the scratch are, of n = n_parameter n_column numbers each. */
typedef struct {
    double *factor; /* (n, n) Cholesky's, of the information about beta */
    double *spread; /* (n, n) of the subjects' scores */
    double *row;    /* (n_column, n) of the inverse of the information */
    double *score;  /* (n) of one subject */
    double *weigh;  /* (3 n_parameter + 1, n_parameter) */
} parts;

static parts part(const sonde__cohort *g) {
    const int64_t n = (int64_t)g->n_parameter * g->n_column;
    parts of = {.factor = g->scratch};
    of.spread = of.factor + n * n;
    of.row = of.spread + n * n;
    of.score = of.row + n * g->n_column;
    of.weigh = of.score + n;
    return of;
}

/* The information about beta of all parameters, as its Cholesky factor; false if it has none.
 * `more` is added to what is known of each, in units of the prior. */
static bool inform(const sonde__cohort *g, double more, const parts *of) {
    const int32_t q = g->n_column;
    const int32_t n_parameter = g->n_parameter;
    const int32_t n = n_parameter * q;
    double *a = of->factor;
    memset(a, 0, (size_t)n * (size_t)n * sizeof *a);
    for (int32_t i = 0; i < g->n_subject; i++) {
        const double *x = g->x + (int64_t)i * q;
        weigh(g, i, of->weigh, of->weigh + (int64_t)n_parameter * n_parameter);
        for (int32_t r = 0; r < n; r++) {
            for (int32_t c = 0; c <= r; c++) {
                a[r * n + c] += of->weigh[r / q * n_parameter + c / q] * x[r % q] * x[c % q];
            }
        }
    }
    for (int32_t r = 0; r < n; r++) {
        const double usual = g->start_sd[r / q];
        a[r * n + r] += more / (usual * usual);
    }
    return factor(n, a);
}

/* Cholesky's factors of what is known of each parameter's beta alone, (n_parameter, n_column,
 * n_column); 0 where that is nothing. */
static void inform_each(const sonde__cohort *g, const parts *of, double *alone) {
    const int32_t q = g->n_column;
    const int32_t n = g->n_parameter;
    memset(alone, 0, (size_t)n * (size_t)q * (size_t)q * sizeof *alone);
    for (int32_t i = 0; i < g->n_subject; i++) {
        const double *x = g->x + (int64_t)i * q;
        weigh(g, i, of->weigh, of->weigh + (int64_t)n * n);
        for (int32_t k = 0; k < n * q * q; k++) {
            const int32_t p = k / (q * q);
            alone[k] += of->weigh[p * n + p] * x[k / q % q] * x[k % q];
        }
    }
    for (int32_t p = 0; p < n; p++) {
        double *l = alone + (int64_t)p * q * q;
        l[0] = factor(q, l) ? l[0] : 0.0;
    }
}

/* The score of one parameter's beta, x_i (m_ip - x_i beta_p) / sd_p^2 (n_column), divided by what
 * beta leaves of it: 1 less the subject's leverage, its weight times x_i (X'WX)^-1 x_i'. */
static void find_score(const sonde__cohort *g, const int32_t at[2], double weight, const double *l,
                       double *score) {
    const int32_t q = g->n_column;
    const double *x = g->x + (int64_t)at[0] * q;
    const int64_t slot = (int64_t)at[0] * g->n_parameter + at[1];
    double taken = 0.0;
    if (l[0] > 0.0) {
        memcpy(score, x, (size_t)q * sizeof *score);
        solve(q, l, score);
        for (int32_t c = 0; c < q; c++) {
            taken += weight * x[c] * score[c];
        }
    }
    const double sd = g->used_sd[at[1]];
    const double off = (g->estimate[slot] - g->prior_mean[slot]) / (sd * sd);
    for (int32_t c = 0; c < q; c++) {
        score[c] = x[c] * off / fmax(1.0 - taken, LEFT);
    }
}

/* How much the subjects' scores vary: the sum of their squares (HC3). */
static void spread_scores(const sonde__cohort *g, const parts *of) {
    const int32_t q = g->n_column;
    const int32_t n_parameter = g->n_parameter;
    const int32_t n = n_parameter * q;
    double *alone = of->row;
    inform_each(g, of, alone);
    memset(of->spread, 0, (size_t)n * (size_t)n * sizeof *of->spread);
    for (int32_t i = 0; i < g->n_subject; i++) {
        weigh(g, i, of->weigh, of->weigh + (int64_t)n_parameter * n_parameter);
        for (int32_t p = 0; p < n_parameter; p++) {
            find_score(g, (const int32_t[]){i, p}, of->weigh[p * n_parameter + p],
                       alone + (int64_t)p * q * q, of->score + (int64_t)p * q);
        }
        for (int32_t r = 0; r < n * n; r++) {
            of->spread[r] += of->score[r / n] * of->score[r % n];
        }
    }
}

/* a' S b */
static double between(int32_t n, const double *a, const double *s, const double *b) {
    double sum = 0.0;
    for (int32_t r = 0; r < n; r++) {
        for (int32_t c = 0; c < n; c++) {
            sum += a[r] * s[r * n + c] * b[c];
        }
    }
    return sum;
}

/* Covariances of beta of one parameter, by the factor of the information about all; infinite where
 * it would be `most` or more. */
static void take_covariance(sonde__cohort *g, int32_t p, double most, const parts *of) {
    const int32_t q = g->n_column;
    const int32_t n = g->n_parameter * q;
    double *covariance = g->covariance + (int64_t)p * q * q;
    memset(of->row, 0, (size_t)q * (size_t)n * sizeof *of->row);
    for (int32_t c = 0; c < q; c++) {
        of->row[c * n + p * q + c] = 1.0;
        solve(n, of->factor, of->row + (int64_t)c * n);
    }
    for (int32_t i = 0; i < q * q; i++) {
        const double *a = of->row + (int64_t)(i / q) * n;
        const double *b = of->row + (int64_t)(i % q) * n;
        const bool known = a[p * q + i / q] < most && b[p * q + i % q] < most;
        covariance[i] = known ? between(n, a, of->spread, b) : (double)INFINITY;
    }
}

/* All parameters together; infinite where nothing is known. */
static void find_covariances(sonde__cohort *g) {
    const parts of = part(g);
    const int32_t q = g->n_column;
    const bool all = inform(g, 0.0, &of);
    const bool nearly = !all && inform(g, NOTHING, &of);
    spread_scores(g, &of);
    for (int32_t p = 0; p < g->n_parameter; p++) {
        const double most = 0.01 * g->start_sd[p] * g->start_sd[p] / NOTHING;
        if (all || nearly) {
            take_covariance(g, p, all ? (double)INFINITY : most, &of);
        }
        for (int32_t i = 0; !all && !nearly && i < q * q; i++) {
            g->covariance[(int64_t)p * q * q + i] = (double)INFINITY;
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
        g->start_sd[p] = g->used_sd[p] = g->sd[p] = prior_sd[p];
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
