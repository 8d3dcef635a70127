/* replay_parameters.c: which numbers are free, read from a document or a list of their names.
 *
 *     gamma alpha lapse lambda nu_A nu_B            eta_A eta_B eta_C eta_D omega
 *     eta_A[reward][win]  omega[reward][win]        of one outcome
 *     C[reward][win]      scale of C[reward]        a preference; all of a modality's
 *     D[context][left]    D[context]                probability of a state; of the first of two
 *     scale of counts.A[reward]                     how much is known beforehand
 *     precision of A[reward]                        softmax(theta ln A) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/name.h"
#include "base/numbers.h"
#include "replay/replay.h"

const char *sonde_transform_name(int32_t transform) {
    static const char *const name[] = {"identity", "log", "logit", NULL};
    return name[transform >= 0 && transform < 3 ? transform : 3];
}

double sonde_transform_out(sonde_transform transform, double theta) {
    return transform == SONDE_TRANSFORM_LOG     ? sonde__exp(theta)
           : transform == SONDE_TRANSFORM_LOGIT ? 1.0 / (1.0 + sonde__exp(-theta))
                                                : theta;
}

double sonde_transform_in(sonde_transform transform, double value) {
    return transform == SONDE_TRANSFORM_LOG     ? log(value)
           : transform == SONDE_TRANSFORM_LOGIT ? log(value) - log1p(-value)
                                                : value;
}

double sonde_parameters_log_prior(const sonde_parameters *parameters, const double *theta) {
    double sum = 0.0;
    for (int32_t i = 0; i < parameters->n; i++) {
        const sonde_parameter *one = &parameters->parameter[i];
        const double z = (theta[i] - one->mean) / one->sd;
        sum -= 0.5 * z * z + log(one->sd) + 0.91893853320467274178; /* ln sqrt(2 pi) */
    }
    return sum;
}

/* ----------------------------------------------------------------------------------- targets -- */

/* what a kind of target may be, and is believed to be */
typedef struct {
    const char *name;
    sonde_transform transform;
    double mean;
    double sd;
    bool positive;   /* or 0 */
    bool unit;       /* between 0 and 1 */
    int32_t n_index; /* [..] that follow, at most; those of C, scale and precision follow always */
} rule;
#define LN_2 0.69314718055994530942
static const rule rules[SONDE__N_TARGET] = {
    [SONDE__TARGET_GAMMA] = {"gamma", SONDE_TRANSFORM_LOG, LN_2, 1.0, true, false, 0},
    [SONDE__TARGET_ALPHA] = {"alpha", SONDE_TRANSFORM_LOG, LN_2, 1.0, true, false, 0},
    [SONDE__TARGET_LAPSE] = {"lapse", SONDE_TRANSFORM_LOGIT, -3.0, 1.0, true, true, 0},
    [SONDE__TARGET_LAMBDA] = {"lambda", SONDE_TRANSFORM_LOG, 0.0, 1.0, true, false, 0},
    [SONDE__TARGET_NU_A] = {"nu_A", SONDE_TRANSFORM_LOG, 0.0, 0.5, true, false, 0},
    [SONDE__TARGET_NU_B] = {"nu_B", SONDE_TRANSFORM_LOG, 0.0, 0.5, true, false, 0},
    [SONDE__TARGET_ALPHA_G] = {"alpha_g", SONDE_TRANSFORM_LOG, 0.0, 1.0, true, false, 0},
    [SONDE__TARGET_BETA_G] = {"beta_g", SONDE_TRANSFORM_LOG, 0.0, 1.0, true, false, 0},
    [SONDE__TARGET_ETA] = {"eta_", SONDE_TRANSFORM_LOGIT, 0.0, 1.5, true, false, 2},
    [SONDE__TARGET_OMEGA] = {"omega", SONDE_TRANSFORM_LOGIT, 0.0, 1.5, true, true, 2},
    [SONDE__TARGET_C] = {"C", SONDE_TRANSFORM_IDENTITY, 0.0, 2.0, false, false, 2},
    [SONDE__TARGET_ADD] = {"C", SONDE_TRANSFORM_IDENTITY, 0.0, 2.0, false, false, 1},
    [SONDE__TARGET_D] = {"D", SONDE_TRANSFORM_LOGIT, 0.0, 1.0, true, true, 2},
    [SONDE__TARGET_SCALE_C] = {"scale of C", SONDE_TRANSFORM_LOG, 0.0, 0.5, true, false, 1},
    [SONDE__TARGET_SCALE_COUNTS] = {"scale of counts.", SONDE_TRANSFORM_LOG, 0.0, 0.5, true, false,
                                    1},
    /* as Smith's tutorial has them: alpha, beta, zeta, eta, tau, erp, and what is added to C */
    [SONDE__TARGET_SPM + 0] = {"alpha", SONDE_TRANSFORM_LOG, 2.7725887222397811, 0.5, true, false,
                               0},
    [SONDE__TARGET_SPM + 1] = {"beta", SONDE_TRANSFORM_LOG, 0.0, 0.5, true, false, 0},
    [SONDE__TARGET_SPM + 2] = {"zeta", SONDE_TRANSFORM_LOG, 0.0, 0.5, true, false, 0},
    [SONDE__TARGET_SPM + 3] = {"eta", SONDE_TRANSFORM_LOGIT, 0.0, 0.5, true, false, 0},
    [SONDE__TARGET_SPM + 4] = {"tau", SONDE_TRANSFORM_LOG, 0.0, 0.5, true, false, 0},
    [SONDE__TARGET_SPM + 5] = {"erp", SONDE_TRANSFORM_LOG, 0.0, 0.5, true, false, 0},
    [SONDE__TARGET_SPM_ADD] = {"C", SONDE_TRANSFORM_LOG, 0.0, 0.5, false, false, 1},
    [SONDE__TARGET_PRECISION_A] = {"precision of A", SONDE_TRANSFORM_LOG, 0.0, 0.5, true, false, 1},
};
/* what errors say there is */
static const char *const known[] = {"gamma",
                                    "alpha",
                                    "lapse",
                                    "lambda",
                                    "nu_A",
                                    "nu_B",
                                    "eta_A",
                                    "eta_B",
                                    "eta_C",
                                    "eta_D",
                                    "eta_E",
                                    "alpha_g",
                                    "beta_g",
                                    "omega",
                                    "C[..][..]",
                                    "D[..]",
                                    "scale of C[..]",
                                    "precision of A[..]",
                                    "scale of counts.A[..]"};

