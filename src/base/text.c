/* text.c: text that grows in memory, or flows into a sink or a file (draft.c). */
#include <inttypes.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/draft.h"
#include "base/memory.h"
#include "base/shown.h"
#include "base/status.h"
#include "base/text.h"

/* with a sink, text is handed on in pieces of about this size */
#define PIECE ((size_t)1 << 16)

typedef struct {
    sonde__draft draft;
    int problem; /* errno of the first write that failed */
} file;

static void drain(sonde_text *text) {
    if (text->size > 0 && !text->sink(text->user, text->data, text->size)) {
        text->failed = true;
    }
    text->size = 0;
}

/* Makes room for `more` bytes and a closing zero. */
static bool make_room(sonde_text *text, size_t more) {
    if (text->size + more + 1 <= text->capacity) {
        return true;
    }
    size_t capacity = text->capacity > 0 ? text->capacity : 256;
    while (capacity < text->size + more + 1) {
        capacity *= 2;
    }
    char *data = sonde__resize(text->data, capacity);
    if (data == NULL) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void sonde_text_add(sonde_text *text, const char *format, ...) {
    if (text->failed) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0) {
        text->failed = true;
    } else if (make_room(text, (size_t)length)) {
        (void)vsnprintf(text->data + text->size, (size_t)length + 1, format, again);
        text->size += (size_t)length;
    }
    va_end(again);
    if (!text->failed && text->sink != NULL && text->size >= PIECE) {
        drain(text);
    }
}

/* The same of letters as they are. */
static void add_letters(sonde_text *text, const char *letters) {
    const size_t length = strlen(letters);
    if (!text->failed && make_room(text, length)) {
        memcpy(text->data + text->size, letters, length + 1);
        text->size += length;
    }
    if (!text->failed && text->sink != NULL && text->size >= PIECE) {
        drain(text);
    }
}

/* Puts a point between digits: a host program may have set a locale with another sign. */
static void put_point(char *digits) {
    const char *point = localeconv()->decimal_point;
    char *found = strcmp(point, ".") != 0 ? strstr(digits, point) : NULL;
    if (found != NULL) {
        *found = '.';
        memmove(found + 1, found + strlen(point), strlen(found + strlen(point)) + 1);
    }
}

const char *sonde__digits(double number, char *digits, size_t size) {
    for (int precision = 15; precision <= 17; precision++) {
        (void)snprintf(digits, size, "%.*g", precision, number);
        if (strtod(digits, NULL) == number) {
            break;
        }
    }
    put_point(digits);
    return digits;
}

void sonde__text_add_rounded(sonde_text *text, int n_digit, double number) {
    char digits[32];
    (void)snprintf(digits, sizeof digits, "%.*g", n_digit, number);
    put_point(digits);
    sonde_text_add(text, "%s", digits);
}

void sonde__text_pair(sonde_text *json, const char *key, double number) {
    sonde_text_add(json, ", \"%s\": ", key);
    sonde_text_add_number(json, number);
}

void sonde__text_whole(sonde_text *json, const char *key, int64_t number) {
    sonde_text_add(json, ", \"%s\": %" PRId64, key, number);
}

void sonde__text_words(sonde_text *json, const char *key, const char *words) {
    sonde_text_add(json, words != NULL ? ", \"%s\": " : ", \"%s\": null", key);
    if (words != NULL) {
        sonde_text_add_quoted(json, words);
    }
}

/* 0 and -0 are written differently. */
static bool same_bits(double a, double b) {
    uint64_t bits[2];
    memcpy(&bits[0], &a, sizeof a);
    memcpy(&bits[1], &b, sizeof b);
    return bits[0] == bits[1];
}

void sonde__text_numbers(sonde_text *json, const double *number, int32_t n) {
    char digits[34] = ", ";
    sonde_text_add(json, "[");
    for (int32_t i = 0; i < n; i++) {
        /* beliefs have the same number again and again, whose digits are worked out once */
        if (i == 0 || !same_bits(number[i], number[i - 1])) {
            memcpy(digits + 2, "null", sizeof "null");
            if (isfinite(number[i])) {
                sonde__digits(number[i], digits + 2, sizeof digits - 2);
            }
        }
        add_letters(json, i > 0 ? digits : digits + 2);
    }
    sonde_text_add(json, "]");
}

void sonde_text_add_number(sonde_text *text, double number) {
    char digits[32];
    sonde_text_add(text, "%s",
                   isfinite(number) ? sonde__digits(number, digits, sizeof digits) : "null");
}

void sonde_text_add_quoted(sonde_text *text, const char *string) {
    sonde_text_add(text, "\"");
    for (const char *c = string; *c != '\0';) {
        uint32_t code = 0;
        const int length = sonde__character(c, &code);
        if (*c == '"' || *c == '\\') {
            sonde_text_add(text, "\\%c", *c);
        } else if (length == 0) {
            sonde_text_add(text, "\xef\xbf\xbd"); /* a byte that means nothing: U+FFFD */
        } else if (code <= 0xFFFF && sonde__is_control(code)) {
            sonde_text_add(text, "\\u%04x", (unsigned)code);
        } else {
            sonde_text_add(text, "%.*s", length, c);
        }
        c += length > 0 ? length : 1;
    }
    sonde_text_add(text, "\"");
}

void sonde_text_add_shown(sonde_text *text, const char *string) {
    char shown[SONDE__SHOWN];
    while (*string != '\0') {
        string += sonde__show_character(string, shown);
        sonde_text_add(text, "%s", shown);
    }
}

static bool write_to_file(void *user, const char *data, size_t size) {
    file *out = user;
    if (fwrite(data, 1, size, out->draft.stream) == size) {
        return true;
    }
    out->problem = errno;
    return false;
}

static void close_file(file *out) {
    sonde__draft_close(&out->draft);
    sonde__free(out);
}

sonde_status sonde_text_open(sonde_text *text, const char *path, sonde_error *error) {
    file *out = sonde__alloc(sizeof *out);
    if (out == NULL) {
        return sonde__fail_memory(error, path, sizeof *out);
    }
    const int problem = sonde__draft_open(&out->draft, path, true);
    if (problem != 0) {
        close_file(out);
        return problem == ENOMEM
                   ? sonde__fail_memory(error, path, strlen(path))
                   : sonde__fail(error, SONDE_NOT_WRITTEN, "%s: cannot be written: %s", path,
                                 strerror(problem));
    }
    *text = (sonde_text){.sink = write_to_file, .user = out, .file = out};
    return SONDE_OK;
}

sonde_status sonde_text_close(sonde_text *text, sonde_error *error) {
    if (text->sink == NULL) {
        return text->failed ? sonde__fail_memory(error, "a text", text->capacity) : SONDE_OK;
    }
    if (!text->failed) {
        drain(text);
    }
    file *out = text->file;
    sonde_status status = SONDE_OK;
    if (out != NULL && !text->failed) {
        out->problem = sonde__draft_settle(&out->draft);
        text->failed = out->problem != 0;
    }
    if (text->failed && out != NULL && out->problem == 0) {
        status = sonde__fail_memory(error, out->draft.path, text->capacity);
    } else if (text->failed) {
        status = sonde__fail(error, SONDE_NOT_WRITTEN, "%s: cannot be written: %s",
                             out != NULL ? out->draft.path : "output",
                             out != NULL ? strerror(out->problem) : "not all of it was taken");
    }
    sonde_text_free(text);
    return status;
}

void sonde_text_free(sonde_text *text) {
    if (text->file != NULL) {
        close_file(text->file);
    }
    sonde__free(text->data);
    *text = (sonde_text){0};
}
