/* Counts, and what they can tell. The numbers of the distributions are scipy's (binom.cdf,
 * binomtest) and numpy's (corrcoef). */
#include "draw/figure_tools.h"

#include "summary/summary.h"

static void binomial_cdf_is_that_of_scipy(void **state) {
    (void)state;
    static const struct {
        int32_t x;
        int32_t n;
        double p;
        double cdf;
    } known[] = {
        {0, 40, 0.5, 9.094947017729282e-13},  {3, 40, 0.1, 0.4231306530930026},
        {20, 40, 0.5, 0.5626853438097896},    {38, 40, 0.99, 0.060736621806206224},
        {39, 40, 0.975, 0.6367675601121197},  {5, 39, 0.3, 0.010889487276549087},
        {22, 39, 0.5641, 0.5613273214593939}, {500, 1000, 0.52, 0.10858106325437784},
        {0, 40, 0.001, 0.9607702107358118},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const double found = sonde__binomial_cdf(known[i].x, known[i].n, known[i].p);
        assert_near(found, known[i].cdf, 1e-12 * known[i].cdf + 1e-15);
    }
}

static void binomial_cdf_has_its_limits(void **state) {
    (void)state;
    assert_near(sonde__binomial_cdf(-1, 40, 0.5), 0.0, 0.0);
    assert_near(sonde__binomial_cdf(40, 40, 0.5), 1.0, 0.0);
    assert_near(sonde__binomial_cdf(0, 40, 0.0), 1.0, 0.0);
    assert_near(sonde__binomial_cdf(39, 40, 1.0), 0.0, 0.0);
    assert_near(sonde__binomial_cdf(40, 40, 1.0), 1.0, 0.0);
    assert_near(sonde__binomial_cdf(100000, 200000, 0.5), 0.5 + 0.000892061, 1e-7);
}

