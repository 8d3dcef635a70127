/* summary_folder.c: the files of a report. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/status.h"
#include "summary/summary_folder.h"

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
static sonde_status write_file(const sonde__folder *folder, const char *name, const char *suffix,
                               const sonde_text *contents) {
    if (folder->path == NULL) {
        return SONDE_OK;
    }
    char *path = join(folder->path, name, suffix);
    if (path == NULL || contents->failed) {
        sonde__free(path);
        return sonde__fail_memory(folder->error, name, contents->size);
    }
    sonde_text file = {0};
    sonde_status status = sonde_text_open(&file, path, folder->error);
    if (status == SONDE_OK) {
        sonde_text_add(&file, "%s", contents->data != NULL ? contents->data : "");
        status = sonde_text_close(&file, folder->error);
    }
    sonde__free(path);
    return status;
}

sonde_status sonde__folder_make(const sonde__folder *folder) {
    if (folder->path == NULL) {
        return SONDE_OK;
    }
    char *tables = join(folder->path, "tables", "");
    sonde_status status = make_folder(folder->path, folder->error);
    if (status == SONDE_OK) {
        status = tables != NULL ? make_folder(tables, folder->error)
                                : sonde__fail_memory(folder->error, "tables", 0);
    }
    sonde__free(tables);
    return status;
}

/* ------------------------------------------------------------------------------------ tables -- */

void sonde__folder_tables_open(sonde__folder *folder) {
    sonde_text_add(&folder->json, ",\n\"tables\": [");
}

void sonde__folder_tables_close(sonde__folder *folder) {
    sonde_text_add(&folder->json, "]");
}

/* Whether there is anything below the heads. */
static bool has_rows(const sonde__grid *grid) {
    int32_t n = 0;
    for (int32_t i = 0; i < grid->n_cell; i++) {
        n += grid->cell[i].span;
    }
    return n > grid->n_head * grid->n_column;
}

sonde_status sonde__folder_table(sonde__folder *folder, sonde__grid *grid, sonde__grid *list) {
    char name[64];
    sonde_text csv = {0};
    sonde_text tex = {0};
    (void)snprintf(name, sizeof name, "tables/%s", grid->name);
    sonde_status status = SONDE_OK;
    if (grid->words.failed || list->words.failed) {
        status = sonde__fail_memory(folder->error, "the report", grid->words.size);
    } else if (has_rows(grid)) {
        sonde__grid_csv(list->n_column > 0 ? list : grid, &csv);
        sonde__grid_tex(grid, &tex);
        status = write_file(folder, name, ".csv", &csv);
        status = status == SONDE_OK ? write_file(folder, name, ".tex", &tex) : status;
        sonde_text_add(&folder->json, folder->n_table++ > 0 ? ",\n " : "\n ");
        sonde__grid_json(grid, &folder->json);
        sonde_text_add(&folder->tables, "<h2>%s</h2>\n", grid->name);
        sonde__grid_html(grid, &folder->tables);
    }
    sonde_text_free(&csv);
    sonde_text_free(&tex);
    sonde__grid_free(grid);
    sonde__grid_free(list);
    return status;
}

sonde_status sonde__folder_summary(const sonde__folder *folder) {
    return write_file(folder, "summary", ".json", &folder->json);
}

/* -------------------------------------------------------------------------------------- page -- */

static void add_plain(const sonde__folder *folder, const char *title, const char *name,
                      sonde_text *html) {
    sonde_text_add(html,
                   "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width\">\n"
                   "<link rel=\"icon\" href=\"data:,\">\n<title>Sonde: %s ",
                   title);
    sonde__html(html, name);
    sonde_text_add(html, "</title>\n</head>\n<body>\n<h1>%s ", title);
    sonde__html(html, name);
    sonde_text_add(html,
                   "</h1>\n<p>The tables alone: the page was not built where this report was made. "
                   "Every number is in <a href=\"summary.json\">summary.json</a>.</p>\n%s"
                   "</body>\n</html>\n",
                   folder->tables.data != NULL ? folder->tables.data : "");
}

sonde_status sonde__folder_page(sonde__folder *folder, const char *page, const char *title,
                                const char *name) {
    sonde_text html = {0};
    sonde_status status = SONDE_OK;
    if (page != NULL) {
        status = sonde__page_study(page, folder, &html);
    } else {
        add_plain(folder, title, name, &html);
    }
    if (status == SONDE_OK) {
        html.failed = html.failed || folder->tables.failed;
        status = write_file(folder, "index", ".html", &html);
    }
    sonde_text_free(&html);
    return status;
}

void sonde__folder_free(sonde__folder *folder) {
    sonde_text_free(&folder->json);
    sonde_text_free(&folder->tables);
}
