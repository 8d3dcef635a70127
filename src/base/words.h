/* words.h: numbers and names as people read them. */
#ifndef SONDE_BASE_WORDS_H
#define SONDE_BASE_WORDS_H

#include <stdint.h>

#include "sonde.h"

/* A few words, by value. */
typedef struct {
    char text[48];
} sonde__word;
/* A number with this many decimals, a point in every locale and a true minus sign; "–" for
 * NaN. */
sonde__word sonde__fixed(double number, int32_t n_decimal);
/* A number with about three digits: 0.0123, 1.23, 12.3, 1,234. */
sonde__word sonde__short(double number);
/* A whole number in groups of three. */
sonde__word sonde__grouped(int64_t number);
/* Seconds in the unit that suits them: 12.3 µs, 4.56 ms, 1.20 s. */
sonde__word sonde__duration(double seconds);
/* "1 graph", "2 graphs". */
sonde__word sonde__plural(int64_t n, const char *noun);
/* Words as HTML wants them. */
void sonde__html(sonde_text *text, const char *string);
/* The first characters of a name, without what XML does not allow, and not escaped. */
void sonde__words_plain(sonde_text *text, const char *string, int32_t most);
/* Characters (not bytes, and an entity counts as one). */
int32_t sonde__words_count(const char *text);
/* A weight, in the four digits that a label has room for. */
void sonde__words_weight(double weight, sonde_text *text);

#endif
