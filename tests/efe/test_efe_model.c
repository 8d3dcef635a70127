/* G on general models: pymdp's numbers, and the formulas written out over all joint states. */
#include "scores.h"
#include "base/rng.h"
#include "fixtures.h"

/* ----------------------------------------------------------------------------- pymdp's G -- */

static void assert_fixture_efe(const char *key, sonde_preferences preferences,
                               sonde_information information, double tolerance) {
    for (int32_t i = 0; i < N_FIXTURE; i++) {
        json_t *root = fixture_read(i);
        setting s = fixture_setting(root, preferences, information);
        int64_t n_wanted = 0;
        int64_t n_number = 0;
        int32_t n = 0;
        double *wanted = fixture_numbers(json_object_get(root, key), &n_wanted);
        double *number = fixture_numbers(json_object_get(root, "policies"), &n_number);
        double *efe = setting_efe(&s, &n);
        int32_t walk[8];
        int32_t tuple[8];
        int64_t at = 0;
        assert_int_equal(n, n_wanted);
        for (int32_t policy = 0; policy < n; policy++) {
            /* the same policies in the same order */
            sonde_policies_get(s.policies, s.origin, (uint64_t)policy, walk, NULL);
            for (int32_t t = 1; t <= s.model->horizon; t++) {
                sonde_model_tuple(s.model, walk[t], tuple);
                for (int32_t f = 0; f < s.model->n_factor; f++) {
                    assert_int_equal(tuple[f], number[at++]);
                }
            }
            assert_near(0.0 - efe[policy], wanted[policy], tolerance);
        }
        assert_int_equal(at, n_number);
        free(efe);
        free(number);
        free(wanted);
        setting_free(&s);
        json_decref(root);
    }
}

static void efe_is_that_of_pymdp_in_every_convention(void **state) {
    (void)state;
    assert_fixture_efe("neg_efe_per_modality_exact", SONDE_PREFERENCES_LOG,
                       SONDE_INFORMATION_PER_MODALITY, 1e-9);
    assert_fixture_efe("neg_efe_per_modality_linear_C", SONDE_PREFERENCES_UTILITY,
                       SONDE_INFORMATION_PER_MODALITY, 1e-9);
    assert_fixture_efe("neg_efe_factorised", SONDE_PREFERENCES_LOG, SONDE_INFORMATION_PER_MODALITY,
                       2e-5);
    assert_fixture_efe("neg_efe_joint", SONDE_PREFERENCES_LOG, SONDE_INFORMATION_JOINT, 2e-5);
}

/* What an agent makes of a fixture's policies. */
static void assert_fixture_decision(const json_t *root, const setting *s,
                                    const sonde_decision *decision) {
    int64_t n_policy = 0;
    int64_t n_marginal = 0;
    double *q = fixture_numbers(json_object_get(root, "q_pi_joint"), &n_policy);
    double *marginal =
        fixture_numbers(json_object_get(root, "first_action_marginals"), &n_marginal);
    double *first = room((uint64_t)s->model->n_action, sizeof *first);
    int32_t walk[8];
    for (int64_t i = 0; i < n_policy; i++) {
        sonde_policies_get(s->policies, s->origin, (uint64_t)i, walk, NULL);
        first[walk[1]] += q[i];
    }
    assert_int_equal(decision->n_action, s->model->n_action);
    for (int32_t u = 0; u < s->model->n_action; u++) {
        assert_near(decision->posterior[u], first[u], 1e-6);
    }
    for (int64_t i = 0; i < n_marginal; i++) {
        assert_near(decision->marginal[i], marginal[i], 1e-6);
    }
    free(first);
    free(marginal);
    free(q);
}

static void an_agent_finds_the_posterior_of_pymdp(void **state) {
    (void)state;
    for (int32_t i = 0; i < N_FIXTURE; i++) {
        json_t *root = fixture_read(i);
        setting s = fixture_setting(root, SONDE_PREFERENCES_LOG, SONDE_INFORMATION_JOINT);
        sonde_search_settings settings = sonde_search_defaults();
        sonde_agent *agent = NULL;
        const sonde_decision *decision = NULL;
        settings.search = SONDE_SEARCH_FULL;
        settings.gamma = json_number_value(json_object_get(root, "gamma"));
        assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, NULL), SONDE_OK);
        assert_int_equal(sonde_agent_search(agent, &decision, NULL), SONDE_OK);
        assert_fixture_decision(root, &s, decision);
        sonde_agent_free(agent);
        setting_free(&s);
        json_decref(root);
    }
}

