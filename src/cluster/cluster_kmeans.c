/* cluster_kmeans.c: one run of k-means on distinct rows with weights (docs/math.md, "k-means").
 *
 * A row stands for all policies that share it, so equal rows cannot part, and every sum over
 * policies is a sum over points times their weights.
 *
 * Cost: a round compares every point with every centre; seeding compares it twice for each centre,
 * with all candidates at a time and with the one that was chosen (cluster_targets.c). Sums are touched
 * only by points that change their cluster, and the inertia follows from the sums. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "base/vector.h"
#include "cluster/cluster.h"

void sonde__kmeans_carve(sonde__arena *arena, const sonde__points_size *size, int32_t k,
                         sonde__kmeans *kmeans) {
    const uint64_t n_number = sonde__multiply((uint64_t)k, (uint64_t)size->n_code);
    const int32_t n_candidate = 2 + (int32_t)floor(sonde__log((double)(k > 1 ? k : 1)));
    kmeans->run = NULL;
    kmeans->k = k;
    kmeans->n_code = size->n_code;
    kmeans->center = SONDE__TAKE(arena, double, n_number);
    kmeans->sum = SONDE__TAKE(arena, double, sonde__add(n_number, (uint64_t)size->n_code));
    kmeans->mass = SONDE__TAKE(arena, double, (uint64_t)k + 1);
    kmeans->seed = SONDE__TAKE(arena, int32_t, k);
    kmeans->code = SONDE__TAKE(arena, double, size->n_code);
    sonde__targets_carve(arena, k, size, true, &kmeans->targets);
    sonde__targets_carve(arena, n_candidate, size, false, &kmeans->candidates);
    kmeans->candidate = SONDE__TAKE(arena, int32_t, n_candidate);
    kmeans->total = SONDE__TAKE(arena, double, kmeans->candidates.n_lane);
    kmeans->label = SONDE__TAKE(arena, int32_t, size->n_row);
    kmeans->near = SONDE__TAKE(arena, double, size->n_row);
    kmeans->block_sum = SONDE__TAKE(arena, double, size->n_row / SONDE__POINT_BLOCK + 1);
}

/* What is left behind then is never looked at. */
static bool stopped(const sonde__kmeans *kmeans) {
    return kmeans->run != NULL && sonde__stopped(kmeans->run);
}

/* a . gram b, or a . b */
static double product(const double *a, const double *b, int32_t n, const double *gram) {
    double sum = 0.0;
    for (int32_t j = 0; j < n; j++) {
        double inner = gram == NULL ? b[j] : 0.0;
        for (int32_t l = 0; gram != NULL && l < n; l++) {
            inner += gram[(int64_t)j * n + l] * b[l];
        }
        sum += a[j] * inner;
    }
    return sum;
}

static double squared_length(const double *code, int32_t n, const double *gram) {
    const double length = product(code, code, n, gram);
    return length > 0.0 ? length : 0.0;
}

/* Sum over policies of their squared lengths. */
static double summed_norm(const sonde__points *points) {
    double sum = 0.0;
    for (int32_t i = 0; i < points->n; i++) {
        sum += (double)points->weight[i] * points->norm[i];
    }
    return sum;
}

double sonde__kmeans_shift(const sonde__points *points, double tolerance, double *mean) {
    const sonde_embedding *embedding = points->embedding;
    const double n_policy = (double)embedding->n_policy;
    memset(mean, 0, 2 * (size_t)embedding->n_code * sizeof *mean);
    for (int32_t i = 0; i < points->n; i++) {
        sonde__points_move(points, i, mean + embedding->n_code, mean);
    }
    for (int32_t j = 0; j < embedding->n_code; j++) {
        mean[j] /= n_policy;
    }
    const double norm_mean = squared_length(mean, embedding->n_code, embedding->gram);
    const double variance = summed_norm(points) / n_policy - norm_mean;
    return tolerance * (variance > 0.0 ? variance : 0.0) / embedding->n_column_nominal;
}

/* ---------------------------------------------------------------------------------- seeding -- */

