/* E that is learned, of listed policies and of first actions, and the precision that is expected of
 * each decision; learning in closed loop. */
#include <jansson.h>

#include "counted.h"
#include "stages.h"

/* three policies of two steps, with counts of E */
#define LISTED                                                                                     \
    "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 2, \"gamma\": 2,\n"                \
    "\"factors\": [{\"states\": 2, \"actions\": 2}], \"modalities\": [{\"outcomes\": 2}],\n"       \
    "\"A\": [[[0.9, 0.2], [0.1, 0.8]]],\n"                                                         \
    "\"B\": [[[[0.7, 0.1], [0.2, 0.4]], [[0.3, 0.9], [0.8, 0.6]]]], \"C\": [[0, 1]],\n"            \
    "\"D\": [[0.5, 0.5]], \"policies\": [[[0], [0]], [[0], [1]], [[1], [1]]],\n"                   \
    "\"counts\": {\"E\": [1, 2, 1]}}"

typedef struct {
    sonde_model *model;
    sonde_policies *policies;
    sonde_agent *agent;
} lived;

static lived lived_of(sonde_model *model, sonde_search_settings search,
                      const sonde_learn_settings *learn) {
    lived l = {.model = model};
    sonde_error error = {0};
    assert_int_equal(sonde_policies_count(model, 0, NULL, &l.policies, NULL), SONDE_OK);
    if (sonde_agent_new(l.policies, &search, NULL, &l.agent, &error) != SONDE_OK ||
        (learn != NULL && sonde_agent_learn(l.agent, learn, &error) != SONDE_OK)) {
        fail_msg("%s", error.text);
    }
    return l;
}

static void lived_free(lived *l) {
    sonde_agent_free(l->agent);
    sonde_policies_free(l->policies);
    sonde_model_free(l->model);
}

static sonde_search_settings full(void) {
    sonde_search_settings search = sonde_search_defaults();
    search.search = SONDE_SEARCH_FULL;
    search.n_keep = 4096;
    return search;
}

