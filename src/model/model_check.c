/* model_check.c: whether the parts of a model fit together.
 *
 * Everything that can be said before the large arrays are looked at: sizes, names, who depends on
 * whom, shapes, policies. Sizes are multiplied in 64 bits that stay at their end instead of
 * wrapping round, so that whatever is too large is found out here and nothing is asked for in
 * vain. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "base/shown.h"
#include "base/numbers.h"
#include "model/model_internal.h"

#define HORIZON_MAX (INT32_MAX - 1)

sonde_status sonde__maker_wrong(const sonde__maker *maker, const char *format, ...) {
    char sentence[768];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return sonde__fail(maker->error, SONDE_BAD_INPUT, "%s%s%s",
                       maker->origin != NULL ? maker->origin : "",
                       maker->origin != NULL ? ": " : "", sentence);
}

void *sonde__maker_take(sonde__maker *maker, uint64_t n, size_t size) {
    const uint64_t bytes = sonde__multiply(n, size);
    const char *what = maker->origin != NULL ? maker->origin : "model";
    maker->status =
        sonde__check_memory(&maker->run, bytes, what, "allow more memory", maker->error);
    if (maker->status != SONDE_OK) {
        return NULL;
    }
    void *room = sonde__pool_take(&maker->pool, n, size);
    if (room == NULL) {
        maker->status = sonde__fail_memory(maker->error, what, bytes);
    }
    return room;
}

static sonde_status too_large(const sonde__maker *maker, const char *sentence) {
    return sonde__fail(maker->error, SONDE_TOO_LARGE, "%s%s%s",
                       maker->origin != NULL ? maker->origin : "",
                       maker->origin != NULL ? ": " : "", sentence);
}

int32_t sonde__parts_n_depend(const sonde_parts *parts, int32_t f) {
    return parts->factor[f].shape.n_depend > 0 ? parts->factor[f].shape.n_depend : 1;
}

int32_t sonde__parts_n_of(const sonde_parts *parts, int32_t m) {
    return parts->modality[m].shape.n_factor > 0 ? parts->modality[m].shape.n_factor
                                                 : parts->n_factor;
}

sonde__path sonde__axes_text(int32_t n_axis, const int64_t *size) {
    sonde__path path = sonde__at("[");
    for (int32_t a = 0; a < n_axis; a++) {
        path = sonde__at("%s%s%lld", path.text, a > 0 ? ", " : "", (long long)size[a]);
    }
    return sonde__at("%s]", path.text);
}

/* ------------------------------------------------------------------------------------- names -- */

