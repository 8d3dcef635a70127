/* Recovery against the numbers of a fixture (tests/data/learning/fit-bandit), and plain cases. */
#include "documents.h"

#include <math.h>

#include "base/json.h"
#include "base/rng.h"
#include "fit/fit_recovery.h"

enum { N = 40, P = 3 };

typedef struct {
    double truth[N][P];
    double estimate[N][P];
    double covariance[N][P][P];
    double prior_sd[P];
} known;

static json_t *read_known(known *k, sonde__reader *reader) {
    assert_int_equal(sonde__json_open(reader, SONDE_TEST_DATA "/learning/fit-bandit.json.gz", NULL),
                     SONDE_OK);
    json_t *root = reader->root;
    for (int32_t p = 0; p < P; p++) {
        const json_t *free = json_array_get(json_object_get(root, "free"), (size_t)p);
        k->prior_sd[p] = json_number_value(json_array_get(json_object_get(free, "prior"), 1));
    }
    for (int32_t i = 0; i < N; i++) {
        const json_t *subject = json_array_get(json_object_get(root, "subjects"), (size_t)i);
        for (int32_t p = 0; p < P; p++) {
            const size_t at = (size_t)p;
            const json_t *row = json_array_get(json_object_get(subject, "covariance"), at);
            k->truth[i][p] =
                json_number_value(json_array_get(json_object_get(subject, "true"), at));
            k->estimate[i][p] =
                json_number_value(json_array_get(json_object_get(subject, "map"), at));
            for (int32_t q = 0; q < P; q++) {
                k->covariance[i][p][q] = json_number_value(json_array_get(row, (size_t)q));
            }
        }
    }
    return json_object_get(root, "recovery");
}

static sonde__recovered shown(const known *k) {
    return (sonde__recovered){.n_subject = N,
                              .n_parameter = P,
                              .truth = &k->truth[0][0],
                              .estimate = &k->estimate[0][0],
                              .covariance = &k->covariance[0][0][0],
                              .prior_sd = k->prior_sd};
}

static void numbers_are_those_of_the_fixture(void **state) {
    (void)state;
    known k;
    sonde__reader reader;
    json_t *wanted = read_known(&k, &reader);
    const sonde__recovered recovered = shown(&k);
    sonde_recovery found[P];
    sonde__recovery_of(&recovered, found);
    static const char *const key[] = {"r", "bias", "rmse", "coverage_90", "shrinkage"};
    for (size_t p = 0; p < P; p++) {
        const double numbers[] = {found[p].r, found[p].bias, found[p].rmse, found[p].coverage,
                                  found[p].shrinkage};
        for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
            const json_t *number = json_array_get(json_object_get(wanted, key[i]), p);
            assert_non_null(number);
            assert_near(numbers[i], json_number_value(number), 1e-12);
        }
    }
    sonde__json_close(&reader);
}

/* Fisher's interval of r = 0.75 with 40 subjects, by tanh(artanh r +- 1.96 / sqrt 37). */
static void a_correlation_has_fishers_interval(void **state) {
    (void)state;
    known k;
    sonde__reader reader;
    (void)read_known(&k, &reader);
    sonde__json_close(&reader);
    const sonde__recovered recovered = shown(&k);
    sonde_recovery found[P];
    sonde__recovery_of(&recovered, found);
    for (int32_t p = 0; p < P; p++) {
        const double half = 1.959963984540054 / sqrt(37.0);
        assert_near(found[p].r_low, tanh(atanh(found[p].r) - half), 1e-14);
        assert_near(found[p].r_high, tanh(atanh(found[p].r) + half), 1e-14);
    }
    sonde__recovered few = recovered;
    few.n_subject = 3;
    sonde__recovery_of(&few, found);
    assert_true(isnan(found[0].r_low) && isnan(found[0].r_high) && !isnan(found[0].r));
}

