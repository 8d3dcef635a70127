/* Ward's method: against joining the best pair of all, again and again; and its limits. */
#include <math.h>

#include "base/shelf.h"
#include "cluster/kmeans_internal.h"
#include "base/rng.h"
#include "base/settings.h"
#include "stages.h"

static sonde_cluster_settings ward(int32_t k) {
    sonde_cluster_settings settings = sonde_search_defaults().cluster;
    settings.method = SONDE_METHOD_WARD;
    settings.k = k;
    return settings;
}

/* Rows that chance makes, some of them more than once. */
enum { MOST = 30, COLUMNS = 5 };
static int32_t draw_rows(uint64_t seed, double *row) {
    sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 0);
    const int32_t n = 2 + (int32_t)sonde__rng_below(&rng, MOST - 1);
    for (int32_t i = 0; i < n; i++) {
        const int32_t copied =
            i > 0 && seed % 3 > 0 ? (int32_t)sonde__rng_below(&rng, (uint64_t)i) : -1;
        const bool again = copied >= 0 && sonde__rng_below(&rng, 3) == 0;
        for (int32_t j = 0; j < COLUMNS; j++) {
            row[i * COLUMNS + j] =
                again ? row[copied * COLUMNS + j] : sonde__rng_uniform(&rng) * (j + 1.0);
        }
    }
    return n;
}

/* Summed squared distances of some policies from their mean. */
static double spread(const double *row, const int32_t *label, int32_t n, int32_t c) {
    double mean[COLUMNS] = {0};
    double sum = 0.0;
    int32_t n_member = 0;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < COLUMNS && label[i] == c; j++) {
            mean[j] += row[i * COLUMNS + j];
        }
        n_member += label[i] == c;
    }
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < COLUMNS && label[i] == c; j++) {
            const double d = row[i * COLUMNS + j] - mean[j] / n_member;
            sum += d * d;
        }
    }
    return sum;
}

/* Joins b to a for a moment, and says what that costs. */
static double try_join(const double *row, int32_t *label, int32_t n, int32_t a, int32_t b) {
    int32_t joined[MOST];
    for (int32_t i = 0; i < n; i++) {
        joined[i] = label[i] == b ? a : label[i];
    }
    return spread(row, joined, n, a) - spread(row, label, n, a) - spread(row, label, n, b);
}

/* The best pair of all, until k clusters are left; a cluster is called by its lowest policy. */
static double join_naively(const double *row, int32_t n, int32_t k, int32_t *label) {
    for (int32_t i = 0; i < n; i++) {
        label[i] = i;
    }
    for (int32_t left = n; left > k; left--) {
        double least = INFINITY;
        int32_t to = -1;
        int32_t from = -1;
        for (int32_t a = 0; a < n; a++) {
            for (int32_t b = a + 1; b < n && label[a] == a; b++) {
                const double cost = label[b] == b ? try_join(row, label, n, a, b) : INFINITY;
                if (cost < least) {
                    least = cost;
                    to = a;
                    from = b;
                }
            }
        }
        for (int32_t i = 0; i < n; i++) {
            label[i] = label[i] == from ? to : label[i];
        }
    }
    double inertia = 0.0;
    for (int32_t a = 0; a < n; a++) {
        inertia += spread(row, label, n, a);
    }
    return inertia;
}

static void joins_are_those_of_the_best_pair_of_all(void **state) {
    (void)state;
    double row[MOST * COLUMNS];
    int32_t label[MOST];
    for (uint64_t seed = 0; seed < 40; seed++) {
        const int32_t n = draw_rows(seed, row);
        sonde_embedding *embedding = NULL;
        assert_int_equal(sonde_embedding_from_rows(n, COLUMNS, row, NULL, &embedding, NULL),
                         SONDE_OK);
        for (int32_t k = 1; k < embedding->n_row; k += 1 + k / 2) {
            const sonde_cluster_settings settings = ward(k);
            sonde_clusters *clusters = NULL;
            assert_int_equal(sonde_clusters_fit(embedding, &settings, NULL, &clusters, NULL),
                             SONDE_OK);
            const double inertia = join_naively(row, n, k, label);
            assert_int_equal(clusters->k, k);
            assert_int_equal(clusters->n_round, embedding->n_row - k);
            assert_near(clusters->inertia, inertia, 1e-10 * (1.0 + inertia));
            /* clusters are numbered by their lowest members, as the twin's names are */
            int32_t name[MOST];
            int32_t n_seen = 0;
            for (int32_t i = 0; i < n; i++) {
                if (label[i] == i) {
                    name[i] = n_seen++;
                }
                assert_int_equal(clusters->label[i], name[label[i]]);
            }
            sonde_clusters_free(clusters);
        }
        sonde_embedding_free(embedding);
    }
}

