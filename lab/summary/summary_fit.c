/* summary_fit.c: tables of a fit, from its document.
 *
 *     subjects    a row for each subject: estimates with intervals, likelihood, evidence
 *     parameters  priors, and what subjects have in common
 *     group       of a group: beta, se, z, interval
 *     weak        directions that the data of a subject say nothing about */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "summary/summary_document.h"

static const json_t *part(const sonde__document *d, const char *key) {
    return json_object_get(d->reader.root, key);
}

bool sonde__fit_check(sonde__reader *reader) {
    const json_t *subjects = json_object_get(reader->root, "subjects");
    const json_t *parameters = json_object_get(reader->root, "parameters");
    if (!json_is_array(parameters)) {
        return sonde__json_expected(reader, "parameters", "those of a fit", parameters);
    }
    for (size_t i = 0; i < json_array_size(subjects); i++) {
        const json_t *one = json_array_get(subjects, i);
        if (!json_is_object(json_object_get(one, "value"))) {
            return sonde__json_expected(reader, "subjects", "those of a fit", one);
        }
    }
    return json_array_size(subjects) > 0
               ? true
               : sonde__json_expected(reader, "subjects", "those of a fit", subjects);
}

/* ---------------------------------------------------------------------------------- subjects -- */

/* Names of all numbers that some subject has, each once, as an object; the caller frees it. NULL:
 * there is no memory. */
static json_t *names_of(const json_t *subjects) {
    json_t *names = json_object();
    for (size_t s = 0; names != NULL && s < json_array_size(subjects); s++) {
        const char *name = NULL;
        json_t *value = NULL;
        json_t *found = json_object_get(json_array_get(subjects, s), "value");
        json_object_foreach(found, name, value) {
            if (json_object_set_new_nocheck(names, name, json_null()) != 0) {
                json_decref(names);
                return NULL;
            }
        }
    }
    return names;
}

/* One number of a subject, with its interval. */
static void put_estimate(sonde__grid *grid, sonde__grid *list, const json_t *subject,
                         const char *name) {
    const json_t *interval = json_object_get(json_object_get(subject, "interval_90"), name);
    const double low = sonde__item(interval, 0);
    const double high = sonde__item(interval, 1);
    const double found = sonde__number_at(json_object_get(subject, "value"), name);
    char small[128];
    (void)snprintf(small, sizeof small, "[%s, %s]", sonde__short(low).text,
                   sonde__short(high).text);
    sonde__grid_add(grid, 0, 1, sonde__short(found).text, isnan(low) ? NULL : small);
    sonde__grid_number(list, found);
    sonde__grid_number(list, sonde__number_at(json_object_get(subject, "map"), name));
    sonde__grid_number(list, sonde__number_at(json_object_get(subject, "sd"), name));
    sonde__grid_number(list, low);
    sonde__grid_number(list, high);
}

static void put_subject(sonde__grid *grid, sonde__grid *list, const json_t *subject,
                        json_t *names) {
    static const char *const key[] = {"n", "log_likelihood", "evidence", "mean_p", "AIC", "BIC"};
    const char *name = NULL;
    json_t *value = NULL;
    sonde__grid_put(grid, SONDE__LEFT, sonde__words_at(subject, "subject"));
    sonde__grid_put(list, SONDE__LEFT, sonde__words_at(subject, "subject"));
    for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
        sonde__grid_keyed(grid, key[i], sonde__number_at(subject, key[i]));
        sonde__grid_number(list, sonde__number_at(subject, key[i]));
    }
    sonde__grid_number(list, sonde__number_at(subject, "held_out"));
    sonde__grid_number(list, json_is_true(json_object_get(subject, "converged")) ? 1.0 : 0.0);
    sonde__grid_number(list, (double)json_array_size(json_object_get(subject, "weak")));
    json_object_foreach(names, name, value) {
        put_estimate(grid, list, subject, name);
    }
}

static sonde_status add_subjects(sonde__document *d) {
    static const char *const head[] = {"subject", "n",  "log-likelihood", "evidence", "mean p",
                                       "AIC",     "BIC"};
    static const char *const plain[] = {"subject", "n",   "log_likelihood", "evidence",  "mean_p",
                                        "AIC",     "BIC", "held_out",       "converged", "weak"};
    static const char *const ending[] = {"", "_map", "_sd", "_low", "_high"};
    const json_t *subjects = part(d, "subjects");
    json_t *names = names_of(subjects);
    const int32_t n = (int32_t)json_object_size(names);
    sonde__grid grid = {.name = "subjects", .n_column = 7 + n, .n_head = 1};
    sonde__grid list = {.name = "subjects", .n_column = 10 + 5 * n, .n_head = 1};
    const char *name = NULL;
    json_t *value = NULL;
    sonde__grid_heads(&grid, head, 7, 1);
    sonde__grid_heads(&list, plain, 10, 1);
    grid.words.failed = grid.words.failed || names == NULL;
    json_object_foreach(names, name, value) {
        sonde__grid_put(&grid, 0, name);
        for (int32_t k = 0; k < 5; k++) {
            char word[160];
            (void)snprintf(word, sizeof word, "%s%s", name, ending[k]);
            sonde__grid_put(&list, 0, word);
        }
    }
    for (size_t s = 0; s < json_array_size(subjects); s++) {
        put_subject(&grid, &list, json_array_get(subjects, s), names);
    }
    json_decref(names);
    sonde__grid_text(&grid, d->text);
    return sonde__folder_table(&d->folder, &grid, &list);
}

