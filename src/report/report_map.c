/* report_map.c: the map of a policy space, as a table (CSV) or a document (JSON).
 *
 * A map has each policy's row of numbers, its place in the plane of the two directions in which
 * the rows vary most, and the cluster it belongs to. The table has one line for each policy. The
 * document holds rows and places once for all policies that share them, as the embedding does:
 * policy p has row row_of[p]. */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "report/report_internal.h"

static const sonde_graph *graph_of(const sonde_map *map) {
    return map->listing.policies->model->graph;
}

static const double *row_of(const sonde_map *map, int32_t row) {
    return map->embedding->row + (size_t)row * (size_t)map->embedding->n_column;
}

static const char *embedding_of(const sonde_map *map) {
    return sonde_embedding_name(map->embedder->settings.kind);
}

/* Scratch for one walk; a text that cannot have it fails. */
static int32_t *new_walk(const sonde_map *map, sonde_text *text) {
    int32_t *walk = sonde__alloc(((size_t)map->listing.policies->horizon + 1) * sizeof *walk);
    if (walk == NULL) {
        text->failed = true;
    }
    return walk;
}

/* ------------------------------------------------------------------------------------ table -- */

/* The name of a column: bags of edges have the edges first and then what the rest of the name says;
 * other embeddings have columns without a meaning of their own. */
static void add_column_name(const sonde_map *map, int32_t column, sonde_text *csv) {
    const sonde_graph *graph = graph_of(map);
    const char *embedding = embedding_of(map);
    const int32_t extra = column - graph->n_edge;
    if (map->embedder->basis != NULL || strstr(embedding, "boe") == NULL) {
        sonde_text_add(csv, "c%" PRId32, column);
    } else if (extra < 0) {
        sonde_text_add(csv, "e%" PRId32 "-%" PRId32, graph->tail[column], graph->head[column]);
    } else if (strcmp(embedding, "aboe") == 0) {
        sonde_text_add(csv, "last");
    } else if (strcmp(embedding, "aboe-onehot") == 0) {
        sonde_text_add(csv, "last%" PRId32, extra);
    } else if (strcmp(embedding, "aboe-edges") == 0) {
        sonde_text_add(csv, extra == 0 ? "first" : "second");
    } else {
        sonde_text_add(csv, "c%" PRId32, column);
    }
}

static void add_header(const sonde_map *map, sonde_text *csv) {
    sonde_text_add(csv, "policy,nodes,row,%sx,y",
                   map->clusters != NULL ? "label,representative," : "");
    for (int32_t column = 0; column < map->embedding->n_column; column++) {
        sonde_text_add(csv, ",");
        add_column_name(map, column, csv);
    }
    sonde_text_add(csv, "\n");
}

/* Whether a policy stands for a cluster. (Not always for its own: see nearest_of_all.) */
static bool is_representative(const sonde_clusters *clusters, int32_t policy) {
    for (int32_t c = 0; c < clusters->k; c++) {
        if (clusters->representative[c] == policy) {
            return true;
        }
    }
    return false;
}

static void add_line(const sonde_map *map, int32_t policy, const int32_t *walk, sonde_text *csv) {
    const sonde_graph *graph = graph_of(map);
    const int32_t row = map->embedding->row_of[policy];
    sonde_text_add(csv, "%" PRId32 ",%" PRId32, policy, graph->tail[walk[0]]);
    for (int32_t t = 0; t <= map->listing.policies->horizon; t++) {
        sonde_text_add(csv, "-%" PRId32, graph->head[walk[t]]);
    }
    sonde_text_add(csv, ",%" PRId32, row);
    if (map->clusters != NULL) {
        sonde_text_add(csv, ",%" PRId32 ",%d", map->clusters->label[policy],
                       is_representative(map->clusters, policy) ? 1 : 0);
    }
    double xy[2];
    sonde_pca_project(map->pca, row_of(map, row), xy);
    for (int32_t axis = 0; axis < 2; axis++) {
        sonde_text_add(csv, ",");
        sonde_text_add_number(csv, xy[axis]);
    }
    for (int32_t column = 0; column < map->embedding->n_column; column++) {
        sonde_text_add(csv, ",");
        sonde_text_add_number(csv, row_of(map, row)[column]);
    }
    sonde_text_add(csv, "\n");
}

void sonde_report_map_csv(const sonde_map *map, sonde_text *csv) {
    int32_t *walk = new_walk(map, csv);
    if (walk == NULL) {
        return;
    }
    add_header(map, csv);
    for (int32_t policy = 0; policy < map->embedding->n_policy && !csv->failed; policy++) {
        sonde_policies_get(map->listing.policies, map->listing.origin, (uint64_t)policy, walk);
        add_line(map, policy, walk, csv);
    }
    sonde__free(walk);
}

/* --------------------------------------------------------------------------------- document -- */

/* Every setting of the embedding and, if there is one, of the clustering. */
static void add_settings(const sonde_map *map, sonde_text *json) {
    sonde__report_key(json, "settings");
    sonde_text_add(json, "{\"embedding\": ");
    sonde_text_add_quoted(json, embedding_of(map));
    sonde_text_add(json, ", \"onehot_weight\": ");
    sonde_text_add_number(json, map->embedder->settings.onehot_weight);
    sonde_text_add(json, ", \"scope\": ");
    sonde__report_scope(json, map->listing.origin);
    const sonde_cluster_settings *settings = map->cluster_settings;
    if (settings != NULL) {
        sonde_text_add(json,
                       ", \"k\": %" PRId32 ", \"restarts\": %" PRId32 ", \"rounds\": %" PRId32,
                       settings->k, settings->n_restart, settings->n_round_max);
        sonde_text_add(json, ", \"tolerance\": ");
        sonde_text_add_number(json, settings->tolerance);
        sonde_text_add(json, ", \"seed\": ");
        sonde__report_index(json, settings->seed);
        sonde_text_add(json, ", \"stream\": ");
        sonde__report_index(json, settings->stream);
        sonde_text_add(json, ", \"keep_empty\": %s, \"nearest_of_all\": %s, \"seed_order\": %s",
                       settings->keep_empty ? "true" : "false",
                       settings->nearest_of_all ? "true" : "false",
                       settings->seed_order ? "true" : "false");
    }
    sonde_text_add(json, "}");
}