static const sonde_decision *decide(const lived *l, const int32_t *outcome) {
    const sonde_decision *decision = NULL;
    sonde_error error = {0};
    if (sonde_agent_observe(l->agent, outcome, &error) != SONDE_OK ||
        sonde_agent_search(l->agent, &decision, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return decision;
}

static double count_of(const lived *l, int32_t i) {
    double counts[256];
    assert_in_range(sonde_agent_counts(l->agent, SONDE_E, 0, NULL), 1, 256);
    (void)sonde_agent_counts(l->agent, SONDE_E, 0, counts);
    return counts[i];
}

/* The posterior of a policy among those that a decision keeps. */
static double posterior_of(const sonde_decision *decision, uint64_t policy) {
    for (int32_t i = 0; i < decision->n_kept; i++) {
        if (decision->kept[i].index == policy) {
            return decision->kept[i].posterior;
        }
    }
    return NAN;
}

/* ------------------------------------------------------------------------------------ listed -- */

static void e_of_listed_policies_grows_by_their_posterior(void **state) {
    (void)state;
    sonde_learn_settings learn = sonde_learn_defaults();
    learn.eta[SONDE_E] = 0.5;
    lived l = lived_of(model_of(LISTED), full(), &learn);
    double wanted[3] = {1.0, 2.0, 1.0};
    for (int32_t t = 0; t < 6; t++) {
        const sonde_decision *decision = decide(&l, &(int32_t){t % 2});
        for (uint64_t i = 0; i < 3; i++) {
            wanted[i] += 0.5 * posterior_of(decision, i);
        }
        (void)sonde_agent_act(l.agent);
        const double sum = wanted[0] + wanted[1] + wanted[2];
        for (int32_t i = 0; i < 3; i++) {
            assert_near(count_of(&l, i), wanted[i], 1e-14);
            assert_near(sonde_agent_policies(l.agent)->model->E[i], wanted[i] / sum, 1e-15);
        }
    }
    const sonde_learned E = sonde_agent_learned(l.agent, SONDE_E, 0);
    assert_int_equal(E.n_event, 6);
    assert_near(E.added, 3.0, 1e-13);
    assert_true(E.kl > 0.0);
    lived_free(&l);
}

static void by_episode_the_last_decision_counts(void **state) {
    (void)state;
    sonde_learn_settings learn = sonde_learn_defaults();
    learn.when = SONDE_LEARN_EPISODE;
    lived l = lived_of(model_of(LISTED), full(), &learn);
    double last[3] = {0.0};
    for (int32_t t = 0; t < 4; t++) {
        const sonde_decision *decision = decide(&l, &(int32_t){t % 2});
        for (uint64_t i = 0; i < 3; i++) {
            last[i] = posterior_of(decision, i);
        }
        (void)sonde_agent_act(l.agent);
        assert_same(count_of(&l, 0), 1.0);
    }
    sonde_agent_end(l.agent);
    assert_near(count_of(&l, 0), 1.0 + last[0], 1e-14);
    assert_near(count_of(&l, 1), 2.0 + last[1], 1e-14);
    assert_int_equal(sonde_agent_learned(l.agent, SONDE_E, 0).n_event, 1);
    lived_free(&l);
}

/* the last step of an episode has a decision, but may have no action */
static void a_decision_without_an_action_is_learned_from_at_the_end(void **state) {
    (void)state;
    const sonde_learn_settings learn = sonde_learn_defaults();
    lived l = lived_of(model_of(LISTED), full(), &learn);
    const double p = posterior_of(decide(&l, &(int32_t){0}), 1);
    sonde_agent_end(l.agent);
    assert_near(count_of(&l, 1), 2.0 + p, 1e-14);
    lived_free(&l);
}

static void an_action_taken_elsewhere_needs_a_decision_first(void **state) {
    (void)state;
    const sonde_learn_settings learn = sonde_learn_defaults();
    lived l = lived_of(model_of(LISTED), full(), &learn);
    sonde_error error = {0};
    assert_int_equal(sonde_agent_observe(l.agent, &(int32_t){0}, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_take(l.agent, 0, &error), SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "E is learned from each decision"));
    lived_free(&l);
}

/* ------------------------------------------------------------------------------------ habits -- */

/* The same model with counts of habits. */
static sonde_model *with_habits(sonde_model *model, uint64_t seed) {
    sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 12);
    sonde_text text = {0};
    assert_int_equal(sonde_model_write(model, &text, NULL), SONDE_OK);
    json_t *root = json_loads(text.data, 0, NULL);
    json_t *habits = json_array();
    for (int32_t u = 0; u < model->n_action; u++) {
        json_array_append_new(habits, json_real(draw_power(&rng, -1.0, 2.0)));
    }
    json_object_set_new(json_object_get(root, "counts"), "E", habits);
    char *made = json_dumps(root, JSON_REAL_PRECISION(17));
    sonde_model *with = model_of(made);
    free(made);
    json_decref(root);
    sonde_text_free(&text);
    sonde_model_free(model);
    return with;
}

static void a_habit_weighs_an_action_however_many_policies_begin_with_it(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        lived plain = lived_of(draw_counted(seed, 3), full(), NULL);
        lived with = lived_of(with_habits(draw_counted(seed, 3), seed), full(), NULL);
        const sonde_decision *one = NULL;
        const sonde_decision *other = NULL;
        assert_int_equal(sonde_agent_search(plain.agent, &one, NULL), SONDE_OK);
        assert_int_equal(sonde_agent_search(with.agent, &other, NULL), SONDE_OK);
        const double *habit = with.model->habit;
        double sum = 0.0;
        for (int32_t u = 0; u < one->n_action; u++) {
            sum += one->posterior[u] * habit[u];
        }
        for (int32_t u = 0; u < one->n_action; u++) {
            assert_near(other->posterior[u], one->posterior[u] * habit[u] / sum, 1e-12);
        }
        for (int32_t i = 0; i < other->n_kept; i++) {
            const int32_t u = other->kept[i].walk[1];
            assert_near(other->kept[i].posterior,
                        posterior_of(one, other->kept[i].index) * habit[u] / sum, 1e-12);
        }
        assert_near(other->rest, 0.0, 1e-9);
        assert_same(other->best_efe.efe, one->best_efe.efe);
        lived_free(&plain);
        lived_free(&with);
    }
}

