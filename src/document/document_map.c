/* document_map.c: the map of a policy space, as a table (CSV) or a document (JSON).
 *
 * A map has each policy's row of numbers, its place in the plane of the two directions in which
 * the rows vary most, and the cluster it belongs to. The table has one line for each policy. The
 * document holds rows and places once for all policies that share them, as the embedding does:
 * the p-th policy has row row_of[p]. It is number p of the policy order, or index[p] where a sample
 * was drawn. */
#include <inttypes.h>

#include "base/memory.h"
#include "base/settings.h"
#include "embed/embed.h"
#include "document/document_internal.h"

static const sonde_model *model_of(const sonde_map *map) {
    return map->listing.policies->model;
}

static const char *embedding_of(const sonde_map *map) {
    return sonde_embedding_name(map->embedding->settings.kind);
}

/* The place of the i-th policy of the map in the policy order. */
static uint64_t index_of(const sonde_map *map, int32_t i) {
    return map->embedding->policy != NULL ? map->embedding->policy[i] : (uint64_t)i;
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

static void add_header(const sonde_map *map, sonde_text *csv) {
    sonde_text_add(csv, "policy,%s,row,%sx,y", sonde__writer_of(model_of(map))->steps,
                   map->clusters != NULL ? "label,representative," : "");
    for (int32_t column = 0; column < map->embedding->n_column && !csv->failed; column++) {
        sonde_text_add(csv, ",");
        sonde__document_column(csv, map, column);
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
    const int32_t row = map->embedding->row_of[policy];
    sonde_text_add(csv, "%" PRIu64 ",", index_of(map, policy));
    sonde__writer_of(model_of(map))->column_steps(csv, map->listing.policies, walk);
    sonde_text_add(csv, ",%" PRId32, row);
    if (map->clusters != NULL) {
        sonde_text_add(csv, ",%" PRId32 ",%d", map->clusters->label[policy],
                       is_representative(map->clusters, policy) ? 1 : 0);
    }
    double xy[2];
    sonde_pca_point(map->pca, map->embedding, row, xy);
    for (int32_t axis = 0; axis < 2; axis++) {
        sonde_text_add(csv, ",");
        sonde_text_add_number(csv, xy[axis]);
    }
    for (int32_t column = 0; column < map->embedding->n_column; column++) {
        sonde_text_add(csv, ",");
        sonde_text_add_number(csv, sonde__embedding_at(map->embedding, row, column));
    }
    sonde_text_add(csv, "\n");
}

void sonde_document_map_csv(const sonde_map *map, sonde_text *csv) {
    int32_t *walk = new_walk(map, csv);
    if (walk == NULL) {
        return;
    }
    add_header(map, csv);
    for (int32_t policy = 0; policy < map->embedding->n_policy && !csv->failed; policy++) {
        sonde__policies_get(map->listing.policies, map->listing.origin, index_of(map, policy),
                            walk);
        add_line(map, policy, walk, csv);
    }
    sonde__free(walk);
}

/* --------------------------------------------------------------------------------- document -- */

/* Every setting of the embedding and, if there is one, of the clustering. */
static void add_settings(const sonde_map *map, sonde_text *json) {
    sonde__document_key(json, "settings");
    sonde_text_add(json, "{\"embedding\": ");
    sonde_text_add_quoted(json, embedding_of(map));
    const sonde_embed_settings *embed = &map->embedding->settings;
    sonde_text_add(json,
                   ", \"ngram\": %" PRId32 ", \"ends\": %" PRId32 ", \"dimension\": %" PRId32
                   ", \"policy_sample\": %" PRId32,
                   embed->ngram, embed->n_end, embed->n_dimension, embed->n_sample);
    sonde__text_pair(json, "onehot_weight", embed->onehot_weight);
    if (sonde__document_scoped(model_of(map))) {
        sonde_text_add(json, ", \"scope\": ");
        sonde__document_scope(json, map->listing.origin);
    }
    if (embed->n_sample > 0 || sonde__embed_learns(embed->kind)) {
        sonde_text_add(json, ", \"sample_seed\": ");
        sonde__document_index(json, embed->seed);
    }
    const sonde_cluster_settings *settings = map->cluster_settings;
    if (settings != NULL) {
        sonde_text_add(json, ", \"method\": \"%s\"",
                       sonde__cluster_method_name((int32_t)settings->method));
        sonde_text_add(json,
                       ", \"k\": %" PRId32 ", \"restarts\": %" PRId32 ", \"rounds\": %" PRId32,
                       settings->k, settings->n_restart, settings->n_round_max);
        sonde__text_pair(json, "tolerance", settings->tolerance);
        sonde_text_add(json, ", \"seed\": ");
        sonde__document_index(json, settings->seed);
        sonde_text_add(json, ", \"stream\": ");
        sonde__document_index(json, settings->stream);
        sonde_text_add(json, ", \"keep_empty\": %s, \"nearest_of_all\": %s, \"seed_order\": %s",
                       settings->keep_empty ? "true" : "false",
                       settings->nearest_of_all ? "true" : "false",
                       settings->seed_order ? "true" : "false");
    }
    sonde_text_add(json, "}");
}

/* The distinct rows, one a line. */
static void add_rows(const sonde_embedding *embedding, sonde_text *json) {
    sonde_text_add(json, ",\n \"rows\": [");
    for (int32_t r = 0; r < embedding->n_row && !json->failed; r++) {
        sonde_text_add(json, "%s\n  [", r > 0 ? "," : "");
        for (int32_t j = 0; j < embedding->n_column; j++) {
            sonde_text_add(json, "%s", j > 0 ? ", " : "");
            sonde_text_add_number(json, sonde__embedding_at(embedding, r, j));
        }
        sonde_text_add(json, "]");
    }
    sonde_text_add(json, "]");
}

/* Where they lie in the plane. */
static void add_places(const sonde_pca *pca, const sonde_embedding *embedding, sonde_text *json) {
    sonde_text_add(json, ",\n \"xy\": [");
    for (int32_t r = 0; r < embedding->n_row && !json->failed; r++) {
        double xy[2];
        sonde_pca_point(pca, embedding, r, xy);
        sonde_text_add(json, "%s", r > 0 ? ", " : "");
        sonde__text_numbers(json, xy, 2);
    }
    sonde_text_add(json, "]");
}

/* The centres of clusters, one a line, and where they lie in the plane. */
static void add_centers(const sonde_pca *pca, const sonde_clusters *clusters, sonde_text *json) {
    const size_t n = (size_t)clusters->n_column;
    sonde_text_add(json, ",\n \"centers\": [");
    for (int32_t c = 0; c < clusters->k && !json->failed; c++) {
        sonde_text_add(json, "%s\n  ", c > 0 ? "," : "");
        sonde__text_numbers(json, clusters->center + (size_t)c * n, clusters->n_column);
    }
    sonde_text_add(json, "],\n \"centers_xy\": [");
    for (int32_t c = 0; c < clusters->k && !json->failed; c++) {
        double xy[2];
        sonde_pca_project(pca, clusters->center + (size_t)c * n, xy);
        sonde_text_add(json, "%s", c > 0 ? ", " : "");
        sonde__text_numbers(json, xy, 2);
    }
    sonde_text_add(json, "]");
}

/* The nodes or the actions of every policy, one a line. */
static void add_policies(const sonde_map *map, sonde_text *json) {
    int32_t *walk = new_walk(map, json);
    if (walk == NULL) {
        return;
    }
    const sonde_policies *policies = map->listing.policies;
    const sonde__writer *writer = sonde__writer_of(policies->model);
    sonde__document_key(json, writer->steps);
    sonde_text_add(json, "[");
    for (int32_t policy = 0; policy < map->embedding->n_policy && !json->failed; policy++) {
        sonde__policies_get(policies, map->listing.origin, index_of(map, policy), walk);
        sonde_text_add(json, "%s\n  ", policy > 0 ? "," : "");
        writer->policy_steps(json, policies, walk);
    }
    sonde_text_add(json, "]");
    sonde__free(walk);
}

/* Which policies they are, where they are a sample. */
static void add_indices(const sonde_map *map, sonde_text *json) {
    if (map->embedding->policy == NULL) {
        return;
    }
    sonde__document_key(json, "index");
    for (int32_t i = 0; i < map->embedding->n_policy && !json->failed; i++) {
        sonde_text_add(json, i > 0 ? ", " : "[");
        sonde__document_index(json, map->embedding->policy[i]);
    }
    sonde_text_add(json, "]");
}

/* Who stands for each cluster (null for one without members), and how many belong to it. */
static void add_members(const sonde_clusters *clusters, sonde_text *json) {
    sonde__document_key(json, "representatives");
    for (int32_t c = 0; c < clusters->k; c++) {
        sonde_text_add(json, c > 0 ? ", " : "[");
        if (clusters->representative[c] >= 0) {
            sonde_text_add(json, "%" PRId32, clusters->representative[c]);
        } else {
            sonde_text_add(json, "null");
        }
    }
    sonde_text_add(json, "]");
    sonde__document_key(json, "sizes");
    for (int32_t c = 0; c < clusters->k; c++) {
        sonde_text_add(json, "%s%" PRId32, c > 0 ? ", " : "[",
                       clusters->offset[c + 1] - clusters->offset[c]);
    }
    sonde_text_add(json, "]");
}

static void add_clusters(const sonde_map *map, sonde_text *json) {
    const sonde_clusters *clusters = map->clusters;
    sonde__document_key(json, "clusters");
    sonde_text_add(json,
                   "{\"k\": %" PRId32 ", \"k_asked\": %" PRId32 ", \"inertia\": ", clusters->k,
                   clusters->k_asked);
    sonde_text_add_number(json, clusters->inertia);
    sonde_text_add(json, ", \"rounds\": %" PRId32, clusters->n_round);
    sonde__document_key(json, "labels");
    sonde__document_integers(json, clusters->label, clusters->n_policy);
    add_members(clusters, json);
    add_centers(map->pca, clusters, json);
    sonde_text_add(json, "}");
}

void sonde_document_map_json(const sonde_map *map, sonde_text *json) {
    const sonde_embedding *embedding = map->embedding;
    const sonde_model *model = model_of(map);
    const sonde__writer *writer = sonde__writer_of(model);
    sonde__document_open(json, map->clusters != NULL ? "cluster" : "embed", map->listing.command);
    add_settings(map, json);
    writer->names(json, model);
    writer->conventions(json, model);
    sonde__document_key(json, "embedding");
    sonde_text_add_quoted(json, embedding_of(map));
    if (sonde__document_scoped(model)) {
        sonde__document_key(json, "scope");
        sonde__document_scope(json, map->listing.origin);
    }
    writer->present(json, model, &map->listing.now);
    sonde__document_key(json, "count");
    sonde_text_add(json, "%" PRId32 ", \"columns\": %" PRId32 ", \"columns_nominal\": ",
                   embedding->n_policy, embedding->n_column);
    sonde_text_add_number(json, embedding->n_column_nominal);
    sonde__document_key(json, "pca_share");
    sonde__text_numbers(json, map->pca->share, 2);
    add_indices(map, json);
    add_policies(map, json);
    add_rows(embedding, json);
    sonde__document_key(json, "row_of");
    sonde__document_integers(json, embedding->row_of, embedding->n_policy);
    sonde__document_key(json, "weight");
    sonde__document_integers(json, embedding->weight, embedding->n_row);
    add_places(map->pca, embedding, json);
    if (map->clusters != NULL) {
        add_clusters(map, json);
    }
    sonde__document_close(json);
}
