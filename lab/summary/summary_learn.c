/* summary_learn.c: tables of a run of an agent that learns, from the document of sonde simulate.
 *
 *     learned   every array: updates, what was added, and how far it came
 *     curve     what was done and how well it went, in ten parts; as CSV every step
 *     counts    counts that changed, at first and at last; as CSV at every moment
 *     kl        how far arrays have come, at up to eleven moments; as CSV at every moment */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "summary/summary_document.h"

enum { N_PART = 10, N_SHOWN = 100, N_WIDE = 12 };

static const json_t *history_of(const sonde__document *d) {
    return json_object_get(d->reader.root, "history");
}

static const json_t *arrays_of(const sonde__document *d) {
    return json_object_get(history_of(d), "arrays");
}

bool sonde__learn_check(sonde__reader *reader) {
    const json_t *history = json_object_get(reader->root, "history");
    return json_is_array(json_object_get(history, "arrays"))
               ? true
               : sonde__json_wrong(reader, "expected a run of an agent that learns (sonde simulate "
                                           "--learn), found one of an agent that does not");
}

/* --------------------------------------------------------------------------- what it came to -- */

static sonde_status add_learned(sonde__document *d) {
    static const char *const head[] = {"array",          "updates",
                                       "counts added",   "not added to zeros",
                                       "grown on zeros", "nats from first"};
    static const char *const plain[] = {"array", "updates", "added", "masked", "grown", "kl"};
    static const char *const key[] = {"updates", "added", "masked", "grown", "kl"};
    static const char *const letter[] = {"A", "B", "C", "D", "E"};
    sonde__grid grid = {.name = "learned", .n_column = 6, .n_head = 1};
    sonde__grid list = {.name = "learned", .n_column = 6, .n_head = 1};
    sonde__grid_heads(&grid, head, 6, 1);
    sonde__grid_heads(&list, plain, 6, 1);
    for (size_t l = 0; l < 5; l++) {
        const json_t *all = json_object_get(json_object_get(d->reader.root, "learned"), letter[l]);
        for (size_t i = 0; i < json_array_size(all); i++) {
            const json_t *one = json_array_get(all, i);
            char name[32];
            (void)snprintf(name, sizeof name, l < 4 ? "%s[%zu]" : "%s", letter[l], i);
            if (!json_is_object(one)) {
                continue;
            }
            sonde__grid_put(&grid, SONDE__LEFT, name);
            sonde__grid_put(&list, SONDE__LEFT, name);
            for (size_t k = 0; k < sizeof key / sizeof *key; k++) {
                sonde__grid_keyed(&grid, key[k], sonde__number_at(one, key[k]));
                sonde__grid_number(&list, sonde__number_at(one, key[k]));
            }
        }
    }
    sonde__grid_text(&grid, d->text);
    return sonde__folder_table(&d->folder, &grid, &list);
}

/* --------------------------------------------------------------------------------- the curve -- */

/* Sums over some of what was lived. */
typedef struct {
    int64_t n;
    double preference;
    double surprise;
} sums;

static void add_step(const json_t *episode, size_t t, sums *to) {
    to->n++;
    to->preference += sonde__item(json_object_get(episode, "preference"), t);
    to->surprise += sonde__item(json_object_get(episode, "surprise"), t);
}

static void put_action(const sonde__document *d, double action, sonde__grid *grid) {
    const json_t *names = json_object_get(history_of(d), "actions");
    const char *name = action >= 0.0 && action < (double)json_array_size(names)
                           ? json_string_value(json_array_get(names, (size_t)action))
                           : NULL;
    char number[32];
    (void)snprintf(number, sizeof number, "%.0f", action);
    sonde__grid_put(grid, SONDE__LEFT, name != NULL ? name : number);
}

/* Every step as a row. */
static void list_steps(const sonde__document *d, const json_t *episodes, sonde__grid *list) {
    static const char *const head[] = {"episode", "step", "action", "preference", "surprise"};
    sonde__grid_heads(list, head, 5, 0);
    for (size_t e = 0; e < json_array_size(episodes); e++) {
        const json_t *episode = json_array_get(episodes, e);
        const json_t *action = json_object_get(episode, "action");
        for (size_t t = 0; t < json_array_size(action); t++) {
            sonde__grid_number(list, (double)e);
            sonde__grid_number(list, (double)t);
            put_action(d, sonde__item(action, t), list);
            sonde__grid_number(list, sonde__item(json_object_get(episode, "preference"), t));
            sonde__grid_number(list, sonde__item(json_object_get(episode, "surprise"), t));
        }
    }
}