/* a document that is being read */
typedef struct {
    const char *origin;
    const sonde_model *model;   /* or NULL: parameters of SPM's scheme */
    const sonde_spm_shape *spm; /* these are of; or NULL */
    sonde__pool *pool;
    sonde_error *error;
} reading;

static sonde_status unknown(const reading *r, const char *target) {
    const char *nearest =
        sonde__name_nearest(known, (int32_t)(sizeof known / sizeof *known), target);
    return sonde__fail(r->error, SONDE_BAD_INPUT, "%s: there is no parameter \"%s\"%s%s%s",
                       r->origin, target,
                       nearest != NULL ? "; did you mean \"" : "; see docs/fitting.md",
                       nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
}

/* The place of a word among names, or as a number; -1: there is none. */
static int32_t find_word(const char *word, int32_t n, const char *const *name) {
    int64_t number = 0;
    for (int32_t i = 0; name != NULL && i < n; i++) {
        if (name[i] != NULL && strcmp(name[i], word) == 0) {
            return i;
        }
    }
    return sonde__cell_whole(word, &number) && number >= 0 && number < n ? (int32_t)number : -1;
}

static sonde_status no_such(const reading *r, const sonde_parameter *one, const char *what,
                            const char *word, int32_t n, const char *const *name) {
    const char *nearest = name != NULL ? sonde__name_nearest(name, n, word) : NULL;
    return sonde__fail(r->error, SONDE_BAD_INPUT, "%s: %s: the model has no %s \"%s\"%s%s%s",
                       r->origin, one->target, what, word,
                       nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
                       nearest != NULL ? "\"?" : "");
}

/* A modality or a factor by its name or number. */
static sonde_status find_place(const reading *r, const char *word, sonde_parameter *one) {
    const bool factors = one->letter == SONDE_B || one->letter == SONDE_D;
    const int32_t n = factors ? r->model->n_factor : r->model->n_modality;
    const char *name[SONDE_FACTORS_MAX];
    for (int32_t i = 0; i < n; i++) {
        const char *own = factors ? r->model->factor[i].name : r->model->modality[i].name;
        name[i] = own != NULL ? own : "";
    }
    one->place = find_word(word, n, name);
    return one->place >= 0 ? SONDE_OK
                           : no_such(r, one, factors ? "factor" : "modality", word, n, name);
}

static sonde_status find_entry(const reading *r, const char *word, sonde_parameter *one) {
    const bool factors = one->letter == SONDE_B || one->letter == SONDE_D;
    const sonde_factor *factor = factors ? &r->model->factor[one->place] : NULL;
    const sonde_modality *modality = factors ? NULL : &r->model->modality[one->place];
    const int32_t n = factors ? factor->n_state : modality->n_outcome;
    const char *const *name = factors ? factor->state_name : modality->outcome_name;
    one->entry = find_word(word, n, name);
    return one->entry >= 0 ? SONDE_OK
                           : no_such(r, one, factors ? "state" : "outcome", word, n, name);
}

/* Reads [reward][win]; `rest` begins with a bracket, or is empty. */
static sonde_status find_indices(const reading *r, const char *rest, sonde_parameter *one) {
    const int32_t most = rules[one->kind].n_index;
    sonde_status status = SONDE_OK;
    one->place = one->entry = -1;
    for (int32_t i = 0; status == SONDE_OK && *rest != '\0'; i++) {
        char word[128];
        const size_t length = strcspn(rest, "]");
        if (rest[0] != '[' || rest[length] != ']' || i == most || length > sizeof word) {
            return unknown(r, one->target);
        }
        memcpy(word, rest + 1, length - 1);
        word[length - 1] = '\0';
        status = i == 0 ? find_place(r, word, one) : find_entry(r, word, one);
        rest += length + 1;
    }
    const bool whole = one->kind == SONDE__TARGET_ETA || one->kind == SONDE__TARGET_OMEGA;
    const bool factors = one->letter == SONDE_B || one->letter == SONDE_D;
    if (status == SONDE_OK && one->place < 0 && !whole && most > 0) {
        const int32_t n = factors ? r->model->n_factor : r->model->n_modality;
        one->place = n == 1 ? 0 : -1; /* there is only one that can be meant */
    }
    const bool wants_entry = one->kind == SONDE__TARGET_C || (whole && one->place >= 0);
    if (status == SONDE_OK &&
        ((most > 0 && !whole && one->place < 0) || (wants_entry && one->entry < 0))) {
        return sonde__fail(r->error, SONDE_BAD_INPUT,
                           "%s: %s: expected which one, such as %s[%s]%s", r->origin, one->target,
                           one->target, one->place < 0 ? (factors ? "context" : "reward") : "win",
                           one->place < 0 && wants_entry ? "[win]" : "");
    }
    return status;
}

/* Cuts a beginning off, where the text has it. */
static bool skip(const char **text, const char *beginning) {
    const size_t n = strlen(beginning);
    const bool has = strncmp(*text, beginning, n) == 0;
    *text += has ? n : 0;
    return has;
}

static bool take_letter(const char **text, int32_t *letter) {
    static const char letters[] = "ABCD";
    const char *found = **text != '\0' ? strchr(letters, **text) : NULL;
    if (found != NULL) {
        *letter = (int32_t)(found - letters);
        (*text)++;
    }
    return found != NULL;
}

/* The kind of a target, and what is left of its text; -1: there is no such. */
static int32_t find_kind(const char **text, int32_t *letter) {
    *letter = SONDE_A;
    if (skip(text, "scale of counts.") || skip(text, "counts scale of ") ||
        skip(text, "scale_counts_")) {
        return take_letter(text, letter) ? SONDE__TARGET_SCALE_COUNTS : -1;
    }
    if (skip(text, "scale of C") || skip(text, "scale_C")) {
        *letter = SONDE_C;
        return SONDE__TARGET_SCALE_C;
    }
    if (skip(text, "precision of A") || skip(text, "precision_A")) {
        return SONDE__TARGET_PRECISION_A;
    }
    if (strcmp(*text, "eta_E") == 0) {
        *text += 5;
        *letter = SONDE_E;
        return SONDE__TARGET_ETA;
    }
    if (skip(text, "eta_")) {
        return take_letter(text, letter) ? SONDE__TARGET_ETA : -1;
    }
    if (strcmp(*text, "alpha_g") == 0 || strcmp(*text, "beta_g") == 0) {
        const bool alpha = **text == 'a';
        *text += strlen(*text);
        return alpha ? SONDE__TARGET_ALPHA_G : SONDE__TARGET_BETA_G;
    }
    if (strncmp(*text, "C[", 2) == 0 || strncmp(*text, "D[", 2) == 0 || strcmp(*text, "D") == 0) {
        (void)take_letter(text, letter);
        return *letter == SONDE_C ? SONDE__TARGET_C : SONDE__TARGET_D;
    }
    for (int32_t kind = SONDE__TARGET_GAMMA; kind <= SONDE__TARGET_NU_B; kind++) {
        if (skip(text, rules[kind].name)) {
            return **text == '\0' ? kind : -1;
        }
    }
    return skip(text, "omega") ? SONDE__TARGET_OMEGA : -1;
}

/* ------------------------------------------------------------------------------- the numbers -- */

/* Whether the model has what is to be scaled. */
static sonde_status check_counts(const reading *r, const sonde_parameter *one) {
    int32_t n = 0;
    const bool none =
        one->kind == SONDE__TARGET_SCALE_COUNTS &&
        sonde_model_counts(r->model, (sonde_letter)one->letter, one->place, NULL, &n) == 0;
    const bool states =
        one->kind == SONDE__TARGET_D && one->entry < 0 && r->model->factor[one->place].n_state != 2;
    if (none || states) {
        return sonde__fail(r->error, SONDE_BAD_INPUT, "%s: %s: %s", r->origin, one->target,
                           none ? "the model has no such counts"
                                : "the factor has more states than two; say which, as D[..][..]");
    }
    return SONDE_OK;
}

/* A target of SPM's scheme: one of its numbers, or C[modality] with what is added to it. */
static sonde_status find_spm(const reading *r, bool adds, sonde_parameter *one) {
    const int32_t i = sonde_name_find(sonde_spm_number_name, one->target);
    int64_t m = -1;
    char word[16] = "";
    if (adds && strncmp(one->target, "C[", 2) == 0) {
        (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(one->target + 2, "]"),
                       one->target + 2);
    }
    const bool add = sonde__cell_whole(word, &m) && m >= 0 && m < r->spm->n_modality;
    if (adds ? !add : i < 0) {
        const char *nearest = sonde_name_nearest(sonde_spm_number_name, one->target);
        return sonde__fail(r->error, SONDE_BAD_INPUT,
                           "%s: SPM's scheme has no parameter \"%s\"%s%s; there are alpha, beta, "
                           "zeta, eta, tau, erp, and C[..] with \"add\"",
                           r->origin, one->target, nearest != NULL ? ", did you mean " : "",
                           nearest != NULL ? nearest : "");
    }
    one->kind = adds ? SONDE__TARGET_SPM_ADD : SONDE__TARGET_SPM + i;
    one->place = adds ? (int32_t)m : -1;
    one->entry = -1;
    one->letter = SONDE_C;
    one->transform = rules[one->kind].transform;
    one->mean = adds && strcmp(one->name, "rs") == 0 ? 1.6094379124341003 : rules[one->kind].mean;
    one->sd = rules[one->kind].sd;
    one->start = (double)NAN;
    return SONDE_OK;
}

/* What a target is, and what is usual for it. */
static sonde_status find_target(const reading *r, bool adds, sonde_parameter *one) {
    const char *rest = one->target;
    if (r->spm != NULL) {
        return find_spm(r, adds, one);
    }
    one->kind = find_kind(&rest, &one->letter);
    if (one->kind == SONDE__TARGET_C && adds) {
        one->kind = SONDE__TARGET_ADD;
    }
    if (one->kind < 0 || (adds && one->kind != SONDE__TARGET_ADD)) {
        return unknown(r, one->target);
    }
    if (one->kind == SONDE__TARGET_ETA && one->letter != SONDE_A && *rest != '\0') {
        return unknown(r, one->target); /* A alone has rates by outcome */
    }
    sonde_status status = find_indices(r, rest, one);
    status = status == SONDE_OK ? check_counts(r, one) : status;
    if (status != SONDE_OK) {
        return status;
    }
    if (one->kind == SONDE__TARGET_D && one->entry < 0) {
        one->entry = 0;
    }
    one->transform = rules[one->kind].transform;
    one->mean = rules[one->kind].mean;
    one->sd = rules[one->kind].sd;
    if (one->kind == SONDE__TARGET_D) {
        const double p = r->model->factor[one->place].D[one->entry];
        one->mean = sonde_transform_in(SONDE_TRANSFORM_LOGIT, p < 1e-6       ? 1e-6
                                                              : p > 1 - 1e-6 ? 1 - 1e-6
                                                                             : p);
    }
    one->start = (double)NAN;
    return SONDE_OK;
}

static sonde_status check_transform(const reading *r, const sonde_parameter *one) {
    const rule *allowed = &rules[one->kind];
    const bool identity = one->transform == SONDE_TRANSFORM_IDENTITY && allowed->positive;
    const bool log = one->transform == SONDE_TRANSFORM_LOG && allowed->unit;
    if (identity || log) {
        return sonde__fail(r->error, SONDE_BAD_INPUT,
                           "%s: %s: transform %s would let it be %s; choose %s", r->origin,
                           one->name, sonde_transform_name((int32_t)one->transform),
                           allowed->unit ? "outside 0 to 1" : "negative",
                           sonde_transform_name((int32_t)allowed->transform));
    }
    if (!isfinite(one->mean) || !isfinite(one->sd) || one->sd <= 0.0 || one->sd > 1e6 ||
        fabs(one->mean) > 1e6) {
        return sonde__fail(r->error, SONDE_BAD_INPUT,
                           "%s: %s: prior: expected a mean and a standard deviation above 0, on "
                           "the transformed scale, found %g and %g",
                           r->origin, one->name, one->mean, one->sd);
    }
    return SONDE_OK;
}

static char *copy(const reading *r, const char *text, size_t n) {
    char *made = SONDE__POOL_TAKE(r->pool, char, n + 1);
    if (made != NULL && text != NULL) {
        memcpy(made, text, n);
    }
    return made;
}

static sonde_status settle(const reading *r, sonde_parameter *all, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        const sonde_status status = check_transform(r, &all[i]);
        if (status != SONDE_OK) {
            return status;
        }
        all[i].start = isnan(all[i].start) ? all[i].mean : all[i].start;
        for (int32_t j = 0; j < i; j++) {
            if (strcmp(all[i].name, all[j].name) == 0) {
                return sonde__fail(r->error, SONDE_BAD_INPUT,
                                   "%s: two parameters are called %s; name one of them otherwise",
                                   r->origin, all[i].name);
            }
        }
    }
    return SONDE_OK;
}

