/* Certified search with novelty: never above what is to come, and what full search finds. */
/* long */
#include "counted.h"
#include "efe/efe_score.h"

enum { HORIZON = 4, N_MODEL = 300 };

/* one model with one form of novelty, and G of all its policies */
typedef struct {
    sonde_model *model;
    sonde_policies *policies;
    sonde_policies *weighed;
    sonde_search_settings settings;
    int32_t n_policy;
    double *efe;    /* (n_policy) by the long way */
    double *step;   /* (n_policy, T) */
    double *belief; /* (T + 1, n_belief) along one policy */
} task;

static task open_task(uint64_t seed, int32_t form) {
    static const double nu[] = {0.0, 1.0, 3.0};
    sonde__rng rng = sonde__rng_stream(seed, SONDE__FOR_PROBE, 8);
    task t = {.model = draw_counted(seed, HORIZON), .settings = sonde_search_defaults()};
    t.settings.weights.novelty = form;
    t.settings.weights.novelty_A = nu[draw_below(&rng, 3)];
    t.settings.weights.novelty_B = nu[draw_below(&rng, 3)];
    t.settings.gamma = draw_power(&rng, -1.0, 1.0);
    assert_int_equal(sonde_policies_count(t.model, 0, NULL, &t.policies, NULL), SONDE_OK);
    assert_int_equal(sonde_policies_weigh(t.policies, &t.settings.weights, &t.weighed, NULL),
                     SONDE_OK);
    t.n_policy = (int32_t)t.policies->n_policy;
    t.efe = room((uint64_t)t.n_policy, sizeof *t.efe);
    t.step = room((uint64_t)t.n_policy * HORIZON, sizeof *t.step);
    t.belief = room((HORIZON + 1) * (uint64_t)t.model->n_belief, sizeof *t.belief);
    sonde_belief_initial(t.model, t.belief);
    return t;
}

static void close_task(task *t) {
    free(t->efe);
    free(t->step);
    free(t->belief);
    sonde_policies_free(t->weighed);
    sonde_policies_free(t->policies);
    sonde_model_free(t->model);
}

/* The beliefs along a policy, and G of its steps by the long way. */
static void walk(task *t, int32_t i) {
    const sonde_weights *w = &t->settings.weights;
    int32_t edges[HORIZON + 1];
    assert_int_equal(sonde_policies_get(t->policies, 0, (uint64_t)i, edges, NULL), SONDE_OK);
    t->efe[i] = 0.0;
    for (int32_t k = 1; k <= HORIZON; k++) {
        double *before = t->belief + (int64_t)(k - 1) * t->model->n_belief;
        double *after = before + t->model->n_belief;
        assert_int_equal(sonde_belief_predict(t->model, edges[k], before, after, NULL), SONDE_OK);
        double *step = &t->step[i * HORIZON + k - 1];
        *step = naive_rest(t->model, after) -
                w->novelty_A * naive_novelty_A(t->model, w->novelty, after) -
                w->novelty_B * naive_novelty_B(t->model, w->novelty, edges[k], before, after);
        t->efe[i] += *step;
    }
}

static double slack_of(double x) {
    return 1e-9 * (1.0 + fabs(x));
}

/* How many policies share their first k steps. */
static int32_t below(const task *t, int32_t k) {
    int32_t n = 1;
    for (; k < HORIZON; k++) {
        n *= t->model->n_action;
    }
    return n;
}

/* No policy that begins like policy i costs less from any step on than the bound says. */
static void compare_bounds(task *t, const sonde__score *score, int32_t i) {
    walk(t, i);
    for (int32_t k = 0; k < HORIZON; k++) {
        const int32_t n = below(t, k);
        const int32_t first = i / n * n;
        double least = INFINITY;
        for (int32_t j = first; j < first + n; j++) {
            double rest = 0.0;
            for (int32_t s = k; s < HORIZON; s++) {
                rest += t->step[j * HORIZON + s];
            }
            least = rest < least ? rest : least;
        }
        const double bound = sonde__bound_at(score->model, &score->bound, k,
                                             t->belief + (int64_t)k * t->model->n_belief, NULL);
        if (!(bound <= least + slack_of(least))) {
            fail_msg("after %d steps %.17g are to come, and the bound is %.17g", k, least, bound);
        }
    }
}

