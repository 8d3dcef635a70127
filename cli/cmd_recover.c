/* cmd_recover.c: sonde recover simulates agents whose parameters are known, and fits them. Under
 * mpirun the subjects are spread over the ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "learning.h"
#include "ranks.h"
#include "rates.h"
#include "table.h"
#include "world.h"

static const char *optimiser_name(int32_t optimiser) {
    static const char *const name[] = {"bobyqa", "newton", NULL};
    return name[optimiser >= 0 && optimiser < 2 ? optimiser : 2];
}

static bool has_groups(const cli_arguments *args) {
    return args->groups != NULL;
}

static const cli_option task_options[] = {
    {OPTION("subjects", REALS, sizes, "N,...", "how many; several with --groups"), .setting = true,
     .minimum = 2},
    {OPTION("sessions", WHOLE, n_session, "N",
            "of each subject; counts start anew, and parameters may differ"),
     .setting = true, .minimum = 1, .maximum = 200},
    {OPTION("episodes", WHOLE, n_episode, "N", "of each session"), .setting = true, .minimum = 1},
    {OPTION("steps", WHOLE, n_step, "N", "of each episode"), .setting = true, .minimum = 1},
    {OPTION("timing", CHOICE, timing, "WHEN",
            "whether outcomes are seen before an action, or come of it"),
     .setting = true, .names = sonde_timing_name},
    {OPTION("process", TEXT, process, "MODEL",
            "the world, where it differs from the agent's model; it may have a schedule"),
     .reads = true},
    {OPTION("outcomes", TEXT, outcomes, "TABLE",
            "what comes of each action, by episode and step, instead of a world"),
     .reads = true},
    {OPTION("lapse", REAL, lapse, "P", "probability of an action that nobody chose"),
     .setting = true, .maximum = 1},
};
static const cli_option_group group_task = {"Task", OPTION_TABLE(task_options)};

static const cli_option fit_options[] = {
    {OPTION("free", TEXT, free, "NAME,...", "parameters with their usual priors"), .setting = true},
    {OPTION("parameters", WORDS, models, "FILE",
            "parameters with priors of their own, a JSON document; several are models that are "
            "told apart"),
     .reads = true, .setting = true},
    {OPTION("grid", FLAG, grid, NULL, "parameters lie on a grid of the prior's quantiles")},
    {OPTION("starts", WHOLE, n_start, "N", "places that a fit begins at"), .setting = true,
     .minimum = 1, .maximum = 10000},
    {OPTION("optimiser", CHOICE, optimiser, "WHICH",
            "NLopt's BOBYQA where it is installed, or the damped Newton's method alone"),
     .names = optimiser_name},
    {OPTION("groups", TEXT, groups, "NAME=X",
            "two groups, whose means of this parameter differ by X on the scale of the fit"),
     .setting = true},
    {OPTION("repeats", WHOLE, n_again, "N", "how often groups are drawn"), .setting = true,
     .minimum = 1, .maximum = 1000000, .counts = has_groups, .with = "--groups"},
    {OPTION(
        "db", TEXT, db, "FILE",
        "keep what is done in an SQLite file; the same command, or one that asks for more, goes "
        "on from there")},
};
static const cli_option_group group_recover = {"Recovery", OPTION_TABLE(fit_options)};

static const cli_option output_options[] = {
    {OPTION("json", FLAG, json, NULL, "print everything as one JSON document")},
    {OPTION("output", TEXT, output, "FILE", "write that document to a file"), .letter = 'o'},
    {OPTION("csv", TEXT, csv, "FILE", "write a table with a row for each subject and parameter")},
    {OPTION("svg", TEXT, svg, "FILE",
            "draw what was true against what was found, of the first model")},
};
static const cli_option_group group_output = {"Output", OPTION_TABLE(output_options)};

const cli_option_group *const recover_groups[] = {
    &group_task,    &group_recover, &group_learn, &group_rates, &group_action,
    &group_weights, &group_belief,  &group_world, &group_model, &group_seed,
    &group_output,  &group_run,     NULL};

typedef struct {
    cli_arguments *args;
    cli_session *session;
    cli_world world;
    cli_rates rates;
    sonde_replay_settings agent;
    sonde_experiment experiment;
    sonde_task *process;
    int32_t n_model;
    sonde_parameters **parameters; /* (n_model) */
    const char **name;             /* (n_model) */
    sonde_recover_settings settings;
    sonde_recovered *recovered; /* or NULL */
    int32_t size[REALS_MAX];
    sonde_power power[REALS_MAX];
    char parameter[64]; /* that groups differ in */
    double difference;
} recovery;

