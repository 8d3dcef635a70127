/* search_random.c: some policies, each as likely as any other. The baseline for a given budget.
 *
 * A budget of steps buys budget / T policies, which differ, in policy order; sharing their
 * beginnings they cost a little less. Where a space is too large for indices they are drawn one by
 * one, each on its own: two of n are then the same with a probability below n^2 / 2^65. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "base/rng.h"
#include "search/search_internal.h"

/* policies that are scored where nobody has named a budget */
#define N_POLICY 1000
/* policies that are scored at once, between looks at the stop flag */
#define N_AT_ONCE 256

/* what random search draws */
typedef struct {
    uint64_t n;       /* policies of the present decision, */
    uint64_t *index;  /* (n) ascending, where they have numbers; */
    sonde__ways ways; /* otherwise what they are drawn by, */
    bool filled;      /* once it is there, */
    int32_t *walk;    /* (T + 1) one at a time */
} draws;

/* Whether the policies of the decision have numbers. */
static bool is_numbered(const sonde__search *search) {
    return sonde_policies_size(search->policies, search->decision.origin) < UINT64_MAX;
}

static void carve(sonde__search *search, sonde__arena *arena) {
    const sonde_policies *policies = search->policies;
    const uint64_t n = sonde__search_most(search);
    draws *r = search->state;
    r->index = SONDE__TAKE(arena, uint64_t, sonde__search_afford(search, N_POLICY, n));
    r->walk = SONDE__TAKE(arena, int32_t, policies->horizon + 1);
    if (n == UINT64_MAX) {
        sonde__ways_carve(arena, policies, &r->ways);
    }
}

/* Policies that have numbers, in order. */
static sonde_status visit_numbers(sonde__search *search, sonde__visitor visitor, void *context) {
    const double *E = search->policies->model->E;
    const draws *r = search->state;
    int32_t action[N_AT_ONCE];
    sonde__track_begin(search->track, 0, 0);
    for (uint64_t i = 0; i < r->n; i += N_AT_ONCE) {
        const int32_t n = r->n - i < N_AT_ONCE ? (int32_t)(r->n - i) : N_AT_ONCE;
        if (sonde__stopped(&search->run)) {
            return SONDE_STOPPED;
        }
        sonde__track_pick(search->track, n, r->index + i, search->efe, action);
        for (int32_t j = 0; j < n; j++) {
            const uint64_t policy = r->index[i + (uint64_t)j];
            const sonde__block block = {.action = action[j],
                                        .n = 1,
                                        .first = policy,
                                        .efe = search->efe + j,
                                        .prior = E != NULL ? E + policy : NULL};
            visitor(context, &block);
        }
    }
    return SONDE_OK;
}

/* Policies that have none; the best of them goes to the search. */
static sonde_status visit_draws(sonde__search *search, sonde__visitor visitor, void *context) {
    const sonde_policies *policies = search->policies;
    const draws *r = search->state;
    sonde__rng rng = search->probe_rng; /* the same draws at every visit */
    double best = INFINITY;
    for (uint64_t i = 0; i < r->n; i++) {
        if (i % N_AT_ONCE == 0 && sonde__stopped(&search->run)) {
            return SONDE_STOPPED;
        }
        sonde__ways_draw(policies, &r->ways, search->decision.origin, &rng, r->walk);
        search->efe[0] = sonde__search_terms(search, r->walk).efe;
        if (sonde__is_below(search->efe[0], best)) {
            best = search->efe[0];
            memcpy(search->best_walk, r->walk, ((size_t)policies->horizon + 1) * sizeof *r->walk);
        }
        const sonde__block block = {.action = sonde__policies_action(policies, r->walk, 1),
                                    .n = 1,
                                    .first = SONDE__UNNUMBERED,
                                    .efe = search->efe,
                                    .walk = r->walk};
        visitor(context, &block);
    }
    return SONDE_OK;
}

static sonde_status visit(sonde__search *search, sonde__visitor visitor, void *context) {
    return is_numbered(search) ? visit_numbers(search, visitor, context)
                               : visit_draws(search, visitor, context);
}

static sonde_status decide(sonde__search *search) {
    const sonde_policies *policies = search->policies;
    draws *r = search->state;
    const int32_t origin = search->decision.origin;
    const uint64_t n = sonde_policies_size(policies, origin);
    r->n = sonde__search_afford(search, N_POLICY, n);
    if (is_numbered(search)) {
        sonde__policies_sample(policies, origin, &search->probe_rng, r->n, r->index);
    } else if (!r->filled) {
        sonde__ways_fill(policies, &r->ways);
        r->filled = true;
    }
    const sonde_status status = sonde__search_add(search);
    if (!is_numbered(search)) {
        search->decision.evaluations.n_step += r->n * (uint64_t)policies->horizon;
        sonde__search_found(search);
    }
    /* all there are leave nothing open; of a few nothing is known beyond them */
    sonde__evidence_all(search, r->n == n);
    return status;
}

const sonde__method sonde__random = {.size = sizeof(draws),
                                     .grounds = SONDE__GROUNDS_PART,
                                     .open = sonde__search_check_numbers,
                                     .carve = carve,
                                     .decide = decide,
                                     .visit = visit};
