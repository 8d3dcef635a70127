/* search_precision.c: G of every policy that a decision looked at, for agents that learn from more
 * than the action, and the precision that is expected of it (docs/math.md, "Precision").
 *
 *     Q ~ E exp(-gamma G),   gamma <- alpha / (beta + sum Q (G - min G)),   16 times
 *
 * Then Q once more with the last gamma. Policies are scored once; what is kept of each is its G and
 * its first action. */
#include <math.h>

#include "base/numbers.h"
#include "search/search_internal.h"

#define N_ROUND 16

void sonde__search_watch(sonde__search *search, sonde__watch *watch) {
    search->watch = watch;
}

void sonde__watch_begin(sonde__watch *watch) {
    watch->noted = false;
    for (uint64_t i = 0; i < watch->n; i++) {
        watch->efe[i] = INFINITY;
    }
}

void sonde__watch_note(void *context, const sonde__block *block) {
    const sonde__search *search = context;
    sonde__watch *watch = search->watch;
    watch->noted = true;
    for (int32_t i = 0; i < block->n; i++) {
        const uint64_t policy = sonde__block_policy(block, i);
        watch->efe[policy] = block->efe[i];
        watch->first[policy] = block->action;
    }
}

/* E of a policy, up to a factor. */
static double prior_of(const sonde__search *search, uint64_t policy) {
    const double *E = search->policies->model->E;
    return E != NULL ? E[policy]
                     : sonde__posterior_weight(&search->posterior, search->watch->first[policy]);
}

/* One round: sum Q (G - min G). */
static double expect_excess(const sonde__search *search, double gamma, double least) {
    const sonde__watch *watch = search->watch;
    double mass = 0.0;
    double sum = 0.0;
    for (uint64_t i = 0; i < watch->n; i++) {
        const double prior = prior_of(search, i);
        if (prior > 0.0) { /* others can be so much better that exp has no number for it */
            const double excess = watch->efe[i] - least;
            const double each = prior * sonde__exp(-gamma * excess);
            mass += each;
            sum += each * excess;
        }
    }
    return mass > 0.0 ? sum / mass : 0.0;
}

/* Adds what was noted to the posterior, as runs of policies with the same first action. */
static void add_noted(sonde__search *search) {
    const sonde__watch *watch = search->watch;
    const double *E = search->policies->model->E;
    uint64_t end = 0;
    for (uint64_t first = 0; first < watch->n; first = end) {
        end = first;
        while (end < watch->n && watch->first[end] == watch->first[first] &&
               end - first < (uint64_t)search->n_efe) {
            end++;
        }
        const sonde__block block = {.action = watch->first[first],
                                    .n = (int32_t)(end - first),
                                    .first = first,
                                    .efe = watch->efe + first,
                                    .prior = E != NULL ? E + first : NULL};
        sonde__posterior_add(&search->posterior, &block);
    }
}

sonde_status sonde__watch_decide(sonde__search *search) {
    sonde__watch *watch = search->watch;
    const sonde_status status = search->method->visit(search, sonde__watch_note, search);
    if (status != SONDE_OK) {
        return status;
    }
    double least = INFINITY;
    for (uint64_t i = 0; i < watch->n; i++) {
        least = prior_of(search, i) > 0.0 && watch->efe[i] < least ? watch->efe[i] : least;
    }
    for (int32_t round = 0; round < N_ROUND; round++) {
        *watch->gamma = watch->alpha / (watch->beta + expect_excess(search, *watch->gamma, least));
    }
    search->settings.gamma = search->posterior.gamma = *watch->gamma;
    add_noted(search);
    return SONDE_OK;
}

void sonde__search_chances(const sonde__search *search, double *chance) {
    const sonde__watch *watch = search->watch;
    const sonde__posterior *posterior = &search->posterior;
    const double total = sonde__posterior_total(posterior);
    for (uint64_t i = 0; i < watch->n; i++) {
        const double prior = watch->efe[i] < INFINITY ? prior_of(search, i) : 0.0;
        chance[i] =
            prior > 0.0 && total > 0.0
                ? prior * sonde__exp(posterior->gamma * (posterior->least - watch->efe[i])) / total
                : 0.0;
    }
}
