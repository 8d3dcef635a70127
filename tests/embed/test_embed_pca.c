/* Principal components, against the covariance of all policies written out. */
#include "base/rng.h"
#include "embed/embed.h"
#include "embed/twins.h"

/* mean (n) and covariance (n, n) of an origin's policies, one by one */
typedef struct {
    int32_t n;
    double *mean;
    double *covariance;
    double trace;
} moments;

static moments moments_of(const sonde_embedding *rows) {
    const int32_t n = rows->n_column;
    const double share = 1.0 / (double)rows->n_policy;
    moments m = {.n = n,
                 .mean = room((uint64_t)n, sizeof(double)),
                 .covariance = room((uint64_t)n * (uint64_t)n, sizeof(double))};
    for (int32_t i = 0; i < rows->n_policy; i++) {
        for (int32_t j = 0; j < n; j++) {
            m.mean[j] += share * row_at(rows, i)[j];
        }
    }
    for (int32_t i = 0; i < rows->n_policy; i++) {
        const double *row = row_at(rows, i);
        for (int32_t a = 0; a < n; a++) {
            for (int32_t b = 0; b < n; b++) {
                m.covariance[(int64_t)a * n + b] +=
                    share * (row[a] - m.mean[a]) * (row[b] - m.mean[b]);
            }
        }
    }
    for (int32_t j = 0; j < n; j++) {
        m.trace += m.covariance[(int64_t)j * n + j];
    }
    return m;
}

static void moments_free(moments *m) {
    free(m->mean);
    free(m->covariance);
}

static double dot(const double *x, const double *y, int32_t n) {
    double sum = 0.0;
    for (int32_t j = 0; j < n; j++) {
        sum += x[j] * y[j];
    }
    return sum;
}

/* The largest eigenvalue, by powers of the matrix; it is then taken out, so that the next call
 * finds the next one. */
static double take_largest(moments *m) {
    const int32_t n = m->n;
    double *x = room((uint64_t)n, sizeof *x);
    double *y = room((uint64_t)n, sizeof *y);
    for (int32_t j = 0; j < n; j++) {
        x[j] = 1.0 + 0.01 * (double)(j * j % 7);
    }
    double value = 0.0;
    for (int32_t round = 0; round < 20000; round++) {
        for (int32_t a = 0; a < n; a++) {
            y[a] = dot(m->covariance + (int64_t)a * n, x, n);
        }
        const double before = value;
        value = sqrt(dot(y, y, n) / dot(x, x, n));
        if (round > 100 && fabs(value - before) <= 1e-14 * value) {
            break;
        }
        const double scale = sqrt(dot(y, y, n));
        for (int32_t a = 0; a < n && scale > 0.0; a++) {
            x[a] = y[a] / scale;
        }
    }
    for (int32_t a = 0; a < n; a++) {
        for (int32_t b = 0; b < n; b++) {
            m->covariance[(int64_t)a * n + b] -= value * x[a] * x[b];
        }
    }
    free(y);
    free(x);
    return value;
}

static void compare_axes(const sonde_embedding *rows, const sonde_pca *pca, const moments *m) {
    const int32_t n = m->n;
    assert_int_equal(pca->n_column, n);
    for (int32_t j = 0; j < n; j++) {
        assert_near(pca->mean[j], m->mean[j], 1e-12 * (1.0 + fabs(m->mean[j])));
    }
    /* unit length, at right angles */
    assert_near(dot(pca->axis, pca->axis, n), 1.0, 1e-12);
    assert_near(dot(pca->axis + n, pca->axis + n, n), 1.0, 1e-12);
    assert_near(dot(pca->axis, pca->axis + n, n), 0.0, 1e-12);
    /* policies vary along each as its share says, around 0, and independently */
    double sum[2] = {0.0};
    double square[3] = {0.0};
    for (int32_t i = 0; i < rows->n_policy; i++) {
        double xy[2];
        sonde_pca_project(pca, row_at(rows, i), xy);
        sum[0] += xy[0];
        sum[1] += xy[1];
        square[0] += xy[0] * xy[0];
        square[1] += xy[1] * xy[1];
        square[2] += xy[0] * xy[1];
    }
    const double scale = (double)rows->n_policy * m->trace;
    for (int32_t a = 0; a < 2; a++) {
        assert_near(sum[a], 0.0, 1e-9 * scale);
        assert_near(square[a], pca->share[a] * scale, 1e-10 * scale);
    }
    assert_near(square[2], 0.0, 1e-10 * scale);
}

