/* spm_table.c: a table of what people did, as trials of SPM's scheme.
 *
 * A model of the same shape, without any numbers that count, says what columns and cells may be.
 * Each subject becomes a document with the model of the one that is given, and trials of its own.
 */
#include "spm_table.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "document.h"

bool spm_table_is(const char *path) {
    FILE *file = fopen(path, "rb");
    int c = file ? fgetc(file) : EOF;
    while (c == ' ' || c == '\n' || c == '\r' || c == '\t') {
        c = fgetc(file);
    }
    return file && fclose(file) == 0 && c != EOF && c != '{';
}

/* ------------------------------------------------------------------------------------- shape -- */

/* n times the same row of m numbers. */
static void add_rows(sonde_text *json, int32_t n, int32_t m, const char *number) {
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = 0; k < m; k++) {
            sonde_text_add(json, "%s%s", k > 0 ? ", " : i > 0 ? ", [" : "[[", number);
        }
        sonde_text_add(json, "]");
    }
    sonde_text_add(json, "]");
}

/* "C": [[0, 0], ...]: of each, a list of so many. */
static void add_lists(sonde_text *json, const char *key, int32_t n, const int32_t *size,
                      bool shares) {
    sonde_text_add(json, ", \"%s\": [", key);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = 0; k < size[i]; k++) {
            sonde_text_add(json, "%s%.17g",
                           k > 0   ? ", "
                           : i > 0 ? ", ["
                                   : "[",
                           shares ? 1.0 / size[i] : 0.0);
        }
        sonde_text_add(json, "]");
    }
    sonde_text_add(json, "]");
}

/* Factors and modalities of SPM's, each modality of the first factor. */
static void write_model(const sonde_spm_shape *shape, sonde_text *json) {
    char number[32];
    sonde_text_add(json,
                   "{\"format\": \"sonde-model\", \"version\": 1, \"horizon\": 1, \"factors\": [");
    for (int32_t f = 0; f < shape->n_factor; f++) {
        sonde_text_add(json, "%s{\"states\": %d, \"actions\": %d}", f > 0 ? ", " : "",
                       (int)shape->n_state[f], (int)shape->n_action[f]);
    }
    sonde_text_add(json, "], \"modalities\": [");
    for (int32_t m = 0; m < shape->n_modality; m++) {
        sonde_text_add(json, "%s{\"outcomes\": %d, \"factors\": [0]}", m > 0 ? ", " : "",
                       (int)shape->n_outcome[m]);
    }
    sonde_text_add(json, "], \"A\": [");
    for (int32_t m = 0; m < shape->n_modality; m++) {
        (void)snprintf(number, sizeof number, "%.17g", 1.0 / shape->n_outcome[m]);
        sonde_text_add(json, m > 0 ? ", " : "");
        add_rows(json, shape->n_outcome[m], shape->n_state[0], number);
    }
    sonde_text_add(json, "], \"B\": [");
    for (int32_t f = 0; f < shape->n_factor; f++) {
        (void)snprintf(number, sizeof number, "%.17g", 1.0 / shape->n_state[f]);
        for (int32_t s = 0; s < shape->n_state[f]; s++) {
            sonde_text_add(json, s > 0 ? ", " : f > 0 ? ", [" : "[");
            add_rows(json, shape->n_state[f], shape->n_action[f], number);
        }
        sonde_text_add(json, "]");
    }
    sonde_text_add(json, "]");
    add_lists(json, "C", shape->n_modality, shape->n_outcome, false);
    add_lists(json, "D", shape->n_factor, shape->n_state, true);
    sonde_text_add(json, "}");
}

static sonde_status read_table(const cli_arguments *args, cli_session *session,
                               const sonde_spm_shape *shape, spm_table *table) {
    sonde_text json = {0};
    write_model(shape, &json);
    const sonde_source known = {.origin = args->file, .data = json.data, .size = json.size};
    sonde_status status =
        json.failed ? fail(&session->error, SONDE_NO_MEMORY, "there is no memory for the table")
                    : sonde_model_read(&known, NULL, &session->run, &table->model, &session->error);
    const sonde_source source = {.origin = args->data};
    sonde_data_settings settings = sonde_data_defaults();
    settings.map = args->map;
    settings.base = args->base;
    settings.missing_actions = true;
    if (!status) {
        status = sonde_data_read(&source, table->model, &settings, &table->data, &session->error);
    }
    sonde_text_free(&json);
    return status;
}

/* ------------------------------------------------------------------------------------ trials -- */

/* Whether the rows from `first` on are a trial of T times. */
static sonde_status check_trial(const sonde_data *data, int32_t first, int32_t end,
                                const sonde_spm_shape *shape, sonde_error *error) {
    const int32_t n = end - first;
    if (n != shape->n_time) {
        return fail(error, SONDE_BAD_INPUT,
                    "%s: row %d: expected %d rows of an episode, as a trial has times, found %d",
                    data->origin, (int)data->row[first], (int)shape->n_time, (int)n);
    }
    for (int32_t row = first; row < end; row++) {
        for (int32_t m = 0; m < data->n_modality; m++) {
            if (data->outcome[(int64_t)row * data->n_modality + m] < 0) {
                return fail(error, SONDE_BAD_INPUT,
                            "%s: row %d, column %s: expected an outcome, since SPM's scheme knows "
                            "no missing ones, found none",
                            data->origin, (int)data->row[row], data->column[data->column_seen[m]]);
            }
        }
        if (row + 1 < end && data->action[row] < 0) {
            return fail(error, SONDE_BAD_INPUT,
                        "%s: row %d: expected an action, since SPM's scheme knows no missing ones, "
                        "found none",
                        data->origin, (int)data->row[row]);
        }
        if (!data->score[row]) {
            return fail(error, SONDE_BAD_INPUT,
                        "%s: row %d, column score: expected 1, since all actions count in SPM's "
                        "scheme, found 0",
                        data->origin, (int)data->row[row]);
        }
    }
    return SONDE_OK;
}

