/* General models from documents: what is right is read, what is wrong is told with file and
 * place. */
#include <jansson.h>

#include "locales.h"
#include "models.h"

#define HEAD "\"format\": \"sonde-model\", \"version\": 1"

static const char small[] =
    "{" HEAD ", \"name\": \"two rooms\","
    " \"factors\": [{\"name\": \"room\", \"states\": [\"left\", \"right\"],"
    "               \"actions\": [\"stay\", \"go\"]},"
    "              {\"name\": \"light\", \"states\": 2, \"actions\": 1, \"depends\": [\"room\", 1]}],"
    " \"modalities\": [{\"name\": \"sight\", \"outcomes\": [\"dark\", \"lit\", \"odd\"],"
    "                  \"factors\": [\"light\"]}, {\"outcomes\": 2}],"
    " \"A\": [[[0.9, 0.2], [0.1, 0.8], [0, 0]],"
    "         [[[1, 0.5], [0, 0.25]], [[0, 0.5], [1, 0.75]]]],"
    " \"B\": [[[[1, 0], [0, 1]], [[0, 1], [1, 0]]],"
    "         {\"shape\": [2, 2, 2, 1], \"entries\": [[0,0,0,0, 1], [1,0,1,0, 0.5],"
    "          [0,0,1,0, 0.5], [1,1,0,0, 1], [1,1,1,0, 1]]}],"
    " \"C\": [[0, 1, -1], [[0, 1], [2, 0], [0, 0]]],"
    " \"D\": [[0.25, 0.75], {\"shape\": [2], \"entries\": [[1, 1]]}],"
    " \"cost\": [[1, 0, 2.5], [0, 0]], \"lambda\": 0.5, \"gamma\": 16, \"horizon\": 3,"
    " \"information\": \"joint\"}";

static void a_document_is_read_as_it_stands(void **state) {
    (void)state;
    sonde_model *model = model_of(small);
    assert_string_equal(model->name, "two rooms");
    assert_null(model->graph);
    assert_int_equal(model->n_factor, 2);
    assert_int_equal(model->n_belief, 4);
    assert_int_equal(model->n_action, 2);
    assert_int_equal(model->horizon, 3);
    assert_int_equal(model->n_step_C, 3);
    assert_int_equal(model->n_modality, 2);
    assert_same(model->gamma, 16.0);
    assert_same(model->lambda, 0.5);
    assert_same(model->n_joint, 4.0);
    assert_true(model->coupled);
    assert_int_equal(model->preferences, SONDE_PREFERENCES_LOG);
    assert_int_equal(model->information, SONDE_INFORMATION_JOINT);
    const sonde_factor *room_ = &model->factor[0];
    const sonde_factor *light = &model->factor[1];
    assert_string_equal(room_->state_name[1], "right");
    assert_string_equal(room_->action_name[0], "stay");
    assert_true(room_->deterministic);
    assert_int_equal(room_->n_lane, 2);
    assert_same(transition(room_, 0, 1, 1), 1.0);
    assert_same(transition(room_, 0, 1, 0), 0.0);
    assert_int_equal(light->first, 2);
    assert_int_equal(light->n_depend, 2);
    assert_int_equal(light->depend[0], 0);
    assert_int_equal(light->n_previous, 4);
    assert_int_equal(light->n_lane, 1);
    assert_false(light->deterministic);
    assert_same(transition(light, 1, 0, 0), 0.5);
    assert_same(transition(light, 2, 0, 1), 1.0);
    assert_same(light->D[1], 1.0);
    assert_same(room_->D[0], 0.25);
    const sonde_modality *sight = &model->modality[0];
    assert_int_equal(sight->n_factor, 1);
    assert_int_equal(sight->factor[0], 1);
    assert_same(likelihood(sight, 1, 1), 0.8);
    assert_same(sight->cost[2], 2.5);
    assert_same(sight->C[3], 0.0);
    assert_near(sight->ambiguity[0], -0.9 * log(0.9) - 0.1 * log(0.1), 1e-15);
    assert_near(sight->preference[1], 1.0 - log(1.0 + exp(1.0) + exp(-1.0)), 1e-15);
    const sonde_modality *other = &model->modality[1];
    assert_int_equal(other->n_factor, 2);
    assert_int_equal(other->n_state, 4);
    assert_same(likelihood(other, 3, 0), 0.25);
    assert_same(likelihood(other, 3, 1), 0.75);
    assert_near(other->preference[2], 2.0 - log(exp(2.0) + 1.0), 1e-15);
    sonde_model_free(model);
}

static void what_a_document_does_not_say_is_the_default(void **state) {
    (void)state;
    sonde_model *model =
        model_of("{" HEAD ", \"factors\": [{\"states\": 2, \"actions\": 1}], \"modalities\": "
                 "[{\"outcomes\": 1}], \"A\": [[[1, 1]]], \"B\": [[[[1], [0]], [[0], [1]]]], "
                 "\"C\": [[3]], \"D\": [[1, 0]], \"horizon\": 1}");
    assert_null(model->name);
    assert_null(model->factor[0].name);
    assert_null(model->factor[0].state_name);
    assert_null(model->factor[0].allowed);
    assert_null(model->policy);
    assert_null(model->E);
    assert_int_equal(model->factor[0].depend[0], 0);
    assert_int_equal(model->n_step_C, 1);
    assert_int_equal(model->policies, SONDE_POLICIES_ALL);
    assert_int_equal(model->preferences, SONDE_PREFERENCES_LOG);
    assert_int_equal(model->information, SONDE_INFORMATION_PER_MODALITY);
    assert_same(model->gamma, 1.0);
    assert_same(model->lambda, 0.0);
    assert_same(model->modality[0].cost[0], 0.0);
    assert_same(model->modality[0].preference[0], 0.0);
    assert_false(model->coupled);
    assert_true(model->bytes > 0);
    sonde_model_free(model);
}

static void settings_come_before_the_document(void **state) {
    (void)state;
    sonde_model_settings settings = sonde_model_defaults();
    settings.lambda = 0.0;
    settings.gamma = 3.0;
    settings.preferences = SONDE_PREFERENCES_UTILITY;
    settings.information = SONDE_INFORMATION_PER_MODALITY;
    sonde_model *model = NULL;
    assert_int_equal(model_try(small, &settings, &model, NULL), SONDE_OK);
    assert_same(model->lambda, 0.0);
    assert_same(model->gamma, 3.0);
    assert_int_equal(model->information, SONDE_INFORMATION_PER_MODALITY);
    assert_same(model->modality[0].preference[2], -1.0);
    sonde_model_free(model);
    /* preferences by step are for the document's own horizon */
    sonde_error error = {0};
    settings.horizon = 2;
    assert_int_equal(model_try(small, &settings, &model, &error), SONDE_BAD_INPUT);
    assert_string_equal(error.text, "m.json: C[1]: expected the shape [2] (outcome) or [2, 2] "
                                    "(step, outcome), found [3, 2]");
}

