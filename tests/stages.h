/* stages.h: from a world to its policies, rows and clusters in one call, for the later stages. */
#ifndef TESTS_STAGES_H
#define TESTS_STAGES_H

#include <stdio.h>

#include "efe/efe.h"
#include "worlds.h"

/* -------------------------------------------------------------------------------- the space -- */

static inline space space_random(int32_t n, uint64_t seed, sonde_connect connect) {
    return space_new(world(n, seed, connect));
}

/* A world by hand: `start` and `destination` as in sonde_graph_settings, `horizon` 0 for n_node. */
static inline space space_by_hand(const sonde_graph *edges, const char *start,
                                  const char *destination, int32_t horizon) {
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.start = start;
    settings.destination = destination;
    settings.horizon = horizon;
    sonde_graph *graph = NULL;
    assert_int_equal(sonde_graph_from_edges(edges, &settings, 1, &graph, NULL), SONDE_OK);
    return space_new(graph);
}

/* All walks of an origin, (n, T + 1), in policy order. */
static inline int32_t *all_walks(const space *s, int32_t origin, int32_t *n) {
    const int32_t n_edge = s->policies->horizon + 1;
    *n = (int32_t)sonde_policies_size(s->policies, origin);
    int32_t *walk = room((uint64_t)*n * (uint64_t)n_edge, sizeof *walk);
    for (int32_t i = 0; i < *n; i++) {
        sonde_policies_get(s->policies, origin, (uint64_t)i, walk + (int64_t)i * n_edge, NULL);
    }
    return walk;
}

/* G of every policy of an origin from `state`, one by one. */
static inline double *all_efe(const space *s, int32_t origin, int32_t state, int32_t *n) {
    int32_t *walk = all_walks(s, origin, n);
    double *efe = room((uint64_t)*n, sizeof *efe);
    for (int32_t i = 0; i < *n; i++) {
        sonde_efe total;
        walk_efe(s->model, state, walk + (int64_t)i * (s->policies->horizon + 1), NULL, NULL,
                 &total);
        efe[i] = total.efe;
    }
    free(walk);
    return efe;
}

/* --------------------------------------------------------------------------------- the rows -- */

static inline sonde_embed_settings embedding_called(const char *name) {
    sonde_embed_settings settings = sonde_search_defaults().embed;
    settings.kind = sonde_name_find(sonde_embedding_name, name);
    assert_true(settings.kind >= 0);
    return settings;
}

/* How many searches there are. */
static inline int32_t n_search(void) {
    int32_t n = 0;
    while (sonde_search_name(n) != NULL) {
        n++;
    }
    return n;
}

/* How many embeddings there are. */
static inline int32_t n_kind(void) {
    int32_t n = 0;
    while (sonde_embedding_name(n) != NULL) {
        n++;
    }
    return n;
}

/* How many of them, from the first on, every test can do: all but ngram, the last of the table,
 * whose rows have a number for each pair of actions, thousands in a graph world. It has tests of
 * its own. */
static inline int32_t n_embedding(void) {
    assert_string_equal(sonde_embedding_name(n_kind() - 1), "ngram");
    return n_kind() - 1;
}

/* Whether an embedding can be searched in a scope: occupancy and value are about where the agent
 * is, which is no global matter. */
static inline bool fits(int32_t kind, sonde_scope scope) {
    const char *name = sonde_embedding_name(kind);
    return scope == SONDE_LOCAL || (strcmp(name, "occupancy") != 0 && strcmp(name, "value") != 0);
}

static inline sonde_run threads(int32_t n) {
    sonde_run run = sonde_run_defaults();
    run.n_thread = n;
    return run;
}

/* The embedded policies of one origin. */
typedef struct {
    sonde_embedder *embedder;
    sonde_embedding *rows;
} embedded;

static inline embedded embed(const space *s, const sonde_embed_settings *settings, int32_t origin,
                             const sonde_run *run) {
    embedded e = {0};
    assert_int_equal(sonde_embedder_new(s->policies, settings, run, &e.embedder, NULL), SONDE_OK);
    assert_int_equal(sonde_embedding_new(e.embedder, origin, run, &e.rows, NULL), SONDE_OK);
    return e;
}

