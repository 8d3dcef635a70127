/* cluster.h: clustering without asking for memory. */
#ifndef SONDE_CLUSTER_CLUSTER_H
#define SONDE_CLUSTER_CLUSTER_H

#include "base/memory.h"
#include "base/status.h"
#include "base/rng.h"
#include "embed/embed.h"

/* The distinct rows of an embedding, as k-means visits them: its data points.
 *
 * Where codes are small whole numbers, a point is a word: its letters are its numbers that are not
 * 0, each together with its column. Points stand in dictionary order, so that most words begin
 * like the one before, and what is added up along a word need not be added up again for the
 * letters that they share. A block of points has a cell for nothing, and one for each beginning
 * that its words share: a beginning is an earlier cell and one more letter, and so is a word. Two
 * letters a word are new on policies' embeddings, whatever the number of columns. Blocks share
 * nothing. */
enum { SONDE__POINT_BLOCK = 64, SONDE__LONG_MAX = 127, SONDE__LETTER_MAX = 65535 };
/* How much room points need. */
typedef struct {
    int32_t n_row;
    int32_t n_code;
    int32_t n_letter;
    int32_t n_cell; /* of the block that has most */
    int64_t n_beginning;
    int64_t n_single; /* numbers of dense points */
} sonde__points_size;
/* What is largest in a block. */
typedef struct {
    double longest; /* squared length of a code */
    int32_t heaviest;
    int32_t n_long;
    int32_t largest;
} sonde__extent;
typedef struct {
    const sonde_embedding *embedding;
    int32_t n;
    bool worded;      /* or dense, in the order of rows */
    int32_t *row;     /* (n) */
    int32_t *weight;  /* (n) */
    double *norm;     /* (n) squared length */
    double reach;     /* length of the longest code */
    int32_t heaviest; /* largest weight */
    int32_t n_letter; /* of the alphabet, the last of which takes up no room: it spells zeros */
    int32_t n_long;   /* letters of the longest word */
    int32_t largest;  /* sum of a word's numbers */
    uint16_t *after;  /* (n) the cell of what comes before a word's last letter */
    uint16_t *letter; /* (n) its last letter */
    /* (n_beginning) the same for beginnings, which take cells from 1 on */
    uint16_t *beginning_after;
    uint16_t *beginning_letter; /* (n_beginning) */
    int64_t *block_beginning;   /* (n_block + 1) where a block's beginnings begin */
    float *single;              /* (n, n_code) dense points in single precision */
    int32_t *most;              /* (n_code) largest number of each column */
    int32_t *letter_of;    /* (n_code) the letter for 1 in each column; those for more follow */
    int32_t *other;        /* (n) scratch */
    sonde__extent *extent; /* (n_block) scratch */
    sonde__points_size room;
} sonde__points;
/* Enough for any embedding of so many rows, though long alphabets are not taken then. */
sonde__points_size sonde__points_most(int32_t n_row, int32_t n_code);
/* Points are made in two steps, the first of which tells how much room the second needs: their
 * order, and all the rest. */
void sonde__points_carve_order(sonde__arena *arena, int32_t n_row, int32_t n_code,
                               sonde__points *points);
sonde_status sonde__points_order(const sonde_embedding *embedding, const sonde_run *run,
                                 sonde__points *points, sonde__points_size *size);
void sonde__points_carve(sonde__arena *arena, const sonde__points_size *size,
                         sonde__points *points);
sonde_status sonde__points_fill(const sonde_run *run, const sonde__points_size *size,
                                sonde__points *points);
/* Spells the words of a block, once it is known where their beginnings begin. */
void sonde__points_spell(const sonde__points *points, int32_t block);
int32_t sonde__points_n_block(const sonde__points *points);
/* How many points a block has: all but the last are full. */
int32_t sonde__points_in_block(const sonde__points *points, int32_t block);
/* Work on the blocks from begin to end - 1. */
typedef void (*sonde__stretch)(void *context, int32_t begin, int32_t end, int32_t worker);
/* Does it for all blocks, a few at a time, on the threads of the run. */
sonde_status sonde__points_stretches(const sonde__points *points, const sonde_run *run,
                                     sonde__stretch work, void *context);
/* Sums of codes have whole vectors of doubles: n_code, rounded up. */
int32_t sonde__points_n_part(int32_t n_code);
/* A point leaves one sum for another. */
typedef struct {
    int32_t point;
    int32_t from; /* -1: it was in none */
    int32_t to;
} sonde__change;
/* Moves the codes of points, times their weights, between sums (any number, n_part), and their
 * weights between masses. Sums are aligned for vectors. */
void sonde__points_move(const sonde__points *points, int32_t n, const sonde__change *change,
                        double *sum, double *mass);

/* What points are compared with, such as centres: for a point x and a target y,
 *
 *     squared distance = |x|^2 + 2 (half - x . table),   table = gram y,   half = |y|^2 / 2
 *
 * half - x . table is the score of y; it is added up in the order of columns, so that it has the
 * same bits whichever way it is come by. */
