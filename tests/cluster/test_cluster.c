/* From an embedding to clusters and their representatives. */
#include <math.h>

#include "base/rng.h"
#include "cluster/gathered.h"

static sonde_clusters *fit(const sonde_embedding *rows, const sonde_cluster_settings *settings,
                           const sonde_run *run) {
    sonde_clusters *clusters = NULL;
    assert_int_equal(sonde_clusters_fit(rows, settings, run, &clusters, NULL), SONDE_OK);
    return clusters;
}

static sonde_cluster_settings with_k(int32_t k) {
    sonde_cluster_settings settings = sonde_search_defaults().cluster;
    settings.k = k;
    return settings;
}

/* Runs a check on the clusters of some worlds, embeddings, scopes and k. */
typedef void (*checker)(const sonde_embedding *rows, const sonde_clusters *clusters);

/* Drawn worlds; one with so few policies that the columns of edm depend on each other; and one
 * where no way leads back, for the same reason. */
static space world_number(uint64_t i) {
    static const int32_t tail[] = {0, 1, 2};
    static const int32_t head[] = {1, 2, 3};
    static const double weight[] = {5, 10, 5};
    const sonde_graph one_way = {
        .n_node = 4, .n_edge = 3, .tail = tail, .head = head, .weight = weight};
    if (i == 4) {
        return space_new(world_of_horizon(2, 1, 1));
    }
    return i == 5 ? space_by_hand(&one_way, "0,1", "3", 3)
                  : space_random(3 + (int32_t)(i % 2), i, (sonde_connect)(i / 2));
}

static void for_many_with(sonde_cluster_settings settings, checker check) {
    for (uint64_t i = 0; i < 6; i++) {
        space s = world_number(i);
        for (int32_t kind = 0; kind < n_embedding(); kind++) {
            for (int32_t local = 0; local < 2; local++) {
                embedded e = embed_as(&s, sonde_embedding_name(kind),
                                      local == 1 ? s.graph->start : SONDE_EVERYWHERE);
                for (settings.k = 1; settings.k < 16; settings.k += settings.k < 4 ? 1 : 5) {
                    sonde_clusters *clusters = fit(e.rows, &settings, NULL);
                    check(e.rows, clusters);
                    sonde_clusters_free(clusters);
                }
                embedded_free(&e);
            }
        }
        space_free(&s);
    }
}

static void for_many(checker check) {
    for_many_with(sonde_search_defaults().cluster, check);
}

static const double *center_at(const sonde_clusters *clusters, int32_t c) {
    return clusters->center + (int64_t)c * clusters->n_column;
}

static double distance_to(const sonde_embedding *rows, const sonde_clusters *clusters, int32_t i,
                          int32_t c) {
    return squared(row_at(rows, i), center_at(clusters, c), rows->n_column);
}

/* ------------------------------------------------------------------------------- membership -- */

static void check_lists(const sonde_embedding *rows, const sonde_clusters *clusters) {
    assert_int_equal(clusters->n_policy, rows->n_policy);
    assert_int_equal(clusters->n_column, rows->n_column);
    assert_int_equal(clusters->offset[0], 0);
    assert_int_equal(clusters->offset[clusters->k], rows->n_policy);
    for (int32_t c = 0; c < clusters->k; c++) {
        assert_true(clusters->offset[c] < clusters->offset[c + 1]);
        for (int32_t i = clusters->offset[c]; i < clusters->offset[c + 1]; i++) {
            assert_int_equal(clusters->label[clusters->member[i]], c);
            assert_true(i == clusters->offset[c] || clusters->member[i - 1] < clusters->member[i]);
        }
    }
}

static void members_of_a_cluster_ascend_and_every_policy_is_in_one(void **state) {
    (void)state;
    for_many(check_lists);
}

static void check_numbering(const sonde_embedding *rows, const sonde_clusters *clusters) {
    (void)rows;
    for (int32_t c = 1; c < clusters->k; c++) {
        assert_true(clusters->member[clusters->offset[c - 1]] <
                    clusters->member[clusters->offset[c]]);
    }
}

