/* Samples of policies: in order, each once, and every subset as likely as any other. */
#include "embed/embed.h"
#include "stages.h"

/* How many subsets of k of n there are. */
static int32_t choose(int32_t n, int32_t k) {
    int64_t c = 1;
    for (int32_t i = 0; i < k; i++) {
        c = c * (n - i) / (i + 1);
    }
    return (int32_t)c;
}

/* The number of an ascending subset of k of 0 .. n - 1 among all of them. */
static int32_t rank_of(int32_t k, const uint64_t *index) {
    int32_t rank = 0;
    for (int32_t i = 0; i < k; i++) {
        rank += choose((int32_t)index[i], i + 1);
    }
    return rank;
}

/* Draws `wanted` of the policies of an origin again and again, with one seed after the other. */
static void compare_subsets(const space *s, int32_t origin, int32_t wanted) {
    const int32_t n = (int32_t)sonde_policies_size(s->policies, origin);
    const int32_t n_subset = choose(n, wanted);
    const int32_t n_draw = 20 * n_subset;
    int64_t *count = room((uint64_t)n_subset, sizeof *count);
    double *expected = room((uint64_t)n_subset, sizeof *expected);
    uint64_t *index = room((uint64_t)wanted, sizeof *index);
    for (int32_t i = 0; i < n_draw; i++) {
        sonde__embed_sample(s->policies, origin, (uint64_t)i, (uint64_t)wanted, index);
        const int32_t rank = rank_of(wanted, index);
        assert_in_range(rank, 0, n_subset - 1);
        count[rank]++;
    }
    for (int32_t i = 0; i < n_subset; i++) {
        expected[i] = 20.0;
    }
    assert_drawn_from(n_subset, count, expected);
    free(index);
    free(expected);
    free(count);
}

/* few of many are drawn in one way, and many of few in another */
static void every_subset_is_as_likely_as_any_other(void **state) {
    (void)state;
    space s = space_new(world_of_horizon(3, 4, 2));
    const int32_t here = s.graph->start;
    const int32_t n = (int32_t)sonde_policies_size(s.policies, here);
    assert_in_range(n, 4, 9);
    for (int32_t wanted = 1; wanted < n; wanted++) {
        compare_subsets(&s, here, wanted);
    }
    const int32_t n_all = (int32_t)s.policies->n_policy;
    assert_in_range(n_all, 18, 81);
    compare_subsets(&s, SONDE_EVERYWHERE, 1);
    compare_subsets(&s, SONDE_EVERYWHERE, 2);
    compare_subsets(&s, SONDE_EVERYWHERE, 3);
    compare_subsets(&s, SONDE_EVERYWHERE, n_all - 1);
    compare_subsets(&s, SONDE_EVERYWHERE, n_all - 2);
    space_free(&s);
}

static void a_sample_is_in_order_and_has_each_policy_once(void **state) {
    (void)state;
    space small = space_random(4, 2, SONDE_SYMMETRIC);
    space large = space_new(world_of_horizon(6, 2, 20));
    for (int32_t i = 0; i < 40; i++) {
        const space *s = i % 2 == 0 ? &small : &large;
        const uint64_t n_policy = sonde_policies_size(s->policies, SONDE_EVERYWHERE);
        const uint64_t most = n_policy < 5000 ? n_policy - 1 : 5000;
        const uint64_t n = 1 + (uint64_t)i * (most - 1) / 39;
        uint64_t *index = room(n, sizeof *index);
        sonde__embed_sample(s->policies, SONDE_EVERYWHERE, (uint64_t)i, n, index);
        for (uint64_t j = 0; j < n; j++) {
            assert_true(index[j] < n_policy);
            assert_true(j == 0 || index[j - 1] < index[j]);
        }
        free(index);
    }
    space_free(&large);
    space_free(&small);
}

static void the_seed_and_the_origin_say_which(void **state) {
    (void)state;
    enum { N = 20 };
    space s = space_random(5, 2, SONDE_SYMMETRIC);
    const int32_t here = s.graph->start;
    uint64_t a[N];
    uint64_t b[N];
    sonde__embed_sample(s.policies, here, 7, N, a);
    sonde__embed_sample(s.policies, here, 7, N, b);
    assert_memory_equal(a, b, sizeof a);
    sonde__embed_sample(s.policies, here, 8, N, b);
    assert_memory_not_equal(a, b, sizeof a);
    sonde__embed_sample(s.policies, here == 0 ? 1 : here - 1, 7, N, b);
    assert_memory_not_equal(a, b, sizeof a);
    space_free(&s);
}

