/* uses threads */
/* once */
/* long */
/* Observing, searching and acting ask for no memory after set-up. */
#include "memory/allocator.h"
#include "random_models.h"
#include "base/rng.h"
#include "simulate/process.h"

/* Ten steps of every kind, a state's first visit among them, while memory is forbidden. */
static void step_without_memory(const space *s, const sonde_search_settings *settings,
                                int32_t n_thread) {
    const sonde_run run = threads(n_thread);
    sonde_agent *agent = agent_of(s, settings, &run);
    int32_t now = s->graph->start;
    sonde_status status = SONDE_OK;
    forbid_memory();
    for (int32_t t = 0; t < 10 && status == SONDE_OK; t++) {
        const sonde_decision *decision = NULL;
        sonde_agent_observe(agent, &now, NULL);
        status = sonde_agent_search(agent, &decision, NULL);
        if (status == SONDE_OK) {
            now = sonde_model_next(s->model, now, sonde_agent_act(agent));
        }
    }
    sonde_agent_reset(agent);
    const int64_t n_fault = permit_memory();
    assert_int_equal(status, SONDE_OK);
    assert_int_equal(n_fault, 0);
    sonde_agent_free(agent);
}

/* Every search, scope, probe, embedding and rule. */
static void step_every_way(const space *s, int32_t n_thread) {
    for (int32_t i = 0; i < 8; i++) {
        for (int32_t kind = 0; kind < n_embedding(); kind++) {
            sonde_search_settings settings = cluster_defaults();
            settings.search = (sonde_search_kind)(i % 2);
            settings.scope = (sonde_scope)(i / 2 % 2);
            settings.probe = (sonde_probe)(i / 4);
            settings.embed.kind = kind;
            settings.action = (sonde_action_rule)(kind % 4);
            settings.cluster.n_restart = 3;
            settings.cluster.method = (sonde_cluster_method)((i + kind) % 2);
            settings.gamma = 0.01;
            if (fits(kind, settings.scope)) {
                step_without_memory(s, &settings, n_thread);
            }
        }
    }
}

static void one_thread_asks_for_no_memory_after_set_up(void **state) {
    (void)state;
    for (int32_t n = 1; n <= 4; n++) {
        space s = space_random(n, 2, SONDE_SYMMETRIC);
        step_every_way(&s, 1);
        space_free(&s);
    }
}

static void two_threads_ask_for_no_memory_after_set_up(void **state) {
    (void)state;
    space s = space_random(4, 5, SONDE_DIRECTED);
    step_every_way(&s, 2);
    space_free(&s);
}

/* large enough for the threads to be started; the states that a wandering agent comes to are new */
static void first_visits_on_two_threads_ask_for_no_memory(void **state) {
    (void)state;
    space s = space_random(5, 3, SONDE_SYMMETRIC);
    sonde_search_settings settings = cluster_defaults();
    settings.cluster.n_restart = 2;
    settings.cluster.n_round_max = 10;
    settings.gamma = 0.0;
    step_without_memory(&s, &settings, 2);
    space_free(&s);
}

static void the_notebooks_ways_ask_for_no_memory_either(void **state) {
    (void)state;
    space s = space_random(4, 2, SONDE_SYMMETRIC);
    for (int32_t i = 0; i < 4; i++) {
        sonde_search_settings settings = cluster_defaults();
        settings.scope = (sonde_scope)(i % 2);
        settings.probe = (sonde_probe)(i / 2);
        sonde_differences_apply(SONDE_SEMANTICS_NOTEBOOK, 4, &settings);
        step_without_memory(&s, &settings, 1);
    }
    /* more clusters than rows, and empty ones among them */
    sonde_search_settings settings = cluster_defaults();
    sonde_differences_apply(SONDE_SEMANTICS_NOTEBOOK, 1000, &settings);
    settings.probe = SONDE_PROBE_SAMPLE;
    step_without_memory(&s, &settings, 1);
    space_free(&s);
}