enum { SONDE__LANES = 16 };
/* labels that are looked at together, those of all restarts of some points: a bit of a word for
 * each */
enum { SONDE__GLANCE = 64 };
/* larger scores, and numbers that are none, are left to doubles */
#define SONDE__LARGEST_SCORE 1e200
typedef struct {
    int32_t n;
    int32_t n_lane; /* n, rounded up to whole vectors */
    int32_t n_code;
    bool is_fixed; /* for sonde__nearest; otherwise for sonde__totals and sonde__lower */
    double *table; /* (n_code, n_lane) */
    double *half;  /* (n_lane) */
    /* for sonde__totals and sonde__lower */
    double *spelled; /* (n_vector, n_letter, 8) what each letter takes off a score */
    /* for sonde__nearest: scores as fixed-point numbers, which are times the scale, and below them
     * the number of the target */
    int32_t *fixed;     /* (n_code, n_lane) the table: what 1 in a column takes off */
    int32_t *base;      /* (n_lane) the half */
    float *single;      /* (n_code, n_lane) the table times the scale, for dense points */
    float *single_half; /* (n_lane) */
    double scale;
    int32_t n_bit;  /* that tell the target */
    int32_t window; /* what rounding can do to the difference of two scores; -1: no fixed-point
                       number can hold them */
} sonde__targets;
void sonde__targets_carve(sonde__arena *arena, int32_t n, const sonde__points_size *size,
                          bool fixed, sonde__targets *targets);
/* Makes `code` (n_code) target i. */
void sonde__targets_set(sonde__targets *targets, int32_t i, const double *code, const double *gram);
/* Gets ready to be compared with, once all targets are set. */
void sonde__targets_settle(sonde__targets *targets, const sonde__points *points);
/* The score of one target for a point. */
double sonde__score(const sonde__points *points, const sonde__targets *targets, int32_t i,
                    int32_t target);
/* Rounding may leave a point that lies on a target a hair below 0. */
static inline double sonde__squared(double norm, double score) {
    const double d = norm + 2.0 * score;
    return d > 0.0 ? d : 0.0;
}

/* Several sets of as many targets each, such as the centres of restarts, side by side in the
 * lanes of vectors: `side` of them, a power of two, and of each LANES / side targets in a
 * vector. With many sets the least score of each is found without looking across lanes. */
typedef struct {
    int32_t n; /* targets of a set */
    int32_t n_code;
    int32_t side;
    int32_t n_vector;                        /* n / (LANES / side), rounded up */
    const sonde__targets *set[SONDE__LANES]; /* (side) or NULL for nobody */
    int32_t *fixed; /* what each letter takes off: (n_letter, vectors of the tile) of each tile */
    int32_t *base;  /* (n_vector, LANES) */
    /* for least scores, as they stand in the lanes in the end: set after set */
    int32_t target[SONDE__GLANCE]; /* the bits that tell the target */
    int32_t close[SONDE__GLANCE];  /* scores that differ by no more are left to doubles */
    uint64_t there;                /* a bit for each that is */
} sonde__lanes;
void sonde__lanes_carve(sonde__arena *arena, int32_t n, int32_t n_set,
                        const sonde__points_size *size, sonde__lanes *lanes);
/* The least power of two that n sets find room beside each other in. */
int32_t sonde__lanes_side(int32_t n);
/* How many vectors n targets take, with so many sets side by side. */
int32_t sonde__lanes_vectors(int32_t n, int32_t side);
/* Puts the sets, settled, side by side. Dense points are compared with one set only. */
void sonde__lanes_settle(sonde__lanes *lanes, const sonde__points *points);

/* Makes points targets instead, as whole numbers: n sets, of each one point for vector v, so
 * that cells and words come to |y|^2 - 2 x . y. The number of vectors is set before. */
void sonde__lanes_aim(sonde__lanes *lanes, const sonde__points *points, int32_t v, int32_t n,
                      const int32_t *point);

/* What one thread needs to compare points. */
typedef struct {
    void *cell;     /* (n_cell) beginnings' scores, of a tile of vectors each */
    int32_t *least; /* (POINT_BLOCK, LANES) */
    int32_t *next;  /* (POINT_BLOCK, LANES) */
    int32_t *spare_least;
    int32_t *spare_next;
    int32_t *listed; /* (POINT_BLOCK, LANES) */
    double *score;   /* (n_lane) of one set */
} sonde__desk;
void sonde__desk_carve(sonde__arena *arena, int32_t n, const sonde__points_size *size,
                       sonde__desk *desk);
/* Compares the words of a block with all sets: least and next (n of the block, side). */
void sonde__compare(const sonde__points *points, const sonde__lanes *lanes, int32_t block,
                    sonde__desk *desk);
/* Compares dense points, up to POINT_BLOCK of them, with one set. */
void sonde__compare_dense(const sonde__points *points, const sonde__lanes *lanes,
                          const int32_t *point, int32_t n, sonde__desk *desk);
