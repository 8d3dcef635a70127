/* The report of a study, from results by hand: the summary, the tables, the page. */
#include "draw/figure_tools.h"

#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------ tools -- */

static void path_to(char path[512], const char *folder, const char *name) {
    (void)snprintf(path, 512, "%s/%s%s%s", SONDE_TEST_TMP, folder, *name != '\0' ? "/" : "", name);
}

/* All of a file in the test's folder; NULL if there is none. The caller frees it. */
static char *contents(const char *folder, const char *name) {
    char path[512];
    path_to(path, folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    char *text = calloc(1, 1 << 24);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 24) - 1, file) > 0);
    assert_int_equal(fclose(file), 0);
    return text;
}

static bool is_file(const char *folder, const char *name) {
    char path[512];
    path_to(path, folder, name);
    return access(path, R_OK) == 0;
}

/* Writes the report of results, in a page (or none), and returns what index.html is. */
static char *page_in(fake *f, const char *folder, const char *page_file) {
    char path[512];
    sonde_text table = {0};
    sonde_error error = {0};
    path_to(path, folder, "");
    const sonde_status status =
        sonde__report_write(&f->results, path, page_file, NULL, &table, &error);
    if (status != SONDE_OK) {
        fail_msg("%s", error.text);
    }
    assert_false(table.failed);
    assert_non_null(table.data);
    sonde_text_free(&table);
    char *page = contents(folder, "index.html");
    assert_non_null(page);
    return page;
}

static void assert_has(const char *page, const char *wanted) {
    if (strstr(page, wanted) == NULL) {
        fail_msg("the page should have %s", wanted);
    }
}

static void assert_lacks(const char *page, const char *wanted) {
    if (strstr(page, wanted) != NULL) {
        fail_msg("the page should not have %s", wanted);
    }
}

/* The same without a page. */
static char *page_of(fake *f, const char *folder) {
    return page_in(f, folder, NULL);
}

/* Writes the report of results and returns its summary. */
static json_t *summary_of(fake *f, const char *folder) {
    free(page_of(f, folder));
    char *text = contents(folder, "summary.json");
    json_error_t wrong;
    json_t *summary = json_loads(text, 0, &wrong);
    if (summary == NULL) {
        fail_msg("summary.json:%d: %s", wrong.line, wrong.text);
    }
    free(text);
    return summary;
}

/* ------------------------------------------------------------------------------------ tests -- */

static void every_stretch_of_runs_is_a_cell(void **state) {
    (void)state;
    fake *f = fake_paper();
    json_t *summary = summary_of(f, "whole");
    assert_string_equal(json_string_value(json_object_get(summary, "format")), "sonde-summary");
    assert_int_equal(json_integer_value(json_object_get(summary, "version")), 1);
    size_t i;
    json_t *cell;
    int64_t first = 0;
    json_array_foreach(json_object_get(summary, "cells"), i, cell) {
        assert_int_equal(json_integer_value(json_object_get(cell, "first")), first);
        const int64_t n = json_integer_value(json_object_get(cell, "runs"));
        for (int64_t r = first; r < first + n; r++) {
            assert_int_equal(f->run[r].condition,
                             json_integer_value(json_object_get(cell, "condition")));
            assert_int_equal(f->run[r].size, json_integer_value(json_object_get(cell, "size")));
        }
        first += n;
    }
    assert_int_equal(first, f->results.n_run);
    assert_int_equal(json_array_size(json_object_get(summary, "conditions")),
                     (size_t)f->plan.n_condition);
    json_decref(summary);
    fake_free(f);
}