static void bounded_search_is_certified_with_habits(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        sonde_search_settings search = full();
        search.n_keep = 0;
        search.gamma = seed % 3 == 0 ? 8.0 : 1.0;
        lived exact = lived_of(with_habits(draw_counted(seed, 4), seed), search, NULL);
        search.search = SONDE_SEARCH_BOUNDED;
        search.epsilon = seed % 2 == 0 ? 1e-2 : 1e-7;
        lived bounded = lived_of(with_habits(draw_counted(seed, 4), seed), search, NULL);
        const sonde_decision *one = NULL;
        const sonde_decision *other = NULL;
        double apart = 0.0;
        assert_int_equal(sonde_agent_search(exact.agent, &one, NULL), SONDE_OK);
        assert_int_equal(sonde_agent_search(bounded.agent, &other, NULL), SONDE_OK);
        for (int32_t u = 0; u < one->n_action; u++) {
            double p = 0.0;
            for (int32_t k = 0; k < other->n_action; k++) {
                p = other->action[k] == one->action[u] ? other->posterior[k] : p;
            }
            apart += 0.5 * fabs(p - one->posterior[u]);
        }
        assert_true(apart <= other->certificate.tv + 1e-12);
        assert_true(other->certificate.tv <= search.epsilon || other->certificate.stopped != NULL);
        lived_free(&exact);
        lived_free(&bounded);
    }
}

static void a_habit_grows_with_every_action_that_is_taken(void **state) {
    (void)state;
    sonde_learn_settings learn = sonde_learn_defaults();
    learn.eta[SONDE_E] = 2.0;
    learn.until = 1;
    lived l = lived_of(with_habits(draw_counted(4, 2), 4), full(), &learn);
    const int32_t outcome[2] = {0, 0};
    const double before = count_of(&l, 0);
    for (int32_t t = 0; t < 5; t++) {
        assert_int_equal(sonde_agent_observe(l.agent, outcome, NULL), SONDE_OK);
        assert_int_equal(sonde_agent_take(l.agent, t == 3 ? 1 : 0, NULL), SONDE_OK);
    }
    assert_near(count_of(&l, 0), before + 8.0, 1e-12);
    assert_near(sonde_agent_learned(l.agent, SONDE_E, 0).added, 10.0, 1e-12);
    sonde_agent_end(l.agent);
    /* a test phase */
    assert_int_equal(sonde_agent_observe(l.agent, outcome, NULL), SONDE_OK);
    assert_int_equal(sonde_agent_take(l.agent, 0, NULL), SONDE_OK);
    assert_near(count_of(&l, 0), before + 8.0, 1e-12);
    lived_free(&l);
}

