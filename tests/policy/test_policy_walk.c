/* Policies in order: from an index to its walk and back, and one after the other. */
#include "policy/policy.h"
#include "base/rng.h"
#include "worlds.h"

/* every walk of a space, written down by plain recursion */
typedef struct {
    int32_t width; /* T + 1 */
    uint64_t n;
    int32_t *walk; /* (n, width) */
    int32_t prefix[64];
} book;

static void write_down(book *b, const sonde_graph *graph, int32_t t) {
    if (t == b->width) {
        memcpy(b->walk + b->n * (uint64_t)b->width, b->prefix, (size_t)b->width * sizeof *b->walk);
        b->n++;
        return;
    }
    const int32_t node = graph->head[b->prefix[t - 1]];
    for (int32_t e = 0; e < graph->n_edge; e++) {
        if (graph->tail[e] == node) {
            b->prefix[t] = e;
            write_down(b, graph, t + 1);
        }
    }
}

static book book_new(const space *s, int32_t origin) {
    book b = {.width = s->graph->horizon + 1};
    const uint64_t n = sonde_policies_size(s->policies, origin);
    b.walk = room(n * (uint64_t)b.width, sizeof *b.walk);
    for (int32_t e = 0; e < s->graph->n_edge; e++) {
        if (origin == SONDE_EVERYWHERE || origin == e) {
            b.prefix[0] = e;
            write_down(&b, s->graph, 1);
        }
    }
    assert_int_equal(b.n, n);
    return b;
}

static const int32_t *walk_at(const book *b, uint64_t index) {
    return b->walk + index * (uint64_t)b->width;
}

/* Everywhere, and then each edge by itself. */
static int32_t origin_after(int32_t origin) {
    return origin == SONDE_EVERYWHERE ? 0 : origin + 1;
}

static space small_space(int32_t n, uint64_t seed) {
    /* the usual horizon, and now and then a shorter or longer one */
    static const int32_t horizon[] = {0, 0, 1, 0, 2, 0, 3, 5};
    const int32_t t = horizon[seed / 2 % 8];
    return space_new(world_of_horizon(n, seed, n == 4 && t == 5 ? 0 : t));
}

static void assert_all_in_order(space *s) {
    int32_t walk[64];
    for (int32_t origin = SONDE_EVERYWHERE; origin < s->graph->n_edge;
         origin = origin_after(origin)) {
        book b = book_new(s, origin);
        const size_t size = (size_t)b.width * sizeof *walk;
        for (uint64_t i = 0; i < b.n; i++) {
            memset(walk, 0x55, sizeof walk);
            sonde_policies_get(s->policies, origin, i, walk, NULL);
            assert_memory_equal(walk, walk_at(&b, i), size);
            assert_int_equal(sonde_policies_find(s->policies, origin, walk), i);
        }
        free(b.walk);
    }
}

static void policies_are_in_the_order_of_plain_recursion(void **state) {
    (void)state;
    for (int32_t n = 1; n <= 4; n++) {
        for (uint64_t seed = 0; seed < (n < 3 ? 20 : 200); seed++) {
            space s = small_space(n, seed);
            assert_all_in_order(&s);
            space_free(&s);
        }
    }
}

static void walks_never_leave_the_graph(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(1, SONDE__FOR_PROBE, 0);
    for (uint64_t seed = 0; seed < 100; seed++) {
        space s = space_new(world_of_horizon(12, seed, 14));
        assert_true(s.policies->n_policy < UINT64_MAX);
        for (int trial = 0; trial < 100; trial++) {
            int32_t walk[15];
            const uint64_t i = sonde__rng_below(&rng, s.policies->n_policy);
            sonde_policies_get(s.policies, SONDE_EVERYWHERE, i, walk, NULL);
            for (int t = 1; t < 15; t++) {
                assert_int_equal(s.graph->tail[walk[t]], s.graph->head[walk[t - 1]]);
            }
            assert_int_equal(sonde_policies_find(s.policies, SONDE_EVERYWHERE, walk), i);
            /* the local space is a stretch of the global one */
            const uint64_t local = i - s.policies->offset[walk[0]];
            assert_int_equal(sonde_policies_find(s.policies, walk[0], walk), local);
            int32_t again[15];
            sonde_policies_get(s.policies, walk[0], local, again, NULL);
            assert_memory_equal(walk, again, sizeof walk);
        }
        space_free(&s);
    }
}

static void what_is_no_policy_of_the_origin_is_not_found(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        space s = space_new(world_of_horizon(4, seed, 4));
        int32_t walk[5];
        const int32_t origin = s.graph->start;
        sonde_policies_get(s.policies, origin, 0, walk, NULL);
        assert_int_equal(sonde_policies_find(s.policies, origin, walk), 0);
        /* from another edge */
        const int32_t other = origin == 0 ? 1 : 0;
        assert_int_equal(sonde_policies_find(s.policies, other, walk), UINT64_MAX);
        /* with an edge that does not follow, or that there is not */
        for (int t = 0; t < 5; t++) {
            for (int32_t e = -2; e < s.graph->n_edge + 2; e++) {
                int32_t changed[5];
                memcpy(changed, walk, sizeof walk);
                changed[t] = e;
                bool is_walk = e >= 0 && e < s.graph->n_edge;
                for (int i = 1; i < 5 && is_walk; i++) {
                    is_walk = s.graph->tail[changed[i]] == s.graph->head[changed[i - 1]];
                }
                const uint64_t found = sonde_policies_find(s.policies, SONDE_EVERYWHERE, changed);
                assert_true((found != UINT64_MAX) == is_walk);
            }
        }
        space_free(&s);
    }
}

