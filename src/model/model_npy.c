/* model_npy.c: numpy's .npy format, versions 1 to 3 (numpy/lib/format.py).
 *
 * A magic word, a version, the length of a header, and the header: a Python dictionary such as
 *
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (4, 4, 2), }
 *
 * of which exactly that is understood. Python objects are pickles, which can do anything to whoever
 * reads them; they are refused. */
#include <string.h>

#include "base/memory.h"
#include "model/model_npy.h"

#define HEADER_MAX 65536

/* the header while it is read */
typedef struct {
    const char *text;
    size_t size;
    size_t at;
} header;

static sonde_status wrong(const sonde__file *file, const sonde__npy *array, sonde_error *error,
                          const char *sentence) {
    return sonde__fail(error, SONDE_BAD_INPUT, "%s: %s: %s", file->origin, array->member->name,
                       sentence);
}

static void skip_space(header *h) {
    while (h->at < h->size && (h->text[h->at] == ' ' || h->text[h->at] == '\n')) {
        h->at++;
    }
}

/* Steps over a word, if it is there. */
static bool step(header *h, const char *word) {
    skip_space(h);
    const size_t length = strlen(word);
    if (h->size - h->at < length || memcmp(h->text + h->at, word, length) != 0) {
        return false;
    }
    h->at += length;
    return true;
}

/* A text in quotes of either kind, as Python writes them; cut to the space there is. */
static bool read_text(header *h, char *text, size_t size) {
    skip_space(h);
    const char quote = h->at < h->size ? h->text[h->at] : '\0';
    if (quote != '\'' && quote != '"') {
        return false;
    }
    size_t n = 0;
    for (h->at++; h->at < h->size && h->text[h->at] != quote; h->at++) {
        const char c = h->text[h->at];
        if (n + 1 < size) {
            text[n++] = c >= 0x20 && c < 0x7F ? c : '?'; /* it may be shown in an error */
        }
    }
    text[n] = '\0';
    return step(h, (const char[]){quote, '\0'});
}

/* (3, 4, 2), (3,) or () */
static bool read_shape(header *h, sonde__npy *array) {
    if (!step(h, "(")) {
        return false;
    }
    while (!step(h, ")")) {
        skip_space(h);
        const size_t first = h->at;
        int64_t number = 0;
        for (; h->at < h->size && h->text[h->at] >= '0' && h->text[h->at] <= '9'; h->at++) {
            if (number > (INT64_MAX - 9) / 10) {
                return false;
            }
            number = number * 10 + (h->text[h->at] - '0');
        }
        if (h->at == first || array->n_axis == SONDE__AXES) {
            return false;
        }
        array->size[array->n_axis++] = number;
        (void)step(h, "L"); /* Python 2 */
        if (!step(h, ",")) {
            return step(h, ")");
        }
    }
    return true;
}

/* What the numbers are: <f8, >i4, |b1, ... */
static sonde_status read_kind(const sonde__file *file, sonde__npy *array, const char *text,
                              sonde_error *error) {
    static const union {
        uint16_t number;
        unsigned char byte[2];
    } one = {.number = 1};
    const bool little_machine = one.byte[0] == 1;
    const bool ordered = text[0] == '<' || text[0] == '>' || text[0] == '|' || text[0] == '=';
    const char *kind = text + (ordered ? 1 : 0);
    if (kind[0] == 'O') {
        return wrong(file, array, error,
                     "holds Python objects (a pickle), which are not read; save every array under "
                     "a name of its own, as np.savez(file, A_0=A[0], A_1=A[1], ...)");
    }
    static const char known[][3] = {"f4", "f8", "i1", "i2", "i4", "i8",
                                    "u1", "u2", "u4", "u8", "b1"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(kind, known[i]) == 0) {
            array->kind = kind[0] == 'f'   ? SONDE__NPY_FLOAT
                          : kind[0] == 'i' ? SONDE__NPY_SIGNED
                                           : SONDE__NPY_UNSIGNED;
            array->width = kind[1] - '0';
            array->swapped = text[0] == (little_machine ? '>' : '<');
            return SONDE_OK;
        }
    }
    return sonde__fail(error, SONDE_BAD_INPUT,
                       "%s: %s: expected float64, float32, whole numbers or bool, found \"%.20s\"",
                       file->origin, array->member->name, text);
}

static sonde_status read_dictionary(const sonde__file *file, sonde__npy *array, header *h,
                                    sonde_error *error) {
    char kind[32] = "";
    bool has_order = false;
    bool has_shape = false;
    bool fits = step(h, "{");
    while (fits && !step(h, "}")) {
        char key[32];
        fits = read_text(h, key, sizeof key) && step(h, ":");
        if (fits && strcmp(key, "descr") == 0 && kind[0] == '\0') {
            skip_space(h);
            if (h->at < h->size && h->text[h->at] == '[') {
                return wrong(file, array, error, "is an array of records; save plain numbers");
            }
            fits = read_text(h, kind, sizeof kind);
        } else if (fits && strcmp(key, "fortran_order") == 0 && !has_order) {
            array->first_fastest = step(h, "True");
            fits = has_order = array->first_fastest || step(h, "False");
        } else if (fits && strcmp(key, "shape") == 0 && !has_shape) {
            fits = has_shape = read_shape(h, array);
        } else {
            fits = false;
        }
        if (fits && !step(h, ",")) {
            fits = step(h, "}");
            break;
        }
    }
    skip_space(h);
    if (!fits || h->at != h->size || kind[0] == '\0' || !has_order || !has_shape) {
        return wrong(file, array, error, "its header is damaged");
    }
    return read_kind(file, array, kind, error);
}