static void correlations_are_of_posteriors_and_of_estimates(void **state) {
    (void)state;
    known k;
    sonde__reader reader;
    (void)read_known(&k, &reader);
    sonde__json_close(&reader);
    const sonde__recovered recovered = shown(&k);
    double posterior[P][P];
    double among[P][P];
    sonde__recovery_posterior(&recovered, &posterior[0][0]);
    sonde__recovery_among(&recovered, &among[0][0]);
    double sum = 0.0;
    for (int32_t i = 0; i < N; i++) {
        sum += k.covariance[i][0][1] / sqrt(k.covariance[i][0][0] * k.covariance[i][1][1]);
    }
    assert_near(posterior[0][1], sum / N, 1e-14);
    assert_near(posterior[1][0], sum / N, 1e-14);
    /* gamma and the scale of C are nearly the same thing to this task */
    assert_true(posterior[0][1] < -0.7);
    double column[2][N];
    for (int32_t i = 0; i < N; i++) {
        column[0][i] = k.estimate[i][0];
        column[1][i] = k.estimate[i][2];
    }
    assert_near(among[0][2], sonde__correlation(N, column[0], column[1], 1), 1e-15);
    for (int32_t p = 0; p < P; p++) {
        assert_near(posterior[p][p], 1.0, 1e-14);
        assert_near(among[p][p], 1.0, 1e-14);
    }
}

static void a_parameter_that_does_not_vary_has_no_correlation(void **state) {
    (void)state;
    const double truth[] = {1.0, 1.0, 1.0, 1.0};
    const double estimate[] = {0.5, 1.5, 0.5, 1.5};
    const double variance[] = {0.01, 0.25, 0.01, 0.25};
    const double sd[] = {1.0};
    const sonde__recovered recovered = {4, 1, truth, estimate, variance, sd};
    sonde_recovery found;
    sonde__recovery_of(&recovered, &found);
    assert_true(isnan(found.r));
    assert_near(found.bias, 0.0, 1e-15);
    assert_near(found.rmse, 0.5, 1e-15);
    assert_near(found.coverage, 0.5, 0.0);
    assert_near(found.shrinkage, 0.87, 1e-14);
}

static void models_that_differ_are_found_and_those_that_do_not_are_not(void **state) {
    (void)state;
    enum { S = 20, K = 3 };
    double evidence[K][S][K];
    for (int32_t is = 0; is < K; is++) {
        for (int32_t s = 0; s < S; s++) {
            for (int32_t k = 0; k < K; k++) {
                /* the first is told apart; of the others the first is found where they tie */
                evidence[is][s][k] = (is == 0) == (k == 0) ? -10.0 : -14.0;
            }
        }
    }
    double share[K][K];
    double pxp[K][K];
    double inverse[K][K];
    sonde__confusion c = {S, K, &evidence[0][0][0], &share[0][0], &pxp[0][0], &inverse[0][0]};
    assert_int_equal(sonde__confusion_fill(&c, NULL), SONDE_OK);
    static const double wanted[K][K] = {{1, 0, 0}, {0, 1, 0}, {0, 1, 0}};
    for (int32_t i = 0; i < K * K; i++) {
        assert_near(share[i / K][i % K], wanted[i / K][i % K], 1e-12);
    }
    assert_true(pxp[0][0] > 0.99);
    assert_near(pxp[1][1], pxp[1][2], 1e-9);
    assert_near(inverse[1][1], 0.5, 1e-12);
    assert_near(inverse[2][1], 0.5, 1e-12);
    assert_near(inverse[0][0], 1.0, 1e-12);
    assert_true(isnan(inverse[0][2]));
}

/* 17 of 20, by the formula in longhand. */
static void power_is_a_share_with_wilsons_interval(void **state) {
    (void)state;
    double low[20];
    double high[20];
    for (int32_t i = 0; i < 20; i++) {
        low[i] = i < 9 ? 0.1 : -0.5;
        high[i] = i < 17 && i >= 9 ? -0.1 : 0.5;
    }
    const sonde_share found = sonde__power(20, low, high);
    assert_near(found.share, 0.85, 1e-15);
    assert_near(found.low, 0.6395811352592431, 1e-14);
    assert_near(found.high, 0.9476312541037835, 1e-14);
    assert_true(isnan(sonde__share_of(0, 0).share));
    assert_near(sonde__share_of(0, 10).low, 0.0, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_the_fixture),
        cmocka_unit_test(a_correlation_has_fishers_interval),
        cmocka_unit_test(correlations_are_of_posteriors_and_of_estimates),
        cmocka_unit_test(a_parameter_that_does_not_vary_has_no_correlation),
        cmocka_unit_test(models_that_differ_are_found_and_those_that_do_not_are_not),
        cmocka_unit_test(power_is_a_share_with_wilsons_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
