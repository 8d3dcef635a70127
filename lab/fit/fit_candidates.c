/* fit_candidates.c: models that were fitted to the same subjects, from files.
 *
 * A file is a result of sonde fit, and then one model, or a table of log evidences, and then all of
 * them. The first fit says who the subjects are; the others have the same, in any order. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/name.h"
#include "base/text.h"
#include "fit/fit_table.h"
#include "sonde_fit.h"

/* Candidates, and what they are made of. */
typedef struct {
    sonde_candidates shown; /* first, so that it can be freed by its address */
    sonde__pool pool;
} candidates;

/* While they are read. */
typedef struct {
    candidates *c;
    const char *const *path; /* (n_path) */
    int32_t n_path;
    sonde__reader *reader; /* (n_path) of fits */
    sonde_error *error;
    sonde_status status;
    const char **subject;
    const char **model;
    const char **parameter;
    double *evidence;
    double *log_likelihood;
    double *n_free;
    double *n_shared;
    double *n_choice;
    double *estimate;
    double *variance;
} reading;

static void *take(reading *r, uint64_t n, size_t size) {
    void *piece = r->status ? NULL : sonde__pool_take(&r->c->pool, n, size);
    if (piece == NULL && !r->status) {
        r->status = sonde__fail_memory(r->error, "the models to compare", sonde__multiply(n, size));
    }
    return piece;
}

#define TAKE(r, type, n) ((type *)take((r), (uint64_t)(n), sizeof(type)))

static const char *copy(reading *r, const char *text, size_t size) {
    char *made = TAKE(r, char, size + 1);
    if (made != NULL) {
        memcpy(made, text, size);
    }
    return made;
}

/* n numbers that nobody knows yet. */
static double *take_unknown(reading *r, uint64_t n) {
    double *number = TAKE(r, double, n);
    for (uint64_t i = 0; number != NULL && i < n; i++) {
        number[i] = NAN;
    }
    return number;
}

/* Takes room for what is known of so many subjects and models. */
static void take_rows(reading *r, int32_t n_subject, int32_t n_model) {
    sonde_candidates *shown = &r->c->shown;
    shown->n_subject = n_subject;
    shown->n_model = n_model;
    const uint64_t n = (uint64_t)n_subject * (uint64_t)n_model;
    shown->subject = r->subject = TAKE(r, const char *, n_subject);
    shown->model = r->model = TAKE(r, const char *, n_model);
    shown->evidence = r->evidence = take_unknown(r, n);
    shown->log_likelihood = r->log_likelihood = take_unknown(r, n);
    shown->n_free = r->n_free = take_unknown(r, (uint64_t)n_model);
    shown->n_shared = r->n_shared = TAKE(r, double, n_model);
    shown->n_choice = r->n_choice = take_unknown(r, (uint64_t)n_subject);
}

/* ----------------------------------------------------------------------------------- tables -- */

static void read_evidence(reading *r, const sonde__sheet *sheet, int32_t row, int32_t named) {
    const int32_t n_model = r->c->shown.n_model;
    for (int32_t column = 0, k = 0; !r->status && column < sheet->n_column; column++) {
        if (column == named) {
            continue;
        }
        const char *cell = sonde__sheet_cell(sheet, row, column);
        if (!sonde__sheet_number(cell, &r->evidence[(int64_t)row * n_model + k])) {
            r->status = sonde__sheet_expected(sheet, row, column, "a log evidence", r->error);
        }
        k++;
    }
}

static void name_subject(reading *r, const sonde__sheet *sheet, int32_t row, int32_t named) {
    char number[16];
    const char *name = number;
    const int length = snprintf(number, sizeof number, "%d", (int)row + 1);
    size_t size = (size_t)length;
    if (named >= 0) {
        name = sonde__sheet_cell(sheet, row, named);
        size = strlen(name);
    }
    for (int32_t i = 0; i < row; i++) {
        if (strcmp(r->subject[i], name) == 0) {
            r->status = sonde__fail(r->error, SONDE_BAD_INPUT,
                                    "%s: row %d: expected one row for each subject, found a second "
                                    "one of \"%s\"",
                                    sheet->origin, (int)row + 1, name);
            return;
        }
    }
    r->subject[row] = copy(r, name, size);
}

