/* summary_report.c: the report of a study, from the file of results to a folder one can open.
 *
 *     FOLDER/index.html            the page, with the summary inside it: it needs nothing else
 *     FOLDER/summary.json          every cell, interval, test and point
 *     FOLDER/tables/NAME.csv .tex  every table, for programs and for papers
 *
 * The page is a file that is made elsewhere, with a place for the summary in it. Without it
 * index.html has the tables alone. It is written last, so that a folder has either the whole page
 * or the one that was there before. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/status.h"
#include "summary/summary.h"

typedef struct {
    const char *folder; /* NULL: nothing is written */
    const char *page;   /* a file, or NULL */
    const sonde_run *run;
    sonde_error *error;
    sonde__summary summary;
    sonde_text json;
    sonde_text tables; /* the same as plain HTML */
    int32_t n_table;
} report;

/* ------------------------------------------------------------------------------------- files -- */

static sonde_status make_folder(const char *path, sonde_error *error) {
    struct stat about;
    if (mkdir(path, 0777) == 0 ||
        (errno == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode))) {
        return SONDE_OK;
    }
    return sonde__fail(error, SONDE_NOT_WRITTEN, "%s: expected a folder, or to make one: %s", path,
                       strerror(errno));
}

/* FOLDER/NAMESUFFIX, to be freed; NULL without memory. */
static char *join(const char *folder, const char *name, const char *suffix) {
    const size_t size = strlen(folder) + strlen(name) + strlen(suffix) + 2;
    char *path = sonde__alloc(size);
    if (path != NULL) {
        (void)snprintf(path, size, "%s/%s%s", folder, name, suffix);
    }
    return path;
}

/* One file with the contents of a text. */
static sonde_status write_file(const report *r, const char *name, const char *suffix,
                               const sonde_text *contents) {
    if (r->folder == NULL) {
        return SONDE_OK;
    }
    char *path = join(r->folder, name, suffix);
    if (path == NULL || contents->failed) {
        sonde__free(path);
        return sonde__fail_memory(r->error, name, contents->size);
    }
    sonde_text file = {0};
    sonde_status status = sonde_text_open(&file, path, r->error);
    if (status == SONDE_OK) {
        sonde_text_add(&file, "%s", contents->data != NULL ? contents->data : "");
        status = sonde_text_close(&file, r->error);
    }
    sonde__free(path);
    return status;
}

/* ------------------------------------------------------------------------------------ tables -- */

/* Whether there is anything below the heads. */
static bool has_rows(const sonde__grid *grid) {
    int32_t n = 0;
    for (int32_t i = 0; i < grid->n_cell; i++) {
        n += grid->cell[i].span;
    }
    return n > grid->n_head * grid->n_column;
}

/* A table that has rows: its files, and itself in the summary and in the plain page. `list`, if
 * it has columns, goes into the CSV file. */
static sonde_status add_table(report *r, sonde__grid *grid, sonde__grid *list) {
    char name[64];
    sonde_text csv = {0};
    sonde_text tex = {0};
    (void)snprintf(name, sizeof name, "tables/%s", grid->name);
    sonde_status status = SONDE_OK;
    if (has_rows(grid)) {
        sonde__grid_csv(list->n_column > 0 ? list : grid, &csv);
        sonde__grid_tex(grid, &tex);
        status = write_file(r, name, ".csv", &csv);
        status = status == SONDE_OK ? write_file(r, name, ".tex", &tex) : status;
        sonde_text_add(&r->json, r->n_table++ > 0 ? ",\n " : "\n ");
        sonde__grid_json(grid, &r->json);
        sonde_text_add(&r->tables, "<h2>%s</h2>\n", grid->name);
        sonde__grid_html(grid, &r->tables);
    } else if (grid->words.failed) {
        status = sonde__fail_memory(r->error, "the report", grid->words.size);
    }
    sonde_text_free(&csv);
    sonde_text_free(&tex);
    sonde__grid_free(grid);
    sonde__grid_free(list);
    return status;
}

static void fill_main(const sonde__summary *summary, sonde__grid *grid, sonde__grid *list) {
    sonde__table_grid(&summary->table, false, grid);
    sonde__table_list(&summary->table, list);
}

static sonde_status make_tables_folder(const report *r) {
    if (r->folder == NULL) {
        return SONDE_OK;
    }
    char *folder = join(r->folder, "tables", "");
    const sonde_status status =
        folder != NULL ? make_folder(folder, r->error) : sonde__fail_memory(r->error, "tables", 0);
    sonde__free(folder);
    return status;
}

static sonde_status add_tables(report *r, sonde__grid *correlation) {
    /* in the order of the page */
    static void (*const fill[])(const sonde__summary *, sonde__grid *, sonde__grid *) = {
        fill_main,           sonde__speed_grid,    sonde__compare_grid,     sonde__quality_grid,
        sonde__scaling_grid, sonde__failures_grid, sonde__differences_grid, sonde__conditions_grid,
    };
    sonde_status status = make_tables_folder(r);
    sonde_text_add(&r->json, ",\n\"tables\": [");
    for (size_t i = 0; i < sizeof fill / sizeof *fill && status == SONDE_OK; i++) {
        sonde__grid grid = {0};
        sonde__grid list = {0};
        fill[i](&r->summary, &grid, &list);
        status = add_table(r, &grid, &list);
    }
    status = status == SONDE_OK ? add_table(r, correlation, &(sonde__grid){0}) : status;
    sonde_text_add(&r->json, "]");
    return status;
}

