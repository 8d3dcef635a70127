/* The world of a general model: drawn from A, B and D, which need not be the agent's own. */
#include "random_models.h"
#include "simulate/process.h"
#include "base/rng.h"
#include "stages.h"

/* -------------------------------------------------------------------------------- draws -- */

enum { N_DRAW = 2000, MOST = 16 };

/* Counts of the factors' states, or of the modalities' outcomes. */
typedef struct {
    int64_t count[8][MOST];
} tally;

static void tally_add(tally *t, int32_t n, const int32_t *item) {
    for (int32_t i = 0; i < n; i++) {
        assert_in_range(item[i], 0, MOST - 1);
        t->count[i][item[i]]++;
    }
}

static void assert_tally(const tally *t, int32_t i, int32_t n, const double *p) {
    double expected[MOST];
    for (int32_t j = 0; j < n; j++) {
        expected[j] = N_DRAW * p[j];
        assert_true(p[j] > 0.0 || t->count[i][j] == 0);
    }
    for (int32_t j = n; j < MOST; j++) {
        assert_int_equal(t->count[i][j], 0);
    }
    assert_drawn_from(n, t->count[i], expected);
}

static void first_states_are_drawn_from_D(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED, 100);
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROCESS, 0);
        tally seen = {0};
        for (int32_t i = 0; i < N_DRAW; i++) {
            int32_t here[8];
            sonde__process_start(s.model, &rng, here);
            tally_add(&seen, s.model->n_factor, here);
        }
        for (int32_t f = 0; f < s.model->n_factor; f++) {
            assert_tally(&seen, f, s.model->factor[f].n_state, s.model->factor[f].D);
        }
        setting_free(&s);
    }
}

/* Any state of all factors. */
static void draw_state(sonde__rng *rng, const sonde_model *model, int32_t *state) {
    for (int32_t f = 0; f < model->n_factor; f++) {
        state[f] = draw_below(rng, model->factor[f].n_state);
    }
}

static void outcomes_are_drawn_from_A(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 120; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED, 100);
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROCESS, 1);
        int32_t here[8];
        tally seen = {0};
        draw_state(&rng, s.model, here);
        for (int32_t i = 0; i < N_DRAW; i++) {
            int32_t outcome[8];
            sonde__process_show(s.model, here, -1, &rng, outcome);
            tally_add(&seen, s.model->n_modality, outcome);
        }
        for (int32_t m = 0; m < s.model->n_modality; m++) {
            const sonde_modality *modality = &s.model->modality[m];
            const int64_t at = combined_state(s.model, modality->n_factor, modality->factor, here);
            double p[MOST];
            for (int32_t o = 0; o < modality->n_outcome; o++) {
                p[o] = likelihood(modality, at, o);
            }
            assert_tally(&seen, m, modality->n_outcome, p);
        }
        setting_free(&s);
    }
}

static void next_states_are_drawn_from_B(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 120; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED, 100);
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROCESS, 2);
        const int32_t action = draw_below(&rng, s.model->n_action);
        int32_t here[8];
        int32_t tuple[SONDE_FACTORS_MAX];
        tally seen = {0};
        draw_state(&rng, s.model, here);
        sonde_model_tuple(s.model, action, tuple);
        for (int32_t i = 0; i < N_DRAW; i++) {
            int32_t next[8];
            sonde__process_move(s.model, here, action, &rng, next);
            tally_add(&seen, s.model->n_factor, next);
        }
        for (int32_t f = 0; f < s.model->n_factor; f++) {
            const sonde_factor *factor = &s.model->factor[f];
            const int64_t at = combined_state(s.model, factor->n_depend, factor->depend, here);
            double p[MOST];
            for (int32_t next = 0; next < factor->n_state; next++) {
                p[next] = transition(factor, at, tuple[f], next);
            }
            assert_tally(&seen, f, factor->n_state, p);
        }
        setting_free(&s);
    }
}

/* ------------------------------------------------------------------------------- episodes -- */

