/* What is learned comes to the truth where states are seen, or known, as 1/n; and where they are
 * hidden it need not. */
/* long */
#include "base/numbers.h"
#include "learn/counted.h"
#include "sonde_world.h"

enum { N_MODEL = 50, N_REPEAT = 12, N_CHECK = 6, N_LAST = 6400, MOST = 5 };

/* a model whose B, or A, is drawn, and an agent that does not know it */
typedef struct {
    int32_t n_state;
    int32_t n_action;
    int32_t n_outcome;
    bool of_A;                    /* A is learned, and states are known; otherwise B */
    double A[MOST * MOST];        /* (n_outcome, n_state) */
    double B[MOST * MOST * MOST]; /* (n_state, n_state, n_action) */
    double ones[MOST * MOST * MOST];
} truth;

/* A column of n positive numbers that sum to 1, `gap` apart. */
static void draw_distribution(sonde__rng *rng, int32_t n, int64_t gap, double *to) {
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) {
        to[i * gap] = -log(sonde__rng_uniform(rng) + 1e-12);
        sum += to[i * gap];
    }
    for (int32_t i = 0; i < n; i++) {
        to[i * gap] = 0.9 * to[i * gap] / sum + 0.1 / n; /* no number is next to nothing */
    }
}

static truth draw_truth(uint64_t seed, bool of_A) {
    sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 21);
    truth t = {.n_state = 3 + draw_below(&rng, 3), .n_action = 2, .of_A = of_A};
    t.n_outcome = of_A ? 3 + draw_below(&rng, 3) : t.n_state;
    for (int32_t s = 0; s < t.n_state; s++) {
        if (of_A) {
            draw_distribution(&rng, t.n_outcome, t.n_state, t.A + s);
        } else {
            t.A[s * t.n_state + s] = 1.0;
        }
        for (int32_t u = 0; u < t.n_action; u++) {
            double *column = t.B + s * t.n_action + u;
            if (of_A) {
                column[(s + u + 1) % t.n_state * t.n_state * t.n_action] = 1.0;
            } else {
                draw_distribution(&rng, t.n_state, (int64_t)t.n_state * t.n_action, column);
            }
        }
    }
    for (int32_t i = 0; i < MOST * MOST * MOST; i++) {
        t.ones[i] = 1.0;
    }
    return t;
}

