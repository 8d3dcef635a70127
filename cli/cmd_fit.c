/* cmd_fit.c: sonde fit finds the parameters that make what people did most probable. Under mpirun
 * the subjects are spread over the ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "follow.h"
#include "learning.h"
#include "cmd.h"
#include "ranks.h"
#include "rates.h"
#include "spm_table.h"
#include "table.h"

static const char *group_name(int32_t group) {
    static const char *const name[] = {"none", "eb", NULL};
    return name[group >= 0 && group < 2 ? group : 2];
}

static const char *optimiser_name(int32_t optimiser) {
    static const char *const name[] = {"bobyqa", "newton", NULL};
    return name[optimiser >= 0 && optimiser < 2 ? optimiser : 2];
}

static bool has_group(const cli_arguments *args) {
    return args->group == 1;
}

static const cli_option fit_options[] = {
    {OPTION("free", TEXT, free, "NAME,...",
            "parameters with their usual priors: gamma,eta_A,C[reward][win]; docs/fitting.md names "
            "all"),
     .setting = true},
    {OPTION("parameters", TEXT, parameters, "FILE",
            "parameters with transforms and priors of their own, a JSON document"),
     .reads = true, .setting = true},
    {OPTION("starts", WHOLE, n_start, "N",
            "places to begin at: the prior's mean, then draws from the prior"),
     .setting = true, .minimum = 1, .maximum = 10000},
    {OPTION("group", CHOICE, group, "HOW",
            "whether subjects are draws from a group, found by empirical Bayes"),
     .setting = true, .names = group_name},
    {OPTION("covariates", TEXT, covariates, "FILE",
            "what is known of subjects besides: a table with a column subject, and one for each"),
     .reads = true, .setting = true, .counts = has_group, .with = "--group eb"},
    {OPTION("train", TEXT, train, "COLUMN=X,...", "rows that are fitted; the others move beliefs"),
     .setting = true},
    {OPTION("test", TEXT, test, "COLUMN=X,...",
            "rows that are held out, whose log-likelihood is told"),
     .setting = true},
    {OPTION("optimiser", CHOICE, optimiser, "WHICH",
            "NLopt's BOBYQA where it is installed, or the damped Newton's method alone"),
     .names = optimiser_name},
    {OPTION("name", TEXT, name, "NAME", "what results call the model (default: its file)")},
    {OPTION("db", TEXT, db, "FILE",
            "keep what is done in an SQLite file; the same command goes on from there")},
};
static const cli_option_group group_fit = {"Fit", OPTION_TABLE(fit_options)};

static const char *scheme_name(int32_t scheme) {
    return scheme == 0 ? "spm" : NULL;
}

static const cli_option scheme_options[] = {
    {OPTION("scheme", CHOICE, scheme, "NAME",
            "another theory of the agent: spm, where every file has the trials of one subject, or "
            "one file the model and another a table"),
     .names = scheme_name},
};
static const cli_option_group group_scheme = {"Agent", OPTION_TABLE(scheme_options)};

static const cli_option output_options[] = {
    {OPTION("json", FLAG, json, NULL, "print everything as one JSON document")},
    {OPTION("output", TEXT, output, "FILE", "write that document to a file, for sonde compare"),
     .letter = 'o'},
    {OPTION("csv", TEXT, csv, "FILE", "write a table with a row for each subject")},
    {OPTION("posterior", WHOLE, n_posterior, "N",
            "draws from every subject's posterior, by the Laplace approximation, in the document"),
     .maximum = 1000000},
    {OPTION("posterior-csv", TEXT, posterior_csv, "FILE",
            "write a table with a row for each of them (1000 unless --posterior says how many)")},
};
static const cli_option_group group_output = {"Output", OPTION_TABLE(output_options)};

const cli_option_group *const fit_groups[] = {
    &group_data,    &group_fit,    &group_learn, &group_rates, &group_action,
    &group_weights, &group_belief, &group_world, &group_model, &group_scheme,
    &group_seed,    &group_output, &group_run,   NULL};

const char *const fit_in_scheme[] = {
    "data",      "map",           "base",     "free",  "parameters", "starts",
    "group",     "covariates",    "seed",     "name",  "db",         "optimiser",
    "scheme",    "json",          "output",   "csv",   "threads",    "memory",
    "posterior", "posterior-csv", "progress", "quiet", NULL};

typedef struct {
    cli_follow follow;
    sonde_parameters *parameters;
    bool *train; /* (n_row) or NULL */
    bool *test;  /* (n_row) or NULL */
    sonde_fit *fit;
    const char *command; /* the command that makes it again */
    sonde_text own;      /* where that is, without a model */
    int32_t n_spm;
    sonde_spm **spm;   /* (n_spm) documents of SPM's scheme */
    const char **file; /* (n_spm) where they are from, or who they are of */
    spm_table people;  /* where they are of a table */
} fitting;

