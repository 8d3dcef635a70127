/* Policies that are drawn: each as likely as any other, however many there are. */
#include "policy/policy.h"
#include "random_models.h"
#include "base/rng.h"
#include "stages.h"

/* The ways of some policies, in memory of their own. */
typedef struct {
    const sonde_policies *policies;
    sonde__arena arena;
    sonde__ways ways;
} ways;

static ways ways_of(const sonde_policies *policies) {
    ways w = {.policies = policies};
    sonde__ways_carve(&w.arena, policies, &w.ways);
    if (w.arena.used > 0) {
        assert_true(sonde__arena_reserve(&w.arena));
        sonde__ways_carve(&w.arena, policies, &w.ways);
    }
    sonde__ways_fill(policies, &w.ways);
    return w;
}

/* Draws again and again, and compares how often each policy came with how often it should. */
static void compare_draws(const sonde_policies *policies, int32_t origin, uint64_t seed) {
    const int32_t n = (int32_t)sonde_policies_size(policies, origin);
    ways w = ways_of(policies);
    int64_t *count = room((uint64_t)n, sizeof *count);
    double *expected = room((uint64_t)n, sizeof *expected);
    int32_t *walk = room((uint64_t)policies->horizon + 1, sizeof *walk);
    sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_SAMPLE, 0);
    for (int32_t i = 0; i < 20 * n; i++) {
        sonde__ways_draw(policies, &w.ways, origin, &rng, walk);
        const uint64_t index = sonde_policies_find(policies, origin, walk);
        assert_true(index < (uint64_t)n);
        count[index]++;
    }
    for (int32_t i = 0; i < n; i++) {
        expected[i] = 20.0;
    }
    assert_drawn_from(n, count, expected);
    free(walk);
    free(expected);
    free(count);
    sonde__arena_free(&w.arena);
}

static void every_walk_is_as_likely_as_any_other(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        space s = space_new(world_of_horizon(3 + (int32_t)(seed % 2), seed, 3));
        compare_draws(s.policies, s.graph->start, seed);
        compare_draws(s.policies, SONDE_EVERYWHERE, seed);
        space_free(&s);
    }
}

static void every_sequence_of_actions_is_as_likely_as_any_other(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        setting s = setting_drawn(seed, DRAW_ALLOWED | DRAW_COUPLED, 500.0);
        compare_draws(s.policies, s.origin, seed);
        setting_free(&s);
    }
}

static void listed_policies_are_drawn_from_the_list(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        setting s = setting_drawn(seed, DRAW_LISTED, 500.0);
        ways w = ways_of(s.policies);
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_SAMPLE, 0);
        for (int32_t i = 0; s.model->policies == SONDE_POLICIES_LISTED && i < 50; i++) {
            int32_t walk[64];
            int32_t at = 0;
            sonde__ways_draw(s.policies, &w.ways, s.origin, &rng, walk);
            while (at < s.model->n_policy &&
                   memcmp(s.model->policy + (int64_t)at * s.model->horizon, walk + 1,
                          (size_t)s.model->horizon * sizeof *walk) != 0) {
                at++;
            }
            assert_true(at < s.model->n_policy);
        }
        sonde__arena_free(&w.arena);
        setting_free(&s);
    }
}

/* the counts in logs are those in whole numbers, while these do not overflow */
static void logs_count_what_numbers_count(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        space s = space_new(world_of_horizon(6, seed, 12));
        ways w = ways_of(s.policies);
        for (int64_t i = 0; i < (int64_t)13 * s.graph->n_node; i++) {
            const double count = (double)s.policies->completion[i];
            assert_float_equal(w.ways.log_count[0][i], log(count), 1e-12);
        }
        sonde__arena_free(&w.arena);
        space_free(&s);
    }
}

/* 5^2000 policies and more: doubles overflow, logs do not */
static void no_horizon_is_too_long(void **state) {
    (void)state;
    enum { T = 2000, N = 500 };
    space s = space_new(world_of_horizon(7, 2, T));
    ways w = ways_of(s.policies);
    int32_t *walk = room(T + 1, sizeof *walk);
    sonde__rng rng = sonde__rng_stream(1, SONDE__FOR_SAMPLE, 0);
    int64_t count[64] = {0};
    double expected[64] = {0};
    assert_true(isinf(sonde_policies_size_real(s.policies, s.graph->start)));
    const int32_t v = s.graph->head[s.graph->start];
    const int32_t first = s.graph->first[v];
    const int32_t n = s.graph->first[v + 1] - first;
    for (int32_t i = 0; i < N; i++) {
        sonde__ways_draw(s.policies, &w.ways, s.graph->start, &rng, walk);
        for (int32_t t = 1; t <= T; t++) {
            assert_int_equal(s.graph->tail[walk[t]], s.graph->head[walk[t - 1]]);
        }
        count[walk[1] - first]++;
    }
    /* first edges come as often as shares of the largest eigenvector say, which a shorter
     * horizon has, too */
    space shorter = space_new(world_of_horizon(7, 2, 40));
    double total = 0.0;
    for (int32_t i = 0; i < n; i++) {
        const int32_t to = s.graph->head[first + i];
        expected[i] = N * (double)shorter.policies->completion[(int64_t)20 * s.graph->n_node + to] /
                      (double)shorter.policies->completion[(int64_t)21 * s.graph->n_node + v];
        total += expected[i];
    }
    assert_float_equal(total, N, 1e-6);
    assert_drawn_from(n, count, expected);
    free(walk);
    space_free(&shorter);
    sonde__arena_free(&w.arena);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_walk_is_as_likely_as_any_other),
        cmocka_unit_test(every_sequence_of_actions_is_as_likely_as_any_other),
        cmocka_unit_test(listed_policies_are_drawn_from_the_list),
        cmocka_unit_test(logs_count_what_numbers_count),
        cmocka_unit_test(no_horizon_is_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