static void what_is_no_count_of_e_is_refused_by_a_sentence(void **state) {
    (void)state;
    static const struct {
        const char *counts;
        const char *sentence;
    } bad[] = {{"[1, 2]", "counts.E: expected 3 numbers, one for each policy, found 2"},
               {"[0, 0, 0]", "counts.E: expected counts with a sum of more than 0"},
               {"[1, -1, 2]", "counts.E[1]: expected"},
               {"[1, 1e13, 2]", "counts.E[1]: expected a count of at least 0, at most 1e12"},
               {"7", "counts.E: expected a list of counts"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[2048];
        sonde_model *model = NULL;
        sonde_error error = {0};
        (void)snprintf(text, sizeof text, "%s", LISTED);
        char *at = strstr(text, "[1, 2, 1]");
        (void)snprintf(at, sizeof text - (size_t)(at - text), "%s}}", bad[i].counts);
        const sonde_source source = {.origin = "m", .data = text, .size = strlen(text)};
        assert_int_equal(sonde_model_read(&source, NULL, NULL, &model, &error), SONDE_BAD_INPUT);
        if (strstr(error.text, bad[i].sentence) == NULL) {
            fail_msg("expected \"%s\", found \"%s\"", bad[i].sentence, error.text);
        }
    }
}

/* --------------------------------------------------------------------------------- precision -- */

/* The rule of docs/math.md, from the G that a decision shows. */
static double expected_gamma(const sonde_decision *decision, const double *E, double gamma,
                             double alpha, double beta) {
    double least = INFINITY;
    for (int32_t i = 0; i < decision->n_kept; i++) {
        least = fmin(least, decision->kept[i].efe);
    }
    for (int32_t round = 0; round < 16; round++) {
        double mass = 0.0;
        double sum = 0.0;
        for (int32_t i = 0; i < decision->n_kept; i++) {
            const double excess = decision->kept[i].efe - least;
            const double q = (E != NULL ? E[decision->kept[i].index] : 1.0) * exp(-gamma * excess);
            mass += q;
            sum += q * excess;
        }
        gamma = alpha / (beta + sum / mass);
    }
    return gamma;
}

static void gamma_is_what_each_decision_makes_expected(void **state) {
    (void)state;
    sonde_learn_settings learn = sonde_learn_defaults();
    learn.gamma = SONDE_PRECISION_EXPECTED;
    learn.alpha_g = 1.5;
    learn.beta_g = 0.4;
    learn.eta[SONDE_E] = 0.0;
    lived l = lived_of(model_of(LISTED), full(), &learn);
    for (int32_t episode = 0; episode < 2; episode++) {
        double gamma = 1.5 / 0.4;
        for (int32_t t = 0; t < 5; t++) {
            const sonde_decision *decision = decide(&l, &(int32_t){t % 2});
            gamma = expected_gamma(decision, l.model->E, gamma, 1.5, 0.4);
            assert_near(decision->gamma, gamma, 1e-12);
            double mass = 0.0;
            for (int32_t i = 0; i < decision->n_kept; i++) {
                mass += l.model->E[decision->kept[i].index] * exp(-gamma * decision->kept[i].efe);
            }
            for (int32_t i = 0; i < decision->n_kept; i++) {
                const sonde_kept *kept = &decision->kept[i];
                assert_near(kept->posterior,
                            l.model->E[kept->index] * exp(-gamma * kept->efe) / mass, 1e-12);
            }
            (void)sonde_agent_act(l.agent);
        }
        sonde_agent_end(l.agent); /* puts it back */
    }
    lived_free(&l);
}

/* a model without counts: nothing but gamma is learned */
static void gamma_is_expected_where_nothing_else_is_learned(void **state) {
    (void)state;
    json_t *root = json_loads(LISTED, 0, NULL);
    json_object_del(root, "counts");
    json_object_set_new(root, "policies", json_string("all"));
    char *text = json_dumps(root, JSON_REAL_PRECISION(17));
    sonde_learn_settings learn = sonde_learn_defaults();
    learn.gamma = SONDE_PRECISION_EXPECTED;
    lived l = lived_of(model_of(text), full(), &learn);
    const sonde_decision *decision = decide(&l, &(int32_t){0});
    /* beta is 1 / gamma of the model */
    assert_near(decision->gamma, expected_gamma(decision, NULL, 2.0, 1.0, 0.5), 1e-12);
    assert_true(decision->gamma < 2.0);
    lived_free(&l);
    free(text);
    json_decref(root);
}

/* habits weigh each policy by its first action */
static void gamma_is_expected_with_habits_of_first_actions(void **state) {
    (void)state;
    json_t *root = json_loads(LISTED, 0, NULL);
    json_object_set_new(root, "policies", json_string("all"));
    json_object_set_new(root, "counts", json_pack("{s:[f,f]}", "E", 1.0, 9.0));
    char *text = json_dumps(root, JSON_REAL_PRECISION(17));
    sonde_learn_settings learn = sonde_learn_defaults();
    learn.gamma = SONDE_PRECISION_EXPECTED;
    learn.eta[SONDE_E] = 0.0;
    lived l = lived_of(model_of(text), full(), &learn);
    const sonde_decision *decision = decide(&l, &(int32_t){0});
    const double E[4] = {0.1, 0.1, 0.9, 0.9};
    assert_near(decision->gamma, expected_gamma(decision, E, 2.0, 1.0, 0.5), 1e-12);
    lived_free(&l);
    free(text);
    json_decref(root);
}

/* exp(gamma 2000) is no number; what E forbids has no part in it */
static void what_e_forbids_has_no_part_in_gamma_however_good_it_is(void **state) {
    (void)state;
    for (size_t none = 0; none < 3; none++) {
        json_t *root = json_loads(LISTED, 0, NULL);
        json_object_del(root, "counts");
        json_object_set_new(root, "C", json_pack("[[i,i]]", 0, 5000));
        json_object_set_new(root, "preferences", json_string("utility"));
        json_object_set_new(root, "E", json_pack("[f,f,f]", 0.5, 0.5, 0.5));
        json_array_set_new(json_object_get(root, "E"), none, json_real(0.0));
        char *text = json_dumps(root, JSON_REAL_PRECISION(17));
        sonde_learn_settings learn = sonde_learn_defaults();
        learn.gamma = SONDE_PRECISION_EXPECTED;
        lived l = lived_of(model_of(text), full(), &learn);
        const sonde_decision *decision = decide(&l, &(int32_t){0});
        assert_true(decision->gamma > 0.0 && decision->gamma < INFINITY);
        assert_near(posterior_of(decision, none), 0.0, 0.0);
        lived_free(&l);
        free(text);
        json_decref(root);
    }
}

static void gamma_is_not_expected_of_searches_that_leave_policies_out(void **state) {
    (void)state;
    sonde_learn_settings learn = sonde_learn_defaults();
    sonde_error error = {0};
    learn.gamma = SONDE_PRECISION_EXPECTED;
    lived l = lived_of(model_of(LISTED), sonde_search_defaults(), NULL);
    assert_int_equal(sonde_agent_learn(l.agent, &learn, &error), SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "takes G of every policy"));
    lived_free(&l);
    lived other = lived_of(model_of(LISTED), full(), NULL);
    learn.alpha_g = -1.0;
    assert_int_equal(sonde_agent_learn(other.agent, &learn, &error), SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "alpha_g: expected a number above 0"));
    lived_free(&other);
}

