/* sonde_embed.h: embeddings of policies and their clusters, called by themselves.
 *
 * Searches that need them make their own: whoever lets an agent decide needs none of this, but for
 * what is in the clusters of a decision. */
#ifndef SONDE_EMBED_H
#define SONDE_EMBED_H

#include "sonde.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------- embedding -- */

/* What an embedding needs to know of a model, worked out once. Fails with SONDE_BAD_ARGUMENT,
 * SONDE_TOO_LARGE (edm looks at every global policy once), SONDE_STOPPED or SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_embedder_new(const sonde_policies *policies,
                                          const sonde_embed_settings *settings,
                                          const sonde_run *run, sonde_embedder **embedder,
                                          sonde_error *error);
SONDE_API void sonde_embedder_free(sonde_embedder *embedder);
/* Tells an embedder where the agent is, which occupancy and value depend on; at first it is where
 * the model begins. */
SONDE_API sonde_status sonde_embedder_aim(sonde_embedder *embedder, sonde_present now,
                                          sonde_error *error);
/* How many numbers a row has. */
SONDE_API int32_t sonde_embedder_n_column(const sonde_embedder *embedder);
/* The row (n_column) of one walk. Fails with SONDE_NO_MEMORY, or SONDE_BAD_ARGUMENT where a number
 * is no edge, or no action, or where rows are the program's own. */
SONDE_API sonde_status sonde_embedder_row(const sonde_embedder *embedder, const int32_t *walk,
                                          double *row, sonde_error *error);

/* SONDE_EMBEDDING_OWN: which policies of an origin rows are given of, as indices (n) in ascending
 * order, n being what sonde_embedder_size says: all of them, or the sample. Fails with
 * SONDE_BAD_ARGUMENT where there is no such origin. */
SONDE_API uint64_t sonde_embedder_size(const sonde_embedder *embedder, int32_t origin);
SONDE_API sonde_status sonde_embedder_list(const sonde_embedder *embedder, int32_t origin,
                                           uint64_t *index, sonde_error *error);
/* Gives rows (n_row, n_column) of an origin's policies, which outlive the embedder; the first ones
 * say how many columns all have. Agents that share the embedder must not be at work. Fails with
 * SONDE_BAD_ARGUMENT where the embedding is another, the origin, the number of rows or of columns
 * is not what it should be, or a number is not finite. */
SONDE_API sonde_status sonde_embedder_give(sonde_embedder *embedder, int32_t origin, int32_t n_row,
                                           int32_t n_column, const double *row, sonde_error *error);

/* The embedded policies of one origin. A policy's code is a row of small whole numbers (such as
 * counts of edges), and its row is the code itself, or basis * code. Equal rows are kept once, by
 * their codes: in bytes where these are whole numbers up to 255, as all codes that count along
 * walks are. */
typedef struct {
    sonde_embed_settings settings;
    int32_t origin;
    int32_t n_policy;
    int32_t n_row; /* distinct rows, in the order of their first policies */
    int32_t n_column;
    /* columns of the matrix that the rows stand for: edm has one for each global policy, and needs
     * far fewer to keep every distance */
    double n_column_nominal;
    const int32_t *row_of; /* (n_policy) */
    const int32_t *weight; /* (n_row) how many policies have this row */
    const int32_t *first;  /* (n_row) the lowest of them */
    /* (n_policy) indices of the policies, ascending, where they are a sample; NULL: policy i is
     * number i */
    const uint64_t *policy;
    int32_t n_code;
    const uint8_t *small; /* (n_row, n_code) codes; or NULL, where they do not fit bytes: */
    const double *code;   /* (n_row, n_code) */
    const double *basis;  /* (n_column, n_code): a row is basis code; NULL: a row is its code */
    const double *gram;   /* (n_code, n_code): its squared length is code gram code; or NULL */
    uint64_t bytes;       /* that it occupies */
} sonde_embedding;
/* Fails with SONDE_BAD_ARGUMENT (no such origin), SONDE_TOO_LARGE, SONDE_STOPPED or
 * SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_embedding_new(const sonde_embedder *embedder, int32_t origin,
                                           const sonde_run *run, sonde_embedding **embedding,
                                           sonde_error *error);
/* The same from rows (n_row, n_column) of the user's own, which are then the policies; any finite
 * numbers. Fails with SONDE_BAD_ARGUMENT, too. */