/* -------------------------------------------------------------------------------------- page -- */

static void add_plain(const report *r, sonde_text *html) {
    const char *name = r->summary.results->plan->name;
    sonde_text_add(html, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                         "<meta name=\"viewport\" content=\"width=device-width\">\n"
                         "<link rel=\"icon\" href=\"data:,\">\n<title>Sonde: study ");
    sonde__html(html, name);
    sonde_text_add(html, "</title>\n</head>\n<body>\n<h1>Study ");
    sonde__html(html, name);
    sonde_text_add(html,
                   "</h1>\n<p>The tables alone: the page was not built where this report was made. "
                   "Every number is in <a href=\"summary.json\">summary.json</a>.</p>\n%s"
                   "</body>\n</html>\n",
                   r->tables.data != NULL ? r->tables.data : "");
}

/* --------------------------------------------------------------------------------------- all -- */

static sonde_status write_summary(report *r) {
    sonde__grid correlation = {0};
    sonde__progress(r->run, "report", 0, 3);
    sonde_status status = sonde__summary_json(&r->summary, &r->json, r->error);
    if (status == SONDE_OK) {
        status = sonde__models_json(r->summary.results, r->run, &r->json, r->error);
    }
    sonde_text_add(&r->json, ",\n\"speed\": ");
    sonde__speed_json(&r->summary, &r->json);
    sonde_text_add(&r->json, ",\n\"differences\": ");
    sonde__differences_json(&r->summary, &r->json);
    sonde__progress(r->run, "report", 1, 3);
    sonde_text_add(&r->json, ",\n\"chosen\": ");
    if (status == SONDE_OK) {
        status = sonde__worlds_json(&r->summary, r->run, &correlation, &r->json, r->error);
    }
    sonde_text_add(&r->json, ",\n\"failed\": ");
    if (status == SONDE_OK) {
        status = sonde__failed_json(&r->summary, r->run, &r->json, r->error);
    }
    sonde__progress(r->run, "report", 2, 3);
    if (status == SONDE_OK && sonde__stopped(r->run)) {
        status = sonde__fail(r->error, SONDE_STOPPED, "the report was interrupted");
    }
    if (status == SONDE_OK) {
        status = add_tables(r, &correlation);
    }
    sonde__grid_free(&correlation);
    sonde_text_add(&r->json, "}\n");
    return status == SONDE_OK ? write_file(r, "summary", ".json", &r->json) : status;
}

static sonde_status write_page(report *r) {
    sonde_text html = {0};
    sonde_status status = SONDE_OK;
    if (r->page != NULL) {
        status = sonde__page_study(r->page, &r->json, &html, r->error);
    } else {
        add_plain(r, &html);
    }
    if (status == SONDE_OK) {
        html.failed = html.failed || r->tables.failed;
        status = write_file(r, "index", ".html", &html);
        sonde__progress(r->run, "report", 3, 3);
    }
    sonde_text_free(&html);
    return status;
}

static void report_free(report *r) {
    sonde__table_free(&r->summary.table);
    sonde__free(r->summary.scratch);
    sonde_text_free(&r->json);
    sonde_text_free(&r->tables);
}

/* Adds the runs up: the summary is text then, and in its file where there is a folder. */
static sonde_status summarise(report *r, const sonde__results *results) {
    r->summary.results = results;
    r->summary.scratch = sonde__alloc(((size_t)results->n_run + 1) * sizeof *r->summary.scratch);
    const sonde_status status = r->summary.scratch != NULL
                                    ? sonde__table_count(results, &r->summary.table)
                                    : SONDE_NO_MEMORY;
    return status == SONDE_OK ? write_summary(r) : status;
}

sonde_status sonde__report_write(const sonde__results *results, const char *folder,
                                 const char *page, const sonde_run *run, sonde_text *table,
                                 sonde_error *error) {
    const sonde_run settled = sonde__run_settle(run);
    report r = {.folder = folder, .page = page, .run = &settled, .error = error};
    sonde_status status = make_folder(folder, error);
    status = status == SONDE_OK ? summarise(&r, results) : status;
    status = status == SONDE_OK ? write_page(&r) : status;
    if (status == SONDE_OK) {
        if (r.summary.table.n_row > 0 ||
            !(sonde__quality_text(&r.summary, table) || sonde__compare_text(&r.summary, table))) {
            sonde__table_text(results, &r.summary.table, table);
        }
        status = table->failed ? SONDE_NO_MEMORY : SONDE_OK;
    }
    if (status != SONDE_OK && error != NULL && error->status != status) {
        (void)sonde__fail(error, status, "%s: %s", folder, sonde_status_sentence(status));
    }
    report_free(&r);
    return status;
}

sonde_status sonde__report_view(const sonde__results *results, const char *page,
                                const sonde_run *run, sonde_text *html, sonde_error *error) {
    const sonde_run settled = sonde__run_settle(run);
    report r = {.run = &settled, .error = error};
    sonde_status status = summarise(&r, results);
    status = status == SONDE_OK ? sonde__page_study(page, &r.json, html, error) : status;
    report_free(&r);
    return status;
}

sonde_status sonde_report_study(const char *path, const char *folder, const char *page,
                                const sonde_run *run, sonde_text *table, sonde_error *error) {
    sonde__results *results = NULL;
    sonde_status status = sonde__results_read(path, &results, error);
    if (status == SONDE_OK) {
        status = sonde__report_write(results, folder, page, run, table, error);
    }
    sonde__results_free(results);
    return status;
}