static sonde_agent *agent_on(const sonde_policies *policies, uint64_t seed) {
    sonde_search_settings settings = sonde_search_defaults();
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    settings.search = SONDE_SEARCH_FULL;
    settings.seed = seed;
    if (sonde_agent_new(policies, &settings, NULL, &agent, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return agent;
}

/* Every step of an episode is one that the process can take, and shows what it can show. */
static void assert_possible(const sonde_model *process, const sonde_episode *episode) {
    for (int32_t t = 0; t < episode->n_step; t++) {
        const int32_t *here = episode->state + (int64_t)t * process->n_factor;
        const int32_t *next = here + process->n_factor;
        int32_t tuple[SONDE_FACTORS_MAX];
        sonde_model_tuple(process, episode->action[t], tuple);
        for (int32_t f = 0; f < process->n_factor; f++) {
            const sonde_factor *factor = &process->factor[f];
            const int64_t at = combined_state(process, factor->n_depend, factor->depend, here);
            assert_in_range(here[f], 0, factor->n_state - 1);
            assert_true(t > 0 || factor->D[here[f]] > 0.0);
            assert_true(transition(factor, at, tuple[f], next[f]) > 0.0);
        }
        for (int32_t m = 0; m < process->n_modality; m++) {
            const sonde_modality *modality = &process->modality[m];
            const int64_t at = combined_state(process, modality->n_factor, modality->factor, here);
            const int32_t outcome = episode->outcome[(int64_t)t * process->n_modality + m];
            assert_true(likelihood(modality, at, outcome) > 0.0);
        }
    }
}

/* What the agent believes and how surprised it is follows from outcomes and actions alone. */
static void assert_beliefs(const sonde_model *model, const sonde_episode *episode) {
    double *belief = room((uint64_t)model->n_belief, sizeof *belief);
    double *prior = room((uint64_t)model->n_belief, sizeof *prior);
    double evidence = 0.0;
    sonde_belief_initial(model, prior);
    for (int32_t t = 0; t < episode->n_step; t++) {
        const sonde_observation seen = {episode->outcome + (int64_t)t * model->n_modality, NULL,
                                        SONDE_INFERENCE_DEFAULT};
        const sonde_energy *found = &episode->energy[t];
        sonde_energy energy;
        assert_int_equal(sonde_belief_observe(model, &seen, prior, belief, &energy, NULL),
                         SONDE_OK);
        assert_memory_equal(episode->belief + (int64_t)t * model->n_belief, belief,
                            (size_t)model->n_belief * sizeof *belief);
        assert_true(found->surprise > -1e-12);
        evidence -= found->surprise;
        assert_near(found->log_evidence, evidence, 1e-9);
        energy.log_evidence = found->log_evidence;
        assert_memory_equal(&energy, found, sizeof energy);
        sonde_belief_predict(model, episode->action[t], belief, prior, NULL);
    }
    free(prior);
    free(belief);
}

static void an_episode_is_one_that_the_model_can_live(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_LISTED, 150);
        sonde_agent *agent = agent_on(s.policies, seed);
        sonde_episode *episode = NULL;
        assert_int_equal(sonde_simulate(agent, NULL, 12, &episode, NULL), SONDE_OK);
        assert_int_equal(episode->n_factor, s.model->n_factor);
        assert_int_equal(episode->n_modality, s.model->n_modality);
        assert_int_equal(episode->n_state, s.model->n_belief);
        assert_possible(s.model, episode);
        assert_beliefs(s.model, episode);
        sonde_episode_free(episode);
        sonde_agent_free(agent);
        setting_free(&s);
    }
}

static void assert_same_life(const sonde_episode *a, const sonde_episode *b) {
    assert_same_episode(a, b);
    const size_t n = (size_t)a->n_step;
    assert_same_bytes(a->state, b->state, (n + 1) * (size_t)a->n_factor, sizeof(int32_t));
    assert_same_bytes(a->outcome, b->outcome, n * (size_t)a->n_modality, sizeof(int32_t));
    assert_same_bytes(a->energy, b->energy, n, sizeof *a->energy);
    assert_same_bytes(a->n_followed, b->n_followed, n, sizeof(int32_t));
}

