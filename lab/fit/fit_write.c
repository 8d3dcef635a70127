/* fit_write.c: a fit as a document and as a table. */
#include <math.h>
#include <string.h>

#include "base/shown.h"
#include "base/text.h"
#include "sonde_fit.h"

/* pairs of estimates that are told apart worse than this are named */
#define CORRELATED 0.95

static void add_key(sonde_text *json, const char *key) {
    sonde_text_add(json, ", ");
    sonde_text_add_quoted(json, key);
    sonde_text_add(json, ": ");
}

/* {"gamma": 1.2, ...} */
static void add_named(sonde_text *json, const char *key, const sonde_fitted *one,
                      const double *number) {
    add_key(json, key);
    for (int32_t i = 0; i < one->n_slot; i++) {
        sonde_text_add(json, i > 0 ? ", " : "{");
        sonde_text_add_quoted(json, one->name[i]);
        sonde_text_add(json, ": ");
        sonde_text_add_number(json, number[i]);
    }
    sonde_text_add(json, one->n_slot > 0 ? "}" : "{}");
}

static void add_matrix(sonde_text *json, const char *key, int32_t n_row, int32_t n_column,
                       const double *number) {
    add_key(json, key);
    sonde_text_add(json, "[");
    for (int32_t i = 0; i < n_row; i++) {
        sonde_text_add(json, i > 0 ? ", " : "");
        sonde__text_numbers(json, number + (int64_t)i * n_column, n_column);
    }
    sonde_text_add(json, "]");
}

static void add_intervals(sonde_text *json, const sonde_fitted *one) {
    sonde_text_add(json, ", \"interval_90\": {");
    for (int32_t i = 0; i < one->n_slot; i++) {
        const double pair[] = {one->low[i], one->high[i]};
        sonde_text_add(json, i > 0 ? ", " : "");
        sonde_text_add_quoted(json, one->name[i]);
        sonde_text_add(json, ": ");
        sonde__text_numbers(json, pair, 2);
    }
    sonde_text_add(json, "}");
}

/* Directions and pairs that the data cannot tell apart. */
static void add_weak(sonde_text *json, const sonde_fitted *one) {
    sonde_text_add(json, ", \"weak\": [");
    for (int32_t k = 0; k < one->n_weak; k++) {
        const char *comma = "";
        sonde_text_add(json, "%s{\"curvature\": ", k > 0 ? ", " : "");
        sonde_text_add_number(json, one->weak[k].curvature);
        sonde_text_add(json, ", \"weights\": {");
        for (int32_t i = 0; i < one->n_slot; i++) {
            if (fabs(one->weak[k].weight[i]) > 0.1) {
                sonde_text_add(json, "%s", comma);
                sonde_text_add_quoted(json, one->name[i]);
                sonde_text_add(json, ": ");
                sonde_text_add_number(json, one->weak[k].weight[i]);
                comma = ", ";
            }
        }
        sonde_text_add(json, "}}");
    }
    sonde_text_add(json, "], \"correlated\": [");
    const char *comma = "";
    for (int32_t i = 0; i < one->n_slot; i++) {
        for (int32_t j = 0; j < i; j++) {
            const double r =
                one->covariance[(int64_t)i * one->n_slot + j] / (one->sd[i] * one->sd[j]);
            if (fabs(r) > CORRELATED) {
                sonde_text_add(json, "%s[", comma);
                sonde_text_add_quoted(json, one->name[j]);
                sonde_text_add(json, ", ");
                sonde_text_add_quoted(json, one->name[i]);
                sonde_text_add(json, ", ");
                sonde_text_add_number(json, r);
                sonde_text_add(json, "]");
                comma = ", ";
            }
        }
    }
    sonde_text_add(json, "]");
}

static void add_subject(sonde_text *json, const sonde_fitted *one) {
    sonde_text_add(json, "\n    {\"subject\": ");
    sonde_text_add_quoted(json, one->subject);
    sonde__text_whole(json, "n", one->n);
    add_named(json, "map", one, one->map);
    add_named(json, "value", one, one->value);
    add_named(json, "sd", one, one->sd);
    add_intervals(json, one);
    add_matrix(json, "covariance", one->n_slot, one->n_slot, one->covariance);
    sonde__text_pair(json, "log_likelihood", one->log_likelihood);
    sonde__text_pair(json, "mean_p", one->n > 0 ? exp(one->log_likelihood / one->n) : NAN);
    sonde__text_pair(json, "AIC", one->aic);
    sonde__text_pair(json, "BIC", one->bic);
    sonde__text_pair(json, "evidence", one->evidence);
    if (one->n_test > 0) {
        sonde__text_whole(json, "n_test", one->n_test);
        sonde__text_pair(json, "held_out", one->held_out);
    }
    add_weak(json, one);
    sonde_text_add(json, ", \"converged\": %s", one->converged ? "true" : "false");
    sonde__text_pair(json, "gradient", one->gradient);
    sonde__text_pair(json, "evaluations", one->n_evaluation);
    sonde_text_add(json, "}");
}

