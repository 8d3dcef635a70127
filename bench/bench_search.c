/* bench_search.c: what a clustered decision costs once its clusters are there.
 *
 *     bench_search [N]   worlds of 4 to N nodes, 6 unless given
 *
 * Each agent makes one decision before the clock starts, which in local scope clusters the policies
 * of the start edge. What clustering itself costs is bench_setup's to say. */
#include "bench.h"

typedef struct {
    sonde_agent *agent;
    const sonde_decision *decision;
} planner;

static void decide(void *context) {
    planner *p = context;
    sonde_agent_reset(p->agent);
    (void)sonde_agent_observe(p->agent, &sonde_agent_model(p->agent)->graph->start);
    bench_need(sonde_agent_search(p->agent, &p->decision), &(sonde_error){0});
}

static void measure(const bench_world *world, sonde_scope scope, sonde_probe probe) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = SONDE_SEARCH_CLUSTER;
    settings.scope = scope;
    settings.probe = probe;
    planner p = {0};
    sonde_error error = {0};
    bench_need(sonde_agent_new(world->policies, &settings, NULL, &p.agent, &error), &error);
    decide(&p);
    const double seconds = bench_least(bench_spent, decide, &p);
    char name[64];
    (void)snprintf(name, sizeof name, "search.%s.%s.n%d", sonde_scope_name((int32_t)scope),
                   sonde_probe_name((int32_t)probe), (int)world->graph->n_node);
    bench_row(1e6 * seconds, "us", "%s.decision", name);
    bench_row((double)p.decision->evaluations.n_policy, "policies", "%s.scored", name);
    bench_row(1e9 * seconds / (double)p.decision->evaluations.n_policy, "ns/policy", "%s.each",
              name);
    sonde_agent_free(p.agent);
}

int main(int argc, char **argv) {
    const int32_t largest = bench_largest(argc, argv, 6);
    for (int32_t n_node = 4; n_node <= largest; n_node++) {
        bench_world world = bench_world_new(n_node);
        for (int i = 0; i < 4; i++) {
            measure(&world, i < 2 ? SONDE_LOCAL : SONDE_GLOBAL,
                    i % 2 == 0 ? SONDE_PROBE_CENTER : SONDE_PROBE_SAMPLE);
        }
        bench_world_free(&world);
    }
    return 0;
}
