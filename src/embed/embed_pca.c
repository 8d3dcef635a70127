/* embed_pca.c: principal components, for pictures.
 *
 * The covariance of the rows, each with the weight of its policies, and its two leading
 * eigenvectors. With few columns the matrix is written down and decomposed. With many it never is:
 * rows are codes then, with few numbers that are not 0, and the Lanczos method only asks for
 *
 *     covariance v = sum over rows of weight (row . v - mean . v) (row - mean)
 *
 * which costs as much as there are such numbers. (Rows with a basis are left to the first way: to
 * find the basis took as long.) The total variance is a sum over columns, either way. Sums run in
 * row order, so the bits do not depend on threads. */
#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"
#include "embed/embed.h"
#include "base/status.h"
#include "sonde_embed.h"

/* columns up to which the matrix is written down */
#define N_COLUMN_FULL 256

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
    double *row;        /* (n) */
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
    s->row = SONDE__TAKE(arena, double, n);
}

static void find_mean(const sonde_embedding *embedding, double *row, double *mean) {
    const int32_t n = embedding->n_column;
    for (int32_t r = 0; r < embedding->n_row; r++) {
        sonde_embedding_row(embedding, r, row);
        for (int32_t j = 0; j < n; j++) {
            mean[j] += (double)embedding->weight[r] * row[j];
        }
    }
    for (int32_t j = 0; j < n; j++) {
        mean[j] /= (double)embedding->n_policy;
    }
}

static void find_covariance(const sonde_embedding *embedding, const double *mean, double *row,
                            double *covariance) {
    const int32_t n = embedding->n_column;
    for (int32_t r = 0; r < embedding->n_row; r++) {
        sonde_embedding_row(embedding, r, row);
        for (int32_t i = 0; i < n; i++) {
            const double scaled = (double)embedding->weight[r] * (row[i] - mean[i]);
            for (int32_t j = 0; j < n; j++) {
                covariance[(int64_t)i * n + j] += scaled * (row[j] - mean[j]);
            }
        }
    }
}

/* Few columns: all eigenvectors of the matrix. Returns the total variance, or a negative number
 * without memory. */
static double fit_full(const sonde_embedding *embedding, build *b) {
    const int32_t n = embedding->n_column;
    sonde__arena rough = {0};
    scratch s;
    carve_scratch(&rough, (uint64_t)n, &s);
    if (!sonde__arena_reserve(&rough)) {
        return -1.0;
    }
    carve_scratch(&rough, (uint64_t)n, &s);
    find_mean(embedding, s.row, b->mean);
    find_covariance(embedding, b->mean, s.row, s.covariance);
    sonde__eigen(n, s.covariance, s.value, s.vector);
    double total = 0.0;
    for (int32_t j = 0; j < n; j++) {
        total += s.value[j] > 0.0 ? s.value[j] : 0.0;
    }
    for (int32_t i = 0; i < 2 && i < n; i++) {
        b->pca.share[i] = s.value[i];
        memcpy(b->axis + (int64_t)i * n, s.vector + (int64_t)i * n, (size_t)n * sizeof *b->axis);
    }
    sonde__arena_free(&rough);
    return total;
}

/* ----------------------------------------------------------------------------- many columns -- */

/* the numbers of the rows that are not 0 */
typedef struct {
    const sonde_embedding *embedding;
    int64_t *offset; /* (n_row + 1) */
    int32_t *column; /* (offset's last) */
    double *value;   /* (offset's last) */
    double *present; /* (n_column) policies whose row is not 0 there */
    double *mean;    /* (n_column) */
    sonde__leading room;
} sparse;

static void carve_sparse(sonde__arena *arena, int64_t n_entry, sparse *s) {
    const sonde_embedding *embedding = s->embedding;
    s->offset = SONDE__TAKE(arena, int64_t, (uint64_t)embedding->n_row + 1);
    s->column = SONDE__TAKE(arena, int32_t, n_entry);
    s->value = SONDE__TAKE(arena, double, n_entry);
    s->present = SONDE__TAKE(arena, double, embedding->n_column);
    sonde__leading_carve(arena, embedding->n_column, &s->room);
}

static int64_t count_entries(const sonde_embedding *embedding) {
    int64_t n = 0;
    for (int64_t i = 0; i < (int64_t)embedding->n_row * embedding->n_code; i++) {
        n += (embedding->small != NULL ? embedding->small[i] != 0 : embedding->code[i] != 0.0);
    }
    return n;
}

static void list_entries(sparse *s) {
    const sonde_embedding *embedding = s->embedding;
    int64_t n = 0;
    for (int32_t r = 0; r < embedding->n_row; r++) {
        for (int32_t j = 0; j < embedding->n_column; j++) {
            const double value = sonde__embedding_at(embedding, r, j);
            if (value != 0.0) {
                s->column[n] = j;
                s->value[n] = value;
                n++;
            }
        }
        s->offset[r + 1] = n;
    }
}

