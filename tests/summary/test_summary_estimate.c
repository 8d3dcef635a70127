/* Means and medians with their intervals, against tables that statisticians print. */
#include "draw/figure_tools.h"

enum { N = 12 };

/* Runs whose seconds per decision are these numbers. */
static sonde__estimate of(int32_t n, const double *seconds, sonde__measure_code measure) {
    static sonde__result_run run[N];
    double scratch[N];
    for (int32_t i = 0; i < n; i++) {
        run[i] = (sonde__result_run){.n_decision = 2, .decide_seconds = 2.0 * seconds[i], .k = 4};
        run[i].n_valid = (int32_t)seconds[i];
    }
    return sonde__estimate_of((sonde__run_list){n, run}, measure, scratch);
}

static void a_mean_of_costs_has_students_interval_about_its_logarithm(void **state) {
    (void)state;
    const double seconds[] = {1.0, 2.0, 3.0, 4.0, 5.0};
    const sonde__estimate found = of(5, seconds, SONDE__SECONDS);
    /* t at 97.5 % with 4 degrees of freedom; the standard error is sqrt(2.5 / 5) */
    const double half = 2.7764451051977987 * sqrt(0.5);
    assert_int_equal(found.n, 5);
    assert_near(found.mean, 3.0, 1e-15);
    assert_near(found.low, 3.0 * exp(-half / 3.0), 1e-12);
    assert_near(found.high, 3.0 * exp(half / 3.0), 1e-12);
    assert_near(found.least, 1.0, 0.0);
    assert_near(found.most, 5.0, 0.0);
}

static void an_interval_of_shares_stays_within_0_and_100(void **state) {
    (void)state;
    const double valid[] = {4.0, 4.0, 4.0, 0.0};
    const sonde__estimate found = of(4, valid, SONDE__VALID);
    assert_near(found.mean, 75.0, 1e-12);
    assert_near(found.high, 100.0, 0.0);
    assert_near(found.low, 0.0, 0.0);
}

static void a_median_lies_between_two_of_its_sample(void **state) {
    (void)state;
    /* of 12, the third from either end: 1 - 2 P(X <= 2) = 0.961 */
    const double seconds[] = {12.0, 1.0, 11.0, 2.0, 10.0, 3.0, 9.0, 4.0, 8.0, 5.0, 7.0, 6.0};
    const sonde__estimate found = of(12, seconds, SONDE__SECONDS);
    assert_near(found.median, 6.5, 0.0);
    assert_near(found.median_low, 3.0, 0.0);
    assert_near(found.median_high, 10.0, 0.0);
    /* of 5 not even the ends hold it in 95 % of samples */
    assert_true(isnan(of(5, seconds, SONDE__SECONDS).median_low));
    assert_near(of(6, seconds, SONDE__SECONDS).median_low, 1.0, 0.0);
}

static void one_hiccup_does_not_move_a_median(void **state) {
    (void)state;
    const double seconds[] = {1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1.0};
    const sonde__estimate found = of(8, seconds, SONDE__SECONDS);
    assert_true(found.mean > 0.1);
    assert_near(found.median, 1e-6, 0.0);
    assert_near(found.median_high, 1.0, 0.0);
}

static void nothing_measured_is_no_estimate(void **state) {
    (void)state;
    const double seconds[] = {1.0};
    assert_int_equal(of(1, seconds, SONDE__TV).n, 0);
    assert_true(isnan(of(1, seconds, SONDE__TV).mean));
    assert_true(isnan(of(1, seconds, SONDE__SECONDS).low));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mean_of_costs_has_students_interval_about_its_logarithm),
        cmocka_unit_test(an_interval_of_shares_stays_within_0_and_100),
        cmocka_unit_test(a_median_lies_between_two_of_its_sample),
        cmocka_unit_test(one_hiccup_does_not_move_a_median),
        cmocka_unit_test(nothing_measured_is_no_estimate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
