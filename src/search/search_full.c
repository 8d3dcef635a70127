/* search_full.c: score every policy of the scope. Exact, and the baseline of everything else.
 *
 * Needs memory for one block and the depth of the tree, whatever the number of policies. Where they
 * may begin anywhere, policies are cut into stretches, which threads take one by one; each has a
 * posterior of its own, and they are added up in order.
 *
 * Policies that a model lists are few, and searches that look for prefixes to leave out score them
 * all, too, with a certificate of that. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "base/parallel.h"
#include "search/search_internal.h"

/* beyond this many a decision takes hours */
#define N_POLICY_MAX (UINT64_C(1) << 40)
/* policies in a stretch, about, until there are as many stretches as there may be; numbers their
 * posteriors hold */
#define STRETCH (UINT64_C(1) << 11)
#define N_TASK_MAX 1024
#define N_MASS_MAX (1 << 22)

static sonde_status check(sonde__search *search, sonde_error *error) {
    const sonde_policies *policies = search->policies;
    const bool local = sonde__search_is_local(search);
    const int32_t origin = local ? policies->initial : SONDE_EVERYWHERE;
    if (sonde__policies_size(policies, origin) <= N_POLICY_MAX) {
        return SONDE_OK;
    }
    return sonde__fail(
        error, SONDE_TOO_LARGE,
        "full search: there are %.4g policies, and at most %.4g can be scored one by "
        "one; choose a shorter horizon%s",
        sonde_policies_size_real(policies, origin), (double)N_POLICY_MAX,
        local ? "" : " or local scope");
}

/* Stretches that the policies of the largest origin are cut into; 0: they are taken whole. */
static int32_t count_tasks(const sonde__search *search) {
    const sonde_policies *policies = search->policies;
    const uint64_t n_stretch = (sonde__policies_most(policies) - 1) / STRETCH + 1;
    const uint64_t limit = (uint64_t)(N_MASS_MAX / policies->model->n_action) + 1;
    const uint64_t n = n_stretch < N_TASK_MAX ? n_stretch : N_TASK_MAX;
    return search->score.stretches ? (int32_t)(n < limit ? n : limit) : 0;
}

static void carve(sonde__search *search, sonde__arena *arena) {
    sonde__stretches *all = search->state;
    all->n_task = count_tasks(search);
    all->efe = SONDE__TAKE(arena, double *, search->n_track);
    for (int32_t i = 0; i < search->n_track; i++) {
        double *efe = SONDE__TAKE(arena, double, all->n_task > 0 ? search->n_efe : 0);
        if (all->efe != NULL) {
            all->efe[i] = efe;
        }
    }
    all->posterior = SONDE__TAKE(arena, sonde__posterior, all->n_task);
    for (int32_t i = 0; i < all->n_task; i++) {
        sonde__posterior posterior = {0};
        sonde__posterior_carve(arena, search->policies->model->n_action, &posterior);
        if (all->posterior != NULL) {
            all->posterior[i] = posterior;
        }
    }
}

/* A stretch of the policies, in order; tells how far it is with n_told of them, if not 0. */
static sonde_status visit_stretch(const sonde__search *search, sonde__track *track, double *efe,
                                  uint64_t n_told, sonde__visitor visitor, void *context) {
    const double *E = search->policies->model->E;
    sonde__block block = {.efe = efe};
    while ((block.n = sonde__track_fill(track, efe, search->n_efe, &block.first, &block.action)) >
           0) {
        if (sonde__stopped(&search->run)) {
            return SONDE_STOPPED;
        }
        block.prior = E != NULL ? E + block.first : NULL;
        visitor(context, &block);
        if (n_told > 0) {
            sonde__progress(&search->run, "scoring", block.first + (uint64_t)block.n, n_told);
        }
    }
    return SONDE_OK;
}

static sonde_status visit(sonde__search *search, sonde__visitor visitor, void *context) {
    const uint64_t n = sonde__policies_size(search->policies, search->decision.origin);
    sonde__track_begin(search->track, 0, n);
    return visit_stretch(search, search->track, search->efe, n, visitor, context);
}

