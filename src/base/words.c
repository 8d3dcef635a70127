/* words.c: numbers and names as people read them.
 *
 * printf's %f follows the locale of the host program, and a report must not; whole numbers do not,
 * so that a number with decimals is written as two of them. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"

#define DASH "\342\200\223"
#define MINUS "\342\210\222"
#define MICRO "\302\265"
#define ELLIPSIS "\342\200\246"

sonde__word sonde__grouped(int64_t number) {
    char digits[32];
    (void)snprintf(digits, sizeof digits, "%" PRId64, number < 0 ? -number : number);
    sonde__word word = {""};
    size_t n = 0;
    if (number < 0) {
        n = (size_t)snprintf(word.text, sizeof word.text, "%s", MINUS);
    }
    for (size_t left = strlen(digits), i = 0; left > 0; left--, i++) {
        word.text[n++] = digits[i];
        if (left > 1 && left % 3 == 1) {
            word.text[n++] = ',';
        }
    }
    return word;
}

sonde__word sonde__fixed(double number, int32_t n_decimal) {
    int64_t scale = 1;
    for (int32_t i = 0; i < n_decimal; i++) {
        scale *= 10;
    }
    const double scaled = floor(fabs(number) * (double)scale + 0.5);
    if (!(scaled < 9e15)) {
        return (sonde__word){DASH};
    }
    /* the sign first, also where the whole part is 0 */
    const int64_t digits = (int64_t)scaled;
    sonde__word word = sonde__grouped(number < 0.0 ? -(digits / scale) : digits / scale);
    if (number < 0.0 && digits > 0 && digits < scale) {
        word = (sonde__word){MINUS "0"};
    }
    size_t n = strlen(word.text);
    if (n_decimal > 0) {
        word.text[n++] = '.';
    }
    for (int64_t rest = digits % scale; scale > 1; rest %= scale) {
        scale /= 10;
        word.text[n++] = (char)('0' + rest / scale);
    }
    return word;
}

sonde__word sonde__short(double number) {
    int32_t n_decimal = 0;
    double size = fabs(number);
    while (size > 0.0 && size < 99.95 && n_decimal < 6) {
        size *= 10.0;
        n_decimal++;
    }
    return sonde__fixed(number, n_decimal);
}

sonde__word sonde__duration(double seconds) {
    const char *unit = seconds < 1e-3 ? MICRO "s" : seconds < 1.0 ? "ms" : "s";
    const double scale = seconds < 1e-3 ? 1e6 : seconds < 1.0 ? 1e3 : 1.0;
    sonde__word word = {DASH};
    if (isfinite(seconds)) {
        (void)snprintf(word.text, sizeof word.text, "%.30s %s", sonde__short(seconds * scale).text,
                       unit);
    }
    return word;
}

sonde__word sonde__plural(int64_t n, const char *noun) {
    const size_t length = strlen(noun);
    const bool in_y = length > 0 && noun[length - 1] == 'y' && n != 1;
    sonde__word word;
    (void)snprintf(word.text, sizeof word.text, "%.24s %.*s%s", sonde__grouped(n).text,
                   (int)(in_y ? length - 1 : length), noun,
                   in_y     ? "ies"
                   : n == 1 ? ""
                            : "s");
    return word;
}

/* Bytes of the UTF-8 character at `string`, or 0 if there is none that XML allows. */
static int character_at(const char *string) {
    const unsigned char *s = (const unsigned char *)string;
    if (s[0] < 0x80) {
        return s[0] >= 0x20 && s[0] != 0x7f ? 1 : 0;
    }
    const int n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4) {
        return 0;
    }
    uint32_t code = s[0] & (0x7fu >> n);
    for (int i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
        code = code << 6 | (s[i] & 0x3fu);
    }
    const bool overlong = code < (n == 2 ? 0x80u : n == 3 ? 0x800u : 0x10000u);
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    const bool nonchar = (code & 0xfffe) == 0xfffe || code > 0x10ffff;
    return overlong || surrogate || nonchar ? 0 : n;
}

void sonde__html(sonde_text *text, const char *string) {
    while (*string != '\0') {
        const int n = character_at(string);
        switch (*string) {
        case '&': sonde_text_add(text, "&amp;"); break;
        case '<': sonde_text_add(text, "&lt;"); break;
        case '>': sonde_text_add(text, "&gt;"); break;
        case '"': sonde_text_add(text, "&quot;"); break;
        default: sonde_text_add(text, "%.*s", n > 0 ? n : 1, n > 0 ? string : "?"); break;
        }
        string += n > 0 ? n : 1;
    }
}

void sonde__words_plain(sonde_text *text, const char *string, int32_t most) {
    /* what the dots stand for is longer than they are */
    const bool fits = sonde__words_count(string) <= most + 1;
    while (*string != '\0' && (fits || most-- > 0)) {
        const int n = character_at(string);
        sonde_text_add(text, "%.*s", n > 0 ? n : 1, n > 0 ? string : "?");
        string += n > 0 ? n : 1;
    }
    sonde_text_add(text, *string != '\0' ? ELLIPSIS : "");
}

int32_t sonde__words_count(const char *text) {
    int32_t n = 0;
    for (const char *s = text; *s != '\0'; s++) {
        const char *end = *s == '&' ? strchr(s, ';') : NULL;
        s = end != NULL ? end : s;
        n += ((unsigned char)*s & 0xc0) != 0x80 ? 1 : 0;
    }
    return n;
}

/* Four significant digits: what a label has room for. */
void sonde__words_weight(double weight, sonde_text *text) {
    char digits[32];
    snprintf(digits, sizeof digits, "%.4g", weight);
    sonde_text_add_number(text, strtod(digits, NULL));
}
