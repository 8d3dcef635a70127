/* summary_space.h: worlds of a study, opened again, and their policy spaces. */
#ifndef SONDE_SUMMARY_SPACE_H
#define SONDE_SUMMARY_SPACE_H

#include "summary/summary.h"

/* worlds with more policies than this are not opened again: the report would take minutes */
#define SONDE__WORLD_POLICY_MAX 200000.0

/* ------------------------------------------------------------------------------------ worlds -- */

typedef struct {
    const sonde__results *results;
    const sonde_run *run;
    sonde_error *error;
} sonde__opening;
typedef struct {
    const sonde__result_world *result;
    sonde_input input;
    sonde_policies *policies;
} sonde__opened_world;
/* Reads the world's document again, as a graph without its model. */
sonde_status sonde__world_read(const sonde__result_world *result, sonde_input *input,
                               sonde_error *error);
/* Reads the world, and counts its policies. Close it, whatever this returns. */
sonde_status sonde__world_open(const sonde__opening *opening, const sonde__result_world *result,
                               sonde__opened_world *world);
void sonde__world_close(sonde__opened_world *world);
/* The run of a condition in a world, or NULL. */
const sonde__result_run *sonde__world_run(const sonde__results *results, int32_t condition,
                                          const sonde__result_world *world);
/* The world of a run, or NULL. */
const sonde__result_world *sonde__run_world(const sonde__results *results,
                                            const sonde__result_run *run);

/* ------------------------------------------------------------------------------------ spaces -- */

/* The embedded policies of an origin, and their clusters. */
typedef struct {
    const sonde__opened_world *world;
    int32_t origin;
    sonde_embedder *embedder;
    sonde_embedding *embedding;
    sonde_pca *pca;
    double *efe; /* (n_policy) of each policy, from a present */
} sonde__space;
/* `now` is the edge from which G is counted. */
sonde_status sonde__space_open(const sonde__opening *opening, const sonde__opened_world *world,
                               int32_t kind, int32_t origin, int32_t now, sonde__space *space);
void sonde__space_close(sonde__space *space);
/* Clusters with the settings and the chance that an agent of this world has; from three starts only
 * for more clusters than the paper has agents with. */
sonde_status sonde__space_cluster(const sonde__opening *opening, const sonde__space *space,
                                  int32_t k, sonde_clusters **clusters);
/* The plane of the first two principal components: each distinct row with G of its first policy and
 * its cluster, and the centres; pairs of an object that is open. */
void sonde__space_json(const sonde__space *space, const sonde_clusters *clusters, sonde_text *json);

#endif