/* ----------------------------------------------------------------------------------- results -- */

/* The file of the model, without folder and ending. */
static void add_model_name(const cli_arguments *args, sonde_text *json) {
    sonde_text name = {0};
    if (args->name) {
        sonde_text_add(&name, "%s", args->name);
    } else {
        const char *slash = strrchr(args->file, '/');
        const char *from = slash ? slash + 1 : args->file;
        sonde_text_add(&name, "%.*s", (int)strcspn(from, "."), from);
    }
    sonde_text_add_quoted(json, name.data ? name.data : "");
    piece_free(&name);
}

/* Draws of a subject (n_draw, n_slot), on the parameters' own scale; NULL: no memory. */
static double *draw_subject(const fitting *f, int32_t subject, int32_t n_draw) {
    const sonde_fitted *one = &f->fit->subject[subject];
    const size_t n = (size_t)n_draw * (size_t)one->n_slot;
    double *theta = calloc(n + 1, sizeof *theta);
    if (theta &&
        sonde_fit_posterior(f->fit, subject, f->follow.args->search.seed, n_draw, theta, NULL)) {
        free(theta);
        return NULL;
    }
    for (size_t i = 0; theta && i < n; i++) {
        const sonde_parameter *of =
            &f->fit->parameters->parameter[one->parameter[i % (size_t)one->n_slot]];
        theta[i] = sonde_transform_out(of->transform, theta[i]);
    }
    return theta;
}

/* "posterior": [{"subject": "s1", "gamma": [...], ...}, ...] */
static sonde_status add_posterior(const fitting *f, sonde_text *json) {
    const int32_t n_draw = f->follow.args->n_posterior;
    if (n_draw == 0) {
        return SONDE_OK;
    }
    sonde_text_add(json, ",\n  \"posterior\": [");
    for (int32_t s = 0; s < f->fit->n_subject; s++) {
        const sonde_fitted *one = &f->fit->subject[s];
        double *draw = draw_subject(f, s, n_draw);
        if (!draw) {
            return SONDE_NO_MEMORY;
        }
        sonde_text_add(json, "%s\n    {\"subject\": ", s > 0 ? "," : "");
        sonde_text_add_quoted(json, one->subject);
        sonde_text_add(json, ", \"values\": {");
        for (int32_t i = 0; i < one->n_slot; i++) {
            sonde_text_add(json, i > 0 ? ", " : "");
            sonde_text_add_quoted(json, one->name[i]);
            for (int32_t k = 0; k < n_draw; k++) {
                sonde_text_add(json, k > 0 ? ", " : ": [");
                sonde_text_add_number(json, draw[(int64_t)k * one->n_slot + i]);
            }
            sonde_text_add(json, "]");
        }
        sonde_text_add(json, "}}");
        free(draw);
    }
    sonde_text_add(json, "]");
    return SONDE_OK;
}

