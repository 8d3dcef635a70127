/* Bounds without a horizon where one value follows from another. */
#include <stdio.h>

#include "models.h"
#include "sonde_policy.h"

/* Two rooms that look much alike, and doors that lead on; what is done in them is `acts`. */
static sonde_model *rooms(const char *acts) {
    char text[1024];
    (void)snprintf(
        text, sizeof text,
        "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 2, \"discount\": 0.9,"
        " \"modalities\": [{\"outcomes\": 2}], \"A\": [[[0.7, 0.2], [0.3, 0.8]]],"
        " \"C\": [[0, 2]], \"D\": [[0.6, 0.4]], %s}",
        acts);
    return model_of(text);
}

static sonde_search_settings endless(double gamma) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.loop = SONDE_LOOP_CLOSED;
    settings.endless = true;
    settings.backup = SONDE_BACKUP_FREE_ENERGY;
    settings.epsilon = 0.0;
    settings.gap = 0.05;
    settings.gamma = gamma;
    return settings;
}

static sonde_decision plan_once(const sonde_model *model, double gamma) {
    const sonde_search_settings settings = endless(gamma);
    sonde_agent *agent = NULL;
    const sonde_decision *decision = NULL;
    sonde_error error = {0};
    if (sonde_plan(model, NULL, &settings, NULL, &agent, &decision, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    const sonde_decision found = *decision;
    sonde_agent_free(agent);
    return found;
}

/* Of three doors of the same habit one may never be used: each step costs ln(3 / 2) / gamma more
 * than where there are two, whether that is much or little. */
static void what_is_not_allowed_costs_its_habit_at_every_step(void **state) {
    (void)state;
    static const double gammas[] = {0.25, 1.0, 4.0};
    sonde_model *two = rooms("\"factors\": [{\"states\": 2, \"actions\": 2}],"
                             " \"B\": [[[[1, 0], [0, 1]], [[0, 1], [1, 0]]]]");
    sonde_model *three = rooms("\"factors\": [{\"states\": 2, \"actions\": 3}],"
                               " \"B\": [[[[1, 0, 1], [0, 1, 0]], [[0, 1, 0], [1, 0, 1]]]],"
                               " \"policies\": \"allowed\","
                               " \"allowed\": [[[0, 0], [0, 1], [1, 0], [1, 1]]]");
    for (int32_t i = 0; i < 3; i++) {
        const double more = log(1.5) / gammas[i] / (1.0 - 0.9);
        const sonde_decision a = plan_once(two, gammas[i]);
        const sonde_decision b = plan_once(three, gammas[i]);
        assert_true(a.value_lower < a.value_upper && b.value_lower < b.value_upper);
        assert_true(b.value_lower <= a.value_upper + more);
        assert_true(b.value_upper >= a.value_lower + more);
    }
    sonde_model_free(two);
    sonde_model_free(three);
}

static void without_a_horizon_later_steps_have_to_count_less(void **state) {
    (void)state;
    sonde_model *model = rooms("\"factors\": [{\"states\": 2, \"actions\": 1}],"
                               " \"B\": [[[[1], [0]], [[0], [1]]]]");
    sonde_search_settings settings = endless(1.0);
    sonde_agent *agent = NULL;
    const sonde_decision *decision = NULL;
    sonde_error error = {0};
    settings.discount = 1.0;
    assert_int_equal(sonde_plan(model, NULL, &settings, NULL, &agent, &decision, &error),
                     SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "discount"));
    assert_non_null(strstr(error.text, "later steps have to count less"));
    sonde_model_free(model);
}

static sonde_decision decide_anew(sonde_agent *agent) {
    const sonde_decision *decision = NULL;
    sonde_agent_reset(agent);
    assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
    return *decision;
}

/* What was found in one episode is forgotten before the next; what was lent is not. */
static void every_episode_begins_with_what_was_lent(void **state) {
    (void)state;
    sonde_make_settings how = sonde_make_defaults();
    sonde_search_settings settings = endless(1.0);
    sonde_model *model = NULL;
    sonde_agent *agent = NULL;
    const sonde_decision *decision = NULL;
    sonde_vectors *vectors = NULL;
    sonde_text text = {0};
    sonde_error error = {0};
    how.make = SONDE_MAKE_ROCKSAMPLE;
    settings.backup = SONDE_BACKUP_MIN;
    settings.gap = 1.0;
    settings.budget = 300;
    assert_int_equal(sonde_make(&how, NULL, NULL, &model, &error), SONDE_OK);
    assert_int_equal(sonde_plan(model, NULL, &settings, NULL, &agent, &decision, &error), SONDE_OK);
    assert_int_equal(sonde_agent_vectors_write(agent, SONDE_POLICY_JSON, &text, &error), SONDE_OK);
    const sonde_source source = {"lent.json", text.data, text.size};
    if (sonde_vectors_read(&source, NULL, &vectors, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    sonde_agent_free(agent);
    settings.vectors = vectors;
    settings.gap = 1e-3;
    settings.budget = 60;
    assert_int_equal(sonde_plan(model, NULL, &settings, NULL, &agent, &decision, &error), SONDE_OK);
    const sonde_decision first = *decision;
    for (int32_t i = 0; i < 3; i++) {
        const sonde_decision next = decide_anew(agent);
        assert_true(next.value_lower == first.value_lower && next.value_upper == first.value_upper);
        assert_int_equal(next.evaluations.n_step, first.evaluations.n_step);
    }
    sonde_agent_free(agent);
    sonde_vectors_free(vectors);
    sonde_text_free(&text);
    sonde_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_allowed_costs_its_habit_at_every_step),
        cmocka_unit_test(without_a_horizon_later_steps_have_to_count_less),
        cmocka_unit_test(every_episode_begins_with_what_was_lent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
