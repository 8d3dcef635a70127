/* One run of k-means on distinct rows, against the textbook's on all policies. */
#include "cluster/gathered.h"
#include "base/rng.h"
#include "embed/twins.h"

/* ------------------------------------------------------------------------------ the textbook -- */

/* Points one by one, and what became of them. */
typedef struct {
    int32_t n;
    int32_t m;
    int32_t k;
    const double *x; /* (n, m) */
    double *center;  /* (k, m) */
    int32_t *label;  /* (n) */
    int32_t n_round;
    double inertia;
    bool emptied; /* a cluster lost its last point, about which textbooks differ */
} textbook;

/* The nearest centre; within 1e-9 relative it is a tie, and the lowest wins. */
static int32_t nearest(const textbook *b, const double *point, double *least) {
    *least = squared(point, b->center, b->m);
    for (int32_t c = 1; c < b->k; c++) {
        const double d = squared(point, b->center + (int64_t)c * b->m, b->m);
        *least = d < *least ? d : *least;
    }
    for (int32_t c = 0;; c++) {
        const double d = squared(point, b->center + (int64_t)c * b->m, b->m);
        if (d <= *least * (1.0 + 1e-9)) {
            *least = d;
            return c;
        }
    }
}

static void assign(textbook *b) {
    b->inertia = 0.0;
    for (int32_t i = 0; i < b->n; i++) {
        double least = 0.0;
        b->label[i] = nearest(b, b->x + (int64_t)i * b->m, &least);
        b->inertia += least;
    }
}

/* Moves centre c to the mean of its points; returns the squared shift. */
static double move(textbook *b, int32_t c) {
    double *center = b->center + (int64_t)c * b->m;
    int32_t n = 0;
    for (int32_t i = 0; i < b->n; i++) {
        n += b->label[i] == c;
    }
    b->emptied = b->emptied || n == 0;
    double shift = 0.0;
    for (int32_t j = 0; j < b->m && n > 0; j++) {
        double sum = 0.0;
        for (int32_t i = 0; i < b->n; i++) {
            sum += b->label[i] == c ? b->x[(int64_t)i * b->m + j] : 0.0;
        }
        shift += (sum / n - center[j]) * (sum / n - center[j]);
        center[j] = sum / n;
    }
    return shift;
}

/* Mean over the columns of their variance. */
static double mean_variance(const double *x, int32_t n, int32_t m) {
    double total = 0.0;
    for (int32_t j = 0; j < m; j++) {
        double mean = 0.0;
        for (int32_t i = 0; i < n; i++) {
            mean += x[(int64_t)i * m + j] / n;
        }
        for (int32_t i = 0; i < n; i++) {
            total += (x[(int64_t)i * m + j] - mean) * (x[(int64_t)i * m + j] - mean) / n;
        }
    }
    return total / m;
}

static void lloyd(textbook *b, double tolerance) {
    const double limit = tolerance * mean_variance(b->x, b->n, b->m);
    double shift = INFINITY;
    for (b->n_round = 0; b->n_round < 300 && shift > limit; b->n_round++) {
        assign(b);
        shift = 0.0;
        for (int32_t c = 0; c < b->k; c++) {
            shift += move(b, c);
        }
    }
    assign(b);
}

/* -------------------------------------------------------------------------- side by side -- */

/* Starting centres without ties: mixtures of four policies each, in shares drawn at random. */
enum { N_MIXED = 4 };
typedef struct {
    int32_t policy[N_MIXED];
    double share[N_MIXED];
} mixture;

static mixture mix(sonde__rng *rng, int32_t n_policy) {
    mixture m;
    double sum = 0.0;
    for (int32_t i = 0; i < N_MIXED; i++) {
        m.policy[i] = (int32_t)sonde__rng_below(rng, (uint64_t)n_policy);
        m.share[i] = 0.05 + sonde__rng_uniform(rng);
        sum += m.share[i];
    }
    for (int32_t i = 0; i < N_MIXED; i++) {
        m.share[i] /= sum;
    }
    return m;
}

/* The mixture of some of the rows x, of n columns. */
static void mix_rows(const mixture *m, const double *x, int32_t n, double *center) {
    for (int32_t j = 0; j < n; j++) {
        center[j] = 0.0;
        for (int32_t i = 0; i < N_MIXED; i++) {
            center[j] += m->share[i] * x[(int64_t)m->policy[i] * n + j];
        }
    }
}