/* Q(policy) itself, from G. */
static void the_posterior_over_policies_is_that_of_pymdp(void **state) {
    (void)state;
    for (int32_t i = 0; i < N_FIXTURE; i++) {
        json_t *root = fixture_read(i);
        setting s = fixture_setting(root, SONDE_PREFERENCES_LOG, SONDE_INFORMATION_JOINT);
        const double gamma = json_number_value(json_object_get(root, "gamma"));
        int64_t n_wanted = 0;
        int32_t n = 0;
        double *wanted = fixture_numbers(json_object_get(root, "q_pi_joint"), &n_wanted);
        double *efe = setting_efe(&s, &n);
        double sum = 0.0;
        for (int32_t j = 0; j < n; j++) {
            sum += exp(gamma * (efe[0] - efe[j]));
        }
        for (int32_t j = 0; j < n; j++) {
            assert_near(exp(gamma * (efe[0] - efe[j])) / sum, wanted[j], 1e-6);
        }
        free(efe);
        free(wanted);
        setting_free(&s);
        json_decref(root);
    }
}

/* ------------------------------------------------------------------------------- the twin -- */

static double floored_log(double x) {
    return log(x > 1e-16 ? x : 1e-16);
}

/* Splits a number into digits, the last fastest. */
static void split(int64_t number, int32_t n, const int32_t *size, int32_t *digit) {
    for (int32_t i = n - 1; i >= 0; i--) {
        digit[i] = (int32_t)(number % size[i]);
        number /= size[i];
    }
}

/* the sizes of a model, and numbers of joint states and outcomes */
typedef struct {
    int32_t n_state[8];
    int32_t n_outcome[8];
    int64_t n_joint_state;
    int64_t n_joint_outcome;
} sizes;

static sizes sizes_of(const sonde_model *model) {
    sizes n = {.n_joint_state = 1, .n_joint_outcome = 1};
    for (int32_t f = 0; f < model->n_factor; f++) {
        n.n_state[f] = model->factor[f].n_state;
        n.n_joint_state *= n.n_state[f];
    }
    for (int32_t m = 0; m < model->n_modality; m++) {
        n.n_outcome[m] = model->modality[m].n_outcome;
        n.n_joint_outcome *= n.n_outcome[m];
    }
    return n;
}

/* P(o_m = outcome | state) */
static double show(const sonde_model *model, int32_t m, const int32_t *state, int32_t outcome) {
    const sonde_modality *modality = &model->modality[m];
    int64_t at = 0;
    for (int32_t i = 0; i < modality->n_factor; i++) {
        at = at * model->factor[modality->factor[i]].n_state + state[modality->factor[i]];
    }
    return likelihood(modality, at, outcome);
}

/* ln C of an outcome at step t, from C as it was given. */
static double log_preference(const sonde_model *model, int32_t m, int32_t t, int32_t outcome) {
    const sonde_modality *modality = &model->modality[m];
    const double *C = modality->C + (model->n_step_C > 1 ? (t - 1) * modality->n_outcome : 0);
    double sum = 0.0;
    if (model->preferences == SONDE_PREFERENCES_UTILITY) {
        return C[outcome];
    }
    const bool as_log = model->preferences == SONDE_PREFERENCES_LOG;
    for (int32_t o = 0; o < modality->n_outcome; o++) {
        sum += as_log ? exp(C[o]) : C[o];
    }
    return floored_log((as_log ? exp(C[outcome]) : C[outcome]) / sum);
}

/* Q(o_m) for every modality, or Q(o_1, o_2, ...), by summing over all joint states. */
static double outcome_probability(const sonde_model *model, const sizes *n, const double *belief,
                                  int32_t m, int64_t outcome) {
    int32_t state[8];
    int32_t digit[8];
    double sum = 0.0;
    split(outcome, model->n_modality, n->n_outcome, digit);
    for (int64_t j = 0; j < n->n_joint_state; j++) {
        double p = 1.0;
        split(j, model->n_factor, n->n_state, state);
        for (int32_t f = 0; f < model->n_factor; f++) {
            p *= belief[model->factor[f].first + state[f]];
        }
        for (int32_t i = 0; i < model->n_modality && m < 0; i++) {
            p *= show(model, i, state, digit[i]);
        }
        sum += m >= 0 ? p * show(model, m, state, (int32_t)outcome) : p;
    }
    return sum;
}

static double joint_risk(const sonde_model *model, const sizes *n, int32_t t,
                         const double *belief) {
    int32_t digit[8];
    double risk = 0.0;
    for (int64_t o = 0; o < n->n_joint_outcome; o++) {
        const double q = outcome_probability(model, n, belief, -1, o);
        double wanted = 0.0;
        split(o, model->n_modality, n->n_outcome, digit);
        for (int32_t m = 0; m < model->n_modality; m++) {
            wanted += log_preference(model, m, t, digit[m]);
        }
        risk += q * (floored_log(q) - wanted);
    }
    return risk;
}

