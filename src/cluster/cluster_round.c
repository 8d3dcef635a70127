/* cluster_round.c: all points find their nearest centres, of every restart at work.
 *
 * Threads share the points; each has sums of its own, whole numbers, which come to the same
 * whoever added them. Sums are touched only by points that change their cluster. A dense point is
 * not even looked at while its own centre must still be the nearest, for all that the centres have
 * moved: reading it costs more than knowing that (by the triangle inequality, with room for all
 * rounding). */
#include <string.h>

#include "cluster/kmeans_internal.h"

/* Moves a point to cluster c: its label, and what its sums have to go through. */
static sonde__change change_label(const sonde__kmeans *kmeans, const sonde__rank *rank, int32_t i,
                                  int32_t lane, int32_t c) {
    const int32_t first = rank->restart[lane] * kmeans->k; /* below LANES times K_MAX */
    uint16_t *label = &rank->label[(int64_t)i * rank->lanes.side + lane];
    const sonde__change change = {
        .point = i, .from = *label < kmeans->k ? first + *label : -1, .to = first + c};
    *label = (uint16_t)c;
    return change;
}

static void move_points(const sonde__kmeans *kmeans, int32_t hand, int32_t n,
                        const sonde__change *change) {
    const sonde__hand *mine = &kmeans->hand[hand];
    sonde__points_move(kmeans->points, n, change, mine->sum, mine->mass);
}

void sonde__round_move(const sonde__kmeans *kmeans, const sonde__rank *rank, int32_t i,
                       int32_t lane, int32_t c) {
    const sonde__change change = change_label(kmeans, rank, i, lane, c);
    move_points(kmeans, 0, 1, &change);
}

/* Points stand in no order that a processor could guess: fetching them in time saves half of it. In
 * line: gcc takes away a call that does nothing else. */
static inline __attribute__((always_inline)) void fetch(const sonde__points *points, int32_t i) {
    enum { N_BYTE = 64 }; /* that come at a time */
    const int64_t n = points->embedding->n_code;
    if (points->worded) {
        __builtin_prefetch(points->embedding->small + points->row[i] * n);
        return;
    }
    const char *single = (const char *)(points->single + i * n);
    for (int64_t at = 0; at < n * (int64_t)sizeof *points->single; at += N_BYTE) {
        __builtin_prefetch(single + at);
    }
}

/* Labels of the points of a block, masses and sums of codes. Only points that change their cluster
 * touch the sums: those are sums of whole numbers, so nothing is lost by adding and subtracting. */
static void assign_block(const sonde__kmeans *kmeans, const sonde__rank *rank, int32_t hand,
                         int32_t block, sonde__desk *desk) {
    const sonde__points *points = kmeans->points;
    const sonde__lanes *lanes = &rank->lanes;
    const int32_t begin = block * SONDE__POINT_BLOCK;
    sonde__compare(points, lanes, block, desk);
    const int32_t n = sonde__list_changed(lanes, sonde__points_in_block(points, block),
                                          rank->label + (int64_t)begin * lanes->side, desk);
    const int32_t n_bit = __builtin_ctz((uint32_t)lanes->side);
    for (int32_t m = 0; m < n; m++) {
        fetch(points, begin + (desk->listed[m] >> n_bit));
    }
    sonde__change *change = kmeans->hand[hand].change;
    int64_t *n_changed = kmeans->hand[hand].n_change;
    int32_t n_change = 0;
    for (int32_t m = 0; m < n; m++) {
        const int32_t i = begin + (desk->listed[m] >> n_bit);
        const int32_t lane = desk->listed[m] & (lanes->side - 1);
        const int32_t c = sonde__nearest(points, lanes, i, desk->listed[m], desk);
        if (c != rank->label[(int64_t)i * rank->lanes.side + lane]) {
            change[n_change++] = change_label(kmeans, rank, i, lane, c);
            n_changed[rank->restart[lane]]++;
        }
    }
    move_points(kmeans, hand, n_change, change);
}

