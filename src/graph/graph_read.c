/* graph_read.c: a world from a sonde-graph document (docs/formats.md). */

#include "graph/graph.h"
#include "graph/graph_internal.h"

static const char *key(int32_t i) {
    static const char *const list[] = {"format", "version",     "nodes",   "names",  "edges",
                                       "start",  "destination", "horizon", "lambda", "idle"};
    return i < (int32_t)(sizeof list / sizeof *list) ? list[i] : NULL;
}

/* a document's edges, as arrays that a sonde_graph can point at */
typedef struct {
    sonde__arena arena;
    const char **name; /* (n_node) */
    int32_t *tail;     /* (n_edge) */
    int32_t *head;
    double *weight;
} arrays;

static void carve(arrays *a, int32_t n_node, int32_t n_edge, bool named) {
    a->name = SONDE__TAKE(&a->arena, const char *, named ? n_node : 0);
    a->tail = SONDE__TAKE(&a->arena, int32_t, n_edge);
    a->head = SONDE__TAKE(&a->arena, int32_t, n_edge);
    a->weight = SONDE__TAKE(&a->arena, double, n_edge);
}

static bool read_names(sonde__reader *reader, const json_t *names, int32_t n_node, arrays *a) {
    if (!json_is_array(names) || json_array_size(names) != (size_t)n_node) {
        return sonde__json_expected(reader, "names", sonde__at("a list of %d names", n_node).text,
                                    names);
    }
    for (int32_t v = 0; v < n_node; v++) {
        const json_t *name = json_array_get(names, (size_t)v);
        a->name[v] = json_string_value(name);
        if (a->name[v] == NULL || a->name[v][0] == '\0') {
            return sonde__json_expected(reader, sonde__at("names[%d]", v).text, "a name", name);
        }
    }
    return true;
}

/* A node, by number or name. */
static bool read_node(sonde__reader *reader, const char *path, const json_t *value,
                      const sonde_graph *edges, int32_t *node) {
    if (json_is_string(value) && edges->name != NULL) {
        *node = sonde__node_find(edges->n_node, edges->name, json_string_value(value));
        return *node >= 0 || sonde__json_expected(reader, path, "the name of a node", value);
    }
    return sonde__json_whole(reader, path, value, 0, edges->n_node - 1, node);
}

static bool read_edge(sonde__reader *reader, int32_t e, const json_t *edge, sonde_graph *edges,
                      arrays *a) {
    if (!json_is_array(edge) || json_array_size(edge) != 3) {
        return sonde__json_expected(reader, sonde__at("edges[%d]", e).text, "[from, to, weight]",
                                    edge);
    }
    return read_node(reader, sonde__at("edges[%d][0]", e).text, json_array_get(edge, 0), edges,
                     &a->tail[e]) &&
           read_node(reader, sonde__at("edges[%d][1]", e).text, json_array_get(edge, 1), edges,
                     &a->head[e]) &&
           sonde__json_number(reader, sonde__at("edges[%d][2]", e).text, json_array_get(edge, 2),
                              0.0, &a->weight[e]);
}

static bool read_edges(sonde__reader *reader, sonde_graph *edges, arrays *a) {
    const json_t *root = reader->root;
    const json_t *names = json_object_get(root, "names");
    const json_t *list = json_object_get(root, "edges");
    if (!sonde__json_whole(reader, "nodes", json_object_get(root, "nodes"), 1, SONDE__NODES_MOST,
                           &edges->n_node)) {
        return false;
    }
    if (!json_is_array(list) || json_array_size(list) > (size_t)(INT32_MAX - SONDE__NODES_MOST)) {
        return sonde__json_expected(reader, "edges", "a list of [from, to, weight]", list);
    }
    edges->n_edge = (int32_t)json_array_size(list);
    carve(a, edges->n_node, edges->n_edge, names != NULL);
    if (!sonde__arena_reserve(&a->arena)) {
        reader->status = sonde__fail_memory(reader->error, reader->origin, a->arena.used);
        return false;
    }
    carve(a, edges->n_node, edges->n_edge, names != NULL);
    edges->tail = a->tail;
    edges->head = a->head;
    edges->weight = a->weight;
    if (names != NULL && !read_names(reader, names, edges->n_node, a)) {
        return false;
    }
    edges->name = names != NULL ? a->name : NULL;
    for (int32_t e = 0; e < edges->n_edge; e++) {
        if (!read_edge(reader, e, json_array_get(list, (size_t)e), edges, a)) {
            return false;
        }
    }
    return true;
}

/* What is optional: a key that is not there leaves its value unsaid. */
static bool read_world(sonde__reader *reader, const sonde_graph *edges, sonde__world *world) {
    const json_t *root = reader->root;
    const json_t *start = json_object_get(root, "start");
    const json_t *destination = json_object_get(root, "destination");
    const json_t *horizon = json_object_get(root, "horizon");
    const json_t *lambda = json_object_get(root, "lambda");
    const json_t *idle = json_object_get(root, "idle");
    if (start != NULL && (!json_is_array(start) || json_array_size(start) != 2)) {
        return sonde__json_expected(reader, "start", "an edge [previous, current]", start);
    }
    return (start == NULL ||
            (read_node(reader, "start[0]", json_array_get(start, 0), edges, &world->start_tail) &&
             read_node(reader, "start[1]", json_array_get(start, 1), edges, &world->start_head))) &&
           (destination == NULL ||
            read_node(reader, "destination", destination, edges, &world->destination)) &&
           (horizon == NULL ||
            sonde__json_whole(reader, "horizon", horizon, 1, INT32_MAX - 1, &world->horizon)) &&
           (lambda == NULL || sonde__json_number(reader, "lambda", lambda, 0.0, &world->lambda)) &&
           (idle == NULL || sonde__json_number(reader, "idle", idle, 0.0, &world->idle));
}

sonde_status sonde__graph_from_json(sonde__reader *reader, const sonde_graph_settings *settings,
                                    uint64_t seed, sonde_graph **graph) {
    sonde_graph edges = {0};
    arrays a = {0};
    sonde__world world = SONDE__WORLD_UNSAID;
    world.origin = reader->origin;
    if (sonde__json_format(reader, "sonde-graph", 1) &&
        sonde__json_keys(reader, reader->root, key) && read_edges(reader, &edges, &a) &&
        read_world(reader, &edges, &world)) {
        reader->status = sonde__graph_build(&edges, &world, settings, seed, graph, reader->error);
    }
    sonde__arena_free(&a.arena);
    return reader->status;
}

sonde_status sonde_graph_read(const sonde_source *source, const sonde_graph_settings *settings,
                              uint64_t seed, sonde_graph **graph, sonde_error *error) {
    sonde__reader reader;
    sonde_status status = source->data != NULL ? sonde__json_parse(&reader, source, error)
                                               : sonde__json_open(&reader, source->origin, error);
    if (status == SONDE_OK) {
        status = sonde__graph_from_json(&reader, settings, seed, graph);
    }
    sonde__json_close(&reader);
    return status;
}
