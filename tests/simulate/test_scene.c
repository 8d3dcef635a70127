/* Worlds that change, outcomes that are looked up, and agents that are saved in the middle of an
 * episode and read back. */
#include "learn/counted.h"
#include "sonde_world.h"
#include "stages.h"

#define ARMS                                                                                       \
    "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 1,\n"                              \
    "\"factors\": [{\"name\": \"arm\", \"states\": [\"left\", \"right\"],\n"                       \
    "  \"actions\": [\"left\", \"right\"]}],\n"                                                    \
    "\"modalities\": [{\"name\": \"reward\", \"outcomes\": [\"win\", \"loss\"]}],\n"               \
    "\"B\": [[[[1, 0], [1, 0]], [[0, 1], [0, 1]]]], \"C\": [[1, 0]], \"D\": [[0.5, 0.5]],\n"
#define AGENT ARMS "\"counts\": {\"A\": [[[1, 1], [1, 1]]]}}"
#define PROCESS ARMS "\"A\": [[[1, 1], [0, 0]]],\n"

typedef struct {
    sonde_model *model;
    sonde_policies *policies;
    sonde_agent *agent;
} player;

static player player_of(sonde_model *model, sonde_search_settings search,
                        const sonde_learn_settings *learn) {
    player p = {.model = model};
    sonde_error error = {0};
    assert_int_equal(sonde_policies_count(model, 0, NULL, &p.policies, NULL), SONDE_OK);
    if (sonde_agent_new(p.policies, &search, NULL, &p.agent, &error) != SONDE_OK ||
        (learn != NULL && sonde_agent_learn(p.agent, learn, &error) != SONDE_OK)) {
        fail_msg("%s", error.text);
    }
    return p;
}

static void player_free(player *p) {
    sonde_agent_free(p->agent);
    sonde_policies_free(p->policies);
    sonde_model_free(p->model);
}

static sonde_source source_of(const char *text) {
    return (sonde_source){.origin = "world.json", .data = text, .size = strlen(text)};
}

