/* Beliefs of general models: as pymdp finds them, and as the formulas say word by word. */
#include "fixtures.h"

#include "base/rng.h"
#include "belief/belief.h"

static void corrections_are_those_of_pymdp(void **state) {
    (void)state;
    for (int32_t i = 0; i < N_FIXTURE; i++) {
        json_t *root = fixture_read(i);
        setting s = fixture_setting(root, SONDE_PREFERENCES_LOG, SONDE_INFORMATION_PER_MODALITY);
        const json_t *update = json_object_get(root, "belief_update");
        int64_t n = 0;
        double *prior = fixture_numbers(json_object_get(update, "prior"), &n);
        assert_int_equal(n, s.model->n_belief);
        double *wanted = fixture_numbers(json_object_get(update, "posterior"), &n);
        int32_t outcome[8];
        for (size_t m = 0; m < (size_t)s.model->n_modality; m++) {
            outcome[m] = fixture_whole(update, "obs", m);
        }
        assert_int_equal(sonde_belief_observe(s.model, outcome, prior, s.belief, NULL), SONDE_OK);
        for (int32_t j = 0; j < s.model->n_belief; j++) {
            assert_near(s.belief[j], wanted[j], 1e-9);
        }
        free(wanted);
        free(prior);
        setting_free(&s);
        json_decref(root);
    }
}

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

static double floored_log(double x) {
    return log(x > 1e-16 ? x : 1e-16);
}

/* The states of all factors that joint state number j stands for. */
static void split(const sonde_model *model, int64_t j, int32_t *state) {
    for (int32_t f = model->n_factor - 1; f >= 0; f--) {
        state[f] = (int32_t)(j % model->factor[f].n_state);
        j /= model->factor[f].n_state;
    }
}

/* The number of the combined state of some factors. */
static int64_t combined(const sonde_model *model, int32_t n, const int32_t *factor,
                        const int32_t *state) {
    int64_t number = 0;
    for (int32_t i = 0; i < n; i++) {
        number = number * model->factor[factor[i]].n_state + state[factor[i]];
    }
    return number;
}

/* Q(next_f) = sum over all joint states of B Q(joint): the other factors' beliefs sum to 1. */
static void predict_naively(const sonde_model *model, int32_t action, const double *belief,
                            double *next) {
    int32_t tuple[SONDE_FACTORS_MAX];
    int32_t state[SONDE_FACTORS_MAX];
    sonde_model_tuple(model, action, tuple);
    memset(next, 0, (size_t)model->n_belief * sizeof *next);
    for (int64_t j = 0; j < (int64_t)model->n_joint; j++) {
        double p = 1.0;
        split(model, j, state);
        for (int32_t f = 0; f < model->n_factor; f++) {
            p *= belief[model->factor[f].first + state[f]];
        }
        for (int32_t f = 0; f < model->n_factor; f++) {
            const sonde_factor *factor = &model->factor[f];
            const int64_t previous = combined(model, factor->n_depend, factor->depend, state);
            for (int32_t to = 0; to < factor->n_state; to++) {
                next[factor->first + to] += p * transition(factor, previous, tuple[f], to);
            }
        }
    }
}

/* ln of the likelihood of the outcomes in joint state j. */
static double log_likelihood(const sonde_model *model, const int32_t *outcome, int64_t j) {
    int32_t state[SONDE_FACTORS_MAX];
    double p = 1.0;
    split(model, j, state);
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        p *= likelihood(modality, combined(model, modality->n_factor, modality->factor, state),
                        outcome[m]);
    }
    return floored_log(p);
}

/* E[L] over the other factors, given a state of factor f; f = -1: over all of them. */
static double expect(const sonde_model *model, const int32_t *outcome, const double *q, int32_t f,
                     int32_t given) {
    int32_t state[SONDE_FACTORS_MAX];
    double sum = 0.0;
    for (int64_t j = 0; j < (int64_t)model->n_joint; j++) {
        double p = 1.0;
        split(model, j, state);
        for (int32_t g = 0; g < model->n_factor; g++) {
            p *= g == f ? (state[g] == given ? 1.0 : 0.0) : q[model->factor[g].first + state[g]];
        }
        sum += p > 0.0 ? p * log_likelihood(model, outcome, j) : 0.0;
    }
    return sum;
}

/* One round: every factor from the beliefs of the round before. */
static void round_naively(const sonde_model *model, const int32_t *outcome, const double *prior,
                          const double *q, double *next) {
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        double *p = next + factor->first;
        double most = -INFINITY;
        double sum = 0.0;
        for (int32_t s = 0; s < factor->n_state; s++) {
            p[s] = expect(model, outcome, q, f, s) + floored_log(prior[factor->first + s]);
            most = p[s] > most ? p[s] : most;
        }
        for (int32_t s = 0; s < factor->n_state; s++) {
            sum += exp(p[s] - most);
        }
        for (int32_t s = 0; s < factor->n_state; s++) {
            p[s] = exp(p[s] - most) / sum;
        }
    }
}

static double free_energy(const sonde_model *model, const double *q, const double *prior,
                          double expected) {
    double F = 0.0 - expected;
    for (int32_t s = 0; s < model->n_belief; s++) {
        F += q[s] * (floored_log(q[s]) - floored_log(prior[s]));
    }
    return F;
}

