/* page.c: looking for the page. */
#include "page.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "platform.h"

#define NAME "page.html"

bool page_find(char path[PAGE_PATH]) {
    static const char *const home[] = {"/" NAME, "/../share/sonde/" NAME};
    const char *told = getenv("SONDE_PAGE");
    char folder[PAGE_PATH];
    if (told != NULL) {
        return snprintf(path, PAGE_PATH, "%s", told) < PAGE_PATH && access(path, R_OK) == 0;
    }
    bool found = false;
    const bool known = program_folder(folder, sizeof folder);
    for (int i = 0; i < 2 && known && !found; i++) {
        found = snprintf(path, PAGE_PATH, "%s%s", folder, home[i]) < PAGE_PATH &&
                access(path, R_OK) == 0;
    }
    return found;
}