static void settings_outside_their_range_are_refused(void **state) {
    (void)state;
    const sonde_model_settings defaults = sonde_model_defaults();
    for (int32_t i = 0; i < 6; i++) {
        sonde_model_settings settings = defaults;
        settings.horizon = i == 0 ? -1 : i == 1 ? INT32_MAX : 0;
        settings.lambda = i == 2 ? 1e101 : i == 3 ? (double)NAN : -1.0;
        settings.gamma = i == 4 ? (double)INFINITY : -1.0;
        settings.preferences = i == 5 ? 3 : -1;
        sonde_model *model = NULL;
        sonde_error error = {0};
        assert_int_equal(model_try(small, &settings, &model, &error), SONDE_BAD_ARGUMENT);
        assert_null(model);
        assert_true(strncmp(error.text, "m.json", 6) != 0); /* it is not the file's fault */
    }
}

/* ---------------------------------------------------------- documents with one thing changed -- */

/* a small document, key by key */
static const char *const keys[][2] = {
    {"format", "\"sonde-model\""},
    {"version", "1"},
    {"factors", "[{\"states\": 2, \"actions\": [\"stay\", \"go\"]}]"},
    {"modalities", "[{\"outcomes\": 2}]"},
    {"A", "[[[0.9, 0.1], [0.1, 0.9]]]"},
    {"B", "[[[[1, 0], [0, 1]], [[0, 1], [1, 0]]]]"},
    {"C", "[[0, 1]]"},
    {"D", "[[0.5, 0.5]]"},
    {"horizon", "2"},
};

/* The document with some keys changed, added or, with NULL, left out. */
static sonde_text changed(const char *const (*change)[2], size_t n_change) {
    sonde_text text = {0};
    const char *separator = "{";
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *value = keys[i][1];
        for (size_t k = 0; k < n_change; k++) {
            value = change[k][0] != NULL && strcmp(change[k][0], keys[i][0]) == 0 ? change[k][1]
                                                                                  : value;
        }
        if (value != NULL) {
            sonde_text_add(&text, "%s\"%s\": %s", separator, keys[i][0], value);
            separator = ",\n ";
        }
    }
    for (size_t k = 0; k < n_change; k++) {
        bool known = change[k][0] == NULL;
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            known = known || strcmp(change[k][0], keys[i][0]) == 0;
        }
        if (!known) {
            sonde_text_add(&text, "%s\"%s\": %s", separator, change[k][0], change[k][1]);
        }
    }
    sonde_text_add(&text, "}");
    return text;
}

/* a document with up to three changes, and what is said of it after the file's name */
typedef struct {
    const char *change[3][2];
    const char *says; /* all of it, or its beginning */
} wrong;

#define TWO "[{\"name\": \"a\", \"states\": 2, \"actions\": 1}, {\"states\": 3, \"actions\": 1}]"
#define FREE "\"allowed\""