static int compare_names(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The number that a name could be taken for, or -1. */
static int64_t number_of(const char *name) {
    if (name[0] < '0' || name[0] > '9' || strlen(name) > 10) {
        return -1;
    }
    char *end = NULL;
    const long long number = strtoll(name, &end, 10);
    return *end == '\0' ? number : -1;
}

/* A name is no book, has no control characters and is text that documents can have. */
static sonde_status check_plain(sonde__maker *maker, const char *path, const char *name) {
    if (strlen(name) > SONDE__NAME_MAX) {
        return sonde__maker_wrong(maker,
                                  "%s: expected a name of at most %d bytes, found one of %zu", path,
                                  SONDE__NAME_MAX, strlen(name));
    }
    char fault[SONDE__FAULT];
    return sonde__name_fault(name, fault)
               ? sonde__maker_wrong(maker, "%s: expected a name %s", path, fault)
               : SONDE_OK;
}

/* Every name is one of its own, and none is the number of another; `path` is where they stand. */
static sonde_status check_names(sonde__maker *maker, const char *path, int32_t n,
                                const char *const *name) {
    if (name == NULL) {
        return SONDE_OK;
    }
    for (int32_t i = 0; i < n; i++) {
        if (name[i] == NULL || name[i][0] == '\0') {
            return sonde__maker_wrong(maker, "%s[%d]: expected a name, found none", path, i);
        }
        const sonde_status status = check_plain(maker, sonde__at("%s[%d]", path, i).text, name[i]);
        if (status != SONDE_OK) {
            return status;
        }
        const int64_t number = number_of(name[i]);
        if (number >= 0 && number < n && number != i) {
            return sonde__maker_wrong(
                maker, "%s[%d]: \"%.*s\" also means number %d; give each a name of its own", path,
                i, sonde__cut(name[i], 60), name[i], (int)number);
        }
    }
    const char **sorted = sonde__maker_take(maker, (uint64_t)n, sizeof *sorted);
    if (sorted == NULL) {
        return maker->status;
    }
    memcpy(sorted, name, (size_t)n * sizeof *name);
    qsort(sorted, (size_t)n, sizeof *sorted, compare_names);
    for (int32_t i = 1; i < n; i++) {
        if (strcmp(sorted[i - 1], sorted[i]) == 0) {
            return sonde__maker_wrong(maker,
                                      "%s: \"%.*s\" is there twice; give each a name of its own",
                                      path, sonde__cut(sorted[i], 60), sorted[i]);
        }
    }
    return SONDE_OK;
}

/* The names of the factors themselves, or of the modalities; some may have none. */
static sonde_status check_titles(sonde__maker *maker, bool factors) {
    const sonde_parts *parts = maker->parts;
    const int32_t n = factors ? parts->n_factor : parts->n_modality;
    const char **name = sonde__maker_take(maker, (uint64_t)n, sizeof *name);
    if (name == NULL) {
        return maker->status;
    }
    int32_t n_name = 0;
    for (int32_t i = 0; i < n; i++) {
        const char *given = factors ? parts->factor[i].shape.name : parts->modality[i].shape.name;
        if (given != NULL) {
            const int64_t number = number_of(given);
            if (given[0] == '\0' || (number >= 0 && number < n && number != i)) {
                return sonde__maker_wrong(maker, "%s[%d].name: expected a name, found \"%.*s\"",
                                          factors ? "factors" : "modalities", i,
                                          sonde__cut(given, 60), given);
            }
            const sonde__path path =
                sonde__at("%s[%d].name", factors ? "factors" : "modalities", i);
            const sonde_status status = check_plain(maker, path.text, given);
            if (status != SONDE_OK) {
                return status;
            }
            name[n_name++] = given;
        }
    }
    qsort(name, (size_t)n_name, sizeof *name, compare_names);
    for (int32_t i = 1; i < n_name; i++) {
        if (strcmp(name[i - 1], name[i]) == 0) {
            return sonde__maker_wrong(
                maker, "%s: two have the name \"%.*s\"; give each a name of its own",
                factors ? "factors" : "modalities", sonde__cut(name[i], 60), name[i]);
        }
    }
    return SONDE_OK;
}

/* ------------------------------------------------------------------------------------- sizes -- */

static sonde_status check_range(const sonde__maker *maker, const char *path, int64_t found,
                                int64_t most) {
    return found >= 1 && found <= most
               ? SONDE_OK
               : sonde__maker_wrong(maker, "%s: expected a whole number from 1 to %lld, found %lld",
                                    path, (long long)most, (long long)found);
}

static sonde_status check_real(const sonde__maker *maker, const char *path, double found) {
    return found >= 0.0 && found <= SONDE__LARGEST
               ? SONDE_OK
               : sonde__maker_wrong(maker,
                                    "%s: expected a number of 0 or more, at most %g, found %g",
                                    path, SONDE__LARGEST, found);
}

static sonde_status check_scalars(const sonde__maker *maker) {
    const sonde_parts *parts = maker->parts;
    if (sonde_preferences_name(parts->settings.preferences) == NULL ||
        sonde_information_name(parts->settings.information) == NULL ||
        sonde_policy_kind_name((int32_t)parts->policies) == NULL) {
        return sonde__maker_wrong(maker, "preferences, information, policies: expected one of the "
                                         "values there are, found a number that is none");
    }
    sonde_status status = check_range(maker, "horizon", parts->settings.horizon, HORIZON_MAX);
    status = status != SONDE_OK ? status : check_real(maker, "lambda", parts->settings.lambda);
    status = status != SONDE_OK ? status : check_real(maker, "gamma", parts->settings.gamma);
    if (status == SONDE_OK && !(parts->discount > 0.0 && parts->discount <= 1.0)) {
        return sonde__maker_wrong(maker, "discount: expected a number above 0, at most 1, found %g",
                                  parts->discount);
    }
    status = status != SONDE_OK ? status
                                : check_range(maker, "factors", parts->n_factor, SONDE_FACTORS_MAX);
    return status != SONDE_OK
               ? status
               : check_range(maker, "modalities", parts->n_modality, SONDE_FACTORS_MAX);
}

static sonde_status check_sizes(sonde__maker *maker) {
    const sonde_parts *parts = maker->parts;
    uint64_t n_belief = 0;
    uint64_t n_action = 1;
    sonde_status status = SONDE_OK;
    for (int32_t f = 0; f < parts->n_factor && status == SONDE_OK; f++) {
        const sonde_factor_parts *factor = &parts->factor[f];
        status = check_range(maker, sonde__at("factors[%d].states", f).text, factor->shape.n_state,
                             INT32_MAX);
        if (status == SONDE_OK) {
            status = check_range(maker, sonde__at("factors[%d].actions", f).text,
                                 factor->shape.n_action, INT32_MAX);
        }
        n_belief = sonde__add(n_belief, (uint64_t)factor->shape.n_state);
        n_action = sonde__multiply(n_action, (uint64_t)factor->shape.n_action);
    }
    for (int32_t m = 0; m < parts->n_modality && status == SONDE_OK; m++) {
        status = check_range(maker, sonde__at("modalities[%d].outcomes", m).text,
                             parts->modality[m].shape.n_outcome, INT32_MAX);
    }
    if (status == SONDE_OK && n_belief > INT32_MAX) {
        return too_large(maker, "factors: 2^31 states or more in all; make them smaller");
    }
    if (status == SONDE_OK && n_action > INT32_MAX) {
        return too_large(maker, "factors: 2^31 combinations of their actions or more; let fewer "
                                "factors have actions");
    }
    maker->n_action = n_action;
    return status;
}

/* ------------------------------------------------------------------------------ dependencies -- */

/* A list of factors, none of them twice; where nothing is given, itself or all. */
static sonde_status settle_list(sonde__maker *maker, const char *path, int32_t n,
                                const int32_t *given, int32_t **list) {
    const int32_t n_factor = maker->parts->n_factor;
    int32_t *factors = sonde__maker_take(maker, (uint64_t)n + (uint64_t)n_factor, sizeof *factors);
    if (factors == NULL) {
        return maker->status;
    }
    *list = factors;
    for (int32_t i = 0; i < n; i++) {
        int32_t *seen = factors + n;
        factors[i] = given[i];
        if (given[i] < 0 || given[i] >= n_factor) {
            return sonde__maker_wrong(maker, "%s[%d]: expected a factor from 0 to %d, found %d",
                                      path, i, n_factor - 1, given[i]);
        }
        if (seen[given[i]]++ > 0) {
            return sonde__maker_wrong(maker, "%s[%d]: factor %d is there twice; give it once", path,
                                      i, given[i]);
        }
    }
    return SONDE_OK;
}

static sonde_status settle_dependencies(sonde__maker *maker) {
    const sonde_parts *parts = maker->parts;
    sonde_status status = SONDE_OK;
    maker->depend = sonde__maker_take(
        maker, (uint64_t)parts->n_factor + (uint64_t)parts->n_modality, sizeof *maker->depend);
    if (maker->depend == NULL) {
        return maker->status;
    }
    maker->of = maker->depend + parts->n_factor;
    for (int32_t f = 0; f < parts->n_factor && status == SONDE_OK; f++) {
        const sonde_factor_parts *factor = &parts->factor[f];
        status = factor->shape.n_depend < 0 || factor->shape.n_depend > parts->n_factor
                     ? sonde__maker_wrong(maker, "factors[%d].depends: expected 1 to %d factors", f,
                                          parts->n_factor)
                     : settle_list(maker, sonde__at("factors[%d].depends", f).text,
                                   factor->shape.n_depend > 0 ? factor->shape.n_depend : 1,
                                   factor->shape.n_depend > 0 ? factor->shape.depend : &f,
                                   &maker->depend[f]);
    }
    for (int32_t m = 0; m < parts->n_modality && status == SONDE_OK; m++) {
        const sonde_modality_parts *modality = &parts->modality[m];
        if (modality->shape.n_factor < 0 || modality->shape.n_factor > parts->n_factor) {
            return sonde__maker_wrong(maker, "modalities[%d].factors: expected 1 to %d factors", m,
                                      parts->n_factor);
        }
        status = settle_list(maker, sonde__at("modalities[%d].factors", m).text,
                             modality->shape.n_factor, modality->shape.factor, &maker->of[m]);
        for (int32_t f = 0;
             status == SONDE_OK && modality->shape.n_factor == 0 && f < parts->n_factor; f++) {
            maker->of[m][f] = f;
        }
    }
    return status;
}

/* ------------------------------------------------------------------------------------ shapes -- */

sonde__path sonde__table_name(const sonde__table *table) {
    return sonde__at("%s%c[%d]", table->counted ? "counts." : "", table->letter, table->number);
}

/* The array has the axes it should; what is given sparsely has an entry for each column. */
static sonde_status check_table(const sonde__maker *maker, const sonde__table *table) {
    const sonde_array *array = table->array;
    const sonde__path name = sonde__table_name(table);
    bool same = array->n_axis == table->n_axis;
    for (int32_t a = 0; a < table->n_axis && same; a++) {
        same = array->size[a] == table->size[a];
    }
    if (!same) {
        return sonde__maker_wrong(maker, "%s: expected the shape %s (%s), found %s", name.text,
                                  sonde__axes_text(table->n_axis, table->size).text, table->axes,
                                  sonde__axes_text(array->n_axis, array->size).text);
    }
    if (sonde__multiply((uint64_t)table->n_column, (uint64_t)table->n_row) > INT64_MAX / 16) {
        return too_large(
            maker, sonde__at("%s: has 2^59 numbers or more; make it smaller", name.text).text);
    }
    if (array->value == NULL && array->n_entry >= 0 && array->n_entry < table->n_column) {
        return sonde__maker_wrong(maker,
                                  "%s: expected an entry in each of its %lld columns at least, "
                                  "found %lld entries",
                                  name.text, (long long)table->n_column, (long long)array->n_entry);
    }
    return SONDE_OK;
}

/* The axes of a table: its rows, the states of some factors, and actions unless there are none. */
static sonde_status settle_table(sonde__maker *maker, sonde__table *table, int32_t n_of,
                                 const int32_t *of, int32_t n_action) {
    const bool acts = n_action > 0;
    table->n_axis = 1 + n_of + (acts ? 1 : 0);
    if (table->n_axis > SONDE__AXES) {
        return too_large(maker, sonde__at("%c[%d]: depends on more than %d factors", table->letter,
                                          table->number, SONDE__AXES - 2)
                                    .text);
    }
    int64_t *size = sonde__maker_take(maker, (uint64_t)table->n_axis, sizeof *size);
    if (size == NULL) {
        return maker->status;
    }
    uint64_t n_column = acts ? (uint64_t)n_action : 1;
    size[0] = table->n_row;
    for (int32_t i = 0; i < n_of; i++) {
        size[1 + i] = maker->parts->factor[of[i]].shape.n_state;
        n_column = sonde__multiply(n_column, (uint64_t)size[1 + i]);
    }
    if (acts) {
        size[1 + n_of] = n_action;
    }
    table->size = size;
    table->n_column = (int64_t)(n_column < INT64_MAX ? n_column : INT64_MAX);
    table->n_action = acts ? n_action : 1;
    table->n_lane =
        table->n_action <= 2 ? table->n_action : (int32_t)(((int64_t)table->n_action + 3) / 4 * 4);
    const sonde_status status = check_table(maker, table);
    if (status != SONDE_OK || table->other == NULL) {
        return status;
    }
    sonde__table other = *table;
    other.array = table->other;
    other.counted = !table->counted;
    return check_table(maker, &other);
}

/* Which of an array and its counts a table is made of, and what is given besides. */
static void choose_array(const sonde__maker *maker, const sonde_array *given,
                         const sonde_array *counts, sonde__table *table) {
    const bool both = given->n_axis > 0 && counts->n_axis > 0;
    const bool kept = both && maker->parts->keep_given && !table->must_be_sparse;
    table->counted = counts->n_axis > 0 && !kept;
    table->array = table->counted ? counts : given;
    table->other = !both ? NULL : table->counted ? given : counts;
    table->must_be_dense = table->must_be_dense || kept;
}

/* A, which depends on the action, too, where it has one axis more. */
static sonde_status settle_likelihood(sonde__maker *maker, int32_t m) {
    const int32_t n_of = sonde__parts_n_of(maker->parts, m);
    sonde__table *A = &maker->A[m];
    *A = (sonde__table){.letter = 'A',
                        .number = m,
                        .axes = "outcome, states",
                        .n_row = maker->parts->modality[m].shape.n_outcome};
    choose_array(maker, &maker->parts->modality[m].A, &maker->parts->modality[m].counts_A, A);
    const bool acts = A->array->n_axis == n_of + 2;
    if (acts) {
        A->axes = "outcome, states, action";
    }
    const sonde_status status =
        settle_table(maker, A, n_of, maker->of[m], acts ? (int32_t)maker->n_action : 0);
    /* stored column by column, as if actions were states */
    maker->by[m] = A->n_action;
    A->n_action = A->n_lane = 1;
    return status;
}

static sonde_status settle_tables(sonde__maker *maker) {
    const sonde_parts *parts = maker->parts;
    sonde_status status = SONDE_OK;
    maker->B = sonde__maker_take(maker, 2 * (uint64_t)parts->n_factor + (uint64_t)parts->n_modality,
                                 sizeof *maker->B);
    if (maker->B == NULL) {
        return maker->status;
    }
    maker->by = sonde__maker_take(maker, (uint64_t)parts->n_modality, sizeof *maker->by);
    if (maker->by == NULL) {
        return maker->status;
    }
    maker->D = maker->B + parts->n_factor;
    maker->A = maker->D + parts->n_factor;
    for (int32_t f = 0; f < parts->n_factor && status == SONDE_OK; f++) {
        const sonde_factor_parts *factor = &parts->factor[f];
        maker->B[f] = (sonde__table){.letter = 'B',
                                     .number = f,
                                     .axes = "next, previous, action",
                                     .n_row = factor->shape.n_state,
                                     .must_be_sparse = sonde__restricted(parts, f)};
        maker->D[f] = (sonde__table){.letter = 'D',
                                     .number = f,
                                     .axes = "state",
                                     .n_row = factor->shape.n_state,
                                     .must_be_dense = true};
        choose_array(maker, &factor->B, &factor->counts_B, &maker->B[f]);
        choose_array(maker, &factor->D, &factor->counts_D, &maker->D[f]);
        status = settle_table(maker, &maker->B[f], sonde__parts_n_depend(parts, f),
                              maker->depend[f], factor->shape.n_action);
        if (status == SONDE_OK) {
            status = settle_table(maker, &maker->D[f], 0, NULL, 0);
        }
    }
    for (int32_t m = 0; m < parts->n_modality && status == SONDE_OK; m++) {
        status = settle_likelihood(maker, m);
    }
    return status;
}

/* What actions cost has an axis for each factor's states and one for the actions; how likely they
 * are beforehand is a number from 0 on for each. */
static sonde_status check_actions(sonde__maker *maker) {
    const sonde_parts *parts = maker->parts;
    const sonde_array *cost = &parts->action_cost;
    int64_t size[SONDE_FACTORS_MAX + 1];
    uint64_t n = maker->n_action;
    for (int32_t f = 0; f < parts->n_factor; f++) {
        size[f] = parts->factor[f].shape.n_state;
        n = sonde__multiply(n, (uint64_t)size[f]);
    }
    size[parts->n_factor] = (int64_t)maker->n_action;
    const int32_t n_axis = parts->n_factor + 1;
    if (cost->n_axis != 0 &&
        (cost->n_axis != n_axis || memcmp(cost->size, size, (size_t)n_axis * sizeof *size) != 0)) {
        return sonde__maker_wrong(
            maker, "action_cost: expected the shape %s (states, action), found %s",
            sonde__axes_text(n_axis, size).text, sonde__axes_text(cost->n_axis, cost->size).text);
    }
    maker->n_action_cost = cost->n_axis != 0 ? n : 0;
    double sum = parts->action_prior != NULL ? 0.0 : 1.0;
    for (uint64_t u = 0; parts->action_prior != NULL && u < maker->n_action; u++) {
        const sonde__path path = sonde__at("action_prior[%llu]", (unsigned long long)u);
        const sonde_status status = check_real(maker, path.text, parts->action_prior[u]);
        if (status != SONDE_OK) {
            return status;
        }
        sum += parts->action_prior[u];
    }
    return sum > 0.0
               ? SONDE_OK
               : sonde__maker_wrong(maker, "action_prior: expected an action with more than 0");
}

/* C is [outcome] or [step][outcome], cost is [outcome] or not there. */
static sonde_status check_preferences(sonde__maker *maker) {
    const sonde_parts *parts = maker->parts;
    maker->n_step_C = 1;
    for (int32_t m = 0; m < parts->n_modality; m++) {
        const bool counted = parts->modality[m].counts_C.n_axis > 0;
        const sonde_array *C = counted ? &parts->modality[m].counts_C : &parts->modality[m].C;
        const sonde_array *cost = &parts->modality[m].cost;
        const int64_t n_outcome = parts->modality[m].shape.n_outcome;
        const bool flat = C->n_axis == 1 && C->size[0] == n_outcome;
        const bool steps =
            C->n_axis == 2 && C->size[0] == parts->settings.horizon && C->size[1] == n_outcome;
        if (!flat && !steps) {
            return sonde__maker_wrong(
                maker,
                "%sC[%d]: expected the shape [%lld] (outcome) or [%d, %lld] (step, outcome), found "
                "%s",
                counted ? "counts." : "", m, (long long)n_outcome, parts->settings.horizon,
                (long long)n_outcome, sonde__axes_text(C->n_axis, C->size).text);
        }
        if (counted && parts->settings.preferences != SONDE_PREFERENCES_LOG) {
            return sonde__maker_wrong(
                maker, "counts.C[%d]: are of preferences \"log\", but preferences are \"%s\"", m,
                sonde_preferences_name(parts->settings.preferences));
        }
        if (cost->n_axis != 0 && (cost->n_axis != 1 || cost->size[0] != n_outcome)) {
            return sonde__maker_wrong(
                maker, "cost[%d]: expected the shape [%lld] (outcome), found %s", m,
                (long long)n_outcome, sonde__axes_text(cost->n_axis, cost->size).text);
        }
        maker->n_step_C = steps ? parts->settings.horizon : maker->n_step_C;
    }
    return SONDE_OK;
}

sonde_status sonde__array_spread(sonde__maker *maker, const char *path, const sonde_array *array,
                                 int64_t n, double *value) {
    for (int64_t i = 0; array->value != NULL && i < n; i++) {
        value[i] = array->value[i];
    }
    bool *seen = sonde__maker_take(maker, (uint64_t)n, sizeof *seen);
    if (seen == NULL) {
        return maker->status;
    }
    for (int64_t i = 0; array->value == NULL && i < array->n_entry; i++) {
        int64_t at = 0;
        for (int32_t a = 0; a < array->n_axis; a++) {
            const int64_t index = array->index[i * array->n_axis + a];
            if (index < 0 || index >= array->size[a]) {
                return sonde__maker_wrong(
                    maker, "%s.entries[%lld][%d]: expected an index from 0 to %lld, found %lld",
                    path, (long long)i, a, (long long)array->size[a] - 1, (long long)index);
            }
            at = at * array->size[a] + index;
        }
        if (seen[at]) {
            return sonde__maker_wrong(maker, "%s.entries[%lld]: is given twice; give it once", path,
                                      (long long)i);
        }
        seen[at] = true;
        value[at] = array->entry[i];
    }
    for (int64_t i = 0; i < n; i++) {
        value[i] += 0.0; /* minus nothing is nothing */
        if (!(fabs(value[i]) <= SONDE__LARGEST)) {
            const int64_t last = array->size[array->n_axis - 1];
            const sonde__path steps = array->n_axis == 2
                                          ? sonde__at("[%lld]", (long long)(i / last))
                                          : sonde__at("%s", "");
            return sonde__maker_wrong(
                maker, "%s%s[%lld]: expected a number from %g to %g, found %g", path, steps.text,
                (long long)(i % last), -SONDE__LARGEST, SONDE__LARGEST, value[i]);
        }
    }
    return SONDE_OK;
}

/* ---------------------------------------------------------------------------------- policies -- */

static sonde_status check_allowed(sonde__maker *maker, int32_t f) {
    const sonde_factor_parts *factor = &maker->parts->factor[f];
    for (int32_t i = 0; i < factor->n_allowed; i++) {
        const int32_t state = factor->allowed[2 * (int64_t)i];
        const int32_t action = factor->allowed[2 * (int64_t)i + 1];
        if (state < 0 || state >= factor->shape.n_state || action < 0 ||
            action >= factor->shape.n_action) {
            return sonde__maker_wrong(
                maker,
                "allowed[%d][%d]: expected a state from 0 to %d and an action from 0 to %d, found "
                "[%d, %d]",
                f, i, factor->shape.n_state - 1, factor->shape.n_action - 1, state, action);
        }
    }
    if (sonde__parts_n_depend(maker->parts, f) != 1 || maker->depend[f][0] != f) {
        return sonde__maker_wrong(
            maker, "allowed[%d]: is for factors that depend on themselves alone, but factor %d %s",
            f, f, "depends on others");
    }
    return SONDE_OK;
}

static sonde_status check_listed(const sonde__maker *maker) {
    const sonde_parts *parts = maker->parts;
    const int64_t n_step = (int64_t)parts->settings.horizon * parts->n_factor;
    if (parts->n_policy < 1 || parts->policy == NULL) {
        return sonde__maker_wrong(maker, "policies: expected one policy at least, found none");
    }
    for (int64_t i = 0; i < parts->n_policy * n_step; i++) {
        const int32_t n_action = parts->factor[i % parts->n_factor].shape.n_action;
        if (parts->policy[i] < 0 || parts->policy[i] >= n_action) {
            return sonde__maker_wrong(
                maker, "policies[%lld][%lld][%lld]: expected an action from 0 to %d, found %d",
                (long long)(i / n_step), (long long)(i % n_step / parts->n_factor),
                (long long)(i % parts->n_factor), n_action - 1, parts->policy[i]);
        }
    }
    double sum = parts->E != NULL ? 0.0 : 1.0;
    for (int32_t i = 0; i < parts->n_policy && parts->E != NULL; i++) {
        const sonde_status status = check_real(maker, sonde__at("E[%d]", i).text, parts->E[i]);
        if (status != SONDE_OK) {
            return status;
        }
        sum += parts->E[i];
    }
    return sum > 0.0 ? SONDE_OK
                     : sonde__maker_wrong(maker, "E: expected a policy with more than 0");
}

uint64_t sonde__parts_n_habit(const sonde__maker *maker) {
    const sonde_parts *parts = maker->parts;
    const bool listed = parts->policies == SONDE_POLICIES_LISTED;
    return parts->counts_E.n_axis == 0 ? 0 : listed ? (uint64_t)parts->n_policy : maker->n_action;
}

/* Counts of E by policy, or of habits by first action. */
static sonde_status check_habits(const sonde__maker *maker) {
    const sonde_array *counts = &maker->parts->counts_E;
    const bool listed = maker->parts->policies == SONDE_POLICIES_LISTED;
    const int64_t n = (int64_t)sonde__parts_n_habit(maker);
    double sum = 0.0;
    if (counts->n_axis == 0) {
        return SONDE_OK;
    }
    if (counts->n_axis != 1 || counts->size[0] != n || counts->value == NULL) {
        return sonde__maker_wrong(maker,
                                  "counts.E: expected %lld numbers, one for each %s, found %lld",
                                  (long long)n, listed ? "policy" : "first action",
                                  counts->n_axis == 1 ? (long long)counts->size[0] : 0LL);
    }
    for (int64_t i = 0; i < n; i++) {
        const double count = counts->value[i];
        if (!(count >= 0.0 && count <= SONDE__COUNT_MAX) || (!listed && !(count > 0.0))) {
            return sonde__maker_wrong(maker,
                                      "counts.E[%lld]: expected a count %s 0, at most 1e12, found "
                                      "%g",
                                      (long long)i, listed ? "of at least" : "above", count);
        }
        sum += count;
    }
    return sum > 0.0 ? SONDE_OK
                     : sonde__maker_wrong(
                           maker, "counts.E: expected counts with a sum of more than 0, found 0");
}

static sonde_status check_policies(sonde__maker *maker) {
    const sonde_parts *parts = maker->parts;
    bool any = false;
    sonde_status status = SONDE_OK;
    for (int32_t f = 0; f < parts->n_factor && status == SONDE_OK; f++) {
        if (sonde__restricted(parts, f)) {
            any = true;
            status = check_allowed(maker, f);
        }
    }
    if (status != SONDE_OK) {
        return status;
    }
    if (parts->policies == SONDE_POLICIES_LISTED) {
        status = check_listed(maker);
        return status == SONDE_OK ? check_habits(maker) : status;
    }
    status = check_habits(maker);
    if (status != SONDE_OK) {
        return status;
    }
    if (parts->E != NULL) {
        return sonde__maker_wrong(maker, "E: is for listed policies, but policies are \"%s\"",
                                  sonde_policy_kind_name((int32_t)parts->policies));
    }
    return parts->policies == SONDE_POLICIES_ALL || any
               ? SONDE_OK
               : sonde__maker_wrong(maker,
                                    "policies: are \"allowed\", but nothing says which; give "
                                    "\"allowed\", or take \"all\"");
}

/* --------------------------------------------------------------------------------- all of it -- */

static sonde_status check_all_names(sonde__maker *maker) {
    const sonde_parts *parts = maker->parts;
    sonde_status status = parts->name != NULL ? check_plain(maker, "name", parts->name) : SONDE_OK;
    if (status == SONDE_OK) {
        status = check_titles(maker, true);
    }
    if (status == SONDE_OK) {
        status = check_titles(maker, false);
    }
    for (int32_t f = 0; f < parts->n_factor && status == SONDE_OK; f++) {
        const sonde_factor_parts *factor = &parts->factor[f];
        status = check_names(maker, sonde__at("factors[%d].states", f).text, factor->shape.n_state,
                             factor->shape.state_name);
        if (status == SONDE_OK) {
            status = check_names(maker, sonde__at("factors[%d].actions", f).text,
                                 factor->shape.n_action, factor->shape.action_name);
        }
    }
    for (int32_t m = 0; m < parts->n_modality && status == SONDE_OK; m++) {
        status =
            check_names(maker, sonde__at("modalities[%d].outcomes", m).text,
                        parts->modality[m].shape.n_outcome, parts->modality[m].shape.outcome_name);
    }
    return status;
}

sonde_status sonde__parts_check(sonde__maker *maker) {
    sonde_status status = check_scalars(maker);
    status = status != SONDE_OK ? status : check_sizes(maker);
    status = status != SONDE_OK ? status : check_all_names(maker);
    status = status != SONDE_OK ? status : settle_dependencies(maker);
    status = status != SONDE_OK ? status : settle_tables(maker);
    status = status != SONDE_OK ? status : check_preferences(maker);
    status = status != SONDE_OK ? status : check_actions(maker);
    return status != SONDE_OK ? status : check_policies(maker);
}
