/* cluster_kmeans.c: restarts of k-means on distinct rows with weights (docs/math.md, "k-means").
 *
 * A row stands for all policies that share it, so equal rows cannot part, and every sum over
 * policies is a sum over points times their weights.
 *
 * Restarts go on side by side (cluster_ranks.c): a round compares every point with the centres of
 * all of them at once (cluster_round.c), then the centres of each become means. The inertia
 * follows from the sums. Dense points' sums are rounded, so dense restarts go on one by one, each
 * on one thread. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "base/parallel.h"
#include "base/vector.h"
#include "base/rng.h"
#include "cluster/kmeans_internal.h"

static int32_t count_candidates(int32_t k) {
    return 2 + (int32_t)floor(sonde__log((double)(k > 1 ? k : 1)));
}

static void carve_hand(sonde__arena *arena, const sonde__points_size *size, int32_t k,
                       int32_t n_restart, sonde__hand *hand) {
    const uint64_t n_cluster = sonde__multiply((uint64_t)n_restart, (uint64_t)k);
    sonde__arena_gap(arena);
    sonde__desk_carve(arena, k, size, &hand->desk);
    const uint64_t n_part = (uint64_t)sonde__points_n_part(size->n_code);
    hand->change = SONDE__TAKE(arena, sonde__change, SONDE__POINT_BLOCK * SONDE__LANES);
    hand->sum = SONDE__TAKE(arena, double, sonde__multiply(n_cluster, n_part));
    hand->mass = SONDE__TAKE(arena, double, n_cluster);
    hand->n_change = SONDE__TAKE(arena, int64_t, n_restart);
    hand->total = SONDE__TAKE(arena, double, (uint64_t)count_candidates(k) * SONDE__LANES);
}

static void carve_restart(sonde__arena *arena, const sonde__points_size *size, int32_t k,
                          sonde__restart *restart) {
    restart->center =
        SONDE__TAKE(arena, double, sonde__multiply((uint64_t)k, (uint64_t)size->n_code));
    restart->seed = SONDE__TAKE(arena, int32_t, k);
    sonde__targets_carve(arena, k, size, true, &restart->targets);
}

/* Seeds are drawn before there are labels: distances and labels share their room. */
static void carve_labels(sonde__arena *arena, int32_t n_row, int32_t n_restart,
                         sonde__kmeans *kmeans) {
    const uint64_t bytes = (uint64_t)sonde__ranks_most_labels(n_restart) * sizeof(uint16_t);
    const uint64_t room = bytes > sizeof(double) ? bytes : sizeof(double);
    const uint64_t more = sizeof(uint16_t) * 2 * SONDE__GLANCE;
    kmeans->near = sonde__arena_take(arena, sonde__multiply((uint64_t)n_row, room) + more, 1);
    kmeans->label = (uint16_t *)kmeans->near;
}

void sonde__kmeans_carve(sonde__arena *arena, const sonde__points_size *size, int32_t k,
                         int32_t n_restart, int32_t n_thread, sonde__kmeans *kmeans) {
    const uint64_t n_block = (uint64_t)size->n_row / SONDE__POINT_BLOCK + 1;
    const int32_t n_candidate = count_candidates(k);
    kmeans->k = k;
    kmeans->n_code = size->n_code;
    kmeans->n_part = sonde__points_n_part(size->n_code);
    kmeans->n_restart = n_restart;
    kmeans->code = SONDE__TAKE(arena, double, size->n_code);
    kmeans->refilled = SONDE__TAKE(arena, bool, k);
    kmeans->loss = SONDE__TAKE(arena, float, (uint64_t)k + 1);
    const int32_t n_second = n_restart < SONDE__SECOND_RANK ? n_restart : SONDE__SECOND_RANK;
    sonde__lanes_carve(arena, k, sonde__ranks_first(n_restart), size, &kmeans->rank[0].lanes);
    sonde__lanes_carve(arena, k, n_second, size, &kmeans->rank[1].lanes);
    carve_labels(arena, size->n_row, n_restart, kmeans);
    kmeans->restart = SONDE__TAKE(arena, sonde__restart, n_restart);
    for (int32_t r = 0; r < n_restart; r++) {
        sonde__restart restart = {0};
        carve_restart(arena, size, k, &restart);
        if (kmeans->restart != NULL) {
            kmeans->restart[r] = restart;
        }
    }
    kmeans->hand = SONDE__TAKE(arena, sonde__hand, n_thread);
    for (int32_t i = 0; i < n_thread; i++) {
        sonde__hand hand = {0};
        carve_hand(arena, size, k, n_restart, &hand);
        if (kmeans->hand != NULL) {
            kmeans->hand[i] = hand;
        }
    }
    sonde__targets_carve(arena, n_candidate, size, false, &kmeans->candidates);
    sonde__lanes_carve(arena, n_candidate, SONDE__LANES, size, &kmeans->candidate_lanes);
    kmeans->candidate = SONDE__TAKE(arena, int32_t, (uint64_t)n_candidate * SONDE__LANES);
    kmeans->total = SONDE__TAKE(arena, double, (uint64_t)n_candidate *SONDE__LANES);
    kmeans->block_sum = SONDE__TAKE(arena, double, n_block *(uint64_t)n_restart);
    kmeans->best.center =
        SONDE__TAKE(arena, double, sonde__multiply((uint64_t)k, (uint64_t)size->n_code));
    kmeans->best.label = SONDE__TAKE(arena, int32_t, size->n_row);
}

