/* model_read.c: a general model from a sonde-model document (docs/formats.md).
 *
 * The arrays have been taken out of the document already (base/json_numbers.c); here everything
 * becomes parts, with names looked up, and model_build.c says what is wrong with the numbers. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "model/model_internal.h"

static const char *key(int32_t i) {
    static const char *const list[] = {"format",     "version",     "name",        "factors",
                                       "modalities", "A",           "B",           "C",
                                       "D",          "preferences", "information", "cost",
                                       "lambda",     "gamma",       "horizon",     "policies",
                                       "allowed",    "E",           "action_cost", "action_prior",
                                       "discount",   "counts"};
    return i < (int32_t)(sizeof list / sizeof *list) ? list[i] : NULL;
}

static const char *factor_key(int32_t i) {
    static const char *const list[] = {"name", "states", "actions", "depends", NULL};
    return list[i];
}

static const char *modality_key(int32_t i) {
    static const char *const list[] = {"name", "outcomes", "factors", NULL};
    return list[i];
}

static const char *sparse_key(int32_t i) {
    static const char *const list[] = {"shape", "entries", NULL};
    return list[i];
}

enum { KEY_A, KEY_B, KEY_C, KEY_D, KEY_COST, COUNTS };
const char *sonde__model_array_key(int32_t i) {
    static const char *const list[] = {"A",        "B",        "C",        "D",        "cost",
                                       "counts.A", "counts.B", "counts.C", "counts.D", NULL};
    return list[i];
}

static const char *counts_key(int32_t i) {
    static const char *const list[] = {"A", "B", "C", "D", "E", NULL};
    return list[i];
}

/* A document while it becomes parts. */
typedef struct {
    sonde__reader *reader;
    sonde__pool pool;
    sonde_parts parts;
    sonde_factor_parts *factor;
    sonde_modality_parts *modality;
    json_t *names; /* of factors, states and actions by number, made when first asked for */
} document;

static void *take(document *d, uint64_t n, size_t size) {
    void *piece = sonde__pool_take(&d->pool, n, size);
    if (piece == NULL) {
        d->reader->status =
            sonde__fail_memory(d->reader->error, d->reader->origin, sonde__multiply(n, size));
    }
    return piece;
}

/* ------------------------------------------------------------------------------------- names -- */

/* A name, if there is one. */
static bool read_name(document *d, const char *path, const json_t *value, const char **name) {
    *name = json_string_value(value);
    return value == NULL || (*name != NULL && **name != '\0') ||
           sonde__json_expected(d->reader, path, "a name", value);
}

/* How many there are, or their names. */
static bool read_list(document *d, const char *path, const json_t *value, int32_t *n,
                      const char *const **names) {
    if (!json_is_array(value)) {
        return json_is_integer(value)
                   ? sonde__json_whole(d->reader, path, value, 1, INT32_MAX, n)
                   : sonde__json_expected(d->reader, path, "how many there are, or their names",
                                          value);
    }
    const size_t size = json_array_size(value);
    if (size < 1 || size > INT32_MAX) {
        return sonde__json_expected(d->reader, path, "one name at least", value);
    }
    const char **list = take(d, size, sizeof *list);
    for (size_t i = 0; list != NULL && i < size; i++) {
        const sonde__path at = sonde__at("%s[%zu]", path, i);
        if (!read_name(d, at.text, json_array_get(value, i), &list[i])) {
            return false;
        }
    }
    *n = (int32_t)size;
    *names = list;
    return list != NULL;
}

/* The numbers of some names, as a JSON object, which is a hash table; NULL without memory. Names
 * that are there twice are told of when the model is made. */
static const json_t *index_of(document *d, const char *path, int32_t n, const char *const *names) {
    const json_t *known = json_object_get(d->names, path);
    if (known != NULL) {
        return known;
    }
    json_t *index = json_object();
    bool made = index != NULL;
    for (int32_t i = 0; made && i < n; i++) {
        made = names[i] == NULL || json_object_get(index, names[i]) != NULL ||
               json_object_set_new_nocheck(index, names[i], json_integer(i)) == 0;
    }
    if (d->names == NULL) {
        d->names = json_object();
    }
    if (!made || json_object_set_new_nocheck(d->names, path, index) != 0) {
        if (!made) {
            json_decref(index);
        }
        d->reader->status = sonde__fail_memory(d->reader->error, d->reader->origin, 0);
        return NULL;
    }
    return json_object_get(d->names, path);
}

/* a list of things that have numbers and may have names */
typedef struct {
    const char *path; /* where it stands */
    const char *what; /* "a state" */
    int32_t n;
    const char *const *name; /* (n) some of which may be NULL; or NULL */
} things;