/* A point drawn with probability proportional to weight * near, whose sum is `total`: the block of
 * points that holds the target first, then the point. */
static int32_t draw_point(const sonde__kmeans *kmeans, const sonde__points *points, sonde_rng *rng,
                          double total) {
    const int32_t n_block = sonde__points_n_block(points);
    double target = sonde_rng_uniform(rng) * total;
    int32_t b = 0;
    int32_t last_block = 0;
    for (; b < n_block && !(kmeans->block_sum[b] > target); b++) {
        target -= kmeans->block_sum[b];
        last_block = kmeans->block_sum[b] > 0.0 ? b : last_block;
    }
    b = b < n_block ? b : last_block;
    double sum = 0.0;
    int32_t last = 0;
    for (int32_t i = b * SONDE__POINT_BLOCK; i < points->n && i < (b + 1) * SONDE__POINT_BLOCK;
         i++) {
        const double share = (double)points->weight[i] * kmeans->near[i];
        sum += share;
        if (share > 0.0) {
            last = i;
            if (sum > target) {
                break;
            }
        }
    }
    return last;
}

/* Makes a point target i. */
static void aim(sonde__kmeans *kmeans, const sonde__points *points, sonde__targets *targets,
                int32_t i, int32_t point) {
    sonde__embedding_code(points->embedding, points->row[point], kmeans->code);
    sonde__targets_set(targets, i, kmeans->code, points->embedding->gram);
}

/* Draws candidates, and returns the place of the one that lowers the inertia most. */
static int32_t best_candidate(sonde__kmeans *kmeans, const sonde__points *points, sonde_rng *rng,
                              double inertia) {
    sonde__targets *candidates = &kmeans->candidates;
    for (int32_t i = 0; i < candidates->n; i++) {
        kmeans->candidate[i] = draw_point(kmeans, points, rng, inertia);
        aim(kmeans, points, candidates, i, kmeans->candidate[i]);
    }
    sonde__targets_settle(candidates, points);
    sonde__totals(points, candidates, kmeans->near, kmeans->total);
    int32_t best = 0;
    for (int32_t i = 1; i < candidates->n; i++) {
        best = kmeans->total[i] < kmeans->total[best] ? i : best;
    }
    return best;
}

/* The first seed is any policy's row: the place of that row among the points. */
static int32_t any_point(const sonde__points *points, sonde_rng *rng) {
    const sonde_embedding *embedding = points->embedding;
    const int32_t row = embedding->row_of[sonde_rng_below(rng, (uint64_t)embedding->n_policy)];
    int32_t i = 0;
    while (points->row[i] != row) {
        i++;
    }
    return i;
}

/* Greedy k-means++: the first centre is any policy's row, each further one the best of a few. */
void sonde__kmeans_seed(sonde__kmeans *kmeans, const sonde__points *points, sonde_rng *rng,
                        int32_t n, int32_t *seed) {
    const int32_t n_block = sonde__points_n_block(points);
    for (int32_t i = 0; i < points->n; i++) {
        kmeans->near[i] = INFINITY;
    }
    double inertia = 0.0;
    for (int32_t c = 0; c < n && !stopped(kmeans); c++) {
        int32_t best = 0;
        if (c == 0) {
            kmeans->candidate[0] = any_point(points, rng);
            aim(kmeans, points, &kmeans->candidates, 0, kmeans->candidate[0]);
            sonde__targets_settle(&kmeans->candidates, points);
        } else {
            best = best_candidate(kmeans, points, rng, inertia);
        }
        seed[c] = kmeans->candidate[best];
        sonde__lower(points, &kmeans->candidates, best, kmeans->near, kmeans->block_sum);
        /* rounding must not make a centre a candidate again */
        const double left = (double)points->weight[seed[c]] * kmeans->near[seed[c]];
        kmeans->block_sum[seed[c] / SONDE__POINT_BLOCK] -= left;
        kmeans->near[seed[c]] = 0.0;
        inertia = 0.0;
        for (int32_t b = 0; b < n_block; b++) {
            inertia += kmeans->block_sum[b];
        }
    }
}