static void clusters_are_numbered_by_their_lowest_member(void **state) {
    (void)state;
    for_many(check_numbering);
}

static void check_equal_rows(const sonde_embedding *rows, const sonde_clusters *clusters) {
    for (int32_t i = 0; i < rows->n_policy; i++) {
        assert_int_equal(clusters->label[i], clusters->label[rows->first[rows->row_of[i]]]);
    }
}

static void equal_rows_share_a_cluster(void **state) {
    (void)state;
    for_many(check_equal_rows);
}

static void check_nearest(const sonde_embedding *rows, const sonde_clusters *clusters) {
    for (int32_t i = 0; i < rows->n_policy; i++) {
        const double own = distance_to(rows, clusters, i, clusters->label[i]);
        for (int32_t c = 0; c < clusters->k; c++) {
            assert_true(own <= distance_to(rows, clusters, i, c) * (1.0 + 2e-9) + 1e-12);
        }
    }
}

static void every_policy_is_with_the_centre_nearest_to_it(void **state) {
    (void)state;
    for_many(check_nearest);
}

static void check_inertia(const sonde_embedding *rows, const sonde_clusters *clusters) {
    double wanted = 0.0;
    for (int32_t i = 0; i < rows->n_policy; i++) {
        wanted += distance_to(rows, clusters, i, clusters->label[i]);
    }
    assert_near(clusters->inertia, wanted, 1e-9 * (wanted + 1e-3));
}

static void inertia_is_the_summed_squared_distance_of_all_policies(void **state) {
    (void)state;
    for_many(check_inertia);
}

static void check_means(const sonde_embedding *rows, const sonde_clusters *clusters) {
    for (int32_t c = 0; c < clusters->k; c++) {
        const int32_t n = clusters->offset[c + 1] - clusters->offset[c];
        for (int32_t j = 0; j < rows->n_column; j++) {
            double mean = 0.0;
            for (int32_t i = clusters->offset[c]; i < clusters->offset[c + 1]; i++) {
                mean += row_at(rows, clusters->member[i])[j] / (double)n;
            }
            assert_near(center_at(clusters, c)[j], mean, 1e-9 * (1.0 + fabs(mean)));
        }
    }
}

/* with no tolerance it goes on until nothing moves */
static void centres_that_have_settled_are_the_means_of_their_members(void **state) {
    (void)state;
    sonde_cluster_settings settings = sonde_search_defaults().cluster;
    settings.tolerance = 0.0;
    for_many_with(settings, check_means);
}

/* -------------------------------------------------------------------------- representatives -- */

/* The policy nearest centre c, among its members or among all, the lowest of several. */
static int32_t naive_representative(const sonde_embedding *rows, const sonde_clusters *clusters,
                                    int32_t c, bool of_all) {
    int32_t best = -1;
    double least = INFINITY;
    for (int32_t i = 0; i < rows->n_policy; i++) {
        if (of_all || clusters->label[i] == c) {
            const double d = distance_to(rows, clusters, i, c);
            if (d < least * (1.0 - 1e-9)) {
                least = d;
                best = i;
            }
        }
    }
    return best;
}

static void check_representatives(const sonde_embedding *rows, const sonde_clusters *clusters) {
    for (int32_t c = 0; c < clusters->k; c++) {
        assert_int_equal(clusters->representative[c],
                         naive_representative(rows, clusters, c, false));
    }
}

static void a_representative_is_the_member_nearest_the_centre(void **state) {
    (void)state;
    for_many(check_representatives);
}

static void check_nearest_of_all(const sonde_embedding *rows, const sonde_clusters *clusters) {
    for (int32_t c = 0; c < clusters->k; c++) {
        assert_int_equal(clusters->representative[c],
                         naive_representative(rows, clusters, c, true));
    }
}

static void a_representative_may_be_the_nearest_of_all_instead(void **state) {
    (void)state;
    sonde_cluster_settings settings = sonde_search_defaults().cluster;
    settings.nearest_of_all = true;
    for_many_with(settings, check_nearest_of_all);
}

/* ------------------------------------------------------------------------------ how many -- */

