/* Surrogate search: the regression against normal equations, and what it is good for. */
#include "search/naive.h"

static sonde_search_settings surrogate(const char *embedding) {
    sonde_search_settings settings = cluster_defaults();
    settings.search = SONDE_SEARCH_SURROGATE;
    settings.embed = embedding_called(embedding);
    settings.gamma = 1.0;
    return settings;
}

/* ------------------------------------------------------------------------- the naive twin -- */

/* x with A x = b, (n) and (n, n), by elimination; A and b are used up. */
static void solve(int32_t n, long double *A, long double *b) {
    for (int32_t i = 0; i < n; i++) {
        int32_t pivot = i;
        for (int32_t r = i + 1; r < n; r++) {
            pivot = fabsl(A[r * n + i]) > fabsl(A[pivot * n + i]) ? r : pivot;
        }
        for (int32_t j = 0; j < n; j++) {
            const long double swapped = A[i * n + j];
            A[i * n + j] = A[pivot * n + j];
            A[pivot * n + j] = swapped;
        }
        const long double swapped = b[i];
        b[i] = b[pivot];
        b[pivot] = swapped;
        for (int32_t r = i + 1; r < n; r++) {
            const long double times = A[r * n + i] / A[i * n + i];
            for (int32_t j = i; j < n; j++) {
                A[r * n + j] -= times * A[i * n + j];
            }
            b[r] -= times * b[i];
        }
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        for (int32_t j = i + 1; j < n; j++) {
            b[i] -= A[i * n + j] * b[j];
        }
        b[i] /= A[i * n + i];
    }
}

/* every policy with its features, and what has been scored */
typedef struct {
    int32_t n;
    int32_t n_feature;
    double *feature; /* (n, n_feature) */
    double *efe;     /* (n) all of them, known beforehand here */
    int32_t n_scored;
    int32_t *scored; /* (n) in order */
    double offset;
} twin;

static twin twin_new(const space *s, const sonde_search_settings *settings, int32_t origin) {
    twin t = {0};
    embedded e = embed(s, &settings->embed, origin, NULL);
    t.efe = all_efe(s, origin, s->graph->start, &t.n);
    t.n_feature = e.rows->n_column + 1;
    t.feature = room((uint64_t)t.n * (uint64_t)t.n_feature, sizeof(double));
    t.scored = room((uint64_t)t.n, sizeof(int32_t));
    double square = 0.0;
    for (int32_t j = 1; j < t.n_feature; j++) {
        double mean = 0.0;
        for (int32_t i = 0; i < t.n; i++) {
            mean += row_at(e.rows, i)[j - 1] / t.n;
        }
        for (int32_t i = 0; i < t.n; i++) {
            const double x = row_at(e.rows, i)[j - 1] - mean;
            t.feature[(int64_t)i * t.n_feature + j] = x;
            square += x * x / t.n;
        }
    }
    for (int32_t i = 0; i < t.n; i++) {
        t.feature[(int64_t)i * t.n_feature] = 1.0;
        for (int32_t j = 1; j < t.n_feature; j++) {
            t.feature[(int64_t)i * t.n_feature + j] /= sqrt(square);
        }
    }
    embedded_free(&e);
    return t;
}

static void twin_free(twin *t) {
    free(t->scored);
    free(t->efe);
    free(t->feature);
}

/* (X'X + ridge I)^-1 applied to a vector. */
static void apply_inverse(const twin *t, long double *vector) {
    const int32_t n = t->n_feature;
    long double *A = room((uint64_t)n * (uint64_t)n, sizeof *A);
    for (int32_t i = 0; i < n; i++) {
        A[i * n + i] = 1e-6L;
        for (int32_t j = 0; j < n; j++) {
            for (int32_t p = 0; p < t->n_scored; p++) {
                const double *x = t->feature + (int64_t)t->scored[p] * n;
                A[i * n + j] += (long double)x[i] * (long double)x[j];
            }
        }
    }
    solve(n, A, vector);
    free(A);
}

