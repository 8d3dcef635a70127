/* text.h: what texts can do besides what is public. */
#ifndef SONDE_BASE_TEXT_H
#define SONDE_BASE_TEXT_H

#include "sonde.h"

/* Adds a number in so many digits, with a point whatever the host program's locale. */
void sonde__text_add_rounded(sonde_text *text, int n_digit, double number);

#endif
