/* Policies have a horizon of their own: those of several, over one model, decide as the policies of
 * models that were made with these horizons do, to the last bit. */
#include <jansson.h>

#include "random_models.h"
#include "stages.h"

/* horizons, none of them that of the model they share */
static const int32_t horizons[] = {2, 5};
enum { N_HORIZON = 2, N_MOST = 2000 };

static sonde_policies *count(const sonde_model *model, int32_t horizon) {
    sonde_policies *policies = NULL;
    assert_int_equal(sonde_policies_count(model, horizon, NULL, &policies, NULL), SONDE_OK);
    assert_int_equal(policies->horizon, horizon);
    return policies;
}

static sonde_text explained(sonde_agent *agent) {
    sonde_explanation *explanation = NULL;
    sonde_text text = {0};
    assert_int_equal(sonde_agent_explain(agent, &explanation, NULL), SONDE_OK);
    sonde_document_explanation(explanation, &text);
    sonde_explanation_free(explanation);
    return text;
}

/* One decision with all its grounds, then an episode. */
static void assert_same_deeds(sonde_agent *const agent[2], int32_t horizon) {
    const sonde_decision *decision[2];
    sonde_episode *episode[2] = {NULL};
    sonde_status status[2];
    sonde_text text[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sonde_agent_search(agent[i], &decision[i], NULL), SONDE_OK);
        text[i] = explained(agent[i]);
    }
    const sonde_certificate *a = &decision[0]->certificate;
    const sonde_certificate *b = &decision[1]->certificate;
    assert_same_decision(decision[0], decision[1], horizon);
    assert_int_equal(a->given, b->given);
    assert_same_bytes(&a->tv, &b->tv, 1, sizeof a->tv);
    assert_same_bytes(&a->gap, &b->gap, 1, sizeof a->gap);
    assert_string_equal(text[0].data, text[1].data);
    for (int i = 0; i < 2; i++) {
        sonde_text_free(&text[i]);
        status[i] = sonde_simulate(agent[i], NULL, 2, &episode[i], NULL);
    }
    /* where actions have to be allowed, there may be no policy from the second step on */
    assert_int_equal(status[0], status[1]);
    if (status[0] == SONDE_OK) {
        assert_same_episode(episode[0], episode[1]);
    }
    sonde_episode_free(episode[0]);
    sonde_episode_free(episode[1]);
}

/* One search by both; false where neither can do it, for the same reason. */
static bool assert_same_search(const sonde_policies *one, const sonde_policies *other,
                               const sonde_search_settings *settings) {
    const sonde_run run = threads(1);
    sonde_agent *agent[2] = {NULL};
    sonde_error error[2] = {{0}};
    const sonde_status status = sonde_agent_new(one, settings, &run, &agent[0], &error[0]);
    assert_int_equal(sonde_agent_new(other, settings, &run, &agent[1], &error[1]), status);
    assert_string_equal(error[0].text, error[1].text);
    if (status == SONDE_OK) {
        assert_same_deeds(agent, one->horizon);
    }
    sonde_agent_free(agent[0]);
    sonde_agent_free(agent[1]);
    return status == SONDE_OK;
}

/* Every search, with an embedding that changes with the seed; returns how many could be done. */
static int32_t assert_same_searches(const sonde_policies *one, const sonde_policies *other,
                                    uint64_t seed) {
    static const char *const embedding[] = {"value", "occupancy", "boa", "ends"};
    int32_t n = 0;
    assert_int_equal(one->horizon, other->horizon);
    assert_int_equal(one->n_policy, other->n_policy);
    assert_int_equal(one->initial, other->initial);
    for (int32_t search = 0; search < n_search(); search++) {
        sonde_search_settings settings = sonde_search_defaults();
        settings.search = (sonde_search_kind)search;
        settings.embed = embedding_called(embedding[seed % 4]);
        settings.seed = seed;
        settings.epsilon = 0.0;
        settings.cluster.k = 3;
        settings.n_beam = 3;
        settings.budget = search == SONDE_SEARCH_BOUNDED ? 0 : 60;
        n += assert_same_search(one, other, &settings);
    }
    return n;
}

static void walks_of_two_horizons_over_one_model_are_those_of_two_models(void **state) {
    (void)state;
    int32_t n = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        const int32_t n_node = 3 + (int32_t)(seed % 2);
        space shared = space_new(world_of_horizon(n_node, seed, 3));
        for (int i = 0; i < N_HORIZON; i++) {
            space own = space_new(world_of_horizon(n_node, seed, horizons[i]));
            sonde_policies *policies = count(shared.model, horizons[i]);
            n += assert_same_searches(policies, own.policies, seed);
            sonde_policies_free(policies);
            space_free(&own);
        }
        assert_int_equal(shared.model->horizon, 3);
        space_free(&shared);
    }
    assert_true(n >= 12 * N_HORIZON * 6);
}

