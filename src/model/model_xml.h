/* model_xml.h: the elements of an XML document, as far as POMDPX documents have any. */
#ifndef SONDE_MODEL_XML_H
#define SONDE_MODEL_XML_H

#include "model/model_foreign.h"

typedef struct sonde__attribute {
    const char *name;
    const char *value;
    struct sonde__attribute *next;
} sonde__attribute;

typedef struct sonde__element {
    const char *name;
    const char *text; /* between its tags, but for that of other elements; never NULL at the end */
    int32_t line;     /* of its first tag */
    int32_t text_line;
    sonde__attribute *attribute;
    struct sonde__element *parent;
    struct sonde__element *first; /* child */
    struct sonde__element *last;
    struct sonde__element *next; /* sibling */
} sonde__element;

/* The outermost element, or NULL and a sentence. Comments and <? ?> are passed over; entities,
 * CDATA and document types with rules of their own are refused. */
sonde__element *sonde__xml_read(sonde__foreign *f, const sonde_source *source);
/* The first child of a name, or NULL; the next sibling with the same name, or NULL. */
sonde__element *sonde__xml_child(const sonde__element *e, const char *name);
sonde__element *sonde__xml_again(const sonde__element *e);
/* The value of an attribute, or NULL. */
const char *sonde__xml_attribute(const sonde__element *e, const char *name);

/* The words of an element's text, one after the other. */
typedef struct {
    const char *at;
    int32_t line;
} sonde__xml_words;
sonde__xml_words sonde__xml_words_of(const sonde__element *e);
/* The next word and its length, or NULL. */
const char *sonde__xml_word(sonde__xml_words *words, size_t *length);
int32_t sonde__xml_count(const sonde__element *e);

#endif
