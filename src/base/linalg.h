/* linalg.h: small symmetric eigenproblems. */
#ifndef SONDE_BASE_LINALG_H
#define SONDE_BASE_LINALG_H

#include <stdint.h>

/* Eigenvalues and eigenvectors of a symmetric matrix (n, n), which is destroyed: `value` (n)
 * descending, and row i of `vector` (n, n) the unit vector of value i, its largest coefficient (the
 * first of several) positive. Cost: a few times n^3. */
void sonde__eigen(int32_t n, double *matrix, double *value, double *vector);

#endif