/* The world, or what an agent knows of it. */
static sonde_model *model_for(const truth *t, bool agent) {
    const int64_t size_A[] = {t->n_outcome, t->n_state};
    const int64_t size_B[] = {t->n_state, t->n_state, t->n_action};
    double zeros[MOST] = {0.0};
    double D[MOST] = {1.0};
    sonde_factor_parts factor = {.shape = {.n_state = t->n_state, .n_action = t->n_action},
                                 .B = {.n_axis = 3, .size = size_B, .value = t->B},
                                 .D = {.n_axis = 1, .size = size_B, .value = D}};
    sonde_modality_parts modality = {.shape = {.n_outcome = t->n_outcome},
                                     .A = {.n_axis = 2, .size = size_A, .value = t->A},
                                     .C = {.n_axis = 1, .size = size_A, .value = zeros}};
    if (agent && t->of_A) {
        modality.counts_A = (sonde_array){.n_axis = 2, .size = size_A, .value = t->ones};
        modality.A.n_axis = 0;
    } else if (agent) {
        factor.counts_B = (sonde_array){.n_axis = 3, .size = size_B, .value = t->ones};
        factor.B.n_axis = 0;
    }
    sonde_parts parts = sonde_parts_defaults();
    parts.n_factor = parts.n_modality = 1;
    parts.factor = &factor;
    parts.modality = &modality;
    parts.settings.horizon = 1;
    sonde_model *model = NULL;
    sonde_error error = {0};
    if (sonde_model_new(&parts, NULL, NULL, &model, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return model;
}

/* The divergence of what is learned from the truth, and the visits, both averaged over columns. */
static void compare(const truth *t, const sonde_agent *agent, double *kl, double *visits) {
    double counts[MOST * MOST * MOST];
    const sonde_letter letter = t->of_A ? SONDE_A : SONDE_B;
    const int32_t n_row = t->of_A ? t->n_outcome : t->n_state;
    const int64_t n = sonde_agent_counts(agent, letter, 0, counts);
    const int64_t n_column = n / n_row;
    const double *true_numbers = t->of_A ? t->A : t->B;
    for (int64_t c = 0; c < n_column; c++) {
        double sum = 0.0;
        for (int32_t r = 0; r < n_row; r++) {
            sum += counts[r * n_column + c];
        }
        for (int32_t r = 0; r < n_row; r++) {
            const double p = true_numbers[r * n_column + c];
            *kl += p * log(p * sum / counts[r * n_column + c]) / (double)n_column;
        }
        *visits += (sum - n_row) / (double)n_column;
    }
}

/* Lives in the world with actions that are drawn, and compares now and then. */
static void live(const truth *t, uint64_t seed, double *kl, double *visits) {
    sonde_model *world_model = model_for(t, false);
    sonde_model *model = model_for(t, true);
    sonde_policies *policies = NULL;
    sonde_agent *agent = NULL;
    sonde_world *world = NULL;
    const sonde_search_settings search = sonde_search_defaults();
    const sonde_learn_settings learn = sonde_learn_defaults();
    sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 22);
    assert_int_equal(sonde_policies_count(model, 0, NULL, &policies, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_new(policies, &search, NULL, &agent, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_learn(agent, &learn, NULL), SONDE_OK);
    assert_int_equal(sonde_world_new(world_model, &world, NULL), SONDE_OK);
    sonde_world_start(world, seed);
    int32_t check = N_LAST >> (N_CHECK - 1);
    for (int32_t i = 0, step = 1; step <= N_LAST; step++) {
        const int32_t action = draw_below(&rng, t->n_action);
        assert_int_equal(sonde_agent_observe(agent, sonde_world_outcome(world), NULL), SONDE_OK);
        assert_int_equal(sonde_agent_take(agent, action, NULL), SONDE_OK);
        assert_int_equal(sonde_world_move(world, action, NULL), SONDE_OK);
        if (step == check) {
            compare(t, agent, &kl[i], &visits[i]);
            i++;
            check *= 2;
        }
    }
    sonde_world_free(world);
    sonde_agent_free(agent);
    sonde_policies_free(policies);
    sonde_model_free(model);
    sonde_model_free(world_model);
}

/* The slope of ln KL on ln visits. */
static double slope_of(const truth *t, uint64_t seed) {
    double kl[N_CHECK] = {0.0};
    double visits[N_CHECK] = {0.0};
    double mean[2] = {0.0};
    double sum[2] = {0.0};
    for (uint64_t repeat = 0; repeat < N_REPEAT; repeat++) {
        live(t, 1000 * seed + repeat, kl, visits);
    }
    for (int32_t i = 0; i < N_CHECK; i++) {
        mean[0] += log(visits[i]) / N_CHECK;
        mean[1] += log(kl[i]) / N_CHECK;
    }
    for (int32_t i = 0; i < N_CHECK; i++) {
        sum[0] += (log(visits[i]) - mean[0]) * (log(kl[i]) - mean[1]);
        sum[1] += (log(visits[i]) - mean[0]) * (log(visits[i]) - mean[0]);
    }
    return sum[0] / sum[1];
}

static void hold(bool of_A) {
    for (uint64_t seed = 1; seed <= N_MODEL; seed++) {
        const truth t = draw_truth(seed, of_A);
        const double slope = slope_of(&t, seed);
        if (!(slope > -1.3 && slope < -0.7)) {
            fail_msg("model %d: ln KL falls by %g for each ln of visits", (int)seed, slope);
        }
    }
}

static void where_states_are_seen_b_comes_to_the_truth(void **state) {
    (void)state;
    hold(false);
}

static void where_states_are_known_a_comes_to_the_truth(void **state) {
    (void)state;
    hold(true);
}

/* through an A that blurs states, filtered beliefs count wrongly, however long */
static void where_states_are_hidden_it_need_not(void **state) {
    (void)state;
    truth t = draw_truth(3, false);
    truth blurred = t;
    for (int32_t s = 0; s < t.n_state; s++) {
        for (int32_t o = 0; o < t.n_state; o++) {
            blurred.A[o * t.n_state + s] = o == s ? 0.7 : 0.3 / (t.n_state - 1);
        }
    }
    double seen[N_CHECK] = {0.0};
    double hidden[N_CHECK] = {0.0};
    double visits[N_CHECK] = {0.0};
    for (uint64_t repeat = 0; repeat < N_REPEAT; repeat++) {
        live(&t, repeat, seen, visits);
        live(&blurred, repeat, hidden, visits);
    }
    assert_true(seen[N_CHECK - 1] < 0.1 * seen[0]);
    assert_true(hidden[N_CHECK - 1] > 0.3 * hidden[0]);
    assert_true(hidden[N_CHECK - 1] > 20.0 * seen[N_CHECK - 1]);
}

/* ------------------------------------------------------------------------- certain beliefs -- */

#define CERTAIN                                                                                    \
    "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 3,\n"                              \
    "\"factors\": [{\"states\": 3, \"actions\": 2}], \"modalities\": [{\"outcomes\": 2}],\n"       \
    "\"C\": [[0, 1]], \"D\": [[1, 0, 0]], \"counts\": {\"A\": [[[3, 1, 0.01], [1, 0.5, 40]]],\n"   \
    "\"B\": [[[[0, 0], [0, 2], [5, 0]], [[1, 0], [0, 0], [0, 3]], [[0, 4], [0.1, 0], [0, 0]]]]}}"

static void joint_and_product_novelty_are_one_where_beliefs_are_certain(void **state) {
    (void)state;
    sonde_model *model = model_of(CERTAIN);
    sonde_policies *policies = NULL;
    double novelty[2][8];
    assert_int_equal(sonde_policies_count(model, 0, NULL, &policies, NULL), SONDE_OK);
    for (int32_t form = 0; form < 2; form++) {
        sonde_search_settings search = sonde_search_defaults();
        const sonde_decision *decision = NULL;
        sonde_agent *agent = NULL;
        search.search = SONDE_SEARCH_FULL;
        search.n_keep = 8;
        search.weights.novelty = form == 0 ? SONDE_NOVELTY_JOINT : SONDE_NOVELTY_PRODUCT;
        assert_int_equal(sonde_agent_new(policies, &search, NULL, &agent, NULL), SONDE_OK);
        assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
        assert_true(decision->best_efe.term[SONDE_NOVELTY] > 0.1);
        for (int32_t i = 0; i < 8; i++) {
            novelty[form][decision->kept[i].index] = decision->kept[i].efe;
        }
        sonde_agent_free(agent);
    }
    for (int32_t i = 0; i < 8; i++) {
        assert_near(novelty[0][i], novelty[1][i], 1e-12);
    }
    sonde_policies_free(policies);
    sonde_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_states_are_seen_b_comes_to_the_truth),
        cmocka_unit_test(where_states_are_known_a_comes_to_the_truth),
        cmocka_unit_test(where_states_are_hidden_it_need_not),
        cmocka_unit_test(joint_and_product_novelty_are_one_where_beliefs_are_certain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
