/* Counting policies: exactly while it is possible, as a size for ever. */
#include "policy/policy.h"
#include "worlds.h"

/* Walks of t more edges out of a node, one by one. */
static uint64_t count_naively(const sonde_graph *graph, int32_t node, int32_t t) {
    if (t == 0) {
        return 1;
    }
    uint64_t n = 0;
    for (int32_t e = 0; e < graph->n_edge; e++) {
        if (graph->tail[e] == node) {
            n += count_naively(graph, graph->head[e], t - 1);
        }
    }
    return n;
}

static void counts_are_those_of_counting_one_by_one(void **state) {
    (void)state;
    for (int32_t n = 1; n <= 4; n++) {
        for (uint64_t seed = 0; seed < 200; seed++) {
            space s =
                space_new(world_of_horizon(n, seed, seed % 3 == 0 ? 1 + (int32_t)(seed % 5) : 0));
            const sonde_graph *graph = s.graph;
            const int32_t horizon = graph->horizon;
            assert_int_equal(s.policies->horizon, horizon);
            assert_ptr_equal(s.policies->model, s.model);
            for (int32_t t = 0; t <= horizon; t++) {
                for (int32_t v = 0; v < n; v++) {
                    assert_int_equal(s.policies->completion[t * n + v], count_naively(graph, v, t));
                }
            }
            uint64_t sum = 0;
            for (int32_t e = 0; e < graph->n_edge; e++) {
                const uint64_t here = count_naively(graph, graph->head[e], horizon);
                assert_int_equal(s.policies->offset[e], sum);
                assert_int_equal(sonde_policies_size(s.policies, e), here);
                assert_same(sonde_policies_size_real(s.policies, e), (double)here);
                assert_same(s.policies->completion_real[graph->head[e]], (double)here);
                sum += here;
            }
            assert_int_equal(s.policies->offset[graph->n_edge], sum);
            assert_int_equal(s.policies->n_policy, sum);
            assert_int_equal(sonde_policies_size(s.policies, SONDE_EVERYWHERE), sum);
            assert_same(sonde_policies_size_real(s.policies, SONDE_EVERYWHERE), (double)sum);
            space_free(&s);
        }
    }
}

static void three_nodes_have_243_policies(void **state) {
    (void)state;
    /* the full triangle with self-edges: 9 edges, then 3 choices three times */
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.n_node = 3;
    settings.edge_probability = 1.0;
    sonde_graph *graph = NULL;
    assert_int_equal(sonde_graph_random(&settings, 1, &graph, NULL), SONDE_OK);
    space s = space_new(graph);
    assert_int_equal(s.policies->n_policy, 243);
    assert_int_equal(sonde_policies_size(s.policies, 4), 27);
    space_free(&s);
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void median_sizes_are_those_of_the_paper(void **state) {
    (void)state;
    enum { N_WORLD = 1001 };
    /* of 3 to 9 nodes; those of 6 and more were estimated from few worlds */
    static const double median[] = {243, 2258, 16097, 97534, 680451, 7.0e6, 73e6};
    static double size[N_WORLD];
    for (int32_t n = 3; n <= 9; n++) {
        int below = 0;
        for (int i = 0; i < N_WORLD; i++) {
            space s = space_new(world(n, (uint64_t)i, SONDE_SYMMETRIC));
            size[i] = s.policies->size;
            below += size[i] < median[n - 3];
            space_free(&s);
        }
        qsort(size, N_WORLD, sizeof *size, compare);
        if (n <= 5) {
            assert_true(size[N_WORLD * 46 / 100] <= median[n - 3]);
            assert_true(size[N_WORLD * 54 / 100] >= median[n - 3]);
        } else {
            assert_true(below > N_WORLD * 30 / 100 && below < N_WORLD * 75 / 100);
        }
    }
}

static void counts_past_64_bits_saturate(void **state) {
    (void)state;
    space s = space_new(world_of_horizon(40, 2, 200));
    const sonde_policies *policies = s.policies;
    assert_int_equal(policies->n_policy, UINT64_MAX);
    assert_int_equal(sonde_policies_size(policies, SONDE_EVERYWHERE), UINT64_MAX);
    assert_int_equal(sonde_policies_size(policies, s.graph->start), UINT64_MAX);
    /* once at the top, a count stays there; below it, it is exact */
    for (int32_t v = 0; v < 40; v++) {
        bool saturated = false;
        for (int32_t t = 1; t <= 200; t++) {
            const uint64_t *shorter = policies->completion + (int64_t)(t - 1) * 40;
            uint64_t sum = 0;
            bool over = false;
            for (int32_t e = s.graph->first[v]; e < s.graph->first[v + 1]; e++) {
                const uint64_t more = shorter[s.graph->head[e]];
                over |= more > UINT64_MAX - sum;
                sum += more;
            }
            const uint64_t found = policies->completion[(int64_t)t * 40 + v];
            assert_int_equal(found, over ? UINT64_MAX : sum);
            assert_true(!saturated || found == UINT64_MAX);
            saturated = found == UINT64_MAX;
        }
        assert_true(saturated);
    }
    for (int32_t e = 0; e < s.graph->n_edge; e++) {
        assert_true(policies->offset[e] <= policies->offset[e + 1]);
    }
    space_free(&s);
}

static void sizes_go_on_where_counts_saturate(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        space s = space_new(world_of_horizon(40, seed, 200));
        const sonde_graph *graph = s.graph;
        long double longer[40];
        long double shorter[40];
        for (int32_t v = 0; v < 40; v++) {
            longer[v] = 1.0L;
        }
        for (int32_t t = 1; t <= 200; t++) {
            memcpy(shorter, longer, sizeof shorter);
            for (int32_t v = 0; v < 40; v++) {
                longer[v] = 0.0L;
                for (int32_t e = graph->first[v]; e < graph->first[v + 1]; e++) {
                    longer[v] += shorter[graph->head[e]];
                }
            }
        }
        long double sum = 0.0L;
        for (int32_t e = 0; e < graph->n_edge; e++) {
            const double wanted = (double)longer[graph->head[e]];
            assert_near(sonde_policies_size_real(s.policies, e), wanted, wanted * 1e-12);
            sum += longer[graph->head[e]];
        }
        assert_true(s.policies->size > 1e19);
        assert_near(s.policies->size, (double)sum, (double)sum * 1e-12);
        space_free(&s);
    }
}