/* The action of a factor out of the number of a tuple, whose last factor is the fastest. */
static int32_t action_of(const sonde_spm_shape *shape, int32_t tuple, int32_t factor) {
    for (int32_t f = shape->n_factor - 1; f > factor; f--) {
        tuple /= shape->n_action[f];
    }
    return tuple % shape->n_action[factor];
}

/* {"o": [[...]], "u": [[...]]}, from 1 on. */
static void add_trial(const sonde_data *data, int32_t first, const sonde_spm_shape *shape,
                      sonde_text *json) {
    sonde_text_add(json, "{\"o\": [");
    for (int32_t m = 0; m < shape->n_modality; m++) {
        sonde_text_add(json, m > 0 ? ", [" : "[");
        for (int32_t t = 0; t < shape->n_time; t++) {
            const int64_t at = (int64_t)(first + t) * data->n_modality + m;
            sonde_text_add(json, "%s%d", t > 0 ? ", " : "", (int)data->outcome[at] + 1);
        }
        sonde_text_add(json, "]");
    }
    sonde_text_add(json, "], \"u\": [");
    for (int32_t f = 0; f < shape->n_factor; f++) {
        sonde_text_add(json, f > 0 ? ", [" : "[");
        for (int32_t t = 0; t + 1 < shape->n_time; t++) {
            sonde_text_add(json, "%s%d", t > 0 ? ", " : "",
                           (int)action_of(shape, data->action[first + t], f) + 1);
        }
        sonde_text_add(json, "]");
    }
    sonde_text_add(json, "]}");
}

/* Trials of a subject as a list. */
static sonde_status write_trials(const sonde_data *data, int32_t subject,
                                 const sonde_spm_shape *shape, sonde_text *json,
                                 sonde_error *error) {
    sonde_status status = SONDE_OK;
    int32_t first = data->first[subject];
    const int32_t end = data->first[subject + 1];
    sonde_text_add(json, "[");
    while (!status && first < end) {
        int32_t next = first + 1;
        while (next < end && data->step[next] > 0) {
            next++;
        }
        if (data->session[first] > 0) {
            return fail(error, SONDE_BAD_INPUT,
                        "%s: row %d, column session: expected one session of each subject, since "
                        "counts go on in SPM's scheme, found another",
                        data->origin, (int)data->row[first]);
        }
        status = check_trial(data, first, next, shape, error);
        if (!status) {
            sonde_text_add(json, first > data->first[subject] ? ",\n" : "");
            add_trial(data, first, shape, json);
        }
        first = next;
    }
    sonde_text_add(json, "]");
    return status;
}

/* ---------------------------------------------------------------------------------- together -- */

/* A subject's document: the one that is given, with other trials. */
static sonde_status read_subject(const cli_arguments *args, cli_session *session, json_t *root,
                                 const sonde_spm_shape *shape, spm_table *table) {
    sonde_text trials = {0};
    sonde_status status = write_trials(table->data, table->n, shape, &trials, &session->error);
    json_t *list = NULL;
    if (!status && !trials.failed) {
        const sonde_source source = {"the trials", trials.data, trials.size};
        status = document_parse(&source, &list, &session->error);
    }
    sonde_text_free(&trials);
    if (status) {
        return status;
    }
    sonde_text document = {0};
    if (list && json_object_set_new(root, "trials", list) == 0) {
        document_write(root, &document);
    }
    if (!document.data || document.failed) {
        sonde_text_free(&document);
        return fail(&session->error, SONDE_NO_MEMORY, "there is no memory for the trials");
    }
    const sonde_source source = {
        .origin = args->file, .data = document.data, .size = document.size};
    status = sonde_spm_read(&source, &session->run, &table->spm[table->n], &session->error);
    sonde_text_free(&document);
    table->name[table->n] = table->data->subject[table->n];
    table->n += !status;
    return status;
}

static sonde_status read_subjects(const cli_arguments *args, cli_session *session,
                                  const sonde_spm_shape *shape, spm_table *table) {
    const size_t n = (size_t)table->data->n_subject;
    json_t *root = NULL;
    sonde_status status = document_read(args->file, &root, &session->error);
    if (status) {
        return status;
    }
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers */
    table->spm = calloc(n + 1, sizeof *table->spm);
    table->name = calloc(n + 1, sizeof *table->name);
    if (!table->spm || !table->name) {
        json_decref(root);
        return fail(&session->error, SONDE_NO_MEMORY, "there is no memory for the trials");
    }
    while (!status && table->n < table->data->n_subject) {
        status = read_subject(args, session, root, shape, table);
    }
    json_decref(root);
    return status;
}

sonde_status spm_table_open(const cli_arguments *args, cli_session *session, spm_table *table) {
    const sonde_source source = {.origin = args->file};
    sonde_spm *spm = NULL;
    sonde_status status = sonde_spm_read(&source, &session->run, &spm, &session->error);
    const sonde_spm_shape *shape = status ? NULL : sonde_spm_shape_of(spm);
    if (!status) {
        status = read_table(args, session, shape, table);
    }
    if (!status) {
        status = read_subjects(args, session, shape, table);
    }
    sonde_spm_free(spm);
    return status;
}

void spm_table_close(spm_table *table) {
    for (int32_t i = 0; i < table->n; i++) {
        sonde_spm_free(table->spm[i]);
    }
    free(table->spm);
    free(table->name);
    sonde_data_free(table->data);
    sonde_model_free(table->model);
}