static void read_table(reading *r, char *text) {
    sonde__sheet sheet;
    r->status = sonde__sheet_read(r->path[0], text, &sheet, r->error);
    if (!r->status) {
        const int32_t named = sonde__sheet_column(&sheet, "subject");
        take_rows(r, sheet.n_row, sheet.n_column - (named >= 0 ? 1 : 0));
        for (int32_t column = 0, k = 0; !r->status && column < sheet.n_column; column++) {
            if (column != named) {
                r->model[k++] = copy(r, sheet.head[column], strlen(sheet.head[column]));
            }
        }
        for (int32_t row = 0; !r->status && row < sheet.n_row; row++) {
            name_subject(r, &sheet, row, named);
            read_evidence(r, &sheet, row, named);
        }
    }
    sonde__sheet_free(&sheet);
}

/* ------------------------------------------------------------------------------------- fits -- */

/* The list that a fit has under a key. */
static json_t *list_of(reading *r, int32_t k, const char *key) {
    sonde__reader *reader = &r->reader[k];
    json_t *list = json_object_get(reader->root, key);
    if (!json_is_array(list) || (json_array_size(list) == 0 && strcmp(key, "subjects") == 0)) {
        (void)sonde__json_expected(reader, key, "a list, as in a result of sonde fit", list);
        r->status = reader->status;
        return NULL;
    }
    return list;
}

/* A number of an object, which may be missing where `needed` is not set. */
static void read_number(reading *r, int32_t k, const char *path, const json_t *value, bool needed,
                        double *number) {
    sonde__reader *reader = &r->reader[k];
    if (value == NULL && !needed) {
        return;
    }
    if (!json_is_number(value) || !isfinite(json_number_value(value))) {
        (void)sonde__json_expected(reader, path, "a number", value);
        r->status = reader->status;
        return;
    }
    *number = json_number_value(value);
}

/* The i-th subject of a fit by its name; NULL and an error where it has none. */
static const char *subject_name(reading *r, int32_t k, json_t *list, size_t i) {
    const json_t *name = json_object_get(json_array_get(list, i), "subject");
    if (!json_is_string(name)) {
        const sonde__path path = sonde__at("subjects[%d].subject", (int)i);
        (void)sonde__json_expected(&r->reader[k], path.text, "a name", name);
        r->status = r->reader[k].status;
        return NULL;
    }
    return json_string_value(name);
}

/* The object of a subject in a fit; NULL and an error where it is missing, or there twice. */
static json_t *find_subject(reading *r, int32_t k, json_t *list, const char *name) {
    json_t *found = NULL;
    for (size_t i = 0; !r->status && i < json_array_size(list); i++) {
        const char *here = subject_name(r, k, list, i);
        if (here != NULL && strcmp(here, name) == 0) {
            if (found != NULL) {
                r->status = sonde__fail(r->error, SONDE_BAD_INPUT,
                                        "%s: expected each subject once, found \"%s\" twice",
                                        r->path[k], name);
            }
            found = json_array_get(list, i);
        }
    }
    if (found == NULL && !r->status) {
        r->status = sonde__fail(r->error, SONDE_BAD_INPUT,
                                "%s: expected the subjects of %s, found no \"%s\"", r->path[k],
                                r->path[0], name);
    }
    return found;
}

/* What a parameter of a fit is called there, with its scale; NULL where the fit has none. */
static const json_t *find_parameter(reading *r, int32_t k, const char *name) {
    const json_t *list = json_object_get(r->reader[k].root, "parameters");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *parameter = json_array_get(list, i);
        const char *here = json_string_value(json_object_get(parameter, "name"));
        if (here != NULL && strcmp(here, name) == 0) {
            return parameter;
        }
    }
    return NULL;
}

static bool is_shared(const json_t *parameter) {
    return json_is_true(json_object_get(parameter, "shared"));
}

/* Whether fits, two or more, have a parameter of this name, all on the same scale. */
static bool is_common(reading *r, const char *name) {
    const char *scale = NULL;
    int32_t n = 0;
    for (int32_t k = 0; k < r->n_path; k++) {
        const json_t *parameter = find_parameter(r, k, name);
        const char *here = json_string_value(json_object_get(parameter, "transform"));
        if (parameter == NULL) {
            continue;
        }
        here = here ? here : "identity";
        if (scale != NULL && strcmp(scale, here) != 0) {
            return false;
        }
        scale = here;
        n++;
    }
    return n >= 2;
}