/* All rows of an embedding, one for each policy. */
static double *spread_rows(const sonde_embedding *rows) {
    const size_t bytes = (size_t)rows->n_column * sizeof(double);
    double *x = room((uint64_t)rows->n_policy, bytes);
    for (int32_t i = 0; i < rows->n_policy; i++) {
        memcpy(x + (int64_t)i * rows->n_column, row_at(rows, i), bytes);
    }
    return x;
}

/* Their codes. */
static double *spread_codes(const sonde_embedding *rows) {
    double *x = room((uint64_t)rows->n_policy * (uint64_t)rows->n_code, sizeof *x);
    for (int32_t i = 0; i < rows->n_policy; i++) {
        sonde__embedding_code(rows, rows->row_of[i], x + (int64_t)i * rows->n_code);
    }
    return x;
}

/* Runs both from the same mixtures: the textbook on x (n_policy, m), ours on the rows. Returns
 * whether they could be compared. */
static bool compare(const sonde_embedding *rows, const double *x, int32_t m, int32_t k,
                    uint64_t seed) {
    double *mine = room((uint64_t)k * (uint64_t)rows->n_code, sizeof *mine);
    double *spread = spread_codes(rows);
    textbook b = {.n = rows->n_policy, .m = m, .k = k, .x = x};
    b.center = room((uint64_t)k * (uint64_t)m, sizeof(double));
    b.label = room((uint64_t)b.n, sizeof(int32_t));
    sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_CLUSTER, 0);
    for (int32_t c = 0; c < k; c++) {
        const mixture mixed = mix(&rng, b.n);
        mix_rows(&mixed, x, m, b.center + (int64_t)c * m);
        mix_rows(&mixed, spread, rows->n_code, mine + (int64_t)c * rows->n_code);
    }
    lloyd(&b, 1e-4);
    if (!b.emptied) {
        trial t = run_from(rows, k, mine, shift_of(rows, 1e-4), 300);
        assert_int_equal(t.kmeans.best.n_round, b.n_round);
        assert_near(t.kmeans.best.inertia, b.inertia, 1e-9 * b.inertia);
        for (int32_t i = 0; i < b.n; i++) {
            assert_int_equal(t.label[rows->row_of[i]], b.label[i]);
        }
        trial_free(&t);
    }
    free(b.label);
    free(b.center);
    free(spread);
    free(mine);
    return !b.emptied;
}

static void kmeans_on_distinct_rows_is_the_textbooks_on_all_policies(void **state) {
    (void)state;
    int32_t n_compared = 0;
    for (uint64_t seed = 0; seed < 8; seed++) {
        space s = space_random(3 + (int32_t)(seed % 2), seed, (sonde_connect)(seed / 2 % 2));
        for (int32_t kind = 0; kind < n_embedding(); kind++) {
            const int32_t origin = seed % 3 == 0 ? s.graph->start : SONDE_EVERYWHERE;
            embedded e = embed_as(&s, sonde_embedding_name(kind), origin);
            double *x = spread_rows(e.rows);
            for (int32_t k = 2; k < 20 && k < e.rows->n_row; k += 3) {
                /* the textbook's tolerance is about the columns there are */
                sonde_embedding plain = *e.rows;
                plain.n_column_nominal = (double)plain.n_column;
                n_compared += compare(&plain, x, plain.n_column, k, seed);
            }
            free(x);
            embedded_free(&e);
        }
        space_free(&s);
    }
    assert_true(n_compared > 60);
}

static void kmeans_on_edm_is_the_textbooks_on_the_plain_matrix(void **state) {
    (void)state;
    int32_t n_compared = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        space s = space_random(3 + (int32_t)(seed % 2), seed, (sonde_connect)(seed / 2 % 2));
        int32_t n = 0;
        double *matrix = s.policies->n_policy < 1500 ? plain_matrix(&s, &n) : NULL;
        const int32_t origins[] = {SONDE_EVERYWHERE, s.graph->start, 0};
        for (int32_t i = 0; i < 3 && matrix != NULL; i++) {
            embedded e = embed_as(&s, "edm", origins[i]);
            const int64_t begin = i == 0 ? 0 : (int64_t)s.policies->offset[origins[i]];
            for (int32_t k = 2; k < 8 && k < e.rows->n_row; k += 2) {
                n_compared += compare(e.rows, matrix + begin * n, n, k, seed);
            }
            embedded_free(&e);
        }
        free(matrix);
        space_free(&s);
    }
    assert_true(n_compared > 40);
}