/* subject,draw,parameter,value */
static sonde_status write_posterior(const void *about, sonde_text *text) {
    const fitting *f = about;
    const int32_t n_asked = f->follow.args->n_posterior;
    const int32_t n_draw = n_asked > 0 ? n_asked : 1000;
    sonde_text_add(text, "subject,draw,parameter,value\n");
    for (int32_t s = 0; s < f->fit->n_subject; s++) {
        const sonde_fitted *one = &f->fit->subject[s];
        double *draw = draw_subject(f, s, n_draw);
        if (!draw) {
            return SONDE_NO_MEMORY;
        }
        for (int64_t i = 0; i < (int64_t)n_draw * one->n_slot; i++) {
            piece_add_cell(text, one->subject, false);
            sonde_text_add(text, ",%d,", (int)(i / one->n_slot));
            piece_add_cell(text, one->name[i % one->n_slot], false);
            sonde_text_add(text, ",");
            sonde_text_add_number(text, draw[i]);
            sonde_text_add(text, "\n");
        }
        free(draw);
    }
    return SONDE_OK;
}

static sonde_status write_json(const void *about, sonde_text *text) {
    const fitting *f = about;
    const cli_arguments *args = f->follow.args;
    sonde_text pairs = {0};
    sonde_text_add(&pairs, "\"verb\": \"fit\", \"name\": ");
    add_model_name(args, &pairs);
    sonde_text_add(&pairs, ", \"command\": ");
    sonde_text_add_quoted(&pairs, f->command);
    if (f->n_spm > 0) {
        sonde_text_add(&pairs, ", \"scheme\": \"spm\"");
    }
    sonde_text_add(&pairs, ",\n  \"timing\": \"%s\", \"learn\": ",
                   sonde_timing_name((int32_t)f->follow.settings.timing));
    if (args->learns) {
        sonde_learn_write(&args->learn, f->follow.world.model, &pairs);
    } else {
        sonde_text_add(&pairs, "null");
    }
    sonde_text_add(&pairs, ",\n  \"starts\": %d, \"seed\": %llu", (int)args->n_start,
                   (unsigned long long)args->search.seed);
    const sonde_status status = add_posterior(f, &pairs);
    sonde_fit_write(f->fit, pairs.data, text);
    text->failed = text->failed || pairs.failed;
    piece_free(&pairs);
    return status;
}

static sonde_status write_csv(const void *about, sonde_text *text) {
    const fitting *f = about;
    sonde_fit_write_csv(f->fit, text);
    return SONDE_OK;
}

/* "1.23 [0.98, 1.51]" */
static void add_estimate(cli_table *table, const sonde_fitted *one, int32_t i) {
    if (isnan(one->sd[i])) {
        table_add(table, "%.3g", one->value[i]);
    } else {
        table_add(table, "%.3g [%.3g, %.3g]", one->value[i], one->low[i], one->high[i]);
    }
}

static void add_subjects(const sonde_fit *fit, sonde_text *text) {
    enum { N_BEFORE = 4, MOST = TABLE_COLUMN_MAX - N_BEFORE };
    const char *head[TABLE_COLUMN_MAX] = {"subject ", "n", "log-likelihood", "evidence"};
    int32_t n = 0;
    for (int32_t s = 0; s < fit->n_subject; s++) {
        n = fit->subject[s].n_slot > n ? fit->subject[s].n_slot : n;
    }
    const int32_t n_shown = n < MOST ? n : MOST;
    for (int32_t i = 0; i < n_shown; i++) {
        head[N_BEFORE + i] = i < fit->subject[0].n_slot ? fit->subject[0].name[i] : "";
    }
    cli_table table = table_open(head, N_BEFORE + n_shown);
    for (int32_t s = 0; s < fit->n_subject; s++) {
        const sonde_fitted *one = &fit->subject[s];
        sonde_text shown = {0};
        sonde_text_add_shown(&shown, one->subject);
        table_add_text(&table, shown.data ? shown.data : "");
        table_add(&table, "%d", (int)one->n);
        table_add(&table, "%.4f", one->log_likelihood);
        table_add(&table, "%.4f%s", one->evidence, one->converged ? "" : " *");
        for (int32_t i = 0; i < n_shown; i++) {
            if (i < one->n_slot) {
                add_estimate(&table, one, i);
            } else {
                table_add(&table, "-");
            }
        }
        piece_free(&shown);
    }
    table_close(&table, text);
    if (n_shown < n) {
        sonde_text_add(text, "  ... and %d more parameters, see --json or --csv\n",
                       (int)(n - n_shown));
    }
}