static const wrong documents[] = {
    /* format, version, keys */
    {{{"format", NULL}}, "format: expected \"sonde-model\", found nothing"},
    {{{"format", "\"sonde-graph\""}}, "format: expected \"sonde-model\", found \"sonde-graph\""},
    {{{"version", "2"}}, "version: expected 1, found 2; it was made for a later sonde"},
    {{{"version", NULL}}, "version: expected 1, found nothing"},
    {{{"horizn", "2"}}, "unknown key \"horizn\"; did you mean \"horizon\"?"},
    {{{"a", "2"}}, "unknown key \"a\""},
    {{{"xylophone", "2"}}, "unknown key \"xylophone\"; leave it out, or read the document with a "},
    {{{"D\": [[0.5, 0.5]], \"D", "[[0.5, 0.5]]"}}, "line 10, column "},
    {{{"A\": 3, \"A", "3"}}, "line 10, column "},
    /* scalars */
    {{{"name", "7"}}, "name: expected a name, found 7"},
    {{{"name", "\"\""}}, "name: expected a name, found \"\""},
    {{{"horizon", NULL}}, "horizon: expected a whole number from 1 to 2147483646, found nothing"},
    {{{"horizon", "0"}}, "horizon: expected a whole number from 1 to 2147483646, found 0"},
    {{{"horizon", "2.0"}}, "horizon: expected a whole number from 1 to 2147483646, found 2.0"},
    {{{"horizon", "2147483647"}}, "horizon: expected a whole number "},
    {{{"discount", "0"}}, "discount: expected a number above 0, at most 1, found 0"},
    {{{"discount", "1.5"}}, "discount: expected a number above 0, at most 1, found 1.5"},
    {{{"action_prior", "[1]"}}, "action_prior: expected a list of"},
    {{{"action_cost", "3"}}, "action_cost: expected nested lists"},
    {{{"action_cost", "[[0, 1], [0]]"}}, "action_cost[1]: expected a list of 2"},
    {{{"action_cost", "[[0]]"}}, "action_cost: expected the shape"},
    {{{"action_cost", "{\"shape\": [1]}"}}, "action_cost: expected {"},
    {{{"lambda", "-1"}}, "lambda: expected a number of 0 or more, found -1"},
    {{{"lambda", "1e101"}}, "lambda: expected a number of 0 or more, at most 1e+100, found 1e+101"},
    {{{"gamma", "\"1\""}}, "gamma: expected a number of 0 or more, found \"1\""},
    {{{"gamma", "NaN"}}, "line 10, column "},
    {{{"gamma", "1e101"}}, "gamma: expected a number of 0 or more, at most 1e+100, found 1e+101"},
    {{{"preferences", "\"logs\""}},
     "preferences: expected \"log\", \"probability\" or \"utility\", found \"logs\""},
    {{{"preferences", "1"}},
     "preferences: expected \"log\", \"probability\" or \"utility\", found 1"},
    {{{"information", "\"all\""}},
     "information: expected \"per-modality\", \"joint\", \"off\" or \"pymdp-legacy\", found \"all\""},
    /* factors */
    {{{"factors", NULL}}, "factors: expected a list of 1 to 64 factors, found nothing"},
    {{{"factors", "[]"}}, "factors: expected a list of 1 to 64 factors, found []"},
    {{{"factors", "2"}}, "factors: expected a list of 1 to 64 factors, found 2"},
    {{{"factors", "[2]"}}, "factors[0]: expected an object { ... }, found 2"},
    {{{"factors", "[{\"states\": 2}]"}},
     "factors[0].actions: expected how many there are, or their names, found nothing"},
    {{{"factors", "[{\"actions\": 2}]"}},
     "factors[0].states: expected how many there are, or their names, found nothing"},
    {{{"factors", "[{\"states\": 0, \"actions\": 2}]"}},
     "factors[0].states: expected a whole number from 1 to 2147483647, found 0"},
    {{{"factors", "[{\"states\": 2, \"actions\": 4294967298}]"}},
     "factors[0].actions: expected a whole number from 1 to 2147483647, found 4294967298"},
    {{{"factors", "[{\"states\": [], \"actions\": 2}]"}},
     "factors[0].states: expected one name at least, found []"},
    {{{"factors", "[{\"states\": [\"a\", 7], \"actions\": 2}]"}},
     "factors[0].states[1]: expected a name, found 7"},
    {{{"factors", "[{\"states\": [\"a\", \"a\"], \"actions\": 2}]"}},
     "factors[0].states: \"a\" is there twice; give each a name of its own"},
    {{{"factors", "[{\"states\": [\"a\", \"b\\u0007\"], \"actions\": 2}]"}},
     "factors[0].states[1]: expected a name without control characters, found character 0x07 in it"},
    {{{"factors", "[{\"name\": \"\\n\", \"states\": 2, \"actions\": 2}]"}},
     "factors[0].name: expected a name without control characters, found character 0x0a in it"},
    {{{"name", "\"\\u001b\""}},
     "name: expected a name without control characters, found character 0x1b in it"},
    {{{"factors", "[{\"states\": 2, \"actions\": [\"1\", \"b\"]}]"}},
     "factors[0].actions[0]: \"1\" also means number 1; give each a name of its own"},
    {{{"factors", "[{\"states\": 2, \"actions\": 2, \"depend\": [0]}]"}},
     "factors[0]: unknown key \"depend\"; did you mean \"depends\"?"},
    {{{"factors", "[{\"name\": \"\", \"states\": 2, \"actions\": 2}]"}},
     "factors[0].name: expected a name, found \"\""},
    {{{"factors", "[{\"name\": \"a\", \"states\": 2, \"actions\": 1}, "
                  "{\"name\": \"a\", \"states\": 2, \"actions\": 1}]"},
      {"B", "[[[[1],[0]],[[0],[1]]],[[[1],[0]],[[0],[1]]]]"},
      {"D", "[[1,0],[1,0]]"}},
     "factors: two have the name \"a\"; give each a name of its own"},
    {{{"factors", "[{\"name\": \"1\", \"states\": 2, \"actions\": 1}, "
                  "{\"states\": 2, \"actions\": 1}]"},
      {"B", "[[[[1],[0]],[[0],[1]]],[[[1],[0]],[[0],[1]]]]"},
      {"D", "[[1,0],[1,0]]"}},
     "factors[0].name: expected a name, found \"1\""},
    {{{"factors", "[{\"states\": 2, \"actions\": 2, \"depends\": []}]"}},
     "factors[0].depends: expected a list of 1 to 1 factors, found []"},
    {{{"factors", "[{\"states\": 2, \"actions\": 2, \"depends\": [1]}]"}},
     "factors[0].depends[0]: expected a whole number from 0 to 0, found 1"},
    {{{"factors", "[{\"name\": \"a\", \"states\": 2, \"actions\": 2, \"depends\": [\"b\"]}]"}},
     "factors[0].depends[0]: expected a number from 0 to 0 or the name of a factor, found \"b\""},
    {{{"factors", "[{\"states\": 2, \"actions\": 2, \"depends\": [\"b\"]}]"}},
     "factors[0].depends[0]: expected a number from 0 to 0 or the name of a factor, found \"b\""},
    {{{"factors", "[{\"states\": 2, \"actions\": 2, \"depends\": [0, 0]}]"}},
     "factors[0].depends: expected a list of 1 to 1 factors, found [0,0]"},
    {{{"factors", "[{\"states\": 2, \"actions\": 1, \"depends\": [0, 0]}, "
                  "{\"states\": 2, \"actions\": 1}]"},
      {"B", "[[[[1],[0]],[[0],[1]]],[[[1],[0]],[[0],[1]]]]"},
      {"D", "[[1,0],[1,0]]"}},
     "factors[0].depends[1]: factor 0 is there twice; give it once"},
    /* modalities */
    {{{"modalities", "{}"}}, "modalities: expected a list of 1 to 64 modalities, found {}"},
    {{{"modalities", "[[]]"}}, "modalities[0]: expected an object { ... }, found []"},
    {{{"modalities", "[{\"outcomes\": null}]"}},
     "modalities[0].outcomes: expected how many there are, or their names, found null"},
    {{{"modalities", "[{\"outcomes\": [\"x\", \"x\"]}]"}},
     "modalities[0].outcomes: \"x\" is there twice; give each a name of its own"},
    {{{"modalities", "[{\"outcome\": 2}]"}},
     "modalities[0]: unknown key \"outcome\"; did you mean \"outcomes\"?"},
    {{{"modalities", "[{\"outcomes\": 2, \"factors\": 0}]"}},
     "modalities[0].factors: expected a list of 1 to 1 factors, found 0"},
    {{{"modalities", "[{\"outcomes\": 2, \"factors\": [-1]}]"}},
     "modalities[0].factors[0]: expected a whole number from 0 to 0, found -1"},
    {{{"modalities", "[{\"name\": \"x\", \"outcomes\": 2}, {\"name\": \"x\", \"outcomes\": 2}]"},
      {"A", "[[[1,0],[0,1]],[[1,0],[0,1]]]"},
      {"C", "[[0,1],[0,1]]"}},
     "modalities: two have the name \"x\"; give each a name of its own"},
    /* lists of arrays */
    {{{"A", NULL}}, "A: expected a list of 1, one array for each modality, found nothing"},
    {{{"A", "{}"}}, "A: expected a list of 1, one array for each modality, found {}"},
    {{{"A", "[]"}}, "A: expected a list of 1, one array for each modality, found one of 0"},
    {{{"B", "[[1], [1]]"}}, "B: expected a list of 1, one array for each factor, found one of 2"},
    {{{"D", "[0.5, 0.5]"}}, "D: expected a list of 1, one array for each factor, found one of 2"},
    {{{"D", "[1]"}}, "D[0]: expected an array of numbers, or {\"shape\", \"entries\"}, found 1"},
    {{{"C", "[null]"}},
     "C[0]: expected an array of numbers, or {\"shape\", \"entries\"}, found null"},
    {{{"cost", "7"}}, "cost: expected a list of 1, one array for each modality, found 7"},
    {{{"\\u0041", "[[[1, 0], [0, 1]]]"}, {"A", NULL}}, "A[0]: expected an array of numbers"},
    /* arrays of one shape */
    {{{"A", "[[[0.9, 0.1], [0.1]]]"}},
     "line 5: A[0][1]: expected a list of 2, like those beside it, found one of 1"},
    {{{"A", "[[[0.9, 0.1], 0.1]]"}}, "line 5: A[0][1]: expected a list, found a number"},
    {{{"A", "[[0.9, [0.1]]]"}}, "line 5: A[0][1]: expected a number, found a list"},
    {{{"A", "[[[0.9, \"x\"], [0.1, 0.9]]]"}},
     "line 5: A[0][0][1]: expected a number, found a text"},
    {{{"A", "[[[0.9, null], [0.1, 0.9]]]"}}, "line 5: A[0][0][1]: expected a number, found null"},
    {{{"A", "[[[0.9, {}], [0.1, 0.9]]]"}},
     "line 5: A[0][0][1]: expected a number, found an object"},
    {{{"A", "[[[0.9, true], [0.1, 0.9]]]"}}, "line 5: A[0][0][1]: expected a number, found true"},
    {{{"A", "[[[0.9, NaN], [0.1, 0.9]]]"}}, "line 5, column "},
    {{{"A", "[[[0.9, nan], [0.1, 0.9]]]"}}, "line 5, column "},
    {{{"A", "[[[0.9, Infinity], [0.1, 0.9]]]"}}, "line 5, column "},
    {{{"A", "[[[0.9, 1e999], [0.1, 0.9]]]"}}, "line 5, column "},
    {{{"A", "[[[0.9, 01], [0.1, 0.9]]]"}}, "line 5, column "},
    {{{"A", "[[[0.9, .5], [0.1, 0.9]]]"}}, "line 5, column "},
    {{{"A", "[[[0.9, 0x1], [0.1, 0.9]]]"}}, "line 5, column "},
    {{{"A", "[[[0.9, 0.1,], [0.1, 0.9]]]"}}, "line 5, column "},
    {{{"A", "[[[0.9  0.1], [0.1, 0.9]]]"}}, "line 5, column "},
    {{{"B", "[[[[1, 0], [0, 1]], [[0, 1], [1, 0]]]"}}, "line 7, column "},
    {{{"A", "[[[0.9, 0.1], [0.1, 0.9]]]"}, {"lambda", "}"}}, "line 10, column "},
    {{{"A", "[[]]"}}, "A[0]: expected the shape [2, 2] (outcome, states), found [0]"},
    {{{"A", "[[[], []]]"}}, "A[0]: expected the shape [2, 2] (outcome, states), found [2, 0]"},
    /* shapes */
    {{{"A", "[[1, 1]]"}}, "A[0]: expected the shape [2, 2] (outcome, states), found [2]"},
    {{{"A", "[[[1, 1, 1], [0, 0, 0]]]"}},
     "A[0]: expected the shape [2, 2] (outcome, states), found [2, 3]"},
    {{{"B", "[[[1, 0], [0, 1]]]"}},
     "B[0]: expected the shape [2, 2, 2] (next, previous, action), found [2, 2]"},
    {{{"B", "[[[[1], [0]], [[0], [1]]]]"}},
     "B[0]: expected the shape [2, 2, 2] (next, previous, action), found [2, 2, 1]"},
    {{{"D", "[[1]]"}}, "D[0]: expected the shape [2] (state), found [1]"},
    {{{"D", "[[[1, 0]]]"}}, "D[0]: expected the shape [2] (state), found [1, 2]"},
    {{{"C", "[[1, 2, 3]]"}},
     "C[0]: expected the shape [2] (outcome) or [2, 2] (step, outcome), found [3]"},
    {{{"C", "[[[1, 2]]]"}},
     "C[0]: expected the shape [2] (outcome) or [2, 2] (step, outcome), found [1, 2]"},
    {{{"cost", "[[1]]"}}, "cost[0]: expected the shape [2] (outcome), found [1]"},
    {{{"factors", TWO},
      {"B", "[[[[1],[0]],[[0],[1]]], [[[1],[1],[1]],[[0],[0],[0]],[[0],[0],[0]]]]"},
      {"D", "[[1,0],[1,0,0]]"}},
     "A[0]: expected the shape [2, 2, 3] (outcome, states), found [2, 2]"},
    /* numbers that are no probabilities */
    {{{"A", "[[[0.9, 0.1], [0.1, 0.8]]]"}},
     "A[0][:,1]: expected probabilities that sum to 1, found 0.9"},
    {{{"A", "[[[0.9, 0.1], [0.1, 0.9000011]]]"}},
     "A[0][:,1]: expected probabilities that sum to 1, found 1.0000011"},
    {{{"A", "[[[0, 0], [0, 1]]]"}}, "A[0][:,0]: expected probabilities that sum to 1, found 0"},
    {{{"A", "[[[1.1, 0.1], [-0.1, 0.9]]]"}}, "A[0][1,0]: expected a probability, found -0.1"},
    {{{"A", "[[[3, 0.1], [0, 0.9]]]"}}, "A[0][0,0]: expected a probability, found 3"},
    {{{"B", "[[[[1, 0], [0, 1]], [[0, 1], [1, 0.5]]]]"}},
     "B[0][:,1,1]: expected probabilities that sum to 1, found 1.5"},
    {{{"B", "[[[[1, 0], [0, 1]], [[0, 1], [1, -1e-9]]]]"}},
     "B[0][1,1,1]: expected a probability, found -1.0000000000000001e-09"},
    {{{"D", "[[0.5, 0.4]]"}}, "D[0]: expected probabilities that sum to 1, found 0.9"},
    {{{"D", "[[-0.5, 1.5]]"}}, "D[0][0]: expected a probability, found -0.5"},
    {{{"C", "[[1e101, 0]]"}}, "C[0][0]: expected a number from -1e+100 to 1e+100, found 1e+101"},
    {{{"C", "[[[0, 1], [0, -1e101]]]"}},
     "C[0][1][1]: expected a number from -1e+100 to 1e+100, found -1e+101"},
    {{{"cost", "[[0, -1e101]]"}},
     "cost[0][1]: expected a number from -1e+100 to 1e+100, found -1e+101"},
    {{{"preferences", "\"probability\""}, {"C", "[[-1, 2]]"}},
     "C[0][0]: expected a probability of 0 or more, found -1"},
    {{{"preferences", "\"probability\""}, {"C", "[[[1, 2], [1, -2]]]"}},
     "C[0][1][1]: expected a probability of 0 or more, found -2"},
    {{{"preferences", "\"probability\""}, {"C", "[[0, 0]]"}},
     "C[0]: expected probabilities with a sum of more than 0, found 0"},
    /* sparse arrays */
    {{{"D", "[{\"shape\": [2]}]"}},
     "D[0].entries: expected a list of indices and values, found nothing"},
    {{{"D", "[{\"entries\": [[0, 1]]}]"}},
     "D[0].shape: expected the sizes of the axes, found nothing"},
    {{{"D", "[{}]"}}, "D[0].shape: expected the sizes of the axes, found nothing"},
    {{{"D", "[{\"shape\": 2, \"entries\": [[0, 1]]}]"}},
     "D[0].shape: expected the sizes of the axes, found nothing"},
    {{{"D", "[{\"shape\": [[2]], \"entries\": [[0, 1]]}]"}},
     "D[0].shape: expected the sizes of the axes, found something else"},
    {{{"D", "[{\"shape\": [2.5], \"entries\": [[0, 1]]}]"}},
     "D[0].shape[0]: expected a whole number of 1 or more, found 2.5"},
    {{{"D", "[{\"shape\": [0], \"entries\": [[0, 1]]}]"}},
     "D[0].shape[0]: expected a whole number of 1 or more, found 0"},
    {{{"D", "[{\"shape\": [3], \"entries\": [[0, 1]]}]"}},
     "D[0]: expected the shape [2] (state), found [3]"},
    {{{"D", "[{\"shap\": [2], \"entries\": [[0, 1]]}]"}},
     "D[0]: unknown key \"shap\"; did you mean \"shape\"?"},
    {{{"D", "[{\"shape\": [2], \"entries\": [[0, 0, 1]]}]"}},
     "D[0].entries: expected lists of 1 indices and a value, found lists of 3"},
    {{{"D", "[{\"shape\": [2], \"entries\": [0, 1]}]"}},
     "D[0].entries: expected lists of 1 indices and a value, found something else"},
    {{{"D", "[{\"shape\": [2], \"entries\": [[0.5, 1]]}]"}},
     "D[0].entries[0][0]: expected a whole number of 0 or more, found 0.5"},
    {{{"D", "[{\"shape\": [2], \"entries\": [[2, 1]]}]"}},
     "D[0].entries[0][0]: expected an index from 0 to 1, found 2"},
    {{{"D", "[{\"shape\": [2], \"entries\": [[-1, 1]]}]"}},
     "D[0].entries[0][0]: expected an index from 0 to 1, found -1"},
    {{{"D", "[{\"shape\": [2], \"entries\": [[0, 0.5], [0, 0.5]]}]"}},
     "D[0][0]: is given twice; give it once"},
    {{{"D", "[{\"shape\": [2], \"entries\": []}]"}},
     "D[0]: expected an entry in each of its 1 columns at least, found 0 entries"},
    {{{"A", "[{\"shape\": [2, 2], \"entries\": [[0, 0, 1]]}]"}},
     "A[0]: expected an entry in each of its 2 columns at least, found 1 entries"},
    {{{"A", "[{\"shape\": [2, 2], \"entries\": [[0, 0, 0.5], [1, 0, 0.5]]}]"}},
     "A[0][:,1]: expected probabilities that sum to 1, found 0"},
    {{{"B", "[{\"shape\": [2, 2, 2], \"entries\": [[0,0,0,1], [0,1,0,1], [1,0,1,1], [1,1,1,1], "
            "[0,1,0,1]]}]"}},
     "B[0][0,1,0]: is given twice; give it once"},
    {{{"C", "[{\"shape\": [2], \"entries\": [[0, 1], [0, 2]]}]"}},
     "C[0].entries[1]: is given twice; give it once"},
    {{{"C", "[{\"shape\": [2], \"entries\": [[5, 1]]}]"}},
     "C[0].entries[0][0]: expected an index from 0 to 1, found 5"},
    /* sizes */
    {{{"factors", "[{\"states\": 2000000000, \"actions\": 2000000000}]"},
      {"B", "[{\"shape\": [2000000000, 2000000000, 2000000000], \"entries\": [[0,0,0,1]]}]"}},
     "B[0]: has 2^59 numbers or more; make it smaller"},
    {{{"factors", "[{\"states\": 2, \"actions\": 1000000}, {\"states\": 2, \"actions\": 1000000}]"},
      {"B", "[[[[1],[0]],[[0],[1]]],[[[1],[0]],[[0],[1]]]]"},
      {"D", "[[1,0],[1,0]]"}},
     "factors: 2^31 combinations of their actions or more; let fewer factors have actions"},
    /* policies */
    {{{"policies", "\"some\""}},
     "policies: expected \"all\", \"allowed\" or a list of policies, found \"some\""},
    {{{"policies", "\"listed\""}},
     "policies: expected \"all\", \"allowed\" or a list of policies, found \"listed\""},
    {{{"policies", "7"}}, "policies: expected \"all\", \"allowed\" or a list of policies, found 7"},
    {{{"policies", "[]"}}, "policies: expected one policy at least, found []"},
    {{{"policies", "[7]"}}, "policies[0]: expected a list of 2 steps, found 7"},
    {{{"policies", "[[[0], [1]], [[0]]]"}}, "policies[1]: expected a list of 2 steps, found [[0]]"},
    {{{"policies", "[[[0], 1]]"}},
     "policies[0][1]: expected a list of 1, one action for each factor, found 1"},
    {{{"policies", "[[[0], [1, 1]]]"}},
     "policies[0][1]: expected a list of 1, one action for each factor, found [1,1]"},
    {{{"policies", "[[[0], [2]]]"}},
     "policies[0][1][0]: expected a whole number from 0 to 1, found 2"},
    {{{"policies", "[[[0], [-1]]]"}},
     "policies[0][1][0]: expected a whole number from 0 to 1, found -1"},
    {{{"policies", "[[[\"go\"], [\"run\"]]]"}},
     "policies[0][1][0]: expected a number from 0 to 1 or the name of an action, found \"run\""},
    {{{"E", "[1]"}}, "E: is for listed policies, but policies are \"all\""},
    {{{"policies", "[[[0], [1]]]"}, {"E", "[1, 1]"}},
     "E: expected a list of 1 numbers, one for each policy, found [1,1]"},
    {{{"policies", "[[[0], [1]]]"}, {"E", "1"}},
     "E: expected a list of 1 numbers, one for each policy, found 1"},
    {{{"policies", "[[[0], [1]]]"}, {"E", "[-1]"}},
     "E[0]: expected a number of 0 or more, found -1"},
    {{{"policies", "[[[0], [1]]]"}, {"E", "[0]"}}, "E: expected a policy with more than 0"},
    {{{"policies", "[[[0], [1]]]"}, {"E", "[1e101]"}},
     "E[0]: expected a number of 0 or more, at most 1e+100, found 1e+101"},
    {{{"policies", "[[[0], [1]]]"}, {"E", "{\"shape\": [1]}"}},
     "E: expected {\"shape\": [policies], \"entries\": [[i, value], ...]}, found "},
    {{{"policies", "[[[0], [1]]]"}, {"E", "{\"shape\": [2], \"entries\": []}"}},
     "E.shape[0]: expected a whole number from 1 to 1, found 2"},
    {{{"policies", "[[[0], [1]]]"}, {"E", "{\"shape\": [1], \"entries\": [[1, 1]]}"}},
     "E.entries[0]: expected a whole number from 0 to 0, found 1"},
    {{{"policies", "[[[0], [1]]]"}, {"E", "{\"shape\": [1], \"entries\": [[0, 1], [0, 1]]}"}},
     "E.entries[1]: index 0 is there twice"},
    {{{"policies", "[[[0], [1]]]"}, {"E", "{\"shape\": [1], \"entries\": [7]}"}},
     "E.entries[0]: expected [i, value], found 7"},
    {{{"policies", "[[[0], [1]]]"}, {"E", "{\"shape\": [1], \"entries\": [[0, -1]]}"}},
     "E.entries[0]: expected a number of 0 or more, found -1"},
    {{{"policies", "[[[0], [1]]]"}, {"E", "{\"shape\": [1], \"entries\": []}"}},
     "E: expected a policy with more than 0"},
    /* what is allowed */
    {{{"policies", FREE}},
     "policies: are \"allowed\", but nothing says which; give \"allowed\", or take \"all\""},
    {{{"policies", FREE}, {"allowed", "[null]"}},
     "policies: are \"allowed\", but nothing says which; "},
    {{{"policies", FREE}, {"allowed", "7"}},
     "allowed: expected a list of 1, one for each factor, found 7"},
    {{{"policies", FREE}, {"allowed", "[]"}},
     "allowed: expected a list of 1, one for each factor, found []"},
    {{{"policies", FREE}, {"allowed", "[7]"}},
     "allowed[0]: expected a list of [state, action], or null, found 7"},
    {{{"policies", FREE}, {"allowed", "[[7]]"}},
     "allowed[0][0]: expected [state, action], found 7"},
    {{{"policies", FREE}, {"allowed", "[[[0, 0, 0]]]"}},
     "allowed[0][0]: expected [state, action], found [0,0,0]"},
    {{{"policies", FREE}, {"allowed", "[[[2, 0]]]"}},
     "allowed[0][0][0]: expected a whole number from 0 to 1, found 2"},
    {{{"policies", FREE}, {"allowed", "[[[0, \"run\"]]]"}},
     "allowed[0][0][1]: expected a number from 0 to 1 or the name of an action, found \"run\""},
    {{{"policies", FREE},
      {"allowed", "[[[0, 0], [1, \"go\"]]]"},
      {"B", "[[[[0.5, 0], [0, 1]], [[0.5, 1], [1, 0]]]]"}},
     "allowed[0]: is for factors whose transitions are certain, but B[0] has a column "},
};

