/* fixtures.h: models and numbers of somebody else's (tests/data/pomdp), made with pymdp 1.0.2's
 * NumPy code. */
#ifndef TESTS_FIXTURES_H
#define TESTS_FIXTURES_H

#include <jansson.h>

#include "random_models.h"

static const char *const fixture_names[] = {"one-factor", "one-factor-zeros", "two-factor",
                                            "two-factor-zeros", "three-factor"};
enum { N_FIXTURE = sizeof fixture_names / sizeof *fixture_names };

/* Appends the numbers of nested lists, the last axis fastest. */
static inline void fixture_flatten(const json_t *value, double *number, int64_t *n) {
    if (!json_is_array(value)) {
        number[(*n)++] = json_number_value(value);
        return;
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        fixture_flatten(json_array_get(value, i), number, n);
    }
}

/* All numbers under a key, lists inside lists, and how many they are; the caller frees them. */
static inline double *fixture_numbers(const json_t *value, int64_t *n) {
    enum { MOST = 4096 };
    double *number = room(MOST, sizeof *number);
    *n = 0;
    assert_non_null(value);
    fixture_flatten(value, number, n);
    assert_true(*n <= MOST);
    return number;
}

static inline sonde_array fixture_array(const json_t *value, scrap *s) {
    int64_t n = 0;
    double *number = fixture_numbers(value, &n);
    double *kept = scrap_take(s, n, sizeof *kept);
    int64_t *size = scrap_take(s, 8, sizeof *size);
    sonde_array array = {.size = size, .value = kept};
    memcpy(kept, number, (size_t)n * sizeof *kept);
    free(number);
    for (; json_is_array(value); value = json_array_get(value, 0)) {
        size[array.n_axis++] = (int64_t)json_array_size(value);
    }
    return array;
}

static inline json_t *fixture_read(int32_t i) {
    char path[512];
    json_error_t error;
    (void)snprintf(path, sizeof path, SONDE_TEST_DATA "/pomdp/%s.json", fixture_names[i]);
    json_t *root = json_load_file(path, 0, &error);
    if (root == NULL) {
        fail_msg("%s: %s", path, error.text);
    }
    return root;
}

static inline int32_t fixture_whole(const json_t *root, const char *key, size_t i) {
    return (int32_t)json_integer_value(json_array_get(json_object_get(root, key), i));
}

/* The model, whose D is the belief that the numbers are about. */
static inline setting fixture_setting(const json_t *root, sonde_preferences preferences,
                                      sonde_information information) {
    scrap s = {0};
    sonde_parts parts = sonde_parts_defaults();
    const json_t *belief = json_object_get(root, "qs");
    parts.n_factor = (int32_t)json_array_size(belief);
    parts.n_modality = (int32_t)json_array_size(json_object_get(root, "A"));
    sonde_factor_parts *factor = scrap_take(&s, parts.n_factor, sizeof *factor);
    sonde_modality_parts *modality = scrap_take(&s, parts.n_modality, sizeof *modality);
    for (size_t f = 0; f < (size_t)parts.n_factor; f++) {
        factor[f].shape.n_state = fixture_whole(root, "num_states", f);
        factor[f].shape.n_action = fixture_whole(root, "num_controls", f);
        factor[f].B = fixture_array(json_array_get(json_object_get(root, "B"), f), &s);
        factor[f].D = fixture_array(json_array_get(belief, f), &s);
    }
    for (size_t m = 0; m < (size_t)parts.n_modality; m++) {
        modality[m].shape.n_outcome = fixture_whole(root, "num_obs", m);
        modality[m].A = fixture_array(json_array_get(json_object_get(root, "A"), m), &s);
        modality[m].C = fixture_array(json_array_get(json_object_get(root, "C"), m), &s);
    }
    parts.factor = factor;
    parts.modality = modality;
    parts.settings.preferences = (int32_t)preferences;
    parts.settings.information = (int32_t)information;
    parts.settings.horizon = (int32_t)json_integer_value(json_object_get(root, "policy_len"));
    sonde_model *model = NULL;
    sonde_error error = {0};
    if (sonde_model_new(&parts, "fixture", NULL, &model, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    scrap_free(&s);
    return setting_of(model);
}

#endif
