/* models.h: general models to test with; what cannot be made fails the test. */
#ifndef TESTS_MODELS_H
#define TESTS_MODELS_H

#include "files.h"

static inline sonde_status model_try(const char *text, const sonde_model_settings *settings,
                                     sonde_model **model, sonde_error *error) {
    const sonde_source source = {"m.json", text, strlen(text)};
    return sonde_model_read(&source, settings, NULL, model, error);
}

static inline sonde_model *model_of(const char *text) {
    sonde_model *model = NULL;
    sonde_error error = {0};
    if (model_try(text, NULL, &model, &error) != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return model;
}

static inline sonde_model *model_from(const char *path) {
    sonde_model *model = NULL;
    sonde_error error = {0};
    if (sonde_model_read(&(const sonde_source){.origin = path}, NULL, NULL, &model, &error) !=
        SONDE_OK) {
        fail_msg("%s", error.text);
    }
    return model;
}

/* The probability of a next state after a previous one (its number among those of the factors it
 * depends on) and an action; of an outcome in a state. */
static inline double transition(const sonde_factor *factor, int64_t previous, int32_t action,
                                int32_t next) {
    if (factor->B != NULL) {
        return factor->B[(previous * factor->n_state + next) * factor->n_lane + action];
    }
    const int64_t column = previous * factor->n_action + action;
    for (int64_t i = factor->offset[column]; i < factor->offset[column + 1]; i++) {
        if (factor->next[i] == next) {
            return factor->p[i];
        }
    }
    return 0.0;
}

static inline double likelihood(const sonde_modality *modality, int64_t state, int32_t outcome) {
    if (modality->A != NULL) {
        return modality->A[state * modality->n_outcome + outcome];
    }
    for (int64_t i = modality->offset[state]; i < modality->offset[state + 1]; i++) {
        if (modality->outcome[i] == outcome) {
            return modality->p[i];
        }
    }
    return 0.0;
}

/* The states of all factors that joint state number j stands for. */
static inline void states_of(const sonde_model *model, int64_t j, int32_t *state) {
    for (int32_t f = model->n_factor - 1; f >= 0; f--) {
        state[f] = (int32_t)(j % model->factor[f].n_state);
        j /= model->factor[f].n_state;
    }
}

/* The number of the combined state of some factors. */
static inline int64_t combined_state(const sonde_model *model, int32_t n, const int32_t *factor,
                                     const int32_t *state) {
    int64_t number = 0;
    for (int32_t i = 0; i < n; i++) {
        number = number * model->factor[factor[i]].n_state + state[factor[i]];
    }
    return number;
}

#endif
