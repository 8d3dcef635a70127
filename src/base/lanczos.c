/* lanczos.c: the two leading eigenvectors of a large symmetric matrix that is only ever multiplied
 * by.
 *
 * The block Lanczos method with thick restarts. A basis grows by the matrix times its newest block
 * of vectors, each made orthogonal to all before it; the eigenvectors of the matrix within the
 * basis (Ritz vectors) come nearer the true ones with every block. A full basis shrinks to its
 * best Ritz vectors and the next block, and grows again. Blocks, not single vectors, because
 * eigenvalues of symmetrical problems are often equal: a block of four finds up to four equal
 * ones.
 *
 * The residual |matrix x - value x| of a Ritz vector is known from the products with the next
 * block. The method ends when those of the first two are TOLERANCE of the first value or less,
 * when nothing new is left to multiply, or after N_RESTART_MAX restarts, when it gives what it
 * has. Values are then right to the square of the residual, and vectors to the residual over the
 * distance to the next value; within a set of equal values any vectors will do.
 *
 * Cost: n times some dozens of numbers in memory, and for each block one multiplication and about
 * 4 N_BASIS N_BLOCK n additions. All sums run in a fixed order from a fixed start, so the bits are
 * fixed. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/linalg.h"
#include "base/rng.h"
#include "sonde.h"

enum {
    N_BLOCK = SONDE__BLOCK,
    N_KEPT = 12,  /* Ritz vectors that a restart keeps */
    N_BASIS = 32, /* vectors at which it restarts */
    N_RESTART_MAX = 300
};
#define TOLERANCE 1e-12
/* a vector that shrinks this much when it is made orthogonal was nothing but rounding */
#define NOTHING_NEW 1e-13

/* the basis while it grows */
typedef struct {
    const sonde__product *product;
    double *basis; /* (N_BASIS + N_BLOCK, n) orthonormal */
    double *image; /* (N_BLOCK, n) the matrix times the newest block */
    int32_t n_basis;
    int32_t n_kept;                  /* of which Ritz vectors */
    double inner[N_BASIS * N_BASIS]; /* (n_basis, N_BASIS) basis' matrix basis */
    double value[N_BASIS];           /* of the Ritz vectors */
} lanczos;

void sonde__leading_carve(sonde__arena *arena, int32_t n, sonde__leading *room) {
    room->basis = SONDE__TAKE(arena, double, (uint64_t)n *(N_BASIS + N_BLOCK));
    room->image = SONDE__TAKE(arena, double, (uint64_t)n *N_BLOCK);
}

/* Four sums side by side, because one addition would wait for the other. */
static double dot(int32_t n, const double *x, const double *y) {
    double sum[4] = {0};
    int32_t j = 0;
    for (; j + 4 <= n; j += 4) {
        for (int32_t lane = 0; lane < 4; lane++) {
            sum[lane] += x[j + lane] * y[j + lane];
        }
    }
    for (; j < n; j++) {
        sum[0] += x[j] * y[j];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static double *basis_at(const lanczos *l, int32_t i) {
    return l->basis + (int64_t)i * l->product->n;
}

/* Takes out of a vector what lies along the first n_basis ones, and makes it as long as 1. False
 * when nothing was left. (Twice, because once leaves rounding errors of the size of what was
 * taken.) */
static bool straighten(const lanczos *l, int32_t n_basis, double *x) {
    const int32_t n = l->product->n;
    const double before = sqrt(dot(n, x, x));
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < n_basis; i++) {
            const double *b = basis_at(l, i);
            const double along = dot(n, b, x);
            for (int32_t j = 0; j < n; j++) {
                x[j] -= along * b[j];
            }
        }
    }
    const double length = sqrt(dot(n, x, x));
    if (!(length > NOTHING_NEW * before)) {
        return false;
    }
    for (int32_t j = 0; j < n; j++) {
        x[j] /= length;
    }
    return true;
}

/* A first block without any structure that the matrix could have, too. */
static int32_t begin(const lanczos *l) {
    sonde__rng rng = sonde__rng_stream(0, SONDE__FOR_LAYOUT, 0);
    int32_t n = 0;
    for (int32_t i = 0; i < N_BLOCK; i++) {
        double *x = basis_at(l, n);
        for (int32_t j = 0; j < l->product->n; j++) {
            x[j] = sonde__rng_uniform(&rng) - 0.5;
        }
        n += straighten(l, n, x) ? 1 : 0;
    }
    return n;
}

