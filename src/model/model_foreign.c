/* model_foreign.c: what readers of other formats have in common.
 *
 * Both formats are of rewards: C is 0 and counts linearly, what is learned counts nothing, and what
 * an action brings is its cost, with another sign. */
#include "model/model_foreign.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "base/shown.h"
#include "base/status.h"
#include "model/model_internal.h"

bool sonde__foreign_wrong(sonde__foreign *f, int32_t line, const char *format, ...) {
    char sentence[768];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (f->status == SONDE_OK) {
        f->status = sonde__fail(f->error, SONDE_BAD_INPUT, "%s: line %d: %s", f->origin, (int)line,
                                sentence);
    }
    return false;
}

bool sonde__foreign_afford(sonde__foreign *f, uint64_t n, size_t size) {
    if (f->status != SONDE_OK) {
        return false;
    }
    f->bytes = sonde__add(f->bytes, sonde__multiply(n, size));
    char what[768];
    (void)snprintf(what, sizeof what, "%.*s: states, actions and observations",
                   sonde__cut(f->origin, 700), f->origin);
    f->status = sonde__check_memory(&f->run, f->bytes, what, "allow more memory", f->error);
    return f->status == SONDE_OK;
}

void *sonde__foreign_take(sonde__foreign *f, uint64_t n, size_t size) {
    void *piece = sonde__foreign_afford(f, n, size) ? sonde__pool_take(&f->pool, n, size) : NULL;
    if (piece == NULL && f->status == SONDE_OK) {
        f->status = sonde__fail_memory(f->error, f->origin, sonde__multiply(n, size));
    }
    return piece;
}

const char *sonde__foreign_word(sonde__foreign *f, const char *letters, size_t n) {
    char *word = sonde__foreign_take(f, n + 1, 1);
    if (word != NULL && n > 0) {
        memcpy(word, letters, n);
    }
    return word;
}

/* ------------------------------------------------------------------------------------- words -- */

