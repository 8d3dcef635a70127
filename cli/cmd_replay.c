/* cmd_replay.c: sonde replay lets an agent follow what somebody saw and did, and says how probable
 * their actions were. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "follow.h"
#include "learning.h"
#include "rates.h"
#include "replay.h"
#include "table.h"

static const char *scheme_name(int32_t scheme) {
    return scheme == 0 ? "spm" : NULL;
}

static const cli_option replay_options[] = {
    {.name = "scheme",
     .kind = OPTION_CHOICE,
     .at = offsetof(cli_arguments, scheme),
     .names = scheme_name,
     .value = "NAME",
     .help = "another theory of the agent: spm, as spm_MDP_VB_X believes, decides and learns"},
};
static const cli_option_group group_scheme = {"Agent", OPTION_TABLE(replay_options)};

static const cli_option set_options[] = {
    {OPTION(
        "set", TEXT, set, "NAME=X,...",
        "other numbers of the agent: gamma=2,eta_A[reward][win]=0.3; docs/fitting.md names all")},
    {OPTION("sets", TEXT, sets, "FILE",
            "many such sets, a CSV table with a column for each name: the log-likelihood of each"),
     .reads = true},
};
static const cli_option_group group_set = {"Parameters", OPTION_TABLE(set_options)};

/* Whether rows are told one by one. */
static bool tells_rows(const cli_arguments *args) {
    return (args->json || args->output || args->csv) && !args->sets;
}

static const cli_option output_options[] = {
    {OPTION("json", FLAG, json, NULL, "print everything as one JSON document")},
    {OPTION("output", TEXT, output, "FILE", "write that document to a file"), .letter = 'o'},
    {OPTION("csv", TEXT, csv, "FILE",
            "write a row for each row of the table: probabilities, surprise, beliefs, G, as "
            "regressors")},
    {OPTION("counts", FLAG, counts, NULL, "tell the counts after every row, too"),
     .counts = tells_rows, .with = "--json, -o or --csv, and without --sets,"},
};
static const cli_option_group group_output = {"Output", OPTION_TABLE(output_options)};

const cli_option_group *const replay_groups[] = {
    &group_data,    &group_set,    &group_learn, &group_rates, &group_action,
    &group_weights, &group_belief, &group_world, &group_model, &group_seed,
    &group_scheme,  &group_output, &group_run,   NULL};

const char *const replay_in_scheme[] = {"data",    "scheme", "json",     "output", "csv",
                                        "threads", "memory", "progress", "quiet",  NULL};

typedef struct {
    cli_follow follow;
    sonde_replayed **said;        /* (n_subject) */
    sonde_parameters *parameters; /* of --set or --sets, or NULL */
    int32_t n_set;
    const double *value;     /* (n_set, parameters) */
    double *log_likelihoods; /* (n_set, n_subject) of --sets */
    int32_t n_batched;       /* subjects whose sets were worked out without agents */
    double log_likelihood;
    int32_t n;
    int32_t n_hit;
    int32_t n_impossible;
} replay;

/* ---------------------------------------------------------------------------------- document -- */

static void add_numbers(sonde_text *json, const char *key, const double *number, int32_t n) {
    sonde_text_add(json, ", \"%s\": [", key);
    for (int32_t i = 0; i < n; i++) {
        sonde_text_add(json, i > 0 ? ", " : "");
        sonde_text_add_number(json, number[i]);
    }
    sonde_text_add(json, "]");
}

static void add_number(sonde_text *json, const char *key, double number) {
    sonde_text_add(json, ", \"%s\": ", key);
    sonde_text_add_number(json, number);
}

/* G of the best policy of every first action, and its parts. */
static void add_efe(sonde_text *json, const sonde_model *model, const sonde_efe *efe) {
    static const char *const term[] = {"risk", "ambiguity", "cost", "novelty"};
    sonde_text_add(json, ", \"efe\": [");
    const char *comma = "";
    for (int32_t a = 0; a < model->n_action; a++) {
        if (!isnan(efe[a].efe)) {
            int32_t tuple[SONDE_FACTORS_MAX];
            const int32_t n = sonde_model_tuple(model, a, tuple);
            sonde_text_add(json, "%s{\"action\": [", comma);
            for (int32_t f = 0; f < n; f++) {
                sonde_text_add(json, "%s%d", f > 0 ? ", " : "", (int)tuple[f]);
            }
            sonde_text_add(json, "]");
            add_number(json, "G", efe[a].efe);
            for (int32_t t = 0; t < SONDE_N_TERM; t++) {
                add_number(json, term[t], efe[a].term[t]);
            }
            sonde_text_add(json, "}");
            comma = ", ";
        }
    }
    sonde_text_add(json, "]");
}