/* One of them, by number or name. */
static bool read_one(document *d, const char *path, const json_t *value, const things *of,
                     int32_t *number) {
    if (!json_is_string(value) || of->name == NULL) {
        return sonde__json_whole(d->reader, path, value, 0, of->n - 1, number);
    }
    const json_t *index = index_of(d, of->path, of->n, of->name);
    const json_t *found = json_object_get(index, json_string_value(value));
    if (index != NULL && found == NULL) {
        return sonde__json_expected(
            d->reader, path,
            sonde__at("a number from 0 to %d or the name of %s", of->n - 1, of->what).text, value);
    }
    *number = (int32_t)json_integer_value(found);
    return index != NULL;
}

/* --------------------------------------------------------------------- factors, modalities -- */

/* An object with known keys, the i-th of a list. */
static bool check_object(document *d, const char *path, const json_t *value,
                         const char *(*keys)(int32_t)) {
    if (!json_is_object(value)) {
        return sonde__json_expected(d->reader, path, "an object { ... }", value);
    }
    return sonde__json_keys_at(d->reader, path, value, keys);
}

static bool read_length(document *d, const char *path, const char *what, int32_t *n,
                        const json_t **list) {
    *list = json_object_get(d->reader->root, path);
    const size_t size = json_array_size(*list);
    if (!json_is_array(*list) || size < 1 || size > SONDE_FACTORS_MAX) {
        return sonde__json_expected(d->reader, path,
                                    sonde__at("a list of 1 to %d %s", SONDE_FACTORS_MAX, what).text,
                                    *list);
    }
    *n = (int32_t)size;
    return true;
}

/* A list of factors by number or name. */
static bool read_factors_of(document *d, const char *path, const json_t *value,
                            const char *const *titles, int32_t *n, const int32_t **out) {
    if (value == NULL) {
        return true;
    }
    const int32_t n_factor = d->parts.n_factor;
    const size_t size = json_array_size(value);
    if (!json_is_array(value) || size < 1 || size > (size_t)n_factor) {
        return sonde__json_expected(d->reader, path,
                                    sonde__at("a list of 1 to %d factors", n_factor).text, value);
    }
    const things factors = {"factors", "a factor", n_factor, titles};
    int32_t *list = take(d, size, sizeof *list);
    for (size_t i = 0; list != NULL && i < size; i++) {
        const sonde__path at = sonde__at("%s[%zu]", path, i);
        if (!read_one(d, at.text, json_array_get(value, i), &factors, &list[i])) {
            return false;
        }
    }
    *n = (int32_t)size;
    *out = list;
    return list != NULL;
}

static bool read_factors(document *d, const char ***titles) {
    const json_t *list = NULL;
    if (!read_length(d, "factors", "factors", &d->parts.n_factor, &list)) {
        return false;
    }
    const int32_t n = d->parts.n_factor;
    d->factor = take(d, (uint64_t)n, sizeof *d->factor);
    *titles = take(d, (uint64_t)n, sizeof **titles);
    if (d->factor == NULL || *titles == NULL) {
        return false;
    }
    d->parts.factor = d->factor;
    for (int32_t f = 0; f < n; f++) {
        const json_t *value = json_array_get(list, (size_t)f);
        sonde_factor_parts *factor = &d->factor[f];
        if (!check_object(d, sonde__at("factors[%d]", f).text, value, factor_key) ||
            !read_name(d, sonde__at("factors[%d].name", f).text, json_object_get(value, "name"),
                       &factor->shape.name) ||
            !read_list(d, sonde__at("factors[%d].states", f).text, json_object_get(value, "states"),
                       &factor->shape.n_state, &factor->shape.state_name) ||
            !read_list(d, sonde__at("factors[%d].actions", f).text,
                       json_object_get(value, "actions"), &factor->shape.n_action,
                       &factor->shape.action_name)) {
            return false;
        }
        (*titles)[f] = factor->shape.name;
    }
    /* every factor has its name now */
    for (int32_t f = 0; f < n; f++) {
        const json_t *value = json_array_get(list, (size_t)f);
        if (!read_factors_of(d, sonde__at("factors[%d].depends", f).text,
                             json_object_get(value, "depends"), *titles,
                             &d->factor[f].shape.n_depend, &d->factor[f].shape.depend)) {
            return false;
        }
    }
    return true;
}

