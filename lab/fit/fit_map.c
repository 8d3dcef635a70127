/* fit_map.c: MAP and Laplace, in units of the prior: z = (theta - mean) / sd.
 *
 * Every start goes uphill by damped Newton steps: gradient and Hessian by central differences in
 * one batch of 1 + 2 n^2 points, then as many lengths of the step in another. Where NLopt is
 * installed, BOBYQA goes first, and Newton's steps polish what it found. A start that comes near an
 * optimum that is known stops there.
 *
 *     H_pp = (f+ - 2 f0 + f-) / h^2,  H_pq = (f++ - f+- - f-+ + f--) / (4 h^2),  K = -H
 *     F    = LL + ln prior + n/2 ln 2 pi + 1/2 ln |C|,  C = S K^-1 S */
#include "fit/fit_map.h"

#include <math.h>
#include <string.h>

#include "base/linalg.h"

#define LOG_ROOT_2PI 0.91893853320467274178
/* the least curvature, in units of the prior, that a posterior is believed to have */
#define LEAST 1e-3
/* no parameter goes farther than this from its prior's mean, in its sd */
#define FARTHEST 8.0

enum { N_LENGTH = 6, ROUNDS_MAX = 60 };

/* one search; arrays in one pool */
typedef struct {
    const sonde__objective *o;
    int32_t n;
    int32_t n_point;   /* of differences: 1 + 2 n^2 */
    double *theta;     /* (n_point or N_LENGTH, n) */
    double *f;         /* (n_point) values */
    double *z;         /* (n) where it is */
    double *gradient;  /* (n) */
    double *curvature; /* (n, n) K */
    double *copy;      /* (n, n) scratch */
    double *value;     /* (n) eigenvalues of K, descending */
    double *vector;    /* (n, n) */
    double *step;      /* (n) */
    double *trial;     /* (N_LENGTH, n) */
    double best;       /* value at z */
    double n_evaluation;
    double last;           /* the log-likelihood of the first of the last points */
    double log_likelihood; /* at z, where differences were taken */
    bool fresh;            /* gradient and curvature are those of z */
    sonde_status status;
    sonde_error *error;
} search;

static bool take(search *s, sonde__pool *pool) {
    const uint64_t n = (uint64_t)s->n;
    const uint64_t most = (uint64_t)s->n_point > N_LENGTH ? (uint64_t)s->n_point : N_LENGTH;
    s->theta = SONDE__POOL_TAKE(pool, double, most *n + 1);
    s->f = SONDE__POOL_TAKE(pool, double, most);
    s->z = SONDE__POOL_TAKE(pool, double, n + 1);
    s->gradient = SONDE__POOL_TAKE(pool, double, n + 1);
    s->curvature = SONDE__POOL_TAKE(pool, double, n *n + 1);
    s->copy = SONDE__POOL_TAKE(pool, double, n *n + 1);
    s->value = SONDE__POOL_TAKE(pool, double, n + 1);
    s->vector = SONDE__POOL_TAKE(pool, double, n *n + 1);
    s->step = SONDE__POOL_TAKE(pool, double, n + 1);
    s->trial = SONDE__POOL_TAKE(pool, double, N_LENGTH *n + 1);
    return s->theta != NULL && s->f != NULL && s->z != NULL && s->gradient != NULL &&
           s->curvature != NULL && s->copy != NULL && s->value != NULL && s->vector != NULL &&
           s->step != NULL && s->trial != NULL;
}

/* ------------------------------------------------------------------------------------ values -- */

/* ln of the prior at z, in theta's units. */
static double log_prior(const search *s, const double *z) {
    double sum = 0.0;
    for (int32_t p = 0; p < s->n; p++) {
        sum -= 0.5 * z[p] * z[p] + log(s->o->sd[p]) + LOG_ROOT_2PI;
    }
    return sum;
}

/* Values at m points (m, n) in units of the prior, which are in s->theta, into s->f. */
static bool evaluate(search *s, int32_t m) {
    for (int32_t i = 0; i < m; i++) {
        double *theta = s->theta + (int64_t)i * s->n;
        s->f[i] = log_prior(s, theta);
        for (int32_t p = 0; p < s->n; p++) {
            theta[p] = s->o->mean[p] + s->o->sd[p] * theta[p];
        }
    }
    double room[64];
    double *ll = m <= 64 ? room : sonde__alloc((size_t)m * sizeof *ll);
    if (ll == NULL) {
        s->status = sonde__fail_memory(s->error, "fit", (uint64_t)m * sizeof *ll);
        return false;
    }
    s->status = s->o->log_likelihood(s->o->user, m, s->theta, ll, s->error);
    for (int32_t i = 0; s->status == SONDE_OK && i < m; i++) {
        s->f[i] += ll[i];
    }
    s->last = ll[0];
    if (ll != room) {
        sonde__free(ll);
    }
    s->n_evaluation += m;
    return s->status == SONDE_OK;
}