static void whatever_is_wrong_is_told_with_its_place(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        const wrong *w = &documents[i];
        sonde_text text = changed(w->change, 3);
        sonde_model *model = NULL;
        sonde_error error = {0};
        const sonde_status status = model_try(text.data, NULL, &model, &error);
        const bool told = strncmp(error.text, "m.json: ", 8) == 0 &&
                          strncmp(error.text + 8, w->says, strlen(w->says)) == 0;
        if ((status != SONDE_BAD_INPUT && status != SONDE_TOO_LARGE) || !told) {
            fail_msg("status %d, \"%s\"\ninstead of \"%s\"\nfor %s", (int)status, error.text,
                     w->says, text.data);
        }
        assert_int_equal(error.status, status);
        assert_null(model);
        /* nobody has to listen */
        assert_int_equal(model_try(text.data, NULL, &model, NULL), status);
        sonde_text_free(&text);
    }
}

static void factors_that_depend_on_others_have_no_allowed_actions(void **state) {
    (void)state;
    const char *change[3][2] = {
        {"factors", "[{\"states\": 1, \"actions\": 1, \"depends\": [1]}, {\"states\": 1, "
                    "\"actions\": 1}]"},
        {"B", "[[[[1]]], [[[1]]]], \"policies\": \"allowed\", \"allowed\": [[[0, 0]], null]"},
        {"D", "[[1], [1]]"}};
    const char *const all[][2] = {{change[0][0], change[0][1]},
                                  {change[1][0], change[1][1]},
                                  {change[2][0], change[2][1]},
                                  {"A", "[[[[1]], [[0]]]]"}};
    sonde_text text = changed(all, 4);
    sonde_model *model = NULL;
    sonde_error error = {0};
    assert_int_equal(model_try(text.data, NULL, &model, &error), SONDE_BAD_INPUT);
    assert_says(error.text, "allowed[0]: is for factors that depend on themselves alone, but ");
    sonde_text_free(&text);
}

