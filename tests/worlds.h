/* worlds.h: worlds to test with, each made in one line; what cannot be made fails the test. */
#ifndef TESTS_WORLDS_H
#define TESTS_WORLDS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sonde_document.h"
#include "sonde_embed.h"
#include "sonde_lab.h"
#include "sonde_learn.h"
#include "sonde_make.h"
#include "sonde_settings.h"
#include "sonde_spm.h"
#include "sonde_world.h"

/* A world drawn as the defaults say, but for the number of nodes and the connection. */
static inline sonde_graph *world(int32_t n, uint64_t seed, sonde_connect connect) {
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.n_node = n;
    settings.connect = connect;
    sonde_graph *graph = NULL;
    assert_int_equal(sonde_graph_random(&settings, seed, &graph, NULL), SONDE_OK);
    return graph;
}

/* Both connections by turns, and a horizon of one's own. */
static inline sonde_graph *world_of_horizon(int32_t n, uint64_t seed, int32_t horizon) {
    sonde_graph_settings settings = sonde_graph_defaults();
    settings.n_node = n;
    settings.connect = seed % 2 == 0 ? SONDE_SYMMETRIC : SONDE_DIRECTED;
    settings.horizon = horizon;
    sonde_graph *graph = NULL;
    assert_int_equal(sonde_graph_random(&settings, seed, &graph, NULL), SONDE_OK);
    return graph;
}

/* A world with everything that is made from it. */
typedef struct {
    sonde_graph *graph;
    sonde_model *model;
    sonde_policies *policies;
} space;

/* Takes the graph over. */
static inline space space_new(sonde_graph *graph) {
    space s = {.graph = graph};
    assert_int_equal(sonde_model_from_graph(graph, &s.model, NULL), SONDE_OK);
    assert_int_equal(sonde_policies_count(s.model, 0, NULL, &s.policies, NULL), SONDE_OK);
    return s;
}

static inline void space_free(space *s) {
    sonde_policies_free(s->policies);
    sonde_model_free(s->model);
    sonde_graph_free(s->graph);
    *s = (space){0};
}

/* G of one policy, carried out from `now`; `steps` and `reached` may be NULL. */
static inline void policy_efe(const sonde_model *model, sonde_present now, const int32_t *walk,
                              sonde_efe *steps, int32_t *reached, sonde_efe *total) {
    const sonde_walks walks = {.n_policy = 1, .horizon = model->horizon, .walk = walk};
    const sonde_scores scores = {.total = total, .step = steps, .reached = reached};
    assert_int_equal(sonde_efe_walks(model, now, &walks, NULL, &scores, NULL), SONDE_OK);
}
/* The same from an edge of a graph world, and from a belief. */
static inline void walk_efe(const sonde_model *model, int32_t state, const int32_t *walk,
                            sonde_efe *steps, int32_t *reached, sonde_efe *total) {
    policy_efe(model, (sonde_present){.state = state}, walk, steps, reached, total);
}
static inline void belief_efe(const sonde_model *model, const double *belief, const int32_t *walk,
                              sonde_efe *steps, sonde_efe *total) {
    policy_efe(model, (sonde_present){.belief = belief}, walk, steps, NULL, total);
}

/* The defaults of everything but the search, which is the paper's. */
static inline sonde_search_settings cluster_defaults(void) {
    sonde_search_settings settings = sonde_search_defaults();
    settings.search = SONDE_SEARCH_CLUSTER;
    return settings;
}

/* Memory that a test frees itself. */
static inline void *room(uint64_t n, size_t size) {
    void *block = calloc(n > 0 ? (size_t)n : 1, size);
    assert_non_null(block);
    return block;
}

/* (cmocka's own compares in single precision) */
static inline void assert_near(double found, double wanted, double tolerance) {
    if (!(fabs(found - wanted) <= tolerance)) {
        fail_msg("found %.17g, expected %.17g within %g", found, wanted, tolerance);
    }
}

/* The same bits: -0 is not 0. */
static inline void assert_same(double found, double wanted) {
    if (memcmp(&found, &wanted, sizeof found) != 0) {
        fail_msg("found %a, expected %a to the bit", found, wanted);
    }
}

/* `text` occurs in `whole`. */
static inline void assert_says(const char *whole, const char *text) {
    if (strstr(whole, text) == NULL) {
        fail_msg("\"%s\" should say \"%s\"", whole, text);
    }
}

#endif