/* A walker on its own memory. */
typedef struct {
    sonde__arena arena;
    sonde__walker walker;
} mover;

static mover mover_new(const sonde_policies *policies) {
    mover m = {0};
    sonde__walker_carve(&m.arena, policies, &m.walker);
    assert_true(sonde__arena_reserve(&m.arena));
    sonde__walker_carve(&m.arena, policies, &m.walker);
    return m;
}

/* Moves, and checks where it stands and what it says has changed. */
static void assert_moves(mover *m, const space *s, int32_t origin, uint64_t index, bool first) {
    const int32_t width = s->graph->horizon + 1;
    int32_t before[64] = {0};
    int32_t wanted[64];
    memcpy(before, m->walker.edge, (size_t)width * sizeof *before);
    const int32_t changed = sonde__walker_move(&m->walker, index);
    sonde_policies_get(s->policies, origin, index, wanted, NULL);
    assert_memory_equal(m->walker.edge, wanted, (size_t)width * sizeof *wanted);
    int32_t same = 0;
    while (same < width && before[same] == wanted[same]) {
        same++;
    }
    assert_true(changed >= 0 && changed <= width);
    /* all that it says has stayed has stayed, and it says so of all that has */
    assert_int_equal(changed, first ? 0 : same);
}

static void a_walker_stands_where_the_index_says(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(2, SONDE__FOR_PROBE, 0);
    for (uint64_t seed = 0; seed < 100; seed++) {
        space s = small_space(2 + (int32_t)(seed % 3), seed);
        mover m = mover_new(s.policies);
        for (int32_t origin = SONDE_EVERYWHERE; origin < s.graph->n_edge;
             origin = origin_after(origin)) {
            const uint64_t n = sonde_policies_size(s.policies, origin);
            /* one after the other */
            sonde__walker_start(&m.walker, s.policies, origin);
            for (uint64_t i = 0; i < n; i++) {
                assert_moves(&m, &s, origin, i, i == 0);
            }
            /* back and forth, and to where it is */
            sonde__walker_start(&m.walker, s.policies, origin);
            for (int jump = 0; jump < 40; jump++) {
                const uint64_t i = sonde__rng_below(&rng, n);
                assert_moves(&m, &s, origin, i, jump == 0);
                assert_moves(&m, &s, origin, i, false);
            }
        }
        sonde__arena_free(&m.arena);
        space_free(&s);
    }
}

/* |V_i ^ V_j| + |E_i ^ E_j| with sets written out. */
static int32_t distance_naively(const sonde_graph *graph, const int32_t *walk_i,
                                const int32_t *walk_j) {
    bool node[2][64] = {{false}};
    bool edge[2][256] = {{false}};
    const int32_t *walk[2] = {walk_i, walk_j};
    for (int k = 0; k < 2; k++) {
        for (int32_t t = 0; t <= graph->horizon; t++) {
            edge[k][walk[k][t]] = true;
            node[k][graph->tail[walk[k][t]]] = true;
            node[k][graph->head[walk[k][t]]] = true;
        }
    }
    int32_t n = 0;
    for (int32_t v = 0; v < graph->n_node; v++) {
        n += node[0][v] != node[1][v];
    }
    for (int32_t e = 0; e < graph->n_edge; e++) {
        n += edge[0][e] != edge[1][e];
    }
    return n;
}

static void edit_distances_are_those_of_the_sets(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(3, SONDE__FOR_PROBE, 0);
    for (uint64_t seed = 0; seed < 200; seed++) {
        space s = space_new(world_of_horizon(1 + (int32_t)(seed % 7), seed,
                                             seed % 4 == 0 ? 1 + (int32_t)(seed % 9) : 0));
        int32_t walk[3][16];
        for (int trial = 0; trial < 50; trial++) {
            for (int k = 0; k < 3; k++) {
                sonde_policies_get(s.policies, SONDE_EVERYWHERE,
                                   sonde__rng_below(&rng, s.policies->n_policy), walk[k], NULL);
            }
            const int32_t d = sonde_policies_edit_distance(s.policies, walk[0], walk[1]);
            assert_int_equal(d, distance_naively(s.graph, walk[0], walk[1]));
            assert_int_equal(d, sonde_policies_edit_distance(s.policies, walk[1], walk[0]));
            assert_int_equal(sonde_policies_edit_distance(s.policies, walk[0], walk[0]), 0);
            assert_true(d <= sonde_policies_edit_distance(s.policies, walk[0], walk[2]) +
                                 sonde_policies_edit_distance(s.policies, walk[2], walk[1]));
        }
        space_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies_are_in_the_order_of_plain_recursion),
        cmocka_unit_test(walks_never_leave_the_graph),
        cmocka_unit_test(what_is_no_policy_of_the_origin_is_not_found),
        cmocka_unit_test(a_walker_stands_where_the_index_says),
        cmocka_unit_test(edit_distances_are_those_of_the_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
