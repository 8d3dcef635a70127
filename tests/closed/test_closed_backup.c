/* The range of values that G between bounds can make, against points of the box. */
#include "base/rng.h"
#include "closed/closed_internal.h"
#include "files.h"

enum { ACTIONS_MOST = 6, POINTS = 6000, BOXES = 10000 };

/* A box, some of whose widths are up to 1e4 / gamma. */
typedef struct {
    int32_t n;
    double gamma;
    double prior[ACTIONS_MOST];
    double lower[ACTIONS_MOST];
    double upper[ACTIONS_MOST];
} sample_box;

static sample_box draw_box(sonde__rng *rng) {
    static const double width[] = {0.01, 1.0, 30.0, 1e3, 1e4};
    sample_box b = {.n = 1 + (int32_t)sonde__rng_below(rng, ACTIONS_MOST),
                    .gamma = sonde__rng_below(rng, 2) ? 1.0 : 16.0};
    const double most = width[sonde__rng_below(rng, 5)] / b.gamma;
    double sum = 0.0;
    for (int32_t u = 0; u < b.n; u++) {
        b.prior[u] = u > 0 && sonde__rng_below(rng, 5) == 0 ? 0.0 : 0.05 + sonde__rng_uniform(rng);
        b.lower[u] = 2.0 * most * (sonde__rng_uniform(rng) - 0.5);
        b.upper[u] = b.lower[u] + most * sonde__rng_uniform(rng);
        sum += b.prior[u];
    }
    for (int32_t u = 0; u < b.n; u++) {
        b.prior[u] /= sum;
    }
    return b;
}

/* What a backup makes of G, in extended precision. */
static long double value_of(const sample_box *b, int32_t kind, const double *G) {
    long double least = INFINITY;
    long double mass = 0.0L;
    long double sum = 0.0L;
    for (int32_t u = 0; u < b->n; u++) {
        least = b->prior[u] > 0.0 && (long double)G[u] < least ? (long double)G[u] : least;
    }
    for (int32_t u = 0; kind != SONDE_BACKUP_MIN && u < b->n; u++) {
        const long double more = (long double)G[u] - least;
        const long double w = b->prior[u] > 0.0
                                  ? (long double)b->prior[u] * expl(-(long double)b->gamma * more)
                                  : 0.0L;
        mass += w;
        sum += w > 0.0L ? w * more : 0.0L;
    }
    return kind == SONDE_BACKUP_MIN       ? least
           : kind == SONDE_BACKUP_AVERAGE ? least + sum / mass
                                          : least - logl(mass) / (long double)b->gamma;
}

/* The same in double precision, which is enough to look for the largest. */
static double quick_value(const sample_box *b, int32_t kind, const double *G) {
    double least = (double)INFINITY;
    double mass = 0.0;
    double sum = 0.0;
    for (int32_t u = 0; u < b->n; u++) {
        least = b->prior[u] > 0.0 && G[u] < least ? G[u] : least;
    }
    for (int32_t u = 0; kind != SONDE_BACKUP_MIN && u < b->n; u++) {
        const double w = b->prior[u] > 0.0 ? b->prior[u] * exp(-b->gamma * (G[u] - least)) : 0.0;
        mass += w;
        sum += w > 0.0 ? w * (G[u] - least) : 0.0;
    }
    return kind == SONDE_BACKUP_MIN       ? least
           : kind == SONDE_BACKUP_AVERAGE ? least + sum / mass
                                          : least - log(mass) / b->gamma;
}

/* The i-th point of a box: its vertices; a grid of all coordinates that count, as fine as it can
 * be; then sweeps along one of them from a vertex, or from anywhere. */
