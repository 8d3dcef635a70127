/* cluster.h: from the rows of an embedding to clusters, without asking for memory. How is told in
 * kmeans_internal.h and points_internal.h, which belong to this folder. */
#ifndef SONDE_CLUSTER_CLUSTER_H
#define SONDE_CLUSTER_CLUSTER_H

#include "base/shelf.h"
#include "base/memory.h"
#include "base/status.h"
#include "embed/embed.h"

/* Clusters whose arrays can be written; `clusters` is the view of them. */
typedef struct {
    sonde_clusters clusters; /* first: a pointer to it is a pointer to the block */
    double *center;
    int32_t *representative;
    int32_t *label;
    int32_t *offset;
    int32_t *member;
} sonde__clusters;
void sonde__clusters_carve(sonde__arena *arena, uint64_t n_policy, int32_t n_column, int32_t k,
                           sonde__clusters *clusters);

/* Room for fitting up to n_row rows, cut from the arena; NULL while that measures. */
typedef struct sonde__cluster_scratch sonde__cluster_scratch;
sonde__cluster_scratch *sonde__cluster_scratch_carve(sonde__arena *arena, int32_t n_row,
                                                     const sonde_embedder *embedder,
                                                     const sonde_cluster_settings *settings,
                                                     int32_t n_thread);
/* Fits an embedding into clusters that have room for it. */
sonde_status sonde__clusters_fill(const sonde_embedding *embedding,
                                  const sonde_cluster_settings *settings, const sonde_run *run,
                                  sonde__cluster_scratch *scratch, sonde__clusters *clusters);
/* What a shelf has of embedders and of the embedding of all policies, or NULL; and putting it
 * there: what is kept belongs to the shelf. False if there is no memory to keep it. */
sonde_embedder *sonde__shelf_embedder(const sonde_shelf *shelf,
                                      const sonde_embed_settings *settings);
bool sonde__shelf_keep_embedder(sonde_shelf *shelf, sonde_embedder *embedder);
sonde_embedding *sonde__shelf_embedding(const sonde_shelf *shelf,
                                        const sonde_embed_settings *settings);
bool sonde__shelf_keep_embedding(sonde_shelf *shelf, sonde_embedding *embedding);

/* SONDE_TOO_LARGE with a sentence for more rows, or policies, than the method can take. */
sonde_status sonde__cluster_fits(const sonde_cluster_settings *settings, uint64_t n,
                                 const char *what, sonde_error *error);
/* The k that makes the sum of k n_probe policies, which probing all clusters takes, and n_policy
 * / k, which one has on average, smallest: sqrt(n_policy / n_probe), rounded up. */
int32_t sonde__cluster_balance(uint64_t n_policy, double n_probe);

/* sonde_clusters_policy, of one that there is. */
static inline uint64_t sonde__clusters_policy(const sonde_clusters *clusters, int32_t i) {
    return clusters->policy != NULL ? clusters->policy[i] : (uint64_t)i;
}

#endif
