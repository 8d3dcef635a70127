/* What is said of a search's error is what every policy's G says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/study_world.h"

#define PLAN(worlds, conditions)                                                                   \
    "{\"format\": \"sonde-plan\", \"version\": 1, \"judge\": 3, \"worlds\": {" worlds              \
    "}, \"conditions\": [" conditions "]}"

static sonde_study_plan *plan_of(const char *text) {
    const sonde_source source = {"plan", text, strlen(text)};
    sonde_study_plan *plan = NULL;
    sonde_error error = {0};
    if (sonde__plan_parse(&source, &plan, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return plan;
}

/* A world of a plan, by its size, or a model. */
static sonde__study_world world_of(const sonde_study_plan *plan, int32_t size, int32_t number) {
    sonde__study_world w = {.size = size, .number = number, .horizon = size > 0 ? size : 0};
    sonde_error error = {0};
    if (sonde__study_world_open(plan, NULL, &w, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return w;
}

static sonde__verdict judge(sonde__study_world *w, const sonde_search_settings *settings,
                            int32_t n) {
    sonde_agent *agent = NULL;
    sonde__verdict verdict = {0};
    sonde_error error = {0};
    if (sonde_agent_new(w->policies, settings, NULL, &agent, &error) != SONDE_OK ||
        sonde__judge_agent(w, &(sonde_study_plan){.n_judge = n}, agent, NULL, &verdict, &error) !=
            SONDE_OK) {
        fail_msg("%s", error.text);
    }
    sonde_agent_free(agent);
    return verdict;
}

static const char *const models =
    PLAN("\"graphs\": 1, \"models\": [\"tmaze\", \"bandit\", \"weights\", {\"model\": \"grid5\", "
         "\"horizon\": 4}, {\"model\": \"grid\", \"horizon\": 4, \"gamma\": 0.05}]",
         "{\"search\": \"full\"}");
#define N_MODEL 5

/* ---------------------------------------------------------------------------------- by hand -- */

/* What a search should be told, worked out from every G of the first decision. */
typedef struct {
    double tv;
    double action_tv;
    double regret;
} plain;

static bool is_scored(const sonde_decision *decision, uint64_t index) {
    const sonde_clusters *clusters = decision->clusters;
    for (int32_t i = 0; i < clusters->n_policy; i++) {
        if (sonde_clusters_policy(clusters, i) == index) {
            return decision->chosen[clusters->label[i]];
        }
    }
    return false;
}

static plain by_hand(const sonde__study_world *w, const sonde_decision *decision, double gamma) {
    const int32_t origin = decision->origin;
    const uint64_t n = sonde_policies_size(w->policies, origin);
    const sonde_present now = {decision->state, decision->belief};
    double *efe = calloc(n, sizeof *efe);
    double *exact = calloc((size_t)w->model->n_action, sizeof *exact);
    double *found = calloc((size_t)w->model->n_action, sizeof *found);
    int32_t *walk = calloc((size_t)w->policies->horizon + 1, sizeof *walk);
    assert_true(efe != NULL && exact != NULL && found != NULL && walk != NULL);
    const sonde_range all = {origin, 0, n};
    assert_int_equal(sonde_efe_range(w->policies, now, all, NULL, efe, NULL), SONDE_OK);
    double least = INFINITY;
    double best = INFINITY;
    for (uint64_t i = 0; i < n; i++) {
        least = fmin(least, efe[i]);
    }
    double total = 0.0;
    double part = 0.0;
    for (uint64_t i = 0; i < n; i++) {
        const double mass = exp(-gamma * (efe[i] - least));
        sonde_policies_get(w->policies, origin, i, walk, NULL);
        const int32_t action = sonde_policies_action(w->policies, walk, 1);
        total += mass;
        exact[action] += mass;
        if (is_scored(decision, i)) {
            part += mass;
            found[action] += mass;
            best = fmin(best, efe[i]);
        }
    }
    plain answer = {.tv = 1.0 - part / total, .regret = best - least};
    for (int32_t a = 0; a < w->model->n_action; a++) {
        answer.action_tv += 0.5 * fabs(exact[a] / total - found[a] / part);
    }
    free(efe);
    free(exact);
    free(found);
    free(walk);
    return answer;
}

/* Judges clustered search on its first decision, both ways. */
static void compare_with_hand(sonde__study_world *w, int32_t k, double gamma) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = SONDE_SEARCH_CLUSTER;
    settings.cluster.k = k;
    settings.gamma = gamma;
    settings.seed = w->seed;
    const sonde__verdict verdict = judge(w, &settings, 1);
    const sonde__exact *exact = &w->judge.exact[w->judge.n_exact - 1];
    sonde_agent *agent = NULL;
    const sonde_decision *decision = NULL;
    assert_int_equal(sonde_agent_new(w->policies, &settings, NULL, &agent, NULL), SONDE_OK);
    sonde_agent_believe(agent, exact->belief, NULL);
    assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
    const plain answer = by_hand(w, decision, sonde_agent_settings(agent)->gamma);
    assert_true(fabs(verdict.tv - answer.tv) <= 1e-9);
    assert_true(fabs(verdict.action_tv - answer.action_tv) <= 1e-9);
    assert_true(fabs(verdict.regret - answer.regret) <= 1e-9 * (1.0 + fabs(answer.regret)));
    assert_int_equal(verdict.n_best, answer.regret <= 1e-9 ? 1 : 0);
    assert_true(isnan(verdict.bound));
    sonde_agent_free(agent);
}

/* ------------------------------------------------------------------------------------ facts -- */

static void clustered_search_is_told_what_every_policy_says(void **state) {
    (void)state;
    sonde_study_plan *plan = plan_of(PLAN("\"sizes\": [4], \"graphs\": 1", "{}"));
    for (int32_t number = 0; number < 6; number++) {
        sonde__study_world w = world_of(plan, 4, number);
        compare_with_hand(&w, 5, 0.02); /* broad enough to miss a part, not all or nothing */
        compare_with_hand(&w, 3, 1.0);
        sonde__study_world_close(&w);
    }
    sonde_study_plan_free(plan);
    plan = plan_of(models);
    for (int32_t m = 0; m < N_MODEL; m++) {
        sonde__study_world w = world_of(plan, -1 - m, 0);
        compare_with_hand(&w, 4, SONDE_GAMMA_DEFAULT);
        sonde__study_world_close(&w);
    }
    sonde_study_plan_free(plan);
}

static void full_search_is_never_wrong(void **state) {
    (void)state;
    sonde_study_plan *plan = plan_of(models);
    for (int32_t m = 0; m < N_MODEL; m++) {
        sonde__study_world w = world_of(plan, -1 - m, 1);
        sonde_search_settings settings = sonde_search_defaults();
        settings.search = SONDE_SEARCH_FULL;
        const sonde__verdict verdict = judge(&w, &settings, 3);
        assert_int_equal(verdict.n, 3);
        assert_int_equal(verdict.n_best, 3);
        assert_true(verdict.tv == 0.0 && verdict.action_tv == 0.0 && verdict.regret == 0.0);
        assert_string_equal(verdict.exact, "full");
        sonde__study_world_close(&w);
    }
    sonde_study_plan_free(plan);
}

static void a_certificate_is_never_below_the_error(void **state) {
    (void)state;
    sonde_study_plan *plan = plan_of(models);
    for (int32_t m = 0; m < N_MODEL; m++) {
        sonde__study_world w = world_of(plan, -1 - m, 2);
        for (double epsilon = 0.5; epsilon > 1e-7; epsilon *= 0.1) {
            sonde_search_settings settings = sonde_search_defaults();
            settings.search = SONDE_SEARCH_BOUNDED;
            settings.epsilon = epsilon;
            const sonde__verdict verdict = judge(&w, &settings, 3);
            assert_true(verdict.bound <= epsilon);
            assert_true(verdict.tv <= verdict.bound + 1e-9);
            assert_true(verdict.action_tv <= verdict.bound + 1e-9);
        }
        assert_int_equal(w.judge.n_exact, 1); /* made once for all of them */
        sonde__study_world_close(&w);
    }
    sonde_study_plan_free(plan);
}

static void where_full_search_has_too_much_to_do_bounded_search_judges(void **state) {
    (void)state;
    sonde_study_plan *plan = plan_of(PLAN("\"sizes\": [40], \"graphs\": 1", "{}"));
    sonde__study_world w = world_of(plan, 40, 0);
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = SONDE_SEARCH_BOUNDED;
    const sonde__verdict verdict = judge(&w, &settings, 2);
    assert_string_equal(verdict.exact, "bounded");
    assert_true(verdict.exact_tv <= 1e-9);
    assert_true(verdict.tv == 0.0 && verdict.regret == 0.0);
    sonde__study_world_close(&w);
    sonde_study_plan_free(plan);
}

static void each_scope_and_gamma_has_exact_decisions_of_its_own(void **state) {
    (void)state;
    sonde_study_plan *plan = plan_of(PLAN("\"sizes\": [3], \"graphs\": 1", "{}"));
    sonde__study_world w = world_of(plan, 3, 0);
    for (int32_t i = 0; i < 8; i++) {
        sonde_search_settings settings = sonde_search_defaults();
        settings.search = SONDE_SEARCH_FULL;
        settings.scope = i % 2 == 0 ? SONDE_LOCAL : SONDE_GLOBAL;
        settings.gamma = 1.0 + i / 2;
        assert_true(judge(&w, &settings, 1).tv == 0.0);
        assert_int_equal(w.judge.n_exact, i + 1);
    }
    sonde_search_settings settings = sonde_search_defaults();
    sonde_agent *agent = NULL;
    sonde__verdict verdict;
    sonde_error error = {0};
    settings.gamma = 0.5;
    assert_int_equal(sonde_agent_new(w.policies, &settings, NULL, &agent, NULL), SONDE_OK);
    assert_int_equal(
        sonde__judge_agent(&w, &(sonde_study_plan){.n_judge = 1}, agent, NULL, &verdict, &error),
        SONDE_BAD_INPUT);
    assert_non_null(strstr(error.text, "plans of their own"));
    sonde_agent_free(agent);
    sonde__study_world_close(&w);
    sonde_study_plan_free(plan);
}

static void decisions_are_judged_by_what_counts_in_their_G(void **state) {
    (void)state;
    sonde_study_plan *plan = plan_of(models);
    for (int32_t m = 0; m < N_MODEL; m++) {
        sonde__study_world w = world_of(plan, -1 - m, 1);
        const sonde_weights weights[] = {{.utility = 1.0, .information = 1.0, .cost = 1.0},
                                         {.utility = 0.0, .information = 1.0, .cost = 1.0},
                                         {.utility = 1.0, .information = 0.0, .cost = 1.0},
                                         {.utility = 1.0, .information = 1.0, .cost = 0.0}};
        for (int32_t i = 0; i < 4; i++) {
            sonde_search_settings settings = sonde_search_defaults();
            settings.search = SONDE_SEARCH_FULL;
            settings.weights = weights[i];
            const sonde__verdict verdict = judge(&w, &settings, 2);
            assert_true(verdict.tv == 0.0 && verdict.action_tv == 0.0 && verdict.regret == 0.0);
            assert_int_equal(w.judge.n_exact, i + 1);
        }
        sonde__study_world_close(&w);
    }
    sonde_study_plan_free(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clustered_search_is_told_what_every_policy_says),
        cmocka_unit_test(full_search_is_never_wrong),
        cmocka_unit_test(a_certificate_is_never_below_the_error),
        cmocka_unit_test(where_full_search_has_too_much_to_do_bounded_search_judges),
        cmocka_unit_test(each_scope_and_gamma_has_exact_decisions_of_its_own),
        cmocka_unit_test(decisions_are_judged_by_what_counts_in_their_G),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
