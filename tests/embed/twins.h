/* twins.h: embeddings written down as their definitions say, without any thought of speed. */
#ifndef TESTS_EMBED_TWINS_H
#define TESTS_EMBED_TWINS_H

#include "embed/embed.h"
#include "efe/efe.h"
#include "stages.h"

/* How often edge e occurs among the T + 1 edges of a walk. */
static inline int32_t times_on(const space *s, const int32_t *walk, int32_t e) {
    int32_t n = 0;
    for (int32_t t = 0; t <= s->policies->horizon; t++) {
        n += walk[t] == e;
    }
    return n;
}

/* Whether a walk touches node v, with either end of any edge. */
static inline bool touches(const space *s, const int32_t *walk, int32_t v) {
    for (int32_t e = 0; e < s->graph->n_edge; e++) {
        if (times_on(s, walk, e) > 0 && (s->graph->tail[e] == v || s->graph->head[e] == v)) {
            return true;
        }
    }
    return false;
}

static inline int32_t end_of(const space *s, const int32_t *walk) {
    return s->graph->head[walk[s->policies->horizon]];
}

/* Columns that a twin's row can have at most, but for ngram's. */
static inline int32_t most_columns(const space *s) {
    const int32_t n_action = s->model->n_action;
    const int32_t n = s->graph->n_edge + s->graph->n_node + 2;
    const int32_t horizon = s->policies->horizon;
    const int32_t n_timed = (horizon > 4 ? horizon : 4) * n_action; /* ends has up to 4 */
    return n > n_timed ? n : n_timed;
}

/* The number of the pair of edges that a walk takes at step t. */
static inline int32_t pair_at(const space *s, const int32_t *walk, int32_t t) {
    int32_t pair = 0;
    for (int32_t e = 0; e < s->graph->n_edge; e++) {
        for (int32_t f = 0; f < s->graph->n_edge; f++) {
            if (s->graph->head[e] == s->graph->tail[f]) {
                if (e == walk[t - 1] && f == walk[t]) {
                    return pair;
                }
                pair++;
            }
        }
    }
    return -1;
}

/* Rows about actions: bags, sequences of two, one-hot by time. Returns 0 for other names. */
static inline int32_t twin_of_actions(const space *s, const char *name, const int32_t *walk,
                                      double *row) {
    const int32_t n = s->model->n_action;
    const int32_t horizon = s->policies->horizon;
    const bool bag = strcmp(name, "boa") == 0;
    const bool set = strcmp(name, "boa-set") == 0;
    const bool pairs = strcmp(name, "ngram") == 0;
    const bool timed = strcmp(name, "timed") == 0;
    const int32_t n_column = bag || set ? n : pairs ? n * n : timed ? horizon * n : 0;
    for (int32_t j = 0; j < n_column; j++) {
        row[j] = 0.0;
    }
    for (int32_t t = 1; n_column > 0 && t <= horizon; t++) {
        const int32_t here = pair_at(s, walk, t);
        const bool last = t == horizon;
        if (bag || set) {
            row[here] = set ? 1.0 : row[here] + 1.0;
        } else if (timed) {
            row[(t - 1) * n + here] = 1.0;
        } else if (!last) {
            row[here * n + pair_at(s, walk, t + 1)] += 1.0;
        }
    }
    return n_column;
}

/* How often each edge is reached from the start, where actions that are not valid mean staying. */
static inline int32_t twin_of_states(const space *s, const int32_t *walk, double *row) {
    int32_t edge = s->graph->start;
    for (int32_t e = 0; e < s->graph->n_edge; e++) {
        row[e] = 0.0;
    }
    for (int32_t t = 1; t <= s->policies->horizon; t++) {
        edge = edge == walk[t - 1] ? walk[t] : s->graph->self[s->graph->head[edge]];
        row[edge] += 1.0;
    }
    return s->graph->n_edge;
}

/* What each step is worth: minus its part of G. */
static inline int32_t twin_of_values(const space *s, const int32_t *walk, double *row) {
    sonde_efe steps[32];
    sonde_efe total;
    assert_true(s->policies->horizon <= 32);
    walk_efe(s->model, s->graph->start, walk, steps, NULL, &total);
    for (int32_t t = 0; t < s->policies->horizon; t++) {
        row[t] = 0.0 - steps[t].efe;
    }
    return s->policies->horizon;
}

/* 1 for each of the first two pairs of edges and, from the last on, of the last two. */
static inline int32_t twin_of_ends(const space *s, const int32_t *walk, double *row) {
    const int32_t n = s->model->n_action;
    const int32_t horizon = s->policies->horizon;
    const int32_t n_end = horizon < 2 ? horizon : 2;
    for (int32_t j = 0; j < 2 * n_end * n; j++) {
        row[j] = 0.0;
    }
    for (int32_t i = 0; i < n_end; i++) {
        row[i * n + pair_at(s, walk, i + 1)] = 1.0;
        row[(n_end + i) * n + pair_at(s, walk, horizon - i)] = 1.0;
    }
    return 2 * n_end * n;
}

/* How often each node is come to. */
static inline int32_t twin_of_nodes(const space *s, const int32_t *walk, double *row) {
    for (int32_t v = 0; v < s->graph->n_node; v++) {
        row[v] = 0.0;
        for (int32_t t = 0; t <= s->policies->horizon; t++) {
            row[v] += s->graph->head[walk[t]] == v ? 1.0 : 0.0;
        }
    }
    return s->graph->n_node;
}