static void axes_are_the_two_directions_of_most_variance(void **state) {
    (void)state;
    for (int32_t kind = 0; kind < n_embedding(); kind++) {
        for (int32_t size = 3; size <= 4; size++) {
            space s = space_random(size, 8, SONDE_DIRECTED);
            embedded e = embed_as(&s, sonde_embedding_name(kind), SONDE_EVERYWHERE);
            moments m = moments_of(e.rows);
            sonde_pca *pca = NULL;
            assert_int_equal(sonde_pca_fit(e.rows, &pca, NULL), SONDE_OK);
            compare_axes(e.rows, pca, &m);
            const double first = take_largest(&m);
            const double second = take_largest(&m);
            assert_near(pca->share[0], first / m.trace, 1e-6);
            assert_near(pca->share[1], second / m.trace, 1e-6);
            assert_true(pca->share[0] >= pca->share[1]);
            sonde_pca_free(pca);
            moments_free(&m);
            embedded_free(&e);
            space_free(&s);
        }
    }
}

static void an_axis_points_where_its_largest_coefficient_is_positive(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        space s = space_random(4, seed, SONDE_SYMMETRIC);
        embedded e = embed_as(&s, "boe", s.graph->start);
        sonde_pca *pca = NULL;
        assert_int_equal(sonde_pca_fit(e.rows, &pca, NULL), SONDE_OK);
        for (int32_t a = 0; a < 2; a++) {
            double least = 0.0;
            double most = 0.0;
            for (int32_t j = 0; j < pca->n_column; j++) {
                const double x = pca->axis[a * pca->n_column + j];
                least = x < least ? x : least;
                most = x > most ? x : most;
            }
            assert_true(most >= -least * (1.0 - 1e-8));
        }
        sonde_pca_free(pca);
        embedded_free(&e);
        space_free(&s);
    }
}

/* a row that many policies share pulls the mean to it */
static void a_row_counts_as_often_as_there_are_policies_with_it(void **state) {
    (void)state;
    const double row[] = {0.0, 0.0, 4.0, 0.0};
    const int32_t row_of[] = {0, 1, 1, 1};
    const int32_t weight[] = {1, 3};
    const int32_t first[] = {0, 1};
    const sonde_embedding rows = {.n_policy = 4,
                                  .n_row = 2,
                                  .n_column = 2,
                                  .n_column_nominal = 2.0,
                                  .n_code = 2,
                                  .code = row,
                                  .row_of = row_of,
                                  .weight = weight,
                                  .first = first};
    sonde_pca *pca = NULL;
    double xy[2];
    assert_int_equal(sonde_pca_fit(&rows, &pca, NULL), SONDE_OK);
    assert_near(pca->mean[0], 3.0, 1e-15);
    assert_near(pca->share[0], 1.0, 1e-15);
    assert_near(pca->share[1], 0.0, 1e-15);
    sonde_pca_project(pca, row, xy);
    assert_near(xy[0], -3.0, 1e-15);
    assert_near(xy[1], 0.0, 1e-15);
    sonde_pca_free(pca);
}

static void where_nothing_varies_every_policy_lies_on_the_origin(void **state) {
    (void)state;
    for (int32_t kind = 0; kind < n_embedding(); kind++) {
        space s = space_random(1, 1, SONDE_SYMMETRIC);
        embedded e = embed_as(&s, sonde_embedding_name(kind), SONDE_EVERYWHERE);
        sonde_pca *pca = NULL;
        double xy[2] = {1.0, 1.0};
        assert_int_equal(e.rows->n_row, 1);
        assert_int_equal(sonde_pca_fit(e.rows, &pca, NULL), SONDE_OK);
        sonde_pca_point(pca, e.rows, 0, xy);
        for (int32_t a = 0; a < 2; a++) {
            assert_near(xy[a], 0.0, 0.0);
            assert_near(pca->share[a], 0.0, 0.0);
        }
        sonde_pca_free(pca);
        embedded_free(&e);
        space_free(&s);
    }
}

/* Rows of the user's own, and their plane. */
static sonde_pca *plane_of(int32_t n_row, int32_t n_column, const double *row,
                           sonde_embedding **embedding) {
    sonde_pca *pca = NULL;
    assert_int_equal(sonde_embedding_from_rows(n_row, n_column, row, NULL, embedding, NULL),
                     SONDE_OK);
    assert_int_equal(sonde_pca_fit(*embedding, &pca, NULL), SONDE_OK);
    return pca;
}

/* Whether the first three variances are far enough apart for the axes to be the same in any two
 * ways. */
static bool is_certain(const sonde_pca *pca, double third) {
    return pca->share[0] > 1.01 * pca->share[1] && pca->share[1] > 1.01 * third;
}

