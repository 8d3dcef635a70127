/* Beliefs: predicted and corrected as the matrices would. */
#include "base/rng.h"
#include "dense.h"

/* A world with its model and its matrices. */
typedef struct {
    sonde_graph *graph;
    sonde_model *model;
    dense twin;
    int32_t n;
    double *q;      /* (n) */
    double *found;  /* (n) */
    double *wanted; /* (n) */
} bench;

static bench bench_new(uint64_t seed) {
    bench b = {.graph = world(1 + (int32_t)(seed % 5), seed,
                              seed % 2 == 0 ? SONDE_SYMMETRIC : SONDE_DIRECTED)};
    assert_int_equal(sonde_model_from_graph(b.graph, &b.model, NULL), SONDE_OK);
    b.twin = dense_new(b.graph);
    b.n = b.twin.n_state;
    b.q = room((uint64_t)b.n, sizeof *b.q);
    b.found = room((uint64_t)b.n, sizeof *b.found);
    b.wanted = room((uint64_t)b.n, sizeof *b.wanted);
    return b;
}

static void bench_free(bench *b) {
    free(b->q);
    free(b->found);
    free(b->wanted);
    dense_free(&b->twin);
    sonde_model_free(b->model);
    sonde_graph_free(b->graph);
}

/* Anything from certainty to ignorance, with some states ruled out. */
static void random_belief(sonde__rng *rng, int32_t n, double *q) {
    const double sharpness = 40.0 * sonde__rng_uniform(rng);
    double sum = 0.0;
    for (int32_t s = 0; s < n; s++) {
        const bool none = sonde__rng_below(rng, 3) == 0;
        q[s] = none ? 0.0 : exp(-sharpness * sonde__rng_uniform(rng));
        sum += q[s];
    }
    const int32_t certain = (int32_t)sonde__rng_below(rng, (uint64_t)n);
    for (int32_t s = 0; s < n; s++) {
        q[s] = sum > 0.0 ? q[s] / sum : s == certain;
    }
}

/* Takes in an edge. */
static void observe(const sonde_model *model, const int32_t *outcome, const double *prior,
                    double *belief) {
    const sonde_observation seen = {outcome, NULL, SONDE_INFERENCE_DEFAULT};
    assert_int_equal(sonde_belief_observe(model, &seen, prior, belief, NULL, NULL), SONDE_OK);
}

static double sum_of(int32_t n, const double *q) {
    double sum = 0.0;
    for (int32_t s = 0; s < n; s++) {
        assert_true(q[s] >= 0.0);
        sum += q[s];
    }
    return sum;
}

static void the_agent_knows_where_it_starts(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        bench b = bench_new(seed);
        memset(b.found, 0x55, (size_t)b.n * sizeof *b.found);
        sonde_belief_initial(b.model, b.found);
        for (int32_t s = 0; s < b.n; s++) {
            assert_same(b.found[s], b.twin.d[s]);
        }
        bench_free(&b);
    }
}

static void predictions_are_products_with_the_matrix(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(1, SONDE__FOR_PROBE, 0);
    for (uint64_t seed = 0; seed < 100; seed++) {
        bench b = bench_new(seed);
        for (int trial = 0; trial < 20; trial++) {
            random_belief(&rng, b.n, b.q);
            const int32_t u = (int32_t)sonde__rng_below(&rng, (uint64_t)b.twin.n_action);
            memset(b.found, 0x55, (size_t)b.n * sizeof *b.found);
            sonde_belief_predict(b.model, u, b.q, b.found, NULL);
            dense_multiply(b.n, dense_b(&b.twin, u), b.q, b.wanted);
            for (int32_t s = 0; s < b.n; s++) {
                assert_near(b.found[s], b.wanted[s], 1e-15);
            }
            assert_near(sum_of(b.n, b.found), 1.0, 1e-14);
        }
        bench_free(&b);
    }
}

static void corrections_are_the_closed_form(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(2, SONDE__FOR_PROBE, 0);
    for (uint64_t seed = 0; seed < 100; seed++) {
        bench b = bench_new(seed);
        for (int trial = 0; trial < 20; trial++) {
            random_belief(&rng, b.n, b.q);
            const int32_t outcome = (int32_t)sonde__rng_below(&rng, (uint64_t)b.n);
            memset(b.found, 0x55, (size_t)b.n * sizeof *b.found);
            observe(b.model, &outcome, b.q, b.found);
            dense_observe(&b.twin, outcome, b.q, b.wanted);
            for (int32_t s = 0; s < b.n; s++) {
                /* exp and log of a product lose what 72 nats lose */
                assert_near(b.found[s], b.wanted[s], 1e-13 * b.wanted[s]);
            }
            assert_near(sum_of(b.n, b.found), 1.0, 1e-14);
        }
        bench_free(&b);
    }
}