/* -------------------------------------------------------------------------------------- list -- */

static sonde_status read_list(const reading *r, const char *list, sonde_parameter *all,
                              int32_t *n) {
    sonde_status status = SONDE_OK;
    while (status == SONDE_OK) {
        const size_t length = strcspn(list, ",");
        sonde_parameter *one = &all[*n];
        *one = (sonde_parameter){.target = copy(r, list, length)};
        if (one->target == NULL) {
            return sonde__fail_memory(r->error, "parameters", length);
        }
        one->name = one->target;
        status = find_target(r, false, one);
        (*n)++;
        if (list[length] == '\0') {
            break;
        }
        list += length + 1;
    }
    return status;
}

/* -------------------------------------------------------------------------------------- sets -- */

/* A value of a parameter's own scale. */
static sonde_status read_value(const sonde__cells *cells, int32_t row, int32_t column,
                               const sonde_parameter *one, double *value) {
    const char *cell = cells->cell[(int64_t)row * cells->n_column + column];
    const rule *allowed = &rules[one->kind];
    char *end = NULL;
    *value = strtod(cell, &end);
    const bool number = cell[strspn(cell, "0123456789.eE+-")] == '\0' && end != cell &&
                        *end == '\0' && isfinite(*value);
    const bool lapse = one->kind == SONDE__TARGET_LAPSE; /* which leaves something to the agent */
    const bool inside = (!allowed->positive || *value >= 0.0) &&
                        (!allowed->unit || *value < 1.0 || (*value == 1.0 && !lapse)) &&
                        fabs(*value) <= 1e12;
    return number && inside
               ? SONDE_OK
               : sonde__cell_wrong(cells, row, column, "expected a number%s, found \"%s\"",
                                   lapse               ? " from 0 on and below 1"
                                   : allowed->unit     ? " from 0 to 1"
                                   : allowed->positive ? " from 0 on"
                                                       : "",
                                   cell);
}

