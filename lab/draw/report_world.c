/* report_world.c: the worlds of a study, opened again from their documents.
 *
 * A study keeps every world as a document and the seed of its agents, so that whatever happened in
 * a run can be made to happen again: same policies, same clusters, same decisions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "draw/report_world.h"

#define AGENT_K_MAX 12 /* of the paper; more clusters have no agent to agree with, and cost more */

/* ------------------------------------------------------------------------------------- worlds -- */

sonde_status sonde__world_open(const sonde__page *page, const sonde__result_world *result,
                               sonde__opened_world *world) {
    const sonde_source source = {"a world of the study", result->document,
                                 strlen(result->document)};
    *world = (sonde__opened_world){.result = result};
    sonde_status status =
        sonde_graph_parse(&source, NULL, result->seed, &world->graph, page->error);
    if (status == SONDE_OK) {
        status = sonde_model_from_graph(world->graph, &world->model, NULL);
    }
    if (status == SONDE_OK) {
        status = sonde_policies_count(world->model, page->run, &world->policies, page->error);
    }
    /* the number that said whether it is small enough to be opened was read from a file */
    if (status == SONDE_OK && world->policies->size != result->n_policy) {
        status = sonde__fail(page->error, SONDE_BAD_INPUT,
                             "%s: world %" PRId32 " of %" PRId32 " nodes: expected %g policies, "
                             "found %g; it is damaged, or no study made it",
                             page->results->path, result->graph, result->size,
                             world->policies->size, result->n_policy);
    }
    return status;
}

void sonde__world_close(sonde__opened_world *world) {
    sonde_policies_free(world->policies);
    sonde_model_free(world->model);
    sonde_graph_free(world->graph);
    *world = (sonde__opened_world){0};
}

const sonde__result_run *sonde__world_run(const sonde__results *results, int32_t condition,
                                          const sonde__result_world *world) {
    const sonde__run_list stretch = sonde__runs(results, condition, world->size);
    for (int32_t i = 0; i < stretch.n; i++) {
        if (stretch.run[i].graph == world->graph) {
            return &stretch.run[i];
        }
    }
    return NULL;
}

const sonde__result_world *sonde__run_world(const sonde__results *results,
                                            const sonde__result_run *run) {
    const sonde_condition *condition = &results->plan->condition[run->condition];
    const int32_t horizon = condition->horizon > 0 ? condition->horizon : run->size;
    for (int32_t i = 0; i < results->n_world; i++) {
        const sonde__result_world *world = &results->world[i];
        if (world->connect == condition->connect && world->size == run->size &&
            world->horizon == horizon && world->graph == run->graph) {
            return world;
        }
    }
    return NULL;
}

int32_t sonde__path_read(const char *words, int32_t n_max, int32_t *path) {
    int32_t n = 0;
    while (n < n_max && *words >= '0' && *words <= '9') {
        char *end = NULL;
        path[n++] = (int32_t)strtol(words, &end, 10);
        words = *end == '-' ? end + 1 : end;
    }
    return n;
}

sonde_status sonde__world_draw(const sonde__page *page, const sonde__opened_world *world,
                               const sonde__result_run *run, sonde_text *svg) {
    int32_t path[SONDE__PATH_MAX] = {0};
    const int32_t n = run != NULL ? sonde__path_read(run->path, SONDE__PATH_MAX, path) : 0;
    const sonde_status status = sonde_draw_graph(world->graph, path, n, svg, NULL);
    return status == SONDE_BAD_ARGUMENT && run != NULL
               ? sonde__fail(page->error, SONDE_BAD_INPUT, "%s: a path does not fit its world: %s",
                             page->results->path, run->path)
               : status;
}

/* ------------------------------------------------------------------------------------- spaces -- */

sonde_status sonde__space_open(const sonde__page *page, const sonde__opened_world *world,
                               int32_t kind, int32_t origin, sonde__space *space) {
    sonde_embed_settings settings = sonde_search_defaults().embed;
    settings.kind = kind;
    *space = (sonde__space){.world = world, .origin = origin};
    sonde_status status =
        sonde_embedder_new(world->policies, &settings, page->run, &space->embedder, page->error);
    if (status == SONDE_OK) {
        status =
            sonde_embedding_new(space->embedder, origin, page->run, &space->embedding, page->error);
    }
    if (status == SONDE_OK) {
        status = sonde_pca_fit(space->embedding, &space->pca, NULL);
    }
    return status;
}

void sonde__space_close(sonde__space *space) {
    sonde_pca_free(space->pca);
    sonde_embedding_free(space->embedding);
    sonde_embedder_free(space->embedder);
    *space = (sonde__space){0};
}

sonde_status sonde__space_cluster(const sonde__page *page, const sonde__space *space, int32_t k,
                                  sonde_clusters **clusters) {
    sonde_cluster_settings settings = sonde_search_defaults().cluster;
    settings.k = k;
    settings.n_restart = k > AGENT_K_MAX ? 3 : settings.n_restart;
    settings.seed = space->world->result->seed;
    settings.stream = space->origin == SONDE_EVERYWHERE ? 0 : (uint64_t)space->origin + 1;
    return sonde_clusters_fit(space->embedding, &settings, page->run, clusters, page->error);
}

/* ----------------------------------------------------------------------------------- contrast -- */

static sonde_status score_representatives(const sonde__space *space, const sonde_clusters *clusters,
                                          int32_t *walk, double *efe) {
    const sonde__opened_world *world = space->world;
    sonde_status status = SONDE_OK;
    for (int32_t c = 0; c < clusters->k && status == SONDE_OK; c++) {
        sonde_efe total = {0};
        (void)sonde_policies_get(world->policies, space->origin,
                                 (uint64_t)clusters->representative[c], walk, NULL);
        const sonde_walks one = {1, world->model->horizon, walk};
        const sonde_scores scores = {.total = &total};
        status = sonde_efe_walks(world->model, (sonde_present){.state = world->graph->start}, &one,
                                 NULL, &scores, NULL);
        efe[c] = total.efe;
    }
    return status;
}

sonde_status sonde__contrast_new(const sonde__page *page, const sonde__space *space,
                                 const sonde_clusters *clusters, sonde__contrast *contrast) {
    const sonde__opened_world *world = space->world;
    const size_t k = (size_t)clusters->k;
    int32_t *walk = sonde__alloc(((size_t)world->policies->horizon + 1) * sizeof *walk);
    *contrast = (sonde__contrast){
        .k = clusters->k,
        .representative = sonde__alloc(2 * k * sizeof *contrast->representative),
    };
    if (walk == NULL || contrast->representative == NULL) {
        sonde__free(walk);
        return sonde__fail_memory(page->error, "a policy space", 2 * k * sizeof(double));
    }
    contrast->mean = contrast->representative + k;
    const sonde_status status =
        score_representatives(space, clusters, walk, contrast->representative);
    sonde__free(walk);
    return status != SONDE_OK
               ? status
               : sonde_clusters_mean_efe(clusters, world->policies, space->origin,
                                         (sonde_present){.state = world->graph->start},
                                         contrast->mean, NULL);
}

void sonde__contrast_free(sonde__contrast *contrast) {
    sonde__free(contrast->representative);
    *contrast = (sonde__contrast){0};
}
