/* The range of values that G between bounds can make, against points of the box. */
#include "base/rng.h"
#include "closed/closed_internal.h"
#include "files.h"

enum { ACTIONS_MOST = 6, POINTS = 2400 };

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

/* Points of a box: its vertices, then sweeps along one coordinate from a vertex or from anywhere,
 * then any. */
static void draw_point(const sample_box *b, sonde__rng *rng, int32_t i, double *G) {
    const int32_t n_vertex = 1 << b->n;
    const int32_t sweep = i >= n_vertex && i < POINTS / 2 ? i % b->n : -1;
    const bool corner = sonde__rng_below(rng, 2) == 0;
    for (int32_t u = 0; u < b->n; u++) {
        const double at = i < n_vertex ? (double)(i >> u & 1)
                          : u == sweep ? (double)i / (POINTS / 2)
                          : corner || sonde__rng_below(rng, 3) == 0
                              ? (double)sonde__rng_below(rng, 2)
                              : sonde__rng_uniform(rng);
        const double x = b->lower[u] + at * (b->upper[u] - b->lower[u]);
        G[u] = x > b->upper[u] ? b->upper[u] : x;
    }
}

/* The largest (or with sign -1 smallest) value, one coordinate after the other on a fine grid. */
static long double climb(const sample_box *b, int32_t kind, double sign, double *G) {
    long double best = value_of(b, kind, G);
    for (int32_t round = 0; round < 4; round++) {
        for (int32_t u = 0; u < b->n; u++) {
            const double before = G[u];
            double to = before;
            for (int32_t k = -40; k <= 40; k++) {
                const double near = (double)best + (1.0 + 0.02 * k) / b->gamma;
                const double across = b->lower[u] + (k + 40) / 80.0 * (b->upper[u] - b->lower[u]);
                for (int32_t which = 0; which < 2; which++) {
                    const double x = which == 0 ? near : across;
                    G[u] = x < b->lower[u] ? b->lower[u] : x > b->upper[u] ? b->upper[u] : x;
                    const long double value = value_of(b, kind, G);
                    if ((long double)sign * (value - best) > 0.0L) {
                        best = value;
                        to = G[u];
                    }
                }
            }
            G[u] = to;
        }
    }
    return best;
}

static void no_value_lies_outside_and_the_ends_are_attained(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(3, SONDE__FOR_GRAPH, 0);
    int32_t n_outside = 0;
    int32_t n_loose = 0; /* ranges whose ends nothing comes near */
    for (int32_t n = 0; n < 10000; n++) {
        const sample_box b = draw_box(&rng);
        const sonde_backup_box box = {b.n, b.prior, b.lower, b.upper};
        const int32_t kind = n % 3;
        double range[2];
        double low[ACTIONS_MOST];
        double high[ACTIONS_MOST];
        long double least = INFINITY;
        long double most = -INFINITY;
        assert_int_equal(sonde_backup_range((sonde_backup)kind, b.gamma, &box, range, NULL),
                         SONDE_OK);
        for (int32_t i = 0; i < (b.n <= 4 ? POINTS : POINTS / 8); i++) {
            double G[ACTIONS_MOST];
            draw_point(&b, &rng, i, G);
            const long double value = value_of(&b, kind, G);
            if (value < least) {
                least = value;
                memcpy(low, G, sizeof low);
            }
            if (value > most) {
                most = value;
                memcpy(high, G, sizeof high);
            }
        }
        const bool outside = least < (long double)range[0] || most > (long double)range[1];
        n_outside += outside;
        if (n % 100 == 0 && !outside) { /* climbing takes long */
            const long double slack = 2e-3L / (long double)b.gamma;
            least = climb(&b, kind, -1.0, low);
            most = climb(&b, kind, 1.0, high);
            n_outside += least < (long double)range[0] || most > (long double)range[1];
            n_loose +=
                least > (long double)range[0] + slack || most < (long double)range[1] - slack;
        }
    }
    print_message("%d boxes, %d of them with values outside\n", 10000, n_outside);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_value_lies_outside_and_the_ends_are_attained),
        cmocka_unit_test(a_box_whose_exponents_would_vanish_has_its_range),
        cmocka_unit_test(what_is_no_box_gets_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