static void the_central_part_leaves_a_fortieth_on_each_side(void **state) {
    (void)state;
    static const struct {
        int32_t n;
        double p;
        int32_t low;
        int32_t high;
    } known[] = {{40, 0.85, 29, 38},
                 {39, 0.575, 16, 28},
                 {40, 0.25, 5, 16},
                 {40, 1.0, 40, 40},
                 {40, 0.0, 0, 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        for (int32_t x = 0; x <= known[i].n; x++) {
            const bool inside = x >= known[i].low && x <= known[i].high;
            assert_int_equal(sonde__binomial_central(x, known[i].n, known[i].p), inside);
        }
    }
}

static void the_sign_test_is_that_of_scipy(void **state) {
    (void)state;
    assert_near(sonde__sign_test(0, 0), 1.0, 0.0);
    assert_near(sonde__sign_test(1, 0), 1.0, 1e-15);
    assert_near(sonde__sign_test(0, 6), 0.03125, 1e-15);
    assert_near(sonde__sign_test(3, 9), 0.14599609375, 1e-14);
    assert_near(sonde__sign_test(20, 5), 0.004077315330505371, 1e-15);
    assert_near(sonde__sign_test(100, 140), 0.01166409231767769, 1e-13);
}

static void correlation_is_that_of_numpy_and_skips_what_is_not_there(void **state) {
    (void)state;
    const double x[] = {1.0, 2.0, 4.0, NAN, 8.0, 9.5};
    const double y[] = {2.0, 1.0, 5.0, 3.0, 6.0, 12.0};
    const double flat[] = {2.0, 2.0, 2.0, 2.0, 2.0, 2.0};
    assert_near(sonde__pearson(6, x, y), 0.9119631252649321, 1e-14);
    assert_true(isnan(sonde__pearson(6, x, flat)));
    assert_true(isnan(sonde__pearson(2, y, flat)));
}

static void runs_of_a_condition_and_size_are_one_stretch(void **state) {
    (void)state;
    fake *f = fake_paper();
    int64_t n = 0;
    for (int32_t c = 0; c < f->plan.n_condition; c++) {
        for (int32_t size = 2; size <= 7; size++) {
            const sonde__run_list stretch = sonde__runs(&f->results, c, size);
            n += stretch.n;
            for (int32_t i = 0; i < stretch.n; i++) {
                assert_int_equal(stretch.run[i].condition, c);
                assert_int_equal(stretch.run[i].size, size);
                assert_int_equal(stretch.run[i].graph, i);
            }
        }
    }
    assert_int_equal(n, f->results.n_run);
    assert_int_equal(sonde__runs(&f->results, -1, 3).n, 0);
    assert_int_equal(sonde__runs(&f->results, f->plan.n_condition, 3).n, 0);
    fake_free(f);
}

static void a_tally_counts_every_run_once(void **state) {
    (void)state;
    fake *f = fake_paper();
    sonde__tally tally = {0};
    assert_true(isnan(sonde__tally_percent(&tally)));
    sonde__tally_add(&tally, sonde__runs(&f->results, 1, 4));
    int32_t n = 0;
    for (int32_t i = 0; i < SONDE__FAILURE_COUNT; i++) {
        n += tally.n_failure[i];
    }
    assert_int_equal(n, 40);
    assert_int_equal(tally.n_run, 40);
    assert_near(sonde__tally_percent(&tally), 2.5 * tally.n_failure[0], 1e-12);
    fake_free(f);
}

static void sizes_are_ascending_and_different(void **state) {
    (void)state;
    static const int32_t mixed[] = {6, 3, 4};
    fake *f = fake_new();
    fake_condition(f, "table", SONDE_LOCAL, "boe", 6, 1);
    sonde_condition *other = fake_condition(f, "table", SONDE_LOCAL, "boe", 12, 1);
    other->size = mixed;
    fake_condition(f, "sweep-k", SONDE_LOCAL, "boe", 12, 1);
    int32_t size[4];
    assert_int_equal(sonde__sizes_of(&f->plan, "table", 4, size), 4);
    assert_int_equal(size[0], 3);
    assert_int_equal(size[1], 4);
    assert_int_equal(size[2], 5);
    assert_int_equal(size[3], 6);
    assert_int_equal(sonde__sizes_of(&f->plan, "table", 2, size), 2);
    assert_int_equal(sonde__sizes_of(&f->plan, "nothing", 4, size), 0);
    fake_free(f);
}

static void rows_are_in_the_order_of_the_paper(void **state) {
    (void)state;
    static const sonde__cell_key order[] = {
        {SONDE_GLOBAL, "none", 0, 0},    {SONDE_GLOBAL, "boe", 6, 1}, {SONDE_GLOBAL, "boe", 6, 3},
        {SONDE_GLOBAL, "boe", 12, 1},    {SONDE_GLOBAL, "edm", 6, 1}, {SONDE_GLOBAL, "aboe", 6, 1},
        {SONDE_GLOBAL, "boe-set", 6, 1}, {SONDE_LOCAL, "none", 0, 0}, {SONDE_LOCAL, "edm", 6, 1},
    };
    for (int i = 0; i < 9; i++) {
        for (int j = 0; j < 9; j++) {
            const int found = sonde__key_compare(&order[i], &order[j]);
            assert_int_equal((found > 0) - (found < 0), (i > j) - (i < j));
        }
    }
}

static void conditions_are_found_by_what_they_do(void **state) {
    (void)state;
    fake *f = fake_paper();
    const sonde__cell_key boe = {SONDE_LOCAL, "boe", 12, 3};
    const sonde__cell_key full = {SONDE_GLOBAL, "none", 0, 0};
    const int32_t text = sonde__condition_find(&f->plan, "table", &boe, SONDE_SEMANTICS_TEXT);
    const int32_t notebook =
        sonde__condition_find(&f->plan, "table", &boe, SONDE_SEMANTICS_NOTEBOOK);
    assert_true(text >= 0 && notebook > text);
    const sonde__cell_key again = sonde__key_of(&f->plan.condition[notebook]);
    assert_int_equal(sonde__key_compare(&again, &boe), 0);
    /* no difference alone is in the table, but for full search any will do */
    assert_int_equal(sonde__condition_find(&f->plan, "table", &boe, 1u), -1);
    assert_true(sonde__condition_find(&f->plan, "table", &full, 1u) >= 0);
    assert_string_equal(sonde__embedding_title("aboe"), "aBOE");
    assert_string_equal(sonde__embedding_title("boe-set"), "boe-set");
    fake_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binomial_cdf_is_that_of_scipy),
        cmocka_unit_test(binomial_cdf_has_its_limits),
        cmocka_unit_test(the_central_part_leaves_a_fortieth_on_each_side),
        cmocka_unit_test(the_sign_test_is_that_of_scipy),
        cmocka_unit_test(correlation_is_that_of_numpy_and_skips_what_is_not_there),
        cmocka_unit_test(runs_of_a_condition_and_size_are_one_stretch),
        cmocka_unit_test(a_tally_counts_every_run_once),
        cmocka_unit_test(sizes_are_ascending_and_different),
        cmocka_unit_test(rows_are_in_the_order_of_the_paper),
        cmocka_unit_test(conditions_are_found_by_what_they_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
