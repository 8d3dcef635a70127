/* model_write_graph.c: a graph world as a general model.
 *
 * One factor whose states are the edges and whose actions are the pairs of consecutive edges, one
 * modality that shows the state. B is what sonde_model_next says, for every state and action: it
 * grows with the product of the two, which is why graph worlds have a model of their own. */
#include <string.h>

#include "base/text.h"
#include "model/model_internal.h"

#define ARROW "\xE2\x86\x92"

/* Whether nodes may be called by their names: an arrow in one would leave open what a→b→c
 * means. */
static bool has_plain_names(const sonde_graph *graph) {
    bool plain = graph->name != NULL;
    for (int32_t v = 0; plain && v < graph->n_node; v++) {
        plain = strstr(graph->name[v], ARROW) == NULL;
    }
    return plain;
}

/* A node inside a quoted text. */
static void add_node(sonde_text *name, const sonde_graph *graph, int32_t node, bool named) {
    if (named) {
        sonde_text_add(name, "%s", graph->name[node]);
    } else {
        sonde_text_add(name, "%d", node);
    }
}

/* Edges as a→b, or actions as a→b→c. */
static void add_names(sonde_text *text, const sonde_model *model, bool actions, bool named) {
    const sonde_graph *graph = model->graph;
    const int32_t n = actions ? model->n_action : model->n_state;
    sonde_text_add(text, "[");
    for (int32_t i = 0; i < n && !text->failed; i++) {
        int32_t edge[2] = {i, i};
        if (actions) {
            (void)sonde_model_tuple(model, i, edge);
        }
        sonde_text name = {0};
        add_node(&name, graph, graph->tail[edge[0]], named);
        sonde_text_add(&name, ARROW);
        add_node(&name, graph, graph->head[edge[0]], named);
        if (actions) {
            sonde_text_add(&name, ARROW);
            add_node(&name, graph, graph->head[edge[1]], named);
        }
        sonde_text_add(text, i > 0 ? ", " : "");
        sonde_text_add_quoted(text, name.data != NULL ? name.data : "");
        text->failed = text->failed || name.failed;
        sonde_text_free(&name);
    }
    sonde_text_add(text, "]");
}

/* Every action in every state. */
static void add_transitions(sonde_text *text, const sonde_model *model) {
    sonde_text_add(text, "{\"shape\": [%d, %d, %d], \"entries\": [", model->n_state, model->n_state,
                   model->n_action);
    for (int32_t s = 0; s < model->n_state && !text->failed; s++) {
        for (int32_t u = 0; u < model->n_action; u++) {
            sonde_text_add(text, "%s[%d, %d, %d, 1]", s + u > 0 ? ", " : "",
                           sonde_model_next(model, s, u), s, u);
        }
    }
    sonde_text_add(text, "]}");
}

static void add_identity(sonde_text *text, int32_t n) {
    sonde_text_add(text, "{\"shape\": [%d, %d], \"entries\": [", n, n);
    for (int32_t s = 0; s < n; s++) {
        sonde_text_add(text, "%s[%d, %d, 1]", s > 0 ? ", " : "", s, s);
    }
    sonde_text_add(text, "]}");
}

static void add_numbers(sonde_text *text, int32_t n, const double *value) {
    for (int32_t i = 0; i < n; i++) {
        sonde_text_add(text, i > 0 ? ", " : "");
        sonde_text_add_number(text, value[i]);
    }
}

static void add_allowed(sonde_text *text, const sonde_model *model) {
    for (int32_t s = 0; s < model->n_state; s++) {
        for (int32_t u = model->action[s]; u < model->action[s + 1]; u++) {
            sonde_text_add(text, "%s[%d, %d]", u > 0 ? ", " : "", s, u);
        }
    }
}

sonde_status sonde__model_write_graph(const sonde_model *model, sonde_text *text,
                                      sonde_error *error) {
    const sonde_graph *graph = model->graph;
    const bool named = has_plain_names(graph);
    const uint64_t n_entry = sonde__multiply((uint64_t)model->n_state, (uint64_t)model->n_action);
    const uint64_t n_other = 5 * (uint64_t)model->n_state + 2 * (uint64_t)model->n_action;
    const sonde_status status =
        sonde__check_numbers(sonde__add(sonde__multiply(n_entry, 4), n_other), error);
    if (status != SONDE_OK) {
        return status;
    }
    sonde_text_add(text,
                   "{\"format\": \"sonde-model\", \"version\": 1, \"name\": \"graph world\",\n"
                   " \"factors\": [{\"name\": \"edge\", \"states\": ");
    add_names(text, model, false, named);
    sonde_text_add(text, ",\n  \"actions\": ");
    add_names(text, model, true, named);
    sonde_text_add(text, "}],\n \"modalities\": [{\"name\": \"edge\", \"outcomes\": ");
    add_names(text, model, false, named);
    sonde_text_add(text, "}],\n \"A\": [");
    add_identity(text, model->n_state);
    sonde_text_add(text, "],\n \"B\": [");
    add_transitions(text, model);
    sonde_text_add(text, "],\n \"C\": [[");
    add_numbers(text, model->n_state, model->preference);
    sonde_text_add(text, "]],\n \"D\": [{\"shape\": [%d], \"entries\": [[%d, 1]]}],\n",
                   model->n_state, graph->start);
    sonde_text_add(text, " \"preferences\": \"probability\", \"information\": \"per-modality\",\n"
                         " \"cost\": [[");
    add_numbers(text, model->n_state, graph->weight);
    sonde_text_add(text, "]], \"lambda\": ");
    sonde_text_add_number(text, graph->lambda);
    sonde__text_pair(text, "gamma", model->gamma);
    sonde_text_add(text, ",\n \"horizon\": %d, \"policies\": \"allowed\",\n \"allowed\": [[",
                   model->horizon);
    add_allowed(text, model);
    sonde_text_add(text, "]]}\n");
    return SONDE_OK;
}
