/* Counts in models: read, checked, written, and what follows from them. */
#include "base/numbers.h"
#include "models.h"

#define HEAD                                                                                       \
    "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 1,\n"                              \
    "\"factors\": [{\"states\": 2, \"actions\": 2}], \"modalities\": [{\"outcomes\": 2}],\n"
#define C_D "\"C\": [[0, 1]], \"D\": [[0.5, 0.5]]"
#define TRANSITIONS "\"B\": [[[[1, 0], [0, 1]], [[0, 1], [1, 0]]]]"
#define COUNTS_A "\"counts\": {\"A\": [[[3, 1], [1, 0.5]]]}"

static void arrays_are_the_means_of_their_counts(void **state) {
    (void)state;
    sonde_model *model = model_of(HEAD TRANSITIONS ", " C_D ", " COUNTS_A "}");
    const sonde_modality *modality = &model->modality[0];
    assert_same(likelihood(modality, 0, 0), 3.0 / 4.0);
    assert_same(likelihood(modality, 1, 0), 1.0 / 1.5);
    assert_same(modality->counts_A[0], 3.0);
    assert_null(model->factor[0].counts_B);
    assert_near(modality->ambiguity[0], -(0.75 * log(0.75) + 0.25 * log(0.25)), 1e-15);
    sonde_model_free(model);
}

static void counts_of_every_letter_are_read_and_written(void **state) {
    (void)state;
    sonde_text text = {0};
    sonde_text again = {0};
    sonde_model *model = model_of(
        HEAD
        "\"counts\": {\"A\": [[[3, 1], [1, 0.5]]], \"B\": [[[[2, 0], [0, 1]], [[1, 4], [1, 1]]]],"
        " \"C\": [[2, 3]], \"D\": [[0.2, 0.6]]}}");
    assert_same(model->factor[0].D[1], 0.6 / (0.2 + 0.6));
    assert_same(transition(&model->factor[0], 0, 0, 0), 2.0 / 3.0);
    assert_near(model->modality[0].C[0], sonde__digamma(2.0) - sonde__digamma(5.0), 1e-15);
    assert_int_equal(sonde_model_write(model, &text, NULL), SONDE_OK);
    sonde_model *read = model_of(text.data);
    assert_int_equal(sonde_model_write(read, &again, NULL), SONDE_OK);
    assert_string_equal(text.data, again.data);
    assert_int_equal(read->number_bytes, model->number_bytes);
    assert_memory_equal(read->numbers, model->numbers, model->number_bytes);
    sonde_text_free(&text);
    sonde_text_free(&again);
    sonde_model_free(read);
    sonde_model_free(model);
}

static void an_array_that_is_not_the_mean_is_noted_and_not_used(void **state) {
    (void)state;
    sonde_model *model =
        model_of(HEAD TRANSITIONS ", " C_D ", " COUNTS_A ", \"A\": [[[0.5, 0.5], [0.5, 0.5]]]}");
    assert_near(model->apart, 0.25, 1e-15);
    assert_string_equal(model->apart_at, "A[0]");
    assert_same(likelihood(&model->modality[0], 0, 0), 0.75);
    sonde_model_free(model);
    model = model_of(HEAD TRANSITIONS
                     ", " C_D ", " COUNTS_A
                     ", \"A\": [{\"shape\": [2, 2], \"entries\": [[0, 0, 0.75], [1, 0, 0.25], "
                     "[0, 1, 0.6666666666666666], [1, 1, 0.3333333333333333]]}]}");
    assert_true(model->apart < 1e-15);
    sonde_model_free(model);
}

static void a_null_stands_for_what_its_counts_give(void **state) {
    (void)state;
    sonde_model *model = model_of(HEAD TRANSITIONS ", " C_D ", " COUNTS_A ", \"A\": [null]}");
    assert_same(likelihood(&model->modality[0], 0, 0), 0.75);
    assert_same(model->apart, 0.0);
    sonde_model_free(model);
}

