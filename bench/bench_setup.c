/* bench_setup.c: what has to be done once before clustered search can begin.
 *
 *     bench_setup [N]    worlds of 4 to N nodes, 6 unless given
 *
 * Listing the policies of a scope one by one; then, for each embedding, making its rows (embed) and
 * clustering them (cluster) on one thread, and clustering on every core. Each embedding is measured
 * in a process of its own, so that the memory it came to hold at its worst moment, divided by the
 * number of policies, is a figure of that embedding alone. Spaces too small for that show none. */
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

/* policies from which on a process's size says something about them */
#define N_POLICY_MIN 10000.0

typedef struct {
    const bench_world *world;
    int32_t kind; /* of embedding */
    int32_t origin;
    sonde_run run;
    int32_t *walk; /* (T + 1) */
    sonde_embedder *embedder;
    sonde_embedding *rows;
    sonde_clusters *clusters;
} stage;

static void list(void *context) {
    stage *s = context;
    const uint64_t n_policy = sonde_policies_size(s->world->policies, s->origin);
    for (uint64_t i = 0; i < n_policy; i++) {
        (void)sonde_policies_get(s->world->policies, s->origin, i, s->walk, NULL);
    }
}

static void embed(void *context) {
    stage *s = context;
    sonde_error error = {0};
    const sonde_embed_settings settings = {.kind = s->kind};
    sonde_embedding_free(s->rows);
    sonde_embedder_free(s->embedder);
    bench_need(sonde_embedder_new(s->world->policies, &settings, &s->run, &s->embedder, &error),
               &error);
    bench_need(sonde_embedding_new(s->embedder, s->origin, &s->run, &s->rows, &error), &error);
}

static void cluster(void *context) {
    stage *s = context;
    sonde_error error = {0};
    const sonde_cluster_settings settings = sonde_search_defaults().cluster;
    sonde_clusters_free(s->clusters);
    bench_need(sonde_clusters_fit(s->rows, &settings, &s->run, &s->clusters, &error), &error);
}

/* The most memory this process has held so far, in bytes. */
static double most_memory(void) {
    struct rusage usage = {0};
    (void)getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

/* Everything about one embedding; `name` is what its rows begin with. */
static void measure(stage *s, const char *name) {
    const double before = most_memory();
    s->run.n_thread = 1;
    embed(s);
    cluster(s);
    const double n_policy = (double)s->rows->n_policy;
    if (n_policy >= N_POLICY_MIN) {
        bench_row((most_memory() - before) / n_policy, "bytes/policy", "%s.memory", name);
    }
    bench_row((double)s->rows->n_row, "rows", "%s.rows", name);
    bench_row(bench_least(bench_spent, embed, s), "s", "%s.embed", name);
    bench_row(bench_least(bench_spent, cluster, s), "s", "%s.cluster", name);
    s->run.n_thread = 0;
    bench_row(bench_least(bench_passed, cluster, s), "s", "%s.cluster.threads", name);
}

/* The same in a process of its own. */
static void measure_apart(stage *s, const char *name) {
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        measure(s, name);
        (void)fflush(stdout);
        _exit(0);
    }
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "%s: could not be measured\n", name);
        exit(1);
    }
}

static void measure_world(const bench_world *world, sonde_scope scope) {
    const char *where = sonde_scope_name((int32_t)scope);
    const int n_node = (int)world->graph->n_node;
    stage s = {.world = world,
               .origin = scope == SONDE_GLOBAL ? SONDE_EVERYWHERE : world->graph->start,
               .run = sonde_run_defaults(),
               .walk = calloc((size_t)world->policies->horizon + 1, sizeof(int32_t))};
    bench_need(s.walk != NULL ? SONDE_OK : SONDE_NO_MEMORY, &(sonde_error){0});
    bench_row(sonde_policies_size_real(world->policies, s.origin), "policies",
              "setup.%s.n%d.policies", where, n_node);
    bench_row(bench_least(bench_spent, list, &s), "s", "setup.%s.n%d.list", where, n_node);
    for (s.kind = 0; sonde_embedding_name(s.kind) != NULL; s.kind++) {
        char name[64];
        (void)snprintf(name, sizeof name, "setup.%s.n%d.%s", where, n_node,
                       sonde_embedding_name(s.kind));
        measure_apart(&s, name);
    }
    free(s.walk);
}

int main(int argc, char **argv) {
    const int32_t largest = bench_largest(argc, argv, 6);
    for (int32_t n_node = 4; n_node <= largest; n_node++) {
        bench_world world = bench_world_new(n_node);
        measure_world(&world, SONDE_LOCAL);
        measure_world(&world, SONDE_GLOBAL);
        bench_world_free(&world);
    }
    return 0;
}