/* Fills the mean, and returns the total variance. */
static double find_moments(sparse *s) {
    const sonde_embedding *embedding = s->embedding;
    const double n_policy = (double)embedding->n_policy;
    for (int32_t r = 0; r < embedding->n_row; r++) {
        for (int64_t i = s->offset[r]; i < s->offset[r + 1]; i++) {
            s->mean[s->column[i]] += (double)embedding->weight[r] * s->value[i];
            s->present[s->column[i]] += (double)embedding->weight[r];
        }
    }
    double total = 0.0;
    for (int32_t j = 0; j < embedding->n_column; j++) {
        s->mean[j] /= n_policy;
        total += (n_policy - s->present[j]) * s->mean[j] * s->mean[j];
    }
    for (int32_t r = 0; r < embedding->n_row; r++) {
        for (int64_t i = s->offset[r]; i < s->offset[r + 1]; i++) {
            const double offset = s->value[i] - s->mean[s->column[i]];
            total += (double)embedding->weight[r] * offset * offset;
        }
    }
    return total;
}

/* The covariance times some vectors. */
static void multiply(const void *context, int32_t n_vector, const double *vector, double *image) {
    const sparse *s = context;
    const int32_t n = s->embedding->n_column;
    double shift[SONDE__BLOCK] = {0};
    double sum[SONDE__BLOCK] = {0};
    for (int32_t v = 0; v < n_vector; v++) {
        for (int32_t j = 0; j < n; j++) {
            shift[v] += s->mean[j] * vector[(int64_t)v * n + j];
        }
    }
    for (int32_t r = 0; r < s->embedding->n_row; r++) {
        for (int32_t v = 0; v < n_vector; v++) {
            const double *from = vector + (int64_t)v * n;
            double *to = image + (int64_t)v * n;
            double along = -shift[v];
            for (int64_t i = s->offset[r]; i < s->offset[r + 1]; i++) {
                along += s->value[i] * from[s->column[i]];
            }
            along *= (double)s->embedding->weight[r];
            for (int64_t i = s->offset[r]; i < s->offset[r + 1]; i++) {
                to[s->column[i]] += along * s->value[i];
            }
            sum[v] += along;
        }
    }
    for (int32_t v = 0; v < n_vector; v++) {
        for (int32_t j = 0; j < n; j++) {
            image[(int64_t)v * n + j] -= sum[v] * s->mean[j];
        }
    }
}

/* Many columns: the two leading eigenvectors alone. Returns as above. */
static double fit_leading(const sonde_embedding *embedding, build *b) {
    const int32_t n = embedding->n_column;
    const int64_t n_entry = count_entries(embedding);
    sonde__arena rough = {0};
    sparse s = {.embedding = embedding, .mean = b->mean};
    carve_sparse(&rough, n_entry, &s);
    if (!sonde__arena_reserve(&rough)) {
        return -1.0;
    }
    carve_sparse(&rough, n_entry, &s);
    list_entries(&s);
    const double total = find_moments(&s);
    const sonde__product covariance = {n, multiply, &s};
    sonde__leading_find(&covariance, &s.room, b->pca.share);
    memcpy(b->axis, s.room.basis, 2 * (size_t)n * sizeof *b->axis);
    sonde__arena_free(&rough);
    return total;
}

sonde_status sonde_pca_fit(const sonde_embedding *embedding, sonde_pca **pca, sonde_error *error) {
    const int32_t n = embedding->n_column;
    sonde__arena arena = {0};
    (void)carve(&arena, (uint64_t)n);
    if (!sonde__arena_reserve(&arena)) {
        return sonde__fail_memory(error, "plane", arena.used);
    }
    build *b = carve(&arena, (uint64_t)n);
    b->pca = (sonde_pca){.n_column = n, .mean = b->mean, .axis = b->axis};
    const bool full = n <= N_COLUMN_FULL || embedding->basis != NULL;
    const double total = full ? fit_full(embedding, b) : fit_leading(embedding, b);
    if (total < 0.0) {
        sonde__arena_free(&arena);
        return sonde__fail_memory(error, "plane", 0);
    }
    for (int32_t i = 0; i < 2; i++) {
        const double value = b->pca.share[i];
        b->pca.share[i] = total > 0.0 && value > 0.0 ? value / total : 0.0;
    }
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

void sonde_pca_point(const sonde_pca *pca, const sonde_embedding *embedding, int32_t r,
                     double xy[2]) {
    xy[0] = xy[1] = 0.0;
    for (int32_t j = 0; j < pca->n_column; j++) {
        const double offset = sonde__embedding_at(embedding, r, j) - pca->mean[j];
        xy[0] += pca->axis[j] * offset;
        xy[1] += pca->axis[pca->n_column + j] * offset;
    }
}

void sonde_pca_free(sonde_pca *pca) {
    sonde__free(pca);
}