/* searches that build on clusters, on graph worlds */
static void searches_with_clusters_ask_for_no_memory(void **state) {
    (void)state;
    space s = space_random(4, 5, SONDE_SYMMETRIC);
    for (int32_t i = 0; i < 8; i++) {
        sonde_search_settings settings = cluster_defaults();
        settings.search = i < 4 ? SONDE_SEARCH_SURROGATE : SONDE_SEARCH_TREE;
        settings.n_depth = 3;
        settings.cluster.k = 4;
        settings.scope = (sonde_scope)(i % 2);
        settings.embed = embedding_called(i / 2 % 2 == 0 ? "boe" : "edm");
        settings.gamma = 0.01;
        step_without_memory(&s, &settings, 1 + i % 2);
        settings.search = SONDE_SEARCH_CLUSTER;
        settings.fallback = i % 2 == 0 ? SONDE_SEARCH_RANDOM : SONDE_SEARCH_BEAM;
        settings.cluster.k = SONDE_K_AUTO;
        settings.probe = (sonde_probe)(i % 3);
        step_without_memory(&s, &settings, 1 + i % 2);
    }
    space_free(&s);
}

/* ------------------------------------------------------------------------- general models -- */

/* The same on a general model, in its own world. */
static void step_on_model(const setting *s, const sonde_search_settings *settings,
                          int32_t n_thread) {
    const sonde_run run = threads(n_thread);
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    if (sonde_agent_new(s->policies, settings, &run, &agent, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    sonde__rng rng = sonde__rng_stream(settings->seed, SONDE__FOR_PROCESS, 0);
    sonde_status status = SONDE_OK;
    int32_t now[8];
    int32_t next[8];
    int32_t outcome[8];
    sonde__process_start(s->model, &rng, now);
    forbid_memory();
    for (int32_t t = 0; t < 6 && status == SONDE_OK; t++) {
        const sonde_decision *decision = NULL;
        sonde__process_show(s->model, now, -1, &rng, outcome);
        sonde_agent_observe(agent, outcome, NULL);
        status = sonde_agent_search(agent, &decision, NULL);
        if (status == SONDE_OK) {
            sonde__process_move(s->model, now, sonde_agent_act(agent), &rng, next);
            memcpy(now, next, sizeof now);
        }
    }
    sonde_agent_reset(agent);
    const int64_t n_fault = permit_memory();
    /* what is allowed may come to an end */
    assert_true(status == SONDE_OK || status == SONDE_NO_POLICY);
    assert_int_equal(n_fault, 0);
    sonde_agent_free(agent);
}

static void step_on_models(uint64_t n_seed, double most, int32_t n_thread) {
    const char *const name[] = {"boa",       "boa-set", "ngram", "timed",
                                "occupancy", "edm",     "ends",  "value"};
    for (uint64_t seed = 0; seed < n_seed; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED | DRAW_LISTED, most);
        for (int32_t i = 0; i < 9; i++) {
            sonde_search_settings settings = cluster_defaults();
            settings.search = i == 0          ? SONDE_SEARCH_FULL
                              : seed % 4 == 1 ? SONDE_SEARCH_SURROGATE
                              : seed % 4 == 2 ? SONDE_SEARCH_TREE
                                              : SONDE_SEARCH_CLUSTER;
            settings.probe = (sonde_probe)(seed % 3);
            settings.embed = embedding_called(name[i > 0 ? i - 1 : 0]);
            settings.embed.n_sample = seed % 3 == 0 ? 20 : 0;
            settings.n_member = seed % 6 == 0 ? 30 : 0;
            settings.action = (sonde_action_rule)(seed % 4);
            settings.per_factor = seed % 5 == 0 && settings.action != SONDE_ACTION_FULL;
            settings.n_follow = 1 + (int32_t)(seed % 3);
            settings.surprise = seed % 2 == 0 ? INFINITY : 1.0;
            settings.cluster.k = 5;
            settings.cluster.n_restart = 2;
            settings.seed = seed;
            step_on_model(&s, &settings, n_thread);
        }
        setting_free(&s);
    }
}

static void models_ask_for_no_memory_after_set_up(void **state) {
    (void)state;
    step_on_models(24, 300, 1);
}

static void plans_in_closed_loop_ask_for_no_memory_after_set_up(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED, 60);
        for (int32_t i = 0; i < 9; i++) {
            static const sonde_search_kind search[] = {SONDE_SEARCH_FULL, SONDE_SEARCH_BOUNDED,
                                                       SONDE_SEARCH_AUTO};
            sonde_search_settings settings = sonde_search_defaults();
            settings.loop = SONDE_LOOP_CLOSED;
            settings.search = search[i % 3];
            settings.backup = (sonde_backup)(i / 3);
            settings.per_factor = seed % 2 == 0;
            settings.budget = settings.search == SONDE_SEARCH_FULL ? 0 : 200;
            settings.seed = seed;
            step_on_model(&s, &settings, 1);
        }
        setting_free(&s);
    }
}

