/* infinite_read.c: policies from files: sonde-policy documents, and SARSOP's .policy documents. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "closed/infinite_policy.h"
#include "model/model_xml.h"

/* what stands beside rows comes after them */
enum { BLOCKS, ROWS, ALPHA, LOWER_ROWS, POINTS };

static const char *number_keys(int32_t i) {
    static const char *const key[] = {"blocks",     "upper.rows",   "upper.alpha",
                                      "lower.rows", "lower.points", NULL};
    return key[i >= 0 && i < 5 ? i : 5];
}

static const char *all_keys(int32_t i) {
    static const char *const key[] = {"format", "version", "model",    "backup",  "information",
                                      "kappa",  "gamma",   "discount", "horizon", "blocks",
                                      "upper",  "lower",   NULL};
    return key[i >= 0 && i < 12 ? i : 12];
}

void sonde_vectors_free(sonde_vectors *vectors) {
    if (vectors != NULL) {
        sonde__pool pool = vectors->pool;
        sonde__pool_free(&pool);
    }
}

sonde_vectors_about sonde_vectors_describe(const sonde_vectors *v) {
    return (sonde_vectors_about){.format = v->foreign ? SONDE_POLICY_XML : SONDE_POLICY_JSON,
                                 .n_vector = v->n_vector,
                                 .n_point = v->n_point,
                                 .backup = v->foreign ? SONDE_BACKUP_MIN : v->backup,
                                 .gamma = v->foreign ? (double)NAN : v->gamma,
                                 .discount = v->foreign ? (double)NAN : v->discount};
}

/* -------------------------------------------------------------------------------------- JSON -- */

static const char *upper_keys(int32_t i) {
    static const char *const key[] = {"rows", "alpha", NULL};
    return key[i >= 0 && i < 2 ? i : 2];
}

static const char *lower_keys(int32_t i) {
    static const char *const key[] = {"rows", "points", NULL};
    return key[i >= 0 && i < 2 ? i : 2];
}

/* Whether there is a list of arrays, and how many; the numbers were taken out of the document. */
static bool count(sonde__reader *reader, const json_t *list, int32_t key, int32_t *n) {
    if (!json_is_array(list)) {
        return sonde__json_expected(reader, number_keys(key), "a list of lists of numbers", list);
    }
    for (*n = 0; (size_t)*n < json_array_size(list); ++*n) {
        if (sonde__json_numbers(reader, key, *n, SONDE__NUMBERS_ARRAY) == NULL) {
            return sonde__json_expected(reader, sonde__at("%s[%d]", number_keys(key), *n).text,
                                        "a list of numbers", json_array_get(list, (size_t)*n));
        }
    }
    return true;
}

/* The same of an object with rows and something beside each. */
static bool count_rows(sonde__reader *reader, const char *name, const char *(*keys)(int32_t),
                       int32_t rows, int32_t *n) {
    const json_t *object = json_object_get(reader->root, name);
    int32_t n_row = 0;
    if (!json_is_object(object)) {
        return sonde__json_expected(reader, name, "an object", object);
    }
    if (!sonde__json_keys_at(reader, name, object, keys) ||
        !count(reader, json_object_get(object, keys(0)), rows, &n_row) ||
        !count(reader, json_object_get(object, keys(1)), rows + 1, n)) {
        return false;
    }
    return n_row == *n ||
           sonde__json_wrong(reader, "%s: expected as many rows as %s, found %d and %d", name,
                             keys(1), n_row, *n);
}

/* One array, which has to have one axis, and n numbers (-1: any); NULL and a sentence. */
static const sonde__numbers *array_of(sonde__reader *reader, int32_t key, int32_t item, int64_t n) {
    const sonde__numbers *found = sonde__json_numbers(reader, key, item, SONDE__NUMBERS_ARRAY);
    if (found == NULL || found->n_axis != 1 || (n >= 0 && found->n != n)) {
        (void)sonde__json_wrong(reader, "%s[%d]: expected a list of %s%lld numbers",
                                number_keys(key), item, n < 0 ? "at least " : "",
                                n < 0 ? 1LL : (long long)n);
        return NULL;
    }
    return found;
}