static void every_cut_is_refused(void **state) {
    (void)state;
    for (size_t size = 0; size < sizeof small - 1; size++) {
        const sonde_source source = {"m.json", small, size};
        sonde_model *model = NULL;
        sonde_error error = {0};
        assert_int_equal(sonde_model_read(&source, NULL, NULL, &model, &error), SONDE_BAD_INPUT);
        assert_null(model);
        assert_says(error.text, size > 0 ? "m.json: line 1, column "
                                         : "m.json: expected a JSON document, found nothing");
    }
}

/* Whatever single byte is changed, the answer is a model or a sentence. */
static void every_changed_byte_is_survived(void **state) {
    (void)state;
    static const char letters[] = "{}[],:\"\\ 09.-eE\n\x01\xFFnt";
    char text[sizeof small];
    for (size_t i = 0; i < sizeof small - 1; i++) {
        memcpy(text, small, sizeof small);
        text[i] = letters[i % (sizeof letters - 1)];
        const sonde_source source = {"m.json", text, sizeof small - 1};
        sonde_model *model = NULL;
        sonde_error error = {0};
        const sonde_status status = sonde_model_read(&source, NULL, NULL, &model, &error);
        assert_int_equal(status == SONDE_OK, model != NULL);
        assert_int_equal(status == SONDE_OK, error.text[0] == '\0');
        sonde_model_free(model);
    }
}

