/* model_pomdp_lines.h: words and numbers of a .POMDP file, one after the other. */
#ifndef SONDE_MODEL_POMDP_LINES_H
#define SONDE_MODEL_POMDP_LINES_H

#include "model/model_foreign.h"

typedef enum {
    SONDE__POMDP_END,
    SONDE__POMDP_NAME,
    SONDE__POMDP_NUMBER,
    SONDE__POMDP_COLON,
    SONDE__POMDP_STAR,
    SONDE__POMDP_WRONG /* what is none of these; a sentence has been said */
} sonde__pomdp_kind;

enum { SONDE__POMDP_WORD = 256 };
typedef struct {
    sonde__foreign *file;
    const char *at;
    const char *end;
    int32_t line; /* that `at` is on */
    /* the present one */
    sonde__pomdp_kind kind;
    int32_t now; /* its line */
    char word[SONDE__POMDP_WORD];
    double number;
    bool whole; /* a number of digits alone */
} sonde__pomdp_lines;

void sonde__pomdp_begin(sonde__pomdp_lines *l, sonde__foreign *file, const sonde_source *source);
/* Goes on to the next one. */
void sonde__pomdp_next(sonde__pomdp_lines *l);
/* "expected EXPECTED, found what is there"; returns false. */
bool sonde__pomdp_expected(sonde__pomdp_lines *l, const char *expected);
/* Takes a colon, which has to be there. */
bool sonde__pomdp_colon(sonde__pomdp_lines *l);
/* Takes a number between two others. */
bool sonde__pomdp_number(sonde__pomdp_lines *l, double least, double most, double *number);
/* Whether the present word is this one; then it is taken. */
bool sonde__pomdp_take(sonde__pomdp_lines *l, const char *word);
/* Whether it is a word of the language, which is no name. */
bool sonde__pomdp_reserved(const sonde__pomdp_lines *l);

#endif
