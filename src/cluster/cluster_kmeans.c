/* cluster_kmeans.c: one run of k-means on distinct rows with weights (docs/math.md, "k-means").
 *
 * A row stands for all policies that share it, so equal rows cannot part, and every sum over
 * policies is a sum over rows times their weights. Sums run in row order.
 *
 * Cost: a round is n_row * k * n_column multiplications; seeding is two passes of that kind for each
 * centre, with the candidates side by side instead of the centres. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "cluster/cluster.h"

/* distances this close, relatively, are ties; the lowest centre wins */
#define TIE 1e-9
/* coordinates of the points that only fill up a block: far from everything */
#define FAR 1e100

static int32_t blocks_for(int32_t n) {
    return n / SONDE__LANES + (n % SONDE__LANES > 0);
}

void sonde__kmeans_carve(sonde__arena *arena, int32_t n_row, int32_t n_column, int32_t k,
                         sonde__kmeans *kmeans) {
    kmeans->run = NULL;
    kmeans->k = k;
    kmeans->n_column = n_column;
    kmeans->n_block = blocks_for(k);
    kmeans->n_trial = 2 + (int32_t)floor(sonde__log((double)(k > 1 ? k : 1)));
    const uint64_t n_trial_block = (uint64_t)blocks_for(kmeans->n_trial);
    const uint64_t block = (uint64_t)n_column * SONDE__LANES;
    kmeans->center = SONDE__TAKE(arena, double, (uint64_t)kmeans->n_block *block);
    kmeans->candidate = SONDE__TAKE(arena, double, n_trial_block *block);
    kmeans->trial = SONDE__TAKE(arena, int32_t, kmeans->n_trial);
    kmeans->total = SONDE__TAKE(arena, double, n_trial_block *SONDE__LANES);
    kmeans->distance =
        SONDE__TAKE(arena, double, (uint64_t)kmeans->n_block *SONDE__LANES *SONDE__ROWS);
    kmeans->sum = SONDE__TAKE(arena, double, (uint64_t)k *(uint64_t)n_column);
    kmeans->mass = SONDE__TAKE(arena, double, k);
    kmeans->label = SONDE__TAKE(arena, int32_t, n_row);
    kmeans->near = SONDE__TAKE(arena, double, n_row);
}

/* What is left behind then is never looked at. */
static bool stopped(const sonde__kmeans *kmeans) {
    return kmeans->run != NULL && sonde__stopped(kmeans->run);
}

/* Coordinate j of point i in blocks of points. */
static double *coordinate(double *points, int32_t n_column, int32_t i, int32_t j) {
    const int64_t block = (int64_t)(i / SONDE__LANES) * n_column;
    return points + (block + j) * SONDE__LANES + i % SONDE__LANES;
}

double *sonde__kmeans_center(const sonde__kmeans *kmeans, int32_t c, int32_t j) {
    return coordinate(kmeans->center, kmeans->n_column, c, j);
}

static void set_point(double *points, int32_t n_column, int32_t i, const double *row) {
    for (int32_t j = 0; j < n_column; j++) {
        *coordinate(points, n_column, i, j) = row[j];
    }
}

/* Fills up the last block behind n points. */
static void pad_points(double *points, int32_t n_column, int32_t n) {
    for (int32_t i = n; i < blocks_for(n) * SONDE__LANES; i++) {
        for (int32_t j = 0; j < n_column; j++) {
            *coordinate(points, n_column, i, j) = FAR;
        }
    }
}

double sonde__kmeans_shift(const sonde_embedding *embedding, double tolerance, double *mean) {
    const int32_t n = embedding->n_column;
    memset(mean, 0, (size_t)n * sizeof *mean);
    for (int32_t r = 0; r < embedding->n_row; r++) {
        for (int32_t j = 0; j < n; j++) {
            mean[j] += (double)embedding->weight[r] * embedding->row[(int64_t)r * n + j];
        }
    }
    for (int32_t j = 0; j < n; j++) {
        mean[j] /= (double)embedding->n_policy;
    }
    double spread = 0.0;
    for (int32_t r = 0; r < embedding->n_row; r++) {
        for (int32_t j = 0; j < n; j++) {
            const double d = embedding->row[(int64_t)r * n + j] - mean[j];
            spread += (double)embedding->weight[r] * d * d;
        }
    }
    return tolerance * spread / (double)embedding->n_policy / embedding->n_column_nominal;
}

/* A row drawn with probability proportional to weight * near, whose sum is `total`. */
static int32_t draw_row(const sonde__kmeans *kmeans, const sonde_embedding *embedding,
                        sonde_rng *rng, double total) {
    const double target = sonde_rng_uniform(rng) * total;
    double sum = 0.0;
    int32_t last = 0;
    for (int32_t r = 0; r < embedding->n_row; r++) {
        const double share = (double)embedding->weight[r] * kmeans->near[r];
        sum += share;
        if (share > 0.0) {
            last = r;
            if (sum > target) {
                break;
            }
        }
    }
    return last;
}

