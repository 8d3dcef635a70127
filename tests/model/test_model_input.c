/* A file holds a graph world or a model, and is read as what it is. */
#include <sys/stat.h>
#include <unistd.h>

#include "models.h"

#define WORLD SONDE_TEST_TMP "/world.json"
#define MODEL SONDE_TEST_TMP "/model.json"

static const char graph_text[] =
    "{\"format\": \"sonde-graph\", \"version\": 1, \"nodes\": 2, \"edges\": [[0, 1, 5], [1, 0, 10]],"
    " \"start\": [0, 1], \"destination\": 0, \"horizon\": 3, \"lambda\": 2}";
static const char model_text[] =
    "{\"format\": \"sonde-model\", \"version\": 1, \"factors\": [{\"states\": 1, \"actions\": 1}],"
    " \"modalities\": [{\"outcomes\": 1}], \"A\": [[[1]]], \"B\": [[[[1]]]], \"C\": [[0]],"
    " \"D\": [[1]], \"horizon\": 3, \"lambda\": 2, \"gamma\": 4}";

static int set_up(void **state) {
    (void)state;
    put_text(WORLD, graph_text);
    put_text(MODEL, model_text);
    return 0;
}

typedef struct {
    sonde_graph_settings graph;
    sonde_model_settings model;
} both;

static both defaults_of_both(void) {
    return (both){sonde_graph_defaults(), sonde_model_defaults()};
}

