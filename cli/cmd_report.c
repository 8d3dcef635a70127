/* cmd_report.c: sonde report turns the results of a study into a page, a summary and tables. */
#include <stdio.h>

#include "cmd.h"
#include "page.h"
#include "sonde_lab.h"

static const cli_option report_options[] = {
    {OPTION("output", TEXT, output, "FOLDER", "where the page goes; made if it is not there"),
     .letter = 'o', .setting = true},
};
static const cli_option_group group_report = {"Report", OPTION_TABLE(report_options)};

const cli_option_group *const report_groups[] = {&group_report, &group_run, NULL};

/* Whether a file is a document, and not a database: its first character that is no space opens an
 * object. */
static bool is_document(const char *path) {
    FILE *file = fopen(path, "rb");
    int c = file ? fgetc(file) : EOF;
    while (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
        c = fgetc(file);
    }
    if (file && fclose(file) != 0) {
        return false;
    }
    return c == '{';
}

sonde_status cmd_report(cli_arguments *args, cli_session *session) {
    if (args->output == NULL) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--output: expected a folder for the report, found none");
    }
    if (is_document(args->file)) {
        const sonde_status status =
            sonde_report_fit(args->file, args->output, &session->out, &session->error);
        if (!status) {
            sonde_text_add(&session->out, "\nopen %s/index.html\n", args->output);
        }
        return status;
    }
    char page[PAGE_PATH];
    const bool found = page_find(page);
    const sonde_status status = sonde_report_study(args->file, args->output, found ? page : NULL,
                                                   &session->run, &session->out, &session->error);
    if (!status && !found) {
        sonde_text_add(&session->out, "\nThe page was not built where this sonde was (it takes "
                                      "esbuild and node-d3): index.html has the tables alone.\n");
    }
    if (!status) {
        sonde_text_add(&session->out, "\nopen %s/index.html\n", args->output);
    }
    return status;
}
