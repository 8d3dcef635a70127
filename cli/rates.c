/* rates.c: what is learned and how fast, in detail. */
#include "rates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool learns(const cli_arguments *args) {
    return args->learns;
}

static bool expects(const cli_arguments *args) {
    return args->learns && args->learn.gamma == SONDE_PRECISION_EXPECTED;
}

#define LEARNING .kinds = SONDE_KIND_GENERAL, .setting = true, .counts = learns, .with = "--learn"
#define EXPECTING                                                                                  \
    .kinds = SONDE_KIND_GENERAL, .setting = true, .counts = expects, .with = "--precision expected"
static const cli_option rate_options[] = {
    {OPTION("eta-outcome", TEXT, eta_outcome, "LIST",
            "eta-A of single outcomes: MODALITY.OUTCOME=X,..., or of a modality, MODALITY=X"),
     .kinds = SONDE_KIND_GENERAL, .counts = learns, .with = "--learn", .setting = true},
    {OPTION("omega-outcome", TEXT, omega_outcome, "LIST", "omega of A, the same"),
     .kinds = SONDE_KIND_GENERAL, .counts = learns, .with = "--learn", .setting = true},
    {OPTION("modalities", TEXT, modalities, "LIST",
            "whose A and C are learned, by name or number, or none (default: those with counts)"),
     .kinds = SONDE_KIND_GENERAL, .counts = learns, .with = "--learn", .setting = true},
    {OPTION("factors", TEXT, factors, "LIST", "whose B and D are learned, the same"),
     .kinds = SONDE_KIND_GENERAL, .counts = learns, .with = "--learn", .setting = true},
    {OPTION("eta-E", REAL, learn.eta[SONDE_E], "X",
            "what a decision among listed policies, or an action that becomes a habit, counts"),
     LEARNING, .maximum = 1e12},
    {OPTION("precision", CHOICE, learn.gamma, "HOW",
            "gamma: fixed, or expected of each decision (search full)"),
     LEARNING, .names = sonde_precision_name},
    {OPTION("alpha-g", REAL, learn.alpha_g, "X", "gamma is alpha-g / beta-g at first"), EXPECTING},
    {OPTION("beta-g", REAL, learn.beta_g, "X", "the same (default: 1 / gamma)"), EXPECTING},
    {OPTION("smooth-steps", WHOLE, smooth_steps, "N",
            "the most steps of an episode that is smoothed (default: --steps)"),
     .kinds = SONDE_KIND_GENERAL, .counts = learns, .with = "--learn", .minimum = 1},
};
const cli_option_group group_rates = {"Learning, in detail", OPTION_TABLE(rate_options)};

/* ------------------------------------------------------------------------------------- lists -- */

/* The length of the next word of a list, up to a comma; *at moves behind it. */
static size_t next_word(const char **at, const char **word) {
    *word = *at;
    const size_t n = strcspn(*at, ",");
    *at += n + ((*at)[n] == ',');
    return n;
}

/* One of n things by its name or its number; -1: there is none. */
static int32_t find(const char *word, size_t length, int32_t n,
                    const char *(*name)(const void *, int32_t), const void *of) {
    char *end = NULL;
    for (int32_t i = 0; i < n; i++) {
        const char *one = name(of, i);
        if (one && strlen(one) == length && strncmp(one, word, length) == 0) {
            return i;
        }
    }
    const long number = strtol(word, &end, 10);
    return end == word + length && length > 0 && number >= 0 && number < n ? (int32_t)number : -1;
}

static const char *modality_name(const void *of, int32_t i) {
    return ((const sonde_model *)of)->modality[i].name;
}

static const char *factor_name(const void *of, int32_t i) {
    return ((const sonde_model *)of)->factor[i].name;
}

static const char *outcome_name(const void *of, int32_t i) {
    const sonde_modality *modality = of;
    return modality->outcome_name ? modality->outcome_name[i] : NULL;
}

