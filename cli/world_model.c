/* world_model.c: what the command shows of general models. */
#include "table.h"
#include "world.h"

enum { ACTIONS_SHOWN = 40 };

/* What does not concern a model is not for the command to say. */
static void settle(cli_arguments *args, const cli_verb *verb, cli_world *world) {
    const sonde_model *model = world->model;
    int32_t *inference = &args->search.inference;
    if (args->search.loop == SONDE_LOOP_OPEN) {
        *inference = !world_observes(verb, args)             ? SONDE_INFERENCE_DEFAULT
                     : *inference == SONDE_INFERENCE_DEFAULT ? model->inference
                                                             : *inference;
    }
    args->horizon = model->horizon;
    args->lambda = model->lambda;
    args->preferences = (int32_t)model->preferences;
    args->information = (int32_t)model->information;
    args->like = -1;
    args->idle = -1.0;
}

/* `T-maze: 2 factors of 4 and 2 states, 3 modalities of 4, 3 and 3 outcomes; ...` */
static void line(sonde_text *text, const cli_world *world) {
    const sonde_model *model = world->model;
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

static void weights(sonde_text *text, const sonde_weights *w) {
    sonde_text_add(text, "G counts utility %g, information %g and cost %g times\n", w->utility,
                   w->information, w->cost);
}

static void origin(sonde_text *text, const cli_world *world) {
    (void)world;
    sonde_text_add(text, "the present belief");
}

/* What the agent believes of each factor before it acts. */
static void add_beliefs(sonde_text *text, const sonde_model *model,
                        const sonde_decision *decision) {
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        const double *belief = decision->belief + factor->first;
        int32_t most = 0;
        for (int32_t s = 1; s < factor->n_state; s++) {
            most = belief[s] > belief[most] + 1e-12 ? s : most;
        }
        sonde_text_add(text, f == 0 ? "belief: " : ", ");
        if (factor->name) {
            sonde_text_add(text, "%s ", factor->name);
        }
        if (factor->state_name) {
            sonde_text_add(text, "%s", factor->state_name[most]);
        } else {
            sonde_text_add(text, "%d", (int)most);
        }
        sonde_text_add(text, " %.4g", belief[most]);
    }
    sonde_text_add(text, "\n");
}

static void actions(sonde_text *text, const cli_world *world, const sonde_decision *decision) {
    add_beliefs(text, world->model, decision);
    static const char *const head[] = {"action", "posterior", "drawn with", " "};
    cli_table table = table_open(head, 4);
    for (int32_t i = 0; i < decision->n_action && i < ACTIONS_SHOWN; i++) {
        sonde_text name = {0};
        sonde_model_say(world->model, SONDE_NOUN_ACTION, (int32_t[]){-1, decision->action[i]}, 0,
                        &name);
        table_add_chance(&table, &name, decision->posterior[i], decision->probability[i]);
        piece_free(&name);
    }
    sonde_text_add(text, "\n");
    table_close(&table, text);
    if (decision->n_action > ACTIONS_SHOWN) {
        sonde_text_add(text, "  and %d more\n", (int)decision->n_action - ACTIONS_SHOWN);
    }
}

/* Where the world was, what it showed, what the agent did. */
static void episode(sonde_text *text, const cli_world *world, const sonde_model *process,
                    const sonde_episode *e) {
    static const char *const head[] = {"step",    "state ", "outcomes ", "surprise",  "free energy",
                                       "action ", "p",      "policies",  "equivalent"};
    const sonde_model *model = world->model;
    cli_table table = table_open(head, 9);
    for (int32_t t = 0; t < e->n_step; t++) {
        sonde_text state = {0};
        sonde_text outcome = {0};
        sonde_text action = {0};
        if (e->state) {
            sonde_model_say(process, SONDE_NOUN_STATE, e->state + (int64_t)t * e->n_factor, 0,
                            &state);
        }
        sonde_model_say(model, SONDE_NOUN_OUTCOME, e->outcome + (int64_t)t * e->n_modality, 0,
                        &outcome);
        sonde_model_say(model, SONDE_NOUN_ACTION, (int32_t[]){-1, e->action[t]}, 0, &action);
        table_add(&table, "%d", (int)t + 1);
        table_add_text(&table, state.data ? state.data : "");
        table_add_text(&table, outcome.data ? outcome.data : "");
        table_add(&table, "%.3f", e->energy[t].surprise);
        table_add(&table, "%.3f", e->energy[t].free_energy);
        table_add_text(&table, action.data ? action.data : "");
        table_add(&table, "%.4f", e->p[t]);
        table_add(&table, "%llu", (unsigned long long)e->evaluations[t].n_policy);
        table_add(&table, "%.4g", e->evaluations[t].equivalent);
        piece_free(&state);
        piece_free(&outcome);
        piece_free(&action);
    }
    sonde_text_add(text, "\n");
    table_close(&table, text);
    if (e->state) {
        sonde_text_add(text, "\nat the end: ");
        sonde_model_say(process, SONDE_NOUN_STATE, e->state + (int64_t)e->n_step * e->n_factor, 0,
                        text);
    }
    sonde_text_add(text, "\nevidence:   ln P(outcomes) = %.4f\n",
                   e->energy[e->n_step - 1].log_evidence);
    sonde_text_add(text, "time:       %.3g s\n", e->seconds);
}

