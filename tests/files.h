/* files.h: files to read, plain and compressed, in a test's own folder. */
#ifndef TESTS_FILES_H
#define TESTS_FILES_H

#include <stdio.h>
#include <zlib.h>

#include "worlds.h"

static inline void put_bytes(const char *path, const void *data, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void put_text(const char *path, const char *text) {
    put_bytes(path, text, strlen(text));
}

static inline void put_gzip(const char *path, const char *data, size_t size) {
    gzFile file = gzopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, data, (unsigned)size), size);
    assert_int_equal(gzclose(file), Z_OK);
}

/* All of a file; the caller frees it. */
static inline char *get_bytes(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long length = ftell(file);
    assert_true(length >= 0);
    rewind(file);
    char *data = room((uint64_t)length + 1, 1);
    *size = fread(data, 1, (size_t)length, file);
    assert_int_equal(*size, length);
    (void)fclose(file);
    return data;
}

#endif
