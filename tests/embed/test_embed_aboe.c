/* Bags of edges, augmented with where the policy ends. */
#include "embed/twins.h"

static void aboe_is_boe_and_the_number_of_the_last_node(void **state) {
    (void)state;
    assert_rows_are_twins_everywhere("aboe");
}

static void aboe_onehot_is_boe_and_the_horizon_at_the_last_node(void **state) {
    (void)state;
    assert_rows_are_twins_everywhere("aboe-onehot");
}

static void aboe_edges_is_boe_set_and_the_numbers_of_the_first_two_edges(void **state) {
    (void)state;
    assert_rows_are_twins_everywhere("aboe-edges");
}

static void a_onehot_weight_of_ones_own_takes_the_place_of_the_horizon(void **state) {
    (void)state;
    space s = space_random(4, 2, SONDE_DIRECTED);
    sonde_embed_settings settings = embedding_called("aboe-onehot");
    settings.onehot_weight = 0.375;
    embedded e = embed(&s, &settings, SONDE_EVERYWHERE, NULL);
    int32_t n = 0;
    int32_t *walk = all_walks(&s, SONDE_EVERYWHERE, &n);
    for (int32_t i = 0; i < n; i++) {
        const double *row = row_at(e.rows, i) + s.graph->n_edge;
        const int32_t end = end_of(&s, walk + (int64_t)i * (s.policies->horizon + 1));
        for (int32_t v = 0; v < 4; v++) {
            assert_near(row[v], v == end ? 0.375 : 0.0, 0.0);
        }
    }
    free(walk);
    embedded_free(&e);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aboe_is_boe_and_the_number_of_the_last_node),
        cmocka_unit_test(aboe_onehot_is_boe_and_the_horizon_at_the_last_node),
        cmocka_unit_test(aboe_edges_is_boe_set_and_the_numbers_of_the_first_two_edges),
        cmocka_unit_test(a_onehot_weight_of_ones_own_takes_the_place_of_the_horizon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