/* inertia is what labels and centres say, and centres are means, with a basis and without */
static void centres_are_the_means_of_their_members(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    for (int32_t kind = 0; kind < n_embedding(); kind++) {
        embedded e = embed_as(&s, sonde_embedding_name(kind), s.graph->start);
        const sonde_cluster_settings settings = ward(5);
        sonde_clusters *c = NULL;
        assert_int_equal(sonde_clusters_fit(e.rows, &settings, NULL, &c, NULL), SONDE_OK);
        const int32_t n = e.rows->n_column;
        double *sum = room((uint64_t)c->k * (uint64_t)n, sizeof *sum);
        double inertia = 0.0;
        for (int32_t i = 0; i < e.rows->n_policy; i++) {
            const double *center = c->center + (int64_t)c->label[i] * n;
            inertia += squared(row_at(e.rows, i), center, n);
            for (int32_t j = 0; j < n; j++) {
                sum[(int64_t)c->label[i] * n + j] += row_at(e.rows, i)[j];
            }
        }
        for (int32_t j = 0; j < c->k * n; j++) {
            const double size = (double)(c->offset[j / n + 1] - c->offset[j / n]);
            assert_near(c->center[j], sum[j] / size, 1e-9 * (1.0 + fabs(c->center[j])));
        }
        assert_near(c->inertia, inertia, 1e-9 * (1.0 + inertia));
        free(sum);
        sonde_clusters_free(c);
        embedded_free(&e);
    }
    space_free(&s);
}

/* seeds, restarts and threads have nothing to say */
static void nothing_is_drawn(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    embedded e = embed_as(&s, "boe", SONDE_EVERYWHERE);
    sonde_clusters *first = NULL;
    for (int32_t i = 0; i < 4; i++) {
        const sonde_run run = threads(1 + i);
        sonde_cluster_settings settings = ward(12);
        settings.seed = (uint64_t)i;
        settings.stream = (uint64_t)i * 7;
        settings.n_restart = 1 + i;
        settings.seed_order = i % 2 == 1;
        sonde_clusters *clusters = NULL;
        assert_int_equal(sonde_clusters_fit(e.rows, &settings, &run, &clusters, NULL), SONDE_OK);
        if (i == 0) {
            first = clusters;
            continue;
        }
        assert_same_clusters(first, clusters);
        sonde_clusters_free(clusters);
    }
    sonde_clusters_free(first);
    embedded_free(&e);
    space_free(&s);
}

static void a_search_uses_it_locally_and_globally(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    for (int32_t scope = 0; scope < 2; scope++) {
        sonde_search_settings settings = sonde_search_defaults();
        settings.search = SONDE_SEARCH_CLUSTER;
        settings.scope = (sonde_scope)scope;
        settings.cluster = ward(5);
        thought t = think(&s, &settings, NULL);
        const int32_t origin = scope == SONDE_LOCAL ? s.graph->start : SONDE_EVERYWHERE;
        embedded e = embed_as(&s, "boe", origin);
        sonde_clusters *clusters = NULL;
        assert_int_equal(sonde_clusters_fit(e.rows, &settings.cluster, NULL, &clusters, NULL),
                         SONDE_OK);
        assert_same_clusters(t.decision->clusters, clusters);
        sonde_clusters_free(clusters);
        embedded_free(&e);
        thought_free(&t);
    }
    space_free(&s);
}

