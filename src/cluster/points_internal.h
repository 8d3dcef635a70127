/* points_internal.h: points, what they are compared with, and how.
 *
 * Only files of this folder know it. From embedding to nearest centre: rows become points, and
 * points words of letters; centres, or candidates for seeds, become targets; several sets of
 * targets stand side by side in the lanes of vectors; a desk is what one thread writes on while it
 * compares a block of points with them. Fixed-point numbers find the nearest target, and what they
 * cannot tell apart is left to doubles. */
#ifndef SONDE_CLUSTER_POINTS_INTERNAL_H
#define SONDE_CLUSTER_POINTS_INTERNAL_H

#include "base/memory.h"
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
/* How much nearer dense point i, which is `at` in `least`, is to its nearest target than to any
 * other, at least. */
double sonde__gap(const sonde__points *points, const sonde__lanes *lanes, int32_t i, int32_t at,
                  const sonde__desk *desk);
/* Lists, as indices of `least`, whose nearest target is not what the labels say, or cannot be told
 * without doubles; returns how many. There are `side` labels of every point, and GLANCE more can be
 * read. */
int32_t sonde__list_changed(const sonde__lanes *lanes, int32_t n_point, const uint16_t *label,
                            sonde__desk *desk);
/* The rule itself, in doubles: of the targets whose distances tie with the least (within 1e-9,
 * relative), the lowest; `score` (n_lane) is scratch. */
int32_t sonde__nearest_in_doubles(const sonde__points *points, const sonde__targets *targets,
                                  int32_t i, double *score);
/* The nearest target of point i, which is `at` in `least`. */
static inline int32_t sonde__nearest(const sonde__points *points, const sonde__lanes *lanes,
                                     int32_t i, int32_t at, sonde__desk *desk) {
    const int32_t set = at & (lanes->side - 1);
    return desk->next[at] - desk->least[at] > lanes->close[set]
               ? desk->least[at] & lanes->target[set]
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

#endif
