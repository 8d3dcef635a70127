/* fit_posterior.c: draws from what is believed of a subject's parameters, by the Laplace
 * approximation: map + L z, where L L' is the covariance and z are normal. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/status.h"
#include "fit/fit_statistics.h"
#include "sonde_fit.h"

/* draws of shared values have streams behind those of all subjects */
#define SHARED (UINT64_C(1) << 40)

static double draw_normal(sonde__rng *rng) {
    /* away from both ends, where there is no point */
    return sonde__normal_point((sonde__rng_uniform(rng) * 4503599627370495.0 + 0.5) /
                               4503599627370496.0);
}

/* The lower half of the covariances (n, n) of the m parameters `own` as a Cholesky factor (m, m);
 * a direction without variance stays without. */
static void factor(const sonde_fitted *one, int32_t m, const int32_t *own, double *root) {
    for (int32_t r = 0; r < m; r++) {
        for (int32_t c = 0; c <= r; c++) {
            double left = one->covariance[(int64_t)own[r] * one->n_slot + own[c]];
            for (int32_t k = 0; k < c; k++) {
                left -= root[r * m + k] * root[c * m + k];
            }
            const double pivot = root[c * m + c];
            root[r * m + c] =
                r == c ? sqrt(left > 0.0 ? left : 0.0) : (pivot > 0.0 ? left / pivot : 0.0);
        }
    }
}

static void draw_own(const sonde_fitted *one, int32_t m, const int32_t *own, double *room,
                     sonde__rng *rng, double *theta) {
    const double *root = room;
    double *z = room + (int64_t)m * m;
    for (int32_t k = 0; k < m; k++) {
        z[k] = draw_normal(rng);
    }
    for (int32_t r = 0; r < m; r++) {
        theta[own[r]] = one->map[own[r]];
        for (int32_t k = 0; k <= r; k++) {
            theta[own[r]] += root[r * m + k] * z[k];
        }
    }
}

/* Values of what all subjects share are the same for all of them, draw by draw. */
static void draw_shared(const sonde_fit *fit, const sonde_fitted *one, uint64_t seed, int32_t draw,
                        double *theta) {
    for (int32_t k = 0; k < fit->n_shared; k++) {
        sonde__rng rng =
            sonde__rng_stream(seed, SONDE__FOR_POSTERIOR,
                              SHARED + (uint64_t)draw * (uint64_t)fit->n_shared + (uint64_t)k);
        const double value = fit->shared_map[k] + fit->shared_sd[k] * draw_normal(&rng);
        for (int32_t i = 0; i < one->n_slot; i++) {
            theta[i] = one->parameter[i] == fit->shared[k] ? value : theta[i];
        }
    }
}

sonde_status sonde_fit_posterior(const sonde_fit *fit, int32_t subject, uint64_t seed,
                                 int32_t n_draw, double *theta, sonde_error *error) {
    const sonde_fitted *one = &fit->subject[subject];
    const size_t n = (size_t)one->n_slot;
    sonde__pool pool = {0};
    int32_t *own = SONDE__POOL_TAKE(&pool, int32_t, n + 1);
    double *room = SONDE__POOL_TAKE(&pool, double, n *(n + 1) + 1);
    if (own == NULL || room == NULL) {
        sonde__pool_free(&pool);
        return sonde__fail_memory(error, "posterior", 0);
    }
    int32_t m = 0;
    for (int32_t i = 0; i < one->n_slot; i++) {
        if (!isnan(one->sd[i])) {
            own[m++] = i;
        }
    }
    factor(one, m, own, room);
    sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_POSTERIOR, (uint64_t)subject);
    for (int32_t draw = 0; draw < n_draw; draw++) {
        double *to = theta + (int64_t)draw * one->n_slot;
        draw_own(one, m, own, room, &rng, to);
        draw_shared(fit, one, seed, draw, to);
    }
    sonde__pool_free(&pool);
    return SONDE_OK;
}
