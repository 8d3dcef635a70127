/* efe_rounding.h: how far a G that was computed can be from the exact one. */
#ifndef SONDE_EFE_EFE_ROUNDING_H
#define SONDE_EFE_EFE_ROUNDING_H

#include "efe/efe.h"

/* half a unit in the last place, relative: what one operation can be off by */
#define SONDE__UNIT 0x1p-53

/* A computed G, or a bound of one, is within relative (G + offset) of the exact one, and no G is
 * below -offset. */
typedef struct {
    uint64_t version; /* of the numbers that the others were worked out for; 0: of none */
    double relative;  /* operations that a number has gone through, in units */
    double offset;    /* what the sizes of the terms can have above their sum */
    double ahead;     /* bounds to go are off by relative times this, besides */
    int32_t n_out;    /* graph worlds: the most edges that leave a node */
    int32_t *count;   /* (n_count) scratch */
} sonde__rounding;

void sonde__rounding_carve(sonde__arena *arena, const sonde_model *model,
                           sonde__rounding *rounding);
/* Works it out, once for every version of the numbers: looks at all of B. */
void sonde__rounding_fill(const sonde_policies *policies, sonde__rounding *rounding);
/* How far a G of this size can be from the exact one. */
double sonde__rounding_of(const sonde__rounding *rounding, double efe);

#endif