/* Tenths of the episodes; of the steps where there is one. */
static sonde_status add_curve(sonde__document *d) {
    const json_t *episodes = json_object_get(history_of(d), "episodes");
    const bool one = json_array_size(episodes) == 1;
    const json_t *first = json_array_get(episodes, 0);
    const size_t n =
        one ? json_array_size(json_object_get(first, "action")) : json_array_size(episodes);
    const char *const head[] = {one ? "steps" : "episodes", one ? "mean preference" : "mean return",
                                one ? "mean surprise" : "mean surprise of all steps"};
    sonde__grid grid = {.name = "curve", .n_column = 3, .n_head = 1};
    sonde__grid list = {.name = "curve", .n_column = 5, .n_head = 1};
    const size_t n_part = n < N_PART ? n : N_PART;
    sonde__grid_heads(&grid, head, 3, 1);
    list_steps(d, episodes, &list);
    for (size_t k = 0; k < n_part; k++) {
        const size_t from = k * n / n_part;
        const size_t to = (k + 1) * n / n_part;
        sums sum = {0};
        char name[64];
        for (size_t i = from; i < to; i++) {
            const json_t *episode = one ? first : json_array_get(episodes, i);
            const size_t n_step = json_array_size(json_object_get(episode, "action"));
            for (size_t t = one ? i : 0; t < (one ? i + 1 : n_step); t++) {
                add_step(episode, t, &sum);
            }
        }
        (void)snprintf(name, sizeof name, to - from > 1 ? "%zu to %zu" : "%zu", from + 1, to);
        sonde__grid_put(&grid, SONDE__LEFT, name);
        sonde__grid_short(&grid, sum.preference / (double)(to - from));
        sonde__grid_short(&grid, sum.n > 0 ? sum.surprise / (double)(to - from) : (double)NAN);
    }
    return sonde__folder_table(&d->folder, &grid, &list);
}

/* ------------------------------------------------------------------------------------ counts -- */

/* One array of the history. */
typedef struct {
    const char *name;
    const json_t *rows;
    const json_t *columns;
    const json_t *counts; /* a list for each moment, or NULL */
    const json_t *first;  /* of a large array all counts at first; the lists have those that */
    size_t *place;        /* changed, each at place[k] - 1, or nowhere: 0. (n) or NULL */
    size_t n_moment;
    size_t n_column;
    size_t n; /* counts at each moment */
} array;

static array array_of(const json_t *one) {
    array a = {.name = sonde__words_at(one, "array"),
               .rows = json_object_get(one, "rows"),
               .columns = json_object_get(one, "columns"),
               .counts = json_object_get(one, "counts"),
               .first = json_object_get(one, "first")};
    const json_t *entries = json_object_get(one, "entries");
    a.n_moment = json_array_size(a.counts);
    a.n_column = json_array_size(a.columns) > 0 ? json_array_size(a.columns) : 1;
    a.n = a.n_column * json_array_size(a.rows);
    a.place = a.first != NULL && a.n > 0 ? sonde__alloc(a.n * sizeof *a.place) : NULL;
    for (size_t i = 0; a.place != NULL && i < json_array_size(entries); i++) {
        const double k = sonde__item(entries, i);
        if (k >= 0.0 && k < (double)a.n) {
            a.place[(size_t)k] = i + 1;
        }
    }
    return a;
}

static double count_at(const array *a, size_t moment, size_t k) {
    const size_t place = a->place != NULL ? a->place[k] : k + 1;
    return place > 0 ? sonde__item(json_array_get(a->counts, moment), place - 1)
                     : sonde__item(a->first, k);
}

/* The share of a count in its column. */
static double share_at(const array *a, size_t moment, size_t k) {
    double sum = 0.0;
    for (size_t i = k % a->n_column; i < a->n; i += a->n_column) {
        sum += count_at(a, moment, i);
    }
    return count_at(a, moment, k) / sum;
}

static void put_place(const array *a, size_t k, sonde__grid *grid) {
    const char *row = json_string_value(json_array_get(a->rows, k / a->n_column));
    const char *column = json_string_value(json_array_get(a->columns, k % a->n_column));
    sonde__grid_put(grid, SONDE__LEFT, a->name);
    sonde__grid_put(grid, SONDE__LEFT, row != NULL ? row : "");
    sonde__grid_put(grid, SONDE__LEFT, column != NULL ? column : "");
}

