/* What bounded search promises in graph worlds, against full search: two thousand worlds. */
#include "search/baselines.h"

enum { N_WORLD = 2000 };

static thought search_with(const space *s, sonde_search_kind kind, sonde_scope scope,
                           double gamma) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = kind;
    settings.scope = scope;
    settings.gamma = gamma;
    return think(s, &settings, NULL);
}

/* Half the summed differences of the actions' probabilities. */
static double distance(const sonde_decision *a, const sonde_decision *b) {
    double sum = 0.0;
    int32_t j = 0;
    for (int32_t i = 0; i < a->n_action; i++) {
        while (j < b->n_action && b->action[j] < a->action[i]) {
            sum += b->posterior[j++];
        }
        const bool both = j < b->n_action && b->action[j] == a->action[i];
        sum += fabs(a->posterior[i] - (both ? b->posterior[j++] : 0.0));
    }
    for (; j < b->n_action; j++) {
        sum += b->posterior[j];
    }
    return 0.5 * sum;
}

static void assert_kept(const sonde_decision *bounded, const sonde_decision *full) {
    const sonde_certificate *certificate = &bounded->certificate;
    assert_true(certificate->given);
    assert_true(distance(bounded, full) <= certificate->tv + 1e-9);
    if (certificate->best_is_optimal) {
        assert_near(bounded->best_efe.efe, full->best_efe.efe,
                    1e-12 * (1.0 + fabs(full->best_efe.efe)));
    }
    /* no policy is better than the best by more than the gap */
    const double slack = 1e-10 * (1.0 + fabs(full->best_efe.efe));
    assert_true(bounded->best_efe.efe - certificate->gap <= full->best_efe.efe + slack);
}

static void certificates_are_true_in_two_thousand_worlds(void **state) {
    (void)state;
    const double gamma[] = {1.0, 0.02, 4.0, 0.2, 16.0};
    for (uint64_t seed = 0; seed < N_WORLD; seed++) {
        const int32_t n = 3 + (int32_t)(seed % 4);
        space s = space_random(n, seed, (sonde_connect)(seed / 4 % 2));
        for (int32_t scope = 0; scope < 2; scope++) {
            /* full search of a few global spaces would take as long as that of all others */
            if (scope == 1 && s.policies->n_policy > 1000000) {
                continue;
            }
            const double g = gamma[seed % 5];
            thought full = search_with(&s, SONDE_SEARCH_FULL, (sonde_scope)scope, g);
            thought bounded = search_with(&s, SONDE_SEARCH_BOUNDED, (sonde_scope)scope, g);
            assert_kept(bounded.decision, full.decision);
            thought_free(&bounded);
            thought_free(&full);
        }
        space_free(&s);
    }
}

/* ------------------------------------------------------------------------- what it costs -- */

/* The most probable of the nodes, and by how much. */
static int32_t leading(const sonde_decision *decision, double *gap) {
    int32_t first = 0;
    double second = 0.0;
    for (int32_t i = 1; i < decision->n_to; i++) {
        first = decision->to_posterior[i] > decision->to_posterior[first] ? i : first;
    }
    for (int32_t i = 0; i < decision->n_to; i++) {
        const bool other = i != first && decision->to_posterior[i] > second;
        second = other ? decision->to_posterior[i] : second;
    }
    *gap = decision->to_posterior[first] - second;
    return decision->to[first];
}

/* Episodes of both agents in the same worlds, and their first decisions. */
static void six_nodes_cost_ten_policies_and_lose_nothing(void **state) {
    (void)state;
    enum { N = 100 };
    double equivalent = 0.0;
    int32_t n_decision = 0;
    int32_t n_optimal[2] = {0};
    for (uint64_t seed = 0; seed < N; seed++) {
        space s = space_random(6, seed, (sonde_connect)(seed % 2));
        const sonde_search_kind kind[] = {SONDE_SEARCH_FULL, SONDE_SEARCH_BOUNDED};
        for (int32_t i = 0; i < 2; i++) {
            sonde_search_settings settings = sonde_search_defaults();
            settings.search = kind[i];
            sonde_agent *agent = agent_of(&s, &settings, NULL);
            sonde_episode *episode = NULL;
            assert_int_equal(sonde_simulate(agent, NULL, 10, &episode, NULL), SONDE_OK);
            n_optimal[i] += episode->optimal;
            for (int32_t t = 0; i == 1 && t < episode->n_step; t++) {
                equivalent += episode->evaluations[t].equivalent;
                n_decision++;
            }
            sonde_episode_free(episode);
            sonde_agent_free(agent);
        }
        double gap = 0.0;
        double ignored = 0.0;
        thought full = search_with(&s, SONDE_SEARCH_FULL, SONDE_LOCAL, 1.0);
        thought bounded = search_with(&s, SONDE_SEARCH_BOUNDED, SONDE_LOCAL, 1.0);
        const int32_t wanted = leading(full.decision, &gap);
        if (gap > 2e-3) {
            assert_int_equal(leading(bounded.decision, &ignored), wanted);
        }
        thought_free(&bounded);
        thought_free(&full);
        space_free(&s);
    }
    assert_true(equivalent / n_decision <= 10.0);
    assert_true(n_optimal[1] >= n_optimal[0]);
}

