/* cluster.h: clustering without asking for memory. */
#ifndef SONDE_CLUSTER_CLUSTER_H
#define SONDE_CLUSTER_CLUSTER_H

#include "base/memory.h"
#include "base/status.h"

/* Points are kept in blocks of this many, coordinate by coordinate, so that a loop over them fills
 * vectors; rows are compared with them this many at a time. */
enum { SONDE__LANES = 8, SONDE__ROWS = 4 };

/* Squared distances of the rows `first` .. `first + ROWS - 1` (past the last row: of the last) to
 * the points of one block (n_column, LANES). */
void sonde__distances(const sonde_embedding *embedding, int32_t first, const double *block,
                      double distance[SONDE__ROWS][SONDE__LANES]);

/* One run of k-means and what it needs; arrays over rows have room for n_row of them. */
typedef struct {
    const sonde_run *run; /* whose stop flag ends it between two rounds, or NULL */
    int32_t k;
    int32_t n_column;
    int32_t n_block;   /* of centres */
    int32_t n_trial;   /* candidates for a new centre */
    double *center;    /* (n_block, n_column, LANES) */
    double *candidate; /* the same for n_trial candidates */
    int32_t *trial;    /* (n_trial) their rows */
    double *total;     /* (n_trial, rounded up) what the inertia would be with each */
    double *distance;  /* (ROWS, n_block, LANES) of a few rows to all centres */
    double *sum;       /* (k, n_column) */
    double *mass;      /* (k) policies in each cluster */
    int32_t *label;    /* (n_row) */
    double *near;      /* (n_row) squared distance to the row's centre */
    double inertia;
    int32_t n_round;
} sonde__kmeans;
void sonde__kmeans_carve(sonde__arena *arena, int32_t n_row, int32_t n_column, int32_t k,
                         sonde__kmeans *kmeans);
/* Coordinate j of centre c. */
double *sonde__kmeans_center(const sonde__kmeans *kmeans, int32_t c, int32_t j);
/* Greedy k-means++ seeds, then Lloyd's algorithm, until the centres' summed squared shift is at most
 * `shift`, or n_round_max rounds. There are more rows than k. */
void sonde__kmeans_run(sonde__kmeans *kmeans, const sonde_embedding *embedding, sonde_rng *rng,
                       double shift, int32_t n_round_max);
/* The same from given centres (k, n_column). */
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
    double *mean;                  /* (n_column) */
    int32_t *order;                /* (k) */
    int32_t *row_label;            /* (n_row) */
} sonde__cluster_scratch;
void sonde__cluster_scratch_carve(sonde__arena *arena, int32_t n_row, int32_t n_column,
                                  const sonde_cluster_settings *settings, int32_t n_thread,
                                  sonde__cluster_scratch *scratch);
/* Fits an embedding into clusters that have room for it. */
sonde_status sonde__clusters_fill(const sonde_embedding *embedding,
                                  const sonde_cluster_settings *settings, const sonde_run *run,
                                  sonde__cluster_scratch *scratch, sonde__clusters *clusters);
/* SONDE_BAD_ARGUMENT with a sentence for settings that mean nothing. */
sonde_status sonde__cluster_check(const sonde_cluster_settings *settings, sonde_error *error);

#endif
