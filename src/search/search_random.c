/* search_random.c: some policies, each as likely as any other. The baseline for a given budget.
 *
 * A budget of steps buys budget / T policies, which differ, in policy order; sharing their
 * beginnings they cost a little less. Where a space is too large for indices they are drawn one by
 * one, each on its own: two of n are then the same with a probability below n^2 / 2^65. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "base/rng.h"
#include "search/search.h"

/* policies that are scored where nobody has named a budget */
#define N_POLICY_DEFAULT 1000
/* policies between looks at the stop flag */
#define N_BETWEEN 1024

static bool is_numbered(const sonde_policies *policies, int32_t origin) {
    return sonde_policies_size(policies, origin) < UINT64_MAX;
}

/* How many policies are scored, of n that there are. */
static uint64_t n_wanted(const sonde__search *search, uint64_t n) {
    const uint64_t bought = search->settings.budget / (uint64_t)search->policies->horizon;
    const uint64_t wanted = search->settings.budget == 0 ? N_POLICY_DEFAULT
                            : bought > 0                 ? bought
                                                         : 1;
    return wanted < n ? wanted : n;
}

sonde_status sonde__random_check(const sonde__search *search, sonde_error *error) {
    const sonde_policies *policies = search->policies;
    const bool global = search->settings.scope == SONDE_GLOBAL;
    const uint64_t n = global ? policies->n_policy : sonde__policies_most(policies);
    if (search->settings.action == SONDE_ACTION_FULL && n == UINT64_MAX) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "action: full draws one policy by its number, and there are too many "
                           "policies for numbers; choose marginal, which gives the same actions as "
                           "often");
    }
    return SONDE_OK;
}

void sonde__random_carve(sonde__search *search, sonde__arena *arena) {
    const sonde_policies *policies = search->policies;
    const bool global = search->settings.scope == SONDE_GLOBAL;
    const uint64_t n = global ? policies->n_policy : sonde__policies_most(policies);
    sonde__random *r = &search->random;
    r->index = SONDE__TAKE(arena, uint64_t, n_wanted(search, n));
    r->walk = SONDE__TAKE(arena, int32_t, policies->horizon + 1);
    if (n == UINT64_MAX) {
        sonde__ways_carve(arena, policies, &r->ways);
    }
}

sonde_status sonde__random_choose(sonde__search *search, int32_t origin, sonde_present now) {
    (void)now;
    const sonde_policies *policies = search->policies;
    sonde__random *r = &search->random;
    const uint64_t n = sonde_policies_size(policies, origin);
    r->n = n_wanted(search, n);
    if (is_numbered(policies, origin)) {
        sonde__policies_sample(policies, origin, &search->probe_rng, r->n, r->index);
    } else if (!r->filled) {
        sonde__ways_fill(policies, &r->ways);
        r->filled = true;
    }
    return SONDE_OK;
}

/* Policies that have numbers, in order. */
static sonde_status visit_numbers(sonde__search *search, int32_t origin, sonde_present now,
                                  sonde__visitor visitor, void *context) {
    const double *E = search->policies->model->E;
    const sonde__random *r = &search->random;
    sonde__scorer_start(&search->scorer, search->policies, origin, now);
    for (uint64_t i = 0; i < r->n; i++) {
        if (i % N_BETWEEN == 0 && sonde__stopped(&search->run)) {
            return SONDE_STOPPED;
        }
        search->efe[0] = sonde__scorer_efe(&search->scorer, r->index[i]);
        const sonde__block block = {
            .action = sonde__policies_action(search->policies, search->scorer.walker.edge, 1),
            .n = 1,
            .first = r->index[i],
            .efe = search->efe,
            .prior = E != NULL ? E + r->index[i] : NULL};
        visitor(context, &block);
    }
    return SONDE_OK;
}

static double score_walk(sonde__search *search, sonde_present now, const int32_t *walk) {
    const sonde_model *model = search->policies->model;
    sonde_efe total;
    if (model->graph == NULL) {
        return sonde__scorer_walk(&search->scorer, search->policies, now.belief, walk).efe;
    }
    sonde__efe_walk(model, now.state, walk, NULL, NULL, &total);
    return total.efe;
}

/* Policies that have none; the best of them goes to the search. */
static sonde_status visit_draws(sonde__search *search, int32_t origin, sonde_present now,
                                sonde__visitor visitor, void *context) {
    const sonde_policies *policies = search->policies;
    const sonde__random *r = &search->random;
    sonde__rng rng = search->probe_rng; /* the same draws at every visit */
    double best = INFINITY;
    for (uint64_t i = 0; i < r->n; i++) {
        if (i % N_BETWEEN == 0 && sonde__stopped(&search->run)) {
            return SONDE_STOPPED;
        }
        sonde__ways_draw(policies, &r->ways, origin, &rng, r->walk);
        search->efe[0] = score_walk(search, now, r->walk);
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

sonde_status sonde__random_visit(sonde__search *search, int32_t origin, sonde_present now,
                                 sonde__visitor visitor, void *context) {
    return is_numbered(search->policies, origin)
               ? visit_numbers(search, origin, now, visitor, context)
               : visit_draws(search, origin, now, visitor, context);
}

sonde_status sonde__random_score(sonde__search *search, int32_t origin, sonde_present now) {
    const sonde__random *r = &search->random;
    const bool all = r->n == sonde_policies_size(search->policies, origin);
    const sonde_status status =
        sonde__random_visit(search, origin, now, sonde__posterior_add, &search->posterior);
    search->walk_is_known = !is_numbered(search->policies, origin);
    if (search->walk_is_known) {
        search->decision.evaluations.n_step += r->n * (uint64_t)search->policies->horizon;
        search->decision.best = sonde_policies_find(search->policies, origin, search->best_walk);
    }
    /* all there are leave nothing open; of a few nothing is known beyond them */
    sonde__evidence_all(search, all);
    return status;
}
