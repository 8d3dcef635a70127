/* arguments.c: from the command line's values to the library's settings, and back for defaults. */
#include "arguments.h"

/* The library's own list of weights stands in its header as "0 of them"; a command that can be run
 * again has to spell it out. */
static const cli_reals paper_weights = {.n = 4, .value = {5, 5, 10, 20}};

cli_arguments arguments_defaults(void) {
    const sonde_graph_settings graph = sonde_graph_defaults();
    const sonde_search_settings search = sonde_search_defaults();
    const sonde_run run = sonde_run_defaults();
    sonde_make_settings make = sonde_make_defaults();
    make.make = -1;
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
        .make = make,
        .search = search,
        .k_before = search.cluster.k,
        .n_step = 10,
        .n_episode = 1,
        .how = SONDE_SMOOTHING_SMOOTHED,
        .scheme = -1,
        .n_start = sonde_fit_defaults().n_start,
        .sizes = {.n = 1, .value = {40}},
        .n_again = 200,
        .n_session = 1,
        .learn = sonde_learn_defaults(),
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

sonde_model_settings arguments_model(const cli_arguments *args) {
    sonde_model_settings model = sonde_model_defaults();
    model.horizon = args->horizon;
    model.lambda = args->lambda;
    model.gamma = args->search.gamma;
    model.preferences = args->preferences;
    model.information = args->information;
    return model;
}

uint32_t arguments_differences(const cli_arguments *args) {
    return args->semantics > 0 ? SONDE_SEMANTICS_NOTEBOOK : args->differences;
}

sonde_search_settings arguments_search(const cli_arguments *args) {
    sonde_search_settings search = args->search;
    search.embed.seed = search.cluster.seed = search.seed;
    sonde_differences_apply(arguments_differences(args), args->k_before, &search);
    return search;
}
