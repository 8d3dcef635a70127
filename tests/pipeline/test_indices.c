/* Public functions say so where a number is that of nothing, and touch nothing. */
#include <limits.h>
#include <math.h>

#include "models.h"
#include "efe/efe.h"
#include "embed/embed.h"
#include "base/settings.h"
#include "search/search.h"
#include "stages.h"

static const int32_t nothing[] = {-1, -2, INT32_MIN, INT32_MAX, 1000000};
enum { N_NOTHING = sizeof nothing / sizeof *nothing };

static const char *const two_factors =
    "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 2, \"factors\": "
    "[{\"states\": 2, \"actions\": 2}, {\"states\": 2, \"actions\": 1}], "
    "\"modalities\": [{\"outcomes\": 2, \"factors\": [0]}, {\"outcomes\": 3, \"factors\": [1]}], "
    "\"A\": [[[1, 0], [0, 1]], [[1, 0], [0, 0.5], [0, 0.5]]], "
    "\"B\": [[[[1, 0], [1, 0]], [[0, 1], [0, 1]]], [[[1], [0]], [[0], [1]]]], "
    "\"C\": [[0, 1], [0, 0, 1]], \"D\": [[1, 0], [1, 0]]}";

static space s;            /* a graph world */
static sonde_model *model; /* a general model */
static sonde_policies *policies;

static int set_up(void **state) {
    (void)state;
    s = space_random(4, 4, SONDE_SYMMETRIC);
    model = model_of(two_factors);
    assert_int_equal(sonde_policies_count(model, 0, NULL, &policies, NULL), SONDE_OK);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    sonde_policies_free(policies);
    sonde_model_free(model);
    space_free(&s);
    return 0;
}

static void lists_of_names_end_on_both_sides(void **state) {
    (void)state;
    static const char *(*const name[])(int32_t) = {
        sonde_connect_name,     sonde_scope_name,        sonde_search_name,
        sonde__probe_name,      sonde__action_name,      sonde__cluster_method_name,
        sonde_difference_name,  sonde_failure_name,      sonde_embedding_name,
        sonde__embedding_about, sonde_like_name,         sonde_preferences_name,
        sonde_information_name, sonde_policy_kind_name,  sonde_study_plan_name,
        sonde__grounds_name,    sonde__grounds_sentence,
    };
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        assert_non_null(name[i](0));
        for (int j = 0; j < N_NOTHING; j++) {
            assert_null(name[i](nothing[j]));
            assert_null(sonde_like_apply(nothing[j], NULL, NULL));
        }
    }
}

static void no_node_has_no_edge_and_no_distances(void **state) {
    (void)state;
    double distance[4];
    for (int j = 0; j < N_NOTHING; j++) {
        assert_int_equal(sonde_graph_edge(s.graph, nothing[j], 0), -1);
        assert_int_equal(sonde_graph_edge(s.graph, 0, nothing[j]), -1);
        assert_int_equal(sonde_graph_distances(s.graph, nothing[j], distance, NULL),
                         SONDE_BAD_ARGUMENT);
    }
    assert_int_equal(sonde_graph_edge(s.graph, 4, 0), -1);
    assert_int_equal(sonde_graph_distances(s.graph, 4, distance, NULL), SONDE_BAD_ARGUMENT);
}

static void no_action_of_a_model_leads_nowhere(void **state) {
    (void)state;
    int32_t edge[2] = {0, 0};
    int32_t tuple[2];
    for (int j = 0; j < N_NOTHING; j++) {
        assert_int_equal(sonde_model_next(s.model, nothing[j], 0), -1);
        assert_int_equal(sonde_model_next(s.model, 0, nothing[j]), -1);
        assert_int_equal(sonde_model_from_tuple(s.model, (const int32_t[]){nothing[j], 0}), -1);
        assert_int_equal(sonde_model_from_tuple(s.model, (const int32_t[]){0, nothing[j]}), -1);
        (void)sonde_model_tuple(s.model, nothing[j], edge);
        assert_true(edge[0] == -1 && edge[1] == -1);
        sonde_model_tuple(model, nothing[j], tuple);
        assert_true(tuple[0] == -1 && tuple[1] == -1);
        assert_int_equal(sonde_model_from_tuple(model, (int32_t[]){0, nothing[j]}), -1);
        assert_int_equal(sonde_model_from_tuple(model, (int32_t[]){nothing[j], 0}), -1);
        assert_null(sonde_model_transitions(model, nothing[j]).storage);
        assert_null(sonde_model_likelihood(model, nothing[j]).storage);
        assert_null(sonde_model_transitions(s.model, nothing[j]).storage);
        assert_null(sonde_model_likelihood(s.model, nothing[j]).storage);
    }
    /* and what is of the other kind of model has none, too */
    assert_int_equal(sonde_model_next(model, 0, 0), -1);
    assert_int_equal(sonde_model_from_tuple(s.model, tuple), -1);
    assert_int_equal(sonde_model_from_tuple(model, (int32_t[]){1, 0}), 1);
}