static void add_step(sonde_text *json, const replay *r, const sonde_replayed *said, int64_t i) {
    const sonde_data *data = r->follow.data;
    const sonde_model *model = r->follow.world.model;
    const int32_t row = said->first + (int32_t)i;
    int32_t tuple[SONDE_FACTORS_MAX];
    sonde_text_add(json, "%s\n      {\"row\": %d, \"session\": %d, \"episode\": %d, \"t\": %d",
                   i > 0 ? "," : "", (int)data->row[row], (int)data->session[row],
                   (int)data->episode[row], (int)data->step[row]);
    sonde_text_add(json, ", \"score\": %s", data->score[row] ? "true" : "false");
    add_number(json, "p", said->p[i]);
    add_number(json, "log_p", said->log_p[i]);
    add_number(json, "surprise", said->surprise[i]);
    sonde_text_add(json, ", \"belief\": [");
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        sonde_text_add(json, f > 0 ? ", [" : "[");
        for (int32_t s = 0; s < factor->n_state; s++) {
            sonde_text_add(json, s > 0 ? ", " : "");
            sonde_text_add_number(json, said->belief[i * said->n_belief + factor->first + s]);
        }
        sonde_text_add(json, "]");
    }
    sonde_text_add(json, "], \"action\": ");
    if (data->action[row] < 0) {
        sonde_text_add(json, "null");
    } else {
        const int32_t n = sonde_model_tuple(model, data->action[row], tuple);
        for (int32_t f = 0; f < n; f++) {
            sonde_text_add(json, "%s%d", f > 0 ? ", " : "[", (int)tuple[f]);
        }
        sonde_text_add(json, "]");
    }
    add_numbers(json, "update", said->update + i * said->n_factor, said->n_factor);
    add_numbers(json, "error", said->error + i * said->n_modality, said->n_modality);
    if (said->efe) {
        add_efe(json, model, said->efe + i * said->n_action);
    }
    if (said->counts) {
        add_numbers(json, "counts", said->counts + i * said->n_count, (int32_t)said->n_count);
    }
    sonde_text_add(json, "}");
}

/* The totals of a subject, or of all. */
static void add_totals(sonde_text *json, double log_likelihood, int32_t n, int32_t n_hit) {
    add_number(json, "log_likelihood", log_likelihood);
    sonde_text_add(json, ", \"n\": %d", (int)n);
    add_number(json, "mean_p", n > 0 ? exp(log_likelihood / n) : (double)NAN);
    add_number(json, "hits", n > 0 ? (double)n_hit / n : (double)NAN);
    add_number(json, "AIC", -2.0 * log_likelihood);
    add_number(json, "BIC", -2.0 * log_likelihood);
}

/* , "KEY": [names], where there are any. */
static void add_names(sonde_text *text, const char *key, const char *const *name, int32_t n) {
    for (int32_t i = 0; name && i < n; i++) {
        sonde_text_add(text, i > 0 ? ", " : ", \"%s\": [", key);
        sonde_text_add_quoted(text, name[i]);
    }
    sonde_text_add(text, name ? "]" : "");
}

/* What factors, their states and actions are called, as other documents have it. */
static void add_factors(sonde_text *text, const sonde_model *model) {
    sonde_text_add(text, ",\n  \"names\": {\"model\": ");
    sonde_text_add_quoted(text, model->name ? model->name : "");
    sonde_text_add(text, ", \"factors\": [");
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        sonde_text_add(text, "%s{\"name\": ", f > 0 ? ", " : "");
        sonde_text_add_quoted(text, factor->name ? factor->name : "");
        add_names(text, "states", factor->state_name, factor->n_state);
        add_names(text, "actions", factor->action_name, factor->n_action);
        sonde_text_add(text, "}");
    }
    sonde_text_add(text, "]}");
}

