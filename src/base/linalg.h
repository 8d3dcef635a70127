/* linalg.h: symmetric eigenproblems: all of a small one, the two leading vectors of a large one. */
#ifndef SONDE_BASE_LINALG_H
#define SONDE_BASE_LINALG_H

#include "base/memory.h"

/* Eigenvalues and eigenvectors of a symmetric matrix (n, n), which is destroyed: `value` (n)
 * descending, and row i of `vector` (n, n) the unit vector of value i, its largest coefficient (the
 * first of several) positive. Cost: a few times n^3. */
void sonde__eigen(int32_t n, double *matrix, double *value, double *vector);
/* Turns a vector (n) so that its largest coefficient (the first of several) is positive. */
void sonde__eigen_sign(int32_t n, double *vector);

/* A symmetric matrix (n, n) without negative eigenvalues, by what it does: adds to each row of
 * `image` the matrix times that row of `vector`, both (n_vector, n) with at most SONDE__BLOCK
 * rows. */
enum { SONDE__BLOCK = 4 };
typedef struct {
    int32_t n; /* more than 2 SONDE__BLOCK */
    void (*multiply)(const void *context, int32_t n_vector, const double *vector, double *image);
    const void *context;
} sonde__product;
/* Room for its eigenvectors, some dozens of vectors (n). */
typedef struct {
    double *basis; /* the first two vectors (2, n) when it is done */
    double *image;
} sonde__leading;
void sonde__leading_carve(sonde__arena *arena, int32_t n, sonde__leading *room);
/* The two largest eigenvalues, and their unit vectors in `room->basis`, signs as above. */
void sonde__leading_find(const sonde__product *product, const sonde__leading *room,
                         double value[2]);

#endif