void sonde__kmeans_begin(sonde__kmeans *kmeans, const sonde_run *run, double shift,
                         int32_t n_round_max, int32_t n_all) {
    kmeans->run = run;
    kmeans->n_all = n_all;
    kmeans->n_done = 0;
    kmeans->shift = shift;
    kmeans->n_round_max = n_round_max;
    kmeans->best_restart = -1;
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
    const int32_t n_part = sonde__points_n_part(embedding->n_code);
    double mass = 0.0;
    memset(mean, 0, (size_t)n_part * sizeof *mean);
    for (int32_t i = 0; i < points->n; i++) {
        const sonde__change all = {.point = i, .from = -1, .to = 0};
        sonde__points_move(points, 1, &all, mean, &mass);
    }
    for (int32_t j = 0; j < embedding->n_code; j++) {
        mean[j] /= n_policy;
    }
    const double norm_mean = squared_length(mean, embedding->n_code, embedding->gram);
    const double variance = summed_norm(points) / n_policy - norm_mean;
    return tolerance * (variance > 0.0 ? variance : 0.0) / embedding->n_column_nominal;
}

/* Sums and masses of a restart's clusters, once the hands have joined. */
static const double *sums_of(const sonde__kmeans *kmeans, int32_t r) {
    return kmeans->hand[0].sum + (int64_t)r * kmeans->k * kmeans->n_part;
}

static const double *masses_of(const sonde__kmeans *kmeans, int32_t r) {
    return kmeans->hand[0].mass + (int64_t)r * kmeans->k;
}

/* The point farthest from its centre, of several the one whose row is lowest. */
static int32_t farthest(const sonde__kmeans *kmeans, const sonde__rank *rank, int32_t lane) {
    const sonde__points *points = kmeans->points;
    const sonde__targets *targets = &kmeans->restart[rank->restart[lane]].targets;
    int32_t found = -1;
    double most = 0.0;
    for (int32_t i = 0; i < points->n; i++) {
        const int32_t c = rank->label[(int64_t)i * rank->lanes.side + lane];
        const double score = kmeans->refilled[c] ? 0.0 : sonde__score(points, targets, i, c);
        const double d = kmeans->refilled[c] ? 0.0 : sonde__squared(points->norm[i], score);
        if (found < 0 || d > most || (d >= most && points->row[i] < points->row[found])) {
            found = i;
            most = d;
        }
    }
    return found;
}

/* A cluster without members takes the point farthest from its centre; true if there was one. */
static bool fill_empty(const sonde__kmeans *kmeans, const sonde__rank *rank, int32_t lane) {
    const double *mass = masses_of(kmeans, rank->restart[lane]);
    bool found = false;
    for (int32_t c = 0; c < kmeans->k; c++) {
        if (mass[c] > 0.0) {
            continue;
        }
        if (!found) {
            memset(kmeans->refilled, 0, (size_t)kmeans->k * sizeof *kmeans->refilled);
        }
        const int32_t i = farthest(kmeans, rank, lane);
        sonde__round_move(kmeans, rank, i, lane, c);
        if (!kmeans->points->worded) {
            kmeans->gap[i] = -1.0F;
        }
        kmeans->refilled[c] = true;
        found = true;
    }
    return found;
}

/* What points lose of their gaps, once the loss of each cluster is how far its centre has gone:
 * their own centre goes away, and another may come nearer. */
