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

#endif
