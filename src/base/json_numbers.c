/* json_numbers.c: large arrays of numbers, read from a JSON document without jansson.
 *
 * jansson keeps a number in 32 bytes and each short list in a hundred more; a model's arrays would
 * take ten times their size and most of the reading time. So a first pass walks through the text,
 * skips what it does not care about, and reads the arrays itself, 8 bytes a number. It knows just
 * enough of JSON for that, and stops without a word where the text is no JSON: jansson comes next,
 * meets the same place, and says what is wrong with it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"

/* a walk through the text */
typedef struct {
    sonde__reader *reader;
    const sonde_source *source;
    const char *(*key)(int32_t);
    const char *text; /* (size) */
    size_t size;
    size_t at;
    uint64_t memory;  /* bytes that numbers may still take */
    int32_t capacity; /* of reader->numbers */
    int64_t room;     /* of the values of the last of them */
    int64_t index[SONDE__AXES];
} walk;

/* ---------------------------------------------------------------------------------- skipping -- */

static void skip_space(walk *w) {
    while (w->at < w->size && (w->text[w->at] == ' ' || w->text[w->at] == '\n' ||
                               w->text[w->at] == '\t' || w->text[w->at] == '\r')) {
        w->at++;
    }
}

/* The next character that is no space, 0 at the end. */
static char peek(walk *w) {
    skip_space(w);
    return w->at < w->size ? w->text[w->at] : '\0';
}

/* Steps over one character, if it is there. */
static bool step(walk *w, char c) {
    if (peek(w) != c) {
        return false;
    }
    w->at++;
    return true;
}

/* Steps over a string; its letters, without the quotes, are from `from` to `to`. */
static bool step_string(walk *w, size_t *from, size_t *to) {
    if (!step(w, '"')) {
        return false;
    }
    *from = w->at;
    while (w->at < w->size && w->text[w->at] != '"') {
        w->at += w->text[w->at] == '\\' ? 2 : 1;
    }
    *to = w->at++;
    return w->at <= w->size;
}

/* Steps over a value of any kind, up to the comma or bracket behind it. */
static bool step_value(walk *w) {
    int64_t depth = 0;
    for (;;) {
        const char c = peek(w);
        const bool closes = c == ']' || c == '}';
        if (c == '\0' || (depth == 0 && (c == ',' || closes))) {
            return c != '\0';
        }
        if (c == '"') {
            size_t from = 0;
            size_t to = 0;
            if (!step_string(w, &from, &to)) {
                return false;
            }
            continue;
        }
        depth += (c == '[' || c == '{') - closes;
        w->at++;
    }
}

/* ----------------------------------------------------------------------------------- numbers -- */

/* Whether there is a number as JSON writes them, which ends before the text does; where it ends. */
static bool find_number(const walk *w, size_t *end) {
    size_t i = w->at;
    const char *t = w->text;
    i += i < w->size && t[i] == '-';
    const size_t first = i;
    while (i < w->size && t[i] >= '0' && t[i] <= '9') {
        i++;
    }
    if (i == first || (t[first] == '0' && i > first + 1)) {
        return false;
    }
    if (i < w->size && t[i] == '.') {
        const size_t point = i++;
        while (i < w->size && t[i] >= '0' && t[i] <= '9') {
            i++;
        }
        if (i == point + 1) {
            return false;
        }
    }
    if (i < w->size && (t[i] == 'e' || t[i] == 'E')) {
        i++;
        i += i < w->size && (t[i] == '+' || t[i] == '-');
        const size_t exponent = i;
        while (i < w->size && t[i] >= '0' && t[i] <= '9') {
            i++;
        }
        if (i == exponent) {
            return false;
        }
    }
    *end = i;
    return i < w->size;
}

static bool fail(walk *w, sonde_status status) {
    w->reader->status = status;
    return false;
}

/* Room for one more value; what is asked for doubles each time. */
static bool make_room(walk *w, sonde__numbers *numbers) {
    if (numbers->n < w->room) {
        return true;
    }
    const int64_t room = w->room > 0 ? 2 * w->room : 16;
    if ((uint64_t)numbers->n * sizeof(double) > w->memory) {
        return fail(w, sonde__fail(w->reader->error, SONDE_TOO_LARGE,
                                   "%s: its numbers need more than the %.3g GB of memory that are "
                                   "allowed; allow more",
                                   w->source->origin, (double)w->memory / 1e9));
    }
    double *value = sonde__resize(numbers->value, (size_t)room * sizeof *value);
    if (value == NULL) {
        return fail(w, sonde__fail_memory(w->reader->error, w->source->origin,
                                          (uint64_t)room * sizeof *value));
    }
    numbers->value = value;
    w->room = room;
    return true;
}

