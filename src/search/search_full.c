/* search_full.c: score every policy of the scope. Exact, and the baseline of everything else.
 *
 * Needs memory for one block and the depth of the tree, whatever the number of policies. On a
 * general model the policies are cut into stretches, which threads take one by one; each has a
 * posterior of its own, and they are added up in order. */
#include "base/parallel.h"
#include "efe/efe_fan.h"
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

/* ------------------------------------------------------------------------------- graph worlds -- */

/* who looks at the policies, and how many it has seen */
typedef struct {
    sonde__visitor visitor;
    void *context;
    uint64_t n_seen;
} audience;

/* All policies of a graph world that begin with edge => first. */
static sonde_status visit_action(sonde__search *search, int32_t edge, int32_t first,
                                 audience *who) {
    const sonde_model *model = search->policies->model;
    sonde__sweep *sweep = search->state;
    sonde__block block = {.action = sonde__model_action(model, edge, first), .efe = search->efe};
    sonde__sweep_start(sweep, search->policies, edge, first, search->decision.state);
    while ((block.n = sonde__sweep_fill(sweep, search->efe, search->n_efe)) > 0) {
        if (sonde__stopped(&search->run)) {
            return SONDE_STOPPED;
        }
        block.first = who->n_seen;
        who->visitor(who->context, &block);
        who->n_seen += (uint64_t)block.n;
    }
    return SONDE_OK;
}

static sonde_status visit_walks(sonde__search *search, sonde__visitor visitor, void *context) {
    const sonde_graph *graph = search->policies->model->graph;
    const int32_t origin = search->decision.origin;
    const bool global = origin == SONDE_EVERYWHERE;
    const uint64_t n_policy = sonde__policies_size(search->policies, origin);
    audience who = {.visitor = visitor, .context = context};
    for (int32_t e = global ? 0 : origin; e < (global ? graph->n_edge : origin + 1); e++) {
        const int32_t v = graph->head[e];
        for (int32_t f = graph->first[v]; f < graph->first[v + 1]; f++) {
            const sonde_status status = visit_action(search, e, f, &who);
            if (status != SONDE_OK) {
                return status;
            }
            sonde__progress(&search->run, "scoring", who.n_seen, n_policy);
        }
    }
    return SONDE_OK;
}

static void carve_walks(sonde__search *search, sonde__arena *arena) {
    sonde__sweep_carve(arena, search->policies->horizon, search->state);
}

static sonde_status decide_walks(sonde__search *search) {
    sonde__sweep *sweep = search->state;
    sweep->n_step = 0;
    const sonde_status status = sonde__search_add(search);
    search->decision.evaluations.n_step += sweep->n_step;
    return status;
}

const sonde__method sonde__full_walks = {.size = sizeof(sonde__sweep),
                                         .grounds = SONDE_GROUNDS_EVERY,
                                         .open = check,
                                         .carve = carve_walks,
                                         .decide = decide_walks,
                                         .visit = visit_walks};

/* ----------------------------------------------------------------------------- general models -- */

typedef struct {
    sonde__outlook outlook;
    sonde__fan **fan;            /* (n_thread) each on cache lines of its own */
    double **efe;                /* (n_thread) one block each */
    int32_t n_task;              /* stretches that policies are cut into, whatever the threads */
    sonde__posterior *posterior; /* (n_task) */
} products;

/* Stretches that the policies of the largest origin are cut into. */
static int32_t count_tasks(const sonde_policies *policies) {
    const uint64_t n_stretch = (sonde__policies_most(policies) - 1) / STRETCH + 1;
    const uint64_t limit = (uint64_t)(N_MASS_MAX / policies->model->n_action) + 1;
    const uint64_t n = n_stretch < N_TASK_MAX ? n_stretch : N_TASK_MAX;
    return (int32_t)(n < limit ? n : limit);
}

static void carve_products(sonde__search *search, sonde__arena *arena) {
    const sonde_policies *policies = search->policies;
    products *all = search->state;
    const int32_t n_thread = search->run.n_thread;
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

/* A stretch of the policies, in order. */
static sonde_status visit_stretch(const sonde__search *search, sonde__fan *fan, double *efe,
                                  sonde__visitor visitor, void *context) {
    sonde__block block = {.efe = efe};
    while ((block.n = sonde__fan_fill(fan, efe, search->n_efe, &block.first, &block.action)) > 0) {
        if (sonde__stopped(&search->run)) {
            return SONDE_STOPPED;
        }
        visitor(context, &block);
    }
    return SONDE_OK;
}

static sonde_status visit_products(sonde__search *search, sonde__visitor visitor, void *context) {
    const sonde_policies *policies = search->policies;
    const sonde_decision *decision = &search->decision;
    products *all = search->state;
    sonde__outlook_start(&all->outlook, policies, decision->origin, decision->belief);
    sonde__fan_start(all->fan[0], &all->outlook, 0,
                     sonde__policies_size(policies, decision->origin));
    return visit_stretch(search, all->fan[0], search->efe, visitor, context);
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
    products *all = search->state;
    sonde__fan *fan = all->fan[worker];
    sonde__posterior *posterior = &all->posterior[task];
    const uint64_t n_policy = sonde__policies_size(search->policies, all->outlook.origin);
    posterior->gamma = search->posterior.gamma;
    sonde__posterior_start(posterior, 0, search->policies->model->n_action);
    sonde__fan_start(fan, &all->outlook, stretch_begin(n_policy, all->n_task, task),
                     stretch_begin(n_policy, all->n_task, task + 1));
    (void)visit_stretch(search, fan, all->efe[worker], sonde__posterior_add, posterior);
}

static sonde_status decide_products(sonde__search *search) {
    sonde_decision *decision = &search->decision;
    products *all = search->state;
    for (int32_t i = 0; i < search->run.n_thread; i++) {
        all->fan[i]->n_step = 0;
    }
    sonde__outlook_start(&all->outlook, search->policies, decision->origin, decision->belief);
    const sonde_status status =
        sonde__parallel(&search->run, all->n_task, "scoring", score_stretch, search);
    for (int32_t i = 0; i < all->n_task && status == SONDE_OK; i++) {
        sonde__posterior_merge(&search->posterior, &all->posterior[i]);
    }
    for (int32_t i = 0; i < search->run.n_thread; i++) {
        decision->evaluations.n_step += all->fan[i]->n_step;
    }
    return status;
}

const sonde__method sonde__full_products = {.size = sizeof(products),
                                            .grounds = SONDE_GROUNDS_EVERY,
                                            .open = check,
                                            .carve = carve_products,
                                            .decide = decide_products,
                                            .visit = visit_products};
