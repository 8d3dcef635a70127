/* world.c: from a command line's world options to graph, model and policies. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "table.h"
#include "world.h"

/* ---------------------------------------------------------------------------------- making -- */

/* Puts the world's own values where nobody gave any, so that the command names all of them. */
static void settle_arguments(cli_arguments *args, cli_world *world) {
    const sonde_graph *graph = world->graph;
    (void)snprintf(world->start, sizeof world->start, "%d,%d", (int)graph->tail[graph->start],
                   (int)graph->head[graph->start]);
    (void)snprintf(world->destination, sizeof world->destination, "%d", (int)graph->destination);
    args->start = world->start;
    args->destination = world->destination;
    args->horizon = graph->horizon;
    args->lambda = graph->lambda;
    args->idle = graph->idle;
    if (args->file) {
        /* how the graph was drawn is not for this command to say */
        args->n_node = 0;
        args->connect = -1;
        args->edge_probability = -1.0;
        args->weights.n = 0;
    } else if (args->edge_probability < 0.0) {
        args->edge_probability = fmin(1.0, 2.0 / args->n_node);
    }
}

static sonde_status read_or_draw(const cli_arguments *args, cli_session *session,
                                 cli_world *world) {
    const sonde_graph_settings settings = arguments_graph(args);
    if (args->file) {
        return sonde_graph_read(args->file, &settings, args->seed, &world->graph, &session->error);
    }
    return sonde_graph_random(&settings, args->seed, &world->graph, &session->error);
}

sonde_status world_open(cli_arguments *args, cli_session *session, cli_world *world) {
    session_begun(false);
    sonde_status status = read_or_draw(args, session, world);
    session_begun(true);
    if (!status) {
        status = sonde_model_from_graph(world->graph, &world->model);
    }
    if (!status) {
        status =
            sonde_policies_count(world->model, &session->run, &world->policies, &session->error);
    }
    if (status == SONDE_TOO_LARGE && !session->verb->counts) {
        session_note(session, "%s", session->error.text);
        status = SONDE_OK;
    }
    if (status) {
        return status;
    }
    world->origin = args->scope == SONDE_GLOBAL ? SONDE_EVERYWHERE : world->graph->start;
    settle_arguments(args, world);
    command_write(session->verb, args, &world->command);
    return world->command.failed ? SONDE_NO_MEMORY : SONDE_OK;
}

void world_close(cli_world *world) {
    sonde_text_free(&world->command);
    sonde_policies_free(world->policies);
    sonde_model_free(world->model);
    sonde_graph_free(world->graph);
}

/* --------------------------------------------------------------------------------- showing -- */

void add_node(sonde_text *text, const sonde_graph *graph, int32_t node) {
    if (graph->name) {
        sonde_text_add(text, "%s", graph->name[node]);
    } else {
        sonde_text_add(text, "%d", (int)node);
    }
}

void add_edge(sonde_text *text, const sonde_graph *graph, int32_t edge) {
    add_node(text, graph, graph->tail[edge]);
    sonde_text_add(text, "→");
    add_node(text, graph, graph->head[edge]);
}

void add_walk(sonde_text *text, const sonde_graph *graph, const int32_t *walk, int32_t horizon) {
    add_edge(text, graph, walk[0]);
    for (int32_t t = 1; t <= horizon; t++) {
        sonde_text_add(text, " ");
        add_node(text, graph, graph->head[walk[t]]);
    }
}

void add_world_line(sonde_text *text, const cli_world *world) {
    const sonde_graph *graph = world->graph;
    sonde_text_add(text, "%d node%s, %d edge%s; from ", (int)graph->n_node,
                   graph->n_node == 1 ? "" : "s", (int)graph->n_edge,
                   graph->n_edge == 1 ? "" : "s");
    add_edge(text, graph, graph->start);
    sonde_text_add(text, " to ");
    add_node(text, graph, graph->destination);
    sonde_text_add(text, "; horizon %d, lambda %g\n", (int)graph->horizon, graph->lambda);
}

void add_policies_line(sonde_text *text, const cli_world *world) {
    const sonde_policies *policies = world->policies;
    if (policies == NULL) {
        sonde_text_add(text, "policies were not counted");
        return;
    }
    const uint64_t n = sonde_policies_size(policies, world->origin);
    add_size(text, n, sonde_policies_size_real(policies, world->origin));
    if (world->origin == SONDE_EVERYWHERE) {
        sonde_text_add(text, n == 1 ? " policy from every edge" : " policies from every edge");
    } else {
        sonde_text_add(text, n == 1 ? " policy from " : " policies from ");
        add_edge(text, world->graph, world->origin);
    }
}

void add_again(sonde_text *text, const cli_arguments *args, const cli_world *world) {
    sonde_text_add(text,
                   "\nG is expected free energy in nats, smaller is better; seed %llu; sonde %s\n",
                   (unsigned long long)args->seed, sonde_version());
    sonde_text_add(text, "again: %s\n", world->command.data);
}
