/* fit_power.c: how many subjects it takes to see a difference between two groups.
 *
 * Every repeat draws subjects of two groups, whose means lie half the difference above and below
 * the prior's, lets them go through the experiment, and fits each once, under the prior. What the
 * data alone say of a subject is its posterior with the prior taken out, a normal distribution;
 * from these the group is estimated by empirical Bayes, without going back to the data (as
 * parametric empirical Bayes does in SPM). Smaller numbers of subjects are the first of the
 * larger. */
#include <math.h>
#include <string.h>

#include "base/linalg.h"
#include "base/numbers.h"
#include "base/rng.h"
#include "fit/fit.h"
#include "fit/fit_recover.h"
#include "fit/fit_recovery.h"

/* streams of repeats: far from those of sonde_recover, and from each other */
#define FIRST_STREAM (UINT64_C(1) << 60)
#define REPEAT_APART (UINT64_C(1) << 32)

/* Subjects of one repeat, in units of the prior: what data say of each is exp(h z - z' L z / 2). */
typedef struct {
    const sonde_recover_settings *settings;
    const sonde_power_settings *asked;
    const sonde_parameters *parameters;
    struct sonde__store *kept; /* or NULL */
    int32_t n;                 /* parameters */
    int32_t at;                /* the one that differs */
    int32_t n_most;            /* subjects of the largest size */
    double *truth;             /* (n_most, n) */
    double *information;       /* (n_most, n, n) L */
    double *pull;              /* (n_most, n) h */
    double *x;                 /* (n_most, 2) */
    double *scratch;           /* (3 n + 4) n */
    double *mean;              /* (n) of the prior */
    double *sd;                /* (n) */
    double *low; /* (n_size, n_repeat, 2) of the difference, where there is one, and not */
    double *high;
    double *beta;
} powering;

/* --------------------------------------------------------------------------------- subjects -- */

/* Two groups in turn, so that the first subjects are of both. */
static double group_of(int32_t i) {
    return i % 2 == 0 ? 0.0 : 1.0;
}

static void draw_subjects(powering *w, double difference, uint64_t first) {
    for (int32_t i = 0; i < w->n_most; i++) {
        double *theta = w->truth + (int64_t)i * w->n;
        sonde__recover_draw(w->parameters, w->settings->experiment->seed, first + (uint64_t)i,
                            theta);
        theta[w->at] += difference * (group_of(i) - 0.5);
    }
}

/* Takes the prior out of a posterior. Directions that data say nothing about stay without. */
static void take_prior_out(powering *w, int32_t i, const sonde_fitted *one) {
    const int32_t n = w->n;
    double *c = w->scratch;
    double *vector = c + (int64_t)n * n;
    double *value = vector + (int64_t)n * n;
    double *information = w->information + (int64_t)i * n * n;
    double *pull = w->pull + (int64_t)i * n;
    for (int32_t p = 0; p < n * n; p++) {
        c[p] = one->covariance[p] / (w->sd[p / n] * w->sd[p % n]);
        information[p] = 0.0;
    }
    sonde__eigen(n, c, value, vector);
    memset(pull, 0, (size_t)n * sizeof *pull);
    for (int32_t k = 0; k < n; k++) {
        const double *v = vector + (int64_t)k * n;
        const double precision = 1.0 / value[k];
        double along = 0.0;
        for (int32_t p = 0; p < n; p++) {
            along += v[p] * (one->map[p] - w->mean[p]) / w->sd[p];
        }
        if (!(precision > 1.0)) {
            continue;
        }
        for (int32_t p = 0; p < n; p++) {
            pull[p] += precision * along * v[p];
            for (int32_t q = 0; q < n; q++) {
                information[p * n + q] += (precision - 1.0) * v[p] * v[q];
            }
        }
    }
}

static sonde_status fit_subjects(powering *w, const sonde_run *run, uint64_t first,
                                 sonde_error *error) {
    sonde__pool pool = {0};
    const sonde_data *data = NULL;
    sonde_fit *fit = NULL;
    const sonde__recover_task task = {.agent = w->settings->agent,
                                      .experiment = w->settings->experiment,
                                      .parameters = w->parameters,
                                      .truth = w->truth,
                                      .n_subject = w->n_most,
                                      .n_session = sonde__recover_sessions(w->settings),
                                      .first = first};
    sonde_run quiet = *run;
    quiet.progress = NULL;
    sonde_status status = sonde__recover_act(&pool, &task, &quiet, &data, error);
    if (!status) {
        const sonde__fit_task fitted = {.agent = w->settings->agent,
                                        .data = data,
                                        .parameters = w->parameters,
                                        .settings = &w->settings->fit,
                                        .kept = w->kept};
        status = sonde__fit_do(&fitted, &quiet, &fit, error);
    }
    for (int32_t i = 0; !status && i < w->n_most; i++) {
        take_prior_out(w, i, &fit->subject[i]);
    }
    sonde_fit_free(fit);
    sonde__pool_free(&pool);
    return status;
}

