/* baselines.h: one decision of any search, on worlds and models alike, and what to compare it
 * with. */
#ifndef TESTS_SEARCH_BASELINES_H
#define TESTS_SEARCH_BASELINES_H

#include "random_models.h"
#include "stages.h"

/* An agent on policies, and its decision where the model begins. */
static inline thought think_from(const sonde_policies *policies,
                                 const sonde_search_settings *settings) {
    thought t = {0};
    sonde_error error = {0};
    if (sonde_agent_new(policies, settings, NULL, &t.agent, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(sonde_agent_search(t.agent, &t.decision, NULL), SONDE_OK);
    return t;
}

/* The same actions with the same probabilities, and the same best policy. */
static inline void assert_decided_alike(const sonde_decision *a, const sonde_decision *b,
                                        int32_t horizon) {
    assert_int_equal(a->n_action, b->n_action);
    for (int32_t i = 0; i < a->n_action; i++) {
        assert_int_equal(a->action[i], b->action[i]);
        assert_near(a->posterior[i], b->posterior[i], 1e-10);
    }
    assert_near(a->best_efe.efe, b->best_efe.efe, 1e-12 * (1.0 + fabs(b->best_efe.efe)));
    assert_memory_equal(a->best_walk, b->best_walk, ((size_t)horizon + 1) * sizeof(int32_t));
    assert_int_equal(a->best, b->best);
    assert_near(a->log_evidence, b->log_evidence, 1e-9 * (1.0 + fabs(b->log_evidence)));
}

/* Whether a decision's certificate says that it is exact, or there is none. */
static inline void assert_certified(const sonde_decision *decision, bool exact) {
    assert_int_equal(decision->certificate.given, exact);
    assert_int_equal(decision->certificate.best_is_optimal, exact);
    assert_true(decision->certificate.tv <= 1e-9);
}

/* Summed exp(-gamma G), E included, of first actions, over some policies given by their numbers. */
static inline void assert_posterior_of(const sonde_policies *policies, const thought *t,
                                       double gamma, uint64_t n, const uint64_t *index,
                                       const double *efe) {
    double *mass = room((uint64_t)policies->model->n_action, sizeof *mass);
    double least = INFINITY;
    double total = 0.0;
    int32_t *walk = room((uint64_t)policies->horizon + 1, sizeof *walk);
    for (uint64_t i = 0; i < n; i++) {
        least = efe[i] < least ? efe[i] : least;
    }
    for (uint64_t i = 0; i < n; i++) {
        const double E = policies->model->E != NULL ? policies->model->E[index[i]] : 1.0;
        const double q = E * exp(-gamma * (efe[i] - least));
        sonde_policies_get(policies, t->decision->origin, index[i], walk, NULL);
        mass[sonde_policies_action(policies, walk, 1)] += q;
        total += q;
    }
    for (int32_t i = 0; i < t->decision->n_action && total > 0.0; i++) {
        assert_near(t->decision->posterior[i], mass[t->decision->action[i]] / total, 1e-10);
        mass[t->decision->action[i]] = 0.0;
    }
    for (int32_t a = 0; a < policies->model->n_action; a++) {
        assert_near(mass[a], 0.0, 0.0);
    }
    assert_near(t->decision->best_efe.efe, least, 1e-9 * (1.0 + fabs(least)));
    free(walk);
    free(mass);
}

#endif