/* KEY[item][i][j] down to `depth` indices. */
static sonde__path path_of(const walk *w, const sonde__numbers *numbers, int32_t depth) {
    static const char *const part[] = {"", ".shape", ".entries"};
    sonde__path path =
        sonde__at("%s[%d]%s", w->key(numbers->key), numbers->item, part[numbers->part]);
    for (int32_t d = 0; d < depth && d < 8; d++) {
        path = sonde__at("%s[%lld]", path.text, (long long)w->index[d]);
    }
    return path;
}

/* "FILE: line 3: B[0][2]: expected ..., found ..." */
static bool wrong(walk *w, const sonde__numbers *numbers, int32_t depth, const char *expected,
                  const char *found) {
    int32_t column = 0;
    const int32_t line = sonde__json_line(w->source, w->at, &column);
    return sonde__json_wrong(w->reader, "line %d: %s: expected %s, found %s", line,
                             path_of(w, numbers, depth).text, expected, found);
}

/* One number of the innermost lists. */
static bool take_number(walk *w, sonde__numbers *numbers, int32_t depth) {
    if (numbers->n_axis > 0 && depth != numbers->n_axis) {
        return wrong(w, numbers, depth, "a list", "a number");
    }
    size_t end = 0;
    if (!find_number(w, &end)) {
        return false;
    }
    const double value = strtod(w->text + w->at, NULL);
    if (!isfinite(value) || !make_room(w, numbers)) {
        return false;
    }
    numbers->n_axis = depth;
    numbers->value[numbers->n++] = value;
    w->at = end;
    return true;
}

/* The end of a list: as long as those beside it. */
static bool take_end(walk *w, sonde__numbers *numbers, int32_t depth) {
    const int64_t length = w->index[depth - 1];
    int64_t *size = &numbers->size[depth - 1];
    if (numbers->n_axis == 0) {
        numbers->n_axis = depth; /* an empty list */
    }
    if (*size >= 0 && *size != length) {
        return wrong(w, numbers, depth - 1,
                     sonde__at("a list of %lld, like those beside it", (long long)*size).text,
                     sonde__at("one of %lld", (long long)length).text);
    }
    *size = length;
    w->at++;
    return true;
}