/* ------------------------------------------------------------------------------------ Lloyd -- */

/* Moves a point's policies from its cluster to cluster c. */
static void change_label(sonde__kmeans *kmeans, const sonde__points *points, int32_t i, int32_t c) {
    const double weight = (double)points->weight[i];
    const int32_t before = kmeans->label[i];
    kmeans->mass[before] -= weight;
    kmeans->mass[c] += weight;
    sonde__points_move(points, i, kmeans->sum + (int64_t)before * kmeans->n_code,
                       kmeans->sum + (int64_t)c * kmeans->n_code);
    kmeans->label[i] = c;
}

/* Which of n labels differ; returns how many. Stretches without any are passed over at once. */
SONDE__VECTOR
static int32_t list_changed(const int32_t *nearest, const int32_t *label, int32_t n,
                            int32_t *changed) {
    enum { STRETCH = 16 };
    int32_t n_changed = 0;
    for (int32_t begin = 0; begin < n; begin += STRETCH) {
        const int32_t end = n - begin < STRETCH ? n : begin + STRETCH;
        int32_t difference = end - begin < STRETCH;
        for (int32_t i = 0; end - begin == STRETCH && i < STRETCH; i++) {
            difference |= nearest[begin + i] ^ label[begin + i];
        }
        for (int32_t i = begin; i < end && difference != 0; i++) {
            changed[n_changed] = i;
            n_changed += nearest[i] != label[i];
        }
    }
    return n_changed;
}

/* Labels of all points, masses and sums of codes; returns how many points changed their cluster. Only
 * they touch the sums: those are sums of whole numbers, so nothing is lost by adding and subtracting. */
static int32_t assign(sonde__kmeans *kmeans, const sonde__points *points) {
    int32_t nearest[SONDE__POINT_BLOCK];
    int32_t changed[SONDE__POINT_BLOCK];
    int32_t n_changed = 0;
    sonde__targets_settle(&kmeans->targets, points);
    for (int32_t b = 0; b < sonde__points_n_block(points); b++) {
        const int32_t begin = b * SONDE__POINT_BLOCK;
        const int32_t rest = points->n - begin;
        sonde__nearest(points, &kmeans->targets, b, nearest);
        const int32_t n =
            list_changed(nearest, kmeans->label + begin,
                         rest < SONDE__POINT_BLOCK ? rest : SONDE__POINT_BLOCK, changed);
        for (int32_t i = 0; i < n; i++) {
            sonde__points_fetch(points, begin + changed[i]);
        }
        for (int32_t i = 0; i < n; i++) {
            change_label(kmeans, points, begin + changed[i], nearest[changed[i]]);
        }
        n_changed += n;
    }
    return n_changed;
}

/* The point farthest from its centre, of several the one whose row is lowest. */
static int32_t farthest(const sonde__kmeans *kmeans, const sonde__points *points) {
    int32_t found = 0;
    for (int32_t i = 1; i < points->n; i++) {
        const bool farther = kmeans->near[i] > kmeans->near[found];
        const bool as_far = kmeans->near[i] >= kmeans->near[found];
        found = farther || (as_far && points->row[i] < points->row[found]) ? i : found;
    }
    return found;
}

/* A cluster without members takes the point farthest from its centre; true if there was one. */
static bool fill_empty(sonde__kmeans *kmeans, const sonde__points *points) {
    bool found = false;
    for (int32_t c = 0; c < kmeans->k; c++) {
        if (kmeans->mass[c] > 0.0) {
            continue;
        }
        for (int32_t i = 0; i < points->n && !found; i++) {
            kmeans->near[i] = sonde__squared(
                points->norm[i], sonde__score(points, &kmeans->targets, i, kmeans->label[i]));
        }
        const int32_t i = farthest(kmeans, points);
        change_label(kmeans, points, i, c);
        kmeans->near[i] = 0.0;
        found = true;
    }
    return found;
}

