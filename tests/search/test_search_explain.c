/* Why a decision is what it is: every number of an explanation against the policies one by one. */
#include "random_models.h"
#include "base/explanation.h"
#include "efe/efe.h"
#include "search/search.h"
#include "stages.h"

/* ------------------------------------------------------------------------------------ tools -- */

/* An agent that has decided, where that can be done. */
static sonde_agent *decided(const sonde_policies *policies, const sonde_search_settings *settings,
                            const double *belief, const int32_t *outcome,
                            const sonde_decision **decision) {
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    sonde_run run = sonde_run_defaults();
    run.memory = UINT64_C(64) << 20; /* there are many of them */
    if (sonde_agent_new(policies, settings, &run, &agent, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    if (belief != NULL) {
        sonde_agent_believe(agent, belief, NULL);
    } else {
        sonde_agent_observe(agent, outcome, NULL);
    }
    assert_int_equal(sonde_agent_search(agent, decision, NULL), SONDE_OK);
    return agent;
}

static sonde_explanation *explained(sonde_agent *agent) {
    sonde_explanation *explanation = NULL;
    sonde_error error = {0};
    if (sonde_agent_explain(agent, &explanation, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return explanation;
}

static double tolerance(double number) {
    return 1e-9 * (1.0 + fabs(number));
}

/* The terms of the steps are those of the policy, and they add up. */
static void assert_steps_add_up(const sonde_explanation *e, const sonde__alternative *a,
                                const double *belief) {
    const sonde_model *model = e->policies->model;
    sonde_efe sum = {0};
    for (int32_t t = 0; t < a->n_step; t++) {
        const sonde_efe *step = &a->step[t];
        assert_near(step->efe,
                    step->term[SONDE_RISK] + step->term[SONDE_AMBIGUITY] + step->term[SONDE_COST],
                    tolerance(step->efe));
        sum.efe += step->efe;
        sum.term[SONDE_RISK] += step->term[SONDE_RISK];
        sum.term[SONDE_AMBIGUITY] += step->term[SONDE_AMBIGUITY];
        sum.term[SONDE_COST] += step->term[SONDE_COST];
    }
    assert_near(a->total.efe, sum.efe, tolerance(sum.efe));
    assert_near(a->total.term[SONDE_RISK], sum.term[SONDE_RISK], tolerance(sum.term[SONDE_RISK]));
    assert_near(a->total.term[SONDE_AMBIGUITY], sum.term[SONDE_AMBIGUITY],
                tolerance(sum.term[SONDE_AMBIGUITY]));
    assert_near(a->total.term[SONDE_COST], sum.term[SONDE_COST], tolerance(sum.term[SONDE_COST]));
    assert_int_equal(sonde_policies_action(e->policies, a->walk, 1), a->action);
    if (a->n_step == e->policies->horizon) {
        sonde_efe total;
        if (model->graph != NULL) {
            walk_efe(model, e->state, a->walk, NULL, NULL, &total);
        } else {
            belief_efe(model, belief, a->walk, NULL, &total);
        }
        assert_near(a->total.efe, total.efe, tolerance(total.efe));
    }
}

/* What an explanation says of its alternatives, whatever the search. */
static void assert_consistent(const sonde_explanation *e, const sonde_decision *decision,
                              const double *belief) {
    double posterior = 0.0;
    double probability = 0.0;
    for (int32_t i = 0; i < e->n_alternative; i++) {
        const sonde__alternative *a = &e->alternative[i];
        posterior += a->posterior;
        probability += a->probability;
        assert_true(i == 0 || a->posterior <= e->alternative[i - 1].posterior);
        if (a->n_step > 0) {
            assert_steps_add_up(e, a, belief);
        } else {
            assert_true(isnan(a->total.efe));
        }
        assert_true(!a->proven || a->n_step == e->policies->horizon);
    }
    assert_near(posterior, 1.0, 1e-9);
    assert_near(probability, 1.0, 1e-9);
    /* the best policy is the best alternative */
    bool found = false;
    for (int32_t i = 0; i < e->n_alternative; i++) {
        const sonde__alternative *a = &e->alternative[i];
        const bool whole = a->n_step == e->policies->horizon;
        found = found || (whole && memcmp(a->walk, decision->best_walk,
                                          ((size_t)a->n_step + 1) * sizeof *a->walk) == 0);
        assert_true(!whole ||
                    a->total.efe >= decision->best_efe.efe - tolerance(decision->best_efe.efe));
    }
    assert_true(found);
}

/* The smallest G of all policies that begin as an alternative does: with its action, or to its
 * node. */
static double least_of(const sonde_explanation *e, const sonde__alternative *a, int32_t origin,
                       const double *efe, int32_t n) {
    const sonde_model *model = e->policies->model;
    int32_t *walk = room((uint64_t)e->policies->horizon + 1, sizeof *walk);
    double least = INFINITY;
    for (int32_t i = 0; i < n; i++) {
        sonde_policies_get(e->policies, origin, (uint64_t)i, walk, NULL);
        const int32_t action = sonde_policies_action(e->policies, walk, 1);
        const bool same =
            model->graph != NULL
                ? model->graph->head[sonde_model_next(model, e->state, action)] == a->to
                : action == a->action;
        least = same && efe[i] < least ? efe[i] : least;
    }
    free(walk);
    return least;
}

/* What is claimed of each first action is true of all policies; returns how many were left
 * unfinished. */
static int32_t assert_true_of_all(const sonde_explanation *e, int32_t origin, const double *efe,
                                  int32_t n) {
    int32_t n_unfinished = 0;
    for (int32_t i = 0; i < e->n_alternative; i++) {
        const sonde__alternative *a = &e->alternative[i];
        const double least = least_of(e, a, origin, efe, n);
        assert_true(isfinite(least));
        assert_true(a->bound <= least + tolerance(least));
        if (a->n_step == e->policies->horizon) {
            assert_true(a->total.efe >= least - tolerance(least));
        } else {
            /* nothing to come has a negative G, but for utilities */
            assert_true(a->n_step == 0 || a->total.efe <= a->bound + tolerance(a->bound) ||
                        e->policies->model->preferences == SONDE_PREFERENCES_UTILITY);
            n_unfinished++;
        }
        if (a->proven) {
            assert_near(a->total.efe, least, tolerance(least));
        }
    }
    return n_unfinished;
}

/* ----------------------------------------------------------------------------- graph worlds -- */

static void explain_world(const space *s, sonde_search_kind search, sonde_scope scope) {
    sonde_search_settings settings = sonde_search_defaults();
    const sonde_decision *decision = NULL;
    settings.search = search;
    settings.scope = scope;
    settings.gamma = 0.05;
    sonde_agent *agent = decided(s->policies, &settings, NULL, &s->graph->start, &decision);
    sonde_explanation *e = explained(agent);
    const int32_t origin = decision->origin;
    const int32_t v = s->graph->head[decision->state];
    assert_int_equal(e->n_alternative, s->graph->first[v + 1] - s->graph->first[v]);
    assert_consistent(e, decision, NULL);
    int32_t n = 0;
    double *efe = all_efe(s, origin, decision->state, &n);
    const int32_t n_unfinished = assert_true_of_all(e, origin, efe, n);
    const bool certain = e->grounds == SONDE__GROUNDS_EVERY || e->grounds == SONDE__GROUNDS_SUMS;
    for (int32_t i = 0; i < e->n_alternative && certain; i++) {
        assert_true(e->alternative[i].proven);
        assert_near(efe[e->alternative[i].index], e->alternative[i].total.efe, 1e-9);
    }
    assert_true(n_unfinished == 0 || !certain);
    assert_true(certain || (search != SONDE_SEARCH_FULL && search != SONDE_SEARCH_BOUNDED));
    free(efe);
    sonde_explanation_free(e);
    sonde_agent_free(agent);
}

static void graph_worlds_are_explained_by_their_best_policies(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        space s = space_random(2 + (int32_t)(seed % 3), seed, (sonde_connect)(seed / 2 % 2));
        for (int32_t i = 0; sonde_search_name(i / 2) != NULL; i++) {
            explain_world(&s, (sonde_search_kind)(i / 2), (sonde_scope)(i % 2));
        }
        space_free(&s);
    }
}

/* --------------------------------------------------------------------------- general models -- */

static int32_t explain_model(const setting *s, const sonde_search_settings *settings) {
    const sonde_decision *decision = NULL;
    sonde_agent *agent = decided(s->policies, settings, s->belief, NULL, &decision);
    sonde_explanation *e = explained(agent);
    int32_t n = 0;
    double *efe = setting_efe(s, &n);
    assert_consistent(e, decision, s->belief);
    const int32_t n_unfinished = assert_true_of_all(e, s->origin, efe, n);
    for (int32_t i = 0; i < e->n_alternative && e->grounds == SONDE__GROUNDS_EVERY; i++) {
        assert_true(e->alternative[i].proven);
    }
    if (e->grounds == SONDE__GROUNDS_BOUNDS) {
        assert_true(e->n_trace > 0);
        const sonde__trace *last = &e->trace[e->n_trace - 1];
        assert_near(last->tv, decision->certificate.tv, 0.0);
        assert_int_equal(last->n_step, decision->evaluations.n_step);
        assert_int_equal(last->n_open, e->n_open);
        assert_int_equal(last->n_expanded, e->n_expanded);
        for (int32_t i = 1; i < e->n_trace; i++) {
            assert_true(e->trace[i].n_step > e->trace[i - 1].n_step);
            assert_true(e->trace[i].best_efe <= e->trace[i - 1].best_efe);
        }
        uint64_t n_open = 0;
        double share = 0.0;
        for (int32_t i = 0; i < e->n_bound; i++) {
            n_open += e->bound[i].n_open;
            share += e->bound[i].share;
        }
        assert_int_equal(n_open, e->n_open);
        assert_near(share, e->n_open > 0 ? 1.0 : 0.0, 1e-9);
        assert_true(isnan(e->tv_unbounded) || e->tv_unbounded >= last->tv - 1e-6);
    }
    free(efe);
    sonde_explanation_free(e);
    sonde_agent_free(agent);
    return n_unfinished;
}

/* the same on many models, whose conventions chance has drawn; how often an action was
 * unfinished */
static int32_t explain_models(sonde_search_kind search, uint64_t budget) {
    int32_t n_unfinished = 0;
    for (uint64_t seed = 0; seed < 150; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED | DRAW_LISTED, 600);
        sonde_search_settings settings = sonde_search_defaults();
        settings.search = search;
        settings.gamma = seed % 3 == 0 ? 0.3 : seed % 3 == 1 ? 1.0 : 16.0;
        settings.budget = budget;
        settings.cluster.k = 4;
        settings.cluster.n_restart = 2;
        n_unfinished += explain_model(&s, &settings);
        setting_free(&s);
    }
    return n_unfinished;
}

static void full_search_is_explained_by_every_best_policy(void **state) {
    (void)state;
    assert_int_equal(explain_models(SONDE_SEARCH_FULL, 0), 0);
}

static void clustered_search_claims_nothing_of_what_it_cut(void **state) {
    (void)state;
    assert_true(explain_models(SONDE_SEARCH_CLUSTER, 0) > 0);
}

static void bounded_search_tells_a_policy_or_a_bound_that_holds(void **state) {
    (void)state;
    assert_true(explain_models(SONDE_SEARCH_BOUNDED, 0) > 0);
}

static void every_other_search_is_explained(void **state) {
    (void)state;
    for (int32_t i = SONDE_SEARCH_BOUNDED + 1; sonde_search_name(i) != NULL; i++) {
        (void)explain_models((sonde_search_kind)i, 0);
        (void)explain_models((sonde_search_kind)i, 30);
    }
}

static void a_budget_too_small_is_explained_too(void **state) {
    (void)state;
    assert_true(explain_models(SONDE_SEARCH_BOUNDED, 1) > 0);
    assert_true(explain_models(SONDE_SEARCH_BOUNDED, 40) > 0);
}

/* 5^40 policies have no numbers that anybody could hold */
static void policies_without_numbers_are_explained(void **state) {
    (void)state;
    sonde_model_settings reading = sonde_model_defaults();
    sonde_model *model = NULL;
    reading.horizon = 40;
    assert_int_equal(sonde_model_read(&(const sonde_source){.origin = SONDE_TEST_DATA
                                                            "/../../examples/models/grid5.json"},
                                      &reading, NULL, &model, NULL),
                     SONDE_OK);
    setting s = setting_of(model);
    assert_true(s.policies->n_policy == UINT64_MAX);
    sonde_search_settings settings = sonde_search_defaults();
    const sonde_decision *decision = NULL;
    settings.search = SONDE_SEARCH_BOUNDED;
    settings.gamma = 0.01;
    settings.budget = 20000;
    sonde_agent *agent = decided(s.policies, &settings, s.belief, NULL, &decision);
    sonde_explanation *e = explained(agent);
    assert_int_equal(e->n_alternative, 5);
    assert_consistent(e, decision, s.belief);
    int32_t n_whole = 0;
    for (int32_t i = 0; i < e->n_alternative; i++) {
        n_whole += e->alternative[i].n_step == 40 ? 1 : 0;
        assert_true(isfinite(e->alternative[i].bound));
    }
    assert_true(n_whole > 0);
    sonde_explanation_free(e);
    sonde_agent_free(agent);
    setting_free(&s);
}

/* --------------------------------------------------------------------------------- clusters -- */

static void clusters_are_cut_on_their_probes(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        space s = space_random(4, seed, SONDE_SYMMETRIC);
        sonde_search_settings settings = sonde_search_defaults();
        const sonde_decision *decision = NULL;
        settings.search = SONDE_SEARCH_CLUSTER;
        settings.probe = (sonde_probe)(seed % 3);
        settings.n_top = 1 + (int32_t)(seed % 3);
        sonde_agent *agent = decided(s.policies, &settings, NULL, &s.graph->start, &decision);
        sonde_explanation *e = explained(agent);
        uint64_t n_left = (uint64_t)decision->clusters->n_policy;
        assert_int_equal(e->n_cluster, decision->clusters->k);
        for (int32_t i = 0; i < e->n_cluster; i++) {
            const sonde__probed *c = &e->cluster[i];
            assert_near(c->probe, decision->cluster_efe[c->cluster], 0.0);
            assert_int_equal(c->chosen, decision->chosen[c->cluster]);
            assert_true(i == 0 || c->probe >= e->cluster[i - 1].probe);
            const int32_t few = c->n_policy < 3 ? c->n_policy : 3;
            assert_true(c->n_probed >= 1 && c->n_probed <= c->n_policy);
            assert_true(settings.probe == SONDE_PROBE_ADAPTIVE ||
                        c->n_probed == (settings.probe == SONDE_PROBE_CENTER ? 1 : few));
            n_left -= c->chosen ? (uint64_t)c->n_policy : 0;
        }
        assert_int_equal(e->n_cut, n_left);
        sonde_explanation_free(e);
        sonde_agent_free(agent);
        space_free(&s);
    }
}

/* --------------------------------------------------------------------------------- to use it -- */

static void explaining_changes_nothing(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED, 300);
        sonde_search_settings settings = sonde_search_defaults();
        settings.search = SONDE_SEARCH_BOUNDED;
        const sonde_decision *asked = NULL;
        const sonde_decision *plain = NULL;
        sonde_agent *a = decided(s.policies, &settings, s.belief, NULL, &asked);
        sonde_agent *b = decided(s.policies, &settings, s.belief, NULL, &plain);
        sonde_explanation *e = explained(a);
        sonde_explanation *again = explained(a);
        assert_int_equal(asked->evaluations.n_step, plain->evaluations.n_step);
        assert_int_equal(sonde_agent_act(a), sonde_agent_act(b));
        /* what was explained stays, whatever becomes of the agent */
        sonde_agent_free(a);
        sonde_agent_free(b);
        assert_int_equal(e->n_alternative, again->n_alternative);
        for (int32_t i = 0; i < e->n_alternative; i++) {
            assert_int_equal(e->alternative[i].action, again->alternative[i].action);
            assert_memory_equal(e->alternative[i].step, again->alternative[i].step,
                                (size_t)e->alternative[i].n_step * sizeof(sonde_efe));
        }
        sonde_explanation_free(again);
        sonde_explanation_free(e);
        setting_free(&s);
    }
}

