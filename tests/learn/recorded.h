/* recorded.h: recorded runs of pymdp's agents (tests/data/learning), lived again by ours: model,
 * settings, outcomes and actions go in, everything else is compared. */
#ifndef TESTS_LEARN_RECORDED_H
#define TESTS_LEARN_RECORDED_H

#include <glob.h>
#include <jansson.h>

#include "base/json.h"
#include "models.h"

/* Recordings are those of tests/data/learning, or of a folder that the program is given. */
static const char *recorded_folder = SONDE_TEST_DATA "/learning";

/* Does something with the name of every recording that a pattern finds; how many there are. */
static inline int32_t for_recorded(const char *pattern, void (*what)(const char *name)) {
    char path[512];
    glob_t all = {0};
    (void)snprintf(path, sizeof path, "%s/%s.json.gz", recorded_folder, pattern);
    const bool any = glob(path, 0, NULL, &all) == 0;
    const int32_t n = any ? (int32_t)all.gl_pathc : 0;
    for (int32_t i = 0; i < n; i++) {
        char name[512];
        (void)snprintf(name, sizeof name, "%s", strrchr(all.gl_pathv[i], '/') + 1);
        name[strlen(name) - strlen(".json.gz")] = '\0';
        print_message("%s\n", name);
        what(name);
    }
    globfree(&all);
    return n;
}

static inline json_t *recorded(const char *name) {
    char path[512];
    char *data = NULL;
    size_t size = 0;
    sonde_error error = {0};
    (void)snprintf(path, sizeof path, "%s/%s.json.gz", recorded_folder, name);
    if (sonde__json_slurp(path, &data, &size, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    json_t *root = json_loadb(data, size, 0, NULL);
    free(data);
    assert_non_null(root);
    return root;
}

static inline double real(const json_t *object, const char *key) {
    return json_number_value(json_object_get(object, key));
}

static inline bool flag(const json_t *object, const char *key) {
    return json_is_true(json_object_get(object, key));
}

static inline int64_t whole_at(const json_t *list, size_t i) {
    return json_integer_value(json_array_get(list, i));
}

/* Every number of nested lists, in order. */
static inline int64_t flatten(const json_t *value, double *out) {
    int64_t n = 0;
    if (json_is_number(value)) {
        if (out != NULL) {
            *out = json_number_value(value);
        }
        return 1;
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        n += flatten(json_array_get(value, i), out != NULL ? out + n : NULL);
    }
    return n;
}

/* n numbers as they were recorded, within `slack`. */
static inline void assert_recorded(const char *what, const json_t *wanted, int64_t n,
                                   const double *found, double slack) {
    double *number = room((uint64_t)flatten(wanted, NULL) + 1, sizeof *number);
    assert_int_equal(flatten(wanted, number), n);
    for (int64_t i = 0; i < n; i++) {
        if (!(fabs(found[i] - number[i]) <= slack)) {
            fail_msg("%s[%d]: expected %.17g, found %.17g, %g apart", what, (int)i, number[i],
                     found[i], fabs(found[i] - number[i]));
        }
    }
    free(number);
}

/* The model of a recording as a document of ours. */
static inline json_t *document_of(const json_t *run) {
    const json_t *from = json_object_get(run, "model");
    const json_t *settings = json_object_get(run, "settings");
    json_t *model = json_pack("{s:s, s:i}", "format", "sonde-model", "version", 1);
    json_t *factors = json_array();
    json_t *modalities = json_array();
    const json_t *B = json_object_get(from, "B");
    const json_t *A = json_object_get(from, "A");
    for (size_t f = 0; f < json_array_size(B); f++) {
        const json_t *array = json_array_get(B, f);
        const json_t *inner = array;
        while (json_is_array(json_array_get(inner, 0))) {
            inner = json_array_get(inner, 0);
        }
        json_array_append_new(
            factors, json_pack("{s:i, s:i, s:O}", "states", (int)json_array_size(array), "actions",
                               (int)json_array_size(inner), "depends",
                               json_array_get(json_object_get(from, "B_dependencies"), f)));
    }
    for (size_t m = 0; m < json_array_size(A); m++) {
        json_array_append_new(
            modalities,
            json_pack("{s:i, s:O}", "outcomes", (int)json_array_size(json_array_get(A, m)),
                      "factors", json_array_get(json_object_get(from, "A_dependencies"), m)));
    }
    json_object_set_new(model, "factors", factors);
    json_object_set_new(model, "modalities", modalities);
    static const char *const key[] = {"A", "B", "C", "D"};
    static const char *const counted[] = {"pA", "pB", "pD"};
    for (size_t i = 0; i < 4; i++) {
        json_object_set(model, key[i], json_object_get(from, key[i]));
    }
    json_t *counts = json_object();
    for (size_t i = 0; i < 3; i++) {
        json_t *value = json_object_get(from, counted[i]);
        if (json_is_array(value)) {
            json_object_set(counts, counted[i] + 1, value);
        }
    }
    json_object_set_new(model, "counts", counts);
    json_object_set(model, "gamma", json_object_get(settings, "gamma"));
    json_object_set(model, "horizon", json_object_get(settings, "policy_len"));
    return model;
}

/* All policies, the last step and factor fastest, where E is given for each. */
static inline void list_policies(const json_t *run, json_t *model) {
    const json_t *E = json_object_get(json_object_get(run, "model"), "E");
    const int horizon = (int)json_integer_value(json_object_get(model, "horizon"));
    const json_t *factors = json_object_get(model, "factors");
    const int n_factor = (int)json_array_size(factors);
    if (!json_is_array(E)) {
        return;
    }
    json_t *policies = json_array();
    for (int i = 0; i < (int)json_array_size(E); i++) {
        json_t *policy = json_array();
        int left = i;
        for (int t = 0; t < horizon; t++) {
            json_t *step = json_array();
            json_array_append_new(policy, step);
            for (int f = 0; f < n_factor; f++) {
                json_array_append_new(step, json_integer(0));
            }
        }
        for (int k = horizon * n_factor - 1; k >= 0; k--) {
            const int n = (int)json_integer_value(
                json_object_get(json_array_get(factors, (size_t)(k % n_factor)), "actions"));
            json_array_set_new(json_array_get(policy, (size_t)(k / n_factor)),
                               (size_t)(k % n_factor), json_integer(left % n));
            left /= n;
        }
        json_array_append_new(policies, policy);
    }
    json_object_set_new(model, "policies", policies);
    json_object_set(model, "E", json_object_get(json_object_get(run, "model"), "E"));
}

#endif
