/* summary_worlds.c: chosen worlds, whole, as the paper's figure of its data has them.
 *
 * For each: the runs of full and of clustered search (the paper's panel A); G of representatives
 * beside the mean G of their clusters (B to E); and the policy space under each embedding, global
 * and local, in the plane (F to I). Everything is computed again from the world's document, from
 * its start, as the text has it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "summary/summary_space.h"

#define GROUP "table"
#define WORLD_MAX 2
#define FEW 12
#define MANY 100

static const sonde_scope scope_of[] = {SONDE_GLOBAL, SONDE_LOCAL};
static const char *const embedding_of[] = {"edm", "boe", "aboe"};

/* What is gathered while the spaces of a world are opened one after the other. */
typedef struct {
    sonde__opening opening;
    sonde__opened_world world;
    sonde__grid *grid; /* of correlations, one row for each space */
    sonde_text *json;
} album;

/* ------------------------------------------------------------------------------ which worlds -- */

static int32_t full_condition(const sonde_study_plan *plan) {
    const sonde__cell_key key = {.scope = SONDE_LOCAL, .embedding = "none"};
    return sonde__condition_find(plan, GROUP, &key, SONDE_SEMANTICS_TEXT);
}

static int32_t clustered_condition(const sonde_study_plan *plan) {
    const sonde__cell_key key = {.scope = SONDE_LOCAL, .embedding = "boe", .k = FEW, .n = 1};
    return sonde__condition_find(plan, GROUP, &key, SONDE_SEMANTICS_TEXT);
}

/* How much there is to see: full and clustered search go different ways, with two steps or more to
 * go; two steps or more; any step; none. */
static int32_t rank(const sonde__result_world *world, const sonde__result_run *full,
                    const sonde__result_run *clustered) {
    const bool far = full != NULL && full->reached >= 2;
    const bool apart = far && clustered != NULL && strcmp(full->path, clustered->path) != 0;
    return apart ? 0 : far ? 1 : world->shortest > 0.0 ? 2 : 3;
}

/* The first world of a size with the most to see; NULL if there are none that can be opened. */
static const sonde__result_world *choose_world(const sonde__results *results, int32_t size) {
    const int32_t full = full_condition(results->plan);
    const int32_t clustered = clustered_condition(results->plan);
    const sonde__result_world *found = NULL;
    int32_t best = INT32_MAX;
    for (int32_t i = 0; i < results->n_world; i++) {
        const sonde__result_world *world = &results->world[i];
        if (world->size != size || world->n_policy > SONDE__WORLD_POLICY_MAX) {
            continue;
        }
        const sonde__result_run *run = sonde__world_run(results, full, world);
        const int32_t its = rank(world, run, sonde__world_run(results, clustered, world));
        if (its < best && (run != NULL || full < 0)) {
            best = its;
            found = world;
        }
    }
    return found;
}

/* Sizes 4 and 5; in a study without them, the largest that can be opened. */
static int32_t choose_worlds(const sonde__results *results, const sonde__result_world **world) {
    int32_t n = 0;
    for (int32_t size = 4; size <= 5; size++) {
        world[n] = choose_world(results, size);
        n += world[n] != NULL ? 1 : 0;
    }
    for (int32_t size = 12; size > 0 && n == 0; size--) {
        world[0] = choose_world(results, size);
        n = world[0] != NULL ? 1 : 0;
    }
    return n;
}

/* ------------------------------------------------------------------------------------ spaces -- */

/* G of each cluster's representative; NaN without members. */
static void score_representatives(const sonde__space *space, const sonde_clusters *clusters,
                                  double *efe) {
    for (int32_t c = 0; c < clusters->k; c++) {
        const int32_t policy = clusters->representative[c];
        efe[c] = policy >= 0 ? space->efe[policy] : (double)NAN;
    }
}

static void add_contrast(album *a, const sonde_clusters *clusters, const double *representative,
                         const double *mean) {
    const double r = sonde__pearson(clusters->k, representative, mean);
    sonde__grid_integer(a->grid, 0, clusters->k);
    sonde__grid_put(a->grid, 0, sonde__fixed(r, 2).text);
    sonde_text_add(a->json, "{\"representative\": ");
    sonde__text_numbers(a->json, representative, clusters->k);
    sonde_text_add(a->json, ", \"mean\": ");
    sonde__text_numbers(a->json, mean, clusters->k);
    sonde_text_add(a->json, ", \"r\": ");
    sonde_text_add_number(a->json, r);
    sonde_text_add(a->json, "}");
}