static bool read_modalities(document *d, const char *const *titles) {
    const json_t *list = NULL;
    if (!read_length(d, "modalities", "modalities", &d->parts.n_modality, &list)) {
        return false;
    }
    d->modality = take(d, (uint64_t)d->parts.n_modality, sizeof *d->modality);
    if (d->modality == NULL) {
        return false;
    }
    d->parts.modality = d->modality;
    for (int32_t m = 0; m < d->parts.n_modality; m++) {
        const json_t *value = json_array_get(list, (size_t)m);
        sonde_modality_parts *modality = &d->modality[m];
        if (!check_object(d, sonde__at("modalities[%d]", m).text, value, modality_key) ||
            !read_name(d, sonde__at("modalities[%d].name", m).text, json_object_get(value, "name"),
                       &modality->shape.name) ||
            !read_list(d, sonde__at("modalities[%d].outcomes", m).text,
                       json_object_get(value, "outcomes"), &modality->shape.n_outcome,
                       &modality->shape.outcome_name) ||
            !read_factors_of(d, sonde__at("modalities[%d].factors", m).text,
                             json_object_get(value, "factors"), titles, &modality->shape.n_factor,
                             &modality->shape.factor)) {
            return false;
        }
    }
    return true;
}

/* ---------------------------------------------------------------------------------- arrays -- */

/* A whole number that is an axis' size or an index. */
static bool read_whole(document *d, const char *path, double value, int64_t least, int64_t *out) {
    if (!(value >= (double)least && value <= 0x1p53) || value != floor(value)) {
        return sonde__json_wrong(d->reader,
                                 "%s: expected a whole number of %d or more, found %.17g", path,
                                 (int)least, value);
    }
    *out = (int64_t)value;
    return true;
}

static bool read_entries(document *d, const char *path, const sonde__numbers *numbers,
                         sonde_array *array) {
    const int32_t n_axis = array->n_axis;
    array->n_entry = numbers->size[0];
    if (array->n_entry == 0 && numbers->n_axis == 1) {
        return true;
    }
    if (numbers->n_axis != 2 || numbers->size[1] != n_axis + 1) {
        return sonde__json_wrong(
            d->reader, "%s.entries: expected lists of %d indices and a value, found %s", path,
            n_axis,
            numbers->n_axis == 2 ? sonde__at("lists of %lld", (long long)numbers->size[1]).text
                                 : "something else");
    }
    int64_t *index =
        take(d, sonde__multiply((uint64_t)array->n_entry, (uint64_t)n_axis), sizeof *index);
    double *entry = take(d, (uint64_t)array->n_entry, sizeof *entry);
    if (index == NULL || entry == NULL) {
        return false;
    }
    for (int64_t i = 0; i < array->n_entry; i++) {
        const double *from = numbers->value + i * (n_axis + 1);
        for (int32_t a = 0; a < n_axis; a++) {
            if (from[a] == floor(from[a]) && fabs(from[a]) <= 0x1p53) {
                index[i * n_axis + a] = (int64_t)from[a];
                continue;
            }
            const sonde__path at = sonde__at("%s.entries[%lld][%d]", path, (long long)i, a);
            return read_whole(d, at.text, from[a], 0, index);
        }
        entry[i] = from[n_axis];
    }
    array->index = index;
    array->entry = entry;
    return true;
}

/* {"shape": [...], "entries": [[index, ..., value], ...]} */
static bool read_sparse(document *d, const char *path, int32_t which, int32_t item,
                        const json_t *value, sonde_array *array) {
    const sonde__numbers *shape = sonde__json_numbers(d->reader, which, item, SONDE__NUMBERS_SHAPE);
    const sonde__numbers *entries =
        sonde__json_numbers(d->reader, which, item, SONDE__NUMBERS_ENTRIES);
    if (!check_object(d, path, value, sparse_key)) {
        return false;
    }
    if (shape == NULL || shape->n_axis != 1 || shape->n < 1) {
        return sonde__json_wrong(d->reader, "%s.shape: expected the sizes of the axes, found %s",
                                 path, shape == NULL ? "nothing" : "something else");
    }
    if (entries == NULL) {
        return sonde__json_wrong(
            d->reader, "%s.entries: expected a list of indices and values, found nothing", path);
    }
    int64_t *size = take(d, (uint64_t)shape->n, sizeof *size);
    for (int64_t a = 0; size != NULL && a < shape->n; a++) {
        const sonde__path at = sonde__at("%s.shape[%lld]", path, (long long)a);
        if (!read_whole(d, at.text, shape->value[a], 1, &size[a])) {
            return false;
        }
    }
    array->n_axis = (int32_t)(shape->n <= SONDE__AXES ? shape->n : SONDE__AXES + 1);
    array->size = size;
    return size != NULL && read_entries(d, path, entries, array);
}

static bool read_array(document *d, int32_t which, int32_t item, const json_t *value,
                       sonde_array *array) {
    const sonde__path path = sonde__at("%s[%d]", sonde__model_array_key(which), item);
    if (json_is_object(value)) {
        return read_sparse(d, path.text, which, item, value, array);
    }
    const sonde__numbers *numbers =
        json_is_array(value) ? sonde__json_numbers(d->reader, which, item, SONDE__NUMBERS_ARRAY)
                             : NULL;
    if (numbers == NULL) {
        return sonde__json_expected(d->reader, path.text,
                                    "an array of numbers, or {\"shape\", \"entries\"}", value);
    }
    *array = (sonde_array){.n_axis = numbers->n_axis, .size = numbers->size};
    array->value = numbers->value;
    if (numbers->n == 0) {
        array->n_entry = 0; /* its shape is wrong, which will be told */
    }
    return true;
}

