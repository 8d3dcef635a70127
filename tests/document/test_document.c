/* The words that all JSON documents are made of. */
#include "documents.h"

#include "document/document_internal.h"

static json_t *count_of(uint64_t count, double real) {
    sonde_text json = {0};
    sonde_text_add(&json, "{\"n\": ");
    sonde__document_count(&json, count, real);
    sonde_text_add(&json, "}");
    return tree(&json);
}

static void a_count_up_to_2_to_the_53_is_a_number(void **state) {
    (void)state;
    json_t *root = count_of(UINT64_C(9007199254740992), 9007199254740992.0);
    assert_true(json_is_integer(at(root, "n")));
    assert_true(json_integer_value(at(root, "n")) == INT64_C(9007199254740992));
    json_decref(root);
}

static void a_count_past_2_to_the_53_is_a_string_with_17_digits(void **state) {
    (void)state;
    json_t *root = count_of(UINT64_C(9007199254740994), 9007199254740994.0);
    assert_string_equal(string_at(root, "n"), "9.0071992547409940e+15");
    json_decref(root);
    root = count_of(UINT64_MAX, 1e300);
    assert_string_equal(string_at(root, "n"), "1.0000000000000001e+300");
    assert_true(strtod(string_at(root, "n"), NULL) == 1e300);
    json_decref(root);
}

static void a_count_past_the_largest_double_is_infinity(void **state) {
    (void)state;
    json_t *root = count_of(UINT64_MAX, 1e300 * 1e300);
    assert_string_equal(string_at(root, "n"), "Infinity");
    json_decref(root);
}

static void an_index_never_loses_a_digit(void **state) {
    (void)state;
    sonde_text json = {0};
    sonde_text_add(&json, "[");
    sonde__document_index(&json, 7);
    sonde_text_add(&json, ", ");
    sonde__document_index(&json, UINT64_MAX);
    sonde_text_add(&json, "]");
    json_t *root = tree(&json);
    assert_number(root, "0", 7);
    assert_string_equal(string_at(root, "1"), "18446744073709551615");
    json_decref(root);
}

static void a_document_opens_with_version_verb_and_sign(void **state) {
    (void)state;
    sonde_text json = {0};
    sonde__document_open(&json, "plan", "sonde plan \"a b.json\"");
    sonde__document_close(&json);
    json_t *root = tree(&json);
    assert_string_equal(string_at(root, "sonde"), sonde_version());
    assert_string_equal(string_at(root, "verb"), "plan");
    assert_string_equal(string_at(root, "sign"), "G");
    assert_string_equal(string_at(root, "command"), "sonde plan \"a b.json\"");
    json_decref(root);
}

static void a_document_without_command_has_no_such_key(void **state) {
    (void)state;
    sonde_text json = {0};
    sonde__document_open(&json, "plan", NULL);
    sonde__document_close(&json);
    json_t *root = tree(&json);
    assert_null(json_object_get(root, "command"));
    json_decref(root);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_count_up_to_2_to_the_53_is_a_number),
        cmocka_unit_test(a_count_past_2_to_the_53_is_a_string_with_17_digits),
        cmocka_unit_test(a_count_past_the_largest_double_is_infinity),
        cmocka_unit_test(an_index_never_loses_a_digit),
        cmocka_unit_test(a_document_opens_with_version_verb_and_sign),
        cmocka_unit_test(a_document_without_command_has_no_such_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
