/* cmd_report.c: sonde report turns the results of a study, a fit or a run into a page, a summary
 * and tables. */
#include "cmd.h"
#include "page.h"
#include "sonde_lab.h"

static const cli_option report_options[] = {
    {OPTION("output", TEXT, output, "FOLDER", "where the page goes; made if it is not there"),
     .letter = 'o', .setting = true},
};
static const cli_option_group group_report = {"Report", OPTION_TABLE(report_options)};

const cli_option_group *const report_groups[] = {&group_report, &group_run, NULL};

sonde_status cmd_report(cli_arguments *args, cli_session *session) {
    if (args->output == NULL) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "--output: expected a folder for the report, found none");
    }
    char page[PAGE_PATH];
    const bool found = page_find(page);
    const sonde_status status = sonde_report(args->file, args->output, found ? page : NULL,
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
