/* json_parse.h: a text as jansson's values, whatever memory is refused. */
#ifndef SONDE_BASE_JSON_PARSE_H
#define SONDE_BASE_JSON_PARSE_H

#include "base/json.h"

/* Why a text could not be read. */
typedef struct {
    bool memory;    /* for want of memory; otherwise: */
    char text[160]; /* what is wrong, in jansson's words */
    size_t at;      /* and where: after so many bytes */
    bool broken;    /* a byte there is no character's */
} sonde__json_problem;

/* The values of a text, which the caller gives back to jansson; NULL where there is a problem. The
 * lists that were taken out, in the order of the text, are empty ones. */
json_t *sonde__json_parse_text(const sonde_source *source, const sonde__numbers *numbers,
                               int32_t n_numbers, sonde__json_problem *problem);

#endif
