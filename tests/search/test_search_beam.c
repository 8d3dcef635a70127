/* Beam search: the plain list of prefixes, cut at every step; as wide as the space it is full
 * search. */
#include "efe/efe.h"
#include "search/baselines.h"

static sonde_search_settings with(double gamma, int32_t width) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = SONDE_SEARCH_BEAM;
    settings.gamma = gamma;
    settings.n_beam = width;
    return settings;
}

/* --------------------------------------------------------------------------------- the twin -- */

/* all prefixes of one length, in policy order */
typedef struct {
    int32_t n;
    int32_t *walk; /* (n, T + 1) */
    double *efe;   /* (n) */
} list;

/* G of the first t steps, from scratch. */
static double efe_of(const sonde_policies *policies, const double *belief, const int32_t *walk,
                     int32_t t) {
    const sonde_model *model = policies->model;
    double sum = 0.0;
    if (model->graph != NULL) {
        int32_t here = model->graph->start;
        for (int32_t i = 1; i <= t; i++) {
            here = here == walk[i - 1] ? walk[i] : model->graph->self[model->graph->head[here]];
            sum += model->step[here];
        }
        return sum;
    }
    double *now = room((uint64_t)model->n_belief, sizeof *now);
    double *next = room((uint64_t)model->n_belief, sizeof *next);
    double *scratch = room(sonde__efe_scratch(model), sizeof *scratch);
    memcpy(now, belief, (size_t)model->n_belief * sizeof *now);
    for (int32_t i = 1; i <= t; i++) {
        sonde_efe step;
        sonde_belief_predict(model, walk[i], now, next, NULL);
        sonde__efe_step(model, &(sonde__move){i, 0, next, next}, scratch, &step);
        sum += step.efe;
        memcpy(now, next, (size_t)model->n_belief * sizeof *now);
    }
    free(scratch);
    free(next);
    free(now);
    return sum;
}

/* Every different beginning of t steps among all policies of the origin that continues a kept
 * one. */
static list extend(const sonde_policies *policies, int32_t origin, const list *kept, int32_t t,
                   const double *belief) {
    const int32_t n_walk = policies->horizon + 1;
    const uint64_t n = sonde_policies_size(policies, origin);
    list l = {.walk = room(n * (uint64_t)n_walk, sizeof *l.walk), .efe = room(n, sizeof *l.efe)};
    for (uint64_t i = 0; i < n; i++) {
        int32_t *walk = l.walk + (int64_t)l.n * n_walk;
        sonde_policies_get(policies, origin, i, walk, NULL);
        const bool seen =
            l.n > 0 && memcmp(walk - n_walk, walk, ((size_t)t + 1) * sizeof *walk) == 0;
        bool continues = t == 1;
        for (int32_t k = 0; k < kept->n && !continues; k++) {
            continues =
                memcmp(kept->walk + (int64_t)k * n_walk, walk, (size_t)t * sizeof *walk) == 0;
        }
        if (!seen && continues) {
            l.efe[l.n++] = efe_of(policies, belief, walk, t);
        }
    }
    return l;
}

static void list_free(list *l) {
    free(l->efe);
    free(l->walk);
}

/* Keeps the `width` best, the first of equal ones; false where it is a close call. */
static bool cut(list *l, int32_t width, int32_t n_walk) {
    while (l->n > width) {
        int32_t worst = 0;
        for (int32_t i = 1; i < l->n; i++) {
            worst = l->efe[i] >= l->efe[worst] ? i : worst;
        }
        for (int32_t i = 0; i < l->n; i++) {
            const double apart = fabs(l->efe[i] - l->efe[worst]);
            if (i != worst && apart < 1e-9) {
                return false;
            }
        }
        memmove(l->efe + worst, l->efe + worst + 1, (size_t)(l->n - worst - 1) * sizeof *l->efe);
        memmove(l->walk + (int64_t)worst * n_walk, l->walk + (int64_t)(worst + 1) * n_walk,
                (size_t)(l->n - worst - 1) * (size_t)n_walk * sizeof *l->walk);
        l->n--;
    }
    return true;
}