/* Something that is no number, no list and no end. */
static bool take_other(walk *w, const sonde__numbers *numbers, int32_t depth) {
    static const struct {
        const char *begins;
        const char *name;
    } kinds[] = {{"\"", "a text"},
                 {"{", "an object"},
                 {"true", "true"},
                 {"false", "false"},
                 {"null", "null"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t length = strlen(kinds[i].begins);
        if (w->size - w->at >= length && strncmp(w->text + w->at, kinds[i].begins, length) == 0) {
            return wrong(w, numbers, depth, "a number", kinds[i].name);
        }
    }
    return false;
}

/* Nested lists of numbers, all of one shape. */
static bool take_lists(walk *w, sonde__numbers *numbers) {
    int32_t depth = 0;
    bool comma = false; /* whether the next thing needs a comma before it */
    do {
        const char c = peek(w);
        if (c == ']' && depth > 0 && (comma || w->index[depth - 1] == 0)) {
            if (!take_end(w, numbers, depth)) {
                return false;
            }
            depth--;
        } else if (comma) {
            if (c != ',' || depth == 0) {
                return false;
            }
            w->at++;
            comma = false;
            continue;
        } else if (c == '[') {
            if ((numbers->n_axis > 0 && depth >= numbers->n_axis) || depth == SONDE__AXES) {
                return wrong(w, numbers, depth, "a number", "a list");
            }
            w->at++;
            w->index[depth++] = 0;
            continue;
        } else if (c == '-' || (c >= '0' && c <= '9')) {
            if (!take_number(w, numbers, depth)) {
                return false;
            }
        } else {
            return take_other(w, numbers, depth);
        }
        /* one thing more in the list around it */
        if (depth > 0) {
            w->index[depth - 1]++;
        }
        comma = true;
    } while (depth > 0);
    return true;
}

/* Takes the list that comes next out of the document. */
static bool take(walk *w, int32_t key, int32_t item, sonde__part part) {
    sonde__reader *reader = w->reader;
    if (reader->n_numbers == w->capacity) {
        const int32_t capacity = w->capacity > 0 ? 2 * w->capacity : 16;
        sonde__numbers *more =
            sonde__resize(reader->numbers, (size_t)capacity * sizeof *reader->numbers);
        if (more == NULL) {
            return fail(w, sonde__fail_memory(reader->error, w->source->origin,
                                              (uint64_t)capacity * sizeof *more));
        }
        reader->numbers = more;
        w->capacity = capacity;
    }
    sonde__numbers *numbers = &reader->numbers[reader->n_numbers];
    *numbers = (sonde__numbers){.key = key, .item = item, .part = part, .from = w->at};
    for (int32_t d = 0; d < SONDE__AXES; d++) {
        numbers->size[d] = -1;
    }
    w->room = 0;
    if (!take_lists(w, numbers)) {
        sonde__free(numbers->value);
        return false;
    }
    numbers->to = w->at;
    w->memory -= (uint64_t)numbers->n * sizeof(double);
    if (numbers->n > 0) {
        double *fitting = sonde__resize(numbers->value, (size_t)numbers->n * sizeof(double));
        numbers->value = fitting != NULL ? fitting : numbers->value;
    }
    reader->n_numbers++;
    return true;
}

/* -------------------------------------------------------------------------------- the walk -- */

static bool is_word(const walk *w, size_t from, size_t to, const char *word) {
    return to - from == strlen(word) && memcmp(w->text + from, word, to - from) == 0;
}

/* {"shape": [...], "entries": [...]} */
static bool walk_sparse(walk *w, int32_t key, int32_t item) {
    w->at++;
    if (step(w, '}')) {
        return true;
    }
    do {
        size_t from = 0;
        size_t to = 0;
        if (peek(w) != '"' || !step_string(w, &from, &to) || !step(w, ':')) {
            return false;
        }
        const bool entries = is_word(w, from, to, "entries");
        const bool known = entries || is_word(w, from, to, "shape");
        const sonde__part part = entries ? SONDE__NUMBERS_ENTRIES : SONDE__NUMBERS_SHAPE;
        const bool listed = peek(w) == '[';
        if (known && listed ? !take(w, key, item, part) : !step_value(w)) {
            return false;
        }
    } while (step(w, ','));
    return step(w, '}');
}

/* The arrays of a key. */
static bool walk_arrays(walk *w, int32_t key) {
    if (peek(w) != '[') {
        return step_value(w);
    }
    w->at++;
    if (step(w, ']')) {
        return true;
    }
    int32_t item = 0;
    do {
        const char c = peek(w);
        if (c == '['   ? !take(w, key, item, SONDE__NUMBERS_ARRAY)
            : c == '{' ? !walk_sparse(w, key, item)
                       : !step_value(w)) {
            return false;
        }
        if (item++ == INT32_MAX - 1) {
            return false;
        }
    } while (step(w, ','));
    return step(w, ']');
}

/* a word of the text, or of nothing */
typedef struct {
    const char *letters;
    size_t n;
} word;

/* Whether a key is "WORD.something"; a word of a file may have a NUL in it. */
static bool is_within(const char *key, word name) {
    return strlen(key) > name.n && memcmp(key, name.letters, name.n) == 0 && key[name.n] == '.';
}

/* The place of "OUTER.WORD" in the list of keys, or of "WORD"; -1: it is none of them. */
static int32_t find_key(const walk *w, word outer, word name) {
    for (int32_t i = 0; w->key(i) != NULL; i++) {
        const char *key = w->key(i);
        const bool inside = outer.n > 0;
        if (inside && !is_within(key, outer)) {
            continue;
        }
        key += inside ? outer.n + 1 : 0;
        if (strlen(key) == name.n && memcmp(key, name.letters, name.n) == 0) {
            return i;
        }
    }
    return -1;
}

/* Whether the list has keys "WORD.something". */
static bool has_keys(const walk *w, word name) {
    int32_t i = 0;
    while (w->key(i) != NULL && !is_within(w->key(i), name)) {
        i++;
    }
    return w->key(i) != NULL;
}

/* Every pair of an object: the next word is read, and `value` goes on behind its colon. */
static bool walk_object(walk *w, word outer, bool (*value)(walk *w, word outer, word name)) {
    if (!step(w, '{') || step(w, '}')) {
        return w->at > 0 && w->text[w->at - 1] == '}';
    }
    do {
        size_t from = 0;
        size_t to = 0;
        if (!step_string(w, &from, &to) || !step(w, ':') ||
            !value(w, outer, (word){w->text + from, to - from})) {
            return false;
        }
    } while (step(w, ','));
    return step(w, '}');
}

static bool walk_inside(walk *w, word outer, word name) {
    const int32_t key = find_key(w, outer, name);
    return key >= 0 ? walk_arrays(w, key) : step_value(w);
}

static bool walk_top(walk *w, word outer, word name) {
    return has_keys(w, name) && peek(w) == '{' ? walk_object(w, name, walk_inside)
                                               : walk_inside(w, outer, name);
}

sonde__numbers *sonde__json_numbers(sonde__reader *reader, int32_t key, int32_t item,
                                    sonde__part part) {
    /* they are mostly asked for in the order of the text */
    for (int32_t i = 0; i < reader->n_numbers; i++) {
        const int32_t at = (reader->last_numbers + i) % reader->n_numbers;
        sonde__numbers *numbers = &reader->numbers[at];
        if (numbers->key == key && numbers->item == item && numbers->part == part) {
            reader->last_numbers = at;
            return numbers;
        }
    }
    return NULL;
}

sonde_status sonde__json_take_numbers(sonde__reader *reader, const sonde_source *source,
                                      const char *(*key)(int32_t), uint64_t memory) {
    walk w = {.reader = reader,
              .source = source,
              .key = key,
              .text = source->data,
              .size = source->size,
              .memory = memory};
    (void)walk_object(&w, (word){"", 0}, walk_top);
    return reader->status;
}
