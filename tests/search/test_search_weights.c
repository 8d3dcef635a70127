/* Parts of G that count more or less: in every search, graph world or model, and in what it
 * says. */
#include "random_models.h"
#include "base/explanation.h"
#include "efe/efe.h"
#include "stages.h"

static const sonde_weights some[] = {{.utility = 0.0, .information = 1.0, .cost = 1.0},
                                     {.utility = 1.0, .information = 0.0, .cost = 1.0},
                                     {.utility = 1.0, .information = 1.0, .cost = 0.0},
                                     {.utility = 0.0, .information = 0.0, .cost = 1.0},
                                     {.utility = 0.3, .information = 2.0, .cost = 5.0},
                                     {.utility = 0.0, .information = 0.0, .cost = 0.0}};
enum { N_SOME = sizeof some / sizeof *some };

static sonde_policies *weighed(const sonde_policies *policies, sonde_weights weights) {
    sonde_policies *made = NULL;
    assert_int_equal(sonde_policies_weigh(policies, &weights, &made, NULL), SONDE_OK);
    return made;
}

/* G of all policies of a setting, if its parts count so much. */
static double *efe_of(const setting *s, sonde_weights weights, int32_t *n) {
    sonde_policies *policies = weighed(s->policies, weights);
    *n = (int32_t)sonde_policies_size(policies, s->origin);
    double *efe = room((uint64_t)*n, sizeof *efe);
    const sonde_range range = {s->origin, 0, (uint64_t)*n};
    assert_int_equal(sonde_efe_range(policies, setting_now(s), range, NULL, efe, NULL), SONDE_OK);
    sonde_policies_free(policies);
    return efe;
}

static setting beginning(uint64_t seed, int32_t what, double most) {
    setting s = setting_drawn(seed, what, most);
    sonde_belief_initial(s.model, s.belief);
    s.origin = s.policies->initial;
    return s;
}

