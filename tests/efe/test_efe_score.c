/* What all ways of scoring share: what is asked for, versions, and when two prefixes are one. */
#include "random_models.h"
#include "scores.h"

/* What a score, asked for something, is asked for in the end. */
static uint32_t settled(const sonde_policies *policies, uint32_t uses) {
    sonde__score score;
    sonde__arena measured = {0};
    sonde__score_open(&score, policies);
    sonde__score_carve(&measured, &score, uses);
    return score.uses;
}

static void bounds_need_prefixes_and_countable_futures_need_neither(void **state) {
    (void)state;
    space walks = space_new(world(3, 1, SONDE_DIRECTED));
    setting product = setting_drawn(1, 0, 100);
    const uint32_t order = SONDE__SCORE_ORDER;
    const uint32_t both = SONDE__SCORE_AHEAD | SONDE__SCORE_PREFIXES;
    assert_int_equal(settled(walks.policies, order | both), order);
    assert_int_equal(settled(product.policies, order | SONDE__SCORE_AHEAD), order | both);
    assert_int_equal(settled(walks.policies, order), order);
    assert_int_equal(settled(product.policies, order), order);
    setting_free(&product);
    space_free(&walks);
}

static void bounds_are_worked_out_once_for_a_version_of_the_numbers(void **state) {
    (void)state;
    setting s = setting_drawn(1, 0, 100);
    judge *j = judge_new(s.policies, NULL); /* which prepares it */
    assert_int_equal(j->score.version, s.model->version);
    assert_int_equal(sonde__score_prepare(&j->score), 0);
    j->score.version = 0;
    assert_true(j->score.bound.n_step > 0);
    assert_int_equal(sonde__score_prepare(&j->score), j->score.bound.n_step);
    assert_int_equal(j->score.version, s.model->version);
    judge_free(j);
    setting_free(&s);
}

static void spots_are_one_where_beliefs_nearly_agree_and_places_do(void **state) {
    (void)state;
    const sonde__score score = {.n_belief = 3, .n_place = 2};
    double belief[] = {0.25, 0.75, 0.0};
    double near[] = {0.25 + 0x1p-50, 0.75 - 0x1p-49, 0.0};
    double far[] = {0.5, 0.25, 0.25};
    int32_t place[] = {1, 2};
    int32_t other[] = {2, 1};
    const sonde__spot a = {belief, place};
    assert_true(sonde__spot_apart(&score, a, a) == 0.0);
    assert_true(sonde__spot_apart(&score, a, (sonde__spot){near, place}) == 0x1p-49);
    assert_true(sonde__spot_apart(&score, a, (sonde__spot){far, place}) == 0.5);
    assert_true(isinf(sonde__spot_apart(&score, a, (sonde__spot){belief, other})));
    const uint64_t hash = sonde__spot_hash(&score, 1, a);
    assert_true(sonde__spot_hash(&score, 1, (sonde__spot){near, place}) == hash);
    assert_true(sonde__spot_hash(&score, 1, (sonde__spot){far, place}) != hash);
    assert_true(sonde__spot_hash(&score, 1, (sonde__spot){belief, other}) != hash);
    assert_true(sonde__spot_hash(&score, 2, a) != hash);
}

static void where_everything_is_allowed_prefixes_are_powers_of_the_actions(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        setting s = setting_drawn(seed, 0, 200);
        sonde__score score;
        sonde__score_open(&score, s.policies);
        uint64_t wanted = 0;
        uint64_t power = 1;
        for (int32_t t = 0; t < s.policies->horizon; t++) {
            wanted += power;
            power *= (uint64_t)s.model->n_action;
        }
        assert_int_equal(sonde__score_prefixes(&score), wanted);
        setting_free(&s);
    }
}

static void a_decision_starts_on_an_edge_or_from_a_belief(void **state) {
    (void)state;
    space walks = space_new(world(3, 1, SONDE_DIRECTED));
    setting s = setting_drawn(1, 0, 100);
    const int32_t n_edge = walks.graph->n_edge;
    assert_true(sonde__score_can_start(walks.model, (sonde_present){.state = n_edge - 1}));
    assert_false(sonde__score_can_start(walks.model, (sonde_present){.state = n_edge}));
    assert_false(sonde__score_can_start(walks.model, (sonde_present){.state = -1}));
    assert_true(sonde__score_can_start(s.model, setting_now(&s)));
    assert_false(sonde__score_can_start(s.model, (sonde_present){.state = 0}));
    s.belief[0] += 0.5;
    assert_false(sonde__score_can_start(s.model, setting_now(&s)));
    setting_free(&s);
    space_free(&walks);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_need_prefixes_and_countable_futures_need_neither),
        cmocka_unit_test(bounds_are_worked_out_once_for_a_version_of_the_numbers),
        cmocka_unit_test(spots_are_one_where_beliefs_nearly_agree_and_places_do),
        cmocka_unit_test(where_everything_is_allowed_prefixes_are_powers_of_the_actions),
        cmocka_unit_test(a_decision_starts_on_an_edge_or_from_a_belief),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