static void add_words(sonde_text *json, const char *key, int32_t n, const char *const *word) {
    add_key(json, key);
    for (int32_t i = 0; i < n; i++) {
        sonde_text_add(json, i > 0 ? ", " : "[");
        sonde_text_add_quoted(json, word[i]);
    }
    sonde_text_add(json, n > 0 ? "]" : "[]");
}

static void add_group(sonde_text *json, const sonde_fit_group *group) {
    sonde_text_add(json, "{\"method\": \"eb\"");
    sonde__text_whole(json, "subjects", group->n_subject);
    add_words(json, "parameters", group->n, group->name);
    add_matrix(json, "mu", 1, group->n, group->mu);
    add_matrix(json, "sd", 1, group->n, group->sd);
    add_words(json, "columns", group->n_column, group->column);
    add_matrix(json, "beta", group->n, group->n_column, group->beta);
    add_matrix(json, "se", group->n, group->n_column, group->se);
    add_matrix(json, "z", group->n, group->n_column, group->z);
    add_matrix(json, "low", group->n, group->n_column, group->low);
    add_matrix(json, "high", group->n, group->n_column, group->high);
    sonde__text_pair(json, "evidence", group->evidence);
    sonde__text_whole(json, "rounds", group->n_round);
    sonde_text_add(json, ", \"converged\": %s, \"effects\": {",
                   group->converged ? "true" : "false");
    for (int32_t c = 0; c < group->n_covariate; c++) {
        sonde_text_add(json, c > 0 ? ", " : "");
        sonde_text_add_quoted(json, group->covariate[c]);
        sonde_text_add(json, ": ");
        sonde_text_add_number(json, group->effect[c]);
    }
    sonde_text_add(json, "}}");
}

static void add_parameter(sonde_text *json, const sonde_parameter *one) {
    const double prior[] = {one->mean, one->sd};
    sonde_text_add(json, "\n    {\"name\": ");
    sonde_text_add_quoted(json, one->name);
    sonde__text_words(json, "target", one->target);
    sonde__text_words(json, "transform", sonde_transform_name((int32_t)one->transform));
    add_key(json, "prior");
    sonde__text_numbers(json, prior, 2);
    sonde__text_pair(json, "start", one->start);
    if (one->per != NULL) {
        sonde__text_words(json, "per", one->per);
    }
    if (one->shared) {
        sonde_text_add(json, ", \"shared\": true");
    }
    sonde_text_add(json, "}");
}

void sonde_fit_write(const sonde_fit *fit, const char *about, sonde_text *json) {
    sonde_text_add(json, "{\"format\": \"sonde-fit\", \"version\": 1, \"sonde\": \"%s\"",
                   sonde_version());
    sonde_text_add(json, "%s%s", about != NULL ? ",\n  " : "", about != NULL ? about : "");
    sonde__text_words(json, "optimiser", fit->optimiser);
    sonde__text_pair(json, "log_likelihood", fit->log_likelihood);
    sonde__text_pair(json, "evidence", fit->evidence);
    sonde__text_pair(json, "n", fit->n);
    sonde__text_pair(json, "free", fit->n_parameter);
    sonde__text_pair(json, "AIC", fit->aic);
    sonde__text_pair(json, "BIC", fit->bic);
    if (!isnan(fit->held_out)) {
        sonde__text_pair(json, "held_out", fit->held_out);
    }
    sonde_text_add(json, ",\n  \"parameters\": [");
    for (int32_t p = 0; p < fit->parameters->n; p++) {
        sonde_text_add(json, p > 0 ? "," : "");
        add_parameter(json, &fit->parameters->parameter[p]);
    }
    sonde_text_add(json, "],\n  \"shared\": {");
    for (int32_t k = 0; k < fit->n_shared; k++) {
        sonde_text_add(json, k > 0 ? ", " : "");
        sonde_text_add_quoted(json, fit->parameters->parameter[fit->shared[k]].name);
        sonde_text_add(json, ": {\"map\": ");
        sonde_text_add_number(json, fit->shared_map[k]);
        sonde__text_pair(json, "sd", fit->shared_sd[k]);
        sonde_text_add(json, "}");
    }
    sonde_text_add(json, "},\n  \"subjects\": [");
    for (int32_t s = 0; s < fit->n_subject; s++) {
        sonde_text_add(json, s > 0 ? "," : "");
        add_subject(json, &fit->subject[s]);
    }
    sonde_text_add(json, "],\n  \"group\": ");
    if (fit->group != NULL) {
        add_group(json, fit->group);
    } else {
        sonde_text_add(json, "null");
    }
    sonde_text_add(json, "}\n");
}