/* ------------------------------------------------------------------------------------- texts -- */

static void add_pair(sonde_text *json, const char *key, sonde_share share) {
    sonde_text_add(json, ", \"%s\": ", key);
    sonde_text_add_number(json, share.share);
    sonde_text_add(json, ", \"%s_interval\": [", key);
    sonde_text_add_number(json, share.low);
    sonde_text_add(json, ", ");
    sonde_text_add_number(json, share.high);
    sonde_text_add(json, "]");
}

/* What the command knows besides, at the end of a document. */
static void add_about(const recovery *r, const sonde_text *document, sonde_text *text) {
    const size_t end = document->size >= 2 ? document->size - 2 : 0; /* before the last brace */
    sonde_text_add(text, "%.*s,\n  \"timing\": \"%s\", \"command\": ", (int)end,
                   document->data ? document->data : "",
                   sonde_timing_name((int32_t)r->agent.timing));
    sonde_text_add_quoted(text, r->world.command.data ? r->world.command.data : "");
    sonde_text_add(text, "}\n");
    text->failed = text->failed || document->failed;
}

static void write_power_json(const recovery *r, sonde_text *text) {
    sonde_text_add(text,
                   "{\"format\": \"sonde-power\", \"version\": 1, \"sonde\": \"%s\",\n"
                   "  \"parameter\": ",
                   sonde_version());
    sonde_text_add_quoted(text, r->parameter);
    sonde_text_add(text, ", \"difference\": ");
    sonde_text_add_number(text, r->difference);
    sonde_text_add(text, ", \"repeats\": %d,\n  \"sizes\": [", (int)r->args->n_again);
    for (int32_t k = 0; k < r->args->sizes.n; k++) {
        const sonde_power *one = &r->power[k];
        sonde_text_add(text, "%s\n    {\"subjects\": %d", k > 0 ? "," : "", (int)one->n_subject);
        add_pair(text, "found", one->found);
        add_pair(text, "found_without", one->wrong);
        add_pair(text, "coverage", one->covers);
        sonde_text_add(text, ", \"beta\": ");
        sonde_text_add_number(text, one->beta);
        sonde_text_add(text, ", \"sd\": ");
        sonde_text_add_number(text, one->sd);
        sonde_text_add(text, "}");
    }
    sonde_text_add(text, "]}\n");
}

static sonde_status write_json(const void *about, sonde_text *text) {
    const recovery *r = about;
    sonde_text document = {0};
    if (r->recovered == NULL) {
        write_power_json(r, &document);
    } else {
        sonde_recovered_write(r->recovered, &document);
    }
    add_about(r, &document, text);
    sonde_text_free(&document);
    return SONDE_OK;
}

static sonde_status write_csv(const void *about, sonde_text *text) {
    const recovery *r = about;
    sonde_recovered_write_csv(r->recovered, text);
    return SONDE_OK;
}

static sonde_status write_svg(const void *about, sonde_text *text) {
    const recovery *r = about;
    sonde_draw_recovery(r->recovered, 0, text);
    return SONDE_OK;
}

/* Pairs of parameters that data cannot tell apart. */
static void add_confounds(const sonde_recovered_model *model, sonde_text *text) {
    const int32_t n = model->parameters->n;
    for (int32_t p = 0; p < n; p++) {
        for (int32_t q = p + 1; q < n; q++) {
            const double r = model->posterior[p * n + q];
            if (fabs(r) > 0.6) {
                sonde_text_add(text, "  %s and %s are hard to tell apart: %.2f in posteriors\n",
                               model->parameters->parameter[p].name,
                               model->parameters->parameter[q].name, r);
            }
        }
    }
}