static void what_is_no_count_is_refused_by_a_sentence(void **state) {
    (void)state;
    static const struct {
        const char *counts;
        const char *sentence;
    } bad[] = {
        {"{\"A\": [[[-1, 1], [1, 1]]]}",
         "counts.A[0][0,0]: expected a count from 0 to 1e12, found -1"},
        {"{\"A\": [[[2e12, 1], [1, 1]]]}", "counts.A[0][0,0]: expected a count from 0 to 1e12"},
        {"{\"A\": [[[1, 0], [1, 0]]]}",
         "counts.A[0][:,1]: expected counts with a sum of more than 0"},
        {"{\"A\": [[[1, 1]]]}",
         "counts.A[0]: expected the shape [2, 2] (outcome, states), found [1, 2]"},
        {"{\"A\": [[[1, 1], [1, 1]], null]}", "counts.A: expected a list of 1"},
        {"{\"F\": [1]}", "unknown key \"F\""},
        {"{\"A\": [[[1, 1], [1, 1]]], \"C\": [[0, 1]]}", "counts.C[0]: expected counts above 0"},
        {"[1]", "counts: expected an object"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[1024];
        sonde_model *model = NULL;
        sonde_error error = {0};
        (void)snprintf(text, sizeof text,
                       HEAD TRANSITIONS ", " C_D ", \"A\": [[[1, 0], [0, 1]]], "
                                        "\"counts\": %s}",
                       bad[i].counts);
        assert_int_equal(model_try(text, NULL, &model, &error), SONDE_BAD_INPUT);
        if (strstr(error.text, bad[i].sentence) == NULL) {
            fail_msg("expected \"%s\", found \"%s\"", bad[i].sentence, error.text);
        }
    }
}

static void counts_of_preferences_are_of_logarithms(void **state) {
    (void)state;
    sonde_model *model = NULL;
    sonde_error error = {0};
    assert_int_equal(model_try(HEAD TRANSITIONS
                               ", \"preferences\": \"utility\", \"D\": [[0.5, 0.5]], "
                               "\"A\": [[[1, 0], [0, 1]]], \"counts\": {\"C\": [[1, 2]]}}",
                               NULL, &model, &error),
                     SONDE_BAD_INPUT);
    assert_non_null(strstr(error.text, "preferences are \"utility\""));
}

static void what_was_given_can_hold_beside_counts(void **state) {
    (void)state;
    static const double A[] = {0.5, 0.5, 0.5, 0.5};
    static const double a[] = {3.0, 1.0, 1.0, 0.5};
    static const double transitions[] = {1, 0, 0, 1, 0, 1, 1, 0};
    static const double even[] = {0.5, 0.5};
    static const int64_t two[] = {2, 2, 2};
    const sonde_factor_parts factor = {.shape = {.n_state = 2, .n_action = 2},
                                       .B = {.n_axis = 3, .size = two, .value = transitions},
                                       .D = {.n_axis = 1, .size = two, .value = even}};
    const sonde_modality_parts modality = {.shape = {.n_outcome = 2},
                                           .A = {.n_axis = 2, .size = two, .value = A},
                                           .C = {.n_axis = 1, .size = two, .value = even},
                                           .counts_A = {.n_axis = 2, .size = two, .value = a}};
    sonde_parts parts = sonde_parts_defaults();
    parts.n_factor = parts.n_modality = parts.settings.horizon = 1;
    parts.factor = &factor;
    parts.modality = &modality;
    parts.keep_given = true;
    sonde_model *model = NULL;
    assert_int_equal(sonde_model_new(&parts, NULL, NULL, &model, NULL), SONDE_OK);
    assert_true(model->kept_given);
    assert_same(likelihood(&model->modality[0], 0, 0), 0.5);
    assert_same(model->modality[0].counts_A[0], 3.0);
    assert_near(model->apart, 0.25, 1e-15);
    sonde_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_the_means_of_their_counts),
        cmocka_unit_test(counts_of_every_letter_are_read_and_written),
        cmocka_unit_test(an_array_that_is_not_the_mean_is_noted_and_not_used),
        cmocka_unit_test(a_null_stands_for_what_its_counts_give),
        cmocka_unit_test(what_is_no_count_is_refused_by_a_sentence),
        cmocka_unit_test(counts_of_preferences_are_of_logarithms),
        cmocka_unit_test(what_was_given_can_hold_beside_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
