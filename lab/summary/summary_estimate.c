/* summary_estimate.c: from runs to estimates with intervals.
 *
 * Runs of one condition on the worlds of one size are one sample. A mean has Student's interval,
 * mean +- t sqrt(variance / n), with t at 97.5 % and n - 1 degrees of freedom. Costs are positive
 * and scattered, so that theirs is taken about the logarithm of the mean, whose standard error is
 * that of the mean divided by it. A median has the interval between two of its sample that holds
 * the median of all worlds in 95 % of samples or more, whatever they are distributed like. */
#include <math.h>
#include <stdlib.h>

#include "summary/summary.h"

#define TAIL 0.025

/* --------------------------------------------------------------------------------- measures -- */

static double per_decision(const sonde__result_run *run, double total) {
    return run->n_decision > 0 ? total / (double)run->n_decision : NAN;
}
static double steps(const sonde__result_run *run) {
    return per_decision(run, (double)run->n_step);
}
static double equivalent(const sonde__result_run *run) {
    return per_decision(run, run->equivalent);
}
static double seconds(const sonde__result_run *run) {
    return per_decision(run, run->decide_seconds);
}
static double construction(const sonde__result_run *run) {
    const bool own = run->n_clustering > 0 && run->n_reused == 0;
    return own ? run->embed_seconds + run->cluster_seconds : NAN;
}
static double valid(const sonde__result_run *run) {
    return run->k > 0 ? 100.0 * (double)run->n_valid / (double)run->k : NAN;
}
static double setup_seconds(const sonde__result_run *run) {
    return run->setup_seconds + run->embed_seconds + run->cluster_seconds;
}
static double setup_steps(const sonde__result_run *run) {
    return (double)run->n_setup_step;
}
static double first_seconds(const sonde__result_run *run) {
    return setup_seconds(run) + seconds(run);
}
static double first_equivalent(const sonde__result_run *run) {
    return equivalent(run) * (1.0 + (double)run->n_setup_step / steps(run));
}
static double judged(const sonde__result_run *run, double value) {
    return run->n_judged > 0 ? value : NAN;
}
static double judged_equivalent(const sonde__result_run *run) {
    return judged(run, run->judged_equivalent);
}
static double judged_with_setup(const sonde__result_run *run) {
    const double per_step = run->n_step > 0 ? run->equivalent / (double)run->n_step : NAN;
    return judged_equivalent(run) + per_step * (double)run->n_setup_step;
}
static double tv(const sonde__result_run *run) {
    return judged(run, run->tv);
}
static double action_tv(const sonde__result_run *run) {
    return judged(run, run->action_tv);
}
static double bound(const sonde__result_run *run) {
    return judged(run, run->bound);
}
static double regret(const sonde__result_run *run) {
    return judged(run, run->regret);
}
static double best(const sonde__result_run *run) {
    return judged(run, 100.0 * (double)run->n_best / (double)run->n_judged);
}

static double efe(const sonde__result_run *run) {
    return run->efe;
}
static double certificate(const sonde__result_run *run) {
    return run->certificate;
}
static double in_model(const sonde__result_run *run, double value) {
    return run->is_model ? value : NAN;
}
static double surprise(const sonde__result_run *run) {
    return in_model(run, run->surprise);
}
static double free_energy(const sonde__result_run *run) {
    return in_model(run, run->free_energy);
}
static double preference(const sonde__result_run *run) {
    return in_model(run, run->preference);
}

/* In the order of sonde__measure_code. */
static const sonde__measure measures[SONDE__MEASURE_COUNT] = {
    {"steps", steps, true, 0.0},
    {"equivalent", equivalent, true, 0.0},
    {"seconds", seconds, true, 0.0},
    {"construction", construction, true, 0.0},
    {"valid", valid, false, 100.0},
    {"setup_seconds", setup_seconds, true, 0.0},
    {"setup_steps", setup_steps, true, 0.0},
    {"first_seconds", first_seconds, true, 0.0},
    {"first_equivalent", first_equivalent, true, 0.0},
    {"judged_equivalent", judged_equivalent, true, 0.0},
    {"judged_with_setup", judged_with_setup, true, 0.0},
    {"tv", tv, false, 0.0},
    {"action_tv", action_tv, false, 0.0},
    {"bound", bound, false, 0.0},
    {"regret", regret, false, 0.0},
    {"best", best, false, 100.0},
    {"efe", efe, false, 0.0},
    {"certificate", certificate, false, 1.0},
    {"surprise", surprise, false, 0.0},
    {"free_energy", free_energy, false, 0.0},
    {"preference", preference, false, 0.0},
};

