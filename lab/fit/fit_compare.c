/* fit_compare.c: which model subjects use: random-effects model selection.
 *
 * Every subject uses one of K models, drawn with frequencies that have a Dirichlet(alpha)
 * posterior. Variational Bayes takes turns (Stephan et al. 2009, as spm_BMS does):
 *
 *     g_nk ~ exp(L_nk + psi(alpha_k) - psi(sum alpha)),    alpha = alpha0 + sum_n g_n
 *
 * until alpha moves by 1e-3 at most. Its free energy F1, with g of the last round as it was,
 * against F0 of equal frequencies gives the probability bor that the data say nothing of
 * frequencies, and exceedance probabilities that are protected from it (Rigoux et al. 2014).
 *
 * Families are compared in two ways. With alpha0 = 1 / (models in the family) all of them are as
 * probable at first, and a family's alpha is its members' together, as in SPM; but psi is so steep
 * below 1 that evidences which say nothing favour the smaller family. With evidences that are
 * averaged over each family's models they do not, and bor and protected probabilities have their
 * meaning. Cost: rounds x subjects x models, and an integral. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/status.h"
#include "fit/fit_statistics.h"
#include "sonde_fit.h"

enum { ROUND_MAX = 100000 };
#define STILL 1e-3
#define TINY 2.220446049250313e-16

/* Models, or families as if they were models, and how frequent they are. */
typedef struct {
    int32_t n;              /* subjects */
    int32_t k;              /* models */
    const double *evidence; /* (n, k) */
    int32_t n_round;
    double bor;
    double *start;  /* (k) alpha0 */
    double *alpha;  /* (k) */
    double *expect; /* (k) psi(alpha) - psi(sum alpha) */
    double *weight; /* (n, k) */
    double *frequency;
    double *exceedance;
    double *is_protected;
    double *scratch; /* (2, k) */
} effects;

/* A comparison while it is made. */
typedef struct {
    const sonde_candidates *from;
    sonde_comparison *to;
    effects models;
    effects families; /* of evidences that are averaged over each family's models */
    double *family_evidence;
    double *family_alpha;
    double *family_frequency;
    double *family_exceedance;
    double *total;
    double *fixed;
    double *aic;
    double *bic;
    double *average;
    double *average_sd;
} work;

static void carve_effects(sonde__arena *arena, int32_t n, int32_t k, effects *e) {
    e->n = n;
    e->k = k;
    e->start = SONDE__TAKE(arena, double, k);
    e->alpha = SONDE__TAKE(arena, double, k);
    e->expect = SONDE__TAKE(arena, double, k);
    e->frequency = SONDE__TAKE(arena, double, k);
    e->exceedance = SONDE__TAKE(arena, double, k);
    e->is_protected = SONDE__TAKE(arena, double, k);
    e->weight = SONDE__TAKE(arena, double, (uint64_t)n *(uint64_t)k);
    e->scratch = SONDE__TAKE(arena, double, 2 * (uint64_t)k);
}

static void carve(sonde__arena *arena, const sonde_candidates *from, work *w) {
    const uint64_t n = (uint64_t)from->n_subject;
    const uint64_t k = (uint64_t)from->n_model;
    const uint64_t f = (uint64_t)from->n_family;
    const uint64_t p = (uint64_t)from->n_parameter;
    *w = (work){.from = from};
    w->to = SONDE__TAKE(arena, sonde_comparison, 1);
    carve_effects(arena, from->n_subject, from->n_model, &w->models);
    carve_effects(arena, from->n_subject, from->n_family, &w->families);
    w->family_evidence = SONDE__TAKE(arena, double, n *f);
    w->family_alpha = SONDE__TAKE(arena, double, f);
    w->family_frequency = SONDE__TAKE(arena, double, f);
    w->family_exceedance = SONDE__TAKE(arena, double, f);
    w->total = SONDE__TAKE(arena, double, k);
    w->fixed = SONDE__TAKE(arena, double, k);
    w->aic = SONDE__TAKE(arena, double, k);
    w->bic = SONDE__TAKE(arena, double, k);
    w->average = SONDE__TAKE(arena, double, n *p);
    w->average_sd = SONDE__TAKE(arena, double, n *p);
    w->models.evidence = from->evidence;
    w->families.evidence = w->family_evidence;
}

