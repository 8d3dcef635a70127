/* fit_recover_write.c: a recovery as a JSON document and as a table (docs/formats.md). */
#include <inttypes.h>
#include <math.h>

#include "base/text.h"
#include "fit/fit_recover.h"

/* of the 90 % interval */
#define POINT_90 1.6448536269514722

static void add_pair(sonde_text *json, const char *key, double number) {
    sonde_text_add(json, ", \"%s\": ", key);
    sonde_text_add_number(json, number);
}

static void add_matrix(sonde_text *json, const double *number, int32_t n_row, int32_t n) {
    sonde_text_add(json, "[");
    for (int32_t i = 0; i < n_row; i++) {
        sonde_text_add(json, i > 0 ? ", " : "");
        sonde__text_numbers(json, number + (int64_t)i * n, n);
    }
    sonde_text_add(json, "]");
}

static void add_parameters(const sonde_recovered_model *model, sonde_text *json) {
    sonde_text_add(json, "\"parameters\": [");
    for (int32_t p = 0; p < model->parameters->n; p++) {
        const sonde_parameter *one = &model->parameters->parameter[p];
        const sonde_recovery *found = &model->recovery[p];
        sonde_text_add(json, "%s\n      {\"name\": ", p > 0 ? "," : "");
        sonde_text_add_quoted(json, one->name);
        sonde_text_add(json, ", \"transform\": \"%s\", \"prior\": ",
                       sonde_transform_name((int32_t)one->transform));
        sonde__text_numbers(json, (const double[]){one->mean, one->sd}, 2);
        add_pair(json, "r", found->r);
        sonde_text_add(json, ", \"r_interval\": ");
        sonde__text_numbers(json, (const double[]){found->r_low, found->r_high}, 2);
        add_pair(json, "bias", found->bias);
        add_pair(json, "rmse", found->rmse);
        add_pair(json, "coverage", found->coverage);
        add_pair(json, "shrinkage", found->shrinkage);
        sonde_text_add(json, one->shared ? ", \"shared\": true}" : "}");
    }
    sonde_text_add(json, "]");
}

/* [[low, high], ...] of estimates (n) and covariances (n, n), on the parameters' own scale. */
static void add_intervals(const sonde_recovered_model *model, int32_t subject, sonde_text *json) {
    const int32_t n = model->parameters->n;
    sonde_text_add(json, ", \"interval_90\": [");
    for (int32_t p = 0; p < n; p++) {
        const sonde_transform how = model->parameters->parameter[p].transform;
        const int64_t at = (int64_t)subject * n + p;
        const double half = POINT_90 * sqrt(model->covariance[at * n + p]);
        const double ends[] = {sonde_transform_out(how, model->estimate[at] - half),
                               sonde_transform_out(how, model->estimate[at] + half)};
        sonde_text_add(json, p > 0 ? ", " : "");
        sonde__text_numbers(json, ends, 2);
    }
    sonde_text_add(json, "]");
}

/* Numbers (n) of a subject as they are on the parameters' own scale. */
static void add_values(const sonde_recovered_model *model, const char *key, const double *theta,
                       sonde_text *json) {
    sonde_text_add(json, ", \"%s\": [", key);
    for (int32_t p = 0; p < model->parameters->n; p++) {
        sonde_text_add(json, p > 0 ? ", " : "");
        sonde_text_add_number(
            json, sonde_transform_out(model->parameters->parameter[p].transform, theta[p]));
    }
    sonde_text_add(json, "]");
}

static void add_sd(const sonde_recovered_model *model, int32_t subject, sonde_text *json) {
    const int32_t n = model->parameters->n;
    sonde_text_add(json, ", \"sd\": [");
    for (int32_t p = 0; p < n; p++) {
        sonde_text_add(json, p > 0 ? ", " : "");
        sonde_text_add_number(json, sqrt(model->covariance[((int64_t)subject * n + p) * n + p]));
    }
    sonde_text_add(json, "]");
}

