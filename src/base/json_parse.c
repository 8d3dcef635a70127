/* json_parse.c: a text as jansson's values, without jansson's own reader.
 *
 * That reader does not survive memory that is refused in the middle of a word: an assertion fails,
 * or bytes are written past the end of a block. Here every request is looked at. What is accepted,
 * and the words for what is not, are jansson's (RFC 8259 strictly, 2,048 levels, whole numbers of
 * 64 bits, no key twice, no NUL in a word), so that nobody notices but a program without memory.
 *
 * The lists of numbers that were taken out before (json_numbers.c) are empty lists here. */
#include "base/json_parse.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/shown.h"

enum { LEVELS = 2048, NEAR = 20 };

/* what the next character can be besides itself */
enum { END = -1, WRONG = -2 };

typedef enum {
    TOKEN_END,
    TOKEN_WRONG,
    TOKEN_STRING,
    TOKEN_WHOLE,
    TOKEN_REAL,
    TOKEN_TRUE,
    TOKEN_FALSE,
    TOKEN_NULL,
    TOKEN_EMPTY, /* a list whose numbers were taken out */
    TOKEN_SIGN,  /* one of { } [ ] : , */
} token_kind;

typedef struct {
    const sonde_source *source;
    const sonde__numbers *numbers; /* (n_numbers) taken out */
    int32_t n_numbers;
    int32_t next_numbers;
    size_t at;     /* what has been read */
    size_t before; /* the same before the last character */
    size_t begin;  /* of the token */
    size_t end;
    token_kind token;
    char sign;
    char *word; /* of a string, without escapes; room for `capacity` */
    size_t length;
    size_t capacity;
    json_int_t whole;
    double real;
    int32_t level;
    sonde__json_problem *problem;
} parser;

/* ---------------------------------------------------------------------------------- errors -- */

/* The first problem is the one that is told; memory before all others. */
static void no_room(parser *p) {
    p->problem->memory = true;
}

static void SONDE_PRINTF(2, 3) complain(parser *p, const char *format, ...) {
    sonde__json_problem *problem = p->problem;
    if (problem->text[0] != '\0' || problem->memory) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(problem->text, sizeof problem->text, format, arguments);
    va_end(arguments);
    const size_t n = strlen(problem->text);
    const size_t room = sizeof problem->text - n;
    const char *near = p->source->data + p->begin;
    const size_t length = p->end - p->begin;
    if (length > 0 && near[0] != '\0') {
        const int shown = (int)strnlen(near, length);
        if (length <= NEAR) {
            (void)snprintf(problem->text + n, room, " near '%.*s'", shown, near);
        }
    } else if (!problem->broken) {
        (void)snprintf(problem->text + n, room, " near end of file");
    }
    problem->at = p->at;
}

/* ------------------------------------------------------------------------------ characters -- */

/* How many bytes the character at `at` has; 0: it is none. */
static size_t width(const parser *p, size_t at) {
    char bytes[5] = {0};
    uint32_t code = 0;
    const size_t left = p->source->size - at;
    memcpy(bytes, p->source->data + at, left < 4 ? left : 4);
    return (size_t)sonde__character(bytes, &code);
}

/* The first byte of the next character, which is then part of the token; END; WRONG. */
static int get(parser *p) {
    p->before = p->at;
    if (p->problem->broken) {
        return WRONG;
    }
    if (p->at >= p->source->size) {
        return END;
    }
    const int c = (unsigned char)p->source->data[p->at];
    const size_t n = c < 0x80 ? 1 : width(p, p->at);
    if (n == 0) {
        p->problem->broken = true;
        complain(p, "unable to decode byte 0x%x", (unsigned)c);
        return WRONG;
    }
    p->at += n;
    p->end = p->at;
    return c;
}

/* Takes the last character back. */
static void unget(parser *p) {
    p->at = p->before;
    p->end = p->end > p->at ? p->at : p->end;
}

