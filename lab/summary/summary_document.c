/* summary_document.c: the report of a document, from its file to a folder one can open.
 *
 * The page gets the document as it is, with the tables that are made of it at its end. A new kind
 * is a row of the table below, and a screen in web/. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "summary/summary_document.h"

typedef struct {
    const char *key; /* that says what a document is */
    const char *value;
    const char *title; /* of the plain page */
    bool (*check)(sonde__reader *reader);
    sonde_status (*tables)(sonde__document *document);
} kind;

static const kind kinds[] = {
    {"verb", "simulate", "What was learned:", sonde__learn_check, sonde__learn_tables},
    {"verb", "replay", "Replay of", sonde__replay_check, sonde__replay_tables},
    {"format", "sonde-fit", "Fit of", sonde__fit_check, sonde__fit_tables},
    {"format", "sonde-recovery", "Recovery", sonde__recovery_check, sonde__recovery_tables},
    {"format", "sonde-power", "Power", sonde__power_check, sonde__power_tables},
    {"format", "sonde-comparison", "Comparison", sonde__comparison_check, sonde__comparison_tables},
};
#define N_KIND (sizeof kinds / sizeof *kinds)
/* the verbs whose documents these are */
#define REPORTED "document of sonde simulate --learn, replay, fit, recover or compare"

/* ------------------------------------------------------------------------------------- parts -- */

