/* The best policies that a search scored. */
#include <math.h>
#include <stdlib.h>

#include "random_models.h"
#include "stages.h"

/* Indices and G of all policies, the best first. */
typedef struct {
    double efe;
    uint64_t index;
} scored;

static int compare(const void *a, const void *b) {
    const scored *x = a;
    const scored *y = b;
    return x->efe != y->efe ? (x->efe < y->efe ? -1 : 1) : x->index < y->index ? -1 : 1;
}

static const sonde_search_kind kinds[] = {SONDE_SEARCH_FULL,      SONDE_SEARCH_CLUSTER,
                                          SONDE_SEARCH_RANDOM,    SONDE_SEARCH_BEAM,
                                          SONDE_SEARCH_SURROGATE, SONDE_SEARCH_TREE};

typedef struct {
    sonde_agent *agent;
    const sonde_decision *decision;
} deciding;

static deciding planned(const sonde_model *model, sonde_search_kind kind, int32_t n_keep) {
    sonde_search_settings settings = sonde_search_defaults();
    deciding made = {0};
    settings.search = kind;
    settings.n_keep = n_keep;
    settings.cluster.k = 3;
    assert_int_equal(sonde_plan(model, NULL, &settings, NULL, &made.agent, &made.decision, NULL),
                     SONDE_OK);
    return made;
}

static void full_search_keeps_the_best_of_all(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        space s = space_random(4, seed, SONDE_SYMMETRIC);
        const int32_t start = s.model->graph->start;
        const uint64_t n = sonde_policies_size(s.policies, start);
        double *efe = calloc(n, sizeof *efe);
        scored *all = calloc(n, sizeof *all);
        const sonde_range range = {start, 0, n};
        assert_int_equal(
            sonde_efe_range(s.policies, (sonde_present){.state = start}, range, NULL, efe, NULL),
            SONDE_OK);
        for (uint64_t i = 0; i < n; i++) {
            all[i] = (scored){efe[i], i};
        }
        qsort(all, n, sizeof *all, compare);
        deciding made = planned(s.model, SONDE_SEARCH_FULL, 7);
        const sonde_decision *d = made.decision;
        assert_int_equal(d->n_kept, n < 7 ? (int32_t)n : 7);
        for (int32_t i = 0; i < d->n_kept; i++) {
            assert_true(d->kept[i].index == all[i].index);
            assert_true(d->kept[i].efe == all[i].efe);
        }
        sonde_agent_free(made.agent);
        free(all);
        free(efe);
        space_free(&s);
    }
}

/* What any search keeps is in order, has the G that it says, and adds up with the rest. */
static void check(const deciding *made, const sonde_model *model) {
    const sonde_decision *d = made->decision;
    const double gamma = sonde_agent_settings(made->agent)->gamma;
    double sum = d->rest;
    assert_true(d->n_kept > 0);
    for (int32_t i = 0; i < d->n_kept; i++) {
        const sonde_kept *kept = &d->kept[i];
        const sonde_walks one = {1, model->horizon, kept->walk};
        const sonde_present now = {.state = d->state, .belief = d->belief};
        sonde_efe total;
        const sonde_scores scores = {.total = &total};
        assert_int_equal(sonde_efe_walks(model, now, &one, NULL, &scores, NULL), SONDE_OK);
        assert_true(fabs(total.efe - kept->efe) <= 1e-9 * (1.0 + fabs(total.efe)));
        assert_true(i == 0 || d->kept[i - 1].efe <= kept->efe);
        assert_true(sonde_policies_find(sonde_agent_policies(made->agent), d->origin, kept->walk) ==
                    kept->index);
        const double mass = exp(0.0 - gamma * kept->efe - d->log_evidence);
        assert_true(fabs(kept->posterior - mass) <= 1e-9 * (1.0 + mass));
        sum += kept->posterior;
    }
    assert_true(fabs(sum - 1.0) < 1e-6);
    assert_true(fabs(d->kept[0].efe - d->best_efe.efe) <= 1e-9 * (1.0 + fabs(d->best_efe.efe)));
}

