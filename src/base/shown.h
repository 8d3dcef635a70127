/* shown.h: text that others wrote, made harmless where people see it. */
#ifndef SONDE_BASE_SHOWN_H
#define SONDE_BASE_SHOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the UTF-8 character at `s`, and its code; 0 if there is none. */
int sonde__character(const char *s, uint32_t *code);
/* Whether a character does something else than stand where it is: a terminal obeys it, it turns
 * the direction of what follows, or a page may not hold it. */
bool sonde__is_control(uint32_t code);
/* Bytes of the longest beginning of a text that has at most so many, and no character cut in
 * two. */
int sonde__cut(const char *text, size_t most);
/* Writes the character at `s`, escaped if it is none or a control character, and a closing zero;
 * returns how many bytes of the text it took. */
enum { SONDE__SHOWN = 9 };
int sonde__show_character(const char *s, char shown[SONDE__SHOWN]);
/* Puts all of a text into `to` (size), each character as above, as many as there is room for. */
void sonde__show(const char *text, char *to, size_t size);

/* What stands before the words of a table's field, as CSV: an apostrophe where a spreadsheet
 * would take them for a formula (=, +, -, @, a tab, a line's end), otherwise nothing. Numbers
 * are not words. */
const char *sonde__csv_guard(const char *words);

#endif
