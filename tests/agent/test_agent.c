/* An agent observes, searches and acts. */
#include "base/rng.h"
#include "search/naive.h"

static sonde_search_settings settings_number(int32_t i) {
    sonde_search_settings settings = cluster_defaults();
    settings.search = (sonde_search_kind)(i % 2);
    settings.scope = (sonde_scope)(i / 2 % 2);
    settings.probe = (sonde_probe)(i / 4 % 2);
    settings.cluster.k = 4;
    settings.gamma = 0.05;
    settings.seed = 5;
    return settings;
}
enum { N_SETTINGS = 8 };

/* One round; returns the action. */
static int32_t step(sonde_agent *agent, int32_t state, const sonde_decision **decision) {
    sonde_agent_observe(agent, &state, NULL);
    assert_int_equal(sonde_agent_search(agent, decision, NULL), SONDE_OK);
    return sonde_agent_act(agent);
}

static void belief_follows_outcomes_and_predictions(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_DIRECTED);
    const sonde_search_settings settings = settings_number(1);
    sonde_agent *agent = agent_of(&s, &settings, NULL);
    double *prior = room((uint64_t)s.model->n_state, sizeof *prior);
    double *belief = room((uint64_t)s.model->n_state, sizeof *belief);
    sonde__rng rng = sonde__rng_stream(1, SONDE__FOR_PROBE, 0);
    sonde_belief_initial(s.model, prior);
    assert_memory_equal(sonde_agent_memory_get(agent).belief, prior,
                        (size_t)s.model->n_state * sizeof *prior);
    int32_t now = s.graph->start;
    for (int32_t t = 0; t < 12; t++) {
        /* now and then an outcome that nobody could have expected */
        const int32_t outcome =
            t % 4 == 3 ? (int32_t)sonde__rng_below(&rng, (uint64_t)s.model->n_state) : now;
        const sonde_decision *decision = NULL;
        const int32_t action = step(agent, outcome, &decision);
        const sonde_observation seen = {&outcome, NULL, SONDE_INFERENCE_DEFAULT};
        (void)sonde_belief_observe(s.model, &seen, prior, belief, NULL, NULL);
        assert_memory_equal(sonde_agent_memory_get(agent).belief, belief,
                            (size_t)s.model->n_state * sizeof *belief);
        sonde_belief_predict(s.model, action, belief, prior, NULL);
        now = sonde_model_next(s.model, decision->state, action);
    }
    free(belief);
    free(prior);
    sonde_agent_free(agent);
    space_free(&s);
}

static void an_agent_searches_from_the_belief_it_is_given(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_DIRECTED);
    for (int32_t i = 0; i < N_SETTINGS; i++) {
        const sonde_search_settings settings = settings_number(i);
        sonde_agent *told = agent_of(&s, &settings, NULL);
        sonde_agent *shown = agent_of(&s, &settings, NULL);
        const size_t bytes = (size_t)s.model->n_state * sizeof(double);
        double *belief = room((uint64_t)s.model->n_state, sizeof *belief);
        const int32_t edge = (s.graph->start + i) % s.model->n_state;
        sonde_belief_initial(s.model, belief);
        belief[s.graph->start] = 0.0;
        belief[edge] = 1.0;
        sonde_agent_believe(told, belief, NULL);
        assert_memory_equal(sonde_agent_memory_get(told).belief, belief, bytes);
        /* it is the prior of the next outcome, too, which here adds nothing */
        sonde_agent_believe(shown, belief, NULL);
        sonde_agent_observe(shown, &edge, NULL);
        const sonde_decision *one = NULL;
        const sonde_decision *other = NULL;
        assert_int_equal(sonde_agent_search(told, &one, NULL),
                         sonde_agent_search(shown, &other, NULL));
        assert_int_equal(one->state, edge);
        assert_int_equal(other->state, edge);
        assert_int_equal(one->best, other->best);
        assert_int_equal(sonde_agent_act(told), sonde_agent_act(shown));
        free(belief);
        sonde_agent_free(shown);
        sonde_agent_free(told);
    }
    space_free(&s);
}

