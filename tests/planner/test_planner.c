/* Plans: what is done, and after what is seen then, what next. */
#include "planner/planner.h"
#include "random_models.h"
#include "stages.h"

static void a_plan_goes_on_along_the_branch_of_what_was_seen(void **state) {
    (void)state;
    /* look; then one thing after outcome 0, another after 2, and in the end the same */
    const sonde_plan_step step[] = {{.action = 7, .first = 0, .n_branch = 2},
                                    {.action = 1, .first = 2, .n_branch = 1},
                                    {.action = 2, .first = 3, .n_branch = 1},
                                    {.action = 0, .first = 4, .n_branch = 0}};
    const sonde_plan_branch branch[] = {{0, 1}, {2, 2}, {-1, 3}, {-1, 3}};
    const sonde_plan_graph plan = {.n_step = 4, .step = step, .branch = branch};
    assert_int_equal(sonde__plan_next(&plan, 0, 0), 1);
    assert_int_equal(sonde__plan_next(&plan, 0, 2), 2);
    assert_int_equal(sonde__plan_next(&plan, 0, 1), -1); /* nobody thought of it */
    assert_int_equal(sonde__plan_next(&plan, 0, -1), -1);
    assert_int_equal(sonde__plan_next(&plan, 1, 5), 3); /* whatever is seen */
    assert_int_equal(sonde__plan_next(&plan, 2, -1), 3);
    assert_int_equal(sonde__plan_next(&plan, 3, 0), -1); /* the end */
}

/* The actions of a plan without branches, from its present step on. */
static int32_t actions_of(const sonde_plan_graph *plan, int32_t *action) {
    int32_t n = 0;
    for (int32_t i = plan->now; i >= 0; i = sonde__plan_next(plan, i, -1)) {
        assert_true(plan->step[i].n_branch <= 1);
        action[n++] = plan->step[i].action;
    }
    return n;
}

static void a_sequence_is_the_plan_without_branches(void **state) {
    (void)state;
    space s = space_random(5, 3, SONDE_SYMMETRIC);
    for (int32_t search = 0; search < n_search(); search++) {
        sonde_search_settings settings = sonde_search_defaults();
        settings.search = (sonde_search_kind)search;
        sonde_agent *agent = agent_of(&s, &settings, NULL);
        const sonde_decision *decision = NULL;
        assert_null(sonde_agent_plan(agent, 0)); /* nothing is decided yet */
        assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
        assert_null(decision->plan); /* nobody has asked */
        const int32_t first = sonde_policies_action(s.policies, decision->best_walk, 1);
        const sonde_plan_graph *plan = sonde_agent_plan(agent, first);
        int32_t action[64];
        assert_non_null(plan);
        assert_ptr_equal(decision->plan, plan);
        assert_int_equal(actions_of(plan, action), s.policies->horizon);
        for (int32_t t = 1; t <= s.policies->horizon; t++) {
            assert_int_equal(action[t - 1],
                             sonde_policies_action(s.policies, decision->best_walk, t));
        }
        sonde_agent_free(agent);
    }
    space_free(&s);
}

static void a_plan_that_is_followed_says_what_is_left_of_it(void **state) {
    (void)state;
    setting s = setting_drawn(11, 0, 300);
    for (uint64_t seed = 12; s.policies->horizon < 3; seed++) {
        setting_free(&s);
        s = setting_drawn(seed, 0, 300);
    }
    sonde_search_settings settings = sonde_search_defaults();
    settings.n_follow = 3;
    settings.surprise = INFINITY;
    sonde_agent *agent = NULL;
    const sonde_decision *decision = NULL;
    int32_t planned[64];
    assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
    const int32_t n = actions_of(sonde_agent_plan(agent, sonde_agent_choice(agent)), planned);
    assert_int_equal(sonde_agent_act(agent), planned[0]);
    for (int32_t t = 1; t < 3; t++) {
        int32_t left[64];
        assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
        assert_int_equal(decision->n_followed, t);
        assert_int_equal(actions_of(decision->plan, left), n - t);
        assert_memory_equal(left, planned + t, (size_t)(n - t) * sizeof *left);
        assert_int_equal(sonde_agent_act(agent), planned[t]);
    }
    assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
    assert_int_equal(decision->n_followed, 0);
    assert_null(decision->plan);
    sonde_agent_free(agent);
    setting_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_goes_on_along_the_branch_of_what_was_seen),
        cmocka_unit_test(a_sequence_is_the_plan_without_branches),
        cmocka_unit_test(a_plan_that_is_followed_says_what_is_left_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