/* 5^8 and 5^12 policies, of which a thousandth or less are looked at */
static void the_grid_is_certified_from_a_sliver(void **state) {
    (void)state;
    for (int32_t horizon = 8; horizon <= 12; horizon += 4) {
        sonde_model_settings change = sonde_model_defaults();
        change.horizon = horizon;
        sonde_model *model = NULL;
        sonde_policies *policies = NULL;
        assert_int_equal(sonde_model_read(&(const sonde_source){.origin = SONDE_TEST_DATA
                                                                "/../../examples/models/grid.json"},
                                          &change, NULL, &model, NULL),
                         SONDE_OK);
        assert_int_equal(sonde_policies_count(model, 0, NULL, &policies, NULL), SONDE_OK);
        sonde_search_settings settings = sonde_search_defaults();
        settings.gamma = 1.0;
        thought t = think_from(policies, &settings);
        assert_true(t.decision->certificate.tv <= 1e-3);
        assert_true(t.decision->certificate.best_is_optimal);
        assert_true(t.decision->evaluations.equivalent <= 1e-3 * policies->size);
        thought_free(&t);
        sonde_policies_free(policies);
        sonde_model_free(model);
    }
}

/* ----------------------------------------------------------------------- when it must stop -- */

static void too_small_a_budget_is_told(void **state) {
    (void)state;
    int32_t n_stopped = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED, 2000.0);
        sonde_search_settings settings = sonde_search_defaults();
        settings.gamma = 0.5;
        settings.epsilon = 0.0;
        settings.budget = 1 + seed % 5;
        thought bounded = think_from(s.policies, &settings);
        settings.search = SONDE_SEARCH_FULL;
        thought full = think_from(s.policies, &settings);
        assert_kept(bounded.decision, full.decision);
        assert_true(bounded.decision->certificate.tv <= 1.0);
        n_stopped += bounded.decision->certificate.stopped != NULL;
        thought_free(&full);
        thought_free(&bounded);
        setting_free(&s);
    }
    assert_true(n_stopped > 50);
}