/* The lowest of the most probable states, to rounding. */
static int32_t most_probable(const double *belief, int32_t n) {
    double most = 0.0;
    for (int32_t s = 0; s < n; s++) {
        most = belief[s] > most ? belief[s] : most;
    }
    int32_t s = 0;
    while (belief[s] < most - 1e-12) {
        s++;
    }
    return s;
}

/* after an outcome that was not expected, two states are equally probable */
static void an_agent_plans_from_the_most_probable_state_the_lowest_of_several(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    const sonde_search_settings settings = settings_number(0);
    sonde_agent *agent = agent_of(&s, &settings, NULL);
    for (int32_t outcome = 0; outcome < s.model->n_state; outcome++) {
        const sonde_decision *decision = NULL;
        sonde_agent_reset(agent);
        sonde_agent_observe(agent, &outcome, NULL);
        assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
        const int32_t wanted =
            most_probable(sonde_agent_memory_get(agent).belief, s.model->n_state);
        assert_int_equal(decision->state, wanted);
        assert_true(wanted == outcome || wanted == s.graph->start);
    }
    sonde_agent_free(agent);
    space_free(&s);
}

/* what an agent did in some steps */
enum { N_STEP = 8 };
typedef struct {
    int32_t action[N_STEP];
    double p[N_STEP];
    double log_evidence[N_STEP];
    uint64_t n_step[N_STEP];
} history;

static history live(const space *s, sonde_agent *agent) {
    history h;
    memset(&h, 0, sizeof h);
    int32_t now = s->graph->start;
    for (int32_t t = 0; t < N_STEP; t++) {
        const sonde_decision *decision = NULL;
        h.action[t] = step(agent, now, &decision);
        h.p[t] = decision->posterior[decision->n_action - 1];
        h.log_evidence[t] = decision->log_evidence;
        h.n_step[t] = decision->evaluations.n_step;
        now = sonde_model_next(s->model, now, h.action[t]);
    }
    return h;
}

static void a_reset_agent_repeats_itself_exactly(void **state) {
    (void)state;
    space s = space_random(4, 4, SONDE_SYMMETRIC);
    for (int32_t i = 0; i < N_SETTINGS; i++) {
        const sonde_search_settings settings = settings_number(i);
        sonde_agent *agent = agent_of(&s, &settings, NULL);
        const history first = live(&s, agent);
        sonde_agent_reset(agent);
        const history again = live(&s, agent);
        assert_memory_equal(&first, &again, sizeof first);
        sonde_agent_free(agent);
    }
    space_free(&s);
}

static void an_agent_goes_on_from_the_memory_of_another(void **state) {
    (void)state;
    space s = space_random(4, 4, SONDE_SYMMETRIC);
    for (int32_t i = 0; i < N_SETTINGS; i++) {
        const sonde_search_settings settings = settings_number(i);
        sonde_agent *agent = agent_of(&s, &settings, NULL);
        sonde_agent *other = agent_of(&s, &settings, NULL);
        int32_t now = s.graph->start;
        for (int32_t t = 0; t < 9; t++) {
            const sonde_decision *decision = NULL;
            const sonde_decision *again = NULL;
            const sonde_agent_memory memory = sonde_agent_memory_get(agent);
            assert_int_equal(sonde_agent_memory_set(other, &memory, NULL), SONDE_OK);
            const int32_t action = step(agent, now, &decision);
            assert_int_equal(step(other, now, &again), action);
            assert_same_decision(decision, again, s.policies->horizon);
            now = sonde_model_next(s.model, now, action);
        }
        sonde_agent_free(agent);
        sonde_agent_free(other);
    }
    space_free(&s);
}