static sonde_status read_sets(const reading *r, const sonde__cells *cells, sonde_parameter *all,
                              double *value) {
    sonde_status status = SONDE_OK;
    for (int32_t c = 0; status == SONDE_OK && c < cells->n_column; c++) {
        all[c] = (sonde_parameter){.name = cells->name[c], .target = cells->name[c]};
        status = find_target(r, false, &all[c]);
        all[c].transform = SONDE_TRANSFORM_IDENTITY;
        all[c].start = all[c].mean;
    }
    for (int32_t i = 0; status == SONDE_OK && i < cells->n_row; i++) {
        for (int32_t c = 0; status == SONDE_OK && c < cells->n_column; c++) {
            status = read_value(cells, i, c, &all[c], &value[(int64_t)i * cells->n_column + c]);
        }
    }
    return status;
}

/* ---------------------------------------------------------------------------------- document -- */

static const char *key_name(int32_t i) {
    static const char *const name[] = {"name", "target", "transform", "prior", "start",
                                       "per",  "shared", "add",       NULL};
    return name[i >= 0 && i < 8 ? i : 8];
}

static bool read_word(const reading *r, sonde__reader *reader, const char *path,
                      const json_t *value, const char **word) {
    if (value == NULL) {
        return true;
    }
    const char *text = json_string_value(value);
    if (text == NULL) {
        return sonde__json_expected(reader, path, "a string", value);
    }
    *word = copy(r, text, strlen(text));
    return *word != NULL || sonde__json_wrong(reader, "%s: no memory", path);
}