/* Few columns, and the same among many that are 0: the two ways to find the plane agree. */
static void compare_ways(int32_t n_row, int32_t n_column, const double *row) {
    enum { N_WIDE = 700 };
    double *wide = room((uint64_t)n_row * N_WIDE, sizeof *wide);
    for (int32_t r = 0; r < n_row; r++) {
        for (int32_t j = 0; j < n_column; j++) {
            wide[r * N_WIDE + 2 * j + 1] = row[(int64_t)r * n_column + j];
        }
    }
    sonde_embedding *embedding[2] = {0};
    sonde_pca *full = plane_of(n_row, n_column, row, &embedding[0]);
    sonde_pca *leading = plane_of(n_row, N_WIDE, wide, &embedding[1]);
    moments m = moments_of(embedding[0]);
    (void)take_largest(&m);
    (void)take_largest(&m);
    const double trace = m.trace;
    const double third = take_largest(&m) / trace;
    for (int32_t a = 0; a < 2; a++) {
        assert_near(leading->share[a], full->share[a], 1e-12);
        for (int32_t j = 0; j < n_column; j++) {
            const double found = leading->axis[a * N_WIDE + 2 * j + 1];
            assert_near(leading->mean[2 * j + 1], full->mean[j], 1e-12);
            if (is_certain(full, third)) {
                assert_near(found, full->axis[a * n_column + j], 1e-9);
            }
        }
    }
    moments_free(&m);
    sonde_pca_free(leading);
    sonde_pca_free(full);
    sonde_embedding_free(embedding[1]);
    sonde_embedding_free(embedding[0]);
    free(wide);
}

static void many_columns_give_the_same_plane_as_few(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        const int32_t n_row = 2 + 30 * (int32_t)seed;
        const int32_t n_column = 5 + 15 * (int32_t)seed;
        double *row = room((uint64_t)n_row * (uint64_t)n_column, sizeof *row);
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_START, 0);
        for (int32_t i = 0; i < n_row * n_column; i++) {
            /* columns vary less and less, some numbers are 0, and the mean is not */
            const double scale = 5.0 / (1.0 + (double)(i % n_column));
            row[i] =
                sonde__rng_below(&rng, 3) == 0 ? 0.0 : scale * (sonde__rng_uniform(&rng) + 0.5);
        }
        compare_ways(n_row, n_column, row);
        free(row);
    }
}

/* The plane of sequences, and that of the sequences that occur. */
static void ngram_has_the_plane_of_its_columns_that_are_not_0(void **state) {
    (void)state;
    space s = space_random(4, 8, SONDE_DIRECTED);
    embedded e = embed_as(&s, "ngram", s.graph->start);
    const int32_t n_row = e.rows->n_row;
    assert_true(e.rows->n_column > 256);
    int32_t n_used = 0;
    double *row = room((uint64_t)n_row * (uint64_t)e.rows->n_column, sizeof *row);
    for (int32_t j = 0; j < e.rows->n_column; j++) {
        double sum = 0.0;
        for (int32_t r = 0; r < n_row; r++) {
            sum += sonde__embedding_at(e.rows, r, j);
        }
        n_used += sum > 0.0;
    }
    assert_true(n_used > 10 && n_used <= 256);
    int32_t column = 0;
    for (int32_t j = 0; j < e.rows->n_column; j++) {
        double sum = 0.0;
        for (int32_t r = 0; r < n_row; r++) {
            row[(int64_t)r * n_used + column] = sonde__embedding_at(e.rows, r, j);
            sum += sonde__embedding_at(e.rows, r, j);
        }
        column += sum > 0.0 && column + 1 < n_used;
    }
    compare_ways(n_row, n_used, row);
    sonde_pca *pca = NULL;
    assert_int_equal(sonde_pca_fit(e.rows, &pca, NULL), SONDE_OK);
    const sonde_pca *found = pca;
    double square[2] = {0.0};
    double total = 0.0;
    for (int32_t i = 0; i < e.rows->n_policy; i++) {
        double xy[2];
        const double *here = row_at(e.rows, i);
        sonde_pca_project(found, here, xy);
        square[0] += xy[0] * xy[0];
        square[1] += xy[1] * xy[1];
        total += squared(here, found->mean, found->n_column);
    }
    assert_near(square[0] / total, found->share[0], 1e-12);
    assert_near(square[1] / total, found->share[1], 1e-12);
    sonde_pca_free(pca);
    free(row);
    embedded_free(&e);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_are_the_two_directions_of_most_variance),
        cmocka_unit_test(an_axis_points_where_its_largest_coefficient_is_positive),
        cmocka_unit_test(a_row_counts_as_often_as_there_are_policies_with_it),
        cmocka_unit_test(many_columns_give_the_same_plane_as_few),
        cmocka_unit_test(ngram_has_the_plane_of_its_columns_that_are_not_0),
        cmocka_unit_test(where_nothing_varies_every_policy_lies_on_the_origin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
