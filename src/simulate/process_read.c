/* process_read.c: a world that may change: a model document with a schedule (docs/formats.md).
 *
 *     "schedule": [{"from": {"step": 100}, "A": [...], "B": [...]}, {"from": {"episode": 5}, ...}]
 *
 * Each entry is read as a whole model: the one before it, with other arrays in their place. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/name.h"
#include "simulate/process.h"
#include "simulate/scene.h"

static const char *entry_key(int32_t i) {
    static const char *const list[] = {"from", "A", "B", NULL};
    return list[i];
}

/* a process while it is read */
typedef struct {
    sonde__reader *reader;
    const sonde_run *run;
    sonde_stage *process;
    json_t *schedule;
} reading;

/* The model that the document is now. */
static sonde_status read_model(const reading *r, sonde_model **model) {
    sonde_text text = {0};
    sonde__json_write(r->reader->root, JSON_REAL_PRECISION(17) | JSON_COMPACT, &text);
    const sonde_source source = {r->reader->origin, text.data, text.size};
    const sonde_status status =
        text.failed ? sonde__fail_memory(r->reader->error, r->reader->origin, text.size)
                    : sonde_model_read(&source, NULL, r->run, model, r->reader->error);
    sonde_text_free(&text);
    return status;
}

/* Puts the arrays of an entry in the place of the document's; null ones stay. */
static bool replace(const reading *r, const json_t *entry, int32_t i, const char *letter) {
    const json_t *given = json_object_get(entry, letter);
    json_t *now = json_object_get(r->reader->root, letter);
    if (given == NULL || json_is_null(given)) {
        return true;
    }
    const sonde__path path = sonde__at("schedule[%d].%s", i, letter);
    if (!json_is_array(given) || json_array_size(given) != json_array_size(now)) {
        return sonde__json_expected(
            r->reader, path.text,
            sonde__at("a list of %zu arrays, or null where one stays", json_array_size(now)).text,
            given);
    }
    for (size_t k = 0; k < json_array_size(given); k++) {
        if (!json_is_null(json_array_get(given, k))) {
            (void)json_array_set(now, k, json_array_get(given, k));
        }
    }
    return true;
}

/* {"step": N} or {"episode": N}. */
static bool read_from(const reading *r, json_t *from, int32_t i, sonde__turn *change) {
    const sonde__path path = sonde__at("schedule[%d].from", i);
    int32_t number = 0;
    const json_t *episode = json_object_get(from, "episode");
    const json_t *value = episode != NULL ? episode : json_object_get(from, "step");
    if (json_object_size(from) != 1 || value == NULL) {
        static const char *const key[] = {"step", "episode"};
        const char *found = json_object_iter_key(json_object_iter(from));
        const char *near = found != NULL ? sonde__name_nearest(key, 2, found) : NULL;
        return value == NULL && near != NULL
                   ? sonde__json_wrong(
                         r->reader,
                         "%s: expected step or episode, found \"%s\"; did you mean \"%s\"?",
                         path.text, found, near)
                   : sonde__json_expected(r->reader, path.text, "{\"step\": N} or {\"episode\": N}",
                                          from);
    }
    change->by_episode = episode != NULL;
    if (!sonde__json_whole(r->reader, path.text, value, 0, INT32_MAX, &number)) {
        return false;
    }
    change->from = number;
    for (int32_t k = 0; k < i; k++) {
        const sonde__turn *before = &r->process->change[k];
        if (before->by_episode == change->by_episode && before->from > change->from) {
            return sonde__json_wrong(r->reader,
                                     "%s: expected changes in their order, found %d after %d",
                                     path.text, number, (int)before->from);
        }
    }
    return true;
}

static bool read_entry(const reading *r, int32_t i) {
    const json_t *entry = json_array_get(r->schedule, (size_t)i);
    const sonde__path path = sonde__at("schedule[%d]", i);
    sonde__turn *change = &r->process->change[i];
    if (!json_is_object(entry)) {
        return sonde__json_expected(r->reader, path.text, "an object", entry);
    }
    if (!sonde__json_keys_at(r->reader, path.text, entry, entry_key) ||
        !read_from(r, json_object_get(entry, "from"), i, change) || !replace(r, entry, i, "A") ||
        !replace(r, entry, i, "B")) {
        return false;
    }
    r->process->n_change = i + 1;
    sonde_error why = {0};
    sonde_error *error = r->reader->error;
    r->reader->error = &why;
    r->reader->status = read_model(r, &change->model);
    r->reader->error = error;
    return r->reader->status == SONDE_OK ||
           sonde__fail(error, r->reader->status, "%s: %s: %s", r->reader->origin, path.text,
                       why.text) == SONDE_OK;
}

