/* model_names.c: what a model's numbers are called, for people.
 *
 * The one place where edges and factors get their names: a table of nouns for each kind of model. A
 * name is cut to the characters there are room for, and a number stands where there is no name. */
#include <inttypes.h>

#include "base/words.h"
#include "model/model.h"

#define ARROW "\342\206\222"
enum { FACTOR_MAX = 3 }; /* actions of a tuple that is cut */

/* A name as it is, or its beginning. */
static void add_name(const char *const *name, int32_t number, int32_t most, sonde_text *text) {
    if (name == NULL) {
        sonde_text_add(text, "%" PRId32, number);
    } else if (most > 0) {
        sonde__words_plain(text, name[number], most);
    } else {
        sonde_text_add(text, "%s", name[number]);
    }
}

/* ------------------------------------------------------------------------------------ graphs -- */

static void say_edge(const sonde_model *model, const int32_t *edge, int32_t most,
                     sonde_text *text) {
    const sonde_graph *graph = model->graph;
    add_name(graph->name, graph->tail[edge[0]], most / 4, text);
    sonde_text_add(text, ARROW);
    add_name(graph->name, graph->head[edge[0]], most / 4, text);
}

static void say_node(const sonde_model *model, const int32_t *edge, int32_t most,
                     sonde_text *text) {
    add_name(model->graph->name, model->graph->head[edge[0]], most, text);
}

static void say_node_after(const sonde_model *model, const int32_t *number, int32_t most,
                           sonde_text *text) {
    const int32_t edge = sonde__model_next(model, number[0], number[1]);
    sonde_text_add(text, "to ");
    say_node(model, &edge, most, text);
}

static void say_reached(const sonde_model *model, const int32_t *number, int32_t most,
                        sonde_text *text) {
    say_edge(model, number + 1, most, text);
}

static void say_walk(const sonde_model *model, int32_t horizon, const int32_t *walk,
                     sonde_text *text) {
    say_edge(model, walk, 0, text);
    for (int32_t t = 1; t <= horizon; t++) {
        sonde_text_add(text, " ");
        say_node(model, walk + t, 0, text);
    }
}

/* ----------------------------------------------------------------------------------- factors -- */

static void say_states(const sonde_model *model, const int32_t *state, int32_t most,
                       sonde_text *text) {
    for (int32_t f = 0; f < model->n_factor; f++) {
        sonde_text_add(text, f > 0 ? ", " : "");
        add_name(model->factor[f].state_name, state[f], most, text);
    }
}

static void say_outcomes(const sonde_model *model, const int32_t *outcome, int32_t most,
                         sonde_text *text) {
    for (int32_t m = 0; m < model->n_modality; m++) {
        sonde_text_add(text, m > 0 ? ", " : "");
        if (outcome[m] < 0) {
            sonde_text_add(text, "–"); /* not seen, or not for certain */
        } else {
            add_name(model->modality[m].outcome_name, outcome[m], most, text);
        }
    }
}

/* The actions of the factors that have more than one, FACTOR_MAX of them where they are cut. */
static void add_tuple(const sonde_model *model, int32_t action, int32_t most, sonde_text *text) {
    int32_t tuple[SONDE_FACTORS_MAX];
    int32_t n_factor = 0;
    int32_t n = 0;
    sonde_model_tuple(model, action, tuple);
    for (int32_t f = 0; f < model->n_factor; f++) {
        n_factor += model->factor[f].n_action > 1 ? 1 : 0;
    }
    const int32_t n_shown = most == 0 || n_factor < FACTOR_MAX ? n_factor : FACTOR_MAX;
    for (int32_t f = 0; f < model->n_factor && n < n_shown; f++) {
        if (model->factor[f].n_action > 1) {
            sonde_text_add(text, n++ > 0 ? "/" : "");
            const int32_t each = most / n_shown > 3 ? most / n_shown - 2 : 1;
            add_name(model->factor[f].action_name, tuple[f], most > 0 ? each : 0, text);
        }
    }
    sonde_text_add(text, n_factor > n_shown ? "/..." : n_factor == 0 ? "wait" : "");
}

static void say_tuple(const sonde_model *model, const int32_t *number, int32_t most,
                      sonde_text *text) {
    add_tuple(model, number[1], most, text);
}

static void say_done(const sonde_model *model, const int32_t *number, int32_t most,
                     sonde_text *text) {
    add_tuple(model, number[0], most, text);
}

static void say_tuples(const sonde_model *model, int32_t horizon, const int32_t *walk,
                       sonde_text *text) {
    for (int32_t t = 1; t <= horizon; t++) {
        sonde_text_add(text, t > 1 ? ", " : "");
        add_tuple(model, walk[t], 0, text);
    }
}

static void say_nothing(const sonde_model *model, const int32_t *number, int32_t most,
                        sonde_text *text) {
    (void)model;
    (void)number;
    (void)most;
    (void)text;
}

/* -------------------------------------------------------------------------------------- both -- */

void sonde_model_say(const sonde_model *model, sonde_noun noun, const int32_t *number, int32_t most,
                     sonde_text *text) {
    typedef void (*speaker)(const sonde_model *model, const int32_t *number, int32_t most,
                            sonde_text *text);
    static const speaker say[SONDE__N_KIND][5] = {
        [SONDE__OF_GRAPHS] = {[SONDE_NOUN_STATE] = say_edge,
                              [SONDE_NOUN_OUTCOME] = say_edge,
                              [SONDE_NOUN_ACTION] = say_node_after,
                              [SONDE_NOUN_STEP] = say_reached,
                              [SONDE_NOUN_NODE] = say_node},
        [SONDE__OF_FACTORS] = {[SONDE_NOUN_STATE] = say_states,
                               [SONDE_NOUN_OUTCOME] = say_outcomes,
                               [SONDE_NOUN_ACTION] = say_tuple,
                               [SONDE_NOUN_STEP] = say_done,
                               [SONDE_NOUN_NODE] = say_nothing},
    };
    say[sonde__kind(model)][noun](model, number, most, text);
}

void sonde__model_say_policy(const sonde_model *model, int32_t horizon, const int32_t *walk,
                             sonde_text *text) {
    (sonde__kind(model) == SONDE__OF_GRAPHS ? say_walk : say_tuples)(model, horizon, walk, text);
}
