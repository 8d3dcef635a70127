/* fit_compare_write.c: a comparison as a JSON document (docs/formats.md). */
#include <math.h>

#include "base/numbers.h"
#include "base/text.h"
#include "sonde_fit.h"

/* Opens an object with the name of what it is about; a number stands for one without. */
static void open_named(sonde_text *json, const char *key, const char *const *name, int32_t i) {
    sonde_text_add(json, "%s\n    {\"%s\": ", i > 0 ? "," : "", key);
    if (name != NULL) {
        sonde_text_add_quoted(json, name[i]);
    } else {
        sonde_text_add(json, "\"%d\"", (int)i + 1);
    }
}

/* A key and a number, null where it is not known. */
static void add_pair(sonde_text *json, const char *key, double number) {
    sonde_text_add(json, ", \"%s\": ", key);
    sonde_text_add_number(json, number);
}

static void add_models(const sonde_candidates *from, const sonde_comparison *to, sonde_text *json) {
    sonde_text_add(json, "  \"models\": [");
    for (int32_t k = 0; k < from->n_model; k++) {
        open_named(json, "model", from->model, k);
        add_pair(json, "alpha", to->alpha[k]);
        add_pair(json, "r", to->frequency[k]);
        add_pair(json, "xp", to->exceedance[k]);
        add_pair(json, "pxp", to->is_protected[k]);
        add_pair(json, "evidence", to->total[k]);
        add_pair(json, "fixed", to->fixed[k]);
        add_pair(json, "AIC", to->aic[k]);
        add_pair(json, "BIC", to->bic[k]);
        if (from->n_family > 0) {
            sonde_text_add(json, ", \"family\": ");
            sonde_text_add_quoted(json, from->family[from->family_of[k]]);
        }
        sonde_text_add(json, "}");
    }
    sonde_text_add(json, "],\n");
}

static void add_families(const sonde_candidates *from, const sonde_comparison *to,
                         sonde_text *json) {
    if (from->n_family == 0) {
        sonde_text_add(json, "  \"families\": null,\n");
        return;
    }
    sonde_text_add(json, "  \"families\": [");
    for (int32_t f = 0; f < from->n_family; f++) {
        open_named(json, "family", from->family, f);
        add_pair(json, "alpha", to->family_alpha[f]);
        add_pair(json, "r", to->family_frequency[f]);
        add_pair(json, "xp", to->family_exceedance[f]);
        sonde_text_add(json, ",\n     \"averaged\": {\"alpha\": ");
        sonde_text_add_number(json, to->averaged_alpha[f]);
        add_pair(json, "r", to->averaged_frequency[f]);
        add_pair(json, "xp", to->averaged_exceedance[f]);
        add_pair(json, "pxp", to->averaged_protected[f]);
        sonde_text_add(json, "}}");
    }
    sonde_text_add(json, "],\n  \"averaged_bor\": ");
    sonde_text_add_number(json, to->averaged_bor);
    sonde_text_add(json, ",\n");
}

/* AIC and BIC of one subject in every model, where they are known. */
static void add_criteria(const sonde_candidates *from, int32_t n, sonde_text *json) {
    for (int32_t bayes = 0; bayes < 2; bayes++) {
        const double choices = from->n_choice ? from->n_choice[n] : (double)NAN;
        const double price = bayes ? (choices > 0.0 ? sonde__log(choices) : (double)NAN) : 2.0;
        sonde_text_add(json, ", \"%s\": [", bayes ? "BIC" : "AIC");
        for (int32_t k = 0; k < from->n_model; k++) {
            const double likelihood = from->log_likelihood[(int64_t)n * from->n_model + k];
            sonde_text_add(json, k > 0 ? ", " : "");
            sonde_text_add_number(json, price * from->n_free[k] - 2.0 * likelihood);
        }
        sonde_text_add(json, "]");
    }
}

static void add_averages(const sonde_candidates *from, const double *number, int32_t n,
                         sonde_text *json) {
    sonde_text_add(json, "{");
    for (int32_t p = 0; p < from->n_parameter; p++) {
        sonde_text_add(json, p > 0 ? ", " : "");
        sonde_text_add_quoted(json, from->parameter[p]);
        sonde_text_add(json, ": ");
        sonde_text_add_number(json, number[(int64_t)n * from->n_parameter + p]);
    }
    sonde_text_add(json, "}");
}

void sonde_comparison_write(const sonde_candidates *candidates, const sonde_comparison *comparison,
                            sonde_text *json) {
    const sonde_candidates *from = candidates;
    sonde_text_add(json, "{\"format\": \"sonde-comparison\", \"version\": 1, \"sonde\": \"%s\",\n",
                   sonde_version());
    sonde_text_add(json, "  \"bor\": ");
    sonde_text_add_number(json, comparison->bor);
    sonde_text_add(json, ", \"rounds\": %d,\n", (int)comparison->n_round);
    add_models(from, comparison, json);
    add_families(from, comparison, json);
    sonde_text_add(json, "  \"subjects\": [");
    for (int32_t n = 0; n < from->n_subject; n++) {
        open_named(json, "subject", from->subject, n);
        sonde_text_add(json, ", \"evidence\": ");
        sonde__text_numbers(json, from->evidence + (int64_t)n * from->n_model, from->n_model);
        sonde_text_add(json, ", \"g\": ");
        sonde__text_numbers(json, comparison->weight + (int64_t)n * from->n_model, from->n_model);
        if (from->log_likelihood != NULL && from->n_free != NULL) {
            add_criteria(from, n, json);
        }
        if (from->n_parameter > 0) {
            sonde_text_add(json, ", \"average\": ");
            add_averages(from, comparison->average, n, json);
            sonde_text_add(json, ", \"sd\": ");
            add_averages(from, comparison->average_sd, n, json);
        }
        sonde_text_add(json, "}");
    }
    sonde_text_add(json, "]}\n");
}
