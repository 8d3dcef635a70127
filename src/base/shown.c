/* shown.c: text that others wrote, made harmless where people see it.
 *
 * File names, keys and names come from anybody. What a terminal would obey (control characters,
 * those of eight bits, too) or be led astray by (marks that turn the direction of writing) is
 * shown as an escape: \x1b, or \u202e beyond ASCII. A byte that is no part of a character is shown
 * as \x and its number. */
#include "base/shown.h"

#include <stdio.h>
#include <string.h>

int sonde__character(const char *s, uint32_t *code) {
    const unsigned char *c = (const unsigned char *)s;
    const int length = *c < 0x80    ? 1
                       : *c >= 0xF5 ? 0
                       : *c >= 0xF0 ? 4
                       : *c >= 0xE0 ? 3
                       : *c >= 0xC2 ? 2
                                    : 0;
    *code = length == 1 ? *c : *c & (0x7Fu >> length);
    for (int i = 1; i < length; i++) {
        if ((c[i] & 0xC0) != 0x80) {
            return 0;
        }
        *code = *code << 6 | (c[i] & 0x3Fu);
    }
    const bool overlong = (length == 3 && *code < 0x800) || (length == 4 && *code < 0x10000);
    const bool surrogate = *code >= 0xD800 && *code < 0xE000;
    return overlong || surrogate || *code > 0x10FFFF ? 0 : length;
}

bool sonde__is_control(uint32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || /* of seven bits, and of eight */
           (code >= 0x2028 && code <= 0x202E) ||           /* ends of lines; turned directions, */
           (code >= 0x2066 && code <= 0x2069) ||           /* and isolated ones */
           (code & 0xFFFE) == 0xFFFE;                      /* no characters, says Unicode */
}

int sonde__cut(const char *text, size_t most) {
    size_t n = strnlen(text, most + 1);
    if (n <= most) {
        return (int)n;
    }
    n = most;
    while (n > 0 && most - n < 3 && ((unsigned char)text[n] & 0xC0) == 0x80) {
        n--;
    }
    return (int)n;
}

int sonde__show_character(const char *s, char shown[SONDE__SHOWN]) {
    uint32_t code = 0;
    const int length = sonde__character(s, &code);
    if (length == 0 || code < 0x80) {
        const unsigned byte = (unsigned char)*s;
        const bool plain = length > 0 && !sonde__is_control(code);
        (void)snprintf(shown, SONDE__SHOWN, plain ? "%c" : "\\x%02x", byte);
        return 1;
    }
    if (sonde__is_control(code)) {
        /* those beyond 16 bits take six digits */
        (void)snprintf(shown, SONDE__SHOWN, code <= 0xFFFF ? "\\u%04x" : "\\U%06x", (unsigned)code);
    } else {
        memcpy(shown, s, (size_t)length);
        shown[length] = '\0';
    }
    return length;
}

void sonde__show(const char *text, char *to, size_t size) {
    char shown[SONDE__SHOWN];
    size_t used = 0;
    while (*text != '\0') {
        text += sonde__show_character(text, shown);
        const size_t n = strlen(shown);
        if (used + n + 1 > size) {
            break;
        }
        memcpy(to + used, shown, n);
        used += n;
    }
    to[used] = '\0';
}

const char *sonde__csv_guard(const char *words) {
    return *words != '\0' && strchr("=+-@\t\r\n", *words) != NULL ? "'" : "";
}
