/* The parser of JSON accepts what jansson accepts and says what jansson says, on texts by hand and
 * on many that chance has damaged. */
#include "base/json_parse.h"
#include "stages.h"

static uint64_t state_of_chance = 1;

static uint64_t chance(uint64_t n) {
    state_of_chance = state_of_chance * 6364136223846793005u + 1442695040888963407u;
    return (state_of_chance >> 33) % n;
}

static void assert_read_alike(const char *text, size_t size) {
    json_error_t where;
    json_t *theirs = json_loadb(text, size, JSON_REJECT_DUPLICATES, &where);
    const sonde_source source = {"text", text, size};
    sonde__json_problem problem;
    json_t *ours = sonde__json_parse_text(&source, NULL, 0, &problem);
    if ((ours == NULL) != (theirs == NULL) || (ours != NULL && !json_equal(ours, theirs))) {
        fail_msg("read in two ways: %.*s", (int)size, text);
    }
    json_t *shown = json_string(where.text);
    if (ours == NULL &&
        shown != NULL) { /* jansson may show a piece of a character, which is none */
        int32_t column = 0;
        const int32_t line = sonde__json_line(&source, problem.at, &column);
        if (strcmp(problem.text, where.text) != 0 || line != where.line || column != where.column ||
            problem.memory) {
            fail_msg("%d:%d %s\nbut jansson %d:%d %s\nof %.*s", (int)line, (int)column,
                     problem.text, where.line, where.column, where.text, (int)size, text);
        }
    }
    json_decref(shown);
    json_decref(ours);
    json_decref(theirs);
}

static const char *const texts[] = {
    "",
    "  ",
    "{}",
    "[]",
    "3",
    "\"a\"",
    "[1, -2, 3.5, -0, 0.0, 1e3, 1E+3, 2e-2, -1.5e10, 123456789012345]",
    "[9223372036854775807, -9223372036854775808]",
    "[9223372036854775808]",
    "[-9223372036854775809]",
    "[1e999]",
    "[-1e999]",
    "[1e-999]",
    "[01]",
    "[1.]",
    "[1.e3]",
    "[.5]",
    "[-]",
    "[-a]",
    "[1e]",
    "[1e+]",
    "[1e+x]",
    "[1\xc3\xa9]",
    "[NaN]",
    "[Infinity]",
    "[true, false, null]",
    "[truth]",
    "[nul]",
    "[1 2]",
    "[1,]",
    "[,]",
    "[1",
    "[",
    "]",
    "{",
    "{\"a\"",
    "{\"a\":",
    "{\"a\":1",
    "{\"a\":1,",
    "{\"a\":1,}",
    "{\"a\" 1}",
    "{a: 1}",
    "{\"a\": 1, \"a\": 2}",
    "{\"a\": 1} x",
    "{\"a\": {\"a\": {\"b\": [[[{}]]]}}}",
    "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20AC\\uD83D\\ude00\"]",
    "[\"\\u0000\"]",
    "{\"\\u0000\": 1}",
    "[\"\\ud83d\"]",
    "[\"\\ude00\"]",
    "[\"\\ud83dx\"]",
    "[\"\\ud83d\\u0041\"]",
    "[\"\\u12g4\"]",
    "[\"\\u12",
    "[\"\\x\"]",
    "[\"\\",
    "[\"a",
    "[\"a\nb\"]",
    "[\"a\tb\"]",
    "[\"a\\\n\"]",
    "[\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"]",
    "[\"\xc3\"]",
    "[\"\xff\"]",
    "[\"\xc0\x80\"]",
    "[\"\xed\xa0\x80\"]",
    "[\"\xf5\x80\x80\x80\"]",
    "[\"a long word that is longer than twenty letters\" 1]",
    "[\"a long word that is longer than twenty letters",
    "[\xff",
    "[\xe2\x82\xac]",
    "\xff",
    "{\"one\": [1, 2.5, \"x\"],\n  \"two\": {\"three\": null},\r\n\t\"four\": \"\\u00fc\"}\n",
    "{\"\xc3\xbc\xc3\xbc\xc3\xbc\": [1, x]}",
};
enum { N_TEXT = sizeof texts / sizeof *texts };

static void texts_by_hand_are_read_as_jansson_reads_them(void **state) {
    (void)state;
    for (int32_t i = 0; i < N_TEXT; i++) {
        assert_read_alike(texts[i], strlen(texts[i]));
    }
    assert_read_alike("[1]\0", 4);
    assert_read_alike("[\"a\0b\"]", 7);
    assert_read_alike("\0", 1);
}

static void levels_end_where_those_of_jansson_do(void **state) {
    (void)state;
    static char text[2 * 2049];
    for (size_t n = 2047; n <= 2049; n++) {
        memset(text, '[', n);
        memset(text + n, ']', n);
        assert_read_alike(text, 2 * n);
    }
}

/* One to four changes of a text: a byte, a piece left out, a piece of another text put in. */
static size_t damage(char *text, size_t size, size_t capacity) {
    /* a NUL that was taken back is lost in jansson, so there is none */
    static const char odd[] = "{}[]:,\"\\ue+-.019 \n\t\xc3\xa9\xff\x80\xed";
    for (uint64_t n = 1 + chance(4); n > 0; n--) {
        const size_t at = size > 0 ? (size_t)chance(size) : 0;
        const char *other = texts[chance(N_TEXT)];
        const size_t length = strlen(other);
        switch (chance(4)) {
        case 0:
            if (size > 0) {
                text[at] = odd[chance(sizeof odd - 1)];
            }
            break;
        case 1: size = at; break;
        case 2:
            if (size > 0) {
                memmove(text + at, text + at + 1, size - at - 1);
                size--;
            }
            break;
        default:
            if (size + length <= capacity) {
                memmove(text + at + length, text + at, size - at);
                memcpy(text + at, other, length);
                size += length;
            }
        }
    }
    return size;
}

static void damaged_texts_are_read_as_jansson_reads_them(void **state) {
    (void)state;
    for (int32_t i = 0; i < 60000; i++) {
        char text[2048];
        const char *from = texts[chance(N_TEXT)];
        memcpy(text, from, strlen(from));
        const size_t size = damage(text, strlen(from), sizeof text);
        /* a block of exactly this size, so that reading past it is seen */
        char *exact = malloc(size > 0 ? size : 1);
        assert_non_null(exact);
        memcpy(exact, text, size);
        assert_read_alike(exact, size);
        free(exact);
    }
}

/* Lists that were taken out before are empty; what follows them is read. */
static void numbers_that_were_taken_out_are_an_empty_list(void **state) {
    (void)state;
    const char text[] = "{\"A\": [[1, 2], [3, 4]], \"b\": 5}";
    const sonde__numbers numbers[] = {{.from = 7, .to = 13}, {.from = 15, .to = 21}};
    const sonde_source source = {"text", text, sizeof text - 1};
    sonde__json_problem problem;
    json_t *root = sonde__json_parse_text(&source, numbers, 2, &problem);
    json_t *expected = json_loads("{\"A\": [[], []], \"b\": 5}", 0, NULL);
    assert_true(json_equal(root, expected));
    json_decref(root);
    json_decref(expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_by_hand_are_read_as_jansson_reads_them),
        cmocka_unit_test(levels_end_where_those_of_jansson_do),
        cmocka_unit_test(damaged_texts_are_read_as_jansson_reads_them),
        cmocka_unit_test(numbers_that_were_taken_out_are_an_empty_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