static double mean_entropy(const sonde_model *model, const sizes *n, int32_t m,
                           const double *belief) {
    int32_t state[8];
    double sum = 0.0;
    for (int64_t j = 0; j < n->n_joint_state; j++) {
        double p = 1.0;
        split(j, model->n_factor, n->n_state, state);
        for (int32_t f = 0; f < model->n_factor; f++) {
            p *= belief[model->factor[f].first + state[f]];
        }
        for (int32_t o = 0; o < n->n_outcome[m]; o++) {
            const double a = show(model, m, state, o);
            sum -= p * a * floored_log(a);
        }
    }
    return sum;
}

static sonde_efe step_naively(const sonde_model *model, int32_t t, const double *belief) {
    const sizes n = sizes_of(model);
    const bool joint = model->information == SONDE_INFORMATION_JOINT;
    sonde_efe step = {.term = {[SONDE_RISK] = joint ? joint_risk(model, &n, t, belief) : 0.0}};
    for (int32_t m = 0; m < model->n_modality; m++) {
        for (int32_t o = 0; o < n.n_outcome[m]; o++) {
            const double q = outcome_probability(model, &n, belief, m, o);
            step.term[SONDE_RISK] +=
                joint ? 0.0 : q * (floored_log(q) - log_preference(model, m, t, o));
            step.term[SONDE_COST] += model->lambda * model->modality[m].cost[o] * q;
        }
        step.term[SONDE_AMBIGUITY] += mean_entropy(model, &n, m, belief);
    }
    step.efe = step.term[SONDE_RISK] + step.term[SONDE_AMBIGUITY] + step.term[SONDE_COST];
    return step;
}

static void assert_near_efe(const sonde_efe *found, const sonde_efe *wanted) {
    const double slack = 1e-12 * (1.0 + fabs(wanted->term[SONDE_RISK]) + fabs(wanted->efe));
    assert_near(found->term[SONDE_RISK], wanted->term[SONDE_RISK], slack);
    assert_near(found->term[SONDE_AMBIGUITY], wanted->term[SONDE_AMBIGUITY], slack);
    assert_near(found->term[SONDE_COST], wanted->term[SONDE_COST], slack);
    assert_near(found->efe, wanted->efe, slack);
    assert_same(found->efe,
                found->term[SONDE_RISK] + found->term[SONDE_AMBIGUITY] + found->term[SONDE_COST]);
}

/* A policy, step by step, with predictions that tests/belief has looked at. */
static void assert_policy(const setting *s, const int32_t *walk) {
    sonde_efe steps[8];
    sonde_efe total;
    sonde_efe sum = {0};
    double *here = room((uint64_t)s->model->n_belief, sizeof *here);
    double *next = room((uint64_t)s->model->n_belief, sizeof *next);
    memcpy(here, s->belief, (size_t)s->model->n_belief * sizeof *here);
    belief_efe(s->model, s->belief, walk, steps, &total);
    for (int32_t t = 1; t <= s->model->horizon; t++) {
        sonde_belief_predict(s->model, walk[t], here, next, NULL);
        const sonde_efe step = step_naively(s->model, t, next);
        assert_near_efe(&steps[t - 1], &step);
        sum.term[SONDE_RISK] += step.term[SONDE_RISK];
        sum.term[SONDE_AMBIGUITY] += step.term[SONDE_AMBIGUITY];
        sum.term[SONDE_COST] += step.term[SONDE_COST];
        memcpy(here, next, (size_t)s->model->n_belief * sizeof *here);
    }
    sum.efe = sum.term[SONDE_RISK] + sum.term[SONDE_AMBIGUITY] + sum.term[SONDE_COST];
    assert_near_efe(&total, &sum);
    free(next);
    free(here);
}

static void terms_are_the_formulas_over_all_joint_states(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 250; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED | DRAW_LISTED, 500);
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 77);
        const uint64_t n = sonde_policies_size(s.policies, s.origin);
        int32_t walk[8];
        for (int32_t i = 0; i < 2; i++) {
            sonde_policies_get(s.policies, s.origin, sonde__rng_below(&rng, n), walk, NULL);
            assert_policy(&s, walk);
        }
        setting_free(&s);
    }
}

/* -------------------------------------------------------------------------------- ranges -- */

/* whatever the first, the number and the threads */
static void a_range_is_the_policies_one_by_one(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 150; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED | DRAW_LISTED, 500);
        int32_t n = 0;
        double *wanted = setting_efe(&s, &n);
        double *found = room((uint64_t)n, sizeof *found);
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 78);
        for (int32_t i = 0; i < 4; i++) {
            const int32_t first = i == 0 ? 0 : draw_below(&rng, n);
            const int32_t count = i == 0 ? n : draw_below(&rng, n - first + 1);
            const sonde_range range = {s.origin, (uint64_t)first, (uint64_t)count};
            assert_int_equal(sonde_efe_range(s.policies, setting_now(&s), range, NULL, found, NULL),
                             SONDE_OK);
            for (int32_t j = 0; j < count; j++) {
                assert_same(found[j], wanted[first + j]);
            }
        }
        free(found);
        free(wanted);
        setting_free(&s);
    }
}