/* ------------------------------------------------------------------------------------- table -- */

static void add_field(sonde_text *csv, const char *words) {
    const char *guard = sonde__csv_guard(words);
    const bool quoted = strpbrk(words, ",\"\r\n") != NULL;
    sonde_text_add(csv, "%s%s", quoted ? "\"" : "", guard);
    for (; *words != '\0'; words++) {
        sonde_text_add(csv, *words == '"' ? "\"\"" : "%c", *words);
    }
    sonde_text_add(csv, quoted ? "\"" : "");
}

static void add_number(sonde_text *csv, double number) {
    sonde_text_add(csv, ",");
    if (isnan(number)) {
        sonde_text_add(csv, "NA");
    } else {
        sonde_text_add_number(csv, number);
    }
}

/* The slot of a name, or -1. */
static int32_t find_slot(const sonde_fitted *one, const char *name) {
    for (int32_t i = 0; i < one->n_slot; i++) {
        if (strcmp(one->name[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

/* Whether subject s is the first that has its slot i. */
static bool is_new(const sonde_fit *fit, int32_t s, int32_t i) {
    for (int32_t k = 0; k < s; k++) {
        if (find_slot(&fit->subject[k], fit->subject[s].name[i]) >= 0) {
            return false;
        }
    }
    return true;
}

/* Calls `add` with every name that some subject has, once. */
static void each_name(const sonde_fit *fit, const sonde_fitted *one, sonde_text *csv,
                      void (*add)(sonde_text *csv, const sonde_fitted *one, const char *name)) {
    for (int32_t s = 0; s < fit->n_subject; s++) {
        for (int32_t i = 0; i < fit->subject[s].n_slot; i++) {
            if (is_new(fit, s, i)) {
                add(csv, one, fit->subject[s].name[i]);
            }
        }
    }
}

static void add_heads(sonde_text *csv, const sonde_fitted *one, const char *name) {
    static const char *const ending[] = {"", "_map", "_sd", "_low", "_high"};
    (void)one;
    for (int32_t k = 0; k < 5; k++) {
        sonde_text word = {0};
        sonde_text_add(&word, "%s%s", name, ending[k]);
        sonde_text_add(csv, ",");
        add_field(csv, word.data != NULL ? word.data : "");
        csv->failed = csv->failed || word.failed;
        sonde_text_free(&word);
    }
}

static void add_numbers(sonde_text *csv, const sonde_fitted *one, const char *name) {
    const int32_t i = find_slot(one, name);
    add_number(csv, i >= 0 ? one->value[i] : NAN);
    add_number(csv, i >= 0 ? one->map[i] : NAN);
    add_number(csv, i >= 0 ? one->sd[i] : NAN);
    add_number(csv, i >= 0 ? one->low[i] : NAN);
    add_number(csv, i >= 0 ? one->high[i] : NAN);
}

void sonde_fit_write_csv(const sonde_fit *fit, sonde_text *csv) {
    sonde_text_add(csv, "subject,n,log_likelihood,mean_p,evidence,AIC,BIC,held_out,converged,weak");
    each_name(fit, NULL, csv, add_heads);
    sonde_text_add(csv, "\n");
    for (int32_t s = 0; s < fit->n_subject; s++) {
        const sonde_fitted *one = &fit->subject[s];
        add_field(csv, one->subject);
        add_number(csv, one->n);
        add_number(csv, one->log_likelihood);
        add_number(csv, one->n > 0 ? exp(one->log_likelihood / one->n) : NAN);
        add_number(csv, one->evidence);
        add_number(csv, one->aic);
        add_number(csv, one->bic);
        add_number(csv, one->n_test > 0 ? one->held_out : NAN);
        sonde_text_add(csv, one->converged ? ",1" : ",0");
        add_number(csv, one->n_weak);
        each_name(fit, one, csv, add_numbers);
        sonde_text_add(csv, "\n");
    }
}
