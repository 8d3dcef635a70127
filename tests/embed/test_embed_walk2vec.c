/* Vectors of nodes: against skip-gram with negative sampling written down plainly; near nodes,
 * near vectors; the same bytes however they are come by. */
#include <math.h>

#include "embed/embed.h"
#include "base/rng.h"
#include "embed/twins.h"

/* What docs/math.md says, with matrices and libm, and without thought of order in memory. */
enum { ROUNDS = 40, STEPS = 20, REACH = 2, OTHERS = 5, MOST_NODES = 16, MOST_NUMBERS = 16 };
typedef struct {
    double x[MOST_NODES][MOST_NUMBERS];
    double y[MOST_NODES][MOST_NUMBERS];
} vectors;

static void nudge(double *x, double *y, int32_t d, double met, double rate, double *change) {
    double product = 0.0;
    for (int32_t j = 0; j < d; j++) {
        product += x[j] * y[j];
    }
    const double step = rate * (met - 1.0 / (1.0 + exp(-product)));
    for (int32_t j = 0; j < d; j++) {
        change[j] += step * y[j];
        y[j] += step * x[j];
    }
}

static int32_t any_other_edge(const sonde_graph *graph, sonde__rng *rng, int32_t node) {
    int32_t edge[MOST_NODES];
    int32_t n = 0;
    for (int32_t e = 0; e < graph->n_edge; e++) {
        if (graph->tail[e] == node && graph->head[e] != node) {
            edge[n++] = e;
        }
    }
    return n > 0 ? edge[sonde__rng_below(rng, (uint64_t)n)] : -1;
}

static void learn_plainly(const sonde_graph *graph, int32_t d, uint64_t seed, vectors *v) {
    sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_EMBEDDING, 0);
    *v = (vectors){0};
    for (int32_t a = 0; a < graph->n_node; a++) {
        for (int32_t j = 0; j < d; j++) {
            v->x[a][j] = (sonde__rng_uniform(&rng) - 0.5) / d;
        }
    }
    for (int32_t walk = 0; walk < ROUNDS * graph->n_node; walk++) {
        const double rate = 0.1 * (1.0 - (double)(walk / graph->n_node) / ROUNDS);
        int32_t at[STEPS + 1] = {walk % graph->n_node};
        int32_t n = 1;
        for (int32_t e = 0; n <= STEPS && (e = any_other_edge(graph, &rng, at[n - 1])) >= 0; n++) {
            at[n] = graph->head[e];
        }
        for (int32_t i = 0; i < n; i++) {
            for (int32_t j = 0; j < n; j++) {
                if (j == i || j < i - REACH || j > i + REACH) {
                    continue;
                }
                double change[MOST_NUMBERS] = {0};
                nudge(v->x[at[i]], v->y[at[j]], d, 1.0, rate, change);
                for (int32_t o = 0; o < OTHERS; o++) {
                    const uint64_t other = sonde__rng_below(&rng, (uint64_t)graph->n_node);
                    if ((int32_t)other != at[j]) {
                        nudge(v->x[at[i]], v->y[other], d, 0.0, rate, change);
                    }
                }
                for (int32_t k = 0; k < d; k++) {
                    v->x[at[i]][k] += change[k];
                }
            }
        }
    }
}

static void rows_are_means_of_vectors_that_are_learned_as_they_should_be(void **state) {
    (void)state;
    for (int32_t n_node = 1; n_node <= 5; n_node++) {
        space s = space_random(n_node, (uint64_t)n_node, SONDE_DIRECTED);
        sonde_embed_settings settings = embedding_called("walk2vec");
        settings.n_dimension = n_node == 3 ? 0 : 2 * n_node;
        settings.seed = 40 + (uint64_t)n_node;
        embedded e = embed(&s, &settings, s.graph->start, NULL);
        const int32_t d = n_node == 3 ? 8 : 2 * n_node;
        static vectors v;
        learn_plainly(s.graph, d, settings.seed, &v);
        assert_int_equal(e.rows->n_column, d);
        assert_near(e.rows->n_column_nominal, (double)d, 0.0);
        int32_t n = 0;
        int32_t *walk = all_walks(&s, s.graph->start, &n);
        for (int32_t i = 0; i < n; i += 1 + n / 50) {
            for (int32_t j = 0; j < d; j++) {
                double mean = 0.0;
                for (int32_t t = 0; t <= s.policies->horizon; t++) {
                    const int32_t edge = walk[(int64_t)i * (s.policies->horizon + 1) + t];
                    mean += v.x[s.graph->head[edge]][j] / (double)(s.policies->horizon + 1);
                }
                assert_near(row_at(e.rows, i)[j], mean, 1e-9);
            }
        }
        free(walk);
        embedded_free(&e);
        space_free(&s);
    }
}

/* A world of n nodes in a ring, both ways round. */
static space ring(int32_t n) {
    static int32_t tail[64];
    static int32_t head[64];
    static double weight[64];
    for (int32_t i = 0; i < 2 * n; i++) {
        tail[i] = i / 2;
        head[i] = (i / 2 + (i % 2 == 0 ? 1 : n - 1)) % n;
        weight[i] = 5.0;
    }
    const sonde_graph edges = {
        .n_node = n, .n_edge = 2 * n, .tail = tail, .head = head, .weight = weight};
    return space_by_hand(&edges, "0,1", "6", 3);
}