/* a scorer that jumps about gives the same, and counts what it had to do */
static void a_scorer_gives_the_same_in_any_order(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED | DRAW_LISTED, 300);
        int32_t n = 0;
        double *wanted = setting_efe(&s, &n);
        judge *j = judge_new(s.policies, NULL);
        judge_start(j, s.origin, setting_now(&s));
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 79);
        for (int32_t i = 0; i < 40; i++) {
            const uint64_t policy = sonde__rng_below(&rng, (uint64_t)n);
            assert_same(judge_efe(j, policy), wanted[policy]);
            const uint64_t before = j->track.n_step;
            assert_same(judge_efe(j, policy), wanted[policy]);
            assert_int_equal(j->track.n_step, before);
        }
        judge_free(j);
        free(wanted);
        setting_free(&s);
    }
}

/* pymdp 0.0.7's: over the joint outcomes of all modalities, states of hardly any probability left
 * out, and something added within each logarithm. */
static void legacy_information_adds_up_over_joint_outcomes(void **state) {
    (void)state;
    const double small = 1.1253517471925912e-07; /* exp(-16) */
    for (uint64_t seed = 0; seed < 100; seed++) {
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 7);
        sonde_model *model = draw_model(&rng, 0, 300.0);
        model->information = SONDE_INFORMATION_LEGACY;
        setting s = setting_of(model);
        const uint64_t n = sonde_policies_size(s.policies, s.origin);
        const uint64_t index = sonde__rng_below(&rng, n);
        sonde_efe *step = room((uint64_t)model->horizon, sizeof *step);
        sonde_efe total;
        int32_t walk[8];
        int32_t tuple[8];
        int32_t state_of[8];
        int64_t n_outcome = 1;
        double ambiguity = 0.0;
        double risk = 0.0;
        draw_belief(&rng, model, s.belief);
        sonde_policies_get(s.policies, s.origin, index, walk, NULL);
        belief_efe(model, s.belief, walk, step, &total);
        sonde_model_tuple(model, walk[1], tuple);
        for (int32_t m = 0; m < model->n_modality; m++) {
            n_outcome *= model->modality[m].n_outcome;
        }
        double *q = room((uint64_t)n_outcome, sizeof *q);
        for (int64_t j = 0; j < (int64_t)model->n_joint; j++) {
            double weight = 1.0;
            states_of(model, j, state_of);
            for (int32_t f = 0; f < model->n_factor; f++) {
                double p = 0.0;
                for (int32_t before = 0; before < model->factor[f].n_state; before++) {
                    p += s.belief[model->factor[f].first + before] *
                         transition(&model->factor[f], before, tuple[f], state_of[f]);
                }
                weight *= p;
            }
            for (int64_t k = 0; weight > small && k < n_outcome; k++) {
                double p = 1.0;
                int64_t rest = k;
                for (int32_t m = model->n_modality - 1; m >= 0; m--) {
                    const sonde_modality *modality = &model->modality[m];
                    const int64_t at =
                        combined_state(model, modality->n_factor, modality->factor, state_of);
                    const int32_t o = (int32_t)(rest % modality->n_outcome);
                    p *= likelihood(modality, at, o);
                    risk -= weight * likelihood(modality, at, o) * modality->preference[o] *
                            (double)modality->n_outcome / (double)n_outcome;
                    rest /= modality->n_outcome;
                }
                q[k] += weight * p;
                ambiguity -= weight * p * log(p + small);
            }
        }
        for (int64_t k = 0; k < n_outcome; k++) {
            risk += q[k] * log(q[k] + 1e-16);
        }
        assert_near(step[0].term[SONDE_AMBIGUITY], ambiguity, 1e-9);
        assert_near(step[0].term[SONDE_RISK], risk, 1e-5);
        free(q);
        free(step);
        setting_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(efe_is_that_of_pymdp_in_every_convention),
        cmocka_unit_test(an_agent_finds_the_posterior_of_pymdp),
        cmocka_unit_test(the_posterior_over_policies_is_that_of_pymdp),
        cmocka_unit_test(terms_are_the_formulas_over_all_joint_states),
        cmocka_unit_test(a_range_is_the_policies_one_by_one),
        cmocka_unit_test(a_scorer_gives_the_same_in_any_order),
        cmocka_unit_test(legacy_information_adds_up_over_joint_outcomes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