SONDE_API sonde_status sonde_embedding_from_rows(int32_t n_row, int32_t n_column, const double *row,
                                                 const sonde_run *run, sonde_embedding **embedding,
                                                 sonde_error *error);
/* Distinct row r (n_column); NaN where there is no such row. */
SONDE_API void sonde_embedding_row(const sonde_embedding *embedding, int32_t r, double *row);
SONDE_API void sonde_embedding_free(sonde_embedding *embedding);

/* The two directions in which an embedding's policies vary most. */
typedef struct {
    int32_t n_column;
    double share[2];    /* of the total variance */
    const double *mean; /* (n_column) */
    const double *axis; /* (2, n_column) unit length, largest coefficient positive */
} sonde_pca;
/* Fails with SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_pca_fit(const sonde_embedding *embedding, sonde_pca **pca,
                                     sonde_error *error);
SONDE_API void sonde_pca_project(const sonde_pca *pca, const double *row, double xy[2]);
/* The same for distinct row r of an embedding; NaN where there is none. */
SONDE_API void sonde_pca_point(const sonde_pca *pca, const sonde_embedding *embedding, int32_t r,
                               double xy[2]);
SONDE_API void sonde_pca_free(sonde_pca *pca);

/* -------------------------------------------------------------------------------- clusters -- */

/* Clusters, numbered by their lowest member (or as seed_order says). */
struct sonde_clusters {
    int32_t k;
    int32_t k_asked; /* more than k when there are fewer distinct rows than that */
    int32_t n_policy;
    int32_t n_column;
    int32_t n_round; /* of the best restart, or joins */
    double inertia;  /* summed squared distances of policies to their centres */
    /* (n_policy) indices of the policies where they are a sample, from the embedding, which then
     * outlives this; NULL: policy i is number i */
    const uint64_t *policy;
    const double *center;          /* (k, n_column) */
    const int32_t *representative; /* (k) policy nearest the centre; -1 in a cluster without any */
    const int32_t *label;          /* (n_policy) */
    const int32_t *offset;         /* (k + 1) members of c are member[offset[c]] .. */
    const int32_t *member;         /* (n_policy) by cluster, then ascending */
    bool reused;                   /* from the shelf */
    uint64_t bytes; /* that it occupies, without what an agent shares among several */
};
/* Fails with SONDE_BAD_ARGUMENT, SONDE_TOO_LARGE, SONDE_STOPPED or SONDE_NO_MEMORY. */
SONDE_API sonde_status sonde_clusters_fit(const sonde_embedding *embedding,
                                          const sonde_cluster_settings *settings,
                                          const sonde_run *run, sonde_clusters **clusters,
                                          sonde_error *error);
SONDE_API void sonde_clusters_free(sonde_clusters *clusters);
/* The index, in the order of the origin, of the i-th policy that was clustered; UINT64_MAX past
 * the last. */
SONDE_API uint64_t sonde_clusters_policy(const sonde_clusters *clusters, int32_t i);
/* Mean G of each cluster's members, carried out from `now` (k; NaN without members), which a
 * search does not need and its cost does not count. Fails with SONDE_NO_MEMORY, or
 * SONDE_BAD_ARGUMENT where the clusters are not those of the origin, or nobody can be there. */
SONDE_API sonde_status sonde_clusters_mean_efe(const sonde_clusters *clusters,
                                               const sonde_policies *policies, int32_t origin,
                                               sonde_present now, double *mean, sonde_error *error);

#ifdef __cplusplus
}
#endif

#endif
