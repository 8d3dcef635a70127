/* search_full.c: score every policy of the scope. Exact, and the baseline of everything else.
 *
 * Needs memory for one block and the depth of the tree, whatever the number of policies. */
#include "search/search.h"

/* beyond this many a decision takes hours */
#define N_POLICY_MAX (UINT64_C(1) << 40)

sonde_status sonde__full_check(const sonde__search *search, sonde_error *error) {
    const sonde_policies *policies = search->policies;
    const bool global = search->settings.scope == SONDE_GLOBAL;
    const int32_t origin = global ? SONDE_EVERYWHERE : policies->model->graph->start;
    if (sonde_policies_size(policies, origin) <= N_POLICY_MAX) {
        return SONDE_OK;
    }
    return sonde__fail(
        error, SONDE_TOO_LARGE,
        "full search: there are %.4g policies, and at most %.4g can be scored one by "
        "one; choose a shorter horizon%s",
        sonde_policies_size_real(policies, origin), (double)N_POLICY_MAX,
        global ? " or local scope" : "");
}

/* who looks at the policies, and how many it has seen */
typedef struct {
    sonde__visitor visitor;
    void *context;
    uint64_t n_seen;
} audience;

/* All policies that begin with edge => first. */
static sonde_status visit_action(sonde__search *search, int32_t edge, int32_t first, int32_t state,
                                 audience *who) {
    const sonde_model *model = search->policies->model;
    sonde__block block = {.action = sonde_model_action(model, edge, first), .efe = search->efe};
    sonde__tree_start(&search->tree, search->policies, edge, first, state);
    while ((block.n = sonde__tree_fill(&search->tree, search->efe, search->n_efe)) > 0) {
        if (sonde__stopped(&search->run)) {
            return SONDE_STOPPED;
        }
        block.first = who->n_seen;
        who->visitor(who->context, &block);
        who->n_seen += (uint64_t)block.n;
    }
    return SONDE_OK;
}

sonde_status sonde__full_visit(sonde__search *search, int32_t origin, int32_t state,
                               sonde__visitor visitor, void *context) {
    const sonde_graph *graph = search->policies->model->graph;
    const bool global = origin == SONDE_EVERYWHERE;
    const uint64_t n_policy = sonde_policies_size(search->policies, origin);
    audience who = {.visitor = visitor, .context = context};
    for (int32_t e = global ? 0 : origin; e < (global ? graph->n_edge : origin + 1); e++) {
        const int32_t v = graph->head[e];
        for (int32_t f = graph->first[v]; f < graph->first[v + 1]; f++) {
            const sonde_status status = visit_action(search, e, f, state, &who);
            if (status != SONDE_OK) {
                return status;
            }
            sonde__progress(&search->run, "scoring", who.n_seen, n_policy);
        }
    }
    return SONDE_OK;
}
