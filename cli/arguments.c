/* arguments.c: from the command line's values to the library's settings, and back for defaults. */
#include "arguments.h"

/* The library's own list of weights stands in its header as "0 of them"; a command that can be run
 * again has to spell it out. */
static const cli_reals paper_weights = {.n = 4, .value = {5, 5, 10, 20}};

cli_arguments arguments_defaults(void) {
    const sonde_graph_settings graph = sonde_graph_defaults();
    const sonde_search_settings search = sonde_search_defaults();
    const sonde_run run = sonde_run_defaults();
    return (cli_arguments){
        .edge_probability = graph.edge_probability,
        .connect = (int32_t)graph.connect,
        .weights = paper_weights,
        .idle = graph.idle,
        .horizon = graph.horizon,
        .lambda = graph.lambda,
        .preferences = -1,
        .information = -1,
        .like = -1,
        .seed = search.seed,
        .search = (int32_t)search.search,
        .fallback = search.fallback,
        .scope = (int32_t)search.scope,
        .embedding = search.embed.kind,
        .onehot_weight = search.embed.onehot_weight,
        .method = -1,
        .k = search.cluster.k,
        .n_restart = search.cluster.n_restart,
        .probe = (int32_t)search.probe,
        .n_sample = search.n_sample,
        .delta = search.delta,
        .n_top = search.n_top,
        .n_depth = search.n_depth,
        .action = (int32_t)search.action,
        .alpha = search.alpha,
        .gamma = search.gamma,
        .n_follow = search.n_follow,
        .epsilon = search.epsilon,
        .n_beam = search.n_beam,
        .surprise = -1.0,
        .k_before = search.k_before,
        .n_step = 10,
        .memory = run.memory,
    };
}

sonde_graph_settings arguments_graph(const cli_arguments *args) {
    sonde_graph_settings graph = sonde_graph_defaults();
    graph.n_node = args->n_node;
    graph.edge_probability = args->edge_probability;
    graph.connect = (sonde_connect)args->connect;
    graph.n_weight = args->weights.n;
    graph.weight = args->weights.value;
    graph.idle = args->idle;
    graph.start = args->start;
    graph.destination = args->destination;
    graph.horizon = args->horizon;
    graph.lambda = args->lambda;
    return graph;
}

sonde_input_settings arguments_input(const cli_arguments *args) {
    sonde_input_settings input = sonde_input_defaults();
    input.graph = arguments_graph(args);
    input.model.horizon = args->horizon;
    input.model.lambda = args->lambda;
    input.model.gamma = args->gamma;
    input.model.preferences = args->preferences;
    input.model.information = args->information;
    input.seed = args->seed;
    return input;
}

sonde_embed_settings arguments_embed(const cli_arguments *args) {
    sonde_embed_settings embed = sonde_embed_defaults();
    embed.kind = args->embedding;
    embed.onehot_weight = args->onehot_weight >= 0.0 ? args->onehot_weight : embed.onehot_weight;
    embed.ngram = args->ngram;
    embed.n_end = args->n_end;
    embed.n_dimension = args->n_dimension;
    embed.n_sample = args->policy_sample;
    embed.seed = args->seed;
    return embed;
}

sonde_cluster_settings arguments_cluster(const cli_arguments *args) {
    sonde_cluster_settings cluster = sonde_cluster_defaults();
    cluster.method = args->method >= 0 ? (sonde_cluster_method)args->method : cluster.method;
    cluster.k = args->k;
    cluster.n_restart = args->n_restart;
    cluster.seed = args->seed;
    return cluster;
}

sonde_search_settings arguments_search(const cli_arguments *args) {
    sonde_search_settings search = sonde_search_defaults();
    search.search = (sonde_search_kind)args->search;
    search.fallback = args->fallback;
    search.scope = args->scope >= 0 ? (sonde_scope)args->scope : search.scope;
    search.embed = arguments_embed(args);
    search.cluster = arguments_cluster(args);
    search.probe = (sonde_probe)args->probe;
    search.n_sample = args->n_sample;
    search.delta = args->delta;
    search.n_top = args->n_top;
    search.n_member = args->n_member;
    search.n_branch = args->n_branch;
    search.n_depth = args->n_depth;
    search.gamma = args->gamma;
    search.alpha = args->alpha;
    search.action = (sonde_action_rule)args->action;
    search.per_factor = args->per_factor;
    search.n_follow = args->n_follow;
    search.epsilon = args->epsilon;
    search.budget = args->budget;
    search.n_beam = args->n_beam;
    search.deadline = 1e-3 * args->deadline;
    search.surprise = args->surprise >= 0.0 ? args->surprise : search.surprise;
    search.differences =
        args->differences | (args->semantics > 0 ? SONDE_SEMANTICS_NOTEBOOK : SONDE_SEMANTICS_TEXT);
    search.k_before = args->k_before > 0 ? args->k_before : search.k_before;
    search.seed = args->seed;
    return search;
}
