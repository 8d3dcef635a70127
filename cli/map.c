/* map.c: embeds the policies of a scope, finds the plane in which they vary most, clusters them. */
#include <stdlib.h>

#include "map.h"
#include "table.h"

static const cli_option csv_options[] = {
    {OPTION("csv", TEXT, csv, "FILE", "write one line for each policy (- is standard output)")},
};
const cli_option_group group_csv = {"Table", OPTION_TABLE(csv_options)};

/* ---------------------------------------------------------------------------------- making -- */

static sonde_status embed(cli_map *map) {
    const sonde_embed_settings settings = arguments_search(map->args).embed;
    sonde_error *error = &map->session->error;
    const sonde_run *run = &map->session->run;
    sonde_status status =
        sonde_embedder_new(map->world.scored, &settings, run, &map->embedder, error);
    if (!status) {
        (void)sonde_embedder_aim(map->embedder, map->world.now, error);
        status = sonde_embedding_new(map->embedder, map->world.origin, run, &map->embedding, error);
    }
    if (!status) {
        status = sonde_pca_fit(map->embedding, &map->pca, error);
    }
    return status;
}

/* The clusters that an agent on the start edge would find: it numbers its streams by origin, the
 * global space first. */
static sonde_status cluster(cli_map *map) {
    cli_session *session = map->session;
    map->settings = arguments_search(map->args).cluster;
    map->settings.stream = (uint64_t)((int64_t)map->world.origin + 1);
    const sonde_status status = sonde_clusters_fit(map->embedding, &map->settings, &session->run,
                                                   &map->clusters, &session->error);
    if (!status && map->clusters->k < map->clusters->k_asked) {
        session_note(session, "k became %d, because there are no more distinct rows",
                     (int)map->clusters->k);
    }
    return status;
}

sonde_status map_open(cli_arguments *args, cli_session *session, bool with_clusters, cli_map *map) {
    *map = (cli_map){.args = args, .session = session};
    sonde_status status = world_open(args, session, &map->world);
    if (!status) {
        status = embed(map);
    }
    if (!status && with_clusters) {
        status = cluster(map);
    }
    return status;
}

void map_close(cli_map *map) {
    sonde_clusters_free(map->clusters);
    sonde_pca_free(map->pca);
    sonde_embedding_free(map->embedding);
    sonde_embedder_free(map->embedder);
    world_close(&map->world);
}

/* ------------------------------------------------------------------------------- documents -- */

static sonde_map report_of(const cli_map *map) {
    const cli_world *world = &map->world;
    return (sonde_map){
        .listing = {world->policies, world->origin, world->now, world->command.data},
        .embedding = map->embedding,
        .pca = map->pca,
        .clusters = map->clusters,
        .cluster_settings = map->clusters ? &map->settings : NULL,
    };
}

sonde_status map_write_csv(const void *about, sonde_text *text) {
    const sonde_map report = report_of(about);
    sonde_document_map_csv(&report, text);
    return SONDE_OK;
}

sonde_status map_write_json(const void *about, sonde_text *text) {
    const sonde_map report = report_of(about);
    sonde_document_map_json(&report, text);
    return SONDE_OK;
}

/* ------------------------------------------------------------------------------------ text -- */

void add_map_lines(sonde_text *text, const cli_map *map) {
    const sonde_embedding *embedding = map->embedding;
    add_world_line(text, &map->world);
    add_policies_line(text, &map->world);
    sonde_text_add(text, "\n%s", sonde_embedding_name(embedding->settings.kind));
    if (embedding->policy) {
        sonde_text_add(text, " of ");
        add_count(text, (uint64_t)embedding->n_policy);
        sonde_text_add(text, " that were drawn");
    }
    sonde_text_add(text, ": ");
    add_count(text, (uint64_t)embedding->n_row);
    sonde_text_add(text, " distinct row%s of %d number%s", embedding->n_row == 1 ? "" : "s",
                   (int)embedding->n_column, embedding->n_column == 1 ? "" : "s");
    if (embedding->n_column_nominal > embedding->n_column) {
        sonde_text_add(text, " (for %.17g columns)", embedding->n_column_nominal);
    }
    sonde_text_add(text, "; %.1f %% and %.1f %% of the variance in two directions\n",
                   100.0 * map->pca->share[0], 100.0 * map->pca->share[1]);
}

const char *cluster_mark(int32_t cluster) {
    static const char marks[][2] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c",
                                    "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p",
                                    "q", "r", "s", "t", "u", "v", "w", "x", "y", "z", "A", "B", "C",
                                    "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P",
                                    "Q", "R", "S", "T", "U", "V", "W", "X", "Y", "Z"};
    return marks[cluster % (int32_t)(sizeof marks / sizeof marks[0])];
}

static const char *mark_of(const cli_map *map, int32_t row) {
    if (map->clusters) {
        return cluster_mark(map->clusters->label[map->embedding->first[row]]);
    }
    const int32_t weight = map->embedding->weight[row];
    return weight == 1 ? "·" : weight < 10 ? "•" : "●";
}

sonde_status add_map_plane(sonde_text *text, const cli_map *map) {
    const sonde_embedding *embedding = map->embedding;
    if (embedding->n_row == 1) {
        return SONDE_OK; /* one point makes no picture */
    }
    double *xy = calloc((size_t)embedding->n_row, 2 * sizeof *xy);
    if (!xy) {
        return SONDE_NO_MEMORY;
    }
    for (int32_t row = 0; row < embedding->n_row; row++) {
        sonde_pca_point(map->pca, embedding, row, xy + 2 * (int64_t)row);
    }
    cli_plane plane = plane_around(xy, embedding->n_row);
    for (int32_t row = 0; row < embedding->n_row; row++) {
        plane_put(&plane, xy + 2 * (int64_t)row, mark_of(map, row));
    }
    free(xy);
    sonde_text_add(text, "\n");
    add_plane(text, &plane);
    return SONDE_OK;
}

sonde_status map_make(cli_arguments *args, cli_session *session, bool with_clusters,
                      cli_document text) {
    enum { N_OUTPUT = 3 };
    const cli_output output[N_OUTPUT] = {{args->csv, map_write_csv},
                                         {args->output, map_write_json},
                                         {args->json ? "-" : NULL, map_write_json}};
    sonde_status status = session_check(session, output, N_OUTPUT);
    cli_map map = {0};
    if (!status) {
        status = map_open(args, session, with_clusters, &map);
    }
    if (!status) {
        status = session_put(session, output, N_OUTPUT, text, &map);
    }
    map_close(&map);
    return status;
}
