/* platform.h: what systems tell a program in ways of their own. */
#ifndef SONDE_CLI_PLATFORM_H
#define SONDE_CLI_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>

/* The folder that the program lies in; false where the system does not say. */
bool program_folder(char *folder, size_t size);
/* The most memory that this process has held so far. */
double peak_bytes(void);

#endif
