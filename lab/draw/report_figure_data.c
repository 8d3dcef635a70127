/* report_figure_data.c: from results to estimates with intervals.
 *
 * Runs of one condition on the worlds of one size are one sample. A share has Wilson's interval, a
 * mean has Student's: mean +- t sqrt(variance / n), with t at 97.5 % and n - 1 degrees of freedom.
 * Costs are positive and scattered, so that theirs is taken about the logarithm of the mean, whose
 * standard error is that of the mean divided by it. */
#include "draw/report_figure_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw/report_figures.h"

/* --------------------------------------------------------------------------------- measures -- */

static double per_decision(const sonde__result_run *run, double total) {
    return run->n_decision > 0 ? total / (double)run->n_decision : NAN;
}

double sonde__steps_per_decision(const sonde__result_run *run) {
    return per_decision(run, (double)run->n_step);
}

double sonde__equivalent_per_decision(const sonde__result_run *run) {
    return per_decision(run, run->equivalent);
}

double sonde__seconds_per_decision(const sonde__result_run *run) {
    return per_decision(run, run->decide_seconds);
}

double sonde__construction_seconds(const sonde__result_run *run) {
    const bool own = run->n_clustering > 0 && run->n_reused == 0;
    return own ? run->embed_seconds + run->cluster_seconds : NAN;
}

double sonde__valid_percent(const sonde__result_run *run) {
    return run->k > 0 ? 100.0 * (double)run->n_valid / (double)run->k : NAN;
}

/* -------------------------------------------------------------------------------- estimates -- */

/* The 97.5 % point of Student's distribution: a table where it is steep, then Cornish and Fisher's
 * expansion about the normal one, within 1e-3. */
static double student(int32_t freedom) {
    static const double table[] = {12.7062, 4.30265, 3.18245, 2.77645, 2.57058};
    if (freedom <= 5) {
        return table[freedom - 1];
    }
    const double z = 1.959963984540054;
    const double f = (double)freedom;
    const double z3 = z * z * z;
    const double z5 = z3 * z * z;
    return z + (z3 + z) / (4.0 * f) + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * f * f) +
           (3.0 * z5 * z * z + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * f * f * f);
}

sonde__estimate sonde__mean(int32_t n, double sum, double sum_of_squares) {
    sonde__estimate estimate = {n, NAN, NAN, NAN};
    if (n > 0) {
        estimate.value = sum / (double)n;
    }
    if (n > 1) {
        const double variance =
            fmax(0.0, (sum_of_squares - sum * estimate.value) / (double)(n - 1));
        const double half = student(n - 1) * sqrt(variance / (double)n);
        estimate.low = estimate.value - half;
        estimate.high = estimate.value + half;
    }
    return estimate;
}

sonde__estimate sonde__about_log(sonde__estimate estimate) {
    if (estimate.value > 0.0) {
        const double share = (estimate.high - estimate.value) / estimate.value;
        estimate.low = estimate.value * exp(-share);
        estimate.high = estimate.value * exp(share);
    }
    return estimate;
}

sonde__estimate sonde__optimal(const sonde__results *results, int32_t condition, int32_t size) {
    sonde__estimate estimate = {0, NAN, NAN, NAN};
    const sonde__run_list stretch = sonde__runs(results, condition, size);
    int32_t n_optimal = 0;
    for (int32_t i = 0; i < stretch.n; i++) {
        n_optimal += stretch.run[i].optimal ? 1 : 0;
    }
    estimate.n = stretch.n;
    sonde__wilson(n_optimal, stretch.n, &estimate.low, &estimate.high);
    estimate.value = stretch.n > 0 ? 100.0 * (double)n_optimal / (double)stretch.n : NAN;
    estimate.low *= 100.0;
    estimate.high *= 100.0;
    return estimate;
}

