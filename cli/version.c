/* version.c: what this program is made of, for whoever writes to us about it. */
#include "version.h"

#include <stdio.h>
#include <stdlib.h>

#include "platform.h"
#include "ranks.h"

bool find_page(char path[PATH_MAX]) {
    /* of an installed program, and of one in a build folder */
    static const char *const place[] = {"/../share/sonde/page.html", "/share/sonde/page.html"};
    char folder[PATH_MAX];
    char wanted[PATH_MAX + 32];
    bool found = false;
    if (!program_folder(folder, sizeof folder)) {
        return false;
    }
    for (size_t i = 0; !found && i < sizeof place / sizeof place[0]; i++) {
        (void)snprintf(wanted, sizeof wanted, "%s%s", folder, place[i]);
        found = realpath(wanted, path) != NULL;
    }
    return found;
}

void add_versions(sonde_text *text) {
    char words[64];
    char page[PATH_MAX];
    sonde_text_add(text, "sonde %s\n", sonde_version());
    sonde_versions(text);
    sonde_text_add(text, "MPI: %s\n", mpi_version(words, sizeof words));
    sonde_text_add(text, "page: ");
    if (find_page(page)) {
        sonde_text_add_shown(text, page);
    } else {
        sonde_text_add(text, "none");
    }
    sonde_text_add(text, "\n");
}