/* Squared distance of the vectors of two nodes. */
static double apart(const sonde_embedder *embedder, int32_t a, int32_t b) {
    const int32_t n = embedder->n_code;
    double sum = 0.0;
    for (int32_t i = 0; i < embedder->n_column; i++) {
        const double d = embedder->basis[i * n + a] - embedder->basis[i * n + b];
        sum += d * d;
    }
    return sum;
}

static void near_nodes_have_near_vectors(void **state) {
    (void)state;
    enum { N = 14 };
    space s = ring(N);
    for (uint64_t seed = 0; seed < 20; seed++) {
        sonde_embed_settings settings = embedding_called("walk2vec");
        settings.seed = seed;
        sonde_embedder *embedder = NULL;
        assert_int_equal(sonde_embedder_new(s.policies, &settings, NULL, &embedder, NULL),
                         SONDE_OK);
        for (int32_t v = 0; v < N; v++) {
            /* the nearest two are the neighbours, and whoever is opposite is far away */
            const double left = apart(embedder, v, (v + N - 1) % N);
            const double right = apart(embedder, v, (v + 1) % N);
            for (int32_t i = 3; i <= N - 3; i++) {
                assert_true(left < apart(embedder, v, (v + i) % N));
                assert_true(right < apart(embedder, v, (v + i) % N));
            }
            assert_true(2.0 * left < apart(embedder, v, (v + N / 2) % N));
        }
        sonde_embedder_free(embedder);
    }
    space_free(&s);
}

static void seeds_threads_and_lists_of_policies_change_what_they_should(void **state) {
    (void)state;
    space s = space_random(5, 3, SONDE_SYMMETRIC);
    sonde_embed_settings settings = embedding_called("walk2vec");
    const size_t bytes = 8 * 5 * sizeof(double);
    sonde_embedder *embedder[4] = {0};
    for (int32_t i = 0; i < 4; i++) {
        const sonde_run run = threads(i + 1);
        settings.seed = i == 3 ? 2 : 1;
        settings.n_sample = i == 2 ? 7 : 0;
        assert_int_equal(sonde_embedder_new(s.policies, &settings, &run, &embedder[i], NULL),
                         SONDE_OK);
        assert_int_equal(embedder[i]->n_code, 5);
    }
    assert_memory_equal(embedder[0]->basis, embedder[1]->basis, bytes);
    assert_memory_equal(embedder[0]->basis, embedder[2]->basis, bytes);
    assert_memory_not_equal(embedder[0]->basis, embedder[3]->basis, bytes);
    for (int32_t i = 0; i < 4; i++) {
        sonde_embedder_free(embedder[i]);
    }
    space_free(&s);
}

/* the vectors as they are, whatever the machine: a hash of their bits that was written down */
static void vectors_have_the_bits_they_always_had(void **state) {
    (void)state;
    space s = ring(9);
    const sonde_embed_settings settings = embedding_called("walk2vec");
    sonde_embedder *embedder = NULL;
    assert_int_equal(sonde_embedder_new(s.policies, &settings, NULL, &embedder, NULL), SONDE_OK);
    uint64_t hash = UINT64_C(14695981039346656037);
    for (int32_t i = 0; i < embedder->n_column * embedder->n_code; i++) {
        uint64_t bits = 0;
        memcpy(&bits, &embedder->basis[i], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(1099511628211);
    }
    assert_int_equal(hash, UINT64_C(0x49ae5a6d7ec38d92));
    sonde_embedder_free(embedder);
    space_free(&s);
}

static void assert_refused(const sonde_policies *policies, int32_t n_dimension, const char *word) {
    sonde_embed_settings settings = embedding_called("walk2vec");
    settings.n_dimension = n_dimension;
    sonde_embedder *embedder = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_embedder_new(policies, &settings, NULL, &embedder, &error),
                     SONDE_BAD_ARGUMENT);
    assert_null(embedder);
    assert_says(error.text, word);
}

static void no_dimensions_or_too_many_are_refused(void **state) {
    (void)state;
    space s = space_random(3, 5, SONDE_SYMMETRIC);
    assert_refused(s.policies, -1, "dimension");
    assert_refused(s.policies, 1025, "1025");
    assert_refused(s.policies, INT32_MAX, "from 1 to 1024");
    space_free(&s);
}

static void learning_can_be_stopped(void **state) {
    (void)state;
    space s = space_random(5, 3, SONDE_SYMMETRIC);
    sonde_stop stop = {0};
    sonde_run run = threads(1);
    run.stop = &stop;
    sonde_stop_raise(&stop);
    const sonde_embed_settings settings = embedding_called("walk2vec");
    sonde_embedder *embedder = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_embedder_new(s.policies, &settings, &run, &embedder, &error),
                     SONDE_STOPPED);
    assert_null(embedder);
    assert_says(error.text, "walk2vec");
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_means_of_vectors_that_are_learned_as_they_should_be),
        cmocka_unit_test(near_nodes_have_near_vectors),
        cmocka_unit_test(seeds_threads_and_lists_of_policies_change_what_they_should),
        cmocka_unit_test(vectors_have_the_bits_they_always_had),
        cmocka_unit_test(no_dimensions_or_too_many_are_refused),
        cmocka_unit_test(learning_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
