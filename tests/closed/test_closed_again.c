/* once */
/* Closed loop from step to step: searches that go on from what earlier ones have found, plans that
 * are followed, and what they come to. */
#include "closed/certificates.h"

enum { MODELS = 120 };

static sonde_agent *agent_for(const sonde_policies *policies,
                              const sonde_search_settings *settings) {
    sonde_run run = sonde_run_defaults();
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    run.memory = 64 << 20;
    if (sonde_agent_new(policies, settings, &run, &agent, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return agent;
}

static sonde_policies *policies_for(const sonde_model *model) {
    sonde_policies *policies = NULL;
    sonde_error error = {0};
    if (sonde_policies_count(model, 0, NULL, &policies, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return policies;
}

/* One of the ways to replan. */
static sonde_search_settings settings_of(int32_t i) {
    const sonde_search_kind search[] = {SONDE_SEARCH_BOUNDED, SONDE_SEARCH_FULL, SONDE_SEARCH_AUTO};
    sonde_search_settings settings = sonde_search_defaults();
    settings.loop = SONDE_LOOP_CLOSED;
    settings.search = search[i % 3];
    settings.backup = (sonde_backup)(i / 3 % 3);
    settings.replan = i / 9 % 2 == 0 ? SONDE_REPLAN_RECEDING : SONDE_REPLAN_SHRINKING;
    settings.epsilon = 0.01;
    settings.no_merge = i / 18 % 4 == 3;
    return settings;
}

/* Both decisions are about the same numbers: whatever one is sure of, the other does not rule out. */
static void assert_agree(const sonde_decision *a, const sonde_decision *b) {
    assert_int_equal(a->n_action, b->n_action);
    assert_true(a->value_lower <= b->value_upper && b->value_lower <= a->value_upper);
    for (int32_t i = 0; i < a->n_action; i++) {
        assert_int_equal(a->action[i], b->action[i]);
        assert_true(a->efe_lower[i] <= b->efe_upper[i] && b->efe_lower[i] <= a->efe_upper[i]);
        assert_true(a->p_lower[i] <= b->p_upper[i] && b->p_lower[i] <= a->p_upper[i]);
        if (a->step != NULL && b->step != NULL) {
            assert_true(fabs(a->step[i].efe - b->step[i].efe) < 1e-9);
        }
    }
}

/* Lives with an agent that decides at every step, beside one that decides at the last alone. */
static uint64_t live_twice(const sonde_policies *policies, const sonde_search_settings *settings,
                           int32_t n_step, sonde__rng *rng) {
    sonde_agent *always = agent_for(policies, settings);
    sonde_agent *once = agent_for(policies, settings);
    const sonde_decision *a = NULL;
    const sonde_decision *b = NULL;
    sonde_world *world = NULL;
    assert_int_equal(sonde_world_new(policies->model, &world, NULL), SONDE_OK);
    sonde_world_start(world, sonde__rng_next(rng));
    for (int32_t t = 0; t <= n_step; t++) {
        assert_int_equal(sonde_agent_observe(always, sonde_world_outcome(world), NULL), SONDE_OK);
        assert_int_equal(sonde_agent_observe(once, sonde_world_outcome(world), NULL), SONDE_OK);
        assert_int_equal(sonde_agent_search(always, &a, NULL), SONDE_OK);
        if (t < n_step) {
            const int32_t action = sonde_agent_act(always);
            assert_int_equal(sonde_agent_take(once, action, NULL), SONDE_OK);
            assert_int_equal(sonde_world_move(world, action, NULL), SONDE_OK);
        }
    }
    assert_int_equal(sonde_agent_search(once, &b, NULL), SONDE_OK);
    assert_agree(a, b);
    assert_int_equal(a->n_followed, 0);
    const uint64_t spared = b->evaluations.n_step > a->evaluations.n_step
                                ? b->evaluations.n_step - a->evaluations.n_step
                                : 0;
    sonde_world_free(world);
    sonde_agent_free(always);
    sonde_agent_free(once);
    return spared;
}

static void a_search_that_goes_on_knows_what_a_new_one_would(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(31, SONDE__FOR_SAMPLE, 0);
    uint64_t spared = 0;
    for (int32_t i = 0; i < MODELS; i++) {
        sonde_model *model = draw_certified(&rng);
        sonde_policies *policies = policies_for(model);
        const sonde_search_settings settings = settings_of(i);
        for (int32_t n = 1; n <= 3; n++) {
            spared += live_twice(policies, &settings, n, &rng);
        }
        sonde_policies_free(policies);
        sonde_model_free(model);
    }
    assert_true(spared > 1000); /* steps that were not scored twice */
}

/* ------------------------------------------------------------------------------------ follow -- */

static void a_plan_that_is_followed_scores_nothing(void **state) {
    (void)state;
    sonde_model *model = model_from(SONDE_TEST_DATA "/closed/models/t-maze-95.json");
    sonde_policies *policies = policies_for(model); /* T is 8 */
    sonde_search_settings settings = settings_of(2);
    settings.n_follow = 5;
    sonde_agent *agent = agent_for(policies, &settings);
    sonde_agent *other = agent_for(policies, &settings);
    sonde_world *world = NULL;
    assert_int_equal(sonde_world_new(model, &world, NULL), SONDE_OK);
    sonde_world_start(world, 3);
    double value[2] = {0};
    for (int32_t t = 0; t < 10; t++) {
        const sonde_decision *d = NULL;
        sonde_agent_observe(agent, sonde_world_outcome(world), NULL);
        const sonde_agent_memory memory = sonde_agent_memory_get(agent);
        assert_int_equal(memory.n_followed, t % 5);
        if (t % 5 > 0) { /* a plan cannot be handed over */
            assert_int_equal(sonde_agent_memory_set(other, &memory, NULL), SONDE_BAD_ARGUMENT);
        }
        assert_int_equal(sonde_agent_search(agent, &d, NULL), SONDE_OK);
        assert_int_equal(d->n_followed, t % 5);
        assert_true((d->evaluations.n_step > 0) == (t % 5 == 0));
        assert_true(d->n_contingency > 0 && d->contingency[0].depth == 0);
        assert_true(t % 5 == 0 || (d->value_lower < d->value_upper && d->value_lower != value[0]));
        value[0] = d->value_lower;
        assert_int_equal(sonde_world_move(world, sonde_agent_act(agent), NULL), SONDE_OK);
    }
    sonde_world_free(world);
    sonde_agent_free(agent);
    sonde_agent_free(other);
    sonde_policies_free(policies);
    sonde_model_free(model);
}

static void what_surprises_ends_a_plan(void **state) {
    (void)state;
    sonde_model *model = model_from(SONDE_TEST_DATA "/closed/models/t-maze-95.json");
    sonde_policies *policies = policies_for(model);
    for (int32_t i = 0; i < 3; i++) {
        sonde_search_settings settings = settings_of(2);
        settings.n_follow = 5;
        settings.surprise = i == 0 ? 0.1 : (double)INFINITY;
        sonde_agent *agent = agent_for(policies, &settings);
        const sonde_decision *d = NULL;
        const int32_t centre[] = {0, 0};
        /* going right, the reward is there with a half: .69 nats; or it is not seen; or a cue is
         * seen where there is none */
        const int32_t right[3][2] = {{2, 1}, {SONDE_MISSING, 1}, {3, 1}};
        sonde_agent_observe(agent, centre, NULL);
        assert_int_equal(sonde_agent_search(agent, &d, NULL), SONDE_OK);
        assert_int_equal(sonde_agent_take(agent, 2, NULL), SONDE_OK);
        assert_int_equal(sonde_agent_observe(agent, right[i], NULL), SONDE_OK);
        assert_int_equal(sonde_agent_search(agent, &d, NULL), SONDE_OK);
        assert_int_equal(d->n_followed, 0);
        sonde_agent_free(agent);
    }
    sonde_policies_free(policies);
    sonde_model_free(model);
}

static void what_a_plan_comes_to_is_its_value(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(32, SONDE__FOR_SAMPLE, 0);
    int32_t n_far = 0;
    for (int32_t i = 0; i < 60; i++) {
        sonde_model *model = draw_certified(&rng);
        sonde_policies *policies = policies_for(model);
        sonde_search_settings settings = settings_of(i);
        settings.epsilon = 1e-4;
        sonde_agent *agent = agent_for(policies, &settings);
        const sonde_decision *d = NULL;
        sonde_followed f = {0};
        sonde_error error = {0};
        assert_int_equal(sonde_agent_follow(agent, 100, &f, &error), SONDE_BAD_ARGUMENT);
        assert_int_equal(sonde_agent_search(agent, &d, NULL), SONDE_OK);
        if (d->n_contingency > 0) {
            assert_int_equal(sonde_agent_follow(agent, 2000, &f, &error), SONDE_OK);
            assert_true(f.lower == d->value_lower && f.upper == d->value_upper);
            assert_true(settings.search != SONDE_SEARCH_FULL || f.left == 0.0);
            const double off = f.mean < f.lower ? f.lower - f.mean : f.mean - f.upper;
            n_far += off > 3.0 * f.error + 1e-6 * (1.0 + fabs(f.mean));
            assert_true(off <= 5.0 * f.error + 1e-6 * (1.0 + fabs(f.mean)));
            assert_int_equal(sonde_agent_follow(agent, 1, &f, &error), SONDE_BAD_ARGUMENT);
        }
        sonde_agent_free(agent);
        sonde_policies_free(policies);
        sonde_model_free(model);
    }
    assert_true(n_far <= 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_that_goes_on_knows_what_a_new_one_would),
        cmocka_unit_test(a_plan_that_is_followed_scores_nothing),
        cmocka_unit_test(what_surprises_ends_a_plan),
        cmocka_unit_test(what_a_plan_comes_to_is_its_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