/* an agent's own model is a process like any other; a reset agent lives its life again */
static void the_same_seed_lives_the_same_life(void **state) {
    (void)state;
    int32_t n_other = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED, 150);
        sonde_agent *agent = agent_on(s.policies, 5);
        sonde_agent *other = agent_on(s.policies, 6);
        sonde_episode *episode[4] = {NULL};
        assert_int_equal(sonde_simulate(agent, NULL, 10, &episode[0], NULL), SONDE_OK);
        assert_int_equal(sonde_simulate(agent, NULL, 10, &episode[1], NULL), SONDE_OK);
        assert_int_equal(sonde_simulate(agent, s.model, 10, &episode[2], NULL), SONDE_OK);
        assert_int_equal(sonde_simulate(other, NULL, 10, &episode[3], NULL), SONDE_OK);
        assert_same_life(episode[0], episode[1]);
        assert_same_life(episode[0], episode[2]);
        n_other += memcmp(episode[0]->state, episode[3]->state,
                          11 * (size_t)s.model->n_factor * sizeof(int32_t)) != 0;
        for (int32_t i = 0; i < 4; i++) {
            sonde_episode_free(episode[i]);
        }
        sonde_agent_free(other);
        sonde_agent_free(agent);
        setting_free(&s);
    }
    assert_true(n_other > 10);
}

/* ----------------------------------------------------------------------- other processes -- */

/* One factor with two actions, one modality with two outcomes; states as the caller likes. */
#define TWO_STATES                                                                                 \
    "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 2,"                                \
    " \"factors\": [{\"states\": 2, \"actions\": 2}], \"modalities\": [{\"outcomes\": 2}],"        \
    " \"A\": [[[0.9, 0.1], [0.1, 0.9]]], \"C\": [[2, 0]], \"D\": [[0.5, 0.5]],"                    \
    " \"B\": [[[[1, 0], [1, 0]], [[0, 1], [0, 1]]]]}"
/* a ring of five in which both actions go on by one, and only the last shows 1 */
#define FIVE_STATES                                                                                \
    "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 3,"                                \
    " \"factors\": [{\"states\": 5, \"actions\": 2}], \"modalities\": [{\"outcomes\": 2}],"        \
    " \"A\": [[[1, 1, 1, 1, 0], [0, 0, 0, 0, 1]]], \"C\": [[0, 0]], \"D\": [[0, 0, 1, 0, 0]],"     \
    " \"B\": [[[[0,0],[0,0],[0,0],[0,0],[1,1]], [[1,1],[0,0],[0,0],[0,0],[0,0]],"                  \
    " [[0,0],[1,1],[0,0],[0,0],[0,0]], [[0,0],[0,0],[1,1],[0,0],[0,0]],"                           \
    " [[0,0],[0,0],[0,0],[1,1],[0,0]]]]}"

static void a_process_may_have_other_states_than_the_model(void **state) {
    (void)state;
    setting s = setting_of(model_of(TWO_STATES));
    sonde_model *process = model_of(FIVE_STATES);
    sonde_agent *agent = agent_on(s.policies, 1);
    sonde_episode *episode = NULL;
    assert_int_equal(sonde_simulate(agent, process, 12, &episode, NULL), SONDE_OK);
    for (int32_t t = 0; t <= 12; t++) {
        assert_int_equal(episode->state[t], (t + 2) % 5);
    }
    for (int32_t t = 0; t < 12; t++) {
        assert_int_equal(episode->outcome[t], (t + 2) % 5 == 4);
    }
    assert_int_equal(episode->n_state, 2);
    assert_possible(process, episode);
    assert_beliefs(s.model, episode);
    sonde_episode_free(episode);
    sonde_agent_free(agent);
    sonde_model_free(process);
    setting_free(&s);
}

static void assert_refused(sonde_agent *agent, const sonde_model *process, const char *words) {
    sonde_episode *episode = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_simulate(agent, process, 3, &episode, &error), SONDE_BAD_ARGUMENT);
    assert_int_equal(error.status, SONDE_BAD_ARGUMENT);
    assert_null(episode);
    assert_says(error.text, words);
    /* and without anybody who wants to know */
    assert_int_equal(sonde_simulate(agent, process, 3, &episode, NULL), SONDE_BAD_ARGUMENT);
}

/* Some factors and modalities of one state and one outcome each. */
static sonde_model *trivial(const char *factors, const char *modalities, const char *A,
                            const char *B, const char *rest) {
    char text[2048];
    (void)snprintf(text, sizeof text,
                   "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 1,"
                   " \"factors\": [%s], \"modalities\": [%s], \"A\": [%s], \"B\": [%s], %s}",
                   factors, modalities, A, B, rest);
    return model_of(text);
}