static void lose_gaps(const sonde__kmeans *kmeans) {
    float *loss = kmeans->loss;
    int32_t first = 0;
    float second = 0.0F;
    for (int32_t c = 1; c < kmeans->k; c++) {
        const float loser = loss[c] > loss[first] ? loss[first] : loss[c];
        second = loser > second ? loser : second;
        first = loss[c] > loss[first] ? c : first;
    }
    const float most = loss[first];
    for (int32_t c = 0; c < kmeans->k; c++) {
        loss[c] += (c == first ? second : most) + (float)(SONDE__GAP_ROUNDING * kmeans->span);
    }
}

/* A centre becomes a mean; `way` is how it went. */
SONDE__VECTOR
static void move_center(const double *restrict sum, double mass, int32_t n, double *restrict center,
                        double *restrict way) {
    for (int32_t j = 0; j < n; j++) {
        const double moved = sum[j] / mass;
        way[j] = moved - center[j];
        center[j] = moved;
    }
}

/* Centres become the means of their members; returns the summed squared shift. */
static double move_centers(sonde__kmeans *kmeans, int32_t r) {
    const int32_t n = kmeans->n_code;
    const double *gram = kmeans->points->embedding->gram;
    const double *mass = masses_of(kmeans, r);
    double shift = 0.0;
    for (int32_t c = 0; c < kmeans->k; c++) {
        const double *sum = sums_of(kmeans, r) + (int64_t)c * kmeans->n_part;
        double *center = kmeans->restart[r].center + (int64_t)c * n;
        kmeans->loss[c] = 0.0F;
        if (mass[c] > 0.0) {
            move_center(sum, mass[c], n, center, kmeans->code);
            const double moved = squared_length(kmeans->code, n, gram);
            shift += moved;
            kmeans->loss[c] = (float)sqrt(moved);
            sonde__targets_set(&kmeans->restart[r].targets, c, center, gram);
        }
    }
    lose_gaps(kmeans);
    return shift;
}

/* Summed squared distances: sum |x|^2 + sum over clusters of mass |y|^2 - 2 sum . y */
static double find_inertia(const sonde__kmeans *kmeans, int32_t r) {
    const int32_t n = kmeans->n_code;
    const sonde__restart *restart = &kmeans->restart[r];
    double inertia = kmeans->summed_norm;
    for (int32_t c = 0; c < kmeans->k; c++) {
        const double *sum = sums_of(kmeans, r) + (int64_t)c * kmeans->n_part;
        const double *center = restart->center + (int64_t)c * n;
        inertia += 2.0 * masses_of(kmeans, r)[c] * restart->targets.half[c] -
                   2.0 * product(sum, center, n, kmeans->points->embedding->gram);
    }
    return inertia > 0.0 ? inertia : 0.0;
}

/* A restart has come to an end. The best is the one with the least inertia, of several the
 * first. */
static void finish(sonde__kmeans *kmeans, const sonde__rank *rank, int32_t lane) {
    sonde__restart *restart = &kmeans->restart[rank->restart[lane]];
    sonde__fitted *best = &kmeans->best;
    const double inertia = find_inertia(kmeans, rank->restart[lane]);
    restart->done = true;
    kmeans->n_done++;
    if (kmeans->n_all > 0) {
        sonde__progress(kmeans->run, "clustering", (uint64_t)kmeans->n_done,
                        (uint64_t)kmeans->n_all);
    }
    if (kmeans->best_restart >= 0 &&
        (inertia > best->inertia ||
         (inertia >= best->inertia && restart->number > kmeans->best_restart))) {
        return;
    }
    double *center = best->center;
    *best = (sonde__fitted){.k = kmeans->k,
                            .n_code = kmeans->n_code,
                            .center = restart->center,
                            .label = best->label,
                            .inertia = inertia,
                            .n_round = restart->n_round};
    restart->center = center;
    for (int32_t i = 0; i < kmeans->points->n; i++) {
        best->label[i] = rank->label[(int64_t)i * rank->lanes.side + lane];
    }
    kmeans->best_restart = restart->number;
}

