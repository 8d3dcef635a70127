/* Beliefs of whole sequences: beside sums over all paths, and whatever stands where in memory. */
#include "random_models.h"
#include "sonde_learn.h"

enum { STEPS = 4, OUTCOMES = 3 };

/* Two factors that chance moves, each seen by itself; `turned`: the other way round. */
static sonde_model *twins(sonde__rng rng, bool turned) {
    scrap s = {0};
    const int32_t n_state[2] = {2, 5};
    sonde_factor_parts factor[2];
    sonde_modality_parts modality[2];
    int32_t sees[2];
    for (int32_t f = 0; f < 2; f++) {
        const int32_t to = turned ? 1 - f : f;
        const int64_t size[3] = {n_state[f], n_state[f], f == 0 ? 2 : 1};
        const int64_t shown[2] = {OUTCOMES, n_state[f]};
        sees[to] = to;
        factor[to] =
            (sonde_factor_parts){.shape = {.n_state = n_state[f], .n_action = (int32_t)size[2]},
                                 .B = draw_table(&rng, &s, COLUMNS_FULL, 3, size),
                                 .D = draw_table(&rng, &s, COLUMNS_FULL, 1, size)};
        modality[to] = (sonde_modality_parts){
            .shape = {.n_outcome = OUTCOMES, .n_factor = 1, .factor = &sees[to]},
            .A = draw_table(&rng, &s, COLUMNS_FULL, 2, shown),
            .C = draw_numbers(&rng, &s, 0, OUTCOMES)};
    }
    sonde_parts parts = sonde_parts_defaults();
    parts.settings.horizon = 1;
    parts.n_factor = parts.n_modality = 2;
    parts.factor = factor;
    parts.modality = modality;
    sonde_model *model = NULL;
    sonde_error error = {0};
    if (sonde_model_new(&parts, "twins", NULL, &model, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    scrap_free(&s);
    return model;
}

static void smooth(const sonde_model *model, const int32_t *outcome, const int32_t *action,
                   int32_t how, double *belief) {
    const sonde_sequence sequence = {STEPS, outcome, action, SONDE_INFERENCE_DEFAULT};
    sonde_error error = {0};
    if (sonde_belief_smooth(model, &sequence, (sonde_smoothing)how, belief, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
}

static void the_order_of_factors_changes_no_belief(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_SAMPLE, 0);
        sonde_model *model = twins(rng, false);
        sonde_model *turned = twins(rng, true);
        int32_t outcome[2][STEPS][2];
        int32_t action[STEPS];
        for (int32_t t = 0; t < STEPS; t++) {
            action[t] = draw_below(&rng, 2);
            for (int32_t m = 0; m < 2; m++) {
                outcome[0][t][m] = outcome[1][t][1 - m] = draw_below(&rng, OUTCOMES);
            }
        }
        for (int32_t how = 0; sonde_smoothing_name(how) != NULL; how++) {
            double found[2][STEPS][7];
            smooth(model, outcome[0][0], action, how, found[0][0]);
            smooth(turned, outcome[1][0], action, how, found[1][0]);
            for (int32_t t = 0; t < STEPS; t++) {
                for (int32_t s = 0; s < 7; s++) {
                    assert_near(found[0][t][s], found[1][t][s < 2 ? s + 5 : s - 2], 1e-9);
                }
            }
        }
        sonde_model_free(model);
        sonde_model_free(turned);
    }
}

/* Of one factor after all outcomes, from every path there is. */
static void smoothed_beliefs_of_one_factor_are_those_of_all_paths(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_SAMPLE, 1);
        sonde_model *model = twins(rng, false);
        int32_t outcome[STEPS][2];
        int32_t action[STEPS];
        double found[STEPS][7];
        double wanted[STEPS][2] = {{0.0}};
        double sum = 0.0;
        for (int32_t t = 0; t < STEPS; t++) {
            action[t] = draw_below(&rng, 2);
            outcome[t][0] = draw_below(&rng, OUTCOMES);
            outcome[t][1] = SONDE_MISSING;
        }
        for (int32_t path = 0; path < 1 << STEPS; path++) {
            double p = model->factor[0].D[path & 1];
            for (int32_t t = 0; t < STEPS; t++) {
                p *= likelihood(&model->modality[0], path >> t & 1, outcome[t][0]);
                p *= t > 0 ? transition(&model->factor[0], path >> (t - 1) & 1, action[t - 1],
                                        path >> t & 1)
                           : 1.0;
            }
            for (int32_t t = 0; t < STEPS; t++) {
                wanted[t][path >> t & 1] += p;
            }
            sum += p;
        }
        smooth(model, outcome[0], action, SONDE_SMOOTHING_SMOOTHED, found[0]);
        for (int32_t t = 0; t < STEPS; t++) {
            assert_near(found[t][0], wanted[t][0] / sum, 1e-9);
            assert_near(found[t][1], wanted[t][1] / sum, 1e-9);
        }
        sonde_model_free(model);
    }
}

static void nothing_is_read_past_the_last_step(void **state) {
    (void)state;
    sonde_model *model = twins(sonde__rng_stream(1, SONDE__FOR_SAMPLE, 2), false);
    const int32_t outcome[STEPS + 1][2] = {{0, 1}, {1, 2}, {2, 0}, {1, 1}, {99, 99}};
    const int32_t action[STEPS] = {0, 1, 0, 99};
    double belief[STEPS][7];
    for (int32_t how = 0; sonde_smoothing_name(how) != NULL; how++) {
        smooth(model, outcome[0], action, how, belief[0]);
    }
    const sonde_sequence longer = {STEPS + 1, outcome[0], action, SONDE_INFERENCE_DEFAULT};
    assert_int_equal(sonde_belief_smooth(model, &longer, SONDE_SMOOTHING_FILTERED, belief[0], NULL),
                     SONDE_BAD_ARGUMENT);
    sonde_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_factors_changes_no_belief),
        cmocka_unit_test(smoothed_beliefs_of_one_factor_are_those_of_all_paths),
        cmocka_unit_test(nothing_is_read_past_the_last_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
