/* cluster_kmeans.c: one run of k-means on distinct rows with weights (docs/math.md, "k-means").
 *
 * A row stands for all policies that share it, so equal rows cannot part, and every sum over
 * policies is a sum over rows times their weights.
 *
 * Cost: a round looks at every number of every code once for each centre; seeding does that twice
 * for each centre, with the candidates side by side instead of the centres. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "cluster/cluster.h"

void sonde__kmeans_carve(sonde__arena *arena, int32_t n_row, int32_t n_code, int32_t k,
                         sonde__kmeans *kmeans) {
    const uint64_t n_number = (uint64_t)k * (uint64_t)n_code;
    const int32_t n_candidate = 2 + (int32_t)floor(sonde__log((double)(k > 1 ? k : 1)));
    kmeans->run = NULL;
    kmeans->k = k;
    kmeans->n_code = n_code;
    kmeans->center = SONDE__TAKE(arena, double, n_number);
    kmeans->sum = SONDE__TAKE(arena, double, n_number);
    kmeans->mass = SONDE__TAKE(arena, double, k);
    kmeans->seed = SONDE__TAKE(arena, int32_t, k);
    kmeans->code = SONDE__TAKE(arena, double, n_code);
    sonde__points_carve(arena, k, n_code, &kmeans->points);
    sonde__points_carve(arena, n_candidate, n_code, &kmeans->candidates);
    kmeans->candidate = SONDE__TAKE(arena, int32_t, n_candidate);
    kmeans->total = SONDE__TAKE(arena, double, (uint64_t)kmeans->candidates.n_block *SONDE__LANES);
    kmeans->label = SONDE__TAKE(arena, int32_t, n_row);
    kmeans->nearest = SONDE__TAKE(arena, int32_t, n_row);
    kmeans->near = SONDE__TAKE(arena, double, n_row);
}

/* What is left behind then is never looked at. */
static bool stopped(const sonde__kmeans *kmeans) {
    return kmeans->run != NULL && sonde__stopped(kmeans->run);
}

/* The code of a row, with its zeros. */
static void spread_code(const sonde_embedding *embedding, int32_t r, double *code) {
    const int64_t at = (int64_t)r * embedding->n_nonzero_max;
    memset(code, 0, (size_t)embedding->n_code * sizeof *code);
    for (int32_t i = 0; i < embedding->n_nonzero[r]; i++) {
        code[embedding->code_column[at + i]] = embedding->code_value[at + i];
    }
}

/* Adds weight times the code of a row. */
static void add_code(const sonde_embedding *embedding, int32_t r, double weight, double *sum) {
    const int64_t at = (int64_t)r * embedding->n_nonzero_max;
    for (int32_t i = 0; i < embedding->n_nonzero[r]; i++) {
        sum[embedding->code_column[at + i]] += weight * embedding->code_value[at + i];
    }
}

/* Squared length of a difference of codes. */
static double squared_length(const double *code, int32_t n, const double *gram) {
    double length = 0.0;
    for (int32_t j = 0; j < n; j++) {
        double product = gram == NULL ? code[j] : 0.0;
        for (int32_t l = 0; gram != NULL && l < n; l++) {
            product += gram[(int64_t)j * n + l] * code[l];
        }
        length += code[j] * product;
    }
    return length > 0.0 ? length : 0.0;
}