/* points that are not looked at are those that need not be */
static void kmeans_on_dense_rows_is_the_textbooks(void **state) {
    (void)state;
    enum { N = 1500, M = 6 };
    double *x = room(N * M, sizeof *x);
    int32_t n_compared = 0;
    for (uint64_t seed = 0; seed < 6; seed++) {
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_CLUSTER, 7);
        for (int32_t i = 0; i < N * M; i++) {
            /* far from the origin, or in a few heaps */
            x[i] = sonde__rng_uniform(&rng) + (seed % 2 == 0 ? 40.0 : 3.0 * (double)(i / M % 5));
        }
        sonde_embedding *embedding = NULL;
        assert_int_equal(sonde_embedding_from_rows(N, M, x, NULL, &embedding, NULL), SONDE_OK);
        for (int32_t k = 2; k < 40; k += 6) {
            n_compared += compare(embedding, x, M, k, seed);
        }
        sonde_embedding_free(embedding);
    }
    assert_true(n_compared > 20);
    free(x);
}

static void the_shift_is_about_the_columns_of_the_plain_matrix(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    int32_t n = 0;
    double *matrix = plain_matrix(&s, &n);
    const int32_t origins[] = {SONDE_EVERYWHERE, s.graph->start};
    for (int32_t i = 0; i < 2; i++) {
        embedded e = embed_as(&s, "edm", origins[i]);
        const int64_t begin = i == 0 ? 0 : (int64_t)s.policies->offset[origins[i]];
        const double wanted = 0.01 * mean_variance(matrix + begin * n, e.rows->n_policy, n);
        assert_near(shift_of(e.rows, 0.01), wanted, 1e-9 * wanted);
        embedded_free(&e);
    }
    free(matrix);
    space_free(&s);
}

/* -------------------------------------------------------------------------------- by hand -- */

/* Rows of one column, each with its weight. */
enum { N_LINE_MAX = 8 };
typedef struct {
    sonde_embedding rows;
    int32_t row_of[64];
    int32_t first[N_LINE_MAX];
    uint8_t small[N_LINE_MAX];
} line;

static void line_new(line *l, int32_t n_row, const double *row, const int32_t *weight) {
    int32_t n = 0;
    bool whole = true;
    *l = (line){0};
    for (int32_t r = 0; r < n_row; r++) {
        l->first[r] = n;
        whole = whole && row[r] >= 0.0 && row[r] <= 255.0;
        l->small[r] = whole ? (uint8_t)row[r] : 0;
        whole = whole && fabs((double)l->small[r] - row[r]) <= 0.0;
        for (int32_t i = 0; i < weight[r]; i++) {
            l->row_of[n++] = r;
        }
    }
    l->rows = (sonde_embedding){.n_policy = n,
                                .n_row = n_row,
                                .n_column = 1,
                                .n_column_nominal = 1.0,
                                .row_of = l->row_of,
                                .weight = weight,
                                .first = l->first,
                                .n_code = 1,
                                .small = whole ? l->small : NULL,
                                .code = whole ? NULL : row};
}

static void assert_labels(const trial *t, const sonde_embedding *rows, const int32_t *wanted) {
    for (int32_t r = 0; r < rows->n_row; r++) {
        assert_int_equal(t->label[r], wanted[r]);
    }
}

/* all are nearest to the first centre; the second takes the row farthest from it */
static void an_empty_cluster_takes_the_row_farthest_from_its_centre(void **state) {
    (void)state;
    const double row[] = {0.0, 1.0, 10.0, 11.0};
    const int32_t weight[] = {1, 1, 1, 1};
    const double start[] = {0.5, 1000.0};
    line l;
    line_new(&l, 4, row, weight);
    trial once = run_from(&l.rows, 2, start, 0.0, 1);
    assert_near(once.kmeans.best.center[0], 11.0 / 3.0, 1e-15);
    assert_near(once.kmeans.best.center[1], 11.0, 0.0);
    trial_free(&once);
    trial t = run_from(&l.rows, 2, start, 0.0, 300);
    assert_labels(&t, &l.rows, (const int32_t[]){0, 0, 1, 1});
    assert_near(t.kmeans.best.inertia, 1.0, 1e-15);
    trial_free(&t);
}