static bool is_digit(int c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(int c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool is_hex(int c) {
    return is_digit(c) || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
}

/* ----------------------------------------------------------------------------------- words -- */

static bool make_room(parser *p, size_t size) {
    if (size <= p->capacity) {
        return true;
    }
    const size_t capacity = size < 128 ? 256 : 2 * size;
    char *word = sonde__resize(p->word, capacity);
    if (word == NULL) {
        no_room(p);
        return false;
    }
    p->word = word;
    p->capacity = capacity;
    return true;
}

/* The four digits of \uXXXX, which are there. */
static int32_t read_hex(const char *digits) {
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        const int c = (unsigned char)digits[i];
        value = value * 16 + (is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return value;
}

static char *write_character(char *to, int32_t code) {
    const uint32_t c = (uint32_t)code;
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xC0 | c >> 6);
        *to++ = (char)(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        *to++ = (char)(0xE0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 0x3F));
        *to++ = (char)(0x80 | (c & 0x3F));
    } else {
        *to++ = (char)(0xF0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 0x3F));
        *to++ = (char)(0x80 | (c >> 6 & 0x3F));
        *to++ = (char)(0x80 | (c & 0x3F));
    }
    return to;
}

/* The character that "uXXXX", perhaps with another half behind it, stands for, or -1; `from` moves
 * on. */
static int32_t read_code(parser *p, const char **from) {
    int32_t code = read_hex(*from + 1);
    *from += 5;
    if (code >= 0xDC00 && code <= 0xDFFF) {
        complain(p, "invalid Unicode '\\u%04X'", (unsigned)code);
        return -1;
    }
    if (code < 0xD800 || code > 0xDFFF) {
        return code;
    }
    if ((*from)[0] != '\\' || (*from)[1] != 'u') {
        complain(p, "invalid Unicode '\\u%04X'", (unsigned)code);
        return -1;
    }
    const int32_t other = read_hex(*from + 2);
    *from += 6;
    if (other < 0xDC00 || other > 0xDFFF) {
        complain(p, "invalid Unicode '\\u%04X\\u%04X'", (unsigned)code, (unsigned)other);
        return -1;
    }
    return ((code - 0xD800) << 10) + (other - 0xDC00) + 0x10000;
}

