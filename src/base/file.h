/* file.h: the bytes of a file wherever they are, on disk or in memory, read in any order. */
#ifndef SONDE_BASE_FILE_H
#define SONDE_BASE_FILE_H

#include "base/status.h"

typedef struct {
    const char *origin; /* for errors */
    uint64_t size;
    int descriptor;   /* of a file on disk; -1: in memory */
    const char *data; /* (size) in memory */
} sonde__file;

/* Opens a regular file; anything else (a pipe, standard input) leaves `descriptor` at -1 and is no
 * failure, for it has to be read from its beginning to its end. Fails with SONDE_NO_FILE. */
sonde_status sonde__file_open(const char *path, sonde__file *file, sonde_error *error);
/* Bytes that are in memory already. */
sonde__file sonde__file_of(const sonde_source *source);
/* Puts n bytes from `at` on into `to`; false if the file does not have them. */
bool sonde__file_read(const sonde__file *file, uint64_t at, uint64_t n, void *to);
void sonde__file_close(sonde__file *file);

#endif