/* The same of SPM's scheme: a number for each outcome, or a list of one for each time. */
static bool read_spm_add(const reading *r, sonde__reader *reader, const char *path,
                         const json_t *add, sonde_parameter *one) {
    const int32_t n = r->spm->n_outcome[one->place];
    const int32_t n_time = r->spm->n_time;
    double *vector = SONDE__POOL_TAKE(r->pool, double, (uint64_t)n *(uint64_t)n_time);
    one->vector = vector;
    if (vector == NULL || json_array_size(add) != (size_t)n) {
        return sonde__json_wrong(reader,
                                 "%s.add: expected %d numbers, one for each outcome, or "
                                 "lists of one for each time",
                                 path, n);
    }
    for (int32_t o = 0; o < n; o++) {
        const json_t *row = json_array_get(add, (size_t)o);
        for (int32_t t = 0; t < n_time; t++) {
            const json_t *cell = json_is_array(row) ? json_array_get(row, (size_t)t) : row;
            if (!sonde__json_number(reader, path, cell, -SONDE__LARGEST, &vector[o * n_time + t])) {
                return false;
            }
        }
    }
    return true;
}

/* {"add": [0, 1, 0]}, a number for each outcome. */
static bool read_add(const reading *r, sonde__reader *reader, const char *path, const json_t *add,
                     sonde_parameter *one) {
    if (r->spm != NULL) {
        return read_spm_add(r, reader, path, add, one);
    }
    if (r->model == NULL) {
        return sonde__json_wrong(reader, "%s: there is no model to add to", path);
    }
    const int32_t n = r->model->modality[one->place].n_outcome;
    double *vector = SONDE__POOL_TAKE(r->pool, double, n);
    if (!json_is_array(add) || json_array_size(add) != (size_t)n) {
        return sonde__json_wrong(reader, "%s.add: expected %d numbers, one for each outcome", path,
                                 n);
    }
    for (int32_t o = 0; vector != NULL && o < n; o++) {
        if (!sonde__json_number(reader, path, json_array_get(add, (size_t)o), -SONDE__LARGEST,
                                &vector[o])) {
            return false;
        }
    }
    one->vector = vector;
    return vector != NULL;
}

