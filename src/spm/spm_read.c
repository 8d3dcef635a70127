/* spm_read.c: an MDP structure of SPM's, and trials, from a sonde-spm document (docs/formats.md).
 *
 * The document has SPM's own names, axes and numbers, which begin at 1. What SPM can do besides is
 * refused by its name: nothing is left out silently. */
#include <string.h>

#include "base/json.h"
#include "spm/spm.h"

static const char *key(int32_t i) {
    static const char *const list[] = {"format", "version", "name", "model", "trials", NULL};
    return list[i];
}

static const char *model_key(int32_t i) {
    static const char *const list[] = {"A",    "B",   "C",   "D",   "E", "a",     "b",
                                       "c",    "d",   "e",   "V",   "T", "alpha", "beta",
                                       "zeta", "eta", "tau", "erp", NULL};
    return list[i];
}

static const char *trial_key(int32_t i) {
    static const char *const list[] = {"o", "u", NULL};
    return list[i];
}

/* lists of arrays, in the order of the alphabet; counts come after */
static const char *array_key(int32_t i) {
    static const char *const list[] = {"model.A", "model.B", "model.C", "model.D", "model.a",
                                       "model.b", "model.c", "model.d", NULL};
    return list[i];
}
enum { ARRAY_A, ARRAY_B, ARRAY_C, ARRAY_D, COUNTS };