/* The counts of an array that changed, and all of them at all moments. */
static void put_counts(const array *a, int32_t *n_shown, sonde__grid *grid, sonde__grid *list) {
    for (size_t k = 0; k < a->n; k++) {
        const double before = count_at(a, 0, k);
        const double after = count_at(a, a->n_moment - 1, k);
        if (before != after && *n_shown < N_SHOWN) {
            ++*n_shown;
            put_place(a, k, grid);
            sonde__grid_short(grid, before);
            sonde__grid_short(grid, after);
            sonde__grid_short(grid, share_at(a, 0, k));
            sonde__grid_short(grid, share_at(a, a->n_moment - 1, k));
        }
        const bool told = a->place == NULL || a->place[k] > 0;
        for (size_t moment = 0; told && moment < a->n_moment; moment++) {
            put_place(a, k, list);
            sonde__grid_number(list, (double)moment);
            sonde__grid_number(list, count_at(a, moment, k));
        }
    }
}

static sonde_status add_counts(sonde__document *d) {
    static const char *const head[] = {"array",   "row",        "column",   "first",
                                       "at last", "first mean", "last mean"};
    const char *const plain[] = {"array", "row", "column", sonde__words_at(history_of(d), "by"),
                                 "count"};
    sonde__grid grid = {.name = "counts", .n_column = 7, .n_head = 1};
    sonde__grid list = {.name = "counts", .n_column = 5, .n_head = 1};
    const json_t *arrays = arrays_of(d);
    int32_t n_shown = 0;
    sonde__grid_heads(&grid, head, 7, 3);
    sonde__grid_heads(&list, plain, 5, 3);
    for (size_t i = 0; i < json_array_size(arrays); i++) {
        const array a = array_of(json_array_get(arrays, i));
        if (a.n_moment > 0 && (a.place != NULL || a.first == NULL)) {
            put_counts(&a, &n_shown, &grid, &list);
        }
        sonde__free(a.place);
    }
    return sonde__folder_table(&d->folder, &grid, &list);
}

/* How far each array had come at some moments, and at all. */
static sonde_status add_kl(sonde__document *d) {
    const json_t *arrays = arrays_of(d);
    const size_t n = json_array_size(json_object_get(json_array_get(arrays, 0), "kl"));
    const size_t n_array = json_array_size(arrays);
    const size_t n_wide = n_array < N_WIDE ? n_array : N_WIDE;
    const size_t n_part = n - 1 < N_PART ? n - 1 : N_PART;
    const char *by = sonde__words_at(history_of(d), "by");
    const char *const plain[] = {by, "array", "kl"};
    sonde__grid grid = {.name = "kl", .n_column = (int32_t)n_wide + 1, .n_head = 1};
    sonde__grid list = {.name = "kl", .n_column = 3, .n_head = 1};
    sonde__grid_heads(&grid, &by, 1, 0);
    sonde__grid_heads(&list, plain, 3, 0);
    for (size_t i = 0; i < n_wide; i++) {
        sonde__grid_put(&grid, 0, sonde__words_at(json_array_get(arrays, i), "array"));
    }
    for (size_t k = 0; n > 1 && k <= n_part; k++) {
        const size_t moment = k * (n - 1) / n_part;
        sonde__grid_integer(&grid, 0, (int64_t)moment);
        for (size_t i = 0; i < n_wide; i++) {
            sonde__grid_short(
                &grid, sonde__item(json_object_get(json_array_get(arrays, i), "kl"), moment));
        }
    }
    for (size_t moment = 0; moment < n; moment++) {
        for (size_t i = 0; i < n_array; i++) {
            const json_t *one = json_array_get(arrays, i);
            sonde__grid_number(&list, (double)moment);
            sonde__grid_put(&list, SONDE__LEFT, sonde__words_at(one, "array"));
            sonde__grid_number(&list, sonde__item(json_object_get(one, "kl"), moment));
        }
    }
    return sonde__folder_table(&d->folder, &grid, &list);
}

sonde_status sonde__learn_tables(sonde__document *document) {
    sonde_status status = add_learned(document);
    status = status == SONDE_OK ? add_curve(document) : status;
    status = status == SONDE_OK ? add_counts(document) : status;
    return status == SONDE_OK ? add_kl(document) : status;
}
