/* plain.h: numbers with a point between their digits, whatever the host program's locale. */
#ifndef SONDE_BASE_PLAIN_H
#define SONDE_BASE_PLAIN_H

#include <locale.h>

/* While it is there, this thread reads numbers as C does. */
typedef struct {
    locale_t own; /* 0: the system refused one */
    locale_t before;
} sonde__plain;
static inline sonde__plain sonde__plain_begin(void) {
    sonde__plain plain = {.own = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0)};
    plain.before = plain.own != (locale_t)0 ? uselocale(plain.own) : (locale_t)0;
    return plain;
}
static inline void sonde__plain_end(sonde__plain plain) {
    if (plain.own != (locale_t)0) {
        (void)uselocale(plain.before);
        freelocale(plain.own);
    }
}

#endif
