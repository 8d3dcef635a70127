/* document_graph.c: a graph world as a JSON document; and what documents say of graph worlds:
 * edges, walks, nodes, and whether an agent took a shortest path. */
#include <inttypes.h>

#include "document/document_internal.h"

/* An edge as [a, b]. */
static void add_edge(sonde_text *json, const sonde_graph *graph, int32_t edge) {
    sonde_text_add(json, "[%" PRId32 ", %" PRId32 "]", graph->tail[edge], graph->head[edge]);
}

/* An action as [[a, b], [b, c]]. */
static void add_action(sonde_text *json, const sonde_graph *graph, int32_t from, int32_t to) {
    sonde_text_add(json, "[");
    add_edge(json, graph, from);
    sonde_text_add(json, ", ");
    add_edge(json, graph, to);
    sonde_text_add(json, "]");
}

static void add_names(sonde_text *json, const sonde_graph *graph) {
    sonde__document_names(json, ",\n \"names\": [", graph->name, graph->n_node);
}

/* ------------------------------------------------------------------------------------ world -- */

/* How many policies there are from the start and from everywhere. */
static void add_policy_counts(const sonde_policies *policies, int32_t start, sonde_text *json) {
    sonde__document_key(json, "policies");
    sonde_text_add(json, "{\"local\": ");
    sonde__document_count(json, sonde_policies_size(policies, start),
                          sonde_policies_size_real(policies, start));
    sonde_text_add(json, ", \"global\": ");
    sonde__document_count(json, policies->n_policy, policies->size);
    sonde_text_add(json, "}");
}

/* `distance` (n_node) from the start node and `policies` may each be NULL. */
void sonde_document_graph(const sonde_graph *graph, const double *distance,
                          const sonde_policies *policies, const char *command, sonde_text *json) {
    sonde__document_open(json, "graph", command);
    add_names(json, graph);
    sonde__document_key(json, "nodes");
    sonde_text_add(json, "%" PRId32 ", \"edges\": %" PRId32, graph->n_node, graph->n_edge);
    sonde__text_whole(json, "n_redraw", graph->n_redraw);
    sonde__text_whole(json, "n_joined", graph->n_joined);
    sonde__document_key(json, "start");
    add_edge(json, graph, graph->start);
    sonde__text_whole(json, "destination", graph->destination);
    sonde__text_whole(json, "horizon", graph->horizon);
    sonde__text_pair(json, "lambda", graph->lambda);
    sonde__text_pair(json, "idle", graph->idle);
    if (distance != NULL) {
        sonde__document_key(json, "distances");
        sonde__text_numbers(json, distance, graph->n_node);
        sonde__document_key(json, "shortest");
        sonde_text_add_number(json, distance[graph->destination]);
    }
    if (policies != NULL) {
        add_policy_counts(policies, graph->start, json);
    }
    sonde__document_key(json, "world");
    sonde_graph_write(graph, json);
    sonde__document_close(json);
}

/* ------------------------------------------------------------------------------------ writer -- */

static const sonde_graph *graph_of(const sonde_model *model) {
    return model->graph;
}

static void names(sonde_text *json, const sonde_model *model) {
    add_names(json, graph_of(model));
}

static void conventions(sonde_text *json, const sonde_model *model) {
    (void)json;
    (void)model;
}

static const int32_t self = 0; /* the factor that edges depend on, and show */

static sonde_factor factor(const sonde_model *model, int32_t f) {
    (void)f;
    return (sonde_factor){
        .n_state = model->n_state, .n_action = model->n_action, .n_depend = 1, .depend = &self};
}

static sonde_modality modality(const sonde_model *model, int32_t m) {
    (void)m;
    return (sonde_modality){.n_outcome = model->n_state, .n_factor = 1, .factor = &self};
}

static void state(sonde_text *json, const sonde_model *model, const int32_t *edge) {
    add_edge(json, graph_of(model), edge[0]);
}

static void on(sonde_text *json, const sonde_model *model, int32_t edge) {
    sonde__document_key(json, "state");
    add_edge(json, graph_of(model), edge);
}

static void present(sonde_text *json, const sonde_model *model, const sonde_present *now) {
    on(json, model, now->state);
}

static void belief(sonde_text *json, const sonde_model *model, const double *numbers) {
    sonde_text_add(json, "[");
    sonde__text_numbers(json, numbers, model->n_belief);
    sonde_text_add(json, "]");
}

static void choice(sonde_text *json, const sonde_model *model, int32_t from, int32_t action) {
    const int32_t reached = sonde_model_next(model, from, action);
    int32_t edge[2];
    (void)sonde_model_tuple(model, action, edge);
    sonde_text_add(json, "{\"to\": %" PRId32 ", \"edges\": ", graph_of(model)->head[reached]);
    add_action(json, graph_of(model), edge[0], edge[1]);
    sonde_text_add(json, "}");
}

