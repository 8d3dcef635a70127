/* report_page.c: the report of a study, from the file of results to a folder one can open.
 *
 *     FOLDER/index.html            the page: style and figures are inside it, it needs nothing else
 *     FOLDER/figures/NAME.svg      every figure
 *     FOLDER/tables/NAME.csv .tex  every table, for programs and for papers
 *
 * The page is put together in memory, one section after the other, and written last, so that a
 * folder has either the whole page or the one that was there before. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/status.h"
#include "draw/report_page.h"

/* -------------------------------------------------------------------------------------- files -- */

static sonde_status make_folder(const char *path, sonde_error *error) {
    struct stat about;
    if (mkdir(path, 0777) == 0 ||
        (errno == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode))) {
        return SONDE_OK;
    }
    return sonde__fail(error, SONDE_NOT_WRITTEN, "%s: expected a folder, or to make one: %s", path,
                       strerror(errno));
}

/* FOLDER/PART/NAMESUFFIX, to be freed; NULL without memory. `part` may be "". */
static char *join(const char *folder, const char *part, const char *name, const char *suffix) {
    const size_t size = strlen(folder) + strlen(part) + strlen(name) + strlen(suffix) + 3;
    char *path = sonde__alloc(size);
    if (path != NULL) {
        (void)snprintf(path, size, "%s/%s%s%s%s", folder, part, *part != '\0' ? "/" : "", name,
                       suffix);
    }
    return path;
}

/* Makes the folder or, with another part, a folder in it. */
static sonde_status make_part(const sonde__page *page, const char *part) {
    char *path = join(page->folder, "", part, "");
    const sonde_status status = path != NULL
                                    ? make_folder(path, page->error)
                                    : sonde__fail_memory(page->error, part, strlen(page->folder));
    sonde__free(path);
    return status;
}

/* One file with the contents of a text. */
static sonde_status write_file(const sonde__page *page, const char *part, const char *name,
                               const char *suffix, const sonde_text *contents) {
    char *path = join(page->folder, part, name, suffix);
    if (path == NULL || contents->failed) {
        sonde__free(path);
        return sonde__fail_memory(page->error, name, contents->size);
    }
    sonde_text file = {0};
    sonde_status status = sonde_text_open(&file, path, page->error);
    if (status == SONDE_OK) {
        sonde_text_add(&file, "%s", contents->data != NULL ? contents->data : "");
        status = sonde_text_close(&file, page->error);
    }
    sonde__free(path);
    return status;
}

/* ------------------------------------------------------------------------------------- pieces -- */

sonde_status sonde__page_check(const sonde__page *page, const sonde_text *text) {
    return text->failed ? sonde__fail_memory(page->error, "the report", text->size) : SONDE_OK;
}

void sonde__page_section(sonde__page *page, const char *id, const char *title) {
    sonde_text_add(&page->body, "%s<section id=\"%s\">\n<h2>%s</h2>\n",
                   page->n_section > 0 ? "</section>\n" : "", id, title);
    sonde_text_add(&page->contents, "<li><a href=\"#%s\">%s</a></li>\n", id, title);
    page->n_section++;
}

/* A picture as part of the page: an image for screen readers, without the name space that only a
 * file of its own needs. */
static void add_svg(sonde__page *page, const sonde_text *svg) {
    static const char space[] = " xmlns=\"http://www.w3.org/2000/svg\"";
    const char *found = svg->data != NULL ? strstr(svg->data, space) : NULL;
    if (found != NULL) {
        sonde_text_add(&page->body, "%.*s%s", (int)(found - svg->data), svg->data,
                       found + sizeof space - 1);
    }
}

sonde_status sonde__page_figures(sonde__page *page, const char *name, int32_t n_svg,
                                 const sonde_text *svg, const char *caption) {
    sonde_status status = make_part(page, "figures");
    sonde_text_add(&page->body, "<figure id=\"figure-%s\">\n<div class=\"panels%s\">\n", name,
                   n_svg > 1 ? " several" : "");
    for (int32_t i = 0; i < n_svg && status == SONDE_OK; i++) {
        const char suffix[] = {'_', (char)('a' + i), '.', 's', 'v', 'g', '\0'};
        status = sonde__stopped(page->run)
                     ? sonde__fail(page->error, SONDE_STOPPED, "the report was interrupted")
                     : write_file(page, "figures", name, n_svg > 1 ? suffix : ".svg", &svg[i]);
        add_svg(page, &svg[i]);
    }
    page->n_figure++;
    sonde_text_add(&page->body,
                   "</div>\n<figcaption><b>Figure %" PRId32 ".</b> %s <span class=\"files\">",
                   page->n_figure, caption);
    for (int32_t i = 0; i < n_svg; i++) {
        const char letter[] = {n_svg > 1 ? '_' : '\0', (char)('a' + i), '\0'};
        sonde_text_add(&page->body, "%s<a href=\"figures/%s%s.svg\">SVG%s%s</a>", i > 0 ? " " : "",
                       name, letter, n_svg > 1 ? " " : "", n_svg > 1 ? letter + 1 : "");
    }
    sonde_text_add(&page->body, "</span></figcaption>\n</figure>\n");
    return status;
}

sonde_status sonde__page_figure(sonde__page *page, const char *name, const sonde_text *svg,
                                const char *caption) {
    return sonde__page_figures(page, name, 1, svg, caption);
}