/* Clusters a space, compares representatives and clusters, and for few clusters keeps the plane. */
static sonde_status contrast_space(album *a, const sonde__space *space, int32_t k) {
    sonde_clusters *clusters = NULL;
    sonde_status status = sonde__space_cluster(&a->opening, space, k, &clusters);
    if (status != SONDE_OK) {
        return status;
    }
    double *efe = sonde__alloc(2 * (size_t)clusters->k * sizeof *efe);
    if (efe == NULL) {
        status = sonde__fail_memory(a->opening.error, "a policy space", 0);
    } else {
        double *mean = efe + clusters->k;
        score_representatives(space, clusters, efe);
        status = sonde_clusters_mean_efe(clusters, a->world.policies, space->origin,
                                         (sonde_present){.state = a->world.input.graph->start},
                                         mean, a->opening.error);
        if (k == FEW) {
            sonde__space_json(space, clusters, a->json);
        }
        sonde_text_add(a->json, ",\n    \"k%" PRId32 "\": ", k);
        add_contrast(a, clusters, efe, mean);
    }
    sonde__free(efe);
    sonde_clusters_free(clusters);
    return status;
}

static void name_space(album *a, const sonde__space *space, int32_t i) {
    const char *scope = sonde_scope_name((int32_t)scope_of[i / 3]);
    sonde__grid_integer(a->grid, i == 0 ? SONDE__RULE : 0, a->world.result->size);
    sonde__grid_put(a->grid, SONDE__LEFT, scope);
    sonde__grid_put(a->grid, SONDE__LEFT, sonde__embedding_title(embedding_of[i % 3]));
    sonde__grid_integer(a->grid, 0, space->embedding->n_policy);
    sonde__grid_integer(a->grid, 0, space->embedding->n_row);
    sonde_text_add(a->json, "%s\n   {\"scope\": \"%s\", \"embedding\": \"%s\", ", i > 0 ? "," : "",
                   scope, embedding_of[i % 3]);
}

static sonde_status add_space(album *a, int32_t i) {
    const int32_t kind = sonde_name_find(sonde_embedding_name, embedding_of[i % 3]);
    const int32_t start = a->world.input.graph->start;
    const int32_t origin = scope_of[i / 3] == SONDE_GLOBAL ? SONDE_EVERYWHERE : start;
    sonde__space space = {0};
    if (sonde__stopped(a->opening.run)) {
        return sonde__fail(a->opening.error, SONDE_STOPPED, "the report was interrupted");
    }
    sonde_status status = sonde__space_open(&a->opening, &a->world, kind, origin, start, &space);
    if (status == SONDE_OK) {
        name_space(a, &space, i);
        status = contrast_space(a, &space, FEW);
    }
    if (status == SONDE_OK) {
        status = contrast_space(a, &space, MANY);
        sonde_text_add(a->json, "}");
    }
    sonde__space_close(&space);
    return status;
}

/* ----------------------------------------------------------------------------------- section -- */

static void add_run(album *a, const char *name, int32_t condition) {
    const sonde__results *results = a->opening.results;
    const sonde__result_run *run = sonde__world_run(results, condition, a->world.result);
    sonde_text_add(a->json, ", \"%s\": ", name);
    sonde_text_add(a->json, run != NULL ? "%td" : "null", run != NULL ? run - results->run : 0);
}

static sonde_status add_world(album *a, const sonde__result_world *world) {
    const sonde__results *results = a->opening.results;
    const sonde__opening opening = a->opening;
    sonde_status status = sonde__world_open(&opening, world, &a->world);
    sonde_text_add(a->json, "{\"world\": %td", world - results->world);
    add_run(a, "full", full_condition(results->plan));
    add_run(a, "clustered", clustered_condition(results->plan));
    sonde_text_add(a->json, ", \"spaces\": [");
    for (int32_t i = 0; i < 6 && status == SONDE_OK; i++) {
        status = add_space(a, i);
    }
    sonde_text_add(a->json, "]}");
    sonde__world_close(&a->world);
    return status;
}

static void add_heads(sonde__grid *grid) {
    static const char *const head[] = {"nodes",    "scope",         "embedding",
                                       "policies", "distinct rows", "clusters",
                                       "r",        "clusters",      "r"};
    *grid = (sonde__grid){.name = "correlation", .n_column = 9, .n_head = 2};
    sonde__grid_add(grid, SONDE__LEFT, 5, "", NULL);
    sonde__grid_add(grid, 0, 2, "k = 12", NULL);
    sonde__grid_add(grid, 0, 2, "k = 100", NULL);
    for (int32_t i = 0; i < 9; i++) {
        sonde__grid_put(grid, i == 1 || i == 2 ? SONDE__LEFT : 0, head[i]);
    }
}

sonde_status sonde__worlds_json(const sonde__summary *summary, const sonde_run *run,
                                sonde__grid *grid, sonde_text *json, sonde_error *error) {
    album a = {.opening = {summary->results, run, error}, .grid = grid, .json = json};
    const sonde__result_world *world[WORLD_MAX + 1] = {NULL};
    const int32_t n = choose_worlds(summary->results, world);
    sonde_status status = SONDE_OK;
    add_heads(grid);
    sonde_text_add(json, "[");
    for (int32_t i = 0; i < n && status == SONDE_OK; i++) {
        sonde_text_add(json, i > 0 ? ",\n  " : "\n  ");
        status = add_world(&a, world[i]);
    }
    sonde_text_add(json, "]");
    return status;
}
