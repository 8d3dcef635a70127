/* policy_read.c: policies of the user's own, as lists of nodes or of actions. */
#include <ctype.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "policy/policy.h"

typedef struct {
    sonde_walks walks; /* first: a pointer to it is a pointer to the block */
    int32_t *walk;
} build;

static build *carve(sonde__arena *arena, int32_t n_policy, int32_t horizon) {
    build *b = SONDE__TAKE(arena, build, 1);
    int32_t *walk = SONDE__TAKE(arena, int32_t, (uint64_t)n_policy * ((uint64_t)horizon + 1));
    if (b != NULL) {
        b->walk = walk;
    }
    return b;
}

/* A node, by number or name. */
static bool read_node(sonde__reader *reader, const char *path, const json_t *value,
                      const sonde_graph *graph, int32_t *node) {
    if (json_is_string(value)) {
        *node = sonde_graph_node(graph, json_string_value(value));
        return *node >= 0 || sonde__json_expected(reader, path, "the name of a node", value);
    }
    return sonde__json_whole(reader, path, value, 0, graph->n_node - 1, node);
}

/* Before anything is asked for: a policy has as many nodes as the horizon wants. */
static bool check_length(sonde__reader *reader, int32_t i, const json_t *nodes, int32_t horizon) {
    const size_t n_node = (size_t)horizon + 2;
    if (json_is_array(nodes) && json_array_size(nodes) == n_node) {
        return true;
    }
    const sonde__path expected =
        sonde__at("%zu nodes (previous, current, then one for each of %d steps)", n_node, horizon);
    return sonde__json_expected(reader, sonde__at("[%d]", i).text, expected.text, nodes);
}

static bool read_walk(sonde__reader *reader, int32_t i, const json_t *nodes,
                      const sonde_policies *policies, int32_t *walk) {
    const sonde_graph *graph = policies->model->graph;
    const int32_t n_node = policies->horizon + 2;
    int32_t before = -1;
    for (int32_t t = 0; t < n_node; t++) {
        const sonde__path path = sonde__at("[%d][%d]", i, t);
        int32_t node = -1;
        if (!read_node(reader, path.text, json_array_get(nodes, (size_t)t), graph, &node)) {
            return false;
        }
        if (t > 0) {
            walk[t - 1] = sonde_graph_edge(graph, before, node);
            if (walk[t - 1] < 0) {
                return sonde__json_wrong(reader,
                                         "%s: expected a neighbour of node %d, found %d; there is "
                                         "no such edge",
                                         path.text, before, node);
            }
        }
        before = node;
    }
    return true;
}

/* An action of a factor, by number or name. */
static bool read_action(sonde__reader *reader, const char *path, const json_t *value,
                        const sonde_factor *factor, int32_t *action) {
    const char *word = json_string_value(value);
    for (int32_t u = 0; word != NULL && factor->action_name != NULL && u < factor->n_action; u++) {
        if (strcmp(factor->action_name[u], word) == 0) {
            *action = u;
            return true;
        }
    }
    if (word != NULL) {
        return sonde__json_expected(reader, path, "the name of an action of this factor", value);
    }
    return sonde__json_whole(reader, path, value, 0, factor->n_action - 1, action);
}

/* A policy of a general model: T lists of one action for each factor. */
static bool read_tuples(sonde__reader *reader, int32_t i, const json_t *steps,
                        const sonde_policies *policies, int32_t *walk) {
    const sonde_model *model = policies->model;
    int32_t tuple[SONDE_FACTORS_MAX];
    walk[0] = 0;
    if (!json_is_array(steps) || json_array_size(steps) != (size_t)policies->horizon) {
        const sonde__path expected = sonde__at("%d steps", policies->horizon);
        return sonde__json_expected(reader, sonde__at("[%d]", i).text, expected.text, steps);
    }
    for (int32_t t = 1; t <= policies->horizon; t++) {
        const json_t *step = json_array_get(steps, (size_t)t - 1);
        if (!json_is_array(step) || json_array_size(step) != (size_t)model->n_factor) {
            const sonde__path expected =
                sonde__at("a list of %d actions, one for each factor", model->n_factor);
            return sonde__json_expected(reader, sonde__at("[%d][%d]", i, t - 1).text, expected.text,
                                        step);
        }
        for (int32_t f = 0; f < model->n_factor; f++) {
            if (!read_action(reader, sonde__at("[%d][%d][%d]", i, t - 1, f).text,
                             json_array_get(step, (size_t)f), &model->factor[f], &tuple[f])) {
                return false;
            }
        }
        walk[t] = sonde_model_from_tuple(model, tuple);
    }
    return true;
}

/* how policies of either kind of model are read */
static const struct {
    bool (*check)(sonde__reader *reader, int32_t i, const json_t *policy, int32_t horizon);
    bool (*read)(sonde__reader *reader, int32_t i, const json_t *policy,
                 const sonde_policies *policies, int32_t *walk);
} reading[SONDE__N_KIND] = {
    [SONDE__OF_GRAPHS] = {check_length, read_walk}, [SONDE__OF_FACTORS] = {NULL, read_tuples}};

