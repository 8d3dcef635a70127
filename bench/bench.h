/* bench.h: what the benches share: worlds, a clock, the least of many repeats, and rows.
 *
 * A row is `name value unit`. Times are minima: whatever else a machine does can only add to
 * them. */
#ifndef SONDE_BENCH_H
#define SONDE_BENCH_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "sonde_document.h"
#include "sonde_learn.h"
#include "sonde_settings.h"
#include "sonde_spm.h"
#include "sonde_world.h"

/* A bench that cannot measure has nothing to say. */
static inline void bench_need(sonde_status status, const sonde_error *error) {
    if (status != SONDE_OK) {
        fprintf(stderr, "%s\n",
                error->status == status ? error->text : sonde_status_sentence(status));
        exit(1);
    }
}

typedef struct {
    sonde_graph *graph;
    sonde_model *model;
    sonde_policies *policies;
} bench_world;

/* A world whose number of policies is near the median of its size; that of 5 nodes has 11,553, as
 * many as the one on which the authors' notebook was timed. */
static inline bench_world bench_world_new(int32_t n_node) {
    static const uint64_t seed[] = {[4] = 5, [5] = 1, [6] = 141, [7] = 131, [8] = 132};
    sonde_graph_settings drawing = sonde_graph_defaults();
    drawing.n_node = n_node;
    bench_world world = {0};
    sonde_error error = {0};
    bench_need(sonde_graph_random(&drawing, seed[n_node], &world.graph, &error), &error);
    bench_need(sonde_model_from_graph(world.graph, &world.model, NULL), &error);
    bench_need(sonde_policies_count(world.model, 0, NULL, &world.policies, &error), &error);
    return world;
}

static inline void bench_world_free(bench_world *world) {
    sonde_policies_free(world->policies);
    sonde_model_free(world->model);
    sonde_graph_free(world->graph);
}

/* The largest world to measure: the first argument, or `usual`. */
static inline int32_t bench_largest(int argc, char **argv, int32_t usual) {
    const long asked = argc > 1 ? strtol(argv[1], NULL, 10) : usual;
    return asked >= 4 && asked <= 8 ? (int32_t)asked : usual;
}

/* Two clocks: the time that passes, for work on several threads; and the processor time of this
 * process, for work on one, to which other processes add less. */
typedef double (*bench_clock)(void);
static inline double bench_passed(void) {
    return sonde__seconds();
}
static inline double bench_spent(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline double bench_batch(bench_clock clock, void (*work)(void *), void *context,
                                 uint64_t n) {
    const double began = clock();
    for (uint64_t i = 0; i < n; i++) {
        work(context);
    }
    return (clock() - began) / (double)n;
}

/* Seconds of one call: the least of at least three batches and half a second, a batch being long
 * enough for the clock. */
static inline double bench_least(bench_clock clock, void (*work)(void *), void *context) {
    uint64_t n = 1;
    double least = bench_batch(clock, work, context, n);
    while (least * (double)n < 1e-3) {
        n *= 2;
        least = bench_batch(clock, work, context, n);
    }
    const double began = bench_passed();
    for (int batch = 0; batch < 3 || bench_passed() - began < 0.5; batch++) {
        const double again = bench_batch(clock, work, context, n);
        least = again < least ? again : least;
    }
    return least;
}

static inline void bench_row(double value, const char *unit, const char *name, ...)
    SONDE_PRINTF(3, 4);
static inline void bench_row(double value, const char *unit, const char *name, ...) {
    char text[96];
    va_list rest;
    va_start(rest, name);
    (void)vsnprintf(text, sizeof text, name, rest);
    va_end(rest);
    /* counts in full, measurements to the digits that mean something */
    const bool whole = value < 9e15 && (double)(int64_t)value >= value;
    printf("%-36s %12.*g %s\n", text, whole ? 16 : 4, value, unit);
    (void)fflush(stdout);
}

#endif
