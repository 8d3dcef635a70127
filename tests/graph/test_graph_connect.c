/* Connecting a drawn graph: with random edges, and with no more of them than it takes. */
#include "graph/graph_internal.h"
#include "base/rng.h"
#include "worlds.h"

enum { N_MAX = 12 };

/* who reaches whom, itself included */
typedef struct {
    int32_t n;
    bool to[N_MAX][N_MAX];
} reach;

static reach reach_of(int32_t n, const sonde__pairs *pairs, int32_t n_pair, bool both_ways) {
    reach r = {.n = n};
    for (int32_t v = 0; v < n; v++) {
        r.to[v][v] = true;
    }
    for (int32_t e = 0; e < n_pair; e++) {
        r.to[pairs->tail[e]][pairs->head[e]] = true;
        r.to[pairs->head[e]][pairs->tail[e]] |= both_ways;
    }
    for (int32_t via = 0; via < n; via++) {
        for (int32_t a = 0; a < n; a++) {
            for (int32_t b = 0; b < n; b++) {
                r.to[a][b] |= r.to[a][via] && r.to[via][b];
            }
        }
    }
    return r;
}

static bool is_complete(const reach *r) {
    for (int32_t a = 0; a < r->n; a++) {
        for (int32_t b = 0; b < r->n; b++) {
            if (!r->to[a][b]) {
                return false;
            }
        }
    }
    return true;
}

/* max(sources, sinks) + isolated ones, of the strong components; 0 if there is only one. */
static int32_t fewest(const reach *r) {
    int32_t n_part = 0;
    int32_t n_source = 0;
    int32_t n_sink = 0;
    int32_t n_lone = 0;
    for (int32_t v = 0; v < r->n; v++) {
        bool first = true; /* of its component */
        bool entered = false;
        bool left = false;
        for (int32_t w = 0; w < r->n; w++) {
            const bool same = r->to[v][w] && r->to[w][v];
            first &= !(same && w < v);
            left |= r->to[v][w] && !same;
            entered |= r->to[w][v] && !same;
        }
        n_part += first;
        n_source += first && left && !entered;
        n_sink += first && entered && !left;
        n_lone += first && !entered && !left;
    }
    const int32_t larger = n_source > n_sink ? n_source : n_sink;
    return n_part > 1 ? larger + n_lone : 0;
}

static int32_t n_weak(const reach *both_ways) {
    int32_t n = 0;
    for (int32_t v = 0; v < both_ways->n; v++) {
        bool first = true;
        for (int32_t w = 0; w < v; w++) {
            first &= !both_ways->to[v][w];
        }
        n += first;
    }
    return n;
}

static void draw(sonde__rng *rng, int32_t n, double density, sonde__pairs *pairs) {
    for (int32_t a = 0; a < n; a++) {
        for (int32_t b = 0; b < n; b++) {
            if (a != b && sonde__rng_uniform(rng) < density) {
                assert_true(sonde__pairs_add(pairs, a, b));
            }
        }
    }
}

/* No self-edge, no edge twice, and the first n_old as they were. */
static void assert_plain(int32_t n, const sonde__pairs *pairs, const sonde__pairs *old) {
    bool there[N_MAX][N_MAX] = {{false}};
    for (int32_t e = 0; e < pairs->n; e++) {
        const int32_t a = pairs->tail[e];
        const int32_t b = pairs->head[e];
        assert_true(a >= 0 && a < n && b >= 0 && b < n && a != b);
        assert_false(there[a][b]);
        there[a][b] = true;
        if (e < old->n) {
            assert_int_equal(a, old->tail[e]);
            assert_int_equal(b, old->head[e]);
        }
    }
}

static sonde__pairs copy_of(const sonde__pairs *pairs) {
    sonde__pairs copy = {0};
    for (int32_t e = 0; e < pairs->n; e++) {
        assert_true(sonde__pairs_add(&copy, pairs->tail[e], pairs->head[e]));
    }
    return copy;
}

/* Of the new edges at most one leaves each old component, and at most one enters it: they are
 * spread over the graph, not heaped on one node. */
static void assert_spread(const reach *before, const sonde__pairs *pairs, int32_t n_old) {
    int n_out[N_MAX] = {0};
    int n_in[N_MAX] = {0};
    for (int32_t e = n_old; e < pairs->n; e++) {
        for (int32_t v = 0; v < before->n; v++) {
            const int32_t a = pairs->tail[e];
            const int32_t b = pairs->head[e];
            n_out[v] += before->to[v][a] && before->to[a][v];
            n_in[v] += before->to[v][b] && before->to[b][v];
        }
    }
    for (int32_t v = 0; v < before->n; v++) {
        assert_true(n_out[v] <= 1 && n_in[v] <= 1);
    }
}