/* What the inertia would be with each of the points of a block as one more centre. */
static void try_block(const sonde__kmeans *kmeans, const sonde_embedding *embedding,
                      const double *block, double *total) {
    double distance[SONDE__ROWS][SONDE__LANES];
    for (int32_t first = 0; first < embedding->n_row; first += SONDE__ROWS) {
        sonde__distances(embedding, first, block, distance);
        for (int32_t q = 0; q < SONDE__ROWS && first + q < embedding->n_row; q++) {
            const double near = kmeans->near[first + q];
            const double weight = (double)embedding->weight[first + q];
            for (int lane = 0; lane < SONDE__LANES; lane++) {
                total[lane] += weight * (distance[q][lane] < near ? distance[q][lane] : near);
            }
        }
    }
}

/* Draws candidates, and returns the row of the one that lowers the inertia most. */
static int32_t best_candidate(sonde__kmeans *kmeans, const sonde_embedding *embedding,
                              sonde_rng *rng, double *inertia) {
    const int32_t n = embedding->n_column;
    const int32_t n_block = blocks_for(kmeans->n_trial);
    for (int32_t i = 0; i < kmeans->n_trial; i++) {
        kmeans->trial[i] = draw_row(kmeans, embedding, rng, *inertia);
        set_point(kmeans->candidate, n, i, embedding->row + (int64_t)kmeans->trial[i] * n);
    }
    memset(kmeans->total, 0, (size_t)n_block * SONDE__LANES * sizeof *kmeans->total);
    for (int32_t b = 0; b < n_block; b++) {
        try_block(kmeans, embedding, kmeans->candidate + (int64_t)b * n * SONDE__LANES,
                  kmeans->total + (int64_t)b * SONDE__LANES);
    }
    int32_t best = 0;
    for (int32_t i = 1; i < kmeans->n_trial; i++) {
        best = kmeans->total[i] < kmeans->total[best] ? i : best;
    }
    *inertia = kmeans->total[best];
    return kmeans->trial[best];
}

/* Makes a row the centre c, and returns the inertia that is left. */
static double add_center(sonde__kmeans *kmeans, const sonde_embedding *embedding, int32_t c,
                         int32_t row) {
    const int32_t n = embedding->n_column;
    const double *block = kmeans->center + (int64_t)(c / SONDE__LANES) * n * SONDE__LANES;
    double distance[SONDE__ROWS][SONDE__LANES];
    double inertia = 0.0;
    set_point(kmeans->center, n, c, embedding->row + (int64_t)row * n);
    for (int32_t first = 0; first < embedding->n_row; first += SONDE__ROWS) {
        sonde__distances(embedding, first, block, distance);
        for (int32_t q = 0; q < SONDE__ROWS && first + q < embedding->n_row; q++) {
            const double d = distance[q][c % SONDE__LANES];
            double *near = &kmeans->near[first + q];
            *near = d < *near ? d : *near;
            inertia += (double)embedding->weight[first + q] * *near;
        }
    }
    return inertia;
}

/* Greedy k-means++: the first centre is any policy's row, each further one the best of a few. */
static void seed(sonde__kmeans *kmeans, const sonde_embedding *embedding, sonde_rng *rng) {
    int32_t row = embedding->row_of[sonde_rng_below(rng, (uint64_t)embedding->n_policy)];
    for (int32_t r = 0; r < embedding->n_row; r++) {
        kmeans->near[r] = INFINITY;
    }
    pad_points(kmeans->candidate, kmeans->n_column, kmeans->n_trial);
    double inertia = add_center(kmeans, embedding, 0, row);
    for (int32_t c = 1; c < kmeans->k && !stopped(kmeans); c++) {
        row = best_candidate(kmeans, embedding, rng, &inertia);
        inertia = add_center(kmeans, embedding, c, row);
    }
}

/* The nearest centre of each of the rows `first` .. `first + ROWS - 1`; two passes over the
 * distances, because what is a tie depends on the least of them. */
