/* embed_pca.c: principal components, for pictures.
 *
 * The covariance of the rows, each with the weight of its policies, and its two leading
 * eigenvectors. Sums run in row order, so the bits do not depend on threads. */
#include "base/linalg.h"
#include "base/memory.h"
#include "sonde.h"

typedef struct {
    sonde_pca pca; /* first: a pointer to it is a pointer to the block */
    double *mean;
    double *axis;
} build;

/* scratch that the caller never sees */
typedef struct {
    double *covariance; /* (n, n) */
    double *value;      /* (n) */
    double *vector;     /* (n, n) */
} scratch;

static build *carve(sonde__arena *arena, uint64_t n) {
    build *b = SONDE__TAKE(arena, build, 1);
    build none;
    build *to = b != NULL ? b : &none;
    to->mean = SONDE__TAKE(arena, double, n);
    to->axis = SONDE__TAKE(arena, double, 2 * n);
    return b;
}

static void carve_scratch(sonde__arena *arena, uint64_t n, scratch *s) {
    s->covariance = SONDE__TAKE(arena, double, n *n);
    s->value = SONDE__TAKE(arena, double, n);
    s->vector = SONDE__TAKE(arena, double, n *n);
}

static void find_mean(const sonde_embedding *embedding, double *mean) {
    const int32_t n = embedding->n_column;
    for (int32_t r = 0; r < embedding->n_row; r++) {
        const double *row = embedding->row + (int64_t)r * n;
        for (int32_t j = 0; j < n; j++) {
            mean[j] += (double)embedding->weight[r] * row[j];
        }
    }
    for (int32_t j = 0; j < n; j++) {
        mean[j] /= (double)embedding->n_policy;
    }
}

static void find_covariance(const sonde_embedding *embedding, const double *mean,
                            double *covariance) {
    const int32_t n = embedding->n_column;
    for (int32_t r = 0; r < embedding->n_row; r++) {
        const double *row = embedding->row + (int64_t)r * n;
        for (int32_t i = 0; i < n; i++) {
            const double scaled = (double)embedding->weight[r] * (row[i] - mean[i]);
            for (int32_t j = 0; j < n; j++) {
                covariance[(int64_t)i * n + j] += scaled * (row[j] - mean[j]);
            }
        }
    }
}

sonde_status sonde_pca_fit(const sonde_embedding *embedding, sonde_pca **pca) {
    const int32_t n = embedding->n_column;
    sonde__arena arena = {0};
    sonde__arena rough = {0};
    scratch s;
    (void)carve(&arena, (uint64_t)n);
    carve_scratch(&rough, (uint64_t)n, &s);
    if (!sonde__arena_reserve(&arena) || !sonde__arena_reserve(&rough)) {
        sonde__arena_free(&arena);
        return SONDE_NO_MEMORY;
    }
    build *b = carve(&arena, (uint64_t)n);
    carve_scratch(&rough, (uint64_t)n, &s);
    find_mean(embedding, b->mean);
    find_covariance(embedding, b->mean, s.covariance);
    sonde__eigen(n, s.covariance, s.value, s.vector);
    double total = 0.0;
    for (int32_t j = 0; j < n; j++) {
        total += s.value[j] > 0.0 ? s.value[j] : 0.0;
    }
    b->pca = (sonde_pca){.n_column = n, .mean = b->mean, .axis = b->axis};
    for (int32_t i = 0; i < 2 && i < n; i++) {
        b->pca.share[i] = total > 0.0 && s.value[i] > 0.0 ? s.value[i] / total : 0.0;
        for (int32_t j = 0; j < n; j++) {
            b->axis[(int64_t)i * n + j] = s.vector[(int64_t)i * n + j];
        }
    }
    sonde__arena_free(&rough);
    *pca = &b->pca;
    return SONDE_OK;
}

void sonde_pca_project(const sonde_pca *pca, const double *row, double xy[2]) {
    for (int32_t i = 0; i < 2; i++) {
        xy[i] = 0.0;
        for (int32_t j = 0; j < pca->n_column; j++) {
            xy[i] += pca->axis[(int64_t)i * pca->n_column + j] * (row[j] - pca->mean[j]);
        }
    }
}

void sonde_pca_free(sonde_pca *pca) {
    sonde__free(pca);
}
