/* cmd_graph.c: sonde graph draws worlds, checks them, describes them and makes pictures of them. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "document.h"
#include "sonde_lab.h"
#include "table.h"
#include "world.h"

static const cli_option output_options[] = {
    {OPTION("json", FLAG, json, NULL, "print the description as one JSON document")},
    {OPTION("output", TEXT, output, "FILE", "write the world to a file (- is standard output)"),
     .letter = 'o'},
};
static const cli_option_group group_output = {"Output", OPTION_TABLE(output_options)};

static const cli_option path_options[] = {
    {OPTION("path", TEXT, path, "FILE", "a simulation whose path to draw, from simulate --json"),
     .reads = true},
};
static const cli_option_group group_path = {"Path", OPTION_TABLE(path_options)};

const cli_option_group *const graph_groups[] = {&group_draw,   &group_world, &group_seed,
                                                &group_output, &group_svg,   &group_path,
                                                &group_run,    NULL};

/* a path that an agent walked */
typedef struct {
    int32_t n_node;
    int32_t *node; /* (n_node) */
} cli_path;

/* everything there is to say about a world */
typedef struct {
    const cli_arguments *args;
    cli_world world;
    double *distance; /* (n_node) from the start node */
    cli_path path;
} description;

static const sonde_graph *graph_of(const description *d) {
    return d->world.input.graph;
}

/* ------------------------------------------------------------------------------------ path -- */

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

/* Reads "path" from a document of `simulate --json`; "-" is standard input. */
static sonde_status read_path(const char *file, const sonde_graph *graph, cli_path *path,
                              sonde_error *error) {
    json_t *root = NULL;
    sonde_status status = document_read(file, &root, error);
    if (!status) {
        status = take_path(json_object_get(root, "path"),
                           strcmp(file, "-") ? file : "standard input", graph, path, error);
    }
    json_decref(root);
    return status;
}

/* ------------------------------------------------------------------------------- documents -- */

static sonde_status write_world(const void *about, sonde_text *text) {
    const description *d = about;
    sonde_graph_write(graph_of(d), text);
    return SONDE_OK;
}

static sonde_status write_svg(const void *about, sonde_text *text) {
    const description *d = about;
    return sonde_draw_graph(graph_of(d), d->path.node, d->path.n_node, text, NULL);
}

static sonde_status write_json(const void *about, sonde_text *text) {
    const description *d = about;
    sonde_document_graph(graph_of(d), d->distance, d->world.policies, d->world.command.data, text);
    return SONDE_OK;
}

/* ------------------------------------------------------------------------------------ text -- */

enum { NODES_SHOWN = 40 };

static void add_drawing(const description *d, sonde_text *text) {
    const sonde_graph *graph = graph_of(d);
    sonde_text_add(text, "drawn %s with edge probability %g", sonde_connect_name(d->args->connect),
                   d->args->edge_probability);
    if (d->args->connect == SONDE_SYMMETRIC && graph->n_redraw == 0 && graph->n_joined > 0) {
        sonde_text_add(text, " once, for no redraw would be connected");
    } else {
        sonde_text_add(text, " after %d redraw%s", (int)graph->n_redraw,
                       graph->n_redraw == 1 ? "" : "s");
    }
    if (graph->n_joined > 0) {
        sonde_text_add(text, "; %d random edge%s added to connect it", (int)graph->n_joined,
                       graph->n_joined == 1 ? " was" : "s were");
    }
    sonde_text_add(text, "\n");
}

/* Where one can go from a node, and the weight of each edge. */
static void add_edges(const description *d, int32_t node, cli_table *table) {
    const sonde_graph *graph = graph_of(d);
    const sonde_model *model = d->world.model;
    sonde_text name = {0};
    sonde_text edges = {0};
    sonde_model_say(model, SONDE_NOUN_NODE, &graph->self[node], 0, &name);
    for (int32_t e = graph->first[node]; e < graph->first[node + 1]; e++) {
        sonde_text_add(&edges, e > graph->first[node] ? "  " : "");
        sonde_model_say(model, SONDE_NOUN_NODE, &e, 0, &edges);
        sonde_text_add(&edges, " (%g)", graph->weight[e]);
    }
    table_add_text(table, name.data ? name.data : "");
    table_add_text(table, edges.data ? edges.data : "");
    piece_free(&name);
    piece_free(&edges);
}

