/* cmd_model.c: sonde model checks a model, describes it, and writes it as a document. */
#include "cmd.h"
#include "table.h"
#include "world.h"

static const cli_option model_options[] = {
    {.name = "gamma",
     .kind = OPTION_REAL,
     .at = offsetof(cli_arguments, search.gamma),
     .setting = true,
     .value = "X",
     .help = "precision of the posterior, Q proportional to exp(-gamma G)"},
    {.name = "preferences",
     .kind = OPTION_CHOICE,
     .at = offsetof(cli_arguments, preferences),
     .setting = true,
     .names = sonde_preferences_name,
     .value = "HOW",
     .help = "how C is read: softmax(C), C / sum, or C as it is"},
    {.name = "information",
     .kind = OPTION_CHOICE,
     .at = offsetof(cli_arguments, information),
     .setting = true,
     .names = sonde_information_name,
     .value = "HOW",
     .help = "risk of each modality's outcomes, or of all jointly"},
};
static const cli_option_group group_instead = {"Model (instead of what the file says)",
                                               OPTION_TABLE(model_options)};

static const cli_option output_options[] = {
    {.name = "json",
     .kind = OPTION_FLAG,
     .at = offsetof(cli_arguments, json),
     .help = "print the description as one JSON document"},
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .at = offsetof(cli_arguments, output),
     .value = "FILE",
     .help = "write the model to a file (- is standard output), a graph world as one, too"},
};
static const cli_option_group group_output = {"Output", OPTION_TABLE(output_options)};

const cli_option_group *const model_groups[] = {&group_world,  &group_instead, &group_seed,
                                                &group_output, &group_run,     NULL};

/* what is described */
typedef struct {
    const cli_arguments *args;
    cli_session *session;
    cli_world world;
} description;

/* ------------------------------------------------------------------------------- documents -- */

static sonde_status write_model(const void *about, sonde_text *text) {
    const description *d = about;
    sonde_error error = {0};
    const sonde_status status = sonde_model_write(d->world.model, text, &error);
    return status ? fail(&d->session->error, status,
                         "--output: %s; or leave it as it is, every verb takes it so", error.text)
                  : status;
}

static sonde_status write_json(const void *about, sonde_text *text) {
    const description *d = about;
    sonde_document_model(d->world.model, d->world.policies, d->world.command.data, text);
    return SONDE_OK;
}

/* ------------------------------------------------------------------------------------ text -- */

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
    sonde_text_free(&names);
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

static void add_tables(const description *d, sonde_text *text) {
    const sonde_model *model = d->world.model;
    if (model->graph) {
        sonde_text_add(text,
                       "as a model: %d states and outcomes (edges), %d actions (pairs of them); A "
                       "is the identity, B is certain, neither is stored\n",
                       (int)model->n_state, (int)model->n_action);
        return;
    }
    sonde_text_add(text, "\n");
    add_factor_table(model, text);
    sonde_text_add(text, "\n");
    add_modality_table(model, text);
    sonde_text_add(text, "\n");
}

static void add_policies(const description *d, sonde_text *text) {
    const sonde_model *model = d->world.model;
    add_policies_line(text, &d->world);
    if (!model->graph) {
        sonde_text_add(text, " (%s)", sonde_policy_kind_name((int32_t)model->policies));
    }
    sonde_text_add(text, "\n");
}

static void add_size_line(const description *d, sonde_text *text) {
    const sonde_model *model = d->world.model;
    sonde_text_add(text, "a belief has %d number%s", (int)model->n_belief,
                   model->n_belief == 1 ? "" : "s");
    if (!model->graph) {
        sonde_text_add(text, ", for %.10g joint state%s", model->n_joint,
                       model->n_joint > 1.0 ? "s" : "");
        if (model->n_step_C > 1) {
            sonde_text_add(text, "; preferences differ by step");
        }
    }
    const double bytes = (double)model->bytes;
    sonde_text_add(text, "; gamma %g; the model takes %.3g %s\n", model->gamma,
                   bytes < 1e6 ? bytes / 1e3 : bytes / 1e6, bytes < 1e6 ? "kB" : "MB");
}

static sonde_status write_text(const void *about, sonde_text *text) {
    const description *d = about;
    add_world_line(text, &d->world);
    add_tables(d, text);
    add_policies(d, text);
    add_size_line(d, text);
    add_again(text, d->args, &d->world);
    return SONDE_OK;
}

/* ------------------------------------------------------------------------------------ verb -- */

sonde_status cmd_model(cli_arguments *args, cli_session *session) {
    enum { N_OUTPUT = 2 };
    const cli_output output[N_OUTPUT] = {{args->output, write_model},
                                         {args->json ? "-" : NULL, write_json}};
    description d = {.args = args, .session = session};
    sonde_status status = session_check(session, output, N_OUTPUT);
    if (!status) {
        status = world_open(args, session, &d.world);
    }
    if (!status) {
        status = session_put(session, output, N_OUTPUT, write_text, &d);
    }
    world_close(&d.world);
    return status;
}
