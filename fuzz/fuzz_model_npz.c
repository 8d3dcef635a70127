/* fuzz_model_npz.c: any bytes as an .npz file.
 *
 * Bytes that begin like an archive are taken as one. Others, which would be refused at once,
 * become the array A_0 of an archive that is in order but for them, checksums included, so that
 * chance gets past the directory. */
#include <zlib.h>

#include "round_trip.h"

/* an archive while it grows */
typedef struct {
    unsigned char data[1 << 17];
    size_t size;
} bytes;

static void add(bytes *b, const void *data, size_t size) {
    if (size > 0) {
        memcpy(b->data + b->size, data, size);
    }
    b->size += size;
}

static void add_number(bytes *b, uint64_t number, int width) {
    for (int i = 0; i < width; i++) {
        b->data[b->size++] = (unsigned char)(number >> (8 * i));
    }
}

/* A member, stored, and its record in the directory. */
static void add_member(bytes *archive, bytes *directory, const char *name, const void *data,
                       size_t size) {
    const uint32_t crc = (uint32_t)crc32(0, data, (uInt)size);
    const size_t start = archive->size;
    add(archive, "PK\3\4\24\0\0\0\0\0\0\0\0\0", 14);
    add_number(archive, crc, 4);
    add_number(archive, size, 4);
    add_number(archive, size, 4);
    add_number(archive, strlen(name), 2);
    add_number(archive, 0, 2);
    add(archive, name, strlen(name));
    add(archive, data, size);
    add(directory, "PK\1\2\24\0\24\0\0\0\0\0\0\0\0\0", 16);
    add_number(directory, crc, 4);
    add_number(directory, size, 4);
    add_number(directory, size, 4);
    add_number(directory, strlen(name), 2);
    add_number(directory, 0, 8);
    add_number(directory, 0, 4);
    add_number(directory, start, 4);
    add(directory, name, strlen(name));
}

static void read_as_array(const uint8_t *data, size_t size) {
    static const char header[] =
        "\x93NUMPY\1\0\66\0{'descr': '|u1', 'fortran_order': False, 'shape': (2,2,1)}";
    static bytes archive;
    static bytes directory;
    bytes B = {.size = 0};
    archive.size = 0;
    directory.size = 0;
    add(&B, header, sizeof header - 1);
    add(&B, "\1\0\0\1", 4);
    /* the header's length, whatever it is */
    B.data[8] = (unsigned char)(sizeof header - 1 - 10);
    add_member(&archive, &directory, "A_0.npy", data, size);
    add_member(&archive, &directory, "B_0.npy", B.data, B.size);
    const size_t at = archive.size;
    add(&archive, directory.data, directory.size);
    add(&archive, "PK\5\6\0\0\0\0\2\0\2\0", 12);
    add_number(&archive, directory.size, 4);
    add_number(&archive, at, 4);
    add_number(&archive, 0, 2);
    read_bytes((const char *)archive.data, archive.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 1 << 16) {
        return 0;
    }
    if (size >= 2 && data[0] == 'P' && data[1] == 'K') {
        read_bytes((const char *)data, size);
    } else {
        read_as_array(data, size);
    }
    return 0;
}