/* A copy that stays. */
static double *keep(sonde__reader *reader, sonde_vectors *v, const sonde__numbers *from) {
    double *to = SONDE__POOL_TAKE(&v->pool, double, from->n > 0 ? from->n : 1);
    if (to == NULL) {
        reader->status = sonde__fail_memory(reader->error, "policy", (uint64_t)from->n * 8);
        return NULL;
    }
    memcpy(to, from->value, (size_t)from->n * sizeof *to);
    return to;
}

static void *take(sonde__reader *reader, sonde_vectors *v, int32_t n, size_t size) {
    void *piece = sonde__pool_take(&v->pool, (uint64_t)n + 1, size);
    if (piece == NULL) {
        reader->status = sonde__fail_memory(reader->error, "policy", (uint64_t)n * size);
    }
    return piece;
}

static bool read_blocks(sonde__reader *reader, sonde_vectors *v) {
    if (!count(reader, json_object_get(reader->root, "blocks"), BLOCKS, &v->n_block)) {
        return false;
    }
    v->n_state = take(reader, v, v->n_block, sizeof *v->n_state);
    v->state = v->n_state != NULL ? take(reader, v, v->n_block, sizeof *v->state) : NULL;
    bool good = v->state != NULL;
    for (int32_t b = 0; good && b < v->n_block; b++) {
        const sonde__numbers *found = array_of(reader, BLOCKS, b, -1);
        good = found != NULL && found->n > 0 && found->n <= INT32_MAX;
        v->state[b] = good ? keep(reader, v, found) : NULL;
        v->n_state[b] = good ? (int32_t)found->n : 0;
        good = v->state[b] != NULL;
        for (int32_t i = 0; good && i < v->n_state[b]; i++) {
            const double s = v->state[b][i];
            good = s >= 0.0 && s < 0x1p53 && s == floor(s) && (i == 0 || s > v->state[b][i - 1]);
            if (!good) {
                (void)sonde__json_wrong(reader, "blocks[%d]: expected numbers of states, ascending",
                                        b);
            }
        }
    }
    return good || (reader->status == SONDE_OK &&
                    sonde__json_wrong(reader, "blocks: expected lists of states"));
}

/* The block that a row names, or -1 and a sentence. */
static int32_t block_of(sonde__reader *reader, const sonde_vectors *v, int32_t key, int32_t item,
                        double number) {
    if (number >= 0.0 && number < (double)v->n_block && number == floor(number)) {
        return (int32_t)number;
    }
    (void)sonde__json_wrong(reader, "%s[%d]: expected one of %d blocks, found %g", number_keys(key),
                            item, v->n_block, number);
    return -1;
}

static bool read_vectors(sonde__reader *reader, sonde_vectors *v) {
    if (!count_rows(reader, "upper", upper_keys, ROWS, &v->n_vector)) {
        return false;
    }
    v->vector = take(reader, v, v->n_vector, sizeof *v->vector);
    bool good = v->vector != NULL;
    for (int32_t i = 0; good && i < v->n_vector; i++) {
        const sonde__numbers *row = array_of(reader, ROWS, i, 3);
        const int32_t block = row != NULL ? block_of(reader, v, ROWS, i, row->value[0]) : -1;
        const sonde__numbers *alpha =
            block >= 0 ? array_of(reader, ALPHA, i, v->n_state[block]) : NULL;
        const double *value = alpha != NULL ? keep(reader, v, alpha) : NULL;
        good = value != NULL;
        if (good && !(row->value[1] >= -1.0 && row->value[1] < 0x1p30 &&
                      row->value[1] == floor(row->value[1]))) {
            good = sonde__json_wrong(reader, "upper.rows[%d]: expected an action, found %g", i,
                                     row->value[1]);
        }
        if (good) {
            v->vector[i] = (sonde__policy_vector){.block = block,
                                                  .action = (int32_t)row->value[1],
                                                  .tight = row->value[2] != 0.0,
                                                  .value = value};
        }
    }
    return good;
}

