/* text.h: what texts can do besides what is public. */
#ifndef SONDE_BASE_TEXT_H
#define SONDE_BASE_TEXT_H

#include "sonde.h"

/* The largest whole number that every reader of JSON keeps; larger ones are written as strings. */
#define SONDE__EXACT_MAX (UINT64_C(1) << 53)

/* Writes a finite number in the fewest of 15 to 17 digits that read back to the same double, with a
 * point in every locale, and returns where. */
const char *sonde__digits(double number, char *digits, size_t size);
/* Adds a number in so many digits, with a point whatever the host program's locale. */
void sonde__text_add_rounded(sonde_text *text, int n_digit, double number);
/* Inside a JSON object that is open: a key and a number, a whole one, or a string (NULL: null). */
void sonde__text_pair(sonde_text *json, const char *key, double number);
void sonde__text_whole(sonde_text *json, const char *key, int64_t number);
void sonde__text_words(sonde_text *json, const char *key, const char *words);
/* A list of n numbers. */
void sonde__text_numbers(sonde_text *json, const double *number, int32_t n);

#endif