static void assert_bounds(task *t) {
    sonde__score score;
    sonde__arena arena = {0};
    sonde__score_open(&score, t->weighed);
    sonde__score_carve(&arena, &score, SONDE__SCORE_AHEAD);
    assert_true(sonde__arena_reserve(&arena));
    sonde__score_carve(&arena, &score, SONDE__SCORE_AHEAD);
    (void)sonde__score_prepare(&score);
    for (int32_t i = 0; i < t->n_policy; i++) {
        compare_bounds(t, &score, i);
    }
    sonde__arena_free(&arena);
}

static sonde_agent *decide(const task *t, sonde_search_kind search,
                           const sonde_decision **decision) {
    sonde_search_settings settings = t->settings;
    sonde_agent *agent = NULL;
    sonde_error error = {0};
    settings.search = search;
    settings.epsilon = 1e-6;
    if (sonde_agent_new(t->policies, &settings, NULL, &agent, &error) != SONDE_OK ||
        sonde_agent_search(agent, decision, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return agent;
}

/* Full search has the G of the long way, and bounded search what full search has. */
static void assert_decisions(task *t) {
    const sonde_decision *full = NULL;
    const sonde_decision *bounded = NULL;
    sonde_agent *one = decide(t, SONDE_SEARCH_FULL, &full);
    sonde_agent *other = decide(t, SONDE_SEARCH_BOUNDED, &bounded);
    double least = INFINITY;
    double apart = 0.0;
    for (int32_t i = 0; i < t->n_policy; i++) {
        least = t->efe[i] < least ? t->efe[i] : least;
    }
    assert_near(full->best_efe.efe, least, slack_of(least));
    const double *term = full->best_efe.term;
    if (t->settings.weights.novelty_A == 1.0 && t->settings.weights.novelty_B == 1.0) {
        assert_near(full->best_efe.efe,
                    term[SONDE_RISK] + term[SONDE_AMBIGUITY] + term[SONDE_COST] -
                        term[SONDE_NOVELTY],
                    slack_of(term[SONDE_NOVELTY]));
    }
    for (int32_t a = 0; a < full->n_action; a++) {
        double p = 0.0;
        for (int32_t b = 0; b < bounded->n_action; b++) {
            p = bounded->action[b] == full->action[a] ? bounded->posterior[b] : p;
        }
        apart += 0.5 * fabs(p - full->posterior[a]);
    }
    assert_true(apart <= bounded->certificate.tv + 1e-9);
    assert_true(bounded->certificate.tv <= 1e-6 || bounded->certificate.stopped != NULL);
    if (bounded->certificate.best_is_optimal) {
        assert_near(bounded->best_efe.efe, least, slack_of(least));
    }
    sonde_agent_free(one);
    sonde_agent_free(other);
}

static void hold(int32_t form) {
    for (uint64_t seed = 1; seed <= N_MODEL; seed++) {
        task t = open_task(seed, form);
        for (int32_t i = 0; i < t.n_policy; i++) {
            walk(&t, i);
        }
        assert_bounds(&t);
        assert_decisions(&t);
        close_task(&t);
    }
}

static void joint_novelty_is_certified(void **state) {
    (void)state;
    hold(SONDE_NOVELTY_JOINT);
}

static void product_novelty_is_certified(void **state) {
    (void)state;
    hold(SONDE_NOVELTY_PRODUCT);
}

static void half_novelty_is_certified(void **state) {
    (void)state;
    hold(SONDE_NOVELTY_HALF);
}

static void inverse_novelty_is_certified(void **state) {
    (void)state;
    hold(SONDE_NOVELTY_INVERSE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joint_novelty_is_certified),
        cmocka_unit_test(product_novelty_is_certified),
        cmocka_unit_test(half_novelty_is_certified),
        cmocka_unit_test(inverse_novelty_is_certified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