static void a_prior_may_be_overwritten_by_its_correction(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(3, SONDE__FOR_PROBE, 0);
    bench b = bench_new(4);
    for (int trial = 0; trial < 100; trial++) {
        random_belief(&rng, b.n, b.q);
        const int32_t outcome = (int32_t)sonde__rng_below(&rng, (uint64_t)b.n);
        observe(b.model, &outcome, b.q, b.found);
        observe(b.model, &outcome, b.q, b.q);
        assert_memory_equal(b.q, b.found, (size_t)b.n * sizeof *b.q);
    }
    bench_free(&b);
}

static void an_outcome_nobody_expected_is_believed_as_much_as_the_prior(void **state) {
    (void)state;
    /* both count the floor once: as the prior of the outcome, and as the likelihood of the rest */
    bench b = bench_new(4);
    for (int32_t s = 0; s < b.n; s++) {
        b.q[s] = s == 0 ? 1.0 : 0.0;
    }
    observe(b.model, &(int32_t){1}, b.q, b.found);
    assert_near(b.found[0], 0.5, 1e-14);
    assert_near(b.found[1], 0.5, 1e-14);
    for (int32_t s = 2; s < b.n; s++) {
        assert_near(b.found[s], 0.5e-16, 1e-29);
    }
    bench_free(&b);
}

static void beliefs_sum_to_one_along_any_path(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(5, SONDE__FOR_PROBE, 0);
    for (uint64_t seed = 0; seed < 50; seed++) {
        bench b = bench_new(seed);
        sonde_belief_initial(b.model, b.q);
        for (int t = 0; t < 100; t++) {
            const int32_t u = (int32_t)sonde__rng_below(&rng, (uint64_t)b.twin.n_action);
            sonde_belief_predict(b.model, u, b.q, b.found, NULL);
            const int32_t outcome = (int32_t)sonde__rng_below(&rng, (uint64_t)b.n);
            observe(b.model, &outcome, b.found, b.q);
            assert_near(sum_of(b.n, b.q), 1.0, 1e-13);
        }
        bench_free(&b);
    }
}

static void an_agent_that_sees_what_it_predicts_stays_certain(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(6, SONDE__FOR_PROBE, 0);
    for (uint64_t seed = 0; seed < 50; seed++) {
        bench b = bench_new(seed);
        int32_t place = b.graph->start;
        sonde_belief_initial(b.model, b.q);
        for (int t = 0; t < 20; t++) {
            const int32_t u = (int32_t)sonde__rng_below(&rng, (uint64_t)b.twin.n_action);
            place = sonde_model_next(b.model, place, u);
            sonde_belief_predict(b.model, u, b.q, b.found, NULL);
            observe(b.model, &place, b.found, b.q);
            assert_near(b.q[place], 1.0, 1e-14);
        }
        bench_free(&b);
    }
}

/* ln of the mean weight, whatever the scale of the weights. */
static void weights_of_edges_surprise_by_how_probable_they_make_what_was_seen(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(11, SONDE__FOR_SAMPLE, 0);
    for (uint64_t seed = 1; seed < 100; seed++) {
        bench b = bench_new(seed);
        const int32_t soft = SONDE_SOFT;
        double *weight = room((uint64_t)b.n, sizeof *weight);
        const double scale = exp(20.0 * sonde__rng_uniform(&rng) - 10.0);
        double p = 0.0;
        random_belief(&rng, b.n, b.q);
        for (int32_t s = 0; s < b.n; s++) {
            weight[s] = scale * (0.01 + sonde__rng_uniform(&rng));
            p += weight[s] * b.q[s];
        }
        const sonde_observation seen = {&soft, weight, SONDE_INFERENCE_DEFAULT};
        sonde_energy energy;
        assert_int_equal(sonde_belief_observe(b.model, &seen, b.q, b.found, &energy, NULL),
                         SONDE_OK);
        assert_near(energy.surprise, -log(p), 1e-9);
        for (int32_t s = 0; s < b.n; s++) {
            assert_near(b.found[s], weight[s] * b.q[s] / p, 1e-9);
        }
        free(weight);
        bench_free(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_agent_knows_where_it_starts),
        cmocka_unit_test(predictions_are_products_with_the_matrix),
        cmocka_unit_test(corrections_are_the_closed_form),
        cmocka_unit_test(a_prior_may_be_overwritten_by_its_correction),
        cmocka_unit_test(an_outcome_nobody_expected_is_believed_as_much_as_the_prior),
        cmocka_unit_test(beliefs_sum_to_one_along_any_path),
        cmocka_unit_test(an_agent_that_sees_what_it_predicts_stays_certain),
        cmocka_unit_test(weights_of_edges_surprise_by_how_probable_they_make_what_was_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
