/* Text that others wrote is harmless where people see it. */
#include <string.h>

#include "base/name.h"
#include "base/shown.h"
#include "base/status.h"
#include "worlds.h"

/* each text, and how it is shown */
static const char *const shown[][2] = {
    {"plain words, gr\303\274\303\237e \346\227\245\346\234\254 \360\237\246\211",
     "plain words, gr\303\274\303\237e \346\227\245\346\234\254 \360\237\246\211"},
    {"\033[2J", "\\x1b[2J"},
    {"a\tb\nc\rd", "a\\x09b\\x0ac\\x0dd"},
    {"\177", "\\x7f"},
    {"\302\233"
     "31m",
     "\\u009b31m"}, /* of eight bits, in UTF-8 */
    {"\233"
     "31m",
     "\\x9b"
     "31m"},                                                 /* and as one byte */
    {"caf\351.json", "caf\\xe9.json"},                       /* another encoding */
    {"\300\257 \355\240\200", "\\xc0\\xaf \\xed\\xa0\\x80"}, /* overlong, half a pair */
    {"\371\200\200\200", "\\xf9\\x80\\x80\\x80"},            /* more than four bytes */
    {"txt\342\200\256nosj", "txt\\u202enosj"},               /* turned round */
    {"\342\201\246x\342\201\251", "\\u2066x\\u2069"},
    {"\342\200\250", "\\u2028"},
    {"\357\277\277", "\\uffff"},
    {"\360\237\277\277", "\\U01ffff"},
    {"\342\200", "\\xe2\\x80"}, /* cut short */
};
enum { N_SHOWN = sizeof shown / sizeof *shown };

static void control_characters_are_shown_as_escapes(void **state) {
    (void)state;
    for (int i = 0; i < N_SHOWN; i++) {
        sonde_text text = {0};
        sonde_text_add_shown(&text, shown[i][0]);
        assert_string_equal(text.data, shown[i][1]);
        sonde_text_free(&text);
    }
}

static void errors_show_what_files_say_as_escapes(void **state) {
    (void)state;
    for (int i = 0; i < N_SHOWN; i++) {
        sonde_error error = {0};
        assert_int_equal(sonde__fail(&error, SONDE_BAD_INPUT, "%s", shown[i][0]), SONDE_BAD_INPUT);
        assert_string_equal(error.text, shown[i][1]);
    }
}

static void errors_end_with_a_whole_character_or_escape(void **state) {
    (void)state;
    char longest[4000];
    for (int before = 0; before < 8; before++) {
        memset(longest, 'x', (size_t)before);
        for (size_t i = (size_t)before; i + 3 < sizeof longest; i += 2) {
            memcpy(longest + i, before < 4 ? "\303\274" : "\302\233", 3);
        }
        sonde_error error = {0};
        (void)sonde__fail(&error, SONDE_BAD_INPUT, "%s", longest);
        const size_t length = strlen(error.text);
        assert_in_range(length, sizeof error.text - 10, sizeof error.text - 1);
        assert_null(strstr(error.text, "\\x"));
        assert_true(before < 4 ? error.text[length - 1] == '\274'
                               : strcmp(error.text + length - 6, "\\u009b") == 0);
    }
}

static void a_text_is_cut_between_characters(void **state) {
    (void)state;
    assert_int_equal(sonde__cut("abc", 3), 3);
    assert_int_equal(sonde__cut("abc", 2), 2);
    assert_int_equal(sonde__cut("a\303\274", 2), 1);
    assert_int_equal(sonde__cut("a\303\274", 3), 3);
    assert_int_equal(sonde__cut("\360\237\246\211!", 3), 0);
    assert_int_equal(sonde__cut("\360\237\246\211!", 4), 4);
    assert_int_equal(sonde__cut("", 4), 0);
}

/* A name has this fault, or, where that is empty, none. */
static void assert_fault(const char *name, const char *wanted) {
    char fault[SONDE__FAULT] = "";
    assert_int_equal(sonde__name_fault(name, fault), wanted[0] != '\0');
    assert_string_equal(fault, wanted);
}

#define CONTROL(code) "without control characters, found character " code " in it"
#define BROKEN(byte) "in UTF-8, found the byte " byte " in it"

static void names_have_no_control_characters_and_are_text(void **state) {
    (void)state;
    assert_fault(shown[0][0], "");
    assert_fault("a\033b", CONTROL("0x1b"));
    assert_fault("a\302\233", CONTROL("0x9b"));
    assert_fault("a\342\200\256", CONTROL("0x202e"));
    assert_fault("a\233", CONTROL("0x9b"));
    assert_fault("a\357\277\277", CONTROL("0xffff"));
    assert_fault("caf\351", BROKEN("0xe9"));
    assert_fault("\303\251t\303", BROKEN("0xc3"));
    assert_fault("caf\303\251", "");
    assert_fault("", "");
}

static void words_that_look_like_formulas_are_guarded(void **state) {
    (void)state;
    static const char *const formula[] = {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"};
    for (size_t i = 0; i < sizeof formula / sizeof *formula; i++) {
        assert_string_equal(sonde__csv_guard(formula[i]), "'");
    }
    assert_string_equal(sonde__csv_guard("a=1"), "");
    assert_string_equal(sonde__csv_guard(""), "");
    assert_string_equal(sonde__csv_guard("12"), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_characters_are_shown_as_escapes),
        cmocka_unit_test(errors_show_what_files_say_as_escapes),
        cmocka_unit_test(errors_end_with_a_whole_character_or_escape),
        cmocka_unit_test(a_text_is_cut_between_characters),
        cmocka_unit_test(names_have_no_control_characters_and_are_text),
        cmocka_unit_test(words_that_look_like_formulas_are_guarded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
