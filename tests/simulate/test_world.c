/* Worlds, diaries and many simulations at once: all of them give what sonde_simulate gives. */
/* uses threads */
#include "random_models.h"
#include "stages.h"

static sonde_search_settings with(uint64_t seed) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.seed = seed;
    settings.gamma = 0.5;
    return settings;
}

/* An agent, its world and its diary, step by step. */
static sonde_episode *live(sonde_agent *agent, uint64_t seed, int32_t n_step, bool tells) {
    sonde_world *world = NULL;
    sonde_diary *diary = NULL;
    sonde_episode *episode = NULL;
    const sonde_model *model = sonde_agent_policies(agent)->model;
    assert_int_equal(sonde_world_new(model, &world, NULL), SONDE_OK);
    assert_int_equal(sonde_diary_new(agent, n_step, &diary, NULL), SONDE_OK);
    sonde_world_start(world, seed);
    for (int32_t t = 0; t < n_step; t++) {
        int32_t action = -1;
        const int32_t *place = tells ? sonde_world_state(world) : NULL;
        assert_int_equal(sonde_diary_see(diary, sonde_world_outcome(world), NULL, place, NULL),
                         SONDE_OK);
        assert_int_equal(sonde_diary_act(diary, &action, NULL), SONDE_OK);
        assert_int_equal(sonde_world_move(world, action, NULL), SONDE_OK);
    }
    assert_int_equal(
        sonde_diary_end(diary, tells ? sonde_world_state(world) : NULL, &episode, NULL), SONDE_OK);
    sonde_world_free(world);
    return episode;
}

static void a_diary_in_a_models_world_is_its_simulation(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED, 300.0);
        const sonde_search_settings settings = with(seed);
        sonde_agent *agent = NULL;
        sonde_episode *whole = NULL;
        assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, NULL), SONDE_OK);
        assert_int_equal(sonde_simulate(agent, NULL, 6, &whole, NULL), SONDE_OK);
        sonde_agent_free(agent);
        assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, NULL), SONDE_OK);
        sonde_episode *stepped = live(agent, seed, 6, true);
        assert_same_episode(stepped, whole);
        sonde_episode_free(stepped);
        stepped = live(agent, seed, 6, false);
        assert_null(stepped->state);
        sonde_text json = {0};
        sonde_document_episode(agent, stepped, NULL, &json);
        assert_null(strstr(json.data, "\"path\""));
        sonde_text_free(&json);
        sonde_episode_free(stepped);
        sonde_episode_free(whole);
        sonde_agent_free(agent);
        setting_free(&s);
    }
}

static void outcomes_of_graph_worlds_are_states(void **state) {
    (void)state;
    space s = space_random(5, 4, SONDE_SYMMETRIC);
    const sonde_search_settings settings = with(3);
    sonde_agent *agent = agent_of(&s, &settings, NULL);
    sonde_episode *whole = NULL;
    assert_int_equal(sonde_simulate(agent, NULL, 6, &whole, NULL), SONDE_OK);
    sonde_agent_free(agent);
    agent = agent_of(&s, &settings, NULL);
    sonde_episode *stepped = live(agent, 3, 6, true);
    assert_same_episode(stepped, whole);
    assert_true(stepped->shortest == whole->shortest);
    sonde_episode_free(stepped);
    sonde_episode_free(whole);
    sonde_agent_free(agent);
    space_free(&s);
}

static void a_diary_is_written_in_order(void **state) {
    (void)state;
    space s = space_random(4, 4, SONDE_SYMMETRIC);
    const sonde_search_settings settings = with(3);
    sonde_agent *agent = agent_of(&s, &settings, NULL);
    sonde_diary *diary = NULL;
    sonde_episode *episode = NULL;
    int32_t action = -1;
    sonde_error error = {0};
    const int32_t *start = &s.graph->start;
    assert_int_equal(sonde_diary_new(agent, 0, &diary, &error), SONDE_BAD_ARGUMENT);
    assert_int_equal(sonde_diary_new(agent, 1, &diary, &error), SONDE_OK);
    assert_int_equal(sonde_diary_end(diary, NULL, &episode, &error), SONDE_BAD_ARGUMENT);
    assert_int_equal(sonde_diary_act(diary, &action, &error), SONDE_BAD_ARGUMENT);
    assert_int_equal(sonde_diary_see(diary, start, NULL, NULL, &error), SONDE_OK);
    assert_int_equal(sonde_diary_see(diary, start, NULL, NULL, &error), SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "act first"));
    assert_int_equal(sonde_diary_act(diary, &action, &error), SONDE_OK);
    assert_int_equal(sonde_diary_see(diary, start, NULL, NULL, &error), SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "no room"));
    sonde_diary_free(diary);
    sonde_agent_free(agent);
    space_free(&s);
}