static sonde_status read_walks(sonde__reader *reader, const sonde_policies *policies,
                               sonde_walks **walks) {
    const int kind = sonde__kind(policies->model);
    const int32_t horizon = policies->horizon;
    if (!json_is_array(reader->root) || json_array_size(reader->root) > INT32_MAX) {
        (void)sonde__json_expected(reader, "document", "a list of policies", reader->root);
        return reader->status;
    }
    const int32_t n_policy = (int32_t)json_array_size(reader->root);
    for (int32_t i = 0; reading[kind].check != NULL && i < n_policy; i++) {
        if (!reading[kind].check(reader, i, json_array_get(reader->root, (size_t)i), horizon)) {
            return reader->status;
        }
    }
    sonde__arena arena = {0};
    (void)carve(&arena, n_policy, horizon);
    if (!sonde__arena_reserve(&arena)) {
        return sonde__fail_memory(reader->error, reader->origin, arena.used);
    }
    build *b = carve(&arena, n_policy, horizon);
    b->walks = (sonde_walks){n_policy, horizon, b->walk};
    for (int32_t i = 0; i < n_policy; i++) {
        const json_t *policy = json_array_get(reader->root, (size_t)i);
        int32_t *walk = b->walk + (int64_t)i * (horizon + 1);
        if (!reading[kind].read(reader, i, policy, policies, walk)) {
            sonde__arena_free(&arena);
            return reader->status;
        }
    }
    *walks = &b->walks;
    return SONDE_OK;
}

sonde_status sonde_walks_read(const char *path, const sonde_policies *policies, sonde_walks **walks,
                              sonde_error *error) {
    sonde__reader reader;
    sonde_status status = sonde__json_open(&reader, path, error);
    if (status == SONDE_OK) {
        status = read_walks(&reader, policies, walks);
    }
    sonde__json_close(&reader);
    return status;
}

void sonde_walks_free(sonde_walks *walks) {
    sonde__free(walks);
}

/* ------------------------------------------------------------------------------------- words -- */

/* How much of a text is a name: all of it, where what follows ends a word; otherwise 0. */
static size_t match(const char *text, const char *name) {
    const size_t n = strlen(name);
    return strncmp(text, name, n) == 0 && strchr(",/", text[n]) != NULL ? n : 0;
}

/* What a text begins with: the longest of n names that it is, or a number below n; -1: neither.
 * `end` is where it ends. */
static int32_t read_word(const char *text, int32_t n, const char *const *name, const char **end) {
    int32_t found = -1;
    size_t longest = 0;
    for (int32_t i = 0; name != NULL && i < n; i++) {
        const size_t length = match(text, name[i]);
        if (length > longest) {
            longest = length;
            found = i;
        }
    }
    if (found >= 0) {
        *end = text + longest;
        return found;
    }
    int64_t number = -1;
    const char *at = text;
    for (; isdigit((unsigned char)*at) && number < n; at++) {
        number = (number < 0 ? 0 : 10 * number) + (*at - '0');
    }
    *end = at;
    return strchr(",/", *at) != NULL && number < n ? (int32_t)number : -1;
}

/* One step: a node next to the last, as the edge that leads there. */
static int32_t read_edge(const sonde_graph *graph, int32_t last, const char **text) {
    const int32_t node = read_word(*text, graph->n_node, graph->name, text);
    return node < 0 ? -1 : sonde_graph_edge(graph, graph->head[last], node);
}

/* One step: an action of each factor, or of each that has several. */
static int32_t read_actions(const sonde_model *model, int32_t least, const char **text) {
    int32_t tuple[SONDE_FACTORS_MAX] = {0};
    bool first = true;
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        if (factor->n_action < least) {
            continue;
        }
        if (!first && *(*text)++ != '/') {
            return -1;
        }
        tuple[f] = read_word(*text, factor->n_action, factor->action_name, text);
        if (tuple[f] < 0) {
            return -1;
        }
        first = false;
    }
    return first || **text == '/' ? -1 : sonde__model_from_tuple(model, tuple);
}

static int32_t read_tuple(const sonde_model *model, const char **text) {
    const char *const from = *text;
    const int32_t all = read_actions(model, 1, text);
    if (all >= 0) {
        return all;
    }
    *text = from;
    return read_actions(model, 2, text);
}

int32_t sonde__policies_n_number(const sonde_policies *policies) {
    const sonde_model *model = policies->model;
    return model->graph != NULL ? model->graph->n_edge : model->n_action;
}

int32_t sonde__policies_read_step(const sonde_policies *policies, int32_t last, const char **text) {
    const sonde_model *model = policies->model;
    return model->graph != NULL ? read_edge(model->graph, last, text) : read_tuple(model, text);
}

const char *sonde__policies_step(const sonde_policies *policies) {
    const sonde_model *model = policies->model;
    return model->graph != NULL  ? "a node next to the one before"
           : model->n_factor > 1 ? "an action of each factor that has several, as up/wait"
                                 : "an action of the model";
}