/* How much nearer dense point i, which is at `place`, is to its nearest target than to any
 * other, at least. */
double sonde__gap(const sonde__points *points, const sonde__lanes *lanes, int32_t i, int32_t place,
                  const sonde__desk *desk);
/* Lists, as places in `least`, whose nearest target is not what the labels say, or cannot be told
 * without doubles; returns how many. There are `side` labels of every point, and GLANCE more can be
 * read. */
int32_t sonde__list_changed(const sonde__lanes *lanes, int32_t n_point, const uint16_t *label,
                            sonde__desk *desk);
/* The rule itself, in doubles: of the targets whose distances tie with the least (within 1e-9,
 * relative), the lowest; `score` (n_lane) is scratch. */
int32_t sonde__nearest_in_doubles(const sonde__points *points, const sonde__targets *targets,
                                  int32_t i, double *score);
/* The nearest target of point i, which is at `place` in `least`. */
static inline int32_t sonde__nearest(const sonde__points *points, const sonde__lanes *lanes,
                                     int32_t i, int32_t place, sonde__desk *desk) {
    const int32_t set = place & (lanes->side - 1);
    return desk->next[place] - desk->least[place] > lanes->close[set]
               ? desk->least[place] & lanes->target[set]
               : sonde__nearest_in_doubles(points, lanes->set[set], i, desk->score);
}

/* Adds up, for each target, the points' weights times the smaller of `near` and their squared
 * distance to it: total (n_lane). */
void sonde__totals(const sonde__points *points, const sonde__targets *targets, const double *near,
                   double *total, void *cell);
/* Lowers `near` to the squared distance to a target; the sums of weights times near of each
 * block go to `sum` (n_block). */
void sonde__lower(const sonde__points *points, const sonde__targets *targets, int32_t target,
                  double *near, double *sum, void *cell);

/* The same in whole numbers, where they are small enough, for n sets side by side and the blocks
 * of a range. `near` (n_point, n) is less the point's own squared length, so the totals are less
 * those of all points. */
typedef struct {
    const sonde__points *points;
    const sonde__lanes *targets;
    int32_t n;
    int16_t *near;
    int32_t begin; /* blocks */
    int32_t end;
} sonde__whole;
enum { SONDE__FARTHEST = INT16_MAX };
bool sonde__whole_fits(const sonde__points *points);
/* Adds to total (n_vector, LANES). */
void sonde__whole_totals(const sonde__whole *whole, double *total, void *cell);
/* Vector 0 holds the targets. */
void sonde__whole_lower(const sonde__whole *whole, double *sum, void *cell);

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
    int32_t place[SONDE__LANES]; /* (side) the restart in each of them; -1: none */
    uint16_t *label;             /* (n, side) */
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
void sonde__kmeans_run(sonde__kmeans *kmeans, const sonde__points *points, int32_t first, int32_t n,
                       sonde__rng *rng);
/* The seeds alone: `seed` of the restarts from 0 on, n_restart of them, each with its random
 * stream, has the points of the first `n` centres, in the order in which they are drawn. */
void sonde__kmeans_seed(sonde__kmeans *kmeans, const sonde__points *points, int32_t n_restart,
                        sonde__rng *rng, int32_t n);
/* One run from given centres, as codes (k, n_code). */
void sonde__kmeans_run_from(sonde__kmeans *kmeans, const sonde__points *points,
                            const double *center);
/* The squared shift at which it stops: tolerance times the mean variance of the nominal columns;
 * `mean` (n_part) is scratch. */
double sonde__kmeans_shift(const sonde__points *points, double tolerance, double *mean);

/* Its parts. All points find the nearest centres of every restart at work: labels, and the sums and
 * masses of clusters, which are those of the first hand then. */
sonde_status sonde__round_assign(sonde__kmeans *kmeans);
/* Moves one point to cluster c of the restart at a place. */
void sonde__round_move(const sonde__kmeans *kmeans, const sonde__rank *rank, int32_t i,
                       int32_t place, int32_t c);
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
bool sonde__ward_run(sonde__ward *ward, const sonde_embedding *embedding, const sonde_run *run,
                     double *code, sonde__fitted *fitted);

/* Room for fitting up to n_row rows. */
typedef struct {
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
/* The k that makes the sum of k n_probe policies, which probing all clusters takes, and n_policy
 * / k, which one has on average, smallest: sqrt(n_policy / n_probe), rounded up. */
int32_t sonde__cluster_balance(uint64_t n_policy, double n_probe);
/* SONDE_BAD_ARGUMENT with a sentence for settings that mean nothing. */
sonde_status sonde__cluster_check(const sonde_cluster_settings *settings, sonde_error *error);

/* sonde_clusters_policy, of one that there is. */
static inline uint64_t sonde__clusters_policy(const sonde_clusters *clusters, int32_t i) {
    return clusters->policy != NULL ? clusters->policy[i] : (uint64_t)i;
}

#endif