static bool read_schedule(reading *r) {
    if (!json_is_array(r->schedule)) {
        return sonde__json_expected(r->reader, "schedule", "a list of changes", r->schedule);
    }
    const size_t n = json_array_size(r->schedule);
    r->process->change = SONDE__POOL_TAKE(&r->process->pool, sonde__turn, n + 1);
    if (r->process->change == NULL) {
        r->reader->status = sonde__fail_memory(r->reader->error, r->reader->origin, n);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!read_entry(r, (int32_t)i)) {
            return false;
        }
    }
    return true;
}

/* A document with a schedule. */
static sonde_status read_changing(const sonde_source *source, const sonde_run *run,
                                  sonde_stage *process, sonde_error *error) {
    sonde__reader reader = {0};
    reading r = {.reader = &reader, .run = run, .process = process};
    sonde_status status = sonde__json_parse(&reader, source, error);
    if (status != SONDE_OK) {
        return status;
    }
    r.schedule = json_incref(json_object_get(reader.root, "schedule"));
    (void)json_object_del(reader.root, "schedule");
    status = read_model(&r, &process->model);
    if (status == SONDE_OK) {
        status = read_schedule(&r) ? SONDE_OK : reader.status;
    }
    json_decref(r.schedule);
    sonde__json_close(&reader);
    return status;
}

/* Whether a text is a JSON object with a schedule. */
static bool has_schedule(const char *data, size_t size) {
    const char *end = data + size;
    const char *at = size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? data + 3 : data;
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) {
        at++;
    }
    static const char word[] = "\"schedule\"";
    const size_t n = sizeof word - 1;
    bool found = false;
    for (const bool object = at < end && *at == '{'; object && !found && at + n <= end; at++) {
        found = memcmp(at, word, n) == 0; /* the text may end without a NUL */
    }
    return found;
}

sonde_status sonde_stage_read(const sonde_source *source, const sonde_run *run,
                              sonde_stage **process, sonde_error *error) {
    char *data = NULL;
    size_t size = 0;
    sonde_status status = SONDE_OK;
    sonde_stage *made = sonde__alloc(sizeof *made);
    if (made == NULL) {
        return sonde__fail_memory(error, "process", sizeof *made);
    }
    sonde_source given = *source;
    if (source->data == NULL) {
        status = sonde__json_slurp(source->origin, &data, &size, error);
        given = (sonde_source){.data = data, .size = size};
        given.origin = strcmp(source->origin, "-") == 0 ? "standard input" : source->origin;
    }
    if (status == SONDE_OK) {
        status = has_schedule(given.data, given.size)
                     ? read_changing(&given, run, made, error)
                     : sonde_model_read(&given, NULL, run, &made->model, error);
    }
    sonde__free(data);
    if (status != SONDE_OK) {
        sonde_stage_free(made);
        return status;
    }
    *process = made;
    return SONDE_OK;
}

void sonde_stage_free(sonde_stage *process) {
    if (process != NULL) {
        for (int32_t i = 0; i < process->n_change; i++) {
            sonde_model_free(process->change[i].model);
        }
        sonde_model_free(process->model);
        sonde__pool_free(&process->pool);
        sonde__free(process);
    }
}

const sonde_model *sonde_stage_model(const sonde_stage *process, int64_t step, int64_t episode) {
    const sonde_model *model = process->model;
    for (int32_t i = 0; i < process->n_change; i++) {
        const sonde__turn *change = &process->change[i];
        if ((change->by_episode ? episode : step) < change->from) {
            break;
        }
        model = change->model;
    }
    return model;
}

bool sonde_stage_change(const sonde_stage *process, int32_t i, sonde_change *change) {
    if (process->model == NULL || i < 0 || i > process->n_change) {
        return false;
    }
    const sonde__turn *turn = i > 0 ? &process->change[i - 1] : NULL;
    *change = (sonde_change){.from = turn != NULL ? turn->from : 0,
                             .by_episode = turn != NULL && turn->by_episode,
                             .process = turn != NULL ? turn->model : process->model};
    return true;
}