/* 0 weighs most and is near; 5 is farther */
static void farthest_means_distance_not_weight(void **state) {
    (void)state;
    const double row[] = {0.0, 2.0, 5.0};
    const int32_t weight[] = {50, 1, 1};
    const double start[] = {2.0, 1000.0};
    line l;
    line_new(&l, 3, row, weight);
    trial t = run_from(&l.rows, 2, start, 0.0, 1);
    assert_near(t.kmeans.best.center[0], 2.0 / 51.0, 1e-15);
    assert_near(t.kmeans.best.center[1], 5.0, 0.0);
    trial_free(&t);
}

static void of_two_rows_equally_far_an_empty_cluster_takes_the_lower(void **state) {
    (void)state;
    const double row[] = {1.0, 5.0, 3.0};
    const int32_t weight[] = {1, 1, 1};
    const double start[] = {3.0, 1000.0};
    line l;
    line_new(&l, 3, row, weight);
    trial t = run_from(&l.rows, 2, start, 0.0, 1);
    assert_near(t.kmeans.best.center[1], 1.0, 0.0);
    assert_near(t.kmeans.best.center[0], 4.0, 0.0);
    trial_free(&t);
}

static void two_empty_clusters_take_two_rows(void **state) {
    (void)state;
    const double row[] = {0.0, 1.0, 20.0, 30.0};
    const int32_t weight[] = {1, 2, 1, 3};
    const double start[] = {0.0, 1000.0, 2000.0};
    line l;
    line_new(&l, 4, row, weight);
    trial once = run_from(&l.rows, 3, start, 0.0, 1);
    assert_near(once.kmeans.best.center[1], 30.0, 0.0);
    assert_near(once.kmeans.best.center[2], 20.0, 0.0);
    assert_near(once.kmeans.best.center[0], 2.0 / 3.0, 1e-15);
    assert_labels(&once, &l.rows, (const int32_t[]){0, 0, 2, 1});
    trial_free(&once);
}

/* a round in which a cluster was refilled is never the last by its shift */
static void a_refill_is_followed_by_another_round(void **state) {
    (void)state;
    const double row[] = {0.0, 1.0, 10.0, 11.0};
    const int32_t weight[] = {1, 1, 1, 1};
    const double start[] = {0.5, 1000.0};
    line l;
    line_new(&l, 4, row, weight);
    trial t = run_from(&l.rows, 2, start, 1e9, 300);
    assert_int_equal(t.kmeans.best.n_round, 2);
    trial_free(&t);
}

/* 0 is as far from -2 as from 2 */
static void a_row_between_two_centres_belongs_to_the_lower_one(void **state) {
    (void)state;
    const double row[] = {-3.0, 0.0, 3.0};
    const int32_t weight[] = {1, 1, 1};
    const double tied[] = {-2.0, 2.0 - 5e-10};
    const double apart[] = {-2.0, 2.0 - 5e-9};
    line l;
    line_new(&l, 3, row, weight);
    trial t = run_from(&l.rows, 2, tied, 0.0, 1);
    assert_near(t.kmeans.best.center[0], -1.5, 0.0);
    assert_near(t.kmeans.best.center[1], 3.0, 0.0);
    trial_free(&t);
    t = run_from(&l.rows, 2, apart, 0.0, 1);
    assert_near(t.kmeans.best.center[0], -3.0, 0.0);
    assert_near(t.kmeans.best.center[1], 1.5, 0.0);
    trial_free(&t);
}

static void a_row_pulls_as_hard_as_it_weighs(void **state) {
    (void)state;
    const double row[] = {0.0, 4.0, 100.0};
    const int32_t weight[] = {1, 3, 5};
    const double start[] = {1.0, 90.0};
    line l;
    line_new(&l, 3, row, weight);
    trial t = run_from(&l.rows, 2, start, 0.0, 300);
    assert_near(t.kmeans.best.center[0], 3.0, 0.0);
    assert_near(t.kmeans.best.inertia, 9.0 + 3.0, 1e-15);
    trial_free(&t);
}

/* ------------------------------------------------------------------------------ properties -- */