/* Twice the rate of the noise's posterior, y'y - w'X'y, over n - 1; the weights go to `w`. */
static double fit(const twin *t, long double *w) {
    const int32_t n = t->n_feature;
    long double *Xy = room((uint64_t)n, sizeof *Xy);
    long double rest = 0.0L;
    for (int32_t p = 0; p < t->n_scored; p++) {
        const long double y = (long double)(t->efe[t->scored[p]] - t->offset);
        rest += y * y;
        for (int32_t j = 0; j < n; j++) {
            Xy[j] += y * (long double)t->feature[(int64_t)t->scored[p] * n + j];
        }
    }
    memcpy(w, Xy, (size_t)n * sizeof *w);
    apply_inverse(t, w);
    for (int32_t j = 0; j < n; j++) {
        rest -= w[j] * Xy[j];
    }
    free(Xy);
    return (double)rest / (t->n_scored > 1 ? t->n_scored - 1 : 1);
}

/* The policy with the lowest prediction less two deviations among those left; false if another
 * comes so near that rounding decides. */
static bool twin_next(const twin *t, int32_t *next) {
    const int32_t n = t->n_feature;
    long double *w = room((uint64_t)n, sizeof *w);
    long double *v = room((uint64_t)n, sizeof *v);
    const double s2 = fit(t, w);
    double least = INFINITY;
    double second = INFINITY;
    for (int32_t i = 0; i < t->n; i++) {
        const double *x = t->feature + (int64_t)i * n;
        long double mean = 0.0L;
        long double variance = 0.0L;
        bool left = true;
        for (int32_t p = 0; p < t->n_scored; p++) {
            left = left && t->scored[p] != i;
        }
        for (int32_t j = 0; j < n; j++) {
            v[j] = (long double)x[j];
            mean += w[j] * (long double)x[j];
        }
        apply_inverse(t, v);
        for (int32_t j = 0; j < n; j++) {
            variance += v[j] * (long double)x[j];
        }
        const double bound = (double)mean - 2.0 * sqrt(s2 * (double)variance);
        /* of policies with equal rows the lowest is taken, and which that is, is no matter of
         * rounding */
        const bool same =
            *next >= 0 && memcmp(x, t->feature + (int64_t)*next * n, (size_t)n * sizeof *x) == 0;
        if (left && !same && bound < least) {
            second = least;
            least = bound;
            *next = i;
        } else if (left && !same && bound < second) {
            second = bound;
        }
    }
    free(v);
    free(w);
    return second - least > 1e-3;
}

/* Three nodes, each joined to each: every row a policy of its own would tie with others in most
 * worlds, not in this. */
