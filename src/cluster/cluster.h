/* cluster.h: clustering without asking for memory. */
#ifndef SONDE_CLUSTER_CLUSTER_H
#define SONDE_CLUSTER_CLUSTER_H

#include "base/memory.h"
#include "base/status.h"

/* Points that rows are compared with, such as centres, in blocks of LANES: one number of every point
 * of a block stands side by side with the others', so that loops over points fill vectors. For a row
 * with code x and length |x|, and a point y,
 *
 *     squared distance = |x|^2 + 2 (half - x . table),   table = gram y,   half = |y|^2 / 2      */
enum { SONDE__LANES = 4 };
typedef struct {
    int32_t n;
    int32_t n_block;
    int32_t n_code;
    double *table; /* (n_block, n_code, LANES) */
    double *half;  /* (n_block, LANES); huge where the last block has no point */
    double *score; /* (n_block, LANES) scratch: half - x . table of one row */
} sonde__points;
void sonde__points_carve(sonde__arena *arena, int32_t n, int32_t n_code, sonde__points *points);
/* Makes `code` (n_code) point i. */
void sonde__points_set(sonde__points *points, int32_t i, const double *code, const double *gram);
/* The nearest point of every row (distances within 1e-9 relative are ties: the lowest), and its
 * squared distance. */
void sonde__points_nearest(const sonde__points *points, const sonde_embedding *embedding,
                           int32_t *label, double *near);
/* Adds up, for each point, the rows' weights times the smaller of `near` and their squared distance
 * to it: total (n_block, LANES). */
void sonde__points_totals(const sonde__points *points, const sonde_embedding *embedding,
                          const double *near, double *total);
/* Lowers `near` to the squared distance to point i; returns the sum of weights times near. */
double sonde__points_lower(const sonde__points *points, int32_t i, const sonde_embedding *embedding,
                           double *near);

/* One run of k-means and what it needs; arrays over rows have room for n_row of them. It works on
 * codes: sums of codes are sums of whole numbers, exact in any order, for all weights that are whole. */
typedef struct {
    const sonde_run *run; /* whose stop flag ends it between two rounds, or NULL */
    int32_t k;
    int32_t n_code;
    double *center;           /* (k, n_code) */
    double *sum;              /* (k, n_code) */
    double *mass;             /* (k) policies in each cluster */
    int32_t *seed;            /* (k) rows that the centres started from */
    double *code;             /* (n_code) scratch */
    sonde__points points;     /* the centres */
    sonde__points candidates; /* for a new centre */
    int32_t *candidate;       /* (candidates.n) their rows */
    double *total;            /* (candidates.n, rounded up) what the inertia would be with each */
    int32_t *label;           /* (n_row) */
    int32_t *nearest;         /* (n_row) the labels to come */
    double *near;             /* (n_row) squared distance to the row's centre */
    double inertia;
    int32_t n_round;
} sonde__kmeans;
void sonde__kmeans_carve(sonde__arena *arena, int32_t n_row, int32_t n_code, int32_t k,
                         sonde__kmeans *kmeans);
/* Greedy k-means++ seeds, then Lloyd's algorithm, until the centres' summed squared shift is at most
 * `shift`, or n_round_max rounds. There are more rows than k. */
void sonde__kmeans_run(sonde__kmeans *kmeans, const sonde_embedding *embedding, sonde_rng *rng,
                       double shift, int32_t n_round_max);
/* The seeds alone: the rows of the first `n` centres, in the order in which they are drawn. */
void sonde__kmeans_seed(sonde__kmeans *kmeans, const sonde_embedding *embedding, sonde_rng *rng,
                        int32_t n, int32_t *row);
/* The same from given centres, as codes (k, n_code). */
void sonde__kmeans_run_from(sonde__kmeans *kmeans, const sonde_embedding *embedding,
                            const double *center, double shift, int32_t n_round_max);
/* The squared shift at which it stops: tolerance times the mean variance of the nominal columns. */
double sonde__kmeans_shift(const sonde_embedding *embedding, double tolerance, double *mean);

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

/* One worker's restarts: the present one, and the best so far. */
typedef struct {
    sonde__kmeans present;
    sonde__kmeans best;
    int32_t best_restart; /* -1 before the first */
} sonde__cluster_worker;

/* Room for fitting up to n_row rows. */
typedef struct {
    sonde__cluster_worker *worker; /* (n_thread) */
    double *mean;                  /* (n_code) */
    int32_t *order;                /* (k) new numbers of clusters, or rows of seeds */
    int32_t *row_label;            /* (n_row) */
} sonde__cluster_scratch;
void sonde__cluster_scratch_carve(sonde__arena *arena, int32_t n_row, int32_t n_code,
                                  const sonde_cluster_settings *settings, int32_t n_thread,
                                  sonde__cluster_scratch *scratch);
/* Fits an embedding into clusters that have room for it. */
sonde_status sonde__clusters_fill(const sonde_embedding *embedding,
                                  const sonde_cluster_settings *settings, const sonde_run *run,
                                  sonde__cluster_scratch *scratch, sonde__clusters *clusters);
/* What a shelf has for this embedding and these settings (flags aside), or NULL; and putting it
 * there, which does nothing if there is no memory. */
const sonde__kmeans *sonde__shelf_find(const sonde_shelf *shelf, const sonde_embedding *embedding,
                                       const sonde_cluster_settings *settings);
void sonde__shelf_put(sonde_shelf *shelf, const sonde_embedding *embedding,
                      const sonde_cluster_settings *settings, const sonde__kmeans *run);
/* The same for embedders and for the embedding of all policies; what is kept belongs to the shelf.
 * False if there is no memory to keep it. */
sonde_embedder *sonde__shelf_embedder(const sonde_shelf *shelf,
                                      const sonde_embed_settings *settings);
bool sonde__shelf_keep_embedder(sonde_shelf *shelf, sonde_embedder *embedder);
sonde_embedding *sonde__shelf_embedding(const sonde_shelf *shelf,
                                        const sonde_embed_settings *settings);
bool sonde__shelf_keep_embedding(sonde_shelf *shelf, sonde_embedding *embedding);
/* SONDE_BAD_ARGUMENT with a sentence for settings that mean nothing. */
sonde_status sonde__cluster_check(const sonde_cluster_settings *settings, sonde_error *error);

#endif