static bool read_prior(sonde__reader *reader, const char *path, const json_t *prior,
                       sonde_parameter *one) {
    if (prior == NULL) {
        return true;
    }
    if (!json_is_array(prior) || json_array_size(prior) != 2 ||
        !json_is_number(json_array_get(prior, 0)) || !json_is_number(json_array_get(prior, 1))) {
        return sonde__json_wrong(
            reader,
            "%s.prior: expected [mean, standard deviation], two numbers on the "
            "transformed scale",
            path);
    }
    one->mean = json_number_value(json_array_get(prior, 0));
    one->sd = json_number_value(json_array_get(prior, 1));
    return true;
}

static bool read_transform(sonde__reader *reader, const char *path, const json_t *value,
                           sonde_parameter *one) {
    const char *word = json_string_value(value);
    const int32_t found = word != NULL ? sonde_name_find(sonde_transform_name, word) : -1;
    if (value != NULL && found < 0) {
        return sonde__json_expected(reader, path, "identity, log or logit", value);
    }
    one->transform = value != NULL ? (sonde_transform)found : one->transform;
    return true;
}

static bool read_one(const reading *r, sonde__reader *reader, int32_t i, sonde_parameter *one) {
    const json_t *object = json_array_get(reader->root, (size_t)i);
    const sonde__path path = sonde__at("[%d]", i);
    const json_t *add = json_object_get(object, "add");
    const json_t *start = json_object_get(object, "start");
    const json_t *shared = json_object_get(object, "shared");
    if (!json_is_object(object)) {
        return sonde__json_expected(reader, path.text, "an object with a target", object);
    }
    if (!sonde__json_keys_at(reader, path.text, object, key_name) ||
        !read_word(r, reader, path.text, json_object_get(object, "target"), &one->target) ||
        !read_word(r, reader, path.text, json_object_get(object, "name"), &one->name) ||
        !read_word(r, reader, path.text, json_object_get(object, "per"), &one->per)) {
        return false;
    }
    one->target = one->target != NULL ? one->target : one->name;
    one->name = one->name != NULL ? one->name : one->target;
    if (one->target == NULL) {
        return sonde__json_expected(reader, path.text, "a target, such as gamma", NULL);
    }
    if (find_target(r, add != NULL, one) != SONDE_OK) {
        reader->status = SONDE_BAD_INPUT;
        return false;
    }
    if (shared != NULL && !json_is_boolean(shared)) {
        return sonde__json_expected(reader, path.text, "true or false for shared", shared);
    }
    one->shared = json_is_true(shared);
    if (one->shared && one->per != NULL) {
        return sonde__json_wrong(reader, "%s: shared and per exclude each other; keep one",
                                 path.text);
    }
    return read_transform(reader, path.text, json_object_get(object, "transform"), one) &&
           read_prior(reader, path.text, json_object_get(object, "prior"), one) &&
           (start == NULL ||
            sonde__json_number(reader, path.text, start, -SONDE__LARGEST, &one->start)) &&
           (add == NULL || read_add(r, reader, path.text, add, one));
}