/* The row of a walk, by the definitions; for edm the indicators of nodes and edges, which are
 * equal if and only if the rows of distances are, and for walk2vec how often each node occurs.
 * Returns the number of columns. */
static inline int32_t twin_row(const space *s, const char *name, const int32_t *walk, double *row) {
    const int32_t n_edge = s->graph->n_edge;
    const int32_t n_of_actions = twin_of_actions(s, name, walk, row);
    if (n_of_actions > 0) {
        return n_of_actions;
    }
    if (strcmp(name, "occupancy") == 0) {
        return twin_of_states(s, walk, row);
    }
    if (strcmp(name, "value") == 0) {
        return twin_of_values(s, walk, row);
    }
    if (strcmp(name, "ends") == 0) {
        return twin_of_ends(s, walk, row);
    }
    if (strcmp(name, "walk2vec") == 0) {
        return twin_of_nodes(s, walk, row);
    }
    const bool counts =
        strcmp(name, "boe") == 0 || strcmp(name, "aboe") == 0 || strcmp(name, "aboe-onehot") == 0;
    for (int32_t e = 0; e < n_edge; e++) {
        const int32_t n = times_on(s, walk, e);
        row[e] = counts ? (double)n : n > 0 ? 1.0 : 0.0;
    }
    if (strcmp(name, "aboe") == 0) {
        row[n_edge] = (double)end_of(s, walk);
        return n_edge + 1;
    }
    if (strcmp(name, "aboe-edges") == 0) {
        row[n_edge] = (double)walk[0];
        row[n_edge + 1] = (double)walk[1];
        return n_edge + 2;
    }
    const bool onehot = strcmp(name, "aboe-onehot") == 0;
    if (onehot || strcmp(name, "edm") == 0) {
        for (int32_t v = 0; v < s->graph->n_node; v++) {
            const bool there = onehot ? end_of(s, walk) == v : touches(s, walk, v);
            row[n_edge + v] = there ? (onehot ? (double)s->policies->horizon : 1.0) : 0.0;
        }
        return n_edge + s->graph->n_node;
    }
    return n_edge;
}

/* |V_i ^ V_j| + |E_i ^ E_j|, from the indicators of nodes and edges. */
static inline double edit_distance(const double *x, const double *y, int32_t n) {
    double sum = 0.0;
    for (int32_t j = 0; j < n; j++) {
        sum += (x[j] > 0.0) != (y[j] > 0.0) ? 1.0 : 0.0;
    }
    return sum;
}

/* The plain N x N matrix over all global policies. */
static inline double *plain_matrix(const space *s, int32_t *n) {
    int32_t *walk = all_walks(s, SONDE_EVERYWHERE, n);
    const int32_t most = most_columns(s);
    double *mark = room((uint64_t)*n * (uint64_t)most, sizeof *mark);
    int32_t n_mark = 0;
    for (int32_t i = 0; i < *n; i++) {
        n_mark = twin_row(s, "edm", walk + (int64_t)i * (s->policies->horizon + 1),
                          mark + (int64_t)i * most);
    }
    double *matrix = room((uint64_t)*n * (uint64_t)*n, sizeof *matrix);
    for (int32_t i = 0; i < *n; i++) {
        for (int32_t j = 0; j < *n; j++) {
            matrix[(int64_t)i * *n + j] =
                edit_distance(mark + (int64_t)i * most, mark + (int64_t)j * most, n_mark);
        }
    }
    free(mark);
    free(walk);
    return matrix;
}

/* Every global policy's row is what its twin says. */
static inline void assert_rows_are_twins(const space *s, const char *name) {
    const sonde_embed_settings settings = embedding_called(name);
    sonde_embedder *embedder = NULL;
    assert_int_equal(sonde_embedder_new(s->policies, &settings, NULL, &embedder, NULL), SONDE_OK);
    int32_t n = 0;
    int32_t *walk = all_walks(s, SONDE_EVERYWHERE, &n);
    double *row = room((uint64_t)embedder->n_column, sizeof *row);
    const int32_t n_action = s->model->n_action;
    const uint64_t n_pair = (uint64_t)n_action * (uint64_t)n_action;
    double *twin = room((uint64_t)most_columns(s) + n_pair, sizeof *twin);
    for (int32_t i = 0; i < n; i++) {
        const int32_t *here = walk + (int64_t)i * (s->policies->horizon + 1);
        assert_int_equal(sonde_embedder_row(embedder, here, row, NULL), SONDE_OK);
        assert_int_equal(twin_row(s, name, here, twin), embedder->n_column);
        assert_memory_equal(row, twin, (size_t)embedder->n_column * sizeof *row);
    }
    assert_near(embedder->n_column_nominal, (double)embedder->n_column, 0.0);
    assert_null(embedder->basis);
    free(twin);
    free(row);
    free(walk);
    sonde_embedder_free(embedder);
}

/* The same on a few worlds, the smallest included. */
static inline void assert_rows_are_twins_everywhere(const char *name) {
    for (int32_t n = 1; n <= 4; n++) {
        for (uint64_t seed = 0; seed < 3; seed++) {
            space s = space_random(n, seed, seed % 2 == 0 ? SONDE_SYMMETRIC : SONDE_DIRECTED);
            assert_rows_are_twins(&s, name);
            space_free(&s);
        }
    }
}

#endif
