/* summary_page.c: the page, a file that is made from web/, and what is put into it: a study's
 * summary, a document, or a world or a model as it is on disk. */
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/status.h"
#include "summary/summary_document.h"

/* the places that the page has, each up to its closing '>' */
#define PLACE_STUDY "<script type=\"application/json\" id=\"study\""
#define PLACE_FILE "<script type=\"text/plain\" id=\"file\""
#define PLACE_CLOSE "</script>"
/* what a page without the library inside it has where the library would be */
#define NO_ENGINE "id=\"engine\"></script>"
/* a browser would be slow to open more */
#define FILE_MAX ((size_t)32 << 20)

/* What goes into a place of the page. */
typedef struct {
    const char *place;
    bool needs_engine; /* it is of no use without the library */
    sonde_text attributes;
    sonde_text inside;
} part;

static void part_free(part *p) {
    sonde_text_free(&p->attributes);
    sonde_text_free(&p->inside);
}

static sonde_status fill(const char *file, const char *page, const part *p, sonde_text *html,
                         sonde_error *error) {
    const char *open = strstr(page, p->place);
    const char *close = open != NULL ? strstr(open, PLACE_CLOSE) : NULL;
    if (close == NULL) {
        return sonde__fail(error, SONDE_BAD_INPUT,
                           "%s: expected the page that is made from web/, found another file",
                           file);
    }
    open += strlen(p->place);
    sonde_text_add(html, "%.*s%s>%s%s", (int)(open - page), page,
                   p->attributes.data != NULL ? p->attributes.data : "",
                   p->inside.data != NULL ? p->inside.data : "", close);
    return html->failed || p->attributes.failed || p->inside.failed
               ? sonde__fail_memory(error, file, p->inside.size)
               : SONDE_OK;
}

/* The same, of a page in a file. */
static sonde_status fill_file(const char *file, const part *p, sonde_text *html,
                              sonde_error *error) {
    char *page = NULL;
    size_t size = 0;
    sonde_status status = sonde__json_slurp(file, &page, &size, error);
    if (status == SONDE_OK && p->needs_engine && strstr(page, NO_ENGINE) != NULL) {
        status =
            sonde__fail(error, SONDE_BAD_ARGUMENT,
                        "%s: was built without the library in it; make page builds it with", file);
    }
    status = status == SONDE_OK ? fill(file, page, p, html, error) : status;
    sonde__free(page);
    return status;
}

/* JSON as a page may hold it: no tag can begin in it. */
static void add_inlined(const sonde_text *json, sonde_text *text) {
    for (const char *s = json->data, *end; *s != '\0'; s = end) {
        end = s + strcspn(s, "<");
        sonde_text_add(text, "%.*s", (int)(end - s), s);
        if (*end == '<') {
            sonde_text_add(text, "\\u003c");
            end++;
        }
    }
}

sonde_status sonde__page_study(const char *page, const sonde__folder *folder, sonde_text *html) {
    part p = {.place = PLACE_STUDY};
    if (folder->json.failed) {
        return sonde__fail_memory(folder->error, page, folder->json.size);
    }
    if (folder->path == NULL) {
        sonde_text_add(&p.attributes, " data-alone");
    }
    add_inlined(&folder->json, &p.inside);
    const sonde_status status = fill_file(page, &p, html, folder->error);
    part_free(&p);
    return status;
}

/* ------------------------------------------------------------------------------------- files -- */

static void add_base64(const unsigned char *data, size_t size, sonde_text *text) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const uint32_t second = i + 1 < size ? data[i + 1] : 0;
        const uint32_t bits =
            (uint32_t)data[i] << 16 | second << 8 | (i + 2 < size ? data[i + 2] : 0);
        sonde_text_add(text, "%c%c%c%c", letters[bits >> 18], letters[bits >> 12 & 63],
                       i + 1 < size ? letters[bits >> 6 & 63] : '=',
                       i + 2 < size ? letters[bits & 63] : '=');
    }
}

/* Whether a file is a database, by how it begins. */
static bool is_database(const char *data, size_t size) {
    static const char magic[] = "SQLite format 3";
    return size >= sizeof magic && memcmp(data, magic, sizeof magic) == 0;
}

static sonde_status check_input(const char *path, size_t size, const sonde_run *run,
                                sonde_error *error) {
    sonde_input input = {0};
    const sonde_status status = sonde_input_read(path, NULL, NULL, 1, run, &input, error);
    sonde_input_free(&input);
    if (status == SONDE_OK && size > FILE_MAX) {
        return sonde__fail(error, SONDE_TOO_LARGE,
                           "%s: %.0f MB are more than a page holds (%.0f); sonde plan takes it",
                           path, (double)size / 1e6, (double)FILE_MAX / 1e6);
    }
    return status;
}

/* ` data-name="world.json" data-state="screen=decision"` */
static void add_attribute(const char *key, const char *value, sonde_text *attributes) {
    if (value != NULL) {
        sonde_text_add(attributes, " data-%s=\"", key);
        sonde__html(attributes, value);
        sonde_text_add(attributes, "\"");
    }
}

static sonde_status view_study(const char *path, const char *page, const sonde_run *run,
                               sonde_text *html, sonde_error *error) {
    sonde__results *results = NULL;
    sonde_status status = sonde__results_read(path, &results, error);
    if (status == SONDE_OK) {
        status = sonde__report_view(results, page, run, html, error);
    }
    sonde__results_free(results);
    return status;
}

sonde_status sonde_view(const char *page, const char *path, const char *state, const sonde_run *run,
                        sonde_text *html, sonde_error *error) {
    const sonde_run settled = sonde__run_settle(run);
    char *data = NULL;
    size_t size = 0;
    sonde_status status = path != NULL ? sonde__json_slurp(path, &data, &size, error) : SONDE_OK;
    if (status == SONDE_OK && path != NULL && is_database(data, size)) {
        sonde__free(data);
        return view_study(path, page, &settled, html, error);
    }
    if (status == SONDE_OK && path != NULL && sonde__document_begins(data)) {
        sonde__free(data);
        return sonde__document_view(path, page, html, error);
    }
    part p = {.place = PLACE_FILE, .needs_engine = true};
    status = status == SONDE_OK && path != NULL ? check_input(path, size, &settled, error) : status;
    if (status == SONDE_OK) {
        const char *slash = path != NULL ? strrchr(path, '/') : NULL;
        add_attribute("name", slash != NULL ? slash + 1 : path, &p.attributes);
        add_attribute("state", state, &p.attributes);
        add_base64((const unsigned char *)data, size, &p.inside);
        status = fill_file(page, &p, html, error);
    }
    part_free(&p);
    sonde__free(data);
    return status;
}