static double *point(const search *s, int32_t i) {
    double *at = s->theta + (int64_t)i * s->n;
    memcpy(at, s->z, (size_t)s->n * sizeof *at);
    return at;
}

/* Gradient and curvature at z. */
static bool differentiate(search *s) {
    if (s->fresh) {
        return true;
    }
    const double h = s->o->step;
    const int32_t n = s->n;
    int32_t i = 1;
    (void)point(s, 0);
    for (int32_t p = 0; p < n; p++) {
        point(s, i++)[p] += h;
        point(s, i++)[p] -= h;
    }
    for (int32_t p = 0; p < n; p++) {
        for (int32_t q = p + 1; q < n; q++) {
            for (int32_t k = 0; k < 4; k++) {
                double *at = point(s, i++);
                at[p] += k < 2 ? h : -h;
                at[q] += k % 2 == 0 ? h : -h;
            }
        }
    }
    if (!evaluate(s, s->n_point)) {
        return false;
    }
    const double *f = s->f;
    s->best = f[0];
    s->log_likelihood = s->last;
    i = 1;
    for (int32_t p = 0; p < n; p++, i += 2) {
        s->gradient[p] = (f[i] - f[i + 1]) / (2.0 * h);
        s->curvature[p * n + p] = -(f[i] - 2.0 * f[0] + f[i + 1]) / (h * h);
    }
    for (int32_t p = 0; p < n; p++) {
        for (int32_t q = p + 1; q < n; q++, i += 4) {
            const double K = -(f[i] - f[i + 1] - f[i + 2] + f[i + 3]) / (4.0 * h * h);
            s->curvature[p * n + q] = s->curvature[q * n + p] = K;
        }
    }
    memcpy(s->copy, s->curvature, (size_t)(n * n) * sizeof *s->copy);
    sonde__eigen(n, s->copy, s->value, s->vector);
    s->fresh = true;
    return true;
}

/* ------------------------------------------------------------------------------------- steps -- */

/* Newton's step, where every direction is curved downwards; its largest part. */
static double find_step(search *s) {
    const int32_t n = s->n;
    double most = 0.0;
    memset(s->step, 0, (size_t)n * sizeof *s->step);
    for (int32_t k = 0; k < n; k++) {
        const double *v = s->vector + (int64_t)k * n;
        double along = 0.0;
        for (int32_t p = 0; p < n; p++) {
            along += v[p] * s->gradient[p];
        }
        const double size = fabs(s->value[k]);
        along /= s->value[k] > 0.3 ? s->value[k] : size > 0.3 ? size : 0.3;
        for (int32_t p = 0; p < n; p++) {
            s->step[p] += along * v[p];
        }
    }
    for (int32_t p = 0; p < n; p++) {
        most = fabs(s->step[p]) > most ? fabs(s->step[p]) : most;
    }
    const double scale = most > 3.0 ? 3.0 / most : 1.0; /* far away the parabola says little */
    for (int32_t p = 0; p < n; p++) {
        s->step[p] *= scale;
    }
    return most * scale;
}

static double within(double z) {
    return z > FARTHEST ? FARTHEST : z < -FARTHEST ? -FARTHEST : z;
}

/* The best of several lengths of the step; false: none is better than where it is. */
static bool move(search *s) {
    const int32_t n = s->n;
    static const double lengths[N_LENGTH] = {2.0, 1.0, 0.5, 0.125, 0.03125, 0.0078125};
    for (int32_t k = 0; k < N_LENGTH; k++) {
        const double length = lengths[k];
        double *at = s->theta + (int64_t)k * n;
        for (int32_t p = 0; p < n; p++) {
            at[p] = within(s->z[p] + length * s->step[p]);
        }
    }
    memcpy(s->trial, s->theta, (size_t)(N_LENGTH * n) * sizeof *s->trial);
    if (!evaluate(s, N_LENGTH)) {
        return false;
    }
    int32_t best = -1;
    for (int32_t k = 0; k < N_LENGTH; k++) {
        if (s->f[k] > s->best && (best < 0 || s->f[k] > s->f[best])) {
            best = k;
        }
    }
    if (best >= 0) {
        memcpy(s->z, s->trial + (int64_t)best * n, (size_t)n * sizeof *s->z);
        s->best = s->f[best];
        s->fresh = false;
    }
    return best >= 0;
}

/* Whether z has come near one of the optima (n_known, n), and will end there, too. */
static bool is_known(const search *s, int32_t n_known, const double *known) {
    for (int32_t k = 0; k < n_known; k++) {
        double far = 0.0;
        for (int32_t p = 0; p < s->n; p++) {
            const double apart = fabs(s->z[p] - known[(int64_t)k * s->n + p]);
            far = apart > far ? apart : far;
        }
        if (far < 0.05) {
            return true;
        }
    }
    return false;
}

