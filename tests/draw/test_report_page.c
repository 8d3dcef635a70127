/* The page of a report, from results by hand. */
#include "draw/figure_tools.h"

#include <sys/stat.h>
#include <unistd.h>

#include "draw/report_page.h"

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
    char *text = calloc(1, 1 << 22);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 22) - 1, file) > 0);
    assert_int_equal(fclose(file), 0);
    return text;
}

static bool is_file(const char *folder, const char *name) {
    char path[512];
    path_to(path, folder, name);
    return access(path, R_OK) == 0;
}

/* Writes the report of results and returns its page. */
static char *page_of(fake *f, const char *folder) {
    char path[512];
    sonde_text table = {0};
    sonde_error error = {0};
    path_to(path, folder, "");
    const sonde_status status = sonde__page_write(&f->results, path, NULL, &table, &error);
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

/* Every id once; every link within the page goes somewhere; every link to a file, too. */
static void assert_links(const char *page, const char *folder) {
    for (const char *s = strstr(page, " href=\""); s != NULL; s = strstr(s + 1, " href=\"")) {
        char target[200];
        assert_int_equal(sscanf(s, " href=\"%199[^\"]", target), 1);
        if (target[0] == '#') {
            char id[210];
            (void)snprintf(id, sizeof id, " id=\"%s\"", target + 1);
            assert_int_equal(count_of(page, id), 1);
        } else if (strcmp(target, "data:,") != 0 && !is_file(folder, target)) {
            fail_msg("%s is not there", target);
        }
    }
}

/* ------------------------------------------------------------------------------------ tests -- */

static void a_whole_study_has_every_section(void **state) {
    (void)state;
    fake *f = fake_paper();
    char *page = page_of(f, "whole");
    static const char *const section[] = {"table1",   "speed",       "figures",
                                          "failures", "differences", "notes"};
    for (size_t i = 0; i < sizeof section / sizeof *section; i++) {
        char id[64];
        (void)snprintf(id, sizeof id, "<section id=\"%s\">", section[i]);
        assert_has(page, id);
        (void)snprintf(id, sizeof id, "<a href=\"#%s\">", section[i]);
        assert_has(page, id);
    }
    assert_lacks(page, "<section id=\"worlds\">"); /* results by hand have no worlds */
    assert_int_equal(count_of(page, "<section"), count_of(page, "</section>"));
    assert_int_equal(count_of(page, "<figure"), count_of(page, "</figure>"));
    assert_int_equal(count_of(page, "<table>"), count_of(page, "</table>"));
    free(page);
    fake_free(f);
}

static void the_page_stands_on_its_own(void **state) {
    (void)state;
    fake *f = fake_paper();
    char *page = page_of(f, "alone");
    assert_lacks(page, "http:");
    assert_lacks(page, "https:");
    assert_lacks(page, "<script");
    assert_lacks(page, "url(");
    assert_lacks(page, "nan");
    assert_links(page, "alone");
    free(page);
    fake_free(f);
}

static void every_figure_and_table_is_a_file(void **state) {
    (void)state;
    fake *f = fake_paper();
    char *page = page_of(f, "files");
    static const char *const wanted[] = {
        "figures/optimality.svg",     "figures/decision_time.svg",
        "figures/decision_steps.svg", "figures/construction_time.svg",
        "figures/sweep_k.svg",        "figures/sweep_n.svg",
        "figures/valid.svg",          "figures/failures.svg",
        "figures/differences_5.svg",  "figures/tradeoff_5.svg",
        "tables/table1.csv",          "tables/table1.tex",
        "tables/decision_cost.csv",   "tables/failures.csv",
        "tables/differences.csv",     "tables/differences.tex",
        "tables/conditions.csv"};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        if (!is_file("files", wanted[i])) {
            fail_msg("%s is not there", wanted[i]);
        }
    }
    char *svg = contents("files", "figures/optimality.svg");
    assert_non_null(svg);
    const sonde_text picture = {.data = svg, .size = strlen(svg)};
    assert_picture(&picture);
    free(svg);
    free(page);
    fake_free(f);
}

