/* summary_count.c: what the runs of a study add up to, and what such counts can tell.
 *
 * Counts of optimal runs are binomial. A sum over i <= x of C(n,i) p^i (1-p)^(n-i) is taken term by
 * term, each from the one before it in logarithms, so that no n and p overflow:
 *
 *     ln term(i+1) = ln term(i) + ln((n-i) / (i+1)) + ln(p / (1-p)) */
#include <math.h>
#include <string.h>

#include "base/settings.h"
#include "summary/summary.h"

#define TAIL 0.025 /* on each side of the central 95 % */

/* ----------------------------------------------------------------------------- distributions -- */

double sonde__binomial_cdf(int32_t x, int32_t n, double p) {
    if (x < 0) {
        return 0.0;
    }
    if (x >= n || p <= 0.0) {
        return 1.0;
    }
    if (p >= 1.0) {
        return 0.0;
    }
    const double log_odds = log(p) - log1p(-p);
    double log_term = (double)n * log1p(-p);
    double sum = exp(log_term);
    for (int32_t i = 0; i < x; i++) {
        log_term += log((double)(n - i) / (double)(i + 1)) + log_odds;
        sum += exp(log_term);
    }
    return fmin(sum, 1.0);
}

bool sonde__binomial_central(int32_t x, int32_t n, double p) {
    /* P(X >= x) is P(n - X <= n - x), which loses no digits to 1 - cdf */
    return sonde__binomial_cdf(x, n, p) >= TAIL && sonde__binomial_cdf(n - x, n, 1.0 - p) >= TAIL;
}

void sonde__wilson(int32_t n_success, int32_t n, double *low, double *high) {
    const double z = 1.959963984540054; /* 97.5 % of the normal distribution */
    *low = NAN;
    *high = NAN;
    if (n <= 0) {
        return;
    }
    const double count = (double)n;
    const double share = (double)n_success / count;
    const double shrink = 1.0 + z * z / count;
    const double middle = (share + z * z / (2.0 * count)) / shrink;
    const double half =
        z / shrink * sqrt(share * (1.0 - share) / count + z * z / (4.0 * count * count));
    *low = n_success == 0 ? 0.0 : middle - half;
    *high = n_success == n ? 1.0 : middle + half;
}

double sonde__sign_test(int32_t a, int32_t b) {
    return fmin(1.0, 2.0 * sonde__binomial_cdf(a < b ? a : b, a + b, 0.5));
}

double sonde__pearson(int32_t n, const double *x, const double *y) {
    double n_pair = 0.0;
    double mean_x = 0.0;
    double mean_y = 0.0;
    for (int32_t i = 0; i < n; i++) {
        if (isfinite(x[i]) && isfinite(y[i])) {
            n_pair += 1.0;
            mean_x += (x[i] - mean_x) / n_pair;
            mean_y += (y[i] - mean_y) / n_pair;
        }
    }
    double xx = 0.0;
    double yy = 0.0;
    double xy = 0.0;
    for (int32_t i = 0; i < n; i++) {
        if (isfinite(x[i]) && isfinite(y[i])) {
            xx += (x[i] - mean_x) * (x[i] - mean_x);
            yy += (y[i] - mean_y) * (y[i] - mean_y);
            xy += (x[i] - mean_x) * (y[i] - mean_y);
        }
    }
    return n_pair > 2.0 && xx > 0.0 && yy > 0.0 ? xy / sqrt(xx * yy) : (double)NAN;
}

/* -------------------------------------------------------------------------------------- runs -- */

/* Whether a run comes before the runs of a condition and size. */
static bool is_before(const sonde__result_run *run, int32_t condition, int32_t size) {
    return run->condition != condition ? run->condition < condition : run->size < size;
}