/* The rows of a sample are those of its policies. */
static void an_embedding_of_a_sample_has_the_rows_of_its_policies(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    const int32_t n_walk = s.policies->horizon + 1;
    for (int32_t kind = 0; kind < n_embedding(); kind++) {
        sonde_embed_settings settings = embedding_called(sonde_embedding_name(kind));
        settings.n_sample = 50;
        settings.seed = 3;
        embedded e = embed(&s, &settings, SONDE_EVERYWHERE, NULL);
        double *row = room((uint64_t)e.rows->n_column, sizeof *row);
        int32_t *walk = room((uint64_t)n_walk, sizeof *walk);
        int32_t total = 0;
        assert_int_equal(e.rows->n_policy, 50);
        assert_non_null(e.rows->policy);
        for (int32_t i = 0; i < 50; i++) {
            sonde_policies_get(s.policies, SONDE_EVERYWHERE, e.rows->policy[i], walk, NULL);
            assert_int_equal(sonde_embedder_row(e.embedder, walk, row, NULL), SONDE_OK);
            assert_memory_equal(row, row_at(e.rows, i), (size_t)e.rows->n_column * sizeof *row);
        }
        for (int32_t r = 0; r < e.rows->n_row; r++) {
            total += e.rows->weight[r];
        }
        assert_int_equal(total, 50);
        free(walk);
        free(row);
        embedded_free(&e);
    }
    space_free(&s);
}

/* the embedding as it would be without a sample */
static void a_sample_of_as_many_as_there_are_is_all_of_them(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    sonde_embed_settings settings = embedding_called("boe");
    embedded all = embed(&s, &settings, s.graph->start, NULL);
    for (int32_t more = 0; more < 2; more++) {
        settings.n_sample = all.rows->n_policy + more;
        embedded e = embed(&s, &settings, s.graph->start, NULL);
        assert_null(e.rows->policy);
        assert_int_equal(e.rows->n_policy, all.rows->n_policy);
        assert_memory_equal(e.rows->row_of, all.rows->row_of,
                            (size_t)all.rows->n_policy * sizeof(int32_t));
        embedded_free(&e);
    }
    embedded_free(&all);
    space_free(&s);
}

/* policies that cannot be listed can be sampled */
static void a_space_that_is_too_large_can_be_sampled(void **state) {
    (void)state;
    space s = space_new(world_of_horizon(6, 2, 20));
    sonde_embed_settings settings = embedding_called("boe");
    settings.n_sample = 1000;
    embedded e = embed(&s, &settings, SONDE_EVERYWHERE, NULL);
    assert_int_equal(e.rows->n_policy, 1000);
    assert_true(e.rows->policy[999] > UINT32_MAX);
    sonde_cluster_settings cluster = sonde_search_defaults().cluster;
    sonde_clusters *clusters = NULL;
    assert_int_equal(sonde_clusters_fit(e.rows, &cluster, NULL, &clusters, NULL), SONDE_OK);
    for (int32_t i = 0; i < 1000; i++) {
        assert_int_equal(sonde_clusters_policy(clusters, i), e.rows->policy[i]);
    }
    sonde_clusters_free(clusters);
    embedded_free(&e);
    space_free(&s);
}

static void policies_without_an_index_are_not_drawn(void **state) {
    (void)state;
    space s = space_new(world_of_horizon(6, 2, 100));
    const int32_t origin[] = {SONDE_EVERYWHERE, s.graph->start};
    sonde_embed_settings settings = embedding_called("boe");
    settings.n_sample = 10;
    sonde_embedder *embedder = NULL;
    assert_int_equal(sonde_embedder_new(s.policies, &settings, NULL, &embedder, NULL), SONDE_OK);
    for (int32_t i = 0; i < 2; i++) {
        sonde_embedding *rows = NULL;
        sonde_agent *agent = NULL;
        sonde_error error = {0};
        assert_int_equal(sonde_embedding_new(embedder, origin[i], NULL, &rows, &error),
                         SONDE_TOO_LARGE);
        assert_says(error.text, "shorter horizon");
        sonde_search_settings search = cluster_defaults();
        search.scope = i == 0 ? SONDE_GLOBAL : SONDE_LOCAL;
        search.embed = settings;
        assert_int_equal(sonde_agent_new(s.policies, &search, NULL, &agent, &error),
                         SONDE_TOO_LARGE);
        assert_says(error.text, "policy sample");
    }
    sonde_embedder_free(embedder);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_subset_is_as_likely_as_any_other),
        cmocka_unit_test(a_sample_is_in_order_and_has_each_policy_once),
        cmocka_unit_test(the_seed_and_the_origin_say_which),
        cmocka_unit_test(an_embedding_of_a_sample_has_the_rows_of_its_policies),
        cmocka_unit_test(a_sample_of_as_many_as_there_are_is_all_of_them),
        cmocka_unit_test(a_space_that_is_too_large_can_be_sampled),
        cmocka_unit_test(policies_without_an_index_are_not_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