const sonde__measure *sonde__measure_at(int32_t i) {
    return i >= 0 && i < SONDE__MEASURE_COUNT ? &measures[i] : NULL;
}

double sonde__mean_of(sonde__run_list runs, sonde__measure_code measure, int32_t *n) {
    double sum = 0.0;
    *n = 0;
    for (int32_t i = 0; i < runs.n; i++) {
        const double value = measures[measure].of(&runs.run[i]);
        sum += isnan(value) ? 0.0 : value;
        *n += isnan(value) ? 0 : 1;
    }
    return *n > 0 ? sum / (double)*n : (double)NAN;
}

/* ---------------------------------------------------------------------------- distributions -- */

/* P(|T| <= t) for Student's T: a finite sum over powers of the cosine of atan(t / sqrt(f)). */
static double student_within(double t, int32_t freedom) {
    const double angle = atan(t / sqrt((double)freedom));
    const double square = cos(angle) * cos(angle);
    const bool odd = freedom % 2 == 1;
    double term = odd ? cos(angle) : 1.0;
    double sum = 0.0;
    for (int32_t i = odd ? 1 : 0; i + 1 < freedom; i += 2) {
        sum += term;
        term *= square * (double)(i + 1) / (double)(i + 2);
    }
    const double pi = 3.14159265358979323846;
    return odd ? 2.0 / pi * (angle + sin(angle) * sum) : sin(angle) * sum;
}

/* Its 97.5 % point: between the normal one and that of one degree of freedom, halved until no
 * double is left between. */
static double student(int32_t freedom) {
    double low = 1.9;
    double high = 13.0;
    for (int32_t i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        const bool below = student_within(middle, freedom) < 1.0 - 2.0 * TAIL;
        low = below ? middle : low;
        high = below ? high : middle;
    }
    return high;
}

/* -------------------------------------------------------------------------------- estimates -- */

static int by_value(const void *a, const void *b) {
    const double one = *(const double *)a;
    const double two = *(const double *)b;
    return (one > two) - (one < two);
}

/* Mean and interval of sorted numbers. */
static void estimate_mean(int32_t n, const double *value, const sonde__measure *measure,
                          sonde__estimate *estimate) {
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) {
        sum += value[i];
    }
    const double mean = sum / (double)n;
    double squares = 0.0;
    for (int32_t i = 0; i < n; i++) {
        squares += (value[i] - mean) * (value[i] - mean);
    }
    estimate->mean = mean;
    if (n < 2) {
        return;
    }
    const double half = student(n - 1) * sqrt(squares / (double)(n - 1) / (double)n);
    const bool about_log = measure->positive && mean > 0.0;
    estimate->low = about_log ? mean * exp(-half / mean) : mean - half;
    estimate->high = about_log ? mean * exp(half / mean) : mean + half;
    if (measure->most > 0.0) {
        estimate->low = fmax(estimate->low, 0.0);
        estimate->high = fmin(estimate->high, measure->most);
    }
}

double sonde__median(int32_t n, double *value) {
    qsort(value, (size_t)n, sizeof *value, by_value);
    return n > 0 ? 0.5 * (value[(n - 1) / 2] + value[n / 2]) : (double)NAN;
}

/* The number of values to leave out on each side; -1 where even all of them are not enough. */
static int32_t median_margin(int32_t n) {
    int32_t margin = -1;
    while (margin + 1 < n && sonde__binomial_cdf(margin + 1, n, 0.5) <= TAIL) {
        margin++;
    }
    return margin;
}

sonde__estimate sonde__estimate_of(sonde__run_list runs, sonde__measure_code code,
                                   double *scratch) {
    const sonde__measure *measure = &measures[code];
    sonde__estimate estimate = {0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    for (int32_t i = 0; i < runs.n; i++) {
        const double found = measure->of(&runs.run[i]);
        if (!isnan(found)) {
            scratch[estimate.n++] = found;
        }
    }
    if (estimate.n == 0) {
        return estimate;
    }
    const int32_t n = estimate.n;
    estimate.median = sonde__median(n, scratch);
    estimate_mean(n, scratch, measure, &estimate);
    estimate.least = scratch[0];
    estimate.most = scratch[n - 1];
    const int32_t margin = median_margin(n);
    if (margin >= 0) {
        estimate.median_low = scratch[margin];
        estimate.median_high = scratch[n - 1 - margin];
    }
    return estimate;
}