sonde__estimate sonde__measured(const sonde__results *results, int32_t condition, int32_t size,
                                sonde__measure measure) {
    const sonde__run_list stretch = sonde__runs(results, condition, size);
    int32_t n = 0;
    double sum = 0.0;
    double sum_of_squares = 0.0;
    for (int32_t i = 0; i < stretch.n; i++) {
        const double value = measure(&stretch.run[i]);
        if (!isnan(value)) {
            n++;
            sum += value;
            sum_of_squares += value * value;
        }
    }
    return sonde__mean(n, sum, sum_of_squares);
}

static bool has_runs(const sonde__results *results, const char *group, int32_t size) {
    for (int32_t c = 0; c < results->plan->n_condition; c++) {
        if (sonde__in_group(&results->plan->condition[c], group) &&
            sonde__runs(results, c, size).n > 0) {
            return true;
        }
    }
    return false;
}

int32_t sonde__sizes_run(const sonde__results *results, const char *group,
                         int32_t size[SONDE__SIZE_MAX]) {
    const int32_t n_planned = sonde__sizes_of(results->plan, group, SONDE__SIZE_MAX, size);
    int32_t n = 0;
    for (int32_t i = 0; i < n_planned; i++) {
        if (has_runs(results, group, size[i])) {
            size[n++] = size[i];
        }
    }
    return n;
}

/* --------------------------------------------------------------------------------- families -- */

static bool belongs(const sonde_condition *condition, const sonde__family *family) {
    const sonde__cell_key key = sonde__key_of(condition);
    return sonde__in_group(condition, family->group) && key.scope == family->scope &&
           strcmp(key.embedding, family->embedding) == 0;
}

/* Differences do not touch full search, so that any will do if there is no other. */
static bool any_differences(const sonde__results *results, const sonde__family *family) {
    const sonde_plan *plan = results->plan;
    if (strcmp(family->embedding, "none") != 0) {
        return false;
    }
    for (int32_t i = 0; i < plan->n_condition; i++) {
        if (belongs(&plan->condition[i], family) &&
            plan->condition[i].differences == family->differences) {
            return false;
        }
    }
    return true;
}

int32_t sonde__family_next(const sonde__results *results, const sonde__family *family,
                           int32_t after) {
    const sonde_plan *plan = results->plan;
    const bool any = any_differences(results, family);
    for (int32_t i = after + 1; i < plan->n_condition; i++) {
        const sonde_condition *condition = &plan->condition[i];
        if (belongs(condition, family) && (any || condition->differences == family->differences)) {
            return i;
        }
    }
    return -1;
}

/* Whether two conditions differ in their worlds alone. */
static bool are_twins(const sonde_condition *one, const sonde_condition *two) {
    const sonde__cell_key key_one = sonde__key_of(one);
    const sonde__cell_key key_two = sonde__key_of(two);
    return sonde__in_group(one, two->group) && sonde__key_compare(&key_one, &key_two) == 0 &&
           one->differences == two->differences && one->connect == two->connect &&
           one->search.action == two->search.action && one->search.probe == two->search.probe;
}

int32_t sonde__condition_at(const sonde__results *results, int32_t condition, int32_t size) {
    const sonde_plan *plan = results->plan;
    if (condition < 0 || sonde__runs(results, condition, size).n > 0) {
        return condition;
    }
    for (int32_t i = 0; i < plan->n_condition; i++) {
        if (are_twins(&plan->condition[i], &plan->condition[condition]) &&
            sonde__runs(results, i, size).n > 0) {
            return i;
        }
    }
    return condition;
}

int32_t sonde__family_best(const sonde__results *results, const sonde__family *family) {
    int32_t size[SONDE__SIZE_MAX];
    const int32_t n_size = sonde__sizes_run(results, family->group, size);
    int32_t best = -1;
    double highest = -1.0;
    for (int32_t c = sonde__family_next(results, family, -1); c >= 0;
         c = sonde__family_next(results, family, c)) {
        double sum = 0.0;
        int32_t n = 0;
        for (int32_t s = 0; s < n_size; s++) {
            const int32_t at = sonde__condition_at(results, c, size[s]);
            const sonde__estimate estimate = sonde__optimal(results, at, size[s]);
            sum += estimate.n > 0 ? estimate.value : 0.0;
            n += estimate.n > 0 ? 1 : 0;
        }
        if (n > 0 && sum / (double)n > highest + 1e-9) {
            highest = sum / (double)n;
            best = c;
        }
    }
    return best;
}

