/* cluster_distance.c: the loop in which clustering spends its time.
 *
 * Four rows against eight points: 32 sums that stay in registers while the columns go by. Each sum
 * runs over the columns in order, so that however wide the vectors are, the bytes are the same. */
#include <string.h>

#include "base/vector.h"
#include "cluster/cluster.h"

/* eight numbers side by side; compilers cut them to the vectors the processor has */
typedef double lanes __attribute__((vector_size(SONDE__LANES * sizeof(double))));

SONDE__VECTOR
static void four_by_eight(const double *const row[SONDE__ROWS], int32_t n, const double *block,
                          double out[SONDE__ROWS][SONDE__LANES]) {
    lanes sum[SONDE__ROWS] = {{0.0}};
    for (int32_t j = 0; j < n; j++) {
        lanes point;
        memcpy(&point, block + (int64_t)j * SONDE__LANES, sizeof point);
        for (int q = 0; q < SONDE__ROWS; q++) {
            const lanes d = row[q][j] - point;
            sum[q] += d * d;
        }
    }
    memcpy(out, sum, sizeof sum);
}

void sonde__distances(const sonde_embedding *embedding, int32_t first, const double *block,
                      double distance[SONDE__ROWS][SONDE__LANES]) {
    const double *row[SONDE__ROWS];
    for (int32_t q = 0; q < SONDE__ROWS; q++) {
        const int32_t r = first + q < embedding->n_row ? first + q : embedding->n_row - 1;
        row[q] = embedding->row + (int64_t)r * embedding->n_column;
    }
    four_by_eight(row, embedding->n_column, block, distance);
}