/* Lists the parameters that can be averaged. */
static void find_common(reading *r) {
    uint64_t n_most = 0;
    for (int32_t k = 0; k < r->n_path; k++) {
        n_most += json_array_size(json_object_get(r->reader[k].root, "parameters"));
    }
    sonde_candidates *shown = &r->c->shown;
    shown->parameter = r->parameter = TAKE(r, const char *, n_most);
    for (int32_t k = 0; !r->status && k < r->n_path; k++) {
        const json_t *list = json_object_get(r->reader[k].root, "parameters");
        for (size_t i = 0; !r->status && i < json_array_size(list); i++) {
            const char *name = json_string_value(json_object_get(json_array_get(list, i), "name"));
            bool known = name == NULL || !is_common(r, name);
            for (int32_t p = 0; !known && p < shown->n_parameter; p++) {
                known = strcmp(r->parameter[p], name) == 0;
            }
            if (!known) {
                r->parameter[shown->n_parameter++] = copy(r, name, strlen(name));
            }
        }
    }
}

/* The estimates of one subject in one fit. */
static void read_estimates(reading *r, int32_t k, int32_t n, const json_t *subject) {
    const sonde_candidates *shown = &r->c->shown;
    for (int32_t p = 0; !r->status && p < shown->n_parameter; p++) {
        const int64_t at = ((int64_t)n * shown->n_model + k) * shown->n_parameter + p;
        const char *name = r->parameter[p];
        double sd = 0.0;
        const sonde__path path = sonde__at("subjects[%d].map.%s", (int)n, name);
        read_number(r, k, path.text, json_object_get(json_object_get(subject, "map"), name), false,
                    &r->estimate[at]);
        if (!r->status && !isnan(r->estimate[at])) {
            read_number(r, k, path.text, json_object_get(json_object_get(subject, "sd"), name),
                        false, &sd);
            r->variance[at] = sd * sd;
        }
    }
}

static void read_subject(reading *r, int32_t k, int32_t n, const json_t *subject) {
    const int64_t at = (int64_t)n * r->c->shown.n_model + k;
    const sonde__path evidence = sonde__at("subjects[%d].evidence", (int)n);
    const sonde__path likelihood = sonde__at("subjects[%d].log_likelihood", (int)n);
    const sonde__path choices = sonde__at("subjects[%d].n", (int)n);
    read_number(r, k, evidence.text, json_object_get(subject, "evidence"), true, &r->evidence[at]);
    if (!r->status) {
        read_number(r, k, likelihood.text, json_object_get(subject, "log_likelihood"), false,
                    &r->log_likelihood[at]);
    }
    double n_choice = NAN;
    if (!r->status) {
        read_number(r, k, choices.text, json_object_get(subject, "n"), false, &n_choice);
    }
    if (!r->status && !isnan(r->n_choice[n]) && n_choice != r->n_choice[n] && !isnan(n_choice)) {
        r->status = sonde__fail(r->error, SONDE_BAD_INPUT,
                                "%s: %s: expected %g actions, as in the other fits, found %g: "
                                "evidences of different data cannot be compared",
                                r->path[k], choices.text, r->n_choice[n], n_choice);
    }
    r->n_choice[n] = isnan(n_choice) ? r->n_choice[n] : n_choice;
    if (!r->status) {
        read_estimates(r, k, n, subject);
    }
}

/* How many parameters a fit has: one for each estimate of a subject, less those that all subjects
 * share. */
static void count_parameters(reading *r, int32_t k, const json_t *subject) {
    const json_t *map = json_object_get(subject, "map");
    const json_t *list = json_object_get(r->reader[k].root, "parameters");
    double n_shared = 0.0;
    double n_shared_here = 0.0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *parameter = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(parameter, "name"));
        if (name != NULL && is_shared(parameter)) {
            n_shared += 1.0;
            n_shared_here += json_object_get(map, name) != NULL ? 1.0 : 0.0;
        }
    }
    r->n_free[k] = (json_is_object(map) ? (double)json_object_size(map)
                                        : (double)json_array_size(list) - n_shared) -
                   n_shared_here;
    r->n_shared[k] = n_shared;
}

static void read_fit(reading *r, int32_t k) {
    json_t *list = list_of(r, k, "subjects");
    const size_t n_wanted = (size_t)r->c->shown.n_subject;
    if (!r->status && json_array_size(list) != n_wanted) {
        r->status =
            sonde__fail(r->error, SONDE_BAD_INPUT, "%s: expected the %d subjects of %s, found %d",
                        r->path[k], (int)n_wanted, r->path[0], (int)json_array_size(list));
    }
    if (!r->status) {
        count_parameters(r, k, json_array_get(list, 0));
    }
    for (int32_t n = 0; !r->status && n < r->c->shown.n_subject; n++) {
        const json_t *subject = find_subject(r, k, list, r->subject[n]);
        if (!r->status) {
            read_subject(r, k, n, subject);
        }
    }
}

