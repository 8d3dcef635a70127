/* Logarithm and exponential: right to 1.5 units in the last place, wherever they are defined. */
#include <float.h>

#include "base/numbers.h"
#include "base/rng.h"
#include "worlds.h"

/* what the bits of many results add up to */
#define LOG_BITS UINT64_C(0xf545830c6fd48ca3)
#define EXP_BITS UINT64_C(0x380f400459856c07)
#define SUM_EXP_BITS UINT64_C(0x4432c4c2a02e70cc)

/* How far `found` is from the truth, in units in the last place of the truth. */
static double ulps(double found, long double truth) {
    int exponent = 0;
    (void)frexpl(truth, &exponent);
    /* the unit of numbers from 2^(exponent - 1) to 2^exponent; below the normal range it stays */
    const int unit = exponent - 53 > -1074 ? exponent - 53 : -1074;
    return (double)fabsl(((long double)found - truth) / ldexpl(1.0L, unit));
}

static void assert_log(double x) {
    const double off = ulps(sonde__log(x), logl((long double)x));
    if (!(off <= 1.5)) {
        fail_msg("log(%a) is %a, %g ulp off", x, sonde__log(x), off);
    }
}

static void assert_exp(double x) {
    const double off = ulps(sonde__exp(x), expl((long double)x));
    if (!(off <= 1.5)) {
        fail_msg("exp(%a) is %a, %g ulp off", x, sonde__exp(x), off);
    }
}

static double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double between(sonde__rng *rng, double low, double high) {
    return low + (high - low) * sonde__rng_uniform(rng);
}

static void log_is_within_one_and_a_half_ulp(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(1, SONDE__FOR_PROBE, 0);
    for (int i = 0; i < 200000; i++) {
        /* every normal number alike: any fraction, exponent 1 to 2046 */
        const uint64_t fraction = sonde__rng_next(&rng) >> 12;
        assert_log(from_bits((1 + sonde__rng_below(&rng, 2046)) << 52 | fraction));
        /* probabilities, and the neighbourhoods of 1, sqrt 2 and 1 / sqrt 2 */
        assert_log(between(&rng, 1e-16, 1.0));
        assert_log(1.0 + between(&rng, -0.01, 0.01));
        assert_log(between(&rng, 0.65, 1.5));
        assert_log(1.0 + ldexp(between(&rng, -1.0, 1.0), -(int)sonde__rng_below(&rng, 50)));
    }
}

static void log_of_one_is_nothing(void **state) {
    (void)state;
    assert_same(sonde__log(1.0), 0.0);
}

static void log_is_right_at_the_ends(void **state) {
    (void)state;
    assert_log(DBL_MIN);
    assert_log(DBL_MAX);
    assert_log(nextafter(1.0, 0.0));
    assert_log(nextafter(1.0, 2.0));
    assert_log(M_SQRT2);
    assert_log(M_SQRT1_2);
    assert_log(nextafter(M_SQRT1_2, 0.0));
    for (int e = -1022; e <= 1023; e++) {
        assert_log(ldexp(1.0, e));
        assert_log(nextafter(ldexp(1.0, e), INFINITY));
    }
}

static void the_floor_costs_what_the_specification_says(void **state) {
    (void)state;
    assert_same(-sonde__log(1e-16), 36.841361487904734);
    assert_same(sonde__log(SONDE__FLOOR), SONDE__LOG_FLOOR);
    assert_same(-sonde__log_floored(0.0), 36.841361487904734);
    assert_same(-sonde__log_floored(1e-17), 36.841361487904734);
    assert_same(-sonde__log_floored(1e-300), 36.841361487904734);
    assert_same(-sonde__log_floored(-1.0), 36.841361487904734);
}

static void above_the_floor_nothing_is_floored(void **state) {
    (void)state;
    const double above = nextafter(1e-16, 1.0);
    assert_same(sonde__log_floored(above), sonde__log(above));
    assert_same(sonde__log_floored(0.25), sonde__log(0.25));
    assert_same(sonde__log_floored(7.0), sonde__log(7.0));
}

static void exp_is_within_one_and_a_half_ulp(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(2, SONDE__FOR_PROBE, 0);
    for (int i = 0; i < 200000; i++) {
        assert_exp(between(&rng, -708.0, 709.78));
        assert_exp(between(&rng, -1.0, 1.0));
        assert_exp(between(&rng, -40.0, 0.0));
        assert_exp(ldexp(between(&rng, -1.0, 1.0), -(int)sonde__rng_below(&rng, 60)));
        /* results below the normal range */
        assert_exp(between(&rng, -745.2, -708.0));
    }
}

static void exp_ends_at_nothing_and_infinity(void **state) {
    (void)state;
    assert_same(sonde__exp(0.0), 1.0);
    assert_same(sonde__exp(-0.0), 1.0);
    assert_same(sonde__exp(-745.2), 0.0);
    assert_same(sonde__exp(-1e300), 0.0);
    assert_same(sonde__exp(-INFINITY), 0.0);
    assert_same(sonde__exp(709.8), INFINITY);
    assert_same(sonde__exp(1e300), INFINITY);
    assert_same(sonde__exp(INFINITY), INFINITY);
    /* the largest that stays finite, and the next */
    assert_true(sonde__exp(709.782712893384) <= DBL_MAX);
    assert_true(sonde__exp(709.782712893385) > DBL_MAX);
}

