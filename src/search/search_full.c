/* search_full.c: score every policy of the scope. Exact, and the baseline of everything else.
 *
 * Needs memory for one block and the depth of the tree, whatever the number of policies. On a
 * general model the policies are cut into stretches, which threads take one by one; each has a
 * posterior of its own, and they are added up in order. */
#include "base/parallel.h"
#include "search/search.h"

/* beyond this many a decision takes hours */
#define N_POLICY_MAX (UINT64_C(1) << 40)
/* policies in a stretch, about, until there are as many stretches as there may be; numbers their
 * posteriors hold */
#define STRETCH (UINT64_C(1) << 11)
#define N_TASK_MAX 1024
#define N_MASS_MAX (1 << 22)

static bool is_listed(const sonde_policies *policies) {
    return policies->model->graph == NULL && policies->place == NULL;
}

/* Whether policies are scored by fans. */
static bool has_fans(const sonde_policies *policies) {
    return policies->model->graph == NULL && policies->place != NULL;
}

sonde_status sonde__full_check(const sonde__search *search, sonde_error *error) {
    const sonde_policies *policies = search->policies;
    const bool global = search->settings.scope == SONDE_GLOBAL;
    const int32_t origin = global ? SONDE_EVERYWHERE : policies->initial;
    if (sonde__policies_size(policies, origin) <= N_POLICY_MAX) {
        return SONDE_OK;
    }
    return sonde__fail(
        error, SONDE_TOO_LARGE,
        "full search: there are %.4g policies, and at most %.4g can be scored one by "
        "one; choose a shorter horizon%s",
        sonde_policies_size_real(policies, origin), (double)N_POLICY_MAX,
        global ? " or local scope" : "");
}

/* Stretches that the policies of the largest origin are cut into. */
static int32_t count_tasks(const sonde_policies *policies) {
    const uint64_t n_stretch = (sonde__policies_most(policies) - 1) / STRETCH + 1;
    const uint64_t limit = (uint64_t)(N_MASS_MAX / policies->model->n_action) + 1;
    const uint64_t n = n_stretch < N_TASK_MAX ? n_stretch : N_TASK_MAX;
    return (int32_t)(n < limit ? n : limit);
}

void sonde__full_carve(sonde__search *search, sonde__arena *arena) {
    const sonde_policies *policies = search->policies;
    sonde__survey_all *all = &search->all;
    const int32_t n_thread = search->run.n_thread;
    if (!has_fans(policies)) {
        return;
    }
    all->n_task = count_tasks(policies);
    sonde__outlook_carve(arena, policies, &all->outlook);
    all->fan = SONDE__TAKE(arena, sonde__fan *, n_thread);
    all->efe = SONDE__TAKE(arena, double *, n_thread);
    for (int32_t i = 0; i < n_thread; i++) {
        sonde__fan measured = {0};
        sonde__fan *fan = SONDE__TAKE(arena, sonde__fan, 1);
        sonde__fan_carve(arena, &all->outlook, fan != NULL ? fan : &measured);
        double *efe = SONDE__TAKE(arena, double, search->n_efe);
        if (fan != NULL) {
            all->fan[i] = fan;
            all->efe[i] = efe;
        }
    }
    all->posterior = SONDE__TAKE(arena, sonde__posterior, all->n_task);
    for (int32_t i = 0; i < all->n_task; i++) {
        sonde__posterior posterior = {0};
        sonde__posterior_carve(arena, policies->model->n_action, &posterior);
        if (all->posterior != NULL) {
            all->posterior[i] = posterior;
        }
    }
}

/* who looks at the policies, and how many it has seen */
typedef struct {
    sonde__visitor visitor;
    void *context;
    uint64_t n_seen;
} audience;

/* All policies of a graph world that begin with edge => first. */
static sonde_status visit_action(sonde__search *search, int32_t edge, int32_t first, int32_t state,
                                 audience *who) {
    const sonde_model *model = search->policies->model;
    sonde__block block = {.action = sonde__model_action(model, edge, first), .efe = search->efe};
    sonde__sweep_start(&search->sweep, search->policies, edge, first, state);
    while ((block.n = sonde__sweep_fill(&search->sweep, search->efe, search->n_efe)) > 0) {
        if (sonde__stopped(&search->run)) {
            return SONDE_STOPPED;
        }
        block.first = who->n_seen;
        who->visitor(who->context, &block);
        who->n_seen += (uint64_t)block.n;
    }
    return SONDE_OK;
}

