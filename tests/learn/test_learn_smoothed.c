/* Counts from smoothed beliefs, as pymdp 1.0.4 has them after a whole sequence; and the tasks of the
 * speed table, whose likelihoods others have worked out. */
#include <float.h>

#include "recorded.h"

static sonde_agent *agent_of(const sonde_policies *policies, sonde_search_settings search,
                             const sonde_learn_settings *learn) {
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    search.search = SONDE_SEARCH_FULL;
    if (sonde_agent_new(policies, &search, NULL, &agent, &error) != SONDE_OK ||
        sonde_agent_learn(agent, learn, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return agent;
}

static sonde_model *model_in(json_t *document) {
    char *text = json_dumps(document, JSON_REAL_PRECISION(17));
    sonde_model *model = model_of(text);
    free(text);
    return model;
}

static void compare(const sonde_agent *agent, sonde_letter letter, const json_t *wanted,
                    double slack) {
    for (size_t i = 0; i < json_array_size(wanted); i++) {
        double counts[2048];
        const int64_t n = sonde_agent_counts(agent, letter, (int32_t)i, NULL);
        if (!json_is_null(json_array_get(wanted, i))) {
            assert_in_range(n, 1, 2048);
            (void)sonde_agent_counts(agent, letter, (int32_t)i, counts);
            assert_recorded("counts", json_array_get(wanted, i), n, counts, slack);
        }
    }
}

static int32_t list_of(const json_t *list, int32_t *out) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        out[i] = (int32_t)whole_at(list, i);
    }
    return (int32_t)json_array_size(list);
}

/* A sequence of observations and actions, and what is learned of it at its end. */
static void assert_smoothed(const char *name) {
    json_t *run = recorded(name);
    const json_t *settings = json_object_get(run, "settings");
    const json_t *seen = json_object_get(run, "observations");
    json_t *document = document_of(run);
    json_object_set_new(document, "gamma", json_real(1.0));
    json_object_set_new(document, "horizon", json_integer(1));
    sonde_model *model = model_in(document);
    sonde_policies *policies = NULL;
    sonde_learn_settings learn = sonde_learn_defaults();
    sonde_search_settings search = sonde_search_defaults();
    search.inference = SONDE_INFERENCE_PYMDP;
    learn.when = SONDE_LEARN_EPISODE;
    learn.beliefs = SONDE_BELIEFS_SMOOTHED;
    learn.steps = (int32_t)json_array_size(seen);
    learn.support = SONDE_SUPPORT_GROW;
    learn.least = DBL_EPSILON;
    learn.eta[SONDE_A] = real(settings, "lr_pA");
    learn.eta[SONDE_B] = real(settings, "lr_pB");
    assert_int_equal(sonde_policies_count(model, 0, NULL, &policies, NULL), SONDE_OK);
    sonde_agent *agent = agent_of(policies, search, &learn);
    for (size_t t = 0; t < json_array_size(seen); t++) {
        int32_t outcome[SONDE_FACTORS_MAX];
        int32_t tuple[SONDE_FACTORS_MAX];
        (void)list_of(json_array_get(seen, t), outcome);
        (void)list_of(json_array_get(json_object_get(run, "actions"), t), tuple);
        assert_int_equal(sonde_agent_observe(agent, outcome, NULL), SONDE_OK);
        const double *belief = sonde_agent_memory_get(agent).belief;
        for (int32_t f = 0; f < model->n_factor; f++) {
            const json_t *q =
                json_array_get(json_array_get(json_object_get(run, "qs"), (size_t)f), t);
            assert_recorded("qs", q, model->factor[f].n_state, belief + model->factor[f].first,
                            1e-12);
        }
        assert_int_equal(sonde_agent_take(agent, sonde_model_from_tuple(model, tuple), NULL),
                         SONDE_OK);
    }
    sonde_agent_end(agent);
    compare(agent, SONDE_A, json_object_get(run, "pA"), 1e-12);
    compare(agent, SONDE_B, json_object_get(run, "pB"), 1e-12);
    sonde_agent_free(agent);
    sonde_policies_free(policies);
    sonde_model_free(model);
    json_decref(document);
    json_decref(run);
}

static void exact_smoothing_is_pymdps(void **state) {
    (void)state;
    assert_in_range(for_recorded("*-window-exact.pymdp-*", assert_smoothed), 1, INT32_MAX);
}

static void smoothing_factor_by_factor_is_pymdps(void **state) {
    (void)state;
    assert_in_range(for_recorded("*-window-ovf.pymdp-*", assert_smoothed), 1, INT32_MAX);
}

/* The log-likelihood of the actions of a subject who learns A, or does not. */
static double likelihood_of(const json_t *run, const sonde_policies *policies, bool learns) {
    const sonde_model *model = policies->model;
    const json_t *seen = json_object_get(run, "outcomes");
    sonde_learn_settings learn = sonde_learn_defaults();
    double sum = 0.0;
    learn.eta[SONDE_A] = real(json_object_get(run, "settings"), "eta_A");
    learn.until = learns ? INT32_MAX : 0;
    sonde_agent *agent = agent_of(policies, sonde_search_defaults(), &learn);
    for (size_t e = 0; e < json_array_size(seen); e++) {
        const json_t *steps = json_array_get(seen, e);
        for (size_t t = 0; t < json_array_size(steps); t++) {
            int32_t outcome[SONDE_FACTORS_MAX];
            int32_t tuple[SONDE_FACTORS_MAX];
            const sonde_decision *decision = NULL;
            (void)list_of(json_array_get(steps, t), outcome);
            (void)list_of(json_array_get(json_array_get(json_object_get(run, "actions"), e), t),
                          tuple);
            const int32_t action = sonde_model_from_tuple(model, tuple);
            assert_int_equal(sonde_agent_observe(agent, outcome, NULL), SONDE_OK);
            assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
            assert_int_equal(decision->action[action], action);
            sum += log(decision->posterior[action]);
            assert_int_equal(sonde_agent_take(agent, action, NULL), SONDE_OK);
        }
        sonde_agent_end(agent);
    }
    if (learns) {
        compare(agent, SONDE_A, json_object_get(json_object_get(run, "counts_after"), "A"), 1e-9);
    }
    sonde_agent_free(agent);
    return sum;
}

static void assert_replayed(const char *name) {
    json_t *run = recorded(name);
    const json_t *wanted = json_object_get(run, "log_likelihood");
    sonde_model *model = model_in(json_object_get(run, "model"));
    sonde_policies *policies = NULL;
    assert_int_equal(sonde_policies_count(model, 0, NULL, &policies, NULL), SONDE_OK);
    assert_near(likelihood_of(run, policies, true), real(wanted, "learning"), 1e-8);
    assert_near(likelihood_of(run, policies, false), real(wanted, "fixed"), 1e-8);
    sonde_policies_free(policies);
    sonde_model_free(model);
    json_decref(run);
}

static void the_tasks_of_the_speed_table_have_their_likelihoods(void **state) {
    (void)state;
    assert_replayed("bench-tmaze");
    assert_replayed("bench-bandit");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_smoothing_is_pymdps),
        cmocka_unit_test(smoothing_factor_by_factor_is_pymdps),
        cmocka_unit_test(the_tasks_of_the_speed_table_have_their_likelihoods),
    };
    recorded_folder = argc > 1 ? argv[1] : recorded_folder;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