static void add_model(const recovery *r, int32_t k, sonde_text *text) {
    static const char *const head[] = {"parameter ", "r",       "95 % interval",
                                       "bias",       "rmse",    "90 % coverage",
                                       "shrinkage",  "prior sd"};
    const sonde_recovered_model *model = &r->recovered->model[k];
    if (r->recovered->n_model > 1) {
        sonde_text_add(text, "\n%s\n", model->name);
    }
    sonde_text_add(text, "\n");
    cli_table table = table_open(head, sizeof head / sizeof *head);
    for (int32_t p = 0; p < model->parameters->n; p++) {
        const sonde_recovery *one = &model->recovery[p];
        table_add_text(&table, model->parameters->parameter[p].name);
        if (model->parameters->parameter[p].shared) {
            table_add_text(&table, "-");
            table_add_text(&table, "shared by all");
        } else if (isnan(one->r)) { /* all estimates are the same */
            table_add_text(&table, "-");
            table_add_text(&table, "-");
        } else {
            table_add(&table, "%.3f", one->r);
            table_add(&table, "%.2f to %.2f", one->r_low, one->r_high);
        }
        table_add_number(&table, one->bias);
        table_add_number(&table, one->rmse);
        table_add(&table, "%.3f", one->coverage);
        table_add(&table, "%.3f", one->shrinkage);
        table_add_number(&table, model->parameters->parameter[p].sd);
    }
    table_close(&table, text);
    sonde_text_add(text, "\n");
    add_confounds(model, text);
    if (model->n_weak > 0) {
        sonde_text_add(text,
                       "  the data of %d of %d subjects say nothing about some combination of "
                       "parameters\n",
                       (int)model->n_weak, (int)r->recovered->n_subject);
    }
    if (model->n_converged < r->recovered->n_subject) {
        sonde_text_add(text, "  %d fits did not converge\n",
                       (int)(r->recovered->n_subject - model->n_converged));
    }
}

static void add_confusion(const recovery *r, sonde_text *text) {
    enum { MOST = TABLE_COLUMN_MAX - 1 };
    const sonde_recovered *all = r->recovered;
    const char *head[TABLE_COLUMN_MAX] = {"true \\ found "};
    if (all->share == NULL || all->n_model > MOST) {
        return;
    }
    for (int32_t k = 0; k < all->n_model; k++) {
        head[k + 1] = all->model[k].name;
    }
    sonde_text_add(text, "\nSubjects whose best evidence is a model's, and in brackets its "
                         "protected exceedance probability:\n\n");
    cli_table table = table_open(head, all->n_model + 1);
    for (int32_t i = 0; i < all->n_model; i++) {
        table_add_text(&table, all->model[i].name);
        for (int32_t k = 0; k < all->n_model; k++) {
            const int32_t at = i * all->n_model + k;
            table_add(&table, "%.0f %% (%.2f)", 100.0 * all->share[at], all->is_protected[at]);
        }
    }
    table_close(&table, text);
}

static void add_power(const recovery *r, sonde_text *text) {
    static const char *const head[] = {"subjects",  "found",      "95 % interval", "found without",
                                       "mean beta", "sd of beta", "coverage"};
    sonde_text_add(
        text,
        "two groups that differ by %g in %s: repeats (of %d) whose 95 %% interval of the "
        "difference has 0 outside\n\n",
        r->difference, r->parameter, (int)r->args->n_again);
    cli_table table = table_open(head, sizeof head / sizeof *head);
    for (int32_t k = 0; k < r->args->sizes.n; k++) {
        const sonde_power *one = &r->power[k];
        table_add(&table, "%d", (int)one->n_subject);
        table_add(&table, "%.3f", one->found.share);
        table_add(&table, "%.2f to %.2f", one->found.low, one->found.high);
        table_add(&table, "%.3f", one->wrong.share);
        table_add_number(&table, one->beta);
        table_add_number(&table, one->sd);
        table_add(&table, "%.3f", one->covers.share);
    }
    table_close(&table, text);
}