static void exp_undoes_log(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(3, SONDE__FOR_PROBE, 0);
    for (int i = 0; i < 10000; i++) {
        const double x = exp(between(&rng, -30.0, 30.0));
        /* a rounding of ln x in the last place is |ln x| ulps of x */
        assert_near(sonde__exp(sonde__log(x)), x, x * 1e-14);
    }
}

/* The plain version: one after the other, in long double. */
static double sum_exp_naive(int32_t n, const double *x, double gamma, double least) {
    long double sum = 0.0L;
    for (int32_t i = 0; i < n; i++) {
        const double power = gamma * (least - x[i]);
        sum += power < -708.0 ? 0.0L : expl((long double)power);
    }
    return (double)sum;
}

static void sum_of_exponentials_equals_its_naive_twin(void **state) {
    (void)state;
    enum { N_MAX = 300 };
    double x[N_MAX];
    sonde__rng rng = sonde__rng_stream(4, SONDE__FOR_PROBE, 0);
    for (int32_t n = 0; n < N_MAX; n++) {
        const double least = between(&rng, -50.0, 500.0);
        const double spread = exp(between(&rng, -5.0, 8.0));
        for (int32_t i = 0; i < n; i++) {
            x[i] = least + spread * sonde__rng_uniform(&rng);
        }
        if (n > 0) {
            x[sonde__rng_below(&rng, (uint64_t)n)] = least;
        }
        const double gamma = between(&rng, 0.0, 16.0);
        const double wanted = sum_exp_naive(n, x, gamma, least);
        assert_near(sonde__sum_exp(n, x, gamma, least), wanted, wanted * 1e-14);
    }
}

static void sum_of_exponentials_counts_equal_terms_exactly(void **state) {
    (void)state;
    enum { N = 1003 };
    double x[N];
    for (int32_t i = 0; i < N; i++) {
        x[i] = 123.456;
    }
    assert_same(sonde__sum_exp(N, x, 3.0, 123.456), (double)N);
    assert_same(sonde__sum_exp(0, x, 3.0, 123.456), 0.0);
    /* with no precision every term is 1 */
    assert_same(sonde__sum_exp(N, x, 0.0, 1.0), (double)N);
}

static void far_terms_count_as_nothing(void **state) {
    (void)state;
    const double x[] = {0.0, 708.5, 1e300, INFINITY, 708.5, 708.5, 708.5, 708.5, 708.5, 709.0};
    for (int32_t n = 1; n <= 10; n++) {
        assert_same(sonde__sum_exp(n, x, 1.0, 0.0), 1.0);
    }
    assert_same(sonde__sum_exp(9, x + 1, 1.0, 0.0), 0.0);
    /* and near ones do not, the last of the range included */
    const double last[] = {708.0};
    const double found = sonde__sum_exp(1, last, 1.0, 0.0);
    assert_near(found, exp(-708.0), exp(-708.0) * 1e-14);
}

/* FNV-1a over the bits of a number */
static void stir(uint64_t *hash, double x) {
    unsigned char byte[sizeof x];
    memcpy(byte, &x, sizeof x);
    for (size_t i = 0; i < sizeof x; i++) {
        *hash = (*hash ^ byte[i]) * UINT64_C(0x100000001b3);
    }
}

static void the_bits_are_the_same_on_every_machine(void **state) {
    (void)state;
    /* a change of any of these changes results: say so in the CHANGELOG */
    uint64_t hash[3] = {0, 0, 0};
    double x[100];
    sonde__rng rng = sonde__rng_stream(5, SONDE__FOR_PROBE, 0);
    for (int i = 0; i < 20000; i++) {
        const uint64_t fraction = sonde__rng_next(&rng) >> 12;
        stir(&hash[0], sonde__log(from_bits((1 + sonde__rng_below(&rng, 2046)) << 52 | fraction)));
        stir(&hash[0], sonde__log(between(&rng, 0.1, 4.0)));
        stir(&hash[1], sonde__exp(between(&rng, -745.0, 709.0)));
        stir(&hash[1], sonde__exp(between(&rng, -2.0, 2.0)));
        x[i % 100] = between(&rng, 0.0, 30.0);
        stir(&hash[2], sonde__sum_exp(1 + i % 100, x, 1.0, 0.0));
    }
    assert_int_equal(hash[0], LOG_BITS);
    assert_int_equal(hash[1], EXP_BITS);
    assert_int_equal(hash[2], SUM_EXP_BITS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_is_within_one_and_a_half_ulp),
        cmocka_unit_test(log_of_one_is_nothing),
        cmocka_unit_test(log_is_right_at_the_ends),
        cmocka_unit_test(the_floor_costs_what_the_specification_says),
        cmocka_unit_test(above_the_floor_nothing_is_floored),
        cmocka_unit_test(exp_is_within_one_and_a_half_ulp),
        cmocka_unit_test(exp_ends_at_nothing_and_infinity),
        cmocka_unit_test(exp_undoes_log),
        cmocka_unit_test(sum_of_exponentials_equals_its_naive_twin),
        cmocka_unit_test(sum_of_exponentials_counts_equal_terms_exactly),
        cmocka_unit_test(far_terms_count_as_nothing),
        cmocka_unit_test(the_bits_are_the_same_on_every_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