static void chances(sonde_text *json, const sonde_model *model, const sonde_decision *decision) {
    (void)model;
    sonde_text_add(json, "[");
    for (int32_t i = 0; i < decision->n_to; i++) {
        sonde_text_add(json, "%s{\"to\": %" PRId32, i > 0 ? ", " : "", decision->to[i]);
        sonde__text_pair(json, "p", decision->to_posterior[i]);
        sonde_text_add(json, "}");
    }
    sonde_text_add(json, "]");
}

static void policy_steps(sonde_text *json, const sonde_policies *policies, const int32_t *walk) {
    const sonde_graph *graph = graph_of(policies->model);
    sonde_text_add(json, "[%" PRId32, graph->tail[walk[0]]);
    for (int32_t t = 0; t <= policies->horizon; t++) {
        sonde_text_add(json, ", %" PRId32, graph->head[walk[t]]);
    }
    sonde_text_add(json, "]");
}

static void policy(sonde_text *json, const sonde_policies *policies, const int32_t *walk) {
    sonde_text_add(json, "\"actions\": ");
    for (int32_t t = 0; t < policies->horizon; t++) {
        sonde_text_add(json, "%s", t > 0 ? ", " : "[");
        add_action(json, graph_of(policies->model), walk[t], walk[t + 1]);
    }
    sonde_text_add(json, "], \"nodes\": ");
    policy_steps(json, policies, walk);
}

static void step(sonde_text *json, const sonde_model *model, const sonde__alternative *alternative,
                 int32_t i) {
    const int32_t edge = alternative->reached[i];
    sonde_text_add(json, "{\"edge\": ");
    add_edge(json, graph_of(model), edge);
    sonde__text_pair(json, "weight", graph_of(model)->weight[edge]);
}

static void aside(sonde_text *text, const sonde_model *model, int32_t reached) {
    sonde_text_add(text, ", weight ");
    sonde__words_weight(graph_of(model)->weight[reached], text);
}

static void beginning(sonde_text *json, const sonde_model *model, int32_t edge) {
    sonde__document_key(json, "start");
    add_edge(json, graph_of(model), edge);
    sonde__text_whole(json, "destination", graph_of(model)->destination);
}

static void place(sonde_text *json, const sonde_model *model, const int32_t *edge) {
    sonde_text_add(json, "%" PRId32, graph_of(model)->head[edge[0]]);
}

/* Whether the agent took a shortest path, and if not, why. */
static void verdict(sonde_text *json, const sonde_episode *episode) {
    sonde__document_key(json, "optimal");
    sonde_text_add(json, "%s, \"failure\": ", episode->optimal ? "true" : "false");
    sonde_text_add_quoted(json, sonde_failure_name((int32_t)episode->failure));
    if (episode->reached >= 0) {
        sonde__text_whole(json, "reached", episode->reached);
    } else {
        sonde_text_add(json, ", \"reached\": null");
    }
    sonde__text_pair(json, "walked", episode->walked);
    sonde__text_pair(json, "shortest", episode->shortest);
}

static void column_state(sonde_text *csv, const sonde_model *model, int32_t edge) {
    sonde_text_add(csv, "e%" PRId32 "-%" PRId32, graph_of(model)->tail[edge],
                   graph_of(model)->head[edge]);
}

static void column_action(sonde_text *csv, const sonde_model *model, int32_t action,
                          const char *gap) {
    const sonde_graph *graph = graph_of(model);
    int32_t edge[2];
    (void)sonde_model_tuple(model, action, edge);
    sonde_text_add(csv, "%s%" PRId32 "-%" PRId32 "-%" PRId32, gap, graph->tail[edge[0]],
                   graph->head[edge[0]], graph->head[edge[1]]);
}

static void column_steps(sonde_text *csv, const sonde_policies *policies, const int32_t *walk) {
    const sonde_graph *graph = graph_of(policies->model);
    sonde_text_add(csv, "%" PRId32, graph->tail[walk[0]]);
    for (int32_t t = 0; t <= policies->horizon; t++) {
        sonde_text_add(csv, "-%" PRId32, graph->head[walk[t]]);
    }
}

const sonde__writer sonde__writer_graphs = {
    .kind = "graph",
    .steps = "nodes",
    .names = names,
    .conventions = conventions,
    .factor = factor,
    .modality = modality,
    .on = on,
    .present = present,
    .belief = belief,
    .state = state,
    .choice = choice,
    .chances = chances,
    .policy = policy,
    .policy_steps = policy_steps,
    .step = step,
    .aside = aside,
    .beginning = beginning,
    .place = place,
    .verdict = verdict,
    .column_state = column_state,
    .column_action = column_action,
    .column_steps = column_steps,
};