/* where stretch number i begins */
static uint64_t stretch_begin(uint64_t n_policy, int32_t n_task, int32_t i) {
    const uint64_t each = n_policy / (uint64_t)n_task;
    const uint64_t more = n_policy % (uint64_t)n_task;
    const uint64_t before = (uint64_t)i;
    return each * before + (before < more ? before : more);
}

static void score_stretch(void *context, int32_t task, int32_t worker) {
    const sonde__search *search = context;
    const sonde__stretches *all = search->state;
    sonde__track *track = &search->track[worker];
    sonde__posterior *posterior = &all->posterior[task];
    const uint64_t n_policy = sonde__policies_size(search->policies, search->decision.origin);
    posterior->gamma = search->posterior.gamma;
    posterior->weight = search->posterior.weight;
    sonde__posterior_start(posterior, search->posterior.begin, search->posterior.end);
    sonde__track_begin(track, stretch_begin(n_policy, all->n_task, task),
                       stretch_begin(n_policy, all->n_task, task + 1));
    (void)visit_stretch(search, track, all->efe[worker], 0, sonde__posterior_add, posterior);
}

static sonde_status decide(sonde__search *search) {
    const sonde__stretches *all = search->state;
    if (all->n_task == 0) {
        return sonde__search_add(search);
    }
    const sonde_status status =
        sonde__parallel(&search->run, all->n_task, "scoring", score_stretch, search);
    for (int32_t i = 0; i < all->n_task && status == SONDE_OK; i++) {
        sonde__posterior_merge(&search->posterior, &all->posterior[i]);
    }
    return status;
}

const sonde__method sonde__full = {.size = sizeof(sonde__stretches),
                                   .uses = SONDE__SCORE_ORDER,
                                   .grounds = SONDE__GROUNDS_EVERY,
                                   .open = check,
                                   .carve = carve,
                                   .decide = decide,
                                   .visit = visit};

/* All policies, and a certificate of that. */
static sonde_status certify(sonde__search *search) {
    const sonde_status status = sonde__search_add(search);
    sonde__evidence_all(search, true);
    return status;
}

/* The way of a listed policy, which may be a new one. */
static sonde__onward *way_of(sonde__ways_on *on, int32_t number) {
    for (int32_t i = 0; i < on->n_way; i++) {
        if (on->way[i].number == number) {
            return &on->way[i];
        }
    }
    on->way[on->n_way] = (sonde__onward){.number = number,
                                         .log_mass = -INFINITY,
                                         .log_rest = -INFINITY,
                                         .least = INFINITY,
                                         .best = INFINITY};
    return &on->way[on->n_way++];
}

/* Listed policies that begin alike. */
static sonde_status below(sonde__search *search, sonde__ways_on *on) {
    const sonde_model *model = search->policies->model;
    const int32_t horizon = search->policies->horizon;
    for (int32_t i = 0; i < model->n_policy; i++) {
        const int32_t *list = model->policy + (int64_t)i * horizon;
        const uint64_t number = (uint64_t)i;
        double efe;
        if (memcmp(list, on->walk + 1, (size_t)on->n_step * sizeof *list) != 0) {
            continue;
        }
        sonde__track_pick(search->track, 1, &number, &efe, NULL);
        sonde__onward *way = way_of(on, on->n_step < horizon ? list[on->n_step] : -1);
        const double prior = model->E != NULL ? model->E[i] : 1.0;
        const double mass =
            prior > 0.0 ? sonde__log(prior) - search->settings.gamma * efe : -(double)INFINITY;
        way->n_policy++;
        way->size += 1.0;
        way->log_mass = sonde__log_add(way->log_mass, mass);
        way->best = way->least = efe < way->best ? efe : way->best;
    }
    return SONDE_OK;
}

const sonde__method sonde__certified = {.uses = SONDE__SCORE_ORDER,
                                        .grounds = SONDE__GROUNDS_EVERY,
                                        .decide = certify,
                                        .visit = visit,
                                        .below = below};
