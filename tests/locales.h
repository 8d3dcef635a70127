/* locales.h: locales whose decimal point is no point. */
#ifndef TESTS_LOCALES_H
#define TESTS_LOCALES_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lets localedef make a locale of nothing but a decimal point, in SONDE_TEST_TMP, and sets it. */
static inline bool make_locale(const char *name, const char *point, const char *charmap) {
    char source[512];
    char command[2048];
    (void)snprintf(source, sizeof source, "%s/%s.source", SONDE_TEST_TMP, name);
    FILE *file = fopen(source, "w");
    if (file == NULL) {
        return false;
    }
    (void)fprintf(file,
                  "comment_char %%\nescape_char /\nLC_NUMERIC\ndecimal_point \"%s\"\n"
                  "thousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n",
                  point);
    (void)fclose(file);
    (void)snprintf(command, sizeof command,
                   "localedef -c --no-archive -i %s -f %s %s/%s >/dev/null 2>&1", source, charmap,
                   SONDE_TEST_TMP, name);
    const int made = system(command); /* warns of all that the locale does not say */
    return made >= 0 && setenv("LOCPATH", SONDE_TEST_TMP, 1) == 0 &&
           setlocale(LC_NUMERIC, name) != NULL && strcmp(localeconv()->decimal_point, ".") != 0;
}

/* A comma; false if there is no way to have one. */
static inline bool set_comma_locale(void) {
    return setlocale(LC_ALL, "de_DE.UTF-8") != NULL || setlocale(LC_ALL, "fr_FR.UTF-8") != NULL ||
           make_locale("comma", ",", "ANSI_X3.4-1968");
}

/* The Arabic decimal separator, which is two bytes long. */
static inline bool set_arabic_locale(void) {
    return make_locale("arabic", "<U066B>", "UTF-8");
}

static inline void reset_locale(void) {
    (void)setlocale(LC_ALL, "C");
}

#endif