static sonde_status write_json(const void *about, sonde_text *text) {
    const replay *r = about;
    const sonde_data *data = r->follow.data;
    sonde_text_add(text,
                   "{\"sonde\": \"%s\", \"verb\": \"replay\", \"sign\": \"G, smaller is "
                   "better\",\n  \"command\": ",
                   sonde_version());
    sonde_text_add_quoted(text, r->follow.world.command.data);
    sonde_text_add(text, ",\n  \"timing\": \"%s\"",
                   sonde_timing_name((int32_t)r->follow.settings.timing));
    add_factors(text, r->follow.world.model);
    add_totals(text, r->log_likelihood, r->n, r->n_hit);
    sonde_text_add(text, ", \"impossible\": %d,\n  \"subjects\": [", (int)r->n_impossible);
    for (int32_t i = 0; i < data->n_subject; i++) {
        const sonde_replayed *said = r->said[i];
        sonde_text_add(text, "%s\n    {\"subject\": ", i > 0 ? "," : "");
        sonde_text_add_quoted(text, data->subject[i]);
        add_totals(text, said->log_likelihood, said->n, said->n_hit);
        sonde_text_add(text, ", \"steps\": [");
        for (int32_t row = 0; row < said->n_row; row++) {
            add_step(text, r, said, row);
        }
        sonde_text_add(text, "]}");
    }
    sonde_text_add(text, "]}\n");
    return SONDE_OK;
}

/* -------------------------------------------------------------------------------- csv, text -- */

static uint32_t wanted(const cli_arguments *args) {
    const bool detailed = args->json || args->output || args->csv;
    return (detailed ? SONDE_REPLAY_EFE : 0u) |
           (detailed && args->counts ? SONDE_REPLAY_COUNTS : 0u);
}

static sonde_status write_csv(const void *about, sonde_text *text) {
    const replay *r = about;
    sonde_replay_write_header(&r->follow.settings, r->follow.data, wanted(r->follow.args), text);
    for (int32_t i = 0; i < r->follow.data->n_subject; i++) {
        sonde_replay_write_rows(&r->follow.settings, r->follow.data, r->said[i], text);
    }
    return SONDE_OK;
}

static void add_row(cli_table *table, const char *name, double log_likelihood, int32_t n,
                    int32_t n_hit) {
    sonde_text shown = {0};
    sonde_text_add_shown(&shown, name);
    table_add_text(table, shown.data ? shown.data : "");
    table_add(table, "%d", (int)n);
    table_add(table, "%.6f", log_likelihood);
    table_add_number(table, n > 0 ? exp(log_likelihood / n) : (double)NAN);
    table_add_number(table, n > 0 ? (double)n_hit / n : (double)NAN);
    table_add(table, "%.4f", -2.0 * log_likelihood);
    piece_free(&shown);
}

static sonde_status write_text(const void *about, sonde_text *text) {
    static const char *const head[] = {"subject ", "n",    "log-likelihood",
                                       "mean p",   "hits", "AIC = BIC"};
    const replay *r = about;
    const sonde_data *data = r->follow.data;
    add_world_line(text, &r->follow.world);
    add_policies_line(text, &r->follow.world);
    sonde_text_add(text, "\n%d row%s of %d subject%s, outcomes %s actions%s\n\n", (int)data->n_row,
                   data->n_row == 1 ? "" : "s", (int)data->n_subject,
                   data->n_subject == 1 ? "" : "s",
                   sonde_timing_name((int32_t)r->follow.settings.timing),
                   r->follow.settings.learns ? "; the agent learns" : "");
    cli_table table = table_open(head, 6);
    for (int32_t i = 0; i < data->n_subject; i++) {
        const sonde_replayed *said = r->said[i];
        add_row(&table, data->subject[i], said->log_likelihood, said->n, said->n_hit);
    }
    add_row(&table, "all", r->log_likelihood, r->n, r->n_hit);
    table_close(&table, text);
    add_again(text, r->follow.args, &r->follow.world);
    return SONDE_OK;
}

/* -------------------------------------------------------------------------------------- sets -- */

static double sum_of(const replay *r, int32_t set) {
    const int32_t n = r->follow.data->n_subject;
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) {
        sum += r->log_likelihoods[(int64_t)set * n + i];
    }
    return sum;
}