/* -1 is an outcome that was not seen. */
static int32_t beyond(int32_t number) {
    return number == SONDE_MISSING ? SONDE_SOFT : number;
}

static sonde_status observe(const sonde_model *about, const int32_t *outcome, const double *belief,
                            double *next) {
    const sonde_observation seen = {outcome, NULL, SONDE_INFERENCE_DEFAULT};
    return sonde_belief_observe(about, &seen, belief, next, NULL, NULL);
}

static void beliefs_stay_where_there_is_no_action_or_outcome(void **state) {
    (void)state;
    double belief[4];
    double next[4] = {7.0, 7.0, 7.0, 7.0};
    sonde_belief_initial(model, belief);
    for (int j = 0; j < N_NOTHING; j++) {
        assert_int_equal(sonde_belief_predict(model, nothing[j], belief, next, NULL),
                         SONDE_BAD_ARGUMENT);
        assert_int_equal(observe(model, (int32_t[]){0, beyond(nothing[j])}, belief, next),
                         SONDE_BAD_ARGUMENT);
        assert_int_equal(observe(s.model, (int32_t[]){beyond(nothing[j])}, belief, next),
                         SONDE_BAD_ARGUMENT);
        assert_near(next[0] + next[1] + next[2] + next[3], 28.0, 0.0);
    }
    assert_int_equal(sonde_belief_predict(model, 2, belief, next, NULL), SONDE_BAD_ARGUMENT);
}

static void no_origin_has_no_policies(void **state) {
    (void)state;
    int32_t walk[5] = {0};
    for (int j = 0; j < N_NOTHING; j++) {
        if (nothing[j] != SONDE_EVERYWHERE) {
            assert_int_equal(sonde_policies_size(s.policies, nothing[j]), 0);
            assert_int_equal(sonde_policies_size(policies, nothing[j]), 0);
            assert_near(sonde_policies_size_real(s.policies, nothing[j]), 0.0, 0.0);
            assert_near(sonde_policies_size_real(policies, nothing[j]), 0.0, 0.0);
            assert_int_equal(sonde_policies_get(policies, nothing[j], 0, walk, NULL),
                             SONDE_BAD_ARGUMENT);
            assert_int_equal(sonde_policies_find(policies, nothing[j], walk), UINT64_MAX);
        }
        assert_int_equal(sonde_policies_action(s.policies, walk, nothing[j]), -1);
        assert_int_equal(sonde_policies_action(policies, walk, nothing[j]), -1);
    }
    assert_int_equal(sonde_policies_action(s.policies, walk, 0), -1);
    assert_int_equal(sonde_policies_size(policies, SONDE_EVERYWHERE), 4);
    assert_int_equal(sonde_policies_get(policies, 0, 3, walk, NULL), SONDE_OK);
    assert_int_equal(sonde_policies_get(policies, 0, 4, walk, NULL), SONDE_BAD_ARGUMENT);
    const uint64_t n = sonde_policies_size(s.policies, SONDE_EVERYWHERE);
    assert_int_equal(sonde_policies_get(s.policies, SONDE_EVERYWHERE, n, walk, NULL),
                     SONDE_BAD_ARGUMENT);
    assert_int_equal(sonde_policies_get(s.policies, 0, UINT64_MAX, walk, NULL), SONDE_BAD_ARGUMENT);
}

