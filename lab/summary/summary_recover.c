/* summary_recover.c: tables of a recovery, of the power of a study, and of a comparison of models,
 * from their documents.
 *
 *     recovery    of each model and parameter: r, bias, RMSE, coverage, shrinkage
 *     recovered   what was true and what was found; as CSV of every subject
 *     confusion   which model is found where which is true
 *     power       how often a difference between groups is seen, by the number of subjects
 *     models      frequencies, exceedance, evidence of models; families the same of theirs
 *     members     how probable each model is for each subject */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "summary/summary_document.h"

static const json_t *part(const sonde__document *d, const char *key) {
    return json_object_get(d->reader.root, key);
}

static const char *name_at(const json_t *list, size_t i, const char *key) {
    return sonde__words_at(json_array_get(list, i), key);
}

static double cell_at(const json_t *matrix, size_t i, size_t j) {
    return sonde__item(json_array_get(matrix, i), j);
}

/* "0.37 to 0.77" */
static void put_range(sonde__grid *grid, const json_t *pair) {
    char words[128];
    (void)snprintf(words, sizeof words, "%s to %s", sonde__short(sonde__item(pair, 0)).text,
                   sonde__short(sonde__item(pair, 1)).text);
    sonde__grid_put(grid, SONDE__LEFT, words);
}

/* Whether a key has a list of objects. */
static bool has_list(sonde__reader *reader, const char *key) {
    const json_t *list = json_object_get(reader->root, key);
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!json_is_object(json_array_get(list, i))) {
            return sonde__json_expected(reader, key, "objects", json_array_get(list, i));
        }
    }
    return json_array_size(list) > 0 ? true
                                     : sonde__json_expected(reader, key, "a list of them", list);
}

/* ---------------------------------------------------------------------------------- recovery -- */

bool sonde__recovery_check(sonde__reader *reader) {
    return has_list(reader, "models");
}

static const char *const measure[] = {"bias", "rmse", "coverage", "shrinkage"};
enum { N_MEASURE = sizeof measure / sizeof *measure };

/* One parameter of one model, for people and for programs. */
static void put_recovery(sonde__grid *grid, sonde__grid *list, const char *model,
                         const json_t *parameter) {
    const json_t *interval = json_object_get(parameter, "r_interval");
    const char *name = sonde__words_at(parameter, "name");
    sonde__grid_put(grid, SONDE__LEFT, model);
    sonde__grid_put(list, SONDE__LEFT, model);
    sonde__grid_put(grid, SONDE__LEFT, name);
    sonde__grid_put(list, SONDE__LEFT, name);
    sonde__grid_short(grid, sonde__number_at(parameter, "r"));
    put_range(grid, interval);
    sonde__grid_number(list, sonde__number_at(parameter, "r"));
    sonde__grid_number(list, sonde__item(interval, 0));
    sonde__grid_number(list, sonde__item(interval, 1));
    for (size_t k = 0; k < N_MEASURE; k++) {
        sonde__grid_short(grid, sonde__number_at(parameter, measure[k]));
        sonde__grid_number(list, sonde__number_at(parameter, measure[k]));
    }
    const double sd = sonde__item(json_object_get(parameter, "prior"), 1);
    sonde__grid_short(grid, sd);
    sonde__grid_number(list, sd);
}

static sonde_status add_recovery(sonde__document *d) {
    static const char *const head[] = {"model", "parameter", "r",         "95 % interval", "bias",
                                       "RMSE",  "coverage",  "shrinkage", "prior sd"};
    static const char *const plain[] = {"model", "parameter", "r",        "r_low",     "r_high",
                                        "bias",  "rmse",      "coverage", "shrinkage", "prior_sd"};
    const json_t *models = part(d, "models");
    sonde__grid grid = {.name = "recovery", .n_column = 9, .n_head = 1};
    sonde__grid list = {.name = "recovery", .n_column = 10, .n_head = 1};
    sonde__grid_heads(&grid, head, 9, 2);
    sonde__grid_heads(&list, plain, 10, 2);
    for (size_t m = 0; m < json_array_size(models); m++) {
        const json_t *parameters = json_object_get(json_array_get(models, m), "parameters");
        for (size_t p = 0; p < json_array_size(parameters); p++) {
            put_recovery(&grid, &list, name_at(models, m, "model"), json_array_get(parameters, p));
        }
    }
    sonde__grid_text(&grid, d->text);
    return sonde__folder_table(&d->folder, &grid, &list);
}