static void add_adjacency(const description *d, sonde_text *text) {
    const sonde_graph *graph = graph_of(d);
    static const char *const head[] = {"from", "to (weight) "};
    cli_table table = table_open(head, 2);
    const int32_t n = graph->n_node < NODES_SHOWN ? graph->n_node : NODES_SHOWN;
    for (int32_t v = 0; v < n; v++) {
        add_edges(d, v, &table);
    }
    sonde_text_add(text, "\n");
    table_close(&table, text);
    if (n < graph->n_node) {
        sonde_text_add(text, "  and %d more nodes\n", (int)(graph->n_node - n));
    }
}

static sonde_status write_text(const void *about, sonde_text *text) {
    const description *d = about;
    const cli_world *world = &d->world;
    const sonde_graph *graph = graph_of(d);
    const sonde_policies *policies = world->policies;
    add_world_line(text, world);
    if (!d->args->file) {
        add_drawing(d, text);
    }
    sonde_text_add(text, "shortest way from ");
    sonde_model_say(world->model, SONDE_NOUN_NODE, &graph->start, 0, text);
    sonde_text_add(text, " to ");
    sonde_model_say(world->model, SONDE_NOUN_NODE, &graph->self[graph->destination], 0, text);
    sonde_text_add(text, ": %g\n", d->distance[graph->destination]);
    add_policies_line(text, world);
    if (policies != NULL) {
        sonde_text_add(text, ", ");
        add_size(text, policies->n_policy, policies->size);
        sonde_text_add(text, " from every edge");
    }
    sonde_text_add(text, "\n");
    add_adjacency(d, text);
    add_again(text, d->args, world);
    return SONDE_OK;
}

/* ------------------------------------------------------------------------------------ verb -- */

/* A world is drawn or read, not both. */
static sonde_status check(const cli_arguments *args, cli_session *session) {
    static const char *const drawing[] = {"nodes", "connect", "edge-probability", "weights"};
    if (!args->file && args->n_node == 0) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "expected a world file, or --nodes to draw one");
    }
    for (size_t i = 0; args->file && i < sizeof drawing / sizeof drawing[0]; i++) {
        if (option_given(session->verb, args, drawing[i])) {
            return fail(&session->error, SONDE_BAD_ARGUMENT,
                        "--%s: is for drawing a world, but \"%s\" is one to read", drawing[i],
                        args->file);
        }
    }
    if (args->path && !args->svg) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--path: is for drawing, but there is no --svg to draw into");
    }
    if (args->path && args->file && !strcmp(args->path, "-") && !strcmp(args->file, "-")) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--path: standard input is the world already");
    }
    return SONDE_OK;
}

static sonde_status describe(description *d, cli_session *session) {
    const sonde_graph *graph = graph_of(d);
    if (sonde_model_kind(d->world.model) != SONDE_KIND_GRAPH) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "%s: expected a graph world, found a general model; see sonde model",
                    d->args->file);
    }
    d->distance = malloc((size_t)graph->n_node * sizeof *d->distance);
    if (!d->distance) {
        return SONDE_NO_MEMORY;
    }
    sonde_status status =
        sonde_graph_distances(graph, graph->head[graph->start], d->distance, &session->error);
    if (!status && d->args->path) {
        status = read_path(d->args->path, graph, &d->path, &session->error);
    }
    return status;
}

sonde_status cmd_graph(cli_arguments *args, cli_session *session) {
    enum { N_OUTPUT = 3 };
    const cli_output output[N_OUTPUT] = {
        {args->output, write_world}, {args->svg, write_svg}, {args->json ? "-" : NULL, write_json}};
    description d = {.args = args};
    sonde_status status = check(args, session);
    if (!status) {
        status = session_check(session, output, N_OUTPUT);
    }
    if (!status) {
        status = world_open(args, session, &d.world);
    }
    if (!status) {
        status = describe(&d, session);
    }
    if (!status) {
        status = session_put(session, output, N_OUTPUT, write_text, &d);
    }
    free(d.path.node);
    free(d.distance);
    world_close(&d.world);
    return status;
}
