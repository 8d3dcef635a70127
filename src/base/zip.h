/* zip.h: reading zip archives that nobody vouches for.
 *
 * Everything an archive says of itself is checked against its size before it is believed: members
 * lie inside it and do not overlap, none holds more than deflate can pack into so many bytes, and
 * each is as long, and has the checksum, that it says. */
#ifndef SONDE_BASE_ZIP_H
#define SONDE_BASE_ZIP_H

#include <zlib.h>

#include "base/file.h"
#include "base/memory.h"

enum { SONDE__ZIP_NAME = 64 };

/* One file in an archive. */
typedef struct {
    char name[SONDE__ZIP_NAME]; /* cut where it is longer */
    uint64_t start;             /* of its header */
    uint64_t from;              /* its bytes in the archive, up to but not with `to` */
    uint64_t to;
    uint64_t size; /* of what it holds, unpacked */
    uint32_t crc;
    bool deflated;
} sonde__member;

typedef struct {
    const sonde__file *file;
    sonde__pool pool;
    int32_t n_member;
    sonde__member *member; /* (n_member) by name */
} sonde__zip;

/* Whether a file begins like an archive. */
bool sonde__zip_is(const sonde__file *file);
/* Lists an archive. Fails with SONDE_BAD_INPUT or SONDE_NO_MEMORY. Close it in any case. */
sonde_status sonde__zip_open(sonde__zip *zip, const sonde__file *file, sonde_error *error);
void sonde__zip_close(sonde__zip *zip);

/* A walk through what a member holds. Start from {0}. */
typedef struct {
    const sonde__file *file;
    const sonde__member *member;
    uint64_t at;   /* in the archive */
    uint64_t done; /* bytes handed out */
    uint32_t crc;
    bool trusted; /* read to its end before: its checksum is not compared again */
    bool open;    /* the stream */
    z_stream stream;
    unsigned char packed[1 << 16];
} sonde__unzip;
sonde_status sonde__unzip_start(sonde__unzip *walk, const sonde__file *file,
                                const sonde__member *member, sonde_error *error);
/* The next n bytes; with the last ones the checksum is compared. */
sonde_status sonde__unzip_read(sonde__unzip *walk, uint64_t n, void *to, sonde_error *error);
void sonde__unzip_end(sonde__unzip *walk);

#endif
