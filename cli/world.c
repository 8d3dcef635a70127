/* world.c: from a command line's world options to graph, model and policies. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "like.h"
#include "table.h"
#include "world.h"

/* ---------------------------------------------------------------------------------- making -- */

/* Puts a graph world's own values where nobody gave any, so that the command names all of them. */
static void settle_graph(cli_arguments *args, cli_world *world) {
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

/* Whether outcomes are taken in: those of --observe, or of a simulation. */
static bool observes(const cli_verb *verb, const cli_arguments *args) {
    return args->observe || option_find(verb, "observe") < 0;
}

/* The same for a model; what does not concern it is not for the command to say. */
static void settle_model(cli_arguments *args, const cli_verb *verb, const cli_world *world) {
    const sonde_model *model = world->model;
    int32_t *inference = &args->search.inference;
    *inference = !observes(verb, args)                   ? SONDE_INFERENCE_DEFAULT
                 : *inference == SONDE_INFERENCE_DEFAULT ? model->inference
                                                         : *inference;
    args->horizon = model->horizon;
    args->lambda = model->lambda;
    args->preferences = (int32_t)model->preferences;
    args->information = (int32_t)model->information;
    args->like = -1;
    args->idle = -1.0;
}

static void settle_arguments(cli_arguments *args, const cli_verb *verb, cli_world *world) {
    if (world->graph) {
        settle_graph(args, world);
    } else {
        settle_model(args, verb, world);
    }
    sonde_search_settings *search = &args->search;
    search->gamma = search->gamma == SONDE_GAMMA_DEFAULT ? world->model->gamma : search->gamma;
    if (search->embed.kind == SONDE_EMBEDDING_DEFAULT) {
        search->embed.kind = sonde_name_find(sonde_embedding_name, world->graph ? "boe" : "boa");
    }
}

/* Whether the file has a graph world, whatever the options for models say. */
static bool is_graph(const cli_arguments *args, cli_session *session) {
    sonde_input_settings settings = arguments_input(args);
    settings.model = sonde_model_defaults();
    sonde_input input = {0};
    const sonde_status status =
        sonde_input_read(args->file, &settings, &session->run, &input, NULL);
    const bool graph = !status && input.graph;
    sonde_input_free(&input);
    return graph;
}

static sonde_status read_or_draw(cli_arguments *args, cli_session *session, cli_world *world) {
    const sonde_input_settings settings = arguments_input(args);
    if (!args->file) {
        const sonde_status status =
            sonde_graph_random(&settings.graph, settings.seed, &world->graph, &session->error);
        return status ? status
                      : sonde_model_from_graph(world->graph, &world->model, &session->error);
    }
    sonde_input input = {0};
    const sonde_status status =
        sonde_input_read(args->file, &settings, &session->run, &input, &session->error);
    world->graph = input.graph;
    world->model = input.model;
    if (status == SONDE_BAD_ARGUMENT && args->like >= 0 && is_graph(args, session)) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--like: concerns general models, and this is a graph world; leave it out");
    }
    return status;
}

/* Whether "0.2:0.8" are the weights of a modality's outcomes. */
static bool read_weights(const char *word, int32_t n, double *weight) {
    for (int32_t o = 0; o < n; o++) {
        char *end = NULL;
        const size_t length = strcspn(word, ":");
        weight[o] = strtod(word, &end);
        if (length == 0 || strspn(word, "0123456789.eE+-") < length || end != word + length ||
            (word[length] == '\0') != (o + 1 == n)) {
            return false;
        }
        word += length + 1;
    }
    return true;
}

/* What a word says of a modality: the name or number of an outcome, weights of all, or "-". */
static sonde_status find_outcome(const sonde_modality *modality, int32_t m, const char *word,
                                 int32_t *outcome, double *weight, sonde_error *error) {
    const bool named = modality->outcome_name != NULL;
    char *end = NULL;
    const long number = strtol(word, &end, 10);
    for (int32_t o = 0; named && o < modality->n_outcome; o++) {
        if (!strcmp(modality->outcome_name[o], word)) {
            *outcome = o;
            return SONDE_OK;
        }
    }
    if (!strcmp(word, "-")) {
        *outcome = SONDE_MISSING;
    } else if (strchr(word, ':') && read_weights(word, modality->n_outcome, weight)) {
        *outcome = SONDE_SOFT;
    } else if (*word && !*end && number >= 0 && number < modality->n_outcome) {
        *outcome = (int32_t)number;
    } else {
        return fail(error, SONDE_BAD_ARGUMENT,
                    "--observe: modality %d: expected an outcome from 0 to %d%s, %d weights with "
                    "colons between them, or - for none, found \"%s\"",
                    (int)m, (int)modality->n_outcome - 1, named ? " or its name" : "",
                    (int)modality->n_outcome, word);
    }
    return SONDE_OK;
}

