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

sonde_status document_format(const char *origin, json_t *root, const char *format, int32_t version,
                             sonde_error *error) {
    sonde__reader reader = {.origin = origin, .error = error, .root = root};
    return sonde__json_format(&reader, format, version) ? SONDE_OK : reader.status;
}

sonde_status document_keys(const char *origin, const char *path, const json_t *object,
                           const char *(*key)(int32_t), sonde_error *error) {
    sonde__reader reader = {.origin = origin, .error = error};
    return sonde__json_keys_at(&reader, path, object, key) ? SONDE_OK : reader.status;
}

sonde_status document_expected(const char *origin, const char *path, const char *expected,
                               const json_t *found, sonde_error *error) {
    sonde__reader reader = {.origin = origin, .error = error};
    (void)sonde__json_expected(&reader, path, expected, found);
    return reader.status;
}

void document_write(const json_t *root, sonde_text *text) {
    sonde__json_write(root, JSON_REAL_PRECISION(17), text);
}
