/* document_model.c: what documents say of general models: names, beliefs, actions as tuples, what a
 * world showed. */

#include "document/document_internal.h"

void sonde__document_names(sonde_text *json, const char *key, const char *const *name, int32_t n) {
    if (name == NULL) {
        return;
    }
    for (int32_t i = 0; i < n; i++) {
        sonde_text_add(json, "%s", i > 0 ? ", " : key);
        sonde_text_add_quoted(json, name[i]);
    }
    sonde_text_add(json, "]");
}

/* A name, or null, after some words. */
static void add_name(sonde_text *json, const char *before, const char *name) {
    sonde_text_add(json, "%s%s", before, name != NULL ? "" : "null");
    if (name != NULL) {
        sonde_text_add_quoted(json, name);
    }
}

static void names(sonde_text *json, const sonde_model *model) {
    sonde__document_key(json, "names");
    add_name(json, "{\"model\": ", model->name);
    sonde_text_add(json, ", \"factors\": [");
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        sonde_text_add(json, f > 0 ? ", " : "");
        add_name(json, "{\"name\": ", factor->name);
        sonde__document_names(json, ", \"states\": [", factor->state_name, factor->n_state);
        sonde__document_names(json, ", \"actions\": [", factor->action_name, factor->n_action);
        sonde_text_add(json, "}");
    }
    sonde_text_add(json, "], \"modalities\": [");
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality *modality = &model->modality[m];
        sonde_text_add(json, m > 0 ? ", " : "");
        add_name(json, "{\"name\": ", modality->name);
        sonde__document_names(json, ", \"outcomes\": [", modality->outcome_name,
                              modality->n_outcome);
        sonde_text_add(json, "}");
    }
    sonde_text_add(json, "]}");
}

static void conventions(sonde_text *json, const sonde_model *model) {
    sonde__document_key(json, "model");
    sonde_text_add(json, "{\"preferences\": \"%s\", \"information\": \"%s\", \"lambda\": ",
                   sonde_preferences_name((int32_t)model->preferences),
                   sonde_information_name((int32_t)model->information));
    sonde_text_add_number(json, model->lambda);
    sonde_text_add(json, ", \"policies\": \"%s\", \"mean_field\": %s}",
                   sonde_policy_kind_name((int32_t)model->policies),
                   model->coupled ? "true" : "false");
}

static sonde_factor factor_of(const sonde_model *model, int32_t f) {
    return model->factor[f];
}

static sonde_modality modality_of(const sonde_model *model, int32_t m) {
    return model->modality[m];
}

static void nothing(sonde_text *json, const sonde_model *model, int32_t state) {
    (void)json;
    (void)model;
    (void)state;
}

static void belief(sonde_text *json, const sonde_model *model, const double *numbers) {
    sonde_text_add(json, "[");
    for (int32_t f = 0; f < model->n_factor; f++) {
        const sonde_factor *factor = &model->factor[f];
        sonde_text_add(json, f > 0 ? ", " : "");
        sonde__text_numbers(json, numbers + factor->first, factor->n_state);
    }
    sonde_text_add(json, "]");
}

static void present(sonde_text *json, const sonde_model *model, const sonde_present *now) {
    sonde__document_key(json, "belief");
    belief(json, model, now->belief);
}

static void state(sonde_text *json, const sonde_model *model, const int32_t *numbers) {
    sonde__document_integers(json, numbers, model->n_factor);
}

static void add_tuple(sonde_text *json, const sonde_model *model, int32_t action) {
    int32_t tuple[SONDE_FACTORS_MAX];
    sonde_model_tuple(model, action, tuple);
    sonde__document_integers(json, tuple, model->n_factor);
}

static void choice(sonde_text *json, const sonde_model *model, int32_t from, int32_t action) {
    (void)from;
    sonde_text_add(json, "{\"actions\": ");
    add_tuple(json, model, action);
    sonde_text_add(json, "}");
}

/* Each factor's own actions. */
static void add_marginals(const sonde_model *model, const double *marginal, sonde_text *json) {
    sonde__document_key(json, "factor_probabilities");
    for (int32_t f = 0; f < model->n_factor; f++) {
        sonde_text_add(json, f > 0 ? ", " : "[");
        sonde__text_numbers(json, marginal, model->factor[f].n_action);
        marginal += model->factor[f].n_action;
    }
    sonde_text_add(json, "]");
}

static void chances(sonde_text *json, const sonde_model *model, const sonde_decision *decision) {
    sonde_text_add(json, "[");
    for (int32_t i = 0; i < decision->n_action; i++) {
        sonde_text_add(json, "%s{\"actions\": ", i > 0 ? ", " : "");
        add_tuple(json, model, decision->action[i]);
        sonde__text_pair(json, "p", decision->posterior[i]);
        sonde_text_add(json, "}");
    }
    sonde_text_add(json, "]");
    add_marginals(model, decision->marginal, json);
}

static void policy_steps(sonde_text *json, const sonde_policies *policies, const int32_t *walk) {
    for (int32_t t = 1; t <= policies->horizon; t++) {
        sonde_text_add(json, t > 1 ? ", " : "[");
        add_tuple(json, policies->model, walk[t]);
    }
    sonde_text_add(json, "]");
}

static void policy(sonde_text *json, const sonde_policies *policies, const int32_t *walk) {
    sonde_text_add(json, "\"actions\": ");
    policy_steps(json, policies, walk);
}

static void step(sonde_text *json, const sonde_model *model, const sonde__alternative *alternative,
                 int32_t i) {
    sonde_text_add(json, "{\"actions\": ");
    add_tuple(json, model, alternative->walk[i + 1]);
}

/* What the world showed before each action. */
static void verdict(sonde_text *json, const sonde_episode *episode) {
    sonde__document_key(json, "outcomes");
    sonde_text_add(json, "[");
    for (int32_t i = 0; i < episode->n_step; i++) {
        sonde_text_add(json, i > 0 ? ", " : "");
        sonde__document_integers(json, episode->outcome + (size_t)i * (size_t)episode->n_modality,
                                 episode->n_modality);
    }
    sonde_text_add(json, "]");
    sonde__document_key(json, "reached");
    sonde_text_add(json, "null");
}

const sonde__writer sonde__writer_factors = {
    .kind = "model",
    .steps = "actions",
    .names = names,
    .conventions = conventions,
    .factor = factor_of,
    .modality = modality_of,
    .on = nothing,
    .present = present,
    .belief = belief,
    .state = state,
    .choice = choice,
    .chances = chances,
    .policy = policy,
    .policy_steps = policy_steps,
    .step = step,
    .aside = nothing,
    .beginning = nothing,
    .place = state,
    .verdict = verdict,
    .column_state = sonde__factors_column_state,
    .column_action = sonde__factors_column_action,
    .column_steps = sonde__factors_column_steps,
};
