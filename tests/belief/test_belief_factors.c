/* Beliefs of general models, predicted: as pymdp finds them, and as the formulas say word by
 * word. */
#include "fixtures.h"

#include "base/rng.h"

static void predictions_are_those_of_pymdp(void **state) {
    (void)state;
    for (int32_t i = 0; i < N_FIXTURE; i++) {
        json_t *root = fixture_read(i);
        setting s = fixture_setting(root, SONDE_PREFERENCES_LOG, SONDE_INFORMATION_PER_MODALITY);
        const json_t *update = json_object_get(root, "belief_update");
        int64_t n = 0;
        double *wanted = fixture_numbers(json_object_get(update, "prior"), &n);
        double *found = room((uint64_t)n, sizeof *found);
        int32_t tuple[8];
        for (size_t f = 0; f < (size_t)s.model->n_factor; f++) {
            tuple[f] = fixture_whole(update, "act", f);
        }
        sonde_belief_predict(s.model, sonde_model_from_tuple(s.model, tuple), s.belief, found,
                             NULL);
        for (int32_t j = 0; j < s.model->n_belief; j++) {
            assert_near(found[j], wanted[j], 1e-12);
        }
        free(found);
        free(wanted);
        setting_free(&s);
        json_decref(root);
    }
}

/* ------------------------------------------------------------------------------- the twin -- */

/* Q(next_f) = sum over all joint states of B Q(joint): the other factors' beliefs sum to 1. */
static void predict_naively(const sonde_model *model, int32_t action, const double *belief,
                            double *next) {
    int32_t tuple[SONDE_FACTORS_MAX];
    int32_t state[SONDE_FACTORS_MAX];
    sonde_model_tuple(model, action, tuple);
    memset(next, 0, (size_t)model->n_belief * sizeof *next);
    for (int64_t j = 0; j < (int64_t)model->n_joint; j++) {
        double p = 1.0;
        states_of(model, j, state);
        for (int32_t f = 0; f < model->n_factor; f++) {
            p *= belief[model->factor[f].first + state[f]];
        }
        for (int32_t f = 0; f < model->n_factor; f++) {
            const sonde_factor *factor = &model->factor[f];
            const int64_t previous = combined_state(model, factor->n_depend, factor->depend, state);
            for (int32_t to = 0; to < factor->n_state; to++) {
                next[factor->first + to] += p * transition(factor, previous, tuple[f], to);
            }
        }
    }
}

/* ------------------------------------------------------------------------------ the tests -- */

static double sum_of(const sonde_factor *factor, const double *belief) {
    double sum = 0.0;
    for (int32_t s = 0; s < factor->n_state; s++) {
        assert_true(belief[factor->first + s] >= 0.0);
        sum += belief[factor->first + s];
    }
    return sum;
}

/* coupled factors among them, and tables of every kind */
static void predictions_are_sums_over_all_joint_states(void **state) {
    (void)state;
    int32_t n_coupled = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED, 500);
        double *found = room((uint64_t)s.model->n_belief, sizeof *found);
        double *wanted = room((uint64_t)s.model->n_belief, sizeof *wanted);
        for (int32_t u = 0; u < s.model->n_action; u++) {
            memset(found, 0x55, (size_t)s.model->n_belief * sizeof *found);
            sonde_belief_predict(s.model, u, s.belief, found, NULL);
            predict_naively(s.model, u, s.belief, wanted);
            for (int32_t j = 0; j < s.model->n_belief; j++) {
                assert_near(found[j], wanted[j], 1e-14);
            }
            for (int32_t f = 0; f < s.model->n_factor; f++) {
                assert_near(sum_of(&s.model->factor[f], found), 1.0, 1e-13);
            }
        }
        n_coupled += s.model->coupled;
        free(wanted);
        free(found);
        setting_free(&s);
    }
    assert_true(n_coupled > 100);
}

static void beliefs_begin_as_the_model_says(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED, 500);
        memset(s.belief, 0x55, (size_t)s.model->n_belief * sizeof *s.belief);
        sonde_belief_initial(s.model, s.belief);
        for (int32_t f = 0; f < s.model->n_factor; f++) {
            const sonde_factor *factor = &s.model->factor[f];
            assert_memory_equal(s.belief + factor->first, factor->D,
                                (size_t)factor->n_state * sizeof(double));
        }
        setting_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictions_are_those_of_pymdp),
        cmocka_unit_test(predictions_are_sums_over_all_joint_states),
        cmocka_unit_test(beliefs_begin_as_the_model_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