/* Whether some direction that data say nothing about is one parameter more than all others. */
static bool is_mostly(const sonde_fitted *one, int32_t parameter) {
    for (int32_t d = 0; d < one->n_weak; d++) {
        double share = 0.0;
        for (int32_t k = 0; k < one->n_slot; k++) {
            const double w = one->weak[d].weight[k];
            share += one->parameter[k] == parameter ? w * w : 0.0;
        }
        if (share > 0.5) {
            return true;
        }
    }
    return false;
}

/* How many subjects the data say nothing about in some direction, and what that mostly is. */
static void add_weak(const sonde_fit *fit, sonde_text *text) {
    int32_t n_weak = 0;
    int32_t n_failed = 0;
    for (int32_t s = 0; s < fit->n_subject; s++) {
        n_weak += fit->subject[s].n_weak > 0;
        n_failed += !fit->subject[s].converged;
    }
    if (n_weak > 0) {
        sonde_text_add(text, "\nThe data of %d subject%s say nothing about some direction",
                       (int)n_weak, n_weak == 1 ? "" : "s");
        const char *comma = " (mostly ";
        for (int32_t p = 0; p < fit->parameters->n; p++) {
            int32_t n = 0;
            for (int32_t s = 0; s < fit->n_subject; s++) {
                n += is_mostly(&fit->subject[s], p);
            }
            if (n > 0) {
                sonde_text_add(text, "%s%s: %d", comma, fit->parameters->parameter[p].name, (int)n);
                comma = ", ";
            }
        }
        sonde_text_add(text, "%s: what is told of it is the %s (weak in --json).\n",
                       *comma == ',' ? ")" : "", fit->group != NULL ? "group's" : "prior");
    }
    if (n_failed > 0) {
        sonde_text_add(text, "\n* no top was found, or the posterior is flat there: %d subject%s\n",
                       (int)n_failed, n_failed == 1 ? "" : "s");
    }
}

static void add_group(const sonde_fit_group *group, sonde_text *text) {
    static const char *const head[] = {"parameter ", "column ",       "beta", "se",
                                       "z",          "95 % interval", "sd"};
    if (!group) {
        return;
    }
    sonde_text_add(text, "\nThe group of %d subjects, on the transformed scale (%d rounds%s):\n\n",
                   (int)group->n_subject, (int)group->n_round,
                   group->converged ? "" : ", and it still moves");
    cli_table table = table_open(head, 7);
    for (int32_t p = 0; p < group->n; p++) {
        for (int32_t c = 0; c < group->n_column; c++) {
            const int64_t at = (int64_t)p * group->n_column + c;
            table_add_text(&table, c == 0 ? group->name[p] : "");
            table_add_text(&table, group->column[c]);
            table_add_number(&table, group->beta[at]);
            table_add_number(&table, group->se[at]);
            table_add(&table, "%.2f", group->z[at]);
            table_add(&table, "%.3f to %.3f", group->low[at], group->high[at]);
            if (c == 0) {
                table_add_number(&table, group->sd[p]);
            } else {
                table_add_text(&table, "");
            }
        }
    }
    table_close(&table, text);
    sonde_text_add(text, "\nevidence of the group %.4f", group->evidence);
    for (int32_t c = 0; c < group->n_covariate; c++) {
        sonde_text_add(text, "; %s adds %.3f nats", group->covariate[c], group->effect[c]);
    }
    sonde_text_add(text, "\n");
}

