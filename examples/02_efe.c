/* 02_efe.c: scores every policy from the start, and shows what the best one is made of.
 *
 * New here: policies are not stored. They have an index, sonde_efe_range scores a stretch of
 * indices, and sonde_policies_get turns one index into a walk of T + 1 edges. */
#include <sonde.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t smallest(const double *efe, uint64_t n) {
    uint64_t best = 0;
    for (uint64_t i = 1; i < n; i++) {
        best = efe[i] < efe[best] ? i : best;
    }
    return best;
}

/* The terms of G, step by step, along the best policy. */
static void show(const sonde_policies *policies, const int32_t *walk) {
    const sonde_model *model = policies->model;
    const sonde_graph *graph = model->graph;
    sonde_efe *steps = calloc((size_t)policies->horizon, sizeof *steps);
    sonde_efe total;
    const sonde_walks one = {1, policies->horizon, walk};
    const sonde_scores scores = {.total = &total, .step = steps};
    const sonde_present now = {.state = graph->start};
    if (steps == NULL || sonde_efe_walks(model, now, &one, NULL, &scores, NULL) != SONDE_OK) {
        free(steps);
        return;
    }
    printf("step   to        G     risk  ambiguity     cost\n");
    for (int32_t t = 0; t < policies->horizon; t++) {
        printf("%4d %4d %8.3f %8.3f %10.3f %8.3f\n", t + 1, graph->head[walk[t + 1]], steps[t].efe,
               steps[t].term[SONDE_RISK], steps[t].term[SONDE_AMBIGUITY],
               steps[t].term[SONDE_COST]);
    }
    printf(" sum      %8.3f %8.3f %10.3f %8.3f\n", total.efe, total.term[SONDE_RISK],
           total.term[SONDE_AMBIGUITY], total.term[SONDE_COST]);
    free(steps);
}

/* G of all policies from the start edge, then the best of them. */
static sonde_status score(const sonde_policies *policies) {
    const sonde_model *model = policies->model;
    const int32_t start = model->graph->start;
    const sonde_range all = {start, 0, sonde_policies_size(policies, start)};
    double *efe = calloc(all.n, sizeof *efe);
    int32_t *walk = calloc((size_t)policies->horizon + 1, sizeof *walk);
    sonde_status status = efe != NULL && walk != NULL ? SONDE_OK : SONDE_NO_MEMORY;
    if (!status) {
        status = sonde_efe_range(policies, (sonde_present){.state = start}, all, NULL, efe, NULL);
    }
    const uint64_t best = !status ? smallest(efe, all.n) : 0;
    if (!status) {
        status = sonde_policies_get(policies, start, best, walk, NULL);
    }
    if (!status) {
        printf("policy %llu of %llu is the best\n", (unsigned long long)best,
               (unsigned long long)all.n);
        show(policies, walk);
    }
    free(walk);
    free(efe);
    return status;
}

int main(void) {
    sonde_graph_settings drawing = sonde_graph_defaults();
    sonde_graph *graph = NULL;
    sonde_model *model = NULL;
    sonde_policies *policies = NULL;
    sonde_status status = sonde_graph_random(&drawing, 57, &graph, NULL);
    if (!status)
        status = sonde_model_from_graph(graph, &model, NULL);
    if (!status)
        status = sonde_policies_count(model, 0, NULL, &policies, NULL);
    if (!status)
        status = score(policies);
    sonde_policies_free(policies);
    sonde_model_free(model);
    sonde_graph_free(graph);
    return (int)status;
}