/* ---------------------------------------------------------------------------- the same model -- */

static void lines_are_right_behind_long_arrays(void **state) {
    (void)state;
    const char *text = "{\n\"A\": [[\n[1, 0],\n[0, 1]\n]],\n \"B\": [[1,\n2]], \"x\": }";
    sonde_model *model = NULL;
    sonde_error error = {0};
    assert_int_equal(model_try(text, NULL, &model, &error), SONDE_BAD_INPUT);
    assert_says(error.text, "m.json: line 7, column 11: unexpected token near '}'");
}

static void names_and_numbers_mean_the_same(void **state) {
    (void)state;
    static const char *const change[2][4][2] = {
        {{"policies", "[[[\"go\"], [\"stay\"]], [[1], [1]]]"}, {"E", "[1, 3]"}},
        {{"policies", "[[[1], [0]], [[\"go\"], [\"go\"]]]"}, {"E", "[0.25, 0.75]"}}};
    for (int i = 0; i < 2; i++) {
        sonde_text text = changed(change[i], 2);
        sonde_model *model = model_of(text.data);
        static const int32_t policies[] = {1, 0, 1, 1};
        assert_int_equal(model->policies, SONDE_POLICIES_LISTED);
        assert_int_equal(model->n_policy, 2);
        assert_memory_equal(model->policy, policies, sizeof policies);
        assert_same(model->E[0], 0.25);
        assert_same(model->E[1], 0.75);
        sonde_model_free(model);
        sonde_text_free(&text);
    }
}

