/* Bags of edges. */
#include "embed/embed.h"
#include "embed/twins.h"

static void boe_counts_how_often_each_edge_occurs(void **state) {
    (void)state;
    assert_rows_are_twins_everywhere("boe");
}

static void boe_set_records_whether_each_edge_occurs(void **state) {
    (void)state;
    assert_rows_are_twins_everywhere("boe-set");
}

/* two nodes; 0 => 1 => 1 => 1 */
static void an_edge_walked_three_times_counts_three_in_boe_and_one_in_boe_set(void **state) {
    (void)state;
    space s = space_new(world_of_horizon(2, 1, 3));
    const int32_t there = sonde_graph_edge(s.graph, 0, 1);
    const int32_t stay = sonde_graph_edge(s.graph, 1, 1);
    const int32_t walk[] = {there, stay, stay, stay};
    for (int32_t set = 0; set < 2; set++) {
        embedded e = embed_as(&s, set == 1 ? "boe-set" : "boe", there);
        double row[4] = {-1.0, -1.0, -1.0, -1.0};
        assert_int_equal(e.embedder->n_column, 4);
        assert_int_equal(sonde_embedder_row(e.embedder, walk, row, NULL), SONDE_OK);
        assert_near(row[there], 1.0, 0.0);
        assert_near(row[stay], set == 1 ? 1.0 : 3.0, 0.0);
        assert_near(row[0] + row[1] + row[2] + row[3], set == 1 ? 2.0 : 4.0, 0.0);
        embedded_free(&e);
    }
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boe_counts_how_often_each_edge_occurs),
        cmocka_unit_test(boe_set_records_whether_each_edge_occurs),
        cmocka_unit_test(an_edge_walked_three_times_counts_three_in_boe_and_one_in_boe_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