/* What follows once all points have found the centres of a restart. */
static void advance(sonde__kmeans *kmeans, const sonde__rank *rank, int32_t lane) {
    const int32_t r = rank->restart[lane];
    sonde__restart *restart = &kmeans->restart[r];
    if (restart->settled) {
        finish(kmeans, rank, lane);
        return;
    }
    const bool refilled = fill_empty(kmeans, rank, lane);
    const bool moved = kmeans->hand[0].n_change[r] > 0 || refilled;
    restart->settled = move_centers(kmeans, r) <= kmeans->shift && !refilled;
    restart->n_round++;
    restart->settled = restart->settled || restart->n_round == kmeans->n_round_max;
    /* otherwise labels have to be found that belong to the centres as they are now */
    if (restart->settled && !moved) {
        finish(kmeans, rank, lane);
    }
}

/* What follows a round; returns how many restarts are still at work. */
static int32_t advance_all(sonde__kmeans *kmeans) {
    for (int32_t i = 0; i < kmeans->n_rank; i++) {
        const sonde__rank *rank = &kmeans->rank[i];
        for (int32_t lane = 0; lane < rank->lanes.side && rank->n > 0; lane++) {
            if (rank->restart[lane] >= 0) {
                advance(kmeans, rank, lane);
            }
        }
    }
    return sonde__ranks_close(kmeans);
}

/* Nothing is known of any dense point. */
static void open_all(sonde__kmeans *kmeans, const sonde__points *points) {
    const int64_t behind = ((int64_t)points->n + SONDE__GLANCE + 1) / 2 * 2;
    kmeans->gap = (float *)(kmeans->label + behind);
    kmeans->span = 0.0;
    for (int32_t i = 0; i < points->n; i++) {
        kmeans->gap[i] = -1.0F;
        kmeans->span = points->norm[i] > kmeans->span ? points->norm[i] : kmeans->span;
    }
    kmeans->span = sqrt(kmeans->span);
    memset(kmeans->loss, 0, ((size_t)kmeans->k + 1) * sizeof *kmeans->loss);
}

/* Lloyd's algorithm, from the centres that are set. */
static void lloyd(sonde__kmeans *kmeans, const sonde__points *points, int32_t n) {
    const int64_t n_mass = (int64_t)n * kmeans->k;
    for (int32_t h = 0; h < kmeans->run->n_thread; h++) {
        memset(kmeans->hand[h].sum, 0, (size_t)(n_mass * kmeans->n_part) * sizeof(double));
        memset(kmeans->hand[h].mass, 0, (size_t)n_mass * sizeof(double));
    }
    kmeans->points = points;
    kmeans->n_present = n;
    kmeans->summed_norm = summed_norm(points);
    for (int32_t r = 0; r < n; r++) {
        kmeans->restart[r].n_round = 0;
        kmeans->restart[r].settled = kmeans->restart[r].done = false;
    }
    sonde__ranks_form(kmeans);
    if (!points->worded) {
        open_all(kmeans, points);
    }
    int32_t n_left = n;
    while (n_left > 0 && sonde__round_assign(kmeans) == SONDE_OK) {
        n_left = advance_all(kmeans);
    }
}

void sonde__kmeans_fit(sonde__kmeans *kmeans, const sonde__points *points, int32_t first, int32_t n,
                       sonde__rng *rng) {
    const sonde_embedding *embedding = points->embedding;
    sonde__kmeans_seed(kmeans, points, n, rng, kmeans->k);
    for (int32_t r = 0; r < n && !sonde__stopped(kmeans->run); r++) {
        sonde__restart *restart = &kmeans->restart[r];
        restart->number = first + r;
        /* the last seed is the first centre: up to half of all points are as near to two seeds, and
         * early ones, which have most of them, would get those, too */
        for (int32_t c = 0; c < kmeans->k; c++) {
            double *center = restart->center + (int64_t)c * kmeans->n_code;
            const int32_t seed = restart->seed[kmeans->k - 1 - c];
            sonde__embedding_code(embedding, points->row[seed], center);
            sonde__targets_set(&restart->targets, c, center, embedding->gram);
        }
    }
    lloyd(kmeans, points, n);
}

void sonde__kmeans_fit_from(sonde__kmeans *kmeans, const sonde__points *points,
                            const double *center) {
    sonde__restart *restart = &kmeans->restart[0];
    memcpy(restart->center, center, (size_t)kmeans->k * (size_t)kmeans->n_code * sizeof *center);
    restart->number = 0;
    for (int32_t c = 0; c < kmeans->k; c++) {
        sonde__targets_set(&restart->targets, c, center + (int64_t)c * kmeans->n_code,
                           points->embedding->gram);
    }
    lloyd(kmeans, points, 1);
}
