/* document.c: the words that all JSON documents are made of.
 *
 * A document is written from left to right into a text and never held as a tree, so that a list of
 * millions of policies flows through little memory. Numbers go through sonde_text_add_number and
 * read back to the same double. JSON readers hold whole numbers exactly up to 2^53 only; larger
 * ones become strings, so that nobody loses digits without noticing. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "document/document_internal.h"

void sonde__document_open(sonde_text *json, const char *verb, const char *command) {
    sonde_text_add(json, "{\"sonde\": ");
    sonde_text_add_quoted(json, sonde_version());
    sonde_text_add(json, ", \"verb\": \"%s\", \"sign\": \"G\"", verb);
    if (command != NULL) {
        sonde__document_key(json, "command");
        sonde_text_add_quoted(json, command);
    }
}

void sonde__document_key(sonde_text *json, const char *key) {
    sonde_text_add(json, ",\n \"%s\": ", key);
}

void sonde__document_close(sonde_text *json) {
    sonde_text_add(json, "}\n");
}

void sonde__document_integers(sonde_text *json, const int32_t *value, int32_t n) {
    sonde_text_add(json, "[");
    for (int32_t i = 0; i < n; i++) {
        sonde_text_add(json, "%s%" PRId32, i > 0 ? ", " : "", value[i]);
    }
    sonde_text_add(json, "]");
}

void sonde__document_index(sonde_text *json, uint64_t index) {
    const char *quote = index > SONDE__EXACT_MAX ? "\"" : "";
    sonde_text_add(json, "%s%" PRIu64 "%s", quote, index, quote);
}

/* d.dddddddddddddddde+xx, with a point whatever the locale puts between the digits. */
static void add_17_digits(sonde_text *json, double real) {
    char text[64];
    snprintf(text, sizeof text, "%.16e", real);
    const char *rest = text + 1;
    while (*rest != '\0' && (*rest < '0' || *rest > '9')) {
        rest++;
    }
    sonde_text_add(json, "\"%c.%s\"", text[0], rest);
}

void sonde__document_count(sonde_text *json, uint64_t count, double real) {
    if (count <= SONDE__EXACT_MAX) {
        sonde_text_add(json, "%" PRIu64, count);
    } else if (isfinite(real)) {
        add_17_digits(json, real);
    } else {
        sonde_text_add(json, "\"Infinity\"");
    }
}

void sonde__document_terms(sonde_text *json, const sonde_efe *efe, bool novel) {
    sonde_text_add(json, "\"efe\": ");
    sonde_text_add_number(json, efe->efe);
#define ADD(code, name)                                                                            \
    if ((code) != SONDE_NOVELTY || novel) {                                                        \
        sonde_text_add(json, ", \"%s\": ", name);                                                  \
        sonde_text_add_number(json, efe->term[code]);                                              \
    }
    SONDE_TERM_LIST(ADD)
#undef ADD
}

void sonde__document_scope(sonde_text *json, int32_t origin) {
    const sonde_scope scope = origin == SONDE_EVERYWHERE ? SONDE_GLOBAL : SONDE_LOCAL;
    sonde_text_add_quoted(json, sonde_scope_name((int32_t)scope));
}

bool sonde__document_scoped(const sonde_model *model) {
    return (sonde_setting_at(sonde_setting_find("scope"))->kinds & sonde_model_kind(model)) != 0;
}

const sonde__writer *sonde__writer_of(const sonde_model *model) {
    static const sonde__writer *const writer[] = {
        [SONDE__OF_GRAPHS] = &sonde__writer_graphs, [SONDE__OF_FACTORS] = &sonde__writer_factors};
    return writer[sonde__kind(model)];
}
