/* kmeans_internal.h: restarts of k-means, Ward's method, and the room that a fit needs.
 *
 * Only files of this folder know it. A restart is one run of k-means; restarts at work stand in
 * ranks, side by side in the same vectors; a hand is what one thread adds to a round of all of
 * them. */
#ifndef SONDE_CLUSTER_KMEANS_INTERNAL_H
#define SONDE_CLUSTER_KMEANS_INTERNAL_H

#include "base/rng.h"
#include "cluster/cluster.h"
#include "cluster/points_internal.h"

/* One restart of k-means. It works on codes: sums of codes are sums of whole numbers, exact in any
 * order, for all weights that are whole. */
typedef struct {
    int32_t number;
    double *center;         /* (k, n_code) */
    int32_t *seed;          /* (k) points that the centres started from */
    sonde__targets targets; /* the centres */
    int32_t n_round;
    bool settled; /* the centres move no more: labels are found once more */
    bool done;
} sonde__restart;

/* What a fit comes to. */
typedef struct {
    int32_t k;
    int32_t n_code;
    double *center; /* (k, n_code) */
    int32_t *label; /* of points, or of rows */
    double inertia;
    int32_t n_round;
} sonde__fitted;

/* What one thread adds to a round. */
typedef struct {
    sonde__desk desk;
    sonde__change *change; /* (POINT_BLOCK, LANES) */
    double *sum;           /* (n_restart, k, n_part) */
    double *mass;          /* (n_restart, k) policies in each cluster */
    int64_t *n_change;     /* (n_restart) points that changed their cluster */
    double *total;         /* (n_candidate, LANES) */
} sonde__hand;

/* Restarts side by side in the same vectors. */
typedef struct {
    int32_t n; /* at work */
    sonde__lanes lanes;
    int32_t restart[SONDE__LANES]; /* (side) the restart in each of them; -1: none */
    uint16_t *label;               /* (n, side) */
} sonde__rank;

/* Restarts of k-means that go on side by side, and what they need; arrays over points have room for
 * n_row of them. */
typedef struct {
    const sonde_run *run; /* whose stop flag ends it between two rounds */
    const sonde__points *points;
    double shift; /* summed squared shift of the centres at which it stops */
    int32_t n_round_max;
    int32_t k;
    int32_t n_code;
    int32_t n_part;
    int32_t n_restart;       /* at a time, at most */
    int32_t n_all;           /* restarts to come, for progress; 0: it is told elsewhere */
    int32_t n_done;          /* of them */
    int32_t n_present;       /* of them, now */
    sonde__restart *restart; /* (n_restart) */
    double *code;            /* (n_code) scratch */
    bool *refilled;          /* (k) scratch */
    int32_t n_rank;
    sonde__rank rank[2]; /* of the restarts at work */
    uint16_t *label;     /* of all ranks, one after the other */
    double summed_norm;
    /* dense points alone: how much nearer they are to their own centre than to any other, at
     * least, and what they lose of that when the centres move */
    float *gap;        /* (n) behind the labels */
    float *loss;       /* (k + 1) by cluster */
    double span;       /* length of the longest row */
    sonde__hand *hand; /* (n_thread) */
    /* for seeds */
    sonde__targets candidates;    /* for a new centre */
    sonde__lanes candidate_lanes; /* the same for all restarts */
    int32_t *candidate;           /* (candidates.n, LANES) their points, of each restart */
    double *total;                /* (candidates.n, LANES) what the inertia would be with each */
    double *near;      /* (n) squared distance to the nearest seed; takes the place of labels */
    double *block_sum; /* (n_block, n_restart) of weights times near */
    /* the best so far */
    sonde__fitted best;
    int32_t best_restart; /* -1: none */
} sonde__kmeans;
/* For n_restart at a time, on n_thread threads; k below SONDE__K_MAX. */
enum { SONDE__K_MAX = 65535 };
void sonde__kmeans_carve(sonde__arena *arena, const sonde__points_size *size, int32_t k,
                         int32_t n_restart, int32_t n_thread, sonde__kmeans *kmeans);
/* Forgets the best. Progress is told of n_all restarts (0: not at all). */
void sonde__kmeans_begin(sonde__kmeans *kmeans, const sonde_run *run, double shift,
                         int32_t n_round_max, int32_t n_all);
/* Restarts `first` and those that follow, n of them, each with its random stream: greedy k-means++
 * seeds, then Lloyd's algorithm. There are more points than k. */