static void the_size_is_the_count_while_both_are_exact(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        space s = space_new(world_of_horizon(9, seed, 9));
        assert_true(s.policies->n_policy < UINT64_C(1) << 53);
        assert_same(s.policies->size, (double)s.policies->n_policy);
        space_free(&s);
    }
}

static void a_table_that_does_not_fit_is_refused(void **state) {
    (void)state;
    sonde_graph *graph = world_of_horizon(10, 1, 100000);
    sonde_model *model = NULL;
    assert_int_equal(sonde_model_from_graph(graph, &model, NULL), SONDE_OK);
    sonde_run run = sonde_run_defaults();
    run.memory = 8000000; /* (T + 1, n_node) numbers of 8 bytes are 80 more */
    sonde_policies *policies = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_policies_count(model, 0, &run, &policies, &error), SONDE_TOO_LARGE);
    assert_int_equal(error.status, SONDE_TOO_LARGE);
    assert_says(error.text, "counting the policies: needs 8 MB");
    assert_says(error.text, "horizon");
    assert_null(policies);
    assert_int_equal(sonde_policies_count(model, 0, &run, &policies, NULL), SONDE_TOO_LARGE);
    run.memory = 8100000;
    assert_int_equal(sonde_policies_count(model, 0, &run, &policies, &error), SONDE_OK);
    sonde_policies_free(policies);
    sonde_model_free(model);
    sonde_graph_free(graph);
}

static void the_longest_horizon_is_refused_not_a_crash(void **state) {
    (void)state;
    sonde_graph *graph = world_of_horizon(3, 1, INT32_MAX - 1);
    sonde_model *model = NULL;
    assert_int_equal(sonde_model_from_graph(graph, &model, NULL), SONDE_OK);
    sonde_policies *policies = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_policies_count(model, 0, NULL, &policies, &error), SONDE_TOO_LARGE);
    assert_says(error.text, "needs 51.5 GB of memory, allowed are 4.29 GB");
    assert_null(policies);
    sonde_model_free(model);
    sonde_graph_free(graph);
}

static void the_most_probable_is_the_first_of_the_largest_whatever_comes_after(void **state) {
    (void)state;
    enum { N = 96 };
    for (int32_t n = 1; n <= N; n++) {
        for (int32_t at = 0; at < n; at++) {
            double p[N];
            for (int32_t i = 0; i < N; i++) {
                p[i] = i >= n ? 9.0 : (double)((i * 7 + at) % 5) * 0.1;
            }
            p[at] = 0.5;
            p[n - 1] = 0.5; /* as large, and later */
            assert_int_equal(sonde__most_probable(n, p), at);
        }
    }
}

static void nothing_is_freed_without_harm(void **state) {
    (void)state;
    sonde_policies_free(NULL);
}

/* (numbers are looked at sixteen at a time) */
static void the_most_probable_is_looked_for_among_its_own_numbers_alone(void **state) {
    (void)state;
    enum { MOST = 70 };
    for (int32_t n = 1; n < MOST; n++) {
        for (int32_t best = 0; best < n; best++) {
            double p[2 * MOST];
            for (int32_t i = 0; i < 2 * MOST; i++) {
                p[i] = i < n ? 0.001 * (i % 7) : 1.0;
            }
            p[best] = 0.5;
            assert_int_equal(sonde__most_probable(n, p), best);
            p[n - 1] = best < n - 1 ? 0.5 : p[n - 1]; /* the lowest of equals */
            assert_int_equal(sonde__most_probable(n, p), best);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_counting_one_by_one),
        cmocka_unit_test(three_nodes_have_243_policies),
        cmocka_unit_test(median_sizes_are_those_of_the_paper),
        cmocka_unit_test(counts_past_64_bits_saturate),
        cmocka_unit_test(sizes_go_on_where_counts_saturate),
        cmocka_unit_test(the_size_is_the_count_while_both_are_exact),
        cmocka_unit_test(a_table_that_does_not_fit_is_refused),
        cmocka_unit_test(the_longest_horizon_is_refused_not_a_crash),
        cmocka_unit_test(the_most_probable_is_the_first_of_the_largest_whatever_comes_after),
        cmocka_unit_test(nothing_is_freed_without_harm),
        cmocka_unit_test(the_most_probable_is_looked_for_among_its_own_numbers_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