static inline embedded embed_as(const space *s, const char *name, int32_t origin) {
    const sonde_embed_settings settings = embedding_called(name);
    return embed(s, &settings, origin, NULL);
}

static inline void embedded_free(embedded *e) {
    sonde_embedding_free(e->rows);
    sonde_embedder_free(e->embedder);
    *e = (embedded){0};
}

/* The row of policy i; it holds until four more have been asked for. */
static inline const double *row_at(const sonde_embedding *rows, int32_t i) {
    enum { N_KEPT = 4, N_COLUMN = 4096 };
    static double kept[N_KEPT][N_COLUMN];
    static int next;
    assert_true(rows->n_column <= N_COLUMN);
    next = (next + 1) % N_KEPT;
    sonde_embedding_row(rows, rows->row_of[i], kept[next]);
    return kept[next];
}

static inline double squared(const double *x, const double *y, int32_t n) {
    double sum = 0.0;
    for (int32_t j = 0; j < n; j++) {
        sum += (x[j] - y[j]) * (x[j] - y[j]);
    }
    return sum;
}

/* ------------------------------------------------------------------------------- the agent -- */

/* An agent on its start, and what it decides there. */
typedef struct {
    sonde_agent *agent;
    const sonde_decision *decision;
} thought;

static inline sonde_agent *agent_of(const space *s, const sonde_search_settings *settings,
                                    const sonde_run *run) {
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    if (sonde_agent_new(s->policies, settings, run, &agent, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return agent;
}

static inline thought think(const space *s, const sonde_search_settings *settings,
                            const sonde_run *run) {
    thought t = {.agent = agent_of(s, settings, run)};
    sonde_agent_observe(t.agent, &s->graph->start, NULL);
    assert_int_equal(sonde_agent_search(t.agent, &t.decision, NULL), SONDE_OK);
    return t;
}

static inline void thought_free(thought *t) {
    sonde_agent_free(t->agent);
    *t = (thought){0};
}

static inline void assert_same_bytes(const void *a, const void *b, size_t n, size_t size) {
    if (n > 0) {
        assert_memory_equal(a, b, n * size);
    }
}

static inline void assert_same_evaluations(const sonde_evaluations *a, const sonde_evaluations *b) {
    assert_int_equal(a->n_policy, b->n_policy);
    assert_int_equal(a->n_step, b->n_step);
    assert_int_equal(a->n_setup_step, b->n_setup_step);
    assert_same_bytes(&a->equivalent, &b->equivalent, 1, sizeof(double));
}

static inline void assert_same_clusters(const sonde_clusters *a, const sonde_clusters *b) {
    assert_int_equal(a->k, b->k);
    assert_int_equal(a->k_asked, b->k_asked);
    assert_int_equal(a->n_policy, b->n_policy);
    assert_int_equal(a->n_column, b->n_column);
    assert_int_equal(a->n_round, b->n_round);
    const size_t k = (size_t)a->k;
    const size_t n = (size_t)a->n_policy;
    assert_same_bytes(&a->inertia, &b->inertia, 1, sizeof(double));
    assert_same_bytes(a->center, b->center, k * (size_t)a->n_column, sizeof(double));
    assert_same_bytes(a->representative, b->representative, k, sizeof(int32_t));
    assert_same_bytes(a->label, b->label, n, sizeof(int32_t));
    assert_same_bytes(a->offset, b->offset, k + 1, sizeof(int32_t));
    assert_same_bytes(a->member, b->member, n, sizeof(int32_t));
}

/* The same bytes in everything but the time it took. */
static inline void assert_same_decision(const sonde_decision *a, const sonde_decision *b,
                                        int32_t horizon) {
    assert_int_equal(a->state, b->state);
    assert_int_equal(a->origin, b->origin);
    assert_int_equal(a->n_action, b->n_action);
    assert_int_equal(a->n_to, b->n_to);
    const size_t n = (size_t)a->n_action;
    const size_t n_to = (size_t)a->n_to;
    assert_same_bytes(a->action, b->action, n, sizeof(int32_t));
    assert_same_bytes(a->posterior, b->posterior, n, sizeof(double));
    assert_same_bytes(a->probability, b->probability, n, sizeof(double));
    assert_same_bytes(a->to, b->to, n_to, sizeof(int32_t));
    assert_same_bytes(a->to_posterior, b->to_posterior, n_to, sizeof(double));
    assert_int_equal(a->best, b->best);
    assert_same_bytes(a->best_walk, b->best_walk, (size_t)horizon + 1, sizeof(int32_t));
    assert_same_bytes(&a->best_efe, &b->best_efe, 1, sizeof(sonde_efe));
    assert_int_equal(a->drawn, b->drawn);
    assert_same_bytes(&a->log_evidence, &b->log_evidence, 1, sizeof(double));
    assert_same_evaluations(&a->evaluations, &b->evaluations);
    assert_int_equal(a->clusters != NULL, b->clusters != NULL);
    if (a->clusters != NULL) {
        const size_t k = (size_t)a->clusters->k;
        assert_same_clusters(a->clusters, b->clusters);
        assert_int_equal(a->probe_origin, b->probe_origin);
        assert_same_bytes(a->cluster_efe, b->cluster_efe, k, sizeof(double));
        assert_same_bytes(a->chosen, b->chosen, k, sizeof(bool));
    }
}

/* The same bytes in everything but the time it took. */
static inline void assert_same_episode(const sonde_episode *a, const sonde_episode *b) {
    assert_int_equal(a->n_step, b->n_step);
    assert_int_equal(a->n_state, b->n_state);
    assert_int_equal(a->optimal, b->optimal);
    assert_int_equal(a->failure, b->failure);
    assert_int_equal(a->reached, b->reached);
    assert_int_equal(a->k, b->k);
    assert_int_equal(a->n_valid, b->n_valid);
    assert_same_bytes(&a->walked, &b->walked, 1, sizeof(double));
    assert_same_bytes(&a->shortest, &b->shortest, 1, sizeof(double));
    const size_t n = (size_t)a->n_step;
    assert_same_bytes(a->state, b->state, n + 1, sizeof(int32_t));
    assert_same_bytes(a->action, b->action, n, sizeof(int32_t));
    assert_same_bytes(a->belief, b->belief, n * (size_t)a->n_state, sizeof(double));
    assert_same_bytes(a->p, b->p, n, sizeof(double));
    for (size_t t = 0; t < n; t++) {
        assert_same_evaluations(&a->evaluations[t], &b->evaluations[t]);
    }
}

/* -------------------------------------------------------------------------------- chance -- */

/* Fails where counts are less likely than about one in a million under their expectations: Wilson
 * and Hilferty's approximation of chi square, at 4.75 standard deviations. Cells that expect fewer
 * than five are put together. */
static inline void assert_drawn_from(int32_t n_cell, const int64_t *count, const double *expected) {
    double statistic = 0.0;
    double rest_count = 0.0;
    double rest_expected = 0.0;
    int32_t n_kept = 0;
    for (int32_t i = 0; i < n_cell; i++) {
        if (expected[i] < 5.0) {
            rest_count += (double)count[i];
            rest_expected += expected[i];
        } else {
            statistic +=
                ((double)count[i] - expected[i]) * ((double)count[i] - expected[i]) / expected[i];
            n_kept++;
        }
    }
    if (rest_expected >= 5.0) {
        statistic += (rest_count - rest_expected) * (rest_count - rest_expected) / rest_expected;
        n_kept++;
    } else if (rest_count > 30.0) {
        fail_msg("%g draws where %g were expected", rest_count, rest_expected);
    }
    if (n_kept < 2) {
        return;
    }
    const double degrees = (double)n_kept - 1.0;
    const double spread = 2.0 / (9.0 * degrees);
    const double limit = degrees * pow(1.0 - spread + 4.75 * sqrt(spread), 3.0);
    if (statistic > limit) {
        fail_msg("chi square %g with %g degrees of freedom, at most %g expected", statistic,
                 degrees, limit);
    }
}

#endif
