/* cmd_model.c: sonde model checks a model, describes it, and writes it as a document. */
#include "cmd.h"
#include "reduce.h"

static bool makes(const cli_arguments *args) {
    return args->make.make >= 0;
}

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

static bool reduces(const cli_arguments *args) {
    return args->reduce != NULL;
}

static const cli_option reduce_options[] = {
    {OPTION("reduce", TEXT, reduce, "PRIOR",
            "what the counts of the model say of those that learning began with, a model, too: "
            "which of its entries are asked for"),
     .reads = true, .kinds = SONDE_KIND_GENERAL},
    {OPTION("reduced", TEXT, reduced, "MODEL",
            "and whether it would better have begun with the counts of this one"),
     .reads = true, .kinds = SONDE_KIND_GENERAL, .counts = reduces, .with = "--reduce"},
};
static const cli_option_group group_reduce = {"Model reduction", OPTION_TABLE(reduce_options)};

static const cli_option make_options[] = {
    {OPTION("make", CHOICE, make.make, "MODEL", "make a model that is known"), .setting = true,
     .names = sonde_make_name},
    {OPTION("size", WHOLE, make.size, "N", "cells on a side: grid, frozenlake, rocksample"),
     .setting = true, .minimum = 2, .counts = makes, .with = "--make"},
    {OPTION("rocks", WHOLE, make.n_rock, "K", "rocks of rocksample"), .setting = true, .minimum = 1,
     .counts = makes, .with = "--make"},
    {OPTION("illegal", CHOICE, make.illegal, "HOW",
            "rocksample: what leaving the grid or sampling nothing does, beside its cost"),
     .setting = true, .names = sonde_illegal_name, .counts = makes, .with = "--make"},
    {OPTION("form", CHOICE, make.form, "HOW", "frozenlake: rewards, or preferences"),
     .setting = true, .names = sonde_form_name, .counts = makes, .with = "--make"},
    {OPTION("valid", REAL, make.valid, "P", "t-maze: how often cue and reward tell the truth"),
     .setting = true, .maximum = 1, .counts = makes, .with = "--make"},
    {OPTION("slip", REAL, make.slip, "P", "grid: how often a move fails"), .setting = true,
     .maximum = 1, .counts = makes, .with = "--make"},
    {OPTION("noise", REAL, make.noise, "P", "grid: how often another cell is seen"),
     .setting = true, .maximum = 1, .counts = makes, .with = "--make"},
};
static const cli_option_group group_make = {"Making", OPTION_TABLE(make_options)};

static const cli_option output_options[] = {
    {OPTION("json", FLAG, json, NULL, "print the description as one JSON document")},
    {OPTION("output", TEXT, output, "FILE",
            "write the model to a file (- is standard output), a graph world as one, too"),
     .letter = 'o'},
};
static const cli_option_group group_output = {"Output", OPTION_TABLE(output_options)};

const cli_option_group *const model_groups[] = {&group_make,   &group_world, &group_instead,
                                                &group_reduce, &group_seed,  &group_output,
                                                &group_run,    NULL};

/* what is described */
typedef struct {
    const cli_arguments *args;
    cli_session *session;
    cli_world world;
    reduction reduction; /* where one is asked for */
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

/* ------------------------------------------------------------------------------- reduction -- */

static sonde_status write_reduced_json(const void *about, sonde_text *text) {
    const reduction *r = &((const description *)about)->reduction;
    sonde_text_add(text,
                   "{\"sonde\": \"%s\", \"verb\": \"model\",\n  \"sign\": \"evidence below 0: the "
                   "reduced prior is better\",\n  \"arrays\": [%s]",
                   sonde_version(), r->json.data);
    if (r->reduced != NULL) {
        sonde_text_add(text, ",\n  \"evidence\": ");
        sonde_text_add_number(text, r->sum);
    }
    sonde_text_add(text, "}\n");
    return SONDE_OK;
}

static sonde_status write_reduced_text(const void *about, sonde_text *text) {
    const reduction *r = &((const description *)about)->reduction;
    sonde_text_add(text, "%s\n\n%s",
                   r->reduced ? "log evidence of the prior against the reduced one, in nats"
                              : "entries of the prior that the counts ask for",
                   r->text.data);
    if (r->reduced != NULL) {
        sonde_text_add(text, "\n  all    %12.6f\n", r->sum);
    }
    return SONDE_OK;
}

/* Reads the priors, and says what the model's counts say of them. */
static sonde_status reduce(description *d, const cli_output *output, int32_t n_output) {
    reduction *r = &d->reduction;
    sonde_model *prior = NULL, *reduced = NULL;
    sonde_error *error = &d->session->error;
    const sonde_run *run = &d->session->run;
    r->posterior = d->world.model;
    sonde_status status =
        sonde_model_read(&(sonde_source){.origin = d->args->reduce}, NULL, run, &prior, error);
    if (!status && d->args->reduced != NULL) {
        status = sonde_model_read(&(sonde_source){.origin = d->args->reduced}, NULL, run, &reduced,
                                  error);
    }
    if (!status) {
        r->prior = prior;
        r->reduced = reduced;
        status = reduction_make(r, error);
    }
    if (!status && (r->json.failed || r->text.failed)) {
        status = fail(error, SONDE_NO_MEMORY, "there is no memory for the results");
    }
    if (!status) {
        status = session_put(d->session, output, n_output, write_reduced_text, d);
    }
    piece_free(&r->json);
    piece_free(&r->text);
    sonde_model_free(prior);
    sonde_model_free(reduced);
    return status;
}

/* ------------------------------------------------------------------------------------ verb -- */

/* A model is made or read, not both. */
static sonde_status check(const cli_arguments *args, cli_session *session) {
    if (!args->file && !makes(args)) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "expected a model, or --make to make one that is known");
    }
    if (args->file && makes(args)) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--make: makes a model, but \"%s\" is one to read; leave one of them out",
                    args->file);
    }
    return SONDE_OK;
}

sonde_status cmd_model(cli_arguments *args, cli_session *session) {
    enum { N_OUTPUT = 2 };
    const cli_output output[N_OUTPUT] = {
        {args->output, write_model},
        {args->json ? "-" : NULL, args->reduce ? write_reduced_json : write_json}};
    description d = {.args = args, .session = session};
    sonde_status status = check(args, session);
    if (!status) {
        status = session_check(session, output, N_OUTPUT);
    }
    if (!status) {
        status = world_open(args, session, &d.world);
    }
    if (!status) {
        status = args->reduce ? reduce(&d, output, N_OUTPUT)
                              : session_put(session, output, N_OUTPUT, write_text, &d);
    }
    world_close(&d.world);
    return status;
}