/* What a fit is called: by itself, or by its file without folder and ending. */
static void name_fit(reading *r, int32_t k) {
    const char *name = json_string_value(json_object_get(r->reader[k].root, "name"));
    size_t size = name ? strlen(name) : 0;
    if (name == NULL) {
        const char *slash = strrchr(r->path[k], '/');
        name = slash ? slash + 1 : r->path[k];
        const char *ending = strstr(name, ".json");
        size = ending != NULL && ending > name ? (size_t)(ending - name) : strlen(name);
    }
    r->model[k] = copy(r, name, size);
}

/* Names that are not different are those of the files, whole. */
static void tell_apart(reading *r) {
    const int32_t n_model = r->c->shown.n_model;
    bool same = false;
    for (int32_t k = 0; !r->status && k < n_model; k++) {
        for (int32_t j = 0; j < k; j++) {
            same = same || strcmp(r->model[j], r->model[k]) == 0;
        }
    }
    for (int32_t k = 0; same && !r->status && k < n_model; k++) {
        r->model[k] = copy(r, r->path[k], strlen(r->path[k]));
        for (int32_t j = 0; !r->status && j < k; j++) {
            if (strcmp(r->path[j], r->path[k]) == 0) {
                r->status = sonde__fail(r->error, SONDE_BAD_ARGUMENT,
                                        "expected different fits, found \"%s\" twice", r->path[k]);
            }
        }
    }
}

/* Whether all documents are fits, of a version that is known. */
static void check_fits(reading *r) {
    for (int32_t k = 0; !r->status && k < r->n_path; k++) {
        if (!sonde__json_format(&r->reader[k], "sonde-fit", 1)) {
            r->status = r->reader[k].status;
        } else {
            (void)list_of(r, k, "parameters");
        }
    }
}

static void read_fits(reading *r) {
    check_fits(r);
    json_t *list = r->status ? NULL : list_of(r, 0, "subjects");
    if (r->status) {
        return;
    }
    take_rows(r, (int32_t)json_array_size(list), r->n_path);
    find_common(r);
    sonde_candidates *shown = &r->c->shown;
    const uint64_t n = sonde__multiply((uint64_t)shown->n_subject * (uint64_t)shown->n_model,
                                       (uint64_t)shown->n_parameter);
    shown->estimate = r->estimate = take_unknown(r, n);
    shown->variance = r->variance = take_unknown(r, n);
    for (int32_t i = 0; !r->status && i < shown->n_subject; i++) {
        const char *name = subject_name(r, 0, list, (size_t)i);
        r->subject[i] = name ? copy(r, name, strlen(name)) : NULL;
    }
    for (int32_t k = 0; !r->status && k < r->n_path; k++) {
        name_fit(r, k);
    }
    tell_apart(r);
    for (int32_t k = 0; !r->status && k < r->n_path; k++) {
        read_fit(r, k);
    }
}

/* -------------------------------------------------------------------------------- families -- */

/* The model of a name, or of a file. */
static int32_t find_model(const reading *r, const char *word) {
    const sonde_candidates *shown = &r->c->shown;
    for (int32_t k = 0; k < shown->n_model; k++) {
        if (strcmp(shown->model[k], word) == 0 ||
            (r->n_path == shown->n_model && strcmp(r->path[k], word) == 0)) {
            return k;
        }
    }
    return -1;
}

static void join_family(reading *r, const char *text, const char *member, int32_t f,
                        int32_t *family_of) {
    const sonde_candidates *shown = &r->c->shown;
    const int32_t k = find_model(r, member);
    if (k < 0) {
        const char *nearest = sonde__name_nearest(shown->model, shown->n_model, member);
        r->status = sonde__fail(r->error, SONDE_BAD_ARGUMENT,
                                "family \"%s\": expected a model, found \"%s\"%s%s%s", text, member,
                                nearest ? "; did you mean \"" : "", nearest ? nearest : "",
                                nearest ? "\"?" : "");
    } else if (family_of[k] >= 0) {
        r->status = sonde__fail(r->error, SONDE_BAD_ARGUMENT,
                                "family \"%s\": expected each model in one family, found \"%s\" "
                                "in two",
                                text, member);
    } else {
        family_of[k] = f;
    }
}