/* ------------------------------------------------------------------------------------ groups -- */

/* Inverts a positive matrix (n, n) by its eigenvalues; both are scratch afterwards but `to`. */
static void invert(int32_t n, double *matrix, double *room, double *to) {
    double *vector = room;
    double *value = room + (int64_t)n * n;
    sonde__eigen(n, matrix, value, vector);
    for (int32_t p = 0; p < n; p++) {
        for (int32_t q = 0; q < n; q++) {
            double sum = 0.0;
            for (int32_t k = 0; k < n; k++) {
                sum += vector[k * n + p] * vector[k * n + q] / value[k];
            }
            to[p * n + q] = sum;
        }
    }
}

/* Subjects under the group's prior: normal times normal. */
static sonde_status estimate(void *user, sonde__cohort *g, sonde_error *error) {
    (void)error;
    powering *w = user;
    const int32_t n = w->n;
    double *matrix = w->scratch;
    double *inverse = matrix + (int64_t)n * n;
    double *room = inverse + (int64_t)n * n;
    double *b = room + (int64_t)n * (n + 1);
    for (int32_t i = 0; i < g->n_subject; i++) {
        for (int32_t p = 0; p < n; p++) {
            const double s = g->sd[p] / w->sd[p];
            const double z = (g->prior_mean[(int64_t)i * n + p] - w->mean[p]) / w->sd[p];
            memcpy(matrix + (int64_t)p * n, w->information + ((int64_t)i * n + p) * n,
                   (size_t)n * sizeof *matrix);
            matrix[p * n + p] += 1.0 / (s * s);
            b[p] = w->pull[(int64_t)i * n + p] + z / (s * s);
        }
        invert(n, matrix, room, inverse);
        for (int32_t p = 0; p < n; p++) {
            double sum = 0.0;
            for (int32_t q = 0; q < n; q++) {
                sum += inverse[p * n + q] * b[q];
            }
            g->estimate[(int64_t)i * n + p] = w->mean[p] + w->sd[p] * sum;
            g->variance[(int64_t)i * n + p] = w->sd[p] * w->sd[p] * inverse[p * n + p];
            for (int32_t q = 0; q < n; q++) {
                g->joint[((int64_t)i * n + p) * n + q] = w->sd[p] * w->sd[q] * inverse[p * n + q];
            }
        }
    }
    return SONDE_OK;
}

static sonde_status judge_size(powering *w, int32_t size, int64_t slot, sonde_error *error) {
    const sonde__design design = {.n_subject = w->asked->size[size], .n_column = 2, .x = w->x};
    sonde__cohort *group = NULL;
    sonde_status status = sonde__cohort_new(&design, w->n, w->mean, w->sd, &group, error);
    if (!status) {
        status = sonde__cohort_fit(group, estimate, w, error);
    }
    if (!status) {
        w->beta[slot] = group->beta[w->at * 2 + 1];
        w->low[slot] = group->low[w->at * 2 + 1];
        w->high[slot] = group->high[w->at * 2 + 1];
    }
    sonde__cohort_free(group);
    return status;
}

/* ----------------------------------------------------------------------------------- repeats -- */

/* One repeat, with the difference and without. */
static sonde_status repeat(powering *w, const sonde_run *run, int32_t r, sonde_error *error) {
    sonde_status status = SONDE_OK;
    for (int32_t without = 0; !status && without < 2; without++) {
        const uint64_t first = FIRST_STREAM + (2 * (uint64_t)r + (uint64_t)without) * REPEAT_APART;
        draw_subjects(w, without ? 0.0 : w->asked->difference, first);
        status = fit_subjects(w, run, first, error);
        for (int32_t k = 0; !status && k < w->asked->n_size; k++) {
            const int64_t slot = ((int64_t)k * 2 + without) * w->asked->n_repeat + r;
            status = judge_size(w, k, slot, error);
        }
    }
    return status;
}