static sonde_status write_text(const void *about, sonde_text *text) {
    const recovery *r = about;
    if (r->recovered == NULL) {
        add_power(r, text);
        return SONDE_OK;
    }
    sonde_text_add(text, "%d subjects", (int)r->recovered->n_subject);
    if (r->settings.n_session > 1) {
        sonde_text_add(text, " with %d sessions", (int)r->settings.n_session);
    }
    sonde_text_add(text, " of %d episode%s with %d step%s; on the scale of the fit\n",
                   (int)r->experiment.n_episode, r->experiment.n_episode == 1 ? "" : "s",
                   (int)r->experiment.n_step, r->experiment.n_step == 1 ? "" : "s");
    for (int32_t k = 0; k < r->n_model; k++) {
        add_model(r, k, text);
    }
    add_confusion(r, text);
    return SONDE_OK;
}

/* -------------------------------------------------------------------------------------- open -- */

static sonde_status read_parameters(recovery *r) {
    const cli_arguments *args = r->args;
    cli_session *session = r->session;
    if (!args->free == (args->models.n == 0)) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--free: expected the names of parameters, or --parameters and a file%s",
                    args->free ? ", and not both" : "");
    }
    r->n_model = args->free ? 1 : args->models.n;
    r->parameters = calloc((size_t)r->n_model, sizeof(void *));
    r->name = calloc((size_t)r->n_model, sizeof *r->name);
    if (!r->parameters || !r->name) {
        return fail(&session->error, SONDE_NO_MEMORY, "there is no memory for the parameters");
    }
    sonde_status status = SONDE_OK;
    for (int32_t k = 0; !status && k < r->n_model; k++) {
        const sonde_source source = {.origin = args->free ? NULL : args->models.word[k]};
        r->name[k] = args->free ? args->free : args->models.word[k];
        status = sonde_parameters_read(&source, args->free, r->world.model, &r->parameters[k],
                                       &session->error);
    }
    return status;
}

static sonde_status read_process(recovery *r) {
    const cli_arguments *args = r->args;
    cli_session *session = r->session;
    sonde_status status = SONDE_OK;
    if (args->process && args->outcomes) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--outcomes: takes the place of a world; leave --process out");
    }
    if (args->process) {
        status = sonde_task_read(args->process, &session->run, &r->process, &session->error);
    }
    if (args->outcomes) {
        status = sonde_task_outcomes(args->outcomes, r->world.model, &r->experiment,
                                     (sonde_timing)args->timing, &r->process, &session->error);
    }
    if (!status && r->process) {
        r->experiment.n_change = r->process->n_change;
        r->experiment.change = r->process->change;
        r->experiment.outcome = r->process->outcome;
    }
    return status;
}

/* "gamma=0.5", and numbers of subjects. */
static sonde_status read_groups(recovery *r) {
    const cli_arguments *args = r->args;
    sonde_error *error = &r->session->error;
    const char *equals = args->groups ? strrchr(args->groups, '=') : NULL;
    char *end = NULL;
    for (int32_t i = 0; i < args->sizes.n; i++) {
        if (args->sizes.value[i] != floor(args->sizes.value[i]) || args->sizes.value[i] > 1e6) {
            return fail(error, SONDE_BAD_ARGUMENT,
                        "--subjects: expected whole numbers up to 1000000, found %g",
                        args->sizes.value[i]);
        }
        r->size[i] = (int32_t)args->sizes.value[i];
    }
    if (!args->groups) {
        return args->sizes.n == 1 ? SONDE_OK
                                  : fail(error, SONDE_BAD_ARGUMENT,
                                         "--subjects: expected one number, since several go with "
                                         "--groups only, found %d",
                                         (int)args->sizes.n);
    }
    r->difference = equals ? strtod(equals + 1, &end) : 0.0;
    if (!equals || equals == args->groups || end == equals + 1 || *end != '\0' ||
        !isfinite(r->difference) || (size_t)(equals - args->groups) >= sizeof r->parameter) {
        return fail(error, SONDE_BAD_ARGUMENT,
                    "--groups: expected a parameter and a number such as gamma=0.5, found \"%s\"",
                    args->groups);
    }
    memcpy(r->parameter, args->groups, (size_t)(equals - args->groups));
    if (args->csv || args->svg) {
        return fail(error, SONDE_BAD_ARGUMENT, "--%s: tells nothing of groups; use --json",
                    args->csv ? "csv" : "svg");
    }
    return SONDE_OK;
}

