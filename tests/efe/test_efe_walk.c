/* Walks of a graph world, scored fast: in order to the bit of one by one, and whatever else is
 * asked, what the plain way says. */
#include "base/rng.h"
#include "dense.h"
#include "scores.h"

/* All policies of an origin in order, `capacity` at a time, have the scores of the range. */
static void assert_tree(const space *s, int32_t edge, int32_t from, int32_t capacity) {
    const uint64_t n = sonde_policies_size(s->policies, edge);
    judge *j = judge_new(s->policies, &sonde__walk);
    double *found = room(n, sizeof *found);
    double *wanted = room(n, sizeof *wanted);
    const sonde_present now = {.state = from};
    judge_start(j, edge, now);
    judge_fill(j, 0, n, j->score.n_least + capacity, found);
    const sonde_range range = {edge, 0, n};
    sonde_run run = sonde_run_defaults();
    run.n_thread = 1;
    assert_int_equal(sonde_efe_range(s->policies, now, range, &run, wanted, NULL), SONDE_OK);
    assert_memory_equal(found, wanted, n * sizeof *found);
    /* each prefix was scored once */
    uint64_t n_prefix = 0;
    for (int32_t t = 1; t <= s->graph->horizon; t++) {
        n_prefix += s->policies->completion[t * s->graph->n_node + s->graph->head[edge]];
    }
    assert_int_equal(j->track.n_step, n_prefix);
    free(found);
    free(wanted);
    judge_free(j);
}

static void in_order_they_have_the_scores_of_the_range_to_the_bit(void **state) {
    (void)state;
    for (int32_t horizon = 1; horizon <= 6; horizon++) {
        for (uint64_t seed = 0; seed < 12; seed++) {
            const int32_t n_node = horizon > 4 ? 3 : 1 + (int32_t)(seed % 4);
            space s = space_new(world_of_horizon(n_node, seed, horizon));
            for (int32_t edge = 0; edge < s.graph->n_edge; edge++) {
                /* valid from where it starts; not from elsewhere */
                assert_tree(&s, edge, edge, (int32_t)(seed % 3));
                assert_tree(&s, edge, (edge + 1) % s.graph->n_edge, 0);
                assert_tree(&s, edge, s.graph->start, 1000);
            }
            space_free(&s);
        }
    }
}

static void the_size_of_the_pieces_changes_nothing(void **state) {
    (void)state;
    space s = space_new(world(5, 4, SONDE_SYMMETRIC));
    static const int32_t more[] = {0, 1, 2, 3, 5, 10, 64, 100000};
    for (int i = 0; i < 8; i++) {
        assert_tree(&s, s.graph->start, s.graph->start, more[i]);
    }
    space_free(&s);
}

static void they_score_what_the_full_formula_says(void **state) {
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
        double *found = room(n, sizeof *found);
        double *belief = room((uint64_t)n_edge, sizeof *belief);
        belief[from] = 1.0;
        judge *j = judge_new(s.policies, &sonde__walk);
        judge_start(j, edge, (sonde_present){.state = from});
        judge_fill(j, 0, n, 1000, found);
        for (uint64_t i = 0; i < n; i += 1 + n / 20) {
            int32_t walk[8];
            sonde_policies_get(s.policies, edge, i, walk, NULL);
            const sonde_efe wanted = dense_efe(&twin, s.graph, belief, walk, NULL);
            assert_near(found[i], wanted.efe, 1e-9);
        }
        judge_free(j);
        free(found);
        free(belief);
        dense_free(&twin);
        space_free(&s);
    }
}

/* in step with the policies and not, from one edge and from everywhere */
static void whatever_is_asked_they_say_what_the_plain_way_says(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        space s =
            space_new(world_of_horizon(1 + (int32_t)(seed % 4), seed, 1 + (int32_t)(seed % 4)));
        const int32_t from = (int32_t)(seed % (uint64_t)s.graph->n_edge);
        const int32_t other = (int32_t)(seed * 7 % (uint64_t)s.graph->n_edge);
        const sonde_present now = {.state = from};
        assert_duel(s.policies, from, now);
        assert_duel(s.policies, other, now);
        if (s.policies->n_policy < 20000) {
            assert_duel(s.policies, SONDE_EVERYWHERE, now);
        }
        space_free(&s);
    }
}

/* the least G by futures: a step and what is least after it */
static double least_ahead(const sonde__futures *f, int32_t left, int32_t way, bool astray) {
    double least = left == 0 ? 0.0 : INFINITY;
    const int32_t future = f->next[way];
    for (int32_t w = f->first[future]; left > 0 && w < f->first[future + 1]; w++) {
        const double step = astray ? f->stay : f->efe[w];
        const double all = step + least_ahead(f, left - 1, w, astray && w != f->back);
        least = all < least ? all : least;
    }
    return least;
}

static void their_futures_hold_the_best_policy_of_every_origin(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        space s =
            space_new(world_of_horizon(2 + (int32_t)(seed % 3), seed, 1 + (int32_t)(seed % 4)));
        judge *j[] = {judge_new(s.policies, &sonde__walk), judge_new(s.policies, &sonde__plain)};
        const sonde_present now = {.state = s.graph->start};
        for (int32_t edge = 0; edge < s.graph->n_edge; edge++) {
            const uint64_t n = sonde_policies_size(s.policies, edge);
            double *efe = room(n, sizeof *efe);
            double least = INFINITY;
            judge_start(j[0], edge, now);
            judge_start(j[1], edge, now);
            judge_fill(j[0], 0, n, 100, efe);
            for (uint64_t i = 0; i < n; i++) {
                least = efe[i] < least ? efe[i] : least;
            }
            for (int i = 0; i < 2; i++) {
                const sonde__futures *f = &j[i]->score.futures;
                assert_int_equal(f->here, now.state);
                assert_alike(least_ahead(f, s.graph->horizon, edge, edge != f->here), least);
            }
            free(efe);
        }
        judge_free(j[0]);
        judge_free(j[1]);
        space_free(&s);
    }
}

static void a_long_horizon_needs_no_deep_stack(void **state) {
    (void)state;
    /* one node: a single policy of 200,000 steps */
    enum { T = 200000 };
    space s = space_new(world_of_horizon(1, 1, T));
    assert_int_equal(s.policies->n_policy, 1);
    judge *j = judge_new(s.policies, &sonde__walk);
    double efe = -1.0;
    judge_start(j, 0, (sonde_present){.state = 0});
    judge_fill(j, 0, 1, 4, &efe);
    assert_same(efe, 0.0); /* always on the destination, which costs nothing to stay on */
    assert_int_equal(j->track.n_step, T);
    judge_free(j);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_order_they_have_the_scores_of_the_range_to_the_bit),
        cmocka_unit_test(the_size_of_the_pieces_changes_nothing),
        cmocka_unit_test(they_score_what_the_full_formula_says),
        cmocka_unit_test(whatever_is_asked_they_say_what_the_plain_way_says),
        cmocka_unit_test(their_futures_hold_the_best_policy_of_every_origin),
        cmocka_unit_test(a_long_horizon_needs_no_deep_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