/* Probabilities in proportion to e^x, in place. */
static void softmax(int32_t n, double *x) {
    double largest = x[0];
    for (int32_t i = 1; i < n; i++) {
        largest = fmax(largest, x[i]);
    }
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) {
        x[i] = sonde__exp(x[i] - largest);
        sum += x[i];
    }
    for (int32_t i = 0; i < n; i++) {
        x[i] /= sum;
    }
}

static double sum_of(int32_t n, const double *x) {
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) {
        sum += x[i];
    }
    return sum;
}

/* ------------------------------------------------------------------------- random effects -- */

/* E[ln frequency] under the Dirichlet. */
static void expect_logs(effects *e) {
    const double whole = sonde__digamma(sum_of(e->k, e->alpha));
    for (int32_t k = 0; k < e->k; k++) {
        e->expect[k] = sonde__digamma(e->alpha[k]) - whole;
    }
}

/* One round; how far alpha moved. */
static double turn(effects *e) {
    expect_logs(e);
    memcpy(e->scratch, e->start, (size_t)e->k * sizeof *e->scratch);
    for (int32_t n = 0; n < e->n; n++) {
        double *g = e->weight + (int64_t)n * e->k;
        for (int32_t k = 0; k < e->k; k++) {
            g[k] = e->evidence[(int64_t)n * e->k + k] + e->expect[k];
        }
        softmax(e->k, g);
        for (int32_t k = 0; k < e->k; k++) {
            e->scratch[k] += g[k];
        }
    }
    double square = 0.0;
    for (int32_t k = 0; k < e->k; k++) {
        square += (e->scratch[k] - e->alpha[k]) * (e->scratch[k] - e->alpha[k]);
        e->alpha[k] = e->scratch[k];
    }
    return sqrt(square);
}

/* Free energy of frequencies that differ, with the g of the last round. */
static double energy_of_different(effects *e) {
    expect_logs(e);
    double sum = sonde__log_gamma(e->k) - sonde__log_gamma(sum_of(e->k, e->alpha));
    for (int32_t k = 0; k < e->k; k++) {
        sum += sonde__log_gamma(e->alpha[k]) - (e->alpha[k] - 1.0) * e->expect[k];
    }
    for (int64_t i = 0; i < (int64_t)e->n * e->k; i++) {
        const double g = e->weight[i];
        sum += g * (e->expect[i % e->k] + e->evidence[i] - sonde__log(g + TINY));
    }
    return sum;
}

/* That of equal ones. */
static double energy_of_equal(const effects *e) {
    const double share = sonde__log(e->k);
    double sum = 0.0;
    for (int32_t n = 0; n < e->n; n++) {
        const double *row = e->evidence + (int64_t)n * e->k;
        double *h = e->scratch;
        memcpy(h, row, (size_t)e->k * sizeof *h);
        softmax(e->k, h);
        for (int32_t k = 0; k < e->k; k++) {
            sum += h[k] * (row[k] - share - sonde__log(h[k] + TINY));
        }
    }
    return sum;
}

/* Frequencies from `start` on, and, if that is 1 for each, probabilities that are protected. */
static void find_frequencies(effects *e, bool protects) {
    memcpy(e->alpha, e->start, (size_t)e->k * sizeof *e->alpha);
    do {
        e->n_round++;
    } while (turn(e) > STILL && e->n_round < ROUND_MAX);
    const double whole = sum_of(e->k, e->alpha);
    sonde__dirichlet_exceedance(e->k, e->alpha, e->scratch, e->exceedance);
    const double equal = energy_of_equal(e);
    const double different = energy_of_different(e);
    e->bor = protects ? 1.0 / (1.0 + sonde__exp(different - equal)) : (double)NAN;
    for (int32_t k = 0; k < e->k; k++) {
        e->frequency[k] = e->alpha[k] / whole;
        e->is_protected[k] = (1.0 - e->bor) * e->exceedance[k] + e->bor / e->k;
    }
}

