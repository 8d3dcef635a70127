/* linalg.c: the cyclic Jacobi method.
 *
 * Plane rotations zero one off-diagonal pair after the other, in a fixed order, until all of them
 * vanish beside the diagonal. Slower than LAPACK and just as accurate; the matrices here have a row
 * per node and edge, some dozens. The order is fixed, so the bits are. */
#include "base/linalg.h"

#include <math.h>
#include <stdbool.h>

#define N_SWEEP_MAX 60

/* Rotates the plane (p, q) so that matrix[p][q] becomes 0; the rows of `vector` turn along. */
static void rotate(int32_t n, double *matrix, double *vector, int32_t p, int32_t q) {
    double *row_p = matrix + (int64_t)p * n;
    double *row_q = matrix + (int64_t)q * n;
    const double theta = (row_q[q] - row_p[p]) / (2.0 * row_p[q]);
    const double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0);
    const double s = t * c;
    for (int32_t i = 0; i < n; i++) {
        double *row = matrix + (int64_t)i * n;
        const double x = row[p];
        const double y = row[q];
        row[p] = c * x - s * y;
        row[q] = s * x + c * y;
    }
    for (int32_t i = 0; i < n; i++) {
        const double x = row_p[i];
        const double y = row_q[i];
        row_p[i] = c * x - s * y;
        row_q[i] = s * x + c * y;
        const double u = vector[(int64_t)p * n + i];
        const double v = vector[(int64_t)q * n + i];
        vector[(int64_t)p * n + i] = c * u - s * v;
        vector[(int64_t)q * n + i] = s * u + c * v;
    }
    row_p[q] = 0.0;
    row_q[p] = 0.0;
}

/* One pass over all pairs; false when there was nothing left to rotate. */
static bool sweep(int32_t n, double *matrix, double *vector, double negligible) {
    bool rotated = false;
    for (int32_t p = 0; p < n; p++) {
        for (int32_t q = p + 1; q < n; q++) {
            if (fabs(matrix[(int64_t)p * n + q]) > negligible) {
                rotate(n, matrix, vector, p, q);
                rotated = true;
            }
        }
    }
    return rotated;
}

static void swap_rows(int32_t n, double *vector, int32_t i, int32_t j) {
    for (int32_t c = 0; c < n; c++) {
        const double kept = vector[(int64_t)i * n + c];
        vector[(int64_t)i * n + c] = vector[(int64_t)j * n + c];
        vector[(int64_t)j * n + c] = kept;
    }
}

/* Largest value first. */
static void sort_descending(int32_t n, double *value, double *vector) {
    for (int32_t i = 0; i < n; i++) {
        int32_t largest = i;
        for (int32_t j = i + 1; j < n; j++) {
            largest = value[j] > value[largest] ? j : largest;
        }
        if (largest != i) {
            const double kept = value[i];
            value[i] = value[largest];
            value[largest] = kept;
            swap_rows(n, vector, i, largest);
        }
    }
}

void sonde__eigen_sign(int32_t n, double *vector) {
    double largest = 0.0;
    for (int32_t c = 0; c < n; c++) {
        /* a hair's breadth, so that rounding does not decide between equals */
        largest = fabs(vector[c]) > fabs(largest) * (1.0 + 1e-9) ? vector[c] : largest;
    }
    for (int32_t c = 0; c < n && largest < 0.0; c++) {
        vector[c] = -vector[c];
    }
}

void sonde__eigen(int32_t n, double *matrix, double *value, double *vector) {
    for (int64_t i = 0; i < (int64_t)n * n; i++) {
        vector[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    }
    double trace = 0.0;
    for (int32_t i = 0; i < n; i++) {
        trace += fabs(matrix[(int64_t)i * n + i]);
    }
    bool rotated = true;
    for (int round = 0; round < N_SWEEP_MAX && rotated; round++) {
        rotated = sweep(n, matrix, vector, 1e-19 * trace);
    }
    for (int32_t i = 0; i < n; i++) {
        value[i] = matrix[(int64_t)i * n + i];
    }
    sort_descending(n, value, vector);
    /* an eigenvector's sign is free */
    for (int32_t i = 0; i < n; i++) {
        sonde__eigen_sign(n, vector + (int64_t)i * n);
    }
}
