/* POMDPX documents: tables, factors, and what is wrong is said with its line. */
#include "models.h"

#define CORPUS SONDE_TEST_DATA "/../../fuzz/corpus/model_pomdpx"

static void tiger_is_the_same_in_both_formats(void **state) {
    (void)state;
    sonde_model *model = model_from(CORPUS "/tiger.pomdpx");
    sonde_model *other = model_from(CORPUS "/../model_pomdp/tiger.POMDP");
    assert_int_equal(model->information, SONDE_INFORMATION_OFF);
    assert_int_equal(model->preferences, SONDE_PREFERENCES_UTILITY);
    assert_near(model->discount, 0.95, 0.0);
    assert_string_equal(model->factor->name, "tiger_0");
    for (int32_t i = 0; i < 6; i++) {
        assert_near(model->action_cost[i], other->action_cost[i], 1e-12);
        for (int32_t to = 0; to < 2; to++) {
            assert_near(transition(model->factor, i / 3, i % 3, to),
                        transition(other->factor, i / 3, i % 3, to), 0.0);
            assert_near(likelihood(model->modality, i, to), likelihood(other->modality, i, to),
                        0.0);
        }
    }
    sonde_model_free(model);
    sonde_model_free(other);
}

/* Of factors.pomdpx: a' depends on the action, b' on a', c' on a and c. */
static void variables_that_move_together_are_one_factor_and_others_stay(void **state) {
    (void)state;
    sonde_model *model = model_from(CORPUS "/factors.pomdpx");
    assert_int_equal(model->n_factor, 2);
    const sonde_factor *ab = &model->factor[0];
    const sonde_factor *c = &model->factor[1];
    assert_string_equal(ab->name, "a,b");
    assert_string_equal(ab->state_name[2], "s1,s0");
    assert_int_equal(ab->n_action, 2);
    assert_int_equal(ab->n_depend, 1);
    assert_int_equal(c->n_action, 1);
    assert_int_equal(c->n_depend, 2);
    assert_near(ab->D[2], 0.3, 1e-15);
    assert_near(ab->D[3], 0.7, 1e-15);
    /* from (s0, s1): a0 stays in s0, where b' is 0.9 and 0.1; a1 goes to s1, where b stays */
    assert_near(transition(ab, 1, 0, 0), 0.9, 1e-15);
    assert_near(transition(ab, 1, 0, 1), 0.1, 1e-15);
    assert_near(transition(ab, 1, 1, 3), 1.0, 0.0);
    /* c after (s0, *), x: 0.8 and 0.2; after (s1, *) it stays */
    assert_near(transition(c, 1 * 2 + 0, 0, 1), 0.2, 1e-15);
    assert_near(transition(c, 3 * 2 + 0, 0, 0), 1.0, 0.0);
    sonde_model_free(model);
}

static void what_is_visible_is_a_modality_of_its_own(void **state) {
    (void)state;
    sonde_model *model = model_from(CORPUS "/factors.pomdpx");
    assert_int_equal(model->n_modality, 2);
    const sonde_modality *a = &model->modality[0];
    const sonde_modality *o = &model->modality[1];
    assert_string_equal(a->name, "a'");
    assert_int_equal(a->n_factor, 1);
    assert_int_equal(a->factor[0], 0);
    assert_near(likelihood(a, 1, 0), 1.0, 0.0);
    assert_near(likelihood(a, 2, 1), 1.0, 0.0);
    assert_int_equal(o->factor[0], 1);
    assert_int_equal(o->n_action, 1);
    assert_near(likelihood(o, 1, 1), 0.9, 0.0);
    sonde_model_free(model);
}

static void rewards_that_depend_on_what_follows_are_averaged(void **state) {
    (void)state;
    sonde_model *model = model_from(CORPUS "/factors.pomdpx");
    /* in (s0, s1), x: outcome o0 has 0.8 0.7 + 0.2 0.1 = 0.58 */
    const double *cost = model->action_cost + (1 * 2 + 0) * 2;
    assert_near(cost[0], -(1.0 - 0.9 * 0.58 - 2.0 * 0.9 * 0.58), 1e-14);
    assert_near(cost[1], -5.0 * 0.42, 1e-14);
    sonde_model_free(model);
}