/* As many bytes follow as the shape says. */
static sonde_status check_size(const sonde__file *file, sonde__npy *array, uint64_t left,
                               sonde_error *error) {
    uint64_t n = 1;
    bool none = false;
    for (int32_t a = 0; a < array->n_axis; a++) {
        none = none || array->size[a] == 0;
        n = sonde__multiply(n, (uint64_t)array->size[a]);
    }
    n = none ? 0 : n;
    if (sonde__multiply(n, (uint64_t)array->width) != left) {
        return sonde__fail(error, SONDE_BAD_INPUT,
                           "%s: %s: expected %llu numbers of %d bytes, found %llu bytes",
                           file->origin, array->member->name, (unsigned long long)n, array->width,
                           (unsigned long long)left);
    }
    array->n = (int64_t)n;
    return SONDE_OK;
}

/* Reads how long the header is. */
static sonde_status read_start(const sonde__file *file, const sonde__npy *array, sonde__unzip *walk,
                               uint64_t *size, sonde_error *error) {
    unsigned char start[12];
    sonde_status status = sonde__unzip_read(walk, 10, start, error);
    if (status != SONDE_OK) {
        return status;
    }
    if (memcmp(start, "\x93NUMPY", 6) != 0 || start[6] < 1 || start[6] > 3) {
        return wrong(file, array, error, "is no array that numpy saved");
    }
    *size = (uint64_t)start[8] | (uint64_t)start[9] << 8;
    if (start[6] > 1) {
        status = sonde__unzip_read(walk, 2, start + 10, error);
        *size |= (uint64_t)start[10] << 16 | (uint64_t)start[11] << 24;
    }
    return status == SONDE_OK && *size > HEADER_MAX
               ? wrong(file, array, error, "its header is damaged")
               : status;
}

sonde_status sonde__npy_open(sonde__npy *array, sonde__unzip *walk, const sonde__file *file,
                             const sonde__member *member, sonde_error *error) {
    *array = (sonde__npy){.member = member};
    uint64_t size = 0;
    sonde_status status = sonde__unzip_start(walk, file, member, error);
    status = status != SONDE_OK ? status : read_start(file, array, walk, &size, error);
    if (status != SONDE_OK) {
        return status;
    }
    char *text = sonde__alloc((size_t)size);
    if (text == NULL) {
        return sonde__fail_memory(error, file->origin, size);
    }
    status = sonde__unzip_read(walk, size, text, error);
    header h = {.text = text, .size = (size_t)size};
    if (status == SONDE_OK) {
        status = read_dictionary(file, array, &h, error);
    }
    sonde__free(text);
    return status == SONDE_OK ? check_size(file, array, member->size - walk->done, error) : status;
}

/* ----------------------------------------------------------------------------------- numbers -- */

static double number_of(const sonde__npy *array, const unsigned char *bytes) {
    switch (array->width) {
    case 1: {
        return array->kind == SONDE__NPY_SIGNED ? (double)(int8_t)bytes[0] : (double)bytes[0];
    }
    case 2: {
        uint16_t x;
        memcpy(&x, bytes, sizeof x);
        return array->kind == SONDE__NPY_SIGNED ? (double)(int16_t)x : (double)x;
    }
    case 4: {
        uint32_t x;
        float real;
        memcpy(&x, bytes, sizeof x);
        memcpy(&real, bytes, sizeof real);
        return array->kind == SONDE__NPY_FLOAT    ? (double)real
               : array->kind == SONDE__NPY_SIGNED ? (double)(int32_t)x
                                                  : (double)x;
    }
    default: {
        uint64_t x;
        double real;
        memcpy(&x, bytes, sizeof x);
        memcpy(&real, bytes, sizeof real);
        return array->kind == SONDE__NPY_FLOAT    ? real
               : array->kind == SONDE__NPY_SIGNED ? (double)(int64_t)x
                                                  : (double)x;
    }
    }
}

static void swap_bytes(unsigned char *bytes, int32_t width) {
    for (int32_t i = 0; i < width / 2; i++) {
        const unsigned char byte = bytes[i];
        bytes[i] = bytes[width - 1 - i];
        bytes[width - 1 - i] = byte;
    }
}

sonde_status sonde__npy_read(const sonde__npy *array, sonde__unzip *walk, int64_t n, double *value,
                             sonde_error *error) {
    if (array->kind == SONDE__NPY_FLOAT && array->width == 8 && !array->swapped) {
        return sonde__unzip_read(walk, (uint64_t)n * 8, value, error);
    }
    unsigned char bytes[8192];
    const int64_t most = (int64_t)sizeof bytes / array->width;
    for (int64_t done = 0; done < n;) {
        const int64_t some = n - done < most ? n - done : most;
        const sonde_status status =
            sonde__unzip_read(walk, (uint64_t)(some * array->width), bytes, error);
        if (status != SONDE_OK) {
            return status;
        }
        for (int64_t i = 0; i < some; i++) {
            unsigned char *at = bytes + i * array->width;
            if (array->swapped) {
                swap_bytes(at, array->width);
            }
            value[done + i] = number_of(array, at);
        }
        done += some;
    }
    return SONDE_OK;
}
