/* belief_read.c: what happened, step by step, from a sonde-sequence document (docs/formats.md). */
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "belief/belief.h"

static const char *key(int32_t i) {
    static const char *const list[] = {"format", "version", "name", "outcomes", "actions", NULL};
    return list[i];
}

/* A number below n, or the name of one. */
static bool read_one(sonde__reader *reader, const char *path, const json_t *value, int32_t n,
                     const char *const *name, int32_t *to) {
    const char *word = json_string_value(value);
    for (int32_t i = 0; word != NULL && name != NULL && i < n; i++) {
        if (name[i] != NULL && strcmp(name[i], word) == 0) {
            *to = i;
            return true;
        }
    }
    return word != NULL ? sonde__json_expected(reader, path, "the name of one there is", value)
                        : sonde__json_whole(reader, path, value, 0, n - 1, to);
}

/* A list of n, or one where n is 1; NULL after an error. */
static const json_t *item(sonde__reader *reader, const char *path, const json_t *row, int32_t n,
                          int32_t i) {
    if (!json_is_array(row) && n == 1 && row != NULL) {
        return row;
    }
    if (json_array_size(row) != (size_t)n) {
        (void)sonde__json_expected(reader, path, sonde__at("a list of %d", (int)n).text, row);
        return NULL;
    }
    return json_array_get(row, (size_t)i);
}

static bool read_outcomes(sonde__reader *reader, const sonde_model *model, int32_t t,
                          const json_t *row, int32_t *to) {
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        const sonde__path path = sonde__at("outcomes[%d]", (int)t);
        const json_t *value = item(reader, path.text, row, model->n_modality, m);
        to[m] = SONDE_MISSING;
        if (value == NULL ||
            (!json_is_null(value) &&
             !read_one(reader, sonde__at("outcomes[%d][%d]", (int)t, (int)m).text, value,
                       modality->n_outcome, modality->outcome_name, &to[m]))) {
            return false;
        }
    }
    return true;
}

static bool read_action(sonde__reader *reader, const sonde_model *model, int32_t t,
                        const json_t *row, int32_t *to) {
    int32_t tuple[SONDE_FACTORS_MAX] = {0};
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        const sonde__path path = sonde__at("actions[%d]", (int)t);
        const json_t *value = item(reader, path.text, row, model->n_factor, f);
        if (value == NULL || !read_one(reader, sonde__at("actions[%d][%d]", (int)t, (int)f).text,
                                       value, factor->n_action, factor->action_name, &tuple[f])) {
            return false;
        }
    }
    *to = sonde__model_from_tuple(model, tuple);
    return true;
}

/* Both lists; the last action may be left out. */
static bool read_steps(sonde__reader *reader, const sonde_model *model, sonde_sequence *made,
                       int32_t *outcome, int32_t *action) {
    const json_t *outcomes = json_object_get(reader->root, "outcomes");
    const json_t *actions = json_object_get(reader->root, "actions");
    const size_t n = (size_t)made->n_step;
    if (json_array_size(actions) != n && json_array_size(actions) + 1 != n) {
        return sonde__json_expected(
            reader, "actions",
            sonde__at("one after each of %zu steps, the last of which may be left out", n).text,
            actions);
    }
    bool good = true;
    for (int32_t t = 0; good && t < made->n_step; t++) {
        good = read_outcomes(reader, model, t, json_array_get(outcomes, (size_t)t),
                             outcome + (int64_t)t * model->n_modality) &&
               (t + 1 == made->n_step ||
                read_action(reader, model, t, json_array_get(actions, (size_t)t), &action[t]));
    }
    return good;
}

static sonde_status read_document(sonde__reader *reader, const sonde_model *model,
                                  sonde_sequence **sequence) {
    const json_t *outcomes = json_object_get(reader->root, "outcomes");
    const size_t n = json_array_size(outcomes);
    if (!sonde__json_format(reader, "sonde-sequence", 1) ||
        !sonde__json_keys(reader, reader->root, key)) {
        return reader->status;
    }
    if (n < 1 || n > INT32_MAX) {
        (void)sonde__json_expected(reader, "outcomes", "a list of one step at least", outcomes);
        return reader->status;
    }
    const size_t n_number = n * (size_t)(model->n_modality + 1);
    char *block = sonde__alloc(sizeof **sequence + n_number * sizeof(int32_t));
    if (block == NULL) {
        return sonde__fail_memory(reader->error, reader->origin, n_number * sizeof(int32_t));
    }
    sonde_sequence *made = (sonde_sequence *)(void *)block;
    int32_t *outcome = (int32_t *)(void *)(block + sizeof *made);
    int32_t *action = outcome + n * (size_t)model->n_modality;
    *made = (sonde_sequence){(int32_t)n, outcome, action, SONDE_INFERENCE_DEFAULT};
    if (!read_steps(reader, model, made, outcome, action)) {
        sonde__free(block);
        return reader->status;
    }
    *sequence = made;
    return SONDE_OK;
}

sonde_status sonde_sequence_read(const sonde_source *source, const sonde_model *model,
                                 sonde_sequence **sequence, sonde_error *error) {
    sonde__reader reader = {0};
    sonde_status status = sonde__smooth_check(model, error);
    if (!status) {
        status = source->data == NULL ? sonde__json_open(&reader, source->origin, error)
                                      : sonde__json_parse(&reader, source, error);
    }
    if (!status) {
        status = read_document(&reader, model, sequence);
    }
    sonde__json_close(&reader);
    return status;
}

void sonde_sequence_free(sonde_sequence *sequence) {
    sonde__free(sequence);
}
