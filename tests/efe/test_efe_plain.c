/* The plain way of scoring, which the others are held to, held to the formula written out. */
#include "dense.h"
#include "random_models.h"
#include "scores.h"

enum { STEP_MAX = 8 };

/* in step with its policies and not */
static void every_step_of_a_walk_has_the_terms_of_the_full_formula(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        space s =
            space_new(world_of_horizon(2 + (int32_t)(seed % 3), seed, 1 + (int32_t)(seed % 4)));
        dense twin = dense_new(s.graph);
        double *belief = room((uint64_t)s.graph->n_edge, sizeof *belief);
        const int32_t from = (int32_t)(seed * 5 % (uint64_t)s.graph->n_edge);
        belief[from] = 1.0;
        judge *j = judge_new(s.policies, &sonde__plain);
        for (int32_t edge = 0; edge < s.graph->n_edge; edge++) {
            int32_t walk[STEP_MAX];
            sonde_efe found[STEP_MAX], wanted[STEP_MAX], total;
            judge_start(j, edge, (sonde_present){.state = from});
            sonde_policies_get(s.policies, edge, 0, walk, NULL);
            sonde__track_terms(&j->track, walk, s.graph->horizon, found, NULL, &total);
            const sonde_efe sum = dense_efe(&twin, s.graph, belief, walk, wanted);
            assert_efe_alike(&total, &sum);
            assert_alike(judge_efe(j, 0), sum.efe);
            for (int32_t t = 0; t < s.graph->horizon; t++) {
                assert_efe_alike(&found[t], &wanted[t]);
            }
        }
        judge_free(j);
        free(belief);
        dense_free(&twin);
        space_free(&s);
    }
}

/* How many prefixes the policies of an origin have, of one step or more. */
static uint64_t count_prefixes(const sonde_policies *policies, int32_t origin) {
    const size_t n_number = (size_t)policies->horizon + 1;
    const uint64_t n = sonde_policies_size(policies, origin);
    int32_t *walk = room(2 * n_number, sizeof *walk);
    uint64_t count = 0;
    for (uint64_t i = 0; i < n; i++) {
        int32_t *now = walk + i % 2 * n_number;
        const int32_t *before = walk + (i + 1) % 2 * n_number;
        sonde_policies_get(policies, origin, i, now, NULL);
        size_t same = 1;
        while (i > 0 && same < n_number && now[same] == before[same]) {
            same++;
        }
        count += n_number - same;
    }
    free(walk);
    return count;
}

static void in_order_every_prefix_is_scored_once(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        setting s = setting_drawn(seed, DRAW_ALLOWED, 300);
        const uint64_t n = sonde_policies_size(s.policies, s.origin);
        double *efe = room(n, sizeof *efe);
        judge *j = judge_new(s.policies, &sonde__plain);
        judge_start(j, s.origin, setting_now(&s));
        judge_fill(j, 0, n, 7, efe);
        assert_int_equal(j->track.n_step, count_prefixes(s.policies, s.origin));
        free(efe);
        judge_free(j);
        setting_free(&s);
    }
}

static void steps_of_a_general_model_reach_no_edge(void **state) {
    (void)state;
    setting s = setting_drawn(3, 0, 100);
    int32_t *walk = room((uint64_t)s.policies->horizon + 1, sizeof *walk);
    int32_t *reached = room((uint64_t)s.policies->horizon, sizeof *reached);
    sonde_efe total;
    judge *j = judge_new(s.policies, &sonde__plain);
    judge_start(j, s.origin, setting_now(&s));
    sonde_policies_get(s.policies, s.origin, 0, walk, NULL);
    sonde__track_terms(&j->track, walk, s.policies->horizon, NULL, reached, &total);
    for (int32_t t = 0; t < s.policies->horizon; t++) {
        assert_int_equal(reached[t], -1);
    }
    free(walk);
    free(reached);
    judge_free(j);
    setting_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_of_a_walk_has_the_terms_of_the_full_formula),
        cmocka_unit_test(in_order_every_prefix_is_scored_once),
        cmocka_unit_test(steps_of_a_general_model_reach_no_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