static void find_nearest(sonde__kmeans *kmeans, const sonde_embedding *embedding, int32_t first) {
    const int32_t n_point = kmeans->n_block * SONDE__LANES;
    for (int32_t b = 0; b < kmeans->n_block; b++) {
        double distance[SONDE__ROWS][SONDE__LANES];
        const int64_t block = (int64_t)b * embedding->n_column * SONDE__LANES;
        sonde__distances(embedding, first, kmeans->center + block, distance);
        for (int32_t q = 0; q < SONDE__ROWS; q++) {
            memcpy(kmeans->distance + (int64_t)q * n_point + (int64_t)b * SONDE__LANES, distance[q],
                   sizeof distance[q]);
        }
    }
    for (int32_t q = 0; q < SONDE__ROWS && first + q < embedding->n_row; q++) {
        const double *distance = kmeans->distance + (int64_t)q * n_point;
        double least = distance[0];
        for (int32_t c = 1; c < n_point; c++) {
            least = distance[c] < least ? distance[c] : least;
        }
        int32_t c = 0;
        while (distance[c] > least * (1.0 + TIE)) {
            c++;
        }
        kmeans->label[first + q] = c;
        kmeans->near[first + q] = distance[c];
    }
}

/* Labels of all rows, masses and inertia. */
static void assign(sonde__kmeans *kmeans, const sonde_embedding *embedding) {
    memset(kmeans->mass, 0, (size_t)kmeans->k * sizeof *kmeans->mass);
    kmeans->inertia = 0.0;
    for (int32_t first = 0; first < embedding->n_row; first += SONDE__ROWS) {
        find_nearest(kmeans, embedding, first);
    }
    for (int32_t r = 0; r < embedding->n_row; r++) {
        const double weight = (double)embedding->weight[r];
        kmeans->mass[kmeans->label[r]] += weight;
        kmeans->inertia += weight * kmeans->near[r];
    }
}

/* The row farthest from its centre, the lowest of several. */
static int32_t farthest(const sonde__kmeans *kmeans, int32_t n_row) {
    int32_t found = 0;
    for (int32_t r = 1; r < n_row; r++) {
        found = kmeans->near[r] > kmeans->near[found] ? r : found;
    }
    return found;
}

/* A cluster without members takes the row farthest from its centre; true if there was one. */
static bool fill_empty(sonde__kmeans *kmeans, const sonde_embedding *embedding) {
    bool found = false;
    for (int32_t c = 0; c < kmeans->k; c++) {
        if (kmeans->mass[c] == 0.0) {
            const int32_t r = farthest(kmeans, embedding->n_row);
            const double weight = (double)embedding->weight[r];
            kmeans->mass[kmeans->label[r]] -= weight;
            kmeans->mass[c] = weight;
            kmeans->label[r] = c;
            kmeans->near[r] = 0.0;
            found = true;
        }
    }
    return found;
}

/* Centres become the means of their members; returns the summed squared shift. */
static double move_centers(sonde__kmeans *kmeans, const sonde_embedding *embedding) {
    const int32_t n = embedding->n_column;
    memset(kmeans->sum, 0, (size_t)kmeans->k * (size_t)n * sizeof *kmeans->sum);
    for (int32_t r = 0; r < embedding->n_row; r++) {
        const double weight = (double)embedding->weight[r];
        const double *row = embedding->row + (int64_t)r * n;
        double *sum = kmeans->sum + (int64_t)kmeans->label[r] * n;
        for (int32_t j = 0; j < n; j++) {
            sum[j] += weight * row[j];
        }
    }
    double shift = 0.0;
    for (int32_t c = 0; c < kmeans->k; c++) {
        for (int32_t j = 0; j < n && kmeans->mass[c] > 0.0; j++) {
            double *center = sonde__kmeans_center(kmeans, c, j);
            const double moved = kmeans->sum[(int64_t)c * n + j] / kmeans->mass[c];
            shift += (moved - *center) * (moved - *center);
            *center = moved;
        }
    }
    return shift;
}

static void lloyd(sonde__kmeans *kmeans, const sonde_embedding *embedding, double shift,
                  int32_t n_round_max) {
    pad_points(kmeans->center, kmeans->n_column, kmeans->k);
    bool settled = false;
    for (kmeans->n_round = 0; kmeans->n_round < n_round_max && !settled; kmeans->n_round++) {
        if (stopped(kmeans)) {
            return;
        }
        assign(kmeans, embedding);
        const bool refilled = fill_empty(kmeans, embedding);
        settled = move_centers(kmeans, embedding) <= shift && !refilled;
    }
    /* labels that belong to the centres as they are now */
    assign(kmeans, embedding);
}

void sonde__kmeans_run(sonde__kmeans *kmeans, const sonde_embedding *embedding, sonde_rng *rng,
                       double shift, int32_t n_round_max) {
    seed(kmeans, embedding, rng);
    lloyd(kmeans, embedding, shift, n_round_max);
}

void sonde__kmeans_run_from(sonde__kmeans *kmeans, const sonde_embedding *embedding,
                            const double *center, double shift, int32_t n_round_max) {
    for (int32_t c = 0; c < kmeans->k; c++) {
        set_point(kmeans->center, kmeans->n_column, c, center + (int64_t)c * kmeans->n_column);
    }
    lloyd(kmeans, embedding, shift, n_round_max);
}
