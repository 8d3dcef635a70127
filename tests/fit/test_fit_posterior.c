/* Draws from what is believed of a subject's parameters, where every number can be said. */
#include "documents.h"

#include <math.h>

#include "sonde_fit.h"

enum { N_DRAW = 4000, P = 3 };

/* the first has no variance, so that nothing goes with it; the others go together */
static const double map[P] = {0.3, -1.0, 2.0};
static const double covariance[P * P] = {0.0, 0.0, 0.0, 0.0, 4.0, 1.2, 0.0, 1.2, 1.0};
static const double sd[P] = {0.0, 2.0, 1.0};

static void draws_have_the_means_and_covariances_of_the_posterior(void **state) {
    (void)state;
    static const int32_t parameter[P] = {0, 1, 2};
    const sonde_fitted one = {
        .n_slot = P, .parameter = parameter, .map = map, .sd = sd, .covariance = covariance};
    const sonde_fit fit = {.n_subject = 1, .subject = &one};
    static double theta[N_DRAW][P];
    sonde_error error;
    assert_int_equal(sonde_fit_posterior(&fit, 0, 3, N_DRAW, theta[0], &error), SONDE_OK);
    for (int32_t p = 0; p < P; p++) {
        double mean = 0.0;
        for (int32_t i = 0; i < N_DRAW; i++) {
            mean += theta[i][p] / N_DRAW;
        }
        assert_true(fabs(mean - map[p]) <= 4.0 * sd[p] / sqrt(N_DRAW) + 1e-9);
        for (int32_t q = 0; q < P; q++) {
            double sum = 0.0;
            for (int32_t i = 0; i < N_DRAW; i++) {
                sum += (theta[i][p] - map[p]) * (theta[i][q] - map[q]) / N_DRAW;
            }
            assert_true(fabs(sum - covariance[p * P + q]) <= 0.1 * sd[p] * sd[q] + 1e-9);
        }
    }
    for (int32_t i = 0; i < N_DRAW; i++) {
        assert_true(theta[i][0] >= map[0] && theta[i][0] <= map[0]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_have_the_means_and_covariances_of_the_posterior),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
