/* version.c: what this program is made of, for whoever writes to us about it. */
#include "version.h"

#include "page.h"
#include "ranks.h"

void add_versions(sonde_text *text) {
    char words[64];
    char page[PAGE_PATH];
    sonde_text_add(text, "sonde %s\n", sonde_version());
    sonde_versions(text);
    sonde_text_add(text, "MPI: %s\n", mpi_version(words, sizeof words));
    sonde_text_add(text, "page: ");
    if (page_find(page)) {
        sonde_text_add_shown(text, page);
    } else {
        sonde_text_add(text, "none");
    }
    sonde_text_add(text, "\n");
}