/* where the i-th array of a key goes */
static sonde_array *array_of(document *d, int32_t which, int32_t i) {
    switch (which) {
    case KEY_A: return &d->modality[i].A;
    case KEY_B: return &d->factor[i].B;
    case KEY_C: return &d->modality[i].C;
    case KEY_D: return &d->factor[i].D;
    case COUNTS + KEY_A: return &d->modality[i].counts_A;
    case COUNTS + KEY_B: return &d->factor[i].counts_B;
    case COUNTS + KEY_C: return &d->modality[i].counts_C;
    case COUNTS + KEY_D: return &d->factor[i].counts_D;
    default: return &d->modality[i].cost;
    }
}

/* The arrays of one key, of which those with counts may be null. */
static bool read_key(document *d, int32_t which, const json_t *list) {
    const char *name = sonde__model_array_key(which);
    const int32_t letter = which >= COUNTS ? which - COUNTS : which;
    const bool factors = letter == KEY_B || letter == KEY_D;
    const char *each = factors ? "factor" : "modality";
    const int32_t n = factors ? d->parts.n_factor : d->parts.n_modality;
    if (!json_is_array(list) || json_array_size(list) != (size_t)n) {
        return json_is_array(list)
                   ? sonde__json_wrong(d->reader,
                                       "%s: expected a list of %d, one array for each %s, "
                                       "found one of %zu",
                                       name, n, each, json_array_size(list))
                   : sonde__json_expected(
                         d->reader, name,
                         sonde__at("a list of %d, one array for each %s", n, each).text, list);
    }
    for (int32_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(list, (size_t)i);
        const bool counted =
            which >= COUNTS || (which != KEY_COST && array_of(d, COUNTS + which, i)->n_axis > 0);
        if (json_is_null(value) && counted) {
            continue;
        }
        if (!read_array(d, which, i, value, array_of(d, which, i))) {
            return false;
        }
    }
    return true;
}

static bool read_counts(document *d) {
    const json_t *counts = json_object_get(d->reader->root, "counts");
    if (counts == NULL) {
        return true;
    }
    if (!check_object(d, "counts", counts, counts_key)) {
        return false;
    }
    for (int32_t i = KEY_A; i <= KEY_D; i++) {
        const json_t *list = json_object_get(counts, counts_key(i));
        if (list != NULL && !json_is_null(list) && !read_key(d, COUNTS + i, list)) {
            return false;
        }
    }
    return true;
}

/* Whether every array of a key has counts, so that none need be given. */
static bool all_counted(document *d, int32_t which) {
    const int32_t n = which == KEY_B || which == KEY_D ? d->parts.n_factor : d->parts.n_modality;
    bool all = which != KEY_COST;
    for (int32_t i = 0; all && i < n; i++) {
        all = array_of(d, COUNTS + which, i)->n_axis > 0;
    }
    return all;
}

static bool read_arrays(document *d) {
    if (!read_counts(d)) {
        return false;
    }
    for (int32_t which = KEY_A; which <= KEY_COST; which++) {
        const json_t *list = json_object_get(d->reader->root, sonde__model_array_key(which));
        const bool needed = which != KEY_COST && !all_counted(d, which);
        if ((list != NULL || needed) && !read_key(d, which, list)) {
            return false;
        }
    }
    return true;
}

/* -------------------------------------------------------------------------------- policies -- */

static bool read_allowed(document *d, int32_t f, const json_t *list) {
    sonde_factor_parts *factor = &d->factor[f];
    if (json_is_null(list)) {
        return true;
    }
    const size_t size = json_array_size(list);
    if (!json_is_array(list) || size > INT32_MAX) {
        return sonde__json_expected(d->reader, sonde__at("allowed[%d]", f).text,
                                    "a list of [state, action], or null", list);
    }
    int32_t *allowed = take(d, 2 * (uint64_t)size, sizeof *allowed);
    const sonde__path states = sonde__at("factors[%d].states", f);
    const sonde__path actions = sonde__at("factors[%d].actions", f);
    const things of[2] = {
        {states.text, "a state", factor->shape.n_state, factor->shape.state_name},
        {actions.text, "an action", factor->shape.n_action, factor->shape.action_name}};
    for (size_t i = 0; allowed != NULL && i < size; i++) {
        const json_t *pair = json_array_get(list, i);
        if (json_array_size(pair) != 2) {
            return sonde__json_expected(d->reader, sonde__at("allowed[%d][%zu]", f, i).text,
                                        "[state, action]", pair);
        }
        for (size_t k = 0; k < 2; k++) {
            const sonde__path at = sonde__at("allowed[%d][%zu][%zu]", f, i, k);
            if (!read_one(d, at.text, json_array_get(pair, k), &of[k], &allowed[2 * i + k])) {
                return false;
            }
        }
    }
    factor->n_allowed = (int32_t)size;
    factor->allowed = allowed;
    return allowed != NULL;
}

