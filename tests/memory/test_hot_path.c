/* uses threads */
/* Observing, searching and acting ask for no memory after set-up. */
#include "memory/allocator.h"

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
        sonde_agent_observe(agent, now);
        status = sonde_agent_search(agent, &decision);
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
            sonde_search_settings settings = sonde_search_defaults();
            settings.search = (sonde_search_kind)(i % 2);
            settings.scope = (sonde_scope)(i / 2 % 2);
            settings.probe = (sonde_probe)(i / 4);
            settings.embed.kind = kind;
            settings.action = (sonde_action_rule)(kind % 4);
            settings.cluster.n_restart = 3;
            settings.gamma = 0.01;
            step_without_memory(s, &settings, n_thread);
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
    sonde_search_settings settings = sonde_search_defaults();
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
        sonde_search_settings settings = sonde_search_defaults();
        settings.differences = SONDE_SEMANTICS_NOTEBOOK;
        settings.k_before = 4;
        settings.scope = (sonde_scope)(i % 2);
        settings.probe = (sonde_probe)(i / 2);
        step_without_memory(&s, &settings, 1);
    }
    /* more clusters than rows, and empty ones among them */
    sonde_search_settings settings = sonde_search_defaults();
    settings.differences = SONDE_SEMANTICS_NOTEBOOK;
    settings.k_before = 1000;
    settings.probe = SONDE_PROBE_SAMPLE;
    step_without_memory(&s, &settings, 1);
    space_free(&s);
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
        cmocka_unit_test(asking_for_memory_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
