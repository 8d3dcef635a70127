/* summary_space.c: the worlds of a study, opened again from their documents.
 *
 * A study keeps every world as a document and the seed of its agents, so that whatever happened in
 * a run can be made to happen again: same policies, same clusters, same decisions. */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "summary/summary_space.h"

#define POINT_MAX 3000 /* rows of a plane that are written, at equal distances in the list */
#define AGENT_K_MAX 12 /* of the paper; more clusters have no agent to agree with, and cost more */

/* ------------------------------------------------------------------------------------ worlds -- */

sonde_status sonde__world_read(const sonde__result_world *result, sonde_input *input,
                               sonde_error *error) {
    const sonde_source source = {"a world of the study", result->document,
                                 strlen(result->document)};
    return sonde_graph_read(&source, NULL, result->seed, &input->graph, error);
}

sonde_status sonde__world_open(const sonde__opening *opening, const sonde__result_world *result,
                               sonde__opened_world *world) {
    sonde_input *input = &world->input;
    *world = (sonde__opened_world){.result = result};
    sonde_status status = sonde__world_read(result, input, opening->error);
    if (status == SONDE_OK) {
        status = sonde_model_from_graph(input->graph, &input->model, NULL);
    }
    if (status == SONDE_OK) {
        status =
            sonde_policies_count(input->model, 0, opening->run, &world->policies, opening->error);
    }
    /* the number that said whether it is small enough to be opened was read from a file */
    if (status == SONDE_OK && world->policies->size != result->n_policy) {
        status = sonde__fail(opening->error, SONDE_BAD_INPUT,
                             "%s: world %" PRId32 " of %" PRId32 " nodes: expected %g policies, "
                             "found %g; it is damaged, or no study made it",
                             opening->results->path, result->graph, result->size,
                             world->policies->size, result->n_policy);
    }
    return status;
}

void sonde__world_close(sonde__opened_world *world) {
    sonde_policies_free(world->policies);
    sonde_input_free(&world->input);
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

/* ------------------------------------------------------------------------------------ spaces -- */

/* G of all policies of the origin. */
static sonde_status score(const sonde__opening *opening, int32_t now, sonde__space *space) {
    const size_t n = (size_t)space->embedding->n_policy;
    space->efe = sonde__alloc(n * sizeof *space->efe);
    if (space->efe == NULL) {
        return sonde__fail_memory(opening->error, "a policy space", n * sizeof *space->efe);
    }
    return sonde_efe_range(space->world->policies, (sonde_present){.state = now},
                           (sonde_range){space->origin, 0, n}, opening->run, space->efe,
                           opening->error);
}

sonde_status sonde__space_open(const sonde__opening *opening, const sonde__opened_world *world,
                               int32_t kind, int32_t origin, int32_t now, sonde__space *space) {
    sonde_embed_settings settings = sonde_search_defaults().embed;
    settings.kind = kind;
    *space = (sonde__space){.world = world, .origin = origin};
    sonde_status status = sonde_embedder_new(world->policies, &settings, opening->run,
                                             &space->embedder, opening->error);
    if (status == SONDE_OK) {
        status = sonde_embedding_new(space->embedder, origin, opening->run, &space->embedding,
                                     opening->error);
    }
    if (status == SONDE_OK) {
        status = sonde_pca_fit(space->embedding, &space->pca, NULL);
    }
    return status == SONDE_OK ? score(opening, now, space) : status;
}

void sonde__space_close(sonde__space *space) {
    sonde__free(space->efe);
    sonde_pca_free(space->pca);
    sonde_embedding_free(space->embedding);
    sonde_embedder_free(space->embedder);
    *space = (sonde__space){0};
}

sonde_status sonde__space_cluster(const sonde__opening *opening, const sonde__space *space,
                                  int32_t k, sonde_clusters **clusters) {
    sonde_cluster_settings settings = sonde_search_defaults().cluster;
    settings.k = k;
    settings.n_restart = k > AGENT_K_MAX ? 3 : settings.n_restart;
    settings.seed = space->world->result->seed;
    settings.stream = space->origin == SONDE_EVERYWHERE ? 0 : (uint64_t)space->origin + 1;
    return sonde_clusters_fit(space->embedding, &settings, opening->run, clusters, opening->error);
}

/* -------------------------------------------------------------------------------------- JSON -- */

/* A column of the plane: a coordinate (0, 1), G, or the cluster. */
static void add_column(const sonde__space *space, const sonde_clusters *clusters, int32_t column,
                       sonde_text *json) {
    const sonde_embedding *embedding = space->embedding;
    const int32_t stride = (embedding->n_row + POINT_MAX - 1) / POINT_MAX;
    for (int32_t row = 0; row < embedding->n_row; row += stride) {
        const int32_t policy = embedding->first[row];
        double xy[2];
        sonde_pca_point(space->pca, embedding, row, xy);
        sonde_text_add(json, row > 0 ? "," : "");
        if (column == 3) {
            sonde_text_add(json, "%" PRId32, clusters->label[policy]);
        } else {
            sonde__text_add_rounded(json, 5, column < 2 ? xy[column] : space->efe[policy]);
        }
    }
}

static void add_centers(const sonde__space *space, const sonde_clusters *clusters,
                        sonde_text *json) {
    bool first = true;
    for (int32_t c = 0; c < clusters->k; c++) {
        double xy[2];
        if (clusters->offset[c + 1] == clusters->offset[c]) {
            continue;
        }
        sonde_pca_project(space->pca, clusters->center + (size_t)c * (size_t)clusters->n_column,
                          xy);
        sonde_text_add(json, first ? "" : ", ");
        sonde__text_numbers(json, xy, 2);
        first = false;
    }
}

void sonde__space_json(const sonde__space *space, const sonde_clusters *clusters,
                       sonde_text *json) {
    static const char *const column[] = {"x", "y", "efe", "cluster"};
    sonde_text_add(json, "\"policies\": %" PRId32 ", \"rows\": %" PRId32 ", \"share\": ",
                   space->embedding->n_policy, space->embedding->n_row);
    sonde__text_numbers(json, space->pca->share, 2);
    for (int32_t i = 0; i < 4; i++) {
        sonde_text_add(json, ",\n    \"%s\": [", column[i]);
        add_column(space, clusters, i, json);
        sonde_text_add(json, "]");
    }
    sonde_text_add(json, ",\n    \"centers\": [");
    add_centers(space, clusters, json);
    sonde_text_add(json, "]");
}
