/* Models from parts in memory: checked as strictly as files. */
#include "models.h"

/* a model with everything that a call could get wrong */
typedef struct {
    sonde_parts parts;
    sonde_factor_parts factor[2];
    sonde_modality_parts modality[1];
} whole;

static const int64_t square[] = {2, 2, 1};
static const int64_t pair[] = {2};
static const int64_t cube[] = {2, 2, 2};
static const double identity[] = {1, 0, 0, 1};
static const double A[] = {1, 1, 0, 0, 0, 0, 1, 1};
static const double even[] = {0.5, 0.5};
static const int32_t listed[] = {0, 0, 0, 0};

static void make_whole(whole *w) {
    *w = (whole){.parts = sonde_parts_defaults()};
    for (int32_t f = 0; f < 2; f++) {
        w->factor[f] = (sonde_factor_parts){.shape.n_state = 2,
                                            .shape.n_action = 1,
                                            .B = {.n_axis = 3, .size = square, .value = identity},
                                            .D = {.n_axis = 1, .size = pair, .value = even}};
    }
    w->modality[0] = (sonde_modality_parts){.shape.n_outcome = 2,
                                            .A = {.n_axis = 3, .size = cube, .value = A},
                                            .C = {.n_axis = 1, .size = pair, .value = even}};
    w->parts.n_factor = 2;
    w->parts.factor = w->factor;
    w->parts.n_modality = 1;
    w->parts.modality = w->modality;
    w->parts.settings.horizon = 2;
}

static void parts_make_a_model_that_keeps_nothing_of_them(void **state) {
    (void)state;
    whole w;
    make_whole(&w);
    sonde_model *model = NULL;
    assert_int_equal(sonde_model_new(&w.parts, NULL, NULL, &model, NULL), SONDE_OK);
    memset(&w, 0, sizeof w);
    assert_int_equal(model->n_belief, 4);
    assert_int_equal(model->n_state, 4);
    assert_int_equal(model->n_action, 1);
    assert_int_equal(model->modality[0].n_factor, 2);
    assert_int_equal(model->modality[0].factor[1], 1);
    assert_same(likelihood(model->modality, 2, 1), 1.0);
    assert_null(model->factor[0].allowed);
    sonde_model_free(model);
    sonde_model_free(NULL);
}

static void tuples_and_their_numbers_are_the_same(void **state) {
    (void)state;
    const sonde_factor factor[] = {{.n_action = 3}, {.n_action = 1}, {.n_action = 4}};
    const sonde_model model = {.n_factor = 3, .factor = factor, .n_action = 12};
    for (int32_t u = 0; u < model.n_action; u++) {
        int32_t tuple[3];
        sonde_model_tuple(&model, u, tuple);
        assert_int_equal(tuple[0], u / 4);
        assert_int_equal(tuple[1], 0);
        assert_int_equal(tuple[2], u % 4);
        assert_int_equal(sonde_model_from_tuple(&model, tuple), u);
    }
}

static void choices_have_names(void **state) {
    (void)state;
    assert_int_equal(sonde_name_find(sonde_preferences_name, "utility"), SONDE_PREFERENCES_UTILITY);
    assert_int_equal(sonde_name_find(sonde_information_name, "joint"), SONDE_INFORMATION_JOINT);
    assert_int_equal(sonde_name_find(sonde_policy_kind_name, "listed"), SONDE_POLICIES_LISTED);
    assert_null(sonde_preferences_name(-1));
    assert_null(sonde_information_name(4));
    assert_null(sonde_policy_kind_name(3));
}

/* ----------------------------------------------------------------------------- what is wrong -- */

