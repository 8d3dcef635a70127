/* uses threads */
/* once */
/* Observing, searching, acting and learning ask for no memory, and threads change no byte. */
#include "memory/allocator.h"
#include "learn/counted.h"

enum { N_STEP = 12, N_FOUND = 64 };

/* one way to live and learn */
typedef struct {
    uint64_t seed;
    sonde_search_kind search;
    int32_t novelty;
    sonde_learn_when when;
    int32_t n_thread;
} way;

static sonde_agent *agent_made(const way *w, const sonde_policies *policies) {
    const sonde_run run = threads(w->n_thread);
    sonde_search_settings settings = sonde_search_defaults();
    sonde_learn_settings learn = sonde_learn_defaults();
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    settings.search = w->search;
    settings.embed.kind = sonde_name_find(sonde_embedding_name, "value");
    settings.cluster.n_restart = 2;
    settings.weights.novelty = w->novelty;
    learn.when = w->when;
    learn.beliefs = w->when == SONDE_LEARN_EPISODE ? SONDE_BELIEFS_SMOOTHED : learn.beliefs;
    learn.beliefs_D = SONDE_BELIEFS_SMOOTHED;
    learn.steps = N_STEP;
    learn.omega = 0.05;
    if (sonde_agent_new(policies, &settings, &run, &agent, &error) != SONDE_OK ||
        sonde_agent_learn(agent, &learn, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return agent;
}

/* Two episodes; what was decided and learned. */
static sonde_status live(sonde_agent *agent, uint64_t seed, double *found) {
    const sonde_model *model = sonde_agent_policies(agent)->model;
    sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 11);
    sonde_status status = SONDE_OK;
    int32_t n = 0;
    for (int32_t t = 0; t < 2 * N_STEP && status == SONDE_OK; t++) {
        const sonde_decision *decision = NULL;
        int32_t outcome[2];
        for (int32_t m = 0; m < model->n_modality; m++) {
            outcome[m] = draw_below(&rng, model->modality[m].n_outcome);
        }
        status = sonde_agent_observe(agent, outcome, NULL);
        status = status == SONDE_OK ? sonde_agent_search(agent, &decision, NULL) : status;
        if (status == SONDE_OK) {
            found[n++] = decision->posterior[0];
            (void)sonde_agent_act(agent);
        }
        if (t % N_STEP == N_STEP - 1) {
            sonde_agent_end(agent);
        }
    }
    found[n++] = sonde_agent_learned(agent, SONDE_A, 0).kl;
    found[n++] = sonde_agent_learned(agent, SONDE_B, 0).kl;
    return status;
}

static void assert_lived(const way *w, double *found) {
    sonde_model *model = draw_counted(w->seed, 3);
    sonde_policies *policies = NULL;
    assert_int_equal(sonde_policies_count(model, 0, NULL, &policies, NULL), SONDE_OK);
    sonde_agent *agent = agent_made(w, policies);
    forbid_memory();
    const sonde_status status = live(agent, w->seed, found);
    sonde_agent_forget(agent);
    const int64_t n_fault = permit_memory();
    assert_int_equal(status, SONDE_OK);
    assert_int_equal(n_fault, 0);
    sonde_agent_free(agent);
    sonde_policies_free(policies);
    sonde_model_free(model);
}

static void learning_asks_for_no_memory_and_is_the_same_on_any_number_of_threads(void **state) {
    (void)state;
    static const sonde_search_kind searches[] = {SONDE_SEARCH_FULL, SONDE_SEARCH_BOUNDED,
                                                 SONDE_SEARCH_CLUSTER};
    static const int32_t n_thread[] = {1, 2, 8};
    for (uint64_t i = 0; i < 45; i++) {
        double found[3][N_FOUND] = {{0.0}};
        way w = {.seed = i + 1,
                 .search = searches[i % 3],
                 .novelty = (int32_t)(i / 3 % 5),
                 .when = (sonde_learn_when)(i / 15)};
        for (int32_t k = 0; k < 3; k++) {
            w.n_thread = n_thread[k];
            assert_lived(&w, found[k]);
        }
        assert_memory_equal(found[0], found[1], sizeof found[0]);
        assert_memory_equal(found[0], found[2], sizeof found[0]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(learning_asks_for_no_memory_and_is_the_same_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