static thought decide(const sonde_policies *policies, const sonde_search_settings *settings) {
    thought t = {0};
    sonde_error error = {0};
    if (sonde_agent_new(policies, settings, NULL, &t.agent, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    if (policies->model->graph != NULL) {
        assert_int_equal(sonde_agent_observe(t.agent, &policies->model->graph->start, NULL),
                         SONDE_OK);
    }
    assert_int_equal(sonde_agent_search(t.agent, &t.decision, NULL), SONDE_OK);
    return t;
}

/* --------------------------------------------------------------------------------------- G -- */

static void G_is_the_sum_of_its_parts_as_they_count(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        setting s = beginning(seed, DRAW_COUPLED | DRAW_ALLOWED | DRAW_LISTED, 200);
        int32_t n = 0;
        double *plain = setting_efe(&s, &n);
        double *utility =
            efe_of(&s, (sonde_weights){.utility = 1.0, .information = 0.0, .cost = 0.0}, &n);
        double *information =
            efe_of(&s, (sonde_weights){.utility = 0.0, .information = 1.0, .cost = 0.0}, &n);
        double *cost =
            efe_of(&s, (sonde_weights){.utility = 0.0, .information = 0.0, .cost = 1.0}, &n);
        for (int32_t w = 0; w < N_SOME; w++) {
            double *found = efe_of(&s, some[w], &n);
            for (int32_t i = 0; i < n; i++) {
                const double size = 1.0 + fabs(utility[i]) + fabs(cost[i]);
                assert_near(utility[i] + information[i] + cost[i], plain[i], 1e-12 * size);
                assert_near(found[i],
                            some[w].utility * utility[i] + some[w].information * information[i] +
                                some[w].cost * cost[i],
                            1e-11 * size);
            }
            free(found);
        }
        double *ones =
            efe_of(&s, (sonde_weights){.utility = 1.0, .information = 1.0, .cost = 1.0}, &n);
        for (int32_t i = 0; i < n; i++) {
            assert_same(ones[i], plain[i]);
        }
        free(ones);
        free(cost);
        free(information);
        free(utility);
        free(plain);
        setting_free(&s);
    }
}

static void a_step_of_a_graph_world_is_its_terms_as_they_count(void **state) {
    (void)state;
    space s = space_new(world(5, 3, SONDE_SYMMETRIC));
    sonde_policies *policies =
        weighed(s.policies, (sonde_weights){.utility = 0.25, .information = 7.0, .cost = 3.0});
    for (int32_t e = 0; e < s.model->n_state; e++) {
        assert_same(policies->model->step[e], 0.25 * s.model->risk[e] + 3.0 * s.model->cost[e]);
        assert_same(s.model->step[e], s.model->risk[e] + s.model->cost[e]);
    }
    /* weights of weights multiply */
    sonde_policies *again =
        weighed(policies, (sonde_weights){.utility = 2.0, .information = 0.5, .cost = 0.0});
    assert_same(again->model->weights.utility, 0.5);
    assert_same(again->model->weights.information, 3.5);
    assert_same(again->model->weights.cost, 0.0);
    sonde_policies_free(again);
    sonde_policies_free(policies);
    space_free(&s);
}

static void weights_that_are_none_are_refused(void **state) {
    (void)state;
    space s = space_new(world(3, 1, SONDE_SYMMETRIC));
    const sonde_weights bad[] = {
        {.utility = -1.0, .information = 1.0, .cost = 1.0},
        {.utility = 1.0, .information = (double)NAN, .cost = 1.0},
        {.utility = 1.0, .information = 1.0, .cost = 2.0 * SONDE_WEIGHT_MAX}};
    for (int32_t i = 0; i < 3; i++) {
        sonde_policies *policies = NULL;
        sonde_error error = {0};
        assert_int_equal(sonde_policies_weigh(s.policies, &bad[i], &policies, &error),
                         SONDE_BAD_ARGUMENT);
        assert_null(policies);
        assert_says(error.text, "weights: expected three numbers from 0 to 1000, found ");
    }
    space_free(&s);
}

/* -------------------------------------------------------------------------------- searches -- */

/* What a decision says of its best policy: G as it counts, its terms as they are. */
static void assert_best(const sonde_policies *policies, sonde_weights weights,
                        const sonde_decision *decision) {
    sonde_policies *counted = weighed(policies, weights);
    const sonde_present now = {.state = decision->state, .belief = decision->belief};
    const sonde_walks one = {1, policies->horizon, decision->best_walk};
    sonde_efe plain;
    sonde_efe total;
    const sonde_scores scores[] = {{.total = &plain}, {.total = &total}};
    assert_int_equal(sonde_efe_walks(policies->model, now, &one, NULL, &scores[0], NULL), SONDE_OK);
    assert_int_equal(sonde_efe_walks(counted->model, now, &one, NULL, &scores[1], NULL), SONDE_OK);
    assert_same(decision->best_efe.efe, total.efe);
    assert_same(decision->best_efe.term[SONDE_RISK], plain.term[SONDE_RISK]);
    assert_same(decision->best_efe.term[SONDE_AMBIGUITY], plain.term[SONDE_AMBIGUITY]);
    assert_same(decision->best_efe.term[SONDE_COST], plain.term[SONDE_COST]);
    sonde_policies_free(counted);
}

/* Every search, with every embedding that the model has where there are clusters. */
static void assert_searches(const sonde_policies *policies, sonde_weights weights) {
    sonde_search_settings settings = cluster_defaults();
    settings.weights = weights;
    settings.cluster.k = 3;
    settings.gamma = 1.0;
    for (int32_t search = 0; sonde_search_name(search) != NULL; search++) {
        settings.search = (sonde_search_kind)search;
        const bool clusters = search == SONDE_SEARCH_CLUSTER || search == SONDE_SEARCH_TREE ||
                              search == SONDE_SEARCH_SURROGATE;
        for (int32_t kind = 0; sonde_embedding_name(kind) != NULL && (clusters || kind == 0);
             kind++) {
            sonde_agent *agent = NULL;
            settings.embed = cluster_defaults().embed;
            settings.embed.kind = kind;
            /* not every embedding is one of every model */
            if (sonde_agent_new(policies, &settings, NULL, &agent, NULL) != SONDE_OK) {
                assert_true(clusters);
                continue;
            }
            sonde_agent_free(agent);
            thought t = decide(policies, &settings);
            assert_best(policies, weights, t.decision);
            sonde_agent_free(t.agent);
        }
    }
}

static void every_search_takes_what_counts(void **state) {
    (void)state;
    space s = space_new(world(4, 5, SONDE_SYMMETRIC));
    setting m = beginning(4, 0, 200);
    for (int32_t w = 0; w < N_SOME; w++) {
        assert_searches(s.policies, some[w]);
        assert_searches(m.policies, some[w]);
    }
    setting_free(&m);
    space_free(&s);
}

/* Half the summed differences of what two searches of all policies say. */
static double distance(const sonde_decision *a, const sonde_decision *b) {
    double sum = 0.0;
    for (int32_t i = 0; i < a->n_action; i++) {
        double other = 0.0;
        for (int32_t j = 0; j < b->n_action; j++) {
            other = b->action[j] == a->action[i] ? b->posterior[j] : other;
        }
        sum += fabs(a->posterior[i] - other);
    }
    return 0.5 * sum;
}

static void assert_certified(const sonde_policies *policies, sonde_weights weights,
                             sonde_scope scope) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.weights = weights;
    settings.scope = scope;
    thought bounded = decide(policies, &settings);
    settings.search = SONDE_SEARCH_FULL;
    thought full = decide(policies, &settings);
    const sonde_certificate *certificate = &bounded.decision->certificate;
    const double least = full.decision->best_efe.efe;
    assert_true(distance(full.decision, bounded.decision) <= certificate->tv + 1e-12);
    assert_true(bounded.decision->best_efe.efe - certificate->gap <=
                least + 1e-11 * (1.0 + fabs(least)));
    assert_true(certificate->best_is_optimal);
    assert_near(bounded.decision->best_efe.efe, least, 1e-11 * (1.0 + fabs(least)));
    sonde_agent_free(full.agent);
    sonde_agent_free(bounded.agent);
}

