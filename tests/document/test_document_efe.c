/* Listings of policies. */
#include "documents.h"

/* G of a walk from the start. */
static void score(const world *w, const int32_t *walk, sonde_efe *steps, sonde_efe *total) {
    const sonde_walks walks = {.n_policy = 1, .horizon = w->model->horizon, .walk = walk};
    const sonde_scores scores = {.total = total, .step = steps};
    const sonde_present now = {.state = w->graph->start};
    assert_int_equal(sonde_efe_walks(w->model, now, &walks, NULL, &scores, NULL), SONDE_OK);
}

/* Lists the policies of the start, all with their steps. */
static json_t *list(const world *w, int32_t origin, uint64_t n, bool with_steps) {
    const sonde_listing listing = {.policies = w->policies,
                                   .origin = origin,
                                   .now = {.state = w->graph->start},
                                   .command = "sonde efe w.json"};
    int32_t walk[4];
    sonde_efe steps[3];
    sonde_efe total;
    sonde_text json = {0};
    if (n == 0) {
        sonde_document_efe(&listing, 0, 0, NULL, &json);
    }
    for (uint64_t i = 0; i < n; i++) {
        sonde_policies_get(w->policies, origin, i, walk, NULL);
        score(w, walk, steps, &total);
        const sonde_scored policy = {i, walk, &total, with_steps ? steps : NULL};
        sonde_document_efe(&listing, n, i, &policy, &json);
    }
    return tree(&json);
}

static void a_listing_has_every_policy_in_order(void **state) {
    (void)state;
    world w = world_new(triangle(NULL, 3));
    json_t *root = list(&w, w.graph->start, 27, false);
    assert_string_equal(string_at(root, "verb"), "efe");
    assert_string_equal(string_at(root, "sign"), "G");
    assert_string_equal(string_at(root, "scope"), "local");
    assert_json(root, "state", "[2,0]");
    assert_number(root, "count", 27);
    assert_int_equal(json_array_size(at(root, "policies")), 27);
    assert_json(root, "policies.0.nodes", "[2,0,1,0,1]");
    assert_json(root, "policies.0.actions", "[[[2,0],[0,1]],[[0,1],[1,0]],[[1,0],[0,1]]]");
    assert_number(root, "policies.26.index", 26);
    assert_null(json_object_get(at(root, "policies.0"), "steps"));
    json_decref(root);
    world_free(&w);
}

/* values of the authors' notebook, which works in single precision */
static void values_are_those_of_the_notebook(void **state) {
    (void)state;
    world w = world_new(triangle(NULL, 3));
    json_t *root = list(&w, w.graph->start, 27, false);
    assert_near(number_at(root, "policies.0.efe"), 189.0385866165161, 1e-5);
    assert_near(number_at(root, "policies.8.efe"), 53.29583692550659, 1e-5);
    json_decref(root);
    world_free(&w);
}

static void terms_and_steps_sum_to_g(void **state) {
    (void)state;
    world w = world_new(triangle(NULL, 3));
    json_t *root = list(&w, SONDE_EVERYWHERE, 243, true);
    assert_string_equal(string_at(root, "scope"), "global");
    size_t i;
    json_t *policy;
    json_array_foreach(at(root, "policies"), i, policy) {
        const double efe = number_at(policy, "efe");
        const double terms =
            number_at(policy, "risk") + number_at(policy, "ambiguity") + number_at(policy, "cost");
        double steps = 0.0;
        for (size_t t = 0; t < 3; t++) {
            steps +=
                json_number_value(json_object_get(json_array_get(at(policy, "steps"), t), "efe"));
        }
        assert_near(terms, efe, 1e-9);
        assert_near(steps, efe, 1e-9);
    }
    json_decref(root);
    world_free(&w);
}

static void an_empty_listing_is_a_document(void **state) {
    (void)state;
    world w = world_new(triangle(NULL, 3));
    json_t *root = list(&w, w.graph->start, 0, false);
    assert_json(root, "policies", "[]");
    json_decref(root);
    world_free(&w);
}

static void a_policy_of_no_scope_has_no_index(void **state) {
    (void)state;
    world w = world_new(triangle(NULL, 3));
    const sonde_listing listing = {.policies = w.policies,
                                   .origin = w.graph->start,
                                   .now = {.state = w.graph->start},
                                   .command = NULL};
    int32_t walk[4];
    sonde_efe total;
    sonde_policies_get(w.policies, SONDE_EVERYWHERE, 0, walk, NULL);
    score(&w, walk, NULL, &total);
    sonde_text json = {0};
    const sonde_scored policy = {UINT64_MAX, walk, &total, NULL};
    sonde_document_efe(&listing, 1, 0, &policy, &json);
    json_t *root = tree(&json);
    assert_true(json_is_null(at(root, "policies.0.index")));
    json_decref(root);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_listing_has_every_policy_in_order),
        cmocka_unit_test(values_are_those_of_the_notebook),
        cmocka_unit_test(terms_and_steps_sum_to_g),
        cmocka_unit_test(an_empty_listing_is_a_document),
        cmocka_unit_test(a_policy_of_no_scope_has_no_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
