/* Which way of scoring the library chooses. */
#include "random_models.h"
#include "scores.h"

static void walks_are_scored_as_walks(void **state) {
    (void)state;
    space s = space_new(world(4, 1, SONDE_DIRECTED));
    assert_ptr_equal(sonde__score_pick(s.policies), &sonde__walk);
    space_free(&s);
}

static void products_are_scored_fast_and_lists_plainly(void **state) {
    (void)state;
    int32_t n_list = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        setting s = setting_drawn(seed, DRAW_ALLOWED | DRAW_LISTED, 100);
        const bool listed = s.model->policies == SONDE_POLICIES_LISTED;
        assert_ptr_equal(sonde__score_pick(s.policies), listed ? &sonde__plain : &sonde__product);
        n_list += listed;
        setting_free(&s);
    }
    assert_true(n_list > 5 && n_list < 55);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_are_scored_as_walks),
        cmocka_unit_test(products_are_scored_fast_and_lists_plainly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