static bool read_all_allowed(document *d) {
    const json_t *list = json_object_get(d->reader->root, "allowed");
    if (list == NULL) {
        return true;
    }
    if (!json_is_array(list) || json_array_size(list) != (size_t)d->parts.n_factor) {
        return sonde__json_expected(
            d->reader, "allowed",
            sonde__at("a list of %d, one for each factor", d->parts.n_factor).text, list);
    }
    for (int32_t f = 0; f < d->parts.n_factor; f++) {
        if (!read_allowed(d, f, json_array_get(list, (size_t)f))) {
            return false;
        }
    }
    return true;
}

/* One policy: a list of steps, each a list of actions, one for each factor. */
static bool read_policy(document *d, size_t i, const json_t *policy, int32_t *out) {
    const sonde_parts *parts = &d->parts;
    for (int32_t t = 0; t < parts->settings.horizon; t++) {
        const json_t *actions = json_array_get(policy, (size_t)t);
        if (!json_is_array(actions) || json_array_size(actions) != (size_t)parts->n_factor) {
            return sonde__json_expected(
                d->reader, sonde__at("policies[%zu][%d]", i, t).text,
                sonde__at("a list of %d, one action for each factor", parts->n_factor).text,
                actions);
        }
        for (int32_t f = 0; f < parts->n_factor; f++) {
            const sonde__path list = sonde__at("factors[%d].actions", f);
            const things of = {list.text, "an action", d->factor[f].shape.n_action,
                               d->factor[f].shape.action_name};
            const sonde__path at = sonde__at("policies[%zu][%d][%d]", i, t, f);
            if (!read_one(d, at.text, json_array_get(actions, (size_t)f), &of, out++)) {
                return false;
            }
        }
    }
    return true;
}

static bool read_listed(document *d, const json_t *list) {
    const size_t n = json_array_size(list);
    if (n < 1 || n > INT32_MAX) {
        return sonde__json_expected(d->reader, "policies", "one policy at least", list);
    }
    /* what is asked for is no more than what is there */
    const uint64_t step =
        sonde__multiply((uint64_t)d->parts.settings.horizon, (uint64_t)d->parts.n_factor);
    for (size_t i = 0; i < n; i++) {
        const json_t *policy = json_array_get(list, i);
        if (json_array_size(policy) != (size_t)d->parts.settings.horizon) {
            return sonde__json_expected(
                d->reader, sonde__at("policies[%zu]", i).text,
                sonde__at("a list of %d steps", d->parts.settings.horizon).text, policy);
        }
    }
    int32_t *policy = take(d, sonde__multiply(n, step), sizeof *policy);
    for (size_t i = 0; policy != NULL && i < n; i++) {
        if (!read_policy(d, i, json_array_get(list, i), policy + i * step)) {
            return false;
        }
    }
    d->parts.policies = SONDE_POLICIES_LISTED;
    d->parts.n_policy = (int32_t)n;
    d->parts.policy = policy;
    return policy != NULL;
}

/* {"shape": [n], "entries": [[i, value], ...]} of policies that are not equally likely. */
static bool read_sparse_habit(document *d, const json_t *value, size_t n, double *E) {
    static const char *const expected = "{\"shape\": [policies], \"entries\": [[i, value], ...]}";
    const json_t *shape = json_object_get(value, "shape");
    const json_t *entries = json_object_get(value, "entries");
    int32_t size = 0;
    if (json_object_size(value) != 2 || json_array_size(shape) != 1 || !json_is_array(entries)) {
        return sonde__json_expected(d->reader, "E", expected, value);
    }
    if (!sonde__json_whole(d->reader, "E.shape[0]", json_array_get(shape, 0), (int64_t)n,
                           (int64_t)n, &size)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        E[i] = -1.0; /* not there yet */
    }
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        const sonde__path path = sonde__at("E.entries[%zu]", i);
        int32_t index = 0;
        if (json_array_size(entry) != 2) {
            return sonde__json_expected(d->reader, path.text, "[i, value]", entry);
        }
        if (!sonde__json_whole(d->reader, path.text, json_array_get(entry, 0), 0, (int64_t)n - 1,
                               &index)) {
            return false;
        }
        if (E[index] >= 0.0) {
            return sonde__json_wrong(d->reader, "%s: index %d is there twice", path.text, index);
        }
        if (!sonde__json_number(d->reader, path.text, json_array_get(entry, 1), 0.0, &E[index])) {
            return false;
        }
    }
    for (size_t i = 0; i < n; i++) {
        E[i] = E[i] < 0.0 ? 0.0 : E[i];
    }
    d->parts.E = E;
    return true;
}