/* What SPM has besides, and why it is not here. */
static bool refuse(sonde__reader *reader, const json_t *model) {
    static const struct {
        const char *key;
        const char *why;
    } list[] = {
        {"U", "policies that move with time; list policies in V"},
        {"O", "outcomes as distributions (a hidden Markov model); give outcomes as numbers"},
        {"MDP", "a level below; there is one level"},
        {"link", "a level below; there is one level"},
        {"demi", "a level of continuous states below; there is one level"},
        {"factor", "a level of continuous states below; there is one level"},
        {"n", "outcomes that agents share; there is one agent"},
        {"m", "states that agents share; there is one agent"},
        {"VOX", "voice and hearing"},
        {"OPTIONS", "options; those of SPM by default are used"},
        {"omega", "forgetting of the tutorial's version; SPM's own has none"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (json_object_get(model, list[i].key) != NULL) {
            return sonde__json_wrong(reader, "model.%s: is no part of the scheme here: %s",
                                     list[i].key, list[i].why);
        }
    }
    return true;
}

/* a document while it is read */
typedef struct {
    sonde__reader reader;
    const json_t *model;
    const json_t *trials;
    sonde__spm_plan plan;
    sonde__spm_settings settings;
    int32_t n_state[SONDE_FACTORS_MAX];
    int32_t n_action[SONDE_FACTORS_MAX];
    int32_t n_outcome[SONDE_FACTORS_MAX];
} document;

/* ------------------------------------------------------------------------------------ sizes -- */

/* The numbers of an array, its counts before the array itself; NULL where there is neither. */
static const sonde__numbers *numbers_of(document *d, int32_t array, int32_t i, bool *counted) {
    const sonde__numbers *counts =
        sonde__json_numbers(&d->reader, COUNTS + array, i, SONDE__NUMBERS_ARRAY);
    *counted = counts != NULL;
    return counts != NULL ? counts
                          : sonde__json_numbers(&d->reader, array, i, SONDE__NUMBERS_ARRAY);
}

/* How many factors or modalities a list has, `n` where that is known; -1 after an error. */
static int32_t count_of(document *d, int32_t array, int32_t n) {
    for (int32_t counts = 0; counts <= COUNTS; counts += COUNTS) {
        const char *word = array_key(array + counts) + strlen("model.");
        const json_t *list = json_object_get(d->model, word);
        if (list == NULL) {
            continue;
        }
        const size_t size = json_array_size(list);
        if (size < 1 || size > SONDE_FACTORS_MAX || (n > 0 && size != (size_t)n)) {
            (void)sonde__json_expected(&d->reader, array_key(array + counts),
                                       n > 0 ? sonde__at("a list of %d arrays", (int)n).text
                                             : "a list of 1 to 64 arrays",
                                       list);
            return -1;
        }
        n = (int32_t)size;
    }
    return n;
}

static bool wrong_shape(document *d, int32_t array, bool counted, int32_t i, const char *expected) {
    return sonde__json_wrong(&d->reader, "%s[%d]: expected an array %s",
                             array_key(array + (counted ? COUNTS : 0)), (int)i, expected);
}

static bool size_factors(document *d) {
    sonde_spm_shape *shape = &d->plan.shape;
    shape->n_factor = count_of(d, ARRAY_B, 0);
    if (shape->n_factor <= 0) {
        if (shape->n_factor == 0) {
            (void)sonde__json_wrong(&d->reader,
                                    "model: expected B or b, transitions of each factor, "
                                    "found neither");
        }
        return false;
    }
    for (int32_t f = 0; f < shape->n_factor; f++) {
        bool counted;
        const sonde__numbers *B = numbers_of(d, ARRAY_B, f, &counted);
        if (B == NULL || B->n_axis < 2 || B->n_axis > 3 || B->size[0] != B->size[1] ||
            B->size[0] < 1 || B->size[0] > INT32_MAX || B->n < 1) {
            return wrong_shape(d, ARRAY_B, counted, f,
                               "[next state][state][action], or [next state][state] where there "
                               "is one action");
        }
        d->plan.counted[ARRAY_B][f] = counted;
        d->n_state[f] = (int32_t)B->size[0];
        d->n_action[f] = B->n_axis == 3 ? (int32_t)B->size[2] : 1;
        shape->n_belief += d->n_state[f];
    }
    return true;
}

/* Axes after the first are the factors'; MATLAB leaves last ones of length 1 out. */
static bool fits_factors(const document *d, const sonde__numbers *A) {
    bool fits = A != NULL && A->n_axis >= 1 && A->n > 0 && A->size[0] <= INT32_MAX;
    for (int32_t f = 0; fits && f < d->plan.shape.n_factor; f++) {
        fits = (f + 1 < A->n_axis ? A->size[f + 1] : 1) == d->n_state[f];
    }
    return fits && A->n_axis <= 1 + d->plan.shape.n_factor;
}

static bool size_modalities(document *d) {
    sonde_spm_shape *shape = &d->plan.shape;
    shape->n_modality = count_of(d, ARRAY_A, 0);
    if (shape->n_modality <= 0) {
        if (shape->n_modality == 0) {
            (void)sonde__json_wrong(&d->reader, "model: expected A or a, likelihoods of each "
                                                "modality, found neither");
        }
        return false;
    }
    for (int32_t g = 0; g < shape->n_modality; g++) {
        bool counted;
        const sonde__numbers *A = numbers_of(d, ARRAY_A, g, &counted);
        if (!fits_factors(d, A)) {
            return wrong_shape(d, ARRAY_A, counted, g,
                               "[outcome][state of factor 1][state of factor 2]..., with the "
                               "states of B");
        }
        d->plan.counted[ARRAY_A][g] = counted;
        d->n_outcome[g] = (int32_t)A->size[0];
    }
    return true;
}

/* C and D, which may be missing. */
static bool size_others(document *d) {
    const sonde_spm_shape *shape = &d->plan.shape;
    if (count_of(d, ARRAY_C, shape->n_modality) < 0 || count_of(d, ARRAY_D, shape->n_factor) < 0) {
        return false;
    }
    for (int32_t g = 0; g < shape->n_modality; g++) {
        bool *counted = &d->plan.counted[ARRAY_C][g];
        const sonde__numbers *C = numbers_of(d, ARRAY_C, g, counted);
        const int64_t n_column = C != NULL && C->n_axis == 2 ? C->size[1] : 1;
        if (C != NULL && (C->n_axis < 1 || C->n_axis > 2 || C->size[0] != d->n_outcome[g] ||
                          (n_column != 1 && n_column != shape->n_time))) {
            return wrong_shape(d, ARRAY_C, *counted, g,
                               sonde__at("[outcome], or [outcome][time], with %d outcomes and %d "
                                         "times",
                                         (int)d->n_outcome[g], (int)shape->n_time)
                                   .text);
        }
    }
    for (int32_t f = 0; f < shape->n_factor; f++) {
        bool *counted = &d->plan.counted[ARRAY_D][f];
        const sonde__numbers *D = numbers_of(d, ARRAY_D, f, counted);
        if (D != NULL && D->n != d->n_state[f]) {
            return wrong_shape(d, ARRAY_D, *counted, f,
                               sonde__at("of %d states", (int)d->n_state[f]).text);
        }
    }
    d->plan.counted[COUNTS][0] = json_object_get(d->model, "e") != NULL;
    return true;
}

/* V [move][policy][factor], and T. */
static bool size_policies(document *d) {
    sonde_spm_shape *shape = &d->plan.shape;
    const json_t *V = json_object_get(d->model, "V");
    const size_t n_move = json_array_size(V);
    const size_t n_policy = json_array_size(json_array_get(V, 0));
    if (n_move < 1 || n_move >= INT32_MAX || n_policy < 1 || n_policy > INT32_MAX) {
        return sonde__json_expected(&d->reader, "model.V", "policies [move][policy][factor]", V);
    }
    shape->n_policy = (int32_t)n_policy;
    shape->n_time = (int32_t)n_move + 1;
    const json_t *T = json_object_get(d->model, "T");
    int32_t n_time = shape->n_time;
    if (T != NULL && !sonde__json_whole(&d->reader, "model.T", T, 2, INT32_MAX, &n_time)) {
        return false;
    }
    return n_time == shape->n_time ||
           sonde__json_wrong(&d->reader,
                             "model.T: expected %d, one more than the moves of a policy in V, "
                             "found %d",
                             (int)shape->n_time, (int)n_time);
}

/* ---------------------------------------------------------------------------------- numbers -- */

/* Numbers that are at least `least`, and no more than counts may be. */
static bool check_numbers(document *d, const char *path, int64_t n, const double *value,
                          double least) {
    for (int64_t i = 0; i < n; i++) {
        if (!(value[i] >= least && value[i] <= 1e12)) {
            return sonde__json_wrong(&d->reader, "%s: expected numbers from %g to 1e12, found %g",
                                     path, least, value[i]);
        }
    }
    return true;
}

/* An array [row][column] by columns; one column stands for all where there are more. */
static void put_columns(const sonde__numbers *from, sonde__spm_array *to) {
    const int64_t n_given = from->n / to->n;
    for (int64_t c = 0; c < to->n_column; c++) {
        for (int32_t r = 0; r < to->n; r++) {
            to->value[c * to->n + r] = from->value[r * n_given + (n_given == 1 ? 0 : c)];
        }
    }
}

/* [next][state][action] as (action, state) columns. */
static void put_transitions(const sonde__numbers *from, sonde__spm_array *to) {
    const int64_t n = to->n;
    const int64_t n_action = to->n_column / n;
    for (int64_t u = 0; u < n_action; u++) {
        for (int64_t s = 0; s < n; s++) {
            for (int64_t next = 0; next < n; next++) {
                to->value[(u * n + s) * n + next] = from->value[(next * n + s) * n_action + u];
            }
        }
    }
}

/* One array, if it is there. */
static bool fill(document *d, int32_t array, int32_t i, sonde__spm_array *to) {
    bool counted;
    const sonde__numbers *from = numbers_of(d, array, i, &counted);
    if (from == NULL) {
        return true; /* zeros: uniform, or no preferences */
    }
    const sonde__path path = sonde__at("%s[%d]", array_key(array + (counted ? COUNTS : 0)), (int)i);
    if (array == ARRAY_B) {
        put_transitions(from, to);
    } else {
        put_columns(from, to);
    }
    return check_numbers(d, path.text, from->n, from->value,
                         array == ARRAY_C && !counted ? -1e12 : 0.0);
}

static bool fill_arrays(document *d, sonde_spm *spm) {
    bool good = true;
    for (int32_t g = 0; good && g < spm->shape.n_modality; g++) {
        good = fill(d, ARRAY_A, g, &spm->A[g]) && fill(d, ARRAY_C, g, &spm->C[g]);
    }
    for (int32_t f = 0; good && f < spm->shape.n_factor; f++) {
        good = fill(d, ARRAY_B, f, &spm->B[f]) && fill(d, ARRAY_D, f, &spm->D[f]);
    }
    const char *word = spm->E.counted ? "e" : "E";
    const json_t *E = json_object_get(d->model, word);
    if (!good || E == NULL) {
        return good;
    }
    if (json_array_size(E) != (size_t)spm->shape.n_policy) {
        return sonde__json_expected(
            &d->reader, sonde__at("model.%s", word).text,
            sonde__at("a number for each of %d policies", (int)spm->shape.n_policy).text, E);
    }
    for (int32_t k = 0; good && k < spm->shape.n_policy; k++) {
        good = sonde__json_number(&d->reader, sonde__at("model.%s[%d]", word, (int)k).text,
                                  json_array_get(E, (size_t)k), 0.0, &spm->E.value[k]);
    }
    return good && check_numbers(d, "model.e", spm->E.n, spm->E.value, 0.0);
}

/* ---------------------------------------------------------------------- policies and trials -- */

/* A number from 1 to n, as one from 0 on. */
static bool read_number(document *d, const char *path, const json_t *value, int32_t n,
                        int32_t *to) {
    /* whole numbers may be written as others are */
    const double real = json_number_value(value);
    if (!json_is_number(value) || !(real >= 1.0 && real <= n) || real != (double)(int32_t)real) {
        return sonde__json_expected(&d->reader, path,
                                    sonde__at("a whole number from 1 to %d", (int)n).text, value);
    }
    *to = (int32_t)real - 1;
    return true;
}

/* One move of a policy: a list of actions, or one where there is one factor. */
static bool read_move(document *d, sonde_spm *spm, int32_t t, int32_t k, const json_t *move) {
    const sonde_spm_shape *shape = &spm->shape;
    const sonde__path path = sonde__at("model.V[%d][%d]", (int)t, (int)k);
    const int64_t at = (int64_t)k * (shape->n_time - 1) + t;
    if (json_is_array(move) ? json_array_size(move) != (size_t)shape->n_factor
                            : shape->n_factor != 1) {
        return sonde__json_expected(
            &d->reader, path.text,
            sonde__at("an action of each of %d factors", (int)shape->n_factor).text, move);
    }
    for (int32_t f = 0; f < shape->n_factor; f++) {
        int32_t *action = &spm->policy[at * shape->n_factor + f];
        if (!read_number(d, path.text, json_is_array(move) ? json_array_get(move, (size_t)f) : move,
                         shape->n_action[f], action)) {
            return false;
        }
        spm->move[at] = spm->move[at] * shape->n_action[f] + *action;
    }
    return true;
}

static bool read_policies(document *d, sonde_spm *spm) {
    const json_t *V = json_object_get(d->model, "V");
    for (int32_t t = 0; t + 1 < spm->shape.n_time; t++) {
        const json_t *row = json_array_get(V, (size_t)t);
        if (json_array_size(row) != (size_t)spm->shape.n_policy) {
            return sonde__json_expected(
                &d->reader, sonde__at("model.V[%d]", (int)t).text,
                sonde__at("a move of each of %d policies", (int)spm->shape.n_policy).text, row);
        }
        for (int32_t k = 0; k < spm->shape.n_policy; k++) {
            if (!read_move(d, spm, t, k, json_array_get(row, (size_t)k))) {
                return false;
            }
        }
    }
    return true;
}

/* Rows [modality or factor][time] of a trial. */
typedef struct {
    int32_t n;
    int32_t n_time;
    const int32_t *size; /* (n) numbers are below this */
} rows_shape;

/* Reads them as (T, n). */
static bool read_rows(document *d, const char *path, const json_t *rows, rows_shape shape,
                      int32_t *to) {
    const int32_t n = shape.n;
    const int32_t n_time = shape.n_time;
    for (int32_t i = 0; i < n; i++) {
        const json_t *row = json_array_get(rows, (size_t)i);
        if (json_array_size(rows) != (size_t)n || json_array_size(row) != (size_t)n_time) {
            return sonde__json_expected(
                &d->reader, path, sonde__at("%d lists of %d numbers", (int)n, (int)n_time).text,
                rows);
        }
        for (int32_t t = 0; t < n_time; t++) {
            if (!read_number(d, sonde__at("%s[%d][%d]", path, (int)i, (int)t).text,
                             json_array_get(row, (size_t)t), shape.size[i], &to[t * n + i])) {
                return false;
            }
        }
    }
    return true;
}

static bool read_trial(document *d, sonde_spm *spm, int32_t i) {
    const sonde_spm_shape *shape = &spm->shape;
    const json_t *trial = json_array_get(d->trials, (size_t)i);
    const sonde__path path = sonde__at("trials[%d]", (int)i);
    int32_t *done = spm->done + (int64_t)i * shape->n_time * shape->n_factor;
    for (int32_t at = 0; at < shape->n_time * shape->n_factor; at++) {
        done[at] = SONDE_MISSING;
    }
    if (!json_is_object(trial)) {
        return sonde__json_expected(&d->reader, path.text, "an object with o and u", trial);
    }
    const json_t *u = json_object_get(trial, "u");
    return sonde__json_keys_at(&d->reader, path.text, trial, trial_key) &&
           read_rows(d, sonde__at("%s.o", path.text).text, json_object_get(trial, "o"),
                     (rows_shape){shape->n_modality, shape->n_time, shape->n_outcome},
                     spm->seen + (int64_t)i * shape->n_time * shape->n_modality) &&
           (u == NULL ||
            read_rows(d, sonde__at("%s.u", path.text).text, u,
                      (rows_shape){shape->n_factor, shape->n_time - 1, shape->n_action}, done));
}

/* --------------------------------------------------------------------------------- document -- */

static bool read_settings(document *d) {
    const struct {
        const char *key;
        double usual;
        bool positive;
        double *at;
    } list[] = {
        {"alpha", 512.0, false, &d->settings.alpha}, {"beta", 1.0, true, &d->settings.beta},
        {"zeta", 3.0, false, &d->settings.zeta},     {"eta", 1.0, false, &d->settings.eta},
        {"tau", 4.0, true, &d->settings.tau},        {"erp", 4.0, true, &d->settings.erp},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const json_t *value = json_object_get(d->model, list[i].key);
        const sonde__path path = sonde__at("model.%s", list[i].key);
        *list[i].at = list[i].usual;
        if (value == NULL) {
            continue;
        }
        if (!sonde__json_number(&d->reader, path.text, value, 0.0, list[i].at)) {
            return false;
        }
        if ((list[i].positive && !(*list[i].at > 0.0)) || *list[i].at > 1e12) {
            return sonde__json_expected(&d->reader, path.text, "a number above 0, 1e12 at most",
                                        value);
        }
    }
    return true;
}

static bool check_document(document *d) {
    const json_t *root = d->reader.root;
    d->model = json_object_get(root, "model");
    d->trials = json_object_get(root, "trials");
    if (!sonde__json_format(&d->reader, "sonde-spm", 1) ||
        !sonde__json_keys(&d->reader, root, key)) {
        return false;
    }
    if (!json_is_object(d->model)) {
        return sonde__json_expected(&d->reader, "model", "an object with SPM's fields", d->model);
    }
    if (d->trials != NULL &&
        (!json_is_array(d->trials) || json_array_size(d->trials) > INT32_MAX)) {
        return sonde__json_expected(&d->reader, "trials", "a list", d->trials);
    }
    d->plan.shape.n_trial = (int32_t)json_array_size(d->trials);
    return refuse(&d->reader, d->model) &&
           sonde__json_keys_at(&d->reader, "model", d->model, model_key) && read_settings(d) &&
           size_factors(d) && size_modalities(d) && size_policies(d) && size_others(d);
}

static bool fill_document(document *d, sonde_spm *spm) {
    spm->settings = d->settings;
    bool good = fill_arrays(d, spm) && read_policies(d, spm);
    for (int32_t i = 0; good && i < spm->shape.n_trial; i++) {
        good = read_trial(d, spm, i);
    }
    return good;
}

sonde_status sonde_spm_read(const sonde_source *source, const sonde_run *run, sonde_spm **spm,
                            sonde_error *error) {
    document d = {0};
    d.plan.shape.n_state = d.n_state;
    d.plan.shape.n_action = d.n_action;
    d.plan.shape.n_outcome = d.n_outcome;
    const sonde_run settled = sonde__run_settle(run);
    sonde_spm *made = NULL;
    sonde_source whole = *source;
    char *text = NULL;
    sonde_status status = SONDE_OK;
    if (source->data == NULL) {
        status = sonde__json_slurp(source->origin, &text, &whole.size, error);
        whole.data = text;
    }
    if (!status) {
        status = sonde__json_parse_numbers(&d.reader, &whole, array_key, settled.memory, error);
    }
    sonde__free(text);
    if (!status && !check_document(&d)) {
        status = d.reader.status;
    }
    if (!status) {
        status = sonde__spm_new(&d.plan, &settled, &made, error);
    }
    if (!status && !fill_document(&d, made)) {
        status = d.reader.status;
    }
    sonde__json_close(&d.reader);
    if (status) {
        sonde_spm_free(made);
        return status;
    }
    sonde__spm_open(made);
    *spm = made;
    return SONDE_OK;
}