static void sum_up(const powering *w, int32_t k, sonde_power *power) {
    const int32_t n = w->asked->n_repeat;
    const double *low = w->low + (int64_t)k * 2 * n;
    const double *high = w->high + (int64_t)k * 2 * n;
    const double *beta = w->beta + (int64_t)k * 2 * n;
    double mean = 0.0;
    double square = 0.0;
    int32_t n_covered = 0;
    for (int32_t i = 0; i < n; i++) {
        mean += beta[i] / n;
        n_covered += low[i] <= w->asked->difference && w->asked->difference <= high[i] ? 1 : 0;
    }
    for (int32_t i = 0; i < n; i++) {
        square += (beta[i] - mean) * (beta[i] - mean);
    }
    *power = (sonde_power){.n_subject = w->asked->size[k],
                           .found = sonde__power(n, low, high),
                           .wrong = sonde__power(n, low + n, high + n),
                           .beta = mean,
                           .sd = n > 1 ? sqrt(square / (n - 1)) : (double)NAN,
                           .covers = sonde__share_of(n_covered, n)};
}

static void carve(sonde__arena *arena, powering *w) {
    const uint64_t n = (uint64_t)w->n;
    const uint64_t all = (uint64_t)w->n_most;
    const uint64_t slots = 2 * (uint64_t)w->asked->n_size * (uint64_t)w->asked->n_repeat;
    w->truth = SONDE__TAKE(arena, double, all *n);
    w->information = SONDE__TAKE(arena, double, all *n *n);
    w->pull = SONDE__TAKE(arena, double, all *n);
    w->x = SONDE__TAKE(arena, double, 2 * all);
    w->scratch = SONDE__TAKE(arena, double, 3 * n * n + 4 * n);
    w->mean = SONDE__TAKE(arena, double, n);
    w->sd = SONDE__TAKE(arena, double, n);
    w->low = SONDE__TAKE(arena, double, slots);
    w->high = SONDE__TAKE(arena, double, slots);
    w->beta = SONDE__TAKE(arena, double, slots);
}

static sonde_status check(powering *w, sonde_error *error) {
    const sonde_power_settings *asked = w->asked;
    w->at = -1;
    for (int32_t p = 0; p < w->n; p++) {
        const sonde_parameter *one = &w->parameters->parameter[p];
        w->at = strcmp(one->name, asked->parameter) == 0 ? p : w->at;
        if (one->per != NULL || one->shared) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "groups: parameter %s: expected one value for each subject, found "
                               "%s; leave that out",
                               one->name, one->shared ? "shared" : "per session");
        }
    }
    if (w->at < 0) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "groups: expected a parameter that is free, found \"%s\"",
                           asked->parameter);
    }
    if (asked->n_repeat < 1 || asked->n_size < 1) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT, "repeats: expected 1 or more, found %d",
                           (int)asked->n_repeat);
    }
    for (int32_t k = 0; k < asked->n_size; k++) {
        if (asked->size[k] < 4 || asked->size[k] % 2 != 0) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "subjects: expected an even number from 4 on, for two groups of the "
                               "same size, found %d",
                               (int)asked->size[k]);
        }
        w->n_most = asked->size[k] > w->n_most ? asked->size[k] : w->n_most;
    }
    return SONDE_OK;
}

sonde_status sonde_recover_power(const sonde_recover_settings *settings,
                                 const sonde_power_settings *asked, const sonde_run *run,
                                 sonde_power *power, sonde_error *error) {
    const sonde_run settled = sonde__run_settle(run);
    sonde_status status = sonde__recover_check(settings, error);
    if (status) {
        return status;
    }
    powering w = {.settings = settings,
                  .asked = asked,
                  .parameters = settings->parameters[0],
                  .n = settings->parameters[0]->n};
    status = check(&w, error);
    if (status) {
        return status;
    }
    sonde__arena arena = {0};
    carve(&arena, &w);
    if (!sonde__arena_reserve(&arena)) {
        return sonde__fail_memory(error, "the groups", arena.used);
    }
    status = sonde__recover_open(settings, &w.kept, error);
    carve(&arena, &w);
    for (int32_t p = 0; p < w.n; p++) {
        w.mean[p] = w.parameters->parameter[p].mean;
        w.sd[p] = w.parameters->parameter[p].sd;
    }
    for (int32_t i = 0; i < w.n_most; i++) {
        double *x = w.x + 2 * (int64_t)i;
        x[0] = 1.0;
        x[1] = group_of(i);
    }
    for (int32_t r = 0; !status && r < asked->n_repeat; r++) {
        sonde__progress(&settled, "power", (uint64_t)r, (uint64_t)asked->n_repeat);
        status = sonde__stopped(&settled) ? SONDE_STOPPED : repeat(&w, &settled, r, error);
    }
    for (int32_t k = 0; !status && k < asked->n_size; k++) {
        sum_up(&w, k, &power[k]);
    }
    sonde__kept_close(w.kept);
    sonde__arena_free(&arena);
    return status;
}