static void with_fewer_rows_than_k_every_row_is_a_cluster_and_it_says_so(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        space s = space_random(3, seed, SONDE_SYMMETRIC);
        embedded e = embed_as(&s, "boe-set", s.graph->start);
        for (int32_t k = e.rows->n_row; k < e.rows->n_row + 3; k++) {
            const sonde_cluster_settings settings = with_k(k);
            sonde_clusters *clusters = fit(e.rows, &settings, NULL);
            assert_int_equal(clusters->k, e.rows->n_row);
            assert_int_equal(clusters->k_asked, k);
            assert_near(clusters->inertia, 0.0, 0.0);
            for (int32_t i = 0; i < e.rows->n_policy; i++) {
                assert_int_equal(clusters->label[i], e.rows->row_of[i]);
            }
            for (int32_t c = 0; c < clusters->k; c++) {
                assert_int_equal(clusters->representative[c], e.rows->first[c]);
                assert_memory_equal(center_at(clusters, c), row_at(e.rows, e.rows->first[c]),
                                    (size_t)e.rows->n_column * sizeof(double));
            }
            sonde_clusters_free(clusters);
        }
        embedded_free(&e);
        space_free(&s);
    }
}

static void with_more_rows_than_k_there_are_k_clusters(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 5; seed++) {
        space s = space_random(4, seed, SONDE_SYMMETRIC);
        embedded e = embed_as(&s, "boe", SONDE_EVERYWHERE);
        for (int32_t k = 1; k < 35; k += 6) {
            sonde_cluster_settings settings = with_k(k);
            settings.n_restart = 3;
            sonde_clusters *clusters = fit(e.rows, &settings, NULL);
            assert_int_equal(clusters->k, k);
            assert_int_equal(clusters->k_asked, k);
            sonde_clusters_free(clusters);
        }
        embedded_free(&e);
        space_free(&s);
    }
}

static void one_cluster_has_all_policies(void **state) {
    (void)state;
    space s = space_random(4, 2, SONDE_DIRECTED);
    for (int32_t kind = 0; kind < n_embedding(); kind++) {
        embedded e = embed_as(&s, sonde_embedding_name(kind), s.graph->start);
        const sonde_cluster_settings settings = with_k(1);
        sonde_clusters *clusters = fit(e.rows, &settings, NULL);
        assert_int_equal(clusters->k, 1);
        assert_int_equal(clusters->offset[1], e.rows->n_policy);
        for (int32_t i = 0; i < e.rows->n_policy; i++) {
            assert_int_equal(clusters->member[i], i);
            assert_int_equal(clusters->label[i], 0);
        }
        sonde_clusters_free(clusters);
        embedded_free(&e);
    }
    space_free(&s);
}

/* The centre of every cluster is some row, and each row is in one cluster. */
static void check_empty(const sonde_embedding *rows, const sonde_clusters *clusters,
                        const sonde_cluster_settings *settings) {
    int32_t n_full = 0;
    assert_int_equal(clusters->k, settings->k);
    assert_int_equal(clusters->offset[clusters->k], rows->n_policy);
    for (int32_t c = 0; c < clusters->k; c++) {
        const int32_t n = clusters->offset[c + 1] - clusters->offset[c];
        const int32_t representative = clusters->representative[c];
        n_full += n > 0;
        if (n == 0 && !settings->nearest_of_all) {
            assert_int_equal(representative, -1);
        } else {
            assert_int_equal(representative,
                             naive_representative(rows, clusters, c, settings->nearest_of_all));
            assert_near(distance_to(rows, clusters, representative, c), 0.0, 0.0);
        }
    }
    assert_int_equal(n_full, rows->n_row);
    check_equal_rows(rows, clusters);
}