/* A list of rows of numbers, one a line. */
static void add_rows(const char *key, const double *row, int32_t n_row, int32_t n_column,
                     sonde_text *json) {
    sonde_text_add(json, ",\n \"%s\": [", key);
    for (int32_t i = 0; i < n_row && !json->failed; i++) {
        sonde_text_add(json, "%s\n  ", i > 0 ? "," : "");
        sonde__report_numbers(json, row + (size_t)i * (size_t)n_column, n_column);
    }
    sonde_text_add(json, "]");
}

/* Where rows lie in the plane. */
static void add_places(const sonde_pca *pca, const char *key, const double *row, int32_t n_row,
                       sonde_text *json) {
    sonde_text_add(json, ",\n \"%s\": [", key);
    for (int32_t i = 0; i < n_row && !json->failed; i++) {
        double xy[2];
        sonde_pca_project(pca, row + (size_t)i * (size_t)pca->n_column, xy);
        sonde_text_add(json, "%s", i > 0 ? ", " : "");
        sonde__report_numbers(json, xy, 2);
    }
    sonde_text_add(json, "]");
}

/* The nodes of every policy, one a line. */
static void add_policies(const sonde_map *map, sonde_text *json) {
    int32_t *walk = new_walk(map, json);
    if (walk == NULL) {
        return;
    }
    const sonde_policies *policies = map->listing.policies;
    sonde__report_key(json, "nodes");
    sonde_text_add(json, "[");
    for (int32_t policy = 0; policy < map->embedding->n_policy && !json->failed; policy++) {
        sonde_policies_get(policies, map->listing.origin, (uint64_t)policy, walk);
        sonde_text_add(json, "%s\n  ", policy > 0 ? "," : "");
        sonde__report_nodes(json, graph_of(map), walk, policies->horizon);
    }
    sonde_text_add(json, "]");
    sonde__free(walk);
}

/* Who stands for each cluster (null for one without members), and how many belong to it. */
static void add_members(const sonde_clusters *clusters, sonde_text *json) {
    sonde__report_key(json, "representatives");
    for (int32_t c = 0; c < clusters->k; c++) {
        sonde_text_add(json, c > 0 ? ", " : "[");
        if (clusters->representative[c] >= 0) {
            sonde_text_add(json, "%" PRId32, clusters->representative[c]);
        } else {
            sonde_text_add(json, "null");
        }
    }
    sonde_text_add(json, "]");
    sonde__report_key(json, "sizes");
    for (int32_t c = 0; c < clusters->k; c++) {
        sonde_text_add(json, "%s%" PRId32, c > 0 ? ", " : "[",
                       clusters->offset[c + 1] - clusters->offset[c]);
    }
    sonde_text_add(json, "]");
}

static void add_clusters(const sonde_map *map, sonde_text *json) {
    const sonde_clusters *clusters = map->clusters;
    sonde__report_key(json, "clusters");
    sonde_text_add(json,
                   "{\"k\": %" PRId32 ", \"k_asked\": %" PRId32 ", \"inertia\": ", clusters->k,
                   clusters->k_asked);
    sonde_text_add_number(json, clusters->inertia);
    sonde_text_add(json, ", \"rounds\": %" PRId32, clusters->n_round);
    sonde__report_key(json, "labels");
    sonde__report_integers(json, clusters->label, clusters->n_policy);
    add_members(clusters, json);
    add_rows("centers", clusters->center, clusters->k, clusters->n_column, json);
    add_places(map->pca, "centers_xy", clusters->center, clusters->k, json);
    sonde_text_add(json, "}");
}

void sonde_report_map_json(const sonde_map *map, sonde_text *json) {
    const sonde_embedding *embedding = map->embedding;
    sonde__report_open(json, map->clusters != NULL ? "cluster" : "embed", map->listing.command);
    add_settings(map, json);
    sonde__report_names(json, graph_of(map));
    sonde__report_key(json, "embedding");
    sonde_text_add_quoted(json, embedding_of(map));
    sonde__report_key(json, "scope");
    sonde__report_scope(json, map->listing.origin);
    sonde__report_key(json, "state");
    sonde__report_edge(json, graph_of(map), map->listing.state);
    sonde__report_key(json, "count");
    sonde_text_add(json, "%" PRId32 ", \"columns\": %" PRId32 ", \"columns_nominal\": ",
                   embedding->n_policy, embedding->n_column);
    sonde_text_add_number(json, embedding->n_column_nominal);
    sonde__report_key(json, "pca_share");
    sonde__report_numbers(json, map->pca->share, 2);
    add_policies(map, json);
    add_rows("rows", embedding->row, embedding->n_row, embedding->n_column, json);
    sonde__report_key(json, "row_of");
    sonde__report_integers(json, embedding->row_of, embedding->n_policy);
    sonde__report_key(json, "weight");
    sonde__report_integers(json, embedding->weight, embedding->n_row);
    add_places(map->pca, "xy", embedding->row, embedding->n_row, json);
    if (map->clusters != NULL) {
        add_clusters(map, json);
    }
    sonde__report_close(json);
}