/* SPEC section 4, word by word; false where rounding decides when it ends. */
static bool observe_naively(const sonde_model *model, const int32_t *outcome, const double *prior,
                            double *q) {
    double *next = room((uint64_t)model->n_belief, sizeof *next);
    for (int32_t f = 0; f < model->n_factor; f++) {
        for (int32_t s = 0; s < model->factor[f].n_state; s++) {
            q[model->factor[f].first + s] = 1.0 / model->factor[f].n_state;
        }
    }
    const int32_t n_round = model->n_factor == 1 ? 1 : 10;
    double before = free_energy(model, q, prior, 0.0);
    bool clear = true;
    for (int32_t i = 0; i < n_round; i++) {
        round_naively(model, outcome, prior, q, next);
        memcpy(q, next, (size_t)model->n_belief * sizeof *q);
        const double F = free_energy(model, q, prior, expect(model, outcome, q, -1, 0));
        const double change = fabs(F - before);
        before = F;
        clear = clear && fabs(change - 1e-3) > 1e-9;
        if (change < 1e-3) {
            break;
        }
    }
    free(next);
    return clear;
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

static void draw_outcome(sonde__rng *rng, const sonde_model *model, int32_t *outcome) {
    for (int32_t m = 0; m < model->n_modality; m++) {
        outcome[m] = draw_below(rng, model->modality[m].n_outcome);
    }
}

/* any outcome, those that cannot be among them */
static void corrections_are_the_iteration_word_by_word(void **state) {
    (void)state;
    int32_t n_impossible = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED, 500);
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 99);
        double *found = room((uint64_t)s.model->n_belief, sizeof *found);
        double *wanted = room((uint64_t)s.model->n_belief, sizeof *wanted);
        double *scratch = room(sonde__belief_scratch(s.model), sizeof *scratch);
        for (int32_t trial = 0; trial < 3; trial++) {
            int32_t outcome[8];
            draw_outcome(&rng, s.model, outcome);
            draw_belief(&rng, s.model, s.belief);
            const bool clear = observe_naively(s.model, outcome, s.belief, wanted);
            assert_int_equal(sonde_belief_observe(s.model, outcome, s.belief, found, NULL),
                             SONDE_OK);
            for (int32_t j = 0; j < s.model->n_belief && clear; j++) {
                assert_near(found[j], wanted[j], 1e-10);
            }
            for (int32_t f = 0; f < s.model->n_factor; f++) {
                assert_near(sum_of(&s.model->factor[f], found), 1.0, 1e-13);
            }
            n_impossible += sonde__belief_surprise(s.model, outcome, s.belief, scratch) > 36.0;
            /* the prior may be overwritten */
            assert_int_equal(sonde_belief_observe(s.model, outcome, s.belief, s.belief, NULL),
                             SONDE_OK);
            assert_memory_equal(s.belief, found, (size_t)s.model->n_belief * sizeof *found);
        }
        free(scratch);
        free(wanted);
        free(found);
        setting_free(&s);
    }
    assert_true(n_impossible > 50);
}

/* -ln Q(o_m), modality by modality, each at most -ln 1e-16 */
static void surprise_is_how_improbable_the_outcomes_were(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED, 500);
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 99);
        int32_t outcome[8];
        int32_t here[SONDE_FACTORS_MAX];
        draw_outcome(&rng, s.model, outcome);
        double wanted = 0.0;
        for (int32_t m = 0; m < s.model->n_modality; m++) {
            const sonde_modality *modality = &s.model->modality[m];
            double p = 0.0;
            for (int64_t j = 0; j < (int64_t)s.model->n_joint; j++) {
                split(s.model, j, here);
                double q = likelihood(modality,
                                      combined(s.model, modality->n_factor, modality->factor, here),
                                      outcome[m]);
                for (int32_t f = 0; f < s.model->n_factor; f++) {
                    q *= s.belief[s.model->factor[f].first + here[f]];
                }
                p += q;
            }
            wanted -= floored_log(p);
        }
        double *scratch = room(sonde__belief_scratch(s.model), sizeof *scratch);
        assert_near(sonde__belief_surprise(s.model, outcome, s.belief, scratch), wanted, 1e-10);
        free(scratch);
        setting_free(&s);
    }
}

/* two factors that are told apart by nothing, and an outcome that neither can show */
static void an_impossible_outcome_leaves_the_prior(void **state) {
    (void)state;
    sonde_model *model = model_of(
        "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 1,"
        " \"factors\": [{\"states\": 2, \"actions\": 1}, {\"states\": 2, \"actions\": 1}],"
        " \"modalities\": [{\"outcomes\": 2}], \"A\": [[[[1, 1], [1, 1]], [[0, 0], [0, 0]]]],"
        " \"B\": [[[[1], [0]], [[0], [1]]], [[[1], [0]], [[0], [1]]]], \"C\": [[0, 0]],"
        " \"D\": [[0.25, 0.75], [1, 0]]}");
    double belief[4];
    sonde_belief_initial(model, belief);
    assert_int_equal(sonde_belief_observe(model, &(int32_t){1}, belief, belief, NULL), SONDE_OK);
    assert_near(belief[0], 0.25, 1e-12);
    assert_near(belief[1], 0.75, 1e-12);
    assert_near(belief[2], 1.0, 1e-12);
    assert_near(belief[3], 0.0, 1e-12);
    sonde_model_free(model);
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
        cmocka_unit_test(corrections_are_those_of_pymdp),
        cmocka_unit_test(predictions_are_those_of_pymdp),
        cmocka_unit_test(predictions_are_sums_over_all_joint_states),
        cmocka_unit_test(corrections_are_the_iteration_word_by_word),
        cmocka_unit_test(surprise_is_how_improbable_the_outcomes_were),
        cmocka_unit_test(an_impossible_outcome_leaves_the_prior),
        cmocka_unit_test(beliefs_begin_as_the_model_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
