/* efe_rows.c: sums of rows, products and entropies, in vectors as wide as the processor's.
 *
 * Every lane adds up the same numbers in the same order whatever the width of the processor's
 * vectors, and the logarithm does what sonde__log does, operation by operation: all paths give the
 * same bytes.
 *
 * Floor: a product of S states, R rows and L lanes is S R L multiplications and additions, of
 * which a core does 4 to 8 of each in a cycle; an entropy is about 35 operations a number. */
#include "efe/efe_rows.h"

#include <stdbool.h>
#include <string.h>

#include "base/numbers.h"
#include "base/vector.h"

/* vectors that stay in registers, of which some processors have 16 */
enum { TILE = 12 };

typedef double lanes __attribute__((vector_size(SONDE__EFE_LANES * sizeof(double))));
#define INLINE static inline __attribute__((always_inline))

/* ln 2 = LN2_HIGH + LN2_LOW; the high part has its last 20 bits clear */
#define LN2_HIGH 0x1.62e42fefap-1
#define LN2_LOW 0x1.cf79abc9e3b3ap-40

/* which rows are summed */
typedef struct {
    int64_t n_column;
    int32_t n;
    const int32_t *from;
    const double *weight;
    const double *matrix;
} rows;

#define WIDE 2
#define NAMED(name) name##_2
#define COMPILED
#include "efe/efe_rows_width.h"

#ifdef SONDE__VECTOR_512
#define WIDE 4
#define NAMED(name) name##_4
#define COMPILED SONDE__VECTOR_256
#include "efe/efe_rows_width.h"

#define WIDE 8
#define NAMED(name) name##_8
#define COMPILED SONDE__VECTOR_512
#include "efe/efe_rows_width.h"

#define CHOOSE_256(function, ...)                                                                  \
    (sonde__has_256() ? function##_4(__VA_ARGS__) : function##_2(__VA_ARGS__))
#define CHOOSE(function, ...)                                                                      \
    (sonde__has_512() ? function##_8(__VA_ARGS__) : CHOOSE_256(function, __VA_ARGS__))
#else
#define CHOOSE_256(function, ...) function##_2(__VA_ARGS__)
#define CHOOSE(function, ...) function##_2(__VA_ARGS__)
#endif

void sonde__rows_sum_rows(int64_t n, int32_t n_in, const int32_t *from, const double *weight,
                          const double *matrix, double *out) {
    const rows r = {n, n_in, from, weight, matrix};
    CHOOSE(sum_rows, &r, out);
}

void sonde__rows_sum_sets(const sonde__rows_sets *sets, double *out) {
    CHOOSE(sum_sets, sets, out);
}

/* ---------------------------------------------------------------------------------- product -- */

/* Four rows of the result, n_vector vectors of lanes each, which stay in registers. */
INLINE void multiply_tile(int32_t n_vector, const sonde__rows_product *p, int32_t row, int32_t lane,
                          double *out) {
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
static void multiply(const sonde__rows_product *p, double *out) {
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

void sonde__rows_multiply(const sonde__rows_product *product, double *out) {
    multiply(product, out);
}

/* ------------------------------------------------------------------------------- negentropy -- */

/* Adds up rows in some lanes, from `lane` on, as many as there are in a vector. */
INLINE void add_rows(int32_t n, const int32_t *row, int32_t n_lane, int32_t lane, const double *x,
                     double *sum) {
    lanes a;
    memcpy(&a, sum + lane, sizeof a);
    for (int32_t i = 0; i < n; i++) {
        lanes b;
        memcpy(&b, x + (row != NULL ? row[i] : i) * (int64_t)n_lane + lane, sizeof b);
        a += b;
    }
    memcpy(sum + lane, &a, sizeof a);
}

SONDE__VECTOR
static void sum_lanes(int32_t n, const int32_t *row, int32_t n_lane, const double *x, double *sum) {
    int32_t lane = 0;
    for (; lane + SONDE__EFE_LANES <= n_lane; lane += SONDE__EFE_LANES) {
        add_rows(n, row, n_lane, lane, x, sum);
    }
    for (; lane < n_lane; lane++) {
        for (int32_t i = 0; i < n; i++) {
            sum[lane] += x[(row != NULL ? row[i] : i) * (int64_t)n_lane + lane];
        }
    }
}

/* x ln x of n numbers in a row; a few do not fill a wide vector. */
static void weigh(int64_t n, double *x) {
    if (n < SONDE__EFE_LINE) {
        CHOOSE_256(weigh_all, n, x);
    } else {
        CHOOSE(weigh_all, n, x);
    }
}

void sonde__rows_negentropy(int32_t n, const int32_t *row, int32_t n_lane, double *x, double *sum) {
    if (row == NULL) {
        weigh(n * (int64_t)n_lane, x);
    }
    for (int32_t i = 0; row != NULL && i < n; i++) {
        weigh(n_lane, x + row[i] * (int64_t)n_lane);
    }
    sum_lanes(n, row, n_lane, x, sum);
}
