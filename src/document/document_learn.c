/* document_learn.c: how an agent learns, and what it has learned, as JSON. */
#include <inttypes.h>
#include <math.h>

#include "base/memory.h"
#include "document/document_internal.h"

static const char *const letters[SONDE_N_LETTER] = {"A", "B", "C", "D", "E"};

static void add_real(sonde_text *json, const char *key, double value) {
    sonde_text_add(json, ", \"%s\": ", key);
    sonde_text_add_number(json, value);
}

/* {"MODALITY": [rate or null of each outcome], ...}, of those that have some. */
static void add_rates(sonde_text *json, const char *key, const sonde_model *model,
                      const double *rate) {
    if (rate == NULL) {
        return;
    }
    sonde_text_add(json, ", \"%s\": [", key);
    for (int32_t m = 0; m < model->n_modality; m++) {
        sonde_text_add(json, "%s[", m > 0 ? ", " : "");
        for (int32_t o = 0; o < model->modality[m].n_outcome; o++) {
            sonde_text_add(json, o > 0 ? ", " : "");
            sonde_text_add_number(json, *rate++);
        }
        sonde_text_add(json, "]");
    }
    sonde_text_add(json, "]");
}

/* A list of those that are learned, where some are named. */
static void add_which(sonde_text *json, const char *key, int32_t n, const bool *which) {
    const char *separator = "";
    if (which == NULL) {
        return;
    }
    sonde_text_add(json, ", \"%s\": [", key);
    for (int32_t i = 0; i < n; i++) {
        if (which[i]) {
            sonde_text_add(json, "%s%d", separator, i);
            separator = ", ";
        }
    }
    sonde_text_add(json, "]");
}

void sonde_learn_write(const sonde_learn_settings *learn, const sonde_model *model,
                       sonde_text *json) {
    sonde_text_add(
        json, "{\"when\": \"%s\", \"beliefs\": \"%s\", \"beliefs_D\": \"%s\", \"support\": \"%s\"",
        sonde_learn_when_name((int32_t)learn->when),
        sonde_learn_beliefs_name((int32_t)learn->beliefs),
        sonde_learn_beliefs_name((int32_t)learn->beliefs_D),
        sonde_support_name((int32_t)learn->support));
    for (int32_t i = 0; i < SONDE_N_LETTER; i++) {
        sonde_text_add(json, ", \"eta_%s\": ", letters[i]);
        sonde_text_add_number(json, learn->eta[i]);
    }
    add_real(json, "decay", learn->decay);
    add_real(json, "omega", learn->omega);
    sonde_text_add(json,
                   ", \"toward\": \"%s\", \"until\": ", sonde_toward_name((int32_t)learn->toward));
    sonde_text_add(json, learn->until == INT32_MAX ? "null" : "%" PRId32, learn->until);
    add_real(json, "least", learn->least);
    sonde_text_add(json, ", \"gamma\": \"%s\"", sonde_precision_name((int32_t)learn->gamma));
    if (learn->gamma == SONDE_PRECISION_EXPECTED) {
        add_real(json, "alpha_g", learn->alpha_g);
        add_real(json, "beta_g", learn->beta_g);
    }
    add_which(json, "modalities", model->n_modality, learn->modality);
    add_which(json, "factors", model->n_factor, learn->factor);
    add_rates(json, "eta_outcome", model, learn->eta_outcome);
    add_rates(json, "omega_outcome", model, learn->omega_outcome);
    sonde_text_add(json, "}");
}

/* --------------------------------------------------------------------------- what it learned -- */

/* The axes of an array in the file format. */
static int32_t axes_of(const sonde_model *model, sonde_letter letter, int32_t i, int64_t *size) {
    const bool factors = letter == SONDE_B || letter == SONDE_D;
    int32_t n = 1;
    if (letter == SONDE_E) {
        size[0] = model->policies == SONDE_POLICIES_LISTED ? model->n_policy : model->n_action;
        return 1;
    }
    size[0] = factors ? model->factor[i].n_state : model->modality[i].n_outcome;
    for (int32_t k = 0; letter == SONDE_A && k < model->modality[i].n_factor; k++) {
        size[n++] = model->factor[model->modality[i].factor[k]].n_state;
    }
    for (int32_t k = 0; letter == SONDE_B && k < model->factor[i].n_depend; k++) {
        size[n++] = model->factor[model->factor[i].depend[k]].n_state;
    }
    if (letter == SONDE_B) {
        size[n++] = model->factor[i].n_action;
    }
    return n;
}

/* Nested lists, the last axis innermost. */
static void add_nested(sonde_text *json, int32_t n_axis, const int64_t *size, int64_t n,
                       const double *value) {
    for (int64_t i = 0; i < n; i++) {
        int64_t below = 1;
        sonde_text_add(json, i > 0 ? ", " : "");
        for (int32_t a = n_axis - 1; a >= 0; a--) {
            below *= size[a];
            sonde_text_add(json, i % below == 0 ? "[" : "");
        }
        sonde_text_add_number(json, value[i]);
        below = 1;
        for (int32_t a = n_axis - 1; a >= 0; a--) {
            below *= size[a];
            sonde_text_add(json, (i + 1) % below == 0 ? "]" : "");
        }
    }
}

static void add_array(sonde_text *json, const sonde_agent *agent, sonde_letter letter, int32_t i) {
    const int64_t n = sonde_agent_counts(agent, letter, i, NULL);
    int64_t size[SONDE_FACTORS_MAX + 2];
    if (n == 0) {
        sonde_text_add(json, "null");
        return;
    }
    const int32_t n_axis = axes_of(sonde_agent_policies(agent)->model, letter, i, size);
    const sonde_learned learned = sonde_agent_learned(agent, letter, i);
    double *counts = sonde__alloc((size_t)n * sizeof *counts);
    if (counts == NULL) {
        json->failed = true;
        return;
    }
    (void)sonde_agent_counts(agent, letter, i, counts);
    sonde_text_add(json, "\n   {\"updates\": %" PRIu64, learned.n_event);
    add_real(json, "added", learned.added);
    add_real(json, "masked", learned.masked);
    add_real(json, "grown", learned.grown);
    add_real(json, "kl", learned.kl);
    sonde_text_add(json, ", \"counts\": ");
    add_nested(json, n_axis, size, n, counts);
    sonde_text_add(json, "}");
    sonde__free(counts);
}

void sonde__document_learned(sonde_text *json, const sonde_agent *agent) {
    const sonde_model *model = sonde_agent_policies(agent)->model;
    sonde__document_key(json, "learned");
    for (int32_t letter = 0; letter < SONDE_N_LETTER; letter++) {
        const bool factors = letter == SONDE_B || letter == SONDE_D;
        const int32_t n = letter == SONDE_E ? 1 : factors ? model->n_factor : model->n_modality;
        if (letter == SONDE_E && model->counts_E == NULL) {
            continue;
        }
        sonde_text_add(json, "%s\"%s\": [", letter > 0 ? ",\n  " : "{", letters[letter]);
        for (int32_t i = 0; i < n; i++) {
            sonde_text_add(json, i > 0 ? ", " : "");
            add_array(json, agent, (sonde_letter)letter, i);
        }
        sonde_text_add(json, "]");
    }
    sonde_text_add(json, "}");
}
