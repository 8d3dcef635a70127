/* 04_cluster.c: policies as points, their clusters, and where those lie in a plane.
 *
 * New here: the stages inside a clustered search, one by one. The embedder knows the model, the
 * embedding holds the rows of one origin's policies (equal rows once), clusters are fitted to it,
 * and principal components project any row to two numbers. */
#include <sonde_embed.h>
#include <stdio.h>

enum { N_STEP = 5 };

typedef struct {
    sonde_graph *graph;
    sonde_model *model;
    sonde_policies *policies;
    sonde_embedder *embedder;
    sonde_embedding *embedding;
    sonde_clusters *clusters;
    sonde_pca *pca;
} map;

static sonde_status make(map *m, sonde_error *error) {
    sonde_graph_settings drawing = sonde_graph_defaults();
    drawing.horizon = N_STEP;
    sonde_embed_settings embed = sonde_search_defaults().embed;
    embed.kind = sonde_name_find(sonde_embedding_name, "edm");
    sonde_cluster_settings cluster = sonde_search_defaults().cluster;
    cluster.k = 6;
    sonde_status status = sonde_graph_random(&drawing, 57, &m->graph, error);
    if (!status)
        status = sonde_model_from_graph(m->graph, &m->model, error);
    if (!status)
        status = sonde_policies_count(m->model, 0, NULL, &m->policies, error);
    if (!status)
        status = sonde_embedder_new(m->policies, &embed, NULL, &m->embedder, error);
    if (!status)
        status = sonde_embedding_new(m->embedder, m->graph->start, NULL, &m->embedding, error);
    if (!status)
        status = sonde_clusters_fit(m->embedding, &cluster, NULL, &m->clusters, error);
    if (!status)
        status = sonde_pca_fit(m->embedding, &m->pca, error);
    return status;
}

static void show(const map *m) {
    const sonde_clusters *clusters = m->clusters;
    int32_t walk[N_STEP + 1];
    printf("%d policies, %d distinct rows, %d columns that stand for %.0f\n",
           m->embedding->n_policy, m->embedding->n_row, m->embedding->n_column,
           m->embedding->n_column_nominal);
    printf("two directions hold %.0f %% and %.0f %% of the variance\n", 100.0 * m->pca->share[0],
           100.0 * m->pca->share[1]);
    printf("cluster  size      x      y  representative\n");
    for (int32_t c = 0; c < clusters->k; c++) {
        double xy[2];
        sonde_pca_project(m->pca, clusters->center + (size_t)c * (size_t)clusters->n_column, xy);
        printf("%7d %5d %6.1f %6.1f ", c, clusters->offset[c + 1] - clusters->offset[c], xy[0],
               xy[1]);
        const uint64_t policy = (uint64_t)clusters->representative[c];
        if (sonde_policies_get(m->policies, m->graph->start, policy, walk, NULL) != SONDE_OK) {
            continue;
        }
        for (int32_t t = 0; t <= N_STEP; t++) {
            printf(" %d", m->graph->head[walk[t]]);
        }
        printf("\n");
    }
}

int main(void) {
    map m = {0};
    sonde_error error = {0};
    sonde_status status = make(&m, &error);
    if (!status)
        show(&m);
    else
        puts(error.text);
    sonde_pca_free(m.pca);
    sonde_clusters_free(m.clusters);
    sonde_embedding_free(m.embedding);
    sonde_embedder_free(m.embedder);
    sonde_policies_free(m.policies);
    sonde_model_free(m.model);
    sonde_graph_free(m.graph);
    return (int)status;
}