static void assert_joined_strongly(int32_t n, sonde__rng *rng, sonde__pairs *pairs) {
    sonde__pairs old = copy_of(pairs);
    const reach before = reach_of(n, pairs, pairs->n, false);
    assert_int_equal(sonde__join_strongly(n, rng, pairs), SONDE_OK);
    const reach after = reach_of(n, pairs, pairs->n, false);
    assert_true(is_complete(&after));
    assert_int_equal(pairs->n - old.n, fewest(&before));
    assert_plain(n, pairs, &old);
    assert_spread(&before, pairs, old.n);
    sonde__pairs_free(&old);
}

static void strong_joins_take_the_fewest_edges(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(1, SONDE__FOR_PROBE, 0);
    for (int trial = 0; trial < 6000; trial++) {
        const int32_t n = 1 + (int32_t)sonde__rng_below(&rng, N_MAX);
        sonde__pairs pairs = {0};
        draw(&rng, n, sonde__rng_uniform(&rng) * 3.0 / n, &pairs);
        assert_joined_strongly(n, &rng, &pairs);
        sonde__pairs_free(&pairs);
    }
}

static void strong_joins_take_the_fewest_edges_of_layered_graphs(void **state) {
    (void)state;
    /* edges only from lower to higher numbers: many sources, many sinks, no cycles */
    sonde__rng rng = sonde__rng_stream(2, SONDE__FOR_PROBE, 0);
    for (int trial = 0; trial < 4000; trial++) {
        const int32_t n = 2 + (int32_t)sonde__rng_below(&rng, N_MAX - 1);
        const int32_t border = (int32_t)sonde__rng_below(&rng, (uint64_t)n + 1);
        const bool bipartite = trial % 2 == 0;
        const double density = sonde__rng_uniform(&rng) * 0.5;
        sonde__pairs pairs = {0};
        for (int32_t a = 0; a < n; a++) {
            for (int32_t b = a + 1; b < n; b++) {
                const bool allowed = !bipartite || (a < border && b >= border);
                if (allowed && sonde__rng_uniform(&rng) < density) {
                    assert_true(sonde__pairs_add(&pairs, a, b));
                }
            }
        }
        assert_joined_strongly(n, &rng, &pairs);
        sonde__pairs_free(&pairs);
    }
}

/* The ordered pairs of n nodes, by number. */
static void pair_of(int32_t n, int32_t number, int32_t *tail, int32_t *head) {
    *tail = number / (n - 1);
    *head = number % (n - 1);
    *head += *head >= *tail;
}

static sonde__pairs pairs_of(int32_t n, uint32_t set) {
    sonde__pairs pairs = {0};
    for (int32_t i = 0; i < n * (n - 1); i++) {
        if ((set >> i & 1) != 0) {
            int32_t tail = 0;
            int32_t head = 0;
            pair_of(n, i, &tail, &head);
            assert_true(sonde__pairs_add(&pairs, tail, head));
        }
    }
    return pairs;
}

static int n_bit(uint32_t set) {
    int n = 0;
    for (; set != 0; set &= set - 1) {
        n++;
    }
    return n;
}

static void no_smaller_set_of_edges_would_do(void **state) {
    (void)state;
    static uint8_t least[1 << 12]; /* edges that are missing, by the set of edges there are */
    sonde__rng rng = sonde__rng_stream(3, SONDE__FOR_PROBE, 0);
    for (int32_t n = 2; n <= 4; n++) {
        const uint32_t n_set = UINT32_C(1) << (n * (n - 1));
        /* from all edges downwards: one edge less costs at most one more */
        for (uint32_t set = n_set; set-- > 0;) {
            sonde__pairs pairs = pairs_of(n, set);
            const reach r = reach_of(n, &pairs, pairs.n, false);
            least[set] = is_complete(&r) ? 0 : UINT8_MAX;
            for (int32_t i = 0; i < n * (n - 1) && least[set] != 0; i++) {
                const uint32_t larger = set | UINT32_C(1) << i;
                if (larger != set && least[larger] + 1 < least[set]) {
                    least[set] = (uint8_t)(least[larger] + 1);
                }
            }
            const int32_t n_old = pairs.n;
            assert_int_equal(n_old, n_bit(set));
            assert_int_equal(sonde__join_strongly(n, &rng, &pairs), SONDE_OK);
            assert_int_equal(pairs.n - n_old, least[set]);
            sonde__pairs_free(&pairs);
        }
    }
}