/* "NAME=MODEL,MODEL" */
static void read_family(reading *r, const char *text, int32_t f, const char **family,
                        int32_t *family_of) {
    const size_t length = strcspn(text, "=");
    if (length == 0 || text[length] == '\0' || text[length + 1] == '\0') {
        r->status = sonde__fail(r->error, SONDE_BAD_ARGUMENT,
                                "family: expected NAME=MODEL,MODEL, found \"%s\"", text);
        return;
    }
    family[f] = copy(r, text, length);
    for (int32_t i = 0; !r->status && i < f; i++) {
        if (strcmp(family[i], family[f]) == 0) {
            r->status =
                sonde__fail(r->error, SONDE_BAD_ARGUMENT,
                            "family: expected different names, found \"%s\" twice", family[f]);
        }
    }
    const char *at = text + length;
    while (!r->status && *at != '\0') {
        at++;
        const size_t size = strcspn(at, ",");
        const char *member = copy(r, at, size);
        if (!r->status) {
            join_family(r, text, member, f, family_of);
        }
        at += size;
    }
}

static void read_families(reading *r, const char *const *text, int32_t n) {
    sonde_candidates *shown = &r->c->shown;
    const char **family = TAKE(r, const char *, n);
    int32_t *family_of = TAKE(r, int32_t, shown->n_model);
    for (int32_t k = 0; !r->status && k < shown->n_model; k++) {
        family_of[k] = -1;
    }
    for (int32_t f = 0; !r->status && f < n; f++) {
        read_family(r, text[f], f, family, family_of);
    }
    for (int32_t k = 0; !r->status && k < shown->n_model; k++) {
        if (family_of[k] < 0) {
            r->status = sonde__fail(r->error, SONDE_BAD_ARGUMENT,
                                    "family: expected every model in one, found none for \"%s\"",
                                    shown->model[k]);
        }
    }
    shown->n_family = n;
    shown->family = family;
    shown->family_of = family_of;
}

/* -------------------------------------------------------------------------------- together -- */

static bool is_document(const char *text) {
    text += strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    return text[strspn(text, " \t\r\n")] == '{';
}

/* Reads every file as a fit, or the only one as a table. */
static void read_files(reading *r) {
    r->reader = TAKE(r, sonde__reader, r->n_path);
    for (int32_t k = 0; !r->status && k < r->n_path; k++) {
        char *text = NULL;
        size_t size = 0;
        r->status = sonde__json_slurp(r->path[k], &text, &size, r->error);
        if (!r->status && !is_document(text)) {
            if (r->n_path > 1) {
                r->status = sonde__fail(r->error, SONDE_BAD_INPUT,
                                        "%s: expected a result of sonde fit, as with several "
                                        "files, or one table alone",
                                        r->path[k]);
            } else {
                read_table(r, text);
                return;
            }
        }
        if (!r->status) {
            const sonde_source source = {.origin = r->path[k], .data = text, .size = size};
            r->status = sonde__json_parse(&r->reader[k], &source, r->error);
        }
        sonde__free(text);
    }
    if (!r->status) {
        read_fits(r);
    }
}

void sonde_candidates_free(sonde_candidates *shown) {
    candidates *c = (candidates *)(void *)shown;
    if (c != NULL) {
        sonde__pool_free(&c->pool);
        sonde__free(c);
    }
}

sonde_status sonde_candidates_read(const char *const *path, int32_t n_path,
                                   const char *const *family, int32_t n_family,
                                   sonde_candidates **shown, sonde_error *error) {
    *shown = NULL;
    reading r = {.path = path, .n_path = n_path, .error = error};
    r.c = sonde__alloc(sizeof *r.c);
    if (r.c == NULL) {
        return sonde__fail_memory(error, "the models to compare", sizeof *r.c);
    }
    if (n_path > 0) {
        read_files(&r);
    }
    if (!r.status && r.c->shown.n_model < 2) {
        r.status = sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "expected two models or more to compare, found %d",
                               (int)r.c->shown.n_model);
    }
    if (!r.status && r.c->shown.n_subject < 2) {
        r.status = sonde__fail(error, SONDE_BAD_INPUT,
                               "%s: expected two subjects or more, found %d: how frequent models "
                               "are among subjects cannot be told",
                               path[0], (int)r.c->shown.n_subject);
    }
    if (!r.status && n_family > 0) {
        read_families(&r, family, n_family);
    }
    for (int32_t k = 0; r.reader != NULL && k < n_path; k++) {
        sonde__json_close(&r.reader[k]);
    }
    if (r.status) {
        sonde_candidates_free(&r.c->shown);
        return r.status;
    }
    *shown = &r.c->shown;
    return SONDE_OK;
}
