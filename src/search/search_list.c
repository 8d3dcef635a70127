/* search_list.c: policies that a model lists are few, and whatever the search, all are scored.
 *
 * One at a time: each may begin with another action. */
#include "search/search_internal.h"

/* policies between looks at the stop flag */
#define N_BETWEEN 1024

static sonde_status visit(sonde__search *search, sonde__visitor visitor, void *context) {
    const sonde_model *model = search->policies->model;
    sonde__scorer_start(&search->scorer, search->policies, 0, sonde__search_now(search));
    for (int32_t i = 0; i < model->n_policy; i++) {
        if (i % N_BETWEEN == 0 && sonde__stopped(&search->run)) {
            return SONDE_STOPPED;
        }
        search->efe[0] = sonde__scorer_efe(&search->scorer, (uint64_t)i);
        const sonde__block block = {.action = search->scorer.walker.edge[1],
                                    .n = 1,
                                    .first = (uint64_t)i,
                                    .efe = search->efe,
                                    .prior = model->E != NULL ? model->E + i : NULL};
        visitor(context, &block);
    }
    return SONDE_OK;
}

/* All policies, and a certificate of that. */
static sonde_status decide(sonde__search *search) {
    const sonde_status status = sonde__search_add(search);
    sonde__evidence_all(search, true);
    return status;
}

const sonde__method sonde__list = {.grounds = SONDE_GROUNDS_EVERY, .visit = visit};
const sonde__method sonde__certified_list = {
    .grounds = SONDE_GROUNDS_EVERY, .decide = decide, .visit = visit};