static bool read_points(sonde__reader *reader, sonde_vectors *v) {
    if (!count_rows(reader, "lower", lower_keys, LOWER_ROWS, &v->n_point)) {
        return false;
    }
    v->point = take(reader, v, v->n_point, sizeof *v->point);
    bool good = v->point != NULL;
    for (int32_t i = 0; good && i < v->n_point; i++) {
        const sonde__numbers *row = array_of(reader, LOWER_ROWS, i, 2);
        const int32_t block = row != NULL ? block_of(reader, v, LOWER_ROWS, i, row->value[0]) : -1;
        const sonde__numbers *p =
            block >= 0 ? array_of(reader, POINTS, i, v->n_state[block]) : NULL;
        double sum = 0.0;
        good = p != NULL;
        for (int64_t k = 0; good && k < p->n; k++) {
            good = p->value[k] >= 0.0;
            sum += p->value[k];
        }
        if (p != NULL && (!good || !(fabs(sum - 1.0) <= 1e-9))) {
            good = sonde__json_wrong(reader, "lower.points[%d]: expected probabilities", i);
        }
        const double *kept = good ? keep(reader, v, p) : NULL;
        good = kept != NULL;
        if (good) {
            v->point[i] = (sonde__policy_point){.block = block, .value = row->value[1], .p = kept};
        }
    }
    return good;
}

/* What stands beside the vectors. */
static bool read_head(sonde__reader *reader, sonde_vectors *v) {
    const json_t *model = json_object_get(reader->root, "model");
    const json_t *backup = json_object_get(reader->root, "backup");
    const json_t *horizon = json_object_get(reader->root, "horizon");
    const char *hash = json_string_value(model);
    char *end = NULL;
    v->model = hash != NULL ? strtoull(hash, &end, 16) : 0;
    if (hash == NULL || strlen(hash) != 16 || *end != '\0') {
        return sonde__json_expected(reader, "model", "a hash of 16 digits", model);
    }
    const int32_t kind = json_string_value(backup) != NULL
                             ? sonde_name_find(sonde_backup_name, json_string_value(backup))
                             : -1;
    if (kind != SONDE_BACKUP_MIN && kind != SONDE_BACKUP_FREE_ENERGY) {
        return sonde__json_expected(reader, "backup", "min or free-energy", backup);
    }
    v->backup = (sonde_backup)kind;
    const json_t *information = json_object_get(reader->root, "information");
    if (json_string_value(information) == NULL ||
        sonde_name_find(sonde_information_name, json_string_value(information)) < 0) {
        return sonde__json_expected(reader, "information", "off, joint or per-modality",
                                    information);
    }
    if (json_string_value(horizon) == NULL || strcmp(json_string_value(horizon), "inf") != 0) {
        return sonde__json_expected(reader, "horizon", "\"inf\"", horizon);
    }
    return sonde__json_number(reader, "kappa", json_object_get(reader->root, "kappa"), 0.0,
                              &v->kappa) &&
           sonde__json_number(reader, "gamma", json_object_get(reader->root, "gamma"), 0.0,
                              &v->gamma) &&
           sonde__json_number(reader, "discount", json_object_get(reader->root, "discount"), 0.0,
                              &v->discount);
}

