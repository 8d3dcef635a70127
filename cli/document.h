/* document.h: JSON documents that verbs read for themselves. */
#ifndef SONDE_CLI_DOCUMENT_H
#define SONDE_CLI_DOCUMENT_H

#include <jansson.h>

#include "sonde.h"

/* Reads a document; "-" is standard input. The caller gives `root` back to jansson. */
sonde_status document_read(const char *file, json_t **root, sonde_error *error);
/* The same for a text in memory. */
sonde_status document_parse(const sonde_source *source, json_t **root, sonde_error *error);
/* Fail with SONDE_BAD_INPUT and a sentence that says where: unless a document has a format and a
 * version; unless an object at `path` has no other keys than those of a list; always, since
 * something else was expected than what is there (NULL: nothing is). */
sonde_status document_format(const char *origin, json_t *root, const char *format, int32_t version,
                             sonde_error *error);
sonde_status document_keys(const char *origin, const char *path, const json_t *object,
                           const char *(*key)(int32_t), sonde_error *error);
sonde_status document_expected(const char *origin, const char *path, const char *expected,
                               const json_t *found, sonde_error *error);
/* Appends a value as text, whose failure says that there was no memory. */
void document_write(const json_t *root, sonde_text *text);

#endif
