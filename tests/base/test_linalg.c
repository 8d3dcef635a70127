/* Eigenvalues and eigenvectors of symmetric matrices. */
#include "base/linalg.h"
#include "base/rng.h"
#include "worlds.h"

enum { N_MAX = 40 };

static double cell(const double *matrix, int32_t n, int32_t i, int32_t j) {
    return matrix[(int64_t)i * n + j];
}

static double largest_of(const double *list, int32_t n) {
    double largest = 0.0;
    for (int32_t i = 0; i < n; i++) {
        largest = fabs(list[i]) > largest ? fabs(list[i]) : largest;
    }
    return largest;
}

static void assert_orthonormal(int32_t n, const double *vector) {
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j <= i; j++) {
            double dot = 0.0;
            for (int32_t c = 0; c < n; c++) {
                dot += cell(vector, n, i, c) * cell(vector, n, j, c);
            }
            assert_near(dot, i == j ? 1.0 : 0.0, 1e-13);
        }
    }
}

static void assert_rebuilds(int32_t n, const double *matrix, const double *value,
                            const double *vector) {
    const double scale = largest_of(matrix, n * n) + 1e-300;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            double sum = 0.0;
            for (int32_t k = 0; k < n; k++) {
                sum += value[k] * cell(vector, n, k, i) * cell(vector, n, k, j);
            }
            assert_near(sum, cell(matrix, n, i, j), scale * n * 1e-14);
        }
    }
}

/* The largest coefficient is positive; among some that are equal but for rounding, the first. */
static void assert_signs_settled(int32_t n, const double *vector) {
    for (int32_t i = 0; i < n; i++) {
        const double *row = vector + (int64_t)i * n;
        const double largest = largest_of(row, n);
        int32_t c = 0;
        while (fabs(row[c]) < largest * (1.0 - 1e-11)) {
            c++;
        }
        /* in between, either may count as the largest */
        int32_t close = 0;
        while (fabs(row[close]) < largest * (1.0 - 1e-8)) {
            close++;
        }
        assert_true(row[c] > 0.0 || close < c);
    }
}

/* Solves a copy, and checks all that must hold. */
static void check(int32_t n, const double *matrix, double *value, double *vector) {
    double copy[N_MAX * N_MAX];
    memcpy(copy, matrix, (size_t)n * (size_t)n * sizeof *copy);
    sonde__eigen(n, copy, value, vector);
    for (int32_t i = 1; i < n; i++) {
        assert_true(value[i - 1] >= value[i]);
    }
    assert_orthonormal(n, vector);
    assert_rebuilds(n, matrix, value, vector);
    assert_signs_settled(n, vector);
}

static void random_symmetric(int32_t n, sonde__rng *rng, double scale, double *matrix) {
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j <= i; j++) {
            const double x = scale * (2.0 * sonde__rng_uniform(rng) - 1.0);
            matrix[(int64_t)i * n + j] = x;
            matrix[(int64_t)j * n + i] = x;
        }
    }
}

static void random_matrices_are_rebuilt_from_their_eigenvectors(void **state) {
    (void)state;
    double matrix[N_MAX * N_MAX];
    double value[N_MAX];
    double vector[N_MAX * N_MAX];
    sonde__rng rng = sonde__rng_stream(1, SONDE__FOR_PROBE, 0);
    for (int trial = 0; trial < 200; trial++) {
        const int32_t n = 1 + (int32_t)sonde__rng_below(&rng, trial < 190 ? 12 : N_MAX);
        random_symmetric(n, &rng, exp(40.0 * (sonde__rng_uniform(&rng) - 0.5)), matrix);
        check(n, matrix, value, vector);
    }
}

static void singular_matrices_have_eigenvalues_of_nothing(void **state) {
    (void)state;
    double factor[N_MAX * 3];
    double matrix[N_MAX * N_MAX];
    double value[N_MAX];
    double vector[N_MAX * N_MAX];
    sonde__rng rng = sonde__rng_stream(2, SONDE__FOR_PROBE, 0);
    for (int trial = 0; trial < 100; trial++) {
        /* F F' with 1 to 3 columns of small whole numbers, as an embedding's products are */
        const int32_t n = 4 + (int32_t)sonde__rng_below(&rng, trial < 90 ? 9 : N_MAX - 4);
        const int32_t rank = 1 + (int32_t)sonde__rng_below(&rng, 3);
        for (int32_t i = 0; i < n * rank; i++) {
            factor[i] = (double)sonde__rng_below(&rng, 7) - 3.0;
        }
        for (int32_t i = 0; i < n * n; i++) {
            matrix[i] = 0.0;
            for (int32_t k = 0; k < rank; k++) {
                matrix[i] += factor[(i / n) * rank + k] * factor[(i % n) * rank + k];
            }
        }
        check(n, matrix, value, vector);
        for (int32_t i = rank; i < n; i++) {
            assert_near(value[i], 0.0, 1e-13 * (fabs(value[0]) + 1.0));
        }
    }
}

