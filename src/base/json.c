/* json.c: strict reading on top of jansson.
 *
 * jansson rejects duplicate keys, NaN and numbers out of range and knows their line; what is
 * checked later knows its path. Everything is read into memory first, through zlib, which passes
 * plain files on as they are. */
#include "base/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/plain.h"
#include "base/shown.h"

#define DOCUMENT_MAX ((size_t)1 << 30)

sonde__path sonde__at(const char *format, ...) {
    sonde__path path;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(path.text, sizeof path.text, format, arguments);
    va_end(arguments);
    return path;
}

/* The first failure is the one that is told. */
static bool fail(sonde__reader *reader, sonde_status status) {
    reader->status = reader->status == SONDE_OK ? status : reader->status;
    return false;
}

bool sonde__json_wrong(sonde__reader *reader, const char *format, ...) {
    char sentence[768];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return fail(reader,
                sonde__fail(reader->error, SONDE_BAD_INPUT, "%s: %s", reader->origin, sentence));
}

bool sonde__json_expected(sonde__reader *reader, const char *path, const char *expected,
                          const json_t *found) {
    char *shown = found != NULL ? json_dumps(found, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    const char *text = found == NULL ? "nothing" : shown != NULL ? shown : "something else";
    const bool cut = strlen(text) > 60;
    (void)sonde__json_wrong(reader, "%s: expected %s, found %.*s%s", path, expected,
                            sonde__cut(text, 60), text, cut ? "..." : "");
    /* jansson made the text, so jansson's function frees it */
    json_malloc_t get = NULL;
    json_free_t give = NULL;
    json_get_alloc_funcs(&get, &give);
    if (shown != NULL) {
        give(shown);
    }
    return false;
}

/* `place` is "" or ends in ": ". */
static bool unknown_key(sonde__reader *reader, const char *place, const char *found,
                        const char *nearest) {
    return nearest != NULL
               ? sonde__json_wrong(reader, "%sunknown key \"%.*s\"; did you mean \"%s\"?", place,
                                   sonde__cut(found, 60), found, nearest)
               : sonde__json_wrong(reader,
                                   "%sunknown key \"%.*s\"; leave it out, or read the document "
                                   "with a later sonde that knows it",
                                   place, sonde__cut(found, 60), found);
}

bool sonde__json_keys_at(sonde__reader *reader, const char *path, const json_t *object,
                         const char *(*key)(int32_t)) {
    for (void *at = json_object_iter((json_t *)object); at != NULL;
         at = json_object_iter_next((json_t *)object, at)) {
        const char *found = json_object_iter_key(at);
        if (sonde_name_find(key, found) < 0) {
            const sonde__path place = sonde__at("%s%s", path, path[0] != '\0' ? ": " : "");
            return unknown_key(reader, place.text, found, sonde_name_nearest(key, found));
        }
    }
    return true;
}

bool sonde__json_keys(sonde__reader *reader, const json_t *object, const char *(*key)(int32_t)) {
    return sonde__json_keys_at(reader, "", object, key);
}

bool sonde__json_format(sonde__reader *reader, const char *format, int32_t version) {
    if (!json_is_object(reader->root)) {
        return sonde__json_expected(reader, "document", "an object { ... }", reader->root);
    }
    const json_t *found = json_object_get(reader->root, "format");
    const char *text = json_string_value(found);
    if (text == NULL || strcmp(text, format) != 0) {
        return sonde__json_expected(reader, "format", sonde__at("\"%s\"", format).text, found);
    }
    const json_t *number = json_object_get(reader->root, "version");
    if (json_is_integer(number) && json_integer_value(number) > version) {
        return sonde__json_wrong(reader,
                                 "version: expected %d, found %lld; it was made for a later sonde: "
                                 "read it with that one",
                                 version, (long long)json_integer_value(number));
    }
    if (!json_is_integer(number) || json_integer_value(number) != version) {
        return sonde__json_expected(reader, "version", sonde__at("%d", version).text, number);
    }
    return true;
}

bool sonde__json_whole(sonde__reader *reader, const char *path, const json_t *value, int64_t least,
                       int64_t most, int32_t *out) {
    if (!json_is_integer(value) || json_integer_value(value) < least ||
        json_integer_value(value) > most) {
        const sonde__path range =
            sonde__at("a whole number from %lld to %lld", (long long)least, (long long)most);
        return sonde__json_expected(reader, path, range.text, value);
    }
    *out = (int32_t)json_integer_value(value);
    return true;
}

bool sonde__json_number(sonde__reader *reader, const char *path, const json_t *value, double least,
                        double *out) {
    if (!json_is_number(value) || !(json_number_value(value) >= least)) {
        return sonde__json_expected(reader, path, sonde__at("a number of %g or more", least).text,
                                    value);
    }
    *out = json_number_value(value);
    return true;
}

/* the text of a document on its way to jansson, without the numbers that were taken out */
typedef struct {
    const sonde__reader *reader;
    const sonde_source *source;
    size_t at;    /* in the text */
    int32_t next; /* numbers to come */
} rest;

/* Hands on the next stretch of text, or [] for numbers. */
static size_t hand_on(void *buffer, size_t size, void *user) {
    rest *r = user;
    const sonde__numbers *numbers =
        r->next < r->reader->n_numbers ? &r->reader->numbers[r->next] : NULL;
    if (numbers != NULL && r->at == numbers->from && size >= 2) {
        memcpy(buffer, "[]", 2);
        r->at = numbers->to;
        r->next++;
        return 2;
    }
    const size_t end = numbers != NULL ? numbers->from : r->source->size;
    const size_t n = end - r->at < size ? end - r->at : size;
    memcpy(buffer, r->source->data + r->at, n);
    r->at += n;
    return n;
}

/* Where in the text something stands that jansson found after so many bytes. */
static size_t place_in_text(const sonde__reader *reader, size_t position) {
    for (int32_t i = 0; i < reader->n_numbers && position > reader->numbers[i].from; i++) {
        const size_t taken = reader->numbers[i].to - reader->numbers[i].from;
        position = position + taken - (taken < 2 ? taken : 2);
    }
    return position;
}

int32_t sonde__json_line(const sonde_source *source, size_t at, int32_t *column) {
    int32_t line = 1;
    *column = 0;
    for (size_t i = 0; i < at && i < source->size; i++) {
        const bool ends = source->data[i] == '\n';
        const bool continues = ((unsigned char)source->data[i] & 0xC0) == 0x80;
        line += ends;
        *column = ends ? 0 : *column + !continues;
    }
    return line;
}

/* Lets jansson read what is left of the document. */
static sonde_status load(sonde__reader *reader, const sonde_source *source, sonde_error *error) {
    json_error_t where;
    rest r = {.reader = reader, .source = source};
    reader->root = reader->n_numbers > 0
                       ? json_load_callback(hand_on, &r, JSON_REJECT_DUPLICATES, &where)
                       : json_loadb(source->data, source->size, JSON_REJECT_DUPLICATES, &where);
    if (reader->root != NULL) {
        return SONDE_OK;
    }
    /* a parser that could not even begin has no line */
    if (json_error_code(&where) == json_error_out_of_memory || where.line < 0) {
        return sonde__fail_memory(error, source->origin, source->size);
    }
    if (reader->n_numbers > 0 && where.position >= 0) {
        where.line =
            sonde__json_line(source, place_in_text(reader, (size_t)where.position), &where.column);
    }
    return sonde__fail(error, SONDE_BAD_INPUT, "%s: line %d, column %d: %s", source->origin,
                       where.line, where.column, where.text);
}

sonde_status sonde__json_parse_numbers(sonde__reader *reader, const sonde_source *source,
                                       const char *(*key)(int32_t), uint64_t memory,
                                       sonde_error *error) {
    *reader = (sonde__reader){.origin = source->origin, .error = error};
    const sonde__plain plain = sonde__plain_begin();
    sonde_status status = SONDE_OK;
    if (key != NULL) {
        status = sonde__json_take_numbers(reader, source, key, memory);
    }
    if (status == SONDE_OK) {
        status = load(reader, source, error);
    }
    sonde__plain_end(plain);
    return status;
}

sonde_status sonde__json_parse(sonde__reader *reader, const sonde_source *source,
                               sonde_error *error) {
    return sonde__json_parse_numbers(reader, source, NULL, 0, error);
}

/* Reads the whole stream; the size goes to `size`. */
static sonde_status read_all(gzFile stream, const char *origin, char **data, size_t *size,
                             sonde_error *error) {
    size_t capacity = (size_t)1 << 16;
    for (;;) {
        char *larger = sonde__resize(*data, capacity);
        if (larger == NULL) {
            return sonde__fail_memory(error, origin, capacity);
        }
        *data = larger;
        const int got = gzread(stream, *data + *size, (unsigned)(capacity - *size));
        if (got < 0) {
            int code = Z_OK;
            (void)gzerror(stream, &code);
            return code == Z_ERRNO ? sonde__fail(error, SONDE_NO_FILE, "%s: cannot be read: %s",
                                                 origin, strerror(errno))
                   : code == Z_MEM_ERROR
                       ? sonde__fail_memory(error, origin, capacity)
                       : sonde__fail(error, SONDE_BAD_INPUT, "%s: the compressed data is damaged",
                                     origin);
        }
        *size += (size_t)got;
        if (*size < capacity && gzeof(stream)) {
            int code = Z_OK;
            (*data)[*size] = '\0';
            (void)gzerror(stream, &code);
            return code == Z_OK || code == Z_STREAM_END
                       ? SONDE_OK
                       : sonde__fail(error, SONDE_BAD_INPUT, "%s: the compressed data is cut short",
                                     origin);
        }
        if (*size == capacity && capacity >= DOCUMENT_MAX) {
            return sonde__fail(error, SONDE_TOO_LARGE,
                               "%s: larger than 1 GiB of text; give a "
                               "smaller document",
                               origin);
        }
        capacity = *size == capacity ? capacity * 2 : capacity;
    }
}

static gzFile open_stream(const char *path) {
    if (strcmp(path, "-") != 0) {
        return gzopen(path, "rb");
    }
    const int copy = dup(STDIN_FILENO);
    gzFile stream = copy >= 0 ? gzdopen(copy, "rb") : NULL;
    if (stream == NULL && copy >= 0) {
        (void)close(copy);
    }
    return stream;
}

sonde_status sonde__json_slurp(const char *path, char **data, size_t *size, sonde_error *error) {
    const char *origin = strcmp(path, "-") == 0 ? "standard input" : path;
    errno = 0;
    gzFile stream = open_stream(path);
    if (stream == NULL) {
        return errno == 0 || errno == ENOMEM
                   ? sonde__fail_memory(error, origin, 0)
                   : sonde__fail(error, SONDE_NO_FILE, "%s: cannot be opened: %s", origin,
                                 strerror(errno));
    }
    const sonde_status status = read_all(stream, origin, data, size, error);
    (void)gzclose(stream);
    return status;
}

sonde_status sonde__json_open(sonde__reader *reader, const char *path, sonde_error *error) {
    sonde_source source = {.origin = strcmp(path, "-") == 0 ? "standard input" : path};
    *reader = (sonde__reader){.origin = source.origin, .error = error};
    char *data = NULL;
    sonde_status status = sonde__json_slurp(path, &data, &source.size, error);
    if (status == SONDE_OK) {
        source.data = data;
        status = sonde__json_parse(reader, &source, error);
    }
    sonde__free(data);
    return status;
}

void sonde__json_close(sonde__reader *reader) {
    json_decref(reader->root);
    reader->root = NULL;
    for (int32_t i = 0; i < reader->n_numbers; i++) {
        sonde__free(reader->numbers[i].value);
    }
    sonde__free(reader->numbers);
    reader->numbers = NULL;
    reader->n_numbers = 0;
}
