/* Models that everybody knows, against their rules and against files of them. */
#include <math.h>

#include "base/rng.h"
#include "models.h"

static sonde_model *made(const sonde_make_settings *how) {
    sonde_model *model = NULL;
    sonde_error error = {0};
    if (sonde_make(how, NULL, NULL, &model, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return model;
}

/* Every number of A, B, C and D is the same in two models, but for rounding. */
static void assert_same_numbers(const sonde_model *a, const sonde_model *b) {
    assert_int_equal(a->n_factor, b->n_factor);
    assert_int_equal(a->n_modality, b->n_modality);
    assert_int_equal(a->n_action, b->n_action);
    assert_int_equal(a->preferences, b->preferences);
    assert_int_equal(a->information, b->information);
    for (int32_t f = 0; f < a->n_factor; f++) {
        const sonde_factor *x = &a->factor[f];
        const sonde_factor *y = &b->factor[f];
        assert_int_equal(x->n_state, y->n_state);
        assert_string_equal(x->name, y->name);
        for (int32_t s = 0; s < x->n_state; s++) {
            assert_near(x->D[s], y->D[s], 1e-15);
            assert_string_equal(x->state_name[s], y->state_name[s]);
            for (int64_t p = 0; p < x->n_previous; p++) {
                for (int32_t u = 0; u < x->n_action; u++) {
                    assert_near(transition(x, p, u, s), transition(y, p, u, s), 1e-15);
                }
            }
        }
    }
    for (int32_t m = 0; m < a->n_modality; m++) {
        const sonde_modality *x = &a->modality[m];
        const sonde_modality *y = &b->modality[m];
        assert_int_equal(x->n_outcome, y->n_outcome);
        for (int32_t o = 0; o < x->n_outcome; o++) {
            assert_near(x->C[o], y->C[o], 1e-15);
            for (int64_t s = 0; s < x->n_state; s++) {
                assert_near(likelihood(x, s, o), likelihood(y, s, o), 1e-15);
            }
        }
    }
}

static void mazes_and_grids_are_those_of_the_files(void **state) {
    (void)state;
    static const struct {
        const char *file;
        int32_t make;
        double valid;
        double slip;
        double noise;
    } pairs[] = {
        {"t-maze-95", SONDE_MAKE_T_MAZE, -1.0, -1.0, -1.0},
        {"t-maze-certain", SONDE_MAKE_T_MAZE, 1.0, -1.0, -1.0},
        {"grid3-slip-noise", SONDE_MAKE_GRID, -1.0, -1.0, -1.0},
        {"grid3-seen", SONDE_MAKE_GRID, -1.0, 0.1, 0.0},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char path[512];
        (void)snprintf(path, sizeof path, SONDE_TEST_DATA "/closed/models/%s.json", pairs[i].file);
        sonde_make_settings how = sonde_make_defaults();
        how.make = pairs[i].make;
        how.valid = pairs[i].valid;
        how.slip = pairs[i].slip;
        how.noise = pairs[i].noise;
        sonde_model *ours = made(&how);
        sonde_model *file = model_from(path);
        assert_same_numbers(ours, file);
        sonde_model_free(ours);
        sonde_model_free(file);
    }
}

/* ----------------------------------------------------------------------------------- rocksample -- */

/* RockSample as its rules say, one state after the other. */
typedef struct {
    int32_t n;
    int32_t k;
    const int32_t (*rock)[2];
    bool ends; /* illegal moves do */
    int32_t x;
    int32_t y;
    bool good[8];
    bool over;
} rover;

/* Takes an action; returns the reward. */
static double act(rover *r, int32_t u) {
    static const int32_t way[4][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
    if (r->over) {
        return 0.0;
    }
    if (u < 4) {
        const int32_t x = r->x + way[u][0];
        const int32_t y = r->y + way[u][1];
        if (x == r->n) {
            r->over = true;
            return 10.0;
        }
        if (x < 0 || y < 0 || y == r->n) {
            r->over = r->ends;
            return -100.0;
        }
        r->x = x;
        r->y = y;
        return 0.0;
    }
    for (int32_t i = 0; u == 4 + r->k && i < r->k; i++) {
        if (r->rock[i][0] == r->x && r->rock[i][1] == r->y) {
            const double reward = r->good[i] ? 10.0 : -10.0;
            r->good[i] = false;
            return reward;
        }
    }
    r->over = r->over || (u == 4 + r->k && r->ends);
    return u == 4 + r->k ? -100.0 : 0.0;
}

/* How probable the sensor's "good" is after an action. */
static double hear(const rover *r, int32_t u) {
    const int32_t i = u - 4;
    if (r->over || i < 0 || i >= r->k) {
        return 1.0;
    }
    const double d = hypot(r->x - r->rock[i][0], r->y - r->rock[i][1]);
    const double eta = r->n == 4 && r->k == 4 ? exp(-d) : pow(2.0, -d / 20.0);
    return r->good[i] ? 0.5 * (1.0 + eta) : 0.5 * (1.0 - eta);
}

/* The joint state that follows for certain. */
static void follow(const sonde_model *model, int32_t u, int32_t *state) {
    int32_t next[SONDE_FACTORS_MAX] = {0};
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        const int64_t previous = combined_state(model, factor->n_depend, factor->depend, state);
        const int32_t own = f == 0 ? u : 0;
        while (transition(factor, previous, own, next[f]) < 1.0) {
            assert_true(++next[f] < factor->n_state);
        }
    }
    memcpy(state, next, sizeof next);
}

/* Walks at random in a model and by the rules; nobody sees a difference. */
static void walk_both(const sonde_model *model, rover *r, sonde__rng *rng) {
    int32_t state[SONDE_FACTORS_MAX] = {r->n / 2 * r->n};
    const rover before = *r;
    for (int32_t i = 0; i < r->k; i++) {
        r->good[i] = sonde__rng_below(rng, 2) == 0;
        state[1 + i] = r->good[i] ? 0 : 1;
    }
    const int32_t all[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    for (int32_t t = 0; t < 60; t++) {
        const bool sample = sonde__rng_below(rng, 4) == 0;
        const int32_t u = sample ? 4 + r->k : (int32_t)sonde__rng_below(rng, (uint64_t)r->k + 5);
        const int64_t s = combined_state(model, model->n_factor, all, state);
        const double reward = act(r, u);
        assert_near(model->action_cost[s * model->n_action + u], -reward, 0.0);
        follow(model, u, state);
        const int64_t to = combined_state(model, model->n_factor, all, state);
        assert_near(likelihood(model->modality, to * model->n_action + u, 0), hear(r, u), 1e-14);
    }
    *r = before;
}

static void a_rover_does_what_the_rules_of_rocksample_say(void **state) {
    (void)state;
    static const int32_t rock4[][2] = {{3, 1}, {2, 1}, {1, 3}, {1, 0}};
    static const int32_t rock7[][2] = {{2, 0}, {0, 1}, {3, 1}, {6, 3},
                                       {2, 4}, {3, 4}, {5, 5}, {1, 6}};
    sonde__rng rng = sonde__rng_stream(5, SONDE__FOR_GRAPH, 0);
    for (int32_t which = 0; which < 4; which++) {
        const bool small = which < 2;
        sonde_make_settings how = sonde_make_defaults();
        how.make = SONDE_MAKE_ROCKSAMPLE;
        how.size = small ? 4 : 7;
        how.n_rock = small ? 4 : 8;
        how.illegal = which % 2 == 0 ? -1 : SONDE_ILLEGAL_STAY;
        sonde_model *model = made(&how);
        assert_near(model->discount, 0.95, 0.0);
        assert_int_equal(model->information, SONDE_INFORMATION_OFF);
        rover r = {.n = how.size,
                   .k = how.n_rock,
                   .rock = small ? rock4 : rock7,
                   .ends = which % 2 == 0,
                   .y = how.size / 2};
        for (int32_t i = 0; i < 200; i++) {
            walk_both(model, &r, &rng);
        }
        sonde_model_free(model);
    }
}

static void rocks_of_other_layouts_are_drawn_from_the_seed(void **state) {
    (void)state;
    sonde_make_settings how = sonde_make_defaults();
    how.make = SONDE_MAKE_ROCKSAMPLE;
    how.size = 6;
    how.n_rock = 5;
    sonde_text text[3] = {{0}};
    for (int32_t i = 0; i < 3; i++) {
        how.seed = i == 2 ? 2 : 1;
        sonde_model *model = made(&how);
        assert_int_equal(model->factor[0].n_state, 36 + 1 + 5);
        assert_int_equal(sonde_model_write(model, &text[i], NULL), SONDE_OK);
        sonde_model_free(model);
    }
    assert_string_equal(text[0].data, text[1].data);
    assert_string_not_equal(text[0].data, text[2].data);
    for (int32_t i = 0; i < 3; i++) {
        sonde_text_free(&text[i]);
    }
}

static void the_largest_rocksample_takes_little_memory(void **state) {
    (void)state;
    sonde_make_settings how = sonde_make_defaults();
    how.make = SONDE_MAKE_ROCKSAMPLE;
    how.size = 11;
    how.n_rock = 11;
    sonde_model *model = made(&how);
    assert_true(model->bytes < 150000000);
    assert_int_equal(model->n_joint, 133 * 2048);
    sonde_model_free(model);
}

/* ------------------------------------------------------------------------------------ refusals -- */

static void refuse(const sonde_make_settings *how, const char *sentence) {
    sonde_model *model = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_make(how, NULL, NULL, &model, &error), SONDE_BAD_ARGUMENT);
    assert_string_equal(error.text, sentence);
    assert_null(model);
}

static void what_a_model_does_not_have_is_refused(void **state) {
    (void)state;
    sonde_make_settings how = sonde_make_defaults();
    how.size = 4;
    refuse(&how, "size: tiger has none; leave it out");
    how = sonde_make_defaults();
    how.slip = 0.5;
    refuse(&how, "slip: tiger has none; leave it out");
    how = sonde_make_defaults();
    how.make = 9;
    refuse(&how, "make: expected one of the models there are, found number 9");
    how = sonde_make_defaults();
    how.make = SONDE_MAKE_FROZENLAKE;
    how.size = 5;
    refuse(&how, "size: FrozenLake has maps of 4 and of 8, found 5");
    how.make = SONDE_MAKE_ROCKSAMPLE;
    how.size = 2;
    how.n_rock = 5;
    refuse(&how, "rocks: a grid of size 2 has room for 4, found 5");
    how.n_rock = 25;
    refuse(&how, "rocks: expected a whole number from 1 to 24 for rocksample, found 25");
    how = sonde_make_defaults();
    how.make = SONDE_MAKE_GRID;
    how.noise = 1.5;
    refuse(&how, "noise: expected a probability from 0 to 1, found 1.5");
}

static void a_model_that_is_too_large_is_refused_before_memory_is_asked_for(void **state) {
    (void)state;
    sonde_make_settings how = sonde_make_defaults();
    how.make = SONDE_MAKE_ROCKSAMPLE;
    how.size = 1000;
    sonde_run run = sonde_run_defaults();
    run.memory = 1 << 20;
    sonde_model *model = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_make(&how, NULL, &run, &model, &error), SONDE_TOO_LARGE);
    assert_non_null(strstr(error.text, "make it smaller"));
}

static void settings_of_the_model_stand_over_its_own(void **state) {
    (void)state;
    sonde_make_settings how = sonde_make_defaults();
    sonde_model_settings settings = sonde_model_defaults();
    settings.horizon = 4;
    settings.information = SONDE_INFORMATION_JOINT;
    sonde_model *model = NULL;
    assert_int_equal(sonde_make(&how, &settings, NULL, &model, NULL), SONDE_OK);
    assert_int_equal(model->horizon, 4);
    assert_int_equal(model->information, SONDE_INFORMATION_JOINT);
    sonde_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mazes_and_grids_are_those_of_the_files),
        cmocka_unit_test(a_rover_does_what_the_rules_of_rocksample_say),
        cmocka_unit_test(rocks_of_other_layouts_are_drawn_from_the_seed),
        cmocka_unit_test(the_largest_rocksample_takes_little_memory),
        cmocka_unit_test(what_a_model_does_not_have_is_refused),
        cmocka_unit_test(a_model_that_is_too_large_is_refused_before_memory_is_asked_for),
        cmocka_unit_test(settings_of_the_model_stand_over_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
