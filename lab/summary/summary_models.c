/* summary_models.c: what the models of a study are, and the steps that were lived in them, for
 * those who look at single runs. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "summary/summary.h"

#define DOCUMENT_MAX 100000 /* letters up to which a model is there whole */

/* ------------------------------------------------------------------------------------ models -- */

/* "key": the names, or null where there are none but numbers. */
static void add_names(sonde_text *json, const char *key, int32_t n, const char *const *name) {
    sonde_text_add(json, ", \"%s\": %s", key, name != NULL ? "[" : "null");
    for (int32_t i = 0; i < n && name != NULL; i++) {
        sonde_text_add(json, i > 0 ? ", " : "");
        sonde_text_add_quoted(json, name[i]);
    }
    sonde_text_add(json, name != NULL ? "]" : "");
}

static void add_name(sonde_text *json, const char *name) {
    sonde_text_add(json, "{\"name\": ");
    if (name != NULL) {
        sonde_text_add_quoted(json, name);
    } else {
        sonde_text_add(json, "null");
    }
}

static void add_parts(const sonde_model *model, sonde_text *json) {
    sonde_text_add(json, ", \"factors\": [");
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        sonde_text_add(json, f > 0 ? ", " : "");
        add_name(json, factor->name);
        sonde_text_add(json, ", \"states\": %" PRId32 ", \"actions\": %" PRId32, factor->n_state,
                       factor->n_action);
        add_names(json, "state_names", factor->n_state, factor->state_name);
        add_names(json, "action_names", factor->n_action, factor->action_name);
        sonde_text_add(json, "}");
    }
    sonde_text_add(json, "], \"modalities\": [");
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        sonde_text_add(json, m > 0 ? ", " : "");
        add_name(json, modality->name);
        sonde_text_add(json, ", \"outcomes\": %" PRId32, modality->n_outcome);
        add_names(json, "outcome_names", modality->n_outcome, modality->outcome_name);
        sonde_text_add(json, "}");
    }
    sonde_text_add(json, "]");
}

/* The first episode of a model, or NULL while there is none. */
static const sonde__result_world *first_episode(const sonde__results *results, int32_t size) {
    for (int32_t i = 0; i < results->n_world; i++) {
        if (results->world[i].size == size && results->world[i].document != NULL) {
            return &results->world[i];
        }
    }
    return NULL;
}

static sonde_status add_model(const sonde__results *results, int32_t m, const sonde_run *run,
                              sonde_text *json, sonde_error *error) {
    const sonde_study_model *planned = &results->plan->model[m];
    const sonde__result_world *world = first_episode(results, -1 - m);
    const char *document = world != NULL ? world->document : "";
    const sonde_source source = {planned->name, document, strlen(document)};
    sonde_model *model = NULL;
    sonde_status status = SONDE_OK;
    if (world != NULL) {
        const sonde_model_settings settings = sonde_model_defaults();
        status = sonde_model_read(&source, &settings, run, &model, error);
    }
    add_name(json, planned->name);
    sonde_text_add(json, ", \"file\": ");
    sonde_text_add_quoted(json, planned->file);
    sonde_text_add(json, ", \"steps\": %" PRId32, planned->n_step);
    if (model != NULL) {
        sonde_text_add(json, ", \"horizon\": %" PRId32 ", \"policies\": ", world->horizon);
        sonde_text_add_number(json, world->n_local);
        add_parts(model, json);
        if (source.size <= DOCUMENT_MAX) {
            sonde_text_add(json, ", \"document\": ");
            sonde_text_add_quoted(json, document);
        }
    }
    sonde_text_add(json, "}");
    sonde_model_free(model);
    return status;
}

sonde_status sonde__models_json(const sonde__results *results, const sonde_run *run,
                                sonde_text *json, sonde_error *error) {
    sonde_status status = SONDE_OK;
    sonde_text_add(json, ",\n\"models\": [");
    for (int32_t m = 0; m < results->plan->n_model && status == SONDE_OK; m++) {
        sonde_text_add(json, m > 0 ? ",\n " : "\n ");
        status = add_model(results, m, run, json, error);
    }
    sonde_text_add(json, "]");
    return status;
}

/* ------------------------------------------------------------------------------------- steps -- */

enum { RUN, STATE, OUTCOME, ACTION, BELIEF, P, EFE, TV, SURPRISE, FREE_ENERGY, FOLLOWED, N_COLUMN };

/* A value of a step, whose run has this place among all runs. */
static void add_value(const sonde__result_step *step, int32_t run, int32_t column,
                      sonde_text *json) {
    switch (column) {
    case RUN: sonde_text_add(json, "%" PRId32, run); break;
    case STATE: sonde_text_add_quoted(json, step->state); break;
    case OUTCOME: sonde_text_add_quoted(json, step->outcome); break;
    case ACTION: sonde_text_add_quoted(json, step->action); break;
    case BELIEF: sonde_text_add(json, "%s", step->belief != NULL ? step->belief : "null"); break;
    case P: sonde_text_add_number(json, step->p); break;
    case EFE: sonde_text_add_number(json, step->efe); break;
    case TV: sonde_text_add_number(json, step->tv); break;
    case SURPRISE: sonde_text_add_number(json, step->surprise); break;
    case FREE_ENERGY: sonde_text_add_number(json, step->free_energy); break;
    default: sonde_text_add(json, "%" PRId32, step->n_followed);
    }
}

/* Steps are in the order of runs, so that one way through both finds whose they are. */
static void add_column(const sonde__results *results, int32_t column, sonde_text *json) {
    int32_t run = 0;
    for (int32_t i = 0; i < results->n_step; i++) {
        const sonde__result_step *step = &results->step[i];
        while (results->run[run].condition != step->condition ||
               results->run[run].size != step->size || results->run[run].graph != step->graph) {
            run++;
        }
        sonde_text_add(json, i > 0 ? "," : "");
        add_value(step, run, column, json);
    }
}

void sonde__steps_json(const sonde__results *results, sonde_text *json) {
    static const char *const name[N_COLUMN] = {
        [RUN] = "run",           [STATE] = "state",
        [OUTCOME] = "outcome",   [ACTION] = "action",
        [BELIEF] = "belief",     [P] = "p",
        [EFE] = "efe",           [TV] = "tv",
        [SURPRISE] = "surprise", [FREE_ENERGY] = "free_energy",
        [FOLLOWED] = "followed"};
    if (results->n_step == 0) {
        return;
    }
    sonde_text_add(json, ",\n\"steps\": {");
    for (int32_t column = 0; column < N_COLUMN; column++) {
        sonde_text_add(json, "%s\n \"%s\": [", column > 0 ? "," : "", name[column]);
        add_column(results, column, json);
        sonde_text_add(json, "]");
    }
    sonde_text_add(json, "}");
}