static bool read_habit(document *d, const json_t *list) {
    const size_t n = (size_t)d->parts.n_policy;
    if (list == NULL) {
        return true;
    }
    if (d->parts.policies != SONDE_POLICIES_LISTED) {
        return sonde__json_wrong(d->reader, "E: is for listed policies, but policies are \"%s\"",
                                 sonde_policy_kind_name((int32_t)d->parts.policies));
    }
    double *E = take(d, n, sizeof *E);
    if (E != NULL && json_is_object(list)) {
        return read_sparse_habit(d, list, n, E);
    }
    if (!json_is_array(list) || json_array_size(list) != n) {
        return sonde__json_expected(
            d->reader, "E", sonde__at("a list of %zu numbers, one for each policy", n).text, list);
    }
    for (size_t i = 0; E != NULL && i < n; i++) {
        if (!sonde__json_number(d->reader, sonde__at("E[%zu]", i).text, json_array_get(list, i),
                                0.0, &E[i])) {
            return false;
        }
    }
    d->parts.E = E;
    return E != NULL;
}

/* Counts of E, by policy or first action: a list, whose length is checked with the rest. */
static bool read_habit_counts(document *d) {
    const json_t *counts = json_object_get(d->reader->root, "counts");
    const json_t *list = json_object_get(counts, "E");
    if (list == NULL || json_is_null(list)) {
        return true;
    }
    if (!json_is_array(list) || json_array_size(list) == 0) {
        return sonde__json_expected(d->reader, "counts.E", "a list of counts", list);
    }
    const size_t n = json_array_size(list);
    int64_t *size = take(d, 1, sizeof *size);
    double *value = size != NULL ? take(d, n, sizeof *value) : NULL;
    for (size_t i = 0; value != NULL && i < n; i++) {
        if (!sonde__json_number(d->reader, sonde__at("counts.E[%zu]", i).text,
                                json_array_get(list, i), 0.0, &value[i])) {
            return false;
        }
    }
    if (value == NULL) {
        return false;
    }
    size[0] = (int64_t)n;
    d->parts.counts_E = (sonde_array){.n_axis = 1, .size = size, .value = value};
    return true;
}

static bool read_policies(document *d) {
    const json_t *value = json_object_get(d->reader->root, "policies");
    const char *word = json_string_value(value);
    const bool all = word != NULL && strcmp(word, "all") == 0;
    const bool allowed = word != NULL && strcmp(word, "allowed") == 0;
    if (value != NULL && !all && !allowed && !json_is_array(value)) {
        return sonde__json_expected(d->reader, "policies",
                                    "\"all\", \"allowed\" or a list of policies", value);
    }
    d->parts.policies = allowed ? SONDE_POLICIES_ALLOWED : SONDE_POLICIES_ALL;
    return read_all_allowed(d) && (!json_is_array(value) || read_listed(d, value)) &&
           read_habit(d, json_object_get(d->reader->root, "E")) && read_habit_counts(d);
}

/* --------------------------------------------------------------------------------- actions -- */

/* The sizes of nested lists, as the first of each says. */
static bool read_axes(document *d, const json_t *value, sonde_array *array) {
    int64_t *size = take(d, SONDE__AXES, sizeof *size);
    int32_t n_axis = 0;
    for (; size != NULL && json_is_array(value) && n_axis < SONDE__AXES;
         value = json_array_get(value, 0)) {
        size[n_axis++] = (int64_t)json_array_size(value);
    }
    array->n_axis = n_axis;
    array->size = size;
    return size != NULL;
}

/* Where numbers go, one after the other; to is NULL where they are counted alone. */
typedef struct {
    double *to;
    uint64_t n;
} gathered;

/* The numbers of nested lists, all as long as the first. */
static bool read_nested(document *d, const char *path, const json_t *value,
                        const sonde_array *array, int32_t axis, gathered *all) {
    const int64_t n = array->size[axis];
    double number = 0.0;
    if (!json_is_array(value) || (int64_t)json_array_size(value) != n) {
        return sonde__json_expected(d->reader, path, sonde__at("a list of %lld", (long long)n).text,
                                    value);
    }
    for (int64_t i = 0; i < n; i++) {
        const sonde__path at = sonde__at("%s[%lld]", path, (long long)i);
        const json_t *item = json_array_get(value, (size_t)i);
        const bool read = axis + 1 < array->n_axis
                              ? read_nested(d, at.text, item, array, axis + 1, all)
                              : sonde__json_number(d->reader, at.text, item, -SONDE__LARGEST,
                                                   all->to != NULL ? all->to + all->n : &number);
        if (!read) {
            return false;
        }
        all->n += axis + 1 == array->n_axis;
    }
    return true;
}