/* How many models a model's family has; 1 without families. */
static int32_t family_size(const sonde_candidates *from, int32_t model) {
    int32_t n = from->n_family == 0 ? 1 : 0;
    for (int32_t k = 0; from->n_family > 0 && k < from->n_model; k++) {
        n += from->family_of[k] == from->family_of[model] ? 1 : 0;
    }
    return n;
}

static void compare_models(work *w) {
    for (int32_t k = 0; k < w->models.k; k++) {
        w->models.start[k] = 1.0 / family_size(w->from, k);
    }
    find_frequencies(&w->models, w->from->n_family == 0);
}

/* ------------------------------------------------------------------------------- families -- */

/* A family's alpha is that of its members together. */
static void add_members(work *w) {
    const int32_t n_family = w->from->n_family;
    for (int32_t k = 0; k < w->models.k; k++) {
        w->family_alpha[w->from->family_of[k]] += w->models.alpha[k];
    }
    const double whole = sum_of(n_family, w->family_alpha);
    for (int32_t f = 0; f < n_family; f++) {
        w->family_frequency[f] = w->family_alpha[f] / whole;
    }
    sonde__dirichlet_exceedance(n_family, w->family_alpha, w->families.scratch,
                                w->family_exceedance);
}

/* ln of the mean evidence of a family's models, for one subject. */
static double mean_evidence(const sonde_candidates *from, int32_t n, int32_t f) {
    double sum = -INFINITY;
    int32_t size = 0;
    for (int32_t k = 0; k < from->n_model; k++) {
        if (from->family_of[k] == f) {
            sum = sonde__log_add(sum, from->evidence[(int64_t)n * from->n_model + k]);
            size++;
        }
    }
    return sum - sonde__log(size);
}

static void compare_families(work *w) {
    const int32_t n_family = w->from->n_family;
    if (n_family == 0) {
        return;
    }
    add_members(w);
    for (int64_t i = 0; i < (int64_t)w->from->n_subject * n_family; i++) {
        w->family_evidence[i] =
            mean_evidence(w->from, (int32_t)(i / n_family), (int32_t)(i % n_family));
    }
    for (int32_t f = 0; f < n_family; f++) {
        w->families.start[f] = 1.0;
    }
    find_frequencies(&w->families, true);
}

/* ------------------------------------------------------------------------------ the others -- */

static void find_fixed(work *w) {
    for (int64_t i = 0; i < (int64_t)w->from->n_subject * w->from->n_model; i++) {
        w->total[i % w->from->n_model] += w->from->evidence[i];
    }
    memcpy(w->fixed, w->total, (size_t)w->from->n_model * sizeof *w->fixed);
    softmax(w->from->n_model, w->fixed);
}

/* AIC = 2P - 2 LL and BIC = P ln n - 2 LL, where LL, P and n are those of all subjects. */
static void find_criteria(work *w) {
    const sonde_candidates *from = w->from;
    for (int32_t k = 0; k < w->from->n_model; k++) {
        if (from->log_likelihood == NULL || from->n_free == NULL) {
            w->aic[k] = NAN;
            w->bic[k] = NAN;
            continue;
        }
        double likelihood = 0.0;
        double choices = 0.0;
        for (int32_t n = 0; n < w->from->n_subject; n++) {
            likelihood += from->log_likelihood[(int64_t)n * w->from->n_model + k];
            choices += from->n_choice ? from->n_choice[n] : (double)NAN;
        }
        const double shared = from->n_shared ? from->n_shared[k] : 0.0;
        const double free_ones = from->n_free[k] * w->from->n_subject + shared;
        w->aic[k] = 2.0 * free_ones - 2.0 * likelihood;
        w->bic[k] =
            choices > 0.0 ? free_ones * sonde__log(choices) - 2.0 * likelihood : (double)NAN;
    }
}

/* Mean and spread of one parameter of one subject over the models that have it. */
static void average_one(work *w, int32_t n, int32_t p) {
    const int32_t n_parameter = w->from->n_parameter;
    double whole = 0.0;
    double mean = 0.0;
    double square = 0.0;
    for (int32_t k = 0; k < w->from->n_model; k++) {
        const int64_t at = ((int64_t)n * w->from->n_model + k) * n_parameter + p;
        const double estimate = w->from->estimate[at];
        if (!isnan(estimate)) {
            const double g = w->models.weight[(int64_t)n * w->from->n_model + k];
            whole += g;
            mean += g * estimate;
            square += g * (estimate * estimate + (w->from->variance ? w->from->variance[at] : 0.0));
        }
    }
    mean /= whole;
    w->average[(int64_t)n * n_parameter + p] = mean;
    w->average_sd[(int64_t)n * n_parameter + p] =
        w->from->variance ? sqrt(fmax(square / whole - mean * mean, 0.0)) : (double)NAN;
}