static sonde_input input_of(const char *path, const both *settings) {
    sonde_input input = {0};
    sonde_error error = {0};
    if (sonde_input_read(path, settings != NULL ? &settings->graph : NULL,
                         settings != NULL ? &settings->model : NULL, 1, NULL, &input,
                         &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return input;
}

static void a_graph_has_a_graph_and_its_model(void **state) {
    (void)state;
    sonde_input input = input_of(WORLD, NULL);
    assert_non_null(input.graph);
    assert_ptr_equal(input.model->graph, input.graph);
    assert_int_equal(input.model->horizon, 3);
    assert_int_equal(input.model->n_belief, 4);
    assert_int_equal(input.model->n_modality, 1);
    assert_int_equal(input.model->n_factor, 0);
    assert_same(input.model->gamma, 1.0);
    assert_same(input.model->lambda, 2.0);
    sonde_input_free(&input);
    assert_null(input.graph);
    assert_null(input.model);
}

static void a_model_has_no_graph(void **state) {
    (void)state;
    sonde_input input = input_of(MODEL, NULL);
    assert_null(input.graph);
    assert_int_equal(input.model->n_factor, 1);
    sonde_input_free(&input);
    input = input_of(SONDE_TEST_DATA "/models/small.npz", NULL);
    assert_null(input.graph);
    assert_int_equal(input.model->n_belief, 2);
    assert_int_equal(input.model->horizon, 1);
    sonde_input_free(&input);
}

static void horizon_lambda_and_gamma_are_for_both(void **state) {
    (void)state;
    static const char *const paths[] = {WORLD, MODEL};
    for (int i = 0; i < 4; i++) {
        both settings = defaults_of_both();
        if (i % 2 == 0) {
            settings.graph.horizon = 7;
            settings.graph.lambda = 0.5;
        } else {
            settings.model.horizon = 7;
            settings.model.lambda = 0.5;
        }
        settings.model.gamma = 9.0;
        sonde_input input = input_of(paths[i / 2], &settings);
        assert_int_equal(input.model->horizon, 7);
        assert_same(input.model->lambda, 0.5);
        assert_same(input.model->gamma, 9.0);
        sonde_input_free(&input);
    }
}

static void assert_misplaced(const char *path, const both *settings, const char *sentence) {
    sonde_input input = {0};
    sonde_error error = {0};
    assert_int_equal(sonde_input_read(path, settings != NULL ? &settings->graph : NULL,
                                      settings != NULL ? &settings->model : NULL, 1, NULL, &input,
                                      &error),
                     SONDE_BAD_ARGUMENT);
    assert_null(input.graph);
    assert_null(input.model);
    assert_says(error.text, sentence);
}

static void settings_for_the_other_kind_are_refused(void **state) {
    (void)state;
    const both defaults = defaults_of_both();
    both settings = defaults;
    settings.graph.start = "0,1";
    assert_misplaced(MODEL, &settings, "start: is for graph worlds, but " MODEL " is a model");
    settings = defaults;
    settings.graph.destination = "0";
    assert_misplaced(MODEL, &settings, "destination: is for graph worlds, ");
    assert_misplaced(SONDE_TEST_DATA "/models/small.npz", &settings, "destination: is for graph ");
    settings = defaults;
    settings.graph.idle = 0.0;
    assert_misplaced(MODEL, &settings, "idle: is for graph worlds, ");
    settings = defaults;
    settings.model.preferences = 1;
    assert_misplaced(WORLD, &settings,
                     "preferences: is for models, but " WORLD " is a graph world");
    settings = defaults;
    settings.model.information = 1;
    assert_misplaced(WORLD, &settings, "information: is for models, ");
    settings = defaults;
    settings.model.horizon = 2;
    settings.graph.horizon = 3;
    assert_misplaced(WORLD, &settings, "horizon, lambda: given twice, and differently");
}

static void assert_refused(const char *text, const char *sentence) {
    sonde_input input = {0};
    sonde_error error = {0};
    put_text(SONDE_TEST_TMP "/wrong.json", text);
    assert_int_equal(
        sonde_input_read(SONDE_TEST_TMP "/wrong.json", NULL, NULL, 1, NULL, &input, &error),
        SONDE_BAD_INPUT);
    assert_null(input.model);
    assert_says(error.text, SONDE_TEST_TMP "/wrong.json: ");
    assert_says(error.text, sentence);
}

static void other_documents_are_refused(void **state) {
    (void)state;
    assert_refused("{\"format\": \"sonde-plan\"}",
                   "format: expected \"sonde-graph\" or \"sonde-model\", found \"sonde-plan\"");
    assert_refused("{}", "format: expected \"sonde-graph\" or \"sonde-model\", found nothing");
    assert_refused("[]", "document: expected an object { ... }, found []");
    assert_refused("", "expected a JSON document, found nothing");
    assert_refused("{\"format\": \"sonde-graph\"}", "version: expected 1, found nothing");
    assert_refused("{\"format\": \"sonde-model\"}", "version: expected 1, found nothing");
}

static void files_that_cannot_be_read_are_told(void **state) {
    (void)state;
    sonde_input input = {0};
    sonde_error error = {0};
    assert_int_equal(sonde_input_read(SONDE_TEST_TMP "/none", NULL, NULL, 1, NULL, &input, &error),
                     SONDE_NO_FILE);
    assert_says(error.text, SONDE_TEST_TMP "/none: cannot be opened: ");
    assert_int_equal(sonde_input_read(SONDE_TEST_TMP, NULL, NULL, 1, NULL, &input, &error),
                     SONDE_NO_FILE);
    if (geteuid() != 0) {
        assert_int_equal(chmod(WORLD, 0), 0);
        assert_int_equal(sonde_input_read(WORLD, NULL, NULL, 1, NULL, &input, &error),
                         SONDE_NO_FILE);
        assert_int_equal(chmod(WORLD, 0644), 0);
    }
}

static void a_word_with_a_nul_in_it_is_compared_as_far_as_it_goes(void **state) {
    (void)state;
    static const char text[] =
        "{\"format\": \"sonde-model\", \"counts\0 and a long word behind it\": "
        "{\"A\": [[1, 2]]}}";
    const sonde_source source = {"model", text, sizeof text - 1};
    sonde_model *model = NULL;
    sonde_error error = {0};
    assert_int_equal(sonde_model_read(&source, NULL, NULL, &model, &error), SONDE_BAD_INPUT);
    assert_null(model);
    assert_true(error.text[0] != '\0');
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_with_a_nul_in_it_is_compared_as_far_as_it_goes),
        cmocka_unit_test(a_graph_has_a_graph_and_its_model),
        cmocka_unit_test(a_model_has_no_graph),
        cmocka_unit_test(horizon_lambda_and_gamma_are_for_both),
        cmocka_unit_test(settings_for_the_other_kind_are_refused),
        cmocka_unit_test(other_documents_are_refused),
        cmocka_unit_test(files_that_cannot_be_read_are_told),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