/* [[i, j, ..., value], ...] of an array with these axes. */
static bool read_listed_entries(document *d, const json_t *list, sonde_array *array) {
    const size_t n = json_array_size(list);
    const size_t n_axis = (size_t)array->n_axis;
    int64_t *index = take(d, n * n_axis, sizeof *index);
    double *entry = take(d, n, sizeof *entry);
    for (size_t i = 0; index != NULL && entry != NULL && i < n; i++) {
        const json_t *item = json_array_get(list, i);
        const sonde__path path = sonde__at("action_cost.entries[%zu]", i);
        if (json_array_size(item) != n_axis + 1) {
            return sonde__json_expected(d->reader, path.text,
                                        sonde__at("%zu indices and a value", n_axis).text, item);
        }
        for (size_t a = 0; a < n_axis; a++) {
            int32_t at = 0;
            if (!sonde__json_whole(d->reader, path.text, json_array_get(item, a), 0, INT32_MAX,
                                   &at)) {
                return false;
            }
            index[i * n_axis + a] = at;
        }
        if (!sonde__json_number(d->reader, path.text, json_array_get(item, n_axis), -SONDE__LARGEST,
                                &entry[i])) {
            return false;
        }
    }
    array->n_entry = (int64_t)n;
    array->index = index;
    array->entry = entry;
    return index != NULL && entry != NULL;
}

static bool read_action_cost(document *d, const json_t *value) {
    sonde_array *array = &d->parts.action_cost;
    if (json_is_object(value)) {
        const json_t *shape = json_object_get(value, "shape");
        const size_t n = json_array_size(shape);
        int64_t *size = take(d, n + 1, sizeof *size);
        array->n_axis = (int32_t)(n <= SONDE__AXES ? n : 0);
        array->size = size;
        for (size_t a = 0; size != NULL && a < n; a++) {
            int32_t one = 0;
            if (!sonde__json_whole(d->reader, sonde__at("action_cost.shape[%zu]", a).text,
                                   json_array_get(shape, a), 1, INT32_MAX, &one)) {
                return false;
            }
            size[a] = one;
        }
        if (size != NULL && (array->n_axis == 0 || json_object_size(value) != 2 ||
                             !json_is_array(json_object_get(value, "entries")))) {
            return sonde__json_expected(d->reader, "action_cost",
                                        "{\"shape\": sizes, \"entries\": lists}", value);
        }
        return size != NULL && read_listed_entries(d, json_object_get(value, "entries"), array);
    }
    if (!json_is_array(value) || !read_axes(d, value, array)) {
        return sonde__json_expected(d->reader, "action_cost",
                                    "nested lists, or {\"shape\", \"entries\"}", value);
    }
    gathered all = {0};
    if (!read_nested(d, "action_cost", value, array, 0, &all)) {
        return false;
    }
    all = (gathered){.to = take(d, all.n, sizeof(double))};
    array->value = all.to;
    return all.to != NULL && read_nested(d, "action_cost", value, array, 0, &all);
}

static bool read_action_prior(document *d, const json_t *list) {
    uint64_t n = 1;
    for (int32_t f = 0; f < d->parts.n_factor; f++) {
        n = sonde__multiply(n, (uint64_t)d->factor[f].shape.n_action);
    }
    if (!json_is_array(list) || json_array_size(list) != n) {
        return sonde__json_expected(
            d->reader, "action_prior",
            sonde__at("a list of %llu numbers, one for each action", (unsigned long long)n).text,
            list);
    }
    double *prior = take(d, n, sizeof *prior);
    for (size_t u = 0; prior != NULL && u < n; u++) {
        if (!sonde__json_number(d->reader, sonde__at("action_prior[%zu]", u).text,
                                json_array_get(list, u), 0.0, &prior[u])) {
            return false;
        }
    }
    d->parts.action_prior = prior;
    return prior != NULL;
}

static bool read_actions(document *d) {
    const json_t *cost = json_object_get(d->reader->root, "action_cost");
    const json_t *prior = json_object_get(d->reader->root, "action_prior");
    return (cost == NULL || read_action_cost(d, cost)) &&
           (prior == NULL || read_action_prior(d, prior));
}

/* --------------------------------------------------------------------------------- scalars -- */

