/* document_explain_json.c: why a decision is what it is, as a part of the decision's document. */
#include <inttypes.h>

#include "base/settings.h"
#include "search/search.h"
#include "document/document_internal.h"

static void add_index(sonde_text *json, const char *key, uint64_t index) {
    sonde_text_add(json, ", \"%s\": ", key);
    sonde__document_index(json, index);
}

/* A step: what is done, or where it leads, and what that costs. */
static void add_step(const sonde_explanation *explanation, const sonde__alternative *alternative,
                     int32_t i, sonde_text *json) {
    const sonde_model *model = explanation->policies->model;
    sonde__writer_of(model)->step(json, model, alternative, i);
    sonde_text_add(json, ", ");
    sonde__document_terms(json, &alternative->step[i], explanation->novel);
    sonde_text_add(json, "}");
}

/* The policy itself, where it is whole. */
static void add_policy(const sonde_policies *policies, const sonde__alternative *alternative,
                       sonde_text *json) {
    if (alternative->n_step < policies->horizon) {
        sonde_text_add(json, "null");
        return;
    }
    sonde_text_add(json, "{\"index\": ");
    if (alternative->index < UINT64_MAX) {
        sonde__document_index(json, alternative->index);
    } else {
        sonde_text_add(json, "null");
    }
    sonde_text_add(json, ", ");
    sonde__writer_of(policies->model)->policy(json, policies, alternative->walk);
    sonde_text_add(json, "}");
}

static void add_alternative(const sonde_explanation *explanation, int32_t i, sonde_text *json) {
    const sonde_policies *policies = explanation->policies;
    const sonde__alternative *alternative = &explanation->alternative[i];
    sonde_text_add(json, "%s\n  {\"action\": ", i > 0 ? "," : "");
    sonde__writer_of(policies->model)
        ->choice(json, policies->model, explanation->state, alternative->action);
    sonde__text_pair(json, "posterior", alternative->posterior);
    sonde__text_pair(json, "probability", alternative->probability);
    sonde_text_add(json, ", \"policy\": ");
    add_policy(policies, alternative, json);
    sonde_text_add(json, ", ");
    sonde__document_terms(json, &alternative->total, explanation->novel);
    sonde__text_pair(json, "bound", alternative->bound);
    sonde_text_add(json, ", \"proven\": %s,\n   \"steps\": [",
                   alternative->proven ? "true" : "false");
    for (int32_t t = 0; t < alternative->n_step; t++) {
        sonde_text_add(json, t > 0 ? ",\n    " : "");
        add_step(explanation, alternative, t, json);
    }
    sonde_text_add(json, "]}");
}

/* How bounded search came to its certificate. */
static void add_trace(const sonde_explanation *explanation, sonde_text *json) {
    sonde_text_add(json, ",\n \"prefixes\": {\"expanded\": ");
    sonde__document_index(json, explanation->n_expanded);
    add_index(json, "merged", explanation->n_merged);
    add_index(json, "open", explanation->n_open);
    sonde_text_add(json, "}");
    sonde__text_pair(json, "tv_unbounded", explanation->tv_unbounded);
    sonde_text_add(json, ",\n \"bounds\": [");
    for (int32_t i = 0; i < explanation->n_bound; i++) {
        const sonde__bound_share *bound = &explanation->bound[i];
        sonde_text_add(json, "%s{\"name\": ", i > 0 ? ", " : "");
        sonde_text_add_quoted(json, bound->name);
        add_index(json, "open", bound->n_open);
        sonde__text_pair(json, "share", bound->share);
        sonde_text_add(json, "}");
    }
    sonde_text_add(json, "],\n \"trace\": [");
    for (int32_t i = 0; i < explanation->n_trace; i++) {
        const sonde__trace *at = &explanation->trace[i];
        sonde_text_add(json, "%s\n  {\"steps\": ", i > 0 ? "," : "");
        sonde__document_index(json, at->n_step);
        add_index(json, "expanded", at->n_expanded);
        add_index(json, "open", at->n_open);
        sonde__text_pair(json, "best", at->best_efe);
        sonde__text_pair(json, "least", at->least);
        sonde__text_pair(json, "tv", at->tv);
        sonde_text_add(json, "}");
    }
    sonde_text_add(json, "]");
}

/* What each cluster was chosen or cut on. */
static void add_evidence(const sonde_explanation *explanation, sonde_text *json) {
    sonde_text_add(json, ",\n \"probe\": ");
    sonde_text_add_quoted(json, sonde__probe_name((int32_t)explanation->probe));
    add_index(json, "cut", explanation->n_cut);
    sonde_text_add(json, ",\n \"evidence\": [");
    for (int32_t i = 0; i < explanation->n_cluster; i++) {
        const sonde__probed *cluster = &explanation->cluster[i];
        sonde_text_add(
            json, "%s\n  {\"cluster\": %" PRId32 ", \"size\": %" PRId32 ", \"scored\": %" PRId32,
            i > 0 ? "," : "", cluster->cluster, cluster->n_policy, cluster->n_probed);
        sonde__text_pair(json, "efe", cluster->probe);
        sonde_text_add(json, ", \"chosen\": %s}", cluster->chosen ? "true" : "false");
    }
    sonde_text_add(json, "]");
}

void sonde__document_explain(sonde_text *json, const sonde_explanation *explanation) {
    const int32_t grounds = (int32_t)explanation->grounds;
    sonde__document_key(json, "explain");
    sonde_text_add(json, "{\"grounds\": ");
    sonde_text_add_quoted(json, sonde__grounds_name(grounds));
    sonde__text_words(json, "meaning", explanation->because);
    if (explanation->n_trace > 0) {
        add_trace(explanation, json);
    }
    if (explanation->n_cluster > 0) {
        add_evidence(explanation, json);
    }
    sonde_text_add(json, ",\n \"alternatives\": [");
    for (int32_t i = 0; i < explanation->n_alternative; i++) {
        add_alternative(explanation, i, json);
    }
    sonde_text_add(json, "]}");
}