static void the_ends_of_joining_edges_are_drawn(void **state) {
    (void)state;
    /* two rings of three: any node of one may be tied to any of the other */
    int tail_count[6] = {0};
    int head_count[6] = {0};
    enum { N_TRIAL = 3000 };
    sonde__rng rng = sonde__rng_stream(4, SONDE__FOR_PROBE, 0);
    for (int trial = 0; trial < N_TRIAL; trial++) {
        sonde__pairs pairs = {0};
        for (int32_t v = 0; v < 6; v++) {
            assert_true(sonde__pairs_add(&pairs, v, v / 3 * 3 + (v + 1) % 3));
        }
        assert_int_equal(sonde__join_strongly(6, &rng, &pairs), SONDE_OK);
        assert_int_equal(pairs.n, 8);
        for (int32_t e = 6; e < 8; e++) {
            tail_count[pairs.tail[e]]++;
            head_count[pairs.head[e]]++;
        }
        sonde__pairs_free(&pairs);
    }
    for (int v = 0; v < 6; v++) {
        /* a third of the time each; the standard deviation is 26 */
        assert_true(abs(tail_count[v] - N_TRIAL / 3) < 130);
        assert_true(abs(head_count[v] - N_TRIAL / 3) < 130);
    }
}

static void weak_joins_take_one_edge_less_than_there_are_components(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(5, SONDE__FOR_PROBE, 0);
    for (int trial = 0; trial < 5000; trial++) {
        const int32_t n = 1 + (int32_t)sonde__rng_below(&rng, N_MAX);
        sonde__pairs pairs = {0};
        draw(&rng, n, sonde__rng_uniform(&rng) * 1.5 / n, &pairs);
        sonde__pairs old = copy_of(&pairs);
        const reach before = reach_of(n, &pairs, pairs.n, true);
        assert_int_equal(sonde__join_weakly(n, &rng, &pairs), SONDE_OK);
        const reach after = reach_of(n, &pairs, pairs.n, true);
        assert_true(is_complete(&after));
        assert_int_equal(pairs.n - old.n, n_weak(&before) - 1);
        assert_plain(n, &pairs, &old);
        sonde__pairs_free(&old);
        sonde__pairs_free(&pairs);
    }
}

static void components_are_those_that_hang_together(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(6, SONDE__FOR_PROBE, 0);
    for (int trial = 0; trial < 3000; trial++) {
        const int32_t n = 1 + (int32_t)sonde__rng_below(&rng, N_MAX);
        sonde__pairs pairs = {0};
        draw(&rng, n, sonde__rng_uniform(&rng) * 1.5 / n, &pairs);
        const reach r = reach_of(n, &pairs, pairs.n, true);
        int32_t component[N_MAX];
        assert_int_equal(sonde__components(n, &pairs, component), n_weak(&r));
        for (int32_t a = 0; a < n; a++) {
            for (int32_t b = 0; b < n; b++) {
                assert_true((component[a] == component[b]) == r.to[a][b]);
            }
        }
        sonde__pairs_free(&pairs);
    }
}

static void a_long_chain_is_joined_without_recursion(void **state) {
    (void)state;
    enum { N = 300000 };
    sonde__pairs pairs = {0};
    for (int32_t v = 0; v + 1 < N; v++) {
        assert_true(sonde__pairs_add(&pairs, v, v + 1));
    }
    sonde__rng rng = sonde__rng_stream(7, SONDE__FOR_PROBE, 0);
    assert_int_equal(sonde__join_strongly(N, &rng, &pairs), SONDE_OK);
    assert_int_equal(pairs.n, N);
    assert_int_equal(pairs.tail[N - 1], N - 1);
    assert_int_equal(pairs.head[N - 1], 0);
    sonde__pairs_free(&pairs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strong_joins_take_the_fewest_edges),
        cmocka_unit_test(strong_joins_take_the_fewest_edges_of_layered_graphs),
        cmocka_unit_test(no_smaller_set_of_edges_would_do),
        cmocka_unit_test(the_ends_of_joining_edges_are_drawn),
        cmocka_unit_test(weak_joins_take_one_edge_less_than_there_are_components),
        cmocka_unit_test(components_are_those_that_hang_together),
        cmocka_unit_test(a_long_chain_is_joined_without_recursion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
