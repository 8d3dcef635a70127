/* cluster_seed.c: greedy k-means++ (docs/math.md, "k-means").
 *
 * The first centre is any policy's row. For each further one a few candidates are drawn, with
 * probabilities proportional to weight times squared distance to the nearest centre so far, and
 * the one that would lower the inertia most is taken.
 *
 * Cost: two comparisons of all points for each centre, with all candidates at a time and with the
 * one that was chosen (cluster_candidates.c). Where distances are small whole numbers, all
 * restarts are seeded side by side. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "cluster/kmeans_internal.h"

/* Seeds of restarts, n of them, that are drawn together. */
typedef struct {
    sonde__kmeans *kmeans;
    const sonde__points *points;
    int32_t n;
    int16_t *whole; /* (n_point, n) near, less the squared lengths; NULL: near is in doubles */
} seeder;

/* Weight times squared distance to the nearest seed of restart r. */
static double share(const seeder *s, int32_t i, int32_t r) {
    const double near = s->whole != NULL
                            ? (double)s->whole[(int64_t)i * s->n + r] + s->points->norm[i]
                            : s->kmeans->near[i];
    return (double)s->points->weight[i] * near;
}

/* A point drawn with probability proportional to its share, of which the sum is `total`: the
 * block of points that holds the target first, then the point. */
static int32_t draw_point(const seeder *s, int32_t r, sonde__rng *rng, double total) {
    const int32_t n_block = sonde__points_n_block(s->points);
    const double *block_sum = s->kmeans->block_sum + r;
    double target = sonde__rng_uniform(rng) * total;
    int32_t b = 0;
    int32_t last_block = 0;
    for (; b < n_block && !(block_sum[(int64_t)b * s->n] > target); b++) {
        target -= block_sum[(int64_t)b * s->n];
        last_block = block_sum[(int64_t)b * s->n] > 0.0 ? b : last_block;
    }
    b = b < n_block ? b : last_block;
    double sum = 0.0;
    int32_t last = 0;
    const int32_t begin = b * SONDE__POINT_BLOCK;
    for (int32_t i = begin; i < begin + sonde__points_in_block(s->points, b); i++) {
        const double mine = share(s, i, r);
        sum += mine;
        if (mine > 0.0) {
            last = i;
            if (sum > target) {
                break;
            }
        }
    }
    return last;
}

/* The first seed is any policy's row: the place of that row among the points. */
static int32_t any_point(const sonde__points *points, sonde__rng *rng) {
    const sonde_embedding *embedding = points->embedding;
    const int32_t row = embedding->row_of[sonde__rng_below(rng, (uint64_t)embedding->n_policy)];
    int32_t i = 0;
    while (points->row[i] != row) {
        i++;
    }
    return i;
}

/* The candidates of restart r for centre c; returns how many. */
static int32_t draw_candidates(const seeder *s, int32_t r, int32_t c, sonde__rng *rng) {
    int32_t *candidate = s->kmeans->candidate + r;
    if (c == 0) {
        candidate[0] = any_point(s->points, rng);
        return 1;
    }
    double inertia = 0.0;
    for (int32_t b = 0; b < sonde__points_n_block(s->points); b++) {
        inertia += s->kmeans->block_sum[(int64_t)b * s->n + r];
    }
    for (int32_t i = 0; i < s->kmeans->candidates.n; i++) {
        candidate[(int64_t)i * SONDE__LANES] = draw_point(s, r, rng, inertia);
    }
    return s->kmeans->candidates.n;
}

/* The one of n candidates that lowers the inertia most; `step` from one's total to the next's. */
static int32_t best_candidate(const double *total, int32_t n, int32_t step) {
    int32_t best = 0;
    for (int32_t i = 1; i < n; i++) {
        best = total[(int64_t)i * step] < total[(int64_t)best * step] ? i : best;
    }
    return best;
}

/* -------------------------------------------------------------------------------- in doubles -- */

static void seed_in_doubles(sonde__kmeans *kmeans, const sonde__points *points, sonde__rng *rng,
                            int32_t n, int32_t *seed) {
    const seeder s = {kmeans, points, 1, NULL};
    void *cell = kmeans->hand[0].desk.cell;
    for (int32_t i = 0; i < points->n; i++) {
        kmeans->near[i] = INFINITY;
    }
    for (int32_t c = 0; c < n && !sonde__stopped(kmeans->run); c++) {
        const int32_t n_candidate = draw_candidates(&s, 0, c, rng);
        for (int32_t i = 0; i < n_candidate; i++) {
            const int32_t point = kmeans->candidate[(int64_t)i * SONDE__LANES];
            sonde__embedding_code(points->embedding, points->row[point], kmeans->code);
            sonde__targets_set(&kmeans->candidates, i, kmeans->code, points->embedding->gram);
        }
        sonde__targets_settle(&kmeans->candidates, points);
        if (n_candidate > 1) {
            sonde__totals(points, &kmeans->candidates, kmeans->near, kmeans->total, cell);
        }
        const int32_t best = best_candidate(kmeans->total, n_candidate, 1);
        seed[c] = kmeans->candidate[(int64_t)best * SONDE__LANES];
        sonde__lower(points, &kmeans->candidates, best, kmeans->near, kmeans->block_sum, cell);
        /* rounding must not make a centre a candidate again */
        kmeans->block_sum[seed[c] / SONDE__POINT_BLOCK] -= share(&s, seed[c], 0);
        kmeans->near[seed[c]] = 0.0;
    }
}

