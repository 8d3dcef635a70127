/* world.c: from a command line's world options to graph, model and policies. */
#include <stdlib.h>
#include <string.h>

#include "learning.h"
#include "like.h"
#include "table.h"
#include "world.h"

/* ---------------------------------------------------------------------------------- making -- */

static sonde_status read_or_draw(cli_arguments *args, cli_session *session, sonde_input *input) {
    const sonde_graph_settings graph = arguments_graph(args);
    const sonde_model_settings model = arguments_model(args);
    if (args->make.make >= 0) {
        sonde_make_settings make = args->make;
        make.seed = args->search.seed;
        return sonde_make(&make, &model, &session->run, &input->model, &session->error);
    }
    if (args->file) {
        return world_read(args, session, input);
    }
    const sonde_status status =
        sonde_graph_random(&graph, args->search.seed, &input->graph, &session->error);
    return status ? status : sonde_model_from_graph(input->graph, &input->model, &session->error);
}

bool world_observes(const cli_verb *verb, const cli_arguments *args) {
    return args->observe || option_find(verb, "observe") < 0;
}

/* The kind of model that the file has, whatever the options for models say; 0: none. */
static uint32_t find_kind(const cli_arguments *args, cli_session *session) {
    const sonde_graph_settings graph = arguments_graph(args);
    sonde_input input = {0};
    const sonde_status status =
        sonde_input_read(args->file, &graph, NULL, args->search.seed, &session->run, &input, NULL);
    const uint32_t kind = status ? 0 : sonde_model_kind(input.model);
    sonde_input_free(&input);
    return kind;
}

/* Reads or draws the world, and settles the options once more: with what --like stands for, and for
 * the kind of model that it is. */
static sonde_status make(cli_arguments *args, cli_session *session, cli_world *world) {
    sonde_status status = read_or_draw(args, session, &world->input);
    if (!status) {
        world->model = world->input.model;
        args->kinds = sonde_model_kind(world->model);
        world->show = args->kinds == SONDE_KIND_GRAPH ? &showing_graph : &showing_model;
    } else if (status == SONDE_BAD_ARGUMENT && args->like >= 0) {
        args->kinds = find_kind(args, session);
    }
    const sonde_status settled =
        args->kinds != 0 ? options_settle(session->verb, args, &session->error) : status;
    return settled ? settled : status;
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
static sonde_status read_outcomes(const cli_arguments *args, const cli_world *world,
                                  sonde_error *error) {
    const sonde_model *model = world->model;
    const char *const whole = args->observe;
    const char *text = whole;
    double *weight = world->weight;
    for (int32_t m = 0; m < model->n_modality; m++) {
        char word[256];
        const size_t length = strcspn(text, ",");
        const bool last = m + 1 == model->n_modality;
        if (length >= sizeof word || (text[length] == '\0') != last) {
            return fail(error, SONDE_BAD_ARGUMENT,
                        "--observe: expected %d outcome%s, one for each modality, found \"%s\"",
                        (int)model->n_modality, model->n_modality == 1 ? "" : "s", whole);
        }
        memcpy(word, text, length);
        word[length] = '\0';
        const sonde_status status =
            find_outcome(&model->modality[m], m, word, &world->outcome[m], weight, error);
        if (status) {
            return status;
        }
        if (model->modality[m].n_action > 1 && world->outcome[m] != SONDE_MISSING &&
            !args->resume) {
            return fail(error, SONDE_BAD_ARGUMENT,
                        "--observe: outcomes of modality %d depend on the action before them, and "
                        "there was none; give - for it",
                        (int)m);
        }
        weight += model->modality[m].n_outcome;
        text += length + !last;
    }
    return SONDE_OK;
}

/* Takes in what --observe says. */
static sonde_status observe(const cli_arguments *args, cli_session *session, cli_world *world) {
    const sonde_model *model = world->model;
    size_t n_outcome = 1; /* one more, so that there is always something to ask for */
    for (int32_t m = 0; m < model->n_modality; m++) {
        n_outcome += (size_t)model->modality[m].n_outcome;
    }
    world->outcome = calloc((size_t)model->n_modality, sizeof *world->outcome);
    world->weight = calloc(n_outcome, sizeof *world->weight);
    if (!world->outcome || !world->weight) {
        return SONDE_NO_MEMORY;
    }
    const sonde_observation seen = {world->outcome, world->weight, args->search.inference};
    const sonde_status status = read_outcomes(args, world, &session->error);
    /* an agent that goes on believes something else before it sees them */
    return status || args->resume ? status
                                  : sonde_belief_observe(model, &seen, world->belief, world->belief,
                                                         NULL, &session->error);
}

/* What is believed before the first action: the initial belief, or what follows from it and the
 * outcomes. */
static sonde_status believe(const cli_arguments *args, cli_session *session, cli_world *world) {
    const sonde_model *model = world->model;
    sonde_status status = SONDE_OK;
    world->belief = calloc((size_t)model->n_belief, sizeof *world->belief);
    if (!world->belief) {
        return SONDE_NO_MEMORY;
    }
    sonde_belief_initial(model, world->belief);
    if (args->observe) {
        status = observe(args, session, world);
    } else if (!world_observes(session->verb, args) &&
               args->search.belief_kind == SONDE_BELIEF_JOINT &&
               option_given(session->verb, args, "inference")) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--inference: goes with --observe only; choose that, or leave it out");
    }
    world->now = sonde_present_at(model, world->belief);
    return status;
}