void sonde__kmeans_fit(sonde__kmeans *kmeans, const sonde__points *points, int32_t first, int32_t n,
                       sonde__rng *rng);
/* The seeds alone: `seed` of the restarts from 0 on, n_restart of them, each with its random
 * stream, has the points of the first `n` centres, in the order in which they are drawn. */
void sonde__kmeans_seed(sonde__kmeans *kmeans, const sonde__points *points, int32_t n_restart,
                        sonde__rng *rng, int32_t n);
/* One run from given centres, as codes (k, n_code). */
void sonde__kmeans_fit_from(sonde__kmeans *kmeans, const sonde__points *points,
                            const double *center);
/* The squared shift at which it stops: tolerance times the mean variance of the nominal columns;
 * `mean` (n_part) is scratch. */
double sonde__kmeans_shift(const sonde__points *points, double tolerance, double *mean);

/* Its parts. All points find the nearest centres of every restart at work: labels, and the sums and
 * masses of clusters, which are those of the first hand then. */
sonde_status sonde__round_assign(sonde__kmeans *kmeans);
/* Moves one point to cluster c of the restart in a lane. */
void sonde__round_move(const sonde__kmeans *kmeans, const sonde__rank *rank, int32_t i,
                       int32_t lane, int32_t c);
/* more than sums and differences of a few lengths in single precision can be off, relatively */
#define SONDE__GAP_ROUNDING 1e-6
/* How many of n restarts make the first rank: all, unless two ranks have fewer lanes idle, of
 * which the second has SECOND_RANK at most. */
int32_t sonde__ranks_first(int32_t n);
enum { SONDE__SECOND_RANK = SONDE__LANES / 4 };
/* The most labels that a point can have, with up to n restarts. */
int32_t sonde__ranks_most_labels(int32_t n);
/* Puts the n_present restarts into ranks, all points without a cluster. */
void sonde__ranks_form(sonde__kmeans *kmeans);
/* Leaves out the restarts that are done; returns how many are left. */
int32_t sonde__ranks_close(sonde__kmeans *kmeans);

/* Two clusters that Ward's method joins, by their lowest rows. */
typedef struct {
    double raise;  /* of the inertia */
    int32_t order; /* in which joins were found */
    int32_t a;
    int32_t b; /* a < b */
} sonde__join;
/* Ward's method and what it needs; a cluster has the number of its lowest row. */
enum { SONDE__WARD_MAX = 32768 }; /* rows */
typedef struct {
    int32_t n_number; /* of a row, rounded up */
    double *center;   /* (n_row, n_number) as rows, not as codes */
    double *weight;   /* (n_row) policies of each cluster */
    double *height;   /* (n_row) the last raise in it */
    int32_t *active;  /* (n_active) clusters that are not joined to another */
    int32_t n_active;
    int32_t *chain;    /* (n_row) */
    sonde__join *join; /* (n_join) */
    int32_t n_join;
} sonde__ward;
void sonde__ward_carve(sonde__arena *arena, int32_t n_row, int32_t n_column, sonde__ward *ward);
/* Fills fitted->label by rows, its centres and the rest, for fitted->k, which is less than the
 * rows; `code` (n_code) is scratch. False if it was stopped. */
bool sonde__ward_fit(sonde__ward *ward, const sonde_embedding *embedding, const sonde_run *run,
                     double *code, sonde__fitted *fitted);

/* Room for fitting up to n_row rows. */
struct sonde__cluster_scratch {
    sonde__points points;
    int32_t n_kmeans;
    sonde__kmeans *kmeans; /* (n_kmeans) dense points: one for each thread */
    sonde__ward ward;      /* where that is the method */
    double *mean;          /* (n_part) */
    int32_t *order;        /* (k) new numbers of clusters, or rows of seeds */
    sonde__fitted rows;    /* the result, by rows, clusters as they are numbered then */
    double *least;         /* (k) distance of each representative */
    double *half;          /* (k) of the centres, as in sonde__targets */
    double *table;         /* (k, n_code) */
};

/* What a shelf has for this embedding and these settings (flags aside), or NULL; and putting it
 * there, which does nothing if there is no memory. */
const sonde__fitted *sonde__shelf_find(const sonde_shelf *shelf, const sonde_embedding *embedding,
                                       const sonde_cluster_settings *settings);
void sonde__shelf_put(sonde_shelf *shelf, const sonde_embedding *embedding,
                      const sonde_cluster_settings *settings, const sonde__fitted *fitted);

#endif