static void settle(recovery *r) {
    cli_arguments *args = r->args;
    learning_settle(r->session->verb, args, args->n_step);
    r->agent = sonde_replay_defaults(r->world.model);
    r->agent.search = arguments_search(args);
    r->agent.learns = args->learns;
    r->agent.learn = args->learn;
    r->agent.timing = (sonde_timing)args->timing;
    r->agent.lapse = args->lapse;
    r->experiment = (sonde_experiment){
        .seed = args->search.seed, .n_episode = args->n_episode, .n_step = args->n_step};
}

static sonde_status run(recovery *r) {
    const cli_arguments *args = r->args;
    cli_session *session = r->session;
    const sonde_fit_ranks ranks = {.rank = mpi_rank(), .n_rank = mpi_ranks(), .gather = mpi_gather};
    r->settings = (sonde_recover_settings){
        .agent = &r->agent,
        .experiment = &r->experiment,
        .n_model = r->n_model,
        .parameters = (const sonde_parameters *const *)r->parameters,
        .model = r->name,
        .n_subject = r->size[0],
        .grid = args->grid,
        .fit = sonde_fit_defaults(),
    };
    r->settings.fit.n_start = args->n_start;
    r->settings.fit.seed = args->search.seed;
    r->settings.fit.newton = args->optimiser == 1;
    r->settings.fit.store = args->db;
    r->settings.fit.ranks = ranks.n_rank > 1 ? &ranks : NULL;
    r->settings.n_session = args->n_session;
    session->show_progress = session->show_progress && mpi_rank() == 0;
    if (!args->groups) {
        return sonde_recover(&r->settings, &session->run, &r->recovered, &session->error);
    }
    const sonde_power_settings asked = {.parameter = r->parameter,
                                        .difference = r->difference,
                                        .n_size = args->sizes.n,
                                        .size = r->size,
                                        .n_repeat = args->n_again};
    return sonde_recover_power(&r->settings, &asked, &session->run, r->power, &session->error);
}

sonde_status cmd_recover(cli_arguments *args, cli_session *session) {
    enum { N_OUTPUT = 4 };
    const cli_output output[N_OUTPUT] = {{args->output, write_json},
                                         {args->csv, write_csv},
                                         {args->svg, write_svg},
                                         {args->json ? "-" : NULL, write_json}};
    recovery r = {.args = args, .session = session};
    sonde_status status = mpi_open(&session->error);
    if (!status) {
        status = session_check(session, output, N_OUTPUT);
    }
    if (!status) {
        status = read_groups(&r);
    }
    if (!status) {
        status = world_open(args, session, &r.world);
    }
    if (!status && args->learns) {
        status = rates_open(args, r.world.model, &r.rates, &session->error);
    }
    if (!status) {
        settle(&r);
        status = read_parameters(&r);
    }
    if (!status) {
        status = read_process(&r);
    }
    if (!status) {
        status = run(&r);
    }
    if (!status && mpi_rank() == 0) {
        status = session_put(session, output, N_OUTPUT, write_text, &r);
    }
    sonde_recovered_free(r.recovered);
    for (int32_t k = 0; r.parameters && k < r.n_model; k++) {
        sonde_parameters_free(r.parameters[k]);
    }
    free(r.parameters);
    free(r.name);
    sonde_task_free(r.process);
    rates_close(&r.rates);
    world_close(&r.world);
    mpi_close(status);
    return status;
}