/* Where the policies of the scope begin. */
static int32_t find_origin(const cli_arguments *args, const cli_world *world) {
    if (args->search.scope == SONDE_GLOBAL) {
        return SONDE_EVERYWHERE;
    }
    return world->policies ? sonde_policies_origin(world->policies, world->belief) : 0;
}

void world_note_prior(cli_session *session, const cli_world *world) {
    if (world->model->action_prior) {
        session_note(session, "open loop takes no notice of the model's action_prior, which is of "
                              "closed loop");
    }
}

sonde_status world_open(cli_arguments *args, cli_session *session, cli_world *world) {
    sonde_text said = {0};
    session_begun(false);
    like_apply(args, session->verb, &said);
    learning_usual(session->verb, args);
    sonde_status status = make(args, session, world);
    session_begun(true);
    if (!status) {
        like_settle(args, session->verb, world->model, &said);
    }
    if (!status && said.data) {
        session_note(session, "%s", said.data);
    }
    if (!status && world->model->apart > 1e-6) {
        session_note(session, "%s is up to %g from the mean of its counts, which takes its place",
                     world->model->apart_at, world->model->apart);
    }
    piece_free(&said);
    if (!status) {
        status =
            sonde_policies_count(world->model, 0, &session->run, &world->policies, &session->error);
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
    world->show->settle(args, session->verb, world);
    if (args->search.gamma == SONDE_GAMMA_DEFAULT) {
        args->search.gamma = world->model->gamma;
    }
    command_write(session->verb, args, &world->command);
    return world->command.failed ? SONDE_NO_MEMORY : SONDE_OK;
}

void world_close(cli_world *world) {
    piece_free(&world->command);
    free(world->outcome);
    free(world->weight);
    free(world->belief);
    sonde_policies_free(world->scored);
    sonde_policies_free(world->policies);
    sonde_input_free(&world->input);
}

sonde_status world_score(const cli_world *world, const int32_t *walk, sonde_efe *steps,
                         int32_t *reached, sonde_efe *total) {
    const sonde_walks one = {1, world->policies->horizon, walk};
    sonde_scores scores = {.total = total, .step = steps};
    scores.reached = reached;
    return sonde_efe_walks(world->scored->model, world->now, &one, NULL, &scores, NULL);
}

/* --------------------------------------------------------------------------------- showing -- */

bool world_is_weighed(const cli_world *world) {
    const sonde_weights *w = world->scored ? &world->scored->model->weights : NULL;
    const bool nu = w && w->novelty && (w->novelty_A != 1.0 || w->novelty_B != 1.0);
    return w && (w->utility != 1.0 || w->information != 1.0 || w->cost != 1.0 || nu);
}

bool world_is_novel(const cli_world *world) {
    return world->scored && world->scored->model->weights.novelty != SONDE_NOVELTY_NONE;
}

void add_world_line(sonde_text *text, const cli_world *world) {
    world->show->line(text, world);
    if (world_is_weighed(world)) {
        world->show->weights(text, &world->scored->model->weights);
    }
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
    world->show->origin(text, world);
}

void add_again(sonde_text *text, const cli_arguments *args, const cli_world *world) {
    sonde_text_add(text,
                   "\nG is expected free energy in nats, smaller is better; seed %llu; sonde %s\n",
                   (unsigned long long)args->search.seed, sonde_version());
    sonde_text_add(text, "again: %s\n", world->command.data);
}
