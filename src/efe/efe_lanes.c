/* efe_lanes.c: sums of rows, products and entropies, four lanes at a time.
 *
 * Every lane adds up the same numbers in the same order whatever the width of the processor's vectors,
 * and the logarithm does what sonde__log does, operation by operation: all paths give the same bytes.
 *
 * Floor: a product of S states, R rows and L lanes is S R L multiplications and additions, of which a
 * core does 4 to 8 of each in a cycle; an entropy is about 35 operations a number. */
#include "efe/efe_lanes.h"

#include <string.h>

#include "base/numbers.h"
#include "base/vector.h"

/* numbers side by side where nothing depends on how many they are, and vectors of them in registers;
 * twice as many as these make poor code for processors that have 16 of them */
enum { WIDE = 4, TILE = 12 };

typedef double lanes __attribute__((vector_size(SONDE__EFE_LANES * sizeof(double))));
typedef double wide __attribute__((vector_size(WIDE * sizeof(double))));
typedef uint64_t words __attribute__((vector_size(WIDE * sizeof(uint64_t))));
#define INLINE static inline __attribute__((always_inline))

/* ------------------------------------------------------------------------------ sum of rows -- */

/* which rows are summed */
typedef struct {
    int64_t n_column;
    int32_t n;
    const int32_t *from;
    const double *weight;
    const double *matrix;
} rows;

/* n_vector vectors of the result, from column `at` on, which stay in registers. */
INLINE void sum_tile(int32_t n_vector, const rows *r, int64_t at, double *out) {
    wide sum[TILE];
    for (int32_t v = 0; v < n_vector; v++) {
        sum[v] = (wide){0.0};
    }
    for (int32_t i = 0; i < r->n; i++) {
        const double *row = r->matrix + (int64_t)r->from[i] * r->n_column + at;
        for (int32_t v = 0; v < n_vector; v++) {
            wide x;
            memcpy(&x, row + (int64_t)v * WIDE, sizeof x);
            sum[v] += r->weight[i] * x;
        }
    }
    memcpy(out, sum, (size_t)n_vector * sizeof *sum);
}

SONDE__VECTOR
static void sum_rows(int64_t n, int32_t n_in, const int32_t *from, const double *weight,
                     const double *matrix, double *out) {
    const rows r = {n, n_in, from, weight, matrix};
    const int64_t wide_tile = (int64_t)TILE * WIDE;
    const int64_t narrow_tile = (int64_t)2 * WIDE;
    int64_t at = 0;
    for (; at + wide_tile <= n; at += wide_tile) {
        sum_tile(TILE, &r, at, out + at);
    }
    for (; at + narrow_tile <= n; at += narrow_tile) {
        sum_tile(2, &r, at, out + at);
    }
    for (; at < n; at++) {
        double sum = 0.0;
        for (int32_t i = 0; i < n_in; i++) {
            sum += weight[i] * matrix[(int64_t)from[i] * n + at];
        }
        out[at] = sum;
    }
}

void sonde__lanes_sum_rows(int64_t n, int32_t n_in, const int32_t *from, const double *weight,
                           const double *matrix, double *out) {
    sum_rows(n, n_in, from, weight, matrix, out);
}

/* ---------------------------------------------------------------------------------- product -- */

/* Four rows of the result, n_vector vectors of lanes each, which stay in registers. */
INLINE void multiply_tile(int32_t n_vector, const sonde__lanes_product *p, int32_t row,
                          int32_t lane, double *out) {
    lanes sum[4][2];
    for (int32_t r = 0; r < 4; r++) {
        for (int32_t v = 0; v < n_vector; v++) {
            sum[r][v] = (lanes){0.0};
        }
    }
    for (int32_t i = 0; i < p->n_support; i++) {
        const double *table = p->table + (int64_t)p->support[i] * p->n_row + row;
        const double *q = p->q + (int64_t)p->support[i] * p->n_lane + lane;
        lanes x[2];
        memcpy(x, q, (size_t)n_vector * sizeof *x);
        for (int32_t r = 0; r < 4; r++) {
            for (int32_t v = 0; v < n_vector; v++) {
                sum[r][v] += table[r] * x[v];
            }
        }
    }
    for (int32_t r = 0; r < 4; r++) {
        memcpy(out + (int64_t)(row + r) * p->n_lane + lane, sum[r],
               (size_t)n_vector * sizeof(lanes));
    }
}