static void a_plan_that_goes_on_is_not_handed_over(void **state) {
    (void)state;
    space s = space_random(4, 4, SONDE_SYMMETRIC);
    sonde_search_settings settings = settings_number(0);
    settings.n_follow = 3;
    sonde_agent *agent = agent_of(&s, &settings, NULL);
    int32_t now = s.graph->start;
    for (int32_t t = 0; t < 6; t++) {
        const sonde_decision *decision = NULL;
        sonde_error error = {0};
        now = sonde_model_next(s.model, now, step(agent, now, &decision));
        const sonde_agent_memory memory = sonde_agent_memory_get(agent);
        assert_int_equal(memory.n_followed, (t + 1) % 3);
        if (memory.n_followed > 0) {
            assert_int_equal(sonde_agent_memory_set(agent, &memory, &error), SONDE_BAD_ARGUMENT);
            assert_non_null(strstr(error.text, "memory: the agent has followed a plan"));
        }
    }
    sonde_agent_free(agent);
    space_free(&s);
}

static void another_number_draws_from_other_streams(void **state) {
    (void)state;
    space s = space_random(4, 4, SONDE_SYMMETRIC);
    sonde_search_settings settings = settings_number(0);
    settings.gamma = 0.001;
    sonde_agent *agent = agent_of(&s, &settings, NULL);
    const history first = live(&s, agent);
    sonde_agent_reset(agent);
    sonde_agent_memory memory = sonde_agent_memory_get(agent);
    memory.number = (uint64_t)1 << 32;
    assert_int_equal(sonde_agent_memory_set(agent, &memory, NULL), SONDE_OK);
    const history second = live(&s, agent);
    assert_memory_not_equal(first.action, second.action, sizeof first.action);
    sonde_agent_free(agent);
    space_free(&s);
}

static void a_memory_that_is_none_leaves_the_agent_as_it_was(void **state) {
    (void)state;
    space s = space_random(4, 4, SONDE_SYMMETRIC);
    const sonde_search_settings settings = settings_number(0);
    sonde_agent *agent = agent_of(&s, &settings, NULL);
    double *none = room((uint64_t)s.model->n_state, sizeof *none);
    const history first = live(&s, agent);
    sonde_agent_reset(agent);
    for (int32_t i = 0; i < 2; i++) {
        sonde_agent_memory memory = sonde_agent_memory_get(agent);
        sonde_error error = {0};
        memory.number = 7;
        memory.belief = i == 0 ? none : memory.belief;
        memory.prior = i == 1 ? none : memory.prior;
        assert_int_equal(sonde_agent_memory_set(agent, &memory, &error), SONDE_BAD_ARGUMENT);
        assert_non_null(strstr(error.text, "memory: expected"));
    }
    const history again = live(&s, agent);
    assert_memory_equal(&first, &again, sizeof first);
    free(none);
    sonde_agent_free(agent);
    space_free(&s);
}

static void agents_with_the_same_settings_decide_the_same_bytes(void **state) {
    (void)state;
    space s = space_random(4, 4, SONDE_SYMMETRIC);
    for (int32_t i = 0; i < N_SETTINGS; i++) {
        const sonde_search_settings settings = settings_number(i);
        sonde_agent *a = agent_of(&s, &settings, NULL);
        sonde_agent *b = agent_of(&s, &settings, NULL);
        int32_t now = s.graph->start;
        for (int32_t t = 0; t < N_STEP; t++) {
            const sonde_decision *of_a = NULL;
            const sonde_decision *of_b = NULL;
            const int32_t action = step(a, now, &of_a);
            assert_int_equal(step(b, now, &of_b), action);
            assert_same_decision(of_a, of_b, s.policies->horizon);
            now = sonde_model_next(s.model, now, action);
        }
        sonde_agent_free(a);
        sonde_agent_free(b);
    }
    space_free(&s);
}