static void a_world_that_has_not_begun_does_not_move(void **state) {
    (void)state;
    space s = space_random(4, 4, SONDE_SYMMETRIC);
    sonde_world *world = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_world_new(s.model, &world, &error), SONDE_OK);
    assert_int_equal(sonde_world_move(world, 0, &error), SONDE_BAD_ARGUMENT);
    sonde_world_start(world, 1);
    assert_int_equal(sonde_world_move(world, s.model->n_action, &error), SONDE_BAD_ARGUMENT);
    assert_int_equal(sonde_world_move(world, 0, &error), SONDE_OK);
    sonde_world_free(world);
    space_free(&s);
}

/* -------------------------------------------------------------------------- many at once -- */

enum { N_TRIAL = 12 };

static void many_simulations_are_as_many_single_ones_on_any_number_of_threads(void **state) {
    (void)state;
    space s = space_random(5, 4, SONDE_SYMMETRIC);
    sonde_search_settings settings[N_TRIAL];
    sonde_trial trial[2][N_TRIAL];
    for (int32_t i = 0; i < N_TRIAL; i++) {
        settings[i] = with((uint64_t)i);
        settings[i].search = i % 2 == 0 ? SONDE_SEARCH_CLUSTER : SONDE_SEARCH_BOUNDED;
        settings[i].n_beam = i == 5 ? -1 : settings[i].n_beam; /* which is refused */
        trial[0][i] = trial[1][i] =
            (sonde_trial){.policies = s.policies, .settings = &settings[i], .n_step = 5};
    }
    for (int32_t which = 0; which < 2; which++) {
        const sonde_run run = threads(which == 0 ? 1 : 4);
        assert_int_equal(sonde_simulate_many(N_TRIAL, trial[which], &run, NULL), SONDE_OK);
    }
    for (int32_t i = 0; i < N_TRIAL; i++) {
        if (i == 5) {
            assert_null(trial[0][i].episode);
            assert_int_equal(trial[0][i].error.status, SONDE_BAD_ARGUMENT);
            assert_non_null(strstr(trial[1][i].error.text, "beam"));
            continue;
        }
        sonde_agent *agent = agent_of(&s, &settings[i], NULL);
        sonde_episode *alone = NULL;
        assert_int_equal(sonde_simulate(agent, NULL, 5, &alone, NULL), SONDE_OK);
        assert_same_episode(trial[0][i].episode, alone);
        assert_same_episode(trial[1][i].episode, alone);
        sonde_episode_free(alone);
        sonde_episode_free(trial[0][i].episode);
        sonde_episode_free(trial[1][i].episode);
        sonde_agent_free(agent);
    }
    space_free(&s);
}

static void who_is_stopped_leaves_no_episode(void **state) {
    (void)state;
    space s = space_random(5, 4, SONDE_SYMMETRIC);
    const sonde_search_settings settings = with(1);
    sonde_trial trial = {.policies = s.policies, .settings = &settings, .n_step = 5};
    sonde_stop stop = {0};
    sonde_run run = threads(2);
    run.stop = &stop;
    sonde_stop_raise(&stop);
    assert_int_equal(sonde_simulate_many(1, &trial, &run, NULL), SONDE_STOPPED);
    assert_null(trial.episode);
    assert_int_equal(sonde_simulate_many(0, &trial, &run, NULL), SONDE_BAD_ARGUMENT);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_diary_in_a_models_world_is_its_simulation),
        cmocka_unit_test(outcomes_of_graph_worlds_are_states),
        cmocka_unit_test(a_diary_is_written_in_order),
        cmocka_unit_test(a_world_that_has_not_begun_does_not_move),
        cmocka_unit_test(many_simulations_are_as_many_single_ones_on_any_number_of_threads),
        cmocka_unit_test(who_is_stopped_leaves_no_episode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
