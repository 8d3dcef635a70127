/* Planning without a horizon, held to an exact recursion of so many steps: what comes after those is
 * at most the discount to that power times the largest G of a step, for ever. */
#include "certificates.h"

/* The longest horizon whose histories are few. */
static int32_t count_steps(const sonde_model *model) {
    double n_tuple = 1.0;
    double n = 1.0;
    int32_t horizon = 0;
    for (int32_t m = 0; m < model->n_modality; m++) {
        n_tuple *= (double)model->modality[m].n_outcome;
    }
    while (horizon < 12 && n <= 5000.0) {
        n *= n_tuple * (double)model->n_action;
        horizon++;
    }
    return horizon;
}

/* No step has a larger G, or a smaller one of the other sign. */
static long double largest_step(const exact *e) {
    const sonde_model *model = e->model;
    long double most = 0.0L;
    for (int32_t i = 0; model->action_cost != NULL && i < e->n_state * model->n_action; i++) {
        most = fmaxl(most, fabsl((long double)model->action_cost[i]));
    }
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        long double own = 0.0L;
        for (int32_t o = 0; o < modality->n_outcome; o++) {
            own = fmaxl(own, fabsl((long double)model->lambda * (long double)modality->cost[o] -
                                   (long double)modality->preference[o]));
        }
        most += own + logl((long double)modality->n_outcome);
    }
    return most;
}

typedef struct {
    int32_t n_search;
    int32_t n_violation;
    int32_t n_close; /* whose value is known as closely as was asked */
} found;

