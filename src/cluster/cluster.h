/* cluster.h: clustering without asking for memory. */
#ifndef SONDE_CLUSTER_CLUSTER_H
#define SONDE_CLUSTER_CLUSTER_H

#include "base/memory.h"
#include "base/status.h"
#include "embed/embed.h"

/* The distinct rows of an embedding, as k-means visits them: its data points.
 *
 * Where codes are small whole numbers, a point is a word: its letters are its numbers that are not 0,
 * each together with its column. Points stand in dictionary order, so that most words begin like the
 * one before, and what is added up along a word need not be added up again for the letters that they
 * share. Two letters a word are new on policies' embeddings, whatever the number of columns. Blocks
 * of points begin with a whole word. */
enum { SONDE__POINT_BLOCK = 256, SONDE__LONG_MAX = 127 };
/* What is added up along words goes into cells: one for nothing, one for the beginnings of each length,
 * which the next word overwrites, and one for each whole word of a block. */
enum {
    SONDE__CELL_OF_WORD = SONDE__LONG_MAX + 1,
    SONDE__N_CELL = SONDE__CELL_OF_WORD + SONDE__POINT_BLOCK
};
/* How much room points need. */
typedef struct {
    int32_t n_row;
    int32_t n_code;
    int32_t n_letter;
    int64_t n_new;
} sonde__points_size;
typedef struct {
    const sonde_embedding *embedding;
    int32_t n;
    bool worded;      /* or dense, in the order of rows */
    int32_t *row;     /* (n) */
    int32_t *weight;  /* (n) */
    double *norm;     /* (n) squared length */
    double reach;     /* length of the longest code */
    int32_t n_letter; /* of the alphabet, the last of which takes up no room: it spells zeros */
    int32_t *letter_column; /* (n_letter) */
    double *letter_value;   /* (n_letter) */
    int32_t n_long;         /* letters of the longest word */
    uint16_t *letter;       /* (n_new) of all words in order, those that are not shared */
    uint16_t *after;        /* (n_new) the cell of what comes before a letter */
    uint16_t *cell;         /* (n_new) the cell of the word as far as this letter */
    int64_t *block_letter;  /* (n_block + 1) where a block's letters begin */
    int32_t *most;          /* (n_code) largest number of each column */
    int32_t *letter_of;     /* (n_code) the letter for 1 in each column; those for more follow */
    int32_t *other;         /* (n) scratch */
    double *code;           /* (n_code) scratch */
    sonde__points_size room;
} sonde__points;
/* Enough for any embedding of so many rows, though long alphabets are not taken then. */
sonde__points_size sonde__points_most(int32_t n_row, int32_t n_code);
/* Points are made in two steps, the first of which tells how much room the second needs: their order,
 * and all the rest. */
void sonde__points_carve_order(sonde__arena *arena, int32_t n_row, int32_t n_code,
                               sonde__points *points);
sonde__points_size sonde__points_order(const sonde_embedding *embedding, sonde__points *points);
void sonde__points_carve(sonde__arena *arena, const sonde__points_size *size,
                         sonde__points *points);
void sonde__points_fill(const sonde__points_size *size, sonde__points *points);
int32_t sonde__points_n_block(const sonde__points *points);
/* Moves a point's code, times its weight, from one sum (n_code) to another. Codes stand in no order
 * that a processor could guess: fetching them in time saves half of it. */
void sonde__points_fetch(const sonde__points *points, int32_t i);
void sonde__points_move(const sonde__points *points, int32_t i, double *restrict from,
                        double *restrict to);

/* What points are compared with, such as centres: for a point x and a target y,
 *
 *     squared distance = |x|^2 + 2 (half - x . table),   table = gram y,   half = |y|^2 / 2
 *
 * with the targets in lanes, side by side. half - x . table is the score of y; it is added up in the
 * order of columns, so that it has the same bits whichever way it is come by. */