static void add_subjects(const sonde_recovered *all, const sonde_recovered_model *model,
                         sonde_text *json) {
    const int32_t n = model->parameters->n;
    sonde_text_add(json, ",\n    \"subjects\": [");
    for (int32_t i = 0; i < all->n_subject; i++) {
        sonde_text_add(json, "%s\n      {\"subject\": \"s%d\", \"true\": ", i > 0 ? "," : "",
                       (int)i + 1);
        sonde__text_numbers(json, model->truth + (int64_t)i * n, n);
        sonde_text_add(json, ", \"map\": ");
        sonde__text_numbers(json, model->estimate + (int64_t)i * n, n);
        add_sd(model, i, json);
        add_values(model, "true_value", model->truth + (int64_t)i * n, json);
        add_values(model, "value", model->estimate + (int64_t)i * n, json);
        add_intervals(model, i, json);
        sonde_text_add(json, ", \"covariance\": ");
        add_matrix(json, model->covariance + (int64_t)i * n * n, n, n);
        sonde_text_add(json, ", \"evidence\": ");
        sonde__text_numbers(json, model->evidence + (int64_t)i * all->n_model, all->n_model);
        sonde_text_add(json, "}");
    }
    sonde_text_add(json, "]");
}

static void add_model(const sonde_recovered *all, int32_t k, sonde_text *json) {
    const sonde_recovered_model *model = &all->model[k];
    const int32_t n = model->parameters->n;
    sonde_text_add(json, "%s\n    {\"model\": ", k > 0 ? "," : "");
    if (model->name != NULL) {
        sonde_text_add_quoted(json, model->name);
    } else {
        sonde_text_add(json, "\"%d\"", (int)k + 1);
    }
    sonde_text_add(json, ", \"converged\": %d, \"weak\": %d,\n    ", (int)model->n_converged,
                   (int)model->n_weak);
    add_parameters(model, json);
    sonde_text_add(json, ",\n    \"posterior_correlation\": ");
    add_matrix(json, model->posterior, n, n);
    sonde_text_add(json, ",\n    \"estimate_correlation\": ");
    add_matrix(json, model->among, n, n);
    add_subjects(all, model, json);
    sonde_text_add(json, "}");
}

void sonde_recovered_write(const sonde_recovered *recovered, sonde_text *json) {
    const int32_t k = recovered->n_model;
    const sonde__recovering *made = (const sonde__recovering *)(const void *)recovered;
    sonde_text_add(json,
                   "{\"format\": \"sonde-recovery\", \"version\": 1, \"sonde\": \"%s\",\n"
                   "  \"subjects\": %d, \"sessions\": %d, \"episodes\": %d, \"steps\": %d",
                   sonde_version(), (int)recovered->n_subject, (int)made->n_session,
                   (int)made->n_episode, (int)made->n_step);
    sonde_text_add(json, ", \"seed\": %" PRIu64 ", \"optimiser\": \"%s\",\n  \"models\": [",
                   made->seed, made->optimiser);
    for (int32_t i = 0; i < k; i++) {
        add_model(recovered, i, json);
    }
    sonde_text_add(json, "],\n  \"confusion\": ");
    if (recovered->share == NULL) {
        sonde_text_add(json, "null}\n");
        return;
    }
    sonde_text_add(json, "{\"share\": ");
    add_matrix(json, recovered->share, k, k);
    sonde_text_add(json, ", \"pxp\": ");
    add_matrix(json, recovered->is_protected, k, k);
    sonde_text_add(json, ", \"true_given_found\": ");
    add_matrix(json, recovered->inverse, k, k);
    sonde_text_add(json, "}}\n");
}

void sonde_recovered_write_csv(const sonde_recovered *recovered, sonde_text *csv) {
    sonde_text_add(csv, "model,subject,parameter,true,map,sd,evidence\n");
    for (int32_t k = 0; k < recovered->n_model; k++) {
        const sonde_recovered_model *model = &recovered->model[k];
        const int32_t n = model->parameters->n;
        for (int64_t i = 0; i < (int64_t)recovered->n_subject * n; i++) {
            const int64_t subject = i / n;
            const double variance = model->covariance[i * n + i % n];
            sonde_text_add(csv, "%d,s%d,\"", (int)k + 1, (int)subject + 1);
            for (const char *c = model->parameters->parameter[i % n].name; *c != '\0'; c++) {
                sonde_text_add(csv, *c == '"' ? "\"\"" : "%c", *c);
            }
            sonde_text_add(csv, "\",");
            sonde_text_add_number(csv, model->truth[i]);
            sonde_text_add(csv, ",");
            sonde_text_add_number(csv, model->estimate[i]);
            sonde_text_add(csv, ",");
            sonde_text_add_number(csv, sqrt(variance));
            sonde_text_add(csv, ",");
            sonde_text_add_number(csv, model->evidence[subject * recovered->n_model + k]);
            sonde_text_add(csv, "\n");
        }
    }
}