static void e_and_gamma_go_on_in_another_agent_in_the_middle_of_an_episode(void **state) {
    (void)state;
    for (int32_t how = 0; how < 2; how++) {
        sonde_learn_settings learn = sonde_learn_defaults();
        learn.gamma = SONDE_PRECISION_EXPECTED;
        learn.when = how == 0 ? SONDE_LEARN_AFTER : SONDE_LEARN_EPISODE;
        lived one = lived_of(model_of(LISTED), full(), &learn);
        lived other = lived_of(model_of(LISTED), full(), &learn);
        double found[2][8];
        for (int32_t t = 0; t < 3; t++) {
            (void)decide(&one, &(int32_t){t % 2});
            (void)sonde_agent_act(one.agent);
        }
        const sonde_agent_memory memory = sonde_agent_memory_get(one.agent);
        assert_int_equal(sonde_agent_memory_set(other.agent, &memory, NULL), SONDE_OK);
        for (int32_t k = 0; k < 2; k++) {
            const lived *l = k == 0 ? &one : &other;
            if (how == 0) {
                found[k][0] = decide(l, &(int32_t){1})->gamma;
                found[k][1] = (double)sonde_agent_act(l->agent);
            } else {
                found[k][0] = found[k][1] = 0.0; /* the decision before counts */
            }
            sonde_agent_end(l->agent);
            for (int32_t i = 0; i < 3; i++) {
                found[k][2 + i] = count_of(l, i);
            }
        }
        assert_memory_equal(found[0], found[1], 5 * sizeof(double));
        lived_free(&one);
        lived_free(&other);
    }
}

/* ------------------------------------------------------------------------------- closed loop -- */

