/* path.h: the path that an agent walked, read back from a simulation's JSON document. */
#ifndef SONDE_CLI_PATH_H
#define SONDE_CLI_PATH_H

#include "sonde.h"

typedef struct {
    int32_t n_node;
    int32_t *node; /* (n_node) */
} cli_path;

/* Reads "path" from a document of `simulate --json`; "-" is standard input. Fails with
 * SONDE_NO_FILE, SONDE_BAD_INPUT (no such document, no path in this graph) or SONDE_NO_MEMORY. */
sonde_status path_read(const char *file, const sonde_graph *graph, cli_path *path,
                       sonde_error *error);
/* The path of an episode. Fails with SONDE_NO_MEMORY. */
sonde_status path_of_episode(const sonde_graph *graph, const sonde_episode *episode,
                             cli_path *path);
void path_free(cli_path *path);

#endif