static void take_point(const sample_box *b, int32_t n_level, sonde__rng *rng, int32_t i,
                       double *G) {
    const int32_t n_vertex = 1 << b->n;
    int32_t rest = i - n_vertex;
    const bool grid = i >= n_vertex && i < POINTS / 2;
    const int32_t sweep = i % b->n;
    const bool corner = !grid && sonde__rng_below(rng, 2) == 0;
    for (int32_t u = 0; u < b->n; u++) {
        double at;
        if (i < n_vertex) {
            at = (double)(i >> u & 1);
        } else if (grid) {
            at = (double)(rest % n_level) / (double)(n_level - 1);
            rest /= n_level;
        } else if (u == sweep) {
            at = (double)i / (double)POINTS;
        } else {
            at = corner || sonde__rng_below(rng, 3) == 0 ? (double)sonde__rng_below(rng, 2)
                                                         : sonde__rng_uniform(rng);
        }
        const double x = b->lower[u] + at * (b->upper[u] - b->lower[u]);
        G[u] = x > b->upper[u] ? b->upper[u] : x;
    }
}

/* Levels of each coordinate, so that a grid of all of them has no more points than there are. */
static int32_t count_levels(int32_t n) {
    int32_t n_level = 2;
    while (pow(n_level + 1, n) <= POINTS / 2 - (1 << n)) {
        n_level++;
    }
    return n_level;
}

/* Moves a point to where the value is largest (or with sign -1 smallest), one coordinate after the
 * other on a fine grid, and near where the average turns. */
static void climb(const sample_box *b, int32_t kind, double sign, double *G) {
    double best = quick_value(b, kind, G);
    for (int32_t round = 0; round < 3; round++) {
        for (int32_t u = 0; u < b->n; u++) {
            double to = G[u];
            for (int32_t k = -20; k <= 20; k++) {
                const double near = best + (1.0 + 0.04 * k) / b->gamma;
                const double across = b->lower[u] + (k + 20) / 40.0 * (b->upper[u] - b->lower[u]);
                for (int32_t which = 0; which < 2; which++) {
                    const double x = which == 0 ? near : across;
                    G[u] = x < b->lower[u] ? b->lower[u] : x > b->upper[u] ? b->upper[u] : x;
                    const double value = quick_value(b, kind, G);
                    if (sign * (value - best) > 0.0) {
                        best = value;
                        to = G[u];
                    }
                }
            }
            G[u] = to;
        }
    }
}

/* The points of a box with the least and the largest value. */
static void sample(const sample_box *b, int32_t kind, sonde__rng *rng, double *low, double *high) {
    const int32_t n_level = count_levels(b->n);
    double least = (double)INFINITY;
    double most = -(double)INFINITY;
    for (int32_t i = 0; i < POINTS; i++) {
        double G[ACTIONS_MOST] = {0.0};
        take_point(b, n_level, rng, i, G);
        const double value = quick_value(b, kind, G);
        if (value < least) {
            least = value;
            memcpy(low, G, sizeof G);
        }
        if (value > most) {
            most = value;
            memcpy(high, G, sizeof G);
        }
    }
}

static void no_value_lies_outside_and_the_ends_are_attained(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(3, SONDE__FOR_GRAPH, 0);
    int32_t n_outside = 0;
    int32_t n_loose = 0; /* ranges whose ends nothing comes near */
    for (int32_t n = 0; n < BOXES; n++) {
        const sample_box b = draw_box(&rng);
        const sonde_backup_box box = {b.n, b.prior, b.lower, b.upper};
        const int32_t kind = n % 3;
        const long double slack = 2e-3L / (long double)b.gamma;
        double range[2];
        double low[ACTIONS_MOST];
        double high[ACTIONS_MOST];
        assert_int_equal(sonde_backup_range((sonde_backup)kind, b.gamma, &box, range, NULL),
                         SONDE_OK);
        sample(&b, kind, &rng, low, high);
        climb(&b, kind, -1.0, low);
        climb(&b, kind, 1.0, high);
        const long double least = value_of(&b, kind, low);
        const long double most = value_of(&b, kind, high);
        n_outside += least < (long double)range[0] || most > (long double)range[1];
        n_loose += least > (long double)range[0] + slack || most < (long double)range[1] - slack;
    }
    print_message("%d boxes, %d of them with values outside\n", BOXES, n_outside);
    assert_int_equal(n_loose, 0);
    assert_int_equal(n_outside, 0);
}

