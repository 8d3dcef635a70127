/* dense.h: the generative model of a graph world with every matrix written out, and what follows
 * from it by the formulas alone. Slow, and plainly right: the twin of everything that is clever. */
#ifndef TESTS_DENSE_H
#define TESTS_DENSE_H

#include "worlds.h"

#define DENSE_FLOOR 1e-16

typedef struct {
    int32_t n_state;
    int32_t n_action;
    double lambda;
    double *a;    /* (n_state, n_state) A[o, s] */
    double *b;    /* (n_action, n_state, n_state) B[u][s', s] */
    double *c;    /* (n_state) C[o], a probability */
    double *d;    /* (n_state) D[s] */
    double *cost; /* (n_state) weight of each edge */
} dense;

/* Edges as pairs of nodes, actions as pairs of edges, in the order of the graph. */
static inline dense dense_new(const sonde_graph *graph) {
    const int32_t n = graph->n_edge;
    dense m = {.n_state = n, .lambda = graph->lambda};
    for (int32_t e = 0; e < n; e++) {
        for (int32_t f = 0; f < n; f++) {
            m.n_action += graph->head[e] == graph->tail[f];
        }
    }
    const uint64_t square = (uint64_t)n * (uint64_t)n;
    m.a = room(square, sizeof *m.a);
    m.b = room((uint64_t)m.n_action * square, sizeof *m.b);
    m.c = room((uint64_t)n, sizeof *m.c);
    m.d = room((uint64_t)n, sizeof *m.d);
    m.cost = room((uint64_t)n, sizeof *m.cost);
    double *matrix = m.b;
    int32_t n_goal = 0;
    for (int32_t e = 0; e < n; e++) {
        m.a[(int64_t)e * n + e] = 1.0;
        m.d[e] = e == graph->start ? 1.0 : 0.0;
        m.cost[e] = graph->weight[e];
        n_goal += graph->head[e] == graph->destination;
        for (int32_t f = 0; f < n; f++) {
            if (graph->head[e] != graph->tail[f]) {
                continue;
            }
            /* e => f: to f from e, and to the self-edge of where one is from anywhere else */
            for (int32_t s = 0; s < n; s++) {
                for (int32_t to = 0; to < n; to++) {
                    const bool stays =
                        graph->tail[to] == graph->head[s] && graph->head[to] == graph->head[s];
                    matrix[(int64_t)to * n + s] = (s == e ? to == f : stays) ? 1.0 : 0.0;
                }
            }
            matrix += square;
        }
    }
    for (int32_t e = 0; e < n; e++) {
        m.c[e] = graph->head[e] == graph->destination ? 1.0 / n_goal : 0.0;
    }
    return m;
}

static inline void dense_free(dense *m) {
    free(m->a);
    free(m->b);
    free(m->c);
    free(m->d);
    free(m->cost);
}

/* The number of the action e => f, or -1. */
static inline int32_t dense_action(const sonde_graph *graph, int32_t from, int32_t to) {
    int32_t number = 0;
    for (int32_t e = 0; e < graph->n_edge; e++) {
        for (int32_t f = 0; f < graph->n_edge; f++) {
            if (graph->head[e] == graph->tail[f]) {
                if (e == from && f == to) {
                    return number;
                }
                number++;
            }
        }
    }
    return -1;
}

static inline double dense_log(double x) {
    return log(x > DENSE_FLOOR ? x : DENSE_FLOOR);
}

/* next = matrix * q, both (n). */
static inline void dense_multiply(int32_t n, const double *matrix, const double *q, double *next) {
    for (int32_t i = 0; i < n; i++) {
        next[i] = 0.0;
        for (int32_t j = 0; j < n; j++) {
            next[i] += matrix[(int64_t)i * n + j] * q[j];
        }
    }
}

static inline const double *dense_b(const dense *m, int32_t action) {
    return m->b + (int64_t)action * m->n_state * m->n_state;
}

/* q proportional to exp( ln A[o, :] + ln prior ). */
static inline void dense_observe(const dense *m, int32_t outcome, const double *prior, double *q) {
    double sum = 0.0;
    for (int32_t s = 0; s < m->n_state; s++) {
        q[s] = exp(dense_log(m->a[(int64_t)outcome * m->n_state + s]) + dense_log(prior[s]));
        sum += q[s];
    }
    for (int32_t s = 0; s < m->n_state; s++) {
        q[s] /= sum;
    }
}

/* risk, ambiguity and cost of the belief q. */
static inline sonde_efe dense_term(const dense *m, const double *q) {
    const int32_t n = m->n_state;
    sonde_efe term = {0};
    double *outcome = room((uint64_t)n, sizeof *outcome);
    dense_multiply(n, m->a, q, outcome);
    for (int32_t o = 0; o < n; o++) {
        term.term[SONDE_RISK] += outcome[o] * (dense_log(outcome[o]) - dense_log(m->c[o]));
        term.term[SONDE_COST] += m->lambda * m->cost[o] * outcome[o];
    }
    for (int32_t s = 0; s < n; s++) {
        double entropy = 0.0;
        for (int32_t o = 0; o < n; o++) {
            const double p = m->a[(int64_t)o * n + s];
            entropy -= p * dense_log(p);
        }
        term.term[SONDE_AMBIGUITY] += q[s] * entropy;
    }
    term.efe = term.term[SONDE_RISK] + term.term[SONDE_AMBIGUITY] + term.term[SONDE_COST];
    free(outcome);
    return term;
}

/* The T terms of a walk carried out from a belief, and their sums. */
static inline sonde_efe dense_efe(const dense *m, const sonde_graph *graph, const double *belief,
                                  const int32_t *walk, sonde_efe *steps) {
    const uint64_t n = (uint64_t)m->n_state;
    double *q = room(n, sizeof *q);
    double *next = room(n, sizeof *next);
    memcpy(q, belief, n * sizeof *q);
    sonde_efe total = {0};
    for (int32_t t = 1; t <= graph->horizon; t++) {
        const int32_t action = dense_action(graph, walk[t - 1], walk[t]);
        assert_true(action >= 0);
        dense_multiply(m->n_state, dense_b(m, action), q, next);
        memcpy(q, next, n * sizeof *q);
        const sonde_efe term = dense_term(m, q);
        total.efe += term.efe;
        total.term[SONDE_RISK] += term.term[SONDE_RISK];
        total.term[SONDE_AMBIGUITY] += term.term[SONDE_AMBIGUITY];
        total.term[SONDE_COST] += term.term[SONDE_COST];
        if (steps != NULL) {
            steps[t - 1] = term;
        }
    }
    free(q);
    free(next);
    return total;
}

#endif