enum { SONDE__LANES = 8, SONDE__LANES_FIXED = 16 };
/* larger scores, and numbers that are none, are left to doubles */
#define SONDE__LARGEST_SCORE 1e200
typedef struct {
    int32_t n;
    int32_t n_lane; /* n, rounded up to whole vectors */
    int32_t n_code;
    bool is_fixed; /* for sonde__nearest; otherwise for sonde__totals and sonde__lower */
    double *table; /* (n_code, n_lane) */
    double *half;  /* (n_lane) */
    double *score; /* (n_lane) scratch */
    /* for sonde__totals and sonde__lower */
    double *spelled; /* (n_vector, n_letter, LANES) what each letter takes off a score */
    /* for sonde__nearest: scores as fixed-point numbers, which are times the scale, and below them
     * the number of the lane */
    int32_t *fixed;     /* (n_vector, n_letter, LANES_FIXED) what each letter takes off */
    int32_t *base;      /* (n_lane) the half */
    float *single;      /* (n_code, n_lane) the table times the scale, for dense points */
    float *single_half; /* (n_lane) */
    float *batch;       /* scratch: some dense points */
    void *found;        /* scratch: what a block of points comes to */
    double scale;
    int32_t n_bit;  /* that tell the lane */
    int32_t window; /* what rounding can do to the difference of two scores; -1: no fixed-point
                       number can hold them */
} sonde__targets;
void sonde__targets_carve(sonde__arena *arena, int32_t n, const sonde__points_size *size,
                          bool fixed, sonde__targets *targets);
/* Makes `code` (n_code) target i. */
void sonde__targets_set(sonde__targets *targets, int32_t i, const double *code, const double *gram);
/* Gets ready to be compared with, once all targets are set. */
void sonde__targets_settle(sonde__targets *targets, const sonde__points *points);

/* The nearest target of every point of a block (distances within 1e-9 relative are ties: the
 * lowest): nearest (SONDE__POINT_BLOCK). */
void sonde__nearest(const sonde__points *points, const sonde__targets *targets, int32_t block,
                    int32_t *nearest);
/* The score of one target for a point. */
double sonde__score(const sonde__points *points, const sonde__targets *targets, int32_t i,
                    int32_t target);
/* Adds up, for each target, the points' weights times the smaller of `near` and their squared
 * distance to it: total (n_lane). */
void sonde__totals(const sonde__points *points, const sonde__targets *targets, const double *near,
                   double *total);
/* Lowers `near` to the squared distance to a target; the sums of weights times near of each block go
 * to `sum` (n_block). */
void sonde__lower(const sonde__points *points, const sonde__targets *targets, int32_t target,
                  double *near, double *sum);
/* Rounding may leave a point that lies on a target a hair below 0. */
static inline double sonde__squared(double norm, double score) {
    const double d = norm + 2.0 * score;
    return d > 0.0 ? d : 0.0;
}

/* One run of k-means and what it needs; arrays over points have room for n_row of them. It works on
 * codes: sums of codes are sums of whole numbers, exact in any order, for all weights that are whole. */
typedef struct {
    const sonde_run *run; /* whose stop flag ends it between two rounds, or NULL */
    int32_t k;
    int32_t n_code;
    double *center;            /* (k, n_code) */
    double *sum;               /* (k + 1, n_code) the last is that of points without a cluster */
    double *mass;              /* (k + 1) policies in each cluster */
    int32_t *seed;             /* (k) points that the centres started from */
    double *code;              /* (n_code) scratch */
    sonde__targets targets;    /* the centres */
    sonde__targets candidates; /* for a new centre */
    int32_t *candidate;        /* (candidates.n) their points */
    double *total;             /* (candidates.n_lane) what the inertia would be with each */
    int32_t *label;            /* (n_row) of points */
    double *near;              /* (n_row) squared distance to the nearest seed, or own centre */
    double *block_sum;         /* (n_block) of weights times near */
    double inertia;
    int32_t n_round;
} sonde__kmeans;
void sonde__kmeans_carve(sonde__arena *arena, const sonde__points_size *size, int32_t k,
                         sonde__kmeans *kmeans);
/* Greedy k-means++ seeds, then Lloyd's algorithm, until the centres' summed squared shift is at most
 * `shift`, or n_round_max rounds. There are more points than k. */
void sonde__kmeans_run(sonde__kmeans *kmeans, const sonde__points *points, sonde_rng *rng,
                       double shift, int32_t n_round_max);
/* The seeds alone: the points of the first `n` centres, in the order in which they are drawn. */
void sonde__kmeans_seed(sonde__kmeans *kmeans, const sonde__points *points, sonde_rng *rng,
                        int32_t n, int32_t *seed);