/* --------------------------------------------------------------------------------- tables -- */

/* Factors that something depends on, by name or number. */
static void add_factors(cli_table *table, const sonde_model *model, int32_t n,
                        const int32_t *factor) {
    sonde_text names = {0};
    for (int32_t i = 0; i < n; i++) {
        const char *name = model->factor[factor[i]].name;
        sonde_text_add(&names, i > 0 ? ", " : "");
        if (name) {
            sonde_text_add(&names, "%s", name);
        } else {
            sonde_text_add(&names, "%d", (int)factor[i]);
        }
    }
    table_add_text(table, names.data ? names.data : "");
    piece_free(&names);
}

static void add_name(cli_table *table, const char *name, int32_t number) {
    if (name) {
        table_add_text(table, name);
    } else {
        table_add(table, "%d", (int)number);
    }
}

/* How many numbers of a table are not 0, and how uncertain its columns are. */
static void add_about(cli_table *table, const sonde_table *about) {
    table_add(table, "%.10g of %.10g", about->n_nonzero, about->n_number);
    table_add(table, "%s", about->storage);
    if (about->certain) {
        table_add(table, "certain");
    } else {
        table_add(table, "%.4g to %.4g", about->mean_entropy, about->most_entropy);
    }
}

static void add_factor_table(const sonde_model *model, sonde_text *text) {
    static const char *const head[] = {"factor ",
                                       "states",
                                       "actions",
                                       "depends on ",
                                       "B: not 0 ",
                                       "stored ",
                                       "entropy, mean to most "};
    cli_table table = table_open(head, 7);
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        const sonde_table about = sonde_model_transitions(model, f);
        add_name(&table, factor->name, f);
        table_add(&table, "%d", (int)factor->n_state);
        table_add(&table, "%d", (int)factor->n_action);
        add_factors(&table, model, factor->n_depend, factor->depend);
        add_about(&table, &about);
    }
    table_close(&table, text);
}

static void add_modality_table(const sonde_model *model, sonde_text *text) {
    static const char *const head[] = {"modality ", "outcomes", "depends on ",
                                       "A: not 0 ", "stored ",  "entropy, mean to most "};
    cli_table table = table_open(head, 6);
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        const sonde_table about = sonde_model_likelihood(model, m);
        add_name(&table, modality->name, m);
        table_add(&table, "%d", (int)modality->n_outcome);
        add_factors(&table, model, modality->n_factor, modality->factor);
        add_about(&table, &about);
    }
    table_close(&table, text);
}

/* What agents of the model can learn. */
static void add_learns(const sonde_model *model, sonde_text *text) {
    static const char letters[] = "ABCDE";
    const char *separator = "learns: ";
    for (int32_t letter = 0; letter < SONDE_N_LETTER; letter++) {
        for (int32_t i = 0; i < SONDE_FACTORS_MAX; i++) {
            int32_t n = 0;
            const int64_t n_column = sonde_model_counts(model, (sonde_letter)letter, i, NULL, &n);
            if (n_column > 0) {
                sonde_text_add(text, "%s%c", separator, letters[letter]);
                if (letter != SONDE_E) {
                    sonde_text_add(text, "[%d]", (int)i);
                }
                sonde_text_add(text, " (%lld counts)", (long long)n_column * n);
                separator = ", ";
            }
        }
    }
    sonde_text_add(text, separator[0] == ',' ? "\n" : "");
}

static void add_tables(sonde_text *text, const sonde_model *model) {
    sonde_text_add(text, "\n");
    add_factor_table(model, text);
    sonde_text_add(text, "\n");
    add_modality_table(model, text);
    sonde_text_add(text, "\n");
    add_learns(model, text);
}

static void policies(sonde_text *text, const sonde_model *model) {
    sonde_text_add(text, " (%s)", sonde_policy_kind_name((int32_t)model->policies));
}

static void states(sonde_text *text, const sonde_model *model) {
    sonde_text_add(text, ", for %.10g joint state%s", model->n_joint,
                   model->n_joint > 1.0 ? "s" : "");
    sonde_text_add(text, model->n_step_C > 1 ? "; preferences differ by step" : "");
}

const cli_showing showing_model = {
    .policy = "policy",
    .settle = settle,
    .line = line,
    .weights = weights,
    .origin = origin,
    .actions = actions,
    .episode = episode,
    .tables = add_tables,
    .policies = policies,
    .states = states,
};
