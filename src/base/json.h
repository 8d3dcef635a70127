/* json.h: reading JSON documents strictly, with errors that say where.
 *
 * Every check takes the reader and a path such as "edges[3]", and returns false after it has filled
 * in the error: "world.json: edges[3][2]: expected a weight of 0 or more, found -1". */
#ifndef SONDE_BASE_JSON_H
#define SONDE_BASE_JSON_H

#include <jansson.h>

#include "base/status.h"

typedef struct {
    const char *origin; /* the file, for errors */
    sonde_error *error;
    sonde_status status; /* of the first check that failed */
    json_t *root;
} sonde__reader;

/* Opens a document from a file ("-": standard input), gzip-compressed or not, or from memory.
 * Refuses more than 1 GiB. */
sonde_status sonde__json_open(sonde__reader *reader, const char *path, sonde_error *error);
sonde_status sonde__json_parse(sonde__reader *reader, const sonde_source *source,
                               sonde_error *error);
void sonde__json_close(sonde__reader *reader);
/* The text of a file as it is; the caller frees `data`, which starts as NULL, also on failure. */
sonde_status sonde__json_slurp(const char *path, char **data, size_t *size, sonde_error *error);

/* A place in the document, as text. */
typedef struct {
    char text[128];
} sonde__path;
sonde__path sonde__at(const char *format, ...) SONDE_PRINTF(1, 2);

/* "ORIGIN: PATH: expected EXPECTED, found WHAT IS THERE"; returns false. */
bool sonde__json_expected(sonde__reader *reader, const char *path, const char *expected,
                          const json_t *found);
/* "ORIGIN: ..." with a sentence of one's own; returns false. */
bool sonde__json_wrong(sonde__reader *reader, const char *format, ...) SONDE_PRINTF(2, 3);

/* Nothing but the keys of the list, a function like those of sonde_name_find. */
bool sonde__json_keys(sonde__reader *reader, const json_t *object, const char *(*key)(int32_t));
/* "format" and "version", which every document of ours opens with. */
bool sonde__json_format(sonde__reader *reader, const char *format, int32_t version);
/* A whole number from `least` to `most`. */
bool sonde__json_whole(sonde__reader *reader, const char *path, const json_t *value, int64_t least,
                       int64_t most, int32_t *out);
/* A number of `least` or more. */
bool sonde__json_number(sonde__reader *reader, const char *path, const json_t *value, double least,
                        double *out);

#endif