/* one block */
typedef struct {
    sonde_parameters parameters; /* first: a pointer to it is a pointer to the block */
    sonde__pool pool;
} parameters_block;

static sonde_status read_document(reading *r, const sonde_source *source, parameters_block *block,
                                  sonde_parameter **all) {
    sonde__reader reader = {0};
    sonde_status status = source->data != NULL
                              ? sonde__json_parse(&reader, source, r->error)
                              : sonde__json_open(&reader, source->origin, r->error);
    if (status == SONDE_OK && (!json_is_array(reader.root) || json_array_size(reader.root) == 0)) {
        (void)sonde__json_expected(&reader, "document", "a list of parameters", reader.root);
        status = reader.status;
    }
    const int32_t n = status == SONDE_OK ? (int32_t)json_array_size(reader.root) : 0;
    *all = SONDE__POOL_TAKE(&block->pool, sonde_parameter, n + 1);
    if (status == SONDE_OK && *all == NULL) {
        status = sonde__fail_memory(r->error, "parameters", 0);
    }
    for (int32_t i = 0; status == SONDE_OK && *all != NULL && i < n; i++) {
        if (!read_one(r, &reader, i, &(*all)[i])) {
            status = reader.status != SONDE_OK ? reader.status : SONDE_BAD_INPUT;
        }
    }
    block->parameters.n = n;
    sonde__json_close(&reader);
    return status;
}