/* a broad posterior over 5^20 policies, and room for few of them */
static void too_little_memory_is_told(void **state) {
    (void)state;
    sonde_model_settings change = sonde_model_defaults();
    change.horizon = 20;
    sonde_model *model = NULL;
    sonde_policies *policies = NULL;
    sonde_agent *agent = NULL;
    const sonde_decision *decision = NULL;
    sonde_run run = threads(1);
    run.memory = UINT64_C(20) << 20;
    assert_int_equal(sonde_model_read(&(const sonde_source){.origin = SONDE_TEST_DATA
                                                            "/../../examples/models/grid.json"},
                                      &change, NULL, &model, NULL),
                     SONDE_OK);
    assert_int_equal(sonde_policies_count(model, 0, NULL, &policies, NULL), SONDE_OK);
    sonde_search_settings settings = sonde_search_defaults();
    settings.gamma = 0.01;
    settings.epsilon = 0.0;
    assert_int_equal(sonde_agent_new(policies, &settings, &run, &agent, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
    assert_string_equal(decision->certificate.stopped, "memory");
    assert_true(decision->certificate.tv > 0.5 && decision->certificate.tv <= 1.0);
    sonde_agent_free(agent);
    sonde_policies_free(policies);
    sonde_model_free(model);
}

/* ------------------------------------------------------------------------ ties and rounding -- */

static void grid_decided(double epsilon, void (*look)(const sonde_decision *decision)) {
    sonde_model *model = model_from(SONDE_TEST_DATA "/../../examples/models/grid.json");
    sonde_policies *policies = NULL;
    assert_int_equal(sonde_policies_count(model, 0, NULL, &policies, NULL), SONDE_OK);
    sonde_search_settings settings = sonde_search_defaults();
    settings.epsilon = epsilon;
    thought t = think_from(policies, &settings);
    look(t.decision);
    thought_free(&t);
    sonde_policies_free(policies);
    sonde_model_free(model);
}

static void look_at_tie(const sonde_decision *decision) {
    double most = 0.0;
    for (int32_t i = 0; i < decision->n_action; i++) {
        most = decision->posterior[i] > most ? decision->posterior[i] : most;
    }
    assert_near(most, 0.5, 1e-3);
    assert_false(decision->certificate.action_is_exact);
    assert_true(decision->certificate.best_is_optimal);
    assert_true(decision->certificate.tv > 0.0 && decision->certificate.tv < 1e-8);
    assert_string_equal(decision->certificate.stopped, "rounding");
}

static void a_tie_is_never_certain(void **state) {
    (void)state;
    grid_decided(0.0, look_at_tie);
}

/* Two states that are seen as they are, one of them liked; every outcome costs the same. */
static void decide_with_cost(double lambda, void (*look)(const sonde_decision *decision)) {
    char text[512];
    (void)snprintf(
        text, sizeof text,
        "{\"format\": \"sonde-model\", \"version\": 1, \"factors\": [{\"states\": 2, "
        "\"actions\": 2}], \"modalities\": [{\"outcomes\": 2}], \"A\": [[[1, 0], [0, 1]]], "
        "\"B\": [[[[1, 0], [1, 0]], [[0, 1], [0, 1]]]], \"C\": [[0, 2]], \"D\": [[0.5, 0.5]], "
        "\"cost\": [[1, 1]], \"lambda\": %g, \"horizon\": 1}",
        lambda);
    sonde_model *model = model_of(text);
    sonde_policies *policies = NULL;
    assert_int_equal(sonde_policies_count(model, 0, NULL, &policies, NULL), SONDE_OK);
    const sonde_search_settings settings = sonde_search_defaults();
    thought t = think_from(policies, &settings);
    look(t.decision);
    thought_free(&t);
    sonde_policies_free(policies);
    sonde_model_free(model);
}

static void look_at_small_cost(const sonde_decision *decision) {
    assert_near(decision->posterior[1], 0.8807970779778823, 1e-12);
    assert_true(decision->certificate.tv > 0.0 && decision->certificate.tv < 1e-10);
    assert_true(decision->certificate.best_is_optimal && decision->certificate.action_is_exact);
    assert_near(decision->certificate.gap, 0.0, 0.0);
    assert_null(decision->certificate.stopped);
}

static void look_at_large_cost(const sonde_decision *decision) {
    /* what the preference says is lost in the last digits */
    assert_near(decision->posterior[1], 0.5, 0.0);
    assert_near(decision->certificate.tv, 1.0, 0.0);
    assert_false(decision->certificate.best_is_optimal || decision->certificate.action_is_exact);
    assert_true(decision->certificate.gap >= 2.0);
    assert_string_equal(decision->certificate.stopped, "rounding");
}

static void digits_that_a_large_cost_takes_are_missing_from_the_certificate(void **state) {
    (void)state;
    decide_with_cost(1.0, look_at_small_cost);
    decide_with_cost(1e17, look_at_large_cost);
}

/* 4^600 policies of which all prefixes of the same length meet in three states */
static void more_prefixes_may_meet_than_a_number_can_hold(void **state) {
    (void)state;
    sonde_model *model = model_of(
        "{\"format\": \"sonde-model\", \"version\": 1, \"factors\": [{\"states\": 3, \"actions\": 4}], "
        "\"modalities\": [{\"outcomes\": 3}], \"A\": [[[1, 0, 0], [0, 1, 0], [0, 0, 1]]], \"B\": [[[[1, "
        "0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0]], [[0, 1, 0, 0], [1, 0, 0, 1], [0, 0, 1, 0]], [[0, 0, "
        "1, 0], [0, 1, 0, 0], [1, 0, 0, 1]]]], \"C\": [[0, 0, 1]], \"D\": [[1, 0, 0]], "
        "\"horizon\": 600, \"gamma\": 0}");
    sonde_policies *policies = NULL;
    assert_int_equal(sonde_policies_count(model, 0, NULL, &policies, NULL), SONDE_OK);
    sonde_search_settings settings = sonde_search_defaults();
    settings.epsilon = 0.0;
    thought t = think_from(policies, &settings);
    for (int32_t i = 0; i < 4; i++) {
        assert_near(t.decision->posterior[i], 0.25, t.decision->certificate.tv);
    }
    assert_near(t.decision->log_evidence, 600.0 * log(4.0), 1e-6);
    assert_true(t.decision->certificate.tv < 1e-4);
    assert_false(t.decision->certificate.action_is_exact);
    thought_free(&t);
    sonde_policies_free(policies);
    sonde_model_free(model);
}

/* Both actions of each step lead to the same state, and the first costs nearly a tie more. */
static void ties_do_not_add_up_over_the_steps_of_a_policy(void **state) {
    (void)state;
    sonde_model *model = model_of(
        "{\"format\": \"sonde-model\", \"version\": 1, \"factors\": [{\"states\": 1, \"actions\": 2}], "
        "\"modalities\": [{\"outcomes\": 1}], \"A\": [[[1]]], \"B\": [[[[1, 1]]]], \"C\": [[0]], "
        "\"D\": [[1]], \"action_cost\": [[9e-13, 0]], \"preferences\": \"utility\", \"horizon\": 8}");
    sonde_policies *policies = NULL;
    assert_int_equal(sonde_policies_count(model, 0, NULL, &policies, NULL), SONDE_OK);
    const sonde_search_settings settings = sonde_search_defaults();
    thought t = think_from(policies, &settings);
    assert_true(t.decision->certificate.best_is_optimal);
    assert_true(t.decision->best_efe.efe <= 1e-12);
    thought_free(&t);
    sonde_policies_free(policies);
    sonde_model_free(model);
}

/* The last step costs 100 whatever is done, so that a tie is a hundred times as wide at the end. */
static void prefixes_tie_where_the_policies_that_begin_so_do(void **state) {
    (void)state;
    sonde_model *model = model_of(
        "{\"format\": \"sonde-model\", \"version\": 1, \"factors\": [{\"states\": 1, \"actions\": 2}], "
        "\"modalities\": [{\"outcomes\": 1}], \"A\": [[[1]]], \"B\": [[[[1, 1]]]], "
        "\"C\": [[[0], [0], [-100]]], \"D\": [[1]], \"action_cost\": [[2e-11, 0]], "
        "\"preferences\": \"utility\", \"horizon\": 3}");
    sonde_policies *policies = NULL;
    assert_int_equal(sonde_policies_count(model, 0, NULL, &policies, NULL), SONDE_OK);
    const sonde_search_settings settings = sonde_search_defaults();
    thought t = think_from(policies, &settings);
    assert_int_equal(t.decision->best, 0);
    assert_true(t.decision->certificate.best_is_optimal);
    thought_free(&t);
    sonde_policies_free(policies);
    sonde_model_free(model);
}

static void assert_said(const sonde_certificate *certificate, const char *wanted) {
    sonde_text text = {0};
    sonde_certificate_say(certificate, &text);
    assert_string_equal(text.data, wanted);
    sonde_text_free(&text);
}

static void a_certificate_is_one_sentence(void **state) {
    (void)state;
    sonde_certificate certificate = {
        .given = true, .tv = 0.25, .best_is_optimal = true, .action_is_exact = true};
    assert_said(&certificate, "within 0.25 of the exact posterior (total variation); no policy is "
                              "better; the most probable action is certain");
    certificate = (sonde_certificate){.given = true, .tv = 1.0, .gap = 2.5, .stopped = "budget"};
    assert_said(&certificate, "nothing is known of how close the posterior is to the exact one; a "
                              "policy could be better by 2.5; the most probable action is not "
                              "certain; stopped by its budget");
    certificate.tv = 0.99996; /* would be said as 1 */
    assert_said(&certificate, "nothing is known of how close the posterior is to the exact one; a "
                              "policy could be better by 2.5; the most probable action is not "
                              "certain; stopped by its budget");
    certificate.stopped = "rounding";
    certificate.tv = 0.5;
    assert_said(&certificate, "within 0.5 of the exact posterior (total variation); a policy could "
                              "be better by 2.5; the most probable action is not certain; nothing "
                              "but rounding is left");
}

/* Two dials; the second has two ways to be turned right, if `twice`, and otherwise one. */
static bool every_dial_leads(bool twice, sonde_search_kind kind) {
    char text[1024];
    (void)snprintf(
        text, sizeof text,
        "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 1,"
        " \"factors\": [{\"states\": 2, \"actions\": 2}, {\"states\": 2, \"actions\": 3}],"
        " \"modalities\": [{\"outcomes\": 2, \"factors\": [0]},"
        " {\"outcomes\": 2, \"factors\": [1]}],"
        " \"A\": [[[1, 0], [0, 1]], [[1, 0], [0, 1]]],"
        " \"B\": [[[[1, 0], [1, 0]], [[0, 1], [0, 1]]],"
        " [[[1, 0, %d], [1, 0, %d]], [[0, 1, %d], [0, 1, %d]]]],"
        " \"C\": [[0, 1], [0, 2]], \"D\": [[1, 0], [1, 0]]}",
        twice ? 0 : 1, twice ? 0 : 1, twice ? 1 : 0, twice ? 1 : 0);
    setting s = setting_of(model_of(text));
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = kind;
    settings.per_factor = true;
    thought t = think_from(s.policies, &settings);
    const bool leads = t.decision->certificate.action_is_exact;
    assert_true(t.decision->certificate.given);
    thought_free(&t);
    setting_free(&s);
    return leads;
}

static void the_action_is_certain_where_every_factor_has_one_that_leads(void **state) {
    (void)state;
    assert_true(every_dial_leads(false, SONDE_SEARCH_BOUNDED));
    assert_false(every_dial_leads(true, SONDE_SEARCH_BOUNDED));
}

/* epsilon is about what is left out of the posterior */
static void whatever_epsilon_is_the_best_policy_is_the_best_there_is(void **state) {
    (void)state;
    uint64_t n_spared = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED, 4000.0);
        sonde_search_settings settings = sonde_search_defaults();
        settings.gamma = 0.2;
        settings.search = SONDE_SEARCH_FULL;
        thought full = think_from(s.policies, &settings);
        settings.search = SONDE_SEARCH_BOUNDED;
        settings.epsilon = 0.9;
        thought bounded = think_from(s.policies, &settings);
        assert_int_equal(bounded.decision->best, full.decision->best);
        assert_true(bounded.decision->certificate.best_is_optimal);
        assert_true(distance(bounded.decision, full.decision) <= 0.9);
        n_spared += full.decision->evaluations.n_policy - bounded.decision->evaluations.n_policy;
        thought_free(&bounded);
        thought_free(&full);
        setting_free(&s);
    }
    assert_true(n_spared > 1000);
}