static void a_process_with_other_actions_or_outcomes_is_refused_in_words(void **state) {
    (void)state;
    setting s = setting_of(model_of(TWO_STATES));
    sonde_agent *agent = agent_on(s.policies, 1);
    sonde_model *process[] = {
        trivial("{\"states\": 1, \"actions\": 3}", "{\"outcomes\": 2}", "[[1], [0]]",
                "[[[1, 1, 1]]]", "\"C\": [[0, 0]], \"D\": [[1]]"),
        trivial("{\"states\": 1, \"actions\": 2}", "{\"outcomes\": 3}", "[[1], [0], [0]]",
                "[[[1, 1]]]", "\"C\": [[0, 0, 0]], \"D\": [[1]]"),
        trivial("{\"states\": 1, \"actions\": 2}, {\"states\": 1, \"actions\": 1}",
                "{\"outcomes\": 2}", "[[[1]], [[0]]]", "[[[1, 1]]], [[[1]]]",
                "\"C\": [[0, 0]], \"D\": [[1], [1]]"),
        trivial("{\"states\": 1, \"actions\": 2}", "{\"outcomes\": 2}, {\"outcomes\": 1}",
                "[[1], [0]], [[1]]", "[[[1, 1]]]", "\"C\": [[0, 0], [0]], \"D\": [[1]]"),
    };
    const char *const words[] = {"factors[0]: expected 2 actions",
                                 "modalities[0]: expected 2 outcomes", "found 2 and 1",
                                 "found 1 and 2"};
    for (int32_t i = 0; i < 4; i++) {
        assert_refused(agent, process[i], words[i]);
        sonde_model_free(process[i]);
    }
    /* it still lives in its own */
    sonde_episode *episode = NULL;
    assert_int_equal(sonde_simulate(agent, NULL, 3, &episode, NULL), SONDE_OK);
    sonde_episode_free(episode);
    sonde_agent_free(agent);
    setting_free(&s);
}

static void graph_worlds_and_models_are_not_each_others_process(void **state) {
    (void)state;
    setting s = setting_of(model_of(TWO_STATES));
    space g = space_random(3, 1, SONDE_SYMMETRIC);
    sonde_agent *on_model = agent_on(s.policies, 1);
    sonde_agent *on_graph = agent_on(g.policies, 1);
    assert_refused(on_model, g.model, "graph world");
    assert_refused(on_graph, s.model, "graph world");
    sonde_agent_free(on_graph);
    sonde_agent_free(on_model);
    space_free(&g);
    setting_free(&s);
}

/* a world that goes where the agent's model allows nothing */
static void an_episode_without_a_policy_left_tells_so(void **state) {
    (void)state;
    setting s = setting_of(model_of(
        "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 1,"
        " \"factors\": [{\"states\": 2, \"actions\": 1}], \"modalities\": [{\"outcomes\": 2}],"
        " \"A\": [[[1, 0], [0, 1]]], \"C\": [[0, 0]], \"D\": [[1, 0]],"
        " \"B\": [[[[0], [0]], [[1], [1]]]], \"policies\": \"allowed\", \"allowed\": [[[0, 0]]]}"));
    sonde_agent *agent = agent_on(s.policies, 1);
    sonde_episode *episode = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_simulate(agent, NULL, 3, &episode, &error), SONDE_NO_POLICY);
    assert_null(episode);
    assert_says(error.text, "step 1");
    assert_int_equal(sonde_agent_act(agent), -1);
    assert_int_equal(sonde_simulate(agent, NULL, 1, &episode, &error), SONDE_OK);
    sonde_episode_free(episode);
    sonde_agent_free(agent);
    setting_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_states_are_drawn_from_D),
        cmocka_unit_test(outcomes_are_drawn_from_A),
        cmocka_unit_test(next_states_are_drawn_from_B),
        cmocka_unit_test(an_episode_is_one_that_the_model_can_live),
        cmocka_unit_test(the_same_seed_lives_the_same_life),
        cmocka_unit_test(a_process_may_have_other_states_than_the_model),
        cmocka_unit_test(a_process_with_other_actions_or_outcomes_is_refused_in_words),
        cmocka_unit_test(graph_worlds_and_models_are_not_each_others_process),
        cmocka_unit_test(an_episode_without_a_policy_left_tells_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
