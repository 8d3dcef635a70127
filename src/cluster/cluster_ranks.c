/* cluster_ranks.c: restarts side by side in ranks.
 *
 * Restarts at work share vectors (cluster_lanes.c): a rank has a lane for each of a power of two
 * of them, and a label of every point for each lane. Ten make a rank of eight and one of two,
 * which takes eight vectors for twelve centres; one rank of sixteen lanes would take twelve. As
 * restarts come to an end the others close ranks, and the second rank joins the first as soon as
 * that takes no more vectors. */
#include <string.h>

#include "cluster/kmeans_internal.h"

int32_t sonde__ranks_first(int32_t n) {
    const int32_t side = sonde__lanes_side(n);
    return side >= 8 && n <= side / 2 + side / 4 ? side / 2 : n;
}

int32_t sonde__ranks_most_labels(int32_t n) {
    int32_t most = 0;
    for (int32_t m = 1; m <= n; m++) {
        const int32_t first = sonde__ranks_first(m);
        const int32_t n_label =
            sonde__lanes_side(first) + (first < m ? sonde__lanes_side(m - first) : 0);
        most = n_label > most ? n_label : most;
    }
    return most;
}

/* The lanes of a rank whose restarts are still at work; returns how many. */
static int32_t list_lanes(const sonde__kmeans *kmeans, const sonde__rank *rank, int32_t *lane) {
    int32_t n = 0;
    for (int32_t i = 0; i < rank->lanes.side && rank->n > 0; i++) {
        if (rank->restart[i] >= 0 && !kmeans->restart[rank->restart[i]].done) {
            lane[n++] = i;
        }
    }
    return n;
}

/* Gives a rank the first n lanes, in which restarts are. */
static void settle_places(sonde__rank *rank, const int32_t *restart, int32_t n) {
    rank->n = n;
    rank->lanes.side = sonde__lanes_side(n);
    for (int32_t i = 0; i < rank->lanes.side; i++) {
        rank->restart[i] = i < n ? restart[i] : -1;
    }
}

/* Those that are still at work close ranks, if that makes them fewer to a vector. */
static void close_rank(const sonde__kmeans *kmeans, sonde__rank *rank) {
    int32_t from[SONDE__LANES];
    int32_t restart[SONDE__LANES];
    const int32_t n = list_lanes(kmeans, rank, from);
    const int32_t side = sonde__lanes_side(n);
    for (int32_t i = 0; i < n; i++) {
        restart[i] = rank->restart[from[i]];
    }
    if (side < rank->lanes.side) {
        for (int64_t i = 0; i < kmeans->points->n; i++) {
            for (int32_t p = 0; p < n; p++) {
                rank->label[i * side + p] = rank->label[i * rank->lanes.side + from[p]];
            }
        }
        settle_places(rank, restart, n);
    }
    for (int32_t i = 0; i < rank->lanes.side; i++) {
        const int32_t r = rank->restart[i];
        rank->restart[i] = r >= 0 && kmeans->restart[r].done ? -1 : r;
    }
    rank->n = n;
}

/* The second rank joins the first, if that takes no more vectors. Labels of the first move up to
 * make room, those of the second are behind them all. */
static void join_ranks(sonde__kmeans *kmeans) {
    sonde__rank *to = &kmeans->rank[0];
    sonde__rank *from = &kmeans->rank[1];
    int32_t lane[2][SONDE__LANES];
    int32_t restart[SONDE__LANES];
    const int32_t n_to = list_lanes(kmeans, to, lane[0]);
    const int32_t n = n_to + list_lanes(kmeans, from, lane[1]);
    const int32_t side = sonde__lanes_side(n);
    if (n_to == 0 || n_to == n || n > sonde__ranks_first(kmeans->n_present) ||
        sonde__lanes_vectors(kmeans->k, side) >
            sonde__lanes_vectors(kmeans->k, to->lanes.side) +
                sonde__lanes_vectors(kmeans->k, from->lanes.side)) {
        return;
    }
    for (int32_t i = 0; i < n; i++) {
        restart[i] = i < n_to ? to->restart[lane[0][i]] : from->restart[lane[1][i - n_to]];
    }
    for (int64_t i = kmeans->points->n - 1; i >= 0; i--) {
        uint16_t label[SONDE__LANES];
        for (int32_t p = 0; p < n; p++) {
            label[p] = p < n_to ? to->label[i * to->lanes.side + lane[0][p]]
                                : from->label[i * from->lanes.side + lane[1][p - n_to]];
        }
        memcpy(to->label + i * side, label, (size_t)n * sizeof *label);
    }
    settle_places(to, restart, n);
    from->n = 0;
}

int32_t sonde__ranks_close(sonde__kmeans *kmeans) {
    int32_t n = 0;
    for (int32_t i = 0; i < kmeans->n_rank; i++) {
        close_rank(kmeans, &kmeans->rank[i]);
        n += kmeans->rank[i].n;
    }
    if (kmeans->n_rank > 1) {
        join_ranks(kmeans);
    }
    return n;
}

/* Restarts `first` and those that follow, n of them, make a rank. */
static void form_rank(const sonde__kmeans *kmeans, int32_t first, int32_t n, uint16_t *label,
                      sonde__rank *rank) {
    int32_t restart[SONDE__LANES];
    for (int32_t i = 0; i < n; i++) {
        restart[i] = first + i;
    }
    settle_places(rank, restart, n);
    rank->label = label;
    for (int64_t i = 0; i < (int64_t)kmeans->points->n * rank->lanes.side; i++) {
        label[i] = (uint16_t)kmeans->k;
    }
}

void sonde__ranks_form(sonde__kmeans *kmeans) {
    const int32_t n = kmeans->n_present;
    const int32_t n_first = sonde__ranks_first(n);
    kmeans->n_rank = n_first < n ? 2 : 1;
    form_rank(kmeans, 0, n_first, kmeans->label, &kmeans->rank[0]);
    if (n_first < n) {
        uint16_t *behind =
            kmeans->label + (int64_t)kmeans->points->n * kmeans->rank[0].lanes.side + SONDE__GLANCE;
        form_rank(kmeans, n_first, n - n_first, behind, &kmeans->rank[1]);
    }
}
