/* document_model.c: what documents say of general models: names, beliefs, actions as tuples. */
#include <inttypes.h>

#include "document/document_internal.h"

static void add_names(sonde_text *json, const char *key, const char *const *name, int32_t n) {
    if (name == NULL) {
        return;
    }
    sonde_text_add(json, ", \"%s\": ", key);
    for (int32_t i = 0; i < n; i++) {
        sonde_text_add(json, i > 0 ? ", " : "[");
        sonde_text_add_quoted(json, name[i]);
    }
    sonde_text_add(json, "]");
}

static void add_name(sonde_text *json, const char *name) {
    sonde_text_add(json, "{\"name\": ");
    if (name != NULL) {
        sonde_text_add_quoted(json, name);
    } else {
        sonde_text_add(json, "null");
    }
}

void sonde__report_model_names(sonde_text *json, const sonde_model *model) {
    if (model->graph != NULL) {
        sonde__report_names(json, model->graph);
        return;
    }
    sonde__report_key(json, "names");
    sonde_text_add(json, "{\"model\": ");
    if (model->name != NULL) {
        sonde_text_add_quoted(json, model->name);
    } else {
        sonde_text_add(json, "null");
    }
    sonde_text_add(json, ", \"factors\": [");
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        sonde_text_add(json, f > 0 ? ", " : "");
        add_name(json, factor->name);
        add_names(json, "states", factor->state_name, factor->n_state);
        add_names(json, "actions", factor->action_name, factor->n_action);
        sonde_text_add(json, "}");
    }
    sonde_text_add(json, "], \"modalities\": [");
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        sonde_text_add(json, m > 0 ? ", " : "");
        add_name(json, modality->name);
        add_names(json, "outcomes", modality->outcome_name, modality->n_outcome);
        sonde_text_add(json, "}");
    }
    sonde_text_add(json, "]}");
}

void sonde__report_conventions(sonde_text *json, const sonde_model *model) {
    if (model->graph != NULL) {
        return;
    }
    sonde__report_key(json, "model");
    sonde_text_add(json, "{\"preferences\": \"%s\", \"information\": \"%s\", \"lambda\": ",
                   sonde_preferences_name((int32_t)model->preferences),
                   sonde_information_name((int32_t)model->information));
    sonde_text_add_number(json, model->lambda);
    sonde_text_add(json, ", \"policies\": \"%s\", \"mean_field\": %s}",
                   sonde_policy_kind_name((int32_t)model->policies),
                   model->coupled ? "true" : "false");
}

void sonde__report_belief(sonde_text *json, const sonde_model *model, const double *belief) {
    sonde_text_add(json, "[");
    if (model->graph != NULL) {
        sonde__report_numbers(json, belief, model->n_belief);
    }
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        sonde_text_add(json, f > 0 ? ", " : "");
        sonde__report_numbers(json, belief + factor->first, factor->n_state);
    }
    sonde_text_add(json, "]");
}

void sonde__report_tuple(sonde_text *json, const sonde_model *model, int32_t action) {
    int32_t tuple[SONDE_FACTORS_MAX];
    sonde_model_tuple(model, action, tuple);
    sonde__report_integers(json, tuple, model->n_factor);
}

void sonde__report_tuples(sonde_text *json, const sonde_policies *policies, const int32_t *walk) {
    for (int32_t t = 1; t <= policies->horizon; t++) {
        sonde_text_add(json, t > 1 ? ", " : "[");
        sonde__report_tuple(json, policies->model, walk[t]);
    }
    sonde_text_add(json, "]");
}

void sonde__report_policy(sonde_text *json, const sonde_policies *policies, const int32_t *walk) {
    const sonde_model *model = policies->model;
    sonde_text_add(json, "\"actions\": ");
    if (model->graph != NULL) {
        sonde__report_actions(json, model->graph, walk, policies->horizon);
        sonde_text_add(json, ", \"nodes\": ");
        sonde__report_nodes(json, model->graph, walk, policies->horizon);
        return;
    }
    sonde__report_tuples(json, policies, walk);
}
