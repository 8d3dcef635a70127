/* cmd_model.c: sonde model checks a model, describes it, and writes it as a document. */
#include "cmd.h"
#include "world.h"

static const cli_option model_options[] = {
    {OPTION("gamma", REAL, search.gamma, "X",
            "precision of the posterior, Q proportional to exp(-gamma G)"),
     .setting = true},
    {OPTION("preferences", CHOICE, preferences, "HOW",
            "how C is read: softmax(C), C / sum, or C as it is"),
     .setting = true, .names = sonde_preferences_name},
    {OPTION("information", CHOICE, information, "HOW",
            "risk of each modality's outcomes, or of all jointly"),
     .setting = true, .names = sonde_information_name},
};
static const cli_option_group group_instead = {"Model (instead of what the file says)",
                                               OPTION_TABLE(model_options)};

static const cli_option output_options[] = {
    {OPTION("json", FLAG, json, NULL, "print the description as one JSON document")},
    {OPTION("output", TEXT, output, "FILE",
            "write the model to a file (- is standard output), a graph world as one, too"),
     .letter = 'o'},
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

static sonde_status write_text(const void *about, sonde_text *text) {
    const description *d = about;
    const cli_world *world = &d->world;
    const sonde_model *model = world->model;
    const double bytes = (double)model->bytes;
    add_world_line(text, world);
    world->show->tables(text, model);
    add_policies_line(text, world);
    world->show->policies(text, model);
    sonde_text_add(text, "\na belief has %d number%s", (int)model->n_belief,
                   model->n_belief == 1 ? "" : "s");
    world->show->states(text, model);
    sonde_text_add(text, "; gamma %g; the model takes %.3g %s\n", model->gamma,
                   bytes < 1e6 ? bytes / 1e3 : bytes / 1e6, bytes < 1e6 ? "kB" : "MB");
    add_again(text, d->args, world);
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
