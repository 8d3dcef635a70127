/* What the paper reports, copied. */
#include "documents.h"

#include <math.h>

#include "paper/paper.h"

static void the_paper_is_copied_rightly(void **state) {
    (void)state;
    assert_near(sonde__paper_percent(SONDE_GLOBAL, "none", 0, 0, 5), 97.4, 0.0);
    assert_near(sonde__paper_percent(SONDE_LOCAL, "none", 12, 3, 5), 97.5, 0.0);
    assert_near(sonde__paper_percent(SONDE_LOCAL, "edm", 12, 3, 3), 97.5, 0.0);
    assert_near(sonde__paper_percent(SONDE_GLOBAL, "aboe", 12, 1, 5), 35.9, 0.0);
    assert_near(sonde__paper_percent(SONDE_GLOBAL, "boe", 6, 3, 5), 46.1, 0.0);
    assert_true(isnan(sonde__paper_percent(SONDE_GLOBAL, "boe", 6, 3, 6)));
    assert_true(isnan(sonde__paper_percent(SONDE_GLOBAL, "boe", 6, 2, 3)));
    assert_true(isnan(sonde__paper_percent(SONDE_GLOBAL, "boe-set", 6, 3, 3)));
}

static void a_percentage_is_a_count_of_40_graphs_or_of_39(void **state) {
    (void)state;
    int32_t n_graph = 0;
    assert_int_equal(sonde__paper_count(97.5, &n_graph), 39);
    assert_int_equal(n_graph, 40);
    assert_int_equal(sonde__paper_count(97.4, &n_graph), 38);
    assert_int_equal(n_graph, 39);
    assert_int_equal(sonde__paper_count(100.0, &n_graph), 40);
    assert_int_equal(n_graph, 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_paper_is_copied_rightly),
        cmocka_unit_test(a_percentage_is_a_count_of_40_graphs_or_of_39),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
