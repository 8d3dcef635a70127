/* The innermost loops of scoring, to the bit what plain ones give. */
#include "efe/efe_rows.h"
#include "base/numbers.h"
#include "base/rng.h"
#include "random_models.h"

/* Numbers of all sizes, some of them 0. */
static double *numbers(sonde__rng *rng, int64_t n) {
    double *x = room((uint64_t)n, sizeof *x);
    for (int64_t i = 0; i < n; i++) {
        x[i] = draw_chance(rng, 0.2) ? 0.0 : exp(-20.0 * sonde__rng_uniform(rng));
    }
    return x;
}

/* Some of the rows below n, in any order, perhaps more than once. */
static int32_t *rows(sonde__rng *rng, int32_t n_in, int32_t n) {
    int32_t *from = room((uint64_t)n_in, sizeof *from);
    for (int32_t i = 0; i < n_in; i++) {
        from[i] = draw_below(rng, n);
    }
    return from;
}

/* ------------------------------------------------------------------------------ sums of rows -- */

static void compare_sum(sonde__rng *rng, int64_t n, int32_t n_in) {
    enum { N_ROW = 7, GUARD = 8 };
    double *matrix = numbers(rng, N_ROW * n);
    double *weight = numbers(rng, n_in);
    int32_t *from = rows(rng, n_in, N_ROW);
    double *out = room((uint64_t)n + GUARD, sizeof *out);
    memset(out, 0x55, ((size_t)n + GUARD) * sizeof *out);
    const double untouched = out[n];
    sonde__rows_sum_rows(n, n_in, from, weight, matrix, out);
    for (int64_t c = 0; c < n; c++) {
        double sum = 0.0;
        for (int32_t i = 0; i < n_in; i++) {
            sum += weight[i] * matrix[from[i] * n + c];
        }
        assert_same(out[c], sum);
    }
    for (int64_t c = n; c < n + GUARD; c++) {
        assert_same(out[c], untouched);
    }
    free(out);
    free(from);
    free(weight);
    free(matrix);
}

/* a tile is 96 numbers at most */
static void sums_of_rows_are_those_of_plain_loops(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(1, SONDE__FOR_PROBE, 0);
    for (int64_t n = 1; n <= 200; n++) {
        for (int32_t n_in = 0; n_in <= 5; n_in++) {
            compare_sum(&rng, n, n_in);
        }
    }
}

static void compare_sets(sonde__rng *rng, int64_t n, int32_t n_set, int32_t n_support) {
    enum { N_ROW = 7, GUARD = 8 };
    const int32_t n_lane = n_set + draw_below(rng, 3);
    double *matrix = numbers(rng, N_ROW * n);
    double *weight = numbers(rng, N_ROW * n_lane);
    int32_t *support = rows(rng, n_support, N_ROW);
    double *out = room((uint64_t)(n_set * n) + GUARD, sizeof *out);
    memset(out, 0x55, ((size_t)(n_set * n) + GUARD) * sizeof *out);
    const double untouched = out[n_set * n];
    const sonde__rows_sets sets = {n, n_set, n_lane, n_support, support, weight, matrix};
    sonde__rows_sum_sets(&sets, out);
    for (int32_t j = 0; j < n_set; j++) {
        for (int64_t c = 0; c < n; c++) {
            double sum = 0.0;
            for (int32_t i = 0; i < n_support; i++) {
                sum += weight[support[i] * n_lane + j] * matrix[support[i] * n + c];
            }
            assert_same(out[j * n + c], sum);
        }
    }
    for (int64_t i = n_set * n; i < n_set * n + GUARD; i++) {
        assert_same(out[i], untouched);
    }
    free(out);
    free(support);
    free(weight);
    free(matrix);
}

/* a tile is 4 sets of 24 numbers at most */
static void sums_of_sets_are_those_of_plain_loops(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(4, SONDE__FOR_PROBE, 0);
    for (int64_t n = 1; n <= 60; n++) {
        for (int32_t n_set = 1; n_set <= 11; n_set++) {
            compare_sets(&rng, n, n_set, (int32_t)n % 6);
        }
    }
}

/* -------------------------------------------------------------------------------- products -- */