static void eigenvalues_of_a_path_are_the_known_ones(void **state) {
    (void)state;
    /* the adjacency matrix of a path of n nodes: 2 cos(pi k / (n + 1)) */
    enum { N = 9 };
    double matrix[N * N] = {0.0};
    double value[N];
    double vector[N * N];
    for (int32_t i = 0; i + 1 < N; i++) {
        matrix[i * N + i + 1] = matrix[(i + 1) * N + i] = 1.0;
    }
    check(N, matrix, value, vector);
    for (int32_t k = 0; k < N; k++) {
        assert_near(value[k], 2.0 * cos(M_PI * (k + 1) / (N + 1.0)), 1e-14);
    }
}

static void a_diagonal_matrix_is_sorted_and_nothing_else(void **state) {
    (void)state;
    enum { N = 5 };
    static const double diagonal[N] = {2.0, -7.0, 11.0, 0.0, 3.0};
    static const int32_t from[N] = {2, 4, 0, 3, 1};
    double matrix[N * N] = {0.0};
    double value[N];
    double vector[N * N];
    for (int32_t i = 0; i < N; i++) {
        matrix[i * N + i] = diagonal[i];
    }
    check(N, matrix, value, vector);
    for (int32_t i = 0; i < N; i++) {
        assert_same(value[i], diagonal[from[i]]);
        for (int32_t c = 0; c < N; c++) {
            assert_true(vector[i * N + c] == (c == from[i] ? 1.0 : 0.0));
        }
    }
}

static void equal_coefficients_leave_the_first_positive(void **state) {
    (void)state;
    double matrix[4] = {0.0, 1.0, 1.0, 0.0};
    double value[2];
    double vector[4];
    sonde__eigen(2, matrix, value, vector);
    assert_near(value[0], 1.0, 1e-15);
    assert_near(value[1], -1.0, 1e-15);
    assert_near(vector[0], M_SQRT1_2, 1e-15);
    assert_near(vector[1], M_SQRT1_2, 1e-15);
    assert_near(vector[2], M_SQRT1_2, 1e-15);
    assert_near(vector[3], -M_SQRT1_2, 1e-15);
}

static void nothing_at_all_has_unit_vectors(void **state) {
    (void)state;
    double matrix[16] = {0.0};
    double value[4];
    double vector[16];
    sonde__eigen(4, matrix, value, vector);
    for (int i = 0; i < 16; i++) {
        assert_true(vector[i] == (i % 5 == 0 ? 1.0 : 0.0));
    }
    for (int i = 0; i < 4; i++) {
        assert_true(value[i] == 0.0);
    }
}

static void the_same_matrix_gives_the_same_bits(void **state) {
    (void)state;
    double matrix[12 * 12];
    double value[2][12];
    double vector[2][12 * 12];
    sonde__rng rng = sonde__rng_stream(3, SONDE__FOR_PROBE, 0);
    random_symmetric(12, &rng, 1.0, matrix);
    check(12, matrix, value[0], vector[0]);
    check(12, matrix, value[1], vector[1]);
    assert_memory_equal(value[0], value[1], sizeof value[0]);
    assert_memory_equal(vector[0], vector[1], sizeof vector[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices_are_rebuilt_from_their_eigenvectors),
        cmocka_unit_test(singular_matrices_have_eigenvalues_of_nothing),
        cmocka_unit_test(eigenvalues_of_a_path_are_the_known_ones),
        cmocka_unit_test(a_diagonal_matrix_is_sorted_and_nothing_else),
        cmocka_unit_test(equal_coefficients_leave_the_first_positive),
        cmocka_unit_test(nothing_at_all_has_unit_vectors),
        cmocka_unit_test(the_same_matrix_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