static void find_averages(work *w) {
    for (int32_t n = 0; w->from->estimate != NULL && n < w->from->n_subject; n++) {
        for (int32_t p = 0; p < w->from->n_parameter; p++) {
            average_one(w, n, p);
        }
    }
}

/* -------------------------------------------------------------------------------- together -- */

static sonde_status check_families(const sonde_candidates *from, sonde_error *error) {
    if (from->n_family == 1) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT, "expected two families or more, found 1");
    }
    for (int32_t k = 0; from->n_family > 0 && k < from->n_model; k++) {
        if (from->family_of[k] < 0 || from->family_of[k] >= from->n_family) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "family_of[%d]: expected 0 to %d, found %d", (int)k,
                               (int)from->n_family - 1, (int)from->family_of[k]);
        }
    }
    for (int32_t f = 0; f < from->n_family; f++) {
        int32_t n = 0;
        for (int32_t k = 0; k < from->n_model; k++) {
            n += from->family_of[k] == f ? 1 : 0;
        }
        if (n == 0) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "family %d: expected a model in it, found none", (int)f);
        }
    }
    return SONDE_OK;
}

static sonde_status check(const sonde_candidates *from, sonde_error *error) {
    if (from->n_model < 2) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "expected two models or more to compare, found %d", (int)from->n_model);
    }
    if (from->n_subject < 2) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "expected two subjects or more, found %d: how frequent models are among "
                           "subjects cannot be told; the difference of log evidences is the log "
                           "Bayes factor",
                           (int)from->n_subject);
    }
    for (int64_t i = 0; i < (int64_t)from->n_subject * from->n_model; i++) {
        if (!isfinite(from->evidence[i])) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "evidence[%d][%d]: expected a finite number",
                               (int)(i / from->n_model), (int)(i % from->n_model));
        }
    }
    return check_families(from, error);
}

/* Lets the result point to what was worked out. */
static void publish(const work *w) {
    sonde_comparison *to = w->to;
    to->n_round = w->models.n_round;
    to->alpha = w->models.alpha;
    to->frequency = w->models.frequency;
    to->exceedance = w->models.exceedance;
    to->is_protected = w->models.is_protected;
    to->bor = w->models.bor;
    to->weight = w->models.weight;
    to->total = w->total;
    to->fixed = w->fixed;
    to->aic = w->aic;
    to->bic = w->bic;
    to->family_alpha = w->family_alpha;
    to->family_frequency = w->family_frequency;
    to->family_exceedance = w->family_exceedance;
    to->averaged_alpha = w->families.alpha;
    to->averaged_frequency = w->families.frequency;
    to->averaged_exceedance = w->families.exceedance;
    to->averaged_protected = w->families.is_protected;
    to->averaged_bor = w->from->n_family > 0 ? w->families.bor : (double)NAN;
    to->average = w->average;
    to->average_sd = w->average_sd;
}

void sonde_comparison_free(sonde_comparison *comparison) {
    sonde__free(comparison);
}

sonde_status sonde_compare(const sonde_candidates *candidates, sonde_comparison **comparison,
                           sonde_error *error) {
    *comparison = NULL;
    const sonde_status status = check(candidates, error);
    if (status) {
        return status;
    }
    sonde__arena arena = {0};
    work w;
    carve(&arena, candidates, &w);
    if (!sonde__arena_reserve(&arena)) {
        return sonde__fail_memory(error, "the comparison", arena.used);
    }
    carve(&arena, candidates, &w);
    compare_models(&w);
    compare_families(&w);
    find_fixed(&w);
    find_criteria(&w);
    find_averages(&w);
    publish(&w);
    *comparison = w.to;
    return SONDE_OK;
}
