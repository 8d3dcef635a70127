/* What pymdp's agents believed, planned and learned in recorded runs, ours do under their rules. */
#include <float.h>

#include "recorded.h"

/* a recorded run while it is lived again */
typedef struct {
    json_t *root;
    const json_t *settings;
    bool legacy;
    sonde_model *model;
    sonde_policies *policies;
    sonde_agent *agent;
    double log_likelihood;
    int32_t n_novelty; /* steps whose novelty was compared */
    bool keeps;        /* structural zeros, which the recorded run did not */
} life;

/* The settings of the search: every policy is scored, and shown. */
static sonde_search_settings search_of(const life *l) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = SONDE_SEARCH_FULL;
    settings.alpha = real(l->settings, "alpha");
    settings.per_factor = true;
    settings.inference = l->legacy ? SONDE_INFERENCE_PYMDP_LEGACY : SONDE_INFERENCE_PYMDP;
    settings.n_keep = 1000;
    /* without counts of A and B it adds nothing in 0.0.7.1, and here it is refused */
    const json_t *from = json_object_get(l->root, "model");
    if (flag(l->settings, "use_param_info_gain") && (json_is_array(json_object_get(from, "pA")) ||
                                                     json_is_array(json_object_get(from, "pB")))) {
        settings.weights.novelty = l->legacy ? SONDE_NOVELTY_INVERSE : SONDE_NOVELTY_PRODUCT;
    }
    return settings;
}

/* Which of n things a list of numbers names; all of them where it is no list. */
static void choose(const json_t *list, int32_t n, bool *chosen) {
    for (int32_t i = 0; i < n; i++) {
        chosen[i] = !json_is_array(list);
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        chosen[whole_at(list, i)] = true;
    }
}