static void clusters_may_stay_empty_instead(void **state) {
    (void)state;
    space s = space_random(3, 1, SONDE_SYMMETRIC);
    embedded e = embed_as(&s, "boe-set", s.graph->start);
    int32_t n_moved = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        sonde_cluster_settings settings = with_k(e.rows->n_row + 2);
        settings.keep_empty = true;
        settings.nearest_of_all = seed % 2 == 0;
        settings.seed = seed;
        sonde_clusters *clusters = fit(e.rows, &settings, NULL);
        check_empty(e.rows, clusters, &settings);
        const int32_t last = clusters->k - 1;
        n_moved += clusters->offset[last] < clusters->offset[last + 1];
        sonde_clusters_free(clusters);
    }
    /* a coin decides which of two twins is left without members */
    assert_true(n_moved > 5 && n_moved < 35);
    embedded_free(&e);
    space_free(&s);
}

static void keeping_empty_clusters_changes_nothing_where_there_are_rows_enough(void **state) {
    (void)state;
    space s = space_random(4, 1, SONDE_SYMMETRIC);
    embedded e = embed_as(&s, "boe", s.graph->start);
    const int32_t ks[] = {2, 5, e.rows->n_row};
    for (int32_t i = 0; i < 3; i++) {
        sonde_cluster_settings settings = with_k(ks[i]);
        sonde_clusters *a = fit(e.rows, &settings, NULL);
        settings.keep_empty = true;
        sonde_clusters *b = fit(e.rows, &settings, NULL);
        assert_same_clusters(a, b);
        sonde_clusters_free(a);
        sonde_clusters_free(b);
    }
    embedded_free(&e);
    space_free(&s);
}

/* ---------------------------------------------------------------------------------- chance -- */

static void the_same_seed_gives_the_same_bytes(void **state) {
    (void)state;
    space s = space_random(4, 5, SONDE_SYMMETRIC);
    embedded e = embed_as(&s, "boe", SONDE_EVERYWHERE);
    const sonde_cluster_settings settings = with_k(7);
    sonde_clusters *a = fit(e.rows, &settings, NULL);
    sonde_clusters *b = fit(e.rows, &settings, NULL);
    assert_same_clusters(a, b);
    sonde_clusters_free(a);
    sonde_clusters_free(b);
    embedded_free(&e);
    space_free(&s);
}

/* How many of twenty fits differ from the first, each with what `change` makes of the settings. */
static int32_t n_different(void (*change)(sonde_cluster_settings *, uint64_t)) {
    space s = space_random(5, 5, SONDE_SYMMETRIC);
    embedded e = embed_as(&s, "boe", s.graph->start);
    sonde_cluster_settings settings = with_k(7);
    settings.n_restart = 1;
    sonde_clusters *first = fit(e.rows, &settings, NULL);
    int32_t n = 0;
    for (uint64_t i = 1; i <= 20; i++) {
        change(&settings, i);
        sonde_clusters *other = fit(e.rows, &settings, NULL);
        n += memcmp(first->label, other->label, (size_t)first->n_policy * sizeof(int32_t)) != 0;
        sonde_clusters_free(other);
    }
    sonde_clusters_free(first);
    embedded_free(&e);
    space_free(&s);
    return n;
}

static void change_seed(sonde_cluster_settings *settings, uint64_t i) {
    settings->seed = 1 + i;
}

static void change_stream(sonde_cluster_settings *settings, uint64_t i) {
    settings->stream = i;
}

static void other_seeds_and_other_streams_give_other_clusters(void **state) {
    (void)state;
    assert_true(n_different(change_seed) > 10);
    assert_true(n_different(change_stream) > 10);
}

/* One restart on its own: its inertia, and the labels of rows (n_row). */
static double lone_restart(const sonde_embedding *rows, const sonde_cluster_settings *settings,
                           uint64_t number, int32_t *label) {
    trial t = trial_new(rows, settings->k);
    sonde__rng rng =
        sonde__rng_stream(settings->seed, SONDE__FOR_CLUSTER, settings->stream << 16 | number);
    trial_run(&t, &rng, shift_of(rows, settings->tolerance), settings->n_round_max);
    const double inertia = t.kmeans.best.inertia;
    memcpy(label, t.label, (size_t)rows->n_row * sizeof *label);
    trial_free(&t);
    return inertia;
}