/* The points of a block that might change their cluster. */
static int32_t list_open(const sonde__kmeans *kmeans, const sonde__points *points, int32_t block,
                         int32_t *restrict open) {
    const int32_t begin = block * SONDE__POINT_BLOCK;
    const int32_t n = sonde__points_in_block(points, block);
    const float *loss = kmeans->loss;
    const uint16_t *label = kmeans->label + begin;
    float *restrict gap = kmeans->gap + begin;
    int32_t n_open = 0;
    for (int32_t i = 0; i < n; i++) {
        gap[i] -= loss[label[i]];
    }
    for (int32_t i = 0; i < n; i++) {
        open[n_open] = begin + i;
        n_open += gap[i] > 0.0F ? 0 : 1;
    }
    return n_open;
}

/* The same for dense points and their one restart. */
static void assign_dense(const sonde__kmeans *kmeans, int32_t hand, int32_t block) {
    const sonde__points *points = kmeans->points;
    const sonde__rank *rank = &kmeans->rank[0];
    sonde__desk *desk = &kmeans->hand[hand].desk;
    const int32_t n = list_open(kmeans, points, block, desk->listed);
    for (int32_t m = 0; m < n; m++) {
        fetch(points, desk->listed[m]);
    }
    if (n > 0) {
        sonde__compare_dense(points, &rank->lanes, desk->listed, n, desk);
    }
    sonde__change *change = kmeans->hand[hand].change;
    int32_t n_change = 0;
    for (int32_t m = 0; m < n; m++) {
        const int32_t i = desk->listed[m];
        const int32_t c = sonde__nearest(points, &rank->lanes, i, m, desk);
        const double gap = sonde__gap(points, &rank->lanes, i, m, desk);
        kmeans->gap[i] = (float)(gap - SONDE__GAP_ROUNDING * kmeans->span);
        if (c != rank->label[i]) {
            change[n_change++] = change_label(kmeans, rank, i, 0, c);
        }
    }
    kmeans->hand[hand].n_change[0] += n_change;
    move_points(kmeans, hand, n_change, change);
}

static void assign_stretch(void *context, int32_t begin, int32_t end, int32_t worker) {
    const sonde__kmeans *kmeans = context;
    sonde__desk desk = kmeans->hand[worker].desk; /* hands share cache lines */
    for (int32_t b = begin; b < end; b++) {
        if (!kmeans->points->worded) {
            assign_dense(kmeans, worker, b);
            continue;
        }
        for (int32_t i = 0; i < kmeans->n_rank; i++) {
            if (kmeans->rank[i].n > 0) {
                assign_block(kmeans, &kmeans->rank[i], worker, b, &desk);
            }
        }
    }
}

/* What the other threads have added goes to the first. */
static void join_hands(const sonde__kmeans *kmeans) {
    const int64_t n_mass = (int64_t)kmeans->n_present * kmeans->k;
    sonde__hand *first = &kmeans->hand[0];
    for (int32_t h = 1; h < kmeans->run->n_thread; h++) {
        sonde__hand *other = &kmeans->hand[h];
        for (int64_t i = 0; i < n_mass * kmeans->n_part; i++) {
            first->sum[i] += other->sum[i];
            other->sum[i] = 0.0;
        }
        for (int64_t i = 0; i < n_mass; i++) {
            first->mass[i] += other->mass[i];
            other->mass[i] = 0.0;
        }
        for (int32_t r = 0; r < kmeans->n_present; r++) {
            first->n_change[r] += other->n_change[r];
            other->n_change[r] = 0;
        }
    }
}

/* Puts the centres of a rank's restarts side by side. */
static void settle_rank(sonde__kmeans *kmeans, sonde__rank *rank) {
    for (int32_t lane = 0; lane < rank->lanes.side; lane++) {
        const int32_t r = rank->restart[lane];
        rank->lanes.set[lane] = r >= 0 ? &kmeans->restart[r].targets : NULL;
        if (r >= 0) {
            sonde__targets_settle(&kmeans->restart[r].targets, kmeans->points);
        }
    }
    sonde__lanes_settle(&rank->lanes, kmeans->points);
}

sonde_status sonde__round_assign(sonde__kmeans *kmeans) {
    memset(kmeans->hand[0].n_change, 0, (size_t)kmeans->n_present * sizeof(int64_t));
    for (int32_t i = 0; i < kmeans->n_rank; i++) {
        if (kmeans->rank[i].n > 0) {
            settle_rank(kmeans, &kmeans->rank[i]);
        }
    }
    const sonde_status status =
        sonde__points_stretches(kmeans->points, kmeans->run, assign_stretch, kmeans);
    join_hands(kmeans);
    return status;
}
