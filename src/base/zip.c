/* zip.c: zip archives, stored or deflated, with the 64-bit sizes that large ones have.
 *
 * An archive is read from its end: the last record says where the directory is, and the directory
 * where each member is. (PKWARE's APPNOTE.TXT, sections 4.3.7, 4.3.12, 4.3.14 to 4.3.16, 4.5.3.) */
#include "base/zip.h"

#include <stdlib.h>
#include <string.h>

#define LOCAL_SIGNATURE 0x04034b50u
#define MEMBER_SIGNATURE 0x02014b50u
#define END_SIGNATURE 0x06054b50u
#define END64_SIGNATURE 0x06064b50u
#define LOCATOR64_SIGNATURE 0x07064b50u
enum { LOCAL_SIZE = 30, MEMBER_SIZE = 46, END_SIZE = 22, END64_SIZE = 56, LOCATOR64_SIZE = 20 };

/* as much as is read of the directory; a million members have less */
#define DIRECTORY_MAX (UINT64_C(64) << 20)
#define MEMBERS_MAX 100000
/* no byte of deflate unpacks to more */
#define DEFLATE_RATIO 1032

static uint32_t number16(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

static uint32_t number32(const unsigned char *at) {
    return number16(at) | number16(at + 2) << 16;
}

static uint64_t number64(const unsigned char *at) {
    return number32(at) | (uint64_t)number32(at + 4) << 32;
}

static sonde_status wrong(const sonde__file *file, sonde_error *error, const char *sentence) {
    return sonde__fail(error, SONDE_BAD_INPUT, "%s: %s", file->origin, sentence);
}

static sonde_status wrong_member(const sonde__file *file, const sonde__member *member,
                                 sonde_error *error, const char *sentence) {
    return sonde__fail(error, SONDE_BAD_INPUT, "%s: %s: %s", file->origin, member->name, sentence);
}

bool sonde__zip_is(const sonde__file *file) {
    unsigned char first[4];
    return sonde__file_read(file, 0, 4, first) &&
           (number32(first) == LOCAL_SIGNATURE || number32(first) == END_SIGNATURE);
}

/* --------------------------------------------------------------------------------- directory -- */

/* where the directory is */
typedef struct {
    uint64_t at;
    uint64_t size;
    uint64_t n_member;
} directory;

/* The 64-bit record, where the last one says that it did not suffice. */
static bool find_directory64(const sonde__file *file, uint64_t end, directory *d) {
    unsigned char locator[LOCATOR64_SIZE];
    unsigned char record[END64_SIZE];
    if (end < LOCATOR64_SIZE ||
        !sonde__file_read(file, end - LOCATOR64_SIZE, LOCATOR64_SIZE, locator) ||
        number32(locator) != LOCATOR64_SIGNATURE ||
        !sonde__file_read(file, number64(locator + 8), END64_SIZE, record) ||
        number32(record) != END64_SIGNATURE) {
        return false;
    }
    *d = (directory){number64(record + 48), number64(record + 40), number64(record + 32)};
    return true;
}

/* What the last record says, which stands at byte `at` of the archive. */
static sonde_status read_end(const sonde__file *file, const unsigned char *record, uint64_t at,
                             directory *d, sonde_error *error) {
    *d = (directory){number32(record + 16), number32(record + 12), number16(record + 10)};
    const bool large = d->at == UINT32_MAX || d->size == UINT32_MAX || d->n_member == 0xFFFF;
    if (large && !find_directory64(file, at, d)) {
        return wrong(file, error, "the archive's 64-bit directory is damaged");
    }
    if (d->at > at || d->size > at - d->at) {
        return wrong(file, error, "the archive's directory lies outside of it");
    }
    return d->size > DIRECTORY_MAX || d->n_member > MEMBERS_MAX
               ? wrong(file, error, "the archive has far more members than a model has arrays")
               : SONDE_OK;
}

/* The last record ends with a comment of up to 65,535 bytes, so that it has to be looked for. */
static sonde_status find_directory(const sonde__file *file, sonde__pool *pool, directory *d,
                                   sonde_error *error) {
    const uint64_t most = END_SIZE + 65535;
    const uint64_t size = file->size < most ? file->size : most;
    const uint64_t from = file->size - size;
    unsigned char *tail = SONDE__POOL_TAKE(pool, unsigned char, size);
    if (tail == NULL) {
        return sonde__fail_memory(error, file->origin, size);
    }
    if (size < END_SIZE || !sonde__file_read(file, from, size, tail)) {
        return wrong(file, error, "the archive is cut short");
    }
    for (uint64_t i = size - END_SIZE + 1; i-- > 0;) {
        const unsigned char *record = tail + i;
        if (number32(record) == END_SIGNATURE && number16(record + 20) == size - i - END_SIZE) {
            return read_end(file, record, from + i, d, error);
        }
    }
    return wrong(file, error, "the archive has no directory; it is cut short or damaged");
}

/* Sizes and place of a member that 32 bits did not hold stand among its extra fields. */
static bool read_extra64(const unsigned char *extra, uint32_t size, uint64_t *value[3]) {
    for (uint32_t at = 0; at + 4 <= size;) {
        const uint32_t length = number16(extra + at + 2);
        if (length > size - at - 4) {
            return false;
        }
        if (number16(extra + at) == 1) {
            uint32_t used = 0;
            for (int i = 0; i < 3; i++) {
                if (*value[i] == UINT32_MAX) {
                    if (used + 8 > length) {
                        return false;
                    }
                    *value[i] = number64(extra + at + 4 + used);
                    used += 8;
                }
            }
            return true;
        }
        at += 4 + length;
    }
    return *value[0] != UINT32_MAX && *value[1] != UINT32_MAX && *value[2] != UINT32_MAX;
}

/* One record of the directory; `left` bytes are left of it, and it takes `*length` of them. */
static sonde_status read_record(const sonde__file *file, const unsigned char *record, uint64_t left,
                                sonde__member *member, uint64_t *length, sonde_error *error) {
    if (left < MEMBER_SIZE || number32(record) != MEMBER_SIGNATURE) {
        return wrong(file, error, "the archive's directory is damaged");
    }
    const uint32_t n_name = number16(record + 28);
    const uint32_t n_extra = number16(record + 30);
    *length = MEMBER_SIZE + (uint64_t)n_name + n_extra + number16(record + 32);
    if (*length > left) {
        return wrong(file, error, "the archive's directory is damaged");
    }
    const uint32_t n_kept = n_name < SONDE__ZIP_NAME - 1 ? n_name : SONDE__ZIP_NAME - 1;
    for (uint32_t i = 0; i < n_kept; i++) {
        /* names are shown in errors */
        const unsigned char c = record[MEMBER_SIZE + i];
        member->name[i] = c >= 0x20 && c < 0x7F ? (char)c : '?';
    }
    uint64_t packed = number32(record + 20);
    member->crc = number32(record + 16);
    member->size = number32(record + 24);
    member->start = number32(record + 42);
    uint64_t *value[3] = {&member->size, &packed, &member->start};
    const uint32_t method = number16(record + 10);
    if (!read_extra64(record + MEMBER_SIZE + n_name, n_extra, value)) {
        return wrong_member(file, member, error, "its 64-bit size is damaged");
    }
    if ((number16(record + 8) & 1u) != 0) {
        return wrong_member(file, member, error, "is encrypted, which is not read");
    }
    if (method != 0 && method != 8) {
        return wrong_member(file, member, error,
                            "is packed in another way than deflate; save it with np.savez");
    }
    member->deflated = method == 8;
    member->to = packed; /* for now: how many */
    return SONDE_OK;
}

/* Where a member's bytes are: behind its own header, whose length only that header knows. */
static sonde_status find_bytes(const sonde__file *file, uint64_t directory_at,
                               sonde__member *member, sonde_error *error) {
    const uint64_t packed = member->to;
    unsigned char local[LOCAL_SIZE];
    if (member->start > directory_at || directory_at - member->start < LOCAL_SIZE ||
        !sonde__file_read(file, member->start, LOCAL_SIZE, local) ||
        number32(local) != LOCAL_SIGNATURE) {
        return wrong_member(file, member, error, "is not where the archive says");
    }
    member->from = member->start + LOCAL_SIZE + number16(local + 26) + number16(local + 28);
    if (member->from > directory_at || packed > directory_at - member->from) {
        return wrong_member(file, member, error, "reaches past the end of the archive");
    }
    member->to = member->from + packed;
    if (!member->deflated && packed != member->size) {
        return wrong_member(file, member, error, "has two sizes");
    }
    if (member->deflated && member->size / DEFLATE_RATIO > packed) {
        return wrong_member(file, member, error, "cannot hold as much as it says");
    }
    return SONDE_OK;
}

static int compare_places(const void *left, const void *right) {
    const uint64_t a = ((const sonde__member *)left)->start;
    const uint64_t b = ((const sonde__member *)right)->start;
    return (a > b) - (a < b);
}

static int compare_names(const void *left, const void *right) {
    return strcmp(((const sonde__member *)left)->name, ((const sonde__member *)right)->name);
}

/* Members lie side by side, and no two have one name. */
static sonde_status check_members(sonde__zip *zip, sonde_error *error) {
    if (zip->n_member == 0) {
        return SONDE_OK;
    }
    qsort(zip->member, (size_t)zip->n_member, sizeof *zip->member, compare_places);
    for (int32_t i = 1; i < zip->n_member; i++) {
        if (zip->member[i].start < zip->member[i - 1].to) {
            return wrong_member(zip->file, &zip->member[i], error, "overlaps another member");
        }
    }
    qsort(zip->member, (size_t)zip->n_member, sizeof *zip->member, compare_names);
    for (int32_t i = 1; i < zip->n_member; i++) {
        if (compare_names(&zip->member[i - 1], &zip->member[i]) == 0) {
            return wrong_member(zip->file, &zip->member[i], error, "is there twice");
        }
    }
    return SONDE_OK;
}

sonde_status sonde__zip_open(sonde__zip *zip, const sonde__file *file, sonde_error *error) {
    *zip = (sonde__zip){.file = file};
    directory d = {0};
    sonde_status status = find_directory(file, &zip->pool, &d, error);
    if (status != SONDE_OK) {
        return status;
    }
    unsigned char *bytes = SONDE__POOL_TAKE(&zip->pool, unsigned char, d.size);
    zip->member = SONDE__POOL_TAKE(&zip->pool, sonde__member, d.n_member);
    if (bytes == NULL || zip->member == NULL) {
        return sonde__fail_memory(error, file->origin, d.size);
    }
    if (!sonde__file_read(file, d.at, d.size, bytes)) {
        return wrong(file, error, "the archive's directory cannot be read");
    }
    uint64_t at = 0;
    for (; zip->n_member < (int32_t)d.n_member && status == SONDE_OK; zip->n_member++) {
        sonde__member *member = &zip->member[zip->n_member];
        uint64_t length = 0;
        status = read_record(file, bytes + at, d.size - at, member, &length, error);
        if (status == SONDE_OK) {
            status = find_bytes(file, d.at, member, error);
        }
        at += length;
    }
    return status == SONDE_OK ? check_members(zip, error) : status;
}

void sonde__zip_close(sonde__zip *zip) {
    sonde__pool_free(&zip->pool);
}

/* ------------------------------------------------------------------------------- unpacking -- */

sonde_status sonde__unzip_start(sonde__unzip *walk, const sonde__file *file,
                                const sonde__member *member, sonde_error *error) {
    sonde__unzip_end(walk);
    walk->file = file;
    walk->member = member;
    walk->at = member->from;
    walk->done = 0;
    walk->crc = (uint32_t)crc32(0, NULL, 0);
    walk->trusted = false;
    if (member->deflated) {
        walk->stream = (z_stream){0};
        /* minus: bare deflate, without a header of its own */
        if (inflateInit2(&walk->stream, -MAX_WBITS) != Z_OK) {
            return sonde__fail_memory(error, file->origin, 1 << MAX_WBITS);
        }
        walk->open = true;
    }
    return SONDE_OK;
}

/* Unpacks until there is no more room, and says whether it was filled. The stream may still hold
 * bytes when there are no packed ones left; one that stands still is at its end, or damaged. */
static bool inflate_some(sonde__unzip *walk, uInt n, unsigned char *to) {
    z_stream *stream = &walk->stream;
    int status = Z_OK;
    stream->next_out = to;
    stream->avail_out = n;
    while (stream->avail_out > 0 && status == Z_OK) {
        const uint64_t left = walk->member->to - walk->at;
        const uint64_t some = left < sizeof walk->packed ? left : sizeof walk->packed;
        if (stream->avail_in == 0 && some > 0) {
            if (!sonde__file_read(walk->file, walk->at, some, walk->packed)) {
                return false;
            }
            walk->at += some;
            stream->next_in = walk->packed;
            stream->avail_in = (uInt)some;
        }
        status = inflate(stream, Z_NO_FLUSH);
    }
    return stream->avail_out == 0;
}

/* Nothing is left behind the last byte. */
static bool at_end(sonde__unzip *walk) {
    unsigned char more;
    return !walk->member->deflated || !inflate_some(walk, 1, &more);
}

sonde_status sonde__unzip_read(sonde__unzip *walk, uint64_t n, void *to, sonde_error *error) {
    const sonde__member *member = walk->member;
    unsigned char *out = to;
    if (n > member->size - walk->done) {
        return wrong_member(walk->file, member, error, "is cut short");
    }
    while (n > 0) {
        const uInt some = (uInt)(n < (1u << 30) ? n : (1u << 30));
        const bool got = member->deflated ? inflate_some(walk, some, out)
                                          : sonde__file_read(walk->file, walk->at, some, out);
        if (!got) {
            return wrong_member(walk->file, member, error,
                                "the compressed data is damaged or cut short");
        }
        walk->at += member->deflated ? 0 : some;
        walk->crc = walk->trusted ? member->crc : (uint32_t)crc32(walk->crc, out, some);
        walk->done += some;
        out += some;
        n -= some;
    }
    if (walk->done == member->size && (!at_end(walk) || walk->crc != member->crc)) {
        return wrong_member(walk->file, member, error,
                            "is damaged: its checksum is not what the archive says");
    }
    return SONDE_OK;
}

void sonde__unzip_end(sonde__unzip *walk) {
    if (walk->open) {
        (void)inflateEnd(&walk->stream);
    }
    walk->open = false;
}