static sonde_status write_text(const void *about, sonde_text *text) {
    const fitting *f = about;
    const sonde_fit *fit = f->fit;
    const int32_t n_row = f->n_spm > 0 ? (int32_t)fit->n : f->follow.data->n_row;
    if (f->n_spm > 0) {
        sonde_text_add(text, "SPM's scheme; the evidence is that of our Laplace, not F of "
                             "spm_nlsi_Newton\n");
    } else {
        add_world_line(text, &f->follow.world);
    }
    sonde_text_add(text, "%d row%s of %d subject%s", (int)n_row, n_row == 1 ? "" : "s",
                   (int)fit->n_subject, fit->n_subject == 1 ? "" : "s");
    if (f->n_spm == 0) {
        sonde_text_add(text, ", outcomes %s actions%s",
                       sonde_timing_name((int32_t)f->follow.settings.timing),
                       f->follow.settings.learns ? "; the agent learns" : "");
    }
    sonde_text_add(text, "; MAP and Laplace, %s, %d start%s\n\n",
                   strcmp(fit->optimiser, "newton") == 0 ? "damped Newton" : "NLopt's BOBYQA",
                   (int)f->follow.args->n_start, f->follow.args->n_start == 1 ? "" : "s");
    add_subjects(fit, text);
    sonde_text_add(text, "\nlog-likelihood %.4f, evidence %.4f, AIC %.4f, BIC %.4f",
                   fit->log_likelihood, fit->evidence, fit->aic, fit->bic);
    if (!isnan(fit->held_out)) {
        sonde_text_add(text, ", held out %.4f", fit->held_out);
    }
    sonde_text_add(text, "\n");
    for (int32_t k = 0; k < fit->n_shared; k++) {
        sonde_text_add(text, "shared: %s %.6g, sd %.3g on the transformed scale\n",
                       fit->parameters->parameter[fit->shared[k]].name, fit->shared_map[k],
                       fit->shared_sd[k]);
    }
    add_weak(fit, text);
    add_group(fit->group, text);
    sonde_text_add(text, "\nvalues with 90 %% intervals; seed %llu; sonde %s\nagain: %s\n",
                   (unsigned long long)f->follow.args->search.seed, sonde_version(), f->command);
    return SONDE_OK;
}

/* ------------------------------------------------------------------------------------- verb -- */

/* Whether a cell is one of those in a list with commas. */
static bool is_listed(const char *list, const char *cell) {
    const size_t length = strlen(cell);
    while (*list) {
        const size_t word = strcspn(list, ",");
        if (word == length && !strncmp(list, cell, length)) {
            return true;
        }
        list += word + (list[word] == ',');
    }
    return false;
}

/* Rows that --train or --test names: session=1,2. */
static sonde_status choose_rows(const fitting *f, const char *option, const char *words,
                                bool **rows) {
    const sonde_data *data = f->follow.data;
    sonde_error *error = &f->follow.session->error;
    const char *equals = strchr(words, '=');
    char column[128];
    if (!equals || equals == words || (size_t)(equals - words) >= sizeof column) {
        return fail(error, SONDE_BAD_ARGUMENT, "--%s: expected COLUMN=X,..., found \"%s\"", option,
                    words);
    }
    memcpy(column, words, (size_t)(equals - words));
    column[equals - words] = '\0';
    const int32_t c = sonde_data_column(data, column);
    if (c < 0) {
        return fail(error, SONDE_BAD_INPUT, "%s: --%s: there is no column \"%s\"", data->origin,
                    option, column);
    }
    *rows = calloc((size_t)data->n_row, sizeof **rows);
    if (!*rows) {
        return SONDE_NO_MEMORY;
    }
    int32_t n = 0;
    for (int32_t row = 0; row < data->n_row; row++) {
        const char *cell = data->cell[(int64_t)row * data->n_column + c];
        (*rows)[row] = data->score[row] && is_listed(equals + 1, cell);
        n += (*rows)[row];
    }
    return n > 0 ? SONDE_OK
                 : fail(error, SONDE_BAD_INPUT, "%s: --%s: no row that counts has %s", data->origin,
                        option, words);
}