/* The model as if it had been made with another horizon, for which preferences of single steps are
 * those of the first ones. */
static sonde_model *made_with(const sonde_model *model, int32_t horizon) {
    sonde_text text = {0};
    assert_int_equal(sonde_model_write(model, &text, NULL), SONDE_OK);
    json_t *root = json_loads(text.data, 0, NULL);
    json_t *C = json_object_get(root, "C");
    for (size_t m = 0; m < json_array_size(C); m++) {
        json_t *rows = json_array_get(C, m);
        while (json_is_array(json_array_get(rows, 0)) && json_array_size(rows) > (size_t)horizon) {
            json_array_remove(rows, json_array_size(rows) - 1);
        }
    }
    json_object_set_new(root, "horizon", json_integer(horizon));
    char *data = json_dumps(root, JSON_REAL_PRECISION(17));
    const sonde_source source = {"made", data, strlen(data)};
    sonde_model *made = NULL;
    sonde_error error = {0};
    if (sonde_model_read(&source, NULL, NULL, &made, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    json_decref(root);
    free(data);
    sonde_text_free(&text);
    return made;
}

static void sequences_of_two_horizons_over_one_model_are_those_of_two_models(void **state) {
    (void)state;
    int32_t n[N_HORIZON] = {0};
    int32_t n_by_step = 0;
    for (uint64_t seed = 0; seed < 80; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED, 200.0);
        for (int i = 0; i < N_HORIZON; i++) {
            const int32_t T = horizons[i];
            sonde_policies *policies = NULL;
            sonde_error error = {0};
            const sonde_status status = sonde_policies_count(s.model, T, NULL, &policies, &error);
            if (s.model->n_step_C > 1 && T > s.model->n_step_C) {
                assert_int_equal(status, SONDE_BAD_ARGUMENT);
                assert_non_null(strstr(error.text, "horizon: expected at most"));
            } else if (status == SONDE_OK && policies->size <= N_MOST) {
                sonde_model *made = made_with(s.model, T);
                sonde_policies *own = count(made, T);
                n[i] += assert_same_searches(policies, own, seed);
                n_by_step += s.model->n_step_C > T;
                sonde_policies_free(own);
                sonde_model_free(made);
            }
            sonde_policies_free(policies);
        }
        setting_free(&s);
    }
    assert_true(n[0] >= 200 && n[1] >= 100 && n_by_step >= 5);
}

static void horizons_for_which_a_model_has_nothing_are_refused(void **state) {
    (void)state;
    int32_t n_listed = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        setting s = setting_drawn(seed, DRAW_LISTED, 200.0);
        const int32_t T = s.model->horizon;
        const int32_t wrong[] = {-1, INT32_MIN, INT32_MAX, T + 1};
        const bool listed = s.model->policies == SONDE_POLICIES_LISTED;
        for (int i = 0; i < (listed ? 4 : 3); i++) {
            sonde_policies *policies = NULL;
            sonde_error error = {0};
            assert_int_equal(sonde_policies_count(s.model, wrong[i], NULL, &policies, &error),
                             SONDE_BAD_ARGUMENT);
            assert_null(policies);
            assert_non_null(strstr(error.text, "horizon: expected"));
        }
        n_listed += listed;
        sonde_policies_free(count(s.model, T));
        setting_free(&s);
    }
    assert_true(n_listed > 0);
}

/* Walks of one's own have a horizon, too. */
static void walks_of_any_horizon_have_the_g_of_the_steps_they_have(void **state) {
    (void)state;
    space s = space_new(world_of_horizon(4, 3, 2));
    sonde_policies *longer = count(s.model, 6);
    int32_t walk[7];
    sonde_efe step[6];
    assert_int_equal(sonde_policies_get(longer, s.graph->start, 7, walk, NULL), SONDE_OK);
    for (int32_t horizon = 0; horizon <= 6; horizon++) {
        const sonde_walks one = {1, horizon, walk};
        sonde_efe total = {.efe = 0.0};
        double sum = 0.0;
        const sonde_scores scores = {.total = &total, .step = step};
        const sonde_present now = {.state = s.graph->start};
        assert_int_equal(sonde_efe_walks(s.model, now, &one, NULL, &scores, NULL),
                         horizon > 0 ? SONDE_OK : SONDE_BAD_ARGUMENT);
        for (int32_t t = 0; t < horizon; t++) {
            sum += s.model->step[walk[t + 1]];
            assert_near(step[t].efe, s.model->step[walk[t + 1]], 1e-12);
        }
        assert_near(total.efe, sum, 1e-9);
    }
    sonde_policies_free(longer);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_of_two_horizons_over_one_model_are_those_of_two_models),
        cmocka_unit_test(sequences_of_two_horizons_over_one_model_are_those_of_two_models),
        cmocka_unit_test(horizons_for_which_a_model_has_nothing_are_refused),
        cmocka_unit_test(walks_of_any_horizon_have_the_g_of_the_steps_they_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