static bool read_choice(document *d, const char *path, const char *(*name)(int32_t), int32_t *out) {
    const json_t *value = json_object_get(d->reader->root, path);
    const char *word = json_string_value(value);
    if (value == NULL) {
        return true;
    }
    *out = word != NULL ? sonde_name_find(name, word) : -1;
    if (*out < 0) {
        sonde__path list = sonde__at("\"%s\"", name(0));
        for (int32_t i = 1; name(i) != NULL; i++) {
            list = sonde__at("%s%s\"%s\"", list.text, name(i + 1) != NULL ? ", " : " or ", name(i));
        }
        return sonde__json_expected(d->reader, path, list.text, value);
    }
    return true;
}

static bool read_scalars(document *d) {
    const json_t *root = d->reader->root;
    const json_t *lambda = json_object_get(root, "lambda");
    const json_t *gamma = json_object_get(root, "gamma");
    const json_t *discount = json_object_get(root, "discount");
    sonde_model_settings *settings = &d->parts.settings;
    return read_name(d, "name", json_object_get(root, "name"), &d->parts.name) &&
           sonde__json_whole(d->reader, "horizon", json_object_get(root, "horizon"), 1,
                             INT32_MAX - 1, &settings->horizon) &&
           read_choice(d, "preferences", sonde_preferences_name, &settings->preferences) &&
           read_choice(d, "information", sonde_information_name, &settings->information) &&
           (lambda == NULL ||
            sonde__json_number(d->reader, "lambda", lambda, 0.0, &settings->lambda)) &&
           (gamma == NULL ||
            sonde__json_number(d->reader, "gamma", gamma, 0.0, &settings->gamma)) &&
           (discount == NULL ||
            sonde__json_number(d->reader, "discount", discount, 0.0, &d->parts.discount));
}

/* ------------------------------------------------------------------------------- all of it -- */

sonde_model_settings sonde_model_defaults(void) {
    return (sonde_model_settings){
        .lambda = -1.0, .gamma = -1.0, .preferences = -1, .information = -1};
}

sonde_status sonde__settings_apply(const sonde_model_settings *settings, sonde_parts *parts,
                                   sonde_error *error) {
    if (settings == NULL) {
        return SONDE_OK;
    }
    const double given[] = {settings->lambda, settings->gamma};
    for (int32_t i = 0; i < 2; i++) {
        if (!(given[i] <= SONDE__LARGEST)) {
            return sonde__fail(error, SONDE_BAD_ARGUMENT,
                               "%s: expected a number of 0 or more, at most %g, found %g",
                               i == 0 ? "lambda" : "gamma", SONDE__LARGEST, given[i]);
        }
    }
    if (settings->horizon < 0 || settings->horizon > INT32_MAX - 1) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "horizon: expected a whole number from 1 to %d, found %d", INT32_MAX - 1,
                           settings->horizon);
    }
    if (settings->preferences > SONDE_PREFERENCES_UTILITY ||
        settings->information > SONDE_INFORMATION_LEGACY) {
        return sonde__fail(error, SONDE_BAD_ARGUMENT,
                           "preferences, information: expected one of the values there are");
    }
    sonde_model_settings *to = &parts->settings;
    to->horizon = settings->horizon > 0 ? settings->horizon : to->horizon;
    to->lambda = settings->lambda >= 0.0 ? settings->lambda : to->lambda;
    to->gamma = settings->gamma >= 0.0 ? settings->gamma : to->gamma;
    to->preferences = settings->preferences >= 0 ? settings->preferences : to->preferences;
    to->information = settings->information >= 0 ? settings->information : to->information;
    return SONDE_OK;
}

/* A world that changes is not a model, though it looks like one (process_read.c). */
static bool stays(sonde__reader *reader) {
    return json_object_get(reader->root, "schedule") == NULL ||
           sonde__json_wrong(reader, "schedule: is what a world has that changes, and a model does "
                                     "not; give the file as the world to live in (--process of "
                                     "sonde simulate), or leave it out");
}

sonde_status sonde__model_from_json(sonde__reader *reader, const sonde_model_settings *settings,
                                    const sonde_run *run, sonde_model **model) {
    document d = {.reader = reader, .parts = sonde_parts_defaults()};
    const char **titles = NULL;
    if (sonde__json_format(reader, "sonde-model", 1) && stays(reader) &&
        sonde__json_keys(reader, reader->root, key) && read_scalars(&d)) {
        reader->status = sonde__settings_apply(settings, &d.parts, reader->error);
    }
    if (reader->status == SONDE_OK && read_factors(&d, &titles) && read_modalities(&d, titles) &&
        read_arrays(&d) && read_policies(&d) && read_actions(&d)) {
        reader->status =
            sonde__model_make(&d.parts, NULL, reader->origin, run, model, reader->error);
    }
    json_decref(d.names);
    sonde__pool_free(&d.pool);
    return reader->status;
}