/* Goes uphill from z. */
static bool climb(search *s, int32_t n_known, const double *known) {
    const double enough = s->o->step * 1e-3;
    for (int32_t round = 0; round < ROUNDS_MAX && differentiate(s); round++) {
        const double size = find_step(s);
        bool curved = true;
        for (int32_t k = 0; k < s->n; k++) {
            curved = curved && s->value[k] > 0.3;
        }
        if (size < enough || (size < 0.05 && curved && is_known(s, n_known, known))) {
            return true;
        }
        if (curved && size < 10.0 * s->o->step) { /* near the top the parabola is exact */
            for (int32_t p = 0; p < s->n; p++) {
                s->z[p] = within(s->z[p] + s->step[p]);
            }
            s->fresh = false;
            if (size < s->o->step) {
                return differentiate(s);
            }
        } else if (!move(s)) {
            return s->status == SONDE_OK;
        }
    }
    return s->status == SONDE_OK;
}

static double value_at(void *user, const double *z) {
    search *s = user;
    memcpy(s->theta, z, (size_t)s->n * sizeof *z);
    return evaluate(s, 1) ? s->f[0] : (double)NAN;
}

/* ----------------------------------------------------------------------------------- laplace -- */

static void conclude(search *s, sonde__laplace *found) {
    const int32_t n = s->n;
    double log_det = 0.0; /* of K */
    found->gradient = 0.0;
    found->converged = true;
    for (int32_t k = 0; k < n; k++) {
        const bool flat = !(s->value[k] >= LEAST);
        s->value[k] = flat ? LEAST : s->value[k];
        found->converged = found->converged && !flat;
        log_det += log(s->value[k]);
        const double g = fabs(s->gradient[k]);
        found->gradient = g > found->gradient ? g : found->gradient;
    }
    found->converged = found->converged && found->gradient < 1e-3;
    double log_sd = 0.0;
    for (int32_t p = 0; p < n; p++) {
        log_sd += log(s->o->sd[p]);
        found->map[p] = s->o->mean[p] + s->o->sd[p] * s->z[p];
        for (int32_t q = 0; q < n; q++) {
            double sum = 0.0;
            for (int32_t k = 0; k < n; k++) {
                sum += s->vector[k * n + p] * s->vector[k * n + q] / s->value[k];
            }
            found->covariance[p * n + q] = sum * s->o->sd[p] * s->o->sd[q];
        }
    }
    for (int32_t k = 0; k < n; k++) {
        found->value[k] = s->value[n - 1 - k];
        memcpy(found->vector + (int64_t)k * n, s->vector + (int64_t)(n - 1 - k) * n,
               (size_t)n * sizeof *s->vector);
    }
    found->evidence = s->best + n * LOG_ROOT_2PI + log_sd - 0.5 * log_det;
}

/* The best of all starts, in s->z. */
static bool find_best(search *s, int32_t n_start, const double *start, double *known) {
    const int32_t n = s->n;
    double best = -INFINITY;
    int32_t chosen = 0;
    for (int32_t i = 0; i < n_start; i++) {
        for (int32_t p = 0; p < n; p++) {
            s->z[p] = within((start[(int64_t)i * n + p] - s->o->mean[p]) / s->o->sd[p]);
        }
        s->fresh = false;
        if (!s->o->newton) {
            const sonde__climb way = {.n = n, .value = value_at, .user = s};
            const sonde_status status = sonde__bobyqa(&way, s->z, s->error);
            s->status = s->status != SONDE_OK ? s->status : status;
        }
        if (s->status != SONDE_OK || !climb(s, i, known)) {
            return false;
        }
        memcpy(known + (int64_t)i * n, s->z, (size_t)n * sizeof *known);
        if (s->best > best + 1e-9) {
            best = s->best;
            chosen = i;
        }
    }
    s->fresh = s->fresh && chosen == n_start - 1;
    memcpy(s->z, known + (int64_t)chosen * n, (size_t)n * sizeof *known);
    return true;
}

sonde_status sonde__map_find(const sonde__objective *objective, int32_t n_start,
                             const double *start, sonde__laplace *found, sonde_error *error) {
    sonde__pool pool = {0};
    search s = {.o = objective, .n = objective->n, .error = error};
    s.n_point = 1 + 2 * s.n * s.n;
    double *known = SONDE__POOL_TAKE(&pool, double, (uint64_t)n_start *(uint64_t)s.n + 1);
    if (!take(&s, &pool) || known == NULL) {
        s.status = sonde__fail_memory(error, "fit", 0);
    } else if ((s.n == 0 || find_best(&s, n_start, start, known)) && differentiate(&s)) {
        found->log_likelihood = s.log_likelihood;
        found->n_evaluation = s.n_evaluation;
        conclude(&s, found);
    }
    sonde__pool_free(&pool);
    return s.status;
}
