/* Worlds that change, outcomes that are looked up, and agents that are saved in the middle of an
 * episode and read back. */
#include "learn/counted.h"
#include "simulate/scene.h"
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

static void a_table_in_memory_is_read_as_one_in_a_file_is(void **state) {
    (void)state;
    static const char text[] = "step,u0,reward\n0,left,win\n0,right,loss\n";
    sonde_model *model = model_of(AGENT);
    const sonde_source source = {"memory", text, sizeof text - 1};
    sonde_stage *process = NULL;
    sonde_error error = {0};
    if (sonde_stage_table(&source, model, &process, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    sonde_stage_free(process);
    const sonde_source cut = {"memory", text, strlen("step,u0")};
    assert_int_equal(sonde_stage_table(&cut, model, &process, &error), SONDE_BAD_INPUT);
    sonde_model_free(model);
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

static void what_is_not_in_a_table_is_told_by_the_name_of_the_action(void **state) {
    (void)state;
    sonde_model *model = model_of(AGENT);
    sonde_stage *process = NULL;
    sonde_world *world = NULL;
    assert_int_equal(read_table("step,u0,reward\n5,left,win\n", model, &process, NULL), SONDE_OK);
    assert_int_equal(sonde_world_new_in(process, model, &world, NULL), SONDE_OK);
    for (int32_t action = 0; action < 2; action++) {
        static const char *const told[] = {"action left, found", "action right, found"};
        sonde_error error = {0};
        sonde_world_start(world, 1);
        assert_int_equal(sonde_world_move(world, action, &error), SONDE_OK);
        assert_int_equal(sonde__world_check(world, &error), SONDE_BAD_INPUT);
        if (strstr(error.text, told[action]) == NULL) {
            fail_msg("expected \"%s\", found \"%s\"", told[action], error.text);
        }
    }
    sonde_world_free(world);
    sonde_stage_free(process);
    sonde_model_free(model);
}

/* Rows without an action are what is seen in their step, but after an action that has a row. */
static void what_is_seen_whatever_is_done_needs_no_action(void **state) {
    (void)state;
    player p = player_of(model_of(AGENT), sonde_search_defaults(), NULL);
    static const char *const table[] = {
        "step,reward\n0,loss\n1,win\n2,loss\n",
        "step,arm,reward\n0,NA,loss\n0,left,win\n0,right,win\n1,,win\n2,,loss\n"};
    for (int32_t i = 0; i < 2; i++) {
        sonde_stage *process = NULL;
        sonde_world *world = NULL;
        sonde_error error = {0};
        if (read_table(table[i], p.model, &process, &error) != SONDE_OK) {
            fail_msg("%s", error.text);
        }
        assert_int_equal(sonde_world_new_in(process, p.model, &world, NULL), SONDE_OK);
        sonde_episode *episode = act(&p, world, (sonde_scene){.n_step = 3});
        const int32_t loss = sonde_stage_outcome(process, 0, 2, -1)[0];
        assert_int_equal(episode->outcome[0], loss);
        assert_int_equal(episode->outcome[1], 1 - loss);
        assert_int_equal(episode->outcome[2], loss);
        assert_null(sonde_stage_outcome(process, 0, 3, -1));
        sonde_episode_free(episode);
        sonde_world_free(world);
        sonde_stage_free(process);
    }
    player_free(&p);
}

static void tables_that_are_none_are_refused_by_a_sentence(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *sentence;
    } bad[] = {
        {"", "expected a table with a header, found nothing"},
        {"step,arm\n0,left\n", "expected a column o0 or reward, the outcome of modality 0"},
        {"step,arm,reward\n", "expected rows below the header"},
        {"step,arm,reward\n0,left,Win\n", "row 1, column reward: expected a name or a number from "
                                          "0 to 1, found \"Win\"; did you mean \"win\"?"},
        {"step,arm,reward\n0,left\n", "row 1: expected 3 cells, as the header has, found 2"},
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
    bool looks; /* what is seen depends on the action, and the horizon is longer */
    sonde_search_kind search;
    sonde_replan replan;
} way;

/* Action 0 looks closely and costs something, action 1 mixes the states up now and then. */
static const char *const LOOKS =
    "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 4,"
    " \"factors\": [{\"states\": 2, \"actions\": 2}], \"modalities\": [{\"outcomes\": 3}],"
    " \"A\": [[[[0.7, 0.2], [0.2, 0.3]], [[0.2, 0.4], [0.6, 0.1]], [[0.1, 0.4], [0.2, 0.6]]]],"
    " \"B\": [[[[0.95, 0.6], [0.1, 0.3]], [[0.05, 0.4], [0.9, 0.7]]]],"
    " \"C\": [[0.3, 0.1, -0.4]], \"D\": [[0.4, 0.6]],"
    " \"action_cost\": [[0.05, 0], [0.1, 0.02]]}";

static player player_in(uint64_t seed, const way *w) {
    sonde_search_settings search = sonde_search_defaults();
    sonde_learn_settings learn = sonde_learn_defaults();
    search.loop = w->loop;
    search.search = w->search;
    search.replan = w->replan;
    search.seed = seed;
    learn.when = w->when;
    learn.beliefs = w->when == SONDE_LEARN_EPISODE ? SONDE_BELIEFS_SMOOTHED : learn.beliefs;
    learn.beliefs_D = SONDE_BELIEFS_SMOOTHED;
    learn.steps = 20;
    learn.omega = 0.01;
    learn.decay = 0.1;
    return player_of(w->looks ? model_of(LOOKS) : draw_counted(seed, 2), search,
                     w->learns ? &learn : NULL);
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
    static const way ways[] = {
        {SONDE_LOOP_OPEN, SONDE_LEARN_AFTER, true, .search = SONDE_SEARCH_BOUNDED},
        {SONDE_LOOP_OPEN, SONDE_LEARN_BEFORE, true, .search = SONDE_SEARCH_BOUNDED},
        {SONDE_LOOP_OPEN, SONDE_LEARN_EPISODE, true, .search = SONDE_SEARCH_BOUNDED},
        {SONDE_LOOP_OPEN, SONDE_LEARN_AFTER, false, .search = SONDE_SEARCH_BOUNDED},
        {SONDE_LOOP_CLOSED, SONDE_LEARN_AFTER, true, .search = SONDE_SEARCH_BOUNDED},
        {SONDE_LOOP_CLOSED, SONDE_LEARN_AFTER, false, .search = SONDE_SEARCH_BOUNDED},
        {.looks = true, .search = SONDE_SEARCH_FULL},
        {SONDE_LOOP_CLOSED, .looks = true, .search = SONDE_SEARCH_QMDP},
        {SONDE_LOOP_CLOSED, .looks = true, .search = SONDE_SEARCH_UCT},
        {SONDE_LOOP_CLOSED, .looks = true, .search = SONDE_SEARCH_DPEFE},
        {SONDE_LOOP_CLOSED, .looks = true, .search = SONDE_SEARCH_PRUNED}};
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

/* What was found of beliefs to come is not saved, so numbers are the same but for rounding. */
static void a_shrinking_horizon_ends_where_it_did(void **state) {
    (void)state;
    static const sonde_search_kind search[] = {SONDE_SEARCH_FULL, SONDE_SEARCH_AUTO,
                                               SONDE_SEARCH_BOUNDED};
    for (int32_t i = 0; i < 6; i++) {
        const way w = {SONDE_LOOP_CLOSED, .looks = true, .search = search[i % 3],
                       .replan = i < 3 ? SONDE_REPLAN_SHRINKING : SONDE_REPLAN_RECEDING};
        for (uint64_t seed = 1; seed <= 12; seed++) {
            player p = player_in(seed, &w);
            player q = player_in(seed + 1, &w);
            sonde_text text = {0};
            sonde_error error = {0};
            int32_t outcome = 0;
            for (int32_t t = 0; t < 9; t++) {
                const sonde_decision *d[2] = {NULL, NULL};
                sonde_agent *agent[2] = {p.agent, q.agent};
                sonde_text_free(&text);
                assert_int_equal(sonde_agent_save(p.agent, NULL, &text, &error), SONDE_OK);
                const sonde_source source = {"agent", text.data, text.size};
                assert_int_equal(sonde_agent_load(q.agent, &source, NULL, &error), SONDE_OK);
                for (int32_t k = 0; k < 2; k++) {
                    assert_int_equal(sonde_agent_observe(agent[k], &outcome, &error), SONDE_OK);
                    assert_int_equal(sonde_agent_search(agent[k], &d[k], &error), SONDE_OK);
                }
                for (int32_t u = 0; u < 2; u++) {
                    const double near = w.search == SONDE_SEARCH_BOUNDED ? 2e-3 : 1e-12;
                    assert_near(d[0]->posterior[u], d[1]->posterior[u], near);
                    assert_true(d[0]->efe_lower[u] <= d[1]->efe_upper[u]);
                    assert_true(d[1]->efe_lower[u] <= d[0]->efe_upper[u]);
                }
                outcome = (outcome + t + sonde_agent_act(p.agent)) % 3;
            }
            sonde_text_free(&text);
            player_free(&p);
            player_free(&q);
        }
    }
}

/* Documents of before have no place in the horizon. */
static void older_documents_are_read(void **state) {
    (void)state;
    const way w = {SONDE_LOOP_CLOSED, .looks = true, .search = SONDE_SEARCH_FULL};
    player p = player_in(1, &w);
    sonde_text text = {0};
    sonde_error error = {0};
    const sonde_decision *decision = NULL;
    assert_int_equal(sonde_agent_search(p.agent, &decision, &error), SONDE_OK);
    (void)sonde_agent_act(p.agent);
    assert_int_equal(sonde_agent_save(p.agent, NULL, &text, &error), SONDE_OK);
    char *taken = strstr(text.data, "\"taken\": 1, ");
    assert_non_null(taken);
    memset(taken, ' ', strlen("\"taken\": 1, "));
    const sonde_source source = {"agent", text.data, text.size};
    assert_int_equal(sonde_agent_load(p.agent, &source, NULL, &error), SONDE_OK);
    assert_int_equal(sonde_agent_memory_get(p.agent).n_taken, 0);
    assert_true(sonde_agent_memory_get(p.agent).last >= 0);
    sonde_agent_memory memory = sonde_agent_memory_get(p.agent);
    memory.last = 2;
    assert_int_equal(sonde_agent_memory_set(p.agent, &memory, &error), SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "found action 2 after 0"));
    sonde_text_free(&text);
    player_free(&p);
}

static void what_makes_no_plan_has_no_shrinking_horizon(void **state) {
    (void)state;
    static const sonde_search_kind search[] = {SONDE_SEARCH_QMDP, SONDE_SEARCH_DPEFE,
                                               SONDE_SEARCH_UCT, SONDE_SEARCH_PRUNED};
    sonde_model *model = model_of(LOOKS);
    for (int32_t i = 0; i < 4; i++) {
        sonde_search_settings settings = sonde_search_defaults();
        sonde_agent *agent = NULL;
        sonde_policies *policies = NULL;
        sonde_error error = {0};
        settings.loop = SONDE_LOOP_CLOSED;
        settings.search = search[i];
        settings.replan = SONDE_REPLAN_SHRINKING;
        assert_int_equal(sonde_policies_count(model, 0, NULL, &policies, NULL), SONDE_OK);
        assert_int_equal(sonde_agent_new(policies, &settings, NULL, &agent, &error),
                         SONDE_BAD_ARGUMENT);
        assert_non_null(strstr(error.text, "choose receding"));
        sonde_policies_free(policies);
    }
    sonde_model_free(model);
}

static void agents_of_others_are_refused_by_a_sentence(void **state) {
    (void)state;
    static const way learns = {.learns = true, .search = SONDE_SEARCH_BOUNDED};
    static const way does_not = {.search = SONDE_SEARCH_BOUNDED};
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

/* A text with other words in the place of some that it has; the caller frees it. */
static sonde_text with_words(const sonde_text *text, const char *old, const char *words) {
    sonde_text made = {0};
    const char *at = strstr(text->data, old);
    if (at == NULL) {
        fail_msg("there is no %s in %s", old, text->data);
    }
    sonde_text_add(&made, "%.*s%s%s", (int)(at - text->data), text->data, words, at + strlen(old));
    return made;
}

static void a_world_stays_where_it_is_when_what_was_saved_is_wrong(void **state) {
    (void)state;
    static const way learns = {.learns = true, .search = SONDE_SEARCH_BOUNDED};
    static const char *const wrong[][3] = {
        {"\"sizes\": [", "\"sizes\": [1", "other numbers of states, outcomes or actions"},
        {"\"sizes\": [", "\"sizes\": [1, ", "other numbers of states, outcomes or actions"},
        {"\"stream\": \"8\"", "\"stream\": \"0\"", "1 or more"},
        {"\"seed\": \"", "\"seed\": \"-", "a whole number as a text"},
        {"\"seed\": \"", "\"seed\": \"99999999999999999999", "a whole number as a text"},
        {"\"state\": [", "\"state\": [7", "there is no state"},
        {"\"outcome\": [", "\"outcome\": [7", "there is no outcome"},
    };
    player p = player_in(3, &learns);
    sonde_world *world = NULL;
    sonde_text text = {0};
    assert_int_equal(sonde_world_new(p.model, &world, NULL), SONDE_OK);
    sonde_episode_free(act(&p, world, (sonde_scene){.n_step = 3, .open = true}));
    assert_int_equal(sonde_agent_save(p.agent, world, &text, NULL), SONDE_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        sonde_text other = with_words(&text, wrong[i][0], wrong[i][1]);
        sonde_text after = {0};
        sonde_error error = {0};
        const sonde_source source = {.origin = "agent", .data = other.data, .size = other.size};
        assert_int_equal(sonde_agent_load(p.agent, &source, world, &error), SONDE_BAD_INPUT);
        assert_non_null(strstr(error.text, wrong[i][2]));
        assert_int_equal(sonde_agent_save(p.agent, world, &after, NULL), SONDE_OK);
        assert_string_equal(after.data, text.data);
        sonde_text_free(&after);
        sonde_text_free(&other);
    }
    sonde_text_free(&text);
    sonde_world_free(world);
    player_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_changes_with_the_step_of_the_run),
        cmocka_unit_test(a_schedule_that_is_none_is_refused_by_a_sentence),
        cmocka_unit_test(a_table_in_memory_is_read_as_one_in_a_file_is),
        cmocka_unit_test(outcomes_are_looked_up_by_episode_step_and_action),
        cmocka_unit_test(what_is_seen_whatever_is_done_needs_no_action),
        cmocka_unit_test(what_is_not_in_a_table_is_told_by_the_name_of_the_action),
        cmocka_unit_test(tables_that_are_none_are_refused_by_a_sentence),
        cmocka_unit_test(an_agent_that_was_saved_goes_on_to_the_last_bit),
        cmocka_unit_test(a_shrinking_horizon_ends_where_it_did),
        cmocka_unit_test(older_documents_are_read),
        cmocka_unit_test(what_makes_no_plan_has_no_shrinking_horizon),
        cmocka_unit_test(agents_of_others_are_refused_by_a_sentence),
        cmocka_unit_test(a_world_stays_where_it_is_when_what_was_saved_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
