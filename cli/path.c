/* path.c: reads the path of a simulation, and checks that it is one in this graph. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "path.h"

static sonde_status allocate(size_t n_node, cli_path *path) {
    path->node = calloc(n_node, sizeof *path->node);
    path->n_node = path->node ? (int32_t)n_node : 0;
    return path->node ? SONDE_OK : SONDE_NO_MEMORY;
}

/* Each entry a node, and an edge from each to the next. */
static sonde_status take_nodes(const json_t *list, const char *file, const sonde_graph *graph,
                               cli_path *path, sonde_error *error) {
    for (int32_t i = 0; i < path->n_node; i++) {
        const json_t *entry = json_array_get(list, (size_t)i);
        const json_int_t node = json_is_integer(entry) ? json_integer_value(entry) : -1;
        if (node < 0 || node >= graph->n_node) {
            return fail(error, SONDE_BAD_INPUT,
                        "%s: path[%d]: expected a node of this world, a number from 0 to %d", file,
                        (int)i, (int)graph->n_node - 1);
        }
        path->node[i] = (int32_t)node;
        if (i > 0 && sonde_graph_edge(graph, path->node[i - 1], path->node[i]) < 0) {
            return fail(
                error, SONDE_BAD_INPUT,
                "%s: path[%d]: this world has no edge from %d to %d; the path was walked in "
                "another",
                file, (int)i, (int)path->node[i - 1], (int)path->node[i]);
        }
    }
    return SONDE_OK;
}

static sonde_status take_path(const json_t *list, const char *file, const sonde_graph *graph,
                              cli_path *path, sonde_error *error) {
    const size_t n = json_array_size(list);
    if (n == 0 || n > INT32_MAX) {
        return fail(error, SONDE_BAD_INPUT,
                    "%s: path: expected a list of nodes, as sonde simulate --json writes it", file);
    }
    const sonde_status status = allocate(n, path);
    return status ? status : take_nodes(list, file, graph, path, error);
}

static sonde_status read_document(FILE *stream, const char *file, const sonde_graph *graph,
                                  cli_path *path, sonde_error *error) {
    json_error_t where;
    json_t *root = json_loadf(stream, JSON_REJECT_DUPLICATES, &where);
    if (!root) {
        return fail(error, SONDE_BAD_INPUT, "%s: line %d, column %d: %s", file, where.line,
                    where.column, where.text);
    }
    const sonde_status status = take_path(json_object_get(root, "path"), file, graph, path, error);
    json_decref(root);
    return status;
}

sonde_status path_read(const char *file, const sonde_graph *graph, cli_path *path,
                       sonde_error *error) {
    const bool standard = !strcmp(file, "-");
    FILE *stream = standard ? stdin : fopen(file, "rb");
    if (!stream) {
        return fail(error, SONDE_NO_FILE, "%s: cannot be opened: %s", file, strerror(errno));
    }
    const sonde_status status =
        read_document(stream, standard ? "standard input" : file, graph, path, error);
    if (!standard) {
        (void)fclose(stream);
    }
    return status;
}

sonde_status path_of_episode(const sonde_graph *graph, const sonde_episode *episode,
                             cli_path *path) {
    const sonde_status status = allocate((size_t)episode->n_step + 1, path);
    for (int32_t i = 0; i < path->n_node; i++) {
        path->node[i] = graph->head[episode->state[i]];
    }
    return status;
}

void path_free(cli_path *path) {
    free(path->node);
    *path = (cli_path){0};
}