static void what_is_allowed_is_by_state(void **state) {
    (void)state;
    static const char *const change[][2] = {{"policies", "\"allowed\""},
                                            {"allowed", "[[[0, \"go\"], [1, 0], [1, 1]]]"}};
    static const bool allowed[] = {false, true, true, true};
    sonde_text text = changed(change, 2);
    sonde_model *model = model_of(text.data);
    assert_int_equal(model->policies, SONDE_POLICIES_ALLOWED);
    assert_memory_equal(model->factor[0].allowed, allowed, sizeof allowed);
    assert_null(model->factor[0].B); /* always sparse, to be followed */
    assert_int_equal(model->factor[0].next[0], 0);
    sonde_model_free(model);
    sonde_text_free(&text);
    /* all policies are all */
    sonde_text all = changed(change + 1, 1);
    model = model_of(all.data);
    assert_null(model->factor[0].allowed);
    sonde_model_free(model);
    sonde_text_free(&all);
}

static void columns_are_divided_by_their_sum(void **state) {
    (void)state;
    static const char *const change[][2] = {{"A", "[[[0.9000005, 0.1], [0.1, 0.9]]]"},
                                            {"D", "[[0.5000004, 0.5000004]]"}};
    sonde_text text = changed(change, 2);
    sonde_model *model = model_of(text.data);
    assert_near(likelihood(model->modality, 0, 0), 0.9000005 / 1.0000005, 1e-16);
    assert_near(likelihood(model->modality, 0, 1), 0.1 / 1.0000005, 1e-16);
    assert_same(likelihood(model->modality, 1, 1), 0.9);
    assert_same(model->factor[0].D[0], 0.5);
    sonde_model_free(model);
    sonde_text_free(&text);
}

static void preferences_are_logs_or_utilities(void **state) {
    (void)state;
    static const char *const how[] = {"\"log\"", "\"probability\"", "\"utility\""};
    static const char *const C[] = {"[[0, 100]]", "[[0, 3]]", "[[-50, 3]]"};
    static const double wanted[][2] = {
        {-36.841361487904734, 0.0}, {-36.841361487904734, 0.0}, {-50.0, 3.0}};
    for (int i = 0; i < 3; i++) {
        const char *const change[][2] = {{"preferences", how[i]}, {"C", C[i]}};
        sonde_text text = changed(change, 2);
        sonde_model *model = model_of(text.data);
        assert_near(model->modality[0].preference[0], wanted[i][0], 1e-13);
        assert_near(model->modality[0].preference[1], wanted[i][1], 1e-13);
        sonde_model_free(model);
        sonde_text_free(&text);
    }
}

static void tables_are_sparse_when_a_quarter_or_less_is_not_zero(void **state) {
    (void)state;
    for (int32_t n = 2; n <= 6; n++) {
        sonde_text A = {0};
        sonde_text shape = {0};
        for (int32_t o = 0; o < n; o++) {
            sonde_text_add(&A, "%s[%d, %d]", o > 0 ? ", " : "", o == 0, o == 1);
        }
        sonde_text whole = {0};
        sonde_text_add(&whole, "[[%s]]", A.data);
        sonde_text_add(&shape, "[{\"outcomes\": %d}]", n);
        sonde_text C = {0};
        sonde_text_add(&C, "[{\"shape\": [%d], \"entries\": []}]", n);
        const char *const change[][2] = {
            {"A", whole.data}, {"modalities", shape.data}, {"C", C.data}};
        sonde_text text = changed(change, 3);
        sonde_model *model = model_of(text.data);
        assert_int_equal(model->modality[0].A == NULL, n >= 4);
        assert_int_equal(model->modality[0].offset != NULL, n >= 4);
        assert_same(likelihood(model->modality, 1, 1), 1.0);
        sonde_model_free(model);
        sonde_text_free(&A);
        sonde_text_free(&whole);
        sonde_text_free(&shape);
        sonde_text_free(&C);
        sonde_text_free(&text);
    }
}

static void a_compressed_document_is_the_plain_one(void **state) {
    (void)state;
    put_bytes(SONDE_TEST_TMP "/m.json", small, sizeof small - 1);
    put_gzip(SONDE_TEST_TMP "/m.json.gz", small, sizeof small - 1);
    sonde_model *plain = model_from(SONDE_TEST_TMP "/m.json");
    sonde_model *packed = model_from(SONDE_TEST_TMP "/m.json.gz");
    sonde_text a = {0};
    sonde_text b = {0};
    assert_int_equal(sonde_model_write(plain, &a, NULL), SONDE_OK);
    assert_int_equal(sonde_model_write(packed, &b, NULL), SONDE_OK);
    assert_string_equal(a.data, b.data);
    sonde_text_free(&a);
    sonde_text_free(&b);
    sonde_model_free(plain);
    sonde_model_free(packed);
}