/* Changes one thing at a time; what is said of it, NULL past the last. */
static const char *spoil(whole *w, int32_t i) {
    static const int32_t out[] = {2, -1};
    static const int32_t pairs[] = {0, 0, 1, 1};
    static const double E[] = {-1.0};
    static const double none[] = {0.0};
    static const char *const names[] = {"a", ""};
    static const double nans[] = {NAN, 1};
    switch (i) {
    case 0:
        w->parts.settings.horizon = 0;
        return "horizon: expected a whole number from 1 to 2147483646";
    case 1: w->parts.n_factor = 0; return "factors: expected a whole number from 1 to 64, found 0";
    case 2: w->parts.n_modality = 65; return "modalities: expected a whole number from 1 to 64";
    case 3:
        w->parts.settings.lambda = NAN;
        return "lambda: expected a number of 0 or more, at most 1e+100";
    case 4:
        w->parts.settings.gamma = -1.0;
        return "gamma: expected a number of 0 or more, at most 1e+100";
    case 5:
        w->parts.settings.preferences = (sonde_preferences)7;
        return "preferences, information, policies: expected one of the values there are";
    case 6:
        w->factor[1].shape.n_state = 0;
        return "factors[1].states: expected a whole number from 1 ";
    case 7: w->factor[1].shape.n_action = -1; return "factors[1].actions: expected a whole number ";
    case 8:
        w->modality[0].shape.n_outcome = 0;
        return "modalities[0].outcomes: expected a whole number ";
    case 9:
        w->factor[0].shape.n_state = w->factor[1].shape.n_state = INT32_MAX;
        return "factors: 2^31 states or more in all; make them smaller";
    case 10: w->factor[0].shape.n_depend = 3; return "factors[0].depends: expected 1 to 2 factors";
    case 11:
        w->factor[0].shape.n_depend = 1;
        w->factor[0].shape.depend = out;
        return "factors[0].depends[0]: expected a factor from 0 to 1, found 2";
    case 12:
        w->modality[0].shape.n_factor = -1;
        return "modalities[0].factors: expected 1 to 2 factors";
    case 13:
        w->modality[0].shape.n_factor = 1;
        w->modality[0].shape.factor = out + 1;
        return "modalities[0].factors[0]: expected a factor from 0 to 1, found -1";
    case 14:
        w->factor[0].shape.state_name = names;
        return "factors[0].states[1]: expected a name, found none";
    case 15:
        w->parts.policies = SONDE_POLICIES_LISTED;
        return "policies: expected one policy at least, found none";
    case 16:
        w->parts.policies = SONDE_POLICIES_LISTED;
        w->parts.n_policy = 1;
        w->parts.policy = pairs;
        return "policies[0][1][0]: expected an action from 0 to 0, found 1";
    case 17:
        w->parts.policies = SONDE_POLICIES_LISTED;
        w->parts.n_policy = 1;
        w->parts.policy = listed;
        w->parts.E = E;
        return "E[0]: expected a number of 0 or more, at most 1e+100, found -1";
    case 18:
        w->parts.policies = SONDE_POLICIES_LISTED;
        w->parts.n_policy = 1;
        w->parts.policy = listed;
        w->parts.E = none;
        return "E: expected a policy with more than 0";
    case 19: w->parts.E = even; return "E: is for listed policies, but policies are \"all\"";
    case 20:
        w->parts.policies = SONDE_POLICIES_ALLOWED;
        w->factor[0].n_allowed = 2;
        w->factor[0].allowed = pairs;
        return "allowed[0][1]: expected a state from 0 to 1 and an action from 0 to 0, found [1, 1]";
    case 21: w->factor[0].D.value = nans; return "D[0][0]: expected a probability, found nan";
    case 22:
        w->modality[0].C.value = nans;
        return "C[0][0]: expected a number from -1e+100 to 1e+100, found nan";
    case 23:
        w->modality[0].cost = (sonde_array){.n_axis = 3, .size = cube, .value = A};
        return "cost[0]: expected the shape [2] (outcome), found [2, 2, 2]";
    default: return NULL;
    }
}

static void whatever_is_wrong_is_told_with_its_place(void **state) {
    (void)state;
    whole w;
    make_whole(&w);
    for (int32_t i = 0;; i++, make_whole(&w)) {
        const char *says = spoil(&w, i);
        if (says == NULL) {
            assert_true(i > 20);
            return;
        }
        sonde_model *model = NULL;
        sonde_error error = {0};
        const sonde_status status = sonde_model_new(&w.parts, "my model", NULL, &model, &error);
        if (status == SONDE_OK || strncmp(error.text, "my model: ", 10) != 0 ||
            strncmp(error.text + 10, says, strlen(says)) != 0) {
            fail_msg("\"%s\" instead of \"%s\"", error.text, says);
        }
        assert_null(model);
        /* without an origin the sentence begins with the place */
        assert_int_equal(sonde_model_new(&w.parts, NULL, NULL, &model, &error), status);
        assert_int_equal(strncmp(error.text, says, strlen(says)), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_make_a_model_that_keeps_nothing_of_them),
        cmocka_unit_test(tuples_and_their_numbers_are_the_same),
        cmocka_unit_test(choices_have_names),
        cmocka_unit_test(whatever_is_wrong_is_told_with_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