/* The first run that does not. */
static int32_t find_run(const sonde__results *results, int32_t condition, int32_t size) {
    int32_t low = 0;
    int32_t high = results->n_run;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (is_before(&results->run[middle], condition, size)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

sonde__run_list sonde__runs(const sonde__results *results, int32_t condition, int32_t size) {
    if (condition < 0) {
        return (sonde__run_list){0};
    }
    const int32_t first = find_run(results, condition, size);
    return (sonde__run_list){
        .n = find_run(results, condition, size + 1) - first,
        .run = results->run + first,
    };
}

void sonde__tally_add(sonde__tally *tally, sonde__run_list stretch) {
    for (int32_t i = 0; i < stretch.n; i++) {
        const sonde__result_run *run = &stretch.run[i];
        tally->n_run++;
        tally->n_model += run->is_model ? 1 : 0;
        tally->n_failure[run->failure] += run->is_model ? 0 : 1;
    }
}

double sonde__tally_percent(const sonde__tally *tally) {
    const int32_t n = tally->n_run - tally->n_model;
    return n > 0 ? 100.0 * (double)tally->n_failure[SONDE_FAILURE_NONE] / (double)n : (double)NAN;
}

/* -------------------------------------------------------------------------------- conditions -- */

sonde__cell_key sonde__key_of(const sonde_condition *condition) {
    const sonde_search_settings *search = &condition->search;
    const int32_t kind = (int32_t)search->search;
    if (!sonde__search_has(kind, SONDE__SCORES_CLUSTERS)) {
        const bool full = sonde__search_has(kind, SONDE__SCORES_ALL);
        return (sonde__cell_key){
            .scope = search->scope,
            .embedding = full ? "none" : sonde_plan_search_name(kind),
        };
    }
    return (sonde__cell_key){
        .scope = search->scope,
        .embedding = sonde_embedding_name(search->embed.kind),
        .k = search->cluster.k,
        .n = search->probe == SONDE_PROBE_CENTER ? 1 : search->n_sample,
    };
}

/* The embeddings as the paper writes them, in the order of its table. */
static const char *const title[][2] = {
    {"none", "None"}, {"boe", "BOE"}, {"edm", "EDM"}, {"aboe", "aBOE"}};
#define N_TITLE ((int32_t)(sizeof title / sizeof *title))

static int32_t title_of(const char *embedding) {
    int32_t i = 0;
    while (i < N_TITLE && strcmp(title[i][0], embedding) != 0) {
        i++;
    }
    return i;
}

const char *sonde__embedding_title(const char *embedding) {
    const int32_t i = title_of(embedding);
    return i < N_TITLE ? title[i][1] : embedding;
}

int sonde__key_compare(const sonde__cell_key *a, const sonde__cell_key *b) {
    if (a->scope != b->scope) {
        return a->scope == SONDE_GLOBAL ? -1 : 1;
    }
    if (title_of(a->embedding) != title_of(b->embedding)) {
        return title_of(a->embedding) < title_of(b->embedding) ? -1 : 1;
    }
    const int by_name = strcmp(a->embedding, b->embedding);
    if (by_name != 0) {
        return by_name;
    }
    if (a->k != b->k) {
        return a->k < b->k ? -1 : 1;
    }
    return a->n != b->n ? (a->n < b->n ? -1 : 1) : 0;
}

bool sonde__in_group(const sonde_condition *condition, const char *group) {
    return strcmp(condition->group, group) == 0;
}

int32_t sonde__condition_find(const sonde_study_plan *plan, const char *group,
                              const sonde__cell_key *key, uint32_t differences) {
    int32_t other = -1;
    for (int32_t c = 0; c < plan->n_condition; c++) {
        const sonde_condition *condition = &plan->condition[c];
        const sonde__cell_key found = sonde__key_of(condition);
        if (!sonde__in_group(condition, group) || condition->connect != SONDE_SYMMETRIC ||
            condition->search.action != SONDE_ACTION_MARGINAL || condition->search.n_top != 1 ||
            (condition->search.gamma >= 0.0 && condition->search.gamma != 1.0) ||
            condition->horizon != 0 || sonde__key_compare(&found, key) != 0) {
            continue;
        }
        if (condition->differences == differences) {
            return c;
        }
        if (sonde__search_has((int32_t)condition->search.search, SONDE__SCORES_ALL) && other < 0) {
            other = c;
        }
    }
    return other;
}

/* Puts a size where it belongs among the ascending ones, unless it is there. */
static int32_t insert_size(int32_t n, int32_t n_max, int32_t *size, int32_t added) {
    int32_t at = 0;
    while (at < n && size[at] < added) {
        at++;
    }
    if (n == n_max || (at < n && size[at] == added)) {
        return n;
    }
    memmove(size + at + 1, size + at, (size_t)(n - at) * sizeof *size);
    size[at] = added;
    return n + 1;
}

int32_t sonde__sizes_of(const sonde_study_plan *plan, const char *group, int32_t n_max,
                        int32_t *size) {
    int32_t n = 0;
    for (int32_t c = 0; c < plan->n_condition; c++) {
        const sonde_condition *condition = &plan->condition[c];
        for (int32_t i = 0; i < condition->n_size && sonde__in_group(condition, group); i++) {
            n = insert_size(n, n_max, size, condition->size[i]);
        }
    }
    return n;
}