static void the_best_of_several_restarts_has_the_least_inertia_of_them(void **state) {
    (void)state;
    space s = space_random(5, 6, SONDE_DIRECTED);
    embedded e = embed_as(&s, "boe", s.graph->start);
    sonde_cluster_settings settings = with_k(8);
    settings.stream = 3;
    int32_t *label = room((uint64_t)e.rows->n_row, sizeof *label);
    double least = INFINITY;
    int32_t n_better = 0;
    for (settings.n_restart = 1; settings.n_restart <= 12; settings.n_restart++) {
        const uint64_t last = (uint64_t)settings.n_restart - 1;
        const double lone = lone_restart(e.rows, &settings, last, label);
        n_better += lone < least;
        least = lone < least ? lone : least;
        sonde_clusters *clusters = fit(e.rows, &settings, NULL);
        assert_near(clusters->inertia, least, 0.0);
        sonde_clusters_free(clusters);
    }
    assert_true(n_better > 1);
    free(label);
    embedded_free(&e);
    space_free(&s);
}

/* -------------------------------------------------------------------------- order of seeds -- */

/* The labels of rows after the best restart, the first of several. */
static int32_t *best_labels(const sonde_embedding *rows, const sonde_cluster_settings *settings) {
    int32_t *label = room((uint64_t)rows->n_row, sizeof *label);
    int32_t *best = room((uint64_t)rows->n_row, sizeof *best);
    double least = INFINITY;
    for (int32_t i = 0; i < settings->n_restart; i++) {
        const double inertia = lone_restart(rows, settings, (uint64_t)i, label);
        if (inertia < least) {
            least = inertia;
            memcpy(best, label, (size_t)rows->n_row * sizeof *label);
        }
    }
    free(label);
    return best;
}

static void in_seed_order_clusters_keep_the_numbers_of_their_seeds(void **state) {
    (void)state;
    int32_t n_other = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        /* in the smaller ones several restarts find the same clusters, in other orders */
        const bool small = seed % 2 == 0;
        space s = space_random(small ? 3 : 4, seed, SONDE_SYMMETRIC);
        embedded e = embed_as(&s, "boe", s.graph->start);
        sonde_cluster_settings settings = with_k(small ? 2 : 5);
        settings.n_restart = 1 + (int32_t)seed;
        settings.seed = seed;
        sonde_clusters *plain = fit(e.rows, &settings, NULL);
        settings.seed_order = true;
        sonde_clusters *ordered = fit(e.rows, &settings, NULL);
        int32_t *label = best_labels(e.rows, &settings);
        assert_int_equal(ordered->k, settings.k);
        assert_same(ordered->inertia, plain->inertia);
        for (int32_t i = 0; i < e.rows->n_policy; i++) {
            /* the last seed is the first centre */
            assert_int_equal(ordered->label[i], settings.k - 1 - label[e.rows->row_of[i]]);
            /* the same clusters under other numbers */
            const int32_t c = plain->label[i];
            assert_int_equal(ordered->label[i], ordered->label[plain->member[plain->offset[c]]]);
            n_other += ordered->label[i] != c;
        }
        check_lists(e.rows, ordered);
        check_nearest(e.rows, ordered);
        check_inertia(e.rows, ordered);
        check_representatives(e.rows, ordered);
        free(label);
        sonde_clusters_free(ordered);
        sonde_clusters_free(plain);
        embedded_free(&e);
        space_free(&s);
    }
    assert_true(n_other > 0);
}

/* the row of the first seed is that of a policy drawn at random */
static void in_seed_order_few_rows_are_numbered_as_they_are_drawn(void **state) {
    (void)state;
    space s = space_random(3, 1, SONDE_SYMMETRIC);
    embedded e = embed_as(&s, "boe-set", s.graph->start);
    const int32_t n = e.rows->n_row;
    int64_t *count = room((uint64_t)n, sizeof *count);
    double *expected = room((uint64_t)n, sizeof *expected);
    sonde_cluster_settings settings = with_k(n + 1);
    settings.seed_order = true;
    for (settings.seed = 0; settings.seed < 4000; settings.seed++) {
        sonde_clusters *clusters = fit(e.rows, &settings, NULL);
        assert_int_equal(clusters->k, n);
        assert_near(clusters->inertia, 0.0, 0.0);
        check_lists(e.rows, clusters);
        check_inertia(e.rows, clusters);
        count[e.rows->row_of[clusters->representative[0]]]++;
        sonde_clusters_free(clusters);
    }
    for (int32_t r = 0; r < n; r++) {
        expected[r] = 4000.0 * e.rows->weight[r] / e.rows->n_policy;
    }
    assert_drawn_from(n, count, expected);
    free(expected);
    free(count);
    embedded_free(&e);
    space_free(&s);
}