static void certificates_hold_whatever_counts(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        setting s = beginning(seed, DRAW_COUPLED | DRAW_ALLOWED, 300);
        for (int32_t w = 0; w < N_SOME; w++) {
            assert_certified(s.policies, some[w], SONDE_LOCAL);
        }
        setting_free(&s);
    }
    for (uint64_t seed = 0; seed < 10; seed++) {
        space s = space_new(world(4, seed, SONDE_SYMMETRIC));
        for (int32_t w = 0; w < N_SOME; w++) {
            assert_certified(s.policies, some[w], SONDE_LOCAL);
            assert_certified(s.policies, some[w], SONDE_GLOBAL);
        }
        space_free(&s);
    }
}

static void an_explanation_tells_G_as_it_counts_and_outlives_its_agent(void **state) {
    (void)state;
    setting s = beginning(4, 0, 200);
    sonde_search_settings settings = sonde_search_defaults();
    settings.weights = some[1];
    thought t = decide(s.policies, &settings);
    const double best = t.decision->best_efe.efe;
    sonde_explanation *explanation = NULL;
    assert_int_equal(sonde_agent_explain(t.agent, &explanation, NULL), SONDE_OK);
    sonde_agent_free(t.agent);
    assert_ptr_equal(explanation->policies, s.policies);
    double least = INFINITY;
    for (int32_t i = 0; i < explanation->n_alternative; i++) {
        const sonde__alternative *one = &explanation->alternative[i];
        double sum = 0.0;
        for (int32_t step = 0; step < one->n_step; step++) {
            sum += one->step[step].efe;
        }
        assert_near(one->total.efe, sum, 1e-12 * (1.0 + fabs(sum)));
        least = fmin(least, one->total.efe);
    }
    assert_near(least, best, 1e-12 * (1.0 + fabs(best)));
    sonde_explanation_free(explanation);
    setting_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(G_is_the_sum_of_its_parts_as_they_count),
        cmocka_unit_test(a_step_of_a_graph_world_is_its_terms_as_they_count),
        cmocka_unit_test(weights_that_are_none_are_refused),
        cmocka_unit_test(every_search_takes_what_counts),
        cmocka_unit_test(certificates_hold_whatever_counts),
        cmocka_unit_test(an_explanation_tells_G_as_it_counts_and_outlives_its_agent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