static void every_table_is_a_file_and_in_the_summary(void **state) {
    (void)state;
    fake *f = fake_paper();
    json_t *summary = summary_of(f, "files");
    static const char *const wanted[] = {"table1", "decision_cost", "failures", "differences",
                                         "conditions"};
    const json_t *tables = json_object_get(summary, "tables");
    assert_int_equal(json_array_size(tables), sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        char name[64];
        assert_string_equal(json_string_value(json_object_get(json_array_get(tables, i), "name")),
                            wanted[i]);
        (void)snprintf(name, sizeof name, "tables/%s.csv", wanted[i]);
        assert_true(is_file("files", name));
        (void)snprintf(name, sizeof name, "tables/%s.tex", wanted[i]);
        assert_true(is_file("files", name));
    }
    json_decref(summary);
    fake_free(f);
}

static void tables_without_data_are_left_out(void **state) {
    (void)state;
    fake *f = fake_new();
    sonde_condition *condition = fake_condition(f, "sweep-k", SONDE_LOCAL, "boe", 6, 1);
    condition->n_graph = 3;
    fake_run(f);
    json_t *summary = summary_of(f, "sweep");
    assert_int_equal(json_array_size(json_object_get(summary, "tables")), 1);
    assert_int_equal(json_array_size(json_object_get(summary, "cells")), 3);
    assert_false(is_file("sweep", "tables/table1.csv"));
    json_decref(summary);
    fake_free(f);
}

static void nothing_done_yet_is_a_summary_all_the_same(void **state) {
    (void)state;
    fake *f = fake_paper();
    f->plan.n_task = 120;
    f->results.n_run = 0;
    json_t *summary = summary_of(f, "nothing");
    const json_t *study = json_object_get(summary, "study");
    assert_int_equal(json_integer_value(json_object_get(study, "tasks_done")), 0);
    assert_int_equal(json_integer_value(json_object_get(study, "tasks")), 120);
    assert_int_equal(json_array_size(json_object_get(summary, "cells")), 0);
    json_decref(summary);
    fake_free(f);
}

#define PLACE "<script type=\"application/json\" id=\"study\">"

