/* world_graph.c: what the command shows of graph worlds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "table.h"
#include "world.h"

static const sonde_graph *graph_of(const cli_world *world) {
    return world->model->graph;
}

static void settle(cli_arguments *args, const cli_verb *verb, cli_world *world) {
    (void)verb;
    const sonde_graph *graph = graph_of(world);
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

static void line(sonde_text *text, const cli_world *world) {
    const sonde_graph *graph = graph_of(world);
    sonde_text_add(text, "%d node%s, %d edge%s; from ", (int)graph->n_node,
                   graph->n_node == 1 ? "" : "s", (int)graph->n_edge,
                   graph->n_edge == 1 ? "" : "s");
    sonde_model_say(world->model, SONDE_NOUN_STATE, &graph->start, 0, text);
    sonde_text_add(text, " to ");
    sonde_model_say(world->model, SONDE_NOUN_NODE, &graph->self[graph->destination], 0, text);
    sonde_text_add(text, "; horizon %d, lambda %g\n", (int)graph->horizon, graph->lambda);
}

static void weights(sonde_text *text, const sonde_weights *w) {
    sonde_text_add(text, "G counts utility %g and cost %g times\n", w->utility, w->cost);
}

static void origin(sonde_text *text, const cli_world *world) {
    if (world->origin == SONDE_EVERYWHERE) {
        sonde_text_add(text, "every edge");
    } else {
        sonde_model_say(world->model, SONDE_NOUN_STATE, &world->origin, 0, text);
    }
}

/* The probability with which an action that leads to a node is drawn. */
static double probability_of(const cli_world *world, const sonde_decision *decision, int32_t node) {
    double sum = 0.0;
    for (int32_t i = 0; i < decision->n_action; i++) {
        const int32_t edge = sonde_model_next(world->model, decision->state, decision->action[i]);
        sum += graph_of(world)->head[edge] == node ? decision->probability[i] : 0.0;
    }
    return sum;
}

static void actions(sonde_text *text, const cli_world *world, const sonde_decision *decision) {
    static const char *const head[] = {"to", "posterior", "drawn with", " "};
    cli_table table = table_open(head, 4);
    for (int32_t i = 0; i < decision->n_to; i++) {
        sonde_text name = {0};
        sonde_model_say(world->model, SONDE_NOUN_NODE, &graph_of(world)->self[decision->to[i]], 0,
                        &name);
        table_add_chance(&table, &name, decision->to_posterior[i],
                         probability_of(world, decision, decision->to[i]));
        piece_free(&name);
    }
    sonde_text_add(text, "\n");
    table_close(&table, text);
}

/* -------------------------------------------------------------------------------- episode -- */

/* The edge that the agent holds most probable. */
static int32_t believed(const sonde_episode *episode, int32_t step) {
    const double *belief = episode->belief + (int64_t)step * episode->n_state;
    int32_t most = 0;
    for (int32_t s = 1; s < episode->n_state; s++) {
        most = belief[s] > belief[most] ? s : most;
    }
    return most;
}

static void add_step(const cli_world *world, const sonde_episode *episode, int32_t step,
                     cli_table *table) {
    const sonde_evaluations *cost = &episode->evaluations[step];
    const int32_t edge = believed(episode, step);
    sonde_text on = {0};
    sonde_text to = {0};
    sonde_model_say(world->model, SONDE_NOUN_STATE, &edge, 0, &on);
    sonde_model_say(world->model, SONDE_NOUN_NODE, &episode->state[step + 1], 0, &to);
    table_add(table, "%d", (int)step + 1);
    table_add_text(table, on.data ? on.data : "");
    table_add(table, "%.4f", episode->belief[(int64_t)step * episode->n_state + edge]);
    table_add_text(table, to.data ? to.data : "");
    table_add(table, "%.4f", episode->p[step]);
    table_add(table, "%llu", (unsigned long long)cost->n_policy);
    table_add(table, "%llu", (unsigned long long)cost->n_step);
    table_add(table, "%.4g", cost->equivalent);
    piece_free(&on);
    piece_free(&to);
}

static void add_steps(sonde_text *text, const cli_world *world, const sonde_episode *e) {
    static const char *const head[] = {"step", "on ",      "belief", "to",
                                       "p",    "policies", "steps",  "equivalent"};
    cli_table table = table_open(head, 8);
    for (int32_t step = 0; step < e->n_step; step++) {
        add_step(world, e, step, &table);
    }
    sonde_text_add(text, "\n");
    table_close(&table, text);
}

static const char *sentence_of(sonde_failure failure) {
    switch (failure) {
    case SONDE_FAILURE_NONE: return "it took a shortest path and stayed on the destination";
    case SONDE_FAILURE_STAYED: return "it never left the start";
    case SONDE_FAILURE_NEVER: return "it never arrived";
    case SONDE_FAILURE_DETOUR: return "it arrived by a detour";
    case SONDE_FAILURE_LEFT: return "it arrived, and left again";
    }
    return "";
}

static void show_episode(sonde_text *text, const cli_world *world, const sonde_model *process,
                         const sonde_episode *e) {
    (void)process;
    add_steps(text, world, e);
    sonde_text_add(text, "\npath:   ");
    for (int32_t t = 0; t <= e->n_step; t++) {
        sonde_text_add(text, " ");
        sonde_model_say(world->model, SONDE_NOUN_NODE, &e->state[t], 0, text);
    }
    sonde_text_add(text, "\nresult:  %s: %s\n", e->optimal ? "optimal" : "not optimal",
                   sentence_of(e->failure));
    sonde_text_add(text, "arrival: ");
    if (e->reached < 0) {
        sonde_text_add(text, "never");
    } else {
        sonde_text_add(text, "after %d step%s", (int)e->reached, e->reached == 1 ? "" : "s");
    }
    sonde_text_add(text, "; walked %g, shortest %g\n", e->walked, e->shortest);
    sonde_text_add(text, "time:    %.3g s\n", e->seconds);
}

static sonde_status draw(sonde_text *svg, const cli_world *world, const sonde_episode *e) {
    int32_t *node = calloc((size_t)e->n_step + 1, sizeof *node);
    if (!node) {
        return SONDE_NO_MEMORY;
    }
    for (int32_t t = 0; t <= e->n_step; t++) {
        node[t] = graph_of(world)->head[e->state[t]];
    }
    const sonde_status status = sonde_draw_graph(graph_of(world), node, e->n_step + 1, svg, NULL);
    free(node);
    return status;
}

/* ---------------------------------------------------------------------------------- model -- */

static void tables(sonde_text *text, const sonde_model *model) {
    sonde_text_add(text,
                   "as a model: %d states and outcomes (edges), %d actions (pairs of them); A "
                   "is the identity, B is certain, neither is stored\n",
                   (int)model->n_state, (int)model->n_action);
}

static void nothing(sonde_text *text, const sonde_model *model) {
    (void)text;
    (void)model;
}

const cli_showing showing_graph = {
    .policy = "walk",
    .settle = settle,
    .line = line,
    .weights = weights,
    .origin = origin,
    .actions = actions,
    .episode = show_episode,
    .draw = draw,
    .tables = tables,
    .policies = nothing,
    .states = nothing,
};