static sonde_status write_sets_json(const void *about, sonde_text *text) {
    const replay *r = about;
    const sonde_data *data = r->follow.data;
    sonde_text_add(text,
                   "{\"sonde\": \"%s\", \"verb\": \"replay\",\n  \"command\": ", sonde_version());
    sonde_text_add_quoted(text, r->follow.world.command.data);
    sonde_text_add(text, ",\n  \"subjects\": [");
    for (int32_t i = 0; i < data->n_subject; i++) {
        sonde_text_add(text, i > 0 ? ", " : "");
        sonde_text_add_quoted(text, data->subject[i]);
    }
    sonde_text_add(text, "],\n  \"batched\": %d,\n  \"sets\": [", (int)r->n_batched);
    for (int32_t i = 0; i < r->n_set; i++) {
        sonde_text_add(text, "%s\n    {\"values\": {", i > 0 ? "," : "");
        for (int32_t p = 0; p < r->parameters->n; p++) {
            sonde_text_add(text, p > 0 ? ", " : "");
            sonde_text_add_quoted(text, r->parameters->parameter[p].name);
            sonde_text_add(text, ": ");
            sonde_text_add_number(text, r->value[(int64_t)i * r->parameters->n + p]);
        }
        sonde_text_add(text, "}");
        add_number(text, "log_likelihood", sum_of(r, i));
        add_numbers(text, "log_likelihoods", r->log_likelihoods + (int64_t)i * data->n_subject,
                    data->n_subject);
        sonde_text_add(text, "}");
    }
    sonde_text_add(text, "]}\n");
    return SONDE_OK;
}

/* A row for each set: its values, the sum, and each subject's. */
static sonde_status write_sets_csv(const void *about, sonde_text *text) {
    const replay *r = about;
    const sonde_data *data = r->follow.data;
    for (int32_t p = 0; p < r->parameters->n; p++) {
        piece_add_cell(text, r->parameters->parameter[p].name, true);
        sonde_text_add(text, ",");
    }
    sonde_text_add(text, "log_likelihood");
    for (int32_t i = 0; i < data->n_subject; i++) {
        sonde_text title = {0};
        sonde_text_add(&title, "log_likelihood of %s", data->subject[i]);
        sonde_text_add(text, ",");
        piece_add_cell(text, title.data ? title.data : "", true);
        text->failed = text->failed || title.failed;
        piece_free(&title);
    }
    sonde_text_add(text, "\n");
    for (int32_t i = 0; i < r->n_set; i++) {
        for (int32_t p = 0; p < r->parameters->n; p++) {
            sonde_text_add_number(text, r->value[(int64_t)i * r->parameters->n + p]);
            sonde_text_add(text, ",");
        }
        sonde_text_add_number(text, sum_of(r, i));
        for (int32_t k = 0; k < data->n_subject; k++) {
            sonde_text_add(text, ",");
            sonde_text_add_number(text, r->log_likelihoods[(int64_t)i * data->n_subject + k]);
        }
        sonde_text_add(text, "\n");
    }
    return SONDE_OK;
}

static sonde_status write_sets_text(const void *about, sonde_text *text) {
    const replay *r = about;
    sonde_text_add(text, "log-likelihoods of %d set%s of parameters, summed over %d subject%s\n\n",
                   (int)r->n_set, r->n_set == 1 ? "" : "s", (int)r->follow.data->n_subject,
                   r->follow.data->n_subject == 1 ? "" : "s");
    for (int32_t p = 0; p < r->parameters->n; p++) {
        sonde_text_add_shown(text, r->parameters->parameter[p].name);
        sonde_text_add(text, "  ");
    }
    sonde_text_add(text, "log-likelihood\n");
    for (int32_t i = 0; i < r->n_set; i++) {
        for (int32_t p = 0; p < r->parameters->n; p++) {
            sonde_text_add(text, "%.6g  ", r->value[(int64_t)i * r->parameters->n + p]);
        }
        sonde_text_add(text, "%.9f\n", sum_of(r, i));
    }
    return SONDE_OK;
}

static sonde_status run_sets(replay *r, cli_session *session) {
    sonde_likelihood *likelihood = NULL;
    const size_t n = (size_t)r->n_set * (size_t)r->follow.data->n_subject;
    r->log_likelihoods = calloc(n, sizeof *r->log_likelihoods);
    if (!r->log_likelihoods) {
        return SONDE_NO_MEMORY;
    }
    sonde_status status = sonde_likelihood_new(&r->follow.settings, r->follow.data, r->parameters,
                                               NULL, &likelihood, &session->error);
    if (!status) {
        status = sonde_likelihood_all(likelihood, r->n_set, r->value, &session->run,
                                      r->log_likelihoods, &session->error);
    }
    for (int32_t i = 0; !status && i < r->follow.data->n_subject; i++) {
        r->n_batched += sonde_likelihood_layout(likelihood, i)->batched;
    }
    sonde_likelihood_free(likelihood);
    return status;
}

