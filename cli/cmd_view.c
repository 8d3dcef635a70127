/* cmd_view.c: sonde view puts a file into the page, and opens it in a browser. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "page.h"
#include "platform.h"
#include "sonde_lab.h"

static const cli_option view_options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .at = offsetof(cli_arguments, output),
     .value = "FILE",
     .help = "where the page goes (default: a temporary file; - is standard output)"},
    {.name = "no-open",
     .kind = OPTION_FLAG,
     .at = offsetof(cli_arguments, no_open),
     .help = "write the page, and open no browser"},
};
static const cli_option_group group_view = {"Page", OPTION_TABLE(view_options)};

const cli_option_group *const view_groups[] = {&group_view, &group_run, NULL};

typedef struct {
    const cli_arguments *args;
    cli_session *session;
    const char *page;
} view;

static sonde_status write_html(const void *about, sonde_text *html) {
    const view *v = about;
    return sonde_view(v->page, v->args->file, NULL, &v->session->run, html, &v->session->error);
}

/* A name for a file that goes away some day, in a folder of its own. */
static sonde_status name_temporary(char path[PAGE_PATH], sonde_error *error) {
    const char *parent = getenv("TMPDIR");
    char folder[PAGE_PATH - 16];
    (void)snprintf(folder, sizeof folder, "%s/sonde-XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(folder)) {
        return fail(error, SONDE_NOT_WRITTEN, "%s: cannot be made; choose a file with -o", folder);
    }
    (void)snprintf(path, PAGE_PATH, "%s/page.html", folder);
    return SONDE_OK;
}

/* Writes the page, and shows it where that was asked for. */
static sonde_status show(const view *v, const char *path, const sonde_text *html) {
    cli_session *session = v->session;
    sonde_text file = {0};
    sonde_status status = sonde_text_open(&file, path, &session->error);
    if (!status) {
        sonde_text_add(&file, "%s", html->data);
        status = sonde_text_close(&file, &session->error);
    }
    piece_free(&file);
    if (!status) {
        const bool opened = !v->args->no_open && open_in_browser(path);
        sonde_text_add(&session->out, "%s ", opened ? "opened" : "open");
        sonde_text_add_shown(&session->out, path);
        sonde_text_add(&session->out, "\n");
    }
    return status;
}

sonde_status cmd_view(cli_arguments *args, cli_session *session) {
    char page[PAGE_PATH];
    char path[PAGE_PATH];
    const view v = {.args = args, .session = session, .page = page};
    const cli_output output[] = {{args->output, write_html}};
    sonde_text html = {0};
    if (!page_find(page)) {
        return fail(&session->error, SONDE_BAD_ARGUMENT,
                    "the page was not built where this sonde was; make page builds it");
    }
    sonde_status status = session_check(session, output, 1);
    if (!status && args->output && !strcmp(args->output, "-")) {
        return write_html(&v, &session->out);
    }
    status = status ? status : write_html(&v, &html);
    if (!status && !args->output) {
        status = name_temporary(path, &session->error);
    }
    status = status ? status : show(&v, args->output ? args->output : path, &html);
    piece_free(&html);
    return status;
}
