/* reduce.h: priors beside each other, by what was learned from one of them. */
#ifndef SONDE_CLI_REDUCE_H
#define SONDE_CLI_REDUCE_H

#include "world.h"

typedef struct {
    const sonde_model *posterior; /* after learning */
    const sonde_model *prior;     /* before */
    const sonde_model *reduced;   /* another prior; NULL: every entry is asked for in turn */
    sonde_text json;              /* an object for each array */
    sonde_text text;              /* a line for each */
    int32_t n_array;              /* arrays that have counts */
    double sum;                   /* of the evidence of all */
} reduction;
/* Fills in what follows the models. */
sonde_status reduction_make(reduction *r, sonde_error *error);

#endif
