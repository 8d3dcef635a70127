/* summary_replay.c: tables of a replay, from its document.
 *
 *     subjects  a row for each subject: likelihood, mean probability, hits
 *     rows      how probable each action was; as CSV every row of the table, else the first ones */
#include <stdio.h>

#include "base/memory.h"
#include "summary/summary_document.h"

enum { N_SHOWN = 50 };

static const json_t *subjects_of(const sonde__reader *reader) {
    return json_object_get(reader->root, "subjects");
}

bool sonde__replay_check(sonde__reader *reader) {
    const json_t *subjects = subjects_of(reader);
    for (size_t i = 0; i < json_array_size(subjects); i++) {
        const json_t *one = json_array_get(subjects, i);
        if (!json_is_array(json_object_get(one, "steps"))) {
            return sonde__json_expected(reader, "subjects", "those of a replay with steps", one);
        }
    }
    return json_array_size(subjects) > 0
               ? true
               : sonde__json_expected(reader, "subjects", "those of a replay", subjects);
}

static sonde_status add_subjects(sonde__document *d) {
    static const char *const head[] = {"subject", "n",  "log-likelihood", "mean p", "hits",
                                       "AIC",     "BIC"};
    static const char *const key[] = {"n", "log_likelihood", "mean_p", "hits", "AIC", "BIC"};
    const json_t *subjects = subjects_of(&d->reader);
    sonde__grid grid = {.name = "subjects", .n_column = 7, .n_head = 1};
    sonde__grid list = {.name = "subjects", .n_column = 7, .n_head = 1};
    sonde__grid_heads(&grid, head, 7, 1);
    sonde__grid_heads(&list, head, 1, 1);
    sonde__grid_heads(&list, key, 6, 0);
    for (size_t i = 0; i < json_array_size(subjects); i++) {
        const json_t *one = json_array_get(subjects, i);
        sonde__grid_put(&grid, SONDE__LEFT, sonde__words_at(one, "subject"));
        sonde__grid_put(&list, SONDE__LEFT, sonde__words_at(one, "subject"));
        for (size_t k = 0; k < sizeof key / sizeof *key; k++) {
            sonde__grid_keyed(&grid, key[k], sonde__number_at(one, key[k]));
            sonde__grid_number(&list, sonde__number_at(one, key[k]));
        }
    }
    sonde__grid_text(&grid, d->text);
    return sonde__folder_table(&d->folder, &grid, &list);
}

/* An action by the names of its factors: "up/wait". */
static void put_action(const sonde__document *d, const json_t *action, sonde__grid *grid) {
    const json_t *factors = json_object_get(json_object_get(d->reader.root, "names"), "factors");
    sonde_text words = {0};
    for (size_t f = 0; f < json_array_size(action); f++) {
        const json_t *names = json_object_get(json_array_get(factors, f), "actions");
        const double number = sonde__item(action, f);
        const char *name = number >= 0.0 && number < (double)json_array_size(names)
                               ? json_string_value(json_array_get(names, (size_t)number))
                               : NULL;
        char digits[32];
        (void)snprintf(digits, sizeof digits, "%.0f", number);
        if (json_array_size(names) != 1) {
            sonde_text_add(&words, "%s%s", words.size > 0 ? "/" : "", name != NULL ? name : digits);
        }
    }
    sonde__grid_put(grid, SONDE__LEFT, words.data != NULL ? words.data : "");
    grid->words.failed = grid->words.failed || words.failed;
    sonde_text_free(&words);
}

static sonde_status add_rows(sonde__document *d) {
    static const char *const head[] = {"subject", "row", "episode", "step",
                                       "action",  "p",   "surprise"};
    static const char *const key[] = {"row", "episode", "t"};
    const json_t *subjects = subjects_of(&d->reader);
    sonde__grid grid = {.name = "rows", .n_column = 7, .n_head = 1};
    sonde__grid list = {.name = "rows", .n_column = 7, .n_head = 1};
    int32_t n_row = 0;
    sonde__grid_heads(&grid, head, 7, 1);
    sonde__grid_heads(&list, head, 7, 1);
    for (size_t i = 0; i < json_array_size(subjects); i++) {
        const json_t *subject = json_array_get(subjects, i);
        const json_t *steps = json_object_get(subject, "steps");
        for (size_t t = 0; t < json_array_size(steps); t++) {
            const json_t *step = json_array_get(steps, t);
            sonde__grid *const both[] = {&list, &grid};
            for (int32_t b = 0; b < (n_row < N_SHOWN ? 2 : 1); b++) {
                sonde__grid_put(both[b], SONDE__LEFT, sonde__words_at(subject, "subject"));
                for (size_t k = 0; k < sizeof key / sizeof *key; k++) {
                    sonde__grid_number(both[b], sonde__number_at(step, key[k]));
                }
                put_action(d, json_object_get(step, "action"), both[b]);
            }
            sonde__grid_number(&list, sonde__number_at(step, "p"));
            sonde__grid_number(&list, sonde__number_at(step, "surprise"));
            if (n_row++ < N_SHOWN) {
                sonde__grid_short(&grid, sonde__number_at(step, "p"));
                sonde__grid_short(&grid, sonde__number_at(step, "surprise"));
            }
        }
    }
    return sonde__folder_table(&d->folder, &grid, &list);
}

sonde_status sonde__replay_tables(sonde__document *document) {
    const sonde_status status = add_subjects(document);
    return status == SONDE_OK ? add_rows(document) : status;
}