static void what_is_no_walk_has_no_g(void **state) {
    (void)state;
    int32_t walk[5] = {0};
    double efe[4] = {7.0, 7.0, 7.0, 7.0};
    double belief[4];
    sonde_efe total = {.efe = 7.0};
    sonde_belief_initial(model, belief);
    assert_int_equal(sonde_policies_get(s.policies, 0, 0, walk, NULL), SONDE_OK);
    for (int j = 0; j < N_NOTHING; j++) {
        int32_t wrong[5];
        memcpy(wrong, walk, sizeof wrong);
        wrong[2] = nothing[j];
        const sonde_scores scores = {.total = &total};
        const sonde_walks one_wrong = {1, s.model->horizon, wrong};
        const sonde_walks one_right = {1, s.model->horizon, walk};
        const sonde_walks other = {1, model->horizon, wrong};
        const sonde_present nowhere = {.state = nothing[j]};
        const sonde_present believed = {.belief = belief};
        assert_int_equal(
            sonde_efe_walks(s.model, (sonde_present){0}, &one_wrong, NULL, &scores, NULL),
            SONDE_BAD_ARGUMENT);
        assert_int_equal(sonde_efe_walks(s.model, nowhere, &one_right, NULL, &scores, NULL),
                         SONDE_BAD_ARGUMENT);
        assert_int_equal(sonde_efe_walks(model, believed, &other, NULL, &scores, NULL),
                         SONDE_BAD_ARGUMENT);
        assert_int_equal(sonde_policies_find(s.policies, SONDE_EVERYWHERE, wrong), UINT64_MAX);
        assert_int_equal(sonde_policies_find(policies, 0, wrong), UINT64_MAX);
        assert_int_equal(sonde_policies_edit_distance(s.policies, walk, wrong), -1);
        const sonde_present now = {.state = nothing[j]};
        const sonde_range one = {0, 0, 1};
        assert_int_equal(sonde_efe_range(s.policies, now, one, NULL, efe, NULL),
                         SONDE_BAD_ARGUMENT);
        assert_near(total.efe, 7.0, 0.0);
    }
    /* what is no belief */
    const double good = belief[0];
    const double no_belief[] = {NAN, -3.0, 50.0, INFINITY};
    for (int j = 0; j < 4; j++) {
        const sonde_walks one = {1, model->horizon, walk};
        const sonde_scores scores = {.total = &total};
        const sonde_present here = {.belief = belief};
        belief[0] = no_belief[j];
        assert_int_equal(sonde_efe_walks(model, here, &one, NULL, &scores, NULL),
                         SONDE_BAD_ARGUMENT);
        assert_int_equal(sonde_efe_range(policies, here, (sonde_range){0, 0, 1}, NULL, efe, NULL),
                         SONDE_BAD_ARGUMENT);
    }
    belief[0] = good;
    const sonde_present now = {.belief = belief};
    assert_int_equal(sonde_efe_range(policies, now, (sonde_range){0, 1, 4}, NULL, efe, NULL),
                     SONDE_BAD_ARGUMENT);
    assert_int_equal(sonde_efe_range(policies, now, (sonde_range){0, 5, 0}, NULL, efe, NULL),
                     SONDE_BAD_ARGUMENT);
    assert_int_equal(sonde_efe_range(policies, now, (sonde_range){7, 0, 1}, NULL, efe, NULL),
                     SONDE_BAD_ARGUMENT);
    assert_near(efe[0], 7.0, 0.0);
    assert_int_equal(sonde_efe_range(policies, now, (sonde_range){0, 0, 4}, NULL, efe, NULL),
                     SONDE_OK);
}

static void rows_and_clusters_that_are_not_there_are_no_numbers(void **state) {
    (void)state;
    const embedded e = embed_as(&s, "boe", 0);
    sonde_cluster_settings settings = sonde_search_defaults().cluster;
    settings.k = 2;
    sonde_pca *pca = NULL;
    sonde_clusters *clusters = NULL;
    sonde_embedding *none = NULL;
    double *row = room((uint64_t)e.rows->n_column, sizeof *row);
    double mean[2];
    assert_int_equal(sonde_pca_fit(e.rows, &pca, NULL), SONDE_OK);
    assert_int_equal(sonde_clusters_fit(e.rows, &settings, NULL, &clusters, NULL), SONDE_OK);
    for (int j = 0; j < N_NOTHING; j++) {
        double xy[2];
        int32_t walk[5] = {0, 0, nothing[j], 0, 0};
        assert_true(isnan(sonde__embedding_at(e.rows, nothing[j], 0)));
        assert_true(isnan(sonde__embedding_at(e.rows, 0, nothing[j])));
        sonde_embedding_row(e.rows, nothing[j], row);
        assert_true(isnan(row[0]));
        sonde_pca_point(pca, e.rows, nothing[j], xy);
        assert_true(isnan(xy[0]) && isnan(xy[1]));
        assert_int_equal(sonde_clusters_policy(clusters, nothing[j]), UINT64_MAX);
        assert_int_equal(sonde_embedder_row(e.embedder, walk, row, NULL), SONDE_BAD_ARGUMENT);
        const sonde_present now = {.state = nothing[j]};
        assert_int_equal(sonde_embedder_aim(e.embedder, now, NULL), SONDE_BAD_ARGUMENT);
        assert_int_equal(sonde_clusters_mean_efe(clusters, s.policies, 0, now, mean, NULL),
                         SONDE_BAD_ARGUMENT);
        if (nothing[j] != SONDE_EVERYWHERE) {
            sonde_error error = {0};
            assert_int_equal(sonde_embedding_new(e.embedder, nothing[j], NULL, &none, &error),
                             SONDE_BAD_ARGUMENT);
            assert_says(error.text, "origin: expected one of ");
            assert_int_equal(sonde_clusters_mean_efe(clusters, s.policies, nothing[j],
                                                     (sonde_present){.state = 0}, mean, NULL),
                             SONDE_BAD_ARGUMENT);
        }
    }
    free(row);
    sonde_clusters_free(clusters);
    sonde_pca_free(pca);
    sonde_embedding_free(e.rows);
    sonde_embedder_free(e.embedder);
}

