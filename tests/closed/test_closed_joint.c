/* The world of joint states that closed loop plans in, beside products of the factors. */
#include "closed/closed_internal.h"
#include "random_models.h"

enum { MODELS = 60 };

static sonde__joint open_as(const sonde_policies *policies, sonde_belief_kind kind) {
    sonde_search_settings settings = sonde_search_defaults();
    const sonde_run run = sonde_run_defaults();
    sonde__joint world;
    sonde_error error = {0};
    settings.belief_kind = kind;
    if (sonde__joint_open(&world, policies, &settings, &run, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return world;
}

static sonde__joint open_world(const sonde_policies *policies) {
    return open_as(policies, SONDE_BELIEF_JOINT);
}

/* The probability that one joint state follows another; of a tuple of outcomes in a joint state. */
static double follows(const sonde_model *model, int64_t from, int32_t action, int64_t to) {
    int32_t state[3];
    int32_t next[3];
    int32_t tuple[SONDE_FACTORS_MAX];
    double p = 1.0;
    states_of(model, from, state);
    states_of(model, to, next);
    sonde__model_tuple(model, action, tuple);
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        const int64_t previous = combined_state(model, factor->n_depend, factor->depend, state);
        p *= transition(factor, previous, tuple[f], next[f]);
    }
    return p;
}

static double shows(const sonde__joint *world, int64_t joint, const int32_t *outcome) {
    const sonde_model *model = world->model;
    int32_t state[3];
    double p = 1.0;
    states_of(model, joint, state);
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        const int64_t at = combined_state(model, modality->n_factor, modality->factor, state);
        assert_true((outcome[m] >= 0) == world->telling[m]);
        p *= outcome[m] >= 0 ? likelihood(modality, at, outcome[m]) : 1.0;
    }
    return p;
}

static bool allows(const sonde_model *model, int64_t joint, int32_t action) {
    int32_t state[3];
    int32_t tuple[SONDE_FACTORS_MAX];
    bool all = true;
    states_of(model, joint, state);
    sonde__model_tuple(model, action, tuple);
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        all = all && (factor->allowed == NULL ||
                      factor->allowed[(int64_t)state[f] * factor->n_action + tuple[f]]);
    }
    return all;
}

static void assert_world(const sonde__joint *world) {
    const sonde_model *model = world->model;
    const double one = 1.0;
    for (int32_t s = 0; s < world->n_state; s++) {
        const sonde__support here = {.n = 1, .state = &s, .p = &one};
        const int64_t joint = (int64_t)world->joint[s];
        double sum = 0.0;
        assert_int_equal(sonde__joint_find(world, world->joint[s]), s);
        for (int32_t u = 0; u < world->n_action; u++) {
            const int64_t at = (int64_t)s * world->n_action + u;
            sum = 0.0;
            for (int64_t i = world->offset[at]; i < world->offset[at + 1]; i++) {
                const double p = follows(model, joint, u, (int64_t)world->joint[world->next[i]]);
                assert_near(world->p[i], p, 1e-12);
                sum += p;
            }
            assert_near(sum, 1.0, 1e-9);
            assert_int_equal(sonde__joint_allows(world, here, u), allows(model, joint, u));
        }
        sum = 0.0;
        for (int64_t i = world->sees[s]; i < world->sees[s + 1]; i++) {
            const int32_t *outcome = world->tuple + (int64_t)world->seen[i] * model->n_modality;
            const double p = shows(world, joint, outcome);
            assert_near(world->seen_p[i], p, 1e-12);
            sum += p;
        }
        assert_near(sum, 1.0, 1e-9);
    }
}

static void a_world_has_the_products_of_its_factors_and_what_all_of_them_allow(void **state) {
    (void)state;
    int32_t n_restricted = 0;
    for (uint64_t seed = 0; seed < MODELS; seed++) {
        setting s = setting_drawn(seed, DRAW_COUPLED | DRAW_ALLOWED, 1000.0);
        sonde__joint world = open_world(s.policies);
        assert_int_equal(world.n_state, (int32_t)s.model->n_joint);
        assert_world(&world);
        n_restricted += world.allowed != NULL && s.model->n_factor > 1;
        sonde__joint_close(&world);
        setting_free(&s);
    }
    assert_true(n_restricted > 5);
}

/* Three dials that turn at random, and a switch that nobody touches: on or off from the beginning.
 * One modality shows the last dial. */