static void another_seed_acts_otherwise(void **state) {
    (void)state;
    space s = space_random(4, 4, SONDE_SYMMETRIC);
    for (int32_t i = 0; i < N_SETTINGS; i++) {
        sonde_search_settings settings = settings_number(i);
        settings.gamma = 0.0;
        sonde_agent *a = agent_of(&s, &settings, NULL);
        settings.seed = 6;
        sonde_agent *b = agent_of(&s, &settings, NULL);
        const history of_a = live(&s, a);
        const history of_b = live(&s, b);
        assert_memory_not_equal(of_a.action, of_b.action, sizeof of_a.action);
        sonde_agent_free(a);
        sonde_agent_free(b);
    }
    space_free(&s);
}

/* thinking twice changes nothing; acting moves on to the next stream */
static void searching_again_before_acting_decides_the_same(void **state) {
    (void)state;
    space s = space_random(4, 4, SONDE_SYMMETRIC);
    for (int32_t i = 0; i < N_SETTINGS; i++) {
        const sonde_search_settings settings = settings_number(i);
        thought once = think(&s, &settings, NULL);
        thought twice = think(&s, &settings, NULL);
        assert_int_equal(sonde_agent_search(twice.agent, &twice.decision, NULL), SONDE_OK);
        assert_same_decision(once.decision, twice.decision, s.policies->horizon);
        assert_int_equal(sonde_agent_act(once.agent), sonde_agent_act(twice.agent));
        thought_free(&once);
        thought_free(&twice);
    }
    space_free(&s);
}

/* looking at the choice, however often, takes no step of any stream */
static void a_choice_is_the_action_that_will_be_taken(void **state) {
    (void)state;
    space s = space_random(4, 4, SONDE_SYMMETRIC);
    for (int32_t i = 0; i < N_SETTINGS; i++) {
        const sonde_search_settings settings = settings_number(i);
        sonde_agent *fresh = agent_of(&s, &settings, NULL);
        assert_int_equal(sonde_agent_choice(fresh), -1);
        sonde_agent_free(fresh);
        thought quiet = think(&s, &settings, NULL);
        thought looked = think(&s, &settings, NULL);
        for (int32_t t = 0; t < 6; t++) {
            const int32_t choice = sonde_agent_choice(looked.agent);
            assert_int_equal(sonde_agent_choice(looked.agent), choice);
            assert_int_equal(sonde_agent_act(looked.agent), choice);
            assert_int_equal(sonde_agent_act(quiet.agent), choice);
            const int32_t next = sonde_model_next(s.model, looked.decision->state, choice);
            sonde_agent_observe(looked.agent, &next, NULL);
            sonde_agent_observe(quiet.agent, &next, NULL);
            assert_int_equal(sonde_agent_search(looked.agent, &looked.decision, NULL), SONDE_OK);
            assert_int_equal(sonde_agent_search(quiet.agent, &quiet.decision, NULL), SONDE_OK);
        }
        thought_free(&quiet);
        thought_free(&looked);
    }
    space_free(&s);
}

static void actions_are_taken_as_often_as_they_are_probable(void **state) {
    (void)state;
    enum { N_DRAW = 10000 };
    space s = space_random(4, 6, SONDE_DIRECTED);
    sonde_search_settings settings = settings_number(1);
    settings.gamma = 0.002;
    thought t = think(&s, &settings, NULL);
    const int32_t n = t.decision->n_action;
    int64_t *count = room((uint64_t)n, sizeof *count);
    double *expected = room((uint64_t)n, sizeof *expected);
    for (int32_t i = 0; i < n; i++) {
        expected[i] = N_DRAW * t.decision->probability[i];
    }
    for (int32_t draw = 0; draw < N_DRAW; draw++) {
        /* the decision holds until the next search, so acting again draws from it again */
        const int32_t action = sonde_agent_act(t.agent);
        for (int32_t i = 0; i < n; i++) {
            count[i] += t.decision->action[i] == action;
        }
    }
    assert_true(n > 1);
    assert_drawn_from(n, count, expected);
    free(expected);
    free(count);
    thought_free(&t);
    space_free(&s);
}

