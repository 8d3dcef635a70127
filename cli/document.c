/* document.c: JSON documents that verbs read for themselves.
 *
 * They are read as the libraries read theirs, compressed or not, whatever memory is refused:
 * jansson's own reader does not survive that. */
#include "document.h"

#include "base/json.h"

/* Hands the values on; the reader keeps nothing. */
static sonde_status take(sonde__reader *reader, sonde_status status, json_t **root) {
    *root = reader->root;
    reader->root = NULL;
    sonde__json_close(reader);
    return status;
}

sonde_status document_read(const char *file, json_t **root, sonde_error *error) {
    sonde__reader reader = {0};
    return take(&reader, sonde__json_open(&reader, file, error), root);
}

sonde_status document_parse(const sonde_source *source, json_t **root, sonde_error *error) {
    sonde__reader reader = {0};
    return take(&reader, sonde__json_parse(&reader, source, error), root);
}

void document_write(const json_t *root, sonde_text *text) {
    sonde__json_write(root, JSON_REAL_PRECISION(17), text);
}
