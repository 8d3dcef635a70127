/* platform.h: what systems tell a program in ways of their own. */
#ifndef SONDE_CLI_PLATFORM_H
#define SONDE_CLI_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>

/* The folder that the program lies in; false where the system does not say. */
bool program_folder(char *folder, size_t size);
/* Shows a file to whoever sits before this computer; false where there is no way to. */
bool open_in_browser(const char *path);
/* The most memory that this process has held so far. */
double peak_bytes(void);

#endif