static void an_agent_takes_in_only_what_can_be(void **state) {
    (void)state;
    const sonde_search_settings settings = sonde_search_defaults();
    static const double no_belief[][4] = {
        {0.5, 0.6, 1, 0}, {-1, 2, 1, 0}, {(double)NAN, 1, 1, 0}, {1, 0, 0, 0}, {INFINITY, 0, 1, 0}};
    sonde_agent *agent = NULL;
    sonde_agent *walker = NULL;
    assert_int_equal(sonde_agent_new(policies, &settings, NULL, &agent, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &walker, NULL), SONDE_OK);
    double before[4];
    memcpy(before, sonde_agent_memory_get(agent).belief, sizeof before);
    for (int j = 0; j < N_NOTHING; j++) {
        const int32_t none = beyond(nothing[j]);
        assert_int_equal(sonde_agent_observe(walker, &none, NULL), SONDE_BAD_ARGUMENT);
        assert_int_equal(sonde_agent_observe(agent, (int32_t[]){0, none}, NULL),
                         SONDE_BAD_ARGUMENT);
        assert_int_equal(sonde_agent_believe(agent, no_belief[j], NULL), SONDE_BAD_ARGUMENT);
    }
    assert_memory_equal(sonde_agent_memory_get(agent).belief, before, sizeof before);
    assert_int_equal(sonde_agent_observe(agent, (int32_t[]){0, 2}, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_believe(agent, (double[]){0.5, 0.5, 1, 0}, NULL), SONDE_OK);
    sonde_agent_free(walker);
    sonde_agent_free(agent);
}

static void an_agent_has_plans_for_the_actions_of_its_decision_alone(void **state) {
    (void)state;
    const sonde_search_settings settings = sonde_search_defaults();
    const sonde_policies *const spaces[] = {policies, s.policies};
    for (int32_t i = 0; i < 2; i++) {
        sonde_agent *agent = NULL;
        const sonde_decision *decision = NULL;
        assert_int_equal(sonde_agent_new(spaces[i], &settings, NULL, &agent, NULL), SONDE_OK);
        assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
        for (int j = 0; j < N_NOTHING; j++) {
            assert_null(sonde_agent_plan(agent, beyond(nothing[j])));
        }
        assert_null(sonde_agent_plan(agent, spaces[i]->model->n_action));
        assert_non_null(sonde_agent_plan(agent, sonde_agent_choice(agent)));
        sonde_agent_free(agent);
    }
}

static void a_plan_has_the_tasks_it_has(void **state) {
    (void)state;
    sonde_study_plan *plan = NULL;
    assert_int_equal(sonde_study_plan_read("paper", &plan, NULL), SONDE_OK);
    int32_t size = 7;
    int32_t graph = 7;
    for (int j = 0; j < N_NOTHING; j++) {
        sonde_text rows = {0};
        sonde_error error = {0};
        assert_int_equal(sonde_study_plan_task(plan, nothing[j], &size, &graph, NULL),
                         SONDE_BAD_ARGUMENT);
        assert_int_equal(sonde_study_plan_work(plan, nothing[j], NULL, &rows, &error),
                         SONDE_BAD_ARGUMENT);
        assert_says(error.text, "task: expected a number from 0 to ");
        sonde_text_free(&rows);
    }
    assert_int_equal(sonde_study_plan_task(plan, plan->n_task, &size, &graph, NULL),
                     SONDE_BAD_ARGUMENT);
    assert_true(size == 7 && graph == 7);
    assert_int_equal(sonde_study_plan_task(plan, plan->n_task - 1, &size, &graph, NULL), SONDE_OK);
    sonde_study_plan_free(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_of_names_end_on_both_sides),
        cmocka_unit_test(no_node_has_no_edge_and_no_distances),
        cmocka_unit_test(no_action_of_a_model_leads_nowhere),
        cmocka_unit_test(beliefs_stay_where_there_is_no_action_or_outcome),
        cmocka_unit_test(no_origin_has_no_policies),
        cmocka_unit_test(what_is_no_walk_has_no_g),
        cmocka_unit_test(rows_and_clusters_that_are_not_there_are_no_numbers),
        cmocka_unit_test(an_agent_takes_in_only_what_can_be),
        cmocka_unit_test(an_agent_has_plans_for_the_actions_of_its_decision_alone),
        cmocka_unit_test(a_plan_has_the_tasks_it_has),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