/* Reads what --observe says of each modality, with commas between. */
static sonde_status read_outcomes(const char *text, const cli_world *world, sonde_error *error) {
    const sonde_model *model = world->model;
    double *weight = world->weight;
    for (int32_t m = 0; m < model->n_modality; m++) {
        char word[256];
        const size_t length = strcspn(text, ",");
        const bool last = m + 1 == model->n_modality;
        if (length >= sizeof word || (text[length] == '\0') != last) {
            return fail(error, SONDE_BAD_ARGUMENT,
                        "--observe: expected %d outcome%s, one for each modality",
                        (int)model->n_modality, model->n_modality == 1 ? "" : "s");
        }
        memcpy(word, text, length);
        word[length] = '\0';
        const sonde_status status =
            find_outcome(&model->modality[m], m, word, &world->outcome[m], weight, error);
        if (status) {
            return status;
        }
        weight += model->modality[m].n_outcome;
        text += length + !last;
    }
    return SONDE_OK;
}

/* Takes in what --observe says. */
static sonde_status observe(const cli_arguments *args, cli_session *session, cli_world *world) {
    const sonde_model *model = world->model;
    size_t n_outcome = 0;
    for (int32_t m = 0; m < model->n_modality; m++) {
        n_outcome += (size_t)model->modality[m].n_outcome;
    }
    world->outcome = calloc((size_t)model->n_modality, sizeof *world->outcome);
    world->weight = calloc(n_outcome, sizeof *world->weight);
    if (!world->outcome || !world->weight) {
        return SONDE_NO_MEMORY;
    }
    const sonde_observation seen = {world->outcome, world->weight, args->search.inference};
    const sonde_status status = read_outcomes(args->observe, world, &session->error);
    return status ? status
                  : sonde_belief_observe(model, &seen, world->belief, world->belief, NULL,
                                         &session->error);
}

/* What is believed before the first action: D, or what follows from it and the outcomes. */
static sonde_status believe(const cli_arguments *args, cli_session *session, cli_world *world) {
    const sonde_model *model = world->model;
    world->now = (sonde_present){.state = world->graph ? world->graph->start : -1};
    if (world->graph) {
        return SONDE_OK;
    }
    world->belief = calloc((size_t)model->n_belief, sizeof *world->belief);
    if (!world->belief) {
        return SONDE_NO_MEMORY;
    }
    world->now.belief = world->belief;
    sonde_belief_initial(model, world->belief);
    if (args->observe) {
        return observe(args, session, world);
    }
    if (!observes(session->verb, args) && option_given(session->verb, args, "inference")) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--inference: goes with --observe only; choose that, or leave it out");
    }
    return SONDE_OK;
}

/* Where the policies of the scope begin. */
static int32_t find_origin(const cli_arguments *args, const cli_world *world) {
    if (world->graph) {
        return args->search.scope == SONDE_GLOBAL ? SONDE_EVERYWHERE : world->graph->start;
    }
    return world->policies ? sonde_policies_origin(world->policies, world->belief) : 0;
}

sonde_status world_open(cli_arguments *args, cli_session *session, cli_world *world) {
    sonde_text said = {0};
    session_begun(false);
    like_apply(args, session->verb, &said);
    sonde_status status = read_or_draw(args, session, world);
    if (!status) {
        /* once more, with what --like stands for and for the kind of model that it is */
        args->kinds = world->graph ? SONDE_KIND_GRAPH : SONDE_KIND_GENERAL;
        status = options_settle(session->verb, args, &session->error);
    }
    session_begun(true);
    if (!status && said.data) {
        session_note(session, "%s", said.data);
    }
    sonde_text_free(&said);
    if (!status) {
        status =
            sonde_policies_count(world->model, &session->run, &world->policies, &session->error);
    }
    if (!status) {
        status = sonde_policies_weigh(world->policies, &args->search.weights, &world->scored,
                                      &session->error);
    }
    if (status == SONDE_TOO_LARGE && !session->verb->counts && world->model) {
        session_note(session, "%s", session->error.text);
        status = SONDE_OK;
    }
    if (!status) {
        status = believe(args, session, world);
    }
    if (status) {
        return status;
    }
    world->origin = find_origin(args, world);
    settle_arguments(args, session->verb, world);
    command_write(session->verb, args, &world->command);
    return world->command.failed ? SONDE_NO_MEMORY : SONDE_OK;
}

void world_close(cli_world *world) {
    sonde_text_free(&world->command);
    free(world->outcome);
    free(world->weight);
    free(world->belief);
    sonde_policies_free(world->scored);
    sonde_policies_free(world->policies);
    sonde_model_free(world->model);
    sonde_graph_free(world->graph);
}

sonde_status world_score(const cli_world *world, const int32_t *walk, sonde_efe *steps,
                         int32_t *reached, sonde_efe *total) {
    const sonde_walks one = {1, world->model->horizon, walk};
    const sonde_scores scores = {.total = total, .step = steps, .reached = reached};
    return sonde_efe_walks(world->scored->model, world->now, &one, NULL, &scores, NULL);
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

void add_tuple(sonde_text *text, const sonde_model *model, int32_t action) {
    int32_t tuple[SONDE_FACTORS_MAX];
    const char *slash = "";
    sonde_model_tuple(model, action, tuple);
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        if (factor->n_action == 1) {
            continue;
        }
        sonde_text_add(text, "%s", slash);
        if (factor->action_name) {
            sonde_text_add(text, "%s", factor->action_name[tuple[f]]);
        } else {
            sonde_text_add(text, "%d", (int)tuple[f]);
        }
        slash = "/";
    }
    if (model->n_action == 1) {
        sonde_text_add(text, "wait");
    }
}