static void kmeans_cost_never_rises(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        space s = space_random(4, seed, SONDE_DIRECTED);
        embedded e = embed_as(&s, sonde_embedding_name((int32_t)(seed % 6)), SONDE_EVERYWHERE);
        const int32_t k = 9;
        const int32_t n = e.rows->n_code;
        double *center = room((uint64_t)k * (uint64_t)n, sizeof *center);
        double *spread = spread_codes(e.rows);
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_CLUSTER, 1);
        for (int32_t c = 0; c < k; c++) {
            const mixture mixed = mix(&rng, e.rows->n_policy);
            mix_rows(&mixed, spread, n, center + (int64_t)c * n);
        }
        /* the last centre is far away, so that a refill is among the rounds */
        center[(int64_t)k * n - 1] = seed % 2 == 0 ? 1e6 : center[(int64_t)k * n - 1];
        double before = INFINITY;
        for (int32_t n_round = 1; n_round < 30; n_round++) {
            trial t = run_from(e.rows, k, center, 0.0, n_round);
            assert_true(t.kmeans.best.inertia <= before * (1.0 + 1e-12));
            assert_true(t.kmeans.best.n_round <= n_round);
            before = t.kmeans.best.inertia;
            trial_free(&t);
        }
        free(spread);
        free(center);
        embedded_free(&e);
        space_free(&s);
    }
}

/* a seed in each of three groups far apart, whatever the stream */
static void seeds_fall_into_all_groups_that_are_far_apart(void **state) {
    (void)state;
    const double row[] = {0.0, 0.5, 1.0, 1000.0, 1000.5, 2000.0, 2000.25};
    const int32_t weight[] = {4, 1, 3, 1, 2, 1, 1};
    line l;
    line_new(&l, 7, row, weight);
    for (uint64_t seed = 0; seed < 200; seed++) {
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_CLUSTER, 0);
        trial t = trial_new(&l.rows, 3);
        trial_run(&t, &rng, 0.0, 300);
        const int32_t *label = t.label;
        assert_true(label[0] == label[1] && label[1] == label[2]);
        assert_true(label[3] == label[4] && label[5] == label[6]);
        assert_true(label[0] != label[3] && label[3] != label[5] && label[5] != label[0]);
        trial_free(&t);
    }
}

/* The rows of the seeds, `n` of them. */
static void draw_seeds(const sonde_embedding *rows, uint64_t seed, int32_t n, int32_t *row) {
    trial t = trial_new(rows, n);
    sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_CLUSTER, 0);
    sonde__kmeans_begin(&t.kmeans, &t.run, 0.0, 1, 0);
    sonde__kmeans_seed(&t.kmeans, &t.g.points, 1, &rng, n);
    for (int32_t c = 0; c < n; c++) {
        row[c] = t.g.points.row[t.kmeans.restart[0].seed[c]];
    }
    trial_free(&t);
}

static void as_many_seeds_as_rows_are_all_rows(void **state) {
    (void)state;
    space s = space_random(3, 4, SONDE_SYMMETRIC);
    for (int32_t kind = 0; kind < n_embedding(); kind++) {
        embedded e = embed_as(&s, sonde_embedding_name(kind), s.graph->start);
        int32_t *row = room((uint64_t)e.rows->n_row, sizeof *row);
        int32_t *seen = room((uint64_t)e.rows->n_row, sizeof *seen);
        for (uint64_t seed = 0; seed < 20; seed++) {
            draw_seeds(e.rows, seed, e.rows->n_row, row);
            for (int32_t c = 0; c < e.rows->n_row; c++) {
                assert_int_equal(seen[row[c]]++, (int32_t)seed);
            }
        }
        free(seen);
        free(row);
        embedded_free(&e);
    }
    space_free(&s);
}

/* the first is any policy's row; k-means++ draws the second by weight times squared distance and
 * takes the better of two */