/* ------------------------------------------------------------------- what all have in common -- */

static sonde_status add_parameters(sonde__document *d) {
    static const char *const head[] = {"parameter", "target", "transform", "prior mean",
                                       "prior sd"};
    const json_t *parameters = part(d, "parameters");
    sonde__grid grid = {.name = "parameters", .n_column = 7, .n_head = 1};
    sonde__grid_heads(&grid, head, 5, 3);
    sonde__grid_put(&grid, 0, "shared");
    sonde__grid_put(&grid, 0, "its sd");
    for (size_t p = 0; p < json_array_size(parameters); p++) {
        const json_t *one = json_array_get(parameters, p);
        const json_t *prior = json_object_get(one, "prior");
        const json_t *shared = json_object_get(part(d, "shared"), sonde__words_at(one, "name"));
        sonde__grid_put(&grid, SONDE__LEFT, sonde__words_at(one, "name"));
        sonde__grid_put(&grid, SONDE__LEFT, sonde__words_at(one, "target"));
        sonde__grid_put(&grid, SONDE__LEFT, sonde__words_at(one, "transform"));
        sonde__grid_short(&grid, sonde__item(prior, 0));
        sonde__grid_short(&grid, sonde__item(prior, 1));
        sonde__grid_short(&grid, sonde__number_at(shared, "map"));
        sonde__grid_short(&grid, sonde__number_at(shared, "sd"));
    }
    return sonde__folder_table(&d->folder, &grid, &(sonde__grid){0});
}

static sonde_status add_group(sonde__document *d) {
    static const char *const head[] = {"parameter", "column", "beta", "se", "z", "low", "high"};
    static const char *const key[] = {"beta", "se", "z", "low", "high"};
    const json_t *group = part(d, "group");
    const json_t *names = json_object_get(group, "parameters");
    const json_t *columns = json_object_get(group, "columns");
    sonde__grid grid = {.name = "group", .n_column = 7, .n_head = 1};
    sonde__grid list = {.name = "group", .n_column = 7, .n_head = 1};
    sonde__grid *const both[] = {&grid, &list};
    for (int32_t k = 0; k < 2; k++) {
        sonde__grid_heads(both[k], head, 7, 2);
        for (size_t i = 0; i < json_array_size(names) * json_array_size(columns); i++) {
            const size_t p = i / json_array_size(columns);
            const size_t c = i % json_array_size(columns);
            const char *name = json_string_value(json_array_get(names, p));
            const char *column = json_string_value(json_array_get(columns, c));
            sonde__grid_put(both[k], SONDE__LEFT | (k == 0 && c == 0 && p > 0 ? SONDE__RULE : 0u),
                            name != NULL ? name : "");
            sonde__grid_put(both[k], SONDE__LEFT, column != NULL ? column : "");
            for (size_t j = 0; j < sizeof key / sizeof *key; j++) {
                const json_t *row = json_array_get(json_object_get(group, key[j]), p);
                if (k == 0) {
                    sonde__grid_short(&grid, sonde__item(row, c));
                } else {
                    sonde__grid_number(&list, sonde__item(row, c));
                }
            }
        }
    }
    return sonde__folder_table(&d->folder, &grid, &list);
}

/* "0.71 gamma − 0.71 alpha" */
static void add_direction(json_t *weights, sonde_text *text) {
    const char *name = NULL;
    json_t *value = NULL;
    json_object_foreach(weights, name, value) {
        const double weight = json_number_value(value);
        const char *sign = weight < 0.0 ? "\342\210\222" : "+";
        sonde_text_add(text, "%s%s%s%s ", text->size > 0 ? " " : "",
                       text->size > 0 || weight < 0.0 ? sign : "", text->size > 0 ? " " : "",
                       sonde__fixed(fabs(weight), 2).text);
        sonde_text_add(text, "%s", name);
    }
}

static sonde_status add_weak(sonde__document *d) {
    static const char *const head[] = {"subject", "direction", "curvature"};
    const json_t *subjects = part(d, "subjects");
    sonde__grid grid = {.name = "weak", .n_column = 3, .n_head = 1};
    sonde__grid_heads(&grid, head, 3, 2);
    for (size_t s = 0; s < json_array_size(subjects); s++) {
        const json_t *subject = json_array_get(subjects, s);
        const json_t *weak = json_object_get(subject, "weak");
        for (size_t k = 0; k < json_array_size(weak); k++) {
            const json_t *one = json_array_get(weak, k);
            sonde_text words = {0};
            add_direction(json_object_get(one, "weights"), &words);
            sonde__grid_put(&grid, SONDE__LEFT, sonde__words_at(subject, "subject"));
            sonde__grid_put(&grid, SONDE__LEFT, words.data != NULL ? words.data : "");
            sonde__grid_short(&grid, sonde__number_at(one, "curvature"));
            grid.words.failed = grid.words.failed || words.failed;
            sonde_text_free(&words);
        }
    }
    return sonde__folder_table(&d->folder, &grid, &(sonde__grid){0});
}

sonde_status sonde__fit_tables(sonde__document *document) {
    sonde_status status = add_subjects(document);
    status = status == SONDE_OK ? add_parameters(document) : status;
    status = status == SONDE_OK ? add_group(document) : status;
    return status == SONDE_OK ? add_weak(document) : status;
}
