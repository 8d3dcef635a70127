/* report_world.h: worlds of a study, opened again, and pictures of their policy spaces. */
#ifndef SONDE_REPORT_WORLD_H
#define SONDE_REPORT_WORLD_H

#include "draw/report_chart.h"
#include "draw/report_page.h"

/* worlds with more policies than this are not opened again: the report would take minutes */
#define SONDE__WORLD_POLICY_MAX 200000.0

/* ------------------------------------------------------------------------------------- worlds -- */

typedef struct {
    const sonde__result_world *result;
    sonde_graph *graph;
    sonde_model *model;
    sonde_policies *policies;
} sonde__opened_world;
/* Reads the world's document again. Close it, whatever this returns. */
sonde_status sonde__world_open(const sonde__page *page, const sonde__result_world *result,
                               sonde__opened_world *world);
void sonde__world_close(sonde__opened_world *world);
/* The run of a condition in a world, or NULL. */
const sonde__result_run *sonde__world_run(const sonde__results *results, int32_t condition,
                                          const sonde__result_world *world);
/* The world of a run, or NULL. */
const sonde__result_world *sonde__run_world(const sonde__results *results,
                                            const sonde__result_run *run);
/* Reads "3-1-2-2" into `path`, at most n_max nodes; how many there are. */
int32_t sonde__path_read(const char *words, int32_t n_max, int32_t *path);
enum { SONDE__PATH_MAX = 256 };
/* The graph with the path of a run, or without one for NULL. */
sonde_status sonde__world_draw(const sonde__page *page, const sonde__opened_world *world,
                               const sonde__result_run *run, sonde_text *svg);

/* ------------------------------------------------------------------------------------- spaces -- */

/* The embedded policies of an origin, and their clusters. */
typedef struct {
    const sonde__opened_world *world;
    int32_t origin;
    sonde_embedder *embedder;
    sonde_embedding *embedding;
    sonde_pca *pca;
} sonde__space;
sonde_status sonde__space_open(const sonde__page *page, const sonde__opened_world *world,
                               int32_t kind, int32_t origin, sonde__space *space);
void sonde__space_close(sonde__space *space);
/* Clusters with the settings and the chance that an agent of this world has; from three starts only
 * for more clusters than the paper has agents with. */
sonde_status sonde__space_cluster(const sonde__page *page, const sonde__space *space, int32_t k,
                                  sonde_clusters **clusters);

/* G of each cluster's representative, and mean G of its members, from the start of the world. */
typedef struct {
    int32_t k;
    double *representative; /* (k) */
    double *mean;           /* (k) */
} sonde__contrast;
sonde_status sonde__contrast_new(const sonde__page *page, const sonde__space *space,
                                 const sonde_clusters *clusters, sonde__contrast *contrast);
void sonde__contrast_free(sonde__contrast *contrast);

/* ----------------------------------------------------------------------------------- pictures -- */

/* A policy space in the plane of its first two principal components. */
typedef struct {
    const char *title;
    const sonde__space *space;
    const sonde_clusters *clusters;
    int32_t chosen; /* cluster whose members have another colour, or -1 */
    int32_t best;   /* policy with a marker of its own, or -1 */
} sonde__scatter_plot;
/* Draws it; title and numbers stand above the area, the axes' names outside it, too. */
void sonde__scatter_draw(const sonde__scatter_plot *scatter, sonde__area area, sonde_text *svg);
/* The signs of a scatter in one line; `chosen` adds those of a decision. */
void sonde__scatter_legend(bool chosen, sonde__point at, sonde_text *svg);

#endif
