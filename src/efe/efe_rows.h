/* efe_rows.h: the loops in which scoring general models spends its time.
 *
 * Beliefs after each of several actions stand side by side, one lane for each, so that a state's
 * row is a few vectors and every sum runs down, never across. */
#ifndef SONDE_EFE_EFE_ROWS_H
#define SONDE_EFE_EFE_ROWS_H

#include <stdint.h>

enum { SONDE__EFE_LANES = 4, SONDE__EFE_LINE = 8 }; /* numbers in a cache line */

/* n, rounded up to whole vectors. */
static inline int32_t sonde__rows_whole(int32_t n) {
    return (n + SONDE__EFE_LANES - 1) / SONDE__EFE_LANES * SONDE__EFE_LANES;
}

/* out = sum over i of weight[i] times row from[i] of a matrix with n columns, in order of i. */
void sonde__rows_sum_rows(int64_t n, int32_t n_in, const int32_t *from, const double *weight,
                          const double *matrix, double *out);

/* The same for several lists of weights, which stand side by side: lanes 0 to n_set - 1. */
typedef struct {
    int64_t n_column;
    int32_t n_set;
    int32_t n_lane;
    int32_t n_support;      /* rows to be summed over */
    const int32_t *support; /* (n_support) */
    const double *weight;   /* (rows, n_lane) */
    const double *matrix;   /* (rows, n_column) */
} sonde__rows_sets;
/* out[j, c] = sum over i of weight[i, j] matrix[i, c], in the order of the support: (n_set,
 * n_column) */
void sonde__rows_sum_sets(const sonde__rows_sets *sets, double *out);
/* How many of n sums of rows of n_column numbers are made together: as many as take little room. */
static inline int32_t sonde__rows_together(int32_t n, int64_t n_column) {
    enum { MOST = 1 << 16 };
    const int64_t most = n_column < MOST ? MOST / n_column : 1;
    return n < most ? n : (int32_t)most;
}

/* Rows of a table times rows of lanes, summed over some states. */
typedef struct {
    int32_t n_row;          /* columns of the table, a multiple of 4 */
    int32_t n_lane;         /* a multiple of 4 */
    int32_t n_support;      /* states to be summed over */
    const int32_t *support; /* (n_support) */
    const double *table;    /* (states, n_row) */
    const double *q;        /* (states, n_lane) */
} sonde__rows_product;
/* out[r, l] = sum over s of table[s, r] q[s, l], in the order of the support. */
void sonde__rows_multiply(const sonde__rows_product *product, double *out);

/* sum[l] += sum over n rows of x[row, l] ln max(x[row, l], 1e-16), which x becomes; row[i] tells
 * which rows, or all in order where it is NULL. */
void sonde__rows_negentropy(int32_t n, const int32_t *row, int32_t n_lane, double *x, double *sum);

#endif