double sonde__number_at(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

const char *sonde__words_at(const json_t *object, const char *key) {
    const char *words = json_string_value(json_object_get(object, key));
    return words != NULL ? words : "";
}

double sonde__item(const json_t *list, size_t i) {
    const json_t *value = json_array_get(list, i);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

void sonde__grid_short(sonde__grid *grid, double number) {
    sonde__grid_put(grid, 0, sonde__short(number).text);
}

void sonde__grid_keyed(sonde__grid *grid, const char *key, double number) {
    static const char *const whole[] = {"n", "updates", "subjects"};
    static const char *const nats[] = {"evidence", "log_likelihood", "AIC", "BIC"};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        if (strcmp(key, whole[i]) == 0 && !isnan(number)) {
            sonde__grid_integer(grid, 0, (int64_t)number);
            return;
        }
    }
    for (size_t i = 0; i < sizeof nats / sizeof *nats; i++) {
        if (strcmp(key, nats[i]) == 0) {
            sonde__grid_put(grid, 0, sonde__fixed(number, 2).text);
            return;
        }
    }
    sonde__grid_put(grid, 0, sonde__short(fabs(number) < 1e-12 ? 0.0 : number).text);
}

void sonde__grid_heads(sonde__grid *grid, const char *const *head, int32_t n, int32_t n_left) {
    for (int32_t i = 0; i < n; i++) {
        sonde__grid_put(grid, i < n_left ? SONDE__LEFT : 0u, head[i]);
    }
}

/* ------------------------------------------------------------------------------------- kinds -- */

/* Whether a text has "KEY": "VALUE" among its first letters; all our documents open with what they
 * are. */
static bool opens_with(const char *data, const kind *one) {
    enum { FIRST = 400 };
    char head[FIRST + 1];
    char key[32];
    (void)snprintf(head, sizeof head, "%s", data);
    (void)snprintf(key, sizeof key, "\"%s\"", one->key);
    const char *at = strstr(head, key);
    const size_t length = strlen(one->value);
    if (at == NULL) {
        return false;
    }
    at += strlen(key);
    at += strspn(at, " \t\r\n:");
    return *at == '"' && strncmp(at + 1, one->value, length) == 0 && at[length + 1] == '"';
}

bool sonde__document_begins(const char *data) {
    bool found = false;
    for (size_t i = 0; i < N_KIND; i++) {
        found = found || opens_with(data, &kinds[i]);
    }
    return found;
}

static const kind *kind_of(const json_t *root) {
    for (size_t i = 0; i < N_KIND; i++) {
        if (strcmp(sonde__words_at(root, kinds[i].key), kinds[i].value) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

/* Reads a document that can be reported. */
static sonde_status open_document(const sonde_source *source, sonde__document *d,
                                  const kind **found) {
    sonde_status status = sonde__json_parse(&d->reader, source, d->folder.error);
    if (status != SONDE_OK) {
        return status;
    }
    *found = kind_of(d->reader.root);
    if (*found == NULL) {
        (void)sonde__json_wrong(&d->reader, "expected the results of a study, or a " REPORTED
                                            ", found another");
    } else if (strcmp((*found)->key, "format") != 0 ||
               sonde__json_format(&d->reader, (*found)->value, 1)) {
        (void)(*found)->check(&d->reader);
    }
    return d->reader.status;
}

/* --------------------------------------------------------------------------------------- all -- */

/* How many letters of a document come before its closing bracket, or before the tables that a
 * report has put there. */
static size_t length_of(const sonde__document *d, const char *data, size_t size) {
    static const char tables[] = ",\n\"tables\": [";
    const size_t width = json_object_get(d->reader.root, "tables") != NULL ? sizeof tables - 1 : 1;
    size_t at = size;
    do {
        at--;
    } while (at > 0 && strncmp(data + at, width > 1 ? tables : "}", width) != 0);
    return at > 0 ? at : size;
}

/* The document as it is, and its tables. */
static sonde_status add_document(sonde__document *d, const kind *found, const char *data,
                                 size_t size) {
    sonde_text_add(&d->folder.json, "%.*s", (int)length_of(d, data, size), data);
    sonde__folder_tables_open(&d->folder);
    const sonde_status status = found->tables(d);
    sonde__folder_tables_close(&d->folder);
    sonde_text_add(&d->folder.json, "}\n");
    return status;
}

/* What a document is called: its model, or its file. */
static const char *name_of(const sonde__document *d, const char *path) {
    const json_t *root = d->reader.root;
    const char *model = sonde__words_at(json_object_get(root, "names"), "model");
    const char *name = sonde__words_at(root, "name");
    const char *slash = strrchr(path, '/');
    return *model != '\0' ? model : *name != '\0' ? name : slash != NULL ? slash + 1 : path;
}

/* Either a folder or HTML. */
static sonde_status write_document(const char *path, sonde__document *d, const char *page,
                                   sonde_text *html) {
    enum { MOST = 1 << 30 };
    char *data = NULL;
    size_t size = 0;
    sonde_error *error = d->folder.error;
    sonde_status status = sonde__json_slurp(path, &data, &size, error);
    if (status == SONDE_OK && size > MOST) {
        status = sonde__fail(error, SONDE_TOO_LARGE, "%s: is more than a page holds", path);
    }
    const sonde_source source = {.origin = path, .data = data, .size = size};
    const kind *found = NULL;
    status = status == SONDE_OK ? open_document(&source, d, &found) : status;
    status = status == SONDE_OK ? sonde__folder_make(&d->folder) : status;
    status = status == SONDE_OK ? add_document(d, found, data, size) : status;
    if (status == SONDE_OK && html != NULL) {
        status = sonde__page_study(page, &d->folder, html);
    } else if (status == SONDE_OK) {
        status = sonde__folder_summary(&d->folder);
        status = status == SONDE_OK
                     ? sonde__folder_page(&d->folder, page, found->title, name_of(d, path))
                     : status;
    }
    if (status == SONDE_OK && d->text->failed) {
        status = sonde__fail_memory(error, path, d->text->size);
    }
    sonde__json_close(&d->reader);
    sonde__folder_free(&d->folder);
    sonde__free(data);
    return status;
}

static sonde_status report_document(const char *path, const char *folder, const char *page,
                                    sonde_text *text, sonde_error *error) {
    sonde__document d = {.folder = {.path = folder, .error = error}, .text = text};
    return write_document(path, &d, page, NULL);
}

sonde_status sonde__document_view(const char *path, const char *page, sonde_text *html,
                                  sonde_error *error) {
    sonde_text text = {0};
    sonde__document d = {.folder = {.error = error}, .text = &text};
    const sonde_status status = write_document(path, &d, page, html);
    sonde_text_free(&text);
    return status;
}

enum { DOCUMENT, STUDY, OTHER };

/* What a file is, by how it begins: a document's first character that is no space opens an object,
 * or the file is packed; a study's file begins as SQLite's do. A file that cannot be read is taken
 * for a study, which says so. */
static int file_is(const char *path) {
    static const char magic[] = "SQLite format 3";
    char head[64] = {0};
    FILE *file = fopen(path, "rb");
    const size_t n = file != NULL ? fread(head, 1, sizeof head - 1, file) : 0;
    const bool failed = file == NULL || ferror(file) != 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    if (failed || (n >= sizeof magic && memcmp(head, magic, sizeof magic) == 0)) {
        return STUDY;
    }
    const size_t mark = strncmp(head, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    const size_t blank = mark + strspn(head + mark, " \t\r\n");
    const bool packed = strncmp(head, "\x1f\x8b", 2) == 0;
    return packed || head[blank] == '{' || blank == sizeof head - 1 ? DOCUMENT : OTHER;
}

sonde_status sonde_report(const char *path, const char *folder, const char *page,
                          const sonde_run *run, sonde_text *text, sonde_error *error) {
    switch (file_is(path)) {
    case DOCUMENT: return report_document(path, folder, page, text, error);
    case STUDY: return sonde_report_study(path, folder, page, run, text, error);
    default:
        return sonde__fail(error, SONDE_BAD_INPUT,
                           "%s: expected the results of a study (an SQLite file), or a " REPORTED
                           ", found something else",
                           path);
    }
}