static void plan_one(found *f, const exact *e, int32_t backup, const long double *G,
                     long double V) {
    sonde_search_settings settings = sonde_search_defaults();
    sonde_run run = sonde_run_defaults();
    planned p = {0};
    sonde_error error = {0};
    settings.loop = SONDE_LOOP_CLOSED;
    settings.endless = true;
    settings.backup = (sonde_backup)backup;
    settings.epsilon = 0.0;
    settings.gap = 1e-4;
    settings.budget = 3000;
    run.memory = 256 << 20;
    if (sonde_plan(e->model, NULL, &settings, &run, &p.agent, &p.decision, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    const long double discount = (long double)e->model->discount;
    const long double rest =
        powl(discount, (long double)e->horizon) * largest_step(e) / (1.0L - discount);
    const sonde_decision *d = p.decision;
    bool wrong = V + rest < (long double)d->value_lower || V - rest > (long double)d->value_upper;
    for (int32_t i = 0; i < d->n_action; i++) {
        wrong = wrong || G[d->action[i]] + rest < (long double)d->efe_lower[i] ||
                G[d->action[i]] - rest > (long double)d->efe_upper[i];
    }
    f->n_search++;
    f->n_violation += wrong;
    f->n_close += d->value_upper - d->value_lower <= 1e-4;
    sonde_agent_free(p.agent);
}

static void run_models(found *f, int32_t n_model, double discount) {
    for (int32_t i = 0; i < n_model; i++) {
        static exact e;
        long double G[BACKUPS][ACTIONS_MOST];
        long double V[BACKUPS];
        sonde__rng rng = sonde__rng_stream(17, SONDE__FOR_GRAPH, (uint64_t)i);
        sonde_model *model = draw_certified(&rng);
        model->discount = discount;
        if (model->n_step_C == 1) {
            const int32_t before = f->n_violation;
            exact_open(&e, model, count_steps(model));
            exact_root(&e, G, V);
            plan_one(f, &e, SONDE_BACKUP_MIN, G[SONDE_BACKUP_MIN], V[SONDE_BACKUP_MIN]);
            plan_one(f, &e, SONDE_BACKUP_FREE_ENERGY, G[SONDE_BACKUP_FREE_ENERGY],
                     V[SONDE_BACKUP_FREE_ENERGY]);
            if (f->n_violation > before) {
                print_message("model %d: %d violations\n", (int)i, (int)(f->n_violation - before));
            }
        }
        sonde_model_free(model);
    }
}

static void intervals_hold_what_a_long_horizon_comes_to(void **state) {
    (void)state;
    static const double discounts[] = {0.02, 0.2, 0.6};
    static const int32_t least[] = {9, 8, 5};
    for (int32_t i = 0; i < 3; i++) {
        found f = {0};
        run_models(&f, 100, discounts[i]);
        print_message("discount %g: %d of %d close\n", discounts[i], (int)f.n_close,
                      (int)f.n_search);
        assert_int_equal(f.n_violation, 0);
        assert_true(f.n_search >= 100);
        assert_true(10 * f.n_close >= least[i] * f.n_search);
    }
}

/* RockSample(7, 8) has a plan with a return of 21 within so few steps only if trials go where it
 * matters, and look at no more than that takes; SARSOP's bounds after a minute are 21.11 and
 * 24.57. */
static void a_few_steps_find_a_good_plan_among_rocks(void **state) {
    (void)state;
    sonde_make_settings how = sonde_make_defaults();
    sonde_search_settings settings = sonde_search_defaults();
    sonde_model *model = NULL;
    sonde_error error = {0};
    planned p = {0};
    how.make = SONDE_MAKE_ROCKSAMPLE;
    how.size = 7;
    how.n_rock = 8;
    assert_int_equal(sonde_make(&how, NULL, NULL, &model, &error), SONDE_OK);
    settings.loop = SONDE_LOOP_CLOSED;
    settings.endless = true;
    settings.backup = SONDE_BACKUP_MIN;
    settings.gap = 1e-3;
    settings.epsilon = 0.0;
    settings.budget = 20000;
    assert_int_equal(sonde_plan(model, NULL, &settings, NULL, &p.agent, &p.decision, &error),
                     SONDE_OK);
    print_message("a return from %g to %g\n", 0.0 - p.decision->value_upper,
                  0.0 - p.decision->value_lower);
    assert_true(p.decision->value_upper < -21.0 && p.decision->value_lower > -26.0);
    assert_true(p.decision->value_lower < -21.11 && p.decision->value_upper > -24.57);
    sonde_agent_free(p.agent);
    sonde_model_free(model);
}

/* Decisions that have no time bring set-up on by a sweep each, until what they know is what one
 * knows that had all the time for it. */
static void set_up_goes_on_where_a_deadline_has_cut_it(void **state) {
    (void)state;
    sonde_make_settings how = sonde_make_defaults();
    sonde_search_settings settings = sonde_search_defaults();
    sonde_model *model = NULL;
    sonde_error error = {0};
    planned whole = {0};
    planned cut = {0};
    how.make = SONDE_MAKE_ROCKSAMPLE;
    assert_int_equal(sonde_make(&how, NULL, NULL, &model, &error), SONDE_OK);
    settings.loop = SONDE_LOOP_CLOSED;
    settings.endless = true;
    settings.backup = SONDE_BACKUP_MIN;
    settings.gap = 1e-3;
    settings.epsilon = 0.0;
    settings.budget = 1;
    assert_int_equal(
        sonde_plan(model, NULL, &settings, NULL, &whole.agent, &whole.decision, &error), SONDE_OK);
    settings.deadline = 1e-9;
    assert_int_equal(sonde_plan(model, NULL, &settings, NULL, &cut.agent, &cut.decision, &error),
                     SONDE_OK);
    assert_true(cut.decision->value_lower < whole.decision->value_lower - 1.0);
    assert_true(cut.decision->value_upper > whole.decision->value_upper + 1.0);
    int32_t n = 0;
    double lower = cut.decision->value_lower;
    while (n < 200 && (cut.decision->value_lower < whole.decision->value_lower - 1e-9 ||
                       cut.decision->value_upper > whole.decision->value_upper + 1e-9)) {
        assert_int_equal(sonde_agent_search(cut.agent, &cut.decision, &error), SONDE_OK);
        assert_true(cut.decision->value_lower >= lower);
        lower = cut.decision->value_lower;
        n++;
    }
    print_message("%d more decisions\n", (int)n);
    assert_in_range(n, 2, 199);
    sonde_agent_free(whole.agent);
    sonde_agent_free(cut.agent);
    sonde_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_hold_what_a_long_horizon_comes_to),
        cmocka_unit_test(a_few_steps_find_a_good_plan_among_rocks),
        cmocka_unit_test(set_up_goes_on_where_a_deadline_has_cut_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