static sonde_status divide(fitting *f, const cli_arguments *args) {
    const sonde_data *data = f->follow.data;
    sonde_status status = SONDE_OK;
    if (args->train) {
        status = choose_rows(f, "train", args->train, &f->train);
    }
    if (!status && args->test) {
        status = choose_rows(f, "test", args->test, &f->test);
    }
    if (!status && f->test && !f->train) { /* everything else */
        f->train = calloc((size_t)data->n_row, sizeof *f->train);
        if (!f->train) {
            return SONDE_NO_MEMORY;
        }
        for (int32_t row = 0; row < data->n_row; row++) {
            f->train[row] = data->score[row] && !f->test[row];
        }
    }
    for (int32_t row = 0; !status && f->test && row < data->n_row; row++) {
        if (f->test[row] && f->train[row]) {
            status = fail(&f->follow.session->error, SONDE_BAD_INPUT,
                          "%s: row %d: is to be fitted and held out; let --train and --test name "
                          "different rows",
                          data->origin, (int)data->row[row]);
        }
    }
    return status;
}

static sonde_status read_parameters(fitting *f, const cli_arguments *args, cli_session *session) {
    if (!args->free == !args->parameters) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--free: expected the names of parameters, or --parameters and a file%s",
                    args->free ? ", and not both" : "");
    }
    const sonde_source source = {.origin = args->parameters};
    return f->n_spm > 0
               ? sonde_parameters_read_spm(&source, args->free, sonde_spm_shape_of(f->spm[0]),
                                           &f->parameters, &session->error)
               : sonde_parameters_read(&source, args->free, f->follow.world.model, &f->parameters,
                                       &session->error);
}

static sonde_status run(fitting *f, const cli_arguments *args, cli_session *session) {
    const sonde_fit_ranks ranks = {.rank = mpi_rank(), .n_rank = mpi_ranks(), .gather = mpi_gather};
    sonde_fit_settings settings = sonde_fit_defaults();
    settings.n_start = args->n_start;
    settings.seed = args->search.seed;
    settings.group = args->group == 1;
    settings.covariates = args->covariates;
    settings.newton = args->optimiser == 1;
    settings.train = f->train;
    settings.test = f->test;
    settings.store = args->db;
    settings.ranks = ranks.n_rank > 1 ? &ranks : NULL;
    /* long work tells how far it is, on a terminal or not */
    session->show_progress = !args->quiet && mpi_rank() == 0;
    return f->n_spm > 0 ? sonde_fit_new_spm(f->spm, f->file, f->n_spm, f->parameters, &settings,
                                            &session->run, &f->fit, &session->error)
                        : sonde_fit_new(&f->follow.settings, f->follow.data, f->parameters,
                                        &settings, &session->run, &f->fit, &session->error);
}

/* --------------------------------------------------------------------------------------- spm -- */

/* Every file has the trials of one subject. */
static sonde_status read_trials(fitting *f, cli_session *session) {
    const sonde_spm_shape *first = NULL;
    sonde_status status = SONDE_OK;
    for (int32_t i = 0; !status && i < f->n_spm; i++) {
        const sonde_source source = {.origin = f->file[i]};
        status = sonde_spm_read(&source, &session->run, &f->spm[i], &session->error);
        const sonde_spm_shape *shape = status ? NULL : sonde_spm_shape_of(f->spm[i]);
        first = i == 0 ? shape : first;
        if (!status && shape->n_trial == 0) {
            status = fail(&session->error, SONDE_BAD_INPUT,
                          "%s: expected trials with o, outcomes, and u, actions, found none",
                          f->file[i]);
        }
        if (!status && (shape->n_time != first->n_time || shape->n_modality != first->n_modality)) {
            status = fail(&session->error, SONDE_BAD_INPUT,
                          "%s: has another number of times or modalities than %s", f->file[i],
                          f->file[0]);
        }
    }
    return status;
}

