/* documents.h: a small world, and documents as trees, for the tests of this folder. */
#ifndef TESTS_REPORT_TOOLS_H
#define TESTS_REPORT_TOOLS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "sonde_document.h"
#include "sonde_embed.h"
#include "sonde_lab.h"
#include "sonde_learn.h"
#include "sonde_make.h"
#include "sonde_settings.h"
#include "sonde_spm.h"
#include "sonde_world.h"

/* Three nodes, each joined to each; the numbers of fixtures/graph/graph-n3-101.json. */
static inline sonde_graph *triangle(const char *const *name, int32_t horizon) {
    static const int32_t tail[] = {0, 0, 1, 1, 2, 2};
    static const int32_t head[] = {1, 2, 0, 2, 0, 1};
    static const double weight[] = {10, 20, 10, 5, 20, 5};
    const sonde_graph edges = {
        .n_node = 3, .n_edge = 6, .tail = tail, .head = head, .weight = weight, .name = name};
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.start = name != NULL ? NULL : "2,0";
    settings.destination = name != NULL ? NULL : "1";
    settings.horizon = horizon;
    sonde_graph *graph = NULL;
    assert_int_equal(sonde_graph_from_edges(&edges, &settings, 1, &graph, NULL), SONDE_OK);
    return graph;
}

typedef struct {
    sonde_graph *graph;
    sonde_model *model;
    sonde_policies *policies;
} world;

static inline world world_new(sonde_graph *graph) {
    world w = {.graph = graph};
    assert_int_equal(sonde_model_from_graph(graph, &w.model, NULL), SONDE_OK);
    assert_int_equal(sonde_policies_count(w.model, 0, NULL, &w.policies, NULL), SONDE_OK);
    return w;
}

static inline void world_free(world *w) {
    sonde_policies_free(w->policies);
    sonde_model_free(w->model);
    sonde_graph_free(w->graph);
}

/* Parses a document and frees its text. */
static inline json_t *tree(sonde_text *text) {
    assert_false(text->failed);
    json_error_t error;
    json_t *root = json_loadb(text->data, text->size, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL) {
        fail_msg("line %d: %s in\n%s", error.line, error.text, text->data);
    }
    sonde_text_free(text);
    return root;
}

/* What stands under a path of keys and places, such as "best.nodes.0". */
static inline json_t *at(json_t *root, const char *path) {
    char word[64];
    json_t *found = root;
    while (*path != '\0') {
        const size_t n = strcspn(path, ".");
        assert_true(n < sizeof word);
        memcpy(word, path, n);
        word[n] = '\0';
        found = json_is_array(found) ? json_array_get(found, (size_t)strtoul(word, NULL, 10))
                                     : json_object_get(found, word);
        if (found == NULL) {
            fail_msg("there is no %s", path);
        }
        path += path[n] == '.' ? n + 1 : n;
    }
    return found;
}

static inline double number_at(json_t *root, const char *path) {
    assert_true(json_is_number(at(root, path)));
    return json_number_value(at(root, path));
}

static inline const char *string_at(json_t *root, const char *path) {
    assert_true(json_is_string(at(root, path)));
    return json_string_value(at(root, path));
}

/* (cmocka's own compares in single precision) */
static inline void assert_near(double found, double wanted, double tolerance) {
    if (!(found >= wanted - tolerance && found <= wanted + tolerance)) {
        fail_msg("found %.17g, expected %.17g within %g", found, wanted, tolerance);
    }
}

static inline void assert_number(json_t *root, const char *path, double wanted) {
    assert_near(number_at(root, path), wanted, 0.0);
}

/* The value under a path, written compactly. */
static inline void assert_json(json_t *root, const char *path, const char *wanted) {
    char *found = json_dumps(at(root, path), JSON_COMPACT | JSON_ENCODE_ANY);
    assert_string_equal(found, wanted);
    free(found);
}

#endif