/* Multiplies the block from `from` to `to`, and notes its inner products with all before it. */
static void multiply(lanczos *l, int32_t from, int32_t to) {
    const int32_t n = l->product->n;
    memset(l->image, 0, (size_t)n * N_BLOCK * sizeof *l->image);
    l->product->multiply(l->product->context, to - from, basis_at(l, from), l->image);
    for (int32_t j = from; j < to; j++) {
        for (int32_t i = 0; i <= j; i++) {
            const double inner = dot(n, basis_at(l, i), l->image + (int64_t)(j - from) * n);
            l->inner[i * N_BASIS + j] = l->inner[j * N_BASIS + i] = inner;
        }
    }
    l->n_basis = to;
}

/* Makes the next block of what was multiplied last; returns where it ends. */
static int32_t extend(lanczos *l, int32_t n_multiplied) {
    const int32_t n = l->product->n;
    int32_t end = l->n_basis;
    for (int32_t i = 0; i < n_multiplied; i++) {
        memcpy(basis_at(l, end), l->image + (int64_t)i * n, (size_t)n * sizeof *l->image);
        end += straighten(l, end, basis_at(l, end)) ? 1 : 0;
    }
    return end;
}

/* Turns the basis so that its first vectors are the best Ritz vectors. */
static void turn(lanczos *l, int32_t n_kept) {
    double inner[N_BASIS * N_BASIS];
    double vector[N_BASIS * N_BASIS];
    const int32_t m = l->n_basis;
    const int32_t n = l->product->n;
    for (int32_t i = 0; i < m; i++) {
        memcpy(inner + (size_t)i * (size_t)m, l->inner + (size_t)i * N_BASIS,
               (size_t)m * sizeof *inner);
    }
    sonde__eigen(m, inner, l->value, vector);
    for (int32_t j = 0; j < n; j++) {
        double turned[N_BASIS] = {0};
        for (int32_t i = 0; i < n_kept; i++) {
            for (int32_t b = 0; b < m; b++) {
                turned[i] += vector[i * m + b] * l->basis[(int64_t)b * n + j];
            }
        }
        for (int32_t i = 0; i < n_kept; i++) {
            l->basis[(int64_t)i * n + j] = turned[i];
        }
    }
}

/* Shrinks a full basis to its best Ritz vectors and the block from n_basis to `end`; returns
 * where that block ends now. */
static int32_t restart(lanczos *l, int32_t end) {
    const int32_t n_block = end - l->n_basis;
    const int32_t n_kept = l->n_basis < N_KEPT ? l->n_basis : N_KEPT;
    turn(l, n_kept);
    memmove(basis_at(l, n_kept), basis_at(l, l->n_basis),
            (size_t)n_block * (size_t)l->product->n * sizeof *l->basis);
    memset(l->inner, 0, sizeof l->inner);
    for (int32_t i = 0; i < n_kept; i++) {
        l->inner[i * N_BASIS + i] = l->value[i];
    }
    l->n_basis = l->n_kept = n_kept;
    return n_kept + n_block;
}

/* Whether the residuals of the first two Ritz vectors, products with the block after them, are
 * small. */
static bool has_converged(const lanczos *l) {
    for (int32_t i = 0; i < 2; i++) {
        double square = 0.0;
        for (int32_t j = l->n_kept; j < l->n_basis; j++) {
            square += l->inner[i * N_BASIS + j] * l->inner[i * N_BASIS + j];
        }
        if (!(sqrt(square) <= TOLERANCE * fabs(l->value[0]))) {
            return false;
        }
    }
    return true;
}

void sonde__leading_find(const sonde__product *product, const sonde__leading *room,
                         double value[2]) {
    lanczos l = {.product = product, .basis = room->basis, .image = room->image};
    int32_t from = 0;
    int32_t to = begin(&l);
    bool done = false;
    for (int32_t n_restart = 0; from < to && !done;) {
        multiply(&l, from, to);
        done = l.n_kept > 0 && from == l.n_kept && has_converged(&l);
        const int32_t end = extend(&l, to - from);
        from = to;
        to = end;
        if (!done && from < to && to > N_BASIS) {
            done = ++n_restart > N_RESTART_MAX;
            to = done ? to : restart(&l, to);
            from = l.n_basis;
        }
    }
    turn(&l, 2);
    for (int32_t i = 0; i < 2; i++) {
        value[i] = l.value[i];
        sonde__eigen_sign(product->n, basis_at(&l, i));
    }
}
