/* document_prefix.c: all policies that begin alike, as JSON. */
#include <inttypes.h>

#include "document/document_internal.h"
#include "policy/policy.h"

/* What is done at the end of a walk of t steps. */
static void add_choice(const sonde_policies *policies, const int32_t *walk, int32_t t,
                       sonde_text *json) {
    const int32_t action = sonde__policies_action(policies, walk, t);
    sonde__writer_of(policies->model)->choice(json, policies->model, walk[t - 1], action);
}

static void add_beginning(const sonde_beginning *one, bool novel, sonde_text *json) {
    sonde_text_add(json, "\"policies\": ");
    sonde__document_count(json, one->n_policy, one->size);
    sonde_text_add(json, ", ");
    sonde__document_terms(json, &one->so_far, novel);
    sonde__text_pair(json, "least", one->least);
    sonde__text_pair(json, "best", one->best);
    sonde_text_add(json, ", \"mass\": ");
    sonde__text_numbers(json, one->mass, 2);
}

void sonde_document_prefix(const sonde_agent *agent, const sonde_prefix *prefix, sonde_text *json) {
    const sonde_policies *policies = sonde_agent_policies(agent);
    const bool novel = sonde_agent_settings(agent)->weights.novelty != SONDE_NOVELTY_NONE;
    sonde_text_add(json, "{\"steps\": [");
    for (int32_t t = 1; t <= prefix->n_step; t++) {
        sonde_text_add(json, t > 1 ? ", " : "");
        add_choice(policies, prefix->walk, t, json);
    }
    sonde_text_add(json, "], ");
    add_beginning(&prefix->whole, novel, json);
    sonde_text_add(json, ",\n \"next\": [");
    for (int32_t i = 0; i < prefix->n_next; i++) {
        const int32_t step[] = {prefix->walk[prefix->n_step], prefix->next[i].number};
        sonde_text_add(json, "%s\n  {\"action\": ", i > 0 ? "," : "");
        add_choice(policies, step, 1, json);
        sonde_text_add(json, ", ");
        add_beginning(&prefix->next[i], novel, json);
        sonde_text_add(json, "}");
    }
    sonde_text_add(json, "]}");
}