static void sections_without_data_are_left_out(void **state) {
    (void)state;
    fake *f = fake_new();
    sonde_condition *condition = fake_condition(f, "sweep-k", SONDE_LOCAL, "boe", 6, 1);
    condition->n_graph = 3;
    fake_run(f);
    char *page = page_of(f, "sweep");
    assert_has(page, "<section id=\"figures\">");
    assert_has(page, "<section id=\"notes\">");
    assert_has(page, "figure-sweep_k");
    assert_lacks(page, "<section id=\"table1\">");
    assert_lacks(page, "<section id=\"speed\">");
    assert_lacks(page, "<section id=\"failures\">");
    assert_lacks(page, "<section id=\"differences\">");
    free(page);
    fake_free(f);
}

static void nothing_done_yet_is_a_page_all_the_same(void **state) {
    (void)state;
    fake *f = fake_paper();
    f->plan.n_task = 120;
    f->results.n_run = 0;
    char *page = page_of(f, "nothing");
    assert_has(page, "Not complete: 0 of 120 tasks are done");
    assert_has(page, "<section id=\"table1\">");
    assert_lacks(page, "<section id=\"figures\">");
    assert_lacks(page, "<section id=\"failures\">");
    assert_lacks(page, "nan");
    free(page);
    fake_free(f);
}

static void partial_results_say_how_many(void **state) {
    (void)state;
    fake *f = fake_paper();
    f->plan.n_task = 120;
    f->results.n_task_done = 119;
    char *page = page_of(f, "partial");
    assert_has(page, "Not complete: 119 of 120 tasks are done");
    free(page);
    f->results.n_task_done = 120;
    page = page_of(f, "partial");
    assert_lacks(page, "Not complete");
    free(page);
    fake_free(f);
}

static void names_of_files_and_plans_are_escaped(void **state) {
    (void)state;
    fake *f = fake_new();
    f->plan.name = "<b>&";
    f->plan.text = "{\"name\": \"<i>\"}";
    f->results.path = "/somewhere/<u>.sqlite";
    fake_condition(f, "table", SONDE_LOCAL, "boe", 6, 1)->label = "<s>";
    fake_run(f);
    char *page = page_of(f, "escaped");
    assert_has(page, "&lt;b&gt;&amp;.json");
    assert_has(page, "&lt;u&gt;.sqlite");
    assert_has(page, "&lt;i&gt;");
    assert_has(page, "&lt;s&gt;");
    assert_lacks(page, "<u>");
    assert_lacks(page, "<s>");
    assert_lacks(page, "/somewhere/");
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
    assert_int_equal(sonde__page_write(&f->results, path, &run, &table, &error), SONDE_STOPPED);
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
    assert_int_equal(sonde__page_write(&f->results, path, NULL, &table, &error), SONDE_NOT_WRITTEN);
    assert_non_null(strstr(error.text, "in_the_way"));
    path_to(path, "not_there", "deeper");
    assert_int_equal(sonde__page_write(&f->results, path, NULL, &table, &error), SONDE_NOT_WRITTEN);
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
    assert_int_not_equal(sonde_report_study(path, folder, NULL, &table, &error), SONDE_OK);
    assert_non_null(strstr(error.text, "no_such.sqlite"));
    assert_false(is_file("unread", "index.html"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_study_has_every_section),
        cmocka_unit_test(the_page_stands_on_its_own),
        cmocka_unit_test(every_figure_and_table_is_a_file),
        cmocka_unit_test(sections_without_data_are_left_out),
        cmocka_unit_test(nothing_done_yet_is_a_page_all_the_same),
        cmocka_unit_test(partial_results_say_how_many),
        cmocka_unit_test(names_of_files_and_plans_are_escaped),
        cmocka_unit_test(the_same_results_give_the_same_page),
        cmocka_unit_test(a_raised_flag_stops_it_and_leaves_the_old_page),
        cmocka_unit_test(a_folder_that_cannot_be_is_an_error_that_names_it),
        cmocka_unit_test(results_that_cannot_be_read_are_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
