/* Numbers as people read them. */
#include "documents.h"

#include <math.h>

#include "locales.h"
#include "base/words.h"

#define MINUS "\342\210\222"

static void decimals_are_as_many_as_asked_for(void **state) {
    (void)state;
    assert_string_equal(sonde__fixed(97.5, 1).text, "97.5");
    assert_string_equal(sonde__fixed(0.04, 1).text, "0.0");
    assert_string_equal(sonde__fixed(99.96, 1).text, "100.0");
    assert_string_equal(sonde__fixed(12.345678, 4).text, "12.3457");
    assert_string_equal(sonde__fixed(1234567.0, 0).text, "1,234,567");
    assert_string_equal(sonde__fixed(1234.5, 2).text, "1,234.50");
    assert_string_equal(sonde__fixed(0.05, 2).text, "0.05");
}

static void the_sign_is_there_when_the_digits_are(void **state) {
    (void)state;
    assert_string_equal(sonde__fixed(-25.04, 1).text, MINUS "25.0");
    assert_string_equal(sonde__fixed(-0.5, 1).text, MINUS "0.5");
    assert_string_equal(sonde__fixed(-0.04, 1).text, "0.0");
    assert_string_equal(sonde__fixed(-1000.0, 0).text, MINUS "1,000");
    assert_string_equal(sonde__grouped(-12).text, MINUS "12");
}

static void what_is_no_number_is_a_dash(void **state) {
    (void)state;
    assert_string_equal(sonde__fixed(NAN, 1).text, "\342\200\223");
    assert_string_equal(sonde__fixed(INFINITY, 1).text, "\342\200\223");
    assert_string_equal(sonde__fixed(1e300, 0).text, "\342\200\223");
    assert_string_equal(sonde__short(NAN).text, "\342\200\223");
    assert_string_equal(sonde__duration(NAN).text, "\342\200\223");
}

static void three_digits_are_enough(void **state) {
    (void)state;
    assert_string_equal(sonde__short(0.0).text, "0");
    assert_string_equal(sonde__short(0.01234).text, "0.0123");
    assert_string_equal(sonde__short(1.234).text, "1.23");
    assert_string_equal(sonde__short(12.34).text, "12.3");
    assert_string_equal(sonde__short(123.4).text, "123");
    assert_string_equal(sonde__short(12345.6).text, "12,346");
    assert_string_equal(sonde__duration(1.2).text, "1.20 s");
    assert_string_equal(sonde__duration(0.17).text, "170 ms");
    assert_string_equal(sonde__duration(66.4e-6).text, "66.4 \302\265s");
}

static void groups_have_three_digits(void **state) {
    (void)state;
    assert_string_equal(sonde__grouped(0).text, "0");
    assert_string_equal(sonde__grouped(999).text, "999");
    assert_string_equal(sonde__grouped(1000).text, "1,000");
    assert_string_equal(sonde__grouped(INT64_MAX).text, "9,223,372,036,854,775,807");
}

static void one_is_not_many(void **state) {
    (void)state;
    assert_string_equal(sonde__plural(1, "node").text, "1 node");
    assert_string_equal(sonde__plural(5, "node").text, "5 nodes");
    assert_string_equal(sonde__plural(1, "policy").text, "1 policy");
    assert_string_equal(sonde__plural(4096, "policy").text, "4,096 policies");
}

static void the_locale_changes_nothing(void **state) {
    (void)state;
    if (!set_comma_locale()) {
        skip();
    }
    assert_string_equal(sonde__fixed(97.5, 1).text, "97.5");
    assert_string_equal(sonde__duration(0.0123).text, "12.3 ms");
    reset_locale();
}

static void html_has_no_markup_of_anybody_elses(void **state) {
    (void)state;
    sonde_text html = {0};
    sonde__html(&html, "a < b & \"c\" > d");
    assert_string_equal(html.data, "a &lt; b &amp; &quot;c&quot; &gt; d");
    sonde_text_free(&html);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_are_as_many_as_asked_for),
        cmocka_unit_test(the_sign_is_there_when_the_digits_are),
        cmocka_unit_test(what_is_no_number_is_a_dash),
        cmocka_unit_test(three_digits_are_enough),
        cmocka_unit_test(groups_have_three_digits),
        cmocka_unit_test(one_is_not_many),
        cmocka_unit_test(the_locale_changes_nothing),
        cmocka_unit_test(html_has_no_markup_of_anybody_elses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