static space odd_world(int32_t horizon) {
    const int32_t tail[] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
    const int32_t head[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    const double weight[] = {1.0, 2.13, 4.39, 8.71, 16.27, 32.63, 65.11, 130.7, 261.9};
    const sonde_graph edges = {
        .n_node = 3, .n_edge = 9, .tail = tail, .head = head, .weight = weight};
    return space_by_hand(&edges, "0,1", "2", horizon);
}

static void probes_are_those_of_normal_equations(void **state) {
    (void)state;
    int32_t n_compared = 0;
    for (int32_t budget = 4; budget <= 12; budget++) {
        space s = odd_world(3);
        sonde_search_settings settings = surrogate("boe");
        settings.cluster.k = 4;
        settings.budget = (uint64_t)budget * 3;
        const int32_t origin = s.graph->start;
        twin t = twin_new(&s, &settings, origin);
        sonde_clusters *clusters = clusters_like(&s, &settings, origin);
        for (int32_t c = 0; c < 4; c++) {
            t.scored[t.n_scored++] = clusters->representative[c];
            t.offset += t.efe[clusters->representative[c]] / 4;
        }
        bool clear = true;
        while (clear && t.n_scored < budget) {
            int32_t next = -1;
            clear = twin_next(&t, &next);
            t.scored[t.n_scored++] = next;
        }
        if (clear) {
            thought made = think(&s, &settings, NULL);
            scored all = score(&s, origin, s.graph->start, t.scored, budget);
            all.n_step = (uint64_t)budget * 3;
            assert_decision(&s, made.decision, &all, 1.0, 0);
            scored_free(&all);
            thought_free(&made);
            n_compared++;
        }
        sonde_clusters_free(clusters);
        twin_free(&t);
        space_free(&s);
    }
    assert_int_equal(n_compared, 9);
}

/* --------------------------------------------------------------------------- what it finds -- */

/* Of so many worlds of n nodes, in how many 40 policies are enough to find the best. */
static int32_t count_optimal(int32_t n, int32_t n_world, const char *embedding) {
    int32_t n_optimal = 0;
    for (int32_t i = 0; i < n_world; i++) {
        space s = space_random(n, 7000 + (uint64_t)i, (sonde_connect)(i % 2));
        const sonde_search_settings settings = surrogate(embedding);
        sonde_search_settings exact = surrogate(embedding);
        exact.search = SONDE_SEARCH_BOUNDED;
        thought a = think(&s, &settings, NULL);
        thought b = think(&s, &exact, NULL);
        const double least = b.decision->best_efe.efe;
        assert_true(a.decision->evaluations.n_policy <= 40);
        assert_true(a.decision->best_efe.efe >= least - 1e-9 * (1.0 + least));
        assert_false(a.decision->certificate.given);
        n_optimal += a.decision->best_efe.efe <= least + 1e-9 * (1.0 + least);
        thought_free(&b);
        thought_free(&a);
        space_free(&s);
    }
    return n_optimal;
}

static void bags_of_edges_find_the_optimum_of_200_worlds_within_40_policies(void **state) {
    (void)state;
    assert_int_equal(count_optimal(5, 100, "boe"), 100);
    assert_int_equal(count_optimal(6, 100, "boe"), 100);
}

/* G is no linear function of which edges occur: the rows decide, not the regression */
static void sets_of_edges_do_not(void **state) {
    (void)state;
    assert_in_range(count_optimal(5, 40, "boe-set"), 15, 36);
}

/* ------------------------------------------------------------------------------- limits -- */

static void the_budget_is_kept_and_used(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        space s = space_random(4, seed, SONDE_SYMMETRIC);
        for (int32_t i = 0; i < 10; i++) {
            sonde_search_settings settings = surrogate(i % 2 == 0 ? "boe" : "edm");
            settings.scope = (sonde_scope)(seed % 2);
            settings.budget = (const uint64_t[]){1, 4, 7, 40, 400}[i / 2];
            thought t = think(&s, &settings, NULL);
            const uint64_t n = sonde_policies_size(s.policies, t.decision->origin);
            const uint64_t most = settings.budget / 4 > 0 ? settings.budget / 4 : 1;
            assert_int_equal(t.decision->evaluations.n_policy, most < n ? most : n);
            assert_int_equal(t.decision->evaluations.n_step, 4 * (most < n ? most : n));
            thought_free(&t);
        }
        space_free(&s);
    }
}

static void with_a_budget_for_all_policies_it_is_full_search(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        space s = space_random(3, seed, SONDE_DIRECTED);
        sonde_search_settings settings = surrogate("boe");
        settings.budget = 1000000;
        settings.gamma = 0.05;
        thought t = think(&s, &settings, NULL);
        scored all = score_all(&s, s.graph->start, s.graph->start);
        all.n_step = 3 * (uint64_t)all.n;
        assert_decision(&s, t.decision, &all, 0.05, 0);
        scored_free(&all);
        thought_free(&t);
        space_free(&s);
    }
}

/* a state that is visited again, after another, has its own rows again */
static void later_visits_decide_as_the_first(void **state) {
    (void)state;
    space s = space_random(4, 2, SONDE_SYMMETRIC);
    const sonde_search_settings settings = surrogate("boe");
    sonde_agent *used = agent_of(&s, &settings, NULL);
    for (int32_t i = 0; i < 12; i++) {
        const int32_t e = i * 5 % s.graph->n_edge;
        sonde_agent *fresh = agent_of(&s, &settings, NULL);
        const sonde_decision *a = NULL;
        const sonde_decision *b = NULL;
        sonde_agent_reset(used);
        sonde_agent_observe(used, &e, NULL);
        sonde_agent_observe(fresh, &e, NULL);
        assert_int_equal(sonde_agent_search(used, &a, NULL), SONDE_OK);
        assert_int_equal(sonde_agent_search(fresh, &b, NULL), SONDE_OK);
        assert_same_decision(a, b, s.policies->horizon);
        sonde_agent_free(fresh);
    }
    sonde_agent_free(used);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probes_are_those_of_normal_equations),
        cmocka_unit_test(bags_of_edges_find_the_optimum_of_200_worlds_within_40_policies),
        cmocka_unit_test(sets_of_edges_do_not),
        cmocka_unit_test(the_budget_is_kept_and_used),
        cmocka_unit_test(with_a_budget_for_all_policies_it_is_full_search),
        cmocka_unit_test(later_visits_decide_as_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