/* Compares with the plain list; false where rounding may decide. */
static bool compare(const sonde_policies *policies, const thought *t, const double *belief,
                    const sonde_search_settings *settings) {
    const int32_t origin = t->decision->origin;
    list kept = {0};
    for (int32_t step = 1; step <= policies->horizon; step++) {
        list next = extend(policies, origin, &kept, step, belief);
        list_free(&kept);
        kept = next;
        if (step < policies->horizon && !cut(&kept, settings->n_beam, policies->horizon + 1)) {
            list_free(&kept);
            return false;
        }
    }
    uint64_t *index = room((uint64_t)kept.n, sizeof *index);
    for (int32_t i = 0; i < kept.n; i++) {
        index[i] =
            sonde_policies_find(policies, origin, kept.walk + (int64_t)i * (policies->horizon + 1));
    }
    assert_int_equal(t->decision->evaluations.n_policy, kept.n);
    assert_posterior_of(policies, t, settings->gamma, (uint64_t)kept.n, index, kept.efe);
    const bool all = (uint64_t)kept.n == sonde_policies_size(policies, origin);
    assert_certified(t->decision, all);
    free(index);
    list_free(&kept);
    return true;
}

/* -------------------------------------------------------------------------------- the tests -- */

static void it_keeps_the_best_beginnings_of_worlds(void **state) {
    (void)state;
    int32_t n_compared = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        space s = space_new(world_of_horizon(3 + (int32_t)(seed % 2), seed, 3));
        sonde_search_settings settings = with(0.02, 1 + (int32_t)(seed % 7));
        settings.scope = (sonde_scope)(seed / 2 % 2);
        thought t = think(&s, &settings, NULL);
        n_compared += compare(s.policies, &t, NULL, &settings);
        thought_free(&t);
        space_free(&s);
    }
    assert_true(n_compared > 40);
}

static void it_keeps_the_best_beginnings_of_models(void **state) {
    (void)state;
    int32_t n_compared = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED, 300.0);
        sonde_search_settings settings = with(0.7, 1 + (int32_t)(seed % 9));
        thought t = think_from(s.policies, &settings);
        sonde_belief_initial(s.model, s.belief);
        n_compared += compare(s.policies, &t, s.belief, &settings);
        thought_free(&t);
        setting_free(&s);
    }
    assert_true(n_compared > 100);
}

static void as_wide_as_the_space_it_is_full_search(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 120; seed++) {
        sonde_search_settings settings = with(0.05, INT32_MAX);
        settings.scope = (sonde_scope)(seed % 2);
        space s = space_random(3 + (int32_t)(seed / 4 % 2), seed, (sonde_connect)(seed / 2 % 2));
        thought beam = think(&s, &settings, NULL);
        settings.search = SONDE_SEARCH_FULL;
        thought full = think(&s, &settings, NULL);
        assert_decided_alike(beam.decision, full.decision, s.policies->horizon);
        assert_int_equal(beam.decision->evaluations.n_step, full.decision->evaluations.n_step);
        assert_certified(beam.decision, true);
        thought_free(&full);
        thought_free(&beam);
        space_free(&s);
        setting m = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED | DRAW_LISTED, 300.0);
        settings.scope = SONDE_LOCAL;
        full = think_from(m.policies, &settings);
        settings.search = SONDE_SEARCH_BEAM;
        beam = think_from(m.policies, &settings);
        assert_int_equal(beam.decision->n_action, full.decision->n_action);
        for (int32_t i = 0; i < full.decision->n_action; i++) {
            assert_near(beam.decision->posterior[i], full.decision->posterior[i], 1e-9);
        }
        assert_certified(beam.decision, true);
        thought_free(&full);
        thought_free(&beam);
        setting_free(&m);
    }
}

static void no_space_is_too_large(void **state) {
    (void)state;
    for (int32_t scope = 0; scope < 2; scope++) {
        space s = space_new(world_of_horizon(12, 2, 100));
        sonde_search_settings settings = with(1.0, 50);
        settings.scope = (sonde_scope)scope;
        thought t = think(&s, &settings, NULL);
        assert_true(t.decision->evaluations.n_policy >= 50);
        assert_true(t.decision->best == UINT64_MAX);
        sonde_efe total;
        walk_efe(s.model, s.graph->start, t.decision->best_walk, NULL, NULL, &total);
        assert_near(total.efe, t.decision->best_efe.efe, 0.0);
        assert_certified(t.decision, false);
        thought_free(&t);
        space_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_keeps_the_best_beginnings_of_worlds),
        cmocka_unit_test(it_keeps_the_best_beginnings_of_models),
        cmocka_unit_test(as_wide_as_the_space_it_is_full_search),
        cmocka_unit_test(no_space_is_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