/* The string between the quotes of the token, with every escape read. */
static bool unescape(parser *p) {
    static const char letters[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    if (!make_room(p, p->end - p->begin)) {
        return false;
    }
    const char *from = p->source->data + p->begin + 1;
    const char *end = p->source->data + p->end - 1;
    char *to = p->word;
    while (from < end) {
        if (*from != '\\') {
            *to++ = *from++;
        } else if (from[1] != 'u') {
            *to++ = meant[strchr(letters, from[1]) - letters];
            from += 2;
        } else {
            from++;
            const int32_t code = read_code(p, &from);
            if (code < 0) {
                return false;
            }
            to = write_character(to, code);
        }
    }
    *to = '\0';
    p->length = (size_t)(to - p->word);
    return true;
}

/* What follows a backslash. */
static bool scan_escape(parser *p) {
    int c = get(p);
    if (c == 'u') {
        for (int i = 0; i < 4; i++) {
            if (!is_hex(get(p))) {
                complain(p, "invalid escape");
                return false;
            }
        }
        return true;
    }
    if (c <= 0 || strchr("\"\\/bfnrt", c) == NULL) {
        complain(p, "invalid escape");
        return false;
    }
    return true;
}

static token_kind scan_string(parser *p) {
    for (int c = get(p); c != '"'; c = get(p)) {
        if (c == WRONG) {
            return TOKEN_WRONG;
        }
        if (c == END) {
            complain(p, "premature end of input");
            return TOKEN_WRONG;
        }
        if (c <= 0x1F) {
            unget(p);
            if (c == '\n') {
                complain(p, "unexpected newline");
            } else {
                complain(p, "control character 0x%x", (unsigned)c);
            }
            return TOKEN_WRONG;
        }
        if (c == '\\' && !scan_escape(p)) {
            return TOKEN_WRONG;
        }
    }
    return unescape(p) ? TOKEN_STRING : TOKEN_WRONG;
}

/* --------------------------------------------------------------------------------- numbers -- */

static int skip_digits(parser *p) {
    int c = get(p);
    while (is_digit(c)) {
        c = get(p);
    }
    return c;
}

/* The token's digits, ending in zero. */
static const char *digits_of(parser *p) {
    const size_t n = p->end - p->begin;
    if (!make_room(p, n + 1)) {
        return NULL;
    }
    memcpy(p->word, p->source->data + p->begin, n);
    p->word[n] = '\0';
    return p->word;
}

static token_kind read_whole(parser *p) {
    const char *digits = digits_of(p);
    if (digits == NULL) {
        return TOKEN_WRONG;
    }
    errno = 0;
    p->whole = strtoll(digits, NULL, 10);
    if (errno == ERANGE) {
        complain(p, p->whole < 0 ? "too big negative integer" : "too big integer");
        return TOKEN_WRONG;
    }
    return TOKEN_WHOLE;
}

static token_kind read_real(parser *p) {
    const char *digits = digits_of(p);
    if (digits == NULL) {
        return TOKEN_WRONG;
    }
    char *end = NULL;
    errno = 0;
    p->real = strtod(digits, &end);
    if (*end != '\0') { /* only a locale that could not be put aside, for want of memory */
        no_room(p);
        return TOKEN_WRONG;
    }
    if (isinf(p->real) && errno == ERANGE) {
        complain(p, "real number overflow");
        return TOKEN_WRONG;
    }
    return TOKEN_REAL;
}

/* The part behind the point, if there is one; false if it has no digit. */
static bool scan_fraction(parser *p, int *c) {
    if (*c != '.') {
        return true;
    }
    *c = get(p);
    if (!is_digit(*c)) {
        unget(p);
        return false;
    }
    *c = skip_digits(p);
    return true;
}

static bool scan_exponent(parser *p, int *c) {
    if (*c != 'e' && *c != 'E') {
        return true;
    }
    *c = get(p);
    if (*c == '+' || *c == '-') {
        *c = get(p);
    }
    if (!is_digit(*c)) {
        unget(p);
        return false;
    }
    *c = skip_digits(p);
    return true;
}

static token_kind scan_number(parser *p, int c) {
    c = c == '-' ? get(p) : c;
    if (!is_digit(c)) {
        unget(p);
        return TOKEN_WRONG;
    }
    const bool zero = c == '0';
    c = zero ? get(p) : skip_digits(p);
    if (zero && is_digit(c)) {
        unget(p);
        return TOKEN_WRONG;
    }
    const bool real = c == '.' || c == 'e' || c == 'E';
    if (!scan_fraction(p, &c) || !scan_exponent(p, &c)) {
        return TOKEN_WRONG;
    }
    unget(p);
    return real ? read_real(p) : read_whole(p);
}

/* ---------------------------------------------------------------------------------- tokens -- */

static bool is_word(const parser *p, const char *word) {
    const size_t n = strlen(word);
    return p->end - p->begin == n && memcmp(p->source->data + p->begin, word, n) == 0;
}

static token_kind scan_name(parser *p) {
    while (is_letter(get(p))) {
    }
    unget(p);
    return is_word(p, "true")    ? TOKEN_TRUE
           : is_word(p, "false") ? TOKEN_FALSE
           : is_word(p, "null")  ? TOKEN_NULL
                                 : TOKEN_WRONG;
}

static token_kind scan_token(parser *p) {
    const int c = get(p);
    if (c == END || c == WRONG) {
        return c == END ? TOKEN_END : TOKEN_WRONG;
    }
    if (c == '"') {
        return scan_string(p);
    }
    if (is_digit(c) || c == '-') {
        return scan_number(p, c);
    }
    if (is_letter(c)) {
        return scan_name(p);
    }
    p->sign = (char)c;
    return c > 0 && strchr("{}[]:,", c) != NULL ? TOKEN_SIGN : TOKEN_WRONG;
}

static void scan(parser *p) {
    const char *data = p->source->data;
    while (p->at < p->source->size && (data[p->at] == ' ' || data[p->at] == '\t' ||
                                       data[p->at] == '\n' || data[p->at] == '\r')) {
        p->at++;
    }
    p->begin = p->end = p->at;
    p->sign = '\0';
    if (p->next_numbers < p->n_numbers && p->numbers[p->next_numbers].from == p->at) {
        p->end = p->at + 1;
        p->at = p->numbers[p->next_numbers++].to;
        p->token = TOKEN_EMPTY;
        return;
    }
    p->token = scan_token(p);
}

static bool is_sign(const parser *p, char sign) {
    return p->token == TOKEN_SIGN && p->sign == sign;
}

/* ---------------------------------------------------------------------------------- values -- */

static json_t *parse_value(parser *p);

/* A value that was made, or no memory for it. */
static json_t *made(parser *p, json_t *value) {
    if (value == NULL) {
        no_room(p);
    }
    return value;
}

/* The key at hand, for as long as the value is read; NULL if it cannot be one. */
static char *take_key(parser *p, const json_t *object) {
    if (p->token != TOKEN_STRING) {
        complain(p, "string or '}' expected");
        return NULL;
    }
    if (memchr(p->word, '\0', p->length) != NULL) {
        complain(p, "NUL byte in object key not supported");
        return NULL;
    }
    if (json_object_get(object, p->word) != NULL) {
        complain(p, "duplicate object key");
        return NULL;
    }
    char *key = sonde__alloc(p->length + 1);
    if (key == NULL) {
        no_room(p);
        return NULL;
    }
    memcpy(key, p->word, p->length + 1);
    return key;
}

/* "key": value */
static bool parse_member(parser *p, json_t *object) {
    char *key = take_key(p, object);
    if (key == NULL) {
        return false;
    }
    json_t *value = NULL;
    scan(p);
    if (!is_sign(p, ':')) {
        complain(p, "':' expected");
    } else {
        scan(p);
        value = parse_value(p);
    }
    bool put = false;
    if (value != NULL) {
        put = json_object_set_new_nocheck(object, key, value) == 0;
        p->problem->memory = p->problem->memory || !put;
    }
    sonde__free(key);
    return put;
}

static bool parse_members(parser *p, json_t *object) {
    scan(p);
    if (is_sign(p, '}')) {
        return true;
    }
    for (;;) {
        if (!parse_member(p, object)) {
            return false;
        }
        scan(p);
        if (!is_sign(p, ',')) {
            break;
        }
        scan(p);
    }
    if (!is_sign(p, '}')) {
        complain(p, "'}' expected");
    }
    return is_sign(p, '}');
}

static bool parse_items(parser *p, json_t *array) {
    scan(p);
    if (is_sign(p, ']')) {
        return true;
    }
    while (p->token != TOKEN_END) {
        json_t *item = parse_value(p);
        if (item == NULL) {
            return false;
        }
        if (json_array_append_new(array, item) != 0) {
            no_room(p);
            return false;
        }
        scan(p);
        if (!is_sign(p, ',')) {
            break;
        }
        scan(p);
    }
    if (!is_sign(p, ']')) {
        complain(p, "']' expected");
    }
    return is_sign(p, ']');
}

/* An object or an array, whole or not at all. */
static json_t *parse_many(parser *p) {
    const bool object = p->sign == '{';
    json_t *many = made(p, object ? json_object() : json_array());
    if (many == NULL) {
        return NULL;
    }
    if (!(object ? parse_members(p, many) : parse_items(p, many))) {
        json_decref(many);
        return NULL;
    }
    return many;
}

static json_t *parse_string(parser *p) {
    if (memchr(p->word, '\0', p->length) != NULL) {
        complain(p, "\\u0000 is not allowed without JSON_ALLOW_NUL");
        return NULL;
    }
    return made(p, json_string_nocheck(p->word));
}

static json_t *parse_any(parser *p) {
    switch (p->token) {
    case TOKEN_STRING: return parse_string(p);
    case TOKEN_WHOLE: return made(p, json_integer(p->whole));
    case TOKEN_REAL: return made(p, json_real(p->real));
    case TOKEN_TRUE: return json_true();
    case TOKEN_FALSE: return json_false();
    case TOKEN_NULL: return json_null();
    case TOKEN_EMPTY: return made(p, json_array());
    case TOKEN_WRONG: complain(p, "invalid token"); return NULL;
    default:
        if (is_sign(p, '{') || is_sign(p, '[')) {
            return parse_many(p);
        }
        complain(p, "unexpected token");
        return NULL;
    }
}

static json_t *parse_value(parser *p) {
    p->level++;
    if (p->level > LEVELS) {
        complain(p, "maximum parsing depth reached");
        return NULL;
    }
    json_t *value = parse_any(p);
    p->level--;
    return value;
}

static json_t *parse_document(parser *p) {
    scan(p);
    if (!is_sign(p, '{') && !is_sign(p, '[') && p->token != TOKEN_EMPTY) {
        complain(p, "'[' or '{' expected");
        return NULL;
    }
    json_t *root = parse_value(p);
    if (root == NULL) {
        return NULL;
    }
    scan(p);
    if (p->token != TOKEN_END) {
        complain(p, "end of file expected");
        json_decref(root);
        return NULL;
    }
    return root;
}

json_t *sonde__json_parse_text(const sonde_source *source, const sonde__numbers *numbers,
                               int32_t n_numbers, sonde__json_problem *problem) {
    *problem = (sonde__json_problem){0};
    parser p = {.source = source, .numbers = numbers, .n_numbers = n_numbers, .problem = problem};
    json_t *root = parse_document(&p);
    sonde__free(p.word);
    return root;
}
