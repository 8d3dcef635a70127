/* version.h: what this program is made of. */
#ifndef SONDE_CLI_VERSION_H
#define SONDE_CLI_VERSION_H

#include "options.h"

/* Appends a line for each: sonde, the compiler, the libraries, MPI and the page. */
void add_versions(sonde_text *text);

#endif