SONDE__VECTOR
static void multiply(const sonde__lanes_product *p, double *out) {
    for (int32_t row = 0; row < p->n_row; row += 4) {
        int32_t lane = 0;
        for (; lane + 2 * SONDE__EFE_LANES <= p->n_lane; lane += 2 * SONDE__EFE_LANES) {
            multiply_tile(2, p, row, lane, out);
        }
        if (lane < p->n_lane) {
            multiply_tile(1, p, row, lane, out);
        }
    }
}

void sonde__lanes_multiply(const sonde__lanes_product *product, double *out) {
    multiply(product, out);
}

/* ------------------------------------------------------------------------------- negentropy -- */

/* ln 2 = LN2_HIGH + LN2_LOW; the high part has its last 20 bits clear */
#define LN2_HIGH 0x1.62e42fefap-1
#define LN2_LOW 0x1.cf79abc9e3b3ap-40

/* x ln max(x, 1e-16), the logarithm as sonde__log_floored does it */
INLINE void weigh_log(wide *x) {
    const words small = (words)(*x < SONDE__FLOOR);
    const wide least = (wide){0.0} + SONDE__FLOOR;
    const words bits = ((words)least & small) | ((words)*x & ~small);
    /* the exponent, of which 1023 is taken away later, for there are no signed shifts */
    const words e = (bits - UINT64_C(0x3FE6A09E667F3BCD) + (UINT64_C(1023) << 52)) >> 52;
    const wide m = (wide)(bits - ((e - UINT64_C(1023)) << 52));
    /* 2^52 + e has e in its last bits */
    const wide exponent = (wide)(e | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023.0);
    const wide f = m - 1.0;
    const wide s = f / (m + 1.0);
    const wide z = s * s;
    wide tail = (1.0 / 21.0) * z + 1.0 / 19.0;
    tail = tail * z + 1.0 / 17.0;
    tail = tail * z + 1.0 / 15.0;
    tail = tail * z + 1.0 / 13.0;
    tail = tail * z + 1.0 / 11.0;
    tail = tail * z + 1.0 / 9.0;
    tail = tail * z + 1.0 / 7.0;
    tail = tail * z + 1.0 / 5.0;
    tail = tail * z + 1.0 / 3.0;
    const wide low = s * (f - 2.0 * z * tail) - exponent * LN2_LOW;
    *x *= exponent * LN2_HIGH - (low - f);
}

/* x ln x of n numbers in a row, in place. */
INLINE void weigh_all(int64_t n, double *x) {
    for (int64_t i = 0; i < n; i += WIDE) {
        const size_t size = (size_t)(n - i < WIDE ? n - i : WIDE) * sizeof *x;
        wide some = {0.0};
        if (size == sizeof some) {
            memcpy(&some, x + i, sizeof some);
            weigh_log(&some);
            memcpy(x + i, &some, sizeof some);
        } else {
            memcpy(&some, x + i, size);
            weigh_log(&some);
            memcpy(x + i, &some, size);
        }
    }
}

SONDE__VECTOR
static void negentropy(int32_t n, const int32_t *row, int32_t n_lane, double *x, double *sum) {
    if (row == NULL) {
        weigh_all((int64_t)n * n_lane, x);
    }
    for (int32_t i = 0; i < n; i++) {
        double *here = x + (row != NULL ? row[i] : i) * (int64_t)n_lane;
        if (row != NULL) {
            weigh_all(n_lane, here);
        }
        for (int32_t lane = 0; lane < n_lane; lane += SONDE__EFE_LANES) {
            lanes a;
            lanes b;
            memcpy(&a, sum + lane, sizeof a);
            memcpy(&b, here + lane, sizeof b);
            a += b;
            memcpy(sum + lane, &a, sizeof a);
        }
    }
}

void sonde__lanes_negentropy(int32_t n, const int32_t *row, int32_t n_lane, double *x,
                             double *sum) {
    negentropy(n, row, n_lane, x, sum);
}
