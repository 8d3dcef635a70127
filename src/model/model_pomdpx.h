/* model_pomdpx.h: between the files that read POMDPX documents. */
#ifndef SONDE_MODEL_POMDPX_H
#define SONDE_MODEL_POMDPX_H

#include "model/model_foreign.h"
#include "model/model_xml.h"

/* More variables than this are refused. */
enum { SONDE__VARIABLES_MAX = 64 };

/* Which variable something is about, and when. */
typedef enum {
    SONDE__BEFORE, /* a state variable, before the action */
    SONDE__AFTER,  /* a state variable, after it */
    SONDE__SEEN,   /* an observation */
    SONDE__DONE,   /* the action */
    SONDE__BROUGHT /* a reward */
} sonde__when;
typedef struct {
    sonde__when when;
    int32_t number;
} sonde__about;

typedef struct {
    const char *name;  /* of a state variable: before the action */
    const char *after; /* of a state variable */
    sonde__words values;
    bool visible; /* a state variable that is seen as it is */
} sonde__variable;

/* A probability of a variable's values, or a reward, given others. */
typedef struct {
    sonde__about of;
    int32_t n_given;
    sonde__about given[SONDE__VARIABLES_MAX]; /* (n_given) */
    int32_t n;                                /* values of the variable; 1 for a reward */
    int64_t n_row;                            /* combinations of the others' */
    double *value;                            /* (n_row, n), the last one given fastest */
    int32_t line;                             /* 0: it is not there */
} sonde__law;

/* A document, read. */
typedef struct {
    sonde__foreign *file;
    int32_t n_state;
    int32_t n_seen;
    int32_t n_reward;
    sonde__variable state[SONDE__VARIABLES_MAX];
    sonde__variable seen[SONDE__VARIABLES_MAX];
    sonde__variable action;
    sonde__variable reward[SONDE__VARIABLES_MAX];
    sonde__law begin[SONDE__VARIABLES_MAX]; /* (n_state) */
    sonde__law next[SONDE__VARIABLES_MAX];  /* (n_state) */
    sonde__law show[SONDE__VARIABLES_MAX];  /* (n_seen) */
    sonde__law *bring;                      /* (n_bring) */
    int32_t n_bring;
} sonde__pomdpx;

/* The variable of something. */
const sonde__variable *sonde__pomdpx_variable(const sonde__pomdpx *x, sonde__about what);
/* model_pomdpx_laws.c: the functions of a document; false, and a sentence. */
bool sonde__pomdpx_laws(sonde__pomdpx *x, const sonde__element *root);
/* model_pomdpx_parts.c: the factors, modalities and costs of a document; false, and a sentence. */
typedef struct {
    sonde_factor_parts factor[SONDE__VARIABLES_MAX];
    sonde__entries B[SONDE__VARIABLES_MAX];
    sonde_modality_parts modality[2 * SONDE__VARIABLES_MAX];
    sonde__entries A[2 * SONDE__VARIABLES_MAX];
} sonde__pomdpx_made;
bool sonde__pomdpx_parts(const sonde__pomdpx *x, sonde__pomdpx_made *made);

#endif