static void seeds_are_drawn_by_weight_and_distance(void **state) {
    (void)state;
    enum { N_DRAW = 20000 };
    const double row[] = {0.0, 1.0, 3.0};
    const int32_t weight[] = {2, 5, 1};
    /* first 0, 1, 2: shares of the others by weight times squared distance */
    const double share[3][3] = {{0.0, 5.0 / 14.0, 9.0 / 14.0},
                                {2.0 / 6.0, 0.0, 4.0 / 6.0},
                                {18.0 / 38.0, 20.0 / 38.0, 0.0}};
    /* inertia that is left with each pair of centres: 0 and 1: 4; 0 and 2: 5; 1 and 2: 2 */
    const double left[3][3] = {{0.0, 4.0, 5.0}, {4.0, 0.0, 2.0}, {5.0, 2.0, 0.0}};
    line l;
    line_new(&l, 3, row, weight);
    int64_t count[9] = {0};
    double expected[9] = {0.0};
    for (uint64_t seed = 0; seed < N_DRAW; seed++) {
        int32_t seeds[2];
        draw_seeds(&l.rows, seed, 2, seeds);
        count[3 * seeds[0] + seeds[1]]++;
    }
    for (int32_t i = 0; i < 9; i++) {
        const int32_t a = i / 3;
        const int32_t b = i % 3;
        const int32_t other = 3 - a - b;
        if (a != b) {
            /* both candidates are b, or one is and the other is worse */
            const double both = share[a][b] * share[a][b];
            const double mixed = 2.0 * share[a][b] * share[a][other];
            expected[i] =
                N_DRAW * weight[a] / 8.0 * (both + (left[a][b] < left[a][other] ? mixed : 0.0));
        }
    }
    assert_drawn_from(9, count, expected);
}

/* with one centre there is nothing to choose */
static void one_centre_is_the_mean_of_all_policies(void **state) {
    (void)state;
    space s = space_random(4, 2, SONDE_SYMMETRIC);
    embedded e = embed_as(&s, "boe", SONDE_EVERYWHERE);
    trial t = trial_new(e.rows, 1);
    sonde__rng rng = sonde__rng_stream(1, SONDE__FOR_CLUSTER, 0);
    trial_run(&t, &rng, 0.0, 300);
    for (int32_t j = 0; j < e.rows->n_column; j++) {
        double mean = 0.0;
        for (int32_t i = 0; i < e.rows->n_policy; i++) {
            mean += row_at(e.rows, i)[j];
        }
        mean /= (double)e.rows->n_policy;
        assert_near(t.kmeans.best.center[j], mean, 1e-12 * (1.0 + mean));
    }
    assert_near(t.kmeans.best.inertia, shift_of(e.rows, 1.0) * e.rows->n_policy * e.rows->n_column,
                1e-9 * t.kmeans.best.inertia);
    trial_free(&t);
    embedded_free(&e);
    space_free(&s);
}

static void no_run_passes_its_number_of_rounds(void **state) {
    (void)state;
    space s = space_random(4, 2, SONDE_SYMMETRIC);
    embedded e = embed_as(&s, "boe", SONDE_EVERYWHERE);
    for (int32_t n_round_max = 1; n_round_max < 4; n_round_max++) {
        trial t = trial_new(e.rows, 8);
        sonde__rng rng = sonde__rng_stream(1, SONDE__FOR_CLUSTER, 0);
        trial_run(&t, &rng, 0.0, n_round_max);
        assert_int_equal(t.kmeans.best.n_round, n_round_max);
        trial_free(&t);
    }
    embedded_free(&e);
    space_free(&s);
}

/* ---------------------------------------------------------------------------- side by side -- */

/* The best of n restarts, one after the other. */
static double alone(const sonde_embedding *rows, int32_t k, int32_t n, int32_t *best,
                    int32_t *label) {
    const double shift = shift_of(rows, 1e-4);
    double least = INFINITY;
    for (int32_t r = 0; r < n; r++) {
        trial t = trial_new(rows, k);
        sonde__rng rng = sonde__rng_stream(3, SONDE__FOR_CLUSTER, (uint64_t)r);
        trial_run(&t, &rng, shift, 300);
        if (t.kmeans.best.inertia < least) {
            least = t.kmeans.best.inertia;
            *best = r;
            memcpy(label, t.label, (size_t)rows->n_row * sizeof *label);
        }
        trial_free(&t);
    }
    return least;
}

/* the same bits, in whichever lanes they stand and whoever is beside them, on any number of
 * threads */
