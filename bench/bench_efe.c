/* bench_efe.c: what a full decision costs for each policy, and the least it could cost.
 *
 *     bench_efe [N]      worlds of 4 to N nodes, 7 unless given
 *
 * A full decision scores every policy and adds up the posterior. The floor is one look-up in a
 * table of edges and one addition for each policy, as a plain loop over an array; the posterior's
 * exponentials, on their own, are what stands between the two. */
#include "base/numbers.h"
#include "base/rng.h"
#include "bench.h"

enum { BLOCK = 1024, N_EDGE = 32 };

typedef struct {
    int32_t edge[BLOCK]; /* in no order that a processor could guess */
    double step[N_EDGE];
    double efe[BLOCK];
    volatile double kept; /* so that no result is thrown away */
} array;

/* The floor: a look-up and an addition for each element. Aligned, because a loop that happens to
 * lie across two cache lines takes half as long again. */
__attribute__((aligned(64))) static void look_up_and_add(void *context) {
    array *a = context;
    const double sum = a->kept;
    for (int32_t i = 0; i < BLOCK; i++) {
        a->efe[i] = sum + a->step[a->edge[i]];
    }
    a->kept = a->efe[a->edge[0]] * 1e-9;
}

static void exponentials(void *context) {
    array *a = context;
    a->kept = sonde__sum_exp(BLOCK, a->efe, 1.0, 0.0);
}

static void measure_floor(void) {
    static array a;
    sonde__rng rng = sonde__rng_stream(1, SONDE__FOR_GRAPH, 0);
    for (int32_t i = 0; i < BLOCK; i++) {
        a.edge[i] = (int32_t)sonde__rng_below(&rng, N_EDGE);
    }
    for (int32_t e = 0; e < N_EDGE; e++) {
        a.step[e] = 100.0 * sonde__rng_uniform(&rng);
    }
    bench_row(1e9 / BLOCK * bench_least(bench_spent, look_up_and_add, &a), "ns/policy",
              "efe.floor");
    bench_row(1e9 / BLOCK * bench_least(bench_spent, exponentials, &a), "ns/policy",
              "efe.exponentials");
}

/* One decision from the start. */
static void decide(void *context) {
    sonde_agent *agent = context;
    const sonde_decision *decision = NULL;
    sonde_agent_reset(agent);
    (void)sonde_agent_observe(agent, &sonde_agent_policies(agent)->model->graph->start, NULL);
    bench_need(sonde_agent_search(agent, &decision, NULL), &(sonde_error){0});
}

static void measure(const bench_world *world, sonde_scope scope) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = SONDE_SEARCH_FULL;
    settings.scope = scope;
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    bench_need(sonde_agent_new(world->policies, &settings, NULL, &agent, &error), &error);
    const int32_t origin = scope == SONDE_GLOBAL ? SONDE_EVERYWHERE : world->graph->start;
    const double n_policy = sonde_policies_size_real(world->policies, origin);
    const double seconds = bench_least(bench_spent, decide, agent);
    const char *name = sonde_scope_name((int32_t)scope);
    const int32_t n_node = world->graph->n_node;
    bench_row(n_policy, "policies", "efe.%s.n%d.policies", name, (int)n_node);
    bench_row(1e6 * seconds, "us", "efe.%s.n%d.decision", name, (int)n_node);
    bench_row(1e9 * seconds / n_policy, "ns/policy", "efe.%s.n%d.each", name, (int)n_node);
    sonde_agent_free(agent);
}

int main(int argc, char **argv) {
    const int32_t largest = bench_largest(argc, argv, 7);
    measure_floor();
    for (int32_t n_node = 4; n_node <= largest; n_node++) {
        bench_world world = bench_world_new(n_node);
        measure(&world, SONDE_LOCAL);
        measure(&world, SONDE_GLOBAL);
        bench_world_free(&world);
    }
    return 0;
}