/* --------------------------------------------------------------------------------- failure -- */

static void fitting_stops_before_it_begins_when_told_to(void **state) {
    (void)state;
    space s = space_random(4, 6, SONDE_DIRECTED);
    embedded e = embed_as(&s, "boe", s.graph->start);
    const sonde_cluster_settings settings = with_k(4);
    sonde_clusters *clusters = NULL;
    sonde_error error = {0};
    sonde_stop stop = {0};
    sonde_run run = threads(1);
    run.stop = &stop;
    sonde_stop_raise(&stop);
    assert_int_equal(sonde_clusters_fit(e.rows, &settings, &run, &clusters, &error), SONDE_STOPPED);
    assert_null(clusters);
    assert_int_equal(error.status, SONDE_STOPPED);
    embedded_free(&e);
    space_free(&s);
}

/* raises the flag when the second restart has ended */
typedef struct {
    sonde_stop stop;
    uint64_t n_call;
} watcher;

static void watch(void *user, const char *stage, uint64_t done, uint64_t total) {
    watcher *w = user;
    assert_string_equal(stage, "clustering");
    assert_true(done >= 1 && done <= total && total == 10);
    if (++w->n_call == 2) {
        sonde_stop_raise(&w->stop);
    }
}

static void fitting_stops_in_the_middle_when_told_to(void **state) {
    (void)state;
    space s = space_random(5, 6, SONDE_DIRECTED);
    embedded e = embed_as(&s, "boe", s.graph->start);
    const sonde_cluster_settings settings = with_k(4);
    sonde_clusters *clusters = NULL;
    watcher w = {0};
    sonde_run run = threads(1);
    run.stop = &w.stop;
    run.progress = watch;
    run.user = &w;
    assert_int_equal(sonde_clusters_fit(e.rows, &settings, &run, &clusters, NULL), SONDE_STOPPED);
    assert_null(clusters);
    assert_int_equal(w.n_call, 2);
    embedded_free(&e);
    space_free(&s);
}

static void fitting_refuses_to_take_more_memory_than_allowed(void **state) {
    (void)state;
    space s = space_random(4, 6, SONDE_DIRECTED);
    embedded e = embed_as(&s, "boe", SONDE_EVERYWHERE);
    const sonde_cluster_settings settings = with_k(4);
    sonde_clusters *clusters = NULL;
    sonde_error error = {0};
    sonde_run run = threads(1);
    run.memory = 2000;
    assert_int_equal(sonde_clusters_fit(e.rows, &settings, &run, &clusters, &error),
                     SONDE_TOO_LARGE);
    assert_null(clusters);
    assert_says(error.text, "memory");
    embedded_free(&e);
    space_free(&s);
}

static void assert_refused(const sonde_embedding *rows, sonde_cluster_settings settings,
                           const char *word) {
    sonde_clusters *clusters = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_clusters_fit(rows, &settings, NULL, &clusters, &error),
                     SONDE_BAD_ARGUMENT);
    assert_null(clusters);
    assert_says(error.text, word);
}

static void settings_that_mean_nothing_are_refused(void **state) {
    (void)state;
    space s = space_random(3, 6, SONDE_DIRECTED);
    embedded e = embed_as(&s, "boe", s.graph->start);
    sonde_cluster_settings bad = sonde_search_defaults().cluster;
    bad.k = -1;
    assert_refused(e.rows, bad, "k: expected auto or a whole number from 1, found \"-1\"");
    bad = sonde_search_defaults().cluster;
    bad.n_restart = 0;
    assert_refused(e.rows, bad, "restarts");
    bad.n_restart = 65536;
    assert_refused(e.rows, bad, "restarts");
    bad = sonde_search_defaults().cluster;
    bad.n_round_max = -1;
    assert_refused(e.rows, bad, "rounds");
    bad = sonde_search_defaults().cluster;
    bad.tolerance = -1e-4;
    assert_refused(e.rows, bad, "tolerance");
    bad.tolerance = (double)NAN;
    assert_refused(e.rows, bad, "tolerance");
    sonde_clusters_free(NULL);
    embedded_free(&e);
    space_free(&s);
}

