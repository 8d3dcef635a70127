/* json.c: strict reading into jansson's values.
 *
 * The parser (json_parse.c) rejects duplicate keys, NaN and numbers out of range and knows their
 * line; what is checked later knows its path. Everything is read into memory first, through zlib,
 * which passes plain files on as they are. */
#include "base/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/json_parse.h"
#include "base/memory.h"
#include "base/plain.h"
#include "base/shown.h"

#define DOCUMENT_MAX ((size_t)1 << 30)
/* what is compressed may be this large, and beyond that so many times as large as it is in the
 * file */
#define UNPACKED_FREE ((size_t)1 << 24)
#define UNPACKED_TIMES 200

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

static int add_piece(const char *piece, size_t size, void *user) {
    sonde_text *text = user;
    sonde_text_add(text, "%.*s", (int)size, piece);
    return text->failed ? -1 : 0;
}

void sonde__json_write(const json_t *value, size_t flags, sonde_text *text) {
    if (json_dump_callback(value, add_piece, text, flags) != 0) {
        text->failed = true;
    }
}

bool sonde__json_expected(sonde__reader *reader, const char *path, const char *expected,
                          const json_t *found) {
    sonde_text shown = {0};
    if (found != NULL) {
        sonde__json_write(found, JSON_ENCODE_ANY | JSON_COMPACT, &shown);
    }
    const char *text = found == NULL                         ? "nothing"
                       : !shown.failed && shown.data != NULL ? shown.data
                                                             : "something else";
    const bool cut = strlen(text) > 60;
    (void)sonde__json_wrong(reader, "%s: expected %s, found %.*s%s", path, expected,
                            sonde__cut(text, 60), text, cut ? "..." : "");
    sonde_text_free(&shown);
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

/* The first character that is no space; -1: there is none. */
static int beginning_of(const sonde_source *source) {
    for (size_t i = 0; i < source->size; i++) {
        const char c = source->data[i];
        if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
            return (unsigned char)c;
        }
    }
    return -1;
}

/* Reads what is left of the document. */
static sonde_status load(sonde__reader *reader, const sonde_source *source, sonde_error *error) {
    sonde__json_problem problem;
    reader->root = sonde__json_parse_text(source, reader->numbers, reader->n_numbers, &problem);
    if (reader->root != NULL) {
        return SONDE_OK;
    }
    if (problem.memory) {
        return sonde__fail_memory(error, source->origin, source->size);
    }
    const int begins = beginning_of(source);
    if (begins < 0) {
        return sonde__fail(error, SONDE_BAD_INPUT, "%s: expected a JSON document, found nothing",
                           source->origin);
    }
    int32_t column = 0;
    const int32_t line = sonde__json_line(source, problem.at, &column);
    return sonde__fail(
        error, SONDE_BAD_INPUT, "%s: line %d, column %d: %s%s", source->origin, (int)line,
        (int)column,
        begins == '{' || begins == '[' ? "" : "this is no JSON document: ", problem.text);
}

sonde_source sonde__text_of(const sonde_source *source) {
    const bool marked = source->size >= 3 && memcmp(source->data, "\xef\xbb\xbf", 3) == 0;
    return (sonde_source){.origin = source->origin,
                          .data = source->data + (marked ? 3 : 0),
                          .size = source->size - (marked ? 3 : 0)};
}

sonde_status sonde__json_parse_numbers(sonde__reader *reader, const sonde_source *source,
                                       const char *(*key)(int32_t), uint64_t memory,
                                       sonde_error *error) {
    *reader = (sonde__reader){.origin = source->origin, .error = error};
    const sonde__plain plain = sonde__plain_begin();
    const sonde_source text = sonde__text_of(source);
    sonde_status status = SONDE_OK;
    if (key != NULL) {
        status = sonde__json_take_numbers(reader, &text, key, memory);
    }
    if (status == SONDE_OK) {
        status = load(reader, &text, error);
    }
    sonde__plain_end(plain);
    return status;
}

sonde_status sonde__json_parse(sonde__reader *reader, const sonde_source *source,
                               sonde_error *error) {
    return sonde__json_parse_numbers(reader, source, NULL, 0, error);
}

/* Whether a stream has given so much more than was read for it that it can only be meant badly. A
 * pipe does not tell. */
static bool is_bomb(gzFile stream, size_t size) {
    if (size < UNPACKED_FREE || gzdirect(stream)) {
        return false;
    }
    const long long packed = (long long)gzoffset(stream);
    return packed >= 0 && size / UNPACKED_TIMES > (size_t)packed;
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
        if (*size == capacity && is_bomb(stream, *size)) {
            return sonde__fail(error, SONDE_TOO_LARGE,
                               "%s: unpacks to more than %d times its size; unpack it first",
                               origin, UNPACKED_TIMES);
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
