/* document_about.c: a model described, as a JSON document. */
#include <inttypes.h>

#include "document/document_internal.h"
#include "model/model.h"

/* ", "storage": ..., ..." of a table, inside an object that is open. */
static void add_table(sonde_text *json, const sonde_table *table) {
    sonde_text_add(json, ", \"deterministic\": %s, \"storage\": \"%s\", \"numbers\": ",
                   table->certain ? "true" : "false", table->storage);
    sonde_text_add_number(json, table->n_number);
    sonde__text_pair(json, "nonzeros", table->n_nonzero);
    sonde_text_add(json, ", \"entropy\": {\"mean\": ");
    sonde_text_add_number(json, table->mean_entropy);
    sonde__text_pair(json, "most", table->most_entropy);
    sonde_text_add(json, "}}");
}

static void add_factors(sonde_text *json, const sonde_model *model) {
    sonde__document_key(json, "factors");
    for (int32_t f = 0; f == 0 || f < model->n_factor; f++) {
        const sonde_factor factor = sonde__writer_of(model)->factor(model, f);
        const sonde_table B = sonde_model_transitions(model, f);
        sonde_text_add(json,
                       "%s\n  {\"states\": %" PRId32 ", \"actions\": %" PRId32 ", \"depends\": ",
                       f > 0 ? "," : "[", factor.n_state, factor.n_action);
        sonde__document_integers(json, factor.depend, factor.n_depend);
        add_table(json, &B);
    }
    sonde_text_add(json, "]");
}

static void add_modalities(sonde_text *json, const sonde_model *model) {
    sonde__document_key(json, "modalities");
    for (int32_t m = 0; m < model->n_modality; m++) {
        const sonde_modality modality = sonde__writer_of(model)->modality(model, m);
        const sonde_table A = sonde_model_likelihood(model, m);
        sonde_text_add(json, "%s\n  {\"outcomes\": %" PRId32 ", \"factors\": ", m > 0 ? "," : "[",
                       modality.n_outcome);
        sonde__document_integers(json, modality.factor, modality.n_factor);
        add_table(json, &A);
    }
    sonde_text_add(json, "]");
}

/* What agents of the model can learn, and what they begin with. */
static void add_learns(sonde_text *json, const sonde_model *model) {
    static const char letters[] = "ABCDE";
    const char *separator = "";
    if (!sonde__model_learns(model)) {
        return;
    }
    sonde__document_key(json, "learns");
    sonde_text_add(json, "[");
    for (int32_t letter = 0; letter < SONDE_N_LETTER; letter++) {
        for (int32_t i = 0; i < SONDE_FACTORS_MAX; i++) {
            int32_t n = 0;
            const int64_t n_column = sonde_model_counts(model, (sonde_letter)letter, i, NULL, &n);
            if (n_column > 0) {
                sonde_text_add(json,
                               "%s{\"array\": \"%c[%" PRId32 "]\", \"rows\": %" PRId32
                               ", \"columns\": %" PRId64 "}",
                               separator, letters[letter], i, n, n_column);
                separator = ", ";
            }
        }
    }
    sonde_text_add(json, "]");
}

static void add_scalars(sonde_text *json, const sonde_model *model) {
    sonde__document_key(json, "joint_states");
    sonde_text_add_number(json, model->n_joint);
    sonde_text_add(json, ", \"beliefs\": %" PRId32 ", \"actions\": %" PRId32 ", \"coupled\": %s",
                   model->n_belief, model->n_action, model->coupled ? "true" : "false");
    sonde__document_key(json, "horizon");
    sonde_text_add(json, "%" PRId32 ", \"lambda\": ", model->horizon);
    sonde_text_add_number(json, model->lambda);
    sonde__text_pair(json, "gamma", model->gamma);
    sonde__document_key(json, "preferences");
    sonde_text_add(json, "\"%s\", \"information\": \"%s\", \"preference_steps\": %" PRId32,
                   sonde_preferences_name((int32_t)model->preferences),
                   sonde_information_name((int32_t)model->information), model->n_step_C);
}

void sonde_document_model(const sonde_model *model, const sonde_policies *policies,
                          const char *command, sonde_text *json) {
    const sonde__writer *writer = sonde__writer_of(model);
    sonde__document_open(json, "model", command);
    writer->names(json, model);
    sonde__document_key(json, "kind");
    sonde_text_add(json, "\"%s\"", writer->kind);
    add_factors(json, model);
    add_modalities(json, model);
    add_scalars(json, model);
    add_learns(json, model);
    sonde__document_key(json, "policies");
    sonde_text_add(
        json, "{\"kind\": \"%s\", \"count\": ", sonde_policy_kind_name((int32_t)model->policies));
    if (policies != NULL) {
        sonde__document_count(json, sonde_policies_size(policies, policies->initial),
                              sonde_policies_size_real(policies, policies->initial));
    } else {
        sonde_text_add(json, "null");
    }
    sonde_text_add(json, "}");
    sonde__document_key(json, "memory");
    sonde__document_index(json, model->bytes);
    sonde__document_close(json);
}