static int compare(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

bool sonde__words_sort(sonde__foreign *f, sonde__words *words, const char *what, int32_t line) {
    if (words->name == NULL) {
        return true;
    }
    /* pairs of a name and its place, sorted by the name */
    typedef struct {
        const char *name;
        int32_t place;
    } pair;
    const uint64_t n = (uint64_t)words->n;
    pair *pairs = sonde__foreign_take(f, n, sizeof *pairs);
    words->order = sonde__foreign_take(f, n, sizeof *words->order);
    if (pairs == NULL || words->order == NULL) {
        return false;
    }
    for (int32_t i = 0; i < words->n; i++) {
        pairs[i] = (pair){words->name[i], i};
    }
    qsort(pairs, (size_t)n, sizeof *pairs, compare);
    for (int32_t i = 0; i < words->n; i++) {
        words->order[i] = pairs[i].place;
        if (i > 0 && strcmp(pairs[i - 1].name, pairs[i].name) == 0) {
            return sonde__foreign_wrong(f, line,
                                        "the %s \"%.*s\" is there twice; give each a name of its "
                                        "own",
                                        what, sonde__cut(pairs[i].name, 60), pairs[i].name);
        }
    }
    return true;
}

int32_t sonde__words_find(const sonde__words *words, const char *word) {
    if (word[0] >= '0' && word[0] <= '9') {
        char *end = NULL;
        const long number = strtol(word, &end, 10);
        if (*end == '\0' && number >= 0 && number < words->n) {
            return (int32_t)number;
        }
    }
    int32_t from = 0;
    int32_t to = words->name != NULL ? words->n : 0;
    while (from < to) {
        const int32_t middle = from + (to - from) / 2;
        const int which = strcmp(words->name[words->order[middle]], word);
        if (which == 0) {
            return words->order[middle];
        }
        from = which < 0 ? middle + 1 : from;
        to = which < 0 ? to : middle;
    }
    return -1;
}

bool sonde__words_miss(sonde__foreign *f, const sonde__words *words, const char *what,
                       const char *word, int32_t line) {
    const bool number = word[0] >= '0' && word[0] <= '9';
    const char *nearest =
        words->name != NULL && !number ? sonde__name_nearest(words->name, words->n, word) : NULL;
    const int cut = sonde__cut(word, 60);
    if (nearest != NULL) {
        return sonde__foreign_wrong(f, line, "there is no %s \"%.*s\"; did you mean \"%.*s\"?",
                                    what, cut, word, sonde__cut(nearest, 60), nearest);
    }
    return sonde__foreign_wrong(
        f, line, "there is no %s \"%.*s\"; expected a number from 0 to %d%s", what, cut, word,
        (int)words->n - 1, words->name != NULL ? " or a name" : "");
}

/* ------------------------------------------------------------------------------------ arrays -- */

static bool set_axes(sonde__foreign *f, sonde_array *array, int32_t n_axis, const int64_t *size) {
    int64_t *axes = sonde__foreign_take(f, (uint64_t)n_axis, sizeof *axes);
    if (axes != NULL) {
        memcpy(axes, size, (size_t)n_axis * sizeof *axes);
        *array = (sonde_array){.n_axis = n_axis, .size = axes};
    }
    return axes != NULL;
}

double *sonde__foreign_array(sonde__foreign *f, sonde_array *array, int32_t n_axis,
                             const int64_t *size) {
    uint64_t n = 1;
    for (int32_t a = 0; a < n_axis; a++) {
        n = sonde__multiply(n, (uint64_t)size[a]);
    }
    double *value =
        set_axes(f, array, n_axis, size) ? sonde__foreign_take(f, n, sizeof *value) : NULL;
    array->value = value;
    return value;
}

bool sonde__entries_open(sonde__entries *e, sonde__foreign *f, sonde_array *array, int32_t n_axis,
                         const int64_t *size) {
    *e = (sonde__entries){.file = f, .array = array};
    return set_axes(f, array, n_axis, size);
}

/* Twice the room. */
static bool grow(sonde__entries *e) {
    const int64_t most = e->most > 0 ? 2 * e->most : 64;
    const size_t each = (size_t)e->array->n_axis * sizeof *e->index;
    if (!sonde__foreign_afford(e->file, (uint64_t)(most - e->most), each + sizeof *e->entry)) {
        return false;
    }
    int64_t *index = sonde__resize(e->index, (size_t)most * each);
    e->index = index != NULL ? index : e->index;
    double *entry = index != NULL ? sonde__resize(e->entry, (size_t)most * sizeof *entry) : NULL;
    e->entry = entry != NULL ? entry : e->entry;
    if (entry == NULL) {
        e->file->status =
            sonde__fail_memory(e->file->error, e->file->origin, (uint64_t)most * each);
        return false;
    }
    e->most = most;
    return true;
}

bool sonde__entries_add(sonde__entries *e, const int64_t *index, double value) {
    sonde_array *array = e->array;
    if (array->n_entry == e->most && !grow(e)) {
        return false;
    }
    const size_t n_axis = (size_t)array->n_axis;
    memcpy(e->index + (size_t)array->n_entry * n_axis, index, n_axis * sizeof *index);
    e->entry[array->n_entry++] = value;
    array->index = e->index;
    array->entry = e->entry;
    return true;
}

void sonde__entries_close(sonde__entries *e) {
    sonde__free(e->index);
    sonde__free(e->entry);
    *e = (sonde__entries){0};
}

/* -------------------------------------------------------------------------------- all of it -- */

bool sonde__foreign_sums(double sum) {
    return fabs(sum - 1.0) <= 1e-5;
}

void sonde__foreign_open(sonde__foreign *f, const char *origin, const sonde_run *run,
                         sonde_error *error) {
    *f = (sonde__foreign){.origin = origin,
                          .error = error,
                          .run = sonde__run_settle(run),
                          .parts = sonde_parts_defaults()};
    f->parts.settings.horizon = 1;
    f->parts.settings.preferences = SONDE_PREFERENCES_UTILITY;
    f->parts.settings.information = SONDE_INFORMATION_OFF;
}

sonde_status sonde__foreign_close(sonde__foreign *f, const sonde_model_settings *settings,
                                  sonde_model **model) {
    if (f->status == SONDE_OK) {
        f->status = sonde__settings_apply(settings, &f->parts, f->error);
    }
    if (f->status == SONDE_OK) {
        const sonde_run run = sonde__run_less(&f->run, f->bytes);
        f->status = sonde__model_make(&f->parts, NULL, f->origin, &run, model, f->error);
    }
    sonde__pool_free(&f->pool);
    return f->status;
}