static void models_on_two_threads_ask_for_no_memory_after_set_up(void **state) {
    (void)state;
    step_on_models(6, 300, 2);
    /* stretches enough for both */
    setting s = setting_drawn(2, 0, 60000);
    for (uint64_t seed = 3; s.policies->n_policy < 3 * 4096; seed++) {
        setting_free(&s);
        s = setting_drawn(seed, 0, 60000);
    }
    sonde_search_settings settings = cluster_defaults();
    settings.search = SONDE_SEARCH_FULL;
    step_on_model(&s, &settings, 2);
    setting_free(&s);
}

static void every_search_asks_for_no_memory_after_set_up(void **state) {
    (void)state;
    for (int32_t i = 0; i < 2 * n_search(); i++) {
        sonde_search_settings settings = sonde_search_defaults();
        settings.search = (sonde_search_kind)(i / 2);
        settings.n_beam = 7;
        settings.budget = 200;
        settings.n_follow = 2;
        for (uint64_t seed = 0; seed < 12; seed++) {
            setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED | DRAW_LISTED, 300);
            step_on_model(&s, &settings, 1);
            setting_free(&s);
        }
        settings.scope = (sonde_scope)(i % 2);
        space s = space_random(4, 3, SONDE_DIRECTED);
        step_without_memory(&s, &settings, 1);
        space_free(&s);
    }
}

/* spaces without numbers, where policies are drawn step by step */
static void huge_spaces_ask_for_no_memory_either(void **state) {
    (void)state;
    const sonde_search_kind kind[] = {SONDE_SEARCH_BOUNDED, SONDE_SEARCH_RANDOM, SONDE_SEARCH_BEAM};
    for (int32_t i = 0; i < 3; i++) {
        sonde_search_settings settings = sonde_search_defaults();
        settings.search = kind[i];
        space s = space_new(world_of_horizon(8, 2, 60));
        step_without_memory(&s, &settings, 1);
        space_free(&s);
    }
}

/* a test of the test: what does ask is found out */
static void asking_for_memory_is_noticed(void **state) {
    (void)state;
    forbid_memory();
    /* compilers know malloc, and would leave this out */
    void *(*volatile ask)(size_t) = malloc;
    void (*volatile give_back)(void *) = free;
    give_back(ask(1));
    assert_int_equal(permit_memory(), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_asks_for_no_memory_after_set_up),
        cmocka_unit_test(two_threads_ask_for_no_memory_after_set_up),
        cmocka_unit_test(first_visits_on_two_threads_ask_for_no_memory),
        cmocka_unit_test(the_notebooks_ways_ask_for_no_memory_either),
        cmocka_unit_test(searches_with_clusters_ask_for_no_memory),
        cmocka_unit_test(models_ask_for_no_memory_after_set_up),
        cmocka_unit_test(plans_in_closed_loop_ask_for_no_memory_after_set_up),
        cmocka_unit_test(models_on_two_threads_ask_for_no_memory_after_set_up),
        cmocka_unit_test(every_search_asks_for_no_memory_after_set_up),
        cmocka_unit_test(huge_spaces_ask_for_no_memory_either),
        cmocka_unit_test(asking_for_memory_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