static void a_box_whose_exponents_would_vanish_has_its_range(void **state) {
    (void)state;
    const double prior[] = {0.5, 0.5};
    const double lower[] = {0.0, 40.0};
    const double upper[] = {50.0, 90.0};
    const sonde_backup_box box = {2, prior, lower, upper};
    double range[2];
    assert_int_equal(sonde_backup_range(SONDE_BACKUP_AVERAGE, 16.0, &box, range, NULL), SONDE_OK);
    assert_true(fabs(range[1] - 50.0174) < 1e-4);
    assert_true(fabs(range[0]) < 1e-9);
}

/* Three thirds are not quite 1, and the logarithm of what is missing is divided by gamma. */
static void a_small_gamma_makes_much_of_the_last_digit_and_so_does_the_range(void **state) {
    const double third = 1.0 / 3.0;
    const double prior[] = {third, third, third};
    const double nothing[] = {0.0, 0.0, 0.0};
    const sonde_backup_box box = {3, prior, nothing, nothing};
    double range[2];
    (void)state;
    for (double gamma = 1.0; gamma > 1e-9; gamma *= 0.1) {
        const long double value = -logl((long double)third + third + third) / (long double)gamma;
        assert_int_equal(sonde_backup_range(SONDE_BACKUP_FREE_ENERGY, gamma, &box, range, NULL),
                         SONDE_OK);
        assert_true((long double)range[0] <= value && value <= (long double)range[1]);
    }
}

static void what_is_no_box_gets_a_sentence(void **state) {
    (void)state;
    const double prior[] = {0.0, 0.0};
    const double bound[] = {1.0, 0.0};
    const sonde_backup_box none = {2, prior, bound, bound};
    const sonde_backup_box crossed = {1, (const double[]){1.0}, bound, bound + 1};
    double range[2];
    sonde_error error = {0};
    assert_int_equal(sonde_backup_range(SONDE_BACKUP_MIN, 1.0, &none, range, &error),
                     SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "one of them positive"));
    assert_int_equal(sonde_backup_range(SONDE_BACKUP_MIN, 1.0, &crossed, range, &error),
                     SONDE_BAD_ARGUMENT);
    assert_int_equal(sonde_backup_range((sonde_backup)9, 1.0, &crossed, range, &error),
                     SONDE_BAD_ARGUMENT);
}

static void a_box_may_be_as_large_as_numbers_may_be_and_have_its_mass_at_the_end(void **state) {
    (void)state;
    const double prior[] = {0.0, 1.0};
    const double lower[] = {0.0, -1e100};
    const double upper[] = {0.0, 1e100};
    const double beyond[] = {0.0, 1.1e100};
    const sonde_backup_box box = {2, prior, lower, upper};
    const sonde_backup_box point = {2, prior, upper, upper};
    const sonde_backup_box outside = {2, prior, lower, beyond};
    double range[2];
    assert_int_equal(sonde_backup_range(SONDE_BACKUP_MIN, 1.0, &box, range, NULL), SONDE_OK);
    assert_true(range[0] <= -1e100 && range[0] > -1.01e100);
    assert_true(range[1] >= 1e100 && range[1] < 1.01e100);
    assert_int_equal(sonde_backup_range(SONDE_BACKUP_MIN, 1.0, &point, range, NULL), SONDE_OK);
    assert_int_equal(sonde_backup_range(SONDE_BACKUP_MIN, 1.0, &outside, range, NULL),
                     SONDE_BAD_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_value_lies_outside_and_the_ends_are_attained),
        cmocka_unit_test(a_box_whose_exponents_would_vanish_has_its_range),
        cmocka_unit_test(a_small_gamma_makes_much_of_the_last_digit_and_so_does_the_range),
        cmocka_unit_test(what_is_no_box_gets_a_sentence),
        cmocka_unit_test(a_box_may_be_as_large_as_numbers_may_be_and_have_its_mass_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
