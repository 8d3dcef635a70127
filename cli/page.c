/* page.c: looking for the page. */
#include "page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "page.html"

/* The folder of this command, without a slash at its end. */
static bool find_folder(char folder[PAGE_PATH]) {
    const ssize_t size = readlink("/proc/self/exe", folder, PAGE_PATH - 1);
    if (size <= 0) {
        return false;
    }
    folder[size] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash == NULL) {
        return false;
    }
    *slash = '\0';
    return true;
}

bool page_find(char path[PAGE_PATH]) {
    static const char *const place[] = {"/" NAME, "/../share/sonde/" NAME};
    const char *told = getenv("SONDE_PAGE");
    char folder[PAGE_PATH];
    if (told != NULL) {
        return snprintf(path, PAGE_PATH, "%s", told) < PAGE_PATH && access(path, R_OK) == 0;
    }
    bool found = false;
    const bool known = find_folder(folder);
    for (int i = 0; i < 2 && known && !found; i++) {
        found = snprintf(path, PAGE_PATH, "%s%s", folder, place[i]) < PAGE_PATH &&
                access(path, R_OK) == 0;
    }
    return found;
}
