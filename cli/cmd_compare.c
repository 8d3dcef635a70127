/* cmd_compare.c: sonde compare says which of several fitted models subjects use. */
#include <math.h>
#include <stdlib.h>

#include "cmd.h"
#include "table.h"

static const cli_option compare_options[] = {
    {OPTION("family", WORDS, family, "NAME=FIT,FIT",
            "models that count as one family; once for each family, every model in one"),
     .setting = true},
};
static const cli_option_group group_compare = {"Families", OPTION_TABLE(compare_options)};

const cli_option_group *const compare_groups[] = {&group_compare, &group_json, NULL};

typedef struct {
    sonde_candidates *from;
    sonde_comparison *to;
} comparing;

static sonde_status write_json(const void *about, sonde_text *text) {
    const comparing *c = about;
    sonde_comparison_write(c->from, c->to, text);
    return SONDE_OK;
}

static void add_models(const comparing *c, sonde_text *text) {
    static const char *const head[] = {"model ",   "alpha", "frequency", "xp",  "pxp",
                                       "evidence", "fixed", "AIC",       "BIC", "family "};
    enum { N_COLUMN = sizeof head / sizeof *head };
    const sonde_candidates *from = c->from;
    cli_table table = table_open(head, from->n_family > 0 ? N_COLUMN : N_COLUMN - 1);
    for (int32_t k = 0; k < from->n_model; k++) {
        table_add_text(&table, from->model[k]);
        table_add_number(&table, c->to->alpha[k]);
        table_add_number(&table, c->to->frequency[k]);
        table_add_number(&table, c->to->exceedance[k]);
        table_add_number(&table, c->to->is_protected[k]);
        table_add_number(&table, c->to->total[k]);
        table_add_number(&table, c->to->fixed[k]);
        table_add_number(&table, c->to->aic[k]);
        table_add_number(&table, c->to->bic[k]);
        if (from->n_family > 0) {
            table_add_text(&table, from->family[from->family_of[k]]);
        }
    }
    table_close(&table, text);
}

static void add_families(const comparing *c, sonde_text *text) {
    static const char *const head[] = {"family ",        "alpha",     "frequency", "xp",
                                       "averaged alpha", "frequency", "xp",        "pxp"};
    cli_table table = table_open(head, sizeof head / sizeof *head);
    for (int32_t f = 0; f < c->from->n_family; f++) {
        table_add_text(&table, c->from->family[f]);
        table_add_number(&table, c->to->family_alpha[f]);
        table_add_number(&table, c->to->family_frequency[f]);
        table_add_number(&table, c->to->family_exceedance[f]);
        table_add_number(&table, c->to->averaged_alpha[f]);
        table_add_number(&table, c->to->averaged_frequency[f]);
        table_add_number(&table, c->to->averaged_exceedance[f]);
        table_add_number(&table, c->to->averaged_protected[f]);
    }
    sonde_text_add(text, "\nFamilies: members' alpha together, which favours small families, and "
                         "evidences averaged over members, which does not:\n\n");
    table_close(&table, text);
    sonde_text_add(text, "\nprobability that all families are as frequent (bor): %s\n",
                   number_of(c->to->averaged_bor).text);
}

/* Means over subjects of what models say of a parameter, averaged. */
static void add_averages(const comparing *c, sonde_text *text) {
    static const char *const head[] = {"parameter ", "mean", "sd over subjects", "mean sd"};
    const int32_t n_parameter = c->from->n_parameter;
    const int32_t n = c->from->n_subject;
    cli_table table = table_open(head, sizeof head / sizeof *head);
    for (int32_t p = 0; p < n_parameter; p++) {
        double sum = 0.0;
        double square = 0.0;
        double sd = 0.0;
        for (int32_t i = 0; i < n; i++) {
            sum += c->to->average[(int64_t)i * n_parameter + p];
            sd += c->to->average_sd[(int64_t)i * n_parameter + p];
        }
        for (int32_t i = 0; i < n; i++) {
            const double off = c->to->average[(int64_t)i * n_parameter + p] - sum / n;
            square += off * off;
        }
        table_add_text(&table, c->from->parameter[p]);
        table_add_number(&table, sum / n);
        table_add_number(&table, sqrt(square / (n - 1)));
        table_add_number(&table, sd / n);
    }
    sonde_text_add(text, "\nParameters averaged over models, on the scale that was fitted; --json "
                         "has those of each subject:\n\n");
    table_close(&table, text);
}

static sonde_status write_text(const void *about, sonde_text *text) {
    const comparing *c = about;
    sonde_text_add(text, "%d models, %d subjects\n\n", (int)c->from->n_model,
                   (int)c->from->n_subject);
    add_models(c, text);
    if (c->from->n_family > 0) {
        add_families(c, text);
    } else {
        sonde_text_add(text, "\nprobability that all models are as frequent (bor): %s\n",
                       number_of(c->to->bor).text);
    }
    if (c->from->n_parameter > 0) {
        add_averages(c, text);
    }
    return SONDE_OK;
}

/* Reads all files of the command line. */
static sonde_status read_files(const cli_arguments *args, comparing *c, sonde_error *error) {
    const char **path = calloc((size_t)args->more.n + 1, sizeof *path);
    if (path == NULL) {
        return fail(error, SONDE_NO_MEMORY, "there is no memory for the names of files");
    }
    path[0] = args->file;
    for (int32_t i = 0; i < args->more.n; i++) {
        path[i + 1] = args->more.word[i];
    }
    const sonde_status status = sonde_candidates_read(path, args->more.n + 1, args->family.word,
                                                      args->family.n, &c->from, error);
    free(path);
    return status;
}

sonde_status cmd_compare(cli_arguments *args, cli_session *session) {
    enum { N_OUTPUT = 2 };
    const cli_output output[N_OUTPUT] = {{args->output, write_json},
                                         {args->json ? "-" : NULL, write_json}};
    comparing c = {0};
    session->input = args->file;
    sonde_status status = session_check(session, output, N_OUTPUT);
    if (!status) {
        status = read_files(args, &c, &session->error);
    }
    if (!status) {
        status = sonde_compare(c.from, &c.to, &session->error);
    }
    if (!status) {
        status = session_put(session, output, N_OUTPUT, write_text, &c);
    }
    sonde_comparison_free(c.to);
    sonde_candidates_free(c.from);
    return status;
}