/* k-means and Ward's find different things, and a shelf keeps them apart */
static void a_shelf_keeps_methods_apart(void **state) {
    (void)state;
    space s = space_random(5, 3, SONDE_SYMMETRIC);
    embedded e = embed_as(&s, "boe", s.graph->start);
    sonde_run run = threads(1);
    assert_int_equal(sonde__shelf_new(&run.shelf, NULL), SONDE_OK);
    sonde_clusters *c[3] = {0};
    for (int32_t i = 0; i < 3; i++) {
        sonde_cluster_settings settings = ward(6);
        settings.method = i == 0 ? SONDE_METHOD_KMEANS : SONDE_METHOD_WARD;
        assert_int_equal(sonde_clusters_fit(e.rows, &settings, &run, &c[i], NULL), SONDE_OK);
        assert_int_equal(c[i]->reused, i == 2);
    }
    assert_true(c[0]->inertia < c[1]->inertia);
    assert_same_clusters(c[1], c[2]);
    for (int32_t i = 0; i < 3; i++) {
        sonde_clusters_free(c[i]);
    }
    sonde__shelf_free(run.shelf);
    embedded_free(&e);
    space_free(&s);
}

static void more_rows_than_can_be_compared_are_refused(void **state) {
    (void)state;
    enum { N = SONDE__WARD_MAX + 1 };
    double *row = room(N, sizeof *row);
    for (int32_t i = 0; i < N; i++) {
        row[i] = (double)i;
    }
    sonde_embedding *embedding = NULL;
    assert_int_equal(sonde_embedding_from_rows(N, 1, row, NULL, &embedding, NULL), SONDE_OK);
    const sonde_cluster_settings settings = ward(5);
    sonde_clusters *clusters = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_clusters_fit(embedding, &settings, NULL, &clusters, &error),
                     SONDE_TOO_LARGE);
    assert_says(error.text, "at most 32768 distinct rows, and there are 32769");
    sonde_embedding_free(embedding);
    free(row);
    /* a search asks before it begins */
    space s = space_new(world_of_horizon(6, 2, 12));
    sonde_search_settings search = sonde_search_defaults();
    search.search = SONDE_SEARCH_CLUSTER;
    search.cluster = settings;
    sonde_agent *agent = NULL;
    assert_int_equal(sonde_agent_new(s.policies, &search, NULL, &agent, &error), SONDE_TOO_LARGE);
    assert_says(error.text, "a sample of the policies");
    search.embed.n_sample = 100;
    assert_int_equal(sonde_agent_new(s.policies, &search, NULL, &agent, &error), SONDE_OK);
    sonde_agent_free(agent);
    space_free(&s);
}

static void a_method_that_is_none_is_refused(void **state) {
    (void)state;
    assert_string_equal(sonde__cluster_method_name(SONDE_METHOD_KMEANS), "kmeans");
    assert_string_equal(sonde__cluster_method_name(SONDE_METHOD_WARD), "ward");
    assert_null(sonde__cluster_method_name(2));
    assert_null(sonde__cluster_method_name(-1));
    space s = space_random(3, 3, SONDE_SYMMETRIC);
    embedded e = embed_as(&s, "boe", s.graph->start);
    sonde_cluster_settings settings = ward(3);
    settings.method = (sonde_cluster_method)2;
    sonde_clusters *clusters = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_clusters_fit(e.rows, &settings, NULL, &clusters, &error),
                     SONDE_BAD_ARGUMENT);
    assert_says(error.text, "method: expected kmeans or ward, found \"2\"");
    embedded_free(&e);
    space_free(&s);
}

static void joining_can_be_stopped(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    embedded e = embed_as(&s, "boe", s.graph->start);
    sonde_stop stop = {0};
    sonde_run run = threads(1);
    run.stop = &stop;
    sonde_stop_raise(&stop);
    const sonde_cluster_settings settings = ward(3);
    sonde_clusters *clusters = NULL;
    assert_int_equal(sonde_clusters_fit(e.rows, &settings, &run, &clusters, NULL), SONDE_STOPPED);
    assert_null(clusters);
    embedded_free(&e);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_are_those_of_the_best_pair_of_all),
        cmocka_unit_test(centres_are_the_means_of_their_members),
        cmocka_unit_test(nothing_is_drawn),
        cmocka_unit_test(a_search_uses_it_locally_and_globally),
        cmocka_unit_test(a_shelf_keeps_methods_apart),
        cmocka_unit_test(more_rows_than_can_be_compared_are_refused),
        cmocka_unit_test(a_method_that_is_none_is_refused),
        cmocka_unit_test(joining_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