/* Which of the model's modalities or factors a list names. */
static sonde_status choose(const char *option, const char *list, const sonde_model *model,
                           bool factors, bool **chosen, sonde_error *error) {
    const int32_t n = factors ? model->n_factor : model->n_modality;
    if (!list) {
        return SONDE_OK;
    }
    *chosen = calloc((size_t)n, sizeof **chosen);
    if (strcmp(list, "none") == 0 &&
        find(list, strlen(list), n, factors ? factor_name : modality_name, model) < 0) {
        list = "";
    }
    while (*chosen && *list != '\0') {
        const char *word = NULL;
        const size_t length = next_word(&list, &word);
        const int32_t i = find(word, length, n, factors ? factor_name : modality_name, model);
        if (i < 0) {
            return fail(error, SONDE_BAD_ARGUMENT, "--%s: there is no %s \"%.*s\"", option,
                        factors ? "factor" : "modality", (int)length, word);
        }
        (*chosen)[i] = true;
    }
    return *chosen ? SONDE_OK : fail(error, SONDE_NO_MEMORY, "there is no memory for --%s", option);
}

/* The modality, and the outcome or -1, that MODALITY.OUTCOME or MODALITY names; false: none. */
static bool find_outcome(const sonde_model *model, const char *word, size_t length, int32_t *m,
                         int32_t *outcome) {
    *outcome = -1;
    *m = find(word, length, model->n_modality, modality_name, model);
    if (*m >= 0) {
        return true;
    }
    for (size_t dot = 1; dot + 1 < length; dot++) {
        *m = word[dot] == '.' ? find(word, dot, model->n_modality, modality_name, model) : -1;
        if (*m >= 0) {
            const sonde_modality *modality = &model->modality[*m];
            *outcome =
                find(word + dot + 1, length - dot - 1, modality->n_outcome, outcome_name, modality);
            return *outcome >= 0;
        }
    }
    return false;
}

static sonde_status read_rates(const char *option, const char *list, const sonde_model *model,
                               double **rate, sonde_error *error) {
    int32_t first[SONDE_FACTORS_MAX + 1] = {0};
    if (!list) {
        return SONDE_OK;
    }
    for (int32_t m = 0; m < model->n_modality; m++) {
        first[m + 1] = first[m] + model->modality[m].n_outcome;
    }
    const int32_t n = first[model->n_modality];
    *rate = malloc((size_t)n * sizeof **rate);
    for (int32_t o = 0; *rate && o < n; o++) {
        (*rate)[o] = (double)NAN;
    }
    while (*rate && *list != '\0') {
        const char *word = NULL;
        const size_t length = next_word(&list, &word);
        const size_t name = strcspn(word, "=");
        char *end = NULL;
        int32_t m = -1;
        int32_t outcome = -1;
        if (name >= length || !find_outcome(model, word, name, &m, &outcome)) {
            return fail(error, SONDE_BAD_ARGUMENT,
                        "--%s: expected MODALITY.OUTCOME=X of this model, found \"%.*s\"", option,
                        (int)length, word);
        }
        const double value = strtod(word + name + 1, &end);
        if (end != word + length || !(value >= 0.0) || !isfinite(value)) {
            return fail(error, SONDE_BAD_ARGUMENT,
                        "--%s: expected a number of 0 or more, found \"%.*s\"", option,
                        (int)(length - name - 1), word + name + 1);
        }
        for (int32_t o = outcome < 0 ? 0 : outcome;
             o < (outcome < 0 ? model->modality[m].n_outcome : outcome + 1); o++) {
            (*rate)[first[m] + o] = value;
        }
    }
    return *rate ? SONDE_OK : fail(error, SONDE_NO_MEMORY, "there is no memory for --%s", option);
}

sonde_status rates_open(cli_arguments *args, const sonde_model *model, cli_rates *rates,
                        sonde_error *error) {
    *rates = (cli_rates){0};
    if (model->graph) {
        return SONDE_OK; /* which says itself that it does not learn */
    }
    sonde_status status =
        choose("modalities", args->modalities, model, false, &rates->modality, error);
    if (!status) {
        status = choose("factors", args->factors, model, true, &rates->factor, error);
    }
    if (!status) {
        status = read_rates("eta-outcome", args->eta_outcome, model, &rates->eta, error);
    }
    if (!status) {
        status = read_rates("omega-outcome", args->omega_outcome, model, &rates->omega, error);
    }
    args->learn.modality = rates->modality;
    args->learn.factor = rates->factor;
    args->learn.eta_outcome = rates->eta;
    args->learn.omega_outcome = rates->omega;
    return status;
}

void rates_close(cli_rates *rates) {
    free(rates->eta);
    free(rates->omega);
    free(rates->modality);
    free(rates->factor);
}