static sonde_model *dials(sonde__rng *rng, bool with_switch) {
    enum { PLACES = 13 };
    scrap s = {0};
    const int64_t turns[3] = {PLACES, PLACES, 1};
    const int64_t stays[3] = {2, 2, 1};
    const int64_t shown[2] = {2, PLACES};
    sonde_factor_parts factor[4];
    for (int32_t f = 0; f < 3; f++) {
        factor[f] = (sonde_factor_parts){.shape = {.n_state = PLACES, .n_action = 1},
                                         .B = draw_table(rng, &s, COLUMNS_FEW, 3, turns),
                                         .D = draw_table(rng, &s, COLUMNS_FULL, 1, turns)};
    }
    factor[3] = (sonde_factor_parts){
        .shape = {.n_state = 2, .n_action = 1},
        .B = {.n_axis = 3, .size = stays, .value = (const double[]){1.0, 0.0, 0.0, 1.0}},
        .D = {.n_axis = 1, .size = stays, .value = (const double[]){0.0, 1.0}}};
    const sonde_modality_parts modality = {
        .shape = {.n_outcome = 2, .n_factor = 1, .factor = (const int32_t[]){2}},
        .A = draw_table(rng, &s, COLUMNS_FULL, 2, shown),
        .C = draw_numbers(rng, &s, 0, 2)};
    sonde_parts parts = sonde_parts_defaults();
    parts.settings.horizon = 1;
    parts.n_factor = with_switch ? 4 : 3;
    parts.factor = factor;
    parts.n_modality = 1;
    parts.modality = &modality;
    sonde_model *model = NULL;
    sonde_error error = {0};
    if (sonde_model_new(&parts, "dials", NULL, &model, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    scrap_free(&s);
    return model;
}

/* With the switch there are too many joint states to list them all. */
static void states_that_are_reached_are_listed_once_and_go_on_as_they_do(void **state) {
    (void)state;
    sonde__rng rng[2] = {sonde__rng_stream(5, SONDE__FOR_SAMPLE, 0),
                         sonde__rng_stream(5, SONDE__FOR_SAMPLE, 0)};
    setting all = setting_of(dials(&rng[0], false));
    setting some = setting_of(dials(&rng[1], true));
    sonde__joint listed = open_world(all.policies);
    sonde__joint reached = open_world(some.policies);
    assert_int_equal(listed.n_state, 13 * 13 * 13);
    assert_int_equal(reached.n_state, listed.n_state);
    for (int32_t s = 0; s < listed.n_state; s++) {
        assert_int_equal(reached.joint[s], 2 * listed.joint[s] + 1);
    }
    const size_t n = (size_t)listed.offset[listed.n_state];
    assert_memory_equal(reached.next, listed.next, n * sizeof *listed.next);
    assert_memory_equal(reached.p, listed.p, n * sizeof *listed.p);
    sonde__joint_close(&listed);
    sonde__joint_close(&reached);
    setting_free(&all);
    setting_free(&some);
}

/* Models of one shape, and other numbers each; the first modality says nothing of the state. */
static setting draw_numbers_of(sonde__rng *rng, bool counted) {
    scrap s = {0};
    const int32_t n_state[3] = {2, 4, 3};
    const int32_t depend[2] = {2, 1};
    const int64_t size[3][4] = {{2, 2, 2}, {4, 3, 4, 1}, {3, 3, 2}};
    const int64_t shown[3] = {3, 3, 2};
    const int64_t blind[2] = {2, 2};
    double same[4] = {0.5, 0.5, 0.5, 0.5};
    sonde_factor_parts factor[3];
    for (int32_t f = 0; f < 3; f++) {
        factor[f] =
            (sonde_factor_parts){.shape = {.n_state = n_state[f], .n_action = f == 1 ? 1 : 2},
                                 .B = draw_table(rng, &s, COLUMNS_FULL, f == 1 ? 4 : 3, size[f]),
                                 .D = draw_table(rng, &s, COLUMNS_FULL, 1, size[f])};
    }
    factor[1].shape.n_depend = 2;
    factor[1].shape.depend = depend;
    const sonde_array even = {.n_axis = 2, .size = blind, .value = same};
    sonde_modality_parts modality[2] = {
        {.shape = {.n_outcome = 2, .n_factor = 1, .factor = (const int32_t[]){0}},
         .A = even,
         .C = draw_numbers(rng, &s, 0, 2)},
        {.shape = {.n_outcome = 3, .n_factor = 2, .factor = (const int32_t[]){2, 0}},
         .A = draw_table(rng, &s, COLUMNS_FULL, 3, shown),
         .C = draw_numbers(rng, &s, 2, 3)}};
    if (counted) {
        modality[0].counts_A = even;
    }
    sonde_parts parts = sonde_parts_defaults();
    parts.settings.horizon = 2;
    parts.n_factor = 3;
    parts.factor = factor;
    parts.n_modality = 2;
    parts.modality = modality;
    sonde_model *model = NULL;
    sonde_error error = {0};
    if (sonde_model_new(&parts, "drawn", NULL, &model, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    scrap_free(&s);
    return setting_of(model);
}

static void assert_same_numbers(const sonde__joint *a, const sonde__joint *b) {
    const size_t n = (size_t)a->n_state * (size_t)a->n_by;
    const size_t n_next = (size_t)a->offset[(int64_t)a->n_state * a->n_action];
    const size_t n_seen = (size_t)a->sees[n];
    assert_memory_equal(a->p, b->p, n_next * sizeof *a->p);
    assert_memory_equal(a->seen_p, b->seen_p, n_seen * sizeof *a->seen_p);
    assert_memory_equal(a->price, b->price, n * (size_t)a->n_row * sizeof *a->price);
    assert_memory_equal(a->blur, b->blur, n * sizeof *a->blur);
}

static void numbers_that_change_leave_a_world_as_if_it_were_made_of_them(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(6, SONDE__FOR_SAMPLE, 0);
    for (int32_t counted = 0; counted < 2; counted++) {
        setting before = draw_numbers_of(&rng, counted == 1);
        setting after = draw_numbers_of(&rng, counted == 1);
        sonde__joint changed = open_world(before.policies);
        sonde__joint made = open_world(after.policies);
        changed.model = after.model;
        sonde__joint_renew(&changed);
        assert_same_numbers(&changed, &made);
        assert_world(&changed);
        sonde__joint_close(&changed);
        sonde__joint_close(&made);
        setting_free(&before);
        setting_free(&after);
    }
}

static void what_is_the_same_everywhere_tells_nothing_unless_it_may_be_learned(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(7, SONDE__FOR_SAMPLE, 0);
    for (int32_t i = 0; i < 4; i++) {
        const bool counted = i % 2 == 1;
        setting s = draw_numbers_of(&rng, counted);
        sonde__joint world =
            open_as(s.policies, i < 2 ? SONDE_BELIEF_JOINT : SONDE_BELIEF_FACTORISED);
        assert_int_equal(world.telling[0], counted);
        assert_true(world.telling[1]);
        assert_int_equal(world.n_telling, counted ? 2 : 1);
        assert_int_equal(world.n_tuple, counted ? 6 : 3);
        sonde__joint_close(&world);
        setting_free(&s);
    }
}

static void a_world_that_is_too_large_says_how_large_it_has_become(void **state) {
    (void)state;
    sonde__rng rng = sonde__rng_stream(8, SONDE__FOR_SAMPLE, 0);
    setting s = setting_of(dials(&rng, false));
    const sonde_search_settings settings = sonde_search_defaults();
    for (uint64_t memory = 1000; memory < 10000000; memory += memory / 16) {
        sonde_run run = sonde_run_defaults();
        sonde__joint world;
        sonde_error error = {0};
        run.memory = memory;
        const sonde_status status = sonde__joint_open(&world, s.policies, &settings, &run, &error);
        assert_true(status == SONDE_TOO_LARGE || (status == SONDE_OK && memory > 100000));
        if (status == SONDE_TOO_LARGE) {
            assert_says(error.text, "closed loop: 2197 joint states take more");
            assert_null(strstr(error.text, "e+19"));
        }
        sonde__joint_close(&world);
    }
    setting_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_has_the_products_of_its_factors_and_what_all_of_them_allow),
        cmocka_unit_test(states_that_are_reached_are_listed_once_and_go_on_as_they_do),
        cmocka_unit_test(numbers_that_change_leave_a_world_as_if_it_were_made_of_them),
        cmocka_unit_test(what_is_the_same_everywhere_tells_nothing_unless_it_may_be_learned),
        cmocka_unit_test(a_world_that_is_too_large_says_how_large_it_has_become),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