static void what_a_search_keeps_is_what_it_scored(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        space s = space_random(4, seed, SONDE_SYMMETRIC);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            deciding made = planned(s.model, kinds[k], 5);
            check(&made, s.model);
            sonde_agent_free(made.agent);
        }
        deciding made = planned(s.model, SONDE_SEARCH_BOUNDED, 5);
        check(&made, s.model);
        sonde_agent_free(made.agent);
        space_free(&s);
    }
}

/* E exp(-gamma G) of every listed policy, E being 0 for some, however good they are. */
static void what_is_kept_of_a_list_has_its_share_of_the_posterior(void **state) {
    (void)state;
    int32_t n_list = 0;
    for (uint64_t seed = 0; seed < 150; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_LISTED, 400.0);
        const double *E = s.model->E;
        const double gamma = seed % 3 == 0 ? 1.0 : 2000.0;
        for (int32_t i = 0; E != NULL && i < s.model->n_policy; i++) {
            sonde_search_settings settings = sonde_search_defaults();
            settings.search = SONDE_SEARCH_FULL;
            settings.gamma = gamma;
            settings.n_keep = 1 + i;
            sonde_agent *agent = NULL;
            const sonde_decision *d = NULL;
            double mass = 0.0;
            double sum = 0.0;
            double least = INFINITY;
            int32_t n = 0;
            assert_int_equal(sonde_agent_new(s.policies, &settings, NULL, &agent, NULL), SONDE_OK);
            assert_int_equal(sonde_agent_believe(agent, s.belief, NULL), SONDE_OK);
            assert_int_equal(sonde_agent_search(agent, &d, NULL), SONDE_OK);
            double *efe = setting_efe(&s, &n);
            for (int32_t k = 0; k < n; k++) {
                least = E[k] > 0.0 ? fmin(least, efe[k]) : least;
            }
            for (int32_t k = 0; k < n; k++) {
                mass += E[k] > 0.0 ? E[k] * exp(gamma * (least - efe[k])) : 0.0;
            }
            assert_int_equal(d->n_kept, 1 + i);
            for (int32_t k = 0; k < d->n_kept; k++) {
                const uint64_t at = d->kept[k].index;
                const double p = E[at] > 0.0 ? E[at] * exp(gamma * (least - efe[at])) / mass : 0.0;
                assert_near(d->kept[k].posterior, p, 1e-6);
                sum += p;
            }
            assert_near(d->rest, 1.0 - sum, 1e-6);
            free(efe);
            sonde_agent_free(agent);
            n_list++;
        }
        setting_free(&s);
    }
    assert_true(n_list > 300);
}

static void bounded_search_keeps_the_policies_that_it_completed(void **state) {
    (void)state;
    sonde_model *model = NULL;
    assert_int_equal(sonde_model_read(&(const sonde_source){.origin = SONDE_TEST_DATA
                                                            "/../../examples/models/grid5.json"},
                                      NULL, NULL, &model, NULL),
                     SONDE_OK);
    deciding made = planned(model, SONDE_SEARCH_BOUNDED, 1000);
    check(&made, model);
    assert_true((uint64_t)made.decision->n_kept == made.decision->evaluations.n_policy);
    sonde_agent_free(made.agent);
    sonde_model_free(model);
}

static void nothing_is_kept_unless_asked_for(void **state) {
    (void)state;
    space s = space_random(4, 3, SONDE_SYMMETRIC);
    deciding made = planned(s.model, SONDE_SEARCH_FULL, 0);
    assert_int_equal(made.decision->n_kept, 0);
    assert_null(made.decision->kept);
    assert_true(made.decision->rest == 0.0);
    sonde_agent_free(made.agent);
    space_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_search_keeps_the_best_of_all),
        cmocka_unit_test(what_a_search_keeps_is_what_it_scored),
        cmocka_unit_test(what_is_kept_of_a_list_has_its_share_of_the_posterior),
        cmocka_unit_test(bounded_search_keeps_the_policies_that_it_completed),
        cmocka_unit_test(nothing_is_kept_unless_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
