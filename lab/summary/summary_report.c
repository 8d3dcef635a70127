/* summary_report.c: the report of a study, from the file of results to a folder one can open.
 *
 * summary.json has every cell, interval, test and point; the rest of the folder is made from it. */
#include "base/json.h"
#include "base/memory.h"
#include "base/status.h"
#include "summary/summary_folder.h"

typedef struct {
    const char *page; /* a file, or NULL */
    const sonde_run *run;
    sonde_error *error;
    sonde__summary summary;
    sonde__folder folder;
} report;

/* ------------------------------------------------------------------------------------ tables -- */

static void fill_main(const sonde__summary *summary, sonde__grid *grid, sonde__grid *list) {
    sonde__table_grid(&summary->table, false, grid);
    sonde__table_list(&summary->table, list);
}

static sonde_status add_tables(report *r, sonde__grid *correlation) {
    /* in the order of the page */
    static void (*const fill[])(const sonde__summary *, sonde__grid *, sonde__grid *) = {
        fill_main,           sonde__speed_grid,    sonde__compare_grid,     sonde__quality_grid,
        sonde__scaling_grid, sonde__failures_grid, sonde__differences_grid, sonde__conditions_grid,
    };
    sonde_status status = SONDE_OK;
    sonde__folder_tables_open(&r->folder);
    for (size_t i = 0; i < sizeof fill / sizeof *fill && status == SONDE_OK; i++) {
        sonde__grid grid = {0};
        sonde__grid list = {0};
        fill[i](&r->summary, &grid, &list);
        status = sonde__folder_table(&r->folder, &grid, &list);
    }
    if (status == SONDE_OK) {
        status = sonde__folder_table(&r->folder, correlation, &(sonde__grid){0});
    }
    sonde__folder_tables_close(&r->folder);
    return status;
}

/* --------------------------------------------------------------------------------------- all -- */

static sonde_status write_summary(report *r) {
    sonde__grid correlation = {0};
    sonde__progress(r->run, "report", 0, 3);
    sonde_status status = sonde__summary_json(&r->summary, &r->folder.json, r->error);
    if (status == SONDE_OK) {
        status = sonde__models_json(r->summary.results, r->run, &r->folder.json, r->error);
    }
    sonde_text_add(&r->folder.json, ",\n\"speed\": ");
    sonde__speed_json(&r->summary, &r->folder.json);
    sonde_text_add(&r->folder.json, ",\n\"differences\": ");
    sonde__differences_json(&r->summary, &r->folder.json);
    sonde__progress(r->run, "report", 1, 3);
    sonde_text_add(&r->folder.json, ",\n\"chosen\": ");
    if (status == SONDE_OK) {
        status = sonde__worlds_json(&r->summary, r->run, &correlation, &r->folder.json, r->error);
    }
    sonde_text_add(&r->folder.json, ",\n\"failed\": ");
    if (status == SONDE_OK) {
        status = sonde__failed_json(&r->summary, r->run, &r->folder.json, r->error);
    }
    sonde__progress(r->run, "report", 2, 3);
    if (status == SONDE_OK && sonde__stopped(r->run)) {
        status = sonde__fail(r->error, SONDE_STOPPED, "the report was interrupted");
    }
    if (status == SONDE_OK) {
        status = add_tables(r, &correlation);
    }
    sonde__grid_free(&correlation);
    sonde_text_add(&r->folder.json, "}\n");
    return status == SONDE_OK ? sonde__folder_summary(&r->folder) : status;
}

static sonde_status write_page(report *r) {
    const char *name = r->summary.results->plan->name;
    const sonde_status status = sonde__folder_page(&r->folder, r->page, "Study", name);
    if (status == SONDE_OK) {
        sonde__progress(r->run, "report", 3, 3);
    }
    return status;
}

static void report_free(report *r) {
    sonde__table_free(&r->summary.table);
    sonde__free(r->summary.scratch);
    sonde__folder_free(&r->folder);
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
    report r = {
        .page = page, .run = &settled, .error = error, .folder = {.path = folder, .error = error}};
    sonde_status status = sonde__folder_make(&r.folder);
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
    report r = {.run = &settled, .error = error, .folder = {.error = error}};
    sonde_status status = summarise(&r, results);
    status = status == SONDE_OK ? sonde__page_study(page, &r.folder, html) : status;
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
