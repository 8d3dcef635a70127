/* .POMDP files: every way to say something, and what is wrong is said with its line. */
#include "models.h"

#define CORPUS SONDE_TEST_DATA "/../../fuzz/corpus/model_pomdp"

static sonde_status read_pomdp(const char *text, sonde_model **model, sonde_error *error) {
    const sonde_source source = {"m.POMDP", text, strlen(text)};
    return sonde_model_read(&source, NULL, NULL, model, error);
}

static sonde_model *made(const char *text) {
    sonde_model *model = NULL;
    sonde_error error = {0};
    if (read_pomdp(text, &model, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return model;
}

#define HEAD "discount: 0.5\nvalues: reward\nstates: a b c\nactions: u v\nobservations: x y\n"
#define T_AND_O "T: * identity\nO: * uniform\n"

static void assert_next(const sonde_model *model, int32_t s, int32_t u, const double *expected) {
    for (int32_t to = 0; to < model->factor->n_state; to++) {
        assert_near(transition(model->factor, s, u, to), expected[to], 1e-15);
    }
}

static void tiger_is_read_as_a_reward_problem(void **state) {
    (void)state;
    sonde_model *model = model_from(CORPUS "/tiger.POMDP");
    assert_int_equal(model->preferences, SONDE_PREFERENCES_UTILITY);
    assert_int_equal(model->information, SONDE_INFORMATION_OFF);
    assert_near(model->discount, 0.95, 0.0);
    assert_int_equal(model->horizon, 1);
    assert_int_equal(model->modality->n_action, 3);
    assert_string_equal(model->factor->state_name[1], "tiger-right");
    assert_string_equal(model->factor->action_name[2], "open-right");
    assert_string_equal(model->modality->outcome_name[0], "hear-left");
    assert_next(model, 0, 0, (const double[]){1.0, 0.0});
    assert_next(model, 0, 1, (const double[]){0.5, 0.5});
    assert_near(likelihood(model->modality, 1 * 3 + 0, 1), 0.85, 0.0);
    assert_near(likelihood(model->modality, 1 * 3 + 2, 1), 0.5, 0.0);
    static const double cost[] = {1, 100, -10, 1, -10, 100};
    for (int32_t i = 0; i < 6; i++) {
        assert_near(model->action_cost[i], cost[i], 1e-12);
    }
    sonde_model_free(model);
}

static void numbers_wildcards_and_later_lines_mean_what_they_say(void **state) {
    (void)state;
    sonde_model *model = model_from(CORPUS "/numbers.POMDP");
    assert_null(model->factor->state_name);
    assert_near(model->discount, 1.0, 0.0);
    /* start include: 0 2 */
    assert_near(model->factor->D[0], 0.5, 0.0);
    assert_near(model->factor->D[1], 0.0, 0.0);
    assert_next(model, 0, 0, (const double[]){0.75, 0.25, 0.0});
    assert_next(model, 1, 0, (const double[]){0.0, 0.0, 1.0});
    /* reset goes where one starts */
    assert_next(model, 1, 1, (const double[]){0.5, 0.0, 0.5});
    /* O depends on the action in state 2 alone */
    assert_near(likelihood(model->modality, 2 * 2 + 0, 0), 0.5, 0.0);
    assert_near(likelihood(model->modality, 2 * 2 + 1, 0), 1.0, 0.0);
    /* costs: R: 0 : 0 is a matrix over next states and outcomes */
    assert_near(model->action_cost[0 * 2 + 0], 0.75 * 1.5 + 0.25 * 3.5, 1e-15);
    /* R: 1 : * : 2 is a row over outcomes; state 2 shows outcome 0 after action 1 */
    assert_near(model->action_cost[0 * 2 + 1], 0.5 * -7.0, 1e-15);
    /* a later line stands over both */
    assert_near(model->action_cost[1 * 2 + 1], 15.0, 1e-15);
    sonde_model_free(model);
}

static void outcomes_that_do_not_depend_on_the_action_have_no_axis_for_it(void **state) {
    (void)state;
    sonde_model *model = made(HEAD "T: * identity\nO: *\n1 0\n0 1\n.5 .5\n");
    assert_int_equal(model->modality->n_action, 1);
    assert_near(model->factor->D[2], 1.0 / 3.0, 1e-15);
    sonde_model_free(model);
}

static void a_start_is_a_list_a_name_a_number_or_what_is_left(void **state) {
    (void)state;
    static const struct {
        const char *start;
        double D[3];
    } cases[] = {
        {"start: 0.25 0.75 0\n", {0.25, 0.75, 0.0}},
        {"start: uniform\n", {1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0}},
        {"start: b\n", {0.0, 1.0, 0.0}},
        {"start: 2\n", {0.0, 0.0, 1.0}},
        {"start include: a c\n", {0.5, 0.0, 0.5}},
        {"start exclude : a\n", {0.0, 0.5, 0.5}},
        {"", {1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        (void)snprintf(text, sizeof text, "%s%s%s", HEAD, cases[i].start, T_AND_O);
        sonde_model *model = made(text);
        for (int32_t s = 0; s < 3; s++) {
            assert_near(model->factor->D[s], cases[i].D[s], 1e-15);
        }
        sonde_model_free(model);
    }
}

static void values_are_rewards_or_costs(void **state) {
    (void)state;
    static const struct {
        const char *values;
        double cost;
    } cases[] = {{"reward", -7.0}, {"rewards", -7.0}, {"cost", 7.0}, {"costs", 7.0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "discount: 1\nvalues: %s\nstates: 2\nactions: 1\nobservations: 1\n"
                       "T: 0 identity\nO: 0 uniform\nR: 0 : 1 : * : * 7\n",
                       cases[i].values);
        sonde_model *model = made(text);
        assert_near(model->action_cost[1], cases[i].cost, 0.0);
        sonde_model_free(model);
    }
}

/* Everything that files of the archive do: each way to give T, O and R, whole, by rows and one by
 * one, overridden by what comes later; reset is the start. */
static void matrices_rows_and_single_entries_override_each_other(void **state) {
    (void)state;
    sonde_model *model =
        made("discount: 0.5\nvalues: reward\nstates: a b c\nactions: u v\n"
             "observations: x y\nstart: 0.25 0.75 0\n"
             "T: *\n0.5 0.5 0\n0 1 0\n0 0 1\nT: u : c reset\nT: v uniform\n"
             "T: v : b\n0 0 1\nT: v : c : * 0\nT: v : c : a : 0.5\nT: v : c : b 0.5\n"
             "O: *\n0.25 0.75\n1 0\n0.5 0.5\nO: v : c\n0 1\nO: v : b uniform\n"
             "O: u : b : x 0.25\nO: u : b : y : 0.75\n"
             "R: * : * : * : * 1\nR: u : a\n1 2\n3 4\n5 6\nR: v : a : b\n7 8\n"
             "R: v : c : * : y 9\n");
    assert_next(model, 0, 0, (const double[]){0.5, 0.5, 0.0});
    assert_next(model, 2, 0, (const double[]){0.25, 0.75, 0.0});
    assert_next(model, 0, 1, (const double[]){1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0});
    assert_next(model, 1, 1, (const double[]){0.0, 0.0, 1.0});
    assert_next(model, 2, 1, (const double[]){0.5, 0.5, 0.0});
    static const double x[3][2] = {{0.25, 0.25}, {0.25, 0.5}, {0.5, 0.0}};
    for (int32_t s = 0; s < 3; s++) {
        for (int32_t u = 0; u < 2; u++) {
            assert_near(likelihood(model->modality, s * 2 + u, 0), x[s][u], 1e-15);
        }
    }
    const double ua = 0.5 * (0.25 * 1.0 + 0.75 * 2.0) + 0.5 * (0.25 * 3.0 + 0.75 * 4.0);
    const double va = (1.0 + 0.5 * 7.0 + 0.5 * 8.0 + 1.0) / 3.0;
    const double vc = 0.5 * (0.25 + 0.75 * 9.0) + 0.5 * (0.5 + 0.5 * 9.0);
    const double cost[] = {-ua, -va, -1.0, -1.0, -1.0, -vc};
    for (int32_t i = 0; i < 6; i++) {
        assert_near(model->action_cost[i], cost[i], 1e-14);
    }
    sonde_model_free(model);
}

static void signs_blanks_and_comments_are_free(void **state) {
    (void)state;
    sonde_model *model = made("# first\nstates:a b c actions:u v\n observations : x y discount:.5 "
                              "T:*identity O: * uniform # rest\nR: u :a: * : * - 3\n"
                              "R:v:*:*:* +2e1\n#E: a");
    assert_near(model->action_cost[0], 3.0, 0.0);
    assert_near(model->action_cost[1], -20.0, 0.0);
    assert_near(model->action_cost[2], 0.0, 0.0);
    sonde_model_free(model);
}

static void probabilities_that_are_rounded_are_divided_by_their_sum(void **state) {
    (void)state;
    sonde_model *model = made(HEAD "T: * identity\nT: u : a 0.333333 0.333333 0.333333\n"
                                   "O: * uniform\n");
    assert_next(model, 0, 0, (const double[]){1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0});
    sonde_model_free(model);
}

static void what_is_wrong_is_said_with_its_line(void **state) {
    (void)state;
    static const struct {
        const char *text;
        const char *sentence;
    } cases[] = {
        {HEAD "T: wait identity\n",
         "m.POMDP: line 6: there is no action \"wait\"; expected a number "
         "from 0 to 1 or a name"},
        {HEAD "T: 7 identity\n",
         "m.POMDP: line 6: there is no action \"7\"; expected a number from 0 to 1 or a name"},
        {"states: left right\nactions: go\nobservations: 1\nT: go : lift : * 1\n",
         "m.POMDP: line 4: there is no state \"lift\"; did you mean \"left\"?"},
        {HEAD T_AND_O "T: u : a 0.5 0.4 0\n",
         "m.POMDP: line 8: T: u : a: expected probabilities that sum to 1, found 0.9"},
        {HEAD "T: u identity\nO: * uniform\n",
         "m.POMDP: line 8: T: v : a: expected probabilities that sum to 1, found 0, for no line "
         "says anything of it"},
        {HEAD "T: u : a : b 1.5\n", "m.POMDP: line 6: expected a number from 0 to 1.00001, found "
                                    "\"1.5\""},
        {HEAD "R: u : a : b : x -\n", "m.POMDP: line 7: expected a number, found \"-\""},
        {HEAD "state: 3\n",
         "m.POMDP: line 6: expected discount, values, states, actions, observations, start, T, O or "
         "R, found \"state\"; did you mean \"states\"?"},
        {T_AND_O, "m.POMDP: line 1: states: is missing; say what there is before T, O and R"},
        {"discunt: 1\n",
         "m.POMDP: line 1: expected discount, values, states, actions, observations, "
         "start, T, O or R, found \"discunt\"; did you mean \"discount\"?"},
        {HEAD "states: 3\n", "m.POMDP: line 6: the states are there twice; give them once"},
        {"discount: 2\n", "m.POMDP: line 1: expected a number from 0 to 1, found \"2\""},
        {"discount: 0\n",
         "m.POMDP: line 1: discount: expected a number above 0, at most 1, found 0"},
        {"states: a a\n",
         "m.POMDP: line 1: the state \"a\" is there twice; give each a name of its own"},
        {"states: 2\nT: 0\n",
         "m.POMDP: line 2: actions: is missing; say what there is before T, O and R"},
        {"states: 2\nactions: 1\nobservations: 1\nT: 0 identity\nO: 0 uniform\n",
         "m.POMDP: line 6: discount: is missing; add a line, such as discount: 0.95"},
        {HEAD "start: 0.5 0.25 0\n",
         "m.POMDP: line 6: start: expected probabilities that sum to 1, found 0.75"},
        {HEAD "start: 0.2 0.2 0.2 0.4\n",
         "m.POMDP: line 6: start: expected 3 probabilities, one for each state, found more"},
        {HEAD "start exclude: a b c\n", "m.POMDP: line 6: start: no state is left to start in"},
        {HEAD "T: u\n1 0 0\n0 1 0\n0 0\n", "m.POMDP: line 10: expected a number, found the end of "
                                           "the file"},
        {HEAD "R: u\n1", "m.POMDP: line 7: expected \":\", found \"1\""},
        {HEAD "O: u identity\n", "m.POMDP: line 6: expected a number, found \"identity\""},
        {HEAD "T: u : a : b 1x\n", "m.POMDP: line 6: expected a number, found \"1x\""},
        {HEAD "T: u : a & b\n", "m.POMDP: line 6: expected a name, a number, \":\" or \"*\", found "
                                "the character 0x26"},
        {"states: 9999999999\n", "m.POMDP: line 1: expected names, or a whole number from 1, found "
                                 "\"9999999999\""},
        {HEAD "start: a c\n",
         "m.POMDP: line 6: start: expected one state, or a probability of each, "
         "found several states; write start include: before them"},
        {"values: money\n", "m.POMDP: line 1: expected reward or cost, found \"money\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sonde_model *model = NULL;
        sonde_error error = {0};
        assert_int_equal(read_pomdp(cases[i].text, &model, &error), SONDE_BAD_INPUT);
        assert_string_equal(error.text, cases[i].sentence);
        assert_null(model);
    }
}

static void a_file_is_known_by_its_name_or_its_first_word(void **state) {
    (void)state;
    static const char text[] = "# a comment\n\n" HEAD T_AND_O;
    const sonde_source other = {"world.json", text, sizeof text - 1};
    sonde_model *model = NULL;
    assert_int_equal(sonde_model_read(&other, NULL, NULL, &model, NULL), SONDE_OK);
    sonde_model_free(model);
    /* and compressed, by the file's name */
    put_gzip(SONDE_TEST_TMP "/small.pomdp.gz", text, sizeof text - 1);
    sonde_input input = {0};
    assert_int_equal(
        sonde_input_read(SONDE_TEST_TMP "/small.pomdp.gz", NULL, NULL, 1, NULL, &input, NULL),
        SONDE_OK);
    assert_null(input.graph);
    assert_int_equal(input.model->n_action, 2);
    sonde_input_free(&input);
}

static void files_that_are_too_large_are_refused(void **state) {
    (void)state;
    sonde_run run = sonde_run_defaults();
    run.memory = 1 << 20;
    static const char *const texts[] = {
        "discount: 1\nstates: 2000000000\nactions: 2000000000\nobservations: 2\nT: * identity\n",
        "discount: 1\nstates: 1000\nactions: 2\nobservations: 2\nT: * uniform\n"};
    for (int32_t i = 0; i < 2; i++) {
        const sonde_source source = {"m.POMDP", texts[i], strlen(texts[i])};
        sonde_model *model = NULL;
        sonde_error error = {0};
        assert_int_equal(sonde_model_read(&source, NULL, &run, &model, &error), SONDE_TOO_LARGE);
        assert_true(error.text[0] != '\0');
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiger_is_read_as_a_reward_problem),
        cmocka_unit_test(numbers_wildcards_and_later_lines_mean_what_they_say),
        cmocka_unit_test(outcomes_that_do_not_depend_on_the_action_have_no_axis_for_it),
        cmocka_unit_test(a_start_is_a_list_a_name_a_number_or_what_is_left),
        cmocka_unit_test(values_are_rewards_or_costs),
        cmocka_unit_test(matrices_rows_and_single_entries_override_each_other),
        cmocka_unit_test(signs_blanks_and_comments_are_free),
        cmocka_unit_test(probabilities_that_are_rounded_are_divided_by_their_sum),
        cmocka_unit_test(what_is_wrong_is_said_with_its_line),
        cmocka_unit_test(a_file_is_known_by_its_name_or_its_first_word),
        cmocka_unit_test(files_that_are_too_large_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