/* Centres become the means of their members; returns the summed squared shift. */
static double move_centers(sonde__kmeans *kmeans, const sonde__points *points) {
    const int32_t n = kmeans->n_code;
    const double *gram = points->embedding->gram;
    double shift = 0.0;
    for (int32_t c = 0; c < kmeans->k; c++) {
        double *center = kmeans->center + (int64_t)c * n;
        for (int32_t j = 0; j < n && kmeans->mass[c] > 0.0; j++) {
            const double moved = kmeans->sum[(int64_t)c * n + j] / kmeans->mass[c];
            kmeans->code[j] = moved - center[j];
            center[j] = moved;
        }
        if (kmeans->mass[c] > 0.0) {
            shift += squared_length(kmeans->code, n, gram);
            sonde__targets_set(&kmeans->targets, c, center, gram);
        }
    }
    return shift;
}

/* Summed squared distances: sum |x|^2 + sum over clusters of mass |y|^2 - 2 sum . y */
static double find_inertia(const sonde__kmeans *kmeans, const sonde__points *points) {
    const int32_t n = kmeans->n_code;
    double inertia = summed_norm(points);
    for (int32_t c = 0; c < kmeans->k; c++) {
        const double *sum = kmeans->sum + (int64_t)c * n;
        const double *center = kmeans->center + (int64_t)c * n;
        inertia += 2.0 * kmeans->mass[c] * kmeans->targets.half[c] -
                   2.0 * product(sum, center, n, points->embedding->gram);
    }
    return inertia > 0.0 ? inertia : 0.0;
}

static void lloyd(sonde__kmeans *kmeans, const sonde__points *points, double shift,
                  int32_t n_round_max) {
    const size_t n_cluster = (size_t)kmeans->k + 1; /* the last is none */
    memset(kmeans->sum, 0, n_cluster * (size_t)kmeans->n_code * sizeof *kmeans->sum);
    memset(kmeans->mass, 0, n_cluster * sizeof *kmeans->mass);
    for (int32_t i = 0; i < points->n; i++) {
        kmeans->label[i] = kmeans->k;
    }
    bool settled = false;
    bool moved = true;
    for (kmeans->n_round = 0; kmeans->n_round < n_round_max && !settled; kmeans->n_round++) {
        if (stopped(kmeans)) {
            return;
        }
        const int32_t n_changed = assign(kmeans, points);
        const bool refilled = fill_empty(kmeans, points);
        moved = n_changed > 0 || refilled;
        settled = move_centers(kmeans, points) <= shift && !refilled;
    }
    /* labels that belong to the centres as they are now */
    if (moved) {
        (void)assign(kmeans, points);
    }
    kmeans->inertia = find_inertia(kmeans, points);
}

void sonde__kmeans_run(sonde__kmeans *kmeans, const sonde__points *points, sonde_rng *rng,
                       double shift, int32_t n_round_max) {
    const sonde_embedding *embedding = points->embedding;
    sonde__kmeans_seed(kmeans, points, rng, kmeans->k, kmeans->seed);
    /* the last seed is the first centre: up to half of all points are as near to two seeds, and early
     * ones, which have most of them, would get those, too */
    for (int32_t c = 0; c < kmeans->k && !stopped(kmeans); c++) {
        double *center = kmeans->center + (int64_t)c * kmeans->n_code;
        const int32_t seed = kmeans->seed[kmeans->k - 1 - c];
        sonde__embedding_code(embedding, points->row[seed], center);
        sonde__targets_set(&kmeans->targets, c, center, embedding->gram);
    }
    lloyd(kmeans, points, shift, n_round_max);
}

void sonde__kmeans_run_from(sonde__kmeans *kmeans, const sonde__points *points,
                            const double *center, double shift, int32_t n_round_max) {
    memcpy(kmeans->center, center, (size_t)kmeans->k * (size_t)kmeans->n_code * sizeof *center);
    for (int32_t c = 0; c < kmeans->k; c++) {
        sonde__targets_set(&kmeans->targets, c, kmeans->center + (int64_t)c * kmeans->n_code,
                           points->embedding->gram);
    }
    lloyd(kmeans, points, shift, n_round_max);
}