static void let_learn(life *l) {
    sonde_learn_settings learn = sonde_learn_defaults();
    bool modality[SONDE_FACTORS_MAX];
    bool factor[SONDE_FACTORS_MAX];
    sonde_error error = {0};
    choose(json_object_get(l->settings, "modalities_to_learn"), l->model->n_modality, modality);
    choose(json_object_get(l->settings, "factors_to_learn"), l->model->n_factor, factor);
    /* 1.0 leaves arrays alone that it does not learn, which are then not made anew as means */
    for (int32_t m = 0; !l->legacy && m < l->model->n_modality; m++) {
        modality[m] = flag(l->settings, "learn_A");
    }
    for (int32_t f = 0; !l->legacy && f < l->model->n_factor; f++) {
        factor[f] = flag(l->settings, "learn_B");
    }
    learn.modality = modality;
    learn.factor = factor;
    const char *order = json_string_value(json_object_get(l->settings, "order"));
    const char *D_from = json_string_value(json_object_get(l->settings, "D_from"));
    learn.when =
        order != NULL && strncmp(order, "learn", 5) == 0 ? SONDE_LEARN_BEFORE : SONDE_LEARN_AFTER;
    learn.beliefs_D = D_from != NULL && strncmp(D_from, "last", 4) == 0 ? SONDE_BELIEFS_LAST
                                                                        : SONDE_BELIEFS_FILTERED;
    learn.support = l->legacy || l->keeps ? SONDE_SUPPORT_KEEP : SONDE_SUPPORT_GROW;
    learn.least = l->legacy ? 0.0 : DBL_EPSILON;
    learn.eta[SONDE_A] = flag(l->settings, "learn_A") ? real(l->settings, "lr_pA") : 0.0;
    learn.eta[SONDE_B] = flag(l->settings, "learn_B") ? real(l->settings, "lr_pB") : 0.0;
    learn.eta[SONDE_D] =
        l->legacy && flag(l->settings, "learn_D") ? real(l->settings, "lr_pD") : 0.0;
    bool any = l->legacy;
    for (int32_t m = 0; m < l->model->n_modality; m++) {
        any = any || modality[m];
    }
    for (int32_t f = 0; f < l->model->n_factor; f++) {
        any = any || factor[f];
    }
    if (any && sonde_agent_learn(l->agent, &learn, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
}

static life begin(const char *name, bool keeps) {
    life l = {.root = recorded(name), .keeps = keeps};
    sonde_error error = {0};
    l.settings = json_object_get(l.root, "settings");
    l.legacy = strcmp(json_string_value(json_object_get(l.settings, "rules")), "pymdp-legacy") == 0;
    json_t *document = document_of(l.root);
    json_object_set_new(document, "preferences", json_string(l.legacy ? "log" : "utility"));
    json_object_set_new(document, "information",
                        json_string(l.legacy ? "pymdp-legacy" : "per-modality"));
    list_policies(l.root, document);
    char *text = json_dumps(document, JSON_REAL_PRECISION(17));
    l.model = model_of(text);
    free(text);
    json_decref(document);
    const sonde_search_settings settings = search_of(&l);
    assert_int_equal(sonde_policies_count(l.model, 0, NULL, &l.policies, NULL), SONDE_OK);
    if (sonde_agent_new(l.policies, &settings, NULL, &l.agent, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    let_learn(&l);
    return l;
}

static void end(life *l) {
    assert_near(l->log_likelihood, real(l->root, "log_likelihood"), 1e-8);
    assert_true(l->n_novelty > 0 || !flag(l->settings, "use_param_info_gain"));
    sonde_agent_free(l->agent);
    sonde_policies_free(l->policies);
    sonde_model_free(l->model);
    json_decref(l->root);
}

static void compare_counts(const life *l, sonde_letter letter, const json_t *wanted) {
    for (size_t i = 0; json_is_array(wanted) && i < json_array_size(wanted); i++) {
        const int64_t n = sonde_agent_counts(l->agent, letter, (int32_t)i, NULL);
        double *counts = room((uint64_t)n + 1, sizeof *counts);
        (void)sonde_agent_counts(l->agent, letter, (int32_t)i, counts);
        if (n > 0) {
            assert_recorded("counts", json_array_get(wanted, i), n, counts, 1e-12);
        }
        free(counts);
    }
}

/* G and the posterior of every policy, and the chances of actions. */
static void compare_decision(life *l, const json_t *step, const sonde_decision *decision,
                             const int32_t *tuple) {
    const json_t *wanted = json_object_get(step, "neg_efe");
    const json_t *p = json_object_get(step, "p_action");
    assert_int_equal(decision->n_kept, json_array_size(wanted));
    for (int32_t i = 0; i < decision->n_kept; i++) {
        const sonde_kept *kept = &decision->kept[i];
        assert_recorded("G", json_array_get(wanted, kept->index), 1, &(double){-kept->efe}, 1e-9);
        assert_recorded("q_pi", json_array_get(json_object_get(step, "q_pi"), kept->index), 1,
                        &kept->posterior, 1e-9);
    }
    const json_t *gained = json_object_get(step, "novelty_A_B");
    if (json_is_array(gained)) {
        /* [A, B] of every policy */
        const json_t *best = json_array_get(gained, decision->best);
        double parts[2] = {0.0, 0.0};
        if (json_is_array(best) && flatten(best, NULL) == 2) {
            (void)flatten(best, parts);
            assert_near(decision->best_efe.term[SONDE_NOVELTY], parts[0] + parts[1], 1e-9);
            l->n_novelty++;
        }
    }
    const double *marginal = decision->marginal;
    for (int32_t f = 0; f < l->model->n_factor; f++) {
        const int32_t n = l->model->factor[f].n_action;
        double power[64];
        double sum = 0.0;
        for (int32_t u = 0; u < n; u++) {
            const double theirs = l->legacy ? marginal[u] + 1e-16 : fmax(marginal[u], DBL_EPSILON);
            power[u] = pow(theirs, real(l->settings, "alpha"));
            sum += power[u];
        }
        for (int32_t u = 0; u < n; u++) {
            power[u] /= sum;
        }
        assert_recorded("p", json_array_get(p, (size_t)f), n, power, 1e-9);
        l->log_likelihood += log(power[tuple[f]]);
        marginal += n;
    }
}

static void live(life *l, const json_t *step, bool last) {
    const json_t *seen = json_object_get(step, "observation");
    int32_t outcome[SONDE_FACTORS_MAX] = {0};
    int32_t tuple[SONDE_FACTORS_MAX] = {0};
    const sonde_decision *decision = NULL;
    sonde_error error = {0};
    for (size_t m = 0; m < json_array_size(seen); m++) {
        outcome[m] = (int32_t)whole_at(seen, m);
    }
    for (int32_t f = 0; f < l->model->n_factor; f++) {
        tuple[f] = (int32_t)whole_at(json_object_get(step, "action"), (size_t)f);
    }
    assert_recorded("prior", json_object_get(step, "prior"), l->model->n_belief,
                    sonde_agent_memory_get(l->agent).prior, 1e-12);
    assert_int_equal(sonde_agent_observe(l->agent, outcome, &error), SONDE_OK);
    assert_recorded("belief", json_object_get(step, "qs"), l->model->n_belief,
                    sonde_agent_memory_get(l->agent).belief, 1e-12);
    assert_int_equal(sonde_agent_search(l->agent, &decision, &error), SONDE_OK);
    compare_decision(l, step, decision, tuple);
    assert_int_equal(sonde_agent_take(l->agent, sonde_model_from_tuple(l->model, tuple), &error),
                     SONDE_OK);
    compare_counts(l, SONDE_A, json_object_get(step, "pA"));
    compare_counts(l, SONDE_B, json_object_get(step, "pB"));
    if (last) {
        sonde_agent_end(l->agent);
        compare_counts(l, SONDE_D, json_object_get(step, "pD_after_episode"));
    }
}

static void assert_lived(const char *name) {
    life l = begin(name, false);
    const json_t *steps = json_object_get(l.root, "steps");
    const size_t n = json_array_size(steps);
    for (size_t i = 0; i < n; i++) {
        const json_t *next = json_array_get(steps, i + 1);
        const json_t *step = json_array_get(steps, i);
        live(&l, step, next == NULL || real(next, "episode") != real(step, "episode"));
    }
    end(&l);
}

/* 20 steps add as much as was seen, less what structural zeros did not take in */
static void structural_zeros_take_in_what_is_told_as_masked(void **state) {
    (void)state;
    life l = begin("multi-AB.pymdp-1.0.4", true);
    const json_t *steps = json_object_get(l.root, "steps");
    const double eta_A = real(l.settings, "lr_pA");
    const double eta_B = real(l.settings, "lr_pB");
    int32_t n_transition = 0;
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *step = json_array_get(steps, i);
        const json_t *next = json_array_get(steps, i + 1);
        int32_t outcome[SONDE_FACTORS_MAX] = {0};
        int32_t tuple[SONDE_FACTORS_MAX] = {0};
        for (int32_t m = 0; m < l.model->n_modality; m++) {
            outcome[m] = (int32_t)whole_at(json_object_get(step, "observation"), (size_t)m);
        }
        for (int32_t f = 0; f < l.model->n_factor; f++) {
            tuple[f] = (int32_t)whole_at(json_object_get(step, "action"), (size_t)f);
        }
        assert_int_equal(sonde_agent_observe(l.agent, outcome, NULL), SONDE_OK);
        assert_int_equal(sonde_agent_take(l.agent, sonde_model_from_tuple(l.model, tuple), NULL),
                         SONDE_OK);
        if (next == NULL || real(next, "episode") != real(step, "episode")) {
            sonde_agent_end(l.agent);
        } else {
            n_transition++;
        }
    }
    const double n_seen = (double)json_array_size(steps);
    static const double added[] = {9.18, 9.48};
    for (int32_t m = 0; m < 2; m++) {
        const sonde_learned A = sonde_agent_learned(l.agent, SONDE_A, m);
        assert_near(A.added, added[m], 0.005);
        assert_near(A.added + A.masked, eta_A * n_seen, 1e-12);
    }
    double least = INFINITY;
    for (int32_t f = 0; f < l.model->n_factor; f++) {
        const sonde_learned B = sonde_agent_learned(l.agent, SONDE_B, f);
        if (B.n_event > 0) {
            assert_near(B.added + B.masked, eta_B * n_transition, 1e-12);
            least = fmin(least, B.added);
        }
    }
    assert_near(least, 12.96, 0.005);
    sonde_agent_free(l.agent);
    sonde_policies_free(l.policies);
    sonde_model_free(l.model);
    json_decref(l.root);
}

/* Windows are lived by test_learn_smoothed.c. */
static void assert_lived_at_once(const char *name) {
    if (strstr(name, "-window-") == NULL) {
        assert_lived(name);
    }
}

static void agents_of_pymdp_are_lived_again(void **state) {
    (void)state;
    assert_in_range(for_recorded("*.pymdp-1.*", assert_lived_at_once), 1, INT32_MAX);
}

static void agents_of_legacy_pymdp_are_lived_again(void **state) {
    (void)state;
    assert_in_range(for_recorded("*.pymdp-0.*", assert_lived_at_once), 1, INT32_MAX);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agents_of_pymdp_are_lived_again),
        cmocka_unit_test(agents_of_legacy_pymdp_are_lived_again),
        cmocka_unit_test(structural_zeros_take_in_what_is_told_as_masked),
    };
    recorded_folder = argc > 1 ? argv[1] : recorded_folder;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
