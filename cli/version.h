/* version.h: what this program is made of. */
#ifndef SONDE_CLI_VERSION_H
#define SONDE_CLI_VERSION_H

#include <limits.h>

#include "options.h"

/* Looks for share/sonde/page.html beside the program, as it is installed or built; false if
 * there is none. */
bool find_page(char path[PATH_MAX]);

/* Appends a line for each: sonde, the compiler, the libraries, MPI and the page. */
void add_versions(sonde_text *text);

#endif