static sonde_stage *process_of(const char *text) {
    const sonde_source source = source_of(text);
    sonde_stage *process = NULL;
    sonde_error error = {0};
    if (sonde_stage_read(&source, NULL, &process, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return process;
}

static sonde_episode *act(const player *p, sonde_world *world, sonde_scene scene) {
    sonde_episode *episode = NULL;
    sonde_error error = {0};
    if (sonde_simulate_in(p->agent, world, &scene, &episode, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return episode;
}

static void a_world_changes_with_the_step_of_the_run(void **state) {
    (void)state;
    /* it gives, then from step 7 on it takes, and from episode 2 on it gives again */
    sonde_stage *process = process_of(
        PROCESS "\"schedule\": [{\"from\": {\"step\": 7}, \"A\": [[[0, 0], [1, 1]]]},\n"
                " {\"from\": {\"episode\": 2}, \"A\": [[[1, 1], [0, 0]]], \"B\": null}]}");
    const sonde_learn_settings learn = sonde_learn_defaults();
    player p = player_of(model_of(AGENT), sonde_search_defaults(), &learn);
    sonde_world *world = NULL;
    assert_int_equal(sonde_world_new_in(process, p.model, &world, NULL), SONDE_OK);
    for (int32_t number = 0; number < 3; number++) {
        sonde_episode *episode = act(&p, world, (sonde_scene){.number = number, .n_step = 5});
        for (int32_t t = 0; t < 5; t++) {
            const int32_t step = number * 5 + t;
            assert_int_equal(episode->outcome[t], step >= 7 && number < 2 ? 1 : 0);
        }
        sonde_episode_free(episode);
    }
    sonde_world_free(world);
    sonde_stage_free(process);
    player_free(&p);
}

static void a_schedule_that_is_none_is_refused_by_a_sentence(void **state) {
    (void)state;
    static const struct {
        const char *schedule;
        const char *sentence;
    } bad[] = {
        {"7", "schedule: expected a list of changes"},
        {"[{\"A\": null}]", "schedule[0].from: expected {\"step\": N} or {\"episode\": N}"},
        {"[{\"from\": {\"stop\": 3}}]", "did you mean \"step\"?"},
        {"[{\"from\": {\"step\": -1}}]", "schedule[0].from: expected"},
        {"[{\"from\": {\"step\": 3}, \"A\": [null, null]}]", "schedule[0].A: expected a list of 1"},
        {"[{\"from\": {\"step\": 3}, \"C\": null}]", "schedule[0]: unknown key \"C\""},
        {"[{\"from\": {\"step\": 3}}, {\"from\": {\"step\": 2}}]",
         "expected changes in their order"},
        {"[{\"from\": {\"step\": 3}, \"A\": [[[1, 1], [1, 0]]]}]", "schedule[0]: world.json: A[0]"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[2048];
        sonde_stage *process = NULL;
        sonde_error error = {0};
        (void)snprintf(text, sizeof text, "%s\"schedule\": %s}", PROCESS, bad[i].schedule);
        const sonde_source source = source_of(text);
        assert_int_equal(sonde_stage_read(&source, NULL, &process, &error), SONDE_BAD_INPUT);
        if (strstr(error.text, bad[i].sentence) == NULL) {
            fail_msg("expected \"%s\", found \"%s\"", bad[i].sentence, error.text);
        }
    }
}

static const char *write_table(const char *text) {
    static char path[512];
    (void)snprintf(path, sizeof path, SONDE_TEST_TMP "/outcomes.csv");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

static sonde_status read_table(const char *text, const sonde_model *model, sonde_stage **process,
                               sonde_error *error) {
    const sonde_source source = {.origin = write_table(text)};
    return sonde_stage_table(&source, model, process, error);
}

static void outcomes_are_looked_up_by_episode_step_and_action(void **state) {
    (void)state;
    const sonde_learn_settings learn = sonde_learn_defaults();
    player p = player_of(model_of(AGENT), sonde_search_defaults(), &learn);
    sonde_stage *process = NULL;
    sonde_error error = {0};
    /* left wins in episode 0, right in episode 1 */
    if (read_table("episode,step,u0,reward,more\n0,0,left,win,x\n0,0,right,loss,\n0,1,0,win,\n"
                   "0,1,1,1,\n1,0,left,loss,\n1,0,right,win,\n1,1,left,NA,\n1,1,right,,\"a, b\"\n",
                   p.model, &process, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    sonde_world *world = NULL;
    assert_int_equal(sonde_world_new_in(process, p.model, &world, NULL), SONDE_OK);
    for (int32_t number = 0; number < 2; number++) {
        sonde_episode *episode = act(&p, world, (sonde_scene){.number = number, .n_step = 3});
        assert_null(episode->state);
        assert_int_equal(episode->outcome[0], SONDE_MISSING);
        assert_int_equal(episode->outcome[1],
                         number == 0 ? episode->action[0] : 1 - episode->action[0]);
        assert_int_equal(episode->outcome[2], number == 0 ? episode->action[1] : SONDE_MISSING);
        sonde_episode_free(episode);
    }
    /* two outcomes, then one */
    assert_near(sonde_agent_learned(p.agent, SONDE_A, 0).added, 3.0, 1e-12);
    sonde_episode *episode = NULL;
    const sonde_scene beyond = {.number = 2, .n_step = 3};
    assert_int_equal(sonde_simulate_in(p.agent, world, &beyond, &episode, &error), SONDE_BAD_INPUT);
    assert_non_null(strstr(error.text, "expected what follows episode 2, step 0, action "));
    sonde_world_free(world);
    sonde_stage_free(process);
    player_free(&p);
}

static void tables_that_are_none_are_refused_by_a_sentence(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *sentence;
    } bad[] = {
        {"", "expected a header, found nothing"},
        {"step,reward\n0,win\n", "expected a column u0 or arm, the action of factor 0"},
        {"step,arm\n0,left\n", "expected a column o0 or reward, the outcome of modality 0"},
        {"step,arm,reward\n", "expected rows below the header"},
        {"step,arm,reward\n0,left,Win\n", "row 1, column reward: expected a name or a number from "
                                          "0 to 1, found \"Win\"; did you mean \"win\"?"},
        {"step,arm,reward\n0,left\n", "row 1: expected 3 cells as in the header, found 2"},
        {"step,arm,reward\n0,left,win\n0,left,loss\n", "are of the same episode, step and action"},
        {"step,arm,reward\n-1,left,win\n", "row 1, column step: expected"},
    };
    sonde_model *model = model_of(AGENT);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sonde_stage *process = NULL;
        sonde_error error = {0};
        assert_int_equal(read_table(bad[i].text, model, &process, &error), SONDE_BAD_INPUT);
        if (strstr(error.text, bad[i].sentence) == NULL) {
            fail_msg("expected \"%s\", found \"%s\"", bad[i].sentence, error.text);
        }
    }
    sonde_model_free(model);
}

/* ------------------------------------------------------------------------------------- saved -- */

/* one way to plan and learn */
typedef struct {
    sonde_loop loop;
    sonde_learn_when when;
    bool learns;
} way;

static player player_in(uint64_t seed, const way *w) {
    sonde_search_settings search = sonde_search_defaults();
    sonde_learn_settings learn = sonde_learn_defaults();
    search.loop = w->loop;
    search.seed = seed;
    learn.when = w->when;
    learn.beliefs = w->when == SONDE_LEARN_EPISODE ? SONDE_BELIEFS_SMOOTHED : learn.beliefs;
    learn.beliefs_D = SONDE_BELIEFS_SMOOTHED;
    learn.steps = 20;
    learn.omega = 0.01;
    learn.decay = 0.1;
    return player_of(draw_counted(seed, 2), search, w->learns ? &learn : NULL);
}

/* what comes of 5 + 4 steps, with the agent and its world saved between, or not */
static void live(uint64_t seed, const way *w, bool saved, sonde_text *found) {
    player p = player_in(seed, w);
    sonde_world *world = NULL;
    assert_int_equal(sonde_world_new(p.model, &world, NULL), SONDE_OK);
    sonde_episode_free(act(&p, world, (sonde_scene){.n_step = 5, .open = true}));
    if (saved) {
        sonde_text text = {0};
        sonde_error error = {0};
        assert_int_equal(sonde_agent_save(p.agent, world, &text, &error), SONDE_OK);
        sonde_world_free(world);
        player_free(&p);
        p = player_in(seed, w);
        assert_int_equal(sonde_world_new(p.model, &world, NULL), SONDE_OK);
        const sonde_source source = {.origin = "agent", .data = text.data, .size = text.size};
        if (sonde_agent_load(p.agent, &source, world, &error) != SONDE_OK) {
            fail_msg("%s", error.text);
        }
        sonde_text_free(&text);
    }
    sonde_episode *episode = act(&p, world, (sonde_scene){.n_step = 4, .goes_on = true});
    for (int32_t t = 0; t < 4; t++) {
        sonde_text_add(found, "%d %.17g ", episode->action[t], episode->p[t]);
    }
    sonde_episode_free(episode);
    sonde_episode_free(act(&p, world, (sonde_scene){.number = 1, .n_step = 3}));
    assert_int_equal(sonde_agent_save(p.agent, world, found, NULL), SONDE_OK);
    sonde_world_free(world);
    player_free(&p);
}

static void an_agent_that_was_saved_goes_on_to_the_last_bit(void **state) {
    (void)state;
    static const way ways[] = {{SONDE_LOOP_OPEN, SONDE_LEARN_AFTER, true},
                               {SONDE_LOOP_OPEN, SONDE_LEARN_BEFORE, true},
                               {SONDE_LOOP_OPEN, SONDE_LEARN_EPISODE, true},
                               {SONDE_LOOP_OPEN, SONDE_LEARN_AFTER, false},
                               {SONDE_LOOP_CLOSED, SONDE_LEARN_AFTER, true},
                               {SONDE_LOOP_CLOSED, SONDE_LEARN_AFTER, false}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        for (uint64_t seed = 1; seed <= 12; seed++) {
            sonde_text found[2] = {{0}, {0}};
            live(seed, &ways[i], false, &found[0]);
            live(seed, &ways[i], true, &found[1]);
            assert_string_equal(found[0].data, found[1].data);
            sonde_text_free(&found[0]);
            sonde_text_free(&found[1]);
        }
    }
}

static void agents_of_others_are_refused_by_a_sentence(void **state) {
    (void)state;
    static const way learns = {SONDE_LOOP_OPEN, SONDE_LEARN_AFTER, true};
    static const way does_not = {SONDE_LOOP_OPEN, SONDE_LEARN_AFTER, false};
    player p = player_in(3, &learns);
    player other = player_in(3, &does_not);
    sonde_text text = {0};
    sonde_error error = {0};
    assert_int_equal(sonde_agent_save(p.agent, NULL, &text, NULL), SONDE_OK);
    const sonde_source source = {.origin = "agent", .data = text.data, .size = text.size};
    assert_int_equal(sonde_agent_load(other.agent, &source, NULL, &error), SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "let both learn with the same settings"));
    sonde_world *world = NULL;
    assert_int_equal(sonde_world_new(p.model, &world, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_load(p.agent, &source, world, &error), SONDE_BAD_INPUT);
    assert_non_null(strstr(error.text, "which was not saved with this agent"));
    static const char *const bad[] = {"{}", "[1", "{\"format\": \"sonde-agent\", \"version\": 1}"};
    for (size_t i = 0; i < 3; i++) {
        const sonde_source wrong = source_of(bad[i]);
        assert_int_equal(sonde_agent_load(p.agent, &wrong, NULL, &error), SONDE_BAD_INPUT);
    }
    sonde_world_free(world);
    sonde_text_free(&text);
    player_free(&p);
    player_free(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_changes_with_the_step_of_the_run),
        cmocka_unit_test(a_schedule_that_is_none_is_refused_by_a_sentence),
        cmocka_unit_test(outcomes_are_looked_up_by_episode_step_and_action),
        cmocka_unit_test(tables_that_are_none_are_refused_by_a_sentence),
        cmocka_unit_test(an_agent_that_was_saved_goes_on_to_the_last_bit),
        cmocka_unit_test(agents_of_others_are_refused_by_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