/* True and found, subject by subject; the page has the figure, and the file every number. */
static sonde_status add_recovered(sonde__document *d) {
    static const char *const head[] = {"model", "subject", "parameter", "true", "estimate", "sd"};
    const json_t *models = part(d, "models");
    sonde__grid grid = {.name = "recovered", .n_column = 6, .n_head = 1};
    sonde__grid list = {.name = "recovered", .n_column = 6, .n_head = 1};
    sonde__grid_heads(&grid, head, 6, 3);
    sonde__grid_heads(&list, head, 6, 3);
    for (size_t m = 0; m < json_array_size(models); m++) {
        const json_t *model = json_array_get(models, m);
        const json_t *parameters = json_object_get(model, "parameters");
        const json_t *subjects = json_object_get(model, "subjects");
        const size_t n = json_array_size(parameters);
        for (size_t i = 0; i < json_array_size(subjects) * n; i++) {
            const json_t *subject = json_array_get(subjects, i / n);
            const size_t p = i % n;
            sonde__grid *const both[] = {&list, &grid};
            const double truth = sonde__item(json_object_get(subject, "true"), p);
            const double found = sonde__item(json_object_get(subject, "map"), p);
            const double sd = sqrt(cell_at(json_object_get(subject, "covariance"), p, p));
            for (int32_t k = 0; k < 2; k++) {
                sonde__grid_put(both[k], SONDE__LEFT, sonde__words_at(model, "model"));
                sonde__grid_put(both[k], SONDE__LEFT, sonde__words_at(subject, "subject"));
                sonde__grid_put(both[k], SONDE__LEFT, name_at(parameters, p, "name"));
            }
            sonde__grid_number(&list, truth);
            sonde__grid_number(&list, found);
            sonde__grid_number(&list, sd);
            sonde__grid_short(&grid, truth);
            sonde__grid_short(&grid, found);
            sonde__grid_short(&grid, sd);
        }
    }
    return sonde__folder_table(&d->folder, &grid, &list);
}

static sonde_status add_confusion(sonde__document *d) {
    static const char *const key[] = {"share", "pxp", "true_given_found"};
    static const char *const head[] = {"true", "found", "share", "pxp", "true given found"};
    const json_t *models = part(d, "models");
    const json_t *confusion = part(d, "confusion");
    const size_t n = json_is_object(confusion) ? json_array_size(models) : 0;
    sonde__grid grid = {.name = "confusion", .n_column = 5, .n_head = 1};
    sonde__grid list = {.name = "confusion", .n_column = 5, .n_head = 1};
    sonde__grid *const both[] = {&grid, &list};
    for (int32_t b = 0; b < 2; b++) {
        sonde__grid_heads(both[b], head, 5, 2);
        for (size_t i = 0; i < n * n; i++) {
            sonde__grid_put(both[b], SONDE__LEFT, name_at(models, i / n, "model"));
            sonde__grid_put(both[b], SONDE__LEFT, name_at(models, i % n, "model"));
            for (size_t k = 0; k < sizeof key / sizeof *key; k++) {
                const double number = cell_at(json_object_get(confusion, key[k]), i / n, i % n);
                if (b == 0) {
                    sonde__grid_short(&grid, number);
                } else {
                    sonde__grid_number(&list, number);
                }
            }
        }
    }
    return sonde__folder_table(&d->folder, &grid, &list);
}

sonde_status sonde__recovery_tables(sonde__document *document) {
    sonde_status status = add_recovery(document);
    status = status == SONDE_OK ? add_confusion(document) : status;
    return status == SONDE_OK ? add_recovered(document) : status;
}

/* ------------------------------------------------------------------------------------- power -- */

bool sonde__power_check(sonde__reader *reader) {
    return has_list(reader, "sizes");
}