/* The same from given centres, as codes (k, n_code). */
void sonde__kmeans_run_from(sonde__kmeans *kmeans, const sonde__points *points,
                            const double *center, double shift, int32_t n_round_max);
/* The squared shift at which it stops: tolerance times the mean variance of the nominal columns;
 * `mean` (2, n_code) is scratch. */
double sonde__kmeans_shift(const sonde__points *points, double tolerance, double *mean);

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

/* What a fit comes to. */
typedef struct {
    int32_t k;
    int32_t n_code;
    double *center; /* (k, n_code) */
    int32_t *label; /* of points, or of rows */
    double inertia;
    int32_t n_round;
} sonde__fitted;

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
/* Fills fitted->label by rows, its centres and the rest, for fitted->k, which is less than the rows;
 * `code` (n_code) is scratch. False if it was stopped. */
bool sonde__ward_run(sonde__ward *ward, const sonde_embedding *embedding, const sonde_run *run,
                     double *code, sonde__fitted *fitted);

/* One worker's restarts: the present one, and the best so far. */
typedef struct {
    sonde__kmeans present;
    sonde__fitted best;
    int32_t best_restart; /* -1 before the first */
} sonde__cluster_worker;

/* Room for fitting up to n_row rows. */
typedef struct {
    sonde__points points;
    sonde__cluster_worker *worker; /* (n_thread) */
    sonde__ward ward;              /* where that is the method */
    double *mean;                  /* (2, n_code) */
    int32_t *order;                /* (k) new numbers of clusters, or rows of seeds */
    sonde__fitted rows;            /* the result, by rows, clusters as they are numbered then */
    double *least;                 /* (k) distance of each representative */
    double *half;                  /* (k) of the centres, as in sonde__targets */
    double *table;                 /* (k, n_code) */
} sonde__cluster_scratch;
void sonde__cluster_scratch_carve(sonde__arena *arena, int32_t n_row,
                                  const sonde_embedder *embedder,
                                  const sonde_cluster_settings *settings, int32_t n_thread,
                                  sonde__cluster_scratch *scratch);
/* Fits an embedding into clusters that have room for it. */
sonde_status sonde__clusters_fill(const sonde_embedding *embedding,
                                  const sonde_cluster_settings *settings, const sonde_run *run,
                                  sonde__cluster_scratch *scratch, sonde__clusters *clusters);
/* What a shelf has for this embedding and these settings (flags aside), or NULL; and putting it
 * there, which does nothing if there is no memory. */
const sonde__fitted *sonde__shelf_find(const sonde_shelf *shelf, const sonde_embedding *embedding,
                                       const sonde_cluster_settings *settings);
void sonde__shelf_put(sonde_shelf *shelf, const sonde_embedding *embedding,
                      const sonde_cluster_settings *settings, const sonde__fitted *fitted);
/* The same for embedders and for the embedding of all policies; what is kept belongs to the shelf.
 * False if there is no memory to keep it. */
sonde_embedder *sonde__shelf_embedder(const sonde_shelf *shelf,
                                      const sonde_embed_settings *settings);
bool sonde__shelf_keep_embedder(sonde_shelf *shelf, sonde_embedder *embedder);
sonde_embedding *sonde__shelf_embedding(const sonde_shelf *shelf,
                                        const sonde_embed_settings *settings);
bool sonde__shelf_keep_embedding(sonde_shelf *shelf, sonde_embedding *embedding);
/* SONDE_TOO_LARGE with a sentence for more rows, or policies, than the method can take. */
sonde_status sonde__cluster_fits(const sonde_cluster_settings *settings, uint64_t n,
                                 const char *what, sonde_error *error);
/* The k that makes the sum of k n_probe policies, which probing all clusters takes, and n_policy / k, which one has
 * on average, smallest: sqrt(n_policy / n_probe), rounded up. */
int32_t sonde__cluster_balance(uint64_t n_policy, double n_probe);
/* SONDE_BAD_ARGUMENT with a sentence for settings that mean nothing. */
sonde_status sonde__cluster_check(const sonde_cluster_settings *settings, sonde_error *error);

#endif
