/* The two leading eigenvectors of a matrix that is only multiplied by, against all of them. */
#include "base/linalg.h"
#include "base/rng.h"
#include "worlds.h"

/* A matrix (n, n) that is written down all the same. */
typedef struct {
    int32_t n;
    double *cell;
} matrix;

static void multiply(const void *context, int32_t n_vector, const double *vector, double *image) {
    const matrix *m = context;
    for (int32_t v = 0; v < n_vector; v++) {
        for (int32_t i = 0; i < m->n; i++) {
            for (int32_t j = 0; j < m->n; j++) {
                image[v * m->n + i] += m->cell[(int64_t)i * m->n + j] * vector[v * m->n + j];
            }
        }
    }
}

/* The sum of value[k] x_k x_k' over orthonormal vectors that chance turned. */
static matrix matrix_of(int32_t n, int32_t n_value, const double *value, uint64_t seed) {
    matrix m = {n, room((uint64_t)n * (uint64_t)n, sizeof(double))};
    double *x = room((uint64_t)n * (uint64_t)n_value, sizeof *x);
    sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_START, 0);
    for (int32_t k = 0; k < n_value; k++) {
        double *here = x + (int64_t)k * n;
        for (int32_t j = 0; j < n; j++) {
            here[j] = sonde__rng_uniform(&rng) - 0.5;
        }
        for (int32_t pass = 0; pass < 2 * k; pass++) {
            const double *other = x + (int64_t)(pass % k) * n;
            double along = 0.0;
            for (int32_t j = 0; j < n; j++) {
                along += here[j] * other[j];
            }
            for (int32_t j = 0; j < n; j++) {
                here[j] -= along * other[j];
            }
        }
        double square = 0.0;
        for (int32_t j = 0; j < n; j++) {
            square += here[j] * here[j];
        }
        for (int32_t j = 0; j < n; j++) {
            here[j] /= sqrt(square);
        }
        for (int32_t i = 0; i < n; i++) {
            for (int32_t j = 0; j < n; j++) {
                m.cell[(int64_t)i * n + j] += value[k] * here[i] * here[j];
            }
        }
    }
    free(x);
    return m;
}

/* What was found of a matrix. */
typedef struct {
    sonde__arena arena;
    sonde__leading room;
    double value[2];
} found;

static found find(const matrix *m) {
    found f = {0};
    const sonde__product product = {m->n, multiply, m};
    sonde__leading_carve(&f.arena, m->n, &f.room);
    assert_true(sonde__arena_reserve(&f.arena));
    sonde__leading_carve(&f.arena, m->n, &f.room);
    sonde__leading_find(&product, &f.room, f.value);
    return f;
}

/* Two unit vectors at right angles, which the matrix stretches by their values. */
static void assert_eigenvectors(const matrix *m, const found *f, double scale) {
    const int32_t n = m->n;
    const double *axis = f->room.basis;
    double *image = room(2 * (uint64_t)n, sizeof *image);
    double inner[3] = {0.0};
    multiply(m, 2, axis, image);
    for (int32_t j = 0; j < n; j++) {
        inner[0] += axis[j] * axis[j];
        inner[1] += axis[j] * axis[n + j];
        inner[2] += axis[n + j] * axis[n + j];
        assert_near(image[j], f->value[0] * axis[j], 1e-11 * scale);
        assert_near(image[n + j], f->value[1] * axis[n + j], 1e-11 * scale);
    }
    assert_near(inner[0], 1.0, 1e-13);
    assert_near(inner[1], 0.0, 1e-13);
    assert_near(inner[2], 1.0, 1e-13);
    free(image);
}

static void compare(int32_t n, int32_t n_value, const double *value, uint64_t seed) {
    matrix m = matrix_of(n, n_value, value, seed);
    found f = find(&m);
    assert_near(f.value[0], value[0], 1e-12 * (value[0] + 1e-300));
    assert_near(f.value[1], n_value > 1 ? value[1] : 0.0, 1e-12 * (value[0] + 1e-300));
    assert_eigenvectors(&m, &f, value[0]);
    sonde__arena_free(&f.arena);
    free(m.cell);
}

static void values_are_the_two_largest(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        double value[60];
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_START, 1);
        value[0] = 1.0 + (double)seed;
        for (int32_t i = 1; i < 60; i++) {
            value[i] = value[i - 1] * (0.9 + 0.1 * sonde__rng_uniform(&rng));
        }
        compare(60 + 13 * (int32_t)seed, 60, value, seed);
    }
}

/* as those of symmetrical problems are */
static void equal_values_are_found_as_often_as_there_are_some(void **state) {
    (void)state;
    double value[50];
    for (int32_t n_equal = 1; n_equal <= 50; n_equal += 7) {
        for (int32_t i = 0; i < 50; i++) {
            value[i] = i < n_equal ? 3.0 : 2.0;
        }
        compare(80, 50, value, (uint64_t)n_equal);
        for (int32_t i = 1; i < 50; i++) {
            value[i] = i <= n_equal ? 1.0 : 0.5;
        }
        compare(80, 50, value, (uint64_t)n_equal);
    }
}

static void values_close_together_are_told_apart(void **state) {
    (void)state;
    double value[100];
    for (int32_t i = 0; i < 100; i++) {
        value[i] = 1.0 - 1e-3 * (double)i;
    }
    compare(100, 100, value, 5);
}

static void where_there_are_fewer_than_two_the_others_are_0(void **state) {
    (void)state;
    const double value[] = {7.0, 0.0};
    for (uint64_t seed = 0; seed < 5; seed++) {
        compare(20, 1, value, seed);
        compare(20, 1, value + 1, seed);
    }
}

static void the_bits_are_the_same_every_time(void **state) {
    (void)state;
    const double value[] = {3.0, 2.0, 2.0, 1.0};
    matrix m = matrix_of(300, 4, value, 9);
    found a = find(&m);
    found b = find(&m);
    assert_memory_equal(a.value, b.value, sizeof a.value);
    assert_memory_equal(a.room.basis, b.room.basis, 600 * sizeof(double));
    sonde__arena_free(&a.arena);
    sonde__arena_free(&b.arena);
    free(m.cell);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_the_two_largest),
        cmocka_unit_test(equal_values_are_found_as_often_as_there_are_some),
        cmocka_unit_test(values_close_together_are_told_apart),
        cmocka_unit_test(where_there_are_fewer_than_two_the_others_are_0),
        cmocka_unit_test(the_bits_are_the_same_every_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