static void numbers_are_right_where_people_write_a_comma(void **state) {
    (void)state;
    if (!set_comma_locale()) {
        print_message("no locale with a decimal comma, and no localedef to make one\n");
        skip();
    }
    sonde_model *model = model_of(small);
    reset_locale();
    assert_same(likelihood(model->modality, 1, 1), 0.8);
    assert_same(model->lambda, 0.5);
    sonde_model_free(model);
}

static void memory_that_is_not_allowed_is_not_asked_for(void **state) {
    (void)state;
    const sonde_source source = {"m.json", small, sizeof small - 1};
    sonde_run run = sonde_run_defaults();
    int32_t refused = 0;
    for (run.memory = 0;; run.memory += 64) {
        sonde_model *model = NULL;
        sonde_error error = {0};
        const sonde_status status = sonde_model_read(&source, NULL, &run, &model, &error);
        sonde_model_free(model);
        if (status == SONDE_OK) {
            break;
        }
        assert_int_equal(status, SONDE_TOO_LARGE);
        assert_says(error.text, "m.json: ");
        refused++;
    }
    assert_true(refused > 3);
}

/* -------------------------------------------------------------------- numbers from elsewhere -- */

/* The number at a place of nested lists. */
static double at(const json_t *list, int32_t n, const int64_t *index) {
    for (int32_t i = 0; i < n; i++) {
        list = json_array_get(list, (size_t)index[i]);
    }
    return json_number_value(list);
}

static int32_t whole(const json_t *root, const char *key, int32_t i) {
    return (int32_t)json_integer_value(json_array_get(json_object_get(root, key), (size_t)i));
}

static void add_value(sonde_text *text, const char *key, const json_t *value) {
    char *dumped = json_dumps(value, JSON_ENCODE_ANY);
    sonde_text_add(text, ", \"%s\": %s", key, dumped);
    free(dumped);
}

/* A fixture as a document. */
static sonde_model *model_of_fixture(const json_t *root, int32_t n_factor, int32_t n_modality) {
    sonde_text text = {0};
    sonde_text_add(&text, "{" HEAD ", \"horizon\": 2, \"factors\": [");
    for (int32_t f = 0; f < n_factor; f++) {
        sonde_text_add(&text, "%s{\"states\": %d, \"actions\": %d}", f > 0 ? ", " : "",
                       whole(root, "num_states", f), whole(root, "num_controls", f));
    }
    sonde_text_add(&text, "], \"modalities\": [");
    for (int32_t m = 0; m < n_modality; m++) {
        sonde_text_add(&text, "%s{\"outcomes\": %d}", m > 0 ? ", " : "", whole(root, "num_obs", m));
    }
    sonde_text_add(&text, "]");
    add_value(&text, "A", json_object_get(root, "A"));
    add_value(&text, "B", json_object_get(root, "B"));
    add_value(&text, "C", json_object_get(root, "C"));
    add_value(&text, "D", json_object_get(root, "qs"));
    sonde_text_add(&text, "}");
    sonde_model *model = model_of(text.data);
    sonde_text_free(&text);
    return model;
}

static void check_fixture(const char *name) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/pomdp/%s", SONDE_TEST_DATA, name);
    json_t *root = json_load_file(path, 0, NULL);
    assert_non_null(root);
    const int32_t n_factor = (int32_t)json_array_size(json_object_get(root, "num_states"));
    const int32_t n_modality = (int32_t)json_array_size(json_object_get(root, "num_obs"));
    sonde_model *model = model_of_fixture(root, n_factor, n_modality);
    for (int32_t m = 0; m < n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        const json_t *A = json_array_get(json_object_get(root, "A"), (size_t)m);
        for (int64_t s = 0; s < modality->n_state; s++) {
            int64_t index[8] = {0};
            int64_t rest = s;
            for (int32_t f = n_factor - 1; f >= 0; f--) {
                index[1 + f] = rest % model->factor[f].n_state;
                rest /= model->factor[f].n_state;
            }
            for (index[0] = 0; index[0] < modality->n_outcome; index[0]++) {
                assert_near(likelihood(modality, s, (int32_t)index[0]), at(A, 1 + n_factor, index),
                            1e-15);
            }
        }
    }
    for (int32_t f = 0; f < n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        const json_t *B = json_array_get(json_object_get(root, "B"), (size_t)f);
        for (int32_t i = 0; i < factor->n_state * factor->n_state * factor->n_action; i++) {
            const int32_t u = i % factor->n_action;
            const int32_t s = i / factor->n_action % factor->n_state;
            const int32_t next = i / factor->n_action / factor->n_state;
            const int64_t index[] = {next, s, u};
            assert_near(transition(factor, s, u, next), at(B, 3, index), 1e-15);
        }
    }
    sonde_model_free(model);
    json_decref(root);
}

static void numbers_of_other_packages_are_read(void **state) {
    (void)state;
    check_fixture("one-factor.json");
    check_fixture("one-factor-zeros.json");
    check_fixture("two-factor.json");
    check_fixture("two-factor-zeros.json");
    check_fixture("three-factor.json");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_is_read_as_it_stands),
        cmocka_unit_test(what_a_document_does_not_say_is_the_default),
        cmocka_unit_test(settings_come_before_the_document),
        cmocka_unit_test(settings_outside_their_range_are_refused),
        cmocka_unit_test(whatever_is_wrong_is_told_with_its_place),
        cmocka_unit_test(factors_that_depend_on_others_have_no_allowed_actions),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(every_changed_byte_is_survived),
        cmocka_unit_test(lines_are_right_behind_long_arrays),
        cmocka_unit_test(names_and_numbers_mean_the_same),
        cmocka_unit_test(what_is_allowed_is_by_state),
        cmocka_unit_test(columns_are_divided_by_their_sum),
        cmocka_unit_test(preferences_are_logs_or_utilities),
        cmocka_unit_test(tables_are_sparse_when_a_quarter_or_less_is_not_zero),
        cmocka_unit_test(a_compressed_document_is_the_plain_one),
        cmocka_unit_test(numbers_are_right_where_people_write_a_comma),
        cmocka_unit_test(memory_that_is_not_allowed_is_not_asked_for),
        cmocka_unit_test(numbers_of_other_packages_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