static void compare_product(sonde__rng *rng, int32_t n_row, int32_t n_lane, int32_t n_support) {
    enum { N_STATE = 9, GUARD = 8 };
    const int64_t n = (int64_t)n_row * n_lane;
    double *table = numbers(rng, N_STATE * (int64_t)n_row);
    double *q = numbers(rng, N_STATE * (int64_t)n_lane);
    int32_t *support = rows(rng, n_support, N_STATE);
    double *out = room((uint64_t)n + GUARD, sizeof *out);
    memset(out, 0x55, ((size_t)n + GUARD) * sizeof *out);
    const double untouched = out[n];
    const sonde__rows_product product = {n_row, n_lane, n_support, support, table, q};
    sonde__rows_multiply(&product, out);
    for (int32_t r = 0; r < n_row; r++) {
        for (int32_t l = 0; l < n_lane; l++) {
            double sum = 0.0;
            for (int32_t i = 0; i < n_support; i++) {
                sum += table[(int64_t)support[i] * n_row + r] * q[(int64_t)support[i] * n_lane + l];
            }
            assert_same(out[(int64_t)r * n_lane + l], sum);
        }
    }
    for (int64_t i = n; i < n + GUARD; i++) {
        assert_same(out[i], untouched);
    }
    free(out);
    free(support);
    free(q);
    free(table);
}

static void products_are_those_of_plain_loops(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(2, SONDE__FOR_PROBE, 0);
    for (int32_t n_row = 4; n_row <= 40; n_row += 4) {
        for (int32_t n_lane = 4; n_lane <= 36; n_lane += 4) {
            for (int32_t n_support = 0; n_support <= 9; n_support += 3) {
                compare_product(&rng, n_row, n_lane, n_support);
            }
        }
    }
}

/* ------------------------------------------------------------------------------ negentropy -- */

/* everything between 0 and 1 and a little beyond, close to 1, and at the floor */
static double probability(sonde__rng *rng) {
    switch (draw_below(rng, 8)) {
    case 0: return 0.0;
    case 1: return 1.0;
    case 2: return 1.0 + 1e-12 * (sonde__rng_uniform(rng) - 0.5);
    case 3: return SONDE__FLOOR;
    case 4: return SONDE__FLOOR * (0.5 + sonde__rng_uniform(rng));
    case 5: return exp(-40.0 * sonde__rng_uniform(rng));
    case 6: return 1e-300;
    default: return sonde__rng_uniform(rng);
    }
}

/* Some of n_row rows, or all of them in order. */
static void compare_negentropy(sonde__rng *rng, int32_t n_row, int32_t n_lane, bool some) {
    const int64_t n = (int64_t)n_row * n_lane;
    double *x = room((uint64_t)n, sizeof *x);
    double *kept = room((uint64_t)n, sizeof *kept);
    double *sum = numbers(rng, n_lane);
    double *wanted = room((uint64_t)n_lane, sizeof *wanted);
    int32_t *row = room((uint64_t)n_row, sizeof *row);
    int32_t n_some = 0;
    for (int64_t i = 0; i < n; i++) {
        x[i] = kept[i] = probability(rng);
    }
    for (int32_t r = n_row - 1; r >= 0; r--) {
        row[n_some] = some ? r : n_some;
        n_some += !some || draw_chance(rng, 0.7);
    }
    memcpy(wanted, sum, (size_t)n_lane * sizeof *sum);
    for (int32_t i = 0; i < n_some; i++) {
        for (int32_t l = 0; l < n_lane; l++) {
            double *at = &kept[(int64_t)row[i] * n_lane + l];
            *at *= sonde__log_floored(*at);
            wanted[l] += *at;
        }
    }
    sonde__rows_negentropy(n_some, some ? row : NULL, n_lane, x, sum);
    for (int32_t l = 0; l < n_lane; l++) {
        assert_same(sum[l], wanted[l]);
    }
    for (int64_t i = 0; i < n; i++) {
        assert_same(x[i], kept[i]);
    }
    free(row);
    free(wanted);
    free(sum);
    free(kept);
    free(x);
}

static void entropies_use_our_logarithm_to_the_bit(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(3, SONDE__FOR_PROBE, 0);
    for (int32_t n_row = 0; n_row <= 20; n_row++) {
        for (int32_t n_lane = 1; n_lane <= 21; n_lane++) {
            for (int32_t i = 0; i < 6; i++) {
                compare_negentropy(&rng, n_row, n_lane, i % 2 == 1);
            }
        }
    }
}

/* a million numbers, one row of them */
static void the_logarithm_inside_is_ours_for_every_number(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(4, SONDE__FOR_PROBE, 0);
    for (int32_t i = 0; i < 50; i++) {
        compare_negentropy(&rng, 1, 20000, false);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_rows_are_those_of_plain_loops),
        cmocka_unit_test(sums_of_sets_are_those_of_plain_loops),
        cmocka_unit_test(products_are_those_of_plain_loops),
        cmocka_unit_test(entropies_use_our_logarithm_to_the_bit),
        cmocka_unit_test(the_logarithm_inside_is_ours_for_every_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