/* ------------------------------------------------------------------------------------ refusals -- */

/* The text of a file with one piece in place of another. */
static char *changed(const char *file, const char *from, const char *to) {
    char path[512];
    size_t size = 0;
    (void)snprintf(path, sizeof path, CORPUS "/%s", file);
    char *text = get_bytes(path, &size);
    char *at = strstr(text, from);
    if (at == NULL) {
        fail_msg("no \"%s\" in %s", from, file);
        return text;
    }
    char *made = room(size + strlen(to) + 1, 1);
    (void)snprintf(made, size + strlen(to) + 1, "%.*s%s%s", (int)(at - text), text, to,
                   at + strlen(from));
    free(text);
    return made;
}

static void what_is_wrong_is_said_with_its_line(void **state) {
    (void)state;
    static const struct {
        const char *from;
        const char *to;
        const char *sentence;
    } cases[] = {
        {"<Parameter type=\"TBL\">", "<Parameter type=\"DD\">",
         "m.pomdpx: line 12: Parameter: decision diagrams (DD) are not read; write it as a table "
         "(TBL)"},
        {"listen - -</Instance><ProbTable>i", "lisen - -</Instance><ProbTable>i",
         "m.pomdpx: line 16: there is no value \"lisen\"; did you mean \"listen\"?"},
        {"<Parent>action tiger_0</Parent>", "<Parent>action tiger_2</Parent>",
         "m.pomdpx: line 13: there is no variable \"tiger_2\"; did you mean \"tiger_0\"?"},
        {"0.85 0.15 0.15 0.85", "0.85 0.15 0.15",
         "m.pomdpx: line 21: ProbTable: expected 4 numbers, found 3"},
        {"0.85 0.15 0.15 0.85", "0.85 0.05 0.15 0.85",
         "m.pomdpx: line 18: sound given listen left: expected probabilities that sum to 1, found "
         "0.9"},
        {"0.85 0.15 0.15 0.85", "0.85 -0.15 0.15 0.85",
         "m.pomdpx: line 21: expected a probability, found \"-0.15\""},
        {"<Instance>* - -</Instance>", "<Instance>* -</Instance>",
         "m.pomdpx: line 15: Instance: expected 3 words, one for each variable, found 2"},
        {"<ObsFunction>", "<ObsFunctoin>",
         "m.pomdpx: line 22: expected </ObsFunctoin>, found </ObsFunction>"},
        {"</pomdpx>", "", "m.pomdpx: line 2: <pomdpx> has no end </pomdpx>"},
        {"<Discount>0.95</Discount>", "", "m.pomdpx: line 2: Discount: is missing"},
        {"0.95", "1.5",
         "m.pomdpx: line 4: Discount: expected a number above 0, at most 1, found \"1.5\""},
        {"<Var>sound</Var>", "<Var>tiger_1</Var>",
         "m.pomdpx: line 18: ObsFunction: is not about \"tiger_0\""},
        {"<Parent>action tiger_1</Parent>", "<Parent>action tiger_0</Parent>",
         "m.pomdpx: line 18: ObsFunction: \"sound\" cannot depend on \"tiger_0\" there"},
        {"<Parent>null</Parent>", "<Parent>tiger_0</Parent>",
         "m.pomdpx: line 12: Instance: expected 2 words, one for each variable, found 1"},
        {"the tiger again", "tiger &amp; co",
         "m.pomdpx: line 3: entities (&) are not read; write names without them"},
        {"<Description>", "<Descriptio>",
         "m.pomdpx: line 3: expected </Descriptio>, found "
         "</Description>"},
        {"<Variable>", "<Variable><ActionVar vname=\"more\"><NumValues>2</NumValues></ActionVar>",
         "m.pomdpx: line 5: Variable: expected a StateVar at least and one ActionVar, found 1 and "
         "2"},
        {"left right</ValueEnum>", "left left</ValueEnum>",
         "m.pomdpx: line 6: the value \"left\" is there twice; give each a name of its own"},
        {"<ValueEnum>left right</ValueEnum>", "<NumValues>two</NumValues>",
         "m.pomdpx: line 6: NumValues: expected a whole number from 1, found \"two\""},
        {"vnameCurr=\"tiger_1\"", "vnameCur=\"tiger_1\"",
         "m.pomdpx: line 6: StateVar: expected the attribute vnameCurr"},
        {"vnameCurr=\"tiger_1\"", "vnameCurr=tiger_1",
         "m.pomdpx: line 6: vnameCurr: expected a value in quotes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = changed("tiger.pomdpx", cases[i].from, cases[i].to);
        const sonde_source source = {"m.pomdpx", text, strlen(text)};
        sonde_model *model = NULL;
        sonde_error error = {0};
        assert_int_equal(sonde_model_read(&source, NULL, NULL, &model, &error), SONDE_BAD_INPUT);
        assert_string_equal(error.text, cases[i].sentence);
        assert_null(model);
        free(text);
    }
}

/* Bytes that differ would look the same in documents. */
static void names_that_are_no_text_are_refused(void **state) {
    (void)state;
    static const char *const to[] = {"<ValueEnum>\303\266 \366</ValueEnum>",
                                     "<ValueEnum>\377 \376</ValueEnum>"};
    static const char *const byte[] = {"0xf6", "0xff"};
    for (size_t i = 0; i < 2; i++) {
        char *text = changed("tiger.pomdpx", "<ValueEnum>left right</ValueEnum>", to[i]);
        const sonde_source source = {"m.pomdpx", text, strlen(text)};
        sonde_model *model = NULL;
        sonde_error error = {0};
        assert_int_equal(sonde_model_read(&source, NULL, NULL, &model, &error), SONDE_BAD_INPUT);
        assert_says(error.text, "expected a name in UTF-8, found the byte");
        assert_says(error.text, byte[i]);
        assert_null(model);
        free(text);
    }
}

static void variables_that_depend_on_each_other_at_once_are_refused(void **state) {
    (void)state;
    char *text = changed("factors.pomdpx", "<Parent>u a</Parent>", "<Parent>b' a</Parent>");
    char *at = strstr(text, "a0 - -");
    assert_non_null(at);
    at[0] = 's';
    at = strstr(text, "a1 - -");
    assert_non_null(at);
    at[0] = 's';
    const sonde_source source = {"m.pomdpx", text, strlen(text)};
    sonde_model *model = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_model_read(&source, NULL, NULL, &model, &error), SONDE_BAD_INPUT);
    assert_string_equal(error.text, "m.pomdpx: line 19: \"a\" depends on itself, at the same time");
    free(text);
}

static void settings_stand_over_the_document(void **state) {
    (void)state;
    sonde_model_settings settings = sonde_model_defaults();
    settings.horizon = 5;
    settings.information = SONDE_INFORMATION_JOINT;
    const sonde_source source = {.origin = CORPUS "/tiger.pomdpx"};
    sonde_model *model = NULL;
    assert_int_equal(sonde_model_read(&source, &settings, NULL, &model, NULL), SONDE_OK);
    assert_int_equal(model->horizon, 5);
    assert_int_equal(model->information, SONDE_INFORMATION_JOINT);
    sonde_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiger_is_the_same_in_both_formats),
        cmocka_unit_test(variables_that_move_together_are_one_factor_and_others_stay),
        cmocka_unit_test(what_is_visible_is_a_modality_of_its_own),
        cmocka_unit_test(rewards_that_depend_on_what_follows_are_averaged),
        cmocka_unit_test(what_is_wrong_is_said_with_its_line),
        cmocka_unit_test(names_that_are_no_text_are_refused),
        cmocka_unit_test(variables_that_depend_on_each_other_at_once_are_refused),
        cmocka_unit_test(settings_stand_over_the_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