static sonde_status read_json(const sonde_source *source, const sonde_run *run, sonde_vectors *v,
                              sonde_error *error) {
    sonde__reader reader = {0};
    sonde_status status =
        sonde__json_parse_numbers(&reader, source, number_keys, run->memory / 2, error);
    if (status == SONDE_OK) {
        const bool good = sonde__json_format(&reader, "sonde-policy", 1) &&
                          sonde__json_keys(&reader, reader.root, all_keys) &&
                          read_head(&reader, v) && read_blocks(&reader, v) &&
                          read_vectors(&reader, v) && read_points(&reader, v);
        status = good ? SONDE_OK : reader.status;
    }
    sonde__json_close(&reader);
    return status;
}

/* --------------------------------------------------------------------------------------- XML -- */

/* An attribute that is a whole number from `least` on. */
static bool whole(sonde__foreign *f, const sonde__element *e, const char *name, int64_t least,
                  int64_t *number) {
    const char *text = sonde__xml_attribute(e, name);
    char *end = NULL;
    *number = text != NULL ? strtoll(text, &end, 10) : -1;
    if (text == NULL || !isdigit((unsigned char)*text) || *end != '\0' || *number < least ||
        *number > INT32_MAX) {
        return sonde__foreign_wrong(f, e->line,
                                    "%s: expected the attribute %s, a whole number from %lld on",
                                    e->name, name, (long long)least);
    }
    return true;
}

static bool read_word(sonde__xml_words *words, double *number) {
    size_t length = 0;
    const char *word = sonde__xml_word(words, &length);
    char copy[64];
    if (word == NULL || length == 0 || length >= sizeof copy) {
        return false;
    }
    memcpy(copy, word, length);
    copy[length] = '\0';
    char *end = NULL;
    *number = strtod(copy, &end);
    return *end == '\0' && fabs(*number) <= 1e100;
}

/* Numbers one after the other, or entries of a place and a number. */
static bool read_numbers(sonde__foreign *f, const sonde__element *e, int64_t length,
                         double *value) {
    sonde__xml_words words = sonde__xml_words_of(e);
    bool good = strcmp(e->name, "Vector") == 0;
    if (good) {
        for (int64_t i = 0; good && i < length; i++) {
            good = read_word(&words, &value[i]);
        }
        size_t rest = 0;
        good = good && sonde__xml_word(&words, &rest) == NULL;
    } else {
        good = true;
        for (const sonde__element *entry = sonde__xml_child(e, "Entry"); good && entry != NULL;
             entry = sonde__xml_again(entry)) {
            double at = -1.0;
            double number = 0.0;
            words = sonde__xml_words_of(entry);
            good = read_word(&words, &at) && read_word(&words, &number) && at >= 0.0 &&
                   at < (double)length && at == floor(at);
            if (good) {
                value[(int64_t)at] = number;
            }
        }
    }
    return good || sonde__foreign_wrong(f, e->line, "%s: expected %lld numbers", e->name,
                                        (long long)length);
}

static bool read_vector(sonde__foreign *f, const sonde__element *e, sonde_vectors *v) {
    int64_t action;
    int64_t value;
    if (!whole(f, e, "action", 0, &action) || !whole(f, e, "obsValue", 0, &value)) {
        return false;
    }
    if (value >= v->n_block) {
        return sonde__foreign_wrong(f, e->line, "%s: obsValue %lld is not below numObsValue",
                                    e->name, (long long)value);
    }
    if (!sonde__foreign_afford(f, (uint64_t)v->length, sizeof(double))) {
        return false;
    }
    double *numbers = SONDE__POOL_TAKE(&v->pool, double, v->length);
    if (numbers == NULL) {
        f->status = sonde__fail_memory(f->error, "policy", (uint64_t)v->length * 8);
        return false;
    }
    v->vector[v->n_vector] = (sonde__policy_vector){
        .block = (int32_t)value, .action = (int32_t)action, .value = numbers};
    return read_numbers(f, e, v->length, numbers) && ++v->n_vector > 0;
}

