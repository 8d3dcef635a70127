/* like.h: the conventions of other packages. */
#ifndef SONDE_CLI_LIKE_H
#define SONDE_CLI_LIKE_H

#include "session.h"

/* Sets every convention of --like that no option has set, and appends which. */
void like_apply(cli_arguments *args, const cli_verb *verb, sonde_text *said);
/* Takes novelty back, if it is not asked for by an option and the model has no counts of A or B. */
void like_settle(cli_arguments *args, const cli_verb *verb, const sonde_model *model,
                 sonde_text *said);

#endif