void add_policy(sonde_text *text, const cli_world *world, const int32_t *walk) {
    const int32_t horizon = world->model->horizon;
    if (!world->graph) {
        for (int32_t t = 1; t <= horizon; t++) {
            sonde_text_add(text, t > 1 ? ", " : "");
            add_tuple(text, world->model, walk[t]);
        }
        return;
    }
    add_edge(text, world->graph, walk[0]);
    for (int32_t t = 1; t <= horizon; t++) {
        sonde_text_add(text, " ");
        add_node(text, world->graph, world->graph->head[walk[t]]);
    }
}

/* `T-maze: 2 factors of 4 and 2 states, 3 modalities of 4, 3 and 3 outcomes; ...` */
static void add_model_line(sonde_text *text, const sonde_model *model) {
    sonde_text_add(text, "%s: %d factor%s of ", model->name ? model->name : "model",
                   (int)model->n_factor, model->n_factor == 1 ? "" : "s");
    for (int32_t f = 0; f < model->n_factor; f++) {
        sonde_text_add(text, "%s%d",
                       f == 0                    ? ""
                       : f + 1 < model->n_factor ? ", "
                                                 : " and ",
                       (int)model->factor[f].n_state);
    }
    sonde_text_add(text, " states, %d modalit%s of ", (int)model->n_modality,
                   model->n_modality == 1 ? "y" : "ies");
    for (int32_t m = 0; m < model->n_modality; m++) {
        sonde_text_add(text, "%s%d",
                       m == 0                      ? ""
                       : m + 1 < model->n_modality ? ", "
                                                   : " and ",
                       (int)model->modality[m].n_outcome);
    }
    sonde_text_add(text, " outcomes; %d action%s, horizon %d\n", (int)model->n_action,
                   model->n_action == 1 ? "" : "s", (int)model->horizon);
    sonde_text_add(text, "preferences %s, information %s, lambda %g%s\n",
                   sonde_preferences_name((int32_t)model->preferences),
                   sonde_information_name((int32_t)model->information), model->lambda,
                   model->coupled ? "; factors depend on each other: beliefs are a mean field"
                                  : "");
}

bool world_is_weighed(const cli_world *world) {
    const sonde_weights *w = world->scored ? &world->scored->model->weights : NULL;
    return w && (w->utility != 1.0 || w->information != 1.0 || w->cost != 1.0);
}

static void add_weights(sonde_text *text, const cli_world *world) {
    const sonde_weights *w = world_is_weighed(world) ? &world->scored->model->weights : NULL;
    if (w && world->graph) {
        sonde_text_add(text, "G counts utility %g and cost %g times\n", w->utility, w->cost);
    } else if (w) {
        sonde_text_add(text, "G counts utility %g, information %g and cost %g times\n", w->utility,
                       w->information, w->cost);
    }
}

void add_world_line(sonde_text *text, const cli_world *world) {
    const sonde_graph *graph = world->graph;
    if (!graph) {
        add_model_line(text, world->model);
        add_weights(text, world);
        return;
    }
    sonde_text_add(text, "%d node%s, %d edge%s; from ", (int)graph->n_node,
                   graph->n_node == 1 ? "" : "s", (int)graph->n_edge,
                   graph->n_edge == 1 ? "" : "s");
    add_edge(text, graph, graph->start);
    sonde_text_add(text, " to ");
    add_node(text, graph, graph->destination);
    sonde_text_add(text, "; horizon %d, lambda %g\n", (int)graph->horizon, graph->lambda);
    add_weights(text, world);
}

void add_policies_line(sonde_text *text, const cli_world *world) {
    const sonde_policies *policies = world->policies;
    if (policies == NULL) {
        sonde_text_add(text, "policies were not counted");
        return;
    }
    const uint64_t n = sonde_policies_size(policies, world->origin);
    add_size(text, n, sonde_policies_size_real(policies, world->origin));
    sonde_text_add(text, n == 1 ? " policy from " : " policies from ");
    if (!world->graph) {
        sonde_text_add(text, "the present belief");
    } else if (world->origin == SONDE_EVERYWHERE) {
        sonde_text_add(text, "every edge");
    } else {
        add_edge(text, world->graph, world->origin);
    }
}

void add_again(sonde_text *text, const cli_arguments *args, const cli_world *world) {
    sonde_text_add(text,
                   "\nG is expected free energy in nats, smaller is better; seed %llu; sonde %s\n",
                   (unsigned long long)args->search.seed, sonde_version());
    sonde_text_add(text, "again: %s\n", world->command.data);
}