/* A page with a place for the summary. */
static void write_page(char path[512], const char *name, const char *text) {
    path_to(path, name, "");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    (void)fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static fake *fake_wicked(void) {
    fake *f = fake_new();
    f->plan.name = "</script><b>&";
    f->plan.text = "{\"name\": \"<!--<script>\"}";
    f->results.path = "/somewhere/<u>.sqlite";
    fake_condition(f, "table", SONDE_LOCAL, "boe", 6, 1)->label = "<s>\"\\";
    fake_run(f);
    return f;
}

static void no_tag_begins_in_a_summary_that_is_in_a_page(void **state) {
    (void)state;
    fake *f = fake_wicked();
    char path[512];
    write_page(path, "page.html", "<p>" PLACE "what was there</script><i>");
    char *page = page_in(f, "inlined", path);
    assert_int_equal(strncmp(page, "<p>" PLACE "{", strlen("<p>" PLACE "{")), 0);
    assert_int_equal(count_of(page, "<"), 4);
    assert_has(page, "\\u003c/script>\\u003cb>&");
    assert_lacks(page, "/somewhere/");
    assert_lacks(page, "what was there");
    /* what was put there reads back as the summary itself */
    char *text = contents("inlined", "summary.json");
    char *end = strstr(page, "</script><i>");
    assert_non_null(end);
    json_t *one =
        json_loadb(page + strlen("<p>" PLACE), (size_t)(end - page) - strlen("<p>" PLACE), 0, NULL);
    json_t *two = json_loads(text, 0, NULL);
    assert_non_null(one);
    assert_true(json_equal(one, two));
    json_decref(one);
    json_decref(two);
    free(text);
    free(page);
    fake_free(f);
}

static void a_page_without_a_place_is_refused(void **state) {
    (void)state;
    fake *f = fake_wicked();
    char path[512];
    char folder[512];
    sonde_text table = {0};
    sonde_error error = {0};
    write_page(path, "other.html", "<p>something else</p>");
    path_to(folder, "other", "");
    assert_int_equal(sonde__report_write(&f->results, folder, path, NULL, &table, &error),
                     SONDE_BAD_INPUT);
    assert_non_null(strstr(error.text, "other.html"));
    assert_false(is_file("other", "index.html"));
    fake_free(f);
}

static void without_a_page_there_are_plain_tables_that_say_so(void **state) {
    (void)state;
    fake *f = fake_wicked();
    char *page = page_of(f, "plain");
    assert_has(page, "the page was not built where this report was made");
    assert_has(page, "&lt;/script&gt;&lt;b&gt;&amp;");
    assert_has(page, "&lt;s&gt;");
    assert_has(page, "<h2>table1</h2>\n<table>");
    assert_lacks(page, "<s>");
    assert_lacks(page, "<script");
    assert_lacks(page, "http");
    free(page);
    fake_free(f);
}

static void the_same_results_give_the_same_page(void **state) {
    (void)state;
    fake *f = fake_paper();
    char *one = page_of(f, "same");
    char *two = page_of(f, "same");
    assert_string_equal(one, two);
    free(one);
    free(two);
    fake_free(f);
}

static void a_raised_flag_stops_it_and_leaves_the_old_page(void **state) {
    (void)state;
    fake *f = fake_paper();
    free(page_of(f, "stopped"));
    char path[512];
    path_to(path, "stopped", "index.html");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    (void)fputs("old", file);
    assert_int_equal(fclose(file), 0);

    sonde_stop stop = {0};
    sonde_run run = sonde_run_defaults();
    run.stop = &stop;
    sonde_stop_raise(&stop);
    sonde_text table = {0};
    sonde_error error = {0};
    path_to(path, "stopped", "");
    assert_int_equal(sonde__report_write(&f->results, path, NULL, &run, &table, &error),
                     SONDE_STOPPED);
    assert_int_equal(error.status, SONDE_STOPPED);
    assert_null(table.data);
    char *page = contents("stopped", "index.html");
    assert_string_equal(page, "old");
    free(page);
    fake_free(f);
}

static void a_folder_that_cannot_be_is_an_error_that_names_it(void **state) {
    (void)state;
    fake *f = fake_paper();
    sonde_text table = {0};
    sonde_error error = {0};
    char path[512];
    path_to(path, "in_the_way", "");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(sonde__report_write(&f->results, path, NULL, NULL, &table, &error),
                     SONDE_NOT_WRITTEN);
    assert_non_null(strstr(error.text, "in_the_way"));
    path_to(path, "not_there", "deeper");
    assert_int_equal(sonde__report_write(&f->results, path, NULL, NULL, &table, &error),
                     SONDE_NOT_WRITTEN);
    assert_non_null(strstr(error.text, "not_there/deeper"));
    fake_free(f);
}

static void results_that_cannot_be_read_are_an_error(void **state) {
    (void)state;
    char path[512];
    char folder[512];
    sonde_text table = {0};
    sonde_error error = {0};
    path_to(path, "no_such.sqlite", "");
    path_to(folder, "unread", "");
    assert_int_not_equal(sonde_report_study(path, folder, NULL, NULL, &table, &error), SONDE_OK);
    assert_non_null(strstr(error.text, "no_such.sqlite"));
    assert_false(is_file("unread", "index.html"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stretch_of_runs_is_a_cell),
        cmocka_unit_test(every_table_is_a_file_and_in_the_summary),
        cmocka_unit_test(tables_without_data_are_left_out),
        cmocka_unit_test(nothing_done_yet_is_a_summary_all_the_same),
        cmocka_unit_test(no_tag_begins_in_a_summary_that_is_in_a_page),
        cmocka_unit_test(a_page_without_a_place_is_refused),
        cmocka_unit_test(without_a_page_there_are_plain_tables_that_say_so),
        cmocka_unit_test(the_same_results_give_the_same_page),
        cmocka_unit_test(a_raised_flag_stops_it_and_leaves_the_old_page),
        cmocka_unit_test(a_folder_that_cannot_be_is_an_error_that_names_it),
        cmocka_unit_test(results_that_cannot_be_read_are_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