double sonde__kmeans_shift(const sonde_embedding *embedding, double tolerance, double *mean) {
    const double n_policy = (double)embedding->n_policy;
    double mean_norm = 0.0;
    memset(mean, 0, (size_t)embedding->n_code * sizeof *mean);
    for (int32_t r = 0; r < embedding->n_row; r++) {
        add_code(embedding, r, (double)embedding->weight[r], mean);
        mean_norm += (double)embedding->weight[r] * embedding->norm[r];
    }
    for (int32_t j = 0; j < embedding->n_code; j++) {
        mean[j] /= n_policy;
    }
    const double norm_mean = squared_length(mean, embedding->n_code, embedding->gram);
    const double variance = mean_norm / n_policy - norm_mean;
    return tolerance * (variance > 0.0 ? variance : 0.0) / embedding->n_column_nominal;
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

/* Draws candidates, and returns the row of the one that lowers the inertia most. */
static int32_t best_candidate(sonde__kmeans *kmeans, const sonde_embedding *embedding,
                              sonde_rng *rng, double inertia) {
    sonde__points *candidates = &kmeans->candidates;
    for (int32_t i = 0; i < candidates->n; i++) {
        kmeans->candidate[i] = draw_row(kmeans, embedding, rng, inertia);
        spread_code(embedding, kmeans->candidate[i], kmeans->code);
        sonde__points_set(candidates, i, kmeans->code, embedding->gram);
    }
    sonde__points_totals(candidates, embedding, kmeans->near, kmeans->total);
    int32_t best = 0;
    for (int32_t i = 1; i < candidates->n; i++) {
        best = kmeans->total[i] < kmeans->total[best] ? i : best;
    }
    return kmeans->candidate[best];
}

/* Greedy k-means++: the first centre is any policy's row, each further one the best of a few. */
void sonde__kmeans_seed(sonde__kmeans *kmeans, const sonde_embedding *embedding, sonde_rng *rng,
                        int32_t n, int32_t *row) {
    double inertia = 0.0;
    for (int32_t r = 0; r < embedding->n_row; r++) {
        kmeans->near[r] = INFINITY;
    }
    for (int32_t c = 0; c < n && !stopped(kmeans); c++) {
        const uint64_t n_policy = (uint64_t)embedding->n_policy;
        row[c] = c > 0 ? best_candidate(kmeans, embedding, rng, inertia)
                       : embedding->row_of[sonde_rng_below(rng, n_policy)];
        double *center = kmeans->center + (int64_t)c * kmeans->n_code;
        spread_code(embedding, row[c], center);
        sonde__points_set(&kmeans->points, c, center, embedding->gram);
        inertia = sonde__points_lower(&kmeans->points, c, embedding, kmeans->near);
        /* rounding must not make a centre a candidate again */
        inertia -= (double)embedding->weight[row[c]] * kmeans->near[row[c]];
        kmeans->near[row[c]] = 0.0;
    }
}

/* Moves a row's policies from its cluster, if it has one, to cluster c. */
static void change_label(sonde__kmeans *kmeans, const sonde_embedding *embedding, int32_t r,
                         int32_t c) {
    const double weight = (double)embedding->weight[r];
    const int32_t before = kmeans->label[r];
    if (before >= 0) {
        kmeans->mass[before] -= weight;
        add_code(embedding, r, -weight, kmeans->sum + (int64_t)before * kmeans->n_code);
    }
    kmeans->mass[c] += weight;
    add_code(embedding, r, weight, kmeans->sum + (int64_t)c * kmeans->n_code);
    kmeans->label[r] = c;
}

/* Labels of all rows, masses, sums of codes and inertia. Only rows that change their cluster touch
 * the sums: those are sums of whole numbers, so nothing is lost by adding and subtracting. */
static void assign(sonde__kmeans *kmeans, const sonde_embedding *embedding) {
    kmeans->inertia = 0.0;
    sonde__points_nearest(&kmeans->points, embedding, kmeans->nearest, kmeans->near);
    for (int32_t r = 0; r < embedding->n_row; r++) {
        if (kmeans->nearest[r] != kmeans->label[r]) {
            change_label(kmeans, embedding, r, kmeans->nearest[r]);
        }
        kmeans->inertia += (double)embedding->weight[r] * kmeans->near[r];
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
            change_label(kmeans, embedding, r, c);
            kmeans->near[r] = 0.0;
            found = true;
        }
    }
    return found;
}

/* Centres become the means of their members; returns the summed squared shift. */
static double move_centers(sonde__kmeans *kmeans, const sonde_embedding *embedding) {
    const int32_t n = kmeans->n_code;
    double shift = 0.0;
    for (int32_t c = 0; c < kmeans->k; c++) {
        double *center = kmeans->center + (int64_t)c * n;
        for (int32_t j = 0; j < n && kmeans->mass[c] > 0.0; j++) {
            const double moved = kmeans->sum[(int64_t)c * n + j] / kmeans->mass[c];
            kmeans->code[j] = moved - center[j];
            center[j] = moved;
        }
        if (kmeans->mass[c] > 0.0) {
            shift += squared_length(kmeans->code, n, embedding->gram);
            sonde__points_set(&kmeans->points, c, center, embedding->gram);
        }
    }
    return shift;
}

static void lloyd(sonde__kmeans *kmeans, const sonde_embedding *embedding, double shift,
                  int32_t n_round_max) {
    memset(kmeans->sum, 0, (size_t)kmeans->k * (size_t)kmeans->n_code * sizeof *kmeans->sum);
    memset(kmeans->mass, 0, (size_t)kmeans->k * sizeof *kmeans->mass);
    memset(kmeans->label, 0xFF, (size_t)embedding->n_row * sizeof *kmeans->label); /* -1: none */
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
    sonde__kmeans_seed(kmeans, embedding, rng, kmeans->k, kmeans->seed);
    lloyd(kmeans, embedding, shift, n_round_max);
}

void sonde__kmeans_run_from(sonde__kmeans *kmeans, const sonde_embedding *embedding,
                            const double *center, double shift, int32_t n_round_max) {
    memcpy(kmeans->center, center, (size_t)kmeans->k * (size_t)kmeans->n_code * sizeof *center);
    for (int32_t c = 0; c < kmeans->k; c++) {
        sonde__points_set(&kmeans->points, c, kmeans->center + (int64_t)c * kmeans->n_code,
                          embedding->gram);
    }
    lloyd(kmeans, embedding, shift, n_round_max);
}