/* after learning, a plan is that of a model with the numbers that were learned */
static void plans_in_closed_loop_have_what_was_learned(void **state) {
    (void)state;
    const sonde_search_kind kinds[] = {SONDE_SEARCH_FULL,  SONDE_SEARCH_BOUNDED,
                                       SONDE_SEARCH_AUTO,  SONDE_SEARCH_PRUNED,
                                       SONDE_SEARCH_DPEFE, SONDE_SEARCH_QMDP};
    for (uint64_t seed = 1; seed <= 36; seed++) {
        sonde_search_settings search = sonde_search_defaults();
        const sonde_learn_settings learn = sonde_learn_defaults();
        search.loop = SONDE_LOOP_CLOSED;
        search.search = kinds[seed % 6];
        lived l = lived_of(draw_counted(seed, 2), search, &learn);
        sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 13);
        for (int32_t t = 0; t < 6; t++) {
            int32_t outcome[2];
            for (int32_t m = 0; m < l.model->n_modality; m++) {
                outcome[m] = draw_below(&rng, l.model->modality[m].n_outcome);
            }
            (void)decide(&l, outcome);
            (void)sonde_agent_act(l.agent);
        }
        sonde_agent_end(l.agent);
        assert_true(sonde_agent_learned(l.agent, SONDE_A, 0).added > 0.1);
        const sonde_decision *decision = NULL;
        assert_int_equal(sonde_agent_search(l.agent, &decision, NULL), SONDE_OK);
        sonde_text text = {0};
        assert_int_equal(sonde_model_write(sonde_agent_policies(l.agent)->model, &text, NULL),
                         SONDE_OK);
        lived fresh = lived_of(model_of(text.data), search, NULL);
        const sonde_decision *wanted = NULL;
        assert_int_equal(sonde_agent_search(fresh.agent, &wanted, NULL), SONDE_OK);
        assert_int_equal(decision->n_action, wanted->n_action);
        for (int32_t i = 0; i < wanted->n_action; i++) {
            assert_near(decision->posterior[i], wanted->posterior[i], 1e-12);
            assert_near(decision->efe_lower[i], wanted->efe_lower[i], 1e-11);
        }
        sonde_text_free(&text);
        lived_free(&fresh);
        lived_free(&l);
    }
}

static void closed_loop_says_what_it_does_not_learn(void **state) {
    (void)state;
    sonde_search_settings search = sonde_search_defaults();
    sonde_learn_settings learn = sonde_learn_defaults();
    sonde_error error = {0};
    search.loop = SONDE_LOOP_CLOSED;
    lived l = lived_of(draw_counted(2, 2), search, NULL);
    learn.support = SONDE_SUPPORT_GROW;
    assert_int_equal(sonde_agent_learn(l.agent, &learn, &error), SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "closed loop has not listed"));
    sonde_agent *agent = NULL;
    search.weights.novelty = SONDE_NOVELTY_JOINT;
    assert_int_equal(sonde_agent_new(l.policies, &search, NULL, &agent, &error),
                     SONDE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "novelty: is not defined for plans that wait"));
    lived_free(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(e_of_listed_policies_grows_by_their_posterior),
        cmocka_unit_test(by_episode_the_last_decision_counts),
        cmocka_unit_test(a_decision_without_an_action_is_learned_from_at_the_end),
        cmocka_unit_test(an_action_taken_elsewhere_needs_a_decision_first),
        cmocka_unit_test(a_habit_weighs_an_action_however_many_policies_begin_with_it),
        cmocka_unit_test(bounded_search_is_certified_with_habits),
        cmocka_unit_test(a_habit_grows_with_every_action_that_is_taken),
        cmocka_unit_test(what_is_no_count_of_e_is_refused_by_a_sentence),
        cmocka_unit_test(gamma_is_what_each_decision_makes_expected),
        cmocka_unit_test(gamma_is_expected_where_nothing_else_is_learned),
        cmocka_unit_test(gamma_is_expected_with_habits_of_first_actions),
        cmocka_unit_test(what_e_forbids_has_no_part_in_gamma_however_good_it_is),
        cmocka_unit_test(gamma_is_not_expected_of_searches_that_leave_policies_out),
        cmocka_unit_test(e_and_gamma_go_on_in_another_agent_in_the_middle_of_an_episode),
        cmocka_unit_test(plans_in_closed_loop_have_what_was_learned),
        cmocka_unit_test(closed_loop_says_what_it_does_not_learn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