static bool read_policy(sonde__foreign *f, const sonde__element *root, sonde_vectors *v) {
    const sonde__element *list =
        strcmp(root->name, "Policy") == 0 ? sonde__xml_child(root, "AlphaVector") : NULL;
    int64_t n_value;
    if (list == NULL) {
        return sonde__foreign_wrong(f, root->line,
                                    "expected a Policy with an AlphaVector, found %s", root->name);
    }
    if (!whole(f, list, "vectorLength", 1, &v->length) ||
        !whole(f, list, "numObsValue", 1, &n_value)) {
        return false;
    }
    uint64_t n = 0;
    for (const sonde__element *e = list->first; e != NULL; e = e->next) {
        n++;
    }
    v->foreign = true;
    v->n_block = (int32_t)n_value;
    v->vector = sonde__pool_take(&v->pool, n + 1, sizeof *v->vector);
    if (v->vector == NULL) {
        f->status = sonde__fail_memory(f->error, "policy", n * sizeof *v->vector);
        return false;
    }
    for (const sonde__element *e = list->first; e != NULL; e = e->next) {
        if (strcmp(e->name, "Vector") != 0 && strcmp(e->name, "SparseVector") != 0) {
            return sonde__foreign_wrong(f, e->line, "expected Vector or SparseVector, found %s",
                                        e->name);
        }
        if (!read_vector(f, e, v)) {
            return false;
        }
    }
    if (n == 0) {
        return sonde__foreign_wrong(f, list->line, "AlphaVector: expected vectors");
    }
    /* one that was cut off, or put together, says so nowhere else */
    int64_t n_said = (int64_t)n;
    if (sonde__xml_attribute(list, "numVectors") != NULL &&
        !whole(f, list, "numVectors", 1, &n_said)) {
        return false;
    }
    return n_said == (int64_t)n ||
           sonde__foreign_wrong(f, list->line, "AlphaVector: numVectors says %lld, found %lld",
                                (long long)n_said, (long long)n);
}

static sonde_status read_xml(const sonde_source *source, const sonde_run *run, sonde_vectors *v,
                             sonde_error *error) {
    sonde__foreign f;
    sonde__foreign_open(&f, source->origin, run, error);
    const sonde__element *root = sonde__xml_read(&f, source);
    const bool good = root != NULL && read_policy(&f, root, v);
    sonde__pool_free(&f.pool);
    return good ? SONDE_OK : f.status;
}

/* Whether a text is XML: its first letter is <. */
static bool is_xml(const sonde_source *source) {
    size_t i = 0;
    while (i < source->size && isspace((unsigned char)source->data[i])) {
        i++;
    }
    return i < source->size && source->data[i] == '<';
}

sonde_status sonde_vectors_read(const sonde_source *source, const sonde_run *run,
                                sonde_vectors **vectors, sonde_error *error) {
    const sonde_run usual = sonde_run_defaults();
    sonde_vectors *v = NULL;
    sonde__pool pool = {0};
    char *slurped = NULL;
    sonde_source text = *source;
    *vectors = NULL;
    sonde_status status = source->data == NULL
                              ? sonde__json_slurp(source->origin, &slurped, &text.size, error)
                              : SONDE_OK;
    text.data = slurped != NULL ? slurped : source->data;
    text = status == SONDE_OK ? sonde__text_of(&text) : text;
    if (status == SONDE_OK) {
        v = SONDE__POOL_TAKE(&pool, sonde_vectors, 1);
        status = v != NULL ? SONDE_OK : sonde__fail_memory(error, "policy", sizeof *v);
    }
    if (status == SONDE_OK) {
        v->pool = pool;
        run = run != NULL ? run : &usual;
        status = is_xml(&text) ? read_xml(&text, run, v, error) : read_json(&text, run, v, error);
        pool = v->pool;
    }
    sonde__free(slurped);
    if (status != SONDE_OK) {
        sonde__pool_free(&pool);
        return status;
    }
    *vectors = v;
    return SONDE_OK;
}