/* ------------------------------------------------------------------------------ what there is -- */

static void add_once(const char *name, int32_t *n, const char *list[SONDE__EMBEDDING_MAX]) {
    for (int32_t i = 0; i < *n; i++) {
        if (strcmp(list[i], name) == 0) {
            return;
        }
    }
    if (*n < SONDE__EMBEDDING_MAX) {
        list[(*n)++] = name;
    }
}

int32_t sonde__embeddings_of(const sonde__results *results, const char *group,
                             const char *embedding[SONDE__EMBEDDING_MAX]) {
    static const char *const paper[] = {"edm", "boe", "aboe", NULL};
    int32_t n = 0;
    for (int32_t p = 0; p < 4; p++) {
        for (int32_t i = 0; i < results->plan->n_condition; i++) {
            const sonde_condition *condition = &results->plan->condition[i];
            const char *name = sonde__key_of(condition).embedding;
            const bool wanted =
                paper[p] == NULL ? strcmp(name, "none") != 0 : strcmp(name, paper[p]) == 0;
            if (wanted && sonde__in_group(condition, group)) {
                add_once(name, &n, embedding);
            }
        }
    }
    return n;
}

uint32_t sonde__semantics_of(const sonde__results *results, const char *group) {
    const sonde_plan *plan = results->plan;
    int32_t first = -1;
    for (int32_t i = 0; i < plan->n_condition; i++) {
        const sonde_search_settings *search = &plan->condition[i].search;
        if (!sonde__in_group(&plan->condition[i], group) || search->search == SONDE_SEARCH_FULL) {
            continue;
        }
        if (plan->condition[i].differences == SONDE_SEMANTICS_TEXT) {
            return SONDE_SEMANTICS_TEXT;
        }
        first = first < 0 ? i : first;
    }
    return first < 0 ? SONDE_SEMANTICS_TEXT : plan->condition[first].differences;
}

int32_t sonde__k_used(const sonde_condition *condition) {
    const bool lags = (condition->differences >> SONDE_DIFFERENCE_LAG & 1u) != 0;
    return lags ? condition->k_before : condition->search.cluster.k;
}

/* ----------------------------------------------------------------------------------- charts -- */

int32_t sonde__style_for(const char *embedding) {
    static const char *const known[] = {"none",    "edm",         "boe",       "aboe",
                                        "boe-set", "aboe-onehot", "aboe-edges"};
    for (int32_t i = 0; i < (int32_t)(sizeof known / sizeof *known); i++) {
        if (strcmp(known[i], embedding) == 0) {
            return i;
        }
    }
    return 7;
}

int32_t sonde__style_for_size(int32_t place) {
    static const int32_t styles[] = {6, 3, 4, 0, 5, 1, 2, 7};
    return styles[place % 8];
}

void sonde__n_range_add(sonde__n_range *range, int32_t n) {
    if (n > 0) {
        range->least = range->least == 0 || n < range->least ? n : range->least;
        range->most = n > range->most ? n : range->most;
    }
}

void sonde__n_range_say(const sonde__n_range *range, sonde_text *text) {
    sonde_text_add(text, "n = %d", (int)range->least);
    if (range->most > range->least) {
        sonde_text_add(text, " to %d", (int)range->most);
    }
}

sonde__mark sonde__mark_of(int32_t series, double x, const sonde__estimate *estimate) {
    sonde__mark mark = sonde__mark_at(series, x, estimate->value);
    mark.low = estimate->low;
    mark.high = estimate->high;
    return mark;
}