static void assert_refused(sonde_agent *agent, const char *word) {
    sonde_explanation *explanation = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_agent_explain(agent, &explanation, &error), SONDE_BAD_ARGUMENT);
    assert_says(error.text, word);
    assert_null(explanation);
}

static void without_a_decision_there_is_nothing_to_explain(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    sonde_search_settings settings = sonde_search_defaults();
    const sonde_decision *decision = NULL;
    settings.search = SONDE_SEARCH_BOUNDED;
    settings.n_follow = 2;
    sonde_agent *agent = NULL;
    assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, NULL), SONDE_OK);
    assert_refused(agent, "search first");
    sonde_agent_observe(agent, &s.graph->start, NULL);
    assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
    sonde_explanation_free(explained(agent));
    const int32_t action = sonde_agent_act(agent);
    sonde_explanation_free(explained(agent)); /* acting changes what comes next, not this */
    const int32_t now = sonde_model_next(s.model, s.graph->start, action);
    sonde_agent_observe(agent, &now, NULL);
    assert_refused(agent, "search first");
    assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
    assert_int_equal(decision->n_followed, 1);
    assert_refused(agent, "plan that it made 1 step ago");
    sonde_agent_reset(agent);
    assert_refused(agent, "search first");
    sonde_agent_free(agent);
    space_free(&s);
}

static void grounds_have_names_and_sentences(void **state) {
    (void)state;
    int32_t n = 0;
    while (sonde__grounds_name(n) != NULL) {
        assert_true(strlen(sonde__grounds_sentence(n)) > 10);
        n++;
    }
    assert_int_equal(n, 5);
    assert_null(sonde__grounds_sentence(n));
    assert_null(sonde__grounds_name(-1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graph_worlds_are_explained_by_their_best_policies),
        cmocka_unit_test(full_search_is_explained_by_every_best_policy),
        cmocka_unit_test(clustered_search_claims_nothing_of_what_it_cut),
        cmocka_unit_test(bounded_search_tells_a_policy_or_a_bound_that_holds),
        cmocka_unit_test(every_other_search_is_explained),
        cmocka_unit_test(a_budget_too_small_is_explained_too),
        cmocka_unit_test(policies_without_numbers_are_explained),
        cmocka_unit_test(clusters_are_cut_on_their_probes),
        cmocka_unit_test(explaining_changes_nothing),
        cmocka_unit_test(without_a_decision_there_is_nothing_to_explain),
        cmocka_unit_test(grounds_have_names_and_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
