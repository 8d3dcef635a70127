/* document.h: JSON documents that verbs read for themselves. */
#ifndef SONDE_CLI_DOCUMENT_H
#define SONDE_CLI_DOCUMENT_H

#include <jansson.h>

#include "sonde.h"

/* Reads a document; "-" is standard input. The caller gives `root` back to jansson. */
sonde_status document_read(const char *file, json_t **root, sonde_error *error);
/* The same for a text in memory. */
sonde_status document_parse(const sonde_source *source, json_t **root, sonde_error *error);
/* Appends a value as text, whose failure says that there was no memory. */
void document_write(const json_t *root, sonde_text *text);

#endif