/* ------------------------------------------------------------------------------ side by side -- */

static sonde__whole blocks_of(const seeder *s, int32_t begin, int32_t end) {
    return (sonde__whole){
        .points = s->points,
        .targets = &s->kmeans->candidate_lanes,
        .n = s->n,
        .near = s->whole,
        .begin = begin,
        .end = end,
    };
}

static void total_stretch(void *context, int32_t begin, int32_t end, int32_t worker) {
    const seeder *s = context;
    const sonde__whole blocks = blocks_of(s, begin, end);
    sonde__hand *hand = &s->kmeans->hand[worker];
    sonde__whole_totals(&blocks, hand->total, hand->desk.cell);
}

static void lower_stretch(void *context, int32_t begin, int32_t end, int32_t worker) {
    const seeder *s = context;
    const sonde__whole blocks = blocks_of(s, begin, end);
    sonde__whole_lower(&blocks, s->kmeans->block_sum, s->kmeans->hand[worker].desk.cell);
}

/* What the inertia would be with each candidate of each restart, but for a part that is the same
 * for all. */
static void total_all(const seeder *s) {
    sonde__kmeans *kmeans = s->kmeans;
    const int32_t n = kmeans->candidates.n;
    kmeans->candidate_lanes.n_vector = n;
    for (int32_t v = 0; v < n; v++) {
        sonde__lanes_aim(&kmeans->candidate_lanes, s->points, v, s->n,
                         kmeans->candidate + (int64_t)v * SONDE__LANES);
    }
    for (int32_t h = 0; h < kmeans->run->n_thread; h++) {
        memset(kmeans->hand[h].total, 0, (size_t)n * SONDE__LANES * sizeof(double));
    }
    (void)sonde__points_stretches(s->points, kmeans->run, total_stretch, (void *)s);
    memset(kmeans->total, 0, (size_t)n * SONDE__LANES * sizeof(double));
    for (int32_t h = 0; h < kmeans->run->n_thread; h++) {
        for (int32_t i = 0; i < n * SONDE__LANES; i++) {
            kmeans->total[i] += kmeans->hand[h].total[i];
        }
    }
}

static void seed_side_by_side(sonde__kmeans *kmeans, const sonde__points *points, int32_t n_restart,
                              sonde__rng *rng, int32_t n) {
    seeder s = {kmeans, points, n_restart, (int16_t *)kmeans->near};
    int32_t chosen[SONDE__LANES] = {0};
    for (int64_t i = 0; i < (int64_t)points->n * n_restart; i++) {
        s.whole[i] = SONDE__FARTHEST;
    }
    for (int32_t c = 0; c < n && !sonde__stopped(kmeans->run); c++) {
        int32_t n_candidate = 0;
        for (int32_t r = 0; r < n_restart; r++) {
            n_candidate = draw_candidates(&s, r, c, &rng[r]);
        }
        if (n_candidate > 1) {
            total_all(&s);
        }
        for (int32_t r = 0; r < n_restart; r++) {
            const int32_t best = best_candidate(kmeans->total + r, n_candidate, SONDE__LANES);
            chosen[r] = kmeans->candidate[(int64_t)best * SONDE__LANES + r];
            kmeans->restart[r].seed[c] = chosen[r];
        }
        kmeans->candidate_lanes.n_vector = 1;
        sonde__lanes_aim(&kmeans->candidate_lanes, points, 0, n_restart, chosen);
        (void)sonde__points_stretches(points, kmeans->run, lower_stretch, &s);
    }
}

void sonde__kmeans_seed(sonde__kmeans *kmeans, const sonde__points *points, int32_t n_restart,
                        sonde__rng *rng, int32_t n) {
    if (sonde__whole_fits(points)) {
        seed_side_by_side(kmeans, points, n_restart, rng, n);
        return;
    }
    for (int32_t r = 0; r < n_restart; r++) {
        seed_in_doubles(kmeans, points, &rng[r], n, kmeans->restart[r].seed);
    }
}