sonde_status sonde__power_tables(sonde__document *document) {
    static const char *const head[] = {"subjects",  "found",      "95 % interval", "found without",
                                       "mean beta", "sd of beta", "coverage"};
    static const char *const plain[] = {"subjects",      "found", "found_low", "found_high",
                                        "found_without", "beta",  "sd",        "coverage"};
    static const char *const key[] = {"found_without", "beta", "sd", "coverage"};
    const json_t *sizes = part(document, "sizes");
    sonde__grid grid = {.name = "power", .n_column = 7, .n_head = 1};
    sonde__grid list = {.name = "power", .n_column = 8, .n_head = 1};
    sonde__grid_heads(&grid, head, 7, 0);
    sonde__grid_heads(&list, plain, 8, 0);
    for (size_t i = 0; i < json_array_size(sizes); i++) {
        const json_t *one = json_array_get(sizes, i);
        const json_t *interval = json_object_get(one, "found_interval");
        sonde__grid_number(&grid, sonde__number_at(one, "subjects"));
        sonde__grid_number(&list, sonde__number_at(one, "subjects"));
        sonde__grid_short(&grid, sonde__number_at(one, "found"));
        put_range(&grid, interval);
        sonde__grid_number(&list, sonde__number_at(one, "found"));
        sonde__grid_number(&list, sonde__item(interval, 0));
        sonde__grid_number(&list, sonde__item(interval, 1));
        for (size_t k = 0; k < sizeof key / sizeof *key; k++) {
            sonde__grid_short(&grid, sonde__number_at(one, key[k]));
            sonde__grid_number(&list, sonde__number_at(one, key[k]));
        }
    }
    sonde__grid_text(&grid, document->text);
    return sonde__folder_table(&document->folder, &grid, &list);
}

/* -------------------------------------------------------------------------------- comparison -- */

bool sonde__comparison_check(sonde__reader *reader) {
    return has_list(reader, "models") && has_list(reader, "subjects");
}

/* Objects of a list as rows: their name, and numbers by keys. */
static sonde_status add_objects(sonde__document *d, const char *table, const char *name,
                                const char *const *key, int32_t n_key) {
    const json_t *objects = part(d, table);
    sonde__grid grid = {.name = table, .n_column = n_key + 1, .n_head = 1};
    sonde__grid list = {.name = table, .n_column = n_key + 1, .n_head = 1};
    sonde__grid *const both[] = {&grid, &list};
    for (int32_t b = 0; b < 2; b++) {
        sonde__grid_heads(both[b], &name, 1, 1);
        sonde__grid_heads(both[b], key, n_key, 0);
        for (size_t i = 0; i < json_array_size(objects); i++) {
            const json_t *one = json_array_get(objects, i);
            sonde__grid_put(both[b], SONDE__LEFT, sonde__words_at(one, name));
            for (int32_t k = 0; k < n_key; k++) {
                if (b == 0) {
                    sonde__grid_keyed(&grid, key[k], sonde__number_at(one, key[k]));
                } else {
                    sonde__grid_number(&list, sonde__number_at(one, key[k]));
                }
            }
        }
    }
    if (d->text->size == 0) {
        sonde__grid_text(&grid, d->text);
    }
    return sonde__folder_table(&d->folder, &grid, &list);
}

/* How probable each model is for each subject. */
static sonde_status add_members(sonde__document *d) {
    const json_t *models = part(d, "models");
    const json_t *subjects = part(d, "subjects");
    const size_t n = json_array_size(models);
    const char *const first = "subject";
    sonde__grid grid = {.name = "members", .n_column = (int32_t)n + 1, .n_head = 1};
    sonde__grid list = {.name = "members", .n_column = (int32_t)n + 1, .n_head = 1};
    sonde__grid *const both[] = {&grid, &list};
    for (int32_t b = 0; b < 2; b++) {
        sonde__grid_heads(both[b], &first, 1, 1);
        for (size_t m = 0; m < n; m++) {
            sonde__grid_put(both[b], 0, name_at(models, m, "model"));
        }
    }
    for (size_t i = 0; i < json_array_size(subjects); i++) {
        const json_t *one = json_array_get(subjects, i);
        sonde__grid_put(&grid, SONDE__LEFT, sonde__words_at(one, "subject"));
        sonde__grid_put(&list, SONDE__LEFT, sonde__words_at(one, "subject"));
        for (size_t m = 0; m < n; m++) {
            sonde__grid_short(&grid, sonde__item(json_object_get(one, "g"), m));
            sonde__grid_number(&list, sonde__item(json_object_get(one, "g"), m));
        }
    }
    return sonde__folder_table(&d->folder, &grid, &list);
}

sonde_status sonde__comparison_tables(sonde__document *document) {
    static const char *const key[] = {"alpha", "r", "xp", "pxp", "evidence", "fixed", "AIC", "BIC"};
    sonde_status status = add_objects(document, "models", "model", key, 8);
    status = status == SONDE_OK ? add_objects(document, "families", "family", key, 3) : status;
    return status == SONDE_OK ? add_members(document) : status;
}
