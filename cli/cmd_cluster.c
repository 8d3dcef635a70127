/* cmd_cluster.c: sonde cluster groups the policies of a scope, and names one to stand for each. */
#include <stdlib.h>

#include "cmd.h"
#include "map.h"
#include "table.h"

const cli_option_group *const cluster_groups[] = {
    &group_scope,  &group_embed,   &group_cluster, &group_world, &group_model, &group_observe,
    &group_belief, &group_weights, &group_seed,    &group_json,  &group_csv,   &group_run,
    NULL};

/* scratch of the table */
typedef struct {
    double *mean;  /* (k) mean G of the members */
    int32_t *walk; /* (T + 1) */
} scratch;

static void add_row(const cli_map *map, int32_t c, const scratch *s, cli_table *table) {
    const sonde_clusters *clusters = map->clusters;
    sonde_efe total = {0};
    sonde_text representative = {0};
    (void)sonde_policies_get(map->world.policies, map->world.origin,
                             sonde_clusters_policy(clusters, clusters->representative[c]), s->walk,
                             NULL);
    if (world_score(&map->world, s->walk, NULL, NULL, &total)) {
        piece_lose();
    }
    sonde_policies_say(map->world.policies, s->walk, &representative);
    table_add(table, "%d", (int)c);
    table_add(table, "%s", cluster_mark(c));
    table_add(table, "%d", (int)(clusters->offset[c + 1] - clusters->offset[c]));
    table_add_number(table, s->mean[c]);
    table_add_number(table, total.efe);
    table_add_text(table, representative.data ? representative.data : "");
    piece_free(&representative);
}

static sonde_status add_clusters(sonde_text *text, const cli_map *map) {
    static const char *const head[] = {"cluster", "mark", "size", "mean G", "G", "representative "};
    const sonde_clusters *clusters = map->clusters;
    scratch s = {.mean = calloc((size_t)clusters->k, sizeof(double)),
                 .walk = calloc((size_t)map->world.policies->horizon + 1, sizeof(int32_t))};
    sonde_status status = s.mean && s.walk ? SONDE_OK : SONDE_NO_MEMORY;
    if (!status) {
        status = sonde_clusters_mean_efe(clusters, map->world.scored, map->world.origin,
                                         map->world.now, s.mean, NULL);
    }
    if (!status) {
        cli_table table = table_open(head, 6);
        for (int32_t c = 0; c < clusters->k; c++) {
            add_row(map, c, &s, &table);
        }
        sonde_text_add(text, "\n");
        table_close(&table, text);
    }
    free(s.walk);
    free(s.mean);
    return status;
}

static sonde_status write_text(const void *about, sonde_text *text) {
    const cli_map *map = about;
    const sonde_clusters *clusters = map->clusters;
    add_map_lines(text, map);
    sonde_text_add(text, "%d cluster%s", (int)clusters->k, clusters->k == 1 ? "" : "s");
    if (clusters->k < clusters->k_asked) {
        sonde_text_add(text, " (of %d asked for: there are no more distinct rows)",
                       (int)clusters->k_asked);
    }
    const bool ward = map->settings.method == SONDE_METHOD_WARD;
    sonde_text_add(text, ", inertia %.6g after %d %s%s", clusters->inertia, (int)clusters->n_round,
                   ward ? "join" : "round", clusters->n_round == 1 ? "" : "s");
    if (!ward) {
        sonde_text_add(text, ", best of %d", (int)map->settings.n_restart);
    }
    sonde_text_add(text, "\n");
    sonde_status status = add_clusters(text, map);
    if (!status) {
        status = add_map_plane(text, map);
    }
    if (!status) {
        add_again(text, map->args, &map->world);
    }
    return status;
}

sonde_status cmd_cluster(cli_arguments *args, cli_session *session) {
    return map_make(args, session, true, write_text);
}