/* What --set says, as a table of one row. */
static sonde_status read_set(replay *r, const cli_arguments *args, cli_session *session) {
    sonde_text names = {0};
    sonde_text values = {0};
    const char *at = args->set;
    while (*at) {
        const size_t length = strcspn(at, ",");
        const char *equals = memchr(at, '=', length);
        const char *comma = names.size > 0 ? "," : "";
        if (!equals) {
            piece_free(&names);
            piece_free(&values);
            return fail(&session->error, SONDE_BAD_ARGUMENT,
                        "--set: expected NAME=X, found \"%.*s\"", (int)length, at);
        }
        sonde_text_add(&names, "%s%.*s", comma, (int)(equals - at), at);
        sonde_text_add(&values, "%s%.*s", comma, (int)(at + length - equals - 1), equals + 1);
        at += length + (at[length] == ',');
    }
    sonde_text_add(&names, "\n%s\n", values.data ? values.data : "");
    const sonde_source source = {.origin = "--set", .data = names.data, .size = names.size};
    const sonde_status status = sonde_sets_read(&source, r->follow.world.model, &r->parameters,
                                                &r->n_set, &r->value, &session->error);
    piece_free(&names);
    piece_free(&values);
    r->follow.settings.parameters = r->parameters;
    r->follow.settings.theta = r->value;
    return status;
}

static sonde_status read_parameters(replay *r, const cli_arguments *args, cli_session *session) {
    if (args->set && args->sets) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--sets: has values of its own beside those of --set; give one of them");
    }
    if (args->set) {
        return read_set(r, args, session);
    }
    const sonde_source source = {.origin = args->sets};
    return args->sets ? sonde_sets_read(&source, r->follow.world.model, &r->parameters, &r->n_set,
                                        &r->value, &session->error)
                      : SONDE_OK;
}

/* ------------------------------------------------------------------------------------- verb -- */

static sonde_status run(replay *r, cli_arguments *args, cli_session *session) {
    const sonde_data *data = r->follow.data;
    sonde_status status = SONDE_OK;
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
    r->said = calloc((size_t)data->n_subject, sizeof *r->said);
    if (!r->said) {
        return SONDE_NO_MEMORY;
    }
    for (int32_t i = 0; !status && i < data->n_subject; i++) {
        session_progress(session, "subjects", (uint64_t)i, (uint64_t)data->n_subject);
        status = sonde_replay(&r->follow.settings, data, i, wanted(args), &session->run,
                              &r->said[i], &session->error);
        if (!status) {
            r->log_likelihood += r->said[i]->log_likelihood;
            r->n += r->said[i]->n;
            r->n_hit += r->said[i]->n_hit;
            r->n_impossible += r->said[i]->n_impossible;
        }
    }
    if (!status && r->n_impossible > 0) {
        session_note(session,
                     "%d row%s outcomes that could not be, from what was believed; floors of "
                     "1e-16 let them pass",
                     (int)r->n_impossible, r->n_impossible == 1 ? " has" : "s have");
    }
    return status;
}

sonde_status cmd_replay(cli_arguments *args, cli_session *session) {
    enum { N_OUTPUT = 3 };
    const cli_document json = args->sets ? write_sets_json : write_json;
    const cli_output output[N_OUTPUT] = {{args->output, json},
                                         {args->csv, args->sets ? write_sets_csv : write_csv},
                                         {args->json ? "-" : NULL, json}};
    replay r = {0};
    if (args->scheme >= 0) {
        return replay_spm(args, session);
    }
    sonde_status status = session_check(session, output, N_OUTPUT);
    if (!status) {
        status = follow_open(args, session, &r.follow);
    }
    if (!status) {
        status = read_parameters(&r, args, session);
    }
    if (!status) {
        status = args->sets ? run_sets(&r, session) : run(&r, args, session);
    }
    if (!status) {
        status =
            session_put(session, output, N_OUTPUT, args->sets ? write_sets_text : write_text, &r);
    }
    for (int32_t i = 0; r.said && i < r.follow.data->n_subject; i++) {
        sonde_replayed_free(r.said[i]);
    }
    free(r.said);
    free(r.log_likelihoods);
    sonde_parameters_free(r.parameters);
    follow_close(&r.follow);
    return status;
}
