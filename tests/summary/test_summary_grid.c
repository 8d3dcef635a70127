/* One table, four ways to write it. */
#include "documents.h"

#include "summary/summary.h"

#define DASH "\342\200\223"
#define MINUS "\342\210\222"

/* Two head rows, two rows, words that each format has to escape. */
static sonde__grid small_grid(void) {
    sonde__grid grid = {.name = "small", .n_column = 3, .n_head = 2};
    sonde__grid_add(&grid, SONDE__LEFT, 1, "", NULL);
    sonde__grid_add(&grid, 0, 2, "both", NULL);
    sonde__grid_put(&grid, SONDE__LEFT, "what");
    sonde__grid_put(&grid, 0, "a");
    sonde__grid_put(&grid, SONDE__APART, "b");
    sonde__grid_put(&grid, SONDE__LEFT, "x, \"y\" & 5 %");
    sonde__grid_add(&grid, SONDE__BOLD | SONDE__MARK, 1, "1,234.5", "1" DASH "9");
    sonde__grid_put(&grid, SONDE__APART, DASH);
    sonde__grid_put(&grid, SONDE__LEFT | SONDE__RULE, "z_1");
    sonde__grid_add(&grid, 0, 1, MINUS "2.0", "3");
    sonde__grid_integer(&grid, SONDE__APART, 42);
    return grid;
}

static void assert_written(void (*write)(const sonde__grid *, sonde_text *), const char *wanted) {
    sonde__grid grid = small_grid();
    sonde_text text = {0};
    write(&grid, &text);
    assert_false(text.failed);
    assert_string_equal(text.data, wanted);
    sonde_text_free(&text);
    sonde__grid_free(&grid);
}

static void html_has_heads_spans_and_entities(void **state) {
    (void)state;
    assert_written(
        sonde__grid_html,
        "<table>\n"
        "<tr><th colspan=\"1\"></th><th colspan=\"2\">both</th></tr>\n"
        "<tr><th colspan=\"1\">what</th><th colspan=\"1\">a</th><th colspan=\"1\">b</th></tr>\n"
        "<tr><td colspan=\"1\">x, &quot;y&quot; &amp; 5 %</td><td colspan=\"1\"><b>1,234.5</b>\342\200\240 <small>1" DASH
        "9</small></td><td colspan=\"1\">" DASH "</td></tr>\n"
        "<tr><td colspan=\"1\">z_1</td><td colspan=\"1\">" MINUS
        "2.0 <small>3</small></td><td colspan=\"1\">42</td></tr>\n"
        "</table>\n");
}

static void json_has_words_and_styles(void **state) {
    (void)state;
    assert_written(
        sonde__grid_json,
        "{\"name\": \"small\", \"heads\": 2, \"rows\": [\n"
        "  [{\"words\": \"\", \"left\": true}, {\"words\": \"both\", \"span\": 2}],\n"
        "  [{\"words\": \"what\", \"left\": true}, \"a\", {\"words\": \"b\", \"apart\": true}],\n"
        "  [{\"words\": \"x, \\\"y\\\" & 5 %\", \"left\": true}, {\"words\": \"1,234.5\", \"small\": \"1" DASH
        "9\", \"bold\": true, \"mark\": true}, {\"words\": \"" DASH "\", \"apart\": true}],\n"
        "  [{\"words\": \"z_1\", \"left\": true, \"rule\": true}, {\"words\": \"" MINUS
        "2.0\", \"small\": \"3\"}, {\"words\": \"42\", \"apart\": true}]]}");
}

static void csv_has_numbers_that_programs_read(void **state) {
    (void)state;
    assert_written(sonde__grid_csv,
                   ",both,\nwhat,a,b\n\"x, \"\"y\"\" & 5 %\",1234.5,\nz_1,-2.0,42\n");
}

static void tex_is_a_plain_tabular(void **state) {
    (void)state;
    assert_written(
        sonde__grid_tex,
        "\\begin{tabular}{lrr}\n\\hline\n"
        " & \\multicolumn{2}{c}{both} \\\\\n"
        "what & a & b \\\\\n\\hline\n"
        "x, \"y\" \\& 5 \\% & \\textbf{1,234.5}$^\\dagger$ {\\scriptsize 1--9} & -- \\\\\n"
        "\\hline\n"
        "z\\_1 & $-$2.0 {\\scriptsize 3} & 42 \\\\\n"
        "\\hline\n\\end{tabular}\n");
}

static void text_has_digits_below_digits(void **state) {
    (void)state;
    assert_written(sonde__grid_text, "             both\n"
                                     "what                     a   b\n"
                                     "------------------------------\n"
                                     "x, \"y\" & 5 % \342\226\2701,234.5* 1" DASH "9   " DASH "\n"
                                     "\n"
                                     "z_1              " MINUS "2.0    3  42\n");
}

static void a_grid_without_rows_is_still_a_table(void **state) {
    (void)state;
    sonde__grid grid = {.name = "empty", .n_column = 1, .n_head = 1};
    sonde_text html = {0};
    sonde_text tex = {0};
    sonde__grid_put(&grid, 0, "alone");
    sonde__grid_html(&grid, &html);
    sonde__grid_tex(&grid, &tex);
    assert_string_equal(html.data, "<table>\n<tr><th colspan=\"1\">alone</th></tr>\n</table>\n");
    assert_string_equal(tex.data, "\\begin{tabular}{r}\n\\hline\nalone \\\\\n\\hline\n"
                                  "\\end{tabular}\n");
    sonde_text_free(&html);
    sonde_text_free(&tex);
    sonde__grid_free(&grid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(html_has_heads_spans_and_entities),
        cmocka_unit_test(json_has_words_and_styles),
        cmocka_unit_test(csv_has_numbers_that_programs_read),
        cmocka_unit_test(tex_is_a_plain_tabular),
        cmocka_unit_test(text_has_digits_below_digits),
        cmocka_unit_test(a_grid_without_rows_is_still_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