/* Reads what is asked for, of a model or of SPM's scheme. */
static sonde_status read_parameters(reading r, const sonde_source *source, const char *list,
                                    sonde_parameters **parameters) {
    sonde_error *error = r.error;
    parameters_block *block = sonde__alloc(sizeof *block);
    sonde_parameter *all = NULL;
    if (block == NULL) {
        return sonde__fail_memory(error, "parameters", sizeof *block);
    }
    r.origin = list != NULL ? "parameters" : source->origin;
    r.pool = &block->pool;
    sonde_status status = SONDE_OK;
    if (list != NULL) {
        int32_t n = 2;
        for (const char *at = list; *at != '\0'; at++) {
            n += *at == ',';
        }
        all = SONDE__POOL_TAKE(&block->pool, sonde_parameter, n);
        status = all != NULL ? read_list(&r, list, all, &block->parameters.n)
                             : sonde__fail_memory(error, "parameters", 0);
    } else {
        status = read_document(&r, source, block, &all);
    }
    status = status == SONDE_OK ? settle(&r, all, block->parameters.n) : status;
    block->parameters.parameter = all;
    if (status != SONDE_OK) {
        sonde_parameters_free(&block->parameters);
        return status;
    }
    *parameters = &block->parameters;
    return SONDE_OK;
}

sonde_status sonde_parameters_read(const sonde_source *source, const char *list,
                                   const sonde_model *model, sonde_parameters **parameters,
                                   sonde_error *error) {
    const reading r = {.model = model, .error = error};
    return read_parameters(r, source, list, parameters);
}

sonde_status sonde_parameters_read_spm(const sonde_source *source, const char *list,
                                       const sonde_spm_shape *shape, sonde_parameters **parameters,
                                       sonde_error *error) {
    const reading r = {.spm = shape, .error = error};
    return read_parameters(r, source, list, parameters);
}

void sonde_parameters_free(sonde_parameters *parameters) {
    parameters_block *block = (parameters_block *)parameters;
    if (block != NULL) {
        sonde__pool_free(&block->pool);
        sonde__free(block);
    }
}

/* The text of a source, in the pool. */
static sonde_status take_text(const reading *r, const sonde_source *source, char **text,
                              size_t *size) {
    char *data = NULL;
    sonde_status status = SONDE_OK;
    *size = source->size;
    if (source->data == NULL) {
        status = sonde__json_slurp(source->origin, &data, size, r->error);
    }
    *text = status == SONDE_OK ? copy(r, data != NULL ? data : source->data, *size) : NULL;
    sonde__free(data);
    return status == SONDE_OK && *text == NULL ? sonde__fail_memory(r->error, "sets", *size)
                                               : status;
}

sonde_status sonde_sets_read(const sonde_source *source, const sonde_model *model,
                             sonde_parameters **parameters, int32_t *n_set, const double **value,
                             sonde_error *error) {
    parameters_block *block = sonde__alloc(sizeof *block);
    if (block == NULL) {
        return sonde__fail_memory(error, "sets", sizeof *block);
    }
    const reading r = {
        .origin = source->origin, .model = model, .pool = &block->pool, .error = error};
    sonde__cells cells = {.origin = source->origin, .pool = &block->pool, .error = error};
    sonde_parameter *all = NULL;
    double *values = NULL;
    char *text = NULL;
    size_t size = 0;
    sonde_status status = take_text(&r, source, &text, &size);
    status = status == SONDE_OK ? sonde__cells_cut(&cells, text, size) : status;
    if (status == SONDE_OK) {
        all = SONDE__POOL_TAKE(&block->pool, sonde_parameter, cells.n_column);
        values = SONDE__POOL_TAKE(&block->pool, double,
                                  sonde__multiply((uint64_t)cells.n_row, (uint64_t)cells.n_column));
        status = all != NULL && values != NULL ? read_sets(&r, &cells, all, values)
                                               : sonde__fail_memory(error, "sets", size);
    }
    if (status != SONDE_OK) {
        sonde_parameters_free(&block->parameters);
        return status;
    }
    block->parameters.n = cells.n_column;
    block->parameters.parameter = all;
    *parameters = &block->parameters;
    *n_set = cells.n_row;
    *value = values;
    return SONDE_OK;
}