static sonde_status visit_graph(sonde__search *search, int32_t origin, int32_t state,
                                audience *who) {
    const sonde_graph *graph = search->policies->model->graph;
    const bool global = origin == SONDE_EVERYWHERE;
    const uint64_t n_policy = sonde__policies_size(search->policies, origin);
    for (int32_t e = global ? 0 : origin; e < (global ? graph->n_edge : origin + 1); e++) {
        const int32_t v = graph->head[e];
        for (int32_t f = graph->first[v]; f < graph->first[v + 1]; f++) {
            const sonde_status status = visit_action(search, e, f, state, who);
            if (status != SONDE_OK) {
                return status;
            }
            sonde__progress(&search->run, "scoring", who->n_seen, n_policy);
        }
    }
    return SONDE_OK;
}

/* Listed policies, one at a time: each may begin with another action. */
static sonde_status visit_list(sonde__search *search, sonde_present now, const audience *who) {
    const sonde_model *model = search->policies->model;
    sonde__scorer_start(&search->scorer, search->policies, 0, now);
    for (int32_t i = 0; i < model->n_policy; i++) {
        if (i % 1024 == 0 && sonde__stopped(&search->run)) {
            return SONDE_STOPPED;
        }
        search->efe[0] = sonde__scorer_efe(&search->scorer, (uint64_t)i);
        const sonde__block block = {.action = search->scorer.walker.edge[1],
                                    .n = 1,
                                    .first = (uint64_t)i,
                                    .efe = search->efe,
                                    .prior = model->E != NULL ? model->E + i : NULL};
        who->visitor(who->context, &block);
    }
    return SONDE_OK;
}

/* A stretch of the policies of a general model, in order. */
static sonde_status visit_stretch(const sonde__search *search, sonde__fan *fan, double *efe,
                                  const audience *who) {
    sonde__block block = {.efe = efe};
    while ((block.n = sonde__fan_fill(fan, efe, search->n_efe, &block.first, &block.action)) > 0) {
        if (sonde__stopped(&search->run)) {
            return SONDE_STOPPED;
        }
        who->visitor(who->context, &block);
    }
    return SONDE_OK;
}

sonde_status sonde__full_visit(sonde__search *search, int32_t origin, sonde_present now,
                               sonde__visitor visitor, void *context) {
    const sonde_policies *policies = search->policies;
    audience who = {.visitor = visitor, .context = context};
    if (policies->model->graph != NULL) {
        return visit_graph(search, origin, now.state, &who);
    }
    if (is_listed(policies)) {
        return visit_list(search, now, &who);
    }
    sonde__survey_all *all = &search->all;
    sonde__outlook_start(&all->outlook, policies, origin, now.belief);
    sonde__fan_start(all->fan[0], &all->outlook, 0, sonde__policies_size(policies, origin));
    return visit_stretch(search, all->fan[0], search->efe, &who);
}

/* where stretch number i begins */
static uint64_t stretch_begin(uint64_t n_policy, int32_t n_task, int32_t i) {
    const uint64_t each = n_policy / (uint64_t)n_task;
    const uint64_t more = n_policy % (uint64_t)n_task;
    const uint64_t before = (uint64_t)i;
    return each * before + (before < more ? before : more);
}

static void score_stretch(void *context, int32_t task, int32_t worker) {
    sonde__search *search = context;
    sonde__survey_all *all = &search->all;
    sonde__fan *fan = all->fan[worker];
    sonde__posterior *posterior = &all->posterior[task];
    const uint64_t n_policy = sonde__policies_size(search->policies, all->outlook.origin);
    const audience who = {.visitor = sonde__posterior_add, .context = posterior};
    posterior->gamma = search->posterior.gamma;
    sonde__posterior_start(posterior, 0, search->policies->model->n_action);
    sonde__fan_start(fan, &all->outlook, stretch_begin(n_policy, all->n_task, task),
                     stretch_begin(n_policy, all->n_task, task + 1));
    (void)visit_stretch(search, fan, all->efe[worker], &who);
}

sonde_status sonde__full_score(sonde__search *search, int32_t origin, sonde_present now) {
    sonde__survey_all *all = &search->all;
    if (!has_fans(search->policies)) {
        return sonde__full_visit(search, origin, now, sonde__posterior_add, &search->posterior);
    }
    for (int32_t i = 0; i < search->run.n_thread; i++) {
        all->fan[i]->n_step = 0;
    }
    sonde__outlook_start(&all->outlook, search->policies, origin, now.belief);
    const sonde_status status =
        sonde__parallel(&search->run, all->n_task, "scoring", score_stretch, search);
    for (int32_t i = 0; i < all->n_task && status == SONDE_OK; i++) {
        sonde__posterior_merge(&search->posterior, &all->posterior[i]);
    }
    for (int32_t i = 0; i < search->run.n_thread; i++) {
        search->decision.evaluations.n_step += all->fan[i]->n_step;
    }
    return status;
}
