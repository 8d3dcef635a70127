/* What an agent in closed loop believes of joint states: taken in, handed over, and followed. */
#include "closed/certificates.h"

enum { MODELS = 60 };

/* An agent that plans in closed loop on a model that chance makes. */
typedef struct {
    sonde_model *model;
    sonde_policies *policies;
    sonde_agent *agent;
} planner;

static sonde_agent *agent_for(const sonde_policies *policies, bool factorised) {
    sonde_search_settings settings = sonde_search_defaults();
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    settings.loop = SONDE_LOOP_CLOSED;
    settings.search = factorised ? SONDE_SEARCH_FULL : SONDE_SEARCH_BOUNDED;
    settings.belief_kind = factorised ? SONDE_BELIEF_FACTORISED : SONDE_BELIEF_JOINT;
    settings.epsilon = factorised ? 0.0 : 0.01;
    if (sonde_agent_new(policies, &settings, NULL, &agent, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return agent;
}

static planner planner_drawn(sonde__rng *rng, bool factorised) {
    planner p = {.model = draw_certified(rng)};
    assert_int_equal(sonde_policies_count(p.model, 0, NULL, &p.policies, NULL), SONDE_OK);
    p.agent = agent_for(p.policies, factorised);
    return p;
}

static void planner_free(planner *p) {
    sonde_agent_free(p->agent);
    sonde_policies_free(p->policies);
    sonde_model_free(p->model);
}

/* P(what is seen, with these weights | joint state); what depends on an action says nothing. */
static double agreement(const sonde_model *model, int64_t joint, const double *weight) {
    int32_t state[2];
    double p = 1.0;
    states_of(model, joint, state);
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        const int64_t at = combined_state(model, modality->n_factor, modality->factor, state);
        double sum = modality->n_action > 1 ? 1.0 : 0.0;
        for (int32_t o = 0; modality->n_action == 1 && o < modality->n_outcome; o++) {
            sum += weight[o] * likelihood(modality, at, o);
        }
        weight += modality->n_outcome;
        p *= sum;
    }
    return p;
}

static void soft_outcomes_are_weighed_by_how_probable_they_are_in_each_joint_state(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(41, SONDE__FOR_SAMPLE, 0);
    for (int32_t i = 0; i < MODELS; i++) {
        planner p = planner_drawn(&rng, false);
        const sonde_model *model = p.model;
        const int32_t soft[3] = {SONDE_SOFT, SONDE_SOFT, SONDE_SOFT};
        double weight[3 * OUTCOMES_MOST];
        double wanted[STATES_MOST];
        double sum = 0.0;
        for (int32_t k = 0; k < 3 * OUTCOMES_MOST; k++) {
            weight[k] = 0.01 + sonde__rng_uniform(&rng);
        }
        for (int64_t s = 0; s < (int64_t)model->n_joint; s++) {
            int32_t digit[2];
            states_of(model, s, digit);
            wanted[s] = agreement(model, s, weight);
            for (int32_t f = 0; f < model->n_factor; f++) {
                wanted[s] *= model->factor[f].D[digit[f]];
            }
            sum += wanted[s];
        }
        assert_int_equal(sonde_agent_observe_soft(p.agent, soft, weight, NULL), SONDE_OK);
        const sonde_agent_memory memory = sonde_agent_memory_get(p.agent);
        assert_int_equal(memory.n_joint, (int64_t)model->n_joint);
        for (int64_t s = 0; s < memory.n_joint; s++) {
            assert_near(memory.joint[s], wanted[s] / sum, 1e-12);
        }
        planner_free(&p);
    }
}

static void assert_same_choice(const sonde_decision *a, const sonde_decision *b) {
    assert_int_equal(a->n_action, b->n_action);
    for (int32_t i = 0; i < a->n_action; i++) {
        assert_int_equal(a->action[i], b->action[i]);
        assert_near(a->posterior[i], b->posterior[i], 1e-12);
    }
}

/* An agent that has lived for a step hands its memory to one that has not. */
static void assert_goes_on(sonde__rng *rng, bool factorised) {
    planner p = planner_drawn(rng, factorised);
    sonde_agent *other = agent_for(p.policies, factorised);
    sonde_world *world = NULL;
    const sonde_decision *a = NULL;
    const sonde_decision *b = NULL;
    assert_int_equal(sonde_world_new(p.model, &world, NULL), SONDE_OK);
    sonde_world_start(world, sonde__rng_next(rng));
    assert_int_equal(sonde_agent_observe(p.agent, sonde_world_outcome(world), NULL), SONDE_OK);
    assert_int_equal(sonde_agent_search(p.agent, &a, NULL), SONDE_OK);
    assert_int_equal(sonde_world_move(world, sonde_agent_act(p.agent), NULL), SONDE_OK);
    assert_int_equal(sonde_agent_observe(p.agent, sonde_world_outcome(world), NULL), SONDE_OK);
    sonde_agent_memory memory = sonde_agent_memory_get(p.agent);
    assert_int_equal(sonde_agent_memory_set(other, &memory, NULL), SONDE_OK);
    const sonde_agent_memory handed = sonde_agent_memory_get(other);
    assert_int_equal(handed.n_joint, memory.n_joint);
    for (int64_t s = 0; s < memory.n_joint; s++) {
        assert_true(handed.joint[s] == memory.joint[s]);
    }
    assert_int_equal(sonde_agent_search(p.agent, &a, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_search(other, &b, NULL), SONDE_OK);
    assert_same_choice(a, b);
    double twice[STATES_MOST];
    memory = sonde_agent_memory_get(p.agent);
    for (int64_t s = 0; s < memory.n_joint; s++) {
        twice[s] = 2.0 * memory.joint[s];
    }
    memory.joint = twice;
    assert_int_equal(sonde_agent_memory_set(other, &memory, NULL), SONDE_BAD_ARGUMENT);
    sonde_world_free(world);
    sonde_agent_free(other);
    planner_free(&p);
}

static void what_is_believed_of_joint_states_can_be_handed_over(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(42, SONDE__FOR_SAMPLE, 0);
    for (int32_t i = 0; i < MODELS; i++) {
        assert_goes_on(&rng, i % 3 == 2);
    }
}

/* A light that is switched on and off, and seen. */
static void a_plan_that_always_comes_to_the_same_has_no_error(void **state) {
    (void)state;
    static const char light[] =
        "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 3,"
        " \"factors\": [{\"states\": 2, \"actions\": 2}], \"modalities\": [{\"outcomes\": 2}],"
        " \"A\": [[[1, 0], [0, 1]]], \"B\": [[[[1, 0], [1, 0]], [[0, 1], [0, 1]]]],"
        " \"C\": [[0, 1]], \"D\": [[1, 0]]}";
    planner p = {.model = model_of(light)};
    const sonde_decision *decision = NULL;
    sonde_search_settings settings = sonde_search_defaults();
    sonde_followed f = {0};
    const int32_t dark = 0;
    settings.loop = SONDE_LOOP_CLOSED;
    settings.search = SONDE_SEARCH_FULL;
    settings.backup = SONDE_BACKUP_MIN;
    assert_int_equal(sonde_policies_count(p.model, 0, NULL, &p.policies, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_new(p.policies, &settings, NULL, &p.agent, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_observe(p.agent, &dark, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_search(p.agent, &decision, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_follow(p.agent, 10, &f, NULL), SONDE_OK);
    assert_near(f.mean, 0.5 * (decision->value_lower + decision->value_upper), 1e-9);
    assert_true(f.error < 1e-9);
    planner_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soft_outcomes_are_weighed_by_how_probable_they_are_in_each_joint_state),
        cmocka_unit_test(what_is_believed_of_joint_states_can_be_handed_over),
        cmocka_unit_test(a_plan_that_always_comes_to_the_same_has_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