/* Every step needs a prefix for each action. */
static void more_prefixes_than_can_be_numbered_are_refused(void **state) {
    (void)state;
    enum { ACTIONS = 20000, STEPS = 7000 };
    const int64_t size[] = {1, 1, ACTIONS};
    const double one = 1.0;
    const double nothing = 0.0;
    double *B = room(ACTIONS, sizeof *B);
    for (int32_t u = 0; u < ACTIONS; u++) {
        B[u] = 1.0;
    }
    const sonde_factor_parts factor = {.shape = {.n_state = 1, .n_action = ACTIONS},
                                       .B = {.n_axis = 3, .size = size, .value = B},
                                       .D = {.n_axis = 1, .size = size, .value = &one}};
    const sonde_modality_parts modality = {.shape = {.n_outcome = 1},
                                           .A = {.n_axis = 2, .size = size, .value = &one},
                                           .C = {.n_axis = 1, .size = size, .value = &nothing}};
    sonde_parts parts = sonde_parts_defaults();
    parts.n_factor = parts.n_modality = 1;
    parts.factor = &factor;
    parts.modality = &modality;
    parts.settings.horizon = STEPS;
    sonde_model *model = NULL;
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = SONDE_SEARCH_BOUNDED;
    assert_int_equal(sonde_model_new(&parts, "long", NULL, &model, &error), SONDE_OK);
    setting s = setting_of(model);
    assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, &error), SONDE_TOO_LARGE);
    assert_says(error.text, "too many actions for so long a horizon");
    setting_free(&s);
    free(B);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificates_are_true_in_two_thousand_worlds),
        cmocka_unit_test(six_nodes_cost_ten_policies_and_lose_nothing),
        cmocka_unit_test(the_grid_is_certified_from_a_sliver),
        cmocka_unit_test(too_small_a_budget_is_told),
        cmocka_unit_test(too_little_memory_is_told),
        cmocka_unit_test(a_tie_is_never_certain),
        cmocka_unit_test(ties_do_not_add_up_over_the_steps_of_a_policy),
        cmocka_unit_test(prefixes_tie_where_the_policies_that_begin_so_do),
        cmocka_unit_test(digits_that_a_large_cost_takes_are_missing_from_the_certificate),
        cmocka_unit_test(a_certificate_is_one_sentence),
        cmocka_unit_test(more_prefixes_may_meet_than_a_number_can_hold),
        cmocka_unit_test(the_action_is_certain_where_every_factor_has_one_that_leads),
        cmocka_unit_test(whatever_epsilon_is_the_best_policy_is_the_best_there_is),
        cmocka_unit_test(more_prefixes_than_can_be_numbered_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
