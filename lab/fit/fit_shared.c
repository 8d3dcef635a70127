/* fit_shared.c: parameters that have one value for all subjects. It is the most probable one: the
 * sum of the subjects' log evidences, each with its own parameters integrated out, and the
 * logarithm of its prior are maximised over it. */
#include <math.h>
#include <string.h>

#include "fit/fit.h"

/* sums of evidences, as a function of shared values */
typedef struct {
    sonde__fitting *all;
    sonde__round *round;
    double *warm; /* (n_subject, n_most) where subjects begin: the estimates at the first values */
} view;

static void warm_up(const view *v) {
    const sonde__fitting *all = v->all;
    for (int32_t s = 0; s < all->data->n_subject; s++) {
        double *pack = v->round->pack + (int64_t)s * all->n_pack;
        const sonde__laplace found = sonde__unpack(all, pack, all->own[s].n);
        memcpy(v->warm + (int64_t)s * all->n_most, found.map,
               (size_t)all->own[s].n * sizeof *v->warm);
    }
}

static sonde_status evaluate(void *user, int32_t n_set, const double *theta, double *value,
                             sonde_error *error) {
    view *v = user;
    sonde__fitting *all = v->all;
    sonde_status status = SONDE_OK;
    for (int32_t i = 0; status == SONDE_OK && i < n_set; i++) {
        memcpy((double *)v->round->at, theta + (int64_t)i * all->n_shared,
               (size_t)all->n_shared * sizeof *theta);
        status = sonde__round_do(v->round, error);
        value[i] = 0.0;
        for (int32_t s = 0; status == SONDE_OK && s < all->data->n_subject; s++) {
            double *pack = v->round->pack + (int64_t)s * all->n_pack;
            value[i] += sonde__unpack(all, pack, all->own[s].n).evidence;
        }
    }
    return status;
}

sonde_status sonde__fit_shared(sonde__fitting *all, sonde__round *round, sonde_error *error) {
    const int32_t n = all->n_shared;
    const uint64_t size = (uint64_t)n;
    double *prior = SONDE__POOL_TAKE(&all->pool, double, 3 * size);
    double *room = SONDE__POOL_TAKE(&all->pool, double, 3 * size + 2 * size * size);
    view v = {.all = all, .round = round};
    v.warm = SONDE__POOL_TAKE(&all->pool, double,
                              (uint64_t)all->data->n_subject *(uint64_t)all->n_most + 1);
    if (prior == NULL || room == NULL || v.warm == NULL) {
        return sonde__fail_memory(error, "shared parameters", 0);
    }
    for (int32_t k = 0; k < n; k++) {
        const sonde_parameter *one = &all->shown.parameters->parameter[all->shared[k]];
        prior[k] = one->mean;
        prior[n + k] = one->sd;
        prior[2 * n + k] = one->start;
    }
    warm_up(&v);
    round->warm = v.warm;
    round->stage = "shared";
    /* evidences are differences themselves: steps are larger than theirs */
    const sonde__objective objective = {.n = n,
                                        .mean = prior,
                                        .sd = prior + n,
                                        .step = 0.05,
                                        .newton = true,
                                        .user = &v,
                                        .log_likelihood = evaluate};
    const int64_t square = (int64_t)n * n;
    sonde__laplace found = {.map = room,
                            .covariance = room + n,
                            .value = room + n + square,
                            .vector = room + 2 * (int64_t)n + square};
    sonde_status status = sonde__map_find(&objective, 1, prior + (int64_t)2 * n, &found, error);
    if (status == SONDE_OK) { /* subjects as they are with the best values */
        double value = 0.0;
        status = evaluate(&v, 1, found.map, &value, error);
    }
    double *sd = prior + (int64_t)2 * n;
    for (int32_t k = 0; status == SONDE_OK && k < n; k++) {
        sd[k] = sqrt(found.covariance[k * n + k]);
    }
    all->shown.n_shared = n;
    all->shown.shared = all->shared;
    all->shown.shared_map = found.map;
    all->shown.shared_sd = sd;
    return status;
}
