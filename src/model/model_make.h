/* model_make.h: between the files that make models that everybody knows. */
#ifndef SONDE_MODEL_MAKE_H
#define SONDE_MODEL_MAKE_H

#include "base/memory.h"
#include "sonde_make.h"

/* A model while it is made: its parts, in scratch. */
typedef struct {
    sonde_make_settings how; /* settled */
    sonde_parts parts;
    sonde_factor_parts *factor;     /* (SONDE_FACTORS_MAX) */
    sonde_modality_parts *modality; /* (SONDE_FACTORS_MAX) */
    sonde__pool pool;
    sonde_run run;
    uint64_t bytes; /* of scratch, so far */
    sonde_error *error;
    sonde_status status;
} sonde__making;

/* n zeroed pieces of scratch, or NULL and a status that stays. */
void *sonde__making_take(sonde__making *m, uint64_t n, size_t size);
/* Room for n names, of 23 letters at most; NULL: there is none. */
enum { SONDE__CALLED = 24 };
typedef struct {
    const char **name;              /* (n) or NULL */
    char (*letters)[SONDE__CALLED]; /* (n) theirs */
} sonde__called;
sonde__called sonde__making_names(sonde__making *m, int32_t n);
/* Gives the i-th its name. */
void sonde__making_call(sonde__called names, int32_t i, const char *format, ...) SONDE_PRINTF(3, 4);
/* One more factor, or modality, of this shape, as sonde_parts count it; a modality with more than
 * one action depends on the action. B and D, or A and C, are zeros that are still to be filled;
 * where there is no room both are NULL. */
typedef struct {
    double *B;
    double *D;
} sonde__made_factor;
typedef struct {
    double *A;
    double *C;
} sonde__made_modality;
sonde__made_factor sonde__making_factor(sonde__making *m, const sonde_factor *shape);
sonde__made_modality sonde__making_modality(sonde__making *m, const sonde_modality *shape);
/* What actions cost in each joint state: [state of each factor][action]. */
double *sonde__making_cost(sonde__making *m);
/* A reward POMDP: utilities, no information, and a discount. */
void sonde__making_reward(sonde__making *m, double discount);

void sonde__make_tiger(sonde__making *m);
void sonde__make_t_maze(sonde__making *m);
void sonde__make_grid(sonde__making *m);
void sonde__make_frozenlake(sonde__making *m);
void sonde__make_rocksample(sonde__making *m);

#endif
