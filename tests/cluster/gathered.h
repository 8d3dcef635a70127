/* gathered.h: the points of an embedding and one run of k-means on them, with their memory. */
#ifndef SONDE_TESTS_CLUSTER_GATHERED_H
#define SONDE_TESTS_CLUSTER_GATHERED_H

#include "cluster/kmeans_internal.h"
#include "base/rng.h"
#include "stages.h"

typedef struct {
    sonde__arena order;
    sonde__arena rest;
    sonde__points_size size;
    sonde__points points;
} gathered;

static inline gathered gather_points_on(const sonde_embedding *rows, int32_t n_thread) {
    gathered g = {0};
    sonde__points_carve_order(&g.order, rows->n_row, rows->n_code, &g.points);
    assert_true(sonde__arena_reserve(&g.order));
    sonde__points_carve_order(&g.order, rows->n_row, rows->n_code, &g.points);
    const sonde_run run = {.n_thread = n_thread};
    assert_int_equal(sonde__points_order(rows, &run, &g.points, &g.size), SONDE_OK);
    /* so that tests can make words dense */
    g.size.n_single = (int64_t)rows->n_row * rows->n_code;
    sonde__points_carve(&g.rest, &g.size, &g.points);
    assert_true(sonde__arena_reserve(&g.rest));
    sonde__points_carve(&g.rest, &g.size, &g.points);
    assert_int_equal(sonde__points_fill(&run, &g.size, &g.points), SONDE_OK);
    return g;
}

static inline gathered gather_points(const sonde_embedding *rows) {
    return gather_points_on(rows, 1);
}

/* Fills them once more. */
static inline void fill_points(gathered *g) {
    const sonde_run run = {.n_thread = 1};
    assert_int_equal(sonde__points_fill(&run, &g->size, &g->points), SONDE_OK);
}

static inline void gathered_free(gathered *g) {
    sonde__arena_free(&g->order);
    sonde__arena_free(&g->rest);
}

/* One run, or a few side by side. */
typedef struct {
    sonde__arena arena;
    sonde_run run;
    gathered g;
    sonde__kmeans kmeans;
    int32_t *label; /* of rows */
} trial;

static inline trial trial_new_several(const sonde_embedding *rows, int32_t k, int32_t n_restart,
                                      int32_t n_thread) {
    trial t = {.run = {.n_thread = n_thread}, .g = gather_points(rows)};
    for (int pass = 0; pass < 2; pass++) {
        sonde__kmeans_carve(&t.arena, &t.g.size, k, n_restart, n_thread, &t.kmeans);
        t.label = SONDE__TAKE(&t.arena, int32_t, rows->n_row);
        assert_true(pass == 1 || sonde__arena_reserve(&t.arena));
    }
    return t;
}

static inline trial trial_new(const sonde_embedding *rows, int32_t k) {
    return trial_new_several(rows, k, 1, 1);
}

static inline void trial_free(trial *t) {
    sonde__arena_free(&t->arena);
    gathered_free(&t->g);
}

static inline void label_rows(trial *t) {
    for (int32_t i = 0; i < t->g.points.n; i++) {
        t->label[t->g.points.row[i]] = t->kmeans.best.label[i];
    }
}

static inline void trial_run(trial *t, sonde__rng *rng, double shift, int32_t n_round_max) {
    sonde__kmeans_begin(&t->kmeans, &t->run, shift, n_round_max, 0);
    sonde__kmeans_fit(&t->kmeans, &t->g.points, 0, 1, rng);
    label_rows(t);
}

static inline trial run_from(const sonde_embedding *rows, int32_t k, const double *center,
                             double shift, int32_t n_round_max) {
    trial t = trial_new(rows, k);
    sonde__kmeans_begin(&t.kmeans, &t.run, shift, n_round_max, 0);
    sonde__kmeans_fit_from(&t.kmeans, &t.g.points, center);
    label_rows(&t);
    return t;
}

static inline double shift_of(const sonde_embedding *rows, double tolerance) {
    gathered g = gather_points(rows);
    const size_t bytes = (size_t)sonde__points_n_part(rows->n_code) * sizeof(double);
    double *mean = aligned_alloc(64, bytes);
    assert_non_null(mean);
    const double shift = sonde__kmeans_shift(&g.points, tolerance, mean);
    free(mean);
    gathered_free(&g);
    return shift;
}

#endif
