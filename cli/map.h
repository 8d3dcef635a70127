/* map.h: the policies of a scope as points: what sonde embed and sonde cluster have in common. */
#ifndef SONDE_CLI_MAP_H
#define SONDE_CLI_MAP_H

#include "world.h"

typedef struct {
    const cli_arguments *args;
    cli_session *session;
    cli_world world;
    sonde_embedder *embedder;
    sonde_embedding *embedding;
    sonde_pca *pca;
    sonde_cluster_settings settings;
    sonde_clusters *clusters; /* NULL in sonde embed */
} cli_map;

extern const cli_option_group group_csv;

/* Embeds the policies of the scope, and clusters them if `with_clusters`. */
sonde_status map_open(cli_arguments *args, cli_session *session, bool with_clusters, cli_map *map);
void map_close(cli_map *map);

/* The documents of both verbs; `about` is a cli_map. */
sonde_status map_write_csv(const void *about, sonde_text *text);
sonde_status map_write_json(const void *about, sonde_text *text);

/* The first lines of the text: the world, the policies, the embedding. */
void add_map_lines(sonde_text *text, const cli_map *map);
/* The plane in which the rows vary most. Each point is marked by its cluster or, without clusters,
 * by how many policies it stands for; one point alone is not drawn. Fails with SONDE_NO_MEMORY. */
sonde_status add_map_plane(sonde_text *text, const cli_map *map);

/* Runs a verb on a map: opens it, writes its documents or its text, closes it. */
sonde_status map_make(cli_arguments *args, cli_session *session, bool with_clusters,
                      cli_document text);

/* The mark of a cluster: 0 to 9, a to z, A to Z, then again. */
const char *cluster_mark(int32_t cluster);

#endif
