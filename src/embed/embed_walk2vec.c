/* embed_walk2vec.c: nodes as vectors learned from random walks, and a policy as the mean of its
 * nodes'.
 *
 * Skip-gram with negative sampling (docs/math.md, "Vectors of nodes"): nodes that are met close to
 * each other on random walks come to have vectors x with a large product x . y, where y are second
 * vectors, of nodes as neighbours, which are forgotten afterwards. A policy's code counts the
 * nodes that its edges end on, and the basis holds the vectors, so that the row is their mean.
 *
 * Learning goes through all walks in order, on one thread and with our own exponential: the
 * vectors depend on graph, dimension and seed alone. It costs N_ROUND N_STEP 2 WINDOW (1 +
 * N_OTHER) updates a node. */
#include "base/memory.h"
#include "base/numbers.h"
#include "base/status.h"
#include "base/rng.h"
#include "embed/embed.h"

enum { N_ROUND = 40, N_STEP = 20, WINDOW = 2, N_OTHER = 5, DIMENSION = 8 };
/* how much of an error is made good at first; it falls evenly to nothing */
#define RATE 0.1

/* what is learned */
typedef struct {
    const sonde_graph *graph;
    int32_t n_node;
    int32_t n;      /* numbers in a vector */
    double *x;      /* (n_node, n) */
    double *y;      /* (n_node, n) as neighbours */
    double *change; /* (n) of the present x */
    sonde__rng rng;
} lesson;

uint64_t sonde__walk2vec_n_code(const sonde_policies *policies,
                                const sonde_embed_settings *settings) {
    (void)settings;
    return (uint64_t)policies->model->graph->n_node;
}

int32_t sonde__walk2vec_n_basis(const sonde_embed_settings *settings) {
    return settings->n_dimension > 0 ? settings->n_dimension : DIMENSION;
}

void sonde__walk2vec_code(const sonde_embedder *embedder, const int32_t *walk, double *code) {
    const int32_t *head = embedder->policies->model->graph->head;
    for (int32_t t = 0; t <= embedder->policies->horizon; t++) {
        code[head[walk[t]]] += 1.0;
    }
}

/* A walk from a node on, over edges that lead elsewhere, any as likely as another; returns how
 * many nodes it has, fewer than wanted where it cannot go on. */
static int32_t wander(lesson *l, int32_t node, int32_t *walk) {
    const sonde_graph *graph = l->graph;
    walk[0] = node;
    for (int32_t i = 1; i <= N_STEP; i++) {
        const int32_t n_out = graph->first[node + 1] - graph->first[node];
        if (n_out < 2) {
            return i;
        }
        /* the self-edge is passed over */
        int32_t edge = graph->first[node] + (int32_t)sonde__rng_below(&l->rng, (uint64_t)n_out - 1);
        edge += edge >= graph->self[node] ? 1 : 0;
        node = graph->head[edge];
        walk[i] = node;
    }
    return N_STEP + 1;
}

/* Moves y towards x if the two nodes were met together, and away if not; notes the change of x. */
static void learn(const lesson *l, const double *x, double *y, double met, double rate) {
    double product = 0.0;
    for (int32_t j = 0; j < l->n; j++) {
        product += x[j] * y[j];
    }
    const double step = rate * (met - 1.0 / (1.0 + sonde__exp(0.0 - product)));
    for (int32_t j = 0; j < l->n; j++) {
        l->change[j] += step * y[j];
        y[j] += step * x[j];
    }
}

/* One node and one of its neighbours on a walk, and as many others as chance picks. */
static void learn_pair(lesson *l, int32_t node, int32_t neighbour, double rate) {
    const int64_t n = l->n;
    double *x = l->x + node * n;
    for (int32_t j = 0; j < l->n; j++) {
        l->change[j] = 0.0;
    }
    learn(l, x, l->y + neighbour * n, 1.0, rate);
    for (int32_t i = 0; i < N_OTHER; i++) {
        const int64_t other = (int64_t)sonde__rng_below(&l->rng, (uint64_t)l->n_node);
        if (other != neighbour) {
            learn(l, x, l->y + other * n, 0.0, rate);
        }
    }
    for (int32_t j = 0; j < l->n; j++) {
        x[j] += l->change[j];
    }
}

static void learn_walk(lesson *l, const int32_t *walk, int32_t n_walk, double rate) {
    for (int32_t i = 0; i < n_walk; i++) {
        for (int32_t j = i - WINDOW; j <= i + WINDOW; j++) {
            if (j >= 0 && j < n_walk && j != i) {
                learn_pair(l, walk[i], walk[j], rate);
            }
        }
    }
}

/* All walks from all nodes; false if it was stopped. */
static bool learn_all(lesson *l, const sonde_run *run) {
    int32_t walk[N_STEP + 1];
    const int64_t n_number = (int64_t)l->n_node * l->n;
    for (int64_t i = 0; i < n_number; i++) {
        l->x[i] = (sonde__rng_uniform(&l->rng) - 0.5) / (double)l->n;
    }
    for (int32_t round = 0; round < N_ROUND; round++) {
        const double rate = RATE * (1.0 - (double)round / (double)N_ROUND);
        for (int32_t v = 0; v < l->n_node; v++) {
            if (sonde__stopped(run)) {
                return false;
            }
            learn_walk(l, walk, wander(l, v, walk), rate);
        }
    }
    return true;
}

static void carve(sonde__arena *arena, lesson *l) {
    const uint64_t n_number = (uint64_t)l->n_node * (uint64_t)l->n;
    l->x = SONDE__TAKE(arena, double, n_number);
    l->y = SONDE__TAKE(arena, double, n_number);
    l->change = SONDE__TAKE(arena, double, l->n);
}

sonde_status sonde__walk2vec_basis(const sonde_policies *policies,
                                   const sonde_embed_settings *settings, const sonde_run *run,
                                   double *basis, sonde_error *error) {
    lesson l = {.graph = policies->model->graph,
                .n_node = policies->model->graph->n_node,
                .n = sonde__walk2vec_n_basis(settings),
                .rng = sonde__rng_stream(settings->seed, SONDE__FOR_EMBEDDING, 0)};
    sonde__arena arena = {0};
    carve(&arena, &l);
    const sonde_status fits =
        sonde__arena_claim(&arena, run, "walk2vec",
                           "choose fewer dimensions or another embedding, or allow more", error);
    if (fits != SONDE_OK) {
        return fits;
    }
    carve(&arena, &l);
    const bool learned = learn_all(&l, run);
    const double n_place = (double)policies->horizon + 1.0;
    for (int32_t i = 0; learned && i < l.n; i++) {
        for (int32_t v = 0; v < l.n_node; v++) {
            basis[(int64_t)i * l.n_node + v] = l.x[(int64_t)v * l.n + i] / n_place;
        }
    }
    sonde__arena_free(&arena);
    return learned ? SONDE_OK
                   : sonde__fail(error, SONDE_STOPPED, "walk2vec: %s",
                                 sonde_status_sentence(SONDE_STOPPED));
}
