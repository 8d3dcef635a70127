/* The tree of policies: all of them, in order, with the scores of one by one. */
#include "dense.h"
#include "base/rng.h"
#include "efe/efe.h"

typedef struct {
    sonde__arena arena;
    sonde__sweep tree;
} climber;

static climber climber_new(int32_t horizon) {
    climber c = {0};
    sonde__sweep_carve(&c.arena, horizon, &c.tree);
    assert_true(sonde__arena_reserve(&c.arena));
    sonde__sweep_carve(&c.arena, horizon, &c.tree);
    return c;
}

static int32_t largest_degree(const sonde_graph *graph) {
    int32_t most = 0;
    for (int32_t v = 0; v < graph->n_node; v++) {
        const int32_t n = graph->first[v + 1] - graph->first[v];
        most = n > most ? n : most;
    }
    return most;
}

/* All policies from an edge, action by action, `capacity` at a time; returns how many. */
static uint64_t climb(climber *c, const space *s, int32_t edge, int32_t from, int32_t capacity,
                      double *efe) {
    const sonde_graph *graph = s->graph;
    uint64_t n = 0;
    for (int32_t f = graph->first[graph->head[edge]]; f < graph->first[graph->head[edge] + 1];
         f++) {
        sonde__sweep_start(&c->tree, s->policies, edge, f, from);
        for (int32_t got = sonde__sweep_fill(&c->tree, efe + n, capacity); got > 0;
             got = sonde__sweep_fill(&c->tree, efe + n, capacity)) {
            assert_true(got <= capacity);
            n += (uint64_t)got;
        }
        /* at the end it stays at the end */
        assert_int_equal(sonde__sweep_fill(&c->tree, efe, capacity), 0);
    }
    return n;
}

static void assert_tree(const space *s, int32_t edge, int32_t from, int32_t capacity) {
    const uint64_t n = sonde_policies_size(s->policies, edge);
    climber c = climber_new(s->graph->horizon);
    double *found = room(n + (uint64_t)capacity, sizeof *found);
    double *wanted = room(n, sizeof *wanted);
    assert_int_equal(climb(&c, s, edge, from, capacity, found), n);
    const sonde_range range = {edge, 0, n};
    sonde_run run = sonde_run_defaults();
    run.n_thread = 1;
    assert_int_equal(
        sonde_efe_range(s->policies, (sonde_present){.state = from}, range, &run, wanted, NULL),
        SONDE_OK);
    assert_memory_equal(found, wanted, n * sizeof *found);
    /* each prefix was scored once */
    uint64_t n_prefix = 0;
    for (int32_t t = 1; t <= s->graph->horizon; t++) {
        n_prefix += s->policies->completion[t * s->graph->n_node + s->graph->head[edge]];
    }
    assert_int_equal(c.tree.n_step, n_prefix);
    free(found);
    free(wanted);
    sonde__arena_free(&c.arena);
}

static void a_tree_has_the_scores_of_the_range_to_the_bit(void **state) {
    (void)state;
    for (int32_t horizon = 1; horizon <= 6; horizon++) {
        for (uint64_t seed = 0; seed < 12; seed++) {
            const int32_t n_node = horizon > 4 ? 3 : 1 + (int32_t)(seed % 4);
            space s = space_new(world_of_horizon(n_node, seed, horizon));
            const int32_t least = largest_degree(s.graph);
            for (int32_t edge = 0; edge < s.graph->n_edge; edge++) {
                /* valid from where it starts; not from elsewhere */
                assert_tree(&s, edge, edge, least + (int32_t)(seed % 3));
                assert_tree(&s, edge, (edge + 1) % s.graph->n_edge, least);
                assert_tree(&s, edge, s.graph->start, 1000);
            }
            space_free(&s);
        }
    }
}

static void the_size_of_the_pieces_changes_nothing(void **state) {
    (void)state;
    space s = space_new(world(5, 4, SONDE_SYMMETRIC));
    const int32_t least = largest_degree(s.graph);
    static const int32_t more[] = {0, 1, 2, 3, 5, 10, 64, 100000};
    for (int i = 0; i < 8; i++) {
        assert_tree(&s, s.graph->start, s.graph->start, least + more[i]);
    }
    space_free(&s);
}

static void a_tree_scores_what_the_full_formula_says(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(1, SONDE__FOR_PROBE, 0);
    for (uint64_t seed = 0; seed < 30; seed++) {
        space s =
            space_new(world_of_horizon(2 + (int32_t)(seed % 3), seed, 1 + (int32_t)(seed % 4)));
        dense twin = dense_new(s.graph);
        const int32_t n_edge = s.graph->n_edge;
        const int32_t edge = (int32_t)sonde__rng_below(&rng, (uint64_t)n_edge);
        const int32_t from =
            seed % 2 == 0 ? edge : (int32_t)sonde__rng_below(&rng, (uint64_t)n_edge);
        const uint64_t n = sonde_policies_size(s.policies, edge);
        double *found = room(n + 1000, sizeof *found);
        double *belief = room((uint64_t)n_edge, sizeof *belief);
        belief[from] = 1.0;
        climber c = climber_new(s.graph->horizon);
        assert_int_equal(climb(&c, &s, edge, from, 1000, found), n);
        for (uint64_t i = 0; i < n; i += 1 + n / 20) {
            int32_t walk[8];
            sonde_policies_get(s.policies, edge, i, walk, NULL);
            const sonde_efe wanted = dense_efe(&twin, s.graph, belief, walk, NULL);
            assert_near(found[i], wanted.efe, 1e-9);
        }
        sonde__arena_free(&c.arena);
        free(found);
        free(belief);
        dense_free(&twin);
        space_free(&s);
    }
}

static void a_long_horizon_needs_no_deep_stack(void **state) {
    (void)state;
    /* one node: a single policy of 200,000 steps */
    enum { T = 200000 };
    space s = space_new(world_of_horizon(1, 1, T));
    assert_int_equal(s.policies->n_policy, 1);
    climber c = climber_new(T);
    double efe[4] = {-1.0, -1.0, -1.0, -1.0};
    assert_int_equal(climb(&c, &s, 0, 0, 4, efe), 1);
    assert_same(efe[0], 0.0); /* always on the destination, which costs nothing to stay on */
    assert_int_equal(c.tree.n_step, T);
    sonde__arena_free(&c.arena);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_has_the_scores_of_the_range_to_the_bit),
        cmocka_unit_test(the_size_of_the_pieces_changes_nothing),
        cmocka_unit_test(a_tree_scores_what_the_full_formula_says),
        cmocka_unit_test(a_long_horizon_needs_no_deep_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
