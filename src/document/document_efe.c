/* document_efe.c: a listing of policies with their expected free energies.
 *
 * The list is written by a call for each policy, so that its writer holds one at a time: the
 * listing of a space of millions needs no more memory than that of ten. */
#include <inttypes.h>

#include "document/document_internal.h"

static void open_list(const sonde_listing *listing, uint64_t count, sonde_text *json) {
    const sonde_policies *policies = listing->policies;
    const sonde_model *model = policies->model;
    const sonde__writer *writer = sonde__writer_of(model);
    sonde__document_open(json, "efe", listing->command);
    writer->names(json, model);
    writer->conventions(json, model);
    sonde__document_key(json, "count");
    sonde__document_index(json, count);
    writer->present(json, model, &listing->now);
    if (sonde__document_scoped(model)) {
        sonde__document_key(json, "scope");
        sonde__document_scope(json, listing->origin);
    }
    sonde__document_key(json, "horizon");
    sonde_text_add(json, "%" PRId32, policies->horizon);
    sonde__document_key(json, "policies");
    sonde_text_add(json, "[");
}

/* The terms of each step, which sum to the policy's. */
static void add_steps(const sonde_efe *steps, int32_t horizon, bool novel, sonde_text *json) {
    sonde_text_add(json, ", \"steps\": [");
    for (int32_t t = 0; t < horizon; t++) {
        sonde_text_add(json, "%s{", t > 0 ? ", " : "");
        sonde__document_terms(json, &steps[t], novel);
        sonde_text_add(json, "}");
    }
    sonde_text_add(json, "]");
}

/* A policy of the user's own that is none of the scope's has no index. */
static void add_policy(const sonde_listing *listing, uint64_t at, const sonde_scored *policy,
                       sonde_text *json) {
    const sonde_policies *policies = listing->policies;
    const bool novel = policies->model->weights.novelty != SONDE_NOVELTY_NONE;
    sonde_text_add(json, "%s\n  {\"index\": ", at > 0 ? "," : "");
    if (policy->index == UINT64_MAX) {
        sonde_text_add(json, "null");
    } else {
        sonde__document_index(json, policy->index);
    }
    sonde_text_add(json, ", ");
    sonde__writer_of(policies->model)->policy(json, policies, policy->walk);
    sonde_text_add(json, ", ");
    sonde__document_terms(json, policy->total, novel);
    if (policy->steps != NULL) {
        add_steps(policy->steps, policies->horizon, novel, json);
    }
    sonde_text_add(json, "}");
}

void sonde_document_efe(const sonde_listing *listing, uint64_t n, uint64_t at,
                        const sonde_scored *policy, sonde_text *json) {
    if (at == 0) {
        open_list(listing, n, json);
    }
    if (policy != NULL) {
        add_policy(listing, at, policy, json);
    }
    if (at + 1 >= n) {
        sonde_text_add(json, "]");
        sonde__document_close(json);
    }
}