sonde_status sonde__page_table(sonde__page *page, const sonde__grid *grid, const sonde__grid *list,
                               const char *caption) {
    sonde_text csv = {0};
    sonde_text tex = {0};
    sonde__grid_csv(list != NULL ? list : grid, &csv);
    sonde__grid_tex(grid, &tex);
    sonde_status status = sonde__page_check(page, &grid->words);
    if (status == SONDE_OK) {
        status = make_part(page, "tables");
    }
    if (status == SONDE_OK) {
        status = write_file(page, "tables", grid->name, ".csv", &csv);
    }
    if (status == SONDE_OK) {
        status = write_file(page, "tables", grid->name, ".tex", &tex);
    }
    page->n_table++;
    sonde_text_add(&page->body,
                   "<figure class=\"table\" id=\"table-%s\">\n<figcaption><b>Table %" PRId32
                   ".</b> %s <span class=\"files\"><a href=\"tables/%s.csv\">CSV</a> "
                   "<a href=\"tables/%s.tex\">LaTeX</a></span></figcaption>\n<div class=\"scroll\" "
                   "tabindex=\"0\">\n",
                   grid->name, page->n_table, caption, grid->name, grid->name);
    sonde__grid_html(grid, &page->body);
    sonde_text_add(&page->body, "</div>\n</figure>\n");
    sonde_text_free(&csv);
    sonde_text_free(&tex);
    return status;
}

/* -------------------------------------------------------------------------------------- page -- */

static void add_frame(const sonde__page *page, sonde_text *html) {
    sonde_text_add(html, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                         "<meta name=\"viewport\" content=\"width=device-width, "
                         "initial-scale=1\">\n<meta name=\"generator\" content=\"Sonde ");
    sonde__html(html, sonde_version());
    sonde_text_add(html, "\">\n<link rel=\"icon\" href=\"data:,\">\n<title>Sonde: study ");
    sonde__html(html, page->results->plan->name);
    sonde_text_add(html, "</title>\n<style>\n");
    for (const char *const *piece = sonde__page_style; *piece != NULL; piece++) {
        sonde_text_add(html, "%s", *piece);
    }
    sonde_text_add(html, "</style>\n</head>\n<body>\n<main>\n");
}

/* Head and sections are separate texts because the list of contents between them is known last. */
static sonde_status write_page(const sonde__page *page, const sonde_text *head) {
    sonde_text html = {0};
    add_frame(page, &html);
    sonde_text_add(&html, "%s<nav aria-label=\"Contents\">\n<ol>\n%s</ol>\n</nav>\n", head->data,
                   page->contents.data != NULL ? page->contents.data : "");
    sonde_text_add(&html, "%s%s</main>\n</body>\n</html>\n",
                   page->body.data != NULL ? page->body.data : "",
                   page->n_section > 0 ? "</section>\n" : "");
    const sonde_status status = write_file(page, "", "index", ".html", &html);
    sonde_text_free(&html);
    return status;
}

typedef struct {
    const char *name;
    sonde_status (*write)(sonde__page *page);
} section;

static sonde_status write_sections(sonde__page *page) {
    static const section list[] = {
        {"main table", sonde__page_main_table}, {"headline", sonde__page_headline},
        {"statistics", sonde__page_statistics}, {"quality", sonde__page_quality},
        {"scaling", sonde__page_scaling},       {"worlds", sonde__page_worlds},
        {"failures", sonde__page_failures},     {"differences", sonde__page_differences},
        {"notes", sonde__page_notes},
    };
    const uint64_t n = sizeof list / sizeof *list;
    sonde_text head = {0};
    sonde__page_head(page, &head);
    sonde_status status = sonde__page_check(page, &head);
    for (uint64_t i = 0; i < n && status == SONDE_OK; i++) {
        sonde__progress(page->run, "report", i, n);
        status = list[i].write(page);
        if (status == SONDE_OK) {
            status = sonde__page_check(page, &page->body);
        }
        if (status == SONDE_OK) {
            status = sonde__page_check(page, &page->contents);
        }
    }
    if (status == SONDE_OK) {
        status = write_page(page, &head);
        sonde__progress(page->run, "report", n, n);
    }
    sonde_text_free(&head);
    return status;
}

sonde_status sonde__page_write(const sonde__results *results, const char *folder,
                               const sonde_run *run, sonde_text *table, sonde_error *error) {
    const sonde_run settled = sonde__run_settle(run);
    sonde__page page = {.results = results, .folder = folder, .run = &settled, .error = error};
    sonde_status status = make_folder(folder, error);
    if (status == SONDE_OK) {
        status = sonde__table_count(results, &page.table);
        status =
            status == SONDE_OK ? write_sections(&page) : sonde__fail_memory(error, "the report", 0);
    }
    if (status == SONDE_OK) {
        if (page.table.n_row > 0 || !sonde__quality_text(results, table)) {
            sonde__table_text(results, &page.table, table);
        }
        status = sonde__page_check(&page, table);
    }
    if (status != SONDE_OK && error != NULL && error->status != status) {
        (void)sonde__fail(error, status, "%s: %s", folder, sonde_status_sentence(status));
    }
    sonde__table_free(&page.table);
    sonde_text_free(&page.body);
    sonde_text_free(&page.contents);
    return status;
}

sonde_status sonde_report_study(const char *path, const char *folder, const sonde_run *run,
                                sonde_text *table, sonde_error *error) {
    sonde__results *results = NULL;
    sonde_status status = sonde__results_read(path, &results, error);
    if (status == SONDE_OK) {
        status = sonde__page_write(results, folder, run, table, error);
    }
    sonde__results_free(results);
    return status;
}
