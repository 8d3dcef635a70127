/* The precision that is expected of G, and the posterior of each policy, against sums over all of
 * them. */
#include <math.h>

#include "random_models.h"
#include "search/search.h"
#include "models.h"
#include "stages.h"

enum { N_ROUND = 16 };

/* ------------------------------------------------------------------------------- a search -- */

/* a search, opened by hand, and what is noted of its decision */
typedef struct {
    sonde__search *search;
    sonde__arena arena;
    sonde__watch watch;
    double gamma;
    double *chance;
} watched;

static watched watched_new(const setting *s, const sonde_search_settings *settings, bool expected) {
    watched w = {.gamma = settings->gamma};
    const sonde_run run = threads(1);
    const uint64_t n = sonde_policies_size(s->policies, s->origin);
    sonde_error error = {0};
    w.search = room(sonde__search_size(s->policies, (int32_t)settings->search), 1);
    if (sonde__search_open(w.search, s->policies, settings, &run, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    sonde__search_carve(w.search, &w.arena);
    assert_true(sonde__arena_reserve(&w.arena));
    sonde__search_carve(w.search, &w.arena);
    w.chance = room(n, sizeof *w.chance);
    w.watch = (sonde__watch){.n = n,
                             .efe = room(n, sizeof(double)),
                             .first = room(n, sizeof(int32_t)),
                             .expected = expected,
                             .alpha = 2.0,
                             .beta = 0.5};
    return w;
}

static void watched_free(watched *w) {
    sonde__search_close(w->search);
    sonde__arena_free(&w->arena);
    free(w->search);
    free(w->watch.efe);
    free(w->watch.first);
    free(w->chance);
}

static void decide(watched *w, const setting *s) {
    w->watch.gamma = &w->gamma;
    sonde__search_watch(w->search, &w->watch);
    assert_int_equal(sonde__search_decide(w->search, setting_now(s), s->origin, 0), SONDE_OK);
    assert_true(w->watch.noted);
    sonde__search_chances(w->search, w->chance);
}

/* -------------------------------------------------------------------------- the long way -- */

/* E of each policy, up to a factor. */
static double *priors_of(const setting *s, int32_t n) {
    double *prior = room((uint64_t)n, sizeof *prior);
    int32_t *walk = room((uint64_t)s->policies->horizon + 1, sizeof *walk);
    for (int32_t i = 0; i < n; i++) {
        sonde_policies_get(s->policies, s->origin, (uint64_t)i, walk, NULL);
        prior[i] = s->model->E != NULL       ? s->model->E[i]
                   : s->model->habit != NULL ? s->model->habit[walk[1]]
                                             : 1.0;
    }
    free(walk);
    return prior;
}

/* Q ~ E exp(-gamma G), of those that are not infinite; the mean of G - min G. */
static double posterior_of(int32_t n, const double *efe, const double *prior, double gamma,
                           double *chance) {
    double least = INFINITY;
    double sum = 0.0;
    double excess = 0.0;
    for (int32_t i = 0; i < n; i++) {
        least = prior[i] > 0.0 ? fmin(least, efe[i]) : least;
    }
    for (int32_t i = 0; i < n; i++) {
        chance[i] = prior[i] > 0.0 ? prior[i] * exp(-gamma * (efe[i] - least)) : 0.0;
        sum += chance[i];
    }
    for (int32_t i = 0; i < n; i++) {
        chance[i] /= sum;
        excess += chance[i] > 0.0 ? chance[i] * (efe[i] - least) : 0.0;
    }
    return excess;
}

/* Whether what a decision noted is what sums over all policies say; how many it looked at. */
static int32_t assert_decided(const setting *s, const watched *w, double gamma, double beta) {
    int32_t n = 0;
    int32_t n_seen = 0;
    double *efe = setting_efe(s, &n);
    double *prior = priors_of(s, n);
    double *chance = room((uint64_t)n, sizeof *chance);
    for (int32_t i = 0; i < n; i++) {
        if (w->watch.efe[i] < INFINITY) {
            assert_near(w->watch.efe[i], efe[i], 1e-11 * (1.0 + fabs(efe[i])));
            n_seen++;
        } else {
            efe[i] = INFINITY;
        }
    }
    for (int32_t round = 0; w->watch.expected && round < N_ROUND; round++) {
        gamma = w->watch.alpha / (beta + posterior_of(n, efe, prior, gamma, chance));
    }
    assert_near(w->gamma, gamma, 1e-8 * (1.0 + gamma));
    (void)posterior_of(n, efe, prior, gamma, chance);
    for (int32_t i = 0; i < n; i++) {
        assert_near(w->chance[i], chance[i], 1e-7);
    }
    free(chance);
    free(prior);
    free(efe);
    return n_seen;
}

/* ---------------------------------------------------------------------------------- tests -- */

static sonde_search_settings settings_of(sonde_search_kind search, double gamma) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = search;
    settings.gamma = gamma;
    return settings;
}

static void precision_is_expected_of_every_policy(void **state) {
    (void)state;
    int32_t n_prior = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED | DRAW_LISTED, 200);
        const sonde_search_settings settings = settings_of(SONDE_SEARCH_FULL, 0.5);
        watched w = watched_new(&s, &settings, true);
        decide(&w, &s);
        assert_decided(&s, &w, settings.gamma, w.watch.beta);
        n_prior += s.model->E != NULL;
        watched_free(&w);
        setting_free(&s);
    }
    assert_true(n_prior > 2);
}

static void each_policy_that_was_looked_at_has_its_share_and_no_other(void **state) {
    (void)state;
    int32_t n_part = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED | DRAW_LISTED, 200);
        sonde_search_settings settings = settings_of(SONDE_SEARCH_RANDOM, 0.7);
        settings.budget = 5 * (uint64_t)s.policies->horizon;
        watched w = watched_new(&s, &settings, false);
        decide(&w, &s);
        const int32_t n_seen = assert_decided(&s, &w, settings.gamma, 0.0);
        n_part += n_seen < (int32_t)w.watch.n;
        watched_free(&w);
        setting_free(&s);
    }
    assert_true(n_part > 50);
}

/* Policies of other first actions count by the habits of those. */
static void habits_count_in_the_posterior_of_each_policy(void **state) {
    (void)state;
    setting s = setting_of(
        model_of("{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 2,"
                 " \"factors\": [{\"states\": 2, \"actions\": 3}],"
                 " \"modalities\": [{\"outcomes\": 2}], \"A\": [[[0.9, 0.2], [0.1, 0.8]]],"
                 " \"B\": [[[[1, 0.3, 0.5], [0, 0.6, 0.5]], [[0, 0.7, 0.5], [1, 0.4, 0.5]]]],"
                 " \"C\": [[0, 1]], \"D\": [[1, 0]], \"counts\": {\"E\": [1, 5, 2]}}"));
    assert_non_null(s.model->habit);
    for (int32_t expected = 0; expected < 2; expected++) {
        const sonde_search_settings settings = settings_of(SONDE_SEARCH_FULL, 0.5);
        watched w = watched_new(&s, &settings, expected == 1);
        decide(&w, &s);
        assert_int_equal(assert_decided(&s, &w, settings.gamma, w.watch.beta), 9);
        watched_free(&w);
    }
    setting_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(precision_is_expected_of_every_policy),
        cmocka_unit_test(each_policy_that_was_looked_at_has_its_share_and_no_other),
        cmocka_unit_test(habits_count_in_the_posterior_of_each_policy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
