/* 03_search.c: full, clustered and bounded search in the same worlds.
 *
 * New here: the search settings. The worlds, the start and the destination depend on the seed
 * alone, so that all kinds of search are tried on the same twenty worlds. */
#include <sonde.h>
#include <stdio.h>

enum { N_WORLD = 20, N_STEP = 10 };

typedef struct {
    const char *name;
    sonde_search_kind search;
    sonde_probe probe;
    int32_t n_optimal;
    double equivalent; /* whole policies' worth of scoring, over all decisions */
} contender;

/* One episode; its result is added to the contender's. */
static sonde_status compete(const sonde_policies *policies, contender *c, sonde_error *error) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = c->search;
    settings.probe = c->probe;
    sonde_agent *agent = NULL;
    sonde_episode *episode = NULL;
    sonde_status status = sonde_agent_new(policies, &settings, NULL, &agent, error);
    if (!status)
        status = sonde_simulate(agent, NULL, N_STEP, &episode, error);
    for (int32_t t = 0; !status && t < N_STEP; t++) {
        c->equivalent += episode->evaluations[t].equivalent;
    }
    c->n_optimal += !status && episode->optimal;
    sonde_episode_free(episode);
    sonde_agent_free(agent);
    return status;
}

static sonde_status visit_world(uint64_t seed, contender *c, int32_t n, sonde_error *error) {
    sonde_graph_settings drawing = sonde_graph_defaults();
    drawing.n_node = 4;
    sonde_graph *graph = NULL;
    sonde_model *model = NULL;
    sonde_policies *policies = NULL;
    sonde_status status = sonde_graph_random(&drawing, seed, &graph, error);
    if (!status)
        status = sonde_model_from_graph(graph, &model, error);
    if (!status)
        status = sonde_policies_count(model, 0, NULL, &policies, error);
    for (int32_t i = 0; !status && i < n; i++) {
        status = compete(policies, &c[i], error);
    }
    sonde_policies_free(policies);
    sonde_model_free(model);
    sonde_graph_free(graph);
    return status;
}

int main(void) {
    contender c[] = {{"full", SONDE_SEARCH_FULL, SONDE_PROBE_CENTER, 0, 0.0},
                     {"cluster, center", SONDE_SEARCH_CLUSTER, SONDE_PROBE_CENTER, 0, 0.0},
                     {"cluster, sample", SONDE_SEARCH_CLUSTER, SONDE_PROBE_SAMPLE, 0, 0.0},
                     {"bounded", SONDE_SEARCH_BOUNDED, SONDE_PROBE_CENTER, 0, 0.0}};
    const int32_t n = (int32_t)(sizeof c / sizeof *c);
    sonde_error error = {0};
    sonde_status status = SONDE_OK;
    for (uint64_t seed = 1; !status && seed <= N_WORLD; seed++) {
        status = visit_world(seed, c, n, &error);
    }
    if (status) {
        puts(error.text);
        return (int)status;
    }
    printf("%-16s %7s %22s\n", "search", "optimal", "policies a decision");
    for (int32_t i = 0; i < n; i++) {
        printf("%-16s %2d / %d %22.1f\n", c[i].name, c[i].n_optimal, N_WORLD,
               c[i].equivalent / (N_WORLD * N_STEP));
    }
    return 0;
}
