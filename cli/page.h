/* page.h: the page that reports are shown in, a file beside the command. */
#ifndef SONDE_CLI_PAGE_H
#define SONDE_CLI_PAGE_H

#include <stdbool.h>

enum { PAGE_PATH = 4096 };
/* Where the page is: what SONDE_PAGE says; beside the command, where it was built; in
 * ../share/sonde, where it was installed. False if it is nowhere. */
bool page_find(char path[PAGE_PATH]);

#endif
