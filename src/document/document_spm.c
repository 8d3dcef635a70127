/* document_spm.c: a trial of SPM's scheme as JSON, with SPM's names and axes. */
#include "document/document_internal.h"

/* Nested lists of `value`: axis a has size[a] places, which are stride[a] numbers apart. */
static void add_lists(sonde_text *json, const double *value, int32_t n_axis, const int64_t *size,
                      const int64_t *stride) {
    if (n_axis == 0) {
        sonde_text_add_number(json, *value);
        return;
    }
    sonde_text_add(json, "[");
    for (int64_t i = 0; i < size[0]; i++) {
        sonde_text_add(json, i > 0 ? ", " : "");
        add_lists(json, value + i * stride[0], n_axis - 1, size + 1, stride + 1);
    }
    sonde_text_add(json, "]");
}

/* The factors' axes, the last of which is fastest and `step` numbers apart. */
static void factor_axes(int32_t n, const int32_t *size_of, int64_t step, int64_t *size,
                        int64_t *stride) {
    for (int32_t f = n - 1; f >= 0; f--) {
        size[f] = size_of[f];
        stride[f] = step;
        step *= size_of[f];
    }
}

static void add_states(sonde_text *json, const sonde_spm_shape *shape, const double *X) {
    sonde_text_add(json, "\"X\": [");
    for (int32_t f = 0; f < shape->n_factor; f++) {
        sonde_text_add(json, f > 0 ? ", " : "");
        add_lists(json, X, 2, (int64_t[]){shape->n_state[f], shape->n_time},
                  (int64_t[]){1, shape->n_belief});
        X += shape->n_state[f];
    }
    sonde_text_add(json, "]");
}

static void add_policies(sonde_text *json, const sonde_spm_shape *shape, const char *key,
                         const double *value) {
    sonde_text_add(json, ", \"%s\": ", key);
    add_lists(json, value, 2, (int64_t[]){shape->n_policy, shape->n_time},
              (int64_t[]){shape->n_time, 1});
}

static void add_times(sonde_text *json, const char *key, int64_t n, const double *value) {
    sonde_text_add(json, ", \"%s\": ", key);
    add_lists(json, value, 1, &n, (int64_t[]){1});
}

/* [action of factor 1][action of factor 2]...[time] */
static void add_moves(sonde_text *json, const sonde_spm_shape *shape, const double *P) {
    int64_t size[SONDE_FACTORS_MAX + 1], stride[SONDE_FACTORS_MAX + 1];
    factor_axes(shape->n_factor, shape->n_action, 1, size, stride);
    size[shape->n_factor] = shape->n_time - 1;
    stride[shape->n_factor] = shape->n_move;
    sonde_text_add(json, ", \"P\": ");
    add_lists(json, P, shape->n_factor + 1, size, stride);
}

/* The counts of one array with SPM's axes. */
static void add_counts(sonde_text *json, const sonde_spm_shape *shape, char letter, int32_t i,
                       const double *counts) {
    int64_t size[SONDE_FACTORS_MAX + 2] = {0}, stride[SONDE_FACTORS_MAX + 2] = {0};
    int32_t n_axis = 1;
    stride[0] = 1;
    if (letter == 'a') {
        size[0] = shape->n_outcome[i];
        factor_axes(shape->n_factor, shape->n_state, size[0], size + 1, stride + 1);
        n_axis += shape->n_factor;
    } else if (letter == 'b') {
        const int64_t n = shape->n_state[i];
        size[0] = size[1] = stride[1] = n;
        size[2] = shape->n_action[i];
        stride[2] = n * n;
        n_axis = size[2] > 1 ? 3 : 2; /* as MATLAB has it */
    } else if (letter == 'c') {
        size[0] = stride[1] = shape->n_outcome[i];
        size[1] = shape->n_time;
        n_axis = 2;
    } else {
        size[0] = letter == 'd' ? shape->n_state[i] : shape->n_policy;
    }
    add_lists(json, counts, n_axis, size, stride);
}

/* "a": [array or null, ...], of those that have counts; e is one array. */
static void add_learned(sonde_text *json, const sonde_spm *spm, char letter) {
    const sonde_spm_shape *shape = sonde_spm_shape_of(spm);
    const bool modality = letter == 'a' || letter == 'c';
    const int32_t n = letter == 'e' ? 1 : modality ? shape->n_modality : shape->n_factor;
    bool any = false;
    for (int32_t i = 0; i < n; i++) {
        any = any || sonde_spm_counts(spm, letter, i, NULL) != NULL;
    }
    if (!any) {
        return;
    }
    sonde_text_add(json, ", \"%c\": %s", letter, letter == 'e' ? "" : "[");
    for (int32_t i = 0; i < n; i++) {
        const double *counts = sonde_spm_counts(spm, letter, i, NULL);
        sonde_text_add(json, i > 0 ? ", " : "");
        if (counts != NULL) {
            add_counts(json, shape, letter, i, counts);
        } else {
            sonde_text_add(json, "null");
        }
    }
    sonde_text_add(json, letter == 'e' ? "" : "]");
}

void sonde_document_spm(const sonde_spm *spm, const sonde_spm_trial *trial, sonde_text *json) {
    const sonde_spm_shape *shape = sonde_spm_shape_of(spm);
    sonde_text_add(json, "{");
    add_states(json, shape, trial->X);
    add_policies(json, shape, "F", trial->F);
    add_policies(json, shape, "G", trial->G);
    add_policies(json, shape, "R", trial->R);
    add_times(json, "w", shape->n_time, trial->w);
    add_moves(json, shape, trial->P);
    add_times(json, "H", shape->n_time, trial->H);
    for (const char *letter = "abcde"; *letter != '\0'; letter++) {
        add_learned(json, spm, *letter);
    }
    sonde_text_add(json, ", \"log_likelihood\": ");
    sonde_text_add_number(json, trial->log_likelihood);
    sonde_text_add(json, "}");
}
