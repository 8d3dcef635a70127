/* model_pomdp_lines.c: words and numbers of a .POMDP file, one after the other.
 *
 * Blanks and line ends separate, # begins a comment that goes to the end of its line. A sign
 * belongs to the number behind it, with blanks between them or not. */
#include "model/model_pomdp_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/shown.h"

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

static char peek(const sonde__pomdp_lines *l) {
    return l->at < l->end ? *l->at : '\0';
}

static void skip_blanks(sonde__pomdp_lines *l) {
    bool comment = false;
    while (l->at < l->end && (comment || is_blank(*l->at) || *l->at == '#')) {
        comment = *l->at != '\n' && (comment || *l->at == '#');
        l->line += *l->at == '\n';
        l->at++;
    }
}

/* Takes letters while they are of a kind; false where there are too many. */
static bool take_letters(sonde__pomdp_lines *l, bool (*belongs)(char, char)) {
    size_t n = strlen(l->word);
    char before = n > 0 ? l->word[n - 1] : '\0';
    while (l->at < l->end && belongs(before, *l->at)) {
        if (n + 1 >= sizeof l->word) {
            return false;
        }
        before = *l->at++;
        l->word[n++] = before;
    }
    l->word[n] = '\0';
    return true;
}

static bool in_name(char before, char c) {
    (void)before;
    return is_letter(c) || is_digit(c) || c == '_' || c == '-';
}

static bool in_number(char before, char c) {
    return is_digit(c) || is_letter(c) || c == '.' ||
           ((c == '+' || c == '-') && (before == 'e' || before == 'E'));
}

static sonde__pomdp_kind read_number(sonde__pomdp_lines *l) {
    const bool sign = peek(l) == '+' || peek(l) == '-';
    if (sign) {
        l->word[0] = *l->at++;
        l->word[1] = '\0';
        skip_blanks(l);
    }
    const bool fits = take_letters(l, in_number);
    char *end = l->word;
    l->number = fits ? strtod(l->word, &end) : 0.0;
    l->whole = strspn(l->word, "0123456789") == strlen(l->word);
    const bool digits = strspn(l->word + sign, "0123456789.eE+-") == strlen(l->word + sign);
    if (!fits || !digits || end == l->word || *end != '\0' || !isfinite(l->number)) {
        (void)sonde__foreign_wrong(l->file, l->line, "expected a number, found \"%.*s\"",
                                   sonde__cut(l->word, 60), l->word);
        return SONDE__POMDP_WRONG;
    }
    return SONDE__POMDP_NUMBER;
}

static sonde__pomdp_kind read_one(sonde__pomdp_lines *l) {
    const char c = peek(l);
    if (l->at == l->end) {
        return SONDE__POMDP_END;
    }
    if (c == ':' || c == '*') {
        l->word[0] = c;
        l->word[1] = '\0';
        l->at++;
        return c == ':' ? SONDE__POMDP_COLON : SONDE__POMDP_STAR;
    }
    if (is_letter(c)) {
        if (take_letters(l, in_name)) {
            return SONDE__POMDP_NAME;
        }
        (void)sonde__foreign_wrong(l->file, l->line,
                                   "expected a name of fewer than %d letters, found \"%.40s...\"",
                                   SONDE__POMDP_WORD, l->word);
        return SONDE__POMDP_WRONG;
    }
    if (is_digit(c) || c == '.' || c == '+' || c == '-') {
        return read_number(l);
    }
    (void)sonde__foreign_wrong(l->file, l->line,
                               "expected a name, a number, \":\" or \"*\", found the character "
                               "0x%02x",
                               (unsigned)(unsigned char)c);
    return SONDE__POMDP_WRONG;
}

void sonde__pomdp_next(sonde__pomdp_lines *l) {
    skip_blanks(l);
    l->now = l->line;
    l->word[0] = '\0';
    l->kind = l->file->status == SONDE_OK ? read_one(l) : SONDE__POMDP_WRONG;
}

void sonde__pomdp_begin(sonde__pomdp_lines *l, sonde__foreign *file, const sonde_source *source) {
    *l = (sonde__pomdp_lines){
        .file = file, .at = source->data, .end = source->data + source->size, .line = 1};
    sonde__pomdp_next(l);
}

bool sonde__pomdp_expected(sonde__pomdp_lines *l, const char *expected) {
    if (l->kind == SONDE__POMDP_END) {
        return sonde__foreign_wrong(l->file, l->now, "expected %s, found the end of the file",
                                    expected);
    }
    return sonde__foreign_wrong(l->file, l->now, "expected %s, found \"%.*s\"", expected,
                                sonde__cut(l->word, 60), l->word);
}

bool sonde__pomdp_colon(sonde__pomdp_lines *l) {
    if (l->kind != SONDE__POMDP_COLON) {
        return sonde__pomdp_expected(l, "\":\"");
    }
    sonde__pomdp_next(l);
    return true;
}

bool sonde__pomdp_number(sonde__pomdp_lines *l, double least, double most, double *number) {
    if (l->kind != SONDE__POMDP_NUMBER) {
        return sonde__pomdp_expected(l, "a number");
    }
    if (!(l->number >= least && l->number <= most)) {
        return sonde__foreign_wrong(l->file, l->now,
                                    "expected a number from %g to %g, found \"%.*s\"", least, most,
                                    sonde__cut(l->word, 60), l->word);
    }
    *number = l->number;
    sonde__pomdp_next(l);
    return true;
}

bool sonde__pomdp_take(sonde__pomdp_lines *l, const char *word) {
    const bool same = l->kind == SONDE__POMDP_NAME && strcmp(l->word, word) == 0;
    if (same) {
        sonde__pomdp_next(l);
    }
    return same;
}

bool sonde__pomdp_reserved(const sonde__pomdp_lines *l) {
    static const char *const list[] = {
        "discount", "values",   "states", "actions", "observations", "T",       "O",       "R",
        "uniform",  "identity", "reward", "cost",    "start",        "include", "exclude", "reset"};
    for (size_t i = 0; l->kind == SONDE__POMDP_NAME && i < sizeof list / sizeof *list; i++) {
        if (strcmp(l->word, list[i]) == 0) {
            return true;
        }
    }
    return false;
}