/* Files, each of which is a subject. */
static sonde_status open_files(fitting *f, const cli_arguments *args, cli_session *session) {
    const bool map = option_given(session->verb, args, "map");
    if (map || option_given(session->verb, args, "base")) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--%s: concerns tables, and these files have trials of their own; leave it out",
                    map ? "map" : "base");
    }
    f->n_spm = 1 + (args->data != NULL) + args->more.n;
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
    f->spm = calloc((size_t)f->n_spm, sizeof *f->spm);
    f->file = calloc((size_t)f->n_spm, sizeof *f->file);
    if (!f->spm || !f->file) {
        f->n_spm = 0;
        return SONDE_NO_MEMORY;
    }
    f->file[0] = args->file;
    for (int32_t i = 1; i < f->n_spm; i++) {
        f->file[i] = i == 1 ? args->data : args->more.word[i - 2];
    }
    return read_trials(f, session);
}

static sonde_status open_people(fitting *f, const cli_arguments *args, cli_session *session) {
    if (args->more.n > 0) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "expected a document and a table, found \"%s\" as well", args->more.word[0]);
    }
    const sonde_status status = spm_table_open(args, session, &f->people);
    if (!status) {
        f->n_spm = f->people.n;
        f->spm = f->people.spm;
        f->file = f->people.name;
    }
    return status;
}

static sonde_status open_spm(fitting *f, const cli_arguments *args, cli_session *session) {
    f->follow.args = (cli_arguments *)args;
    f->follow.session = session;
    command_write(session->verb, args, &f->own);
    f->command = f->own.data;
    return args->data && spm_table_is(args->data) ? open_people(f, args, session)
                                                  : open_files(f, args, session);
}

static void close_spm(fitting *f) {
    for (int32_t i = 0; f->spm != f->people.spm && i < f->n_spm; i++) {
        sonde_spm_free(f->spm[i]);
    }
    if (f->spm != f->people.spm) {
        free(f->spm);
        free(f->file);
    }
    spm_table_close(&f->people);
    piece_free(&f->own);
}

/* Model and table, or trials; and which rows of the table count. */
static sonde_status open_data(fitting *f, cli_arguments *args, cli_session *session) {
    if (args->scheme >= 0) {
        return open_spm(f, args, session);
    }
    if (args->more.n > 0) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "expected a model and a table, found \"%s\" as well", args->more.word[0]);
    }
    const sonde_status status = follow_open(args, session, &f->follow);
    f->command = f->follow.world.command.data;
    return status ? status : divide(f, args);
}

sonde_status cmd_fit(cli_arguments *args, cli_session *session) {
    enum { N_OUTPUT = 4 };
    const cli_output output[N_OUTPUT] = {{args->output, write_json},
                                         {args->csv, write_csv},
                                         {args->posterior_csv, write_posterior},
                                         {args->json ? "-" : NULL, write_json}};
    fitting f = {0};
    sonde_status status = mpi_open(&session->error);
    if (!status) {
        status = session_check(session, output, N_OUTPUT);
    }
    if (!status) {
        status = open_data(&f, args, session);
    }
    if (!status) {
        status = read_parameters(&f, args, session);
    }
    if (!status) {
        status = run(&f, args, session);
    }
    if (!status && mpi_rank() == 0) {
        status = session_put(session, output, N_OUTPUT, write_text, &f);
    }
    sonde_fit_free(f.fit);
    sonde_parameters_free(f.parameters);
    free(f.train);
    free(f.test);
    follow_close(&f.follow);
    close_spm(&f);
    mpi_close(status);
    return status;
}
