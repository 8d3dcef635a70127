/* rates.h: what is learned and how fast, in detail, as options of verbs whose agents learn. */
#ifndef SONDE_CLI_RATES_H
#define SONDE_CLI_RATES_H

#include "session.h"

/* "Learning, in detail": rates by outcome, which arrays, habits, precision. */
extern const cli_option_group group_rates;

/* The arrays that learning settings point to. */
typedef struct {
    double *eta;    /* (outcomes of all modalities) or NULL */
    double *omega;  /* (outcomes of all modalities) or NULL */
    bool *modality; /* (n_modality) or NULL */
    bool *factor;   /* (n_factor) or NULL */
} cli_rates;
/* Lets args->learn point to what the command line says, with the names of a model. Close it,
 * whatever it returns. */
sonde_status rates_open(cli_arguments *args, const sonde_model *model, cli_rates *rates,
                        sonde_error *error);
void rates_close(cli_rates *rates);

#endif