static void an_agent_tells_what_it_was_made_of(void **state) {
    (void)state;
    space s = space_random(3, 4, SONDE_SYMMETRIC);
    sonde_search_settings settings = settings_number(1);
    settings.cluster.k = 5;
    settings.cluster.keep_empty = true;
    settings.probe_everywhere = true;
    sonde_agent *agent = agent_of(&s, &settings, NULL);
    assert_ptr_equal(sonde_agent_policies(agent)->model, s.model);
    assert_ptr_equal(sonde_agent_policies(agent), s.policies);
    /* as they were given */
    const sonde_search_settings *kept = sonde_agent_settings(agent);
    assert_string_equal(sonde_embedding_name(kept->embed.kind), "boe");
    assert_int_equal(kept->cluster.k, 5);
    assert_true(kept->cluster.keep_empty && kept->probe_everywhere);
    assert_false(kept->cluster.nearest_of_all || kept->cluster.seed_order);
    assert_int_equal(kept->seed, 5);
    sonde_agent_free(agent);
    sonde_agent_free(NULL);
    space_free(&s);
}

static void an_agent_that_does_not_fit_is_refused(void **state) {
    (void)state;
    space s = space_random(4, 4, SONDE_SYMMETRIC);
    for (int32_t i = 0; i < N_SETTINGS; i++) {
        const sonde_search_settings settings = settings_number(i);
        sonde_agent *agent = NULL;
        sonde_error error = {0};
        sonde_run run = threads(1);
        run.memory = 1000;
        assert_int_equal(sonde_agent_new(s.policies, &settings, &run, &agent, &error),
                         SONDE_TOO_LARGE);
        assert_null(agent);
        assert_says(error.text, "memory");
    }
    space_free(&s);
}

static void a_search_that_fails_leaves_its_output_untouched(void **state) {
    (void)state;
    space s = space_random(4, 4, SONDE_SYMMETRIC);
    for (int32_t i = 0; i < N_SETTINGS; i++) {
        const sonde_search_settings settings = settings_number(i);
        sonde_stop stop = {0};
        sonde_run run = threads(1);
        run.stop = &stop;
        sonde_agent *agent = agent_of(&s, &settings, &run);
        const sonde_decision *decision = NULL;
        sonde_agent_observe(agent, &s.graph->start, NULL);
        sonde_stop_raise(&stop);
        assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_STOPPED);
        assert_null(decision);
        sonde_agent_free(agent);
    }
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(belief_follows_outcomes_and_predictions),
        cmocka_unit_test(an_agent_searches_from_the_belief_it_is_given),
        cmocka_unit_test(an_agent_plans_from_the_most_probable_state_the_lowest_of_several),
        cmocka_unit_test(a_reset_agent_repeats_itself_exactly),
        cmocka_unit_test(an_agent_goes_on_from_the_memory_of_another),
        cmocka_unit_test(a_plan_that_goes_on_is_not_handed_over),
        cmocka_unit_test(another_number_draws_from_other_streams),
        cmocka_unit_test(a_memory_that_is_none_leaves_the_agent_as_it_was),
        cmocka_unit_test(agents_with_the_same_settings_decide_the_same_bytes),
        cmocka_unit_test(another_seed_acts_otherwise),
        cmocka_unit_test(searching_again_before_acting_decides_the_same),
        cmocka_unit_test(a_choice_is_the_action_that_will_be_taken),
        cmocka_unit_test(a_search_that_fails_leaves_its_output_untouched),
        cmocka_unit_test(actions_are_taken_as_often_as_they_are_probable),
        cmocka_unit_test(an_agent_tells_what_it_was_made_of),
        cmocka_unit_test(an_agent_that_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
