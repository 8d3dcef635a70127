/* model_npy.h: one array of an .npz file, as numpy saves them. */
#ifndef SONDE_MODEL_NPY_H
#define SONDE_MODEL_NPY_H

#include "base/json.h"
#include "base/zip.h"

typedef enum { SONDE__NPY_FLOAT, SONDE__NPY_SIGNED, SONDE__NPY_UNSIGNED } sonde__npy_kind;

typedef struct {
    const sonde__member *member;
    sonde__npy_kind kind;
    int32_t width;      /* bytes of a number: 1, 2, 4, 8 */
    bool swapped;       /* its bytes are in the other order than this machine's */
    bool first_fastest; /* Fortran's order of axes */
    int32_t n_axis;
    int64_t size[SONDE__AXES]; /* (n_axis) */
    int64_t n;                 /* sizes multiplied */
} sonde__npy;

/* Reads an array's header; the walk stands at its first number then. Fails with SONDE_BAD_INPUT. */
sonde_status sonde__npy_open(sonde__npy *array, sonde__unzip *walk, const sonde__file *file,
                             const sonde__member *member, sonde_error *error);
/* The next n numbers, in the order of the file. */
sonde_status sonde__npy_read(const sonde__npy *array, sonde__unzip *walk, int64_t n, double *value,
                             sonde_error *error);

#endif