static void restarts_side_by_side_are_those_one_by_one(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    for (int32_t kind = 0; kind < n_embedding(); kind++) {
        embedded e = embed_as(&s, sonde_embedding_name(kind), SONDE_EVERYWHERE);
        if (e.rows->small == NULL) { /* not counts: dense */
            embedded_free(&e);
            continue;
        }
        int32_t *label = room((uint64_t)e.rows->n_row, sizeof *label);
        for (int32_t n = 1; n <= SONDE__LANES; n += n % 5 == 0 ? 2 : 3) {
            const int32_t k = 1 + 5 * (n % 4);
            int32_t best = -1;
            const double inertia = alone(e.rows, k, n, &best, label);
            for (int32_t n_thread = 1; n_thread <= 3; n_thread++) {
                trial t = trial_new_several(e.rows, k, n, n_thread);
                assert_true(t.g.points.worded);
                sonde__rng rng[SONDE__LANES];
                sonde__kmeans_begin(&t.kmeans, &t.run, shift_of(e.rows, 1e-4), 300, 0);
                /* fewer before, in the same room */
                for (int32_t m = n / 2; m <= n; m += (n + 1) / 2) {
                    for (int32_t r = 0; r < m; r++) {
                        rng[r] = sonde__rng_stream(3, SONDE__FOR_CLUSTER, (uint64_t)r);
                    }
                    if (m > 0) {
                        sonde__kmeans_fit(&t.kmeans, &t.g.points, 0, m, rng);
                    }
                }
                label_rows(&t);
                assert_int_equal(t.kmeans.best_restart, best);
                assert_same(t.kmeans.best.inertia, inertia);
                assert_memory_equal(t.label, label, (size_t)e.rows->n_row * sizeof *label);
                trial_free(&t);
            }
        }
        free(label);
        embedded_free(&e);
    }
    space_free(&s);
}

/* seeds in whole numbers are those in doubles: heavy rows leave them to doubles */
static void seeds_in_whole_numbers_are_those_in_doubles(void **state) {
    (void)state;
    space s = space_random(4, 5, SONDE_DIRECTED);
    for (int32_t kind = 0; kind < n_embedding(); kind++) {
        embedded e = embed_as(&s, sonde_embedding_name(kind), SONDE_EVERYWHERE);
        if (e.rows->small == NULL) { /* not counts: dense */
            embedded_free(&e);
            continue;
        }
        trial t = trial_new(e.rows, 9);
        trial plain = trial_new(e.rows, 9);
        plain.g.points.heaviest = INT32_MAX;
        assert_false(sonde__whole_fits(&plain.g.points));
        assert_int_equal(sonde__whole_fits(&t.g.points), e.rows->gram == NULL);
        for (uint64_t seed = 0; seed < 20; seed++) {
            sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_CLUSTER, 0);
            sonde__rng other = rng;
            sonde__kmeans_begin(&t.kmeans, &t.run, 0.0, 1, 0);
            sonde__kmeans_begin(&plain.kmeans, &plain.run, 0.0, 1, 0);
            sonde__kmeans_seed(&t.kmeans, &t.g.points, 1, &rng, 9);
            sonde__kmeans_seed(&plain.kmeans, &plain.g.points, 1, &other, 9);
            assert_memory_equal(t.kmeans.restart[0].seed, plain.kmeans.restart[0].seed,
                                9 * sizeof(int32_t));
        }
        trial_free(&plain);
        trial_free(&t);
        embedded_free(&e);
    }
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kmeans_on_distinct_rows_is_the_textbooks_on_all_policies),
        cmocka_unit_test(kmeans_on_edm_is_the_textbooks_on_the_plain_matrix),
        cmocka_unit_test(kmeans_on_dense_rows_is_the_textbooks),
        cmocka_unit_test(the_shift_is_about_the_columns_of_the_plain_matrix),
        cmocka_unit_test(an_empty_cluster_takes_the_row_farthest_from_its_centre),
        cmocka_unit_test(farthest_means_distance_not_weight),
        cmocka_unit_test(of_two_rows_equally_far_an_empty_cluster_takes_the_lower),
        cmocka_unit_test(two_empty_clusters_take_two_rows),
        cmocka_unit_test(a_refill_is_followed_by_another_round),
        cmocka_unit_test(a_row_between_two_centres_belongs_to_the_lower_one),
        cmocka_unit_test(a_row_pulls_as_hard_as_it_weighs),
        cmocka_unit_test(kmeans_cost_never_rises),
        cmocka_unit_test(seeds_fall_into_all_groups_that_are_far_apart),
        cmocka_unit_test(as_many_seeds_as_rows_are_all_rows),
        cmocka_unit_test(seeds_are_drawn_by_weight_and_distance),
        cmocka_unit_test(one_centre_is_the_mean_of_all_policies),
        cmocka_unit_test(no_run_passes_its_number_of_rounds),
        cmocka_unit_test(restarts_side_by_side_are_those_one_by_one),
        cmocka_unit_test(seeds_in_whole_numbers_are_those_in_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