/* 65,537 different rows */
static void more_clusters_than_labels_can_tell_are_refused(void **state) {
    (void)state;
    enum { N = 65537 };
    double *row = room(N, sizeof *row);
    for (int32_t i = 0; i < N; i++) {
        row[i] = (double)i;
    }
    sonde_embedding *embedding = NULL;
    assert_int_equal(sonde_embedding_from_rows(N, 1, row, NULL, &embedding, NULL), SONDE_OK);
    sonde_clusters *clusters = NULL;
    sonde_error error = {0};
    sonde_cluster_settings settings = with_k(N - 1);
    settings.n_restart = 1;
    assert_int_equal(sonde_clusters_fit(embedding, &settings, NULL, &clusters, &error),
                     SONDE_TOO_LARGE);
    assert_non_null(strstr(error.text, "65535"));
    settings.k = N;
    assert_int_equal(sonde_clusters_fit(embedding, &settings, NULL, &clusters, &error), SONDE_OK);
    assert_int_equal(clusters->k, N);
    sonde_clusters_free(clusters);
    sonde_embedding_free(embedding);
    free(row);
}

static void the_defaults_are_those_of_the_header(void **state) {
    (void)state;
    const sonde_cluster_settings settings = sonde_search_defaults().cluster;
    assert_int_equal(settings.k, 12);
    assert_int_equal(settings.n_restart, 10);
    assert_int_equal(settings.n_round_max, 300);
    assert_near(settings.tolerance, 1e-4, 0.0);
    assert_false(settings.keep_empty);
    assert_false(settings.nearest_of_all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_of_a_cluster_ascend_and_every_policy_is_in_one),
        cmocka_unit_test(clusters_are_numbered_by_their_lowest_member),
        cmocka_unit_test(equal_rows_share_a_cluster),
        cmocka_unit_test(every_policy_is_with_the_centre_nearest_to_it),
        cmocka_unit_test(inertia_is_the_summed_squared_distance_of_all_policies),
        cmocka_unit_test(centres_that_have_settled_are_the_means_of_their_members),
        cmocka_unit_test(a_representative_is_the_member_nearest_the_centre),
        cmocka_unit_test(a_representative_may_be_the_nearest_of_all_instead),
        cmocka_unit_test(with_fewer_rows_than_k_every_row_is_a_cluster_and_it_says_so),
        cmocka_unit_test(with_more_rows_than_k_there_are_k_clusters),
        cmocka_unit_test(one_cluster_has_all_policies),
        cmocka_unit_test(clusters_may_stay_empty_instead),
        cmocka_unit_test(keeping_empty_clusters_changes_nothing_where_there_are_rows_enough),
        cmocka_unit_test(the_same_seed_gives_the_same_bytes),
        cmocka_unit_test(other_seeds_and_other_streams_give_other_clusters),
        cmocka_unit_test(the_best_of_several_restarts_has_the_least_inertia_of_them),
        cmocka_unit_test(in_seed_order_clusters_keep_the_numbers_of_their_seeds),
        cmocka_unit_test(in_seed_order_few_rows_are_numbered_as_they_are_drawn),
        cmocka_unit_test(fitting_stops_before_it_begins_when_told_to),
        cmocka_unit_test(fitting_stops_in_the_middle_when_told_to),
        cmocka_unit_test(fitting_refuses_to_take_more_memory_than_allowed),
        cmocka_unit_test(settings_that_mean_nothing_are_refused),
        cmocka_unit_test(more_clusters_than_labels_can_tell_are_refused),
        cmocka_unit_test(the_defaults_are_those_of_the_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
